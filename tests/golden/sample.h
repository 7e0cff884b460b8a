/*
 * Sample: one of everything: the structures of a file.
 *
 * Numbers are little-endian, and there is no padding between fields.
 * On little-endian machines, the structs can be mapped onto the bytes of a file.
 *
 * The bits of a word have NAME_SHIFT, NAME_MASK (after shifting) and NAME(word), which extracts their value.
 *
 * Magic bytes are NAME_MAGIC, a string of NAME_MAGIC_SIZE bytes. "Decoded as" introduces a formula: x is the stored number,
 * the fields of a word have their names, and brackets enclose the numbers of a vector.
 */
#ifndef SAMPLE_LAYOUT_H
#define SAMPLE_LAYOUT_H

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
 * The topic of a file.
 */
typedef uint8_t sample_kind;
#define SAMPLE_KIND_PLAIN 0 /* Nothing in particular. */
#define SAMPLE_KIND_VERY_FULL 7 /* A lot. */

/*
 * A word for other words.
 */
typedef uint8_t sample_inner;
#define SAMPLE_INNER_LOW_SHIFT 0
#define SAMPLE_INNER_LOW_MASK UINT64_C(0x7)
#define SAMPLE_INNER_LOW(word) (((uint64_t)(word) >> 0) & UINT64_C(0x7))
#define SAMPLE_INNER_HIGH_SHIFT 3
#define SAMPLE_INNER_HIGH_MASK UINT64_C(0xf)
#define SAMPLE_INNER_HIGH(word) ((int64_t)(((((uint64_t)(word) >> 3) & UINT64_C(0xf)) ^ UINT64_C(0x8)) - UINT64_C(0x8)))
#define SAMPLE_INNER_UNUSED_SHIFT 7
#define SAMPLE_INNER_UNUSED_MASK UINT64_C(0x1)
#define SAMPLE_INNER_UNUSED(word) (((uint64_t)(word) >> 7) & UINT64_C(0x1))

/*
 * Flags and small numbers.
 */
typedef struct sample_flags { uint8_t bytes[3]; } sample_flags;
/* Bits are numbered in the bytes as one little-endian number. */
/* Whether numbers are wide. */
#define SAMPLE_FLAGS_WIDE_SHIFT 0
#define SAMPLE_FLAGS_WIDE_MASK UINT64_C(0x1)
#define SAMPLE_FLAGS_WIDE(word) (((uint64_t)(word) >> 0) & UINT64_C(0x1))
/* A number between -16 and 15. */
#define SAMPLE_FLAGS_SHIFT_SHIFT 1
#define SAMPLE_FLAGS_SHIFT_MASK UINT64_C(0x1f)
#define SAMPLE_FLAGS_SHIFT(word) ((int64_t)(((((uint64_t)(word) >> 1) & UINT64_C(0x1f)) ^ UINT64_C(0x10)) - UINT64_C(0x10)))
#define SAMPLE_FLAGS_ROWS_SHIFT 6
#define SAMPLE_FLAGS_ROWS_MASK UINT64_C(0x1ff)
#define SAMPLE_FLAGS_ROWS(word) (((uint64_t)(word) >> 6) & UINT64_C(0x1ff))
/* A number of one bit. */
#define SAMPLE_FLAGS_SINGLE_SHIFT 15
#define SAMPLE_FLAGS_SINGLE_MASK UINT64_C(0x1)
#define SAMPLE_FLAGS_SINGLE(word) (((uint64_t)(word) >> 15) & UINT64_C(0x1))
/* A word in the word. */
#define SAMPLE_FLAGS_INNER_SHIFT 16
#define SAMPLE_FLAGS_INNER_MASK UINT64_C(0xff)
#define SAMPLE_FLAGS_INNER(word) (((uint64_t)(word) >> 16) & UINT64_C(0xff))

/*
 * Pairs of a wide and a signed number, up to the end of the file.
 */
