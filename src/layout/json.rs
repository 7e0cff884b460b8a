//! Prints declarations as JSON, with keys in a fixed order.
//!
//! The document is `{"title", "layouts", "declarations"}`. A layout is a name and a type. A type is the name of a
//! number (`"u32"`), `"nul_string"`, `{"big_endian"}`, `{"array", "count"}`, `{"list"}` or `{"declared"}`.
//!
//! An expression is a number, a boolean, `{"field"}` (names from the outermost inwards), `{"not"}`, `{"negate"}`,
//! `{"cast", "to"}`, `{"if", "then", "else"}` or `{"op", "left", "right"}`. `{"field", "matches"}` tests whether a
//! string starts with a pattern, in which `x` matches a hexadecimal digit.
//!
//! A look-ahead is a field at whose offset the next field also starts. A constraint has one key for its
//! requirement, such as `"below"`, `"one_of"`, `"finite"`, `"index_into"` or `"holds"`. Some requirements have
//! further keys, as `"sum"` has `"of"` and `"tolerance"`. `"if"`, `"rule"` and `"message"` follow. `"decoded"`
//! names the function that decodes a stored value, and `"formula"` is its formula. Keys without a value are
//! omitted.

use super::declaration::{BitField, Block, Constraint, EnumValue, Field, Requirement, Shape, Type, Variant};
use super::expr::{Expr, Scope, UnaryOp};
use super::notation::int_name;
use super::program::{Order, Reached, reachable};
use super::walk::{Segment, path_text};
use super::wording::base_name;

