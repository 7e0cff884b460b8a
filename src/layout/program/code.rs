//! Expressions over slots.

use std::sync::Arc;

use crate::layout::declaration::{BitField, BitRange, Declaration};
use crate::layout::expr::{BinaryOp, EvalError, IntType, Operand, UnaryOp, Value, matches_pattern};
use crate::layout::operators::{eval_binary, eval_binary_as, eval_cast};

/// The index of a value that the expressions of a [`Unit`](super::Unit) refer to.
pub(crate) type Slot = u32;

/// The value in a slot.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) enum Cell {
    /// Not decoded yet, or of a type that expressions cannot use.
    #[default]
    Empty,
    /// The number or string of an absent field: 0 or empty, as in a codec.
    Absent,
    /// An integer, a boolean, or the bits of a packed word.
    Number(Operand),
    /// The bytes of a string without its NUL.
    Text(Arc<[u8]>),
    /// The values of a field in all items of a list.
    Column(Arc<Column>),
}

/// The values of a field in all items of a list.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Column {
    /// The value in each item.
    pub cells: Vec<Cell>,
    /// The index of the marks of these values in [`Frames`](super::Frames).
    pub marks: usize,
}

/// An [`Expr`](crate::layout::expr::Expr) with its names resolved.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Code {
    /// A number.
    Int(i128),
    /// A boolean.
    Bool(bool),
    /// An unresolved name; evaluation fails.
    Unknown,
    /// A number, boolean, string or packed word; only a packed word has a declaration.
    Slot(Slot, Option<&'static Declaration>),
    /// A bit field of the packed word in a slot.
    Bits(Slot, BitRange, &'static BitField),
    /// An operator with one operand, and the type of the operand; `None` if results of any size are valid.
    Unary(UnaryOp, Box<Code>, Option<IntType>),
    /// An operator with two operands, and the type of the operands or, for a shift, of the left operand.
    Binary(BinaryOp, Box<[Code; 2]>, Option<IntType>),
    /// A cast.
    Cast(Box<Code>, IntType),
    /// A condition, the value if it holds, and the value otherwise.
    If(Box<[Code; 3]>),
    /// Whether the string in a slot matches a pattern.
    Matches(Slot, &'static str),
    /// The number of values of the column in a slot.
    Length(Slot),
}

impl Cell {
    /// Returns the cell for a decoded value. Floats and structs are empty, since expressions cannot use them.
    pub fn of(value: &Value) -> Cell {
        match value {
            Value::Int(number) => Cell::Number(Operand::Int(*number)),
            // The kind of the slot distinguishes the number from a negative one.
            Value::Wide(number) => Cell::Number(Operand::Int(*number as i128)),
            Value::Bool(value) => Cell::Number(Operand::Bool(*value)),
            Value::Bits(word, _) => Cell::Number(Operand::Int(*word as i128)),
            Value::Text(text) => Cell::Text(text.as_slice().into()),
            Value::F32(_) | Value::F64(_) | Value::Struct(_) => Cell::Empty,
        }
    }

    /// Returns the value; `word` is the declaration of a packed word. `None` for an empty cell and an absent field.
    pub fn to_value(&self, word: Option<&'static Declaration>) -> Option<Value> {
        match (self, word) {
            (Cell::Number(Operand::Int(bits)), Some(word)) => {
                Some(Value::Bits(*bits as u128, word))
            }
            (Cell::Number(number), _) => Some(Value::from(*number)),
            (Cell::Text(text), _) => Some(Value::Text(text.to_vec())),
            (Cell::Empty | Cell::Absent | Cell::Column(_), _) => None,
        }
    }
}

impl Code {
    /// Evaluates the expression on `cells`, the slots of its unit.
    pub fn eval(&self, cells: &[Cell]) -> Result<Operand, EvalError> {
        Ok(match self {
            Code::Int(number) => Operand::Int(*number),
            Code::Bool(value) => Operand::Bool(*value),
            Code::Unknown => return Err(EvalError::Unknown),
            Code::Slot(slot, word) => match cells.get(*slot as usize) {
                Some(Cell::Number(Operand::Int(..0))) if word.is_some() => {
                    return Err(EvalError::Overflow);
                }
                Some(Cell::Number(number)) => *number,
                Some(Cell::Absent) => Operand::Int(0),
                _ => return Err(EvalError::Unknown),
            },
            Code::Bits(slot, bits, field) => match cells.get(*slot as usize) {
                Some(Cell::Number(Operand::Int(word))) => field_value(*word as u128, *bits, field),
                Some(Cell::Absent) => field_value(0, *bits, field),
                _ => return Err(EvalError::Unknown),
            },
            Code::Unary(UnaryOp::Not, a, _) => Operand::Bool(!a.eval_bool(cells)?),
            Code::Unary(UnaryOp::Negate, a, ty) => {
                let number = a.eval_int(cells)?;
                match ty {
                    Some(ty) => eval_binary_as(BinaryOp::Subtract, 0, number, *ty)?,
                    None => eval_binary(BinaryOp::Subtract, 0, number)?,
                }
            }
            Code::Binary(op, operands, ty) => {
                let [a, b] = &**operands;
                match (op, ty) {
                    (BinaryOp::And, _) => Operand::Bool(a.eval_bool(cells)? && b.eval_bool(cells)?),
                    (BinaryOp::Or, _) => Operand::Bool(a.eval_bool(cells)? || b.eval_bool(cells)?),
                    (op, Some(ty)) => {
                        eval_binary_as(*op, a.eval_int(cells)?, b.eval_int(cells)?, *ty)?
                    }
                    (op, None) => eval_binary(*op, a.eval_int(cells)?, b.eval_int(cells)?)?,
                }
            }
            Code::Cast(a, to) => Operand::Int(eval_cast(a.eval_int(cells)?, *to)),
            Code::If(parts) => {
                let [condition, a, b] = &**parts;
                return if condition.eval_bool(cells)? { a } else { b }.eval(cells);
            }
            Code::Matches(slot, pattern) => match cells.get(*slot as usize) {
                Some(Cell::Text(text)) => Operand::Bool(matches_pattern(text, pattern)),
                Some(Cell::Absent) => Operand::Bool(matches_pattern(b"", pattern)),
                _ => return Err(EvalError::Unknown),
            },
            Code::Length(slot) => match cells.get(*slot as usize) {
                Some(Cell::Column(column)) => Operand::Int(column.cells.len() as i128),
                _ => return Err(EvalError::Unknown),
            },
        })
    }

    /// Evaluates to an integer; `true` is 1.
    pub fn eval_int(&self, cells: &[Cell]) -> Result<i128, EvalError> {
        self.eval(cells).map(Operand::to_int)
    }

    /// Evaluates to a boolean; an integer is an error.
    pub fn eval_bool(&self, cells: &[Cell]) -> Result<bool, EvalError> {
        if let Operand::Bool(value) = self.eval(cells)? {
            Ok(value)
        } else {
            Err(EvalError::Unknown)
        }
    }

    /// Evaluates to a cell for a slot of a nested unit; a string is copied.
    #[inline]
    pub fn eval_cell(&self, cells: &[Cell]) -> Result<Cell, EvalError> {
        if let Code::Slot(slot, _) = self {
            return match cells.get(*slot as usize) {
                None | Some(Cell::Empty) => Err(EvalError::Unknown),
                Some(cell) => Ok(cell.clone()),
            };
        }
        self.eval(cells).map(Cell::Number)
    }

    /// Evaluates to a decoded value; a packed word keeps its declaration.
    pub fn eval_value(&self, cells: &[Cell]) -> Result<Value, EvalError> {
        let word = match self {
            Code::Slot(_, word) => *word,
            Code::Bits(.., field) => field.declared,
            _ => None,
        };
        self.eval_cell(cells)?
            .to_value(word)
            .ok_or(EvalError::Unknown)
    }

    /// Returns the number of a literal, with or without a type; `None` for other expressions.
    pub fn as_literal(&self) -> Option<i128> {
        match self {
            Code::Int(number) => Some(*number),
            Code::Cast(inner, to) => Some(eval_cast(inner.as_literal()?, *to)),
            _ => None,
        }
    }

    /// Returns the operand of the innermost cast; without casts, the expression itself.
    pub fn without_casts(&self) -> &Code {
        if let Code::Cast(inner, _) = self {
            inner.without_casts()
        } else {
            self
        }
    }

    /// Returns `true` if the result is a remainder of a division.
    pub fn is_remainder(&self) -> bool {
        matches!(self.without_casts(), Code::Binary(BinaryOp::Remainder, ..))
    }

    /// Returns `n` if the expression checks that a value is a multiple of `n`.
    pub fn required_multiple(&self) -> Option<u64> {
        let Code::Binary(BinaryOp::Equal, operands, _) = self else {
            return None;
        };
        let [Code::Binary(BinaryOp::Remainder, division, _), zero] = &**operands else {
            return None;
        };
        match (&**division, zero.as_literal()) {
            ([Code::Slot(..), n], Some(0)) => {
                u64::try_from(n.as_literal()?).ok().filter(|n| *n > 0)
            }
            _ => None,
        }
    }

    /// Compares expressions, except the types of operands.
    #[cfg(feature = "serde")]
    fn is_like(&self, other: &Code) -> bool {
        match (self, other) {
            (Code::Unary(op, a, _), Code::Unary(other_op, b, _)) => op == other_op && a.is_like(b),
            (Code::Binary(op, a, _), Code::Binary(other_op, b, _)) => {
                op == other_op && a.iter().zip(&**b).all(|(a, b)| a.is_like(b))
            }
            (Code::Cast(a, to), Code::Cast(b, other_to)) => to == other_to && a.is_like(b),
            (Code::If(a), Code::If(b)) => a.iter().zip(&**b).all(|(a, b)| a.is_like(b)),
            (a, b) => a == b,
        }
    }

    /// Returns `true` if the expression depends on a slot only by this condition.
    #[cfg(feature = "serde")]
    pub fn only_tests(&self, slot: Slot, condition: &Code) -> bool {
        if self.is_like(condition) {
            return true;
        }
        match self {
            Code::Slot(own, _) | Code::Bits(own, ..) | Code::Matches(own, _) => *own != slot,
            Code::Unary(_, a, _) | Code::Cast(a, _) => a.only_tests(slot, condition),
            Code::Binary(_, parts, _) => parts.iter().all(|part| part.only_tests(slot, condition)),
            Code::If(parts) => parts.iter().all(|part| part.only_tests(slot, condition)),
            Code::Int(_) | Code::Bool(_) | Code::Unknown | Code::Length(_) => true,
        }
    }

    /// Calls `each` with the expression and all its subexpressions.
    pub fn visit<'c>(&'c self, each: &mut impl FnMut(&'c Code)) {
        each(self);
        match self {
            Code::Unary(_, a, _) | Code::Cast(a, _) => a.visit(each),
            Code::Binary(_, parts, _) => parts.iter().for_each(|part| part.visit(each)),
            Code::If(parts) => parts.iter().for_each(|part| part.visit(each)),
            _ => {}
        }
    }

    /// Calls `each` for every reference to a value in a slot, with the bit field if the reference is to a bit field.
    pub fn for_each_value(&self, each: &mut impl FnMut(Slot, Option<&'static BitField>)) {
        self.visit(&mut |part| match part {
            Code::Slot(slot, _) | Code::Matches(slot, _) => each(*slot, None),
            Code::Bits(slot, _, field) => each(*slot, Some(field)),
            _ => {}
        });
    }
}

/// Returns the value of a bit field; `bits` is its range in the outermost word.
#[inline]
pub(crate) fn field_value(word: u128, bits: BitRange, field: &BitField) -> Operand {
    if field.flag {
        Operand::Bool(bits.extract(word) != 0)
    } else if field.signed {
        Operand::Int(bits.extract_signed(word))
    } else {
        Operand::Int(bits.extract(word) as i128)
    }
}
