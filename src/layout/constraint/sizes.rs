//! Collects the sizes of the lists that constraints refer to.

use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;

use crate::Rule;
use crate::layout::declaration::{Field, Requirement, Type};
use crate::layout::expr::Value;
use crate::layout::program::Program;
use crate::layout::walk::{Node, Segment, Visit, Visitor};

/// The number of items of each list that a constraint refers to, by path. Collects them as a visitor.
pub(in crate::layout) struct Sizes {
    names: BTreeSet<&'static str>,
    sizes: HashMap<Vec<Segment>, u64>,
}

impl Sizes {
    /// Returns a collector for the constraints of `ty` on a file.
    pub(in crate::layout) fn new(ty: &'static Type) -> Sizes {
        Sizes::of(ty, |requirement| match requirement {
            Requirement::Counts { list } => last_name(list),
            other => list_of(other),
        })
    }

    /// Returns a collector for the constraints of `ty` on a document, where counts of lists need no check.
    pub(super) fn of_document(ty: &'static Type) -> Sizes {
        Sizes::of(ty, list_of)
    }

    fn of(ty: &'static Type, name: impl Fn(&Requirement) -> Option<&'static str>) -> Sizes {
        let names = Program::of(ty).constraints().filter_map(|constraint| name(&constraint.requirement));
        Sizes { names: names.collect(), sizes: HashMap::new() }
    }

    /// Returns `true` if no constraint refers to a list.
    pub(in crate::layout) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Returns the number of items of a list of the nearest struct that encloses the value at `path`.
    pub(in crate::layout) fn find(&self, path: &[Segment], list: &[Segment]) -> Option<u64> {
        let enclosing = (0..path.len()).rev();
        enclosing.map(|depth| [&path[..depth], list].concat()).find_map(|path| self.sizes.get(&path).copied())
    }

    /// Stores the size of a list if a constraint refers to it.
    pub(in crate::layout) fn insert(&mut self, path: &[Segment], size: Option<u64>) {
        if let (Some(size), Some(name)) = (size, last_name(path))
            && self.names.contains(name)
        {
            self.sizes.insert(path.to_vec(), size);
        }
    }

    /// Returns `true` if values of a type contain lists that constraints refer to.
    fn is_in(&self, ty: &Type) -> bool {
        ty.declaration().is_some_and(|declaration| declaration.fields().any(|field| self.is_field(field)))
    }

    /// Returns `true` if a field is or contains such a list.
    fn is_field(&self, field: &Field) -> bool {
        self.names.contains(field.name) || self.is_in(&field.content())
    }
}

/// Returns the name of the list that the values index.
fn list_of(requirement: &Requirement) -> Option<&'static str> {
    match requirement {
        Requirement::IndexInto { list, .. } | Requirement::Within { list, .. } => last_name(list),
        _ => None,
    }
}

/// Returns the last step of a path, if it is a field.
fn last_name(path: &[Segment]) -> Option<&'static str> {
    match path.last()? {
        Segment::Field(name) => Some(name),
        Segment::Index(_) => None,
    }
}

impl Visitor for Sizes {
    fn enter(&mut self, node: &Node) -> Visit {
        if self.is_in(node.ty) { Visit::All } else { Visit::Nothing }
    }

    fn wants(&self, field: &Field) -> bool {
        self.is_field(field)
    }

    fn wants_beyond(&mut self, ty: &'static Type, _: &'static [&'static Rule]) -> bool {
        self.is_in(ty)
    }

    fn leave(&mut self, node: &Node) -> ControlFlow<()> {
        self.insert(node.path, node.count);
        ControlFlow::Continue(())
    }

    fn leaf(&mut self, node: &Node, value: &Value) -> ControlFlow<()> {
        if let Value::Int(number) = value {
            self.insert(node.path, u64::try_from(*number).ok());
        }
        ControlFlow::Continue(())
    }

    fn unpack(&mut self, node: &Node) -> bool {
        node.field.is_some_and(|field| self.is_field(field))
    }
}
