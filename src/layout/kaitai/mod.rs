//! Prints Kaitai Struct definitions (0.11), one for each layout of a whole file.
//!
//! A definition differs from the declaration as follows:
//!
//! - Names are in snake case, and a reserved word such as `null` becomes `null_value`. Of two fields of a type with the
//!   same name in snake case, the second has a number: `num_verts` and `num_verts_2`.
//! - Arrays of arrays are flattened: `[[f32; 4]; 4]` is 16 numbers in the same order.
//! - LZ4 blocks have the custom process `meshspec_lz4(size)`, which users implement in the language of their
//!   parser. The process is `meshspec_zstd(size)` for Zstandard frames, `meshspec_NAME` for other encodings, and
//!   `meshspec_chosen(number, size)` for blocks with a stored packing number.
//! - Added names start with `as_` or `check_`: `as_` marks a variant of a choice, the items of a block, or an inline
//!   block. `check_` marks a condition, printed as an empty field. Names that end in `_bits` are bit fields before
//!   conversion to a number. `check_…_count` and `check_…_offset` require that a number is not negative. `choice` is the index of the chosen variant. Magic bytes are `magic_bytes`.

mod element;
mod identifier;
mod valid;
mod word;

use element::{ElementPrinter, call_text, expr_text, print_doc, quoted};
use identifier::{Identifiers, KaitaiNames, identifier};
use valid::{print_valid, print_valid_conditions, reserved_bits_condition};
use word::print_word;

use super::declaration::{
    Block, Constraint, Declaration, Field, Packing, Requirement, Shape, Type, Variant,
};
use super::expr::{BinaryOp, Expr, IntType, UnaryOp};
use super::notation::atom;
use super::program::{ListingOrder, Names, Reached, ValueKind, reachable};
use super::wording::{
    IndentedText, constraint_text, declaration_lines, parenthesize_compound, remark_lines,
};

/// Prints the definition of a layout.
pub(super) fn print(id: &str, title: &str, root: &'static Type) -> String {
    let mut out = IndentedText::default();
    out.push_nested(2, "meta:", |out| {
        out.push_line(format!("id: {id}"));
        out.push_line(format!("title: {}", quoted(title)));
        out.push_line("ks-version: '0.11'");
        out.push_line("endian: le");
        out.push_line("bit-endian: le");
    });
    let all = reachable(&[(id, root)], ListingOrder::ContainersFirst);
    let ids = &Identifiers::of(&all);
    let mut types = all.as_slice();
    match (root, types.split_first()) {
        // The file consists of the fields of the root.
        (Type::Declared(_), Some((first, rest))) => {
            types = rest;
            print_body(&mut out, first, ids);
        }
        _ => {
            let names = &KaitaiNames {
                names: Names::default(),
                ids,
                each: None,
            };
            let element = ElementPrinter {
                count: None,
                arguments: &[],
                checks_enum: true,
                names,
            };
            out.push_nested(2, "seq:", |out| {
                print_entry(out, "as_items", |out| element.print(out, root))
            });
        }
    }
    let (enums, types): (Vec<_>, Vec<_>) = types
        .iter()
        .partition(|reached| matches!(reached.declaration.shape, Shape::Enum { .. }));
    let fields = all
        .iter()
        .flat_map(|reached| reached.declaration.fields().map(move |f| (reached, f)));
    let content_types: Vec<_> = fields
        .filter(|(_, f)| f.block.is_some_and(|b| needs_content_type(&b)))
        .collect();
    if !types.is_empty() || !content_types.is_empty() {
        out.push_nested(2, "types:", |out| {
            for reached in types {
                let name = identifier(reached.declaration.name);
                out.push_nested(2, format!("{name}:"), |out| print_body(out, reached, ids));
            }
            for (reached, field) in content_types {
                print_content_type(out, reached, field, ids);
            }
        });
    }
    if !enums.is_empty() {
        out.push_nested(2, "enums:", |out| {
            enums
                .iter()
                .for_each(|reached| print_enum(out, reached.declaration));
        });
    }
    out.into_text()
}

