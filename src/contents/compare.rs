//! Comparison of a loader's output with the expected contents.

use std::fmt;

use serde_json::{Map, Value};

use crate::float::narrow;

/// A difference in one value.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Difference {
    /// The path of the value: `meshes[0].attributes.position.values[7]`.
    pub path: String,
    /// The expected value.
    pub expected: String,
    /// The value found.
    pub found: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { path, expected, found } = self;
        write!(f, "{path}: found {found}, expected {expected}")
    }
}

/// The differences between expected contents and a loader's output.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize)]
pub struct Differences {
    /// The first differences, in the order of the expected contents.
    pub listed: Vec<Difference>,
    /// The number of all differences.
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
/// - Keys that the loader leaves out are not compared. Keys that the expected contents lack are differences, unless
///   their value is empty or `null`.
/// - An array may be an object with some of its keys, or the list of its values, nested or flat.
/// - Floats are compared after rounding to their type. They must be equal, or differ by at most the tolerance of the
///   array. Bits must match exactly, or encode a float within the tolerance.
/// - Where the expected array has a tolerance, `null` values are undefined and not compared.
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
    let mut comparison = Comparison { max, differences: Differences::default() };
    comparison.value(&mut String::new(), expected, found);
    comparison.differences
}

struct Comparison {
    max: usize,
    differences: Differences,
}

/// Maximum length of a displayed value, in characters.
const SHOWN: usize = 80;

fn shown(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("a list of {}", items.len()),
        Value::Object(_) => "an object".to_owned(),
        value => {
            let text = value.to_string();
            match text.char_indices().nth(SHOWN) {
                Some((end, _)) => format!("{}…", &text[..end]),
                None => text,
            }
        }
    }
}

/// Returns `true` if a value is equivalent to a missing key.
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(entries) => entries.is_empty(),
        _ => false,
    }
}

impl Comparison {
    fn differ(&mut self, path: &str, expected: impl FnOnce() -> String, found: impl FnOnce() -> String) {
        self.differences.total += 1;
        if self.differences.listed.len() < self.max {
            let (expected, found) = (expected(), found());
            self.differences.listed.push(Difference { path: path.to_owned(), expected, found });
        }
    }

    fn differ_in_value(&mut self, path: &str, expected: &Value, found: &Value) {
        self.differ(path, || shown(expected), || shown(found));
    }

    /// Compares the part at `path.key`.
    fn within(&mut self, path: &mut String, key: &str, compare: impl FnOnce(&mut Self, &mut String)) {
        let length = path.len();
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(key);
        compare(self, path);
        path.truncate(length);
    }

    /// Compares the part at `path[index]`.
    fn at(&mut self, path: &mut String, index: usize, compare: impl FnOnce(&mut Self, &mut String)) {
        let length = path.len();
        path.push_str(&format!("[{index}]"));
        compare(self, path);
        path.truncate(length);
    }

    fn value(&mut self, path: &mut String, expected: &Value, found: &Value) {
        match (expected, found) {
            (Value::Object(array), found) if is_array(array) => self.array(path, array, found),
            (Value::Object(expected), Value::Object(found)) => self.object(path, expected, found),
            (Value::Array(expected), Value::Array(found)) => self.list(path, expected, found),
            (expected, found) if is_equal(expected, found) => {}
            (expected, found) => self.differ_in_value(path, expected, found),
        }
    }

    fn object(&mut self, path: &mut String, expected: &Map<String, Value>, found: &Map<String, Value>) {
        for (key, expected) in expected {
            if let Some(found) = found.get(key) {
                self.within(path, key, |this, path| this.value(path, expected, found));
            }
        }
        self.unknown_keys(path, expected, found);
    }

    fn unknown_keys(&mut self, path: &mut String, known: &Map<String, Value>, found: &Map<String, Value>) {
        for (key, found) in found.iter().filter(|(key, _)| !known.contains_key(*key)) {
            if !is_nothing(found) {
                self.within(path, key, |this, path| {
                    this.differ(path, || "no such key".to_owned(), || shown(found));
                });
            }
        }
    }

    fn list(&mut self, path: &mut String, expected: &[Value], found: &[Value]) {
        if expected.len() != found.len() {
            self.differ(
                path,
                || format!("a list of {}", expected.len()),
                || format!("a list of {}", found.len()),
            );
            return;
        }
        for (index, (expected, found)) in expected.iter().zip(found).enumerate() {
            self.at(path, index, |this, path| this.value(path, expected, found));
        }
    }

