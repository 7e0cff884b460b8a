/*
 * MESH: the structures of a file.
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
 * - MESH-TRUNCATED (fatal): The file contains all data that its header and counts declare.
 * - MESH-TRAILING, M17 (fatal): Nothing follows the animations of a renderlib file.
 * - MESH-VERTEX-UNBOUND, M9 (error): A weighted vertex has a weight on an existing joint.
 * - MESH-NO-STRINGS (fatal): A file with named animations has strings.
 */
#ifndef MESH_LAYOUT_H
#define MESH_LAYOUT_H

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
 * The attributes of a vertex: 16 bits.
 */
typedef uint16_t mesh_vertex_format;
/* Position. Mandatory: a format without this bit is an error. */
#define MESH_VERTEX_FORMAT_POSITION_SHIFT 0
#define MESH_VERTEX_FORMAT_POSITION_MASK UINT64_C(0x1)
#define MESH_VERTEX_FORMAT_POSITION(word) (((uint64_t)(word) >> 0) & UINT64_C(0x1))
/* Normal vector. */
#define MESH_VERTEX_FORMAT_NORMAL_SHIFT 1
#define MESH_VERTEX_FORMAT_NORMAL_MASK UINT64_C(0x1)
#define MESH_VERTEX_FORMAT_NORMAL(word) (((uint64_t)(word) >> 1) & UINT64_C(0x1))
/* Texture coordinate (UV). */
#define MESH_VERTEX_FORMAT_UV_SHIFT 2
#define MESH_VERTEX_FORMAT_UV_MASK UINT64_C(0x1)
#define MESH_VERTEX_FORMAT_UV(word) (((uint64_t)(word) >> 2) & UINT64_C(0x1))
/* Joint ids and weights. */
#define MESH_VERTEX_FORMAT_JOINTS_SHIFT 3
#define MESH_VERTEX_FORMAT_JOINTS_MASK UINT64_C(0x1)
#define MESH_VERTEX_FORMAT_JOINTS(word) (((uint64_t)(word) >> 3) & UINT64_C(0x1))
/* Unused. Set bits are an error; lenient reading keeps them (M7). */
#define MESH_VERTEX_FORMAT_UNUSED_SHIFT 4
#define MESH_VERTEX_FORMAT_UNUSED_MASK UINT64_C(0xfff)
#define MESH_VERTEX_FORMAT_UNUSED(word) (((uint64_t)(word) >> 4) & UINT64_C(0xfff))

/*
 * The header: 13 bytes, or 78 in the renderlib dialect.
 */
typedef struct mesh_header {
    uint8_t version; /* Version of the format, minor and major as nibbles: 0x01 is 1.0 (M1). Rejected unless version == 1: the version is not 1.0 (0x01) (MESH-VERSION, fatal). */
    mesh_vertex_format format; /* The vertex attributes. Rejected unless format.position: bit 0 is not set: a vertex without a position (MESH-POSITION, fatal). Reserved bits must be 0 (MESH-FORMAT-BITS, error). */
    uint32_t vertex_count; /* Number of entries in the vertex data. vertex_count > 0 must hold (MESH-EMPTY, warning). */
    uint32_t index_count; /* Number of indices in the index data. index_count > 0 must hold (MESH-EMPTY, warning). index_count % 3 == 0 must hold (MESH-TRIANGLES, warning). */
    uint8_t joint_count; /* Number of joints in the joint data. */
    uint8_t animation_count; /* Number of animations in the animation data. */
} mesh_header;
MESHSPEC_STATIC_ASSERT(sizeof(mesh_header) == 13, "size of mesh_header");
MESHSPEC_STATIC_ASSERT(offsetof(mesh_header, version) == 0, "offset of version");
MESHSPEC_STATIC_ASSERT(offsetof(mesh_header, format) == 1, "offset of format");
MESHSPEC_STATIC_ASSERT(offsetof(mesh_header, vertex_count) == 3, "offset of vertex_count");
MESHSPEC_STATIC_ASSERT(offsetof(mesh_header, index_count) == 7, "offset of index_count");
MESHSPEC_STATIC_ASSERT(offsetof(mesh_header, joint_count) == 11, "offset of joint_count");
MESHSPEC_STATIC_ASSERT(offsetof(mesh_header, animation_count) == 12, "offset of animation_count");

