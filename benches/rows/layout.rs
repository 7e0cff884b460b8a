//! The rows of the walker, of JSON, of the assembler and of the generator.

use std::ops::ControlFlow;

use meshspec::layout::declaration::Type;
use meshspec::layout::dump::{Dump, JsonHead};
use meshspec::layout::expr::Value;
use meshspec::layout::generate;
use meshspec::layout::tree::Tree;
use meshspec::layout::walk::{Fault, Node, Visitor, walk};
use meshspec::{Document, Formats, Limits, WriteOptions};

use crate::{Bench, Error, sheet};

/// Counts fields.
struct FieldCounter(u64);

impl Visitor for FieldCounter {
    fn visit_leaf(&mut self, _: &Node, _: &Value) -> ControlFlow<()> {
        self.0 += 1;
        ControlFlow::Continue(())
    }
}

/// The rows of a format: the walk over a file, its values as JSON, and its assembly.
struct FormatRows {
    walk: &'static str,
    json: &'static str,
    assemble: &'static str,
}

pub fn add_rows(bench: &mut Bench) -> Result<(), Error> {
    let rows = [
        FormatRows {
            walk: "layout/walk (fields)",
            json: "layout/json (fields)",
            assemble: "layout/assemble (fields)",
        },
        FormatRows {
            walk: "layout/walk bmd (fields)",
            json: "layout/json bmd (fields)",
            assemble: "layout/assemble bmd (fields)",
        },
        FormatRows {
            walk: "layout/walk iyma (fields)",
            json: "layout/json iyma (fields)",
            assemble: "layout/assemble iyma (fields)",
        },
    ];
    let large = Document::Mesh(super::mesh::document()?);
    add_walk_row(bench, &large, rows[0].walk)?;
    drop(large);
    // These files are small, since the values of a file as JSON take ten times its size.
    let small = [
        Document::Mesh(super::mesh::document_with_side(200)?),
        Document::Bmd(super::bmd::image(1)?),
        Document::Iyma(super::iyma::document(sheet(200))?),
    ];
    for (document, rows) in small.iter().zip(&rows) {
        if document.format() != meshspec::mesh::FORMAT {
            add_walk_row(bench, document, rows.walk)?;
        }
        add_value_rows(bench, document, rows)?;
    }
    add_generation_row(bench)
}

/// Encodes a document. Returns its layout, too.
fn encode(document: &Document) -> Result<(&'static Type, Vec<u8>), Error> {
    let bytes = document.write(&WriteOptions::default())?;
    let layout = document
        .format()
        .layout_of(&bytes, document.dialect())
        .ok_or("no layout")?;
    Ok((layout, bytes))
}

fn count_fields(layout: &'static Type, bytes: &[u8]) -> Result<u64, Fault> {
    let mut counter = FieldCounter(0);
    walk(layout, bytes, &Limits::default(), &mut counter).map(|_| counter.0)
}

fn add_walk_row(bench: &mut Bench, document: &Document, row: &'static str) -> Result<(), Error> {
    let (layout, bytes) = encode(document)?;
    let fields = count_fields(layout, &bytes)?;
    let count = || count_fields(layout, &bytes);
    bench.add_row(row, fields, count, "copy", || bytes.to_vec());
    Ok(())
}

/// Adds the rows that print the values of a file as JSON, and that assemble them.
fn add_value_rows(bench: &mut Bench, document: &Document, rows: &FormatRows) -> Result<(), Error> {
    let (layout, bytes) = encode(document)?;
    let limits = Limits::default();
    let fields = count_fields(layout, &bytes)?;
    let print = || {
        let mut text = Vec::new();
        let printed =
            Dump::new(layout, &bytes).write_json(&JsonHead::default(), |_| None, &mut text);
        (printed.is_ok(), text)
    };
    let count = || count_fields(layout, &bytes);
    bench.add_row(rows.json, fields, print, "walk", count);
    let tree = Tree::read(layout, &bytes, &limits)?;
    if tree.assemble(&limits)? != bytes {
        return Err("assembling the values does not yield the file".into());
    }
    let assemble = || tree.assemble(&limits);
    bench.add_row(rows.assemble, fields, assemble, "walk", count);
    Ok(())
}

/// Adds the row that generates up to 200 files of each layout from fixed numbers. Skips IyMA, whose packing rejects
/// most files.
fn add_generation_row(bench: &mut Bench) -> Result<(), Error> {
    let layouts = Formats::BUILT_IN
        .iter()
        .filter(|format| format.name() != "iyma");
    let layouts: Vec<_> = layouts
        .flat_map(|format| format.about().layouts())
        .collect();
    let config = generate::Config::default();
    let numbers = |seed: u64| {
        (0..128).map(move |i| {
            (seed * 128 + i + 1)
                .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                .rotate_left(29)
        })
    };
    let sequences: Vec<Vec<u64>> = (0..200).map(|seed| numbers(seed).collect()).collect();
    let files = || {
        let files = layouts.iter().flat_map(|(_, ty)| {
            sequences
                .iter()
                .filter_map(|numbers| Some((*ty, generate::file(ty, numbers, &config).ok()?)))
        });
        files.collect::<Vec<_>>()
    };
    let generated = files();
    let count = || {
        let mut counter = FieldCounter(0);
        for (ty, bytes) in &generated {
            walk(ty, bytes, &Limits::default(), &mut counter)?;
        }
        Ok::<_, Error>(counter.0)
    };
    let fields = count()?;
    if generated.len() < layouts.len() * 50 {
        return Err(format!("only {} files could be generated", generated.len()).into());
    }
    bench.add_row("layout/generate (fields)", fields, files, "walk", count);
    Ok(())
}
