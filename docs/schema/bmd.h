/*
 * BMD: the structures of a file.
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
 * - BMD-MAGIC, B1 (fatal): An image starts with `BMD1`.
 * - BMD-TRUNCATED, B29 (fatal): Lists are inside the image, and items inside their lists.
 * - BMD-STRING, B29 (fatal): A string ends with a NUL.
 * - BMD-FRAMES, B23 (fatal): The keys of each normal bone end within the frames list.
 * - BMD-SHARING, B29 (fatal): Lists and strings that share bytes add up to at most 16 times the size of the image, and animations have no more tracks than the image has bytes.
 * - BMD-TRIANGLE-COUNT, B12 (error): The number of triangles matches the faces, with a quad counted as one or as two.
 * - BMD-LOD-DRAWABLE, B18 (warning): The meshes of a level of detail have a material and are therefore drawn.
 * - BMD-PSEUDO-ORDER, B22 (error): Pseudo-bones come after the normal bones.
 * - BMD-PSEUDO-BONES, B22 (error): A pseudo-bone comes after the bones that it refers to.
 * - BMD-SOLID-CLOSED (warning): The solid of a bone is closed: each edge belongs to two faces, which use it in opposite directions.
 * - BMD-SOLID-BONE (warning): The vertices of a solid are all bound to its bone, or all to bone 0.
 * - BMD-KEY-RANGE, B23 (error): Every key is at a frame of the animation.
 * - BMD-FRAMES-TRAILING, B23 (error): No bytes follow the keys of the last bone.
 */
#ifndef BMD_LAYOUT_H
#define BMD_LAYOUT_H

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
 * The header: 48 bytes.
 */
#define BMD_HEADER_MAGIC "BMD1"
#define BMD_HEADER_MAGIC_SIZE 4
typedef struct bmd_header {
    uint8_t magic_bytes[4]; /* BMD_HEADER_MAGIC */
    uint32_t resv1; /* Reserved; must be zero (B28). Must be 0 (BMD-RESERVED, warning). */
    uint32_t resv2; /* Reserved; must be zero (B28). Must be 0 (BMD-RESERVED, warning). */
    uint32_t resv3; /* Reserved; must be zero (B28). Must be 0 (BMD-RESERVED, warning). */
    uint32_t ofs_meshes; /* Offset of the mesh list. Rejected unless ofs_meshes % 4 == 0: the offset is not a multiple of 4 (BMD-ALIGNMENT, fatal). */
    uint32_t sz_meshes; /* Size of the mesh list in bytes. Rejected unless sz_meshes % 32 == 0: the size is not a multiple of the size of an entry (BMD-LIST, fatal). Rejected unless sz_meshes == 0 or ofs_meshes >= 48: the list overlaps the header (BMD-LIST, fatal). */
    uint32_t ofs_lods; /* Offset of the list of levels of detail. Rejected unless ofs_lods % 4 == 0: the offset is not a multiple of 4 (BMD-ALIGNMENT, fatal). */
    uint32_t sz_lods; /* Size of the list of levels of detail in bytes. Rejected unless sz_lods % 4 == 0: the size is not a multiple of the size of an entry (BMD-LIST, fatal). Rejected unless sz_lods == 0 or ofs_lods >= 48: the list overlaps the header (BMD-LIST, fatal). */
    uint32_t ofs_bones; /* Offset of the bone list; must be zero in a static model. Rejected unless ofs_bones % 4 == 0: the offset is not a multiple of 4 (BMD-ALIGNMENT, fatal). */
    uint32_t sz_bones; /* Size of the bone list in bytes; must be zero in a static model. Rejected unless sz_bones % 16 == 0: the size is not a multiple of the size of an entry (BMD-LIST, fatal). Rejected unless sz_bones / 16 <= 255: there are more than 255 bones (BMD-LIST, fatal). Rejected unless sz_bones == 0 or ofs_bones >= 48: the list overlaps the header (BMD-LIST, fatal). */
    uint32_t ofs_anims; /* Offset of the animation list; must be zero in a static model. Rejected unless ofs_anims % 4 == 0: the offset is not a multiple of 4 (BMD-ALIGNMENT, fatal). */
    uint32_t sz_anims; /* Size of the animation list in bytes; must be zero in a static model. Rejected unless sz_anims % 16 == 0: the size is not a multiple of the size of an entry (BMD-LIST, fatal). Rejected unless sz_anims == 0 or ofs_anims >= 48: the list overlaps the header (BMD-LIST, fatal). */
} bmd_header;
MESHSPEC_STATIC_ASSERT(sizeof(bmd_header) == 48, "size of bmd_header");
MESHSPEC_STATIC_ASSERT(offsetof(bmd_header, resv1) == 4, "offset of resv1");
MESHSPEC_STATIC_ASSERT(offsetof(bmd_header, resv2) == 8, "offset of resv2");
MESHSPEC_STATIC_ASSERT(offsetof(bmd_header, resv3) == 12, "offset of resv3");
MESHSPEC_STATIC_ASSERT(offsetof(bmd_header, ofs_meshes) == 16, "offset of ofs_meshes");
MESHSPEC_STATIC_ASSERT(offsetof(bmd_header, sz_meshes) == 20, "offset of sz_meshes");
MESHSPEC_STATIC_ASSERT(offsetof(bmd_header, ofs_lods) == 24, "offset of ofs_lods");
MESHSPEC_STATIC_ASSERT(offsetof(bmd_header, sz_lods) == 28, "offset of sz_lods");
MESHSPEC_STATIC_ASSERT(offsetof(bmd_header, ofs_bones) == 32, "offset of ofs_bones");
MESHSPEC_STATIC_ASSERT(offsetof(bmd_header, sz_bones) == 36, "offset of sz_bones");
MESHSPEC_STATIC_ASSERT(offsetof(bmd_header, ofs_anims) == 40, "offset of ofs_anims");
MESHSPEC_STATIC_ASSERT(offsetof(bmd_header, sz_anims) == 44, "offset of sz_anims");

/*
 * The allowed forms of the vertices and faces of a mesh: 32 bits. A hint for loaders (B11).
 */
typedef uint32_t bmd_control_flags;
/* 0: 64 bits; 1: any; 2: 128 bits; 3: 96 bits. */
#define BMD_CONTROL_FLAGS_VERTEX_SUBTYPE_SHIFT 0
#define BMD_CONTROL_FLAGS_VERTEX_SUBTYPE_MASK UINT64_C(0x3)
#define BMD_CONTROL_FLAGS_VERTEX_SUBTYPE(word) (((uint64_t)(word) >> 0) & UINT64_C(0x3))
/* 0: 32 bits, triangles; 1: any; 2: 64 bits, triangles; 3: 64 bits, triangles or quads. */
#define BMD_CONTROL_FLAGS_TRIANGLES_TYPE_SHIFT 2
#define BMD_CONTROL_FLAGS_TRIANGLES_TYPE_MASK UINT64_C(0x3)
#define BMD_CONTROL_FLAGS_TRIANGLES_TYPE(word) (((uint64_t)(word) >> 2) & UINT64_C(0x3))
/* Reserved. */
#define BMD_CONTROL_FLAGS_RESERVED_SHIFT 4
#define BMD_CONTROL_FLAGS_RESERVED_MASK UINT64_C(0xfffffff)
#define BMD_CONTROL_FLAGS_RESERVED(word) (((uint64_t)(word) >> 4) & UINT64_C(0xfffffff))

