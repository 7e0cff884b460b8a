//! Compares IyMA documents with sidecars.

use meshspec::Dialect;
use meshspec::iyma::{DataChecksum, Document, IndexFormat, Usage};
use serde_json::{Value, json};

use crate::common::sha256;

pub fn compare(file: &str, document: &Document, bytes: &[u8], expected: &Value) -> bool {
    let reference = expected["metadata_checksum_kind"].as_str().unwrap().contains("streaming");
    let dialect = if reference { Dialect::Reference } else { Dialect::Spec };
    assert_eq!(document.dialect, dialect, "{file}");
    let is_absent = expected["header"]["data_checksum"] == "0x0000000000000000";
    let checksum = if is_absent { DataChecksum::Absent } else { DataChecksum::Present };
    assert_eq!((document.data_checksum, document.metadata_checksum), (checksum, None), "{file}");
    assert_descriptor(file, document, &expected["descriptor"]);
    let length = document.descriptor().unwrap().data_len();
    assert_eq!(expected["uncompressed_len"], length, "{file}");
    let mut offset = 0;
    let mut attributes = document.attributes.iter();
    let mut all = Vec::new();
    for buffer in expected["buffers"].as_array().unwrap() {
        let data = match buffer["role"].as_str().unwrap() {
            "user_data" => &document.user_data,
            "index" => &document.indices.as_ref().unwrap().data,
            _ => &attributes.next().unwrap().data,
        };
        assert_eq!(buffer["offset"], offset, "{file}");
        assert_eq!(buffer["len"], data.len(), "{file}");
        assert_eq!(buffer["sha256"], sha256(data), "{file}: {buffer}");
        offset += data.len();
        all.extend_from_slice(data);
    }
    assert_eq!(attributes.next(), None, "{file}");
    assert_eq!(expected["uncompressed_sha256"], sha256(&all), "{file}");
    assert_first_values(file, document, expected);
    assert_same_head(file, document, bytes);
    true
}

fn assert_descriptor(file: &str, document: &Document, expected: &Value) {
    assert_eq!(expected["n_vertices"], document.n_vertices, "{file}");
    assert_eq!(expected["user_data_len"], document.user_data.len(), "{file}");
    let meshes = document.meshes.iter();
    let meshes: Value =
        meshes.map(|m| json!([m.first_index, m.index_count, m.first_vertex, m.vertex_count])).collect();
    assert_eq!(expected["meshes"], meshes, "{file}");
    let indices = document.indices.as_ref().map(|indices| {
        let format = if indices.format == IndexFormat::U16 { "U16" } else { "U32" };
        json!({"n_indices": indices.len(), "format": format})
    });
    assert_eq!(expected["indices"], json!(indices), "{file}");
    let attributes = expected["attributes"].as_array().unwrap();
    assert_eq!(attributes.len(), document.attributes.len(), "{file}");
    for (expected, attribute) in attributes.iter().zip(&document.attributes) {
        assert_eq!(expected["format"], attribute.format.name(), "{file}");
        let usage = match (expected["usage"]["name"].as_str().unwrap(), &attribute.usage) {
            ("Custom", Usage::Custom(id, name)) => {
                expected["usage"]["id"] == *id && expected["usage"]["string"].as_str().unwrap_or("") == name
            }
            ("Uv0" | "Uv", usage) => *usage == Usage::Uv,
            (name, usage) => format!("{usage:?}") == name,
        };
        assert!(usage, "{file}: {:?} for {}", attribute.usage, expected["usage"]);
    }
}

/// Compares the first values of the index buffer and float buffers.
fn assert_first_values(file: &str, document: &Document, expected: &Value) {
    for buffer in expected["buffers"].as_array().unwrap() {
        let Some(values) = buffer["first_values"].as_array() else { continue };
        if buffer["role"] == "index" {
            let ours: Vec<u32> = document.indices.as_ref().unwrap().iter().take(values.len()).collect();
            assert_eq!(json!(ours), json!(values), "{file}");
        } else if buffer["component_type"] == "f32" {
            let attribute = &document.attributes[buffer["attribute_index"].as_u64().unwrap() as usize];
            let theirs: Vec<f32> = values.iter().map(|x| x.as_f64().unwrap_or(f64::NAN) as f32).collect();
            let ours = attribute.to_f32();
            for (ours, theirs) in ours.iter().zip(theirs) {
                assert!(*ours == theirs || theirs.is_nan(), "{file}: {ours} for {theirs}");
            }
        }
    }
}

/// Asserts that the written file has the same header and descriptor. Checksums must match if zstd produces the same
/// bytes.
fn assert_same_head(file: &str, document: &Document, bytes: &[u8]) {
    use meshspec::{Format, WriteOptions};
    let descriptor_end = 24 + usize::from(u16::from_le_bytes([bytes[6], bytes[7]]));
    let mut same_data = false;
    for level in [3, 19, 22, 9] {
        let ours = document.write(&WriteOptions::default().with_compression_level(level)).unwrap();
        assert_eq!(ours[..8], bytes[..8], "{file}");
        assert_eq!(ours[24..descriptor_end], bytes[24..descriptor_end], "{file}");
        if ours[descriptor_end..] == bytes[descriptor_end..] {
            assert_eq!(ours, bytes, "{file}: another checksum of the same bytes");
            same_data = true;
        }
    }
    eprintln!("{file}: {}", if same_data { "byte-identical" } else { "compressed otherwise" });
}
