//! The JSON of an output file. Complete list entries are serialized immediately, since the JSON values of a million
//! meshes would occupy gigabytes.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

/// An entry of a list.
pub(super) type Entry = Box<RawValue>;

/// The parts of a file by name.
pub(super) type Json = BTreeMap<&'static str, Part>;

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Part {
    Value(Value),
    List(Vec<Entry>),
}

pub(super) fn entry(value: &Value) -> Entry {
    // Keys of JSON values are strings, so serialization cannot fail.
    to_raw_value(value).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

pub(super) fn list(values: &[Value]) -> Vec<Entry> {
    values.iter().map(entry).collect()
}