/*
 * The first word of any vertex.
 */
typedef uint64_t bmd_vertex_tag;
/* The remaining bits; their meaning depends on the form. */
#define BMD_VERTEX_TAG_CONTENT_SHIFT 0
#define BMD_VERTEX_TAG_CONTENT_MASK UINT64_C(0xffffffffffffff)
#define BMD_VERTEX_TAG_CONTENT(word) (((uint64_t)(word) >> 0) & UINT64_C(0xffffffffffffff))
/* The bone of a 64-bit vertex if below F0, otherwise the form. */
#define BMD_VERTEX_TAG_TAG_SHIFT 56
#define BMD_VERTEX_TAG_TAG_MASK UINT64_C(0xff)
#define BMD_VERTEX_TAG_TAG(word) (((uint64_t)(word) >> 56) & UINT64_C(0xff))

/*
 * Three signed fractions with a shared exponent, 32 bits. The values are fraction · 2^(exponent − 22) (B3).
 * Decoded as [ldexp(frac_x, exponent - 22), ldexp(frac_y, exponent - 22), ldexp(frac_z, exponent - 22)].
 */
typedef uint32_t bmd_triple;
/* Fraction of X. */
#define BMD_TRIPLE_FRAC_X_SHIFT 0
#define BMD_TRIPLE_FRAC_X_MASK UINT64_C(0x1ff)
#define BMD_TRIPLE_FRAC_X(word) ((int64_t)(((((uint64_t)(word) >> 0) & UINT64_C(0x1ff)) ^ UINT64_C(0x100)) - UINT64_C(0x100)))
/* Fraction of Y. */
#define BMD_TRIPLE_FRAC_Y_SHIFT 9
#define BMD_TRIPLE_FRAC_Y_MASK UINT64_C(0x1ff)
#define BMD_TRIPLE_FRAC_Y(word) ((int64_t)(((((uint64_t)(word) >> 9) & UINT64_C(0x1ff)) ^ UINT64_C(0x100)) - UINT64_C(0x100)))
/* Fraction of Z. */
#define BMD_TRIPLE_FRAC_Z_SHIFT 18
#define BMD_TRIPLE_FRAC_Z_MASK UINT64_C(0x1ff)
#define BMD_TRIPLE_FRAC_Z(word) ((int64_t)(((((uint64_t)(word) >> 18) & UINT64_C(0x1ff)) ^ UINT64_C(0x100)) - UINT64_C(0x100)))
/* The shared exponent. */
#define BMD_TRIPLE_EXPONENT_SHIFT 27
#define BMD_TRIPLE_EXPONENT_MASK UINT64_C(0x1f)
#define BMD_TRIPLE_EXPONENT(word) (((uint64_t)(word) >> 27) & UINT64_C(0x1f))

/*
 * Texture coordinates with a shared exponent: (fraction / 1024 − 0.5) · 4^exponent (B4).
 * Decoded as [ldexp(frac_s / 1024.0 - 0.5, 2 * exponent), ldexp(frac_t / 1024.0 - 0.5, 2 * exponent)].
 */
typedef struct bmd_scaled_st { uint8_t bytes[3]; } bmd_scaled_st;
/* Bits are numbered in the bytes as one little-endian number. */
/* Fraction of S. */
#define BMD_SCALED_ST_FRAC_S_SHIFT 0
#define BMD_SCALED_ST_FRAC_S_MASK UINT64_C(0x7ff)
#define BMD_SCALED_ST_FRAC_S(word) (((uint64_t)(word) >> 0) & UINT64_C(0x7ff))
/* Fraction of T. */
#define BMD_SCALED_ST_FRAC_T_SHIFT 11
#define BMD_SCALED_ST_FRAC_T_MASK UINT64_C(0x7ff)
#define BMD_SCALED_ST_FRAC_T(word) (((uint64_t)(word) >> 11) & UINT64_C(0x7ff))
/* The shared exponent. */
#define BMD_SCALED_ST_EXPONENT_SHIFT 22
#define BMD_SCALED_ST_EXPONENT_MASK UINT64_C(0x3)
#define BMD_SCALED_ST_EXPONENT(word) (((uint64_t)(word) >> 22) & UINT64_C(0x3))

/*
 * The 64-bit form for textured surfaces: no normal.
 */
typedef uint64_t bmd_textured_vertex64;
/* Position in bone space. In m. */
#define BMD_TEXTURED_VERTEX64_POSITION_SHIFT 0
#define BMD_TEXTURED_VERTEX64_POSITION_MASK UINT64_C(0xffffffff)
#define BMD_TEXTURED_VERTEX64_POSITION(word) (((uint64_t)(word) >> 0) & UINT64_C(0xffffffff))
/* Texture coordinate. */
#define BMD_TEXTURED_VERTEX64_ST_SHIFT 32
#define BMD_TEXTURED_VERTEX64_ST_MASK UINT64_C(0xffffff)
#define BMD_TEXTURED_VERTEX64_ST(word) (((uint64_t)(word) >> 32) & UINT64_C(0xffffff))
/* Bone, below F0 (B9); bone 0 is the model itself. Must be an index into bones, or 0 for none (BMD-VERTEX-BONE, warning). */
#define BMD_TEXTURED_VERTEX64_BONE_SHIFT 56
#define BMD_TEXTURED_VERTEX64_BONE_MASK UINT64_C(0xff)
#define BMD_TEXTURED_VERTEX64_BONE(word) (((uint64_t)(word) >> 56) & UINT64_C(0xff))

/*
 * Three F8A: a vector, not normalised.
 * Decoded as [x, y, z], each decoded as F8A.
 */
typedef struct bmd_normal { uint8_t bytes[3]; } bmd_normal;
/* Bits are numbered in the bytes as one little-endian number. */
/* X. Decoded as (x & 127) == 0 ? 0.0 : ldexp(16 + (x & 15), (int)(x >> 4 & 7) - 11) * (x & 128 ? -1 : 1). */
#define BMD_NORMAL_X_SHIFT 0
#define BMD_NORMAL_X_MASK UINT64_C(0xff)
#define BMD_NORMAL_X(word) (((uint64_t)(word) >> 0) & UINT64_C(0xff))
/* Y. Decoded as (x & 127) == 0 ? 0.0 : ldexp(16 + (x & 15), (int)(x >> 4 & 7) - 11) * (x & 128 ? -1 : 1). */
#define BMD_NORMAL_Y_SHIFT 8
#define BMD_NORMAL_Y_MASK UINT64_C(0xff)
#define BMD_NORMAL_Y(word) (((uint64_t)(word) >> 8) & UINT64_C(0xff))
/* Z. Decoded as (x & 127) == 0 ? 0.0 : ldexp(16 + (x & 15), (int)(x >> 4 & 7) - 11) * (x & 128 ? -1 : 1). */
#define BMD_NORMAL_Z_SHIFT 16
#define BMD_NORMAL_Z_MASK UINT64_C(0xff)
#define BMD_NORMAL_Z(word) (((uint64_t)(word) >> 16) & UINT64_C(0xff))

