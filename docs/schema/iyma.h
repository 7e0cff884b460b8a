/*
 * IyMA: the structures of a file.
 *
 * Numbers are little-endian, and there is no padding between fields.
 * On little-endian machines, the structs can be mapped onto the bytes of a file.
 *
 * The bits of a word have NAME_SHIFT, NAME_MASK (after shifting) and NAME(word), which extracts their value.
 *
 * Magic bytes are NAME_MAGIC, a string of NAME_MAGIC_SIZE bytes. "Decoded as" introduces a formula: x is the stored number,
 * the fields of a word have their names, and brackets enclose the numbers of a vector.
 *
 * An id in parentheses, a letter and a number, is a row of https://github.com/meshspec/meshspec/blob/main/docs/interpretations.md,
 * with the interpretation of an unclear sentence in the specification. A code in capitals is a rule:
 * `meshspec check --explain CODE` explains it.
 *
 * Rules that are not declared at a field:
 *
 * - IYMA-MAGIC (fatal): A file starts with `IyMA`.
 * - IYMA-TRUNCATED (fatal): The file contains the whole header and descriptor.
 * - IYMA-DESCRIPTOR, I1, I14, I15 (fatal): The descriptor is bitcode of the dialect's types, and nothing follows it.
 * - IYMA-PACKING, I7 (fatal): The data is a sequence of complete zstd frames without magic bytes.
 * - IYMA-WINDOW, I7 (fatal): No frame requires a window larger than 128 MiB.
 * - IYMA-DATA-SIZE, I6, I7 (fatal): The data unpacks to exactly the size of the buffers in the descriptor.
 * - IYMA-TRAILING, I10 (fatal): Nothing follows the last frame.
 * - IYMA-METADATA-CHECKSUM, I4, I16 (error): The metadata checksum is the hash of descriptor, descriptor length and data checksum.
 * - IYMA-DATA-CHECKSUM, I5, I16 (error): The data checksum is the hash of the compressed data, or 0.
 * - IYMA-INDEX-RANGE, I11 (error): Every index is below the vertex count of its mesh.
 * - IYMA-DUPLICATE, I13 (warning): No two vertex buffers have the same usage.
 */
#ifndef IYMA_LAYOUT_H
#define IYMA_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the structs of this header are little-endian"
#endif

#ifndef MESHSPEC_STATIC_ASSERT
#ifdef __cplusplus
#define MESHSPEC_STATIC_ASSERT(condition, message) static_assert(condition, message)
#else
#define MESHSPEC_STATIC_ASSERT(condition, message) _Static_assert(condition, message)
#endif
#endif

/* GCC, Clang and MSVC all support this pragma. */
#pragma pack(push, 1)

/*
 * The header: 24 bytes.
 */
#define IYMA_HEADER_MAGIC "IyMA"
#define IYMA_HEADER_MAGIC_SIZE 4
typedef struct iyma_header {
    uint8_t magic_bytes[4]; /* IYMA_HEADER_MAGIC */
    uint16_t version; /* Version of the format: 1. Rejected unless version == 1: the version is not 1 (IYMA-VERSION, fatal). */
    uint16_t descriptor_len; /* Size of the encoded descriptor in bytes. */
    uint64_t metadata_checksum; /* RapidHash of the encoded descriptor, its length and the data checksum (I3, I4). */
    uint64_t data_checksum; /* RapidHash of the compressed data; 0 if absent (I5). */
} iyma_header;
MESHSPEC_STATIC_ASSERT(sizeof(iyma_header) == 24, "size of iyma_header");
MESHSPEC_STATIC_ASSERT(offsetof(iyma_header, version) == 4, "offset of version");
MESHSPEC_STATIC_ASSERT(offsetof(iyma_header, descriptor_len) == 6, "offset of descriptor_len");
MESHSPEC_STATIC_ASSERT(offsetof(iyma_header, metadata_checksum) == 8, "offset of metadata_checksum");
MESHSPEC_STATIC_ASSERT(offsetof(iyma_header, data_checksum) == 16, "offset of data_checksum");

/*
 * The range of a mesh in the buffers.
 */
