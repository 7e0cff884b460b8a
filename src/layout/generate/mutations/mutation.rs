//! Draws, applies and simplifies individual mutations.

use std::fmt;
use std::ops::Range;

use super::numbers::{interesting_word, smaller_words};
use crate::text::quoted_or_hex;

/// A change to the bytes of a file. Offsets refer to the result of the previous mutations.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mutation {
    /// Flips a bit of a byte.
    Flip {
        /// The offset of the byte.
        at: usize,
        /// The bit, 0 (lowest) to 7.
        bit: u8,
    },
    /// Overwrites bytes of the file.
    Overwrite {
        /// The offset of the first byte.
        at: usize,
        /// The new bytes: initially a word of 1, 2, 4 or 8 bytes.
        bytes: Vec<u8>,
    },
    /// Inserts bytes.
    Insert {
        /// The offset of the first inserted byte.
        at: usize,
        /// The inserted bytes.
        bytes: Vec<u8>,
    },
    /// Inserts a copy of a range right after it.
    Repeat(Range<usize>),
    /// Removes a range.
    Remove(Range<usize>),
    /// Truncates the file at this offset.
    Truncate(usize),
    /// Replaces the end of the file with the end of another file.
    Splice {
        /// The offset at which the file is cut.
        at: usize,
        /// The end of the other file.
        end: Vec<u8>,
    },
}

/// Prints `bytes 0x7..0xb overwritten by [ff, ff, ff, ff]`.
impl fmt::Display for Mutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let range = |range: &Range<usize>| format!("bytes {:#x}..{:#x}", range.start, range.end);
        match self {
            Mutation::Flip { at, bit } => write!(f, "bit {bit} of byte {at:#x} flipped"),
            Mutation::Overwrite { at, bytes } => {
                write!(
                    f,
                    "{} overwritten by {}",
                    range(&(*at..at + bytes.len())),
                    quoted_or_hex(bytes)
                )
            }
            Mutation::Insert { at, bytes } => {
                write!(f, "{} inserted at byte {at:#x}", quoted_or_hex(bytes))
            }
            Mutation::Repeat(repeated) => write!(f, "{} repeated", range(repeated)),
            Mutation::Remove(removed) => write!(f, "{} removed", range(removed)),
            Mutation::Truncate(at) => write!(f, "truncated at byte {at:#x}"),
            Mutation::Splice { at, end } => {
                write!(
                    f,
                    "from byte {at:#x} on, the last {} bytes of another file",
                    end.len()
                )
            }
        }
    }
}

/// The number of random numbers that determine a mutation.
pub(super) const CHOICES_PER_MUTATION: usize = 6;

impl Mutation {
    /// Draws a mutation of a file from choices; `other` is the file to splice with.
    pub(super) fn draw(
        numbers: [u64; CHOICES_PER_MUTATION],
        file: &[u8],
        other: &[u8],
    ) -> Mutation {
        let [kind, region, place, size, value, order] = numbers;
        let below = |number: u64, end: usize| (number % end.max(1) as u64) as usize;
        // Half of the mutations are restricted to the header.
        let region = if region % 2 == 0 {
            file.len().min(HEADER_SIZE)
        } else {
            file.len()
        };
        let at = below(place, region);
        let width = WIDTHS[below(size, WIDTHS.len())];
        let word = || {
            // Half of the words are aligned.
            let at = if size / 4 % 2 == 0 {
                at
            } else {
                at / width * width
            };
            let old = file.get(at..at.saturating_add(width)).unwrap_or_default();
            let sizes = [file.len(), file.len() - at.min(file.len())];
            (
                at,
                interesting_word(value, width, old, sizes, order % 2 == 0),
            )
        };
        // Half of the ranges have at most 16 bytes; the others can reach the end of the file.
        let left = file.len() - at;
        let length = 1 + below(
            value,
            if order % 2 == 0 {
                left.min(MAX_SHORT_RANGE)
            } else {
                left
            },
        );
        match kind % 16 {
            0..=2 => Mutation::Flip {
                at,
                bit: (value % 8) as u8,
            },
            3..=8 => {
                let (at, bytes) = word();
                Mutation::Overwrite { at, bytes }
            }
            9 => {
                let (at, bytes) = word();
                // A quarter of the insertions that are not restricted to the header are at the end of the file.
                let at = if region == file.len() && place % 4 == 0 {
                    file.len()
                } else {
                    at
                };
                Mutation::Insert { at, bytes }
            }
            10 | 11 => Mutation::Repeat(at..at + length),
            12 => Mutation::Remove(at..at + length),
            13 | 14 => Mutation::Truncate(at),
            _ => {
                let end = other
                    .get(below(value, other.len() + 1)..)
                    .unwrap_or_default();
                Mutation::Splice {
                    at,
                    end: end.to_vec(),
                }
            }
        }
    }

