//! Numbers of any type, for comparisons.

use std::cmp::Ordering;
use std::fmt;

/// A number of any type.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub(super) enum Scalar {
    Int(i128),
    /// An integer above `i128::MAX`, so it compares greater than every `Int`.
    Wide(u128),
    F32(f32),
    F64(f64),
}

impl Scalar {
    pub fn as_f64(self) -> f64 {
        match self {
            Scalar::Int(number) => number as f64,
            Scalar::Wide(number) => number as f64,
            Scalar::F32(number) => number.into(),
            Scalar::F64(number) => number,
        }
    }

    pub fn is_finite(self) -> bool {
        match self {
            Scalar::Int(_) | Scalar::Wide(_) => true,
            Scalar::F32(number) => number.is_finite(),
            Scalar::F64(number) => number.is_finite(),
        }
    }

    /// Compares two numbers by value; `None` if one is NaN.
    pub fn compare(self, other: Scalar) -> Option<Ordering> {
        match (self, other) {
            (Scalar::Int(_) | Scalar::Wide(_), Scalar::Int(_) | Scalar::Wide(_)) => {
                self.partial_cmp(&other)
            }
            _ => self.as_f64().partial_cmp(&other.as_f64()),
        }
    }

    pub fn is_below(self, limit: i128) -> bool {
        self.compare(Scalar::Int(limit))
            .is_some_and(Ordering::is_lt)
    }

    pub fn is_at_least(self, limit: i128) -> bool {
        self.compare(Scalar::Int(limit))
            .is_some_and(Ordering::is_ge)
    }

    pub fn equals(self, other: i128) -> bool {
        self.compare(Scalar::Int(other))
            .is_some_and(Ordering::is_eq)
    }

    /// Returns a key that is the same for equal numbers of one type.
    pub fn equality_key(self) -> i128 {
        match self {
            Scalar::Int(number) => number,
            // Unlike a number that fits, the key is negative.
            Scalar::Wide(number) => number as i128,
            // Adding 0.0 turns −0.0 into 0.0.
            number => (number.as_f64() + 0.0).to_bits().into(),
        }
    }

    /// Adds numbers in the precision of their type. Integers saturate.
    pub fn sum(numbers: impl Iterator<Item = Scalar>) -> Scalar {
        let add = |a, b| match (a, b) {
            (Scalar::Int(a), Scalar::Int(b)) => Scalar::Int(a.saturating_add(b)),
            (Scalar::F32(a), Scalar::F32(b)) => Scalar::F32(a + b),
            (a, b) => Scalar::F64(a.as_f64() + b.as_f64()),
        };
        numbers.reduce(add).unwrap_or(Scalar::Int(0))
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Int(number) => fmt::Display::fmt(number, f),
            Scalar::Wide(number) => fmt::Display::fmt(number, f),
            Scalar::F32(number) => fmt::Display::fmt(number, f),
            Scalar::F64(number) => fmt::Display::fmt(number, f),
        }
    }
}

impl fmt::Debug for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Int(number) => fmt::Debug::fmt(number, f),
            Scalar::Wide(number) => fmt::Debug::fmt(number, f),
            Scalar::F32(number) => fmt::Debug::fmt(number, f),
            Scalar::F64(number) => fmt::Debug::fmt(number, f),
        }
    }
}