/// Prints an entry of `seq`.
fn print_entry(out: &mut IndentedText, id: &str, content: impl FnOnce(&mut IndentedText)) {
    out.push_nested(2, format!("- id: {id}"), content);
}

/// Prints the documentation, parameters and fields of a type.
fn print_body(out: &mut IndentedText, reached: &Reached, ids: &Identifiers) {
    let names = &KaitaiNames {
        names: reached.names,
        ids,
        each: None,
    };
    print_doc(out, &declaration_lines(reached.declaration));
    print_parameters(out, reached, ids);
    match reached.declaration.shape {
        Shape::Struct(fields) => print_struct(out, reached, fields, names),
        Shape::Choice(variants) => print_choice(out, reached, variants, names),
        Shape::Bits { fields, .. } => print_word(out, fields, names, reached.is_big),
        Shape::Enum { .. } => {}
    }
}

fn print_parameters(out: &mut IndentedText, reached: &Reached, ids: &Identifiers) {
    if reached.imports.is_empty() {
        return;
    }
    out.push_nested(2, "params:", |out| {
        for (name, kind) in reached.declaration.imports.iter().zip(reached.imports) {
            print_entry(out, &ids.id(name), |out| print_parameter_type(out, *kind));
        }
    });
}

fn print_parameter_type(out: &mut IndentedText, kind: ValueKind) {
    match kind {
        ValueKind::Int(ty) => {
            let signed = ty.is_some_and(|ty| ty.signed);
            let size = ty.map_or(8, |ty| ty.bits.div_ceil(8).next_power_of_two().min(8));
            out.push_line(format!("type: {}{size}", if signed { 's' } else { 'u' }));
        }
        ValueKind::Bool => out.push_line("type: bool"),
        ValueKind::Text => out.push_line("type: bytes"),
        ValueKind::Other | ValueKind::Column => out.push_line("type: s8"),
        ValueKind::List(items) => {
            let name = match *items.without_byte_order() {
                Type::Unsigned(size) => format!("u{size}"),
                Type::Signed(size) => format!("s{size}"),
                _ => items
                    .own_declaration()
                    .map(|own| identifier(own.name))
                    .unwrap_or_default(),
            };
            out.push_line(format!("type: {name}[]"));
        }
        ValueKind::Enum(declaration) => {
            out.push_line("type: u8");
            out.push_line(format!("enum: {}", identifier(declaration.name)));
        }
        ValueKind::Bits(declaration) | ValueKind::Struct(declaration) => {
            out.push_line(format!("type: {}", identifier(declaration.name)));
        }
    }
}

/// Prints each variant as a field that is present if the variant is chosen.
fn print_choice(
    out: &mut IndentedText,
    reached: &Reached,
    variants: &[Variant],
    names: &KaitaiNames,
) {
    out.push_nested(2, "seq:", |out| {
        for (number, variant) in variants.iter().enumerate() {
            let condition = format!("choice == {number}");
            let text = if variant.doc.is_empty() {
                variant.field.doc
            } else {
                variant.doc
            };
            let id = format!("as_{}", identifier(variant.name));
            print_sign_checks(out, &variant.field, &id, Some(&condition), names);
            print_entry(out, &id, |out| {
                print_content(
                    out,
                    reached,
                    (&variant.field, &id),
                    Some(&condition),
                    text,
                    names,
                );
            });
            if let Some(at_end) = end_condition(&variant.field, &id) {
                print_check(
                    out,
                    &format!("check_{id}_end"),
                    Some(&condition),
                    &at_end,
                    END_CHECK_DOC,
                );
            }
            print_checks(out, &variant.field, &id, Some(&condition), names);
        }
        print_check(
            out,
            "check_choice",
            None,
            "choice >= 0",
            "The condition of a variant holds.",
        );
    });
    out.push_nested(2, "instances:", |out| {
        out.push_nested(2, "choice:", |out| {
            out.push_nested(2, "value: >-", |out| {
                for (number, variant) in variants.iter().enumerate() {
                    let condition = atom(&variant.condition, names, &names.notation());
                    out.push_line(format!("{condition} ? {number} :"));
                }
                out.push_line("-1");
            });
            print_doc(out, "The index of the chosen variant.");
        });
    });
}

