//! The values that faces refer to by number.

use super::corners::{ABSENT, Corner};
use crate::interop::positions::Positions;
use crate::interop::text::Words;
use crate::{Error, Result};

/// Values of a kind, at most.
pub(super) const MAX_VALUES: usize = ABSENT as usize - 1;

/// What faces refer to by number.
#[derive(Debug, Default)]
pub(super) struct Lists {
    pub positions: Positions,
    /// Red, green, blue, alpha, as far as positions have them.
    pub colors: Vec<Option<[f32; 4]>>,
    pub uvs: Vec<[f32; 2]>,
    pub normals: Vec<[f32; 3]>,
    /// Positions with a weight other than 1.
    pub weights: usize,
    /// Texture coordinates with a third one other than 0.
    pub depths: usize,
}

/// How many values of each kind there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Counts {
    /// Of positions, texture coordinates and normals.
    pub values: [usize; 3],
    pub weights: usize,
    pub depths: usize,
}

impl Lists {
    pub fn counts(&self) -> Counts {
        let values = [self.positions.len(), self.uvs.len(), self.normals.len()];
        Counts { values, weights: self.weights, depths: self.depths }
    }

    /// How many values corners can refer to: they fit, since [`push`] sees to it.
    #[inline]
    pub fn numbered(&self) -> Corner {
        self.counts().values.map(|count| count as u32)
    }

    /// `v x y z`, then a weight, or red, green and blue, or these and alpha.
    #[inline]
    pub fn position(&mut self, mut words: Words) -> Result<()> {
        let position = words.wide_numbers("a coordinate of the position")?;
        if let Some(first) = words.optional()? {
            match words.optional()? {
                Some(green) => {
                    let blue = words.number("the blue of the colour")?;
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

    /// `vt u`, then v and a third coordinate if they are not 0.
    #[inline]
    pub fn uv(&mut self, mut words: Words) -> Result<()> {
        let u = words.number("a texture coordinate")?;
        let v = words.optional()?;
        let depth = if v.is_some() { words.optional()? } else { None };
        self.depths += usize::from(depth.is_some_and(|depth| depth != 0.0));
        push(&mut self.uvs, [u, v.unwrap_or(0.0)], &words)
    }

    /// `vn x y z`.
    #[inline]
    pub fn normal(&mut self, mut words: Words) -> Result<()> {
        let normal = words.numbers("a coordinate of the normal")?;
        push(&mut self.normals, normal, &words)
    }

    /// Adds the values of other lists from some on up to others.
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
        self.positions.settle();
        self.uvs.extend_from_slice(part(&others.uvs, vt, vt_end));
        self.normals.extend_from_slice(part(&others.normals, vn, vn_end));
        self.weights += to.weights - from.weights;
        self.depths += to.depths - from.depths;
    }
}

/// Adds a value that faces can refer to.
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
    Err(Error::limit_exceeded(message).with_span(Some(words.place())))
}
