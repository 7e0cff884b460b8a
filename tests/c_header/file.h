/*
 * The unread bytes of the file on the command line: `at` is the next byte, `end` is after the last one.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static const unsigned char *at, *end;

static void open_file(int argc, char **argv)
{
    static unsigned char file[1 << 24];
    FILE *in = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (!in) {
        fprintf(stderr, "usage: %s FILE\n", argv[0]);
        exit(2);
    }
    at = file;
    end = file + fread(file, 1, sizeof file, in);
    fclose(in);
}

/* Returns the next `size` bytes of the file. */
static const void *take(uint64_t size)
{
    const unsigned char *here = at;
    if (size > (uint64_t)(end - at)) {
        fprintf(stderr, "the file ends early\n");
        exit(1);
    }
    at += size;
    return here;
}
