//! Collects the number of items in each list that a constraint refers to.

use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;

use crate::layout::declaration::{Field, Requirement, Type};
use crate::layout::expr::Value;
use crate::layout::program::Program;
use crate::layout::walk::{Node, Segment, Visit, Visitor};

/// A visitor that collects the number of items in each list that a constraint refers to, by the path of the list. A
/// stored number that a constraint refers to counts as a list of that many items.
#[derive(Default)]
pub(in crate::layout) struct ListCounts {
    /// The names of the lists that constraints refer to.
    names: BTreeSet<&'static str>,
    counts: HashMap<Vec<Segment>, u64>,
}

impl ListCounts {
    /// Creates a collector for files of type `ty`.
    pub fn new(ty: &'static Type) -> ListCounts {
        ListCounts::with_lists(ty, Requirement::list)
    }

    /// Creates a collector for documents. It ignores lists to which only [`Requirement::Counts`] refers, so their
    /// counts are not checked.
    pub fn for_document(ty: &'static Type) -> ListCounts {
        ListCounts::with_lists(ty, |requirement| match requirement {
            Requirement::Counts { .. } => None,
            other => other.list(),
        })
    }

    /// Creates a collector for the lists that `list` returns for the requirements of `ty`.
    fn with_lists(
        ty: &'static Type,
        list: fn(&Requirement) -> Option<&'static [Segment]>,
    ) -> ListCounts {
        let lists = Program::of(ty)
            .constraints()
            .filter_map(|constraint| list(&constraint.requirement));
        ListCounts {
            names: lists.filter_map(|list| list.last()?.name()).collect(),
            counts: HashMap::new(),
        }
    }

    /// Returns `true` if no constraint refers to a list.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Returns the number of items in the list at the relative path `list`. That path starts at the nearest struct that
    /// encloses the value at `path` and has the list; `None` if no struct does.
    pub fn find(&self, path: &[Segment], list: &[Segment]) -> Option<u64> {
        (0..path.len())
            .rev()
            .find_map(|depth| self.counts.get(&[&path[..depth], list].concat()).copied())
    }

    /// Stores the size of a list if a constraint refers to it.
    pub fn insert(&mut self, path: &[Segment], size: Option<u64>) {
        if let (Some(size), Some(Segment::Field(name))) = (size, path.last())
            && self.names.contains(name)
        {
            self.counts.insert(path.to_vec(), size);
        }
    }

    /// Returns `true` if values of type `ty` contain lists that constraints refer to.
    fn has_lists_in(&self, ty: &Type) -> bool {
        ty.declaration()
            .is_some_and(|outer| outer.fields().any(|field| self.has_lists_in_field(field)))
    }

    /// Returns `true` if a field is or contains a list that constraints refer to.
    fn has_lists_in_field(&self, field: &Field) -> bool {
        self.names.contains(field.name) || self.has_lists_in(&field.content_type())
    }
}

impl Visitor for ListCounts {
    fn enter(&mut self, node: &Node) -> Visit {
        if self.has_lists_in(node.ty) {
            Visit::All
        } else {
            Visit::Nothing
        }
    }

    fn should_request(&self, field: &Field) -> bool {
        self.has_lists_in_field(field)
    }

    fn leave(&mut self, node: &Node) -> ControlFlow<()> {
        self.insert(node.path, node.count);
        ControlFlow::Continue(())
    }

    fn visit_leaf(&mut self, node: &Node, value: &Value) -> ControlFlow<()> {
        if let Value::Int(number) = value {
            self.insert(node.path, u64::try_from(*number).ok());
        }
        ControlFlow::Continue(())
    }

    fn should_unpack(&mut self, node: &Node) -> bool {
        node.field
            .is_some_and(|field| self.has_lists_in_field(field))
    }
}
