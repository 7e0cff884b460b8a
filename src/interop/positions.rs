//! Positions during reading, in 64 bits as long as these matter.

use std::ops::Range;

use glam::DVec3;

use crate::scene::exact::{self, Extent, FAR, rounded};

/// Positions in 32 bits and, if they are worth it, in 64.
type Parts = (Vec<[f32; 3]>, Option<Vec<[f64; 3]>>);

/// Positions of vertices, rounded to 32 bits and, as long as these may be [worth 64 bits](Extent::is_worth), exact.
///
/// Once the bounding box is at least half as large as the largest coordinate, it can never shrink below a quarter of
/// it. Rounding then costs at most two bits, and exact positions are dropped. Most models get there within their first
/// vertices.
#[derive(Debug)]
pub(super) struct Positions {
    rounded: Vec<[f32; 3]>,
    exact: Option<Vec<[f64; 3]>>,
    extent: Extent,
    /// The number of positions in the box.
    measured: usize,
}

impl Default for Positions {
    fn default() -> Positions {
        Positions { rounded: Vec::new(), exact: Some(Vec::new()), extent: Extent::default(), measured: 0 }
    }
}

impl Positions {
    /// Creates positions from a source with 32 bits.
    pub fn of_floats(rounded: Vec<[f32; 3]>) -> Positions {
        Positions { rounded, exact: None, ..Positions::default() }
    }

    pub fn are_exact(&self) -> bool {
        self.exact.is_some()
    }

    pub fn len(&self) -> usize {
        self.rounded.len()
    }

    #[inline]
    pub fn push(&mut self, position: [f64; 3]) {
        let near = rounded(position);
        if self.exact.is_none() && is_far(&[near]) {
            self.resume();
        }
        if let Some(exact) = &mut self.exact {
            exact.push(position);
        }
        self.rounded.push(near);
    }

    /// Appends a range of other positions.
    pub fn extend(&mut self, others: &Positions, range: Range<usize>) {
        let near = others.rounded.get(range.clone()).unwrap_or_default();
        if self.exact.is_none() && is_far(near) {
            self.resume();
        }
        if let Some(exact) = &mut self.exact {
            match &others.exact {
                Some(more) => exact.extend_from_slice(more.get(range).unwrap_or_default()),
                None => exact.extend(near.iter().map(|position| position.map(f64::from))),
            }
        }
        self.rounded.extend_from_slice(near);
    }

    /// Drops the exact positions once they are not needed.
    pub fn settle(&mut self) {
        if self.exact.is_none() {
            return;
        }
        let new = &self.rounded[self.measured..];
        new.iter().for_each(|position| self.extent.add(DVec3::from(position.map(f64::from))));
        self.measured = self.rounded.len();
        let largest = self.extent.low.abs().max(self.extent.high.abs()).max_element();
        if largest <= 2.0 * self.extent.size() && largest < FAR.into() {
            self.exact = None;
        }
    }

    /// Keeps exact positions from now on. Earlier ones are widened from 32 bits.
    #[cold]
    fn resume(&mut self) {
        self.exact = Some(self.rounded.iter().map(|position| position.map(f64::from)).collect());
    }

    /// Drops the exact positions if they are not worth it. Called after the last position.
    pub fn finish(&mut self) {
        self.exact.take_if(|exact| !exact::are_worth(exact));
        (self.extent, self.measured) = (Extent::default(), self.rounded.len());
    }

    /// Returns the positions of a mesh in 32 bits and, if they are worth it, in 64.
    pub fn into_parts(mut self) -> Parts {
        self.finish();
        (self.rounded, self.exact)
    }

    /// Returns the positions at these indices.
    pub fn select(&self, places: impl Iterator<Item = u32> + Clone) -> Parts {
        fn gather<T: Copy>(values: &[T], places: impl Iterator<Item = u32>) -> Vec<T> {
            places.filter_map(|place| values.get(place as usize).copied()).collect()
        }
        let exact = self.exact.as_deref().map(|exact| gather(exact, places.clone()));
        (gather(&self.rounded, places), exact)
    }
}

/// Returns `true` if 32 bits may move one of these by more than a millimetre.
fn is_far(positions: &[[f32; 3]]) -> bool {
    positions.as_flattened().iter().fold(0.0, |largest: f32, coordinate| largest.max(coordinate.abs())) >= FAR
}
