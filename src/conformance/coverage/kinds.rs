//! The kinds of values that coverage counts, by type.

use std::num::FpCategory;

pub(super) const INTEGERS: &[&str] = &["0", "1", "sign bit", "largest", "other"];
pub(super) const FLOATS: &[&str] = &[
    "0",
    "-0",
    "1",
    "largest",
    "infinity",
    "quiet NaN",
    "signalling NaN",
    "subnormal",
    "other",
];
pub(super) const STRINGS: &[&str] = &["empty", "ASCII", "beyond ASCII", "not UTF-8"];
pub(super) const LISTS: &[&str] = &["no items", "one item", "several items", MANY];

/// The kind of value of a list whose item count does not fit in one byte.
pub(in crate::conformance) const MANY: &str = "more than 255 items";

/// The kinds of values of an optional field.
pub(super) const PRESENCE: [&str; 2] = ["absent", "present"];

pub(super) const FLAGS: [&str; 2] = ["false", "true"];

pub(super) fn integer_kind(number: i128, bits: u32) -> &'static str {
    let mask = u128::MAX >> (128 - bits.clamp(1, 128));
    match number as u128 & mask {
        0 => "0",
        1 => "1",
        number if number == mask => "largest",
        number if number == 1 << (bits.clamp(1, 128) - 1) => "sign bit",
        _ => "other",
    }
}

pub(super) fn float_kind(number: f32) -> &'static str {
    let is_quiet = number.to_bits() & (1 << 22) != 0;
    classify_float(number.classify(), number.into(), is_quiet, f32::MAX.into())
}

pub(super) fn double_kind(number: f64) -> &'static str {
    let is_quiet = number.to_bits() & (1 << 51) != 0;
    classify_float(number.classify(), number, is_quiet, f64::MAX)
}

/// Returns the kind of value of a float. `largest` is the largest float of its type.
fn classify_float(category: FpCategory, number: f64, is_quiet: bool, largest: f64) -> &'static str {
    match category {
        FpCategory::Zero if number.is_sign_negative() => "-0",
        FpCategory::Zero => "0",
        FpCategory::Infinite => "infinity",
        FpCategory::Nan if is_quiet => "quiet NaN",
        FpCategory::Nan => "signalling NaN",
        FpCategory::Subnormal => "subnormal",
        FpCategory::Normal if number == 1.0 => "1",
        FpCategory::Normal if number.abs() == largest => "largest",
        FpCategory::Normal => "other",
    }
}

pub(super) fn string_kind(text: &[u8]) -> &'static str {
    match str::from_utf8(text.strip_suffix(&[0]).unwrap_or(text)) {
        Ok("") => "empty",
        Ok(text) if text.is_ascii() => "ASCII",
        Ok(_) => "beyond ASCII",
        Err(_) => "not UTF-8",
    }
}

pub(super) fn list_kind(count: u64) -> &'static str {
    match count {
        0 => "no items",
        1 => "one item",
        2..256 => "several items",
        _ => MANY,
    }
}
