//! Every declared field reaches the document, its JSON and the file that is written from it: a bit of a field is
//! flipped in a sample, and if the file can still be decoded, everything that is made from it must show that.
//!
//! The fields come from the layout, so one that is added to a declaration is tested without new code.

use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};

use meshspec::layout::Value;
use meshspec::layout::walk::{self, Node, Visit, Visitor};
use meshspec::{Dialect, Document, FormatId, ReadOptions, Span, Strictness, WriteOptions};

/// The leaves of a file: their paths and bytes. Of long arrays some items.
#[derive(Default)]
struct Leaves(Vec<(String, Range<usize>)>);

impl Visitor for Leaves {
    fn enter(&mut self, _: &Node) -> Visit {
        Visit::Ends { first: 3, last: 2 }
    }

    fn leaf(&mut self, node: &Node, _: &Value) -> ControlFlow<()> {
        // The fields of a packed word lie where the word does.
        if let (Span::Bytes(range), None) = (&node.span, node.bit_field) {
            self.0.push((walk::path_text(node.path), range.start as usize..range.end as usize));
        }
        ControlFlow::Continue(())
    }
}

fn lenient(dialect: Dialect) -> ReadOptions {
    ReadOptions::lenient().with_dialect(dialect)
}

fn json(document: &Document) -> String {
    serde_json::to_string(document).unwrap()
}

/// Why a flipped bit does not show.
fn fault(original: (&[u8], &Document), flipped: &[u8], document: &Document) -> Option<&'static str> {
    // Bits, not numbers: 0.0 and -0.0 are not the same.
    if format!("{document:?}") == format!("{:?}", original.1) && *document == *original.1 {
        return Some("the document is the same");
    }
    let data = json(document);
    if data == json(original.1) {
        return Some("the JSON is the same");
    }
    let Ok(back) = serde_json::from_str::<Document>(&data) else {
        return Some("the JSON cannot be read back");
    };
    if json(&back) != data {
        return Some("the JSON gives another document");
    }
    let mut options = WriteOptions::default();
    options.strictness = Strictness::Lenient;
    let Ok(written) = back.write(&options) else { return Some("the document cannot be written") };
    if written == flipped {
        return None;
    }
    if written == original.0 {
        return Some("the file that is written is the old one");
    }
    match document.format().read(&written, &lenient(document.dialect())) {
        Ok(again) if json(&again) == data => None,
        _ => Some("the file that is written is not the document"),
    }
}

/// Flips each bit of each leaf of a file. Returns for each field how many flipped files could be decoded.
fn flip(format: FormatId, bytes: &[u8]) -> BTreeMap<String, usize> {
    let dialect = meshspec::detect(bytes, None).unwrap().dialect;
    let document = format.read(bytes, &lenient(dialect)).unwrap();
    let layout = format.layout_of(bytes, dialect).unwrap();
    let mut leaves = Leaves::default();
    walk::walk(layout, bytes, &Default::default(), &mut leaves).unwrap();
    let mut accepted = BTreeMap::new();
    for (path, range) in leaves.0 {
        let seen = accepted.entry(path.replace(|c: char| c.is_ascii_digit(), "")).or_insert(0);
        for bit in 0..8 * range.len() {
            let mut flipped = bytes.to_vec();
            flipped[range.start + bit / 8] ^= 1 << (bit % 8);
            let Ok(changed) = format.read(&flipped, &lenient(dialect)) else { continue };
            *seen += 1;
            if let Some(fault) = fault((bytes, &document), &flipped, &changed) {
                panic!("{format} {dialect}, bit {bit} of {path}: {fault}");
            }
        }
    }
    accepted
}

#[test]
fn mesh() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/mesh");
    for entry in std::fs::read_dir(folder).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        println!("{:#?}", flip(FormatId::Mesh, &bytes));
    }
}
