//! Decodes stored values to numbers with a unit.

use std::fmt;

use super::expr::Value;

/// The meaning of a stored value: `#[layout(decoded = function, formula = "x / 255.0", unit = "m")]` in a
/// declaration.
///
/// The function takes the stored value, a plain number or a packed word. It returns a type that converts to
/// [`Decoded`].
///
/// On a packed word, it applies wherever the word is used; either the word or each field of that type gives the
/// unit. Schemas print the formula as a C expression: `x` is the stored number, and the bit fields of a packed
/// word are variables. Brackets enclose a list of numbers.
///
/// ```
/// use binrw::binrw;
/// use meshspec::layout::Layout;
/// use meshspec::layout::decoding::{snorm8, unorm8};
/// use meshspec::layout::dump::Dump;
///
/// /// A battery.
/// #[derive(Layout)]
/// #[binrw]
/// #[brw(little)]
/// struct Battery {
///     #[layout(decoded = unorm8)]
///     charge: u8,
///     #[layout(decoded = snorm8)]
///     current: i8,
///     #[layout(decoded = |millivolts: u16| f32::from(millivolts) / 1000.0, formula = "x / 1000.0", unit = "V")]
///     voltage: u16,
/// }
///
/// let mut text = Vec::new();
/// Dump::new(&Battery::TYPE, &[51, 0x81, 0xb8, 0x0b]).text(&mut text, false)?;
/// let text = String::from_utf8(text).unwrap();
/// assert!(text.contains("51 (0x33) = 0.2\n"), "{text}");
/// assert!(text.contains("-127 (0x81) = -1\n"), "{text}");
/// assert!(text.contains("3000 (0x0bb8) = 3 V\n"), "{text}");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Decoding {
    /// The name of the function in the declaration; empty if the stored number is the value.
    pub name: &'static str,
    /// Decodes a stored value.
    pub decode: Option<fn(&Value) -> Option<Decoded>>,
    /// The formula, as a C expression or in words; empty if the declaration gives none.
    pub formula: &'static str,
    /// The unit; empty if there is none.
    pub unit: &'static str,
}

/// The decoded numbers of a stored value.
#[derive(Debug, Clone, PartialEq)]
pub enum Decoded {
    /// One number.
    Number(Value),
    /// Several numbers, such as a vector.
    List(Vec<Value>),
}

/// A type that decoding functions take: a number, or a packed word with a layout.
#[doc(hidden)]
pub trait FromValue: Sized {
    /// Converts a value; `None` if it has another type.
    fn from_value(value: &Value) -> Option<Self>;
}

/// Applies `function` to a stored value; `None` if the value has another type.
#[doc(hidden)]
pub fn decode<T: FromValue, R: Into<Decoded>>(value: &Value, function: impl Fn(T) -> R) -> Option<Decoded> {
    T::from_value(value).map(|stored| function(stored).into())
}

/// Decodes an unsigned normalized integer to 0..=1.
pub fn unorm8(stored: u8) -> f32 {
    f32::from(stored) / 255.0
}

/// The formula of [`unorm8`].
pub const UNORM8: &str = "x / 255.0";

/// Decodes a signed normalized integer to −1..=1; both −127 and −128 decode to −1.
pub fn snorm8(stored: i8) -> f32 {
    (f32::from(stored) / 127.0).max(-1.0)
}

/// The formula of [`snorm8`].
pub const SNORM8: &str = "fmax(x / 127.0, -1.0)";

impl Decoding {
    /// No decoding and no unit.
    pub const NONE: Decoding = Decoding { name: "", decode: None, formula: "", unit: "" };

    /// Falls back to the decoding of the type for the function, and for the unit.
    fn or(self, of_type: Decoding) -> Decoding {
        let said = if self.decode.is_some() { self } else { of_type };
        Decoding { unit: if self.unit.is_empty() { of_type.unit } else { self.unit }, ..said }
    }

    /// Returns the decoded value and its unit. The decoding of a packed word is the fallback.
    pub fn of(self, value: &Value) -> (Option<Decoded>, &'static str) {
        let of_type = if let Value::Bits(_, word) = value { word.decoding } else { Decoding::NONE };
        let said = self.or(of_type);
        (said.decode.and_then(|decode| decode(value)), said.unit)
    }
}

/// Compares by name and unit, since functions cannot be compared.
impl PartialEq for Decoding {
    fn eq(&self, other: &Decoding) -> bool {
        (self.name, self.unit) == (other.name, other.unit)
    }
}

/// `0.5`, `[0.5, 0, 0]`.
impl fmt::Display for Decoded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |value: &Value| match value {
            Value::F32(number) => number.to_string(),
            Value::F64(number) => number.to_string(),
            other => other.to_string(),
        };
        match self {
            Decoded::Number(number) => f.write_str(&shown(number)),
            Decoded::List(list) => {
                write!(f, "[{}]", list.iter().map(shown).collect::<Vec<_>>().join(", "))
            }
        }
    }
}

macro_rules! numbers {
    ($($number:ty: $to:expr, $from:pat => $back:expr;)*) => {$(
        impl From<$number> for Decoded {
            fn from(number: $number) -> Decoded {
                Decoded::Number($to(number))
            }
        }

        impl<const N: usize> From<[$number; N]> for Decoded {
            fn from(list: [$number; N]) -> Decoded {
                Decoded::List(list.map($to).to_vec())
            }
        }

        impl FromValue for $number {
            fn from_value(value: &Value) -> Option<$number> {
                if let $from = value { $back } else { None }
            }
        }
    )*};
}

numbers! {
    u8: Value::from, Value::Int(number) => Self::try_from(*number).ok();
    u16: Value::from, Value::Int(number) => Self::try_from(*number).ok();
    u32: Value::from, Value::Int(number) => Self::try_from(*number).ok();
    u64: Value::from, Value::Int(number) => Self::try_from(*number).ok();
    i8: Value::from, Value::Int(number) => Self::try_from(*number).ok();
    i16: Value::from, Value::Int(number) => Self::try_from(*number).ok();
    i32: Value::from, Value::Int(number) => Self::try_from(*number).ok();
    i64: Value::from, Value::Int(number) => Self::try_from(*number).ok();
    f32: Value::F32, Value::F32(number) => Some(*number);
    f64: Value::F64, Value::F64(number) => Some(*number);
}
