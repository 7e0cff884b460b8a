//! Contents as other programs get them: JSON by a published schema, in which independent decoders find the same numbers.

mod comparison;
mod documents;
mod fields;
mod poses;
mod reference;

use meshspec::Document;
use serde_json::Value;

/// The contents of a document as a reader of the JSON has them.
fn contents(document: &Document) -> Value {
    // Through text, which keeps no NaN and rounds no float.
    serde_json::from_str(&serde_json::to_string(&document.contents()).unwrap()).unwrap()
}

/// The numbers of an array; those of floats are their values, undefined ones NaN.
fn numbers(array: &Value) -> Vec<f64> {
    list(&array["values"]).iter().map(|value| value.as_f64().unwrap_or(f64::NAN)).collect()
}

/// The numbers of an array of 32-bit floats, from their bits.
fn floats(array: &Value) -> Vec<f32> {
    assert_eq!(array["type"], "f32");
    let bits = list(&array["bits"]).iter().map(|bits| bits.as_str().unwrap());
    bits.map(|bits| f32::from_bits(u32::from_str_radix(bits, 16).unwrap())).collect()
}

/// The numbers of an array as a little-endian file has them.
fn bytes(array: &Value) -> Vec<u8> {
    let size = match array["type"].as_str().unwrap() {
        "u8" | "i8" => 1,
        "u16" | "i16" | "f16" => 2,
        "u32" | "i32" | "f32" => 4,
        "f64" => 8,
        other => panic!("{other}"),
    };
    let bits: Vec<u64> = match array.get("bits") {
        Some(bits) => {
            list(bits).iter().map(|bits| u64::from_str_radix(bits.as_str().unwrap(), 16).unwrap()).collect()
        }
        None => list(&array["values"]).iter().map(|value| value.as_i64().unwrap() as u64).collect(),
    };
    bits.into_iter().flat_map(|bits| bits.to_le_bytes()[..size].to_vec()).collect()
}

/// A list; none without one.
fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
