/*
 * Crucible: the structures of a file.
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
 * - CRUCIBLE-MAGIC, C11 (fatal): A container starts with `cmodel` and a line feed.
 * - CRUCIBLE-TRUNCATED (fatal): The file contains all data that its sizes and counts declare.
 * - CRUCIBLE-PACKING, C3, C4 (fatal): A stream is one raw LZ4 block that decompresses to the uncompressed size.
 * - CRUCIBLE-TRAILING, C9 (error): No bytes follow the last stream.
 */
#ifndef CRUCIBLE_LAYOUT_H
#define CRUCIBLE_LAYOUT_H

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
 * Indices: Vertex indices, in the width stored in the file.
 *
 * - U16, if index_size == 0: u16[size / 2]
 *   Rejected unless size % 2 == 0: the size is not a multiple of the size of a value (CRUCIBLE-STREAM-SIZE, fatal).
 *   Each must be an index into streams[0].data (CRUCIBLE-INDEX-RANGE, error).
 *   size / 2 % 3 == 0 must hold (CRUCIBLE-TRIANGLES, warning).
 * - U32, if index_size != 0: u32[size / 4]
 *   Rejected unless size % 4 == 0: the size is not a multiple of the size of a value (CRUCIBLE-STREAM-SIZE, fatal).
 *   Each must be an index into streams[0].data (CRUCIBLE-INDEX-RANGE, error).
 *   size / 4 % 3 == 0 must hold (CRUCIBLE-TRIANGLES, warning).
 */

/*
 * IndexStream: The compressed indices.
 *
 * - compressed_size: i32, at 0
 *   Rejected unless compressed_size > 0: an LZ4 block has at least 1 byte (CRUCIBLE-SIZE, fatal).
 * - uncompressed_size: i32, at 4
 *   Rejected unless uncompressed_size >= 0: a size cannot be negative (CRUCIBLE-SIZE, fatal).
 * - data: u8[compressed_size] that contain one LZ4 block, uncompressed_size bytes unpacked: Indices, at 8
 */
/* The fixed start of every IndexStream. */
typedef struct crucible_index_stream_start {
    int32_t compressed_size; /* Size of the compressed data in bytes, at least 1 (C3). Rejected unless compressed_size > 0: an LZ4 block has at least 1 byte (CRUCIBLE-SIZE, fatal). */
    int32_t uncompressed_size; /* Size of the uncompressed data in bytes. Rejected unless uncompressed_size >= 0: a size cannot be negative (CRUCIBLE-SIZE, fatal). */
} crucible_index_stream_start;
MESHSPEC_STATIC_ASSERT(sizeof(crucible_index_stream_start) == 8, "size of crucible_index_stream_start");
MESHSPEC_STATIC_ASSERT(offsetof(crucible_index_stream_start, compressed_size) == 0, "offset of compressed_size");
MESHSPEC_STATIC_ASSERT(offsetof(crucible_index_stream_start, uncompressed_size) == 4, "offset of uncompressed_size");

/*
 * The attribute of a stream: 16 bits (C1).
 */
