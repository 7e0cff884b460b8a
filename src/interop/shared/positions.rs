//! Positions during reading, in 64 bits where 32 bits are too coarse.

use std::ops::Range;

use glam::DVec3;

use crate::scene::exact::{self, Extent, FAR_METRES, rounded};
use crate::scene::repair::all_finite;

/// Positions as `f32` and, if needed, as `f64`.
type PositionLists = (Vec<[f32; 3]>, Option<Vec<[f64; 3]>>);

/// Positions as `f32`, and as `f64` as long as the model may [need them](Extent::needs_64_bits).
///
/// Once the size of the bounding box is at least half the largest coordinate, it always remains at least a quarter of
/// the largest coordinate. Rounding then costs at most two bits. If all coordinates are also below [`FAR_METRES`], the
/// exact positions are dropped: in most models, after a few vertices. Small objects far from the origin keep their
/// exact positions.
#[derive(Debug)]
pub(in crate::interop) struct Positions {
    rounded: Vec<[f32; 3]>,
    exact: Option<Vec<[f64; 3]>>,
    extent: Extent,
    /// The number of positions that `extent` includes.
    measured_count: usize,
    /// The index of the first position of the current object.
    object_start: usize,
    /// The exact positions of the current object and their extent, if all other exact positions were dropped. `None` if
    /// the object is not [distant](Extent::is_distant).
    distant_object: Option<(Vec<[f64; 3]>, Extent)>,
    /// Whether any ended object is distant. Exact positions are then kept for models of any size.
    has_distant_object: bool,
}

impl Default for Positions {
    fn default() -> Positions {
        Positions {
            rounded: Vec::new(),
            exact: Some(Vec::new()),
            extent: Extent::default(),
            measured_count: 0,
            object_start: 0,
            distant_object: None,
            has_distant_object: false,
        }
    }
}

impl Positions {
    /// Creates positions from a source with 32-bit numbers.
    pub fn from_f32(rounded: Vec<[f32; 3]>) -> Positions {
        Positions {
            rounded,
            exact: None,
            ..Positions::default()
        }
    }

    pub fn are_exact(&self) -> bool {
        self.exact.is_some()
    }

    pub fn len(&self) -> usize {
        self.rounded.len()
    }

    /// Returns `true` if all positions are finite in 32 bits.
    pub fn are_finite(&self) -> bool {
        all_finite(self.rounded.as_flattened())
    }

    /// Returns `true` if there is a position `index`, and it is finite in 32 bits.
    pub fn is_finite(&self, index: u32) -> bool {
        self.rounded
            .get(index as usize)
            .is_some_and(|position| all_finite(position))
    }

    #[inline]
    pub fn push(&mut self, position: [f64; 3]) {
        let single = rounded(position);
        if self.exact.is_none() && are_far(&[single]) {
            self.restore_exact();
        }
        if let Some(exact) = &mut self.exact {
            exact.push(position);
        } else if self.distant_object.is_some() {
            self.push_distant(position);
        }
        self.rounded.push(single);
    }

    /// Appends the positions of `others` in `range`.
    pub fn extend(&mut self, others: &Positions, range: Range<usize>) {
        let rounded_positions = others.rounded.get(range.clone()).unwrap_or_default();
        if self.exact.is_none() && are_far(rounded_positions) {
            self.restore_exact();
        }
        if let Some(exact) = &mut self.exact {
            match &others.exact {
                Some(more) => exact.extend_from_slice(more.get(range).unwrap_or_default()),
                None => exact.extend(
                    rounded_positions
                        .iter()
                        .map(|position| position.map(f64::from)),
                ),
            }
        } else {
            let more = others
                .exact
                .iter()
                .flat_map(|more| more.get(range.clone()).unwrap_or_default());
            for position in more {
                if !self.push_distant(*position) {
                    break;
                }
            }
        }
        self.rounded.extend_from_slice(rounded_positions);
    }