typedef struct iyma_mesh_info {
    uint32_t first_index; /* Position of the first index in the index buffer. */
    uint32_t index_count; /* Number of indices. first_index + index_count must not exceed n_indices (IYMA-MESH-RANGE, error). */
    uint32_t first_vertex; /* Position of the first vertex in the vertex buffers; the indices are relative to it. */
    uint32_t vertex_count; /* Number of vertices. first_vertex + vertex_count must not exceed n_vertices (IYMA-MESH-RANGE, error). */
} iyma_mesh_info;
MESHSPEC_STATIC_ASSERT(sizeof(iyma_mesh_info) == 16, "size of iyma_mesh_info");
MESHSPEC_STATIC_ASSERT(offsetof(iyma_mesh_info, first_index) == 0, "offset of first_index");
MESHSPEC_STATIC_ASSERT(offsetof(iyma_mesh_info, index_count) == 4, "offset of index_count");
MESHSPEC_STATIC_ASSERT(offsetof(iyma_mesh_info, first_vertex) == 8, "offset of first_vertex");
MESHSPEC_STATIC_ASSERT(offsetof(iyma_mesh_info, vertex_count) == 12, "offset of vertex_count");

/*
 * An index format.
 */
typedef uint8_t iyma_index_format;
#define IYMA_INDEX_FORMAT_U16 0 /* 16-bit indices. */
#define IYMA_INDEX_FORMAT_U32 1 /* 32-bit indices. */

/*
 * The usage of a vertex buffer, with the same numbers for both dialects.
 */
typedef uint8_t iyma_usage_field;
#define IYMA_USAGE_FIELD_CUSTOM 0 /* A custom usage. */
#define IYMA_USAGE_FIELD_POSITION 1 /* Position. */
#define IYMA_USAGE_FIELD_NORMAL 2 /* Normal. */
#define IYMA_USAGE_FIELD_TANGENT 3 /* Tangent. */
#define IYMA_USAGE_FIELD_COLOR 4 /* Colour. */
#define IYMA_USAGE_FIELD_UV 5 /* Texture coordinate; the reference dialect's first set. */
#define IYMA_USAGE_FIELD_UV1 6 /* The reference dialect's second set of texture coordinates. */
#define IYMA_USAGE_FIELD_JOINT_INDEX 7 /* Joint indices. */
#define IYMA_USAGE_FIELD_JOINT_WEIGHT 8 /* Joint weights. */

/*
 * A vertex format: the type and number of components per value.
 */
