//! The rows of the walker, the assembler and the generator.

use std::ops::ControlFlow;

use meshspec::layout::expr::Value;
use meshspec::layout::generate;
use meshspec::layout::tree::Tree;
use meshspec::layout::walk::{Node, Visitor, walk};
use meshspec::{Document, FormatId, Limits, WriteOptions};

use crate::{Bench, Error};

/// Counts fields.
struct FieldCounter(u64);

impl Visitor for FieldCounter {
    fn visit_leaf(&mut self, _: &Node, _: &Value) -> ControlFlow<()> {
        self.0 += 1;
        ControlFlow::Continue(())
    }
}

pub fn add_rows(bench: &mut Bench) -> Result<(), Error> {
    let document = Document::Mesh(super::mesh::document()?);
    let bytes = document.write(&WriteOptions::default())?;
    let layout = document
        .format()
        .layout_of(&bytes, document.dialect())
        .ok_or("no layout")?;
    let count = || {
        let mut counter = FieldCounter(0);
        walk(layout, &bytes, &Limits::default(), &mut counter).map(|_| counter.0)
    };
    let fields = count()?;
    bench.add_row("layout/walk (fields)", fields, count, "copy", || {
        bytes.to_vec()
    });
    add_assembly_row(bench)?;
    add_generation_row(bench)
}

/// Adds the row that assembles a file. The file is small, since its values take ten times as much memory as its bytes.
fn add_assembly_row(bench: &mut Bench) -> Result<(), Error> {
    let document = Document::Mesh(super::mesh::document_with_side(200)?);
    let bytes = document.write(&WriteOptions::default())?;
    let layout = document
        .format()
        .layout_of(&bytes, document.dialect())
        .ok_or("no layout")?;
    let limits = Limits::default();
    let values = Tree::read(layout, &bytes, &limits)?;
    if values.assemble(&limits)? != bytes {
        return Err("assembling the values does not yield the file".into());
    }
    let count = || {
        let mut counter = FieldCounter(0);
        walk(layout, &bytes, &limits, &mut counter).map(|_| counter.0)
    };
    let fields = count()?;
    bench.add_row(
        "layout/assemble (fields)",
        fields,
        || values.assemble(&limits),
        "walk",
        count,
    );
    Ok(())
}

/// Adds the row that generates up to 200 files of each layout from fixed numbers. Skips IyMA, whose packing rejects
/// most files.
fn add_generation_row(bench: &mut Bench) -> Result<(), Error> {
    let layouts = FormatId::ALL
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