/*
 * The 64-bit form for surfaces of a flat colour: no texture coordinate.
 */
typedef uint64_t bmd_flat_vertex64;
/* Position in bone space. In m. */
#define BMD_FLAT_VERTEX64_POSITION_SHIFT 0
#define BMD_FLAT_VERTEX64_POSITION_MASK UINT64_C(0xffffffff)
#define BMD_FLAT_VERTEX64_POSITION(word) (((uint64_t)(word) >> 0) & UINT64_C(0xffffffff))
/* Normal. */
#define BMD_FLAT_VERTEX64_NORMAL_SHIFT 32
#define BMD_FLAT_VERTEX64_NORMAL_MASK UINT64_C(0xffffff)
#define BMD_FLAT_VERTEX64_NORMAL(word) (((uint64_t)(word) >> 32) & UINT64_C(0xffffff))
/* Bone, below F0 (B9); bone 0 is the model itself. Must be an index into bones, or 0 for none (BMD-VERTEX-BONE, warning). */
#define BMD_FLAT_VERTEX64_BONE_SHIFT 56
#define BMD_FLAT_VERTEX64_BONE_MASK UINT64_C(0xff)
#define BMD_FLAT_VERTEX64_BONE(word) (((uint64_t)(word) >> 56) & UINT64_C(0xff))

/*
 * Texture coordinates of a fixed range: fraction / 2048 − 0.5 (B5).
 * Decoded as [frac_s / 2048.0 - 0.5, frac_t / 2048.0 - 0.5].
 */
typedef struct bmd_fine_st { uint8_t bytes[3]; } bmd_fine_st;
/* Bits are numbered in the bytes as one little-endian number. */
/* Fraction of S. */
#define BMD_FINE_ST_FRAC_S_SHIFT 0
#define BMD_FINE_ST_FRAC_S_MASK UINT64_C(0xfff)
#define BMD_FINE_ST_FRAC_S(word) (((uint64_t)(word) >> 0) & UINT64_C(0xfff))
/* Fraction of T. */
#define BMD_FINE_ST_FRAC_T_SHIFT 12
#define BMD_FINE_ST_FRAC_T_MASK UINT64_C(0xfff)
#define BMD_FINE_ST_FRAC_T(word) (((uint64_t)(word) >> 12) & UINT64_C(0xfff))

/*
 * The 96-bit form with an even tag: fine texture coordinates (B5).
 */
typedef struct bmd_fine_vertex96 { uint8_t bytes[12]; } bmd_fine_vertex96;
/* Bits are numbered in the bytes as one little-endian number. */
/* Position in bone space. In m. */
#define BMD_FINE_VERTEX96_POSITION_SHIFT 0
#define BMD_FINE_VERTEX96_POSITION_WIDTH 32
/* Texture coordinate. */
#define BMD_FINE_VERTEX96_ST_SHIFT 32
#define BMD_FINE_VERTEX96_ST_WIDTH 24
/* F8 or FA; F0, F2, F4 and F6 are not defined. Must be 248 or 250 (BMD-VERTEX-UNDEFINED, warning). */
#define BMD_FINE_VERTEX96_TAG_SHIFT 56
#define BMD_FINE_VERTEX96_TAG_WIDTH 8
/* Normal. */
#define BMD_FINE_VERTEX96_NORMAL_SHIFT 64
#define BMD_FINE_VERTEX96_NORMAL_WIDTH 24
/* Colour/shade for tag F8, bone for tag FA (B10). Must be an index into bones, or 0 for none if tag == 250 (BMD-VERTEX-BONE, warning). */
#define BMD_FINE_VERTEX96_COLOR_OR_BONE_SHIFT 88
#define BMD_FINE_VERTEX96_COLOR_OR_BONE_WIDTH 8

/*
 * The 96-bit form with an odd tag: texture coordinates with a shared exponent (B4).
 */
typedef struct bmd_scaled_vertex96 { uint8_t bytes[12]; } bmd_scaled_vertex96;
/* Bits are numbered in the bytes as one little-endian number. */
/* Position in bone space. In m. */
#define BMD_SCALED_VERTEX96_POSITION_SHIFT 0
#define BMD_SCALED_VERTEX96_POSITION_WIDTH 32
/* Texture coordinate. */
#define BMD_SCALED_VERTEX96_ST_SHIFT 32
#define BMD_SCALED_VERTEX96_ST_WIDTH 24
/* F9 or FB; F1, F3, F5 and F7 are not defined. Must be 249 or 251 (BMD-VERTEX-UNDEFINED, warning). */
#define BMD_SCALED_VERTEX96_TAG_SHIFT 56
#define BMD_SCALED_VERTEX96_TAG_WIDTH 8
/* Normal. */
#define BMD_SCALED_VERTEX96_NORMAL_SHIFT 64
#define BMD_SCALED_VERTEX96_NORMAL_WIDTH 24
/* Colour/shade for tag F9, bone for tag FB (B10). Must be an index into bones, or 0 for none if tag == 251 (BMD-VERTEX-BONE, warning). */
#define BMD_SCALED_VERTEX96_COLOR_OR_BONE_SHIFT 88
#define BMD_SCALED_VERTEX96_COLOR_OR_BONE_WIDTH 8

/*
 * Q2.12 texture coordinates with a shared exponent: (fraction / 4096 − 2) · 2^exponent (B6).
 * Decoded as [ldexp(frac_s / 4096.0 - 2.0, exponent), ldexp(frac_t / 4096.0 - 2.0, exponent)].
 */
typedef uint32_t bmd_wide_st;
/* Fraction of S. */
#define BMD_WIDE_ST_FRAC_S_SHIFT 0
#define BMD_WIDE_ST_FRAC_S_MASK UINT64_C(0x3fff)
#define BMD_WIDE_ST_FRAC_S(word) (((uint64_t)(word) >> 0) & UINT64_C(0x3fff))
/* Fraction of T. */
#define BMD_WIDE_ST_FRAC_T_SHIFT 14
#define BMD_WIDE_ST_FRAC_T_MASK UINT64_C(0x3fff)
#define BMD_WIDE_ST_FRAC_T(word) (((uint64_t)(word) >> 14) & UINT64_C(0x3fff))
/* The shared exponent. */
#define BMD_WIDE_ST_EXPONENT_SHIFT 28
#define BMD_WIDE_ST_EXPONENT_MASK UINT64_C(0xf)
#define BMD_WIDE_ST_EXPONENT(word) (((uint64_t)(word) >> 28) & UINT64_C(0xf))

