//! Prints a pattern for the hex editor ImHex.
//!
//! The pattern uses these features of the language:
//!
//! - `struct` with `auto` parameters that take a number, a boolean or another variable;
//! - `if` … `else if` … `else` around members;
//! - arrays with a length or `while($ < block_end)`, where `block_end` is the end of the file or of the enclosing
//!   block, and `char[]`, which ends at a NUL; nested arrays are flattened;
//! - `bitfield` from the lowest bit (`bitfield_order right_to_left`), with `bool`, `signed` and nested fields, and
//!   `enum` with a type; big-endian words are numbers, and `[[export]]` shows variables computed from them;
//! - placement (`@`), which leaves the cursor unchanged (`@ $` is a look-ahead), and `$ = …`, which moves it past
//!   a block of stored size;
//! - `std::assert` and `std::error`, `///` for documentation. Constraints become comments, since violating one
//!   does not stop the pattern.
//!
//! Packed blocks remain bytes with a comment about their content, whose structs can be placed over unpacked data.
//! Variants of a choice are named `as_…`; a name that is a keyword gets a `_`.

use super::declaration::{BitField, Field, Packing, Shape, Type, Variant};
use super::expr::{Expr, IntType};
use super::notation::{Notation, escape_keyword, factor, match_bytes, print as print_expr, snake};
use super::program::{Names, Order, Reached, ValueKind, reachable};
use super::wording::{Lines, content_text, declaration_lines, grouped, packing_text, remark_lines};

