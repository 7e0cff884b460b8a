//! Rounds floats to the nearest packed numbers.
//!
//! The shared exponent is the smallest at which no number saturates. This minimises the largest error: half a step.

use half::f16;

use super::super::bits::power_of_two;
use super::super::schema::triple::fraction_unit;
use super::super::schema::{F8A, FineSt, Normal, Rotation, ScaledSt, Triple, WideSt};
use super::decode::SHADE_COLORS;
use crate::layout::declaration::BitRange;
use crate::{Error, Result, path};

impl F8A {
    /// Returns the nearest code; clamps to ±1.9375. NaN counts as 0.
    ///
    /// ```
    /// use meshspec::bmd::F8A;
    ///
    /// assert_eq!(F8A::nearest(0.7).value(), 0.6875);
    /// assert_eq!(F8A::nearest(-9.0).value(), -1.9375);
    /// assert_eq!(F8A::nearest(0.004).value(), 0.0);
    /// ```
    pub fn nearest(value: f32) -> F8A {
        F8A::from(step_code(nearest_step(value)))
    }
}

/// Returns the step nearest to a value. Steps rank the codes by value, from −127 to 127; step 0 is 0.0.
fn nearest_step(value: f32) -> i32 {
    const SMALLEST: f32 = F8A::from_bytes([1]).value();
    let magnitude = value.abs();
    if magnitude.is_nan() || magnitude <= SMALLEST / 2.0 {
        return 0;
    }
    // Rounds away the bits below the fraction of F8A. The difference between the remaining bits and those of 1.0 is the
    // number of steps from 1.0.
    const DROPPED_BITS: u32 = f32::MANTISSA_DIGITS - 1 - F8A::FRACTION.width;
    let step_of = |bits: u32| (bits >> DROPPED_BITS) as i32;
    let float = magnitude.to_bits();
    let rounded = float.saturating_add((1 << (DROPPED_BITS - 1)) - 1 + (float >> DROPPED_BITS & 1));
    let step = step_of(rounded) - step_of(1.0f32.to_bits()) + i32::from(F8A::ONE.code());
    step.clamp(1, 127) * if value < 0.0 { -1 } else { 1 }
}

/// Returns the code of a step, −127 to 127.
fn step_code(step: i32) -> u8 {
    let sign = if step < 0 {
        1 << F8A::NEGATIVE.offset
    } else {
        0
    };
    step.unsigned_abs() as u8 | sign
}

impl Normal {
    /// Returns the nearest code of each component.
    pub fn nearest([x, y, z]: [f32; 3]) -> Normal {
        Normal::new()
            .with_x(F8A::nearest(x))
            .with_y(F8A::nearest(y))
            .with_z(F8A::nearest(z))
    }
}

impl Rotation {
    /// Returns the code with the smallest angle to a quaternion (I, J, K, R) of any non-zero length. Searches only
    /// codes within one step of the nearest code of each component. `None` if the length is 0 or non-finite.
    pub fn nearest(quaternion: [f32; 4]) -> Option<Rotation> {
        let wide = quaternion.map(f64::from);
        let length = wide.iter().map(|c| c * c).sum::<f64>().sqrt();
        if length == 0.0 || !length.is_finite() {
            return None;
        }
        let target = wide.map(|c| c / length);
        let nearest = target.map(|c| nearest_step(c as f32));
        let mut best = (-1.0, Rotation::IDENTITY);
        // The nearest codes come first, so they win ties.
        const OFFSETS: [i32; 3] = [0, -1, 1];
        for choice in 0..81 {
            let digits: [usize; 4] = [choice % 3, choice / 3 % 3, choice / 9 % 3, choice / 27];
            let code = |i: usize| step_code((nearest[i] + OFFSETS[digits[i]]).clamp(-127, 127));
            let rotation = Rotation::from_bytes(std::array::from_fn(code));
            let components = rotation.components().map(f64::from);
            let length = components.iter().map(|c| c * c).sum::<f64>().sqrt();
            let cosine = components
                .iter()
                .zip(target)
                .map(|(a, b)| a * b)
                .sum::<f64>()
                / length;
            if cosine > best.0 {
                best = (cosine, rotation);
            }
        }
        Some(best.1)
    }

