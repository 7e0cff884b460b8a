//! Corners of faces as vertices: a corner combines a position, texture coordinates and a normal by their numbers.

use std::collections::HashMap;
use std::ops::Range;

use crate::Result;
use crate::interop::text::{Words, quote, refuse};

/// Indices of a position, of texture coordinates and of a normal.
pub(super) type Corner = [u32; 3];

/// The index of what a corner does not have.
pub(super) const ABSENT: u32 = u32::MAX;

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
    /// The largest of the indices of values that were not there yet, and the word.
    largest: [Option<(u32, Range<usize>)>; 3],
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
        let mut slots = corner.iter_mut().zip(counts).enumerate();
        let no_index = || words.refuse(format!("{} is no corner of a face", quote(word)));
        for part in word.split(|byte| *byte == b'/') {
            let (slot, (index, count)) = slots.next().ok_or_else(no_index)?;
            if part.is_empty() && slot > 0 {
                continue;
            }
            *index = match (number(part).ok_or_else(no_index)?, count) {
                (0, _) => return Err(words.refuse(format!("{} has a 0; indices count from 1", quote(word)))),
                (number @ 1.., _) if number < i64::from(ABSENT) => number as u32 - 1,
                (number, count) if number < 0 && number + i64::from(count) >= 0 => {
                    (number + i64::from(count)) as u32
                }
                _ => {
                    let message =
                        format!("{} is out of range: there are {count} {} so far", quote(word), NAMES[slot]);
                    return Err(words.refuse(message));
                }
            };
            if *index >= count && self.largest[slot].as_ref().is_none_or(|(largest, _)| *index > *largest) {
                self.largest[slot] = Some((*index, words.range()));
            }
        }
        Ok(corner)
    }

    /// Whether all values that were not there yet came later.
    pub fn check(&self, text: &[u8], counts: Corner) -> Result<()> {
        for ((largest, count), name) in self.largest.iter().zip(counts).zip(NAMES) {
            if let Some((index, range)) = largest.as_ref().filter(|(index, _)| *index >= count) {
                let number = u64::from(*index) + 1;
                let message = format!("number {number} of the {name}, but the file has {count}");
                return Err(refuse(text, range.clone(), message));
            }
        }
        Ok(())
    }

    /// The vertex of a part that this corner is; one more if there is none yet. There are so many positions so far.
    #[inline]
    pub fn vertex(
        &mut self, part: u32, corner: Corner, positions: usize, vertices: &mut Vec<Corner>,
    ) -> u32 {
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

/// An integer; one that is too large is near the ends of its range.
#[inline]
fn number(word: &[u8]) -> Option<i64> {
    let (digits, sign) = match word {
        [b'-', digits @ ..] => (digits, -1),
        digits => (digits, 1),
    };
    let value = digits.iter().try_fold(0_i64, |value, digit| match digit {
        b'0'..=b'9' => Some(value.saturating_mul(10).saturating_add(i64::from(digit - b'0'))),
        _ => None,
    })?;
    (!digits.is_empty()).then_some(value * sign)
}
