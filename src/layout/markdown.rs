//! Prints tables as in a specification: a section for each declaration, in depth-first order.

use std::ops::RangeInclusive;

use super::declaration::{BitField, Each, EnumValue, Field, Shape, Type, Variant};
use super::expr::Expr;
use super::program::{ListingOrder, Names, Reached, ValueKind, reachable};
use super::wording::{
    IndentedText, byte_order_text, check_text, checksum_text, constraint_text, content_text,
    decoding_text, offset_texts, packing_text, readable_expr, requirement_text, size_text,
    type_text,
};

/// Prints the tables of a format, with `note` in the introduction.
pub(super) fn print(title: &str, note: &str, layouts: &[(&str, &'static Type)]) -> String {
    let mut out = IndentedText::default();
    out.push_line(format!("# {title}"));
    let order = byte_order_text(layouts);
    out.push_paragraph(format!(
        "{order}, and there is no padding between fields. Sizes and offsets are in"
    ));
    out.push_line(
        "bytes, offsets count from the start of the structure. Bit 0 of a word is the least significant one.",
    );
    if !note.is_empty() {
        out.push_line("");
        out.push_prefixed("", note);
    }
    out.push_paragraph("A file is one of:");
    out.push_line("");
    for (name, ty) in layouts {
        let root = ty
            .declaration()
            .map_or(String::new(), |root| format!(": {}", link(root.name)));
        out.push_line(format!("- {name}{root}"));
    }
    for reached in reachable(layouts, ListingOrder::ContainersFirst) {
        print_section(&mut out, &reached);
    }
    out.into_text()
}

fn link(name: &str) -> String {
    format!("[{name}](#{})", name.to_lowercase())
}

fn print_section(out: &mut IndentedText, reached: &Reached) {
    let declaration = reached.declaration;
    out.push_paragraph(format!("## {}", declaration.name));
    if !declaration.doc.is_empty() {
        out.push_line("");
        out.push_prefixed("", declaration.doc);
    }
    if !declaration.imports.is_empty() {
        let imports = declaration.imports.iter().zip(reached.imports);
        let imports: Vec<_> = imports
            .map(|(name, kind)| import_text(name, *kind))
            .collect();
        out.push_paragraph(format!("Imports: {}.", imports.join(", ")));
    }
    if let Some(decoded) = decoding_text(declaration.decoding, inline_code) {
        out.push_paragraph(decoded);
    }
    if let Some((min, max)) = declaration.size_range().map(RangeInclusive::into_inner) {
        let size = if min == max {
            min.to_string()
        } else {
            format!("{min} to {max}")
        };
        out.push_paragraph(format!("Size: {size}."));
    }
    if !declaration.magic.is_empty() {
        out.push_paragraph(format!("Starts with {}.", magic_text(declaration.magic)));
    }
    out.push_line("");
    let names = reached.names;
    match declaration.shape {
        Shape::Struct(fields) => print_struct_table(out, reached, fields, &names),
        Shape::Choice(variants) => print_choice_table(out, variants, &names),
        Shape::Enum { values, .. } => print_enum_table(out, values),
        Shape::Bits { fields, .. } => print_bits_table(out, fields, &names),
    }
}

fn import_text(name: &str, kind: ValueKind) -> String {
    match kind {
        ValueKind::Bits(declaration)
        | ValueKind::Enum(declaration)
        | ValueKind::Struct(declaration) => {
            format!("`{name}` ({})", link(declaration.name))
        }
        ValueKind::Bool => format!("`{name}` (true or false)"),
        ValueKind::Text => format!("`{name}` (a string)"),
        ValueKind::List(items) => {
            let items = items.declaration().map(|items| link(items.name));
            format!(
                "`{name}` (a list of {})",
                items.unwrap_or("numbers".to_owned())
            )
        }
        ValueKind::Int(_) | ValueKind::Other | ValueKind::Column => {
            format!("`{name}` (a number)")
        }
    }
}

/// Returns magic bytes in hexadecimal, and as text if they start with a letter.
fn magic_text(bytes: &[u8]) -> String {
    let hex: Vec<_> = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
    let text = match bytes.first() {
        Some(first) if first.is_ascii_alphabetic() => format!(" (`{}`)", bytes.escape_ascii()),
        _ => String::new(),
    };
    format!("the bytes {}{text}", hex.join(" "))
}

fn print_row(out: &mut IndentedText, cells: &[&str]) {
    out.push_line(
        format!("| {} |", cells.join(" | "))
            .replace("|  |", "| |")
            .replace("|  |", "| |"),
    );
}

fn print_table_head(out: &mut IndentedText, cells: &[&str]) {
    print_row(out, cells);
    out.push_line(format!("|{}", "---|".repeat(cells.len())));
}

/// Formats text as the content of a table cell.
fn table_cell(text: &str) -> String {
    let paragraphs: Vec<_> = text
        .split("\n\n")
        .map(|p| p.lines().collect::<Vec<_>>().join(" "))
        .collect();
    paragraphs.join("<br>").replace('|', "\\|")
}

fn inline_code(text: &str) -> String {
    format!("`{}`", text.replace('|', "\\|"))
}

fn print_struct_table(out: &mut IndentedText, reached: &Reached, fields: &[Field], names: &Names) {
    print_table_head(out, &["field", "type", "size", "offset", "meaning"]);
    for (field, offset) in fields.iter().zip(offset_texts(reached)) {
        let (name, ty) = (
            inline_code(field.name),
            table_cell(&with_link(type_text(field, names), &field.ty)),
        );
        let size = table_cell(&size_text(field, names));
        print_row(
            out,
            &[
                &name,
                &ty,
                &size,
                &table_cell(&offset),
                &field_meaning(field, names),
            ],
        );
    }
}

/// Links the first mention of a type's declaration in `text`.
fn with_link(text: String, ty: &Type) -> String {
    match ty.declaration() {
        Some(declaration) => text.replacen(declaration.name, &link(declaration.name), 1),
        None => text,
    }
}

/// Returns the `meaning` cell of a field, including its condition, documentation, content, checks and constraints.
fn field_meaning(field: &Field, names: &Names) -> String {
    let mut parts = Vec::new();
    if let Some(condition) = &field.condition {
        parts.push(format!(
            "Only if {}.",
            inline_code(&readable_expr(condition, names))
        ));
    }
    if !field.doc.is_empty() {
        parts.push(table_cell(field.doc));
    }
    parts.extend(decoding_text(field.decoding, inline_code));
    if field.lookahead {
        parts.push("A look-ahead: the next field starts at the same offset.".to_owned());
    }
    if let Some(Each { list, item }) = field.each {
        let list = inline_code(&list.join("."));
        parts.push(format!(
            "One per item of {list}, named {}.",
            inline_code(item)
        ));
    }
    parts.extend(argument_text(&field.ty, field.arguments, names));
    if let Some(block) = &field.block {
        let content = with_link(table_cell(&content_text(block)), &block.content);
        let packing = packing_text(block, names);
        let separator = if packing.is_empty() { "" } else { ": " };
        parts.push(format!(
            "Contains {}{separator}{content}.",
            table_cell(&packing)
        ));
        parts.extend(argument_text(&block.content, block.arguments, names));
    }
    parts.extend(
        field
            .checks
            .iter()
            .map(|check| check_text(check, field, names, inline_code)),
    );
    parts.extend(
        field
            .constraints
            .iter()
            .map(|c| constraint_text(c, field, names, inline_code)),
    );
    parts.extend(checksum_text(field, names, inline_code));
    parts.extend(field.plausible.iter().map(|constraint| {
        let text = requirement_text(constraint, field, names, inline_code);
        format!(
            "In plausible files: {}{}.",
            text[..1].to_lowercase(),
            &text[1..]
        )
    }));
    parts.join(" ")
}

fn argument_text(ty: &Type, arguments: &[Expr], names: &Names) -> Option<String> {
    let imports = ty.declaration()?.imports;
    let arguments = arguments
        .iter()
        .map(|argument| readable_expr(argument, names));
    let changed = imports
        .iter()
        .zip(arguments)
        .filter(|(import, argument)| *import != argument);
    let pairs =
        changed.map(|(import, value)| format!("{} = {}", inline_code(import), inline_code(&value)));
    let pairs: Vec<_> = pairs.collect();
    (!pairs.is_empty()).then(|| format!("With {}.", pairs.join(", ")))
}

fn print_choice_table(out: &mut IndentedText, variants: &[Variant], names: &Names) {
    out.push_line("The first variant whose condition holds:");
    out.push_line("");
    print_table_head(out, &["if", "variant", "type", "meaning"]);
    for variant in variants {
        let condition = inline_code(&readable_expr(&variant.condition, names));
        let doc = [
            table_cell(variant.doc),
            field_meaning(&variant.field, names),
        ];
        let doc: Vec<_> = doc.into_iter().filter(|part| !part.is_empty()).collect();
        let ty = table_cell(&with_link(
            type_text(&variant.field, names),
            &variant.field.ty,
        ));
        print_row(
            out,
            &[&condition, &inline_code(variant.name), &ty, &doc.join(" ")],
        );
    }
}

fn print_enum_table(out: &mut IndentedText, values: &[EnumValue]) {
    print_table_head(out, &["value", "name", "meaning"]);
    for value in values {
        print_row(
            out,
            &[
                &value.value.to_string(),
                &inline_code(value.name),
                &table_cell(value.doc),
            ],
        );
    }
}

fn print_bits_table(out: &mut IndentedText, fields: &[BitField], names: &Names) {
    print_table_head(out, &["bits", "field", "type", "meaning"]);
    for field in fields {
        let (first, last) = (field.bits.offset, field.bits.offset + field.bits.width - 1);
        let bits = if first == last {
            first.to_string()
        } else {
            format!("{first} to {last}")
        };
        let ty = match field.declared {
            Some(declaration) => link(declaration.name),
            None if field.reserved => "reserved".to_owned(),
            None if field.flag => "flag".to_owned(),
            None if field.signed => "signed".to_owned(),
            None => "unsigned".to_owned(),
        };
        let constraints = field.constraints.iter().map(|constraint| {
            constraint_text(
                constraint,
                &Field::from_bit_field(field),
                names,
                inline_code,
            )
        });
        let mut meaning = vec![table_cell(field.doc)];
        meaning.extend(
            decoding_text(field.decoding, inline_code)
                .into_iter()
                .chain(constraints),
        );
        print_row(
            out,
            &[&bits, &inline_code(field.name), &ty, &meaning.join(" ")],
        );
    }
}
