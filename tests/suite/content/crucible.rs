//! Compares Crucible documents with sidecars.

use std::borrow::Cow;

use meshspec::bulk;
use meshspec::crucible::{Chunk, Container, Document, Indices, Stream};
use serde_json::{Value, json};

use crate::common::sha256;

pub fn compare(file: &str, document: &Document, _: &[u8], expected: &Value) -> bool {
    if expected.get("error").is_some() {
        return false;
    }
    assert_eq!(document.container, Container::Chunk, "{file}: sidecars describe bare chunks");
    let [chunk] = &*document.chunks else { panic!("{file}: not one chunk") };
    assert_eq!(expected["vertex_count"], chunk.vertex_count(), "{file}");
    assert_eq!(expected["attribute_count"], chunk.streams.len(), "{file}");
    assert_eq!(expected["trailing"], document.trailing.len(), "{file}");
    assert_indices(file, chunk, expected);
    let streams = expected["streams"].as_array().unwrap();
    assert_eq!(streams.len(), chunk.streams.len(), "{file}");
    for (stream, expected) in chunk.streams.iter().zip(streams) {
        assert_stream(file, stream, expected);
    }
    true
}

fn assert_indices(file: &str, chunk: &Chunk, expected: &Value) {
    let (width, bytes): (u32, Cow<[u8]>) = match &chunk.indices {
        Indices::U16(values) => (2, bulk::as_bytes(values)),
        Indices::U32(values) => (4, bulk::as_bytes(values)),
    };
    assert_eq!(expected["index_width"], width, "{file}");
    let byte = chunk.index_size.unwrap_or(u8::from(width == 4));
    assert_eq!(expected["index_size_byte"], byte, "{file}");
    let expected = &expected["index"];
    assert_eq!(expected["sha256"], sha256(&bytes), "{file}");
    let values: Vec<u32> = chunk.indices.iter().collect();
    assert_eq!(expected["count"], values.len(), "{file}");
    assert_eq!(expected["max"], json!(chunk.indices.max()), "{file}");
    let first: Vec<u32> = serde_json::from_value(expected["first"].clone()).unwrap();
    let last: Vec<u32> = serde_json::from_value(expected["last"].clone()).unwrap();
    assert!(values.starts_with(&first) && values.ends_with(&last), "{file}: {first:?} … {last:?}");
}

fn assert_stream(file: &str, stream: &Stream, expected: &Value) {
    let values = &stream.values;
    let bytes = values.to_bytes();
    assert_eq!(expected["name"], values.name(), "{file}");
    assert_eq!(expected["count"], values.len(), "{file}");
    assert_eq!(expected["uncompressed"], bytes.len(), "{file}");
    assert_eq!(expected["sha256"], sha256(&bytes), "{file}");
    if values.is_empty() {
        return;
    }
    let (first, last) = ends(stream);
    assert_eq!(numbers(&expected["first"]), first, "{file}: {}", values.name());
    assert_eq!(numbers(&expected["last"]), last, "{file}: {}", values.name());
}

/// Returns the components of the first and the last value.
fn ends(stream: &Stream) -> (Vec<f32>, Vec<f32>) {
    let data = &serde_json::to_value(stream).unwrap()["data"];
    (numbers(&data[0]), numbers(&data[stream.values.len() - 1]))
}

/// Collects the numbers in a nested value.
fn numbers(value: &Value) -> Vec<f32> {
    match value {
        Value::Number(number) => vec![number.as_f64().unwrap() as f32],
        Value::Array(values) => values.iter().flat_map(numbers).collect(),
        Value::Object(fields) => fields.values().flat_map(numbers).collect(),
        other => panic!("no number: {other}"),
    }
}
