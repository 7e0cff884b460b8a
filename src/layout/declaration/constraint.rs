//! Constraints on the values of fields.

use std::borrow::Cow;

use crate::layout::expr::{Expr, Lookup, Value};
use crate::layout::walk::Segment;
use crate::{Rule, Severity};

/// A constraint on the value of a field, or on the items of a list.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Constraint {
    /// The requirement.
    pub requirement: Requirement,
    /// The condition under which the constraint applies; `None` if it always applies.
    pub condition: Option<Expr>,
    /// The rule that a violation breaks.
    pub rule: &'static Rule,
    /// The message for violations; `None` for the default message. These placeholders are replaced:
    ///
    /// - `{found}`: the value;
    /// - `{limit}`: the limit of the requirement, such as the number of [`Below`](Requirement::Below);
    /// - `{previous}`: the previous value in an [`Ordered`](Requirement::Ordered) list, or the value of the first item
    ///   for [`Equal`](Requirement::Equal) and [`SameLength`](Requirement::SameLength);
    /// - `{position}`: the index of the item;
    /// - `{first}`: the first index of the range for [`Within`](Requirement::Within);
    /// - `{items}`: the number of items;
    /// - `{problem}`: the violation of [`Permutation`](Requirement::Permutation) or [`Forest`](Requirement::Forest);
    /// - other names, such as `{header.count}`: the integer in that field or import. A placeholder that the requirement
    ///   lacks, such as `{limit}` for [`Holds`](Requirement::Holds), refers to the field of that name.
    ///
    /// `{found:#x}` prints a number in hexadecimal, and `{found:#06x}` pads it to 6 characters including `0x`.
    pub message: Option<&'static str>,
}

/// The rule of the constraints in [`Field::plausible`](super::Field::plausible), which no check enforces.
pub static PLAUSIBLE: Rule = Rule::new("PLAUSIBLE", Severity::Warning, "The value is plausible.");

/// The requirement of a [`Constraint`]. It is not checked if the list that it refers to is missing, or if a required
/// expression has no value. An expression has no value if, for example, a field is absent. A `none`, or a number in
/// [`OneOf`](Requirement::OneOf), is ignored if it has no value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Requirement {
    /// All numbers are less than the limit.
    Below(Expr),
    /// All numbers are at least the limit.
    AtLeast(Expr),
    /// The numbers of each array are the components of a vector with length 1 ± 0.01.
    UnitVector,
    /// Each number equals one of the given numbers.
    OneOf(&'static [Expr]),
    /// All numbers are finite.
    Finite,
    /// No two numbers in the list, or in the enclosing list of structs, are equal.
    Unique,
    /// No number is less than the previous one in the list, or in the enclosing list of structs. Only the first
    /// violation is reported.
    Ordered,
    /// The numbers of each item have a fixed sum.
    Sum {
        /// The name of the field to add up, if the items are structs; `None` if they are numbers.
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
    /// The condition holds. It may depend on this field and earlier ones.
    Holds(Expr),
    /// The condition holds for at least one item of the enclosing list, or the list is empty.
    Some(Expr),
    /// All numbers are indices into a list of an enclosing struct.
    IndexInto {
        /// The path of the list or of its stored length, relative to the nearest enclosing struct that contains it.
        list: &'static [Segment],
        /// The number that means "no item".
        none: Option<Expr>,
        /// The name of a field in the same struct with one weight for each number. The number that means "no item"
        /// requires a weight of 0.
        weights: Option<&'static str>,
    },
    /// The value is the length of a range in a list of an enclosing struct. The range starts at `first` and lies within
    /// the list.
    Within {
        /// The path of the list or of its stored length, relative to the nearest enclosing struct that contains it.
        list: &'static [Segment],
        /// The index of the first item.
        first: Expr,
    },
    /// The value is the number of items in a list of an enclosing struct. Reading the list does not use this number.
    Counts {
        /// The path of the list, relative to the nearest enclosing struct that contains it.
        list: &'static [Segment],
    },
    /// Each number is the index of its item in the list.
    Position,
    /// All numbers in the list, or in the enclosing list of structs, are equal.
    Equal,
    /// The list has the same length in all items of the enclosing list.
    SameLength,
    /// The numbers are a permutation of 0 to *n* − 1, where *n* is the number of items in the list or group.
    Permutation {
        /// The name of the field with the number, if the items are structs; `None` if they are numbers.
        of: Option<&'static str>,
        /// The number of items in each group, if each group is a permutation; `None` if the whole list is one group.
        groups: Option<Expr>,
    },
    /// Each number is the index of its item's parent, and the items form no cycles.
    Forest {
        /// The number that means "no parent".
        none: Option<Expr>,
        /// Whether the first item is its own parent and the only root. Items without a parent are then outside the
        /// tree, and cannot be parents.
        rooted: bool,
        /// The name of the field with the ids of the items. Parents may be given either all by index or all by id. The
        /// id of a parent must be below the number of items.
        ids: Option<&'static str>,
        /// Whether parents must precede their children.
        parents_first: bool,
    },
}

impl Requirement {
    /// Returns `true` if messages support this placeholder, which hides a field of the same name. `PLACEHOLDERS` in
    /// `derive/src/constraints.rs` must agree.
    fn has_placeholder(&self, name: &str) -> bool {
        use Requirement::*;
        match name {
            "found" | "items" | "position" => true,
            "limit" => {
                matches!(
                    self,
                    Below(_) | AtLeast(_) | OneOf(_) | Sum { .. } | IndexInto { .. }
                ) || matches!(self, Within { .. } | Counts { .. } | Permutation { .. })
            }
            "previous" => matches!(self, Ordered | Equal | SameLength),
            "first" => matches!(self, Within { .. }),
            "problem" => matches!(self, Permutation { .. } | Forest { .. }),
            _ => false,
        }
    }

    /// Returns the path of the list that the requirement refers to, relative to the nearest enclosing struct that
    /// contains it.
    pub(crate) fn list(&self) -> Option<&'static [Segment]> {
        match self {
            Requirement::IndexInto { list, .. }
            | Requirement::Within { list, .. }
            | Requirement::Counts { list } => Some(list),
            _ => None,
        }
    }
}

