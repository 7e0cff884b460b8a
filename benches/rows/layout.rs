//! The rows of the walker and the assembler.

use std::ops::ControlFlow;

use meshspec::layout::Value;
use meshspec::layout::assemble::Values;
use meshspec::layout::walk::{Node, Visitor, walk};
use meshspec::{Document, Limits, WriteOptions};

use crate::{Bench, Error};

/// Counts fields.
struct Count(u64);

impl Visitor for Count {
    fn leaf(&mut self, _: &Node, _: &Value) -> ControlFlow<()> {
        self.0 += 1;
        ControlFlow::Continue(())
    }
}

pub fn rows(bench: &mut Bench) -> Result<(), Error> {
    let document = Document::Mesh(super::mesh::document()?);
    let bytes = document.write(&WriteOptions::default())?;
    let layout = document.format().layout_of(&bytes, document.dialect()).ok_or("no layout")?;
    let count = || {
        let mut count = Count(0);
        walk(layout, &bytes, &Limits::default(), &mut count).map(|_| count.0)
    };
    let fields = count()?;
    bench.pair("layout/walk (fields)", fields, count, "copy", || bytes.to_vec());
    assembling(bench)
}

/// Values one by one, on a smaller file: they take ten times as much memory as their bytes.
fn assembling(bench: &mut Bench) -> Result<(), Error> {
    let document = Document::Mesh(super::mesh::document_of(200)?);
    let bytes = document.write(&WriteOptions::default())?;
    let layout = document.format().layout_of(&bytes, document.dialect()).ok_or("no layout")?;
    let limits = Limits::default();
    let values = Values::of(layout, &bytes, &limits)?;
    if values.assemble(&limits)? != bytes {
        return Err("the values do not assemble to the file".into());
    }
    let count = || {
        let mut count = Count(0);
        walk(layout, &bytes, &limits, &mut count).map(|_| count.0)
    };
    let fields = count()?;
    bench.pair("layout/assemble (fields)", fields, || values.assemble(&limits), "walk", count);
    Ok(())
}
