//! Skinned positions and their rounding tolerance.

use super::array::{Array, Numbers};

/// Maximum vertices and joints in all poses of a file together. Only the first poses that fit are computed.
const MAX_POSED: u64 = 1 << 20;

/// The rounding error of a skinned position in 32-bit floats, relative to the largest number involved.
const ROUNDING: f64 = 1e-4;

/// A matrix as four columns, for column vectors.
pub(crate) type Matrix = [[f64; 4]; 4];

/// Returns the frames at which an animation is posed: the first, the one at a third, and the last.
pub(crate) fn sampled_frames(frames: u64) -> Vec<u64> {
    let Some(last) = frames.checked_sub(1) else { return Vec::new() };
    let mut sampled = vec![0, frames / 3, last];
    sampled.dedup();
    sampled
}

/// The remaining pose budget of a file.
pub(crate) struct Budget {
    /// Cost of one pose: its vertices and joints.
    each: u64,
    left: u64,
}

impl Budget {
    /// Creates a budget for poses of this many vertices and joints. The first animation always fits.
    pub(crate) fn new(each: usize) -> Budget {
        let each = (each as u64).max(1);
        Budget { each, left: MAX_POSED.max(each.saturating_mul(4)) }
    }

    /// Takes one pose from the budget; `false` if it does not fit.
    pub(crate) fn take(&mut self) -> bool {
        let rest = self.left.checked_sub(self.each);
        self.left = rest.unwrap_or(0);
        rest.is_some()
    }
}

/// Accumulates skinned positions.
#[derive(Default)]
pub(crate) struct Skinned {
    positions: Vec<f32>,
    /// The largest sum of products over all defined positions.
    largest: f64,
}

impl Skinned {
    /// Adds a vertex transformed by this matrix; its position is undefined without one.
    pub(crate) fn add(&mut self, point: [f32; 3], matrix: Option<Matrix>) {
        let Some([x, y, z, origin]) = matrix else { return self.positions.extend([f32::NAN; 3]) };
        let [px, py, pz] = point.map(f64::from);
        for row in 0..3 {
            let terms = [x[row] * px, y[row] * py, z[row] * pz, origin[row]];
            let position = terms.iter().sum::<f64>() as f32;
            let size: f64 = terms.iter().map(|term| term.abs()).sum();
            // A position that overflows a 32-bit float is undefined.
            let is_defined = position.is_finite() && size <= f32::MAX.into();
            self.largest = if is_defined { self.largest.max(size) } else { self.largest };
            self.positions.push(if is_defined { position } else { f32::NAN });
        }
    }

    /// Returns the positions with their tolerance. `reach` is the largest matrix element.
    pub(crate) fn into_array(self, reach: f64) -> Array {
        let reach = if reach.is_finite() { reach } else { 0.0 };
        Array::from(Numbers::F32(self.positions))
            .with_components(3)
            .with_tolerance((ROUNDING * self.largest.max(reach)) as f32)
    }
}
