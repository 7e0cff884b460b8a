//! Positions of a file being read, in 64 bits where 32 are not enough.

use std::ops::Range;

use glam::DVec3;

use crate::scene::exact::{self, Extent, FAR, rounded};

/// Positions in 32 bits and, if needed, in 64.
type Parts = (Vec<[f32; 3]>, Option<Vec<[f64; 3]>>);

/// Positions in 32 bits, and in 64 as long as the model may [need them](Extent::needs_64_bits).
///
/// Once the bounding box is at least half as large as the largest coordinate, it can never shrink below a quarter of
/// it. Rounding then costs at most two bits, so the exact positions are dropped, in most models after a few vertices.
/// Small objects far from the origin keep theirs.
#[derive(Debug)]
pub(in crate::interop) struct Positions {
    rounded: Vec<[f32; 3]>,
    exact: Option<Vec<[f64; 3]>>,
    extent: Extent,
    /// The number of positions in the box.
    measured: usize,
    /// The index of the first position of the current object.
    object: usize,
    /// The exact positions of the current object, kept after the others were dropped while the object is
    /// [local](Extent::is_local).
    local: Option<(Vec<[f64; 3]>, Extent)>,
    /// Whether an object is local. If so, exact positions are kept for models of any size.
    has_local: bool,
}

impl Default for Positions {
    fn default() -> Positions {
        Positions {
            rounded: Vec::new(),
            exact: Some(Vec::new()),
            extent: Extent::default(),
            measured: 0,
            object: 0,
            local: None,
            has_local: false,
        }
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
        } else if self.local.is_some() {
            self.push_local(position);
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
        } else {
            let more = others.exact.iter().flat_map(|more| more.get(range.clone()).unwrap_or_default());
            for position in more {
                if !self.push_local(*position) {
                    break;
                }
            }
        }
        self.rounded.extend_from_slice(near);
    }

    /// Adds an exact position to the current object. Returns `false` if the object is no longer local.
    fn push_local(&mut self, position: [f64; 3]) -> bool {
        let Some((positions, extent)) = &mut self.local else { return false };
        positions.push(position);
        extent.add(position.into());
        let is_local = extent.is_local() || extent.size() == 0.0;
        self.local.take_if(|_| !is_local);
        is_local
    }

    /// Ends the current object, which keeps 64 bits if it is local, and begins a new one.
    pub fn begin_object(&mut self) {
        if let Some(exact) = &self.exact {
            let mut extent = Extent::default();
            exact[self.object..].iter().for_each(|position| extent.add(DVec3::from(*position)));
            self.has_local |= extent.is_local() && extent.size() > 0.0;
        } else if self.local.as_ref().is_some_and(|(_, extent)| extent.size() > 0.0) {
            self.resume();
            self.has_local = true;
        }
        self.object = self.rounded.len();
        self.local = self.exact.is_none().then(Default::default);
    }

    /// Drops the exact positions if they are no longer needed.
    pub fn drop_unneeded(&mut self) {
        if self.exact.is_none() || self.has_local {
            return;
        }
        let new = &self.rounded[self.measured..];
        new.iter().for_each(|position| self.extent.add(DVec3::from(position.map(f64::from))));
        self.measured = self.rounded.len();
        let largest = self.extent.largest();
        if largest <= 2.0 * self.extent.size() && largest < FAR.into() {
            let mut exact = self.exact.take().unwrap_or_default();
            self.local = Some(Default::default());
            let mut current = exact.split_off(self.object).into_iter();
            while current.next().is_some_and(|position| self.push_local(position)) {}
        }
    }

    /// Keeps exact positions from now on. Earlier ones are widened from 32 bits, except those of a local object.
    #[cold]
    fn resume(&mut self) {
        let (local, _) = self.local.take().unwrap_or_default();
        let widened = self.rounded.iter().take(self.rounded.len() - local.len());
        let widened = widened.map(|position| position.map(f64::from));
        self.exact = Some(widened.chain(local).collect());
    }

    /// Drops the exact positions if the model does not need them. Called after the last position.
    pub fn finish(&mut self) {
        self.exact.take_if(|exact| !self.has_local && !exact::need_64_bits(exact));
        (self.extent, self.measured, self.local) = (Extent::default(), self.rounded.len(), None);
    }

    /// Returns the positions in 32 bits and, if needed, in 64.
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
        let exact = exact.filter(|exact| exact::need_64_bits(exact));
        (gather(&self.rounded, places), exact)
    }
}

/// Returns `true` if rounding to 32 bits may move a position by more than a millimetre.
fn is_far(positions: &[[f32; 3]]) -> bool {
    positions.as_flattened().iter().fold(0.0, |largest: f32, coordinate| largest.max(coordinate.abs())) >= FAR
}
