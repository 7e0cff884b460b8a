//! Prints declarations as JSON, with keys in a fixed order.
//!
//! The document is `{"title", "layouts", "declarations"}`. A layout is a name and a type. A type is the name of a
//! number (`"u32"`), `"nul_string"`, `{"big_endian"}`, `{"array", "count"}`, `{"list"}` or `{"declared"}`.
//!
//! An expression is a number, a boolean, `{"field"}` (names from the outermost inwards), `{"not"}`, `{"negate"}`,
//! `{"cast", "to"}`, `{"if", "then", "else"}` or `{"op", "left", "right"}`. `{"field", "matches"}` tests whether a
//! string starts with a pattern, in which `x` matches a hexadecimal digit.
//!
//! `"each"` is `{"list", "item"}`: the list whose items provide arguments, and the name of its item in them.
//!
//! `"lookahead"` marks a field with the same offset as the next field. A constraint has one key for its
//! requirement, such as `"below"`, `"one_of"`, `"finite"`, `"index_into"` or `"holds"`. Some requirements have
//! further keys, such as `"of"` and `"tolerance"` for `"sum"`. `"if"`, `"rule"`, `"severity"` of the rule and
//! `"message"` follow. `"decoded"` is the name of the function that decodes a stored value, `"formula"` is the same
//! conversion as a C expression or in words, and `"unit"` is the unit of the decoded value. Keys without a value are
//! omitted.
//!
//! A checksum is `{"function", "arguments", "from", "stored", "none"}`: the name of the function, its arguments in
//! addition to the bytes, the first covered field (`"self"` for the start of the struct, omitted to cover only this
//! field), the field that stores the checksum, and the stored number that means "no checksum". The `"encoding"` of a
//! block is the value that selects its encoding.

use std::borrow::Cow;

use super::declaration::{
    BitField, Block, Checksum, Constraint, EnumValue, Field, Requirement, Shape, Type, Variant,
};
use super::decoding::Decoding;
use super::expr::{Expr, Scope, UnaryOp};
use super::notation::int_name;
use super::program::{ListingOrder, Reached, reachable};
use super::walk::{Segment, path_text};
use super::wording::base_name;