typedef uint8_t iyma_vertex_format;
#define IYMA_VERTEX_FORMAT_FLOAT16 0 /* One 16-bit float. */
#define IYMA_VERTEX_FORMAT_FLOAT32 1 /* One 32-bit float. */
#define IYMA_VERTEX_FORMAT_FLOAT64 2 /* One 64-bit float. */
#define IYMA_VERTEX_FORMAT_FLOAT16X2 3 /* Two 16-bit floats. */
#define IYMA_VERTEX_FORMAT_FLOAT16X4 4 /* Four 16-bit floats. */
#define IYMA_VERTEX_FORMAT_FLOAT32X2 5 /* Two 32-bit floats. */
#define IYMA_VERTEX_FORMAT_FLOAT32X3 6 /* Three 32-bit floats. */
#define IYMA_VERTEX_FORMAT_FLOAT32X4 7 /* Four 32-bit floats. */
#define IYMA_VERTEX_FORMAT_FLOAT64X2 8 /* Two 64-bit floats. */
#define IYMA_VERTEX_FORMAT_FLOAT64X3 9 /* Three 64-bit floats. */
#define IYMA_VERTEX_FORMAT_FLOAT64X4 10 /* Four 64-bit floats. */
#define IYMA_VERTEX_FORMAT_SINT8 11 /* One signed 8-bit integer. */
#define IYMA_VERTEX_FORMAT_SINT8X2 12 /* Two signed 8-bit integers. */
#define IYMA_VERTEX_FORMAT_SINT8X4 13 /* Four signed 8-bit integers. */
#define IYMA_VERTEX_FORMAT_SINT16 14 /* One signed 16-bit integer. */
#define IYMA_VERTEX_FORMAT_SINT32 15 /* One signed 32-bit integer. */
#define IYMA_VERTEX_FORMAT_SINT16X2 16 /* Two signed 16-bit integers. */
#define IYMA_VERTEX_FORMAT_SINT16X4 17 /* Four signed 16-bit integers. */
#define IYMA_VERTEX_FORMAT_SINT32X2 18 /* Two signed 32-bit integers. */
#define IYMA_VERTEX_FORMAT_SINT32X3 19 /* Three signed 32-bit integers. */
#define IYMA_VERTEX_FORMAT_SINT32X4 20 /* Four signed 32-bit integers. */
#define IYMA_VERTEX_FORMAT_SNORM8 21 /* One signed normalised 8-bit integer, −1 to 1. */
#define IYMA_VERTEX_FORMAT_SNORM8X2 22 /* Two signed normalised 8-bit integers, −1 to 1. */
#define IYMA_VERTEX_FORMAT_SNORM8X4 23 /* Four signed normalised 8-bit integers, −1 to 1. */
#define IYMA_VERTEX_FORMAT_SNORM16 24 /* One signed normalised 16-bit integer, −1 to 1. */
#define IYMA_VERTEX_FORMAT_SNORM16X2 25 /* Two signed normalised 16-bit integers, −1 to 1. */
#define IYMA_VERTEX_FORMAT_SNORM16X4 26 /* Four signed normalised 16-bit integers, −1 to 1. */
#define IYMA_VERTEX_FORMAT_UINT8 27 /* One unsigned 8-bit integer. */
#define IYMA_VERTEX_FORMAT_UINT8X2 28 /* Two unsigned 8-bit integers. */
#define IYMA_VERTEX_FORMAT_UINT8X4 29 /* Four unsigned 8-bit integers. */
#define IYMA_VERTEX_FORMAT_UINT16 30 /* One unsigned 16-bit integer. */
#define IYMA_VERTEX_FORMAT_UINT32 31 /* One unsigned 32-bit integer. */
#define IYMA_VERTEX_FORMAT_UINT16X2 32 /* Two unsigned 16-bit integers. */
#define IYMA_VERTEX_FORMAT_UINT16X4 33 /* Four unsigned 16-bit integers. */
#define IYMA_VERTEX_FORMAT_UINT32X2 34 /* Two unsigned 32-bit integers. */
#define IYMA_VERTEX_FORMAT_UINT32X3 35 /* Three unsigned 32-bit integers. */
#define IYMA_VERTEX_FORMAT_UINT32X4 36 /* Four unsigned 32-bit integers. */
#define IYMA_VERTEX_FORMAT_UNORM8 37 /* One unsigned normalised 8-bit integer, 0 to 1. */
#define IYMA_VERTEX_FORMAT_UNORM8X2 38 /* Two unsigned normalised 8-bit integers, 0 to 1. */
#define IYMA_VERTEX_FORMAT_UNORM8X4 39 /* Four unsigned normalised 8-bit integers, 0 to 1. */
#define IYMA_VERTEX_FORMAT_UNORM8X4_BGRA 40 /* Four unsigned normalised 8-bit integers, 0 to 1: blue, green, red, alpha. */
#define IYMA_VERTEX_FORMAT_UNORM16 41 /* One unsigned normalised 16-bit integer, 0 to 1. */
#define IYMA_VERTEX_FORMAT_UNORM10_10_10_2 42 /* Unsigned normalised integers of 10, 10, 10 and 2 bits, each 0 to 1, packed in a word from the lowest bit. */
#define IYMA_VERTEX_FORMAT_UNORM16X2 43 /* Two unsigned normalised 16-bit integers, 0 to 1. */
#define IYMA_VERTEX_FORMAT_UNORM16X4 44 /* Four unsigned normalised 16-bit integers, 0 to 1. */

/*
 * AttributeFields: A vertex buffer as plain fields.
 *
 * - usage: UsageField, at 0
 * - custom: u32, at 1, if usage == 0
 * - name_len: u32, after custom, if usage == 0
 * - name: u8[name_len], after name_len, if usage == 0
 * - format: VertexFormat, after name
 */

