//! The rules of IyMA.

use crate::rule::rules;

rules! {
    MAGIC "IYMA-MAGIC" Fatal "Header" "" Structure
        "A file starts with `IyMA`.";
    VERSION "IYMA-VERSION" Fatal "Header" "" Declaration
        "The version is 1.";
    TRUNCATED "IYMA-TRUNCATED" Fatal "General Structure" "" Structure
        "The file contains the whole header and descriptor.";
    DESCRIPTOR "IYMA-DESCRIPTOR" Fatal "Descriptor" "I1, I14, I15" Structure
        "The descriptor is bitcode of the dialect's types, and nothing follows it.";
    PACKING "IYMA-PACKING" Fatal "Data" "I7" Structure
        "The data is a sequence of complete zstd frames without magic bytes.";
    WINDOW "IYMA-WINDOW" Fatal "Data" "I7" Code("reads the headers of zstd frames")
        "No frame requires a window larger than 128 MiB.";
    DATA_SIZE "IYMA-DATA-SIZE" Fatal "Data" "I6, I7" Code("tells faults of the packing apart")
        "The data unpacks to exactly the size of the buffers in the descriptor.";
    TRAILING "IYMA-TRAILING" Fatal "Data" "I10" Code("tells faults of the packing apart")
        "Nothing follows the last frame.";
    METADATA_CHECKSUM "IYMA-METADATA-CHECKSUM" Error "Checksums" "I4, I16" Code("hashes packed bytes")
        "The metadata checksum is the hash of descriptor, descriptor length and data checksum.";
    DATA_CHECKSUM "IYMA-DATA-CHECKSUM" Error "Checksums" "I5, I16" Code("hashes packed bytes")
        "The data checksum is the hash of the compressed data, or 0.";
    MESH_RANGE "IYMA-MESH-RANGE" Error "Descriptor" "I11" Declaration
        "The index and vertex range of each mesh is inside the buffers.";
    INDEX_RANGE "IYMA-INDEX-RANGE" Error "Overview" "I11" Code("looks up the index range of each mesh")
        "Every index is below the vertex count of its mesh.";
    DUPLICATE "IYMA-DUPLICATE" Warning "Descriptor" "I13" Code("compares attributes with each other")
        "No two vertex buffers have the same usage.";
}
