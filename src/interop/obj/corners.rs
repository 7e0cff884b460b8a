//! Parses face corners and assigns vertices to them. A corner refers to a position, texture coordinates and a normal.

use std::collections::HashMap;
use std::ops::Range;

use crate::interop::shared::text::{Words, is_blank, locate, quote, shift_span};
use crate::scene::push_index;
use crate::{Error, Result, Span};

/// The indices of a position, texture coordinates and a normal; [`ABSENT`] for missing values.
pub(super) type Corner = [u32; 3];

/// The index of a missing value.
pub(super) const ABSENT: u32 = u32::MAX;

/// The smallest index, counted from 1, that is too large.
const INDEX_END: i64 = ABSENT as i64;

const VALUE_NAMES: [&str; 3] = ["positions", "texture coordinates", "normals"];

#[derive(Default)]
pub(super) struct CornerParser {
    /// For each position, a vertex of the mesh part that used the position last.
    latest: Vec<LatestVertex>,
    /// The vertices that are not in `latest`, by part and corner.
    others: HashMap<(u32, Corner), u32>,
    /// Whether `others` may contain a vertex of a part that differs from the part of the vertex in `latest` at the same
    /// position.
    has_unlisted: bool,
    /// The largest forward reference to a value of each kind.
    largest: [Option<u32>; 3],
    /// The byte range of the word with the largest forward reference to a position, if it is in the current window.
    largest_word: Option<Range<usize>>,
    /// The location of the word with the largest forward reference to a position, if it is in an earlier window.
    largest_location: Option<Span>,
    /// For texture coordinates and normals, the number of corners with invalid indices.
    pub missing_counts: [usize; 3],
}

/// A vertex, with the part and the corner for which it was created.
#[derive(Clone, Copy)]
struct LatestVertex {
    part: u32,
    uv: u32,
    normal: u32,
    vertex: u32,
}

impl LatestVertex {
    const NONE: LatestVertex = LatestVertex {
        part: u32::MAX,
        uv: 0,
        normal: 0,
        vertex: 0,
    };
}

impl CornerParser {
    /// Parses `word`, which `words` returned last, as a corner such as `1/2/3` or `-1//-1`. `counts` are the numbers of
    /// values read so far.
    #[inline]
    pub fn parse(&mut self, word: &[u8], words: &Words, counts: Corner) -> Result<Corner> {
        let mut corner = [ABSENT; 3];
        let mut rest = word;
        for (slot, (index, count)) in corner.iter_mut().zip(counts).enumerate() {
            let (number, after) = parse_number(rest);
            *index = match number {
                Some(number @ 1..INDEX_END) => number as u32 - 1,
                Some(number) if number < 0 && number + i64::from(count) >= 0 => {
                    (number + i64::from(count)) as u32
                }
                // As in `1//3`.
                None if slot > 0 && matches!(after, [] | [b'/', ..]) => ABSENT,
                Some(_) if slot > 0 => {
                    self.missing_counts[slot] += 1;
                    ABSENT
                }
                number => {
                    return Err(words.reject(corner_error(word, number, count, VALUE_NAMES[slot])));
                }
            };
            if *index >= count && *index != ABSENT {
                self.record_forward(slot, *index, words);
            }
            match after {
                [] => return Ok(corner),
                [b'/', others @ ..] => rest = others,
                _ => break,
            }
        }
        Err(words.reject(corner_error(word, None, 0, "")))
    }

    /// Records a reference to a value that has not been read yet, if it is the largest of its kind.
    #[cold]
    fn record_forward(&mut self, slot: usize, index: u32, words: &Words) {
        if self.largest[slot].is_none_or(|largest| index > largest) {
            self.largest[slot] = Some(index);
            if slot == 0 {
                self.largest_word = Some(words.range());
            }
        }
    }

    /// Ends a window of the text. `bytes` and `lines` are the numbers of bytes and lines before the window.
    pub fn end_window(&mut self, text: &[u8], bytes: u64, lines: u64) {
        if let Some(word) = self.largest_word.take() {
            self.largest_location = Some(shift_span(locate(text, word), bytes, lines));
        }
    }

    /// Returns the largest forward reference to a value of the kind `slot`. `None` if there is none, or it is below
    /// `counts`, the totals of the file.
    fn unresolved(&self, slot: usize, counts: Corner) -> Option<u32> {
        self.largest[slot].filter(|index| *index >= counts[slot])
    }

    /// Returns an error if a corner refers to a missing position.
    pub fn require_positions(&self, counts: Corner) -> Result<()> {
        let Some(index) = self.unresolved(0, counts) else {
            return Ok(());
        };
        let message = format!(
            "position {} is missing; the file has {}",
            u64::from(index) + 1,
            counts[0]
        );
        Err(Error::malformed(message).with_span(self.largest_location.clone()))
    }