/*
 * Descriptor: The structure of the data. Files store it encoded with bitcode. This struct declares its content as plain fields.
 *
 * - data_len: u64, at 0
 * - n_vertices: u32, at 8
 * - user_data_len: u32, at 12
 * - mesh_count: u32, at 16
 * - meshes: MeshInfo[mesh_count], at 20
 * - has_indices: u8, after meshes
 * - n_indices: u32, after has_indices
 * - index_format: IndexFormat, after n_indices
 * - attribute_count: u32, after index_format
 * - attributes: AttributeFields[attribute_count], after attribute_count
 */
/* The fixed start of every Descriptor. */
typedef struct iyma_descriptor_start {
    uint64_t data_len; /* Size of the uncompressed data in bytes: the sum of the buffer sizes below (I6). Not stored in the file. */
    uint32_t n_vertices; /* Number of vertices. */
    uint32_t user_data_len; /* Size of the user data in bytes. */
    uint32_t mesh_count; /* Number of meshes. */
} iyma_descriptor_start;
MESHSPEC_STATIC_ASSERT(sizeof(iyma_descriptor_start) == 20, "size of iyma_descriptor_start");
MESHSPEC_STATIC_ASSERT(offsetof(iyma_descriptor_start, data_len) == 0, "offset of data_len");
MESHSPEC_STATIC_ASSERT(offsetof(iyma_descriptor_start, n_vertices) == 8, "offset of n_vertices");
MESHSPEC_STATIC_ASSERT(offsetof(iyma_descriptor_start, user_data_len) == 12, "offset of user_data_len");
MESHSPEC_STATIC_ASSERT(offsetof(iyma_descriptor_start, mesh_count) == 16, "offset of mesh_count");

/*
 * IndexData: The index buffer.
 *
 * - U16, if index_format == 0: u16[n_indices]
 * - U32, if index_format == 1: u32[n_indices]
 */

/*
 * A value of four components in one word.
 */
typedef uint32_t iyma_unorm10x3x2;
/* X or red. Decoded as x / 1023.0. */
#define IYMA_UNORM10X3X2_X_SHIFT 0
#define IYMA_UNORM10X3X2_X_MASK UINT64_C(0x3ff)
#define IYMA_UNORM10X3X2_X(word) (((uint64_t)(word) >> 0) & UINT64_C(0x3ff))
/* Y or green. Decoded as x / 1023.0. */
#define IYMA_UNORM10X3X2_Y_SHIFT 10
#define IYMA_UNORM10X3X2_Y_MASK UINT64_C(0x3ff)
#define IYMA_UNORM10X3X2_Y(word) (((uint64_t)(word) >> 10) & UINT64_C(0x3ff))
/* Z or blue. Decoded as x / 1023.0. */
#define IYMA_UNORM10X3X2_Z_SHIFT 20
#define IYMA_UNORM10X3X2_Z_MASK UINT64_C(0x3ff)
#define IYMA_UNORM10X3X2_Z(word) (((uint64_t)(word) >> 20) & UINT64_C(0x3ff))
/* W or alpha. Decoded as x / 3.0. */
#define IYMA_UNORM10X3X2_W_SHIFT 30
#define IYMA_UNORM10X3X2_W_MASK UINT64_C(0x3)
#define IYMA_UNORM10X3X2_W(word) (((uint64_t)(word) >> 30) & UINT64_C(0x3))

