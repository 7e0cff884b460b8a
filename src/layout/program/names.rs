//! The names in expressions, and the kinds of their values.

use crate::layout::declaration::{BitField, Declaration, Each, Type};
use crate::layout::expr::{BinaryOp, Expr, IntType, Precedence, UnaryOp};
use crate::layout::walk::Segment;

/// The kind of a named value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum ValueKind {
    /// An integer. The type is unknown for literals and for imports of the root.
    Int(Option<IntType>),
    /// A boolean.
    Bool,
    /// A packed word.
    Bits(&'static Declaration),
    /// An enum.
    Enum(&'static Declaration),
    /// A struct.
    Struct(&'static Declaration),
    /// A list of numbers, structs or choices; the type is that of its items.
    List(&'static Type),
    /// The values of a field in all items of a list.
    Column,
    /// A string.
    Text,
    /// A number of unknown size, such as one that several variants contain, or a value that expressions cannot use.
    Other,
}

/// A value that expressions refer to by name.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SlotName {
    pub path: Vec<&'static str>,
    pub kind: ValueKind,
    /// The index of the import that provides the value; `None` for a field.
    pub import: Option<usize>,
    /// The list whose current item has the value; `None` for other values.
    pub item_of: Option<&'static Each>,
}

impl ValueKind {
    /// Returns the kind of a number or string.
    pub fn of(ty: &Type) -> ValueKind {
        match ty {
            Type::NulString => ValueKind::Text,
            _ => ty
                .int_type()
                .map_or(ValueKind::Other, |int| ValueKind::Int(Some(int))),
        }
    }

    fn of_bits(field: &BitField) -> ValueKind {
        match field.declared {
            _ if field.flag => ValueKind::Bool,
            Some(word) => ValueKind::Bits(word),
            None => ValueKind::Int(Some(field.int_type())),
        }
    }

    /// Returns the declaration of a packed word.
    pub fn word(self) -> Option<&'static Declaration> {
        if let ValueKind::Bits(word) = self {
            Some(word)
        } else {
            None
        }
    }
}

/// The names in the expressions and constraints of a unit.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Names<'u> {
    /// The values in expressions, one per slot.
    pub slots: &'u [SlotName],
    /// The paths in constraints that lead to the stored length of a list instead of the list.
    pub lengths: &'u [&'static [Segment]],
}

impl Names<'_> {
    /// Returns `true` if a path in a constraint leads to the stored length of a list instead of the list.
    pub fn is_length(&self, path: &[Segment]) -> bool {
        self.lengths.contains(&path)
    }

    /// Returns the kind of the value at each name in a path.
    pub fn steps(&self, path: &[&str]) -> Vec<ValueKind> {
        let mut kinds = vec![ValueKind::Other; path.len()];
        let Some(slot) = self.slots.iter().find(|slot| path.starts_with(&slot.path)) else {
            return kinds;
        };
        let depth = slot.path.len();
        kinds[depth - 1] = slot.kind;
        for end in depth + 1..=path.len() {
            let field = slot
                .kind
                .word()
                .and_then(|word| word.bit_field_at(&path[depth..end]));
            kinds[end - 1] = field.map_or(ValueKind::Other, |(_, field)| ValueKind::of_bits(field));
        }
        kinds
    }

    /// Returns the kind of an expression's value.
    pub fn kind(&self, expr: &Expr) -> ValueKind {
        let first_typed = |a, b| match self.kind(a) {
            ValueKind::Int(None) => self.kind(b),
            kind => kind,
        };
        match expr {
            Expr::Literal(_) => ValueKind::Int(None),
            Expr::Bool(_) | Expr::Unary(UnaryOp::Not, _) | Expr::Matches(..) => ValueKind::Bool,
            Expr::Path(path) => self.steps(path).last().copied().unwrap_or(ValueKind::Other),
            Expr::Unary(UnaryOp::Negate, a) => self.kind(a),
            Expr::Binary(op, a, b) => match (op, op.precedence()) {
                (_, Precedence::Comparison | Precedence::Logic) => ValueKind::Bool,
                (BinaryOp::ShiftLeft | BinaryOp::ShiftRight, _) => self.kind(a),
                _ => first_typed(a, b),
            },
            Expr::Cast(_, to) => ValueKind::Int(Some(*to)),
            Expr::If(_, a, b) => first_typed(a, b),
        }
    }
}