    /// Returns the angle in degrees to a quaternion (I, J, K, R) of any non-zero length.
    ///
    /// ```
    /// use meshspec::bmd::Rotation;
    ///
    /// let quaternion = [0.0, 0.0, 0.6, 0.8];
    /// let packed = Rotation::nearest(quaternion).unwrap();
    /// assert!(packed.angle_to(quaternion) < 1.0);
    /// assert_eq!(Rotation::nearest([0.0; 4]), None);
    /// ```
    pub fn angle_to(self, quaternion: [f32; 4]) -> f64 {
        let target = quaternion.map(f64::from);
        let own = self.value().map(f64::from);
        let dot = |a: [f64; 4], b: [f64; 4]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let lengths = [dot(own, own), dot(target, target)].map(f64::sqrt);
        let sign = if dot(own, target) < 0.0 { -1.0 } else { 1.0 };
        let chord: [f64; 4] =
            std::array::from_fn(|i| own[i] / lengths[0] - sign * target[i] / lengths[1]);
        // Cosines of small angles round to 1; chords do not.
        4.0 * (dot(chord, chord).sqrt() / 2.0)
            .min(1.0)
            .asin()
            .to_degrees()
    }
}

impl Triple {
    /// The largest positive component: 130,560.
    pub const MAX: f32 = 255.0 * 512.0;

    /// Returns the nearest code of three numbers. The error of each number is at most half a step. `None` if a number
    /// is non-finite, or too large at the largest exponent.
    ///
    /// ```
    /// use meshspec::bmd::Triple;
    ///
    /// let triple = Triple::nearest([1.0, -0.5, 0.001]).unwrap();
    /// assert_eq!(triple.value(), [1.0, -0.5, 0.0]);
    /// assert_eq!(Triple::nearest([1e6, 0.0, 0.0]), None);
    /// ```
    pub fn nearest(values: [f32; 3]) -> Option<Triple> {
        all_fit(&values).then(|| Triple::from(nearest_triple(values)))
    }

    /// Returns the nearest codes in bulk.
    ///
    /// ```
    /// use meshspec::bmd::Triple;
    ///
    /// let triples = Triple::nearest_all(&[[1.0, -0.5, 0.0], [2.0, 0.0, 0.0]])?;
    /// assert_eq!(triples[1].value(), [2.0, 0.0, 0.0]);
    /// assert_eq!(Triple::nearest_all(&[[0.0; 3], [1e6, 0.0, 0.0]]).unwrap_err().path(), "[1]");
    /// # Ok::<(), meshspec::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if a triple cannot be expressed; the path is `[index]`.
    pub fn nearest_all(values: &[[f32; 3]]) -> Result<Vec<Triple>> {
        if all_fit(values.as_flattened()) {
            return Ok(values
                .iter()
                .map(|values| Triple::from(nearest_triple(*values)))
                .collect());
        }
        let index = values
            .iter()
            .position(|values| !all_fit(values))
            .unwrap_or(0);
        let message = format!(
            "{:?} is non-finite or outside ±{}",
            values[index],
            Triple::MAX
        );
        Err(Error::inexpressible(message).at(path!([index])))
    }
}

/// Returns `true` if `values` are finite and in range. Branch-free, like [`nearest_triple`].
#[inline(always)]
fn all_fit(values: &[f32]) -> bool {
    let step = fraction_unit(31);
    // Ties round to even: 255.5 to 256, which does not fit, and −256.5 to −256, which does.
    values.iter().fold(true, |all, x| {
        all & (*x < 255.5 * step) & (*x >= -256.5 * step)
    })
}

/// Returns the packed word of the nearest triple, for numbers in range.
#[inline(always)]
fn nearest_triple([x, y, z]: [f32; 3]) -> u32 {
    let larger = |a: f32, b: f32| if a > b { a } else { b };
    let (max, min) = (larger(larger(x, y), z), -larger(larger(-x, -y), -z));
    // Starts one below the exponent that gives fractions of 128 to 255. At most two increments are needed.
    let bias = fraction_unit(0).to_bits() >> 23;
    let magnitude = larger(larger(max, -min), f32::from_bits((bias + 8) << 23));
    let mut exponent = (magnitude.to_bits() >> 23) - (bias + 8);
    for _ in 0..2 {
        let step = f32::from_bits((bias + exponent) << 23);
        exponent += u32::from((max >= 255.5 * step) | (min < -256.5 * step));
    }
    let steps_per_unit = f32::from_bits((254 - bias - exponent) << 23);
    insert_bits(Triple::FRAC_X, round(x * steps_per_unit))
        | insert_bits(Triple::FRAC_Y, round(y * steps_per_unit))
        | insert_bits(Triple::FRAC_Z, round(z * steps_per_unit))
        | insert_bits(Triple::EXPONENT, exponent)
}

