//! The operators of expressions, their precedence, and their evaluation.

/// An integer type of any width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IntType {
    /// The number of bits.
    pub bits: u32,
    /// Whether the type is signed.
    pub signed: bool,
}

impl IntType {
    /// The type of the largest unsigned integers, whose upper half does not fit in an `i128`.
    pub(super) const U128: IntType = IntType {
        bits: 128,
        signed: false,
    };

    pub(super) fn is_u128(self) -> bool {
        self == IntType::U128
    }
}

/// The integer types of Rust.
pub trait Int {
    /// The type as data.
    const TYPE: IntType;
}

macro_rules! ints {
    ($($int:ident)*) => {$(
        impl Int for $int {
            const TYPE: IntType = IntType { bits: $int::BITS, signed: $int::MIN != 0 };
        }
    )*};
}

ints!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

/// Returns the type of a constant, for derived declarations.
pub const fn int_type_of<T: Int>(_: &T) -> IntType {
    T::TYPE
}

/// An operator with one operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnaryOp {
    /// Logical not.
    Not,
    /// Arithmetic negation.
    Negate,
}

/// An operator with two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    And,
    Or,
}

/// The precedence class of an operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Precedence {
    /// `* / %`
    Product,
    /// `+ -`
    Sum,
    /// `& | ^ << >>`
    Bits,
    /// `== < …`
    Comparison,
    /// `&& ||`
    Logic,
}

impl BinaryOp {
    /// Returns the symbol of the operator, which is the same in C, Rust and ImHex.
    pub(crate) const fn symbol(self) -> &'static str {
        self.symbol_and_precedence().0
    }

    /// Returns the precedence class of the operator.
    pub(crate) const fn precedence(self) -> Precedence {
        self.symbol_and_precedence().1
    }

    const fn symbol_and_precedence(self) -> (&'static str, Precedence) {
        match self {
            BinaryOp::Add => ("+", Precedence::Sum),
            BinaryOp::Subtract => ("-", Precedence::Sum),
            BinaryOp::Multiply => ("*", Precedence::Product),
            BinaryOp::Divide => ("/", Precedence::Product),
            BinaryOp::Remainder => ("%", Precedence::Product),
            BinaryOp::BitAnd => ("&", Precedence::Bits),
            BinaryOp::BitOr => ("|", Precedence::Bits),
            BinaryOp::BitXor => ("^", Precedence::Bits),
            BinaryOp::ShiftLeft => ("<<", Precedence::Bits),
            BinaryOp::ShiftRight => (">>", Precedence::Bits),
            BinaryOp::Equal => ("==", Precedence::Comparison),
            BinaryOp::NotEqual => ("!=", Precedence::Comparison),
            BinaryOp::Less => ("<", Precedence::Comparison),
            BinaryOp::LessOrEqual => ("<=", Precedence::Comparison),
            BinaryOp::Greater => (">", Precedence::Comparison),
            BinaryOp::GreaterOrEqual => (">=", Precedence::Comparison),
            BinaryOp::And => ("&&", Precedence::Logic),
            BinaryOp::Or => ("||", Precedence::Logic),
        }
    }
}

/// An operand or result of an operator.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Operand {
    Int(i128),
    Bool(bool),
}

impl Operand {
    /// Returns the operand as an integer; `true` is 1.
    pub fn to_int(self) -> i128 {
        match self {
            Operand::Int(number) => number,
            Operand::Bool(value) => value.into(),
        }
    }
}

/// The reason why an expression has no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EvalError {
    /// A name is not in scope, or a value has the wrong type.
    Unknown,
    /// A result overflows, a divisor is zero, or a shift is out of range.
    Overflow,
}

