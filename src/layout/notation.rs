//! Prints expressions and names in schema languages.

use super::expr::{BinaryOp, Expr, IntType, Precedence, UnaryOp};
use super::program::{Names, ValueKind};

/// The syntax of expressions in a language.
pub(super) trait Notation {
    /// The infix operators for "and" and "or", and the prefix for "not", with its trailing space if needed.
    const LOGIC_OPERATORS: [&'static str; 3] = ["&&", "||", "!"];

    /// Prints a path; `steps` contains the kind of the value at each name.
    fn path(&self, path: &[&str], steps: &[ValueKind]) -> String {
        let _ = steps;
        path.join(".")
    }

    /// Prints the conversion of a flag or enum to a number. `text` is the printed flag or enum.
    fn to_number(&self, text: String) -> String {
        text
    }

    /// Prints the condition that the printed string `text` starts with `pattern`.
    fn matches(&self, text: String, pattern: &str) -> String;

    /// Prints a cast that may change the value. `text` needs no parentheses.
    fn cast(&self, text: String, to: IntType) -> String;

    /// Prints a conditional in parentheses. None of the arguments needs parentheses.
    fn conditional(&self, condition: String, then: String, otherwise: String) -> String {
        format!("({condition} ? {then} : {otherwise})")
    }
}

/// The notation for human readers.
pub(super) struct TextNotation;

impl Notation for TextNotation {
    const LOGIC_OPERATORS: [&'static str; 3] = ["and", "or", "not "];

    fn matches(&self, text: String, pattern: &str) -> String {
        format!("{text} starts with \"{pattern}\" (x: any hexadecimal digit)")
    }

    fn cast(&self, text: String, to: IntType) -> String {
        // Counts and sizes fit in 64 bits, so casts to 64 or more bits are omitted.
        if to.bits >= 64 {
            text
        } else {
            format!("({text} as {})", int_name(to))
        }
    }

    fn conditional(&self, condition: String, then: String, otherwise: String) -> String {
        format!("({then} if {condition}, else {otherwise})")
    }
}

/// Returns a condition for each byte of a pattern, for languages without pattern matching.
pub(super) fn byte_conditions<N: Notation>(
    pattern: &str,
    byte: impl Fn(usize) -> String,
) -> Vec<String> {
    let [and, or, _] = N::LOGIC_OPERATORS;
    let each = pattern.bytes().enumerate().map(|(index, expected)| {
        let byte = byte(index);
        if expected != b'x' {
            return format!("{byte} == {expected:#04x}");
        }
        let ranges = [b'0'..=b'9', b'A'..=b'F', b'a'..=b'f'].map(|range| {
            format!(
                "({byte} >= {:#04x} {and} {byte} <= {:#04x})",
                range.start(),
                range.end()
            )
        });
        format!("({})", ranges.join(&format!(" {or} ")))
    });
    each.collect()
}

/// Returns the Rust name of an integer type.
pub(super) fn int_name(ty: IntType) -> String {
    format!("{}{}", if ty.signed { 'i' } else { 'u' }, ty.bits)
}

pub(super) fn print<N: Notation>(expr: &Expr, names: &Names, notation: &N) -> String {
    match expr {
        Expr::Literal(value) => value.to_string(),
        Expr::Bool(value) => value.to_string(),
        Expr::Path(path) => notation.path(path, &names.steps(path)),
        Expr::Matches(path, pattern) => {
            notation.matches(notation.path(path, &names.steps(path)), pattern)
        }
        Expr::Unary(op, a) => {
            let sign = if *op == UnaryOp::Not {
                N::LOGIC_OPERATORS[2]
            } else {
                "-"
            };
            format!("{sign}{}", atom(a, names, notation))
        }
        Expr::Binary(op, a, b) => {
            let symbol = match op {
                BinaryOp::And => N::LOGIC_OPERATORS[0],
                BinaryOp::Or => N::LOGIC_OPERATORS[1],
                op => op.symbol(),
            };
            let left = operand(a, *op, true, names, notation);
            let right = operand(b, *op, false, names, notation);
            format!("{left} {symbol} {right}")
        }
        Expr::Cast(a, to) => match (a, names.kind(a)) {
            (_, ValueKind::Bool | ValueKind::Enum(_)) => {
                notation.to_number(atom(a, names, notation))
            }
            (Expr::Literal(number), _) if to.is_u128() => (*number as u128).to_string(),
            (Expr::Literal(_), _) => print(a, names, notation),
            (_, ValueKind::Int(Some(from))) if preserves_values(from, *to) => {
                print(a, names, notation)
            }
            _ => notation.cast(atom(a, names, notation), *to),
        },
        Expr::If(a, b, c) => {
            let [a, b, c] = [a, b, c].map(|expr| atom(expr, names, notation));
            notation.conditional(a, b, c)
        }
    }
}

/// Returns `true` if a cast from `from` to `to` preserves every value.
fn preserves_values(from: IntType, to: IntType) -> bool {
    if from.signed == to.signed {
        from.bits <= to.bits
    } else {
        to.signed && from.bits < to.bits
    }
}

/// Prints an expression, in parentheses if it is compound.
pub(super) fn atom(expr: &Expr, names: &Names, notation: &impl Notation) -> String {
    let text = print(expr, names, notation);
    if is_compound(&text) {
        format!("({text})")
    } else {
        text
    }
}

/// Returns `true` if a printed expression has an operator outside parentheses.
pub(super) fn is_compound(text: &str) -> bool {
    let mut depth = 0;
    text.chars().any(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth == 0 && (c == ' ' || c == '-' || c == '!')
    })
}

/// Prints an expression as the first factor of a product, in parentheses if necessary.
pub(super) fn factor(expr: &Expr, names: &Names, notation: &impl Notation) -> String {
    operand(expr, BinaryOp::Multiply, true, names, notation)
}

/// Prints an operand of `outer`, in parentheses unless they are redundant in every language.
fn operand<N: Notation>(
    expr: &Expr,
    outer: BinaryOp,
    left: bool,
    names: &Names,
    notation: &N,
) -> String {
    let text = print(expr, names, notation);
    let inner = match expr {
        Expr::Binary(op, ..) => *op,
        // A cast that is not printed is replaced by its operand.
        Expr::Cast(a, _) if is_compound(&text) => return operand(a, outer, false, names, notation),
        Expr::Unary(..) if outer.precedence() != Precedence::Logic => return format!("({text})"),
        Expr::Matches(..) => return format!("({text})"),
        _ => return text,
    };
    let binds_tighter = match (inner.precedence(), outer.precedence()) {
        (Precedence::Product, Precedence::Sum) => true,
        (Precedence::Product | Precedence::Sum, Precedence::Comparison) => true,
        (Precedence::Product | Precedence::Sum | Precedence::Comparison, Precedence::Logic) => true,
        (Precedence::Logic, _) => left && inner == outer,
        (Precedence::Product | Precedence::Sum, class) => left && inner.precedence() == class,
        _ => false,
    };
    if binds_tighter {
        text
    } else {
        format!("({text})")
    }
}

/// Converts `VertexFormat` to `vertex_format`.
pub(super) fn to_snake_case(name: &str) -> String {
    let mut out = String::new();
    let mut was_lower = false;
    for c in name.chars() {
        if c.is_ascii_uppercase() && was_lower {
            out.push('_');
        }
        was_lower = c.is_ascii_lowercase() || c.is_ascii_digit();
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// Returns a field's name as a valid identifier: tuple fields are `field_0`, unnamed bits `unnamed_0`.
pub(super) fn to_identifier(name: &str) -> String {
    match name.strip_prefix('_') {
        Some(rest) => format!("unnamed_{rest}"),
        None if name.starts_with(|c: char| c.is_ascii_digit()) => format!("field_{name}"),
        None => name.to_owned(),
    }
}

/// Returns a field's name in a language with these keywords: `class` becomes `class_`.
pub(super) fn escape_keyword(keywords: &str, name: &str) -> String {
    let name = to_identifier(name);
    if keywords.split(' ').any(|word| word == name) {
        name + "_"
    } else {
        name
    }
}