fn print_struct(out: &mut IndentedText, reached: &Reached, fields: &[Field], names: &KaitaiNames) {
    out.push_nested(2, "seq:", |out| {
        let magic = reached.declaration.magic;
        if !magic.is_empty() {
            let bytes: Vec<_> = magic.iter().map(|byte| format!("{byte:#04x}")).collect();
            print_entry(out, "magic_bytes", |out| {
                out.push_line(format!("contents: [{}]", bytes.join(", ")))
            });
        }
        for field in fields
            .iter()
            .filter(|field| field.position.is_none() && !field.lookahead)
        {
            let condition = field.condition.map(|c| expr_text(&c, names));
            let condition = condition.as_deref();
            let id = field_id(field, names.ids);
            print_sign_checks(out, field, &id, condition, names);
            print_entry(out, &id, |out| {
                print_content(out, reached, (field, &id), condition, field.doc, names)
            });
            if let Some(at_end) = end_condition(field, &id) {
                print_check(
                    out,
                    &format!("check_{id}_end"),
                    condition,
                    &at_end,
                    END_CHECK_DOC,
                );
            }
            print_checks(out, field, &names.ids.id(field.name), condition, names);
        }
        if magic.is_empty() && fields.iter().all(|field| field.position.is_some()) {
            // YAML has no empty block list.
            print_entry(out, "check_start", |out| out.push_line("size: 0"));
        }
    });
    let placed: Vec<_> = fields
        .iter()
        .filter_map(|field| Some((field, field.position?)))
        .collect();
    let ahead: Vec<_> = fields.iter().filter(|field| field.lookahead).collect();
    if placed.is_empty() && ahead.is_empty() {
        return;
    }
    out.push_nested(2, "instances:", |out| {
        for field in ahead {
            let id = field_id(field, names.ids);
            out.push_nested(2, format!("{id}:"), |out| {
                // Evaluated on first use, in an expression of the next field.
                out.push_line("pos: _io.pos");
                print_content(out, reached, (field, &id), None, field.doc, names);
            });
        }
        for (field, position) in placed {
            let id = field_id(field, names.ids);
            out.push_nested(2, format!("{id}:"), |out| {
                // Offsets count from the start of the file or of the unpacked bytes.
                if !reached.is_packed {
                    out.push_line("io: _root._io");
                }
                out.push_line(format!("pos: {}", quoted(&expr_text(&position, names))));
                let condition = field.condition.map(|c| expr_text(&c, names));
                print_content(
                    out,
                    reached,
                    (field, &id),
                    condition.as_deref(),
                    field.doc,
                    names,
                );
            });
        }
    });
}

/// Prints the checks of a field, and the constraints that become checks. `condition` is the condition of the field's
/// variant.
fn print_checks(
    out: &mut IndentedText,
    field: &Field,
    id: &str,
    condition: Option<&str>,
    names: &KaitaiNames,
) {
    let check_id = |index: usize| match index {
        0 => format!("check_{id}"),
        index => format!("check_{id}_{}", index + 1),
    };
    for (index, c) in field.checks.iter().enumerate() {
        let text = format!("Fails with: {}.", c.message);
        print_check(
            out,
            &check_id(index),
            condition,
            &expr_text(&c.condition, names),
            &text,
        );
    }
    // `holds` and reserved bits become checks; other constraints are printed as `valid` or as documentation.
    for (index, c) in field.constraints.iter().enumerate() {
        let Some(required) = check_condition(c, field, names) else {
            continue;
        };
        let own = c.condition.map(|condition| expr_text(&condition, names));
        let applies = condition.map(str::to_owned).into_iter().chain(own);
        let applies: Vec<_> = applies
            .map(|condition| parenthesize_compound(&condition))
            .collect();
        let applies = (!applies.is_empty()).then(|| applies.join(" and "));
        let text = constraint_text(c, field, names, str::to_owned);
        print_check(
            out,
            &check_id(index + field.checks.len()),
            applies.as_deref(),
            &required,
            &text,
        );
    }
}

