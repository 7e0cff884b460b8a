//! The leaves of files and documents.

use std::ops::{ControlFlow, Range};

use meshspec::layout::expr::Value;
use meshspec::layout::walk::{self, Node, Visitor};
use meshspec::{Limits, Span};

use super::Input;

/// Collects all leaves except bit fields.
#[derive(Default)]
pub struct Leaves {
    /// The path, span and value of each leaf.
    pub leaves: Vec<(String, Span, Value)>,
    /// The byte ranges of packed blocks whose unpacked content is empty.
    pub empty: Vec<Range<u64>>,
}

impl Visitor for Leaves {
    fn visit_leaf(&mut self, node: &Node, value: &Value) -> ControlFlow<()> {
        if node.bit_field.is_none() {
            self.leaves
                .push((walk::path_text(node.path), node.span.clone(), value.clone()));
        }
        ControlFlow::Continue(())
    }

    fn visit_unpacked(&mut self, node: &Node, content: &[u8]) {
        if content.is_empty() {
            self.empty.push(node.span.range().clone());
        }
    }
}

impl Leaves {
    /// Collects the leaves of a file.
    pub fn of(input: Input, limits: &Limits) -> Leaves {
        let mut leaves = Leaves::default();
        let layout = input.layout().expect("a binary format");
        walk::walk(layout, input.bytes, limits, &mut leaves).expect("a file that can be decoded");
        leaves
    }
}