/// Rounds to the nearest integer, ties to even. Only the lowest 22 bits of the result are valid.
#[inline(always)]
fn round(value: f32) -> u32 {
    // At this magnitude, adjacent floats differ by 1.
    (value + 12_582_912.0).to_bits()
}

#[inline(always)]
fn insert_bits(range: BitRange, value: u32) -> u32 {
    (value & (u32::MAX >> (32 - range.width))) << range.offset
}

/// Returns the fractions of both coordinates, and the smallest exponent at which they have at most `width` bits. `None`
/// if no exponent suffices. A fraction is (coordinate / scale + bias) · steps, rounded.
fn nearest_st(
    st: [f32; 2],
    mut exponents: std::ops::Range<u32>,
    scale: impl Fn(u32) -> f32,
    bias: f64,
    steps: f64,
    width: u32,
) -> Option<([u16; 2], u8)> {
    let max = f64::from((1u32 << width) - 1);
    exponents.find_map(|exponent| {
        let scale = f64::from(scale(exponent));
        let fractions = st.map(|x| ((f64::from(x) / scale + bias) * steps).round_ties_even());
        let all_fit = fractions
            .iter()
            .all(|fraction| (0.0..=max).contains(fraction));
        all_fit.then(|| (fractions.map(|fraction| fraction as u16), exponent as u8))
    })
}

impl ScaledSt {
    /// Returns the nearest code; `None` if a coordinate is out of range at every exponent.
    pub fn nearest(st: [f32; 2]) -> Option<ScaledSt> {
        let scale = |exponent| power_of_two(2 * exponent);
        let ([s, t], exponent) = nearest_st(st, 0..4, scale, 0.5, 1024.0, ScaledSt::FRAC_S.width)?;
        Some(
            ScaledSt::new()
                .with_frac_s(s)
                .with_frac_t(t)
                .with_exponent(exponent),
        )
    }
}

impl FineSt {
    /// Returns the nearest code; `None` if a coordinate is out of range.
    pub fn nearest(st: [f32; 2]) -> Option<FineSt> {
        let ([s, t], _) = nearest_st(st, 0..1, power_of_two, 0.5, 2048.0, FineSt::FRAC_S.width)?;
        Some(FineSt::new().with_frac_s(s).with_frac_t(t))
    }
}

impl WideSt {
    /// Returns the nearest code; `None` if a coordinate is out of range at every exponent.
    pub fn nearest(st: [f32; 2]) -> Option<WideSt> {
        let ([s, t], exponent) =
            nearest_st(st, 0..16, power_of_two, 2.0, 4096.0, WideSt::FRAC_S.width)?;
        Some(
            WideSt::new()
                .with_frac_s(s)
                .with_frac_t(t)
                .with_exponent(exponent),
        )
    }
}

/// Returns the nearest binary16 numbers; `None` if a number is NaN or rounds to infinity.
pub(super) fn nearest_binary16(values: [f32; 3]) -> Option<[u16; 3]> {
    let halves = values.map(f16::from_f32);
    halves
        .iter()
        .all(|half| half.is_finite())
        .then(|| halves.map(f16::to_bits))
}

/// Returns the colour/shade byte nearest to a colour (red, green, blue), by Euclidean distance (B17).
///
/// ```
/// use meshspec::bmd::{nearest_shade, shade_color};
///
/// assert_eq!(nearest_shade([255, 255, 255]), 0x0f);
/// assert_eq!(shade_color(nearest_shade([250, 90, 80])), [255, 85, 85]);
/// ```
pub fn nearest_shade(color: [u8; 3]) -> u8 {
    let distance = |code: &u8| -> i32 {
        let channels = SHADE_COLORS[usize::from(*code)].into_iter().zip(color);
        channels
            .map(|(a, b)| (i32::from(a) - i32::from(b)).pow(2))
            .sum()
    };
    (0..=255).min_by_key(distance).unwrap_or_default()
}