/// Returns the condition of a constraint that becomes a check; `None` for other constraints.
fn check_condition(constraint: &Constraint, field: &Field, names: &KaitaiNames) -> Option<String> {
    match &constraint.requirement {
        Requirement::Holds(condition) => Some(expr_text(condition, names)),
        Requirement::ReservedZero => Some(reserved_bits_condition(field, names.ids)),
        _ => None,
    }
}

/// Prints a check for each count and size of a field that may be negative, before the field.
fn print_sign_checks(
    out: &mut IndentedText,
    field: &Field,
    id: &str,
    condition: Option<&str>,
    names: &KaitaiNames,
) {
    for (what, required) in sign_conditions(field, names) {
        let text = format!("The {what} is not negative.");
        print_check(
            out,
            &format!("check_{id}_{what}"),
            condition,
            &required,
            &text,
        );
    }
}

/// Returns the conditions that the count, unpacked size and offset of a field are not negative, each with its name.
fn sign_conditions(field: &Field, names: &KaitaiNames) -> Vec<(&'static str, String)> {
    let size = field.block.and_then(|block| block.size);
    let all = [
        ("count", field.count),
        ("size", size),
        ("offset", field.position),
    ];
    let signed = all
        .into_iter()
        .filter_map(|(what, expr)| Some((what, expr.filter(|e| may_be_negative(e, names))?)));
    signed
        .map(|(what, expr)| {
            (
                what,
                format!("{} >= 0", atom(&expr, names, &names.notation())),
            )
        })
        .collect()
}

fn may_be_negative(expr: &Expr, names: &KaitaiNames) -> bool {
    let mut may_be_negative = matches!(
        names.kind(expr),
        ValueKind::Int(Some(IntType { signed: true, .. }))
    );
    expr.visit(&mut |part| {
        may_be_negative |= matches!(part, Expr::Unary(UnaryOp::Negate, _))
            || matches!(part, Expr::Binary(BinaryOp::Subtract, ..));
    });
    may_be_negative
}

/// Returns the conditions of the `valid` of a field at an explicit offset, which cannot have checks as further fields.
fn placed_conditions(field: &Field, id: &str, names: &KaitaiNames) -> Vec<String> {
    let checks = field.checks.iter().map(|c| expr_text(&c.condition, names));
    let constraints = field.constraints.iter().filter_map(|c| {
        let required = check_condition(c, field, names)?;
        let Some(condition) = c.condition else {
            return Some(required);
        };
        let (condition, required) = (
            expr_text(&condition, names),
            parenthesize_compound(&required),
        );
        Some(format!(
            "not {} or {required}",
            parenthesize_compound(&condition)
        ))
    });
    let signs = sign_conditions(field, names)
        .into_iter()
        .map(|(_, condition)| condition);
    let conditions = checks
        .chain(constraints)
        .chain(signs)
        .map(|condition| parenthesize_compound(&condition));
    conditions.chain(end_condition(field, id)).collect()
}

fn field_id(field: &Field, ids: &Identifiers) -> String {
    let id = ids.id(field.name);
    if field.block.is_some_and(|block| block.inline) {
        format!("as_{id}")
    } else {
        id
    }
}

const END_CHECK_DOC: &str = "The unpacked content has no trailing bytes.";

/// Returns the condition that no bytes follow the content of a packed block; `None` for other fields.
fn end_condition(field: &Field, id: &str) -> Option<String> {
    field
        .block
        .filter(|block| block.packing != Packing::Stored)
        .map(|_| format!("{id}._io.eof"))
}

/// Prints a condition as an empty field, so that it is evaluated once for any kind of field.
fn print_check(
    out: &mut IndentedText,
    id: &str,
    condition: Option<&str>,
    must_hold: &str,
    text: &str,
) {
    print_entry(out, id, |out| {
        if let Some(condition) = condition {
            out.push_line(format!("if: {}", quoted(condition)));
        }
        out.push_line("size: 0");
        print_valid_conditions(out, &[must_hold]);
        print_doc(out, text);
    });
}