typedef uint16_t crucible_attribute_flags;
/* 3D position. */
#define CRUCIBLE_ATTRIBUTE_FLAGS_POSITION_3D_SHIFT 0
#define CRUCIBLE_ATTRIBUTE_FLAGS_POSITION_3D_MASK UINT64_C(0x1)
#define CRUCIBLE_ATTRIBUTE_FLAGS_POSITION_3D(word) (((uint64_t)(word) >> 0) & UINT64_C(0x1))
/* 2D position. */
#define CRUCIBLE_ATTRIBUTE_FLAGS_POSITION_2D_SHIFT 1
#define CRUCIBLE_ATTRIBUTE_FLAGS_POSITION_2D_MASK UINT64_C(0x1)
#define CRUCIBLE_ATTRIBUTE_FLAGS_POSITION_2D(word) (((uint64_t)(word) >> 1) & UINT64_C(0x1))
/* Normal. */
#define CRUCIBLE_ATTRIBUTE_FLAGS_NORMAL_SHIFT 2
#define CRUCIBLE_ATTRIBUTE_FLAGS_NORMAL_MASK UINT64_C(0x1)
#define CRUCIBLE_ATTRIBUTE_FLAGS_NORMAL(word) (((uint64_t)(word) >> 2) & UINT64_C(0x1))
/* UV coordinate. */
#define CRUCIBLE_ATTRIBUTE_FLAGS_UV_SHIFT 3
#define CRUCIBLE_ATTRIBUTE_FLAGS_UV_MASK UINT64_C(0x1)
#define CRUCIBLE_ATTRIBUTE_FLAGS_UV(word) (((uint64_t)(word) >> 3) & UINT64_C(0x1))
/* Colour; tangent in the tangent dialect. */
#define CRUCIBLE_ATTRIBUTE_FLAGS_BIT_4_SHIFT 4
#define CRUCIBLE_ATTRIBUTE_FLAGS_BIT_4_MASK UINT64_C(0x1)
#define CRUCIBLE_ATTRIBUTE_FLAGS_BIT_4(word) (((uint64_t)(word) >> 4) & UINT64_C(0x1))
/* Bone weights; colour in the tangent dialect. */
#define CRUCIBLE_ATTRIBUTE_FLAGS_BIT_5_SHIFT 5
#define CRUCIBLE_ATTRIBUTE_FLAGS_BIT_5_MASK UINT64_C(0x1)
#define CRUCIBLE_ATTRIBUTE_FLAGS_BIT_5(word) (((uint64_t)(word) >> 5) & UINT64_C(0x1))
/* Reserved; bone weights in the tangent dialect. */
#define CRUCIBLE_ATTRIBUTE_FLAGS_BIT_6_SHIFT 6
#define CRUCIBLE_ATTRIBUTE_FLAGS_BIT_6_MASK UINT64_C(0x1)
#define CRUCIBLE_ATTRIBUTE_FLAGS_BIT_6(word) (((uint64_t)(word) >> 6) & UINT64_C(0x1))
/* Reserved for future use. */
#define CRUCIBLE_ATTRIBUTE_FLAGS_RESERVED_SHIFT 7
#define CRUCIBLE_ATTRIBUTE_FLAGS_RESERVED_MASK UINT64_C(0x1ff)
#define CRUCIBLE_ATTRIBUTE_FLAGS_RESERVED(word) (((uint64_t)(word) >> 7) & UINT64_C(0x1ff))

/*
 * A bone and its influence on a vertex: 6 bytes (C7).
 */
typedef struct crucible_bone_weight {
    uint16_t bone; /* Bone ID. */
    float influence; /* Influence; the four influences of a vertex add up to 1.0 (C8). */
} crucible_bone_weight;
MESHSPEC_STATIC_ASSERT(sizeof(crucible_bone_weight) == 6, "size of crucible_bone_weight");
MESHSPEC_STATIC_ASSERT(offsetof(crucible_bone_weight, bone) == 0, "offset of bone");
MESHSPEC_STATIC_ASSERT(offsetof(crucible_bone_weight, influence) == 2, "offset of influence");

/*
 * Values: The values of one attribute, one per vertex.
 *
 * - Position3d, if attribute.position_3d: f32[size / 12][3]
 *   Rejected unless size % 12 == 0: the size is not a multiple of the size of a value (CRUCIBLE-STREAM-SIZE, fatal).
 *   Must be as long as in the other items (CRUCIBLE-COUNT, fatal).
 * - Position2d, if attribute.position_2d: f32[size / 8][2]
 *   Rejected unless size % 8 == 0: the size is not a multiple of the size of a value (CRUCIBLE-STREAM-SIZE, fatal).
 *   Must be as long as in the other items (CRUCIBLE-COUNT, fatal).
 * - Normal, if attribute.normal: f32[size / 12][3]
 *   Rejected unless size % 12 == 0: the size is not a multiple of the size of a value (CRUCIBLE-STREAM-SIZE, fatal).
 *   Must be as long as in the other items (CRUCIBLE-COUNT, fatal).
 * - Uv, if attribute.uv: f32[size / 8][2]
 *   Rejected unless size % 8 == 0: the size is not a multiple of the size of a value (CRUCIBLE-STREAM-SIZE, fatal).
 *   Must be as long as in the other items (CRUCIBLE-COUNT, fatal).
 * - Color, if attribute.bit_4: u8[size / 4][4]
 *   Rejected unless size % 4 == 0: the size is not a multiple of the size of a value (CRUCIBLE-STREAM-SIZE, fatal).
 *   Must be as long as in the other items (CRUCIBLE-COUNT, fatal).
 * - BoneWeights, if attribute.bit_5: BoneWeight[size / 24][4]
 *   Rejected unless size % 24 == 0: the size is not a multiple of the size of a value (CRUCIBLE-STREAM-SIZE, fatal).
 *   Must be as long as in the other items (CRUCIBLE-COUNT, fatal).
 *   The sum of influence must be 1 ± 0.001 (CRUCIBLE-WEIGHT-SUM, warning).
 */

