//! Prints expressions and types for Kaitai.

use crate::layout::declaration::{Shape, Type};
use crate::layout::expr::{Expr, IntType};
use crate::layout::notation::{Notation, factor, identifier, match_bytes, print as print_expr, snake};
use crate::layout::program::{Names, ValueKind};
use crate::layout::wording::Lines;

/// The notation of Kaitai expressions.
pub(super) struct Kaitai;

impl Notation for Kaitai {
    const WORDS: [&'static str; 3] = ["and", "or", "not "];

    /// The bit fields of a nested word are flattened into the outer word.
    fn path(&self, path: &[&str], steps: &[ValueKind]) -> String {
        let mut text = String::new();
        for (index, name) in path.iter().enumerate() {
            let before = |n: usize| index.checked_sub(n).and_then(|index| steps.get(index));
            let nested =
                matches!((before(1), before(2)), (Some(ValueKind::Bits(_)), Some(ValueKind::Bits(_))));
            match index {
                0 => {}
                _ if nested => text.push('_'),
                _ => text.push('.'),
            }
            text.push_str(&identifier(name));
        }
        text
    }

    fn matches(&self, text: String, pattern: &str) -> String {
        let mut terms = vec![format!("{text}.length >= {}", pattern.len())];
        terms.extend(match_bytes(self, pattern, |index| format!("{text}[{index}]")));
        terms.join(" and ")
    }

    fn number(&self, text: String) -> String {
        format!("{text}.to_i")
    }

    fn cast(&self, text: String, to: IntType) -> String {
        if to.bits >= 64 {
            return text;
        }
        let masked = format!("({text} & {:#x})", (1u64 << to.bits) - 1);
        if !to.signed {
            return masked;
        }
        let sign = 1u64 << (to.bits - 1);
        format!("(({masked} ^ {sign:#x}) - {sign:#x})")
    }
}

/// Prints an expression for Kaitai.
pub(super) fn expression(expr: &Expr, names: &Names) -> String {
    print_expr(expr, names, &Kaitai)
}

/// Quotes a string for YAML, without any escapes.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// Prints the documentation of a field, type or value.
pub(super) fn doc(out: &mut Lines, text: &str) {
    if !text.is_empty() {
        out.line("doc: |");
        out.indented(|out| out.prefixed("", text));
    }
}

/// Returns a type with its arguments.
pub(super) fn call(name: &str, arguments: &[String]) -> String {
    if arguments.is_empty() { name.to_owned() } else { format!("{name}({})", arguments.join(", ")) }
}

/// The count and arguments of a field, for printing its type.
pub(super) struct Element<'e> {
    pub(super) count: Option<&'e Expr>,
    pub(super) arguments: &'e [Expr],
    pub(super) names: &'e Names<'e>,
}

impl Element<'_> {
    pub(super) fn print(&self, out: &mut Lines, ty: &Type) {
        let flat = ty.flat();
        let list = flat.is_list();
        let count = self.count.filter(|_| list).map(|count| match flat.items() {
            1 => expression(count, self.names),
            n => format!("{} * {n}", factor(count, self.names, &Kaitai)),
        });
        // A list of bytes is one value.
        if flat.is_bytes() {
            match count {
                Some(count) => out.line(format!("size: {}", quoted(&count))),
                None => out.line("size-eos: true"),
            }
            return;
        }
        self.base(out, &flat.item, list);
        match (count, list) {
            (Some(count), _) => {
                out.line("repeat: expr");
                out.line(format!("repeat-expr: {}", quoted(&count)));
            }
            (None, true) => out.line("repeat: eos"),
            (None, false) if !flat.dimensions.is_empty() => {
                out.line("repeat: expr");
                out.line(format!("repeat-expr: {}", flat.items()));
            }
            (None, false) => {}
        }
    }

    fn base(&self, out: &mut Lines, ty: &Type, list: bool) {
        // The whole definition defaults to little-endian.
        let order = if matches!(ty, Type::Big(_)) { "be" } else { "" };
        match ty.without_order() {
            Type::Unsigned(size) if *size <= 8 => out.line(format!("type: u{size}{order}")),
            Type::Signed(size) if *size <= 8 => out.line(format!("type: s{size}{order}")),
            Type::Unsigned(size) | Type::Signed(size) => out.line(format!("size: {size}")),
            Type::Float(size) => out.line(format!("type: f{size}{order}")),
            Type::NulString => {
                // Bytes, since the format does not define an encoding.
                out.line("terminator: 0");
                if list {
                    out.line("eos-error: false");
                }
            }
            Type::Declared(declaration) => match declaration.shape {
                Shape::Enum { size, .. } => {
                    out.line(format!("type: u{size}{order}"));
                    out.line(format!("enum: {}", snake(declaration.name)));
                    out.line("valid:");
                    out.indented(|out| out.line("in-enum: true"));
                }
                _ => {
                    let arguments: Vec<_> =
                        self.arguments.iter().map(|a| expression(a, self.names)).collect();
                    out.line(format!("type: {}", quoted(&call(&snake(declaration.name), &arguments))));
                }
            },
            _ => {}
        }
    }
}
