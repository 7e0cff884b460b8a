//! The row of the walker.

use std::ops::ControlFlow;

use meshspec::layout::Value;
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
    Ok(())
}
