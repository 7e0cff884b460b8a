//! The values that faces refer to by index.

use super::corners::{ABSENT, Corner};
use crate::interop::shared::positions::Positions;
use crate::interop::shared::text::Words;
use crate::{Error, Limit, Result};

/// The maximum number of values of a kind.
pub(super) const MAX_VALUES: usize = ABSENT as usize - 1;

/// The values that faces refer to by index.
#[derive(Debug, Default)]
pub(super) struct Lists {
    pub positions: Positions,
    /// The colour (red, green, blue, alpha) of each position that has one.
    pub colors: Vec<Option<[f32; 4]>>,
    pub uvs: Vec<[f32; 2]>,
    pub normals: Vec<[f32; 3]>,
    /// The number of positions with a weight other than 1.
    pub weights: usize,
    /// The number of texture coordinates with a third component other than 0.
    pub depths: usize,
}

/// The number of values of each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Counts {
    /// The numbers of positions, texture coordinates and normals.
    pub values: [usize; 3],
    pub weights: usize,
    pub depths: usize,
}

impl Lists {
    pub fn counts(&self) -> Counts {
        let values = [self.positions.len(), self.uvs.len(), self.normals.len()];
        Counts { values, weights: self.weights, depths: self.depths }
    }

    /// Returns the number of values of each kind. [`push`] ensures that they fit in 32 bits.
    #[inline]
    pub fn numbered(&self) -> Corner {
        self.counts().values.map(|count| count as u32)
    }

    /// Parses `v x y z`, optionally followed by a weight, a colour, or a colour with alpha.
    #[inline]
    pub fn position(&mut self, mut words: Words) -> Result<()> {
        let position = words.wide_numbers("a coordinate of the position")?;
        if let Some(first) = words.optional()? {
            match words.optional()? {
                Some(green) => {
                    let blue = words.number("the blue component")?;
                    let alpha = words.optional()?.unwrap_or(1.0);
                    self.colors.resize(self.positions.len(), None);
                    self.colors.push(Some([first, green, blue, alpha]));
                }
                None => self.weights += usize::from(first != 1.0),
            }
        }
        require_place(self.positions.len(), &words)?;
        self.positions.push(position);
        Ok(())
    }

    /// Parses `vt u`, optionally followed by v and a third coordinate, which default to 0.
    #[inline]
    pub fn uv(&mut self, mut words: Words) -> Result<()> {
        let u = words.number("a texture coordinate")?;
        let v = words.optional()?;
        let depth = if v.is_some() { words.optional()? } else { None };
        self.depths += usize::from(depth.is_some_and(|depth| depth != 0.0));
        push(&mut self.uvs, [u, v.unwrap_or(0.0)], &words)
    }

    /// Parses `vn x y z`.
    #[inline]
    pub fn normal(&mut self, mut words: Words) -> Result<()> {
        let normal = words.numbers("a coordinate of the normal")?;
        push(&mut self.normals, normal, &words)
    }

    /// Appends the values of other lists between two counts.
    pub fn extend(&mut self, others: &Lists, from: &Counts, to: &Counts) {
        fn part<T>(list: &[T], from: usize, to: usize) -> &[T] {
            &list[from.min(list.len())..to.min(list.len())]
        }
        let ([v, vt, vn], [v_end, vt_end, vn_end]) = (from.values, to.values);
        let colors = part(&others.colors, v, v_end);
        if !colors.is_empty() {
            self.colors.resize(self.positions.len(), None);
            self.colors.extend_from_slice(colors);
        }
        self.positions.extend(&others.positions, v..v_end);
        self.positions.drop_unneeded();
        self.uvs.extend_from_slice(part(&others.uvs, vt, vt_end));
        self.normals.extend_from_slice(part(&others.normals, vn, vn_end));
        self.weights += to.weights - from.weights;
        self.depths += to.depths - from.depths;
    }
}

/// Appends a value. Returns an error if its index would be too large.
#[inline]
fn push<T>(list: &mut Vec<T>, value: T, words: &Words) -> Result<()> {
    require_place(list.len(), words)?;
    list.push(value);
    Ok(())
}

#[inline]
fn require_place(count: usize, words: &Words) -> Result<()> {
    if count < MAX_VALUES {
        return Ok(());
    }
    let message = format!("more than {count} values of one kind");
    Err(Error::limit_exceeded(Limit::Fixed, message).with_span(Some(words.place())))
}