/*
 * Stream: A vertex attribute: a header and the compressed values.
 *
 * - attribute: AttributeFlags, at 0
 *   Rejected unless attribute.position_3d + attribute.position_2d + attribute.normal + attribute.uv + attribute.bit_4 + attribute.bit_5 + attribute.bit_6 == 1 and attribute.reserved == 0 and not attribute.bit_6: the attribute does not have exactly one known bit set (CRUCIBLE-ATTRIBUTE, fatal).
 *   Must be unique in the list (CRUCIBLE-DUPLICATE, fatal).
 *   attribute.position_3d or attribute.position_2d must hold for at least one item of the list (CRUCIBLE-POSITION, warning).
 * - compressed_size: i32, at 2
 *   Rejected unless compressed_size > 0: an LZ4 block has at least 1 byte (CRUCIBLE-SIZE, fatal).
 * - uncompressed_size: i32, at 6
 *   Rejected unless uncompressed_size >= 0: a size cannot be negative (CRUCIBLE-SIZE, fatal).
 * - data: u8[compressed_size] that contain one LZ4 block, uncompressed_size bytes unpacked: Values, at 10
 */
/* The fixed start of every Stream. */
typedef struct crucible_stream_start {
    crucible_attribute_flags attribute; /* The attribute; exactly one bit is set (C2). Rejected unless attribute.position_3d + attribute.position_2d + attribute.normal + attribute.uv + attribute.bit_4 + attribute.bit_5 + attribute.bit_6 == 1 and attribute.reserved == 0 and not attribute.bit_6: the attribute does not have exactly one known bit set (CRUCIBLE-ATTRIBUTE, fatal). Must be unique in the list (CRUCIBLE-DUPLICATE, fatal). attribute.position_3d or attribute.position_2d must hold for at least one item of the list (CRUCIBLE-POSITION, warning). */
    int32_t compressed_size; /* Size of the compressed data in bytes, at least 1 (C3). Rejected unless compressed_size > 0: an LZ4 block has at least 1 byte (CRUCIBLE-SIZE, fatal). */
    int32_t uncompressed_size; /* Size of the uncompressed data in bytes. Rejected unless uncompressed_size >= 0: a size cannot be negative (CRUCIBLE-SIZE, fatal). */
} crucible_stream_start;
MESHSPEC_STATIC_ASSERT(sizeof(crucible_stream_start) == 10, "size of crucible_stream_start");
MESHSPEC_STATIC_ASSERT(offsetof(crucible_stream_start, attribute) == 0, "offset of attribute");
MESHSPEC_STATIC_ASSERT(offsetof(crucible_stream_start, compressed_size) == 2, "offset of compressed_size");
MESHSPEC_STATIC_ASSERT(offsetof(crucible_stream_start, uncompressed_size) == 6, "offset of uncompressed_size");

/*
 * Chunk: A mesh.
 *
 * - index_size: u8, at 0
 *   Must be 0 or 1 (CRUCIBLE-INDEX-SIZE, error).
 * - indices: IndexStream, at 1
 * - attribute_count: u8, after indices
 *   attribute_count > 0 must hold (CRUCIBLE-NO-STREAMS, warning).
 * - streams: Stream[attribute_count], after attribute_count
 */
/* The fixed start of every Chunk. */
typedef struct crucible_chunk_start {
    uint8_t index_size; /* 0 for 16-bit indices, 1 for 32-bit indices (C5). Must be 0 or 1 (CRUCIBLE-INDEX-SIZE, error). */
} crucible_chunk_start;
MESHSPEC_STATIC_ASSERT(sizeof(crucible_chunk_start) == 1, "size of crucible_chunk_start");
MESHSPEC_STATIC_ASSERT(offsetof(crucible_chunk_start, index_size) == 0, "offset of index_size");

/*
 * Document: A Crucible file: one chunk, or a container of chunks (C11).
 *
 * - chunks: Chunk[1], at 0
 */

/*
 * The header of a `.cmodel` file (C11).
 */
