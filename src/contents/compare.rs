//! Comparison of a loader's output with the expected contents.

use std::fmt;

use serde_json::{Map, Value};

use crate::float::narrow_to_f32;
use crate::text::{parse_digits, truncated};

/// A difference in one value.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Difference {
    /// The path of the value: `meshes[0].attributes.position.values[7]`.
    pub path: String,
    /// The expected value.
    pub expected: String,
    /// The value in the loader's output.
    pub found: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference {
            path,
            expected,
            found,
        } = self;
        write!(f, "{path}: found {found}, expected {expected}")
    }
}

/// The differences between expected contents and a loader's output.
///
/// ```
/// use meshspec::contents::{Difference, compare};
/// use serde_json::json;
///
/// let differences = compare(&json!({"vertices": 8}), &json!({"vertices": 7}), 20);
/// let Difference { path, found, .. } = &differences.listed[0];
/// assert_eq!((differences.total, &**path, &**found), (1, "vertices", "7"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize)]
pub struct Differences {
    /// The first differences, in the order of the expected contents.
    pub listed: Vec<Difference>,
    /// The total number of differences.
    pub total: u64,
}

impl Differences {
    /// Returns `true` if there are no differences.
    pub fn is_empty(&self) -> bool {
        self.total == 0
    }
}

/// Compares a loader's output with the expected contents, and lists at most `max` differences.
///
/// - Keys that the output lacks are not compared. Keys that the expected contents lack are differences, unless their
///   value is `null`, empty, or an object of such values.
/// - The output may contain an array as an object with some of its keys, or as the list of its values, nested or flat.
/// - Without a tolerance, floats in arrays must be equal after rounding to 32 bits (64 bits for the type `f64`), and
///   bits must be equal. With a tolerance, numbers given as floats or bits may deviate by at most the tolerance.
/// - If the expected array has a tolerance, its `null` values are undefined and not compared.
///
/// ```
/// use meshspec::contents::compare;
/// use serde_json::json;
///
/// let expected = json!({"times": {
///     "type": "f32", "shape": [2], "values": [0.0, 0.1], "bits": ["00000000", "3dcccccd"],
/// }});
/// assert!(compare(&expected, &json!({"times": [0, 0.100000001]}), 10).is_empty());
///
/// let differences = compare(&expected, &json!({"times": {"values": [0, 0.2]}}), 10);
/// assert_eq!(differences.listed[0].to_string(), "times.values[1]: found 0.2, expected 0.1");
/// ```
pub fn compare(expected: &Value, found: &Value, max: usize) -> Differences {
    let mut comparison = Comparison {
        max,
        differences: Differences::default(),
    };
    comparison.compare_values(&mut String::new(), expected, found);
    comparison.differences
}

struct Comparison {
    max: usize,
    differences: Differences,
}

/// Maximum length of a displayed value, in characters.
const MAX_CHARS: usize = 80;

fn describe(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("a list of {}", items.len()),
        Value::Object(_) => "an object".to_owned(),
        value => truncated(&value.to_string(), MAX_CHARS).into_owned(),
    }
}

/// Returns `true` if a value is `null`, an empty list or array, or an object that contains only these. A missing key is
/// equivalent to these values.
fn is_null_or_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        // The type and shape of an empty array are not values.
        Value::Object(entries) => entries
            .iter()
            .all(|(key, value)| matches!(&**key, "type" | "shape") || is_null_or_empty(value)),
        _ => false,
    }
}

impl Comparison {
    fn record(
        &mut self,
        path: &str,
        expected: impl FnOnce() -> String,
        found: impl FnOnce() -> String,
    ) {
        self.differences.total += 1;
        if self.differences.listed.len() < self.max {
            let (expected, found) = (expected(), found());
            self.differences.listed.push(Difference {
                path: path.to_owned(),
                expected,
                found,
            });
        }
    }

    fn record_value_difference(&mut self, path: &str, expected: &Value, found: &Value) {
        self.record(path, || describe(expected), || describe(found));
    }

