//! Compares Seed documents with sidecars.

use meshspec::bulk::{self, PlainData};
use meshspec::seed::Document;
use serde_json::{Value, json};

use crate::common::{bits, sha256};

pub fn compare(file: &str, document: &Document, _: &[u8], expected: &Value) -> bool {
    let properties: Value =
        document.properties.iter().map(|property| json!([property.name, property.value])).collect();
    assert_eq!(expected["properties"], properties, "{file}");
    assert_eq!(expected["vertex_count"], document.vertex_count(), "{file}");
    assert_eq!(expected["face_count"], document.faces.len(), "{file}");
    let mut attributes: Vec<_> = expected["attributes"].as_object().unwrap().keys().cloned().collect();
    let mut compare = |identifier: String, there: bool, compare: &dyn Fn(&Value)| {
        assert_eq!(attributes.contains(&identifier), there, "{file}: {identifier}");
        if there {
            attributes.retain(|other| *other != identifier);
            compare(&expected["attributes"][&identifier]);
        }
    };
    let Document { positions, normals, faces, .. } = document;
    compare("p".to_owned(), !positions.is_empty(), &|expected| assert_floats(file, positions, expected));
    compare("n".to_owned(), !normals.is_empty(), &|expected| assert_floats(file, normals, expected));
    for (channel, values) in document.colors.iter().enumerate() {
        compare(format!("c{channel}"), !values.is_empty(), &|expected| assert_floats(file, values, expected));
    }
    for (channel, values) in document.uvs.iter().enumerate() {
        compare(format!("u{channel}"), !values.is_empty(), &|expected| assert_floats(file, values, expected));
    }
    compare("f".to_owned(), !faces.is_empty(), &|expected| assert_column(file, faces, expected));
    assert!(attributes.is_empty(), "{file}: {attributes:?} is not in the document");
    true
}

fn assert_floats<const N: usize>(file: &str, values: &[[f32; N]], expected: &Value)
where
    [f32; N]: PlainData,
{
    assert_column(file, values, expected);
    assert_eq!(expected["first_bits"], bits(values[0]), "{file}");
}

fn assert_column<T: PlainData + Into<f64>, const N: usize>(file: &str, values: &[[T; N]], expected: &Value)
where
    [T; N]: PlainData,
{
    assert_eq!(expected["count"], values.len(), "{file}");
    assert_eq!(expected["components"], N, "{file}");
    assert_eq!(expected["sha256_le"], sha256(&bulk::as_bytes(values)), "{file}");
    let numbers = |value: &Value| -> Vec<f32> {
        value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap() as f32).collect()
    };
    let ours = |value: &[T; N]| value.iter().map(|x| (*x).into() as f32).collect::<Vec<f32>>();
    assert_eq!(numbers(&expected["first"]), ours(&values[0]), "{file}");
    assert_eq!(numbers(&expected["last"]), ours(&values[values.len() - 1]), "{file}");
}
