//! Prints Kaitai Struct definitions (0.11), one for each layout of a whole file.
//!
//! A definition differs from the declaration as follows:
//!
//! - Arrays of arrays are flattened: `[[f32; 4]; 4]` is 16 numbers in the same order.
//! - LZ4 blocks name the custom process `meshspec_lz4(size)`, which users implement in the language of their
//!   parser. Zstandard frames name `meshspec_zstd(size)`, other encodings `meshspec_NAME`, and blocks with a stored
//!   packing number `meshspec_chosen(number, size)`.
//! - Added names start with `as_` (a variant of a choice, the items of a block, an inline block) or `check_` (a
//!   condition, as an empty field). Those that end in `_bits` are bit fields before conversion to a number.
//!   `choice` is the index of the chosen variant. Magic bytes are `magic_bytes`.

mod element;
mod valid;
mod word;

use element::{Element, Kaitai, call, doc, expression, quoted};
use valid::{valid, zero_bits};
use word::word;

use super::declaration::{Block, Declaration, Field, Packing, Requirement, Shape, Type, Variant};
use super::notation::{atom, identifier, snake};
use super::program::{Names, Order, Reached, ValueKind, reachable};
use super::wording::{Lines, constraint_text, declaration_lines, grouped, remark_lines};

/// Prints the definition of a layout.
pub(super) fn print(id: &str, title: &str, root: &'static Type) -> String {
    let mut out = Lines::default();
    out.line("meta:");
    out.indented(|out| {
        out.line(format!("id: {id}"));
        out.line(format!("title: {}", quoted(title)));
        out.line("ks-version: '0.11'");
        out.line("endian: le");
        out.line("bit-endian: le");
    });
    let all = reachable(&[(id, root)], Order::Reading);
    let mut types = all.as_slice();
    match (root, types.split_first()) {
        // The fields of the root are those of the file.
        (Type::Declared(_), Some((first, rest))) => {
            types = rest;
            body(&mut out, first);
        }
        _ => {
            out.line("seq:");
            let names = Names::default();
            let element = Element { count: None, arguments: &[], names: &names };
            out.indented(|out| item(out, "as_items", |out| element.print(out, root)));
        }
    }
    let (enums, types): (Vec<_>, Vec<_>) =
        types.iter().partition(|reached| matches!(reached.declaration.shape, Shape::Enum { .. }));
    let helpers = all.iter().flat_map(|reached| reached.declaration.fields().map(move |f| (reached, f)));
    let helpers: Vec<_> = helpers.filter(|(_, f)| f.block.is_some_and(|b| needs_helper(&b))).collect();
    if !types.is_empty() || !helpers.is_empty() {
        out.line("types:");
    }
    out.indented(|out| {
        for reached in types {
            out.line(format!("{}:", snake(reached.declaration.name)));
            out.indented(|out| body(out, reached));
        }
        for (reached, field) in helpers {
            helper(out, reached, field);
        }
    });
    if !enums.is_empty() {
        out.line("enums:");
    }
    out.indented(|out| enums.iter().for_each(|reached| enumeration(out, reached.declaration)));
    out.into_text()
}

/// Prints an entry of `seq`.
fn item(out: &mut Lines, id: &str, content: impl FnOnce(&mut Lines)) {
    out.line(format!("- id: {id}"));
    out.indented(content);
}

/// Prints documentation, parameters and fields of a type.
fn body(out: &mut Lines, reached: &Reached) {
    let declaration = reached.declaration;
    doc(out, &declaration_lines(declaration));
    parameters(out, reached);
    let names = reached.names;
    match declaration.shape {
        Shape::Struct(fields) => structure(out, reached, fields, &names),
        Shape::Choice(variants) => choice(out, reached, variants, &names),
        Shape::Bits { fields, .. } => word(out, fields, reached.is_big),
        Shape::Enum { .. } => {}
    }
}

fn parameters(out: &mut Lines, reached: &Reached) {
    if reached.imports.is_empty() {
        return;
    }
    out.line("params:");
    out.indented(|out| {
        for (name, kind) in reached.declaration.imports.iter().zip(reached.imports) {
            parameter(out, name, *kind);
        }
    });
}

fn parameter(out: &mut Lines, name: &str, kind: ValueKind) {
    let id = identifier(name);
    match kind {
        ValueKind::Int(ty) => {
            let signed = ty.is_some_and(|ty| ty.signed);
            let size = ty.map_or(8, |ty| ty.bits.div_ceil(8).next_power_of_two().min(8));
            item(out, &id, |out| out.line(format!("type: {}{size}", if signed { 's' } else { 'u' })));
        }
        ValueKind::Bool | ValueKind::Other => item(out, &id, |out| out.line("type: bool")),
        ValueKind::Enum(declaration) => item(out, &id, |out| {
            out.line("type: u8");
            out.line(format!("enum: {}", snake(declaration.name)));
        }),
        ValueKind::Bits(declaration) | ValueKind::Struct(declaration) => {
            item(out, &id, |out| out.line(format!("type: {}", snake(declaration.name))));
        }
    }
}

