//! Compares the walker with the codec, and the output of the assembler with the file.

use std::ops::{ControlFlow, Range};

use meshspec::layout::declaration::Type;
use meshspec::layout::dump::{Dump, JsonHead};
use meshspec::layout::expr::Value;
use meshspec::layout::tree::Tree;
use meshspec::layout::walk::{self, Node, Visitor};
use meshspec::{Document, ErrorKind, Limits, ReadOptions, Severity, Span};

use super::Input;
use super::document::{document_values, exact_value};
use super::leaves::Leaves;

/// Returns `true` if encoding determines the field: a document has no value for it, or only whether it is 0. The number of
/// triangles in BMD has two valid values (B12).
fn is_encoded(path: &str) -> bool {
    let name = path.rsplit('.').next().unwrap_or(path);
    let names = [
        "length",
        "n_tris",
        "compressed_size",
        "descriptor_len",
        "metadata_checksum",
        "data_checksum",
    ];
    name.starts_with("ofs_") || names.contains(&name)
}

/// Asserts that the walker and the document of a file have the same values. Returns the number of compared values.
pub fn assert_same_values(input: Input, limits: &Limits) -> usize {
    let options = ReadOptions::lenient()
        .with_dialect(input.dialect)
        .with_limits(*limits);
    let document = Document::read(input.format, input.bytes, &options);
    assert_values_of(
        &document.expect("a file that can be decoded"),
        input,
        limits,
    )
}

/// Asserts that the walker finds the values of a document in its file, and no others. Returns the number of compared
/// values.
pub fn assert_values_of(document: &Document, input: Input, limits: &Limits) -> usize {
    let format = input.format;
    let mut values = document_values(document, input.layout().expect("a binary format"));
    values.retain(|path, _| !is_encoded(path));
    let count = values.len();
    for (path, _, value) in Leaves::of(input, limits).leaves {
        if is_encoded(&path) {
            continue;
        }
        let ours = values.remove(&path).map(|value| exact_value(&value));
        assert_eq!(ours, Some(exact_value(&value)), "{format}: {path}");
    }
    assert!(values.is_empty(), "{format}: the file lacks {values:?}");
    count
}

/// Returns `true` if the walker checks the fatal rule with this code.
fn is_structural(code: &str) -> bool {
    let codec_rules = [
        "MESH-POSE-JOINT",
        "MESH-NO-STRINGS",
        "MESH-TRAILING",
        "CRUCIBLE-COUNT",
        "CRUCIBLE-DUPLICATE",
        "BMD-VERTEX-COUNT",
        "BMD-FRAMES",
        "BMD-SHARING",
    ];
    !codec_rules.contains(&code)
}

/// Asserts that lenient reading and the walker both accept or both reject the file, unless it violates a rule that only
/// the codec checks. Returns `true` if both accept it.
pub fn assert_same_acceptance(input: Input, limits: &Limits) -> bool {
    let Input {
        format,
        dialect,
        bytes,
    } = input;
    let Some(layout) = input.layout() else {
        return false;
    };
    let result = format.read(
        bytes,
        &ReadOptions::lenient()
            .with_dialect(dialect)
            .with_limits(*limits),
    );
    let fault = walk::first_fault(layout, bytes, limits);
    match (&result, &fault) {
        (Ok(_), None) => true,
        (Err(error), _) if matches!(error.kind(), ErrorKind::LimitExceeded(_)) => false,
        (Err(error), fault) => {
            let rule = error
                .rule()
                .unwrap_or_else(|| panic!("{format}: {error}, {fault:?}: {bytes:02x?}"));
            assert_eq!(rule.severity, Severity::Fatal);
            // A BMD image that breaks another rule may also break the structure later.
            if format != meshspec::bmd::FORMAT || is_structural(rule.code) {
                assert_eq!(
                    fault.is_some(),
                    is_structural(rule.code),
                    "{format}: {error}, but {fault:?}"
                );
            }
            false
        }
        (Ok(_), Some(fault)) => {
            panic!("{format}: the codec accepts a file that the walker rejects: {fault}")
        }
    }
}

/// Asserts that assembling the values of a file yields the same bytes. Returns `false` for a text file, or if the
/// walker does not reach the end of the file.
pub fn assert_assembles(input: Input, limits: &Limits) -> bool {
    let Some(layout) = input.layout() else {
        return false;
    };
    let Ok(values) = Tree::read(layout, input.bytes, limits) else {
        return false;
    };
    let assembled = values
        .assemble(limits)
        .unwrap_or_else(|error| panic!("{}: {error}", input.format));
    assert_eq!(
        first_difference(&assembled, input.bytes),
        None,
        "{}",
        input.format
    );
    true
}

/// Asserts that the JSON of a file without faults assembles to the same bytes.
pub fn assert_json_assembles(input: Input, limits: &Limits) {
    let Some(layout) = input.layout() else {
        return;
    };
    let mut json = Vec::new();
    let dump = Dump::new(layout, input.bytes).with_limits(limits);
    if dump
        .write_json(&JsonHead::default(), |_| None, &mut json)
        .unwrap()
        .is_some()
    {
        return;
    }
    let assembled = Tree::from_json(layout, &json).and_then(|tree| tree.assemble(limits));
    let assembled = assembled.unwrap_or_else(|error| panic!("{}: {error}", input.format));
    assert_eq!(
        first_difference(&assembled, input.bytes),
        None,
        "{}",
        input.format
    );
}

/// Returns the offset of the first difference between two files, with the byte of each, which is `None` after the end
/// of the file. Returns `None` if the files are equal.
pub fn first_difference<'f>(
    left: &'f [u8],
    right: &'f [u8],
) -> Option<(usize, Option<&'f u8>, Option<&'f u8>)> {
    let differs = |at: &usize| left.get(*at) != right.get(*at);
    (0..left.len().max(right.len()))
        .find(differs)
        .map(|at| (at, left.get(at), right.get(at)))
}
