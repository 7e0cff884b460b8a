//! Converts face corners to vertices. A corner combines the indices of a position, texture coordinates and a normal.

use std::collections::HashMap;
use std::ops::Range;

use crate::interop::shared::text::{Words, is_blank, moved, place, quote};
use crate::{Error, Result, Span};

/// The indices of a position, texture coordinates and a normal.
pub(super) type Corner = [u32; 3];

/// The index of a missing value.
pub(super) const ABSENT: u32 = u32::MAX;

/// The upper bound of indices.
const PAST_END: i64 = ABSENT as i64;

const NAMES: [&str; 3] = ["positions", "texture coordinates", "normals"];

/// Parses corners and assigns vertices to them.
#[derive(Default)]
pub(super) struct Corners {
    /// The first vertex with each position.
    first: Vec<First>,
    /// The vertices outside `first`, by part and corner.
    others: HashMap<(u32, Corner), u32>,
    /// Whether `others` may hold a vertex of a part without an entry in `first`.
    scattered: bool,
    /// The largest forward reference to each kind of value.
    largest: [Option<u32>; 3],
    /// The word with the largest forward reference to a position, if it is in the current window.
    word: Option<Range<usize>>,
    /// The location of that word, if it is in an earlier window.
    place: Option<Span>,
    /// The number of corners with invalid indices of texture coordinates or normals.
    pub missing: [usize; 3],
}

#[derive(Clone, Copy)]
struct First {
    part: u32,
    uv: u32,
    normal: u32,
    vertex: u32,
}

impl First {
    const NONE: First = First { part: u32::MAX, uv: 0, normal: 0, vertex: 0 };
}

impl Corners {
    /// Parses the last word as a corner, such as `1/2/3` or `-1//-1`. `counts` are the numbers of values so far.
    #[inline]
    pub fn parse(&mut self, word: &[u8], words: &Words, counts: Corner) -> Result<Corner> {
        let mut corner = [ABSENT; 3];
        let mut rest = word;
        for (slot, (index, count)) in corner.iter_mut().zip(counts).enumerate() {
            let (number, behind) = number(rest);
            *index = match number {
                Some(number @ 1..PAST_END) => number as u32 - 1,
                Some(number) if number < 0 && number + i64::from(count) >= 0 => {
                    (number + i64::from(count)) as u32
                }
                // As in `1//3`.
                None if slot > 0 && matches!(behind, [] | [b'/', ..]) => ABSENT,
                Some(_) if slot > 0 => {
                    self.missing[slot] += 1;
                    ABSENT
                }
                number => return Err(words.reject(wrong(word, number, count, NAMES[slot]))),
            };
            if *index >= count && *index != ABSENT {
                self.record_forward(slot, *index, words);
            }
            match behind {
                [] => return Ok(corner),
                [b'/', others @ ..] => rest = others,
                _ => break,
            }
        }
        Err(words.reject(wrong(word, None, 0, "")))
    }

    /// Records a forward reference if it is the largest of its kind.
    #[cold]
    fn record_forward(&mut self, slot: usize, index: u32, words: &Words) {
        if self.largest[slot].is_none_or(|largest| index > largest) {
            self.largest[slot] = Some(index);
            if slot == 0 {
                self.word = Some(words.range());
            }
        }
    }

    /// Ends a window of the text, which `bytes` bytes and `lines` lines precede.
    pub fn end_part(&mut self, text: &[u8], bytes: u64, lines: u64) {
        if let Some(word) = self.word.take() {
            self.place = Some(moved(place(text, word), bytes, lines));
        }
    }

    /// Returns the largest forward reference of a kind if its value is missing from the file.
    fn unresolved(&self, slot: usize, counts: Corner) -> Option<u32> {
        self.largest[slot].filter(|index| *index >= counts[slot])
    }

    /// # Errors
    ///
    /// Returns an error if a referenced position is missing.
    pub fn require_positions(&self, counts: Corner) -> Result<()> {
        let Some(index) = self.unresolved(0, counts) else { return Ok(()) };
        let message = format!("position {}, but the file has {}", u64::from(index) + 1, counts[0]);
        Err(Error::malformed(message).with_span(self.place.clone()))
    }

    /// Clears references to missing texture coordinates and normals. Returns the number of affected corners and vertices
    /// per kind.
    pub fn clear_unresolved<'a>(
        &self,
        counts: Corner,
        vertices: impl Iterator<Item = &'a mut Corner>,
    ) -> [usize; 3] {
        let mut missing = self.missing;
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

    /// Returns the vertex of a corner in a part, adding it if it is new. `positions` is the number of positions so far.
    #[inline]
    pub fn vertex(&mut self, part: u32, corner: Corner, positions: usize, vertices: &mut Vec<Corner>) -> u32 {
        let [position, uv, normal] = corner;
        if self.first.len() < positions {
            self.first.resize(positions, First::NONE);
        }
        let add = || {
            vertices.push(corner);
            vertices.len() as u32 - 1
        };
        match self.first.get_mut(position as usize) {
            Some(first) if first.part == part && first.uv == uv && first.normal == normal => first.vertex,
            Some(first) if first.part != part => {
                if first.part != First::NONE.part {
                    self.others.insert((first.part, [position, first.uv, first.normal]), first.vertex);
                    self.scattered = true;
                }
                let known = if self.scattered { self.others.get(&(part, corner)).copied() } else { None };
                let vertex = known.unwrap_or_else(add);
                *first = First { part, uv, normal, vertex };
                vertex
            }
            Some(_) => *self.others.entry((part, corner)).or_insert_with(add),
            None => {
                self.scattered = true;
                *self.others.entry((part, corner)).or_insert_with(add)
            }
        }
    }
}

/// The maximum number of digits of an index that cannot overflow.
const PLAIN_DIGITS: usize = 9;

/// Parses a corner with absolute indices at the start of a text. Returns it with its length in bytes.
#[inline]
pub(super) fn plain(text: &[u8]) -> Option<(Corner, usize)> {
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
            1..=PLAIN_DIGITS if value > 0 => *index = value - 1,
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

/// Describes the error of a corner. `number` is the parsed index, and `name` the kind of value.
fn wrong(word: &[u8], number: Option<i64>, count: u32, name: &str) -> String {
    let word = quote(word);
    match number {
        None => format!("{word} is not a corner of a face"),
        Some(0) => format!("{word} has a 0, but numbers count from 1"),
        Some(number) => format!("{number} in {word} is out of range: the number of {name} so far is {count}"),
    }
}

/// Parses a leading integer and returns it with the rest of the word. Integers out of range saturate.
#[inline]
fn number(word: &[u8]) -> (Option<i64>, &[u8]) {
    let (digits, sign) = match word {
        [b'-', digits @ ..] => (digits, -1),
        digits => (digits, 1),
    };
    let mut value = 0_i64;
    let mut rest = digits;
    while let [digit @ b'0'..=b'9', others @ ..] = rest {
        value = value.saturating_mul(10).saturating_add(i64::from(digit - b'0'));
        rest = others;
    }
    match rest.len() < digits.len() {
        true => (Some(value * sign), rest),
        false => (None, word),
    }
}
