//! The JSON of an output file. Complete list entries are serialised immediately, since the `Value`s of a million meshes
//! would take gigabytes.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

/// A serialised entry of a list, such as a node.
pub(super) type RawEntry = Box<RawValue>;

/// The root object of a file: its properties by name.
pub(super) type RootMap = BTreeMap<&'static str, RootValue>;

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum RootValue {
    Value(Value),
    List(Vec<RawEntry>),
}

pub(super) fn to_raw_entry(value: &Value) -> RawEntry {
    // Serialisation cannot fail, since all keys are strings.
    to_raw_value(value).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

pub(super) fn to_raw_entries(values: &[Value]) -> Vec<RawEntry> {
    values.iter().map(to_raw_entry).collect()
}
