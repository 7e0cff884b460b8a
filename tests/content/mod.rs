//! Documents against the sidecars of the reference files.

pub mod bmd;
mod crucible;
mod mesh;

use meshspec::Document;
use serde_json::Value;

/// Compares a document with the sidecar of its file; `false` if the sidecar says nothing of the content.
pub fn compare(file: &str, document: &Document, bytes: &[u8], expected: &Value) -> bool {
    // Those of BMD have no checksum.
    if !expected["sha256"].is_null() {
        assert_eq!(super::common::sha256(bytes), expected["sha256"], "{file}: another file");
    }
    match document {
        Document::Mesh(document) => mesh::compare(file, document, bytes, expected),
        Document::Crucible(document) => crucible::compare(file, document, bytes, expected),
        Document::Bmd(document) => bmd::compare(file, document, bytes, expected),
        other => panic!("{file}: no comparison for {}", other.format()),
    }
}
