//! The rules of Crucible.

use crate::rule::rules;

rules! {
    MAGIC "CRUCIBLE-MAGIC" Fatal "" "C11" Structure
        "A container starts with `cmodel` and a line feed.";
    TRUNCATED "CRUCIBLE-TRUNCATED" Fatal "Mesh Chunk Format" "" Structure
        "The file contains all data that its sizes and counts declare.";
    SIZE "CRUCIBLE-SIZE" Fatal "#2, #3" "C3, C4" Declaration
        "A compressed size is positive; an uncompressed size is not negative.";
    PACKING "CRUCIBLE-PACKING" Fatal "#4" "C3, C4" Structure
        "A stream is one raw LZ4 block that decompresses to the uncompressed size.";
    ATTRIBUTE "CRUCIBLE-ATTRIBUTE" Fatal "*3" "C1, C2" Declaration
        "An attribute has exactly one bit set, and the bit is known.";
    DUPLICATE "CRUCIBLE-DUPLICATE" Fatal "*2" "C2" Declaration
        "Each attribute has at most one stream.";
    STREAM_SIZE "CRUCIBLE-STREAM-SIZE" Fatal "*4" "C6" Declaration
        "The uncompressed size is a multiple of the size of a value.";
    COUNT "CRUCIBLE-COUNT" Fatal "*2" "C6" Declaration
        "All streams have the same number of values.";
    INDEX_SIZE "CRUCIBLE-INDEX-SIZE" Error "#1" "C5" Declaration
        "The index size is 0 or 1.";
    TRAILING "CRUCIBLE-TRAILING" Error "Mesh Chunk Format" "C9" Structure
        "No bytes follow the last stream.";
    INDEX_RANGE "CRUCIBLE-INDEX-RANGE" Error "*1" "C8" Declaration
        "Every index is below the vertex count.";
    TRIANGLES "CRUCIBLE-TRIANGLES" Warning "*1" "C8" Declaration
        "The number of indices is a multiple of 3.";
    POSITION "CRUCIBLE-POSITION" Warning "*3" "C8" Declaration
        "A chunk has a stream of positions.";
    NO_STREAMS "CRUCIBLE-NO-STREAMS" Warning "#5" "C8" Declaration
        "A chunk has attribute streams.";
    WEIGHT_SUM "CRUCIBLE-WEIGHT-SUM" Warning "*5" "C8" Declaration
        "The four influences of a vertex add up to 1.0, within 0.001.";
}
