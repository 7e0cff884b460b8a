//! Bits of little-endian words, in loops over many of them.

use crate::layout::BitRange;

/// The first items of a list that are alike, a block at most: few enough for their words to stay in the fastest cache
/// while one column after the other is decoded. In a mixed list it is the first one alone.
#[inline(always)]
pub(super) fn run_of<const N: usize>(words: &[u32], is_alike: impl Fn(&[u32; N]) -> bool) -> &[[u32; N]] {
    const BLOCK: usize = 512;
    let (items, _) = words.as_chunks::<N>();
    match items {
        // A sample, all at once: a branch for each item could not be predicted in a mixed list.
        [_, a, _, b, _, _, _, c, ..] if is_alike(a) & is_alike(b) & is_alike(c) => {
            let block = &items[..items.len().min(BLOCK)];
            &block[..block.iter().position(|item| !is_alike(item)).unwrap_or(block.len())]
        }
        _ => &items[..items.len().min(1)],
    }
}

/// The bits of a range, 32 at most, in a list of little-endian words. Inlines to a shift and a mask.
#[inline(always)]
pub(super) fn bits<const N: usize>(range: BitRange, words: &[u32; N]) -> u32 {
    let (at, shift) = ((range.offset / 32) as usize, range.offset % 32);
    let low = u64::from(words[at]);
    let high = if shift + range.width > 32 { u64::from(words[at + 1]) << 32 } else { 0 };
    BitRange { offset: shift, width: range.width }.of_u64(high | low) as u32
}

/// The bits of a range that only the data gives, 32 at most; 0 where there are none.
#[inline(always)]
pub(super) fn field(range: BitRange, word: u64) -> u32 {
    (word >> range.offset & ((1 << range.width) - 1)) as u32
}

/// The bits of a range of a word, the highest of them a sign.
#[inline(always)]
pub(super) fn signed(range: BitRange, word: u32) -> i32 {
    (word << (32 - range.offset - range.width)) as i32 >> (32 - range.width)
}

/// 2^exponent, for exponents up to 127.
#[inline(always)]
pub(super) fn power(exponent: u32) -> f32 {
    f32::from_bits((127 + exponent) << 23)
}