/*
 * The 128-bit form.
 */
typedef struct bmd_vertex128 { uint8_t bytes[16]; } bmd_vertex128;
/* Bits are numbered in the bytes as one little-endian number. */
/* X in bone space, as binary16 (B7). Decoded as x as IEEE 754 binary16, in m. (org_x & 31744) != 31744 must hold (BMD-NON-FINITE, error). */
#define BMD_VERTEX128_ORG_X_SHIFT 0
#define BMD_VERTEX128_ORG_X_WIDTH 16
/* Y, as binary16. Decoded as x as IEEE 754 binary16, in m. (org_y & 31744) != 31744 must hold (BMD-NON-FINITE, error). */
#define BMD_VERTEX128_ORG_Y_SHIFT 16
#define BMD_VERTEX128_ORG_Y_WIDTH 16
/* Z, as binary16. Decoded as x as IEEE 754 binary16, in m. (org_z & 31744) != 31744 must hold (BMD-NON-FINITE, error). */
#define BMD_VERTEX128_ORG_Z_SHIFT 32
#define BMD_VERTEX128_ORG_Z_WIDTH 16
/* Colour/shade. */
#define BMD_VERTEX128_COLOR_SHIFT 48
#define BMD_VERTEX128_COLOR_WIDTH 8
/* FD; other values are reserved. Must be 253 (BMD-VERTEX-TAG, error). */
#define BMD_VERTEX128_TAG_SHIFT 56
#define BMD_VERTEX128_TAG_WIDTH 8
/* Texture coordinate. */
#define BMD_VERTEX128_ST_SHIFT 64
#define BMD_VERTEX128_ST_WIDTH 32
/* Normal. */
#define BMD_VERTEX128_NORMAL_SHIFT 96
#define BMD_VERTEX128_NORMAL_WIDTH 24
/* Bone; bone 0 is the model itself. Must be an index into bones, or 0 for none (BMD-VERTEX-BONE, warning). */
#define BMD_VERTEX128_BONE_SHIFT 120
#define BMD_VERTEX128_BONE_WIDTH 8

/*
 * VertexItem: A vertex in the form that its tag selects.
 *
 * - first: VertexTag, at 0, as a look-ahead
 * - textured_64: TexturedVertex64, at 0, if first.tag < 240 and not flat
 *   subtype <= 1 must hold (BMD-FLAGS, error).
 * - flat_64: FlatVertex64, after textured_64, if first.tag < 240 and flat
 *   subtype <= 1 must hold (BMD-FLAGS, error).
 * - fine_96: FineVertex96, after flat_64, if first.tag >= 240 and first.tag < 252 and first.tag % 2 == 0
 *   subtype == 1 or subtype == 3 must hold (BMD-FLAGS, error).
 * - scaled_96: ScaledVertex96, after fine_96, if first.tag >= 240 and first.tag < 252 and first.tag % 2 == 1
 *   subtype == 1 or subtype == 3 must hold (BMD-FLAGS, error).
 * - vertex_128: Vertex128, after scaled_96, if first.tag >= 252
 *   subtype == 1 or subtype == 2 must hold (BMD-FLAGS, error).
 */

/*
 * VertexList: Vertices in any mix of sizes, up to the end of their bytes.
 *
 * - vertices: VertexItem[to the end], at 0
 */

/*
 * The first byte of any face.
 */
typedef uint8_t bmd_face_tag;
/* The form: bit 0 for a quad, bit 1 for 64 bits. */
#define BMD_FACE_TAG_TAG_SHIFT 0
#define BMD_FACE_TAG_TAG_MASK UINT64_C(0x3)
#define BMD_FACE_TAG_TAG(word) (((uint64_t)(word) >> 0) & UINT64_C(0x3))
/* The remaining bits; their meaning depends on the form. */
#define BMD_FACE_TAG_CONTENT_SHIFT 2
#define BMD_FACE_TAG_CONTENT_MASK UINT64_C(0x3f)
#define BMD_FACE_TAG_CONTENT(word) (((uint64_t)(word) >> 2) & UINT64_C(0x3f))

/*
 * A triangle of 32 bits: indices up to 1,023.
 */
typedef uint32_t bmd_triangle32;
/* Always 0. */
#define BMD_TRIANGLE32_TAG_SHIFT 0
#define BMD_TRIANGLE32_TAG_MASK UINT64_C(0x3)
#define BMD_TRIANGLE32_TAG(word) (((uint64_t)(word) >> 0) & UINT64_C(0x3))
/* First vertex. Must be below n_vtx (BMD-INDEX-RANGE, error). */
#define BMD_TRIANGLE32_V0_SHIFT 2
#define BMD_TRIANGLE32_V0_MASK UINT64_C(0x3ff)
#define BMD_TRIANGLE32_V0(word) (((uint64_t)(word) >> 2) & UINT64_C(0x3ff))
/* Second vertex. Must be below n_vtx (BMD-INDEX-RANGE, error). */
#define BMD_TRIANGLE32_V1_SHIFT 12
#define BMD_TRIANGLE32_V1_MASK UINT64_C(0x3ff)
#define BMD_TRIANGLE32_V1(word) (((uint64_t)(word) >> 12) & UINT64_C(0x3ff))
/* Third vertex. Must be below n_vtx (BMD-INDEX-RANGE, error). */
#define BMD_TRIANGLE32_V2_SHIFT 22
#define BMD_TRIANGLE32_V2_MASK UINT64_C(0x3ff)
#define BMD_TRIANGLE32_V2(word) (((uint64_t)(word) >> 22) & UINT64_C(0x3ff))

/*
 * A quad of 32 bits: indices up to 127.
 */
typedef uint32_t bmd_quad32;
/* Always 1. */
#define BMD_QUAD32_TAG_SHIFT 0
#define BMD_QUAD32_TAG_MASK UINT64_C(0x3)
#define BMD_QUAD32_TAG(word) (((uint64_t)(word) >> 0) & UINT64_C(0x3))
/* First vertex. Must be below n_vtx (BMD-INDEX-RANGE, error). */
#define BMD_QUAD32_V0_SHIFT 2
#define BMD_QUAD32_V0_MASK UINT64_C(0x7f)
#define BMD_QUAD32_V0(word) (((uint64_t)(word) >> 2) & UINT64_C(0x7f))
/* Second vertex. Must be below n_vtx (BMD-INDEX-RANGE, error). */
#define BMD_QUAD32_V1_SHIFT 9
#define BMD_QUAD32_V1_MASK UINT64_C(0x7f)
#define BMD_QUAD32_V1(word) (((uint64_t)(word) >> 9) & UINT64_C(0x7f))
/* Third vertex. Must be below n_vtx (BMD-INDEX-RANGE, error). */
#define BMD_QUAD32_V2_SHIFT 16
#define BMD_QUAD32_V2_MASK UINT64_C(0x7f)
#define BMD_QUAD32_V2(word) (((uint64_t)(word) >> 16) & UINT64_C(0x7f))
/* Fourth vertex. Must be below n_vtx (BMD-INDEX-RANGE, error). */
#define BMD_QUAD32_V3_SHIFT 23
#define BMD_QUAD32_V3_MASK UINT64_C(0x7f)
#define BMD_QUAD32_V3(word) (((uint64_t)(word) >> 23) & UINT64_C(0x7f))
/* Must be 0 (B13). Must be 0 (BMD-TAG2, error). */
#define BMD_QUAD32_TAG2_SHIFT 30
#define BMD_QUAD32_TAG2_MASK UINT64_C(0x3)
#define BMD_QUAD32_TAG2(word) (((uint64_t)(word) >> 30) & UINT64_C(0x3))

