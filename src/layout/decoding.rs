//! Decodes stored values, such as normalised integers, to numbers with a unit.

use std::fmt;

use super::expr::Value;

/// The decoding of a stored value. Declared as `#[layout(decoded = function, formula = "x / 255.0", unit = "m")]`.
///
/// The function takes the stored number or packed word, and returns a type that converts to [`DecodedValue`].
///
/// The decoding of a packed word applies to all fields of that type that declare no function. The unit may be declared
/// on the word or on the field. The formula is usually a C expression: `x` is the stored number, and the bit fields of
/// a packed word are variables. Brackets enclose a list of numbers.
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
/// Dump::new(&Battery::TYPE, &[51, 0x81, 0xb8, 0x0b]).write_text(&mut text, false)?;
/// let text = String::from_utf8(text).unwrap();
/// assert!(text.contains("51 (0x33) = 0.2\n"), "{text}");
/// assert!(text.contains("-127 (0x81) = -1\n"), "{text}");
/// assert!(text.contains("3000 (0x0bb8) = 3 V\n"), "{text}");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Decoding {
    /// The name of the function in the declaration; empty if no function is declared.
    pub name: &'static str,
    /// The function; `None` if no function is declared. The function returns `None` for a value of the wrong type or
    /// out of range.
    pub decode: Option<fn(&Value) -> Option<DecodedValue>>,
    /// The formula, as a C expression or in words; empty if no formula is declared.
    pub formula: &'static str,
    /// The unit; empty if no unit is declared.
    pub unit: &'static str,
}

/// The decoded numbers of a stored value.
#[derive(Debug, Clone, PartialEq)]
pub enum DecodedValue {
    /// One number.
    Number(Value),
    /// Several numbers, such as a vector.
    List(Vec<Value>),
}

/// An argument type for decoding functions: a number, or a packed word with a layout.
#[doc(hidden)]
pub trait FromValue: Sized {
    /// Converts a value; `None` if it has the wrong type or is out of range.
    fn from_value(value: &Value) -> Option<Self>;
}

/// Applies `function` to a stored value; `None` if the value does not convert to `T`.
#[doc(hidden)]
pub fn decode<T: FromValue, R: Into<DecodedValue>>(
    value: &Value,
    function: impl Fn(T) -> R,
) -> Option<DecodedValue> {
    T::from_value(value).map(|stored| function(stored).into())
}

/// Decodes an unsigned normalised integer to 0..=1.
pub fn unorm8(stored: u8) -> f32 {
    f32::from(stored) / 255.0
}

/// The formula of [`unorm8`].
pub const UNORM8: &str = "x / 255.0";

/// Decodes a signed normalised integer to −1..=1. −127 and −128 both decode to −1.
pub fn snorm8(stored: i8) -> f32 {
    (f32::from(stored) / 127.0).max(-1.0)
}

/// The formula of [`snorm8`].
pub const SNORM8: &str = "fmax(x / 127.0, -1.0)";

/// Decodes an unsigned normalised integer to 0..=1.
pub fn unorm16(stored: u16) -> f32 {
    f32::from(stored) / 65535.0
}

/// The formula of [`unorm16`].
pub const UNORM16: &str = "x / 65535.0";

/// Decodes a signed normalised integer to −1..=1. −32767 and −32768 both decode to −1.
pub fn snorm16(stored: i16) -> f32 {
    (f32::from(stored) / 32767.0).max(-1.0)
}

/// The formula of [`snorm16`].
pub const SNORM16: &str = "fmax(x / 32767.0, -1.0)";

/// Decodes an IEEE 754 binary16, like `half::f16::to_f32` but without branches. Shifting aligns its fields with those of
/// a binary32; the multiplication corrects the exponent.
#[inline(always)]
pub fn binary16(stored: u16) -> f32 {
    let code = u32::from(stored);
    let magnitude = (code & 0x7fff) << 13;
    let sign = (code & 0x8000) << 16;
    let finite = f32::from_bits(magnitude) * f32::from_bits((254 - 15) << 23);
    // Infinity and NaN; sets the quiet bit of a NaN, like the crate `half`.
    let special = magnitude | 0x7f80_0000 | (((magnitude & 0x007f_ffff) != 0) as u32) << 22;
    let value = if magnitude >= 0x0f80_0000 {
        special
    } else {
        finite.to_bits()
    };
    f32::from_bits(value | sign)
}

/// The formula of [`binary16`].
pub const BINARY16: &str = "x as IEEE 754 binary16";

impl Decoding {
    /// No decoding and no unit.
    pub const NONE: Decoding = Decoding {
        name: "",
        decode: None,
        formula: "",
        unit: "",
    };

    /// Replaces a missing function or unit with that of the type.
    fn inherit_from(self, of_type: Decoding) -> Decoding {
        let decoding = if self.decode.is_some() { self } else { of_type };
        Decoding {
            unit: if self.unit.is_empty() {
                of_type.unit
            } else {
                self.unit
            },
            ..decoding
        }
    }

    /// Returns the decoded value, if any, and the unit. A packed word's type provides a missing function or unit.
    pub fn apply(self, value: &Value) -> (Option<DecodedValue>, &'static str) {
        let of_type = if let Value::Bits(_, word) = value {
            word.decoding
        } else {
            Decoding::NONE
        };
        let decoding = self.inherit_from(of_type);
        (
            decoding.decode.and_then(|decode| decode(value)),
            decoding.unit,
        )
    }
}

/// Compares name and unit, since functions cannot be compared.
impl PartialEq for Decoding {
    fn eq(&self, other: &Decoding) -> bool {
        (self.name, self.unit) == (other.name, other.unit)
    }
}

/// Formats a number as `0.5`, and a list as `[0.5, 0, 0]`.
impl fmt::Display for DecodedValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecodedValue::Number(number) => f.write_str(&number.plain_text()),
            DecodedValue::List(list) => {
                write!(
                    f,
                    "[{}]",
                    list.iter()
                        .map(Value::plain_text)
                        .collect::<Vec<_>>()
                        .join(", ")
                )
            }
        }
    }
}

macro_rules! numbers {
    ($($number:ty: $to:expr, $from:pat => $back:expr;)*) => {$(
        impl From<$number> for DecodedValue {
            fn from(number: $number) -> DecodedValue {
                DecodedValue::Number($to(number))
            }
        }

        impl<const N: usize> From<[$number; N]> for DecodedValue {
            fn from(list: [$number; N]) -> DecodedValue {
                DecodedValue::List(list.map($to).to_vec())
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