    /// Clears references to missing texture coordinates and normals. Returns, for each kind of value, the number of
    /// affected corners and vertices.
    pub fn clear_unresolved<'a>(
        &self,
        counts: Corner,
        vertices: impl Iterator<Item = &'a mut Corner>,
    ) -> [usize; 3] {
        let mut missing = self.missing_counts;
        if self.unresolved(1, counts).is_some() || self.unresolved(2, counts).is_some() {
            for corner in vertices {
                for slot in [1, 2] {
                    if corner[slot] != ABSENT && corner[slot] >= counts[slot] {
                        corner[slot] = ABSENT;
                        missing[slot] += 1;
                    }
                }
            }
        }
        missing
    }

    /// Returns the vertex of a corner in a part, adding it if it is new. `count` is the number of positions so far.
    #[inline]
    pub fn add_vertex(
        &mut self,
        part: u32,
        corner: Corner,
        count: usize,
        vertices: &mut Vec<Corner>,
    ) -> u32 {
        let [position, uv, normal] = corner;
        if self.latest.len() < count {
            self.latest.resize(count, LatestVertex::NONE);
        }
        let add = || push_index(vertices, corner) as u32;
        match self.latest.get_mut(position as usize) {
            Some(latest) if latest.part == part && latest.uv == uv && latest.normal == normal => {
                latest.vertex
            }
            Some(latest) if latest.part != part => {
                if latest.part != LatestVertex::NONE.part {
                    self.others.insert(
                        (latest.part, [position, latest.uv, latest.normal]),
                        latest.vertex,
                    );
                    self.has_unlisted = true;
                }
                let known = if self.has_unlisted {
                    self.others.get(&(part, corner)).copied()
                } else {
                    None
                };
                let vertex = known.unwrap_or_else(add);
                *latest = LatestVertex {
                    part,
                    uv,
                    normal,
                    vertex,
                };
                vertex
            }
            Some(_) => *self.others.entry((part, corner)).or_insert_with(add),
            None => {
                self.has_unlisted = true;
                *self.others.entry((part, corner)).or_insert_with(add)
            }
        }
    }
}

/// The number of digits up to which an index cannot overflow 32 bits.
const MAX_DIGITS: usize = 9;

/// Parses a corner with absolute indices of up to [`MAX_DIGITS`] digits at the start of `text`. Returns the corner and
/// its length in bytes; `None` for any other text.
#[inline]
pub(super) fn parse_absolute(text: &[u8]) -> Option<(Corner, usize)> {
    let mut corner = [ABSENT; 3];
    let mut at = 0;
    for (slot, index) in corner.iter_mut().enumerate() {
        let start = at;
        let mut value = 0_u32;
        while let Some(digit) = text.get(at).filter(|byte| byte.is_ascii_digit()) {
            value = value.wrapping_mul(10).wrapping_add(u32::from(digit - b'0'));
            at += 1;
        }
        match at - start {
            0 if slot > 0 => {}
            1..=MAX_DIGITS if value > 0 => *index = value - 1,
            _ => return None,
        }
        match text.get(at) {
            Some(b'/') => at += 1,
            None => return Some((corner, at)),
            Some(byte) => return is_blank(*byte).then_some((corner, at)),
        }
    }
    None
}

/// Describes an invalid corner. `number` is the parsed index, and `count` the number of values of the kind `name`.
fn corner_error(word: &[u8], number: Option<i64>, count: u32, name: &str) -> String {
    let word = quote(word);
    match number {
        None => {
            format!("{word} is not a vertex reference: expected `v`, `v/vt`, `v//vn` or `v/vt/vn`")
        }
        Some(0) => format!("{word} has the index 0, but indices start at 1"),
        Some(number) => {
            format!("{number} in {word} is out of range: the number of {name} so far is {count}")
        }
    }
}

/// Parses an integer at the start of `word`. Returns the integer (`None` if `word` does not start with one) and the
/// rest of the word. Integers out of range saturate.
#[inline]
fn parse_number(word: &[u8]) -> (Option<i64>, &[u8]) {
    let (digits, sign) = match word {
        [b'-', digits @ ..] => (digits, -1),
        digits => (digits, 1),
    };
    let mut value = 0_i64;
    let mut rest = digits;
    while let [digit @ b'0'..=b'9', others @ ..] = rest {
        value = value
            .saturating_mul(10)
            .saturating_add(i64::from(digit - b'0'));
        rest = others;
    }
    if rest.len() < digits.len() {
        (Some(value * sign), rest)
    } else {
        (None, word)
    }
}
