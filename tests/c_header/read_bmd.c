/*
 * Prints every number of a BMD image as `path value`, decoded only with the generated header. Packed words are printed as
 * numbers, then field by field.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "file.h"
#include "bmd.h"

static const unsigned char *image;
/* The path of the struct or list that is being printed. */
static char path[256];

static void number(const char *field, int64_t value)
{
    printf("%s.%s %" PRId64 "\n", path, field, value);
}

/* Prints a word of up to 128 bits in decimal digits. If `field` is empty, the word has the current path. */
static void word(const char *field, uint64_t low, uint64_t high)
{
    uint32_t parts[4] = {(uint32_t)(high >> 32), (uint32_t)high, (uint32_t)(low >> 32), (uint32_t)low};
    char digits[40];
    int start = sizeof digits - 1;
    digits[start] = 0;
    do {
        uint64_t rest = 0;
        for (int i = 0; i < 4; i++) {
            rest = rest << 32 | parts[i];
            parts[i] = (uint32_t)(rest / 10);
            rest %= 10;
        }
        digits[--start] = (char)('0' + rest);
    } while (parts[0] | parts[1] | parts[2] | parts[3]);
    printf("%s%s%s %s\n", path, *field ? "." : "", field, digits + start);
}

static uint64_t bytes_at(uint64_t offset, unsigned size)
{
    uint64_t value = 0;
    memcpy(&value, image + offset, size);
    return value;
}

/* Returns bits of the vertex at an offset, whose words are too large for the macros of the header. */
static uint64_t bits_at(uint64_t offset, unsigned shift, unsigned width)
{
    return bytes_at(offset + shift / 8, (width + 7) / 8);
}

/* Appends to the path. Returns its previous length, for `leave`. */
static size_t enter(const char *format, ...)
{
    size_t length = strlen(path);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(path + length, sizeof path - length, format, arguments);
    va_end(arguments);
    return length;
}

static void leave(size_t length)
{
    path[length] = 0;
}

static void triple(const char *field, bmd_triple value)
{
    word(field, value, 0);
    size_t outer = enter(".%s", field);
    number("frac_x", BMD_TRIPLE_FRAC_X(value));
    number("frac_y", BMD_TRIPLE_FRAC_Y(value));
    number("frac_z", BMD_TRIPLE_FRAC_Z(value));
    number("exponent", (int64_t)BMD_TRIPLE_EXPONENT(value));
    leave(outer);
}

static void rotation(const char *field, bmd_rotation value)
{
    word(field, value, 0);
    size_t outer = enter(".%s", field);
    number("i", (int64_t)BMD_ROTATION_I(value));
    number("j", (int64_t)BMD_ROTATION_J(value));
    number("k", (int64_t)BMD_ROTATION_K(value));
    number("r", (int64_t)BMD_ROTATION_R(value));
    leave(outer);
}

static void normal(uint64_t value)
{
    word("normal", value, 0);
    size_t outer = enter(".normal");
    number("x", (int64_t)BMD_NORMAL_X(value));
    number("y", (int64_t)BMD_NORMAL_Y(value));
    number("z", (int64_t)BMD_NORMAL_Z(value));
    leave(outer);
}

