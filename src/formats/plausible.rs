//! What plausible documents have that no declaration says.

/// The vector with length 1, or this one if it has no length.
pub(super) fn unit<const N: usize>(vector: [f32; N], fallback: [f32; N]) -> [f32; N] {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length.is_normal() { vector.map(|x| x / length) } else { fallback }
}
