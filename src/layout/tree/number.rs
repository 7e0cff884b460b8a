//! Encodes numbers, enum values and packed words as bytes, and parses them from text.

use std::str::FromStr;

use super::untyped_value::UntypedValue;
use crate::layout::declaration::{BitField, BitRange, Declaration, Shape, Type};
use crate::layout::expr::{IntType, Value};
use crate::layout::walk::{Segment, path_text};
use crate::text::{parse_digits, parse_nan_bits};

/// Encodes a number, enum value or packed word. Returns a buffer and the number of bytes used. Returns an error if the
/// value does not fit or has another type.
pub(in crate::layout) fn encode(ty: &Type, value: &Value) -> Result<([u8; 16], usize), String> {
    let is_big = matches!(ty, Type::BigEndian(_));
    let ty = &ty.stored_type();
    let (size, word) = match (ty, value) {
        (Type::Float(4), Value::F32(number)) => (4, number.to_bits().into()),
        (Type::Float(8), Value::F64(number)) => (8, number.to_bits().into()),
        (Type::Unsigned(size), Value::Bits(word, _)) => {
            let max = ty.int_type().map_or(0, |int| int.range().1 as u128);
            if *size < 16 && *word > max {
                return Err(format!("{word:#x} is out of range 0..={max:#x}"));
            }
            (*size, *word)
        }
        (Type::Unsigned(16), Value::Wide(number)) => (16, *number),
        // In slots, the upper half of the unsigned 128-bit range is negative.
        (Type::Unsigned(16), Value::Int(number)) => (16, *number as u128),
        (Type::Unsigned(size) | Type::Signed(size), Value::Int(number)) => {
            let (min, max) = ty.int_type().map_or((0, 0), IntType::range);
            if !(min..=max).contains(number) {
                return Err(format!("{number} is out of range {min}..={max}"));
            }
            (*size, *number as u128)
        }
        _ => return Err(format!("{value} is not {}", describe_type(ty))),
    };
    let (mut bytes, size) = (word.to_le_bytes(), size.min(16) as usize);
    if is_big {
        bytes[..size].reverse();
    }
    Ok((bytes, size))
}

/// Parses a value: `7`, `-0x10`, `1.5`, `NaN:ffc00001`, or the name of an enum value. A string is `text` itself.
pub(in crate::layout) fn parse_value(ty: &Type, text: &str) -> Result<Value, String> {
    let value = match ty.without_byte_order() {
        Type::Unsigned(16) => parse_unsigned(text).map(Value::unsigned),
        Type::Unsigned(_) | Type::Signed(_) => parse_signed(text).map(Value::Int),
        Type::Float(4) => parse_float(text, 8, |bits| f32::from_bits(bits as u32))?.map(Value::F32),
        Type::Float(_) => parse_float(text, 16, f64::from_bits)?.map(Value::F64),
        Type::NulString => Some(Value::Text(text.as_bytes().to_vec())),
        Type::Declared(declaration) => match declaration.shape {
            Shape::Bits { .. } => parse_unsigned(text).map(|word| Value::Bits(word, declaration)),
            Shape::Enum { values, .. } => {
                let named = values
                    .iter()
                    .find(|value| value.name == text)
                    .map(|value| value.value);
                named.or_else(|| parse_signed(text)).map(Value::Int)
            }
            Shape::Struct(_) | Shape::Choice(_) => None,
        },
        Type::Array(..) | Type::List(_) | Type::BigEndian(_) => None,
    };
    value.ok_or_else(|| format!("\"{}\" is not {}", text.escape_debug(), describe_type(ty)))
}

/// Describes a type in error messages, such as `an integer`.
pub(in crate::layout) fn describe_type(ty: &Type) -> String {
    match ty {
        Type::BigEndian(number) => describe_type(number),
        Type::Unsigned(_) | Type::Signed(_) => "an integer".to_owned(),
        Type::Float(_) => "a number".to_owned(),
        Type::NulString => "a string".to_owned(),
        Type::Array(..) | Type::List(_) => "a list".to_owned(),
        Type::Declared(declaration) => match declaration.shape {
            Shape::Enum { values, .. } => {
                let names: Vec<_> = values.iter().map(|value| value.name).collect();
                format!("a value of {}: {}", declaration.name, names.join(", "))
            }
            Shape::Bits { .. } => "an integer".to_owned(),
            Shape::Struct(_) | Shape::Choice(_) => format!("a {}", declaration.name),
        },
    }
}

