//! Restricts a walk to a value and its parts.

use std::ops::ControlFlow;

use super::{Node, Segment, Visit, Visitor};
use crate::Span;
use crate::layout::expr::Value;

/// The last segment in the path of trailing bytes, which follow all fields of the file or of a block.
pub const TRAILING: &str = "trailing";

/// Reports a value and its parts to a visitor. The walk ends after the value.
pub(crate) struct Subtree<'v, V> {
    path: &'v [Segment],
    visitor: &'v mut V,
    found: bool,
}

impl<'v, V: Visitor> Subtree<'v, V> {
    /// Creates a visitor that passes the value at this path to `visitor`.
    pub fn new(path: &'v [Segment], visitor: &'v mut V) -> Subtree<'v, V> {
        Subtree {
            path,
            visitor,
            found: false,
        }
    }

    fn covers(&mut self, path: &[Segment]) -> bool {
        let covers = path.starts_with(self.path);
        self.found |= covers;
        covers
    }

    /// Ends the walk after the value.
    fn stop_after_value(&self) -> ControlFlow<()> {
        if self.found {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

impl<V: Visitor> Visitor for Subtree<'_, V> {
    fn enter(&mut self, node: &Node) -> Visit {
        match self.covers(node.path) {
            true => self.visitor.enter(node),
            false if self.found && !self.path.starts_with(node.path) => Visit::Stop,
            false => Visit::towards(self.path, node.path),
        }
    }

    fn visit_leaf(&mut self, node: &Node, value: &Value) -> ControlFlow<()> {
        if self.covers(node.path) {
            self.visitor.visit_leaf(node, value)
        } else {
            self.stop_after_value()
        }
    }

    fn visit_absent(&mut self, node: &Node) -> ControlFlow<()> {
        if node.path.starts_with(self.path) {
            self.visitor.visit_absent(node)
        } else {
            ControlFlow::Continue(())
        }
    }

    fn visit_magic(&mut self, node: &Node) -> ControlFlow<()> {
        if self.covers(node.path) {
            self.visitor.visit_magic(node)
        } else {
            self.stop_after_value()
        }
    }

    fn should_unpack(&mut self, node: &Node) -> bool {
        match self.covers(node.path) {
            true => self.visitor.should_unpack(node),
            false => self.path.starts_with(node.path),
        }
    }

    fn should_visit_partial_arrays(&self) -> bool {
        self.visitor.should_visit_partial_arrays()
    }

    fn leave(&mut self, node: &Node) -> ControlFlow<()> {
        if self.covers(node.path) {
            self.visitor.leave(node)
        } else {
            self.stop_after_value()
        }
    }

    fn visit_unpacked(&mut self, node: &Node, content: &[u8]) {
        if self.covers(node.path) {
            self.visitor.visit_unpacked(node, content);
        }
    }

    fn visit_trailing(&mut self, path: &[Segment], span: Span, bytes: &[u8]) {
        if self.covers(path) || self.path.strip_prefix(path) == Some(&[Segment::Field(TRAILING)]) {
            self.visitor.visit_trailing(path, span, bytes);
        }
    }
}