/*
 * A triangle of 64 bits: indices up to 1,048,575.
 */
typedef uint64_t bmd_triangle64;
/* Always 2. */
#define BMD_TRIANGLE64_TAG_SHIFT 0
#define BMD_TRIANGLE64_TAG_MASK UINT64_C(0x3)
#define BMD_TRIANGLE64_TAG(word) (((uint64_t)(word) >> 0) & UINT64_C(0x3))
/* First vertex. Must be below n_vtx (BMD-INDEX-RANGE, error). */
#define BMD_TRIANGLE64_V0_SHIFT 2
#define BMD_TRIANGLE64_V0_MASK UINT64_C(0xfffff)
#define BMD_TRIANGLE64_V0(word) (((uint64_t)(word) >> 2) & UINT64_C(0xfffff))
/* Second vertex. Must be below n_vtx (BMD-INDEX-RANGE, error). */
#define BMD_TRIANGLE64_V1_SHIFT 22
#define BMD_TRIANGLE64_V1_MASK UINT64_C(0xfffff)
#define BMD_TRIANGLE64_V1(word) (((uint64_t)(word) >> 22) & UINT64_C(0xfffff))
/* Third vertex. Must be below n_vtx (BMD-INDEX-RANGE, error). */
#define BMD_TRIANGLE64_V2_SHIFT 42
#define BMD_TRIANGLE64_V2_MASK UINT64_C(0xfffff)
#define BMD_TRIANGLE64_V2(word) (((uint64_t)(word) >> 42) & UINT64_C(0xfffff))
/* Must be 0 (B13). Must be 0 (BMD-TAG2, error). */
#define BMD_TRIANGLE64_TAG2_SHIFT 62
#define BMD_TRIANGLE64_TAG2_MASK UINT64_C(0x3)
#define BMD_TRIANGLE64_TAG2(word) (((uint64_t)(word) >> 62) & UINT64_C(0x3))

/*
 * A quad of 64 bits: indices up to 32,767.
 */
typedef uint64_t bmd_quad64;
/* Always 3. */
#define BMD_QUAD64_TAG_SHIFT 0
#define BMD_QUAD64_TAG_MASK UINT64_C(0x3)
#define BMD_QUAD64_TAG(word) (((uint64_t)(word) >> 0) & UINT64_C(0x3))
/* First vertex. Must be below n_vtx (BMD-INDEX-RANGE, error). */
#define BMD_QUAD64_V0_SHIFT 2
#define BMD_QUAD64_V0_MASK UINT64_C(0x7fff)
#define BMD_QUAD64_V0(word) (((uint64_t)(word) >> 2) & UINT64_C(0x7fff))
/* Second vertex. Must be below n_vtx (BMD-INDEX-RANGE, error). */
#define BMD_QUAD64_V1_SHIFT 17
#define BMD_QUAD64_V1_MASK UINT64_C(0x7fff)
#define BMD_QUAD64_V1(word) (((uint64_t)(word) >> 17) & UINT64_C(0x7fff))
/* Third vertex. Must be below n_vtx (BMD-INDEX-RANGE, error). */
#define BMD_QUAD64_V2_SHIFT 32
#define BMD_QUAD64_V2_MASK UINT64_C(0x7fff)
#define BMD_QUAD64_V2(word) (((uint64_t)(word) >> 32) & UINT64_C(0x7fff))
/* Fourth vertex. Must be below n_vtx (BMD-INDEX-RANGE, error). */
#define BMD_QUAD64_V3_SHIFT 47
#define BMD_QUAD64_V3_MASK UINT64_C(0x7fff)
#define BMD_QUAD64_V3(word) (((uint64_t)(word) >> 47) & UINT64_C(0x7fff))
/* Must be 0 (B13). Must be 0 (BMD-TAG2, error). */
#define BMD_QUAD64_TAG2_SHIFT 62
#define BMD_QUAD64_TAG2_MASK UINT64_C(0x3)
#define BMD_QUAD64_TAG2(word) (((uint64_t)(word) >> 62) & UINT64_C(0x3))

/*
 * FaceItem: A face in the form that its tag selects.
 *
 * - first: FaceTag, at 0, as a look-ahead
 * - triangle_32: Triangle32, at 0, if first.tag == 0
 *   kind <= 1 must hold (BMD-FLAGS, error).
 * - quad_32: Quad32, after triangle_32, if first.tag == 1
 *   kind == 1 must hold (BMD-FLAGS, error).
 * - triangle_64: Triangle64, after quad_32, if first.tag == 2
 *   kind != 0 must hold (BMD-FLAGS, error).
 * - quad_64: Quad64, after triangle_64, if first.tag == 3
 *   kind == 1 or kind == 3 must hold (BMD-FLAGS, error).
 */

/*
 * FaceList: A list of faces in any mix of forms, up to the end of its bytes.
 *
 * - faces: FaceItem[to the end], at 0
 */

/*
 * MeshDef: A mesh: a 32-byte table entry whose lists are stored elsewhere.
 *
 * - ofs_vtx: u32, at 0
 *   Rejected unless ofs_vtx % 4 == 0: the offset is not a multiple of 4 (BMD-ALIGNMENT, fatal).
 * - ofs_tris: u32, at 4
 *   Rejected unless ofs_tris % 4 == 0: the offset is not a multiple of 4 (BMD-ALIGNMENT, fatal).
 * - ofs_mat: u32, at 8
 *   Rejected unless ofs_mat == 0 or ofs_mat >= 48: the name overlaps the header (BMD-LIST, fatal).
 * - n_vtx: u16, at 12
 *   Must be the number of items in vertices (BMD-VERTEX-COUNT, fatal).
 * - n_tris: u16, at 14
 * - sz_vtx: u32, at 16
 *   Rejected unless sz_vtx == 0 or ofs_vtx >= 48: the vertices overlap the header (BMD-LIST, fatal).
 * - sz_tris: u32, at 20
 *   Rejected unless sz_tris == 0 or ofs_tris >= 48: the faces overlap the header (BMD-LIST, fatal).
 * - flags: ControlFlags, at 24
 *   Reserved bits must be 0 (BMD-RESERVED, warning).
 * - resv3: u32, at 28
 *   Must be 0 (BMD-RESERVED, warning).
 * - material: NUL-terminated bytes, at ofs_mat, if ofs_mat != 0
 * - vertices: u8[sz_vtx] that contain VertexList, at ofs_vtx
 * - faces: u8[sz_tris] that contain FaceList, at ofs_tris
 */