/// Prints each variant as a field that is present if the variant is chosen.
fn choice(out: &mut Lines, reached: &Reached, variants: &[Variant], names: &Names) {
    out.line("seq:");
    out.indented(|out| {
        for (number, variant) in variants.iter().enumerate() {
            let condition = format!("choice == {number}");
            let text = if variant.doc.is_empty() { variant.field.doc } else { variant.doc };
            let id = format!("as_{}", snake(variant.name));
            item(out, &id, |out| {
                content(out, reached, (&variant.field, &id), Some(&condition), text, names);
            });
            if let Some(whole) = whole(&variant.field, &id) {
                check(out, &format!("check_{id}_end"), Some(&condition), &whole, WHOLE);
            }
            checks(out, &variant.field, &id, Some(&condition), names);
        }
        check(out, "check_choice", None, "choice >= 0", "The condition of a variant holds.");
    });
    out.line("instances:");
    out.indented(|out| {
        out.line("choice:");
        out.indented(|out| {
            out.line("value: >-");
            out.indented(|out| {
                for (number, variant) in variants.iter().enumerate() {
                    out.line(format!("{} ? {number} :", atom(&variant.condition, names, &Kaitai)));
                }
                out.line("-1");
            });
            doc(out, "The index of the chosen variant.");
        });
    });
}

fn structure(out: &mut Lines, reached: &Reached, fields: &[Field], names: &Names) {
    out.line("seq:");
    out.indented(|out| {
        let magic = reached.declaration.magic;
        if !magic.is_empty() {
            let bytes: Vec<_> = magic.iter().map(|byte| format!("{byte:#04x}")).collect();
            item(out, "magic_bytes", |out| out.line(format!("contents: [{}]", bytes.join(", "))));
        }
        for field in fields.iter().filter(|field| field.position.is_none() && !field.lookahead) {
            let condition = field.condition.map(|c| expression(&c, names));
            let condition = condition.as_deref();
            let id = field_id(field);
            item(out, &id, |out| content(out, reached, (field, &id), condition, field.doc, names));
            if let Some(whole) = whole(field, &id) {
                check(out, &format!("check_{id}_end"), condition, &whole, WHOLE);
            }
            checks(out, field, &identifier(field.name), None, names);
        }
        if magic.is_empty() && fields.iter().all(|field| field.position.is_some()) {
            // YAML has no empty block list.
            item(out, "check_start", |out| out.line("size: 0"));
        }
    });
    let placed: Vec<_> = fields.iter().filter_map(|field| Some((field, field.position?))).collect();
    let ahead: Vec<_> = fields.iter().filter(|field| field.lookahead).collect();
    if placed.is_empty() && ahead.is_empty() {
        return;
    }
    out.line("instances:");
    out.indented(|out| {
        for field in ahead {
            let id = field_id(field);
            out.line(format!("{id}:"));
            out.indented(|out| {
                // Evaluated when the condition of the next field requests it.
                out.line("pos: _io.pos");
                content(out, reached, (field, &id), None, field.doc, names);
            });
        }
        for (field, position) in placed {
            let id = field_id(field);
            out.line(format!("{id}:"));
            out.indented(|out| {
                // Offsets count from the start of the file or of the unpacked bytes.
                if !reached.packed {
                    out.line("io: _root._io");
                }
                out.line(format!("pos: {}", quoted(&expression(&position, names))));
                let condition = field.condition.map(|c| expression(&c, names));
                content(out, reached, (field, &id), condition.as_deref(), field.doc, names);
                let checks = field.checks.iter().map(|c| atom(&c.condition, names, &Kaitai));
                let checks: Vec<_> = checks.chain(whole(field, &id)).collect();
                if !checks.is_empty() {
                    out.line("valid:");
                    out.indented(|out| out.line(format!("expr: {}", quoted(&checks.join(" and ")))));
                }
            });
        }
    });
}

/// Prints the checks of a field, which apply if it is present. `condition` is that of its variant.
fn checks(out: &mut Lines, field: &Field, id: &str, condition: Option<&str>, names: &Names) {
    for (index, c) in field.checks.iter().enumerate() {
        let number = if index == 0 { String::new() } else { format!("_{}", index + 1) };
        let text = format!("Fails with: {}.", c.message);
        check(out, &format!("check_{id}{number}"), condition, &expression(&c.condition, names), &text);
    }
    // Constraints on other values than numbers become checks; those on numbers are printed as `valid`.
    for (index, c) in field.constraints.iter().enumerate() {
        let required = match &c.requirement {
            Requirement::Holds(condition) => expression(condition, names),
            Requirement::ReservedZero => zero_bits(field),
            _ => continue,
        };
        let applies = [condition.map(str::to_owned), field.condition.map(|c| expression(&c, names))];
        let applies = applies.into_iter().chain([c.condition.map(|c| expression(&c, names))]).flatten();
        let applies: Vec<_> = applies.map(|condition| grouped(&condition)).collect();
        let applies = (!applies.is_empty()).then(|| applies.join(" and "));
        let number = index + field.checks.len() + 1;
        let number = if number == 1 { String::new() } else { format!("_{number}") };
        let text = constraint_text(c, field, names, str::to_owned);
        check(out, &format!("check_{id}{number}"), applies.as_deref(), &required, &text);
    }
}

