//! Numbers that are likely to cause bugs, as the bytes of words.

/// Returns a word of `width` bytes: 0, 1, −1, an integer limit, a power of two, or an arbitrary number. Other words
/// contain one of `sizes` or the number in `old`, or a neighbour or the double of either.
pub(super) fn interesting_word(
    choice: u64,
    width: usize,
    old: &[u8],
    sizes: [usize; 2],
    is_big: bool,
) -> Vec<u8> {
    let bits = 8 * width as u64;
    let bit = |bit: u64| 1_u64 << (bit % 64);
    let sign = bit(bits - 1);
    let (kind, detail) = (choice % 16, choice / 16);
    let near = |number: u64| match detail % 4 {
        0 => number,
        1 => number.wrapping_add(1),
        2 => number.wrapping_sub(1),
        _ => number.wrapping_mul(2),
    };
    let number = match kind {
        0 | 1 => 0,
        2 => 1,
        3 | 4 => u64::MAX,
        5 => sign - 1,
        6 => sign,
        7..=9 => bit(detail % bits),
        10 | 11 => near(sizes[(detail / 4 % 2) as usize] as u64),
        12..=14 => near(read_uint(old, is_big)),
        _ => detail,
    };
    word_bytes(number, width, is_big)
}

/// Returns words of the same width with smaller values: first `bytes` reduced as a little-endian integer, then as a
/// big-endian one.
pub(super) fn smaller_words(bytes: &[u8]) -> Vec<Vec<u8>> {
    // The sum of a word's values in both byte orders decreases, so shrinking terminates.
    let sum =
        |bytes: &[u8]| u128::from(read_uint(bytes, false)) + u128::from(read_uint(bytes, true));
    let mut found: Vec<Vec<u8>> = Vec::new();
    for is_big in [false, true] {
        let number = read_uint(bytes, is_big);
        let fractions = [0, 1, number >> 32, number >> 16, number >> 8, number / 2];
        let differences = [number / 4, number / 16, 16, 1].map(|less| number.saturating_sub(less));
        for smaller in fractions.into_iter().chain(differences) {
            let smaller = word_bytes(smaller, bytes.len(), is_big);
            if sum(&smaller) < sum(bytes) && !found.contains(&smaller) {
                found.push(smaller);
            }
        }
    }
    found
}

/// Returns the number in up to 8 bytes.
fn read_uint(bytes: &[u8], is_big: bool) -> u64 {
    let append = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
    if is_big {
        bytes.iter().fold(0, append)
    } else {
        bytes.iter().take(8).rev().fold(0, append)
    }
}

/// Returns the lowest bytes of a number, padded with zeros beyond the eighth.
fn word_bytes(number: u64, width: usize, is_big: bool) -> Vec<u8> {
    let mut bytes = number.to_le_bytes().to_vec();
    bytes.resize(width, 0);
    if is_big {
        bytes.reverse();
    }
    bytes
}
