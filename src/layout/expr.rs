//! Expressions in a declaration, such as the argument of `count` or `if`.
//!
//! Expressions consist of literals, fields, imports, bit fields, casts, operators, conditionals and string patterns.
//! The walker can evaluate them, and schema printers can translate them.

use std::fmt;

use super::declaration::Declaration;
pub use super::operators::{BinaryOp, EvalError, IntType, UnaryOp};
pub(crate) use super::operators::{Operand, Precedence};
use super::operators::{eval_binary, eval_binary_as, eval_cast};

/// An expression over fields and imports.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Expr {
    /// A number.
    Literal(i128),
    /// `true` or `false`.
    Bool(bool),
    /// A field or import, a nested field, or a bit field of a packed word: `header.format.normal()`.
    Path(&'static [&'static str]),
    /// `!a` or `-a`.
    Unary(UnaryOp, &'static Expr),
    /// `a + b` and so on.
    Binary(BinaryOp, &'static Expr, &'static Expr),
    /// `a as u64`: truncates to the width of the type, as in Rust.
    Cast(&'static Expr, IntType),
    /// `if a { b } else { c }`. Only the chosen branch is evaluated.
    If(&'static Expr, &'static Expr, &'static Expr),
    /// `name.matches("#xx")`: `true` if the string starts with the pattern, in which `x` matches any hexadecimal digit.
    Matches(&'static [&'static str], &'static str),
}

/// The value of a field or expression.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// An integer of up to 128 bits.
    Int(i128),
    /// An unsigned integer above `i128::MAX`.
    Wide(u128),
    /// A boolean, such as a single-bit flag or the result of a comparison.
    Bool(bool),
    /// A 32-bit float with its stored bits.
    F32(f32),
    /// A 64-bit float with its stored bits.
    F64(f64),
    /// A packed word and its declaration.
    Bits(u128, &'static Declaration),
    /// The bytes of a string without its terminating NUL.
    Text(Vec<u8>),
    /// Those fields of a struct that expressions refer to.
    Struct(Scope),
}

impl Value {
    /// Reads a packed word of type `T` from up to 16 little-endian bytes; an integer if `T` has no declaration.
    pub fn bits<T: super::Layout>(bytes: &[u8]) -> Value {
        let word = super::declaration::bits::read_word_le(bytes);
        let declaration = T::TYPE.own_declaration();
        declaration.map_or(Value::unsigned(word), |declaration| {
            Value::Bits(word, declaration)
        })
    }

    /// Returns an unsigned integer.
    pub(super) fn unsigned(number: u128) -> Value {
        i128::try_from(number).map_or(Value::Wide(number), Value::Int)
    }

    /// Returns the lowest `N` bytes of a packed word or integer, little-endian; `None` for other values or `N` > 16.
    pub fn to_bytes<const N: usize>(&self) -> Option<[u8; N]> {
        let word = match self {
            Value::Bits(word, _) => *word,
            Value::Int(number) => *number as u128,
            Value::Wide(number) => *number,
            _ => return None,
        };
        word.to_le_bytes().first_chunk().copied()
    }

    /// Returns an integer, the bits of a packed word, or 1 for `true`.
    pub(super) fn to_int(&self) -> Result<i128, EvalError> {
        match self {
            Value::Int(value) => Ok(*value),
            Value::Bool(value) => Ok((*value).into()),
            Value::Wide(_) => Err(EvalError::Overflow),
            Value::Bits(word, _) => i128::try_from(*word).map_err(|_| EvalError::Overflow),
            Value::F32(_) | Value::F64(_) | Value::Text(_) | Value::Struct(_) => {
                Err(EvalError::Unknown)
            }
        }
    }

    /// Like [`to_int`](Value::to_int), but wraps integers above `i128::MAX` to negative ones.
    fn to_wrapped(&self) -> Result<i128, EvalError> {
        if let Value::Wide(number) = self {
            Ok(*number as i128)
        } else {
            self.to_int()
        }
    }

    /// Formats the value like [`Display`](fmt::Display), but floats without exponent and whole floats without a decimal
    /// point, so that an edit can parse them.
    pub(super) fn plain_text(&self) -> String {
        match self {
            Value::F32(number) => number.to_string(),
            Value::F64(number) => number.to_string(),
            other => other.to_string(),
        }
    }
}

macro_rules! from_int {
    ($($int:ty),*) => {$(
        impl From<$int> for Value {
            fn from(value: $int) -> Value {
                Value::Int(value.into())
            }
        }
    )*};
}

from_int!(u8, u16, u32, u64, i8, i16, i32, i64);

impl From<bool> for Value {
    fn from(value: bool) -> Value {
        Value::Bool(value)
    }
}

/// Looks up the values of the names in expressions.
pub trait Lookup {
    /// Returns the value of the import, field or bit field at a path; `None` if it is unknown.
    fn lookup(&self, path: &[&str]) -> Option<Value>;
}

/// The names visible to an expression, with their values.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scope(Vec<(&'static str, Value)>);

impl Scope {
    /// Creates a scope with these names and values.
    pub fn new(names: Vec<(&'static str, Value)>) -> Scope {
        Scope(names)
    }

    /// Adds a name, which shadows earlier equal names.
    pub fn push(&mut self, name: &'static str, value: Value) {
        self.0.push((name, value));
    }

    /// Removes a name, so that expressions no longer find its value.
    pub(super) fn remove(&mut self, name: &str) {
        self.0.retain(|(known, _)| *known != name);
    }

    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.0
            .iter()
            .rev()
            .find(|(n, _)| *n == name)
            .map(|(_, value)| value)
    }
}

impl Lookup for Scope {
    fn lookup(&self, path: &[&str]) -> Option<Value> {
        let (name, rest) = path.split_first()?;
        let value = self.get(name)?;
        match (rest, value) {
            ([], value) => Some(value.clone()),
            (rest, Value::Struct(fields)) => fields.lookup(rest),
            ([bit_field], Value::Bits(word, declaration)) => {
                bit_field_value(*word, declaration, bit_field)
            }
            _ => None,
        }
    }
}

/// Returns the value of the bit field `name` of a packed word; `None` if there is no such field.
pub(super) fn bit_field_value(word: u128, declaration: &Declaration, name: &str) -> Option<Value> {
    declaration
        .bit_field_at(&[name])
        .map(|(_, field)| field.value(word))
}

impl Expr {
    /// Evaluates the expression in `scope`.
    ///
    /// ```
    /// use meshspec::layout::Layout;
    /// use meshspec::layout::declaration::Shape;
    /// use meshspec::layout::expr::{EvalError, Scope, Value};
    ///
    /// #[derive(Layout)]
    /// #[br(little)]
    /// struct Heights {
    ///     count: u16,
    ///     #[br(count = 2 * count + 1)]
    ///     metres: Vec<f32>,
    /// }
    ///
    /// let Shape::Struct([_, metres]) = Heights::TYPE.own_declaration().unwrap().shape else { panic!() };
    /// let count = metres.count.unwrap();
    /// assert_eq!(count.eval(&Scope::new(vec![("count", 3.into())])), Ok(Value::Int(7)));
    /// assert_eq!(count.eval(&Scope::default()), Err(EvalError::Unknown));
    /// ```
    pub fn eval(&self, scope: &dyn Lookup) -> Result<Value, EvalError> {
        match self {
            Expr::Literal(value) => Ok(Value::Int(*value)),
            Expr::Bool(value) => Ok(Value::Bool(*value)),
            Expr::Path(path) => scope.lookup(path).ok_or(EvalError::Unknown),
            Expr::Unary(UnaryOp::Not, a) => Ok(Value::Bool(!a.eval_bool(scope)?)),
            Expr::Unary(UnaryOp::Negate, a) => a
                .eval_int(scope)?
                .checked_neg()
                .map(Value::Int)
                .ok_or(EvalError::Overflow),
            Expr::Binary(BinaryOp::And, a, b) => {
                Ok(Value::Bool(a.eval_bool(scope)? && b.eval_bool(scope)?))
            }
            Expr::Binary(BinaryOp::Or, a, b) => {
                Ok(Value::Bool(a.eval_bool(scope)? || b.eval_bool(scope)?))
            }
            Expr::Binary(op, a, b) => eval_values(*op, &a.eval(scope)?, &b.eval(scope)?),
            Expr::Cast(a, to) => {
                let number = eval_cast(a.eval(scope)?.to_wrapped()?, *to);
                Ok(if to.is_u128() {
                    Value::unsigned(number as u128)
                } else {
                    Value::Int(number)
                })
            }
            Expr::If(a, b, c) => if a.eval_bool(scope)? { b } else { c }.eval(scope),
            Expr::Matches(path, pattern) => match scope.lookup(path) {
                Some(Value::Text(text)) => Ok(Value::Bool(matches_pattern(&text, pattern))),
                _ => Err(EvalError::Unknown),
            },
        }
    }

    /// Returns the number of a literal, with or without a type; `None` for other expressions. Unsigned numbers above
    /// `i128::MAX` wrap to negative ones.
    pub(super) const fn as_literal(&self) -> Option<i128> {
        match self {
            Expr::Literal(number) => Some(*number),
            Expr::Cast(Expr::Literal(number), to) => Some(eval_cast(*number, *to)),
            _ => None,
        }
    }

    /// Calls `each` on the expression and all its subexpressions.
    pub fn visit(&self, each: &mut impl FnMut(&Expr)) {
        each(self);
        match self {
            Expr::Unary(_, a) | Expr::Cast(a, _) => a.visit(each),
            Expr::Binary(_, a, b) => [a, b].iter().for_each(|part| part.visit(each)),
            Expr::If(a, b, c) => [a, b, c].iter().for_each(|part| part.visit(each)),
            Expr::Literal(_) | Expr::Bool(_) | Expr::Path(_) | Expr::Matches(..) => {}
        }
    }

    /// Returns the paths in the expression.
    pub(super) fn paths(&self) -> Vec<&'static [&'static str]> {
        let mut paths = Vec::new();
        self.visit(&mut |part| {
            if let Expr::Path(path) | Expr::Matches(path, _) = part {
                paths.push(*path);
            }
        });
        paths
    }

    /// Evaluates the expression to an integer. `true` yields 1, and a packed word yields its bits. Other values yield
    /// [`EvalError::Unknown`].
    pub fn eval_int(&self, scope: &dyn Lookup) -> Result<i128, EvalError> {
        self.eval(scope)?.to_int()
    }

    /// Evaluates the expression to a boolean. An integer yields [`EvalError::Unknown`].
    pub fn eval_bool(&self, scope: &dyn Lookup) -> Result<bool, EvalError> {
        if let Value::Bool(value) = self.eval(scope)? {
            Ok(value)
        } else {
            Err(EvalError::Unknown)
        }
    }
}

/// Evaluates an operator. Unsigned numbers are computed with 128 bits if the result does not fit in an `i128`.
fn eval_values(op: BinaryOp, a: &Value, b: &Value) -> Result<Value, EvalError> {
    let is_wide = |value: &Value| matches!(value, Value::Wide(_));
    let is_unsigned =
        |value: &Value| is_wide(value) || value.to_int().is_ok_and(|number| number >= 0);
    match eval_binary(op, a.to_wrapped()?, b.to_wrapped()?) {
        Ok(result) if !is_wide(a) && !is_wide(b) => Ok(result.into()),
        _ if is_unsigned(a) && is_unsigned(b) => Ok(
            match eval_binary_as(op, a.to_wrapped()?, b.to_wrapped()?, IntType::U128)? {
                Operand::Int(number) => Value::unsigned(number as u128),
                truth => truth.into(),
            },
        ),
        _ => Err(EvalError::Overflow),
    }
}

/// Returns `true` if a string starts with a pattern, in which `x` matches any hexadecimal digit.
pub(crate) fn matches_pattern(text: &[u8], pattern: &str) -> bool {
    text.len() >= pattern.len()
        && text
            .iter()
            .zip(pattern.bytes())
            .all(|(found, expected)| match expected {
                b'x' => found.is_ascii_hexdigit(),
                expected => *found == expected,
            })
}

impl From<Operand> for Value {
    fn from(operand: Operand) -> Value {
        match operand {
            Operand::Int(number) => Value::Int(number),
            Operand::Bool(value) => Value::Bool(value),
        }
    }
}

/// Formats numbers in decimal, packed words in hexadecimal, and strings in quotes.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Int(value) => write!(f, "{value}"),
            Value::Wide(value) => write!(f, "{value}"),
            Value::Bool(value) => write!(f, "{value}"),
            Value::F32(value) => write!(f, "{value:?}"),
            Value::F64(value) => write!(f, "{value:?}"),
            Value::Bits(word, _) => write!(f, "{word:#x}"),
            Value::Text(bytes) => write!(f, "\"{}\"", bytes.escape_ascii()),
            Value::Struct(_) => f.write_str("{…}"),
        }
    }
}