/// Prints the layouts of a format and all declarations that they reach.
pub(super) fn print(title: &str, layouts: &[(&str, &'static Type)]) -> String {
    let named = |(name, ty): &(&str, &'static Type)| {
        Json::object([("name", string_json(name)), ("type", type_json(ty))])
    };
    let declarations = reachable(layouts, ListingOrder::ContainersFirst);
    let document = Json::object([
        ("title", string_json(title)),
        ("layouts", array_json(layouts, named)),
        ("declarations", array_json(&declarations, declaration_json)),
    ]);
    document.print()
}

/// A JSON value.
#[derive(Clone, PartialEq)]
pub(super) enum Json {
    /// A number, boolean or string, already in JSON syntax.
    Plain(String),
    Array(Vec<Json>),
    Object(Vec<(Cow<'static, str>, Json)>),
    /// A missing value; objects omit its key.
    Omitted,
}

impl Json {
    pub fn object(entries: impl IntoIterator<Item = (&'static str, Json)>) -> Json {
        Json::Object(
            entries
                .into_iter()
                .filter(|(_, value)| !matches!(value, Json::Omitted))
                .map(|(key, value)| (key.into(), value))
                .collect(),
        )
    }

    /// Prints a complete document.
    pub fn print(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, 0);
        out.push('\n');
        out
    }

    /// Returns the list, or `Omitted` if it is empty.
    fn array_or_omitted(list: impl Iterator<Item = Json>) -> Json {
        let list: Vec<_> = list.collect();
        if list.is_empty() {
            Json::Omitted
        } else {
            Json::Array(list)
        }
    }

    /// Writes the value, on one line if it fits in 100 columns.
    fn write(&self, out: &mut String, indent: usize) {
        let line = self.to_one_line();
        let Some(parts) = self.members().filter(|_| line.len() + indent > 100) else {
            out.push_str(&line);
            return;
        };
        let new_line = |out: &mut String, indent| {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', indent));
        };
        let [open, close] = self.brackets();
        out.push_str(open.trim());
        for (index, (key, value)) in parts.into_iter().enumerate() {
            out.push_str(if index == 0 { "" } else { "," });
            new_line(out, indent + 2);
            out.push_str(&key);
            value.write(out, indent + 2);
        }
        new_line(out, indent);
        out.push_str(close.trim());
    }

    /// Returns the value on one line.
    fn to_one_line(&self) -> String {
        let Some(parts) = self.members() else {
            return if let Json::Plain(text) = self {
                text.clone()
            } else {
                "null".to_owned()
            };
        };
        let parts: Vec<_> = parts
            .into_iter()
            .map(|(key, value)| key + &value.to_one_line())
            .collect();
        let [open, close] = self.brackets();
        format!("{open}{}{close}", parts.join(", "))
    }

    fn brackets(&self) -> [&'static str; 2] {
        if let Json::Array(_) = self {
            ["[", "]"]
        } else {
            ["{ ", " }"]
        }
    }

    /// Returns the parts of a list or object, each with its printed key (empty in a list); `None` for other values.
    fn members(&self) -> Option<Vec<(String, &Json)>> {
        match self {
            Json::Array(items) => Some(items.iter().map(|item| (String::new(), item)).collect()),
            Json::Object(entries) => Some(
                entries
                    .iter()
                    .map(|(key, value)| (format!("\"{key}\": "), value))
                    .collect(),
            ),
            Json::Plain(_) | Json::Omitted => None,
        }
    }
}

pub(super) fn string_json(text: &str) -> Json {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    Json::Plain(out)
}

pub(super) fn array_json<T>(items: &[T], print: impl Fn(&T) -> Json) -> Json {
    Json::Array(items.iter().map(print).collect())
}

/// Returns the string, or `Omitted` if it is empty.
fn string_or_omitted(content: &str) -> Json {
    if content.is_empty() {
        Json::Omitted
    } else {
        string_json(content)
    }
}

pub(super) fn number_json(value: impl Into<i128>) -> Json {
    Json::Plain(value.into().to_string())
}

/// Returns `true`, or `Omitted` for `false`.
fn true_or_omitted(value: bool) -> Json {
    if value {
        Json::Plain("true".into())
    } else {
        Json::Omitted
    }
}

fn optional_json<T>(value: Option<T>, print: impl Fn(T) -> Json) -> Json {
    value.map_or(Json::Omitted, print)
}

/// Returns an object with a name, a description, `entries` and a decoding.
fn described_object<const N: usize>(
    name: &str,
    doc: &str,
    entries: [(&'static str, Json); N],
    decoding: &Decoding,
) -> Json {
    let before = [("name", string_json(name)), ("doc", string_or_omitted(doc))];
    let after = [
        ("decoded", decoding.name),
        ("formula", decoding.formula),
        ("unit", decoding.unit),
    ];
    let after = after.map(|(key, text)| (key, string_or_omitted(text)));
    Json::object(before.into_iter().chain(entries).chain(after))
}

fn declaration_json(reached: &Reached) -> Json {
    let declaration = reached.declaration;
    let (kind, parts) = match declaration.shape {
        Shape::Struct(fields) => ("fields", array_json(fields, field_json)),
        Shape::Choice(variants) => ("variants", array_json(variants, variant_json)),
        Shape::Enum { values, .. } => ("values", array_json(values, enum_value_json)),
        Shape::Bits { fields, .. } => ("bits", array_json(fields, bit_field_json)),
    };
    let entries = [
        (
            "imports",
            Json::array_or_omitted(declaration.imports.iter().map(|name| string_json(name))),
        ),
        (
            "magic",
            Json::array_or_omitted(declaration.magic.iter().map(|byte| number_json(*byte))),
        ),
        (
            "size",
            optional_json(declaration.size(&Scope::default()), number_json),
        ),
        (kind, parts),
    ];
    described_object(
        declaration.name,
        declaration.doc,
        entries,
        &declaration.decoding,
    )
}

fn field_json(field: &Field) -> Json {
    let checks = field.checks.iter().map(|check| {
        Json::object([
            ("condition", expr_json(&check.condition)),
            ("else", string_json(check.message)),
        ])
    });
    let entries = [
        ("type", type_json(&field.ty)),
        ("if", optional_json(field.condition.as_ref(), expr_json)),
        ("count", optional_json(field.count.as_ref(), expr_json)),
        (
            "arguments",
            Json::array_or_omitted(field.arguments.iter().map(expr_json)),
        ),
        (
            "each",
            optional_json(field.each.as_ref(), |each| {
                Json::object([
                    ("list", array_json(each.list, |name| string_json(name))),
                    ("item", string_json(each.item)),
                ])
            }),
        ),
        (
            "position",
            optional_json(field.position.as_ref(), expr_json),
        ),
        ("lookahead", true_or_omitted(field.lookahead)),
        ("checks", Json::array_or_omitted(checks)),
        (
            "constraints",
            Json::array_or_omitted(field.constraints.iter().map(constraint_json)),
        ),
        (
            "plausible",
            Json::array_or_omitted(field.plausible.iter().map(constraint_json)),
        ),
        ("block", optional_json(field.block.as_ref(), block_json)),
        (
            "checksum",
            optional_json(field.checksum.as_ref(), checksum_json),
        ),
        (
            "rule",
            string_or_omitted(field.rule.map_or("", |rule| rule.code)),
        ),
        (
            "severity",
            string_or_omitted(field.rule.map_or("", |rule| rule.severity.name())),
        ),
    ];
    described_object(field.name, field.doc, entries, &field.decoding)
}

fn constraint_json(constraint: &Constraint) -> Json {
    let real = |number: &f64| Json::Plain(number.to_string());
    let expr = |expr: &Option<Expr>| optional_json(expr.as_ref(), expr_json);
    let path = |list: &[Segment]| string_json(&path_text(list));
    let name = |name: &Option<&'static str>| optional_json(*name, string_json);
    let yes = || true_or_omitted(true);
    let requirement = match &constraint.requirement {
        Requirement::Below(limit) => vec![("below", expr_json(limit))],
        Requirement::AtLeast(limit) => vec![("at_least", expr_json(limit))],
        Requirement::UnitVector => vec![("unit_vector", yes())],
        Requirement::OneOf(values) => vec![("one_of", array_json(values, expr_json))],
        Requirement::Finite => vec![("finite", yes())],
        Requirement::Unique => vec![("unique", yes())],
        Requirement::Ordered => vec![("ordered", yes())],
        Requirement::Sum {
            of,
            total,
            tolerance,
        } => {
            vec![
                ("sum", real(total)),
                ("of", name(of)),
                ("tolerance", real(tolerance)),
            ]
        }
        Requirement::ReservedZero => vec![("reserved_zero", yes())],
        Requirement::Terminated => vec![("terminated", yes())],
        Requirement::Holds(condition) => vec![("holds", expr_json(condition))],
        Requirement::Some(condition) => vec![("some", expr_json(condition))],
        Requirement::IndexInto {
            list,
            none,
            weights,
        } => {
            vec![
                ("index_into", path(list)),
                ("none", expr(none)),
                ("weights", name(weights)),
            ]
        }
        Requirement::Within { list, first } => {
            vec![("within", path(list)), ("first", expr_json(first))]
        }
        Requirement::Counts { list } => vec![("counts", path(list))],
        Requirement::Position => vec![("position", yes())],
        Requirement::Equal => vec![("equal", yes())],
        Requirement::SameLength => vec![("same_length", yes())],
        Requirement::Permutation { of, groups } => {
            vec![
                ("permutation", yes()),
                ("of", name(of)),
                ("groups", expr(groups)),
            ]
        }
        Requirement::Forest {
            none,
            rooted,
            ids,
            parents_first,
        } => vec![
            ("forest", yes()),
            ("none", expr(none)),
            ("rooted", true_or_omitted(*rooted)),
            ("ids", name(ids)),
            ("parents_first", true_or_omitted(*parents_first)),
        ],
    };
    let rest = [
        (
            "if",
            optional_json(constraint.condition.as_ref(), expr_json),
        ),
        ("rule", string_json(constraint.rule.code)),
        ("severity", string_json(constraint.rule.severity.name())),
        ("message", optional_json(constraint.message, string_json)),
    ];
    Json::object(requirement.into_iter().chain(rest))
}

fn block_json(block: &Block) -> Json {
    Json::object([
        ("packing", string_json(block.packing.name())),
        (
            "encoding",
            optional_json(block.encoding.as_ref(), expr_json),
        ),
        ("size", optional_json(block.size.as_ref(), expr_json)),
        ("content", type_json(&block.content)),
        (
            "arguments",
            Json::array_or_omitted(block.arguments.iter().map(expr_json)),
        ),
        ("inline", true_or_omitted(block.inline)),
    ])
}

fn checksum_json(checksum: &Checksum) -> Json {
    Json::object([
        ("function", string_json(checksum.function.name)),
        (
            "arguments",
            Json::array_or_omitted(checksum.arguments.iter().map(expr_json)),
        ),
        ("from", optional_json(checksum.from, string_json)),
        ("stored", expr_json(&checksum.stored)),
        ("none", optional_json(checksum.none, number_json)),
    ])
}

fn variant_json(variant: &Variant) -> Json {
    let entries = [
        ("if", expr_json(&variant.condition)),
        ("field", field_json(&variant.field)),
    ];
    described_object(variant.name, variant.doc, entries, &Decoding::NONE)
}

fn enum_value_json(value: &EnumValue) -> Json {
    described_object(
        value.name,
        value.doc,
        [("value", number_json(value.value))],
        &Decoding::NONE,
    )
}

fn bit_field_json(field: &BitField) -> Json {
    let entries = [
        ("offset", number_json(field.bits.offset)),
        ("width", number_json(field.bits.width)),
        ("signed", true_or_omitted(field.signed)),
        ("reserved", true_or_omitted(field.reserved)),
        ("flag", true_or_omitted(field.flag)),
        (
            "declared",
            optional_json(field.declared, |declaration| string_json(declaration.name)),
        ),
        (
            "constraints",
            Json::array_or_omitted(field.constraints.iter().map(constraint_json)),
        ),
    ];
    described_object(field.name, field.doc, entries, &field.decoding)
}

fn type_json(ty: &Type) -> Json {
    match ty {
        Type::BigEndian(number) => Json::object([("big_endian", type_json(number))]),
        Type::NulString => string_json("nul_string"),
        Type::Declared(declaration) => Json::object([("declared", string_json(declaration.name))]),
        other => match other.item_type_and_count() {
            Some((item, Some(count))) => {
                Json::object([("array", type_json(item)), ("count", number_json(count))])
            }
            Some((item, None)) => Json::object([("list", type_json(item))]),
            None => string_json(&base_name(ty)),
        },
    }
}

fn expr_json(expr: &Expr) -> Json {
    match expr {
        Expr::Cast(Expr::Literal(value), to) if to.is_u128() => {
            Json::Plain((*value as u128).to_string())
        }
        Expr::Literal(value) | Expr::Cast(Expr::Literal(value), _) => number_json(*value),
        Expr::Bool(value) => Json::Plain(value.to_string()),
        Expr::Path(path) => Json::object([("field", array_json(path, |name| string_json(name)))]),
        Expr::Unary(UnaryOp::Not, a) => Json::object([("not", expr_json(a))]),
        Expr::Unary(UnaryOp::Negate, a) => Json::object([("negate", expr_json(a))]),
        Expr::Binary(op, a, b) => Json::object([
            ("op", string_json(op.symbol())),
            ("left", expr_json(a)),
            ("right", expr_json(b)),
        ]),
        Expr::Matches(path, pattern) => {
            let field = array_json(path, |name| string_json(name));
            Json::object([("field", field), ("matches", string_json(pattern))])
        }
        Expr::Cast(a, to) => {
            Json::object([("cast", expr_json(a)), ("to", string_json(&int_name(*to)))])
        }
        Expr::If(a, b, c) => Json::object([
            ("if", expr_json(a)),
            ("then", expr_json(b)),
            ("else", expr_json(c)),
        ]),
    }
}
