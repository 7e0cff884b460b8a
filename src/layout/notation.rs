//! Prints expressions and names in the languages of the back ends.

use super::reach::{Class, Kind, Names};
use super::{BinaryOp, Expr, IntType, UnaryOp};

/// Where languages differ in how they write an expression.
pub(super) trait Notation {
    /// The words for "and", "or" and "not", as they stand before or between operands.
    const WORDS: [&'static str; 3] = ["&&", "||", "!"];

    /// A path and the kind of each of its steps.
    fn path(&self, path: &[&str], steps: &[Kind]) -> String {
        let _ = steps;
        path.join(".")
    }

    /// A flag or enum as a number.
    fn number(&self, text: String) -> String {
        text
    }

    /// Whether the string at a path starts as a pattern says.
    fn matches(&self, text: String, pattern: &str) -> String;

    /// A cast that may change the value. `text` needs no parentheses.
    fn cast(&self, text: String, to: IntType) -> String;

    /// One of two values, in parentheses. None of the texts needs any.
    fn choice(&self, condition: String, then: String, otherwise: String) -> String {
        format!("({condition} ? {then} : {otherwise})")
    }
}

/// The notation of the tables that people read.
pub(super) struct Text;

impl Notation for Text {
    const WORDS: [&'static str; 3] = ["and", "or", "not "];

    fn matches(&self, text: String, pattern: &str) -> String {
        format!("{text} starts as \"{pattern}\" with hexadecimal digits for x")
    }

    fn cast(&self, text: String, to: IntType) -> String {
        // A size as a 64-bit number is the same size.
        if to.bits >= 64 { text } else { format!("({text} as {})", int_name(to)) }
    }

    fn choice(&self, condition: String, then: String, otherwise: String) -> String {
        format!("({then} if {condition}, else {otherwise})")
    }
}

/// That the bytes of a string are those of a pattern, for languages without patterns.
pub(super) fn match_bytes<N: Notation>(
    notation: &N,
    pattern: &str,
    byte: impl Fn(usize) -> String,
) -> Vec<String> {
    let [and, or, _] = words(notation);
    let each = pattern.bytes().enumerate().map(|(index, expected)| {
        let byte = byte(index);
        if expected != b'x' {
            return format!("{byte} == {expected:#04x}");
        }
        let ranges = [b'0'..=b'9', b'A'..=b'F', b'a'..=b'f']
            .map(|range| format!("({byte} >= {:#04x} {and} {byte} <= {:#04x})", range.start(), range.end()));
        format!("({})", ranges.join(&format!(" {or} ")))
    });
    each.collect()
}

/// The Rust name of an integer type.
pub(super) fn int_name(ty: IntType) -> String {
    format!("{}{}", if ty.signed { 'i' } else { 'u' }, ty.bits)
}

/// The expression in a notation.
pub(super) fn print(expr: &Expr, names: &Names, notation: &impl Notation) -> String {
    match expr {
        Expr::Literal(value) => value.to_string(),
        Expr::Bool(value) => value.to_string(),
        Expr::Path(path) => notation.path(path, &names.steps(path)),
        Expr::Matches(path, pattern) => notation.matches(notation.path(path, &names.steps(path)), pattern),
        Expr::Unary(op, a) => {
            let sign = if *op == UnaryOp::Not { words(notation)[2] } else { "-" };
            format!("{sign}{}", atom(a, names, notation))
        }
        Expr::Binary(op, a, b) => {
            let symbol = match op {
                BinaryOp::And => words(notation)[0],
                BinaryOp::Or => words(notation)[1],
                op => op.symbol(),
            };
            let left = operand(a, *op, true, names, notation);
            let right = operand(b, *op, false, names, notation);
            format!("{left} {symbol} {right}")
        }
        Expr::Cast(a, to) => match (a, names.kind(a)) {
            (_, Kind::Bool | Kind::Enum(_)) => notation.number(atom(a, names, notation)),
            (Expr::Literal(_), _) => print(a, names, notation),
            (_, Kind::Int(Some(from))) if fits(from, *to) => print(a, names, notation),
            _ => notation.cast(atom(a, names, notation), *to),
        },
        Expr::If(a, b, c) => {
            notation.choice(atom(a, names, notation), atom(b, names, notation), atom(c, names, notation))
        }
    }
}

fn words<N: Notation>(_: &N) -> [&'static str; 3] {
    N::WORDS
}

/// Whether every value of `from` is the same number as `to`.
fn fits(from: IntType, to: IntType) -> bool {
    if from.signed == to.signed { from.bits <= to.bits } else { to.signed && from.bits < to.bits }
}

/// The expression, in parentheses if it is more than a name or number.
pub(super) fn atom(expr: &Expr, names: &Names, notation: &impl Notation) -> String {
    let text = print(expr, names, notation);
    if is_compound(&text) { format!("({text})") } else { text }
}

/// Whether a printed expression has an operator outside of parentheses.
pub(super) fn is_compound(text: &str) -> bool {
    let mut depth = 0;
    text.chars().any(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth == 0 && (c == ' ' || c == '-' || c == '!')
    })
}

/// The expression as the first factor of a product.
pub(super) fn factor(expr: &Expr, names: &Names, notation: &impl Notation) -> String {
    operand(expr, BinaryOp::Multiply, true, names, notation)
}

/// An operand, in parentheses unless it binds more tightly in every language.
fn operand(expr: &Expr, outer: BinaryOp, left: bool, names: &Names, notation: &impl Notation) -> String {
    let text = print(expr, names, notation);
    let inner = match expr {
        Expr::Binary(op, ..) => *op,
        // A cast that is not shown stands for its operand.
        Expr::Cast(a, _) if is_compound(&text) => return operand(a, outer, false, names, notation),
        Expr::Unary(..) if outer.class() != Class::Logic => return format!("({text})"),
        Expr::Matches(..) => return format!("({text})"),
        _ => return text,
    };
    let tight = match (inner.class(), outer.class()) {
        (Class::Product, Class::Sum) => true,
        (Class::Product | Class::Sum, Class::Comparison) => true,
        (Class::Product | Class::Sum | Class::Comparison, Class::Logic) => true,
        (Class::Product | Class::Sum | Class::Logic, _) => {
            left && inner.class() == outer.class() && (inner.class() != Class::Logic || inner == outer)
        }
        _ => false,
    };
    if tight { text } else { format!("({text})") }
}

/// `VertexFormat` as `vertex_format`.
pub(super) fn snake(name: &str) -> String {
    let mut out = String::new();
    let mut previous_lower = false;
    for c in name.chars() {
        if c.is_ascii_uppercase() && previous_lower {
            out.push('_');
        }
        previous_lower = c.is_ascii_lowercase() || c.is_ascii_digit();
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// A field's name as other languages can spell it: tuple fields are `field_0`, nameless bits `unnamed_0`.
pub(super) fn identifier(name: &str) -> String {
    match name.strip_prefix('_') {
        Some(rest) => format!("unnamed_{rest}"),
        None if name.starts_with(|c: char| c.is_ascii_digit()) => format!("field_{name}"),
        None => name.to_owned(),
    }
}

/// A field's name in a language with these words of its own: `class` becomes `class_`.
pub(super) fn name_beside(keywords: &str, name: &str) -> String {
    let name = identifier(name);
    if keywords.split(' ').any(|word| word == name) { name + "_" } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{BinaryOp::*, Field, Shape, Type};

    static A: Expr = Expr::Path(&["a"]);
    static B: Expr = Expr::Path(&["b"]);
    static C: Expr = Expr::Path(&["c"]);
    static SUM: Expr = Expr::Binary(Add, &A, &B);
    static DIFFERENCE: Expr = Expr::Binary(Subtract, &A, &B);
    static PRODUCT: Expr = Expr::Binary(Multiply, &A, &B);
    static MASK: Expr = Expr::Binary(BitAnd, &A, &B);
    static EQUAL: Expr = Expr::Binary(Equal, &A, &B);
    static UNEQUAL: Expr = Expr::Binary(NotEqual, &A, &B);
    static CHOICE: Expr = Expr::If(&EQUAL, &SUM, &C);
    static BOTH: Expr = Expr::Binary(And, &EQUAL, &UNEQUAL);
    static NEITHER: Expr = Expr::Unary(UnaryOp::Not, &BOTH);

    fn text(expr: Expr) -> String {
        print(&expr, &Names::default(), &Text)
    }

    #[test]
    fn parentheses_only_where_languages_need_or_differ() {
        let cases = [
            (Expr::Binary(Multiply, &SUM, &C), "(a + b) * c"),
            (Expr::Binary(Add, &PRODUCT, &C), "a * b + c"),
            (Expr::Binary(Subtract, &DIFFERENCE, &C), "a - b - c"),
            (Expr::Binary(Subtract, &C, &DIFFERENCE), "c - (a - b)"),
            (Expr::Binary(Divide, &C, &PRODUCT), "c / (a * b)"),
            (Expr::Binary(Equal, &MASK, &C), "(a & b) == c"),
            (Expr::Binary(ShiftLeft, &SUM, &C), "(a + b) << c"),
            (Expr::Binary(Greater, &SUM, &C), "a + b > c"),
            (Expr::Binary(Or, &BOTH, &EQUAL), "(a == b and a != b) or a == b"),
            (Expr::Binary(And, &BOTH, &EQUAL), "a == b and a != b and a == b"),
            (Expr::Binary(And, &NEITHER, &EQUAL), "not (a == b and a != b) and a == b"),
            (Expr::Binary(Equal, &NEITHER, &C), "(not (a == b and a != b)) == c"),
            (Expr::Unary(UnaryOp::Negate, &SUM), "-(a + b)"),
            (Expr::Binary(Multiply, &CHOICE, &C), "((a + b) if (a == b), else c) * c"),
        ];
        for (expr, expected) in cases {
            assert_eq!(text(expr), expected);
        }
    }

    #[test]
    fn casts_are_shown_where_they_may_change_the_value() {
        static FIELDS: &[Field] = &[field("a", Type::Unsigned(2)), field("b", Type::Signed(4))];
        static DECLARATION: crate::layout::Declaration = crate::layout::Declaration {
            name: "Test",
            doc: "",
            imports: &[],
            magic: &[],
            shape: Shape::Struct(FIELDS),
            decoding: crate::layout::Decoding::NONE,
        };
        static ROOT: Type = Type::Declared(&DECLARATION);
        let reached = crate::layout::reach::reachable(&[("", &ROOT)], crate::layout::reach::Order::Parts);
        let names = reached[0].names();
        let cast = |expr: &'static Expr, bits, signed| {
            print(&Expr::Cast(expr, IntType { bits, signed }), &names, &Text)
        };
        assert_eq!(cast(&A, 16, false), "a");
        assert_eq!(cast(&A, 32, true), "a");
        assert_eq!(cast(&A, 16, true), "(a as i16)");
        assert_eq!(cast(&A, 8, false), "(a as u8)");
        assert_eq!(cast(&B, 32, false), "(b as u32)");
        assert_eq!(cast(&SUM, 8, false), "((a + b) as u8)");
        // A hidden cast keeps the grouping that Rust gives it.
        let widened = Expr::Cast(&SUM, IntType { bits: 64, signed: false });
        assert_eq!(operand(&widened, Multiply, true, &names, &Text), "(a + b)");
    }

    const fn field(name: &'static str, ty: Type) -> Field {
        Field { name, ty, ..Field::PLAIN }
    }

    #[test]
    fn names_of_other_languages() {
        assert_eq!(snake("VertexFormat"), "vertex_format");
        assert_eq!(snake("TexturedVertex64"), "textured_vertex64");
        assert_eq!((identifier("0"), identifier("_3")), ("field_0".into(), "unnamed_3".into()));
        assert_eq!(name_beside("case class", "class"), "class_");
        assert_eq!(name_beside("case class", "klass"), "klass");
    }
}