/*
 * Vertex: A vertex: the attributes in the format, in this order, tightly packed (M2).
 *
 * - position: f32[3], at 0
 *   Must be finite (MESH-NON-FINITE, warning).
 * - normal: f32[3], at 12, if format.normal
 * - uv: f32[2], after normal, if format.uv
 * - joint_ids: u8[4], after uv, if format.joints
 *   Must be an index into joints, or 255 with 0 in joint_weights for none (MESH-VERTEX-JOINT, warning).
 * - joint_weights: u8[4], after joint_ids, if format.joints
 *   Decoded as x / 255.0.
 */
/* The fixed start of every Vertex. */
typedef struct mesh_vertex_start {
    float position[3]; /* Vertex coordinate (X, Y, Z). Must be finite (MESH-NON-FINITE, warning). */
} mesh_vertex_start;
MESHSPEC_STATIC_ASSERT(sizeof(mesh_vertex_start) == 12, "size of mesh_vertex_start");
MESHSPEC_STATIC_ASSERT(offsetof(mesh_vertex_start, position) == 0, "offset of position");
#define MESH_VERTEX_POSITION_OFFSET(format) (0)
#define MESH_VERTEX_NORMAL_OFFSET(format) (12)
#define MESH_VERTEX_UV_OFFSET(format) (12 + (MESH_VERTEX_FORMAT_NORMAL(format) ? 12 : 0))
#define MESH_VERTEX_JOINT_IDS_OFFSET(format) (12 + (MESH_VERTEX_FORMAT_NORMAL(format) ? 12 : 0) + (MESH_VERTEX_FORMAT_UV(format) ? 8 : 0))
#define MESH_VERTEX_JOINT_WEIGHTS_OFFSET(format) (12 + (MESH_VERTEX_FORMAT_NORMAL(format) ? 12 : 0) + (MESH_VERTEX_FORMAT_UV(format) ? 8 : 0) + (MESH_VERTEX_FORMAT_JOINTS(format) ? 4 : 0))
#define MESH_VERTEX_SIZE(format) (12 + (MESH_VERTEX_FORMAT_NORMAL(format) ? 12 : 0) + (MESH_VERTEX_FORMAT_UV(format) ? 8 : 0) + (MESH_VERTEX_FORMAT_JOINTS(format) ? 4 : 0) + (MESH_VERTEX_FORMAT_JOINTS(format) ? 4 : 0))

/*
 * A joint of the skeleton: 66 bytes.
 */
typedef struct mesh_joint {
    uint8_t id; /* Identifier: the position of the entry (M10). The numbers must be a permutation of 0, 1, 2, … (MESH-JOINT-ID, error). Must be the index of the item (MESH-JOINT-ORDER, warning). */
    uint8_t parent; /* Index of the parent entry; 255 for a root (M10). Must be the index or the id of the parent (the same one in all items); the items form no cycles; 255 means no parent (MESH-PARENT, error). */
    float transform[4][4]; /* Model space to joint space, 4×4, row-major (M15). */
} mesh_joint;
MESHSPEC_STATIC_ASSERT(sizeof(mesh_joint) == 66, "size of mesh_joint");
MESHSPEC_STATIC_ASSERT(offsetof(mesh_joint, id) == 0, "offset of id");
MESHSPEC_STATIC_ASSERT(offsetof(mesh_joint, parent) == 1, "offset of parent");
MESHSPEC_STATIC_ASSERT(offsetof(mesh_joint, transform) == 2, "offset of transform");

/*
 * The pose of a joint at one time: 44 bytes.
 */
