//! Repairs vectors for glTF: makes them finite, and normalises directions and quaternions.

use crate::Loss;
use crate::interop::numbers::all_finite;

/// The tolerance for the length of normals and tangents: the precision of half floats and 16-bit integers.
pub(super) const UNIT_TOLERANCE: f32 = 1e-3;

/// The allowed deviation of a quaternion's length from 1, which covers rounding.
const UNIT_QUATERNION_TOLERANCE: f32 = 1e-5;

pub(super) fn is_unit<const N: usize>(vector: &[f32; N], tolerance: f32) -> bool {
    let squared: f32 = vector.iter().map(|x| x * x).sum();
    (squared - 1.0).abs() <= 2.0 * tolerance
}

/// Normalises vectors, and counts the changed ones.
#[derive(Default)]
pub(super) struct NormalizeStats {
    normalized: usize,
    /// The number of vectors without a direction.
    pub without_direction: usize,
}

impl NormalizeStats {
    /// Normalises a vector unless its length is 1 within `tolerance`. Replaces zero-length and non-finite vectors by
    /// `default`.
    pub fn normalize<const N: usize>(&mut self, vector: &mut [f32; N], default: [f32; N], tolerance: f32) {
        if is_unit(vector, tolerance) {
            return;
        }
        let length = vector.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
        if length == 0.0 || !length.is_finite() {
            *vector = default;
            self.without_direction += 1;
            return;
        }
        for x in vector {
            *x = (f64::from(*x) / length) as f32;
        }
        self.normalized += 1;
    }

    pub fn list(self, path: &str, what: &'static str, of: usize, default: &str, losses: &mut Vec<Loss>) {
        let loss = Loss::changed(path, format!("{what} were normalised"));
        losses.extend(loss.with_count_of(self.normalized, of, what).if_any());
        let loss = Loss::changed(path, format!("{what} without a direction were replaced by {default}"));
        losses.extend(loss.with_count_of(self.without_direction, of, what).if_any());
    }
}

/// Normalises quaternions. Records the changes at `path`.
pub(super) fn repair_rotations(values: &mut [[f32; 4]], path: &str, losses: &mut Vec<Loss>) {
    let mut stats = NormalizeStats::default();
    for value in &mut *values {
        stats.normalize(value, [0.0, 0.0, 0.0, 1.0], UNIT_QUATERNION_TOLERANCE);
    }
    stats.list(path, "rotations", values.len(), "the identity", losses);
}

/// Replaces each non-finite vector by a vector whose components are `default`.
pub(super) fn repair_vectors(values: &mut [[f32; 3]], default: f32, path: &str, losses: &mut Vec<Loss>) {
    let wrong = values.iter_mut().filter(|value| !all_finite(*value));
    let count = wrong.map(|value| *value = [default; 3]).count();
    let loss = Loss::changed(path, format!("non-finite vectors were replaced by {default}"));
    losses.extend(loss.with_count(count, "vectors").if_any());
}