typedef struct sample_sevens {
    uint64_t struct_;
    int16_t signed_;
    double double_;
} sample_sevens;
MESHSPEC_STATIC_ASSERT(sizeof(sample_sevens) == 18, "size of sample_sevens");
MESHSPEC_STATIC_ASSERT(offsetof(sample_sevens, struct_) == 0, "offset of struct_");
MESHSPEC_STATIC_ASSERT(offsetof(sample_sevens, signed_) == 8, "offset of signed_");
MESHSPEC_STATIC_ASSERT(offsetof(sample_sevens, double_) == 10, "offset of double_");

/*
 * Numbers: Numbers of one kind.
 *
 * - Sevens, if flags.wide and kind == 7: Sevens
 * - Wide, if flags.wide: f32[4]
 * - Narrow, if not flags.wide: u16[8]
 *   Each must be below kind + 9 if kind > 0 (SAMPLE-NARROW, error).
 *   Must not decrease from item to item (SAMPLE-ORDER, error).
 *   Must be unique in the list (SAMPLE-UNIQUE, error).
 */

/*
 * Content that is not packed.
 */
typedef struct sample_stored {
    uint32_t first;
    uint16_t rest[2][2];
} sample_stored;
MESHSPEC_STATIC_ASSERT(sizeof(sample_stored) == 12, "size of sample_stored");
MESHSPEC_STATIC_ASSERT(offsetof(sample_stored, first) == 0, "offset of first");
MESHSPEC_STATIC_ASSERT(offsetof(sample_stored, rest) == 4, "offset of rest");

/*
 * At a separate offset.
 */
typedef struct sample_far {
    uint16_t field_0;
} sample_far;
MESHSPEC_STATIC_ASSERT(sizeof(sample_far) == 2, "size of sample_far");
MESHSPEC_STATIC_ASSERT(offsetof(sample_far, field_0) == 0, "offset of field_0");

/*
 * Sample: A file with one of everything: it's "quoted" | piped.
 *
 * A second paragraph.
 *
 * - kind: Kind, at 4
 * - flags: Flags, at 5
 *   Reserved bits must be 0 (SAMPLE-BITS, error).
 *   flags.rows > 0 must hold if flags.wide (SAMPLE-ROWS, error).
 * - packed_size: i32, at 8
 * - unpacked_size: i32, at 12
 *   Must be 0 or 16 (SAMPLE-SIZE, error).
 * - table: u32, at 16
 *   Rejected unless packed_size >= 0 and (unpacked_size % 4 == 0 or not flags.wide): the sizes are negative or "odd".
 * - numbers: u8[packed_size] that contain one LZ4 block, unpacked_size bytes unpacked: Numbers, at 20
 * - pairs: u8[18] that contain one LZ4 block, 16 bytes unpacked: u16[to the end][2], after numbers
 * - stored: u8[12] that contain Stored, after pairs
 * - far: Far[2], at table, if table != 0
 *   Rejected unless table % 2 == 0: the table is at an odd offset.
 * - rows: f32[(flags.rows + 1) * 2][3][2], after stored
 *   Each must be finite (SAMPLE-FINITE, error).
 * - names: NUL-terminated bytes[to the end], after rows
 */
#define SAMPLE_SAMPLE_MAGIC "ONE\000"
#define SAMPLE_SAMPLE_MAGIC_SIZE 4
/* The fixed start of every Sample. */
typedef struct sample_sample_start {
    uint8_t magic_bytes[4]; /* SAMPLE_SAMPLE_MAGIC */
    sample_kind kind; /* Which kind of content. */
    sample_flags flags; /* How it is stored. Reserved bits must be 0 (SAMPLE-BITS, error). flags.rows > 0 must hold if flags.wide (SAMPLE-ROWS, error). */
    int32_t packed_size; /* Size of the packed numbers. */
    int32_t unpacked_size; /* Their size once unpacked. Must be 0 or 16 (SAMPLE-SIZE, error). */
    uint32_t table; /* Rejected unless packed_size >= 0 and (unpacked_size % 4 == 0 or not flags.wide): the sizes are negative or "odd". */
} sample_sample_start;
MESHSPEC_STATIC_ASSERT(sizeof(sample_sample_start) == 20, "size of sample_sample_start");
MESHSPEC_STATIC_ASSERT(offsetof(sample_sample_start, kind) == 4, "offset of kind");
MESHSPEC_STATIC_ASSERT(offsetof(sample_sample_start, flags) == 5, "offset of flags");
MESHSPEC_STATIC_ASSERT(offsetof(sample_sample_start, packed_size) == 8, "offset of packed_size");
MESHSPEC_STATIC_ASSERT(offsetof(sample_sample_start, unpacked_size) == 12, "offset of unpacked_size");
MESHSPEC_STATIC_ASSERT(offsetof(sample_sample_start, table) == 16, "offset of table");