#define CRUCIBLE_MODEL_HEADER_MAGIC "cmodel\012"
#define CRUCIBLE_MODEL_HEADER_MAGIC_SIZE 7
typedef struct crucible_model_header {
    uint8_t magic_bytes[7]; /* CRUCIBLE_MODEL_HEADER_MAGIC */
    uint32_t chunk_count; /* Number of chunks. */
} crucible_model_header;
MESHSPEC_STATIC_ASSERT(sizeof(crucible_model_header) == 11, "size of crucible_model_header");
MESHSPEC_STATIC_ASSERT(offsetof(crucible_model_header, chunk_count) == 7, "offset of chunk_count");

/*
 * ModelChunk: A chunk in a container.
 *
 * - length: u64, at 0
 * - chunk: u8[length] that contain Chunk, at 8
 */
/* The fixed start of every ModelChunk. */
typedef struct crucible_model_chunk_start {
    uint64_t length; /* Size of the chunk in bytes. */
} crucible_model_chunk_start;
MESHSPEC_STATIC_ASSERT(sizeof(crucible_model_chunk_start) == 8, "size of crucible_model_chunk_start");
MESHSPEC_STATIC_ASSERT(offsetof(crucible_model_chunk_start, length) == 0, "offset of length");

/*
 * ModelDocument: A Crucible file: one chunk, or a container of chunks (C11).
 *
 * - header: ModelHeader, at 0
 * - chunks: ModelChunk[header.chunk_count], at 11
 */

/*
 * TangentValues: The values of one attribute, one per vertex.
 *
 * - Position3d, if attribute.position_3d: f32[size / 12][3]
 *   Rejected unless size % 12 == 0: the size is not a multiple of the size of a value (CRUCIBLE-STREAM-SIZE, fatal).
 *   Must be as long as in the other items (CRUCIBLE-COUNT, fatal).
 * - Position2d, if attribute.position_2d: f32[size / 8][2]
 *   Rejected unless size % 8 == 0: the size is not a multiple of the size of a value (CRUCIBLE-STREAM-SIZE, fatal).
 *   Must be as long as in the other items (CRUCIBLE-COUNT, fatal).
 * - Normal, if attribute.normal: f32[size / 12][3]
 *   Rejected unless size % 12 == 0: the size is not a multiple of the size of a value (CRUCIBLE-STREAM-SIZE, fatal).
 *   Must be as long as in the other items (CRUCIBLE-COUNT, fatal).
 * - Uv, if attribute.uv: f32[size / 8][2]
 *   Rejected unless size % 8 == 0: the size is not a multiple of the size of a value (CRUCIBLE-STREAM-SIZE, fatal).
 *   Must be as long as in the other items (CRUCIBLE-COUNT, fatal).
 * - Tangent, if attribute.bit_4: f32[size / 12][3]
 *   Rejected unless size % 12 == 0: the size is not a multiple of the size of a value (CRUCIBLE-STREAM-SIZE, fatal).
 *   Must be as long as in the other items (CRUCIBLE-COUNT, fatal).
 * - Color, if attribute.bit_5: u8[size / 4][4]
 *   Rejected unless size % 4 == 0: the size is not a multiple of the size of a value (CRUCIBLE-STREAM-SIZE, fatal).
 *   Must be as long as in the other items (CRUCIBLE-COUNT, fatal).
 * - BoneWeights, if attribute.bit_6: BoneWeight[size / 24][4]
 *   Rejected unless size % 24 == 0: the size is not a multiple of the size of a value (CRUCIBLE-STREAM-SIZE, fatal).
 *   Must be as long as in the other items (CRUCIBLE-COUNT, fatal).
 *   The sum of influence must be 1 ± 0.001 (CRUCIBLE-WEIGHT-SUM, warning).
 */

/*
 * TangentStream: A vertex attribute: a header and the compressed values.
 *
 * - attribute: AttributeFlags, at 0
 *   Rejected unless attribute.position_3d + attribute.position_2d + attribute.normal + attribute.uv + attribute.bit_4 + attribute.bit_5 + attribute.bit_6 == 1 and attribute.reserved == 0: the attribute does not have exactly one known bit set (CRUCIBLE-ATTRIBUTE, fatal).
 *   Must be unique in the list (CRUCIBLE-DUPLICATE, fatal).
 *   attribute.position_3d or attribute.position_2d must hold for at least one item of the list (CRUCIBLE-POSITION, warning).
 * - compressed_size: i32, at 2
 *   Rejected unless compressed_size > 0: an LZ4 block has at least 1 byte (CRUCIBLE-SIZE, fatal).
 * - uncompressed_size: i32, at 6
 *   Rejected unless uncompressed_size >= 0: a size cannot be negative (CRUCIBLE-SIZE, fatal).
 * - data: u8[compressed_size] that contain one LZ4 block, uncompressed_size bytes unpacked: TangentValues, at 10
 */