    /// Compares numeric arrays.
    fn array(&mut self, path: &mut String, expected: &Map<String, Value>, found: &Value) {
        let numbers = Numbers::of(expected);
        let found = match found {
            Value::Object(found) => found,
            Value::Array(_) => return self.numbers(path, &numbers, found, Form::Values),
            found => return self.differ(path, || "an array".to_owned(), || shown(found)),
        };
        for key in ["type", "shape"] {
            if let (Some(expected), Some(found)) = (expected.get(key), found.get(key)) {
                self.within(path, key, |this, path| this.value(path, expected, found));
            }
        }
        for (key, form) in [("values", Form::Values), ("bits", Form::Bits)] {
            if let (true, Some(found)) = (expected.contains_key(key), found.get(key)) {
                self.within(path, key, |this, path| this.numbers(path, &numbers, found, form));
            }
        }
        // The loader does not have to state the tolerance.
        let mut rest = found.clone();
        rest.remove("tolerance");
        self.unknown_keys(path, expected, &rest);
    }

    fn numbers(&mut self, path: &mut String, expected: &Numbers<'_>, found: &Value, form: Form) {
        let mut flat = Vec::new();
        flatten(found, &mut flat);
        let count = expected.values.len();
        if flat.len() != count || !found.is_array() {
            let found = if found.is_array() { format!("{} numbers", flat.len()) } else { shown(found) };
            return self.differ(path, || format!("{count} numbers"), || found);
        }
        for (index, found) in flat.into_iter().enumerate() {
            if !expected.agrees(index, found, form) {
                let of_form = match form {
                    Form::Values => expected.values,
                    Form::Bits => expected.bits,
                };
                let expected = of_form.get(index).unwrap_or(&Value::Null);
                self.at(path, index, |this, path| this.differ_in_value(path, expected, found));
            }
        }
    }
}

/// Returns `true` if an object is a numeric array.
fn is_array(object: &Map<String, Value>) -> bool {
    ["type", "shape", "values"].iter().all(|key| object.contains_key(*key))
}

/// Compares numbers by value, ignoring their notation.
fn is_equal(expected: &Value, found: &Value) -> bool {
    match (expected, found) {
        (Value::Number(expected), Value::Number(found)) => {
            expected == found || (expected.as_f64() == found.as_f64() && expected.is_f64() != found.is_f64())
        }
        _ => expected == found,
    }
}

/// Collects the items of nested lists.
fn flatten<'v>(value: &'v Value, flat: &mut Vec<&'v Value>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| flatten(item, flat)),
        value => flat.push(value),
    }
}

/// The notation of a number.
#[derive(Clone, Copy)]
enum Form {
    Values,
    Bits,
}

/// The expected numbers.
struct Numbers<'v> {
    values: &'v [Value],
    /// The bits of floats.
    bits: &'v [Value],
    is_f64: bool,
    tolerance: Option<f64>,
}

impl<'v> Numbers<'v> {
    fn of(array: &'v Map<String, Value>) -> Numbers<'v> {
        let list = |key| array.get(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        Numbers {
            values: list("values"),
            bits: list("bits"),
            is_f64: array.get("type").is_some_and(|name| name == "f64"),
            tolerance: array.get("tolerance").and_then(Value::as_f64),
        }
    }

    fn is_float(&self) -> bool {
        self.bits.len() == self.values.len() && !self.values.is_empty()
    }

    fn agrees(&self, index: usize, found: &Value, form: Form) -> bool {
        let expected = self.values.get(index).unwrap_or(&Value::Null);
        match (self.tolerance, form) {
            _ if !self.is_float() => is_equal(expected, found),
            (Some(_), _) if expected.is_null() => true,
            (Some(tolerance), form) => {
                let found = match form {
                    Form::Values => found.as_f64(),
                    Form::Bits => found.as_str().and_then(from_bits),
                };
                let deviation = expected.as_f64().zip(found).map(|(a, b)| (a - b).abs());
                deviation.is_some_and(|deviation| deviation <= tolerance)
            }
            (None, Form::Values) => match (expected.as_f64(), found.as_f64()) {
                (Some(expected), Some(found)) if self.is_f64 => expected == found,
                (Some(expected), Some(found)) => narrow(expected) == narrow(found),
                _ => expected == found,
            },
            (None, Form::Bits) => {
                let expected = self.bits.get(index).and_then(Value::as_str);
                expected.zip(found.as_str()).is_some_and(|(a, b)| a.eq_ignore_ascii_case(b))
            }
        }
    }
}

/// Returns the float with these bits; the number of hexadecimal digits sets its width. `None` if it is not finite.
fn from_bits(digits: &str) -> Option<f64> {
    let bits = u64::from_str_radix(digits, 16).ok()?;
    let float = match digits.len() {
        8 => f32::from_bits(bits as u32).into(),
        16 => f64::from_bits(bits),
        _ => return None,
    };
    float.is_finite().then_some(float)
}
