//! Narrows a walk to one value and what it is made of.

use std::ops::ControlFlow;

use super::{Node, Segment, TRAILING, Visit, Visitor};
use crate::Span;
use crate::layout::Value;

/// Tells a visitor of the value with one path only. The walk ends behind it.
pub struct Only<'v, V> {
    path: &'v [Segment],
    visitor: &'v mut V,
    found: bool,
}

impl<'v, V: Visitor> Only<'v, V> {
    /// Tells `visitor` of the value with this path.
    pub fn new(path: &'v [Segment], visitor: &'v mut V) -> Only<'v, V> {
        Only { path, visitor, found: false }
    }

    fn covers(&mut self, path: &[Segment]) -> bool {
        let covers = path.starts_with(self.path);
        self.found |= covers;
        covers
    }

    /// Behind the value there is nothing left to do.
    fn go_on(&self) -> ControlFlow<()> {
        if self.found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl<V: Visitor> Visitor for Only<'_, V> {
    fn enter(&mut self, node: &Node) -> Visit {
        if self.covers(node.path) {
            return self.visitor.enter(node);
        }
        match self.path.strip_prefix(node.path) {
            Some([Segment::Index(index), ..]) => Visit::Items(*index..index.saturating_add(1)),
            Some(_) => Visit::All,
            None if self.found => Visit::Stop,
            None => Visit::Nothing,
        }
    }

    fn leaf(&mut self, node: &Node, value: &Value) -> ControlFlow<()> {
        if self.covers(node.path) { self.visitor.leaf(node, value) } else { self.go_on() }
    }

    fn magic(&mut self, node: &Node) -> ControlFlow<()> {
        if self.covers(node.path) { self.visitor.magic(node) } else { self.go_on() }
    }

    fn unpack(&mut self, node: &Node) -> bool {
        if self.covers(node.path) { self.visitor.unpack(node) } else { self.path.starts_with(node.path) }
    }

    fn wants_remains(&self) -> bool {
        self.visitor.wants_remains()
    }

    fn leave(&mut self, node: &Node) -> ControlFlow<()> {
        if self.covers(node.path) { self.visitor.leave(node) } else { self.go_on() }
    }

    fn unpacked(&mut self, node: &Node, content: &[u8]) {
        if self.covers(node.path) {
            self.visitor.unpacked(node, content);
        }
    }

    fn rest(&mut self, path: &[Segment], span: Span) {
        if self.covers(path) || self.path.strip_prefix(path) == Some(&[Segment::Field(TRAILING)]) {
            self.visitor.rest(path, span);
        }
    }
}
