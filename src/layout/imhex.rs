//! Prints a pattern for the hex editor ImHex.
//!
//! The pattern uses these features of the language:
//!
//! - `struct` with `auto` parameters that take a number, a boolean or another variable;
//! - `if` … `else if` … `else` around members;
//! - arrays with a length or `while($ < block_end)`, and `char[]`, which ends at a NUL (`block_end` is the end of the
//!   file or of the enclosing block);
//! - `bitfield` from the lowest bit (`bitfield_order right_to_left`), with `bool`, `signed` and nested fields, and
//!   `enum` with a type;
//! - placement (`@`), which leaves the cursor unchanged (`@ $` is a look-ahead), and `$ = …`, which skips a block;
//! - `std::assert` and `std::error`, and `///` for documentation. Constraints become comments, since a violation must
//!   not stop the pattern.
//!
//! Nested arrays are flattened. Big-endian words are numbers; `[[export]]` shows the bit fields that are computed from
//! them. Packed blocks are byte arrays with a comment about their content. The structs of the content can be placed
//! over unpacked data. Variants of a choice are named `as_…`, and `_` is appended to names that are keywords.

use super::declaration::{BitField, Each, Field, Packing, Shape, Type, Variant};
use super::expr::{Expr, IntType};
use super::notation::{
    Notation, byte_conditions, escape_keyword, factor, print as print_expr, to_snake_case,
};
use super::program::{ListingOrder, Names, Reached, ValueKind, reachable};
use super::wording::{
    IndentedText, content_text, declaration_lines, packing_text, parenthesize_compound,
    remark_lines,
};