/* The fixed start of every MeshDef. */
typedef struct bmd_mesh_def_start {
    uint32_t ofs_vtx; /* Offset of the vertex list. Rejected unless ofs_vtx % 4 == 0: the offset is not a multiple of 4 (BMD-ALIGNMENT, fatal). */
    uint32_t ofs_tris; /* Offset of the face list. Rejected unless ofs_tris % 4 == 0: the offset is not a multiple of 4 (BMD-ALIGNMENT, fatal). */
    uint32_t ofs_mat; /* Offset of the material name; 0 for none. Rejected unless ofs_mat == 0 or ofs_mat >= 48: the name overlaps the header (BMD-LIST, fatal). */
    uint16_t n_vtx; /* Number of vertices. Must be the number of items in vertices (BMD-VERTEX-COUNT, fatal). */
    uint16_t n_tris; /* Number of triangles (B12). */
    uint32_t sz_vtx; /* Size of the vertex list in bytes. Rejected unless sz_vtx == 0 or ofs_vtx >= 48: the vertices overlap the header (BMD-LIST, fatal). */
    uint32_t sz_tris; /* Size of the face list in bytes. Rejected unless sz_tris == 0 or ofs_tris >= 48: the faces overlap the header (BMD-LIST, fatal). */
    bmd_control_flags flags; /* The forms that the vertices and faces may have. Reserved bits must be 0 (BMD-RESERVED, warning). */
    uint32_t resv3; /* Reserved; must be zero (B28). Must be 0 (BMD-RESERVED, warning). */
} bmd_mesh_def_start;
MESHSPEC_STATIC_ASSERT(sizeof(bmd_mesh_def_start) == 32, "size of bmd_mesh_def_start");
MESHSPEC_STATIC_ASSERT(offsetof(bmd_mesh_def_start, ofs_vtx) == 0, "offset of ofs_vtx");
MESHSPEC_STATIC_ASSERT(offsetof(bmd_mesh_def_start, ofs_tris) == 4, "offset of ofs_tris");
MESHSPEC_STATIC_ASSERT(offsetof(bmd_mesh_def_start, ofs_mat) == 8, "offset of ofs_mat");
MESHSPEC_STATIC_ASSERT(offsetof(bmd_mesh_def_start, n_vtx) == 12, "offset of n_vtx");
MESHSPEC_STATIC_ASSERT(offsetof(bmd_mesh_def_start, n_tris) == 14, "offset of n_tris");
MESHSPEC_STATIC_ASSERT(offsetof(bmd_mesh_def_start, sz_vtx) == 16, "offset of sz_vtx");
MESHSPEC_STATIC_ASSERT(offsetof(bmd_mesh_def_start, sz_tris) == 20, "offset of sz_tris");
MESHSPEC_STATIC_ASSERT(offsetof(bmd_mesh_def_start, flags) == 24, "offset of flags");
MESHSPEC_STATIC_ASSERT(offsetof(bmd_mesh_def_start, resv3) == 28, "offset of resv3");

/*
 * An 8-bit float: sign, 3 exponent bits, 4 fraction bits (B2).
 * Decoded as (x & 127) == 0 ? 0.0 : ldexp(16 + (x & 15), (int)(x >> 4 & 7) - 11) * (x & 128 ? -1 : 1).
 */
typedef uint8_t bmd_f8_a;
/* Fraction below an implicit leading one. */
#define BMD_F8_A_FRACTION_SHIFT 0
#define BMD_F8_A_FRACTION_MASK UINT64_C(0xf)
#define BMD_F8_A_FRACTION(word) (((uint64_t)(word) >> 0) & UINT64_C(0xf))
/* Exponent: the value of the leading one is 2^(exponent − 7). */
#define BMD_F8_A_EXPONENT_SHIFT 4
#define BMD_F8_A_EXPONENT_MASK UINT64_C(0x7)
#define BMD_F8_A_EXPONENT(word) (((uint64_t)(word) >> 4) & UINT64_C(0x7))
/* Set for negative values. */
#define BMD_F8_A_NEGATIVE_SHIFT 7
#define BMD_F8_A_NEGATIVE_MASK UINT64_C(0x1)
#define BMD_F8_A_NEGATIVE(word) (((uint64_t)(word) >> 7) & UINT64_C(0x1))

/*
 * A level of detail: a 4-byte table entry.
 */
typedef struct bmd_lod_def {
    uint8_t id_mesh; /* Index of the first mesh. */
    uint8_t n_mesh; /* Number of meshes. The range of this many items starting at id_mesh must lie within meshes (BMD-LOD-RANGE, error). */
    bmd_f8_a ld_sc; /* Nominal scale: at scale s, the viewing distance is 1/s − 1 metres (B18). */
    uint8_t resv1; /* Reserved; must be zero (B28). Must be 0 (BMD-RESERVED, warning). */
} bmd_lod_def;
MESHSPEC_STATIC_ASSERT(sizeof(bmd_lod_def) == 4, "size of bmd_lod_def");
MESHSPEC_STATIC_ASSERT(offsetof(bmd_lod_def, id_mesh) == 0, "offset of id_mesh");
MESHSPEC_STATIC_ASSERT(offsetof(bmd_lod_def, n_mesh) == 1, "offset of n_mesh");
MESHSPEC_STATIC_ASSERT(offsetof(bmd_lod_def, ld_sc) == 2, "offset of ld_sc");
MESHSPEC_STATIC_ASSERT(offsetof(bmd_lod_def, resv1) == 3, "offset of resv1");

/*
 * The first 13 bytes of a bone: up to and including its parent.
 */
typedef struct bmd_bone_entry {
    uint8_t content[12]; /* The transform, and the offset of the name. */
    uint8_t id_parent; /* Parent bone; FF for a pseudo-bone. */
} bmd_bone_entry;
MESHSPEC_STATIC_ASSERT(sizeof(bmd_bone_entry) == 13, "size of bmd_bone_entry");
MESHSPEC_STATIC_ASSERT(offsetof(bmd_bone_entry, content) == 0, "offset of content");
MESHSPEC_STATIC_ASSERT(offsetof(bmd_bone_entry, id_parent) == 12, "offset of id_parent");

/*
 * Four F8A: a quaternion, normalised by the reader (B19).
 * Decoded as [i, j, k, r], each decoded as F8A, divided by their length; [0, 0, 0, 1] if that is 0.
 */
