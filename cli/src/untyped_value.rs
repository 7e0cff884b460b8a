//! Parses values of fields from command-line options and JSON.

use std::collections::BTreeMap;

use meshspec::layout::tree::UntypedValue;
use serde::de::Error as _;
use serde_json::Error;
use serde_json::value::RawValue;

/// The maximum nesting depth of lists and structs, as in documents.
const MAX_DEPTH: usize = 128;

/// Parses the value of an option `PATH=VALUE`: JSON if it starts with `[` or `{`, otherwise text.
pub fn parse_option(text: &str) -> serde_json::Result<UntypedValue> {
    if text.starts_with(['[', '{']) {
        parse_json(serde_json::from_str(text)?)
    } else {
        Ok(text.into())
    }
}

/// Converts a JSON value. Keeps numbers as text, which is parsed later according to the type of the field.
pub fn parse_json(value: &RawValue) -> serde_json::Result<UntypedValue> {
    parse_nested(value, MAX_DEPTH)
}

fn parse_nested(value: &RawValue, depth: usize) -> serde_json::Result<UntypedValue> {
    let text = value.get();
    let inner = |value: &RawValue| match depth.checked_sub(1) {
        Some(depth) => parse_nested(value, depth),
        None => Err(Error::custom(format_args!(
            "lists and structs nest more than {MAX_DEPTH} deep"
        ))),
    };
    match text.as_bytes().first() {
        Some(b'"') => serde_json::from_str(text).map(UntypedValue::Text),
        Some(b'[') => {
            let items: Vec<&RawValue> = serde_json::from_str(text)?;
            items
                .into_iter()
                .map(inner)
                .collect::<Result<_, _>>()
                .map(UntypedValue::List)
        }
        Some(b'{') => {
            let fields: BTreeMap<String, &RawValue> = serde_json::from_str(text)?;
            let fields = fields
                .into_iter()
                .map(|(name, value)| Ok((name, inner(value)?)));
            fields.collect::<Result<_, _>>().map(UntypedValue::Struct)
        }
        _ => Ok(text.into()),
    }
}