/// Prints the pattern of a format. The first layout is applied; the others are commented out at the end.
pub(super) fn print(title: &str, layouts: &[(&str, &'static Type)]) -> String {
    let mut out = IndentedText::default();
    out.push_line(format!("#pragma description {title}"));
    out.push_line("#pragma endian little");
    out.push_line("#pragma bitfield_order right_to_left");
    out.push_paragraph("import std.core;");
    out.push_line("import std.sys;");
    out.push_line("import std.mem;");
    out.push_paragraph("// The end of lists without a length.");
    out.push_line("u128 block_end = std::mem::size();");
    out.push_paragraph("struct NulString {");
    out.push_line("    char bytes[];");
    out.push_line("};");
    for reached in reachable(layouts, ListingOrder::PartsFirst) {
        out.push_line("");
        out.push_prefixed("/// ", &declaration_lines(reached.declaration));
        print_declaration(&mut out, &reached);
    }
    out.push_line("");
    for (index, (name, ty)) in layouts.iter().enumerate() {
        let comment = if index == 0 { "" } else { "// " };
        let element = ElementPrinter {
            count: None,
            arguments: &[],
            each: None,
            names: &Names::default(),
        };
        out.push_line(format!("{comment}{} @ 0x00;", element.text(ty, name)));
    }
    out.into_text()
}

/// Reserved words: keywords, operators, constants, types, and `word`, the member for the number of a big-endian word.
const KEYWORDS: &str = "_ addressof any as auto be bitfield bool break catch char char16 const continue double else \
    enum false float fn for from if import in inf is le match namespace nan null out padding parent ref return s128 \
    s16 s24 s32 s48 s64 s8 s96 signed sizeof str struct this true try typenameof u128 u16 u24 u32 u48 u64 u8 u96 \
    union unsigned using while word";

fn member_name(name: &str) -> String {
    escape_keyword(KEYWORDS, name)
}

/// The notation of expressions, with the list whose current item the expression may refer to.
#[derive(Default)]
struct ImHexNotation(Option<Each>);

impl Notation for ImHexNotation {
    fn path(&self, path: &[&str], _: &[ValueKind]) -> String {
        let names = path.iter().enumerate().map(|(index, name)| {
            match self.0.filter(|each| index == 0 && each.item == *name) {
                Some(each) => format!("{}[std::core::array_index()]", list_text(&each)),
                None => member_name(name),
            }
        });
        names.collect::<Vec<_>>().join(".")
    }

    fn matches(&self, text: String, pattern: &str) -> String {
        let mut terms = vec![format!("sizeof({text}) >= {}", pattern.len())];
        terms.extend(byte_conditions::<Self>(pattern, |index| {
            format!("{text}.bytes[{index}]")
        }));
        terms.join(" && ")
    }

    fn cast(&self, text: String, to: IntType) -> String {
        format!("{}{}({text})", if to.signed { 's' } else { 'u' }, to.bits)
    }
}

fn expr_text(expr: &Expr, names: &Names) -> String {
    print_expr(expr, names, &ImHexNotation::default())
}

/// Returns the list whose items provide arguments.
fn list_text(each: &Each) -> String {
    ImHexNotation::default().path(each.list, &[])
}

fn print_declaration(out: &mut IndentedText, reached: &Reached) {
    let declaration = reached.declaration;
    let parameters = match declaration.imports {
        [] => String::new(),
        imports => {
            let names: Vec<_> = imports
                .iter()
                .map(|name| format!("auto {}", member_name(name)))
                .collect();
            format!("<{}>", names.join(", "))
        }
    };
    let (name, names) = (declaration.name, reached.names);
    let head = match declaration.shape {
        Shape::Struct(_) | Shape::Choice(_) => format!("struct {name}{parameters} {{"),
        Shape::Enum { size, .. } => format!("enum {name} : u{} {{", 8 * size),
        Shape::Bits { .. } if reached.is_big => format!("struct {name} {{"),
        Shape::Bits { .. } => format!("bitfield {name} {{"),
    };
    out.push_nested(4, head, |out| match declaration.shape {
        Shape::Struct(fields) => {
            if !declaration.magic.is_empty() {
                out.push_line(format!("u8 magic_bytes[{}];", declaration.magic.len()));
                for (index, byte) in declaration.magic.iter().enumerate() {
                    let condition = format!("magic_bytes[{index}] == {byte:#04x}");
                    out.push_line(format!(
                        "std::assert({condition}, \"the magic bytes of {name}\");"
                    ));
                }
            }
            fields
                .iter()
                .for_each(|field| print_member(out, field, &names));
        }
        Shape::Choice(variants) => print_choice(out, variants, &names),
        Shape::Enum { values, .. } => {
            for value in values {
                out.push_prefixed("/// ", value.doc);
                out.push_line(format!("{} = {},", value.name, value.value));
            }
        }
        Shape::Bits { size, fields } if reached.is_big => {
            out.push_line(format!("be u{} word;", 8 * size));
            fields
                .iter()
                .for_each(|field| print_big_endian_bits(out, field, &reached.names));
        }
        Shape::Bits { fields, .. } => fields
            .iter()
            .for_each(|field| print_bits(out, field, &reached.names)),
    });
    out.push_line("};");
}

/// Prints a bit field of a big-endian word as a computed variable, since ImHex's bit fields are little-endian.
fn print_big_endian_bits(out: &mut IndentedText, field: &BitField, names: &Names) {
    print_bit_remarks(out, field, names);
    let (name, width) = (member_name(field.name), field.bits.width);
    let value = format!(
        "(word >> {}) & {:#x}",
        field.bits.offset,
        u128::MAX >> (128 - width)
    );
    let size = width.div_ceil(8).next_power_of_two() * 8;
    match (field.flag, field.signed) {
        (true, _) => out.push_line(format!("bool {name} = ({value}) != 0 [[export]];")),
        (false, false) => out.push_line(format!("u{size} {name} = {value} [[export]];")),
        (false, true) => {
            let sign = format!("{:#x}", 1u128 << (width - 1));
            out.push_line(format!(
                "s{size} {name} = s128(({value}) ^ {sign}) - {sign} [[export]];"
            ));
        }
    }
}

fn print_bit_remarks(out: &mut IndentedText, field: &BitField, names: &Names) {
    out.push_prefixed("/// ", field.doc);
    out.push_prefixed("// ", &remark_lines(&Field::from_bit_field(field), names));
}

fn print_bits(out: &mut IndentedText, field: &BitField, names: &Names) {
    print_bit_remarks(out, field, names);
    let (name, width) = (member_name(field.name), field.bits.width);
    match field.declared {
        Some(declaration) => out.push_line(format!("{} {name};", declaration.name)),
        None if field.flag => out.push_line(format!("bool {name} : 1;")),
        None if field.signed => out.push_line(format!("signed {name} : {width};")),
        None => out.push_line(format!("{name} : {width};")),
    }
}

fn print_member(out: &mut IndentedText, field: &Field, names: &Names) {
    out.push_prefixed("/// ", field.doc);
    out.push_prefixed("// ", &remark_lines(field, names));
    match &field.condition {
        Some(condition) => {
            let head = format!("if ({}) {{", expr_text(condition, names));
            out.push_nested(4, head, |out| print_variable(out, field, field.name, names));
            out.push_line("}");
        }
        None => print_variable(out, field, field.name, names),
    }
    print_checks(out, field, names);
}

fn print_checks(out: &mut IndentedText, field: &Field, names: &Names) {
    for check in field.checks {
        let condition = expr_text(&check.condition, names);
        out.push_line(format!(
            "std::assert({condition}, \"{}\");",
            check.message.escape_default()
        ));
    }
}

fn print_choice(out: &mut IndentedText, variants: &[Variant], names: &Names) {
    for (index, variant) in variants.iter().enumerate() {
        let start = if index == 0 { "if" } else { "} else if" };
        out.push_nested(
            4,
            format!("{start} ({}) {{", expr_text(&variant.condition, names)),
            |out| {
                out.push_prefixed("/// ", variant.doc);
                out.push_prefixed("// ", &remark_lines(&variant.field, names));
                print_variable(
                    out,
                    &variant.field,
                    &format!("as_{}", to_snake_case(variant.name)),
                    names,
                );
                print_checks(out, &variant.field, names);
            },
        );
    }
    out.push_nested(4, "} else {", |out| {
        out.push_line("std::error(\"no variant applies\");")
    });
    out.push_line("}");
}

/// Prints a variable, with its placement if it is a look-ahead or has an explicit offset.
fn print_variable(out: &mut IndentedText, field: &Field, name: &str, names: &Names) {
    let element = ElementPrinter {
        count: field.count.as_ref(),
        arguments: field.arguments,
        each: field.each,
        names,
    };
    let placement = field
        .position
        .map(|position| format!(" @ {}", expr_text(&position, names)));
    let placement = if field.lookahead {
        Some(" @ $".to_owned())
    } else {
        placement
    }
    .unwrap_or_default();
    let term = |expr: &Expr| parenthesize_compound(&expr_text(expr, names));
    match &field.block {
        Some(block) if block.packing == Packing::Stored => {
            let content = ElementPrinter {
                count: None,
                arguments: block.arguments,
                each: None,
                names,
            };
            let outer_end = field
                .count
                .filter(|_| runs_to_end(&block.content))
                .map(|count| {
                    let start = field.position.map_or("$".to_owned(), |at| term(&at));
                    let outer_end =
                        format!("end_around_{}", super::notation::to_identifier(field.name));
                    out.push_line(format!("u128 {outer_end} = block_end;"));
                    out.push_line(format!("block_end = {start} + {};", term(&count)));
                    outer_end
                });
            out.push_line(format!(
                "{}{placement};",
                content.text(&block.content, name)
            ));
            if let Some(outer_end) = outer_end {
                out.push_line(format!("block_end = {outer_end};"));
            }
            // The content may be shorter than the block.
            if let (Some(count), None) = (&field.count, &field.position) {
                out.push_line(format!(
                    "$ = addressof({}) + {};",
                    member_name(name),
                    term(count)
                ));
            }
        }
        block => {
            if let Some(block) = block {
                out.push_line(format!(
                    "// {}: {}",
                    packing_text(block, names),
                    content_text(block)
                ));
            }
            out.push_line(format!("{}{placement};", element.text(&field.ty, name)));
        }
    }
}

/// Returns `true` if the content ends with a list that runs to the end of the block.
fn runs_to_end(content: &Type) -> bool {
    match content {
        Type::Declared(declaration) => {
            let is_endless = |field: &Field| {
                field.count.is_none()
                    && field.each.is_none()
                    && field.block.is_none()
                    && runs_to_end(&field.ty)
            };
            declaration.fields().last().is_some_and(is_endless)
        }
        other => matches!(other.item_type_and_count(), Some((_, None))),
    }
}

/// The count and arguments of a field, for printing its type.
struct ElementPrinter<'e> {
    count: Option<&'e Expr>,
    arguments: &'e [Expr],
    each: Option<Each>,
    names: &'e Names<'e>,
}

impl ElementPrinter<'_> {
    fn text(&self, ty: &Type, name: &str) -> String {
        let flat = ty.flatten();
        let (list, items) = (flat.is_list(), flat.fixed_item_count());
        let count = match (self.count.filter(|_| list), list, items) {
            (Some(count), _, 1) => format!("[{}]", expr_text(count, self.names)),
            (Some(count), _, n) => format!(
                "[{} * {n}]",
                factor(count, self.names, &ImHexNotation::default())
            ),
            (None, true, _) => match self.each {
                Some(each) => format!("[std::core::member_count({})]", list_text(&each)),
                None => "[while($ < block_end)]".to_owned(),
            },
            (None, false, _) if !flat.dimensions.is_empty() => format!("[{items}]"),
            (None, false, _) => String::new(),
        };
        format!(
            "{} {}{count}",
            self.base_name(&flat.item),
            member_name(name)
        )
    }

    fn base_name(&self, ty: &Type) -> String {
        match ty {
            Type::Unsigned(size) => format!("u{}", 8 * size),
            Type::Signed(size) => format!("s{}", 8 * size),
            Type::Float(4) => "float".to_owned(),
            Type::Float(_) => "double".to_owned(),
            Type::BigEndian(number) => format!("be {}", self.base_name(number)),
            Type::NulString => "NulString".to_owned(),
            Type::Declared(declaration) if self.arguments.is_empty() => declaration.name.to_owned(),
            Type::Declared(declaration) => {
                let arguments: Vec<_> = self
                    .arguments
                    .iter()
                    .map(|a| print_expr(a, self.names, &ImHexNotation(self.each)))
                    .collect();
                format!("{}<{}>", declaration.name, arguments.join(", "))
            }
            _ => String::new(),
        }
    }
}