    /// Calls `compare` with the path `path.key`.
    fn with_key(
        &mut self,
        path: &mut String,
        key: &str,
        compare: impl FnOnce(&mut Self, &mut String),
    ) {
        let dot = if path.is_empty() { "" } else { "." };
        self.with_step(path, &format!("{dot}{key}"), compare);
    }

    /// Calls `compare` with the path `path[index]`.
    fn with_index(
        &mut self,
        path: &mut String,
        index: usize,
        compare: impl FnOnce(&mut Self, &mut String),
    ) {
        self.with_step(path, &format!("[{index}]"), compare);
    }

    fn with_step(
        &mut self,
        path: &mut String,
        step: &str,
        compare: impl FnOnce(&mut Self, &mut String),
    ) {
        let length = path.len();
        path.push_str(step);
        compare(self, path);
        path.truncate(length);
    }

    fn compare_values(&mut self, path: &mut String, expected: &Value, found: &Value) {
        match (expected, found) {
            (Value::Object(array), found) if is_array(array) => {
                self.compare_arrays(path, array, found)
            }
            (Value::Object(expected), Value::Object(found)) => {
                self.compare_maps(path, expected, found)
            }
            (Value::Array(expected), Value::Array(found)) if expected.len() == found.len() => {
                for (index, (expected, found)) in expected.iter().zip(found).enumerate() {
                    self.with_index(path, index, |this, path| {
                        this.compare_values(path, expected, found)
                    });
                }
            }
            (expected, found) if is_equal(expected, found) => {}
            (expected, found) => self.record_value_difference(path, expected, found),
        }
    }

    fn compare_maps(
        &mut self,
        path: &mut String,
        expected: &Map<String, Value>,
        found: &Map<String, Value>,
    ) {
        for (key, expected) in expected {
            if let Some(found) = found.get(key) {
                self.with_key(path, key, |this, path| {
                    this.compare_values(path, expected, found)
                });
            }
        }
        self.record_extras(path, expected, found);
    }

    /// Records a difference for each key of `found` that is not in `known`, unless its value is null or empty.
    fn record_extras(
        &mut self,
        path: &mut String,
        known: &Map<String, Value>,
        found: &Map<String, Value>,
    ) {
        let is_new = |(key, found): &(&String, &Value)| {
            !known.contains_key(*key) && !is_null_or_empty(found)
        };
        for (key, found) in found.iter().filter(is_new) {
            self.with_key(path, key, |this, path| {
                this.record(path, || "no such key".to_owned(), || describe(found));
            });
        }
    }

    fn compare_arrays(&mut self, path: &mut String, expected: &Map<String, Value>, found: &Value) {
        let numbers = ExpectedNumbers::from_array(expected);
        let found = match found {
            Value::Object(found) => found,
            Value::Array(_) => {
                return self.compare_numbers(path, &numbers, found, Notation::Values);
            }
            found => return self.record(path, || "an array".to_owned(), || describe(found)),
        };
        for key in ["type", "shape"] {
            if let (Some(expected), Some(found)) = (expected.get(key), found.get(key)) {
                self.with_key(path, key, |this, path| {
                    this.compare_values(path, expected, found)
                });
            }
        }
        for (key, notation) in [("values", Notation::Values), ("bits", Notation::Bits)] {
            if let (true, Some(found)) = (expected.contains_key(key), found.get(key)) {
                self.with_key(path, key, |this, path| {
                    this.compare_numbers(path, &numbers, found, notation)
                });
            }
        }
        // A tolerance in the output is ignored.
        let mut rest = found.clone();
        rest.remove("tolerance");
        self.record_extras(path, expected, &rest);
    }

