//! Lossless serialisation of floats.
//!
//! JSON lacks infinities and NaN. These values become the strings `"Infinity"`, `"-Infinity"` and `"NaN"`; a NaN whose
//! bits differ from those of [`f32::NAN`] becomes a string like `"NaN:ffc00001"`. `#[derive(Json)]` uses this module
//! for floats, and for arrays, options and lists of floats.

use std::fmt;

use serde::de::{self, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::nan::parse_nan_bits;

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

/// Serialises a 64-bit float like a 32-bit one, but with 16 digits for the bits of a NaN.
#[cfg(feature = "serde")]
pub(crate) fn serialize_f64<S: Serializer>(value: f64, serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        x if x.is_finite() => serializer.serialize_f64(x),
        x if x.to_bits() == f64::NAN.to_bits() => serializer.serialize_str("NaN"),
        x if x.is_nan() => serializer.collect_str(&format_args!("NaN:{:016x}", x.to_bits())),
        x => serializer.serialize_str(if x > 0.0 { "Infinity" } else { "-Infinity" }),
    }
}

const CANONICAL_NAN: u32 = f32::NAN.to_bits();

impl Floats for f32 {
    fn serialize_floats<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            x if x.is_finite() => serializer.serialize_f32(x),
            x if x.to_bits() == CANONICAL_NAN => serializer.serialize_str("NaN"),
            x if x.is_nan() => serializer.collect_str(&format_args!("NaN:{:08x}", x.to_bits())),
            x => serializer.serialize_str(if x > 0.0 { "Infinity" } else { "-Infinity" }),
        }
    }

    fn deserialize_floats<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f32, D::Error> {
        deserializer.deserialize_any(FloatVisitor)
    }
}

struct FloatVisitor;

/// Narrows `value`, parsed from a decimal, to the 32-bit float that parsing the decimal directly would return.
///
/// Rounding twice can be wrong if the 64-bit float is half-way between two 32-bit floats, as for `7.038531e-26`. In
/// that case, prefers the 32-bit float whose shortest decimal parses to `value`.
pub(crate) fn narrow_to_f32(value: f64) -> f32 {
    let nearest = value as f32;
    let other = if value > nearest.into() { nearest.next_up() } else { nearest.next_down() };
    let is_half_way = (f64::from(nearest) + f64::from(other)) / 2.0 == value && value != f64::from(nearest);
    if is_half_way && format!("{other:e}").parse() == Ok(value) { other } else { nearest }
}

impl Visitor<'_> for FloatVisitor {
    type Value = f32;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a number, \"Infinity\", \"-Infinity\", \"NaN\" or \"NaN:\" with 8 hexadecimal digits")
    }

    fn visit_f32<E>(self, value: f32) -> Result<f32, E> {
        Ok(value)
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<f32, E> {
        let narrow = narrow_to_f32(value);
        if narrow.is_infinite() {
            return Err(E::custom(format_args!("{value} does not fit in 32 bits")));
        }
        Ok(narrow)
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<f32, E> {
        Ok(value as f32)
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<f32, E> {
        Ok(value as f32)
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<f32, E> {
        let number = match value {
            "Infinity" => Some(f32::INFINITY),
            "-Infinity" => Some(f32::NEG_INFINITY),
            "NaN" => Some(f32::NAN),
            other => parse_nan_bits(other, 8).map(|bits| f32::from_bits(bits as u32)).filter(|x| x.is_nan()),
        };
        number.ok_or_else(|| E::invalid_value(de::Unexpected::Str(value), &self))
    }
}

#[cfg(feature = "serde")]
impl Floats for f64 {
    fn serialize_floats<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_f64(*self, serializer)
    }

    fn deserialize_floats<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        deserializer.deserialize_any(DoubleVisitor)
    }
}

#[cfg(feature = "serde")]
struct DoubleVisitor;

#[cfg(feature = "serde")]
impl Visitor<'_> for DoubleVisitor {
    type Value = f64;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a number, \"Infinity\", \"-Infinity\", \"NaN\" or \"NaN:\" with 16 hexadecimal digits")
    }

    fn visit_f64<E>(self, value: f64) -> Result<f64, E> {
        Ok(value)
    }

    fn visit_u64<E>(self, value: u64) -> Result<f64, E> {
        Ok(value as f64)
    }

    fn visit_i64<E>(self, value: i64) -> Result<f64, E> {
        Ok(value as f64)
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<f64, E> {
        let number = match value {
            "Infinity" => Some(f64::INFINITY),
            "-Infinity" => Some(f64::NEG_INFINITY),
            "NaN" => Some(f64::NAN),
            other => parse_nan_bits(other, 16).map(f64::from_bits).filter(|x| x.is_nan()),
        };
        number.ok_or_else(|| E::invalid_value(de::Unexpected::Str(value), &self))
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

fn serialize_list<T: Floats, S: Serializer>(values: &[T], serializer: S) -> Result<S::Ok, S::Error> {
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
        let wrong_length = |length| de::Error::invalid_length(length, &format!("a list of {N}").as_str());
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
