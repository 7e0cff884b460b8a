//! Numbers of any type, compared exactly or with a tolerance.

use std::fmt;

use meshspec::layout::expr::Value;

#[derive(Debug, Clone, Copy)]
pub enum Number {
    Int(i128),
    /// An integer above `i128::MAX`.
    Wide(u128),
    F32(f32),
    F64(f64),
}

impl Number {
    /// Converts a value; `None` if it is not a number.
    pub fn from_value(value: &Value) -> Option<Number> {
        match *value {
            Value::Bool(truth) => Some(Number::Int(truth.into())),
            Value::Int(number) => Some(Number::Int(number)),
            Value::Wide(number) => Some(Number::Wide(number)),
            Value::F32(number) => Some(Number::F32(number)),
            Value::F64(number) => Some(Number::F64(number)),
            Value::Bits(..) | Value::Text(_) | Value::Struct(_) => None,
        }
    }

    fn to_f64(self) -> f64 {
        match self {
            Number::Int(number) => number as f64,
            Number::Wide(number) => number as f64,
            Number::F32(number) => number.into(),
            Number::F64(number) => number,
        }
    }

    /// Returns a key for exact comparison: a number for the type, and the bits of the value.
    pub fn key(self) -> (u8, u128) {
        match self {
            Number::Int(number) => (0, number as u128),
            Number::F32(number) => (1, number.to_bits().into()),
            Number::F64(number) => (2, number.to_bits().into()),
            Number::Wide(number) => (3, number),
        }
    }

    /// Returns `true` if the numbers are equal. Floats are equal if they differ by at most `tolerance`; if it is 0,
    /// they are equal in all bits.
    pub fn is_equal(self, other: Number, tolerance: f64) -> bool {
        match (self, other) {
            (a, b) if a.key() == b.key() => true,
            (a, b) if a.key().0 == b.key().0 && tolerance == 0.0 => false,
            (Number::Int(_) | Number::Wide(_), Number::Int(_) | Number::Wide(_)) => false,
            (a, b) => a.to_f64() == b.to_f64() || (a.to_f64() - b.to_f64()).abs() <= tolerance,
        }
    }

    /// Returns the distance between the numbers. A number and NaN differ infinitely.
    pub fn distance(self, other: Number) -> f64 {
        match (self.to_f64(), other.to_f64()) {
            (a, b) if a == b || (a.is_nan() && b.is_nan()) => 0.0,
            (a, b) if a.is_finite() && b.is_finite() => (a - b).abs(),
            _ => f64::INFINITY,
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Int(number) => number.fmt(f),
            Number::Wide(number) => number.fmt(f),
            Number::F32(number) => number.fmt(f),
            Number::F64(number) => number.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every integer differs from all others, also beyond 64 bits.
    #[test]
    fn integers_of_any_size_are_numbers() {
        let values = [
            Value::Int(-1),
            Value::Int(1),
            Value::Int(1 << 70),
            Value::Int(-1 << 70),
            Value::Wide(u128::MAX),
        ];
        let numbers: Vec<_> = values.iter().filter_map(Number::from_value).collect();
        assert_eq!(numbers.len(), values.len());
        for (index, number) in numbers.iter().enumerate() {
            for (other_index, other) in numbers.iter().enumerate() {
                assert_eq!(number.is_equal(*other, 2.0), index == other_index);
            }
        }
        assert_eq!(numbers[4].to_string(), u128::MAX.to_string());
    }
}