/// Prints the pattern of a format. It shows the first layout; the other ones are commented out at the end.
pub(super) fn print(title: &str, layouts: &[(&str, &'static Type)]) -> String {
    let mut out = Lines::default();
    out.line(format!("#pragma description {title}"));
    out.line("#pragma endian little");
    out.line("#pragma bitfield_order right_to_left");
    out.line("");
    out.line("import std.sys;");
    out.line("import std.mem;");
    out.line("");
    out.line("// The end of lists without a length.");
    out.line("u128 block_end = std::mem::size();");
    out.line("");
    out.line("struct NulString {");
    out.line("    char bytes[];");
    out.line("};");
    for reached in reachable(layouts, Order::Parts) {
        out.line("");
        out.prefixed("/// ", &declaration_lines(reached.declaration));
        declare(&mut out, &reached);
    }
    out.line("");
    for (index, (name, ty)) in layouts.iter().enumerate() {
        let comment = if index == 0 { "" } else { "// " };
        let element = Element { count: None, arguments: &[], names: &Names::default() };
        out.line(format!("{comment}{} @ 0x00;", element.text(ty, name)));
    }
    out.into_text()
}

/// Reserved words: keywords, operators, constants, types, and the stored number of big-endian words.
const KEYWORDS: &str = "_ addressof any as auto be bitfield bool break catch char char16 const continue double else \
    enum false float fn for from if import in inf is le match namespace nan null out padding parent ref return s128 \
    s16 s24 s32 s48 s64 s8 s96 signed sizeof str struct this true try typenameof u128 u16 u24 u32 u48 u64 u8 u96 \
    union unsigned using while word";

fn member_name(name: &str) -> String {
    escape_keyword(KEYWORDS, name)
}

struct ImHex;

impl Notation for ImHex {
    const WORDS: [&'static str; 3] = ["&&", "||", "!"];

    fn path(&self, path: &[&str], _: &[ValueKind]) -> String {
        path.iter().map(|name| member_name(name)).collect::<Vec<_>>().join(".")
    }

    fn matches(&self, text: String, pattern: &str) -> String {
        let mut terms = vec![format!("sizeof({text}) >= {}", pattern.len())];
        terms.extend(match_bytes(self, pattern, |index| format!("{text}.bytes[{index}]")));
        terms.join(" && ")
    }

    fn cast(&self, text: String, to: IntType) -> String {
        format!("{}{}({text})", if to.signed { 's' } else { 'u' }, to.bits)
    }
}

fn expression(expr: &Expr, names: &Names) -> String {
    print_expr(expr, names, &ImHex)
}

fn declare(out: &mut Lines, reached: &Reached) {
    let declaration = reached.declaration;
    let parameters: Vec<_> =
        declaration.imports.iter().map(|name| format!("auto {}", member_name(name))).collect();
    let parameters =
        if parameters.is_empty() { String::new() } else { format!("<{}>", parameters.join(", ")) };
    let names = reached.names;
    match declaration.shape {
        Shape::Struct(fields) => {
            out.line(format!("struct {}{parameters} {{", declaration.name));
            out.indented_by(4, |out| {
                if !declaration.magic.is_empty() {
                    let size = declaration.magic.len();
                    out.line(format!("u8 magic_bytes[{size}];"));
                    for (index, byte) in declaration.magic.iter().enumerate() {
                        let text = format!("the magic bytes of {}", declaration.name);
                        out.line(format!("std::assert(magic_bytes[{index}] == {byte:#04x}, \"{text}\");"));
                    }
                }
                fields.iter().for_each(|field| member(out, field, &names));
            });
        }
        Shape::Choice(variants) => {
            out.line(format!("struct {}{parameters} {{", declaration.name));
            out.indented_by(4, |out| choice(out, variants, &names));
        }
        Shape::Enum { size, values } => {
            out.line(format!("enum {} : u{} {{", declaration.name, 8 * size));
            out.indented_by(4, |out| {
                for value in values {
                    out.prefixed("/// ", value.doc);
                    out.line(format!("{} = {},", value.name, value.value));
                }
            });
        }
        Shape::Bits { size, fields } if reached.is_big => {
            out.line(format!("struct {} {{", declaration.name));
            out.indented_by(4, |out| {
                out.line(format!("be u{} word;", 8 * size));
                fields.iter().for_each(|field| big_bits(out, field));
            });
        }
        Shape::Bits { fields, .. } => {
            out.line(format!("bitfield {} {{", declaration.name));
            out.indented_by(4, |out| fields.iter().for_each(|field| bits(out, field)));
        }
    }
    out.line("};");
}

/// Bit fields of ImHex are little-endian: those of a big-endian word are computed from its number.
fn big_bits(out: &mut Lines, field: &BitField) {
    bit_remarks(out, field);
    let (name, width) = (member_name(field.name), field.bits.width);
    let value = format!("(word >> {}) & {:#x}", field.bits.offset, u128::MAX >> (128 - width));
    let size = width.div_ceil(8).next_power_of_two() * 8;
    match (field.flag, field.signed) {
        (true, _) => out.line(format!("bool {name} = ({value}) != 0 [[export]];")),
        (false, false) => out.line(format!("u{size} {name} = {value} [[export]];")),
        (false, true) => {
            let sign = format!("{:#x}", 1u128 << (width - 1));
            out.line(format!("s{size} {name} = s128(({value}) ^ {sign}) - {sign} [[export]];"));
        }
    }
}

fn bit_remarks(out: &mut Lines, field: &BitField) {
    out.prefixed("/// ", field.doc);
    out.prefixed("// ", &remark_lines(&Field::of_bits(field), &Names::default()));
}

fn bits(out: &mut Lines, field: &BitField) {
    bit_remarks(out, field);
    let (name, width) = (member_name(field.name), field.bits.width);
    match field.declared {
        Some(declaration) => out.line(format!("{} {name};", declaration.name)),
        None if field.flag => out.line(format!("bool {name} : 1;")),
        None if field.signed => out.line(format!("signed {name} : {width};")),
        None => out.line(format!("{name} : {width};")),
    }
}

fn member(out: &mut Lines, field: &Field, names: &Names) {
    out.prefixed("/// ", field.doc);
    out.prefixed("// ", &remark_lines(field, names));
    match &field.condition {
        Some(condition) => {
            out.line(format!("if ({}) {{", expression(condition, names)));
            out.indented_by(4, |out| value(out, field, field.name, names));
            out.line("}");
        }
        None => value(out, field, field.name, names),
    }
    checks(out, field, names);
}

fn checks(out: &mut Lines, field: &Field, names: &Names) {
    for check in field.checks {
        let condition = expression(&check.condition, names);
        out.line(format!("std::assert({condition}, \"{}\");", check.message.escape_default()));
    }
}

fn choice(out: &mut Lines, variants: &[Variant], names: &Names) {
    for (index, variant) in variants.iter().enumerate() {
        let start = if index == 0 { "if" } else { "} else if" };
        out.line(format!("{start} ({}) {{", expression(&variant.condition, names)));
        out.indented_by(4, |out| {
            out.prefixed("/// ", variant.doc);
            out.prefixed("// ", &remark_lines(&variant.field, names));
            value(out, &variant.field, &format!("as_{}", snake(variant.name)), names);
            checks(out, &variant.field, names);
        });
    }
    out.line("} else {");
    out.indented_by(4, |out| out.line("std::error(\"no variant fits\");"));
    out.line("}");
}

/// Prints a variable, with its placement if it has an explicit offset.
fn value(out: &mut Lines, field: &Field, name: &str, names: &Names) {
    let element = Element { count: field.count.as_ref(), arguments: field.arguments, names };
    let place = field.position.map(|position| format!(" @ {}", expression(&position, names)));
    let place = if field.lookahead { Some(" @ $".to_owned()) } else { place }.unwrap_or_default();
    match &field.block {
        Some(block) if block.packing == Packing::Stored => {
            let content = Element { count: None, arguments: block.arguments, names };
            let around = field.count.filter(|_| runs_to_end(&block.content)).map(|count| {
                let start = field.position.map_or("$".to_owned(), |at| grouped(&expression(&at, names)));
                let around = format!("end_around_{}", super::notation::identifier(field.name));
                out.line(format!("u128 {around} = block_end;"));
                out.line(format!("block_end = {start} + {};", grouped(&expression(&count, names))));
                around
            });
            out.line(format!("{}{place};", content.text(&block.content, name)));
            if let Some(around) = around {
                out.line(format!("block_end = {around};"));
            }
            // The content may be shorter than the block.
            if let (Some(count), None) = (&field.count, &field.position) {
                let size = grouped(&expression(count, names));
                out.line(format!("$ = addressof({}) + {size};", member_name(name)));
            }
        }
        block => {
            if let Some(block) = block {
                out.line(format!("// {}: {}", packing_text(block, names), content_text(block, names)));
            }
            out.line(format!("{}{place};", element.text(&field.ty, name)));
        }
    }
}

/// Whether the content ends with a list that runs to the end of the block.
fn runs_to_end(content: &Type) -> bool {
    match content {
        Type::Declared(declaration) => declaration
            .fields()
            .last()
            .is_some_and(|field| field.count.is_none() && field.block.is_none() && runs_to_end(&field.ty)),
        other => matches!(other.items(), Some((_, None))),
    }
}

/// The count and arguments of a field, for printing its type.
struct Element<'e> {
    count: Option<&'e Expr>,
    arguments: &'e [Expr],
    names: &'e Names<'e>,
}

impl Element<'_> {
    fn text(&self, ty: &Type, name: &str) -> String {
        let flat = ty.flat();
        let (list, items) = (flat.is_list(), flat.items());
        let count = match (self.count.filter(|_| list), list, items) {
            (Some(count), _, 1) => format!("[{}]", expression(count, self.names)),
            (Some(count), _, n) => format!("[{} * {n}]", factor(count, self.names, &ImHex)),
            (None, true, _) => "[while($ < block_end)]".to_owned(),
            (None, false, _) if !flat.dimensions.is_empty() => format!("[{items}]"),
            (None, false, _) => String::new(),
        };
        format!("{} {}{count}", self.base(&flat.item), member_name(name))
    }

    fn base(&self, ty: &Type) -> String {
        match ty {
            Type::Unsigned(size) => format!("u{}", 8 * size),
            Type::Signed(size) => format!("s{}", 8 * size),
            Type::Float(4) => "float".to_owned(),
            Type::Float(_) => "double".to_owned(),
            Type::Big(number) => format!("be {}", self.base(number)),
            Type::NulString => "NulString".to_owned(),
            Type::Declared(declaration) if self.arguments.is_empty() => declaration.name.to_owned(),
            Type::Declared(declaration) => {
                let arguments: Vec<_> = self.arguments.iter().map(|a| expression(a, self.names)).collect();
                format!("{}<{}>", declaration.name, arguments.join(", "))
            }
            _ => String::new(),
        }
    }
}
