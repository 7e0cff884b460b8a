//! Repairs vectors for glTF: finite values, and unit length of directions and quaternions.

use crate::Loss;

/// The tolerance for the length of normals: the precision of half floats and 16-bit integers.
pub(super) const UNIT: f32 = 1e-3;

/// The tolerance for the length of quaternions: rounding.
const UNIT_ROTATION: f32 = 1e-5;

/// Tests all values, which is faster than stopping at the first non-finite one.
pub(super) fn all_finite(values: &[f32]) -> bool {
    !values.iter().fold(false, |found, value| found | !value.is_finite())
}

pub(super) fn is_unit<const N: usize>(vector: &[f32; N], tolerance: f32) -> bool {
    let squared: f32 = vector.iter().map(|x| x * x).sum();
    (squared - 1.0).abs() <= 2.0 * tolerance
}

/// Counts of normalized vectors.
#[derive(Default)]
pub(super) struct NormalizeStats {
    scaled: usize,
    /// The number of vectors without a direction.
    pub none: usize,
}

impl NormalizeStats {
    /// Normalizes a vector; one without a direction becomes `default`.
    pub fn normalize<const N: usize>(&mut self, vector: &mut [f32; N], default: [f32; N], tolerance: f32) {
        if is_unit(vector, tolerance) {
            return;
        }
        let length = vector.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
        if length == 0.0 || !length.is_finite() {
            *vector = default;
            self.none += 1;
            return;
        }
        for x in vector {
            *x = (f64::from(*x) / length) as f32;
        }
        self.scaled += 1;
    }

    pub fn list(self, path: &str, what: &'static str, of: usize, default: &str, losses: &mut Vec<Loss>) {
        if self.scaled > 0 {
            let loss = Loss::changed(path, format!("{what} normalised"));
            losses.push(loss.affecting(self.scaled, of, what));
        }
        if self.none > 0 {
            let loss = Loss::changed(path, format!("{what} without a direction become {default}"));
            losses.push(loss.affecting(self.none, of, what));
        }
    }
}

/// Normalizes quaternions.
pub(super) fn repair_rotations<'a>(
    values: impl Iterator<Item = &'a mut [f32; 4]>,
    path: &str,
    losses: &mut Vec<Loss>,
) {
    let mut stats = NormalizeStats::default();
    let mut all = 0;
    for value in values {
        stats.normalize(value, [0.0, 0.0, 0.0, 1.0], UNIT_ROTATION);
        all += 1;
    }
    stats.list(path, "rotations", all, "the identity", losses);
}

/// Replaces each non-finite vector by `default` in all components.
pub(super) fn vectors<'a>(
    values: impl Iterator<Item = &'a mut [f32; 3]>,
    default: f32,
    path: &str,
    losses: &mut Vec<Loss>,
) {
    let mut count = 0;
    for value in values.filter(|value| !value.iter().all(|x| x.is_finite())) {
        *value = [default; 3];
        count += 1;
    }
    if count > 0 {
        losses.push(
            Loss::changed(path, format!("non-finite vectors become {default}")).counting(count, "vectors"),
        );
    }
}

/// Replaces non-finite numbers by 0.
pub(super) fn finite(values: &mut [f32], path: String, losses: &mut Vec<Loss>) {
    if all_finite(values) {
        return;
    }
    let mut count = 0;
    for value in values.iter_mut().filter(|value| !value.is_finite()) {
        *value = 0.0;
        count += 1;
    }
    losses.push(Loss::changed(path, "non-finite numbers become 0").counting(count, "numbers"));
}