/// Evaluates an operator with two operands, without limits on the width.
pub(super) fn eval_binary(op: BinaryOp, a: i128, b: i128) -> Result<Operand, EvalError> {
    let shift = || u32::try_from(b).ok();
    let number = match op {
        BinaryOp::Add => a.checked_add(b),
        BinaryOp::Subtract => a.checked_sub(b),
        BinaryOp::Multiply => a.checked_mul(b),
        BinaryOp::Divide => a.checked_div(b),
        BinaryOp::Remainder => a.checked_rem(b),
        BinaryOp::BitAnd => Some(a & b),
        BinaryOp::BitOr => Some(a | b),
        BinaryOp::BitXor => Some(a ^ b),
        BinaryOp::ShiftLeft => shift().and_then(|n| a.checked_shl(n)),
        BinaryOp::ShiftRight => shift().and_then(|n| a.checked_shr(n)),
        BinaryOp::And => Some(i128::from(a != 0 && b != 0)),
        BinaryOp::Or => Some(i128::from(a != 0 || b != 0)),
        comparison => return Ok(Operand::Bool(compare(comparison, &a, &b))),
    };
    number.map(Operand::Int).ok_or(EvalError::Overflow)
}

/// Evaluates an operator with two operands of type `ty`, as Rust does with overflow checks. For a shift, `ty` is the
/// type of the left operand. Unsigned 128-bit integers above `i128::MAX` wrap to negative numbers.
pub(super) fn eval_binary_as(
    op: BinaryOp,
    a: i128,
    b: i128,
    ty: IntType,
) -> Result<Operand, EvalError> {
    // Conditions are evaluated for every item of some lists, and compare numbers.
    if op.precedence() == Precedence::Comparison && !ty.is_u128() {
        return Ok(Operand::Bool(compare(op, &a, &b)));
    }
    let number = match op {
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight => {
            let amount = u32::try_from(b)
                .ok()
                .filter(|amount| *amount < ty.bits)
                .ok_or(EvalError::Overflow)?;
            match op {
                BinaryOp::ShiftLeft => eval_cast(a << amount, ty),
                _ if ty.is_u128() => ((a as u128) >> amount) as i128,
                _ => a >> amount,
            }
        }
        _ if ty.is_u128() => {
            let (a, b) = (a as u128, b as u128);
            let number = match op {
                BinaryOp::Add => a.checked_add(b),
                BinaryOp::Subtract => a.checked_sub(b),
                BinaryOp::Multiply => a.checked_mul(b),
                BinaryOp::Divide => a.checked_div(b),
                BinaryOp::Remainder => a.checked_rem(b),
                BinaryOp::BitAnd => Some(a & b),
                BinaryOp::BitOr => Some(a | b),
                BinaryOp::BitXor => Some(a ^ b),
                comparison => return Ok(Operand::Bool(compare(comparison, &a, &b))),
            };
            number.ok_or(EvalError::Overflow)? as i128
        }
        _ => {
            let (min, max) = ty.range();
            let number = match eval_binary(op, a, b)? {
                // The quotient of this division overflows, so Rust rejects its remainder, too.
                Operand::Int(_)
                    if op == BinaryOp::Remainder && ty.signed && a == min && b == -1 =>
                {
                    None
                }
                Operand::Int(number) => Some(number).filter(|number| (min..=max).contains(number)),
                truth @ Operand::Bool(_) => return Ok(truth),
            };
            number.ok_or(EvalError::Overflow)?
        }
    };
    Ok(Operand::Int(number))
}

/// Evaluates a comparison; `false` for other operators.
fn compare<T: Ord>(op: BinaryOp, a: &T, b: &T) -> bool {
    match op {
        BinaryOp::Equal => a == b,
        BinaryOp::NotEqual => a != b,
        BinaryOp::Less => a < b,
        BinaryOp::LessOrEqual => a <= b,
        BinaryOp::Greater => a > b,
        BinaryOp::GreaterOrEqual => a >= b,
        _ => false,
    }
}

/// Truncates a value to an integer type, like `as` in Rust.
pub(super) const fn eval_cast(value: i128, to: IntType) -> i128 {
    let unused = 128_u32.saturating_sub(to.bits);
    if to.signed {
        (value << unused) >> unused
    } else {
        ((value as u128) << unused >> unused) as i128
    }
}
