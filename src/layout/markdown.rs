//! Prints tables like those of a specification: a section for each declaration, in reading order.

use std::ops::RangeInclusive;

use super::declaration::{BitField, EnumValue, Field, Shape, Type, Variant};
use super::expr::Expr;
use super::program::{Names, Order, Reached, ValueKind, reachable};
use super::wording::{
    Lines, byte_order, check_text, checksum_text, constraint_text, content_text, decoding_text, offsets,
    packing_text, readable, requirement_text, size_text, type_text,
};

/// Prints the tables of a format, with a note at the start.
pub(super) fn print(title: &str, note: &str, layouts: &[(&str, &'static Type)]) -> String {
    let mut out = Lines::default();
    out.line(format!("# {title}"));
    out.line("");
    out.line(format!(
        "{}, and there is no padding between fields. Sizes and offsets are in",
        byte_order(layouts)
    ));
    out.line(
        "bytes, offsets count from the start of the structure. Bit 0 of a word is the least significant one.",
    );
    if !note.is_empty() {
        out.line("");
        out.prefixed("", note);
    }
    out.line("");
    out.line("A file is one of:");
    out.line("");
    for (name, ty) in layouts {
        match ty.declaration() {
            Some(declaration) => out.line(format!("- {name}: {}", link(declaration.name))),
            None => out.line(format!("- {name}")),
        }
    }
    for reached in reachable(layouts, Order::Reading) {
        section(&mut out, &reached);
    }
    out.into_text()
}

fn link(name: &str) -> String {
    format!("[{name}](#{})", name.to_lowercase())
}

fn section(out: &mut Lines, reached: &Reached) {
    let declaration = reached.declaration;
    out.line("");
    out.line(format!("## {}", declaration.name));
    if !declaration.doc.is_empty() {
        out.line("");
        out.prefixed("", declaration.doc);
    }
    if !declaration.imports.is_empty() {
        let given = declaration.imports.iter().zip(reached.imports);
        let given: Vec<_> = given.map(|(name, kind)| import(name, *kind)).collect();
        out.line("");
        out.line(format!("Imports: {}.", given.join(", ")));
    }
    if let Some(decoded) = decoding_text(declaration.decoding, code) {
        out.line("");
        out.line(decoded);
    }
    if let Some((min, max)) = declaration.size_range().map(RangeInclusive::into_inner) {
        out.line("");
        out.line(if min == max { format!("Size: {min}.") } else { format!("Size: {min} to {max}.") });
    }
    if !declaration.magic.is_empty() {
        out.line("");
        out.line(format!("Starts with {}.", magic(declaration.magic)));
    }
    out.line("");
    let names = reached.names;
    match declaration.shape {
        Shape::Struct(fields) => struct_table(out, reached, fields, &names),
        Shape::Choice(variants) => choice_table(out, variants, &names),
        Shape::Enum { values, .. } => enum_table(out, values),
        Shape::Bits { fields, .. } => bits_table(out, fields),
    }
}

fn import(name: &str, kind: ValueKind) -> String {
    match kind {
        ValueKind::Bits(declaration) | ValueKind::Enum(declaration) | ValueKind::Struct(declaration) => {
            format!("`{name}` ({})", link(declaration.name))
        }
        ValueKind::Bool => format!("`{name}` (true or false)"),
        ValueKind::Int(_) | ValueKind::Other => format!("`{name}` (a number)"),
    }
}

/// Returns magic bytes in hexadecimal, and as text if they start with a letter.
fn magic(bytes: &[u8]) -> String {
    let hex: Vec<_> = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
    let text = match bytes.first() {
        Some(first) if first.is_ascii_alphabetic() => format!(" (`{}`)", bytes.escape_ascii()),
        _ => String::new(),
    };
    format!("the bytes {}{text}", hex.join(" "))
}

fn row(out: &mut Lines, cells: &[&str]) {
    out.line(format!("| {} |", cells.join(" | ")).replace("|  |", "| |").replace("|  |", "| |"));
}

fn head(out: &mut Lines, cells: &[&str]) {
    row(out, cells);
    out.line(format!("|{}", "---|".repeat(cells.len())));
}

/// Returns a doc comment as the content of a cell.
fn cell(text: &str) -> String {
    let paragraphs: Vec<_> = text.split("\n\n").map(|p| p.lines().collect::<Vec<_>>().join(" ")).collect();
    paragraphs.join("<br>").replace('|', "\\|")
}

fn code(text: &str) -> String {
    format!("`{}`", text.replace('|', "\\|"))
}

fn struct_table(out: &mut Lines, reached: &Reached, fields: &[Field], names: &Names) {
    head(out, &["field", "type", "size", "offset", "meaning"]);
    for (field, offset) in fields.iter().zip(offsets(reached)) {
        let (name, ty) = (code(field.name), cell(&linked_type(field, names)));
        let size = cell(&size_text(field, names));
        row(out, &[&name, &ty, &size, &cell(&offset), &meaning(field, names)]);
    }
}

/// Returns the type, with its declaration linked.
fn linked_type(field: &Field, names: &Names) -> String {
    let text = type_text(field, names);
    match field.ty.declaration() {
        Some(declaration) => text.replacen(declaration.name, &link(declaration.name), 1),
        None => text,
    }
}

/// Returns documentation, condition, arguments, content and checks as one cell.
fn meaning(field: &Field, names: &Names) -> String {
    let mut parts = Vec::new();
    if let Some(condition) = &field.condition {
        parts.push(format!("Only if {}.", code(&readable(condition, names))));
    }
    if !field.doc.is_empty() {
        parts.push(cell(field.doc));
    }
    parts.extend(decoding_text(field.decoding, code));
    if field.lookahead {
        parts.push("A look-ahead: the next field starts at the same offset.".to_owned());
    }
    parts.extend(handed_in(&field.ty, field.arguments, names));
    if let Some(block) = &field.block {
        let content = cell(&content_text(block, names));
        let content = match block.content.declaration() {
            Some(declaration) => content.replacen(declaration.name, &link(declaration.name), 1),
            None => content,
        };
        let packing = packing_text(block, names);
        let separator = if packing.is_empty() { "" } else { ": " };
        parts.push(format!("Holds {}{separator}{content}.", cell(&packing)));
        parts.extend(handed_in(&block.content, block.arguments, names));
    }
    parts.extend(field.checks.iter().map(|check| check_text(check, field, names, code)));
    parts.extend(field.constraints.iter().map(|constraint| constraint_text(constraint, field, names, code)));
    parts.extend(checksum_text(field, names, code));
    parts.extend(field.plausible.iter().map(|constraint| {
        let text = requirement_text(constraint, field, names, code);
        format!("In plausible files: {}{}.", text[..1].to_lowercase(), &text[1..])
    }));
    parts.join(" ")
}

fn handed_in(ty: &Type, arguments: &[Expr], names: &Names) -> Option<String> {
    let imports = ty.declaration()?.imports;
    let pairs = imports.iter().zip(arguments).map(|(import, argument)| (import, readable(argument, names)));
    let pairs: Vec<_> = pairs
        .filter(|(import, argument)| *import != argument)
        .map(|(import, argument)| format!("{} is {}", code(import), code(&argument)))
        .collect();
    (!pairs.is_empty()).then(|| format!("There, {}.", pairs.join(", ")))
}

fn choice_table(out: &mut Lines, variants: &[Variant], names: &Names) {
    out.line("The first of these whose condition holds:");
    out.line("");
    head(out, &["if", "variant", "type", "meaning"]);
    for variant in variants {
        let condition = code(&readable(&variant.condition, names));
        let doc = [cell(variant.doc), meaning(&variant.field, names)];
        let doc: Vec<_> = doc.into_iter().filter(|part| !part.is_empty()).collect();
        let ty = cell(&linked_type(&variant.field, names));
        row(out, &[&condition, &code(variant.name), &ty, &doc.join(" ")]);
    }
}

fn enum_table(out: &mut Lines, values: &[EnumValue]) {
    head(out, &["value", "name", "meaning"]);
    for value in values {
        row(out, &[&value.value.to_string(), &code(value.name), &cell(value.doc)]);
    }
}

fn bits_table(out: &mut Lines, fields: &[BitField]) {
    head(out, &["bits", "field", "type", "meaning"]);
    for field in fields {
        let (first, last) = (field.bits.offset, field.bits.offset + field.bits.width - 1);
        let bits = if first == last { first.to_string() } else { format!("{first} to {last}") };
        let ty = match field.declared {
            Some(declaration) => link(declaration.name),
            None if field.reserved => "reserved".to_owned(),
            None if field.flag => "flag".to_owned(),
            None if field.signed => "signed".to_owned(),
            None => "unsigned".to_owned(),
        };
        let constraints = field
            .constraints
            .iter()
            .map(|constraint| constraint_text(constraint, &Field::of_bits(field), &Names::default(), code));
        let meaning = [cell(field.doc)]
            .into_iter()
            .chain(decoding_text(field.decoding, code))
            .chain(constraints)
            .collect::<Vec<_>>()
            .join(" ");
        row(out, &[&bits, &code(field.name), &ty, &meaning]);
    }
}