/// Prints the layouts of a format and all declarations that they reach.
pub(super) fn print(title: &str, layouts: &[(&str, &'static Type)]) -> String {
    let named =
        |(name, ty): &(&str, &'static Type)| Json::object([("name", text(name)), ("type", of_type(ty))]);
    let declarations = reachable(layouts, Order::Reading);
    let document = Json::object([
        ("title", text(title)),
        ("layouts", Json::List(layouts.iter().map(named).collect())),
        ("declarations", Json::List(declarations.iter().map(declaration).collect())),
    ]);
    document.print()
}

/// A JSON value.
pub(super) enum Json {
    /// A number, boolean or string, already in JSON syntax.
    Plain(String),
    List(Vec<Json>),
    Object(Vec<(&'static str, Json)>),
    /// Omitted from objects.
    Nothing,
}

impl Json {
    pub(super) fn object(entries: impl IntoIterator<Item = (&'static str, Json)>) -> Json {
        Json::Object(entries.into_iter().filter(|(_, value)| !matches!(value, Json::Nothing)).collect())
    }

    /// Prints a complete document.
    pub(super) fn print(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, 0);
        out.push('\n');
        out
    }

    /// Returns the list, or `Nothing` if it is empty.
    fn some(list: impl Iterator<Item = Json>) -> Json {
        let list: Vec<_> = list.collect();
        if list.is_empty() { Json::Nothing } else { Json::List(list) }
    }

    /// Writes the value, on one line if it fits.
    fn write(&self, out: &mut String, indent: usize) {
        let line = self.flat();
        let Some(parts) = self.parts().filter(|_| line.len() + indent > 100) else {
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
    fn flat(&self) -> String {
        let Some(parts) = self.parts() else {
            return if let Json::Plain(text) = self { text.clone() } else { "null".to_owned() };
        };
        let parts: Vec<_> = parts.into_iter().map(|(key, value)| key + &value.flat()).collect();
        let [open, close] = self.brackets();
        format!("{open}{}{close}", parts.join(", "))
    }

    fn brackets(&self) -> [&'static str; 2] {
        if let Json::List(_) = self { ["[", "]"] } else { ["{ ", " }"] }
    }

    /// Returns the parts of a list or object, each with its printed key.
    fn parts(&self) -> Option<Vec<(String, &Json)>> {
        match self {
            Json::List(items) => Some(items.iter().map(|item| (String::new(), item)).collect()),
            Json::Object(entries) => {
                Some(entries.iter().map(|(key, value)| (format!("\"{key}\": "), value)).collect())
            }
            Json::Plain(_) | Json::Nothing => None,
        }
    }
}

pub(super) fn text(text: &str) -> Json {
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

/// Returns the string, or `Nothing` if it is empty.
fn some_text(content: &str) -> Json {
    if content.is_empty() { Json::Nothing } else { text(content) }
}

fn number(value: impl Into<i128>) -> Json {
    Json::Plain(value.into().to_string())
}

/// Returns `true`, or `Nothing`.
fn flag(value: bool) -> Json {
    if value { Json::Plain("true".into()) } else { Json::Nothing }
}

fn optional<T>(value: Option<T>, print: impl Fn(T) -> Json) -> Json {
    value.map_or(Json::Nothing, print)
}

fn declaration(reached: &Reached) -> Json {
    let declaration = reached.declaration;
    let (kind, parts) = match declaration.shape {
        Shape::Struct(fields) => ("fields", Json::List(fields.iter().map(field).collect())),
        Shape::Choice(variants) => ("variants", Json::List(variants.iter().map(variant).collect())),
        Shape::Enum { values, .. } => ("values", Json::List(values.iter().map(enum_value).collect())),
        Shape::Bits { fields, .. } => ("bits", Json::List(fields.iter().map(bit_field).collect())),
    };
    Json::object([
        ("name", text(declaration.name)),
        ("doc", some_text(declaration.doc)),
        ("imports", Json::some(declaration.imports.iter().map(|name| text(name)))),
        ("magic", Json::some(declaration.magic.iter().map(|byte| number(*byte)))),
        ("size", optional(declaration.size(&Scope::default()), number)),
        (kind, parts),
        ("decoded", some_text(declaration.decoding.name)),
        ("formula", some_text(declaration.decoding.formula)),
        ("unit", some_text(declaration.decoding.unit)),
    ])
}

fn field(field: &Field) -> Json {
    let checks = field.checks.iter().map(|check| {
        Json::object([("condition", expression(&check.condition)), ("else", text(check.message))])
    });
    Json::object([
        ("name", text(field.name)),
        ("doc", some_text(field.doc)),
        ("type", of_type(&field.ty)),
        ("if", optional(field.condition.as_ref(), expression)),
        ("count", optional(field.count.as_ref(), expression)),
        ("arguments", Json::some(field.arguments.iter().map(expression))),
        ("position", optional(field.position.as_ref(), expression)),
        ("lookahead", flag(field.lookahead)),
        ("checks", Json::some(checks)),
        ("constraints", Json::some(field.constraints.iter().map(constraint))),
        ("plausible", Json::some(field.plausible.iter().map(constraint))),
        ("block", optional(field.block.as_ref(), block)),
        ("rule", some_text(field.rule.map_or("", |rule| rule.code))),
        ("decoded", some_text(field.decoding.name)),
        ("formula", some_text(field.decoding.formula)),
        ("unit", some_text(field.decoding.unit)),
    ])
}

fn constraint(constraint: &Constraint) -> Json {
    let real = |number: &f64| Json::Plain(number.to_string());
    let expr = |expr: &Option<Expr>| optional(expr.as_ref(), expression);
    let path = |list: &[Segment]| text(&path_text(list));
    let parts = match &constraint.requirement {
        Requirement::Sum { of, tolerance, .. } => {
            vec![("of", optional(*of, text)), ("tolerance", real(tolerance))]
        }
        Requirement::IndexInto { none, weights, .. } => {
            vec![("none", expr(none)), ("weights", optional(*weights, text))]
        }
        Requirement::Within { first, .. } => vec![("first", expression(first))],
        Requirement::Permutation { of, groups } => {
            vec![("of", optional(*of, text)), ("groups", expr(groups))]
        }
        Requirement::Forest { none, rooted, ids, parents_first } => vec![
            ("none", expr(none)),
            ("rooted", flag(*rooted)),
            ("ids", optional(*ids, text)),
            ("parents_first", flag(*parents_first)),
        ],
        _ => Vec::new(),
    };
    let (kind, value) = match &constraint.requirement {
        Requirement::Below(limit) => ("below", expression(limit)),
        Requirement::AtLeast(limit) => ("at_least", expression(limit)),
        Requirement::UnitVector => ("unit_vector", flag(true)),
        Requirement::OneOf(values) => ("one_of", Json::List(values.iter().map(expression).collect())),
        Requirement::Finite => ("finite", flag(true)),
        Requirement::Unique => ("unique", flag(true)),
        Requirement::Ordered => ("ordered", flag(true)),
        Requirement::Sum { total, .. } => ("sum", real(total)),
        Requirement::ReservedZero => ("reserved_zero", flag(true)),
        Requirement::Terminated => ("terminated", flag(true)),
        Requirement::Holds(condition) => ("holds", expression(condition)),
        Requirement::Some(condition) => ("some", expression(condition)),
        Requirement::IndexInto { list, .. } => ("index_into", path(list)),
        Requirement::Within { list, .. } => ("within", path(list)),
        Requirement::Counts { list } => ("counts", path(list)),
        Requirement::Position => ("position", flag(true)),
        Requirement::Equal => ("equal", flag(true)),
        Requirement::SameLength => ("same_length", flag(true)),
        Requirement::Permutation { .. } => ("permutation", flag(true)),
        Requirement::Forest { .. } => ("forest", flag(true)),
    };
    let rest = [
        ("if", optional(constraint.condition.as_ref(), expression)),
        ("rule", text(constraint.rule.code)),
        ("message", optional(constraint.message, text)),
    ];
    Json::object([(kind, value)].into_iter().chain(parts).chain(rest))
}

fn block(block: &Block) -> Json {
    Json::object([
        ("packing", text(block.packing.name())),
        ("size", optional(block.size.as_ref(), expression)),
        ("content", of_type(&block.content)),
        ("arguments", Json::some(block.arguments.iter().map(expression))),
        ("inline", flag(block.inline)),
    ])
}

fn variant(variant: &Variant) -> Json {
    Json::object([
        ("name", text(variant.name)),
        ("doc", some_text(variant.doc)),
        ("if", expression(&variant.condition)),
        ("field", field(&variant.field)),
    ])
}

fn enum_value(value: &EnumValue) -> Json {
    Json::object([("name", text(value.name)), ("doc", some_text(value.doc)), ("value", number(value.value))])
}

fn bit_field(field: &BitField) -> Json {
    Json::object([
        ("name", text(field.name)),
        ("doc", some_text(field.doc)),
        ("offset", number(field.bits.offset)),
        ("width", number(field.bits.width)),
        ("signed", flag(field.signed)),
        ("reserved", flag(field.reserved)),
        ("flag", flag(field.flag)),
        ("declared", optional(field.declared, |declaration| text(declaration.name))),
        ("constraints", Json::some(field.constraints.iter().map(constraint))),
        ("decoded", some_text(field.decoding.name)),
        ("formula", some_text(field.decoding.formula)),
        ("unit", some_text(field.decoding.unit)),
    ])
}

fn of_type(ty: &Type) -> Json {
    match ty {
        Type::Big(number) => Json::object([("big_endian", of_type(number))]),
        Type::NulString => text("nul_string"),
        Type::Declared(declaration) => Json::object([("declared", text(declaration.name))]),
        other => match other.items() {
            Some((item, Some(count))) => Json::object([("array", of_type(item)), ("count", number(count))]),
            Some((item, None)) => Json::object([("list", of_type(item))]),
            None => text(&base_name(ty)),
        },
    }
}

fn expression(expr: &Expr) -> Json {
    match expr {
        Expr::Literal(value) => number(*value),
        Expr::Bool(value) => Json::Plain(value.to_string()),
        Expr::Path(path) => {
            Json::object([("field", Json::List(path.iter().map(|name| text(name)).collect()))])
        }
        Expr::Unary(UnaryOp::Not, a) => Json::object([("not", expression(a))]),
        Expr::Unary(UnaryOp::Negate, a) => Json::object([("negate", expression(a))]),
        Expr::Binary(op, a, b) => {
            Json::object([("op", text(op.symbol())), ("left", expression(a)), ("right", expression(b))])
        }
        Expr::Matches(path, pattern) => Json::object([
            ("field", Json::List(path.iter().map(|name| text(name)).collect())),
            ("matches", text(pattern)),
        ]),
        Expr::Cast(a, to) => Json::object([("cast", expression(a)), ("to", text(&int_name(*to)))]),
        Expr::If(a, b, c) => {
            Json::object([("if", expression(a)), ("then", expression(b)), ("else", expression(c))])
        }
    }
}