typedef uint32_t bmd_rotation;
/* I. Decoded as (x & 127) == 0 ? 0.0 : ldexp(16 + (x & 15), (int)(x >> 4 & 7) - 11) * (x & 128 ? -1 : 1). */
#define BMD_ROTATION_I_SHIFT 0
#define BMD_ROTATION_I_MASK UINT64_C(0xff)
#define BMD_ROTATION_I(word) (((uint64_t)(word) >> 0) & UINT64_C(0xff))
/* J. Decoded as (x & 127) == 0 ? 0.0 : ldexp(16 + (x & 15), (int)(x >> 4 & 7) - 11) * (x & 128 ? -1 : 1). */
#define BMD_ROTATION_J_SHIFT 8
#define BMD_ROTATION_J_MASK UINT64_C(0xff)
#define BMD_ROTATION_J(word) (((uint64_t)(word) >> 8) & UINT64_C(0xff))
/* K. Decoded as (x & 127) == 0 ? 0.0 : ldexp(16 + (x & 15), (int)(x >> 4 & 7) - 11) * (x & 128 ? -1 : 1). */
#define BMD_ROTATION_K_SHIFT 16
#define BMD_ROTATION_K_MASK UINT64_C(0xff)
#define BMD_ROTATION_K(word) (((uint64_t)(word) >> 16) & UINT64_C(0xff))
/* R, the real part. Decoded as (x & 127) == 0 ? 0.0 : ldexp(16 + (x & 15), (int)(x >> 4 & 7) - 11) * (x & 128 ? -1 : 1). */
#define BMD_ROTATION_R_SHIFT 24
#define BMD_ROTATION_R_MASK UINT64_C(0xff)
#define BMD_ROTATION_R(word) (((uint64_t)(word) >> 24) & UINT64_C(0xff))

/*
 * The transform of a bone relative to its parent: 64 bits (B19).
 */
typedef uint64_t bmd_bone_transform;
/* Origin. In m. */
#define BMD_BONE_TRANSFORM_ORIGIN_SHIFT 0
#define BMD_BONE_TRANSFORM_ORIGIN_MASK UINT64_C(0xffffffff)
#define BMD_BONE_TRANSFORM_ORIGIN(word) (((uint64_t)(word) >> 0) & UINT64_C(0xffffffff))
/* Rotation. */
#define BMD_BONE_TRANSFORM_ROTATION_SHIFT 32
#define BMD_BONE_TRANSFORM_ROTATION_MASK UINT64_C(0xffffffff)
#define BMD_BONE_TRANSFORM_ROTATION(word) (((uint64_t)(word) >> 32) & UINT64_C(0xffffffff))

/*
 * The bones that a pseudo-bone blends, with their weights: 64 bits (B22).
 */
typedef uint64_t bmd_pseudo_transform;
/* First bone. */
#define BMD_PSEUDO_TRANSFORM_BONE_0_SHIFT 0
#define BMD_PSEUDO_TRANSFORM_BONE_0_MASK UINT64_C(0xff)
#define BMD_PSEUDO_TRANSFORM_BONE_0(word) (((uint64_t)(word) >> 0) & UINT64_C(0xff))
/* Second bone. */
#define BMD_PSEUDO_TRANSFORM_BONE_1_SHIFT 8
#define BMD_PSEUDO_TRANSFORM_BONE_1_MASK UINT64_C(0xff)
#define BMD_PSEUDO_TRANSFORM_BONE_1(word) (((uint64_t)(word) >> 8) & UINT64_C(0xff))
/* Third bone. */
#define BMD_PSEUDO_TRANSFORM_BONE_2_SHIFT 16
#define BMD_PSEUDO_TRANSFORM_BONE_2_MASK UINT64_C(0xff)
#define BMD_PSEUDO_TRANSFORM_BONE_2(word) (((uint64_t)(word) >> 16) & UINT64_C(0xff))
/* Fourth bone. */
#define BMD_PSEUDO_TRANSFORM_BONE_3_SHIFT 24
#define BMD_PSEUDO_TRANSFORM_BONE_3_MASK UINT64_C(0xff)
#define BMD_PSEUDO_TRANSFORM_BONE_3(word) (((uint64_t)(word) >> 24) & UINT64_C(0xff))
/* Weight of the first bone. Decoded as (x & 127) == 0 ? 0.0 : ldexp(16 + (x & 15), (int)(x >> 4 & 7) - 11) * (x & 128 ? -1 : 1). */
#define BMD_PSEUDO_TRANSFORM_WEIGHT_0_SHIFT 32
#define BMD_PSEUDO_TRANSFORM_WEIGHT_0_MASK UINT64_C(0xff)
#define BMD_PSEUDO_TRANSFORM_WEIGHT_0(word) (((uint64_t)(word) >> 32) & UINT64_C(0xff))
/* Weight of the second bone. Decoded as (x & 127) == 0 ? 0.0 : ldexp(16 + (x & 15), (int)(x >> 4 & 7) - 11) * (x & 128 ? -1 : 1). */
#define BMD_PSEUDO_TRANSFORM_WEIGHT_1_SHIFT 40
#define BMD_PSEUDO_TRANSFORM_WEIGHT_1_MASK UINT64_C(0xff)
#define BMD_PSEUDO_TRANSFORM_WEIGHT_1(word) (((uint64_t)(word) >> 40) & UINT64_C(0xff))
/* Weight of the third bone. Decoded as (x & 127) == 0 ? 0.0 : ldexp(16 + (x & 15), (int)(x >> 4 & 7) - 11) * (x & 128 ? -1 : 1). */
#define BMD_PSEUDO_TRANSFORM_WEIGHT_2_SHIFT 48
#define BMD_PSEUDO_TRANSFORM_WEIGHT_2_MASK UINT64_C(0xff)
#define BMD_PSEUDO_TRANSFORM_WEIGHT_2(word) (((uint64_t)(word) >> 48) & UINT64_C(0xff))
/* Weight of the fourth bone. Decoded as (x & 127) == 0 ? 0.0 : ldexp(16 + (x & 15), (int)(x >> 4 & 7) - 11) * (x & 128 ? -1 : 1). */
#define BMD_PSEUDO_TRANSFORM_WEIGHT_3_SHIFT 56
#define BMD_PSEUDO_TRANSFORM_WEIGHT_3_MASK UINT64_C(0xff)
#define BMD_PSEUDO_TRANSFORM_WEIGHT_3(word) (((uint64_t)(word) >> 56) & UINT64_C(0xff))

