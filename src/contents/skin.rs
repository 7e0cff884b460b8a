//! Skinned positions and their rounding tolerance.

use super::array::{Array, Numbers};

/// Maximum total number of vertices and joints in all poses of a file. Only the first four poses may exceed this
/// maximum.
const MAX_POSED_ITEMS: u64 = 1 << 20;

/// The rounding error of a skinned position in 32-bit floats, relative to the largest intermediate value.
const ROUNDING_ERROR: f64 = 1e-4;

/// A matrix as four columns, for column vectors.
pub(crate) type Matrix = [[f64; 4]; 4];

/// Returns the frames of an animation to compute poses for, without duplicates: the first, the frame at one third, and
/// the last.
pub(crate) fn sampled_frames(frames: u64) -> Vec<u64> {
    let Some(last) = frames.checked_sub(1) else {
        return Vec::new();
    };
    let mut sampled = vec![0, frames / 3, last];
    sampled.dedup();
    sampled
}

/// The remaining number of vertices and joints that poses of a file may contain.
pub(crate) struct PoseBudget {
    /// The number of vertices and joints in one pose.
    pose_cost: u64,
    remaining: u64,
}

impl PoseBudget {
    /// Creates a budget in which the first four poses always fit.
    pub(crate) fn new(pose_cost: usize) -> PoseBudget {
        let pose_cost = (pose_cost as u64).max(1);
        PoseBudget {
            pose_cost,
            remaining: MAX_POSED_ITEMS.max(pose_cost.saturating_mul(4)),
        }
    }

    /// Deducts one pose from the budget. Returns `false` if the pose does not fit.
    pub(crate) fn take_pose(&mut self) -> bool {
        let rest = self.remaining.checked_sub(self.pose_cost);
        self.remaining = rest.unwrap_or(0);
        rest.is_some()
    }
}

/// Skinned positions, and the values that determine their tolerance.
#[derive(Default)]
pub(crate) struct SkinnedPositions {
    positions: Vec<f32>,
    /// The largest sum of the absolute terms of a coordinate, over all defined coordinates.
    max_sum: f64,
    /// The largest relative deviation allowed in addition to rounding errors.
    max_deviation: f64,
}

impl SkinnedPositions {
    /// Adds a vertex, transformed by `matrix`. If `matrix` is `None`, the position is undefined.
    pub(crate) fn add_vertex(&mut self, point: [f32; 3], matrix: Option<Matrix>) {
        let Some([x, y, z, origin]) = matrix else {
            return self.positions.extend([f32::NAN; 3]);
        };
        let [px, py, pz] = point.map(f64::from);
        for row in 0..3 {
            let terms = [x[row] * px, y[row] * py, z[row] * pz, origin[row]];
            let position = terms.iter().sum::<f64>() as f32;
            let size: f64 = terms.iter().map(|term| term.abs()).sum();
            // A coordinate that overflows a 32-bit float is undefined.
            let is_defined = position.is_finite() && size <= f32::MAX.into();
            self.max_sum = if is_defined {
                self.max_sum.max(size)
            } else {
                self.max_sum
            };
            self.positions
                .push(if is_defined { position } else { f32::NAN });
        }
    }

    /// Allows a relative deviation in addition to rounding errors.
    pub(crate) fn allow_deviation(&mut self, deviation: f64) {
        self.max_deviation = self.max_deviation.max(deviation);
    }

    /// Returns the positions with their tolerance. `max_translation` is an upper bound of the absolute translation
    /// components of the skinning matrices; ignored unless finite.
    pub(crate) fn into_array(self, max_translation: f64) -> Array {
        let max_translation = if max_translation.is_finite() {
            max_translation
        } else {
            0.0
        };
        let tolerance = (ROUNDING_ERROR + self.max_deviation) * self.max_sum.max(max_translation);
        Array::from(Numbers::F32(self.positions))
            .with_components(3)
            .with_tolerance(tolerance as f32)
    }
}
