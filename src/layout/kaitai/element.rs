//! Prints expressions and types for Kaitai.

use super::identifier::{Identifiers, KaitaiNames, identifier};
use crate::layout::declaration::{Each, Shape, Type};
use crate::layout::expr::{Expr, IntType};
use crate::layout::notation::{Notation, byte_conditions, factor, print as print_expr};
use crate::layout::program::ValueKind;
use crate::layout::wording::IndentedText;

/// The notation of Kaitai expressions.
pub(super) struct KaitaiNotation<'n> {
    ids: &'n Identifiers,
    /// The list whose current item the expression may refer to.
    each: Option<Each>,
}

impl<'n> KaitaiNames<'n> {
    pub fn notation(&self) -> KaitaiNotation<'n> {
        KaitaiNotation {
            ids: self.ids,
            each: self.each,
        }
    }
}

impl Notation for KaitaiNotation<'_> {
    const LOGIC_OPERATORS: [&'static str; 3] = ["and", "or", "not "];

    /// Prints a path. The bit fields of a nested word are flattened into the outer word.
    fn path(&self, path: &[&str], steps: &[ValueKind]) -> String {
        let mut text = String::new();
        for (index, name) in path.iter().enumerate() {
            if let (0, Some(each)) = (index, self.each.filter(|each| each.item == *name)) {
                text = format!("{}[_index]", self.path(each.list, &[]));
                continue;
            }
            let prev = |n: usize| index.checked_sub(n).and_then(|index| steps.get(index));
            let nested = matches!(
                (prev(1), prev(2)),
                (Some(ValueKind::Bits(_)), Some(ValueKind::Bits(_)))
            );
            match index {
                0 => {}
                _ if nested => text.push('_'),
                _ => text.push('.'),
            }
            text.push_str(&self.ids.id(name));
        }
        text
    }

    fn matches(&self, text: String, pattern: &str) -> String {
        let mut terms = vec![format!("{text}.length >= {}", pattern.len())];
        terms.extend(byte_conditions::<Self>(pattern, |index| {
            format!("{text}[{index}]")
        }));
        terms.join(" and ")
    }

    fn to_number(&self, text: String) -> String {
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
pub(super) fn expr_text(expr: &Expr, names: &KaitaiNames) -> String {
    print_expr(expr, names, &names.notation())
}

/// Quotes a string for YAML with single quotes.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// Prints the documentation of a field, type or value.
pub(super) fn print_doc(out: &mut IndentedText, text: &str) {
    if !text.is_empty() {
        out.push_nested(2, "doc: |", |out| out.push_prefixed("", text));
    }
}

/// Returns a type with its arguments.
pub(super) fn call_text(name: &str, arguments: &[String]) -> String {
    if arguments.is_empty() {
        name.to_owned()
    } else {
        format!("{name}({})", arguments.join(", "))
    }
}

/// The count and arguments of a field, for printing its type.
pub(super) struct ElementPrinter<'e> {
    pub count: Option<&'e Expr>,
    pub arguments: &'e [Expr],
    /// Whether to print `valid: in-enum: true` for enums.
    pub checks_enum: bool,
    pub names: &'e KaitaiNames<'e>,
}

impl ElementPrinter<'_> {
    pub fn print(&self, out: &mut IndentedText, ty: &Type) {
        let flat = ty.flatten();
        let is_list = flat.is_list();
        let each = self.names.each.filter(|_| is_list);
        let of_list =
            each.map(|each| format!("{}.size", self.names.notation().path(each.list, &[])));
        let count = self
            .count
            .filter(|_| is_list)
            .map(|count| match flat.fixed_item_count() {
                1 => expr_text(count, self.names),
                n => format!(
                    "{} * {n}",
                    factor(count, self.names, &self.names.notation())
                ),
            })
            .or(of_list);
        // A list of bytes is one value.
        if flat.is_bytes() {
            match count {
                Some(count) => out.push_line(format!("size: {}", quoted(&count))),
                None => out.push_line("size-eos: true"),
            }
            return;
        }
        self.print_base(out, &flat.item, is_list && count.is_none());
        match (count, is_list) {
            (Some(count), _) => {
                out.push_line("repeat: expr");
                out.push_line(format!("repeat-expr: {}", quoted(&count)));
            }
            (None, true) => out.push_line("repeat: eos"),
            (None, false) if !flat.dimensions.is_empty() => {
                out.push_line("repeat: expr");
                out.push_line(format!("repeat-expr: {}", flat.fixed_item_count()));
            }
            (None, false) => {}
        }
    }

    /// Prints the type of a value. In a list that runs to the end, the last string may lack its NUL.
    fn print_base(&self, out: &mut IndentedText, ty: &Type, is_list_to_end: bool) {
        // The whole definition defaults to little-endian.
        let order = if matches!(ty, Type::BigEndian(_)) {
            "be"
        } else {
            ""
        };
        match ty.without_byte_order() {
            Type::Unsigned(size) if *size <= 8 => out.push_line(format!("type: u{size}{order}")),
            Type::Signed(size) if *size <= 8 => out.push_line(format!("type: s{size}{order}")),
            Type::Unsigned(size) | Type::Signed(size) => out.push_line(format!("size: {size}")),
            Type::Float(size) => out.push_line(format!("type: f{size}{order}")),
            Type::NulString => {
                // Without `type: strz`, the value is a byte array: the format does not define an encoding.
                out.push_line("terminator: 0");
                if is_list_to_end {
                    out.push_line("eos-error: false");
                }
            }
            Type::Declared(declaration) => match declaration.shape {
                Shape::Enum { size, .. } => {
                    out.push_line(format!("type: u{size}{order}"));
                    out.push_line(format!("enum: {}", identifier(declaration.name)));
                    if self.checks_enum {
                        out.push_nested(2, "valid:", |out| out.push_line("in-enum: true"));
                    }
                }
                _ => {
                    let arguments: Vec<_> = self
                        .arguments
                        .iter()
                        .map(|a| expr_text(a, self.names))
                        .collect();
                    let call = call_text(&identifier(declaration.name), &arguments);
                    out.push_line(format!("type: {}", quoted(&call)));
                }
            },
            _ => {}
        }
    }
}
