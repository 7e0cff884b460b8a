//! The kinds of values that a declaration allows for each field.

use std::collections::BTreeSet;

use super::Counts;
use super::kinds::{FLAGS, FLOATS, INTEGERS, LISTS, MANY, PRESENCE, STRINGS};
use super::notation::{NOTATION, NOTATIONS};
use crate::layout::declaration::{Declaration, Field, Requirement, Shape, Type};
use crate::layout::expr::Expr;
use crate::layout::grammar::{Grammar, ValueType};
use crate::{AnyFormat, Dialect};

/// Returns the kinds of values of each field, with a count of 0, optionally for a single dialect.
pub(super) fn kinds(format: AnyFormat, dialect: Option<Dialect>) -> Counts {
    let mut expected = Expected::default();
    let layouts = || format.about().layouts_of(dialect).iter().map(|(_, ty)| *ty);
    layouts().for_each(|ty| names(ty, &mut expected.named));
    layouts().for_each(|ty| expected.value(ty, &mut Vec::new(), true));
    if let Some(grammar) = format.grammar() {
        expected.grammar(grammar);
    }
    expected.counts
}

#[derive(Default)]
struct Expected {
    counts: Counts,
    /// The field names in expressions, whose values other fields determine.
    named: BTreeSet<&'static str>,
}

impl Expected {
    fn expect(&mut self, path: &[&str], kinds: impl IntoIterator<Item = &'static str>) {
        let counts = self.counts.entry(path.join(".")).or_default();
        kinds.into_iter().for_each(|kind| _ = counts.entry(kind).or_default());
    }

    /// Expects an integer with this number of bits.
    fn integer(&mut self, bits: u32, path: &[&'static str], is_free: bool) {
        let is_free = is_free && path.last().is_some_and(|name| !self.named.contains(name));
        match bits {
            _ if !is_free => self.expect(path, []),
            1 => self.expect(path, ["0", "1"]),
            2 => self.expect(path, ["0", "1", "sign bit", "largest"]),
            _ => self.expect(path, INTEGERS.iter().copied()),
        }
    }

    fn value(&mut self, ty: &'static Type, path: &mut Vec<&'static str>, is_free: bool) {
        match ty {
            Type::Unsigned(size) | Type::Signed(size) => self.integer(8 * size, path, is_free),
            Type::Float(_) => self.expect(path, FLOATS.iter().copied().filter(|_| is_free)),
            Type::Big(number) => self.value(number, path, is_free),
            Type::NulString => self.expect(path, STRINGS.iter().copied()),
            Type::Array(item, _) => self.value(item, path, is_free),
            Type::List(item) => {
                // A long list of lists would make a large file.
                let is_expected = |kind: &&str| **kind != *MANY || !has_list(item);
                self.expect(path, LISTS.iter().copied().filter(is_expected));
                self.value(item, path, is_free);
            }
            Type::Declared(declaration) => self.declared(declaration, path),
        }
    }

    fn declared(&mut self, declaration: &'static Declaration, path: &mut Vec<&'static str>) {
        match declaration.shape {
            Shape::Struct(fields) => {
                for field in fields.iter().filter(|field| !field.lookahead) {
                    path.push(field.name);
                    if field.condition.is_some() {
                        self.expect(path, PRESENCE);
                    }
                    self.field(field, path);
                    path.pop();
                }
            }
            Shape::Choice(variants) => {
                self.expect(path, variants.iter().map(|variant| variant.name));
                variants.iter().for_each(|variant| self.field(&variant.field, path));
            }
            Shape::Enum { values, .. } => self.expect(path, values.iter().map(|value| value.name)),
            Shape::Bits { fields, .. } => {
                for field in fields.iter().filter(|field| !field.reserved) {
                    path.push(field.name);
                    match field.declared {
                        Some(inner) => self.declared(inner, path),
                        None if field.flag => self.expect(path, FLAGS),
                        None => self.integer(field.bits.width, path, field.constraints.is_empty()),
                    }
                    path.pop();
                }
            }
        }
    }

    fn field(&mut self, field: &'static Field, path: &mut Vec<&'static str>) {
        let is_free = field.checks.is_empty() && field.constraints.is_empty();
        let Some(block) = &field.block else { return self.value(&field.ty, path, is_free) };
        let name = if block.inline { path.pop() } else { None };
        self.value(&block.content, path, true);
        path.extend(name);
    }

    /// Expects the values of the lines of a text, whose floats are finite.
    fn grammar(&mut self, grammar: &'static Grammar) {
        self.expect(&[NOTATION], NOTATIONS.iter().map(|(name, _)| *name));
        for attribute in grammar.attributes {
            match attribute.value_type {
                ValueType::Index => self.expect(&[attribute.identifier], ["0", "1", "other"]),
                ValueType::Integer | ValueType::Word => {
                    self.expect(&[attribute.identifier], attribute.words().iter().copied());
                }
                ValueType::Float => {
                    let is_finite = |kind: &&str| !kind.ends_with("NaN") && *kind != "infinity";
                    self.expect(&[attribute.identifier], FLOATS.iter().copied().filter(is_finite));
                }
            }
            if !attribute.required {
                self.expect(&[attribute.identifier], PRESENCE);
            }
        }
        for property in grammar.properties {
            self.expect(&[&format!("[{}]", property.name)], property.values.iter().copied().chain(PRESENCE));
        }
    }
}

/// Returns `true` if a value contains a list or string.
fn has_list(ty: &Type) -> bool {
    let has_one = |field: &Field| has_list(&field.ty) || has_list(&field.content());
    match ty {
        Type::List(_) | Type::NulString => true,
        Type::Array(item, _) => has_list(item),
        _ => ty.declaration().is_some_and(|declaration| declaration.fields().any(has_one)),
    }
}

/// Collects the names in the expressions and constraints of a type.
fn names(ty: &'static Type, found: &mut BTreeSet<&'static str>) {
    let declaration = match ty {
        Type::Array(item, _) | Type::List(item) => return names(item, found),
        Type::Declared(declaration) => declaration,
        _ => return,
    };
    let mut note = |expr: &Expr| {
        expr.visit(&mut |part| {
            if let Expr::Path(path) = part {
                found.extend(path.iter());
            }
        });
    };
    let fields: Vec<&'static Field> = match declaration.shape {
        Shape::Struct(fields) => fields.iter().collect(),
        Shape::Choice(variants) => {
            variants.iter().for_each(|variant| note(&variant.condition));
            variants.iter().map(|variant| &variant.field).collect()
        }
        Shape::Enum { .. } | Shape::Bits { .. } => Vec::new(),
    };
    for field in &fields {
        let exprs = [&field.condition, &field.count, &field.position];
        exprs.into_iter().flatten().chain(field.arguments).for_each(&mut note);
        field.checks.iter().for_each(|check| note(&check.condition));
        for constraint in field.constraints {
            constraint.expressions().for_each(&mut note);
        }
        if let Some(block) = &field.block {
            block.size.iter().chain(block.arguments).for_each(&mut note);
        }
        field.checksum.iter().for_each(|checksum| note(&checksum.stored));
    }
    for field in fields {
        found.extend(field.constraints.iter().filter_map(|constraint| match constraint.requirement {
            Requirement::Permutation { of, .. } => of,
            _ => None,
        }));
        names(&field.ty, found);
        if let Some(block) = &field.block {
            names(&block.content, found);
        }
    }
}
