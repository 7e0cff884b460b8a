//! Positions, texture coordinates and normals of OBJ files, which faces refer to by index.

use std::ops::Range;

use super::corners::{ABSENT, Corner};
use crate::interop::shared::positions::Positions;
use crate::interop::shared::text::Words;
use crate::{Error, Limit, Result};

/// The maximum number of values of each kind.
pub(super) const MAX_VALUES: usize = ABSENT as usize - 1;

/// The maximum number of positions that are not finite whose locations are kept for errors. A file without any other
/// position must not take much longer to read.
pub(super) const MAX_NON_FINITE: usize = 16;

/// The values that faces refer to by index.
#[derive(Debug, Default)]
pub(super) struct ValueLists {
    pub positions: Positions,
    /// The colour (red, green, blue, alpha) of each position, if any. The list may be shorter than `positions`.
    pub colors: Vec<Option<[f32; 4]>>,
    pub uvs: Vec<[f32; 2]>,
    pub normals: Vec<[f32; 3]>,
    /// The number of positions with a weight other than 1.
    pub weight_count: usize,
    /// The number of texture coordinates with a third component other than 0.
    pub third_coordinate_count: usize,
    /// The first positions that are not finite, each with its index and the range of its keyword in the window.
    pub non_finite: Vec<(usize, Range<usize>)>,
}

/// The number of values of each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct ValueCounts {
    /// The number of positions, texture coordinates and normals.
    pub values: [usize; 3],
    pub weight_count: usize,
    pub third_coordinate_count: usize,
}

impl ValueLists {
    pub fn counts(&self) -> ValueCounts {
        let values = [self.positions.len(), self.uvs.len(), self.normals.len()];
        ValueCounts {
            values,
            weight_count: self.weight_count,
            third_coordinate_count: self.third_coordinate_count,
        }
    }

    /// Returns the number of positions, texture coordinates and normals. [`require_capacity`] ensures that these fit in
    /// 32 bits.
    #[inline]
    pub fn u32_counts(&self) -> Corner {
        self.counts().values.map(|count| count as u32)
    }

    /// Parses the position `v x y z`, optionally followed by a weight, a colour, or a colour with alpha.
    #[inline]
    pub fn parse_position(&mut self, mut words: Words) -> Result<()> {
        let keyword = words.range();
        let position: [f64; 3] = words.read_f64s("a coordinate of the position")?;
        if let Some(first) = words.read_optional_f32()? {
            match words.read_optional_f32()? {
                Some(green) => {
                    let blue = words.read_f32("the blue component")?;
                    let alpha = words.read_optional_f32()?.unwrap_or(1.0);
                    self.colors.resize(self.positions.len(), None);
                    self.colors.push(Some([first, green, blue, alpha]));
                }
                None => self.weight_count += usize::from(first != 1.0),
            }
        }
        require_capacity(self.positions.len(), &words)?;
        let is_finite = position
            .iter()
            .fold(true, |all, x| all & (*x as f32).is_finite());
        if !is_finite && self.non_finite.len() < MAX_NON_FINITE {
            self.non_finite.push((self.positions.len(), keyword));
        }
        self.positions.push(position);
        Ok(())
    }

    /// Parses the texture coordinates `vt u`, optionally followed by v and a third coordinate, which default to 0.
    #[inline]
    pub fn parse_uv(&mut self, mut words: Words) -> Result<()> {
        let u = words.read_f32("a texture coordinate")?;
        let v = words.read_optional_f32()?;
        let third = if v.is_some() {
            words.read_optional_f32()?
        } else {
            None
        };
        self.third_coordinate_count += usize::from(third.is_some_and(|third| third != 0.0));
        push(&mut self.uvs, [u, v.unwrap_or(0.0)], &words)
    }

    /// Parses the normal `vn x y z`.
    #[inline]
    pub fn parse_normal(&mut self, mut words: Words) -> Result<()> {
        let normal = words.read_f32s("a coordinate of the normal")?;
        push(&mut self.normals, normal, &words)
    }

    /// Appends the values of `others` between the counts `from` and `to`.
    pub fn extend(&mut self, others: &ValueLists, from: &ValueCounts, to: &ValueCounts) {
        fn slice<T>(list: &[T], from: usize, to: usize) -> &[T] {
            &list[from.min(list.len())..to.min(list.len())]
        }
        let ([v, vt, vn], [v_end, vt_end, vn_end]) = (from.values, to.values);
        let colors = slice(&others.colors, v, v_end);
        if !colors.is_empty() {
            self.colors.resize(self.positions.len(), None);
            self.colors.extend_from_slice(colors);
        }
        let non_finite = others
            .non_finite
            .iter()
            .filter(|(index, _)| (v..v_end).contains(index));
        let count = self.positions.len();
        self.non_finite
            .extend(non_finite.map(|(index, keyword)| (count + index - v, keyword.clone())));
        self.positions.extend(&others.positions, v..v_end);
        self.positions.drop_unneeded();
        self.uvs.extend_from_slice(slice(&others.uvs, vt, vt_end));
        self.normals
            .extend_from_slice(slice(&others.normals, vn, vn_end));
        self.weight_count += to.weight_count - from.weight_count;
        self.third_coordinate_count += to.third_coordinate_count - from.third_coordinate_count;
    }
}

/// Appends a value. Returns an error if there are too many values.
#[inline]
fn push<T>(list: &mut Vec<T>, value: T, words: &Words) -> Result<()> {
    require_capacity(list.len(), words)?;
    list.push(value);
    Ok(())
}

#[inline]
fn require_capacity(count: usize, words: &Words) -> Result<()> {
    if count < MAX_VALUES {
        return Ok(());
    }
    let message = format!("more than {count} positions, texture coordinates or normals");
    Err(Error::limit_exceeded(Limit::Fixed, message).with_span(Some(words.span())))
}
