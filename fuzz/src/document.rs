//! The values of documents, by their declared names.

use std::collections::BTreeMap;
use std::fmt::Write;

use meshspec::iyma::DataChecksum;
use meshspec::layout::declaration::Type;
use meshspec::layout::expr::Value;
use meshspec::layout::walk::{self, Fields};
use meshspec::{Document, WriteOptions};

use super::leaves::Leaves;

/// Returns the values that a document has for the fields of `layout`, by their paths.
pub fn document_values(document: &Document, layout: &'static Type) -> BTreeMap<String, Value> {
    let fields: &dyn Fields = match document {
        Document::Mesh(document) => document,
        Document::Crucible(document) => document,
        Document::Iyma(document) => document,
        Document::Bmd(document) => document,
        // A text format has no layout.
        Document::Seed(_) => return BTreeMap::new(),
        _ => panic!("a format without declared values"),
    };
    let mut leaves = Leaves::default();
    // The walk ends at the first value that the layout cannot express.
    let _ = walk::walk_document(layout, fields, &Default::default(), &mut leaves);
    let leaves = leaves.leaves.into_iter();
    leaves.map(|(path, _, value)| (path, value)).collect()
}

/// Returns the value as text that differs if and only if a stored bit differs.
pub fn exact_value(value: &Value) -> String {
    match value {
        Value::F32(float) => format!("{:08x}", float.to_bits()),
        Value::F64(float) => format!("{:016x}", float.to_bits()),
        Value::Bits(word, declaration) => format!("{} {word:x}", declaration.name),
        other => format!("{other:?}"),
    }
}

/// Returns the document as text that differs if a value differs or, in a document that can be written, a bit of a float.
pub fn exact_text(document: &Document) -> String {
    let mut document = document.clone();
    if let Document::Iyma(document) = &mut document {
        // The computed checksum is not a part of the document.
        if let Some(wrong) = &mut document.metadata_checksum {
            *wrong = wrong.stored.into();
        }
        if let DataChecksum::Wrong(wrong) = &mut document.data_checksum {
            *wrong = wrong.stored.into();
        }
    }
    let mut text = format!("{document:?}");
    // `Debug` prints every NaN alike, so the bits of floats are those of the values. Text files have no NaN.
    let options = WriteOptions::lenient().with_compression_level(1);
    if let Ok(file) = document.write(&options)
        && let Some(layout) = document.format().layout_of(&file, document.dialect())
    {
        for (path, value) in document_values(&document, layout) {
            write!(text, "\n{path}: {}", exact_value(&value)).expect("memory does not fail");
        }
    }
    text
}