/*
 * A structure of fixed size with names that are words of C.
 */
#define SAMPLE_FIXED_MAGIC "FX"
#define SAMPLE_FIXED_MAGIC_SIZE 2
typedef struct sample_fixed {
    uint8_t magic_bytes[2]; /* SAMPLE_FIXED_MAGIC */
    int32_t int_;
    sample_flags class_;
    sample_kind kind;
    double double_[2]; /* The sum must be 1.5 ± 0.25 (SAMPLE-SUM, error). */
} sample_fixed;
MESHSPEC_STATIC_ASSERT(sizeof(sample_fixed) == 26, "size of sample_fixed");
MESHSPEC_STATIC_ASSERT(offsetof(sample_fixed, int_) == 2, "offset of int_");
MESHSPEC_STATIC_ASSERT(offsetof(sample_fixed, class_) == 6, "offset of class_");
MESHSPEC_STATIC_ASSERT(offsetof(sample_fixed, kind) == 9, "offset of kind");
MESHSPEC_STATIC_ASSERT(offsetof(sample_fixed, double_) == 10, "offset of double_");

/*
 * Given: A structure whose size follows from what it is given.
 *
 * - fixed: Fixed[count], at 0
 * - low: u16, after fixed, if flags.inner.low > 1 and not flags.wide
 * - shifted: u32[(1 if flags.wide, else (count * 2))], after low, if flags.shift > 3
 */
#define SAMPLE_GIVEN_FIXED_OFFSET(count, flags) (0)
#define SAMPLE_GIVEN_LOW_OFFSET(count, flags) (UINT64_C(26) * (count))
#define SAMPLE_GIVEN_SHIFTED_OFFSET(count, flags) (UINT64_C(26) * (count) + (SAMPLE_INNER_LOW(SAMPLE_FLAGS_INNER(flags)) > 1 && !SAMPLE_FLAGS_WIDE(flags) ? 2 : 0))
#define SAMPLE_GIVEN_SIZE(count, flags) (UINT64_C(26) * (count) + (SAMPLE_INNER_LOW(SAMPLE_FLAGS_INNER(flags)) > 1 && !SAMPLE_FLAGS_WIDE(flags) ? 2 : 0) + (SAMPLE_FLAGS_SHIFT(flags) > 3 ? UINT64_C(4) * (SAMPLE_FLAGS_WIDE(flags) ? 1 : ((count) * 2)) : 0))

/*
 * Titled: Numbers to the end, after a title or without one.
 *
 * - title: u32, at 0, if has_title
 * - numbers: u16[to the end], after title
 */

/*
 * Second: The second layout.
 *
 * - count: u16, at 0
 * - flags: Flags, at 2
 * - given: Given, at 5
 * - ahead: Flags, after given, as a look-ahead
 * - wide: Far, after given, if ahead.wide
 * - name: NUL-terminated bytes, at count, if count != 0
 * - titled: u8[8] that contain Titled, after wide
 */
/* The fixed start of every Second. */
typedef struct sample_second_start {
    uint16_t count;
    sample_flags flags;
} sample_second_start;
MESHSPEC_STATIC_ASSERT(sizeof(sample_second_start) == 5, "size of sample_second_start");
MESHSPEC_STATIC_ASSERT(offsetof(sample_second_start, count) == 0, "offset of count");
MESHSPEC_STATIC_ASSERT(offsetof(sample_second_start, flags) == 2, "offset of flags");

#pragma pack(pop)

#endif
