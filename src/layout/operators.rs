//! The operators of expressions, their precedence, and their evaluation.

/// An integer type of any width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IntType {
    /// The number of bits.
    pub bits: u32,
    /// Whether the type is signed.
    pub signed: bool,
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

/// Evaluates an operator with two operands.
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
        BinaryOp::Equal => return Ok(Operand::Bool(a == b)),
        BinaryOp::NotEqual => return Ok(Operand::Bool(a != b)),
        BinaryOp::Less => return Ok(Operand::Bool(a < b)),
        BinaryOp::LessOrEqual => return Ok(Operand::Bool(a <= b)),
        BinaryOp::Greater => return Ok(Operand::Bool(a > b)),
        BinaryOp::GreaterOrEqual => return Ok(Operand::Bool(a >= b)),
        BinaryOp::And => Some(i128::from(a != 0 && b != 0)),
        BinaryOp::Or => Some(i128::from(a != 0 || b != 0)),
    };
    number.map(Operand::Int).ok_or(EvalError::Overflow)
}

/// Truncates a value to an integer type, like `as` in Rust.
pub(super) fn eval_cast(value: i128, to: IntType) -> i128 {
    let unused = 128 - to.bits.min(128);
    if to.signed { (value << unused) >> unused } else { ((value as u128) << unused >> unused) as i128 }
}
