//! Lossless serialisation of floats.
//!
//! JSON lacks infinities and NaN. These values become the strings `"Infinity"`, `"-Infinity"` and `"NaN"`; a NaN whose
//! bits differ from those of [`f32::NAN`] becomes a string like `"NaN:ffc00001"`. `#[derive(Json)]` uses this module
//! for floats, and for arrays, options and lists of floats.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{self, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::text::parse_nan_bits;

/// A float, or nested arrays, options and lists of floats.
pub trait Floats: Sized {
    fn serialize_floats<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>;
    fn deserialize_floats<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error>;
}

/// Serialises floats.
pub fn serialize<T: Floats, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    value.serialize_floats(serializer)
}

/// Deserialises floats.
pub fn deserialize<'de, T: Floats, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    T::deserialize_floats(deserializer)
}

/// Deserialises a float of type `T`.
struct FloatVisitor<T>(PhantomData<T>);

/// Implements [`Floats`] for a float whose bits have `$digits` hexadecimal digits. `$narrow` converts a 64-bit float;
/// `None` if it does not fit in 32 bits.
macro_rules! impl_floats {
    ($float:ident, $digits:literal, $serialize:ident, $narrow:expr) => {
        impl Floats for $float {
            fn serialize_floats<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match *self {
                    x if x.is_finite() => serializer.$serialize(x),
                    x if x.to_bits() == $float::NAN.to_bits() => serializer.serialize_str("NaN"),
                    x if x.is_nan() => serializer.collect_str(&format_args!(
                        "NaN:{:0digits$x}",
                        x.to_bits(),
                        digits = $digits
                    )),
                    x => serializer.serialize_str(if x > 0.0 { "Infinity" } else { "-Infinity" }),
                }
            }

            fn deserialize_floats<'de, D: Deserializer<'de>>(
                deserializer: D,
            ) -> Result<$float, D::Error> {
                deserializer.deserialize_any(FloatVisitor::<$float>(PhantomData))
            }
        }

        impl Visitor<'_> for FloatVisitor<$float> {
            type Value = $float;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                let strings = "\"Infinity\", \"-Infinity\", \"NaN\" or \"NaN:\"";
                write!(f, "a number, {strings} with {} hexadecimal digits", $digits)
            }

            fn visit_f32<E>(self, value: f32) -> Result<$float, E> {
                Ok($float::from(value))
            }

            fn visit_f64<E: de::Error>(self, value: f64) -> Result<$float, E> {
                $narrow(value)
                    .ok_or_else(|| E::custom(format_args!("{value} does not fit in 32 bits")))
            }

            fn visit_u64<E>(self, value: u64) -> Result<$float, E> {
                Ok(value as $float)
            }

            fn visit_i64<E>(self, value: i64) -> Result<$float, E> {
                Ok(value as $float)
            }

            fn visit_str<E: de::Error>(self, value: &str) -> Result<$float, E> {
                let number = match value {
                    "Infinity" => Some($float::INFINITY),
                    "-Infinity" => Some($float::NEG_INFINITY),
                    "NaN" => Some($float::NAN),
                    other => parse_nan_bits(other, $digits)
                        .map(|bits| $float::from_bits(bits as _))
                        .filter(|x| x.is_nan()),
                };
                number.ok_or_else(|| E::invalid_value(de::Unexpected::Str(value), &self))
            }
        }
    };
}

impl_floats!(f32, 8, serialize_f32, |value| Some(narrow_to_f32(value))
    .filter(|x| !x.is_infinite()));
impl_floats!(f64, 16, serialize_f64, Some);

/// Narrows `value`, parsed from a decimal, to the 32-bit float that parsing the decimal directly would return.
///
/// Rounding twice can be wrong if the 64-bit float is half-way between two 32-bit floats, as for `7.038531e-26`. In
/// that case, prefers the 32-bit float whose shortest decimal parses to `value`.
pub(crate) fn narrow_to_f32(value: f64) -> f32 {
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

impl<T: Floats> Floats for Option<T> {
    fn serialize_floats<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Some(value) => value.serialize_floats(serializer),
            None => serializer.serialize_none(),
        }
    }

    fn deserialize_floats<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let item: Option<FloatItem<T>> = Option::deserialize(deserializer)?;
        Ok(item.map(|item| item.0))
    }
}

/// Implements the serde traits for floats inside other types.
struct FloatItem<T>(T);

impl<T: Floats> Serialize for FloatItem<&T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize_floats(serializer)
    }
}

impl<'de, T: Floats> Deserialize<'de> for FloatItem<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize_floats(deserializer).map(FloatItem)
    }
}

fn serialize_list<T: Floats, S: Serializer>(
    values: &[T],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(values.iter().map(FloatItem))
}

impl<T: Floats + Copy + Default, const N: usize> Floats for [T; N] {
    fn serialize_floats<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_list(self, serializer)
    }

    fn deserialize_floats<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(ArrayVisitor([T::default(); N]))
    }
}

struct ArrayVisitor<T, const N: usize>([T; N]);

impl<'de, T: Floats, const N: usize> Visitor<'de> for ArrayVisitor<T, N> {
    type Value = [T; N];

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "a list of {N}")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut seq: A) -> Result<[T; N], A::Error> {
        let wrong_length =
            |length| de::Error::invalid_length(length, &format!("a list of {N}").as_str());
        for (i, slot) in self.0.iter_mut().enumerate() {
            let item: Option<FloatItem<T>> = seq.next_element()?;
            *slot = item.ok_or_else(|| wrong_length(i))?.0;
        }
        match seq.next_element::<de::IgnoredAny>()? {
            None => Ok(self.0),
            Some(_) => Err(wrong_length(N + 1)),
        }
    }
}

impl<T: Floats> Floats for Vec<T> {
    fn serialize_floats<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_list(self, serializer)
    }

    fn deserialize_floats<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let items: Vec<FloatItem<T>> = Vec::deserialize(deserializer)?;
        Ok(items.into_iter().map(|item| item.0).collect())
    }
}
