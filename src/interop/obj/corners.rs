//! Corners of faces as vertices: a corner combines a position, texture coordinates and a normal by their numbers.

use std::collections::HashMap;
use std::ops::Range;

use crate::interop::text::{Words, is_blank, moved, place, quote};
use crate::{Error, Result, Span};

/// Indices of a position, of texture coordinates and of a normal.
pub(super) type Corner = [u32; 3];

/// The index of what a corner does not have.
pub(super) const ABSENT: u32 = u32::MAX;

/// The numbers of values are below this.
const PAST_END: i64 = ABSENT as i64;

const NAMES: [&str; 3] = ["positions", "texture coordinates", "normals"];

/// Reads corners and numbers the vertices that they make.
#[derive(Default)]
pub(super) struct Corners {
    /// The first vertex with each position.
    first: Vec<First>,
    /// The vertices of parts by corner that are not in `first`.
    others: HashMap<(u32, Corner), u32>,
    /// Whether `others` may hold a vertex although there is no first one of its part.
    scattered: bool,
    /// The largest of the indices of values that were not there yet.
    largest: [Option<u32>; 3],
    /// The word of the largest position: in this part of the text, or in one before.
    word: Option<Range<usize>>,
    place: Option<Span>,
    /// How many corners name texture coordinates or normals that cannot be in the file.
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
    /// The corner that the last word says, `1/2/3` or `-1//-1`, where there are so many values so far.
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
                // 1//3 has no texture coordinates.
                None if slot > 0 && matches!(behind, [] | [b'/', ..]) => ABSENT,
                Some(_) if slot > 0 => {
                    self.missing[slot] += 1;
                    ABSENT
                }
                number => return Err(words.refuse(wrong(word, number, count, NAMES[slot]))),
            };
            if *index >= count && *index != ABSENT {
                self.note(slot, *index, words);
            }
            match behind {
                [] => return Ok(corner),
                [b'/', others @ ..] => rest = others,
                _ => break,
            }
        }
        Err(words.refuse(wrong(word, None, 0, "")))
    }

    /// Notes the largest index of each kind whose value is still to come.
    #[cold]
    fn note(&mut self, slot: usize, index: u32, words: &Words) {
        if self.largest[slot].is_none_or(|largest| index > largest) {
            self.largest[slot] = Some(index);
            if slot == 0 {
                self.word = Some(words.range());
            }
        }
    }

    /// Ends a part of the text that so many bytes and lines stand before.
    pub fn end_part(&mut self, text: &[u8], bytes: u64, lines: u64) {
        if let Some(word) = self.word.take() {
            self.place = Some(moved(place(text, word), bytes, lines));
        }
    }

    /// The largest index of a kind of values if it never came.
    fn late(&self, slot: usize, counts: Corner) -> Option<u32> {
        self.largest[slot].filter(|index| *index >= counts[slot])
    }

    /// # Errors
    ///
    /// If a position never came.
    pub fn require_positions(&self, counts: Corner) -> Result<()> {
        let Some(index) = self.late(0, counts) else { return Ok(()) };
        let message = format!("position {}, but the file has {}", u64::from(index) + 1, counts[0]);
        Err(Error::malformed(message).with_span(self.place.clone()))
    }

    /// Takes texture coordinates and normals that never came out of these vertices, and says of how many corners and
    /// vertices.
    pub fn settle<'a>(&self, counts: Corner, vertices: impl Iterator<Item = &'a mut Corner>) -> [usize; 3] {
        let mut missing = self.missing;
        if self.late(1, counts).is_some() || self.late(2, counts).is_some() {
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

    /// The vertex of a part that this corner is; one more if there is none yet. There are so many positions so far.
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

/// Up to so many digits make a number that counts from the beginning and surely fits.
const PLAIN_DIGITS: usize = 9;

/// The corner that a text begins with, if its numbers count from the beginning of the file, and its length.
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

/// What is wrong with a corner, in which this number stands for the values of this name.
fn wrong(word: &[u8], number: Option<i64>, count: u32, name: &str) -> String {
    let word = quote(word);
    match number {
        None => format!("{word} is not a corner of a face"),
        Some(0) => format!("{word} has a 0, but numbers count from 1"),
        Some(number) => format!("{number} in {word} is out of range: there are {count} {name} so far"),
    }
}

/// The integer at the beginning, and what is behind it. One that is too large is near the ends of its range.
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