/* The fixed start of every TangentStream. */
typedef struct crucible_tangent_stream_start {
    crucible_attribute_flags attribute; /* The attribute; exactly one bit is set (C2). Rejected unless attribute.position_3d + attribute.position_2d + attribute.normal + attribute.uv + attribute.bit_4 + attribute.bit_5 + attribute.bit_6 == 1 and attribute.reserved == 0: the attribute does not have exactly one known bit set (CRUCIBLE-ATTRIBUTE, fatal). Must be unique in the list (CRUCIBLE-DUPLICATE, fatal). attribute.position_3d or attribute.position_2d must hold for at least one item of the list (CRUCIBLE-POSITION, warning). */
    int32_t compressed_size; /* Size of the compressed data in bytes, at least 1 (C3). Rejected unless compressed_size > 0: an LZ4 block has at least 1 byte (CRUCIBLE-SIZE, fatal). */
    int32_t uncompressed_size; /* Size of the uncompressed data in bytes. Rejected unless uncompressed_size >= 0: a size cannot be negative (CRUCIBLE-SIZE, fatal). */
} crucible_tangent_stream_start;
MESHSPEC_STATIC_ASSERT(sizeof(crucible_tangent_stream_start) == 10, "size of crucible_tangent_stream_start");
MESHSPEC_STATIC_ASSERT(offsetof(crucible_tangent_stream_start, attribute) == 0, "offset of attribute");
MESHSPEC_STATIC_ASSERT(offsetof(crucible_tangent_stream_start, compressed_size) == 2, "offset of compressed_size");
MESHSPEC_STATIC_ASSERT(offsetof(crucible_tangent_stream_start, uncompressed_size) == 6, "offset of uncompressed_size");

/*
 * TangentChunk: A mesh.
 *
 * - index_size: u8, at 0
 *   Must be 0 or 1 (CRUCIBLE-INDEX-SIZE, error).
 * - indices: IndexStream, at 1
 * - attribute_count: u8, after indices
 *   attribute_count > 0 must hold (CRUCIBLE-NO-STREAMS, warning).
 * - streams: TangentStream[attribute_count], after attribute_count
 */
/* The fixed start of every TangentChunk. */
typedef struct crucible_tangent_chunk_start {
    uint8_t index_size; /* 0 for 16-bit indices, 1 for 32-bit indices (C5). Must be 0 or 1 (CRUCIBLE-INDEX-SIZE, error). */
} crucible_tangent_chunk_start;
MESHSPEC_STATIC_ASSERT(sizeof(crucible_tangent_chunk_start) == 1, "size of crucible_tangent_chunk_start");
MESHSPEC_STATIC_ASSERT(offsetof(crucible_tangent_chunk_start, index_size) == 0, "offset of index_size");

/*
 * TangentDocument: A Crucible file: one chunk, or a container of chunks (C11).
 *
 * - chunks: TangentChunk[1], at 0
 */

/*
 * TangentModelChunk: A chunk in a container.
 *
 * - length: u64, at 0
 * - chunk: u8[length] that contain TangentChunk, at 8
 */
/* The fixed start of every TangentModelChunk. */
typedef struct crucible_tangent_model_chunk_start {
    uint64_t length; /* Size of the chunk in bytes. */
} crucible_tangent_model_chunk_start;
MESHSPEC_STATIC_ASSERT(sizeof(crucible_tangent_model_chunk_start) == 8, "size of crucible_tangent_model_chunk_start");
MESHSPEC_STATIC_ASSERT(offsetof(crucible_tangent_model_chunk_start, length) == 0, "offset of length");

/*
 * TangentModelDocument: A Crucible file: one chunk, or a container of chunks (C11).
 *
 * - header: ModelHeader, at 0
 * - chunks: TangentModelChunk[header.chunk_count], at 11
 */

#pragma pack(pop)

#endif
