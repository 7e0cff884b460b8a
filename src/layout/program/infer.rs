//! Infers the integer types in which Rust computes an expression.
//!
//! A codec evaluates the expressions of its directives in the types of their operands. An intermediate result that
//! overflows there is an error here, even if a wider integer can store it.

use super::code::Code;
use super::names::{SlotName, ValueKind};
use crate::layout::declaration::BitField;
use crate::layout::expr::{BinaryOp, IntType, Precedence, UnaryOp};

/// The type that Rust assumes for literals whose type nothing determines.
const DEFAULT: IntType = IntType {
    bits: 32,
    signed: true,
};

/// Which operators of an expression have a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arithmetic {
    /// All operators, in the types of their operands: the expressions that a codec evaluates.
    Rust,
    /// Only operators on unsigned 128-bit integers. All others compute numbers of any size up to 127 bits.
    Wide,
}

impl Code {
    /// Assigns types to the operators. `expected` is the type of the result, if the context determines it.
    pub(super) fn infer_types(
        &mut self,
        arithmetic: Arithmetic,
        slots: &[SlotName],
        expected: Option<IntType>,
    ) {
        let keep =
            |ty: Option<IntType>| ty.filter(|ty| arithmetic == Arithmetic::Rust || ty.is_u128());
        match self {
            Code::Unary(op, a, ty) => {
                let inner = if *op == UnaryOp::Negate {
                    a.own_type(slots).or(expected)
                } else {
                    None
                };
                a.infer_types(arithmetic, slots, inner);
                *ty = keep(inner);
            }
            Code::Binary(op, operands, ty) => {
                let [a, b] = &mut **operands;
                let (left, right) = match (*op, op.precedence()) {
                    (BinaryOp::ShiftLeft | BinaryOp::ShiftRight, _) => {
                        let own = a.own_type(slots).or(expected);
                        // The type of an import may be unknown, unlike that of a literal.
                        (own.or(a.is_constant().then_some(DEFAULT)), None)
                    }
                    (_, Precedence::Logic) => (None, None),
                    (_, Precedence::Comparison) => {
                        let own = a.own_type(slots).or_else(|| b.own_type(slots));
                        (own, own)
                    }
                    _ => {
                        let own = a.own_type(slots).or_else(|| b.own_type(slots)).or(expected);
                        (own, own)
                    }
                };
                a.infer_types(arithmetic, slots, left);
                b.infer_types(arithmetic, slots, right);
                *ty = keep(left);
            }
            Code::Cast(a, _) => a.infer_types(arithmetic, slots, None),
            Code::If(parts) => {
                let [condition, a, b] = &mut **parts;
                let own = a.own_type(slots).or_else(|| b.own_type(slots)).or(expected);
                condition.infer_types(arithmetic, slots, None);
                a.infer_types(arithmetic, slots, own);
                b.infer_types(arithmetic, slots, own);
            }
            Code::Int(_)
            | Code::Bool(_)
            | Code::Unknown
            | Code::Slot(..)
            | Code::Bits(..)
            | Code::Matches(..)
            | Code::Length(_) => {}
        }
    }

    /// Returns the type of the value; `None` for literals, for values that are not integers, and if it is unknown.
    fn own_type(&self, slots: &[SlotName]) -> Option<IntType> {
        match self {
            Code::Slot(slot, None) => match slots.get(*slot as usize)?.kind {
                ValueKind::Int(ty) => ty,
                _ => None,
            },
            Code::Bits(.., field) => type_of_getter(field),
            Code::Unary(UnaryOp::Negate, a, _) => a.own_type(slots),
            Code::Binary(op, operands, _) => {
                let [a, b] = &**operands;
                match (op, op.precedence()) {
                    (_, Precedence::Comparison | Precedence::Logic) => None,
                    (BinaryOp::ShiftLeft | BinaryOp::ShiftRight, _) => a.own_type(slots),
                    _ => a.own_type(slots).or_else(|| b.own_type(slots)),
                }
            }
            Code::Cast(_, to) => Some(*to),
            Code::If(parts) => parts[1]
                .own_type(slots)
                .or_else(|| parts[2].own_type(slots)),
            Code::Int(_)
            | Code::Bool(_)
            | Code::Unknown
            | Code::Slot(_, Some(_))
            | Code::Unary(UnaryOp::Not, ..)
            | Code::Matches(..)
            | Code::Length(_) => None,
        }
    }

    /// Returns `true` if no value occurs in the expression.
    fn is_constant(&self) -> bool {
        let mut is_constant = true;
        self.for_each_value(&mut |_, _| is_constant = false);
        is_constant
    }

    /// Returns `true` if evaluation can fail for some values of the slots.
    pub fn can_overflow(&self) -> bool {
        let mut can_overflow = false;
        self.visit(&mut |part| {
            can_overflow |= match part {
                Code::Unary(UnaryOp::Negate, ..) => true,
                Code::Binary(BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply, ..) => true,
                Code::Binary(BinaryOp::Divide | BinaryOp::Remainder, operands, _) => {
                    !matches!(operands[1].as_literal(), Some(1..))
                }
                Code::Binary(BinaryOp::ShiftLeft | BinaryOp::ShiftRight, operands, _) => {
                    !matches!(operands[1].as_literal(), Some(0..8))
                }
                _ => false,
            }
        });
        can_overflow
    }
}

/// Returns the type of a getter of modular-bitfield; `None` for flags, nested words and converted numbers.
fn type_of_getter(field: &BitField) -> Option<IntType> {
    if field.flag || field.signed || field.declared.is_some() {
        return None;
    }
    Some(IntType {
        bits: field.bits.width.next_power_of_two().max(8),
        signed: false,
    })
}
