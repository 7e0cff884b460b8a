//! What stored values stand for: numbers, with a unit.

use std::fmt;

use super::expr::Value;

/// What a stored value stands for, `#[layout(decoded = function, formula = "x / 255.0", unit = "m")]` in a declaration.
///
/// The function takes the stored value, a plain number or a packed word, and returns what [`Decoded`] can be made of. On a
/// packed word it holds wherever the word is used; the unit may be said there or by each field of that type. Schemas print the formula, an expression of C: `x` is the stored
/// number, and the fields of a packed word have their names. Several numbers are a list in brackets.
///
/// ```
/// use binrw::binrw;
/// use meshspec::layout::Layout;
/// use meshspec::layout::decoding::unorm8;
/// use meshspec::layout::dump::Dump;
///
/// /// A battery.
/// #[derive(Layout)]
/// #[binrw]
/// #[brw(little)]
/// struct Battery {
///     #[layout(decoded = unorm8)]
///     charge: u8,
///     #[layout(decoded = |millivolts: u16| f32::from(millivolts) / 1000.0, formula = "x / 1000.0", unit = "V")]
///     voltage: u16,
/// }
///
/// let mut text = Vec::new();
/// Dump::new(&Battery::TYPE, &[51, 0xb8, 0x0b]).text(&mut text, false)?;
/// let text = String::from_utf8(text).unwrap();
/// assert!(text.contains("51 (0x33) = 0.2\n"), "{text}");
/// assert!(text.contains("3000 (0x0bb8) = 3 V\n"), "{text}");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Decoding {
    /// The function as the declaration names it; empty where the stored number is the meant one.
    pub name: &'static str,
    /// The numbers that a stored value stands for.
    pub decode: Option<fn(&Value) -> Option<Decoded>>,
    /// What the function computes, as an expression of C, or in words; empty where the declaration does not say it.
    pub formula: &'static str,
    /// The unit; empty for none.
    pub unit: &'static str,
}

/// Numbers that a stored value stands for.
#[derive(Debug, Clone, PartialEq)]
pub enum Decoded {
    /// One number.
    Number(Value),
    /// Several, such as a vector.
    List(Vec<Value>),
}

/// A type that a stored value can be seen as: numbers, and every packed word with a layout.
#[doc(hidden)]
pub trait FromValue: Sized {
    /// The value as this type; `None` if it is none.
    fn from_value(value: &Value) -> Option<Self>;
}

/// What `function` makes of a stored value; `None` if that is not what it takes.
#[doc(hidden)]
pub fn decode<T: FromValue, R: Into<Decoded>>(value: &Value, function: impl Fn(T) -> R) -> Option<Decoded> {
    T::from_value(value).map(|stored| function(stored).into())
}

/// An unsigned integer that stands for 0 to 1.
pub fn unorm8(stored: u8) -> f32 {
    f32::from(stored) / 255.0
}

/// The formula of [`unorm8`].
pub const UNORM8: &str = "x / 255.0";

/// A signed integer that stands for −1 to 1; −128 is −1, too.
pub fn snorm8(stored: i8) -> f32 {
    (f32::from(stored) / 127.0).max(-1.0)
}

/// The formula of [`snorm8`].
pub const SNORM8: &str = "fmax(x / 127.0, -1.0)";

impl Decoding {
    /// The stored number is the meant one, and has no unit.
    pub const NONE: Decoding = Decoding { name: "", decode: None, formula: "", unit: "" };

    /// What is said of a field, and where it is silent, what is said of its type.
    fn or(self, of_type: Decoding) -> Decoding {
        let said = if self.decode.is_some() { self } else { of_type };
        Decoding { unit: if self.unit.is_empty() { of_type.unit } else { self.unit }, ..said }
    }

    /// What the stored value of a field stands for, and its unit, given what is said of the field.
    pub fn of(self, value: &Value) -> (Option<Decoded>, &'static str) {
        let of_type = if let Value::Bits(_, word) = value { word.decoding } else { Decoding::NONE };
        let said = self.or(of_type);
        (said.decode.and_then(|decode| decode(value)), said.unit)
    }
}

/// Functions are told apart by their names.
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