fn field_id(field: &Field) -> String {
    let id = identifier(field.name);
    if field.block.is_some_and(|block| block.inline) { format!("as_{id}") } else { id }
}

const WHOLE: &str = "The unpacked content has no trailing bytes.";

/// Returns the condition that a packed block has no bytes after its content.
fn whole(field: &Field, id: &str) -> Option<String> {
    field.block.filter(|block| block.packing != Packing::Stored).map(|_| format!("{id}._io.eof"))
}

/// Prints a condition as an empty field, so that it is evaluated once for any kind of field.
fn check(out: &mut Lines, id: &str, condition: Option<&str>, must_hold: &str, text: &str) {
    item(out, id, |out| {
        if let Some(condition) = condition {
            out.line(format!("if: {}", quoted(condition)));
        }
        out.line("size: 0");
        out.line("valid:");
        out.indented(|out| out.line(format!("expr: {}", quoted(must_hold))));
        doc(out, text);
    });
}

/// Prints the condition, type, repetition and documentation of a field.
fn content(
    out: &mut Lines,
    reached: &Reached,
    (field, id): (&Field, &str),
    condition: Option<&str>,
    text: &str,
    names: &Names,
) {
    if let Some(condition) = condition {
        out.line(format!("if: {}", quoted(condition)));
    }
    match &field.block {
        Some(block) => {
            match &field.count {
                Some(count) => out.line(format!("size: {}", quoted(&expression(count, names)))),
                None => out.line("size-eos: true"),
            }
            let size = || block.size.map(|size| expression(&size, names)).unwrap_or_default();
            let process = match block.packing {
                Packing::Stored => None,
                Packing::Lz4 | Packing::Zstd => {
                    Some(format!("meshspec_{}({})", block.packing.name(), size()))
                }
                Packing::Coded { name, .. } => Some(format!("meshspec_{name}")),
                Packing::Chosen(_) => {
                    let number = block.encoding.map(|number| expression(&number, names)).unwrap_or_default();
                    Some(format!("meshspec_chosen({number}, {})", size()))
                }
            };
            if let Some(process) = process {
                out.line(format!("process: {}", quoted(&process)));
            }
            let name = match block.content {
                Type::Declared(declaration) => snake(declaration.name),
                _ => helper_name(reached.declaration, field),
            };
            let arguments = if needs_helper(block) {
                reached.declaration.imports.iter().map(|import| identifier(import)).collect()
            } else {
                block.arguments.iter().map(|argument| expression(argument, names)).collect::<Vec<_>>()
            };
            out.line(format!("type: {}", quoted(&call(&name, &arguments))));
        }
        None => {
            Element { count: field.count.as_ref(), arguments: field.arguments, names }.print(out, &field.ty);
            // The checks of a field at an offset are printed with that offset.
            if field.checks.is_empty() || field.position.is_none() {
                valid(out, field, id, names);
            }
        }
    }
    doc(out, [text, &remark_lines(field, names)].join("\n").trim());
}

/// Whether the content needs a separate type, since a block holds one value of a user type.
fn needs_helper(block: &Block) -> bool {
    match block.content {
        Type::Declared(declaration) => matches!(declaration.shape, Shape::Enum { .. }),
        _ => true,
    }
}

fn helper_name(declaration: &Declaration, field: &Field) -> String {
    format!("{}_{}", snake(declaration.name), identifier(field.name))
}

/// Prints the type of a block's items. Its parameters are the imports of the enclosing struct.
fn helper(out: &mut Lines, reached: &Reached, field: &Field) {
    let Some(block) = &field.block else { return };
    out.line(format!("{}:", helper_name(reached.declaration, field)));
    out.indented(|out| {
        parameters(out, reached);
        out.line("seq:");
        let names = reached.names;
        let element = Element { count: None, arguments: block.arguments, names: &names };
        out.indented(|out| item(out, "as_items", |out| element.print(out, &block.content)));
    });
}

fn enumeration(out: &mut Lines, declaration: &Declaration) {
    let Shape::Enum { values, .. } = declaration.shape else { return };
    out.line(format!("{}:", snake(declaration.name)));
    out.indented(|out| {
        for value in values {
            out.line(format!("{}:", value.value));
            out.indented(|out| {
                out.line(format!("id: {}", snake(value.name)));
                doc(out, value.doc);
            });
        }
    });
}