/*
 * BoneDef: A bone: a 16-byte table entry.
 *
 * - entry: BoneEntry, at 0, as a look-ahead
 * - xform: BoneTransform, at 0, if entry.id_parent != 255
 * - pseudo: PseudoTransform, after xform, if entry.id_parent == 255
 * - ofs_name: u32, after pseudo
 *   Rejected unless ofs_name == 0 or ofs_name >= 48: the name overlaps the header (BMD-LIST, fatal).
 * - id_parent: u8, after ofs_name
 *   Must be the index of the parent, lower than the index of the item; the first item is its own parent; 255 means no parent (BMD-PARENT, error).
 * - id_solid: u8, after id_parent
 *   Must be an index into meshes, or 0 for none (BMD-SOLID-RANGE, error).
 * - resv1: u8, after id_solid
 *   Must be 0 (BMD-RESERVED, warning).
 * - resv2: u8, after resv1
 *   Must be 0 (BMD-RESERVED, warning).
 * - name: NUL-terminated bytes, at ofs_name, if ofs_name != 0
 */

/*
 * Frame rate and loop flag of an animation: 8 bits (B27).
 * Decoded as quarter_hz * 0.25, in frames/s.
 */
typedef uint8_t bmd_anim_rate;
/* Frame rate in units of 0.25 Hz. */
#define BMD_ANIM_RATE_QUARTER_HZ_SHIFT 0
#define BMD_ANIM_RATE_QUARTER_HZ_MASK UINT64_C(0x7f)
#define BMD_ANIM_RATE_QUARTER_HZ(word) (((uint64_t)(word) >> 0) & UINT64_C(0x7f))
/* Whether playback stops at the end. */
#define BMD_ANIM_RATE_NO_LOOP_SHIFT 7
#define BMD_ANIM_RATE_NO_LOOP_MASK UINT64_C(0x1)
#define BMD_ANIM_RATE_NO_LOOP(word) (((uint64_t)(word) >> 7) & UINT64_C(0x1))

/*
 * The tag of a key: 8 bits.
 */
typedef uint8_t bmd_anim_tag;
/* Number of preceding frames without a key. */
#define BMD_ANIM_TAG_SKIP_SHIFT 0
#define BMD_ANIM_TAG_SKIP_MASK UINT64_C(0x1f)
#define BMD_ANIM_TAG_SKIP(word) (((uint64_t)(word) >> 0) & UINT64_C(0x1f))
/* Whether the key has a scale. */
#define BMD_ANIM_TAG_SCALE_SHIFT 5
#define BMD_ANIM_TAG_SCALE_MASK UINT64_C(0x1)
#define BMD_ANIM_TAG_SCALE(word) (((uint64_t)(word) >> 5) & UINT64_C(0x1))
/* Whether the key has a translation. */
#define BMD_ANIM_TAG_TRANSLATION_SHIFT 6
#define BMD_ANIM_TAG_TRANSLATION_MASK UINT64_C(0x1)
#define BMD_ANIM_TAG_TRANSLATION(word) (((uint64_t)(word) >> 6) & UINT64_C(0x1))
/* Whether the key has a rotation. */
#define BMD_ANIM_TAG_ROTATION_SHIFT 7
#define BMD_ANIM_TAG_ROTATION_MASK UINT64_C(0x1)
#define BMD_ANIM_TAG_ROTATION(word) (((uint64_t)(word) >> 7) & UINT64_C(0x1))

/*
 * Key: A keyframe of a bone, or the end of a track (B23).
 *
 * - tag: AnimTag, at 0
 * - rotation: Rotation, at 1, if tag.rotation
 * - translation: Triple, after rotation, if tag.translation
 *   In m.
 * - scale: Triple, after translation, if tag.scale
 */

/*
 * KeyList: The keys of an animation, up to the end of their bytes.
 *
 * - frames: Key[to the end], at 0
 */

/*
 * AnimDef: An animation: a 16-byte table entry whose keys are stored elsewhere.
 *
 * - ofs_name: u32, at 0
 *   Rejected unless ofs_name == 0 or ofs_name >= 48: the name overlaps the header (BMD-LIST, fatal).
 * - n_frames: u8, at 4
 * - fl_hz: AnimRate, at 5
 * - resv1: u8, at 6
 *   Must be 0 (BMD-RESERVED, warning).
 * - resv2: u8, at 7
 *   Must be 0 (BMD-RESERVED, warning).
 * - ofs_frames: u32, at 8
 * - sz_frames: u32, at 12
 *   Rejected unless sz_frames == 0 or ofs_frames >= 48: the frames overlap the header (BMD-LIST, fatal).
 *   n_frames > 0 or sz_frames == 0 must hold (BMD-NO-FRAMES, error).
 * - name: NUL-terminated bytes, at ofs_name, if ofs_name != 0
 * - frames: u8[sz_frames] that contain KeyList, at ofs_frames
 */
/* The fixed start of every AnimDef. */
typedef struct bmd_anim_def_start {
    uint32_t ofs_name; /* Offset of the name; 0 for none. Rejected unless ofs_name == 0 or ofs_name >= 48: the name overlaps the header (BMD-LIST, fatal). */
    uint8_t n_frames; /* Number of frames. */
    bmd_anim_rate fl_hz; /* Frame rate, and whether the animation loops. */
    uint8_t resv1; /* Reserved; must be zero (B28). Must be 0 (BMD-RESERVED, warning). */
    uint8_t resv2; /* Reserved; must be zero (B28). Must be 0 (BMD-RESERVED, warning). */
    uint32_t ofs_frames; /* Offset of the frames list. */
    uint32_t sz_frames; /* Size of the frames list in bytes. Rejected unless sz_frames == 0 or ofs_frames >= 48: the frames overlap the header (BMD-LIST, fatal). n_frames > 0 or sz_frames == 0 must hold (BMD-NO-FRAMES, error). */
} bmd_anim_def_start;
MESHSPEC_STATIC_ASSERT(sizeof(bmd_anim_def_start) == 16, "size of bmd_anim_def_start");
MESHSPEC_STATIC_ASSERT(offsetof(bmd_anim_def_start, ofs_name) == 0, "offset of ofs_name");
MESHSPEC_STATIC_ASSERT(offsetof(bmd_anim_def_start, n_frames) == 4, "offset of n_frames");
MESHSPEC_STATIC_ASSERT(offsetof(bmd_anim_def_start, fl_hz) == 5, "offset of fl_hz");
MESHSPEC_STATIC_ASSERT(offsetof(bmd_anim_def_start, resv1) == 6, "offset of resv1");
MESHSPEC_STATIC_ASSERT(offsetof(bmd_anim_def_start, resv2) == 7, "offset of resv2");
MESHSPEC_STATIC_ASSERT(offsetof(bmd_anim_def_start, ofs_frames) == 8, "offset of ofs_frames");
MESHSPEC_STATIC_ASSERT(offsetof(bmd_anim_def_start, sz_frames) == 12, "offset of sz_frames");

/*
 * Image: A BMD file.
 *
 * - header: Header, at 0
 * - meshes: MeshDef[header.sz_meshes / 32], at header.ofs_meshes
 * - lods: LodDef[header.sz_lods / 4], at header.ofs_lods
 * - bones: BoneDef[header.sz_bones / 16], at header.ofs_bones
 * - animations: AnimDef[header.sz_anims / 16], at header.ofs_anims
 */

#pragma pack(pop)

#endif