impl Constraint {
    /// Returns `true` if the constraint has no condition, or its condition holds.
    pub(crate) fn applies(&self, values: &dyn Lookup) -> bool {
        self.condition
            .is_none_or(|condition| condition.eval_bool(values) == Ok(true))
    }

    /// Returns the expressions in the requirement, and the condition.
    pub(crate) fn expressions(&self) -> impl Iterator<Item = &Expr> {
        let (list, one): (&[Expr], Option<&Expr>) = match &self.requirement {
            Requirement::OneOf(values) => (values, None),
            Requirement::Below(expr)
            | Requirement::AtLeast(expr)
            | Requirement::Holds(expr)
            | Requirement::Some(expr)
            | Requirement::Within { first: expr, .. } => (&[], Some(expr)),
            Requirement::IndexInto { none, .. } | Requirement::Forest { none, .. } => {
                (&[], none.as_ref())
            }
            Requirement::Permutation { groups, .. } => (&[], groups.as_ref()),
            _ => (&[], None),
        };
        list.iter().chain(one).chain(&self.condition)
    }

    /// Returns the names of the fields and imports in the expressions and the message.
    pub(crate) fn referenced_names(&self) -> impl Iterator<Item = &'static str> {
        let names = self
            .expressions()
            .flat_map(Expr::paths)
            .filter_map(|path| path.first().copied());
        names.chain(
            self.placeholders()
                .filter_map(|name| name.split(['.', ':']).next()),
        )
    }

    /// Returns the message with the placeholders of the fields and imports in `values` replaced; `None` if the
    /// constraint has the default message.
    pub(crate) fn message_with(&self, values: &dyn Lookup) -> Option<Cow<'static, str>> {
        let mut text = Cow::Borrowed(self.message?);
        for placeholder in self.placeholders() {
            let (name, format) = placeholder.split_once(':').unwrap_or((placeholder, ""));
            if let Some(Value::Int(number)) = values.lookup(&name.split('.').collect::<Vec<_>>()) {
                text = Cow::Owned(
                    text.replace(&format!("{{{placeholder}}}"), &format_int(number, format)),
                );
            }
        }
        Some(text)
    }

    /// Returns the placeholders in the message that refer to fields or imports, such as `header.count:#x`.
    pub(crate) fn placeholders(&self) -> impl Iterator<Item = &'static str> {
        let parts = self.message.unwrap_or_default().split('{').skip(1);
        let placeholders = parts.map(|part| part.split('}').next().unwrap_or_default());
        placeholders.filter(|placeholder| {
            let name = placeholder.split(':').next().unwrap_or_default();
            !self.requirement.has_placeholder(name)
        })
    }
}

/// Formats an integer: in hexadecimal if `format` is `#x` or has a width, such as `#06x`; otherwise in decimal.
pub(in crate::layout) fn format_int(number: i128, format: &str) -> String {
    let width = format
        .strip_prefix('#')
        .and_then(|format| format.strip_suffix('x'));
    let Some(width) = width else {
        return number.to_string();
    };
    let width = width.trim_start_matches('0').parse().unwrap_or(0);
    format!("{number:#0width$x}")
}
