//! Bit fields of little-endian words, inlined to shifts and masks for loops over many words.

use crate::layout::declaration::BitRange;

/// Returns up to four little-endian bytes as a word.
#[inline(always)]
pub fn word<const N: usize>(bytes: [u8; N]) -> u32 {
    bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte))
}

/// Returns a bit range, at most 32 bits wide, from a list of little-endian words.
#[inline(always)]
pub fn bits<const N: usize>(range: BitRange, words: &[u32; N]) -> u32 {
    let (at, shift) = ((range.offset / 32) as usize, range.offset % 32);
    let low = u64::from(words[at]);
    let high = if shift + range.width > 32 { u64::from(words[at + 1]) << 32 } else { 0 };
    BitRange { offset: shift, width: range.width }.of_u64(high | low) as u32
}

/// Returns a bit range known only at run time, at most 32 bits wide; 0 for an empty range.
#[inline(always)]
pub fn field(range: BitRange, word: u64) -> u32 {
    (word >> range.offset & ((1 << range.width) - 1)) as u32
}

/// Returns a bit range as a two's complement number.
#[inline(always)]
pub const fn signed(range: BitRange, word: u32) -> i32 {
    (word << (32 - range.offset - range.width)) as i32 >> (32 - range.width)
}

/// 2^exponent, for exponents up to 127.
#[inline(always)]
pub fn power(exponent: u32) -> f32 {
    f32::from_bits((127 + exponent) << 23)
}
