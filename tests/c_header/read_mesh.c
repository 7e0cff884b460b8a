/*
 * Prints every number of a MESH file as `path value`, decoded only with the generated header. Floats are printed as their
 * bits. If RENDERLIB is defined, the file is in the renderlib dialect.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "file.h"
#include "mesh.h"

#ifdef RENDERLIB
typedef mesh_renderlib_header header_type;
typedef mesh_renderlib_animation_start animation_type;
typedef mesh_renderlib_pose pose_type;
#else
typedef mesh_header header_type;
typedef mesh_animation_start animation_type;
typedef mesh_pose pose_type;
#endif

static void number(const char *path, uint64_t value)
{
    printf("%s %" PRIu64 "\n", path, value);
}

/* Prints floats at an unaligned address. Their paths are path[0], path[1] …, or path[0][0] … for rows of `row` floats. */
static void floats(const char *path, const void *from, unsigned count, unsigned row)
{
    for (unsigned i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, (const unsigned char *)from + 4 * i, 4);
        if (row)
            printf("%s[%u][%u] %" PRIu32 "\n", path, i / row, i % row, bits);
        else
            printf("%s[%u] %" PRIu32 "\n", path, i, bits);
    }
}

static void bytes(const char *path, const unsigned char *from, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        printf("%s[%u] %u\n", path, i, from[i]);
}

/* Returns the path `list[index].field`. */
static const char *join(const char *list, uint64_t index, const char *field)
{
    static char text[128];
    snprintf(text, sizeof text, "%s[%" PRIu64 "].%s", list, index, field);
    return text;
}

static void vertex(uint64_t index, mesh_vertex_format format)
{
    const unsigned char *vertex = take(MESH_VERTEX_SIZE(format));
    floats(join("vertices", index, "position"), vertex + MESH_VERTEX_POSITION_OFFSET(format), 3, 0);
    if (MESH_VERTEX_FORMAT_NORMAL(format))
        floats(join("vertices", index, "normal"), vertex + MESH_VERTEX_NORMAL_OFFSET(format), 3, 0);
    if (MESH_VERTEX_FORMAT_UV(format))
        floats(join("vertices", index, "uv"), vertex + MESH_VERTEX_UV_OFFSET(format), 2, 0);
    if (MESH_VERTEX_FORMAT_JOINTS(format)) {
        bytes(join("vertices", index, "joint_ids"), vertex + MESH_VERTEX_JOINT_IDS_OFFSET(format), 4);
        bytes(join("vertices", index, "joint_weights"), vertex + MESH_VERTEX_JOINT_WEIGHTS_OFFSET(format), 4);
    }
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return bits;
}

static void animation(uint64_t index, uint64_t joint_count)
{
    const animation_type *start = take(sizeof(animation_type));
    char list[64];
#ifndef RENDERLIB
    number(join("animations", index, "name"), start->name);
#endif
    number(join("animations", index, "duration"), bits_of(start->duration));
    number(join("animations", index, "speed"), bits_of(start->speed));
    number(join("animations", index, "pose_count"), start->pose_count);
    floats(join("animations", index, "timestamps"), take((uint64_t)4 * start->pose_count), start->pose_count, 0);
    snprintf(list, sizeof list, "animations[%" PRIu64 "].poses", index);
    for (uint64_t i = 0; i < start->pose_count * joint_count; i++) {
        const pose_type *pose = take(sizeof(pose_type));
        number(join(list, i, "joint"), pose->joint);
        floats(join(list, i, "position"), (const unsigned char *)pose + offsetof(pose_type, position), 3, 0);
        floats(join(list, i, "rotation"), (const unsigned char *)pose + offsetof(pose_type, rotation), 4, 0);
        floats(join(list, i, "scale"), (const unsigned char *)pose + offsetof(pose_type, scale), 3, 0);
    }
}

int main(int argc, char **argv)
{
    open_file(argc, argv);
    const header_type *header = take(sizeof(header_type));
    number("header.version", header->version);
    number("header.format", header->format);
    number("header.format.position", MESH_VERTEX_FORMAT_POSITION(header->format));
    number("header.format.normal", MESH_VERTEX_FORMAT_NORMAL(header->format));
    number("header.format.uv", MESH_VERTEX_FORMAT_UV(header->format));
    number("header.format.joints", MESH_VERTEX_FORMAT_JOINTS(header->format));
    number("header.format.unused", MESH_VERTEX_FORMAT_UNUSED(header->format));
    number("header.vertex_count", header->vertex_count);
    number("header.index_count", header->index_count);
    number("header.joint_count", header->joint_count);
    number("header.animation_count", header->animation_count);
#ifdef RENDERLIB
    floats("header.root_transform", (const unsigned char *)header + offsetof(header_type, root_transform), 16, 4);
#endif
    for (uint64_t i = 0; i < header->vertex_count; i++)
        vertex(i, header->format);
    for (uint64_t i = 0; i < header->index_count; i++) {
        uint32_t index;
        memcpy(&index, take(4), 4);
        printf("indices[%" PRIu64 "] %" PRIu32 "\n", i, index);
    }
    for (uint64_t i = 0; i < header->joint_count; i++) {
        const mesh_joint *joint = take(sizeof(mesh_joint));
        number(join("joints", i, "id"), joint->id);
        number(join("joints", i, "parent"), joint->parent);
        floats(join("joints", i, "transform"), (const unsigned char *)joint + offsetof(mesh_joint, transform), 16, 4);
    }
    for (uint64_t i = 0; i < header->animation_count; i++)
        animation(i, header->joint_count);
    /* The strings are not numbers. */
    return 0;
}
