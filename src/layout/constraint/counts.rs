//! Finds stored counts that differ from the number of items in their list.

use std::ops::ControlFlow;

use super::list_counts::ListCounts;
use crate::Limits;
use crate::layout::declaration::{Requirement, Type};
use crate::layout::expr::{Lookup, Value};
use crate::layout::program::Program;
use crate::layout::walk::{Node, Segment, Visitor, walk};

/// Returns the path and correct value of each wrong stored count ([`Requirement::Counts`]), except bit fields.
pub(crate) fn wrong_counts(
    ty: &'static Type,
    bytes: &[u8],
    limits: &Limits,
) -> Vec<(Vec<Segment>, u64)> {
    let is_count = |requirement: &Requirement| matches!(requirement, Requirement::Counts { .. });
    if !Program::of(ty)
        .constraints()
        .any(|constraint| is_count(&constraint.requirement))
    {
        return Vec::new();
    }
    let mut counts = CountVisitor {
        list_counts: ListCounts::new(ty),
        number: None,
        wrong: Vec::new(),
    };
    // A fault ends both walks; counts before it are still checked.
    let _ = walk(ty, bytes, limits, &mut counts.list_counts);
    let _ = walk(ty, bytes, limits, &mut counts);
    counts.wrong
}

struct CountVisitor {
    list_counts: ListCounts,
    /// The last visited number, whose constraints are visited next.
    number: Option<i128>,
    wrong: Vec<(Vec<Segment>, u64)>,
}

impl Visitor for CountVisitor {
    fn visit_leaf(&mut self, node: &Node, value: &Value) -> ControlFlow<()> {
        if node.bit_field.is_none() {
            self.number = if let Value::Int(number) = value {
                Some(*number)
            } else {
                None
            };
        }
        ControlFlow::Continue(())
    }

    fn visit_constrained(&mut self, node: &Node, values: &dyn Lookup) {
        for constraint in node
            .constraints()
            .iter()
            .filter(|constraint| constraint.applies(values))
        {
            if let Requirement::Counts { list } = constraint.requirement
                && node.bit_field.is_none()
                && let Some(size) = self.list_counts.find(node.path, list)
                && self.number != Some(size.into())
            {
                self.wrong.push((node.path.to_vec(), size));
            }
        }
    }
}