typedef struct mesh_pose {
    uint32_t joint; /* The joint (M11). */
    float position[3]; /* Position (X, Y, Z). */
    float rotation[4]; /* Rotation quaternion (W, X, Y, Z) (M15). */
    float scale[3]; /* Scale (X, Y, Z). */
} mesh_pose;
MESHSPEC_STATIC_ASSERT(sizeof(mesh_pose) == 44, "size of mesh_pose");
MESHSPEC_STATIC_ASSERT(offsetof(mesh_pose, joint) == 0, "offset of joint");
MESHSPEC_STATIC_ASSERT(offsetof(mesh_pose, position) == 4, "offset of position");
MESHSPEC_STATIC_ASSERT(offsetof(mesh_pose, rotation) == 16, "offset of rotation");
MESHSPEC_STATIC_ASSERT(offsetof(mesh_pose, scale) == 32, "offset of scale");

/*
 * Animation: An animation of P poses and J joints: 16 + 4 · P + 44 · J · P bytes (M4). In the renderlib dialect, 12 + 4 · P +
 * 41 · J · P.
 *
 * - name: u32, at 0
 *   Must be an index into strings (MESH-NAME, error).
 * - duration: f32, at 4
 *   In ticks.
 * - speed: f32, at 8
 *   In ticks/s.
 * - pose_count: u32, at 12
 * - timestamps: f32[pose_count], at 16
 *   In ticks.
 *   Must not decrease from item to item (MESH-POSE-TIME, warning).
 * - poses: Pose[pose_count * joint_count], after timestamps
 *   The values of joint of each joint_count must be a permutation of 0, 1, 2, … (MESH-POSE-JOINT, fatal).
 */
/* The fixed start of every Animation. */
typedef struct mesh_animation_start {
    uint32_t name; /* Index of the name in the strings, zero-based (M6). The renderlib dialect has no names. Must be an index into strings (MESH-NAME, error). */
    float duration; /* Duration in ticks. In ticks. */
    float speed; /* Speed in ticks per second. In ticks/s. */
    uint32_t pose_count; /* Number of skeleton poses. */
} mesh_animation_start;
MESHSPEC_STATIC_ASSERT(sizeof(mesh_animation_start) == 16, "size of mesh_animation_start");
MESHSPEC_STATIC_ASSERT(offsetof(mesh_animation_start, name) == 0, "offset of name");
MESHSPEC_STATIC_ASSERT(offsetof(mesh_animation_start, duration) == 4, "offset of duration");
MESHSPEC_STATIC_ASSERT(offsetof(mesh_animation_start, speed) == 8, "offset of speed");
MESHSPEC_STATIC_ASSERT(offsetof(mesh_animation_start, pose_count) == 12, "offset of pose_count");

/*
 * Document: A MESH file: sections without padding between them.
 *
 * - header: Header, at 0
 * - vertices: Vertex[header.vertex_count], at 13
 * - indices: u32[header.index_count], after vertices
 *   Each must be below header.vertex_count if header.vertex_count > 0 (MESH-INDEX-RANGE, error).
 * - joints: Joint[header.joint_count], after indices
 * - animations: Animation[header.animation_count], after joints
 * - strings: NUL-terminated bytes[to the end], after animations
 *   The last string must end with a NUL (MESH-STRING-END, error).
 */

/*
 * The header: 13 bytes, or 78 in the renderlib dialect.
 */
typedef struct mesh_renderlib_header {
    uint8_t version; /* Version of the format, minor and major as nibbles: 0x01 is 1.0 (M1). Rejected unless version == 1: the version is not 1.0 (0x01) (MESH-VERSION, fatal). */
    mesh_vertex_format format; /* The vertex attributes. Rejected unless format.position: bit 0 is not set: a vertex without a position (MESH-POSITION, fatal). Reserved bits must be 0 (MESH-FORMAT-BITS, error). */
    uint32_t vertex_count; /* Number of entries in the vertex data. vertex_count > 0 must hold (MESH-EMPTY, warning). */
    uint32_t index_count; /* Number of indices in the index data. index_count > 0 must hold (MESH-EMPTY, warning). index_count % 3 == 0 must hold (MESH-TRIANGLES, warning). */
    uint8_t joint_count; /* Number of joints in the joint data. */
    uint16_t animation_count; /* Number of animations in the animation data. */
    float root_transform[4][4]; /* Transform of the whole model, 4×4, row-major. */
} mesh_renderlib_header;
MESHSPEC_STATIC_ASSERT(sizeof(mesh_renderlib_header) == 78, "size of mesh_renderlib_header");
MESHSPEC_STATIC_ASSERT(offsetof(mesh_renderlib_header, version) == 0, "offset of version");
MESHSPEC_STATIC_ASSERT(offsetof(mesh_renderlib_header, format) == 1, "offset of format");
MESHSPEC_STATIC_ASSERT(offsetof(mesh_renderlib_header, vertex_count) == 3, "offset of vertex_count");
MESHSPEC_STATIC_ASSERT(offsetof(mesh_renderlib_header, index_count) == 7, "offset of index_count");
MESHSPEC_STATIC_ASSERT(offsetof(mesh_renderlib_header, joint_count) == 11, "offset of joint_count");
MESHSPEC_STATIC_ASSERT(offsetof(mesh_renderlib_header, animation_count) == 12, "offset of animation_count");
MESHSPEC_STATIC_ASSERT(offsetof(mesh_renderlib_header, root_transform) == 14, "offset of root_transform");