/* Prints texture coordinates of one of the three kinds. */
#define ST(KIND, value) \
    do { \
        word("st", value, 0); \
        size_t outer_st = enter(".st"); \
        number("frac_s", (int64_t)BMD_##KIND##_FRAC_S(value)); \
        number("frac_t", (int64_t)BMD_##KIND##_FRAC_T(value)); \
        if (EXPONENT_##KIND(value) >= 0) \
            number("exponent", EXPONENT_##KIND(value)); \
        leave(outer_st); \
    } while (0)
#define EXPONENT_SCALED_ST(value) ((int64_t)BMD_SCALED_ST_EXPONENT(value))
#define EXPONENT_FINE_ST(value) (((void)(value), (int64_t)-1))
#define EXPONENT_WIDE_ST(value) ((int64_t)BMD_WIDE_ST_EXPONENT(value))

/* Returns a field of a 96-bit or 128-bit vertex. */
#define FIELD(here, FORM, NAME) bits_at(here, BMD_##FORM##_##NAME##_SHIFT, BMD_##FORM##_##NAME##_WIDTH)

/* Prints the vertex at an offset and returns its size in bytes. */
static unsigned vertex(uint64_t here, int flat)
{
    uint64_t first = bytes_at(here, 8);
    uint64_t tag = BMD_VERTEX_TAG_TAG(first);
    size_t outer;
    if (tag < 0xf0 && !flat) {
        outer = enter(".textured_64");
        word("", first, 0);
        triple("position", (bmd_triple)BMD_TEXTURED_VERTEX64_POSITION(first));
        ST(SCALED_ST, BMD_TEXTURED_VERTEX64_ST(first));
        number("bone", (int64_t)BMD_TEXTURED_VERTEX64_BONE(first));
        leave(outer);
        return sizeof(bmd_textured_vertex64);
    }
    if (tag < 0xf0) {
        outer = enter(".flat_64");
        word("", first, 0);
        triple("position", (bmd_triple)BMD_FLAT_VERTEX64_POSITION(first));
        normal(BMD_FLAT_VERTEX64_NORMAL(first));
        number("bone", (int64_t)BMD_FLAT_VERTEX64_BONE(first));
        leave(outer);
        return sizeof(bmd_flat_vertex64);
    }
    if (tag <= 0xfb && tag % 2 == 0) {
        outer = enter(".fine_96");
        word("", first, bytes_at(here + 8, 4));
        triple("position", (bmd_triple)FIELD(here, FINE_VERTEX96, POSITION));
        ST(FINE_ST, FIELD(here, FINE_VERTEX96, ST));
        number("tag", (int64_t)FIELD(here, FINE_VERTEX96, TAG));
        normal(FIELD(here, FINE_VERTEX96, NORMAL));
        number("color_or_bone", (int64_t)FIELD(here, FINE_VERTEX96, COLOR_OR_BONE));
        leave(outer);
        return sizeof(bmd_fine_vertex96);
    }
    if (tag <= 0xfb) {
        outer = enter(".scaled_96");
        word("", first, bytes_at(here + 8, 4));
        triple("position", (bmd_triple)FIELD(here, SCALED_VERTEX96, POSITION));
        ST(SCALED_ST, FIELD(here, SCALED_VERTEX96, ST));
        number("tag", (int64_t)FIELD(here, SCALED_VERTEX96, TAG));
        normal(FIELD(here, SCALED_VERTEX96, NORMAL));
        number("color_or_bone", (int64_t)FIELD(here, SCALED_VERTEX96, COLOR_OR_BONE));
        leave(outer);
        return sizeof(bmd_scaled_vertex96);
    }
    outer = enter(".vertex_128");
    word("", first, bytes_at(here + 8, 8));
    number("org_x", (int64_t)FIELD(here, VERTEX128, ORG_X));
    number("org_y", (int64_t)FIELD(here, VERTEX128, ORG_Y));
    number("org_z", (int64_t)FIELD(here, VERTEX128, ORG_Z));
    number("color", (int64_t)FIELD(here, VERTEX128, COLOR));
    number("tag", (int64_t)FIELD(here, VERTEX128, TAG));
    ST(WIDE_ST, FIELD(here, VERTEX128, ST));
    normal(FIELD(here, VERTEX128, NORMAL));
    number("bone", (int64_t)FIELD(here, VERTEX128, BONE));
    leave(outer);
    return sizeof(bmd_vertex128);
}

#define CORNERS(FORM, value) \
    number("tag", (int64_t)BMD_##FORM##_TAG(value)); \
    number("v0", (int64_t)BMD_##FORM##_V0(value)); \
    number("v1", (int64_t)BMD_##FORM##_V1(value)); \
    number("v2", (int64_t)BMD_##FORM##_V2(value))

/* Prints the face at an offset and returns its size in bytes. */
static unsigned face(uint64_t here)
{
    static const char *const forms[] = {"triangle_32", "quad_32", "triangle_64", "quad_64"};
    uint64_t tag = BMD_FACE_TAG_TAG(bytes_at(here, 1));
    unsigned size = tag < 2 ? 4 : 8;
    uint64_t value = bytes_at(here, size);
    size_t outer = enter(".%s", forms[tag]);
    word("", value, 0);
    switch (tag) {
    case 0:
        CORNERS(TRIANGLE32, value);
        break;
    case 1:
        CORNERS(QUAD32, value);
        number("v3", (int64_t)BMD_QUAD32_V3(value));
        number("tag2", (int64_t)BMD_QUAD32_TAG2(value));
        break;
    case 2:
        CORNERS(TRIANGLE64, value);
        number("tag2", (int64_t)BMD_TRIANGLE64_TAG2(value));
        break;
    default:
        CORNERS(QUAD64, value);
        number("v3", (int64_t)BMD_QUAD64_V3(value));
        number("tag2", (int64_t)BMD_QUAD64_TAG2(value));
        break;
    }
    leave(outer);
    return size;
}

/* Returns 1 if the material name at an offset is a flat colour, otherwise 0. */
static int is_flat(uint32_t ofs_mat)
{
    const char *name = (const char *)image + ofs_mat;
    return ofs_mat && name[0] == '#' && strspn(name + 1, "0123456789ABCDEFabcdef") >= 6;
}

static void mesh(uint64_t index, uint64_t here)
{
    const bmd_mesh_def_start *def = (const void *)(image + here);
    size_t outer = enter("meshes[%" PRIu64 "]", index);
    number("ofs_vtx", def->ofs_vtx);
    number("ofs_tris", def->ofs_tris);
    number("ofs_mat", def->ofs_mat);
    number("n_vtx", def->n_vtx);
    number("n_tris", def->n_tris);
    number("sz_vtx", def->sz_vtx);
    number("sz_tris", def->sz_tris);
    number("flags", def->flags);
    number("flags.vertex_subtype", (int64_t)BMD_CONTROL_FLAGS_VERTEX_SUBTYPE(def->flags));
    number("flags.triangles_type", (int64_t)BMD_CONTROL_FLAGS_TRIANGLES_TYPE(def->flags));
    number("flags.reserved", (int64_t)BMD_CONTROL_FLAGS_RESERVED(def->flags));
    number("resv3", def->resv3);
    uint64_t done = 0;
    for (uint64_t i = 0; done < def->sz_vtx; i++) {
        size_t list = enter(".vertices[%" PRIu64 "]", i);
        done += vertex(def->ofs_vtx + done, is_flat(def->ofs_mat));
        leave(list);
    }
    done = 0;
    for (uint64_t i = 0; done < def->sz_tris; i++) {
        size_t list = enter(".faces[%" PRIu64 "]", i);
        done += face(def->ofs_tris + done);
        leave(list);
    }
    leave(outer);
}

static void lod(uint64_t index, const bmd_lod_def *def)
{
    size_t outer = enter("lods[%" PRIu64 "]", index);
    number("id_mesh", def->id_mesh);
    number("n_mesh", def->n_mesh);
    number("ld_sc", def->ld_sc);
    number("ld_sc.fraction", (int64_t)BMD_F8_A_FRACTION(def->ld_sc));
    number("ld_sc.exponent", (int64_t)BMD_F8_A_EXPONENT(def->ld_sc));
    number("ld_sc.negative", (int64_t)BMD_F8_A_NEGATIVE(def->ld_sc));
    number("resv1", def->resv1);
    leave(outer);
}

static void bone(uint64_t index, uint64_t here)
{
    /* Prints the transform, whose form depends on the parent, and the following fields. */
    uint64_t transform = bytes_at(here, sizeof(bmd_bone_transform));
    uint64_t name = here + sizeof(bmd_bone_transform);
    size_t outer = enter("bones[%" PRIu64 "]", index);
    if (bytes_at(name + 4, 1) == 0xff) {
        word("pseudo", transform, 0);
        size_t inner = enter(".pseudo");
        number("bone_0", (int64_t)BMD_PSEUDO_TRANSFORM_BONE_0(transform));
        number("bone_1", (int64_t)BMD_PSEUDO_TRANSFORM_BONE_1(transform));
        number("bone_2", (int64_t)BMD_PSEUDO_TRANSFORM_BONE_2(transform));
        number("bone_3", (int64_t)BMD_PSEUDO_TRANSFORM_BONE_3(transform));
        number("weight_0", (int64_t)BMD_PSEUDO_TRANSFORM_WEIGHT_0(transform));
        number("weight_1", (int64_t)BMD_PSEUDO_TRANSFORM_WEIGHT_1(transform));
        number("weight_2", (int64_t)BMD_PSEUDO_TRANSFORM_WEIGHT_2(transform));
        number("weight_3", (int64_t)BMD_PSEUDO_TRANSFORM_WEIGHT_3(transform));
        leave(inner);
    } else {
        word("xform", transform, 0);
        size_t inner = enter(".xform");
        triple("origin", (bmd_triple)BMD_BONE_TRANSFORM_ORIGIN(transform));
        rotation("rotation", (bmd_rotation)BMD_BONE_TRANSFORM_ROTATION(transform));
        leave(inner);
    }
    number("ofs_name", (int64_t)bytes_at(name, 4));
    number("id_parent", (int64_t)bytes_at(name + 4, 1));
    number("id_solid", (int64_t)bytes_at(name + 5, 1));
    number("resv1", (int64_t)bytes_at(name + 6, 1));
    number("resv2", (int64_t)bytes_at(name + 7, 1));
    leave(outer);
}

/* Prints the key at an offset and returns its size in bytes. */
static unsigned key(uint64_t here)
{
    uint64_t tag = bytes_at(here, 1);
    uint64_t value = here + 1;
    number("tag", (int64_t)tag);
    number("tag.skip", (int64_t)BMD_ANIM_TAG_SKIP(tag));
    number("tag.scale", (int64_t)BMD_ANIM_TAG_SCALE(tag));
    number("tag.translation", (int64_t)BMD_ANIM_TAG_TRANSLATION(tag));
    number("tag.rotation", (int64_t)BMD_ANIM_TAG_ROTATION(tag));
    if (BMD_ANIM_TAG_ROTATION(tag)) {
        rotation("rotation", (bmd_rotation)bytes_at(value, 4));
        value += 4;
    }
    if (BMD_ANIM_TAG_TRANSLATION(tag)) {
        triple("translation", (bmd_triple)bytes_at(value, 4));
        value += 4;
    }
    if (BMD_ANIM_TAG_SCALE(tag)) {
        triple("scale", (bmd_triple)bytes_at(value, 4));
        value += 4;
    }
    return (unsigned)(value - here);
}

static void animation(uint64_t index, uint64_t here)
{
    const bmd_anim_def_start *def = (const void *)(image + here);
    size_t outer = enter("animations[%" PRIu64 "]", index);
    number("ofs_name", def->ofs_name);
    number("n_frames", def->n_frames);
    number("fl_hz", def->fl_hz);
    number("fl_hz.quarter_hz", (int64_t)BMD_ANIM_RATE_QUARTER_HZ(def->fl_hz));
    number("fl_hz.no_loop", (int64_t)BMD_ANIM_RATE_NO_LOOP(def->fl_hz));
    number("resv1", def->resv1);
    number("resv2", def->resv2);
    number("ofs_frames", def->ofs_frames);
    number("sz_frames", def->sz_frames);
    uint64_t done = 0;
    for (uint64_t i = 0; done < def->sz_frames; i++) {
        size_t list = enter(".frames[%" PRIu64 "]", i);
        done += key(def->ofs_frames + done);
        leave(list);
    }
    leave(outer);
}

int main(int argc, char **argv)
{
    open_file(argc, argv);
    image = at;
    const bmd_header *header = take(sizeof(bmd_header));
    if (memcmp(header->magic_bytes, BMD_HEADER_MAGIC, BMD_HEADER_MAGIC_SIZE) != 0)
        return 1;
    size_t outer = enter("header");
    number("resv1", header->resv1);
    number("resv2", header->resv2);
    number("resv3", header->resv3);
    number("ofs_meshes", header->ofs_meshes);
    number("sz_meshes", header->sz_meshes);
    number("ofs_lods", header->ofs_lods);
    number("sz_lods", header->sz_lods);
    number("ofs_bones", header->ofs_bones);
    number("sz_bones", header->sz_bones);
    number("ofs_anims", header->ofs_anims);
    number("sz_anims", header->sz_anims);
    leave(outer);
    for (uint64_t i = 0; i < header->sz_meshes / 32; i++)
        mesh(i, header->ofs_meshes + 32 * i);
    for (uint64_t i = 0; i < header->sz_lods / sizeof(bmd_lod_def); i++)
        lod(i, (const bmd_lod_def *)(image + header->ofs_lods) + i);
    for (uint64_t i = 0; i < header->sz_bones / 16; i++)
        bone(i, header->ofs_bones + 16 * i);
    for (uint64_t i = 0; i < header->sz_anims / 16; i++)
        animation(i, header->ofs_anims + 16 * i);
    return 0;
}