    /// Adds an exact position to `distant_object`, which becomes `None` once the object is no longer distant. Returns
    /// `false` if `distant_object` is then `None`.
    fn push_distant(&mut self, position: [f64; 3]) -> bool {
        let Some((positions, extent)) = &mut self.distant_object else {
            return false;
        };
        positions.push(position);
        extent.add(position.into());
        let is_distant = extent.is_distant() || extent.size() == 0.0;
        self.distant_object.take_if(|_| !is_distant);
        is_distant
    }

    /// Ends the current object, keeping its exact positions if it is distant, and begins a new one.
    pub fn begin_object(&mut self) {
        if let Some(exact) = &self.exact {
            let mut extent = Extent::default();
            exact[self.object_start..]
                .iter()
                .for_each(|position| extent.add(DVec3::from(*position)));
            self.has_distant_object |= extent.is_distant() && extent.size() > 0.0;
        } else if self
            .distant_object
            .as_ref()
            .is_some_and(|(_, extent)| extent.size() > 0.0)
        {
            self.restore_exact();
            self.has_distant_object = true;
        }
        self.object_start = self.rounded.len();
        self.distant_object = self.exact.is_none().then(Default::default);
    }

    /// Drops the exact positions if they are no longer needed.
    pub fn drop_unneeded(&mut self) {
        if self.exact.is_none() || self.has_distant_object {
            return;
        }
        let new = &self.rounded[self.measured_count..];
        new.iter()
            .for_each(|position| self.extent.add(DVec3::from(position.map(f64::from))));
        self.measured_count = self.rounded.len();
        let largest = self.extent.largest();
        if largest <= 2.0 * self.extent.size() && largest < FAR_METRES.into() {
            let mut exact = self.exact.take().unwrap_or_default();
            self.distant_object = Some(Default::default());
            let mut current = exact.split_off(self.object_start).into_iter();
            while current
                .next()
                .is_some_and(|position| self.push_distant(position))
            {}
        }
    }

    /// Starts keeping exact positions. Earlier positions are widened from 32 bits, except those of `distant_object`.
    #[cold]
    fn restore_exact(&mut self) {
        let (distant, _) = self.distant_object.take().unwrap_or_default();
        let widened = self.rounded.iter().take(self.rounded.len() - distant.len());
        let widened = widened.map(|position| position.map(f64::from));
        self.exact = Some(widened.chain(distant).collect());
    }

    /// Drops the exact positions if the model does not need them. Must be called after the last position.
    pub fn finish(&mut self) {
        self.exact
            .take_if(|exact| !self.has_distant_object && !exact::need_64_bits(exact));
        (self.extent, self.measured_count, self.distant_object) =
            (Extent::default(), self.rounded.len(), None);
    }

    /// Returns the positions as `f32` and, if needed, as `f64`.
    pub fn into_parts(mut self) -> PositionLists {
        self.finish();
        (self.rounded, self.exact)
    }

    /// Returns the positions at `indices` as `f32` and, if needed, as `f64`.
    pub fn select(&self, indices: impl Iterator<Item = u32> + Clone) -> PositionLists {
        fn gather<T: Copy>(values: &[T], indices: impl Iterator<Item = u32>) -> Vec<T> {
            indices
                .filter_map(|index| values.get(index as usize).copied())
                .collect()
        }
        let exact = self
            .exact
            .as_deref()
            .map(|exact| gather(exact, indices.clone()));
        let exact = exact.filter(|exact| exact::need_64_bits(exact));
        (gather(&self.rounded, indices), exact)
    }
}

/// Returns `true` if rounding to 32 bits may move any of `positions` by more than a millimetre.
fn are_far(positions: &[[f32; 3]]) -> bool {
    positions
        .as_flattened()
        .iter()
        .fold(0.0, |largest: f32, coordinate| {
            largest.max(coordinate.abs())
        })
        >= FAR_METRES
}