/// Parses a decimal or hexadecimal (`0x…`) integer without a sign.
fn parse_unsigned(text: &str) -> Option<u128> {
    let (digits, radix) = text
        .strip_prefix("0x")
        .map_or((text, 10), |digits| (digits, 16));
    parse_digits(digits, radix)
}

/// Parses an integer with an optional sign; `true` is 1, and `false` is 0.
fn parse_signed(text: &str) -> Option<i128> {
    match (text, text.strip_prefix('-')) {
        ("true", _) => Some(1),
        ("false", _) => Some(0),
        (_, Some(digits)) => {
            parse_unsigned(digits).and_then(|number| 0i128.checked_sub_unsigned(number))
        }
        (_, None) => parse_unsigned(text.strip_prefix('+').unwrap_or(text))?
            .try_into()
            .ok(),
    }
}

/// Like [`parse_signed`], but returns an error message instead of `None`.
pub(in crate::layout) fn parse_integer(text: &str) -> Result<i128, String> {
    parse_signed(text).ok_or_else(|| format!("\"{}\" is not an integer", text.escape_debug()))
}

/// Parses a decimal, `Infinity`, `-Infinity`, `NaN`, or `NaN:` and the bits of a NaN in `digits` hexadecimal digits.
/// Returns an error if a decimal is out of range.
fn parse_float<F>(text: &str, digits: usize, of_bits: fn(u64) -> F) -> Result<Option<F>, String>
where
    F: FromStr + Copy + Into<f64>,
{
    let nan = parse_nan_bits(text, digits)
        .map(of_bits)
        .filter(|number| (*number).into().is_nan());
    let number = nan.or_else(|| text.parse().ok());
    // Rust parses decimals that are too large as infinity.
    let has_digits = text.contains(|character: char| character.is_ascii_digit());
    if has_digits && number.is_some_and(|number| number.into().is_infinite()) {
        return Err(format!(
            "{text} is out of range for a {}-bit float",
            4 * digits
        ));
    }
    Ok(number)
}

/// Like [`encode_bits`], for a number as text.
pub(in crate::layout) fn encode_bits_of_text(text: &str, field: &BitField) -> Result<u128, String> {
    match parse_unsigned(text) {
        // The number may exceed the range of an `i128`.
        Some(number) if field.int_type() == IntType::U128 => Ok(number),
        _ => encode_bits(parse_integer(text)?, field),
    }
}

/// Encodes a number as the value of a bit field, in the lowest bits. Returns an error if the number does not fit.
pub(in crate::layout) fn encode_bits(number: i128, field: &BitField) -> Result<u128, String> {
    let (min, max) = field.int_type().range();
    if !(min..=max).contains(&number) {
        return Err(format!(
            "{number} is out of range {min}..={max} of `{}`",
            field.name
        ));
    }
    Ok(number as u128
        & BitRange {
            offset: 0,
            width: field.bits.width,
        }
        .mask())
}

/// Sets the bit field at `path` in a packed word. The path may lead through nested words. Returns an error if the word
/// has no such field, or the value is not an integer that fits.
pub(in crate::layout) fn set_bits(
    word: &mut u128,
    declaration: &Declaration,
    path: &[Segment],
    value: &UntypedValue,
) -> Result<(), String> {
    let names = path.iter().map(|step| step.name().unwrap_or_default());
    let missing = || format!("{} has no field `{}`", declaration.name, path_text(path));
    let (bits, field) = declaration
        .bit_field_at(&names.collect::<Vec<_>>())
        .ok_or_else(missing)?;
    let UntypedValue::Text(text) = value else {
        return Err(format!(
            "`{}` is an integer, but the given value is not",
            field.name
        ));
    };
    *word = bits.insert(*word, encode_bits_of_text(text, field)?);
    Ok(())
}
