//! Constraints of fields, as data.

use crate::layout::expr::Expr;
use crate::layout::walk::Segment;
use crate::{Rule, Severity};

/// A constraint on the value of a field.
///
/// In a list, it applies to each item.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Constraint {
    /// The requirement.
    pub requirement: Requirement,
    /// The condition under which it applies; without one, it always applies.
    pub condition: Option<Expr>,
    /// The rule that it enforces, with the severity of findings.
    pub rule: &'static Rule,
    /// The message for violations, if it is not the default one. These placeholders are replaced:
    ///
    /// - `{found}`: the value;
    /// - `{limit}`: the limit of the requirement, such as that of [`Below`](Requirement::Below);
    /// - `{previous}`: the previous value of an [`Ordered`](Requirement::Ordered) list, or the first item's value;
    /// - `{position}`: the index of the item;
    /// - `{first}`: the first index of a range [`Within`](Requirement::Within) a list;
    /// - `{items}`: the number of items;
    /// - `{problem}`: the fault of a [`Permutation`](Requirement::Permutation) or [`Forest`](Requirement::Forest);
    /// - other names, such as `{header.count}`: the number of that field or import.
    ///
    /// `{found:#x}` prints hexadecimal, `{found:#06x}` at least 6 characters.
    pub message: Option<&'static str>,
}

/// The rule of plausible values; nothing checks it.
pub static PLAUSIBLE: Rule = Rule::new("PLAUSIBLE", Severity::Warning, "The value is plausible.");

/// The requirement of a [`Constraint`]. It does not apply if an expression has no value, such as that of a missing
/// field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Requirement {
    /// All numbers are less than the limit.
    Below(Expr),
    /// No number is less than the limit.
    AtLeast(Expr),
    /// The numbers of each array are the components of a vector of length 1.
    UnitVector,
    /// Every number equals one of these.
    OneOf(&'static [Expr]),
    /// All numbers are finite.
    Finite,
    /// No number occurs twice in the list, or in the enclosing list of structs.
    Unique,
    /// No number is less than the previous one in the list, or in the enclosing list of structs. Only the first
    /// violation is reported.
    Ordered,
    /// The numbers of each item have a fixed sum.
    Sum {
        /// The field of the structs to add up; `None` if the items are numbers.
        of: Option<&'static str>,
        /// The required sum.
        total: f64,
        /// The largest allowed difference from the required sum.
        tolerance: f64,
    },
    /// The reserved bits of a packed word are 0.
    ReservedZero,
    /// The last string ends with a NUL.
    Terminated,
    /// The condition on this field and earlier ones holds.
    Holds(Expr),
    /// The condition holds for at least one item of the list, or the list is empty.
    Some(Expr),
    /// All numbers are indices into a list of an enclosing struct.
    IndexInto {
        /// The path of the list, from the nearest enclosing struct that has it.
        list: &'static [Segment],
        /// The number for "no item".
        none: Option<Expr>,
        /// A field of the same struct with equally many weights. "No item" requires a weight of 0.
        weights: Option<&'static str>,
    },
    /// The value counts items of a list in an enclosing struct. The range that starts at `first` lies within the
    /// list.
    Within {
        /// The path of the list, from the nearest enclosing struct that has it.
        list: &'static [Segment],
        /// The index of the first item.
        first: Expr,
    },
    /// The value is the number of items in a list of an enclosing struct. No other field stores that number.
    Counts {
        /// The path of the list, from the nearest enclosing struct that has it.
        list: &'static [Segment],
    },
    /// Each number is the index of its item in the list.
    Position,
    /// All items of the list have the same number.
    Equal,
    /// The list has the same length as those of the other items in the enclosing list.
    SameLength,
    /// The numbers are a permutation of 0 to the number of items − 1.
    Permutation {
        /// The field of the structs in the list; `None` if the items are numbers.
        of: Option<&'static str>,
        /// The number of items in a group; `None` if the whole list is one group.
        groups: Option<Expr>,
    },
    /// Each number is the index of its item's parent in the list, without cycles.
    Forest {
        /// The number for "no parent".
        none: Option<Expr>,
        /// Whether the first item is the only root, and its own parent. Items without a parent are then outside
        /// the tree.
        rooted: bool,
        /// The field with the ids of the items, which parents may refer to instead of indices.
        ids: Option<&'static str>,
        /// Whether parents precede their children.
        parents_first: bool,
    },
}

impl Constraint {
    /// Returns the expressions of the requirement and the condition.
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

    /// Returns the fields and imports named in the expressions and the message.
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

    /// Returns the placeholders in the message that name a field or import, each with its format.
    pub(crate) fn placeholders(&self) -> impl Iterator<Item = &'static str> {
        let parts = self.message.unwrap_or_default().split('{').skip(1);
        let placeholders = parts.map(|part| part.split('}').next().unwrap_or_default());
        placeholders.filter(|placeholder| {
            let name = placeholder.split(':').next().unwrap_or_default();
            !["found", "limit", "previous", "position", "first", "problem", "items"].contains(&name)
        })
    }
}