    fn compare_numbers(
        &mut self,
        path: &mut String,
        expected: &ExpectedNumbers<'_>,
        found: &Value,
        notation: Notation,
    ) {
        let mut flat = Vec::new();
        flatten(found, &mut flat);
        let count = expected.values.len();
        if flat.len() != count || !found.is_array() {
            let found = if found.is_array() {
                format!("{} numbers", flat.len())
            } else {
                describe(found)
            };
            return self.record(path, || format!("{count} numbers"), || found);
        }
        for (index, found) in flat.into_iter().enumerate() {
            if !expected.matches(index, found, notation) {
                let list = match notation {
                    Notation::Values => expected.values,
                    Notation::Bits => expected.bits,
                };
                let expected = list.get(index).unwrap_or(&Value::Null);
                self.with_index(path, index, |this, path| {
                    this.record_value_difference(path, expected, found)
                });
            }
        }
    }
}

/// Returns `true` if an object is a numeric array.
fn is_array(object: &Map<String, Value>) -> bool {
    ["type", "shape", "values"]
        .iter()
        .all(|key| object.contains_key(*key))
}

/// Returns `true` if two values are equal. Numbers are compared by value: 1 equals 1.0.
fn is_equal(expected: &Value, found: &Value) -> bool {
    match (expected, found) {
        (Value::Number(expected), Value::Number(found)) => {
            expected == found
                || (expected.as_f64() == found.as_f64() && expected.is_f64() != found.is_f64())
        }
        _ => expected == found,
    }
}

/// Appends the items of nested lists to `flat`.
fn flatten<'v>(value: &'v Value, flat: &mut Vec<&'v Value>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| flatten(item, flat)),
        value => flat.push(value),
    }
}

/// The notation of a number: as a decimal or as bits in hexadecimal.
#[derive(Clone, Copy)]
enum Notation {
    Values,
    Bits,
}

struct ExpectedNumbers<'v> {
    values: &'v [Value],
    /// The bits of floats; empty for integers.
    bits: &'v [Value],
    is_f64: bool,
    tolerance: Option<f64>,
}

impl<'v> ExpectedNumbers<'v> {
    fn from_array(array: &'v Map<String, Value>) -> ExpectedNumbers<'v> {
        let list = |key| {
            array
                .get(key)
                .and_then(Value::as_array)
                .map_or(&[][..], Vec::as_slice)
        };
        ExpectedNumbers {
            values: list("values"),
            bits: list("bits"),
            is_f64: array.get("type").is_some_and(|name| name == "f64"),
            tolerance: array.get("tolerance").and_then(Value::as_f64),
        }
    }

    fn is_float(&self) -> bool {
        self.bits.len() == self.values.len() && !self.values.is_empty()
    }

    fn matches(&self, index: usize, found: &Value, notation: Notation) -> bool {
        let expected = self.values.get(index).unwrap_or(&Value::Null);
        match (self.tolerance, notation) {
            _ if !self.is_float() => is_equal(expected, found),
            (Some(_), _) if expected.is_null() => true,
            (Some(tolerance), notation) => {
                let found = match notation {
                    Notation::Values => found.as_f64(),
                    Notation::Bits => found.as_str().and_then(parse_float_bits),
                };
                let deviation = expected.as_f64().zip(found).map(|(a, b)| (a - b).abs());
                deviation.is_some_and(|deviation| deviation <= tolerance)
            }
            (None, Notation::Values) => match (expected.as_f64(), found.as_f64()) {
                (Some(expected), Some(found)) if self.is_f64 => expected == found,
                (Some(expected), Some(found)) => narrow_to_f32(expected) == narrow_to_f32(found),
                _ => expected == found,
            },
            (None, Notation::Bits) => {
                let expected = self.bits.get(index).and_then(Value::as_str);
                expected
                    .zip(found.as_str())
                    .is_some_and(|(a, b)| a.eq_ignore_ascii_case(b))
            }
        }
    }
}

/// Parses the bits of a 32-bit float (8 hexadecimal digits) or 64-bit float (16 digits). `None` for other text, or if
/// the float is not finite.
fn parse_float_bits(digits: &str) -> Option<f64> {
    let bits = u64::try_from(parse_digits(digits, 16)?).ok()?;
    let float = match digits.len() {
        8 => f32::from_bits(bits as u32).into(),
        16 => f64::from_bits(bits),
        _ => return None,
    };
    float.is_finite().then_some(float)
}
