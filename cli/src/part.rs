//! Parses values from text and JSON.

use std::collections::BTreeMap;

use meshspec::layout::assemble::Part;
use serde::de::Error as _;
use serde_json::Error;
use serde_json::value::RawValue;

/// The maximum nesting depth of lists and structs, as in documents.
const MAX_DEPTH: usize = 128;

/// Parses the value after `PATH=`: JSON for a list or struct, otherwise the text itself.
pub fn of_option(text: &str) -> serde_json::Result<Part> {
    if text.starts_with(['[', '{']) { of_json(serde_json::from_str(text)?) } else { Ok(text.into()) }
}

/// Converts a JSON value. Numbers stay text, to be parsed by the type of their field.
pub fn of_json(value: &RawValue) -> serde_json::Result<Part> {
    within(value, MAX_DEPTH)
}

fn within(value: &RawValue, depth: usize) -> serde_json::Result<Part> {
    let text = value.get();
    let inner = |value: &RawValue| match depth.checked_sub(1) {
        Some(depth) => within(value, depth),
        None => Err(Error::custom(format_args!("lists and structs nest more than {MAX_DEPTH} deep"))),
    };
    match text.as_bytes().first() {
        Some(b'"') => serde_json::from_str(text).map(Part::Text),
        Some(b'[') => {
            let items: Vec<&RawValue> = serde_json::from_str(text)?;
            items.into_iter().map(inner).collect::<Result<_, _>>().map(Part::List)
        }
        Some(b'{') => {
            let fields: BTreeMap<String, &RawValue> = serde_json::from_str(text)?;
            let fields = fields.into_iter().map(|(name, value)| Ok((name, inner(value)?)));
            fields.collect::<Result<_, _>>().map(Part::Struct)
        }
        _ => Ok(text.into()),
    }
}