    /// Applies the mutation. Parts past the end of the file have no effect, but bytes inserted there are appended.
    pub(super) fn apply(&self, file: &mut Vec<u8>) {
        let size = file.len();
        let within = |range: &Range<usize>| range.start.min(size)..range.end.min(size);
        match self {
            Mutation::Flip { at, bit } => file
                .iter_mut()
                .skip(*at)
                .take(1)
                .for_each(|b| *b ^= 1 << (bit % 8)),
            Mutation::Overwrite { at, bytes } => {
                file.iter_mut()
                    .skip(*at)
                    .zip(bytes)
                    .for_each(|(old, new)| *old = *new);
            }
            Mutation::Insert { at, bytes } => {
                let at = (*at).min(size);
                file.splice(at..at, bytes.iter().copied());
            }
            Mutation::Repeat(range) => {
                let range = within(range);
                let copy = file.get(range.clone()).unwrap_or_default().to_vec();
                file.splice(range.end..range.end, copy);
            }
            Mutation::Remove(range) => {
                let range = within(range);
                file.drain(range.start..range.end.max(range.start));
            }
            Mutation::Truncate(at) => file.truncate(*at),
            Mutation::Splice { at, end } => {
                file.truncate(*at);
                file.extend_from_slice(end);
            }
        }
    }

    /// Returns simpler mutations for a file of `size` bytes, the simplest first.
    pub(super) fn simpler_mutations(&self, size: usize) -> Vec<Mutation> {
        let shorter = |range: &Range<usize>| {
            let length = range.end.saturating_sub(range.start);
            let lengths = [1, length / 2, length.saturating_sub(1)];
            let shorter = lengths
                .into_iter()
                .filter(move |other| (1..length).contains(other));
            let range = range.clone();
            shorter.flat_map(move |other| {
                [
                    range.start..range.start + other,
                    range.end - other..range.end,
                ]
            })
        };
        match self {
            Mutation::Flip { at, bit } => (0..*bit)
                .map(|bit| Mutation::Flip { at: *at, bit })
                .collect(),
            Mutation::Overwrite { at, bytes } => {
                let parts = shorter(&(0..bytes.len())).map(|part| {
                    let bytes = bytes.get(part.clone()).unwrap_or_default().to_vec();
                    Mutation::Overwrite {
                        at: at + part.start,
                        bytes,
                    }
                });
                let smaller = smaller_words(bytes).into_iter();
                let smaller = smaller.map(|bytes| Mutation::Overwrite { at: *at, bytes });
                parts.chain(smaller).collect()
            }
            Mutation::Insert { at, bytes } => {
                let parts = shorter(&(0..bytes.len())).filter_map(|part| bytes.get(part));
                let all = parts.map(<[u8]>::to_vec).chain(smaller_words(bytes));
                all.map(|bytes| Mutation::Insert { at: *at, bytes })
                    .collect()
            }
            Mutation::Repeat(range) => shorter(range).map(Mutation::Repeat).collect(),
            Mutation::Remove(range) => shorter(range).map(Mutation::Remove).collect(),
            Mutation::Truncate(at) => {
                let lost = size.saturating_sub(*at);
                let fewer = [1, lost / 2, lost.saturating_sub(1)].into_iter();
                let fewer = fewer.filter(|fewer| (1..lost).contains(fewer));
                fewer.map(|lost| Mutation::Truncate(size - lost)).collect()
            }
            Mutation::Splice { at, end } => {
                let lengths = [end.len() / 2, end.len().saturating_sub(1)].into_iter();
                let lengths = lengths.filter(|length| (1..end.len()).contains(length));
                let ends = lengths.map(|length| end[end.len() - length..].to_vec());
                let splices = ends.map(|end| Mutation::Splice { at: *at, end });
                [Mutation::Truncate(*at)]
                    .into_iter()
                    .chain(splices)
                    .collect()
            }
        }
    }

    /// Moves the mutation from a file of `old` bytes to one of `new` bytes, at the same distance from the end.
    pub(super) fn moved_with_end(&self, old: usize, new: usize) -> Mutation {
        let moved = |at: &usize| (at + new).saturating_sub(old);
        let moved_range = |range: &Range<usize>| moved(&range.start)..moved(&range.end);
        match self {
            Mutation::Flip { at, bit } => Mutation::Flip {
                at: moved(at),
                bit: *bit,
            },
            Mutation::Overwrite { at, bytes } => Mutation::Overwrite {
                at: moved(at),
                bytes: bytes.clone(),
            },
            Mutation::Insert { at, bytes } => Mutation::Insert {
                at: moved(at),
                bytes: bytes.clone(),
            },
            Mutation::Repeat(range) => Mutation::Repeat(moved_range(range)),
            Mutation::Remove(range) => Mutation::Remove(moved_range(range)),
            Mutation::Truncate(at) => Mutation::Truncate(moved(at)),
            Mutation::Splice { at, end } => Mutation::Splice {
                at: moved(at),
                end: end.clone(),
            },
        }
    }
}

/// The size in bytes of the header, to which half of the mutations are restricted.
const HEADER_SIZE: usize = 64;

/// The sizes of words in bytes.
const WIDTHS: [usize; 4] = [1, 2, 4, 8];

/// The maximum length of a short range in bytes. Half of the ranges are short.
const MAX_SHORT_RANGE: usize = 16;
