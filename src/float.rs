//! Floats in JSON, which lacks infinities and NaN.
//!
//! These values become the strings `"Infinity"`, `"-Infinity"` and `"NaN"`; a NaN whose bits differ from those of
//! [`f32::NAN`] becomes a string like `"NaN:ffc00001"`.

#[cfg(feature = "gltf")]
use crate::text::parse_nan_bits;

/// Returns the string for a float that is not finite; `None` if the float is finite.
pub fn string_of_f32(value: f32) -> Option<String> {
    let is_default_nan = value.to_bits() == f32::NAN.to_bits();
    string_of(value.into(), is_default_nan, || {
        format!("NaN:{:08x}", value.to_bits())
    })
}

/// Returns the string for a float that is not finite; `None` if the float is finite.
#[cfg(feature = "serde")]
pub fn string_of_f64(value: f64) -> Option<String> {
    let is_default_nan = value.to_bits() == f64::NAN.to_bits();
    string_of(value, is_default_nan, || {
        format!("NaN:{:016x}", value.to_bits())
    })
}

fn string_of(
    value: f64,
    is_default_nan: bool,
    other_nan: impl FnOnce() -> String,
) -> Option<String> {
    match value {
        number if number.is_finite() => None,
        _ if is_default_nan => Some("NaN".to_owned()),
        number if number.is_nan() => Some(other_nan()),
        number => Some(
            if number > 0.0 {
                "Infinity"
            } else {
                "-Infinity"
            }
            .to_owned(),
        ),
    }
}

/// Returns the float of a string that [`string_of_f32`] returns; `None` for other strings.
#[cfg(feature = "gltf")]
pub fn f32_of_string(text: &str) -> Option<f32> {
    match text {
        "Infinity" => Some(f32::INFINITY),
        "-Infinity" => Some(f32::NEG_INFINITY),
        "NaN" => Some(f32::NAN),
        other => parse_nan_bits(other, 8)
            .map(|bits| f32::from_bits(bits as u32))
            .filter(|number| number.is_nan()),
    }
}

/// Narrows `value`, parsed from a decimal, to the 32-bit float that parsing the decimal directly would return.
///
/// Rounding twice can be wrong if the 64-bit float is half-way between two 32-bit floats, as for `7.038531e-26`. In
/// that case, prefers the 32-bit float whose shortest decimal parses to `value`.
pub fn narrow_to_f32(value: f64) -> f32 {
    let nearest = value as f32;
    let other = if value > nearest.into() {
        nearest.next_up()
    } else {
        nearest.next_down()
    };
    let is_half_way =
        (f64::from(nearest) + f64::from(other)) / 2.0 == value && value != f64::from(nearest);
    if is_half_way && format!("{other:e}").parse() == Ok(value) {
        other
    } else {
        nearest
    }
}
