//! Constraints of fields, as data.

use crate::layout::expr::Expr;
use crate::layout::walk::Segment;
use crate::{Rule, Severity};

/// What the values of a field must be.
///
/// It applies to the value of the field or, where the field is a list, to each of its items.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Constraint {
    /// What is required.
    pub requirement: Requirement,
    /// Where it applies; everywhere without a condition.
    pub condition: Option<Expr>,
    /// The rule that it belongs to, whose severity applies.
    pub rule: &'static Rule,
    /// The message for values that break it, where it is not the usual one. `{found}` stands for the value, `{limit}` for
    /// that of [`Below`](Requirement::Below), `{previous}` for the value before it in an [`Ordered`](Requirement::Ordered)
    /// list, other names for the number of a field or import, `{header.count}`; `{found:#x}` is hexadecimal,
    /// `{found:#06x}` with so many characters at least.
    pub message: Option<&'static str>,
}

/// The rule of what plausible files have: nothing checks it.
pub static PLAUSIBLE: Rule = Rule::new("PLAUSIBLE", Severity::Warning, "Files of exporters have it.");

/// What a [`Constraint`] requires. Where an expression has no value, as that of a field that is not there, nothing is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Requirement {
    /// All numbers are below this one.
    Below(Expr),
    /// No number is below this one.
    AtLeast(Expr),
    /// The numbers of each array are the components of a vector of length 1.
    UnitVector,
    /// All numbers are one of these.
    OneOf(&'static [Expr]),
    /// All numbers are finite.
    Finite,
    /// No number occurs twice in the list, or in the list of structs that have the field.
    Unique,
    /// No number is less than the one before it in the list, or in the list of structs that have the field. Only the first
    /// that is, is reported.
    Ordered,
    /// The numbers of each item add up.
    Sum {
        /// The field of the structs that are added up; `None` where the items are numbers.
        of: Option<&'static str>,
        /// What they add up to.
        total: f64,
        /// How far the sum may be from that.
        tolerance: f64,
    },
    /// The reserved bits of a packed word are 0.
    ReservedZero,
    /// The last of the strings ends with a NUL.
    Terminated,
    /// A condition on the field and those before it holds.
    Holds(Expr),
    /// The condition holds for at least one item of the list. An empty list satisfies it.
    Some(Expr),
    /// All numbers are positions in a list of an enclosing struct.
    IndexInto {
        /// The path of the list from the nearest enclosing struct that has it.
        list: &'static [Segment],
        /// The number that stands for none.
        none: Option<Expr>,
        /// A field of the same struct with as many numbers: none requires a weight of 0.
        weights: Option<&'static str>,
    },
    /// As many items as the value says, from the position `first` on, lie within a list of an enclosing struct.
    Within {
        /// The path of the list from the nearest enclosing struct that has it.
        list: &'static [Segment],
        /// The position of the first item.
        first: Expr,
    },
    /// The value is the number of items in a list of an enclosing struct, which nothing else states.
    Counts {
        /// The path of the list from the nearest enclosing struct that has it.
        list: &'static [Segment],
    },
    /// Each number is the position of its item in the list.
    Position,
    /// All items of the list have the same number.
    Equal,
    /// The list is as long as that of each other item in the list around it.
    SameLength,
    /// The numbers are those from 0 up, each once, in any order.
    Permutation {
        /// The field of the structs in the list; `None` if the items are numbers.
        of: Option<&'static str>,
        /// The number of items in a group; `None` if the whole list is one.
        groups: Option<Expr>,
    },
    /// Each number is the position of the parent of its item in the list, and no item is its own ancestor.
    Forest {
        /// The number that stands for no parent.
        none: Option<Expr>,
        /// Whether the first item is the only root, and its own parent. Items without a parent are then outside the tree.
        rooted: bool,
        /// The field with the numbers of the items, which parents may refer to instead of positions.
        ids: Option<&'static str>,
        /// Whether parents precede their children.
        parents_first: bool,
    },
}

impl Constraint {
    /// Returns the expressions.
    pub(crate) fn expressions(&self) -> impl Iterator<Item = &Expr> {
        let (list, one): (&[Expr], Option<&Expr>) = match &self.requirement {
            Requirement::OneOf(values) => (values, None),
            Requirement::Below(expr)
            | Requirement::AtLeast(expr)
            | Requirement::Holds(expr)
            | Requirement::Some(expr)
            | Requirement::Within { first: expr, .. } => (&[], Some(expr)),
            Requirement::IndexInto { none, .. } | Requirement::Forest { none, .. } => (&[], none.as_ref()),
            Requirement::Permutation { groups, .. } => (&[], groups.as_ref()),
            _ => (&[], None),
        };
        list.iter().chain(one).chain(&self.condition)
    }

    /// Returns the fields and imports that the expressions name.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        let mut names = Vec::new();
        for expr in self.expressions() {
            expr.visit(&mut |part| {
                if let Expr::Path(path) | Expr::Matches(path, _) = part {
                    names.extend(path.first());
                }
            });
        }
        names.into_iter().chain(self.placeholders().filter_map(|name| name.split(['.', ':']).next()))
    }

    /// The placeholders in the message that name a field or import, each with its format.
    pub(crate) fn placeholders(&self) -> impl Iterator<Item = &'static str> {
        let parts = self.message.unwrap_or_default().split('{').skip(1);
        let placeholders = parts.map(|part| part.split('}').next().unwrap_or_default());
        placeholders.filter(|placeholder| {
            let name = placeholder.split(':').next().unwrap_or_default();
            !["found", "limit", "previous", "position", "first", "problem", "items"].contains(&name)
        })
    }
}
