/*
 * Prints every uncompressed number of a Crucible file as `path value`, decoded only with the generated header. The file is
 * one bare chunk or a container of chunks.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "file.h"
#include "crucible.h"

static void number(const char *path, const char *field, int64_t value)
{
    printf("%s.%s %" PRId64 "\n", path, field, value);
}

static void attribute_stream(const char *path)
{
    const crucible_stream_start *stream = take(sizeof(*stream));
    const crucible_attribute_flags attribute = stream->attribute;
    number(path, "attribute", attribute);
    number(path, "attribute.position_3d", CRUCIBLE_ATTRIBUTE_FLAGS_POSITION_3D(attribute));
    number(path, "attribute.position_2d", CRUCIBLE_ATTRIBUTE_FLAGS_POSITION_2D(attribute));
    number(path, "attribute.normal", CRUCIBLE_ATTRIBUTE_FLAGS_NORMAL(attribute));
    number(path, "attribute.uv", CRUCIBLE_ATTRIBUTE_FLAGS_UV(attribute));
    number(path, "attribute.bit_4", CRUCIBLE_ATTRIBUTE_FLAGS_BIT_4(attribute));
    number(path, "attribute.bit_5", CRUCIBLE_ATTRIBUTE_FLAGS_BIT_5(attribute));
    number(path, "attribute.bit_6", CRUCIBLE_ATTRIBUTE_FLAGS_BIT_6(attribute));
    number(path, "attribute.reserved", CRUCIBLE_ATTRIBUTE_FLAGS_RESERVED(attribute));
    number(path, "compressed_size", stream->compressed_size);
    number(path, "uncompressed_size", stream->uncompressed_size);
    take(stream->compressed_size);
}

static void chunk(uint32_t index)
{
    char path[64];
    const crucible_chunk_start *chunk = take(sizeof(*chunk));
    snprintf(path, sizeof path, "chunks[%" PRIu32 "]", index);
    number(path, "index_size", chunk->index_size);

    const crucible_index_stream_start *indices = take(sizeof(*indices));
    number(path, "indices.compressed_size", indices->compressed_size);
    number(path, "indices.uncompressed_size", indices->uncompressed_size);
    take(indices->compressed_size);

    const uint8_t attribute_count = *(const uint8_t *)take(1);
    number(path, "attribute_count", attribute_count);
    for (unsigned i = 0; i < attribute_count; i++) {
        snprintf(path, sizeof path, "chunks[%" PRIu32 "].streams[%u]", index, i);
        attribute_stream(path);
    }
}

int main(int argc, char **argv)
{
    open_file(argc, argv);
    if (memcmp(at, CRUCIBLE_MODEL_HEADER_MAGIC, CRUCIBLE_MODEL_HEADER_MAGIC_SIZE) != 0) {
        chunk(0);
        return 0;
    }
    const crucible_model_header *model = take(sizeof(*model));
    printf("header.chunk_count %" PRIu32 "\n", model->chunk_count);
    for (uint32_t i = 0; i < model->chunk_count; i++) {
        char path[64];
        const crucible_model_chunk_start *start = take(sizeof(*start));
        snprintf(path, sizeof path, "chunks[%" PRIu32 "]", i);
        number(path, "length", (int64_t)start->length);
        const unsigned char *next = at + start->length;
        chunk(i);
        at = next;
    }
    return 0;
}