/*
 * VertexBuffer: A vertex buffer: a value per vertex.
 *
 * - Float16, if format == 0: u16[n_vertices]
 *   Decoded as x as IEEE 754 binary16.
 * - Float32, if format == 1: f32[n_vertices]
 * - Float64, if format == 2: f64[n_vertices]
 * - Float16x2, if format == 3: u16[n_vertices][2]
 *   Decoded as x as IEEE 754 binary16.
 * - Float16x4, if format == 4: u16[n_vertices][4]
 *   Decoded as x as IEEE 754 binary16.
 * - Float32x2, if format == 5: f32[n_vertices][2]
 * - Float32x3, if format == 6: f32[n_vertices][3]
 * - Float32x4, if format == 7: f32[n_vertices][4]
 * - Float64x2, if format == 8: f64[n_vertices][2]
 * - Float64x3, if format == 9: f64[n_vertices][3]
 * - Float64x4, if format == 10: f64[n_vertices][4]
 * - Sint8, if format == 11: i8[n_vertices]
 * - Sint8x2, if format == 12: i8[n_vertices][2]
 * - Sint8x4, if format == 13: i8[n_vertices][4]
 * - Sint16, if format == 14: i16[n_vertices]
 * - Sint32, if format == 15: i32[n_vertices]
 * - Sint16x2, if format == 16: i16[n_vertices][2]
 * - Sint16x4, if format == 17: i16[n_vertices][4]
 * - Sint32x2, if format == 18: i32[n_vertices][2]
 * - Sint32x3, if format == 19: i32[n_vertices][3]
 * - Sint32x4, if format == 20: i32[n_vertices][4]
 * - Snorm8, if format == 21: i8[n_vertices]
 *   Decoded as fmax(x / 127.0, -1.0).
 * - Snorm8x2, if format == 22: i8[n_vertices][2]
 *   Decoded as fmax(x / 127.0, -1.0).
 * - Snorm8x4, if format == 23: i8[n_vertices][4]
 *   Decoded as fmax(x / 127.0, -1.0).
 * - Snorm16, if format == 24: i16[n_vertices]
 *   Decoded as fmax(x / 32767.0, -1.0).
 * - Snorm16x2, if format == 25: i16[n_vertices][2]
 *   Decoded as fmax(x / 32767.0, -1.0).
 * - Snorm16x4, if format == 26: i16[n_vertices][4]
 *   Decoded as fmax(x / 32767.0, -1.0).
 * - Uint8, if format == 27: u8[n_vertices]
 * - Uint8x2, if format == 28: u8[n_vertices][2]
 * - Uint8x4, if format == 29: u8[n_vertices][4]
 * - Uint16, if format == 30: u16[n_vertices]
 * - Uint32, if format == 31: u32[n_vertices]
 * - Uint16x2, if format == 32: u16[n_vertices][2]
 * - Uint16x4, if format == 33: u16[n_vertices][4]
 * - Uint32x2, if format == 34: u32[n_vertices][2]
 * - Uint32x3, if format == 35: u32[n_vertices][3]
 * - Uint32x4, if format == 36: u32[n_vertices][4]
 * - Unorm8, if format == 37: u8[n_vertices]
 *   Decoded as x / 255.0.
 * - Unorm8x2, if format == 38: u8[n_vertices][2]
 *   Decoded as x / 255.0.
 * - Unorm8x4, if format == 39: u8[n_vertices][4]
 *   Decoded as x / 255.0.
 * - Unorm8x4Bgra, if format == 40: u8[n_vertices][4]
 *   Decoded as x / 255.0.
 * - Unorm16, if format == 41: u16[n_vertices]
 *   Decoded as x / 65535.0.
 * - Unorm10_10_10_2, if format == 42: Unorm10x3x2[n_vertices]
 * - Unorm16x2, if format == 43: u16[n_vertices][2]
 *   Decoded as x / 65535.0.
 * - Unorm16x4, if format == 44: u16[n_vertices][4]
 *   Decoded as x / 65535.0.
 */

/*
 * Data: The uncompressed buffers, concatenated.
 *
 * - user_data: u8[user_data_len], at 0
 * - indices: IndexData, after user_data, if has_indices != 0
 * - vertices: VertexBuffer[one per attribute], after indices
 */

/*
 * File: A file. The dialects encode the usages in the descriptor differently (I1).
 *
 * - header: Header, at 0
 * - descriptor: u8[header.descriptor_len] that contain bitcode: Descriptor, at 24
 *   Checksum: RapidHash of the metadata, stored in header.metadata_checksum.
 * - data: u8[to the end] that contain Zstandard frames without magic bytes, descriptor.data_len bytes unpacked: Data, after descriptor
 *   Checksum: RapidHash of the data, stored in header.data_checksum, or 0 for none.
 */

/*
 * ReferenceFile: A file. The dialects encode the usages in the descriptor differently (I1).
 *
 * - header: Header, at 0
 * - descriptor: u8[header.descriptor_len] that contain bitcode: Descriptor, at 24
 *   Checksum: RapidHash of the metadata, stored in header.metadata_checksum.
 * - data: u8[to the end] that contain Zstandard frames without magic bytes, descriptor.data_len bytes unpacked: Data, after descriptor
 *   Checksum: RapidHash of the data, stored in header.data_checksum, or 0 for none.
 */

#pragma pack(pop)

#endif
