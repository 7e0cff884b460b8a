/*
 * A MESH 1.0 loader in C with one bug, which -DFIXED fixes.
 *
 *     meshspec schema mesh --as c --out .
 *     cc -std=c11 -I. mesh_loader.c -o mesh_loader
 *     meshspec conform corpus -- ./mesh_loader {}
 *
 * Exits with status 0 if it accepts the file, and 1 with a message if it rejects it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mesh.h"

/* The unread bytes of the file. */
static const unsigned char *at;
static uint64_t left;

static void reject(const char *why)
{
    fprintf(stderr, "%s\n", why);
    exit(1);
}

/* Returns the next `count` items of `size` bytes. The product cannot overflow: both numbers are below 2^32. */
static const unsigned char *take(uint64_t count, uint64_t size)
{
    const unsigned char *items = at;
    if (count * size > left)
        reject("the file is truncated");
    at += count * size;
    left -= count * size;
    return items;
}

static void read_file(const char *path)
{
    FILE *in = fopen(path, "rb");
    unsigned char *bytes = NULL;
    size_t capacity = 0, length = 0;
    if (!in)
        reject("cannot open the file");
    do {
        capacity = capacity ? 2 * capacity : 4096;
        bytes = realloc(bytes, capacity);
        if (!bytes)
            reject("out of memory");
        length += fread(bytes + length, 1, capacity - length, in);
    } while (length == capacity);
    fclose(in);
    at = bytes;
    left = length;
}

static void check_vertices(const unsigned char *vertices, const mesh_header *header)
{
    const mesh_vertex_format format = header->format;
    if (!MESH_VERTEX_FORMAT_JOINTS(format))
        return;
    for (uint64_t i = 0; i < header->vertex_count; i++) {
        const unsigned char *vertex = vertices + i * MESH_VERTEX_SIZE(format);
        const unsigned char *ids = vertex + MESH_VERTEX_JOINT_IDS_OFFSET(format);
        const unsigned char *weights = vertex + MESH_VERTEX_JOINT_WEIGHTS_OFFSET(format);
        int has_weight = 0, is_bound = 0;
        for (int slot = 0; slot < 4; slot++) {
            has_weight |= weights[slot] > 0;
            is_bound |= weights[slot] > 0 && ids[slot] < header->joint_count;
        }
        if (has_weight && !is_bound)
            reject("a vertex has weights, but none on a joint");
    }
}

static void check_indices(const unsigned char *indices, const mesh_header *header)
{
    for (uint64_t i = 0; header->vertex_count > 0 && i < header->index_count; i++) {
        uint32_t index;
        memcpy(&index, indices + 4 * i, 4);
#ifdef FIXED
        if (index >= header->vertex_count)
#else
        /* The bug: the number of vertices is not a valid index. */
        if (index > header->vertex_count)
#endif
            reject("an index is out of range");
    }
}

/* Rejects ids that are not a permutation of the numbers below `count`. */
static void check_permutation(const uint32_t *ids, unsigned count, const char *why)
{
    unsigned char seen[256] = {0};
    for (unsigned i = 0; i < count; i++)
        if (ids[i] >= count || seen[ids[i]]++)
            reject(why);
}

/* Returns 1 if the parents form a forest. `numbers` contains the id or position of each joint, as parents use it. */
static int is_forest(const mesh_joint *joints, const uint32_t *numbers, unsigned count)
{
    unsigned parents[256];
    for (unsigned i = 0; i < count; i++)
        parents[numbers[i]] = joints[i].parent;
    for (unsigned i = 0; i < count; i++) {
        unsigned joint = i;
        /* A joint has fewer ancestors than there are joints, unless the joints form a cycle. */
        for (unsigned steps = 0; parents[joint] != 255; steps++) {
            if (parents[joint] >= count || steps == count)
                return 0;
            joint = parents[joint];
        }
    }
    return 1;
}

static void check_joints(const mesh_joint *joints, unsigned count)
{
    uint32_t ids[256], positions[256];
    for (unsigned i = 0; i < count; i++) {
        ids[i] = joints[i].id;
        positions[i] = i;
    }
    check_permutation(ids, count, "the ids of the joints are not 0, 1, 2, ...");
    /* Parents are positions, or ids if only these form a forest (M10). */
    if (!is_forest(joints, positions, count) && !is_forest(joints, ids, count))
        reject("a joint has an invalid parent");
}

/* Reads an animation and returns the index of its name in the strings. */
static uint32_t read_animation(unsigned joint_count)
{
    mesh_animation_start start;
    memcpy(&start, take(1, sizeof start), sizeof start);
    take(start.pose_count, 4);
    for (uint64_t i = 0; joint_count > 0 && i < start.pose_count; i++) {
        const unsigned char *poses = take(joint_count, sizeof(mesh_pose));
        uint32_t ids[256];
        for (unsigned joint = 0; joint < joint_count; joint++)
            memcpy(&ids[joint], poses + joint * sizeof(mesh_pose) + offsetof(mesh_pose, joint), 4);
        check_permutation(ids, joint_count, "a pose does not have each joint once");
    }
    return start.name;
}

int main(int argc, char **argv)
{
    mesh_header header;
    uint32_t names[255];
    uint64_t string_count = 0;
    if (argc != 2) {
        fprintf(stderr, "usage: %s FILE\n", argv[0]);
        return 2;
    }
    read_file(argv[1]);
    memcpy(&header, take(1, sizeof header), sizeof header);
    if (header.version != 0x01)
        reject("the version is not 1.0");
    if (!MESH_VERTEX_FORMAT_POSITION(header.format))
        reject("vertices have no positions");
    if (MESH_VERTEX_FORMAT_UNUSED(header.format))
        reject("unused bits of the format are set");
    check_vertices(take(header.vertex_count, MESH_VERTEX_SIZE(header.format)), &header);
    check_indices(take(header.index_count, 4), &header);
    check_joints((const mesh_joint *)take(header.joint_count, sizeof(mesh_joint)), header.joint_count);
    for (unsigned i = 0; i < header.animation_count; i++)
        names[i] = read_animation(header.joint_count);
    if (left > 0 && at[left - 1] != 0)
        reject("the last string has no end");
    for (uint64_t i = 0; i < left; i++)
        string_count += at[i] == 0;
    for (unsigned i = 0; i < header.animation_count; i++)
        if (names[i] >= string_count)
            reject("the name of an animation is not one of the strings");
    return 0;
}
