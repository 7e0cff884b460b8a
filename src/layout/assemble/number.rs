//! Values as bytes, and texts as values.

use crate::layout::{BitField, BitRange, Shape, Type, Value};

/// A number in the bytes of a plain type: the first `n` of them.
///
/// # Errors
///
/// If it does not fit.
pub(super) fn encode(ty: &Type, value: &Value) -> Result<([u8; 16], usize), String> {
    let (size, word) = match (ty, value) {
        (Type::Float(4), Value::F32(number)) => (4, number.to_bits().into()),
        (Type::Float(8), Value::F64(number)) => (8, number.to_bits().into()),
        (Type::Unsigned(size), Value::Bits(word, _)) => (*size, *word),
        (Type::Unsigned(size), Value::Int(number)) if *size < 16 => {
            let max = (1i128 << (8 * size)) - 1;
            if !(0..=max).contains(number) {
                return Err(format!("{number} does not fit: its values are 0 to {max}"));
            }
            (*size, *number as u128)
        }
        (Type::Unsigned(size), Value::Int(number)) => (*size, *number as u128),
        (Type::Signed(size), Value::Int(number)) => {
            let max = i128::MAX >> (128 - 8 * size.min(&16));
            if !(-max - 1..=max).contains(number) {
                return Err(format!("{number} does not fit: its values are {} to {max}", -max - 1));
            }
            (*size, *number as u128)
        }
        _ => return Err(format!("{value} is not {}", kind_of(ty))),
    };
    Ok((word.to_le_bytes(), size.min(16) as usize))
}

/// The value that a text stands for: `7`, `-0x10`, `1.5`, `NaN:ffc00001`, the name of an enum's value. Of a string, the
/// text itself.
pub(super) fn parse(ty: &Type, text: &str) -> Result<Value, String> {
    let value = match ty {
        Type::Unsigned(16) => unsigned(text).map(|number| Value::Int(number as i128)),
        Type::Unsigned(_) | Type::Signed(_) => signed(text).map(Value::Int),
        Type::Float(4) => float(text, f32::from_bits).map(Value::F32),
        Type::Float(_) => float(text, f64::from_bits).map(Value::F64),
        Type::NulString => Some(Value::Text(text.as_bytes().to_vec())),
        Type::Declared(declaration) => match declaration.shape {
            Shape::Bits { .. } => unsigned(text).map(|word| Value::Bits(word, declaration)),
            Shape::Enum { values, .. } => {
                let named = values.iter().find(|value| value.name == text).map(|value| value.value);
                named.or_else(|| signed(text)).map(Value::Int)
            }
            Shape::Struct(_) | Shape::Choice(_) => None,
        },
        Type::Array(..) | Type::List(_) => None,
    };
    value.ok_or_else(|| format!("\"{}\" is not {}", text.escape_debug(), kind_of(ty)))
}

fn kind_of(ty: &Type) -> String {
    match ty {
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

fn unsigned(text: &str) -> Option<u128> {
    match text.strip_prefix("0x") {
        Some(digits) => u128::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// An integer that may have a sign; `true` is 1.
pub(super) fn signed(text: &str) -> Option<i128> {
    match (text, text.strip_prefix('-')) {
        ("true", _) => Some(1),
        ("false", _) => Some(0),
        (_, Some(digits)) => unsigned(digits).and_then(|number| 0i128.checked_sub_unsigned(number)),
        (_, None) => unsigned(text).and_then(|number| i128::try_from(number).ok()),
    }
}

/// A float as documents in JSON have it.
fn float<W: Width, F: std::str::FromStr>(text: &str, from_bits: fn(W) -> F) -> Option<F> {
    match text.strip_prefix("NaN:") {
        Some(digits) if digits.len() == 2 * size_of::<W>() => W::of_digits(digits).map(from_bits),
        Some(_) => None,
        None => text.parse().ok(),
    }
}

trait Width: Sized {
    fn of_digits(digits: &str) -> Option<Self>;
}

impl Width for u32 {
    fn of_digits(digits: &str) -> Option<u32> {
        u32::from_str_radix(digits, 16).ok()
    }
}

impl Width for u64 {
    fn of_digits(digits: &str) -> Option<u64> {
        u64::from_str_radix(digits, 16).ok()
    }
}

/// A number in the bits of a field.
///
/// # Errors
///
/// If it does not fit.
pub(super) fn bits_of_number(number: i128, field: &BitField) -> Result<u128, String> {
    let width = field.bits.width;
    let (min, max) = match field.signed {
        true => (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1),
        false if width > 126 => (0, i128::MAX),
        false => (0, (1i128 << width) - 1),
    };
    if !(min..=max).contains(&number) {
        return Err(format!("{number} does not fit in `{}`: its values are {min} to {max}", field.name));
    }
    Ok(number as u128 & (u128::MAX >> (128 - width)))
}

/// A word with another number in one of its fields.
///
/// # Errors
///
/// If it does not fit.
pub(super) fn with_bits(word: u128, field: &BitField, number: i128) -> Result<u128, String> {
    let BitRange { offset, width } = field.bits;
    let mask = u128::MAX >> (128 - width) << offset;
    Ok(word & !mask | bits_of_number(number, field)? << offset)
}