/*
 * The pose of a joint at one time, in the renderlib dialect: 41 bytes.
 */
typedef struct mesh_renderlib_pose {
    uint8_t joint; /* The joint. */
    float position[3]; /* Position (X, Y, Z). */
    float rotation[4]; /* Rotation quaternion (W, X, Y, Z). */
    float scale[3]; /* Scale (X, Y, Z). */
} mesh_renderlib_pose;
MESHSPEC_STATIC_ASSERT(sizeof(mesh_renderlib_pose) == 41, "size of mesh_renderlib_pose");
MESHSPEC_STATIC_ASSERT(offsetof(mesh_renderlib_pose, joint) == 0, "offset of joint");
MESHSPEC_STATIC_ASSERT(offsetof(mesh_renderlib_pose, position) == 1, "offset of position");
MESHSPEC_STATIC_ASSERT(offsetof(mesh_renderlib_pose, rotation) == 13, "offset of rotation");
MESHSPEC_STATIC_ASSERT(offsetof(mesh_renderlib_pose, scale) == 29, "offset of scale");

/*
 * RenderlibAnimation: An animation of P poses and J joints: 16 + 4 · P + 44 · J · P bytes (M4). In the renderlib dialect, 12 + 4 · P +
 * 41 · J · P.
 *
 * - duration: f32, at 0
 *   In ticks.
 * - speed: f32, at 4
 *   In ticks/s.
 * - pose_count: u32, at 8
 * - timestamps: f32[pose_count], at 12
 *   In ticks.
 *   Must not decrease from item to item (MESH-POSE-TIME, warning).
 * - poses: RenderlibPose[pose_count * joint_count], after timestamps
 *   The values of joint of each joint_count must be a permutation of 0, 1, 2, … (MESH-POSE-JOINT, fatal).
 */
/* The fixed start of every RenderlibAnimation. */
typedef struct mesh_renderlib_animation_start {
    float duration; /* Duration in ticks. In ticks. */
    float speed; /* Speed in ticks per second. In ticks/s. */
    uint32_t pose_count; /* Number of skeleton poses. */
} mesh_renderlib_animation_start;
MESHSPEC_STATIC_ASSERT(sizeof(mesh_renderlib_animation_start) == 12, "size of mesh_renderlib_animation_start");
MESHSPEC_STATIC_ASSERT(offsetof(mesh_renderlib_animation_start, duration) == 0, "offset of duration");
MESHSPEC_STATIC_ASSERT(offsetof(mesh_renderlib_animation_start, speed) == 4, "offset of speed");
MESHSPEC_STATIC_ASSERT(offsetof(mesh_renderlib_animation_start, pose_count) == 8, "offset of pose_count");

/*
 * RenderlibDocument: A MESH file: sections without padding between them.
 *
 * - header: RenderlibHeader, at 0
 * - vertices: Vertex[header.vertex_count], at 78
 * - indices: u32[header.index_count], after vertices
 *   Each must be below header.vertex_count if header.vertex_count > 0 (MESH-INDEX-RANGE, error).
 * - joints: Joint[header.joint_count], after indices
 * - animations: RenderlibAnimation[header.animation_count], after joints
 */

#pragma pack(pop)

#endif
