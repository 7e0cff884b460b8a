//! Contents as JSON, according to a published schema, compared with independent decoders.

mod comparison;
mod documents;
mod fields;
mod poses;
mod reference;

use meshspec::Document;
use serde_json::Value;

/// Returns the contents of a document as parsed JSON.
fn contents(document: &Document) -> Value {
    // Converts to text and back, in which NaN is null and no float is rounded.
    serde_json::from_str(&serde_json::to_string(&document.contents()).unwrap()).unwrap()
}

/// Returns the values of an array; undefined floats are NaN.
fn numbers(array: &Value) -> Vec<f64> {
    list(&array["values"])
        .iter()
        .map(|value| value.as_f64().unwrap_or(f64::NAN))
        .collect()
}

/// Returns the floats of a 32-bit array, from their bits.
fn floats(array: &Value) -> Vec<f32> {
    assert_eq!(array["type"], "f32");
    let bits = list(&array["bits"])
        .iter()
        .map(|bits| bits.as_str().unwrap());
    bits.map(|bits| f32::from_bits(u32::from_str_radix(bits, 16).unwrap()))
        .collect()
}

/// Returns the numbers of an array as little-endian bytes.
fn bytes(array: &Value) -> Vec<u8> {
    let size = match array["type"].as_str().unwrap() {
        "u8" | "i8" => 1,
        "u16" | "i16" | "f16" => 2,
        "u32" | "i32" | "f32" => 4,
        "f64" => 8,
        other => panic!("{other}"),
    };
    let bits: Vec<u64> = match array.get("bits") {
        Some(bits) => list(bits)
            .iter()
            .map(|bits| u64::from_str_radix(bits.as_str().unwrap(), 16).unwrap())
            .collect(),
        None => list(&array["values"])
            .iter()
            .map(|value| value.as_i64().unwrap() as u64)
            .collect(),
    };
    bits.into_iter()
        .flat_map(|bits| bits.to_le_bytes()[..size].to_vec())
        .collect()
}

/// Returns a list; empty if the value is missing.
fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
