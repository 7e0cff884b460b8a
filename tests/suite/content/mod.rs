//! Compares documents with the sidecars of the reference files.

pub mod bmd;
mod crucible;
mod iyma;
mod mesh;
mod seed;

use meshspec::Document;
use serde_json::Value;

/// Compares a document with the sidecar of its file. Returns `false` if the sidecar has no content.
pub fn compare(file: &str, document: &Document, bytes: &[u8], expected: &Value) -> bool {
    // Some sidecars also have a verdict.
    let expected = expected.get("expected").unwrap_or(expected);
    let sum = expected.get("sha256").unwrap_or(&expected["file_sha256"]);
    // BMD sidecars have no checksum.
    if !sum.is_null() {
        assert_eq!(crate::common::sha256(bytes), *sum, "{file}: another file");
    }
    match document {
        Document::Mesh(document) => mesh::compare(file, document, bytes, expected),
        Document::Crucible(document) => crucible::compare(file, document, bytes, expected),
        Document::Iyma(document) => iyma::compare(file, document, bytes, expected),
        Document::Seed(document) => seed::compare(file, document, bytes, expected),
        Document::Bmd(document) => bmd::compare(file, document, bytes, expected),
        other => panic!("{file}: no comparison for {}", other.format()),
    }
}