/// Prints the condition, type, repetition and documentation of a field.
fn print_content(
    out: &mut IndentedText,
    reached: &Reached,
    (field, id): (&Field, &str),
    condition: Option<&str>,
    text: &str,
    names: &KaitaiNames,
) {
    if let Some(condition) = condition {
        out.push_line(format!("if: {}", quoted(condition)));
    }
    let conditions = field
        .position
        .map_or(Vec::new(), |_| placed_conditions(field, id, names));
    match &field.block {
        Some(block) => {
            match &field.count {
                Some(count) => out.push_line(format!("size: {}", quoted(&expr_text(count, names)))),
                None => out.push_line("size-eos: true"),
            }
            let size = || {
                block
                    .size
                    .map(|size| expr_text(&size, names))
                    .unwrap_or_default()
            };
            let process = match block.packing {
                Packing::Stored => None,
                Packing::Lz4 => Some(format!("meshspec_lz4({})", size())),
                Packing::Zstd => Some(format!("meshspec_zstd({})", size())),
                Packing::Custom { .. } | Packing::Updatable { .. } => {
                    Some(format!("meshspec_{}", block.packing.name()))
                }
                Packing::Chosen(_) => {
                    let number = block
                        .encoding
                        .map(|number| expr_text(&number, names))
                        .unwrap_or_default();
                    Some(format!("meshspec_chosen({number}, {})", size()))
                }
            };
            if let Some(process) = process {
                out.push_line(format!("process: {}", quoted(&process)));
            }
            let name = match block.content {
                Type::Declared(declaration) => identifier(declaration.name),
                _ => content_type_name(reached.declaration, field, names.ids),
            };
            let arguments = if needs_content_type(block) {
                reached
                    .declaration
                    .imports
                    .iter()
                    .map(|import| names.ids.id(import))
                    .collect()
            } else {
                block
                    .arguments
                    .iter()
                    .map(|argument| expr_text(argument, names))
                    .collect::<Vec<_>>()
            };
            out.push_line(format!("type: {}", quoted(&call_text(&name, &arguments))));
            print_valid_conditions(out, &conditions);
        }
        None => {
            let (count, arguments) = (field.count.as_ref(), field.arguments);
            ElementPrinter {
                count,
                arguments,
                checks_enum: conditions.is_empty(),
                names: &KaitaiNames {
                    each: field.each,
                    ..*names
                },
            }
            .print(out, &field.ty);
            print_valid(out, field, id, conditions, names);
        }
    }
    print_doc(out, [text, &remark_lines(field, names)].join("\n").trim());
}

/// Returns `true` if the content needs a separate type, since a block in Kaitai must have a user-defined type.
fn needs_content_type(block: &Block) -> bool {
    match block.content {
        Type::Declared(declaration) => matches!(declaration.shape, Shape::Enum { .. }),
        _ => true,
    }
}

fn content_type_name(declaration: &Declaration, field: &Field, ids: &Identifiers) -> String {
    format!("{}_{}", identifier(declaration.name), ids.id(field.name))
}

/// Prints the type of a block's items. Its parameters are the imports of the enclosing struct.
fn print_content_type(out: &mut IndentedText, reached: &Reached, field: &Field, ids: &Identifiers) {
    let Some(block) = &field.block else { return };
    out.push_nested(
        2,
        format!("{}:", content_type_name(reached.declaration, field, ids)),
        |out| {
            print_parameters(out, reached, ids);
            let (arguments, names) = (
                block.arguments,
                &KaitaiNames {
                    names: reached.names,
                    ids,
                    each: None,
                },
            );
            let element = ElementPrinter {
                count: None,
                arguments,
                checks_enum: true,
                names,
            };
            out.push_nested(2, "seq:", |out| {
                print_entry(out, "as_items", |out| element.print(out, &block.content))
            });
        },
    );
}

fn print_enum(out: &mut IndentedText, declaration: &Declaration) {
    let Shape::Enum { values, .. } = declaration.shape else {
        return;
    };
    out.push_nested(2, format!("{}:", identifier(declaration.name)), |out| {
        for value in values {
            out.push_nested(2, format!("{}:", value.value), |out| {
                out.push_line(format!("id: {}", identifier(value.name)));
                print_doc(out, value.doc);
            });
        }
    });
}
