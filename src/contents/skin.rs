//! Skinned positions: where joints take vertices, and how much rounding may change that.

use super::array::{Array, Numbers};

/// Vertices and joints that the poses of a file may have in total: after that, only the first poses are computed.
const MAX_POSED: u64 = 1 << 20;

/// The deviation of a skinned position that rounding in 32-bit floats explains, relative to the largest number involved.
const ROUNDING: f64 = 1e-4;

/// A matrix as four columns, for column vectors.
pub(crate) type Matrix = [[f64; 4]; 4];

/// The frames at which the poses of an animation are given: the first one, the one after a third, and the last one.
pub(crate) fn sampled_frames(frames: u64) -> Vec<u64> {
    let Some(last) = frames.checked_sub(1) else { return Vec::new() };
    let mut sampled = vec![0, frames / 3, last];
    sampled.dedup();
    sampled
}

/// The remaining budget for the poses of a file.
pub(crate) struct Budget {
    /// Vertices and joints of one pose.
    each: u64,
    left: u64,
}

impl Budget {
    /// A budget for poses of so many vertices and joints. The first animation always fits.
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

/// Skinned positions as they are computed.
#[derive(Default)]
pub(crate) struct Skinned {
    positions: Vec<f32>,
    /// The largest sum of products of a defined position.
    largest: f64,
    /// The largest relative deviation besides rounding.
    slack: f64,
}

impl Skinned {
    /// Adds the position of a vertex that this matrix moves; undefined without one.
    pub(crate) fn add(&mut self, point: [f32; 3], matrix: Option<Matrix>) {
        let Some([x, y, z, origin]) = matrix else { return self.positions.extend([f32::NAN; 3]) };
        let [px, py, pz] = point.map(f64::from);
        for row in 0..3 {
            let terms = [x[row] * px, y[row] * py, z[row] * pz, origin[row]];
            let position = terms.iter().sum::<f64>() as f32;
            let size: f64 = terms.iter().map(|term| term.abs()).sum();
            // What overflows in 32-bit floats has no value.
            let is_defined = position.is_finite() && size <= f32::MAX.into();
            self.largest = if is_defined { self.largest.max(size) } else { self.largest };
            self.positions.push(if is_defined { position } else { f32::NAN });
        }
    }

    /// Permits this relative deviation besides rounding.
    #[cfg(feature = "mesh")]
    pub(crate) fn permit(&mut self, deviation: f64) {
        self.slack = self.slack.max(deviation);
    }

    /// The positions, with their tolerance. `reach` is the largest number of the matrices.
    pub(crate) fn into_array(self, reach: f64) -> Array {
        let reach = if reach.is_finite() { reach } else { 0.0 };
        Array::from(Numbers::F32(self.positions))
            .with_components(3)
            .with_tolerance(((ROUNDING + self.slack) * self.largest.max(reach)) as f32)
    }
}
