//! Determines the kinds of values that a declaration allows for each field.

use std::collections::BTreeSet;

use super::KindCounts;
use super::kinds::{FLAGS, FLOATS, INTEGERS, LISTS, MANY, PRESENCE, STRINGS};
use super::notation::{NOTATION, NOTATIONS};
use crate::layout::declaration::{Declaration, Field, Requirement, Shape, Type};
use crate::layout::expr::Expr;
use crate::layout::grammar::{Grammar, ValueType};
use crate::{AnyFormat, Dialect};

/// Returns the kinds of values that each field can have, with counts of 0. `dialect` restricts them to one dialect.
pub(super) fn expected_kinds(format: AnyFormat, dialect: Option<Dialect>) -> KindCounts {
    let mut expected = ExpectedKinds::default();
    let layouts = || format.about().layouts_of(dialect).iter().map(|(_, ty)| *ty);
    layouts().for_each(|ty| collect_names(ty, &mut expected.referenced_names));
    layouts().for_each(|ty| expected.add_value(ty, &mut Vec::new(), true));
    if let Some(grammar) = format.grammar() {
        expected.add_grammar(grammar);
    }
    expected.counts
}

#[derive(Default)]
struct ExpectedKinds {
    counts: KindCounts,
    /// The names of fields that expressions refer to. Other fields determine their values.
    referenced_names: BTreeSet<&'static str>,
}

impl ExpectedKinds {
    fn add(&mut self, path: &[&str], kinds: impl IntoIterator<Item = &'static str>) {
        let counts = self.counts.entry(path.join(".")).or_default();
        kinds
            .into_iter()
            .for_each(|kind| _ = counts.entry(kind).or_default());
    }

    /// Adds the kinds of values of an integer with the given number of bits. If other fields or constraints determine
    /// it, adds the field without kinds.
    fn add_integer(&mut self, bits: u32, path: &[&'static str], is_free: bool) {
        let is_free = is_free
            && path
                .last()
                .is_some_and(|name| !self.referenced_names.contains(name));
        match bits {
            _ if !is_free => self.add(path, []),
            1 => self.add(path, ["0", "1"]),
            2 => self.add(path, ["0", "1", "sign bit", "largest"]),
            _ => self.add(path, INTEGERS.iter().copied()),
        }
    }

    fn add_value(&mut self, ty: &'static Type, path: &mut Vec<&'static str>, is_free: bool) {
        match ty {
            Type::Unsigned(size) | Type::Signed(size) => self.add_integer(8 * size, path, is_free),
            Type::Float(_) => self.add(path, FLOATS.iter().copied().filter(|_| is_free)),
            Type::NulString => self.add(path, STRINGS.iter().copied()),
            Type::BigEndian(item) | Type::Array(item, _) => self.add_value(item, path, is_free),
            Type::List(item) => {
                // Does not expect long lists of lists or strings, which would make large files.
                let is_expected = |kind: &&str| **kind != *MANY || !has_list(item);
                self.add(path, LISTS.iter().copied().filter(is_expected));
                self.add_value(item, path, is_free);
            }
            Type::Declared(declaration) => self.add_declared(declaration, path),
        }
    }

    fn add_declared(&mut self, declaration: &'static Declaration, path: &mut Vec<&'static str>) {
        match declaration.shape {
            Shape::Struct(fields) => {
                for field in fields.iter().filter(|field| !field.lookahead) {
                    path.push(field.name);
                    if field.condition.is_some() {
                        self.add(path, PRESENCE);
                    }
                    self.add_field(field, path);
                    path.pop();
                }
            }
            Shape::Choice(variants) => {
                self.add(path, variants.iter().map(|variant| variant.name));
                variants
                    .iter()
                    .for_each(|variant| self.add_field(&variant.field, path));
            }
            Shape::Enum { values, .. } => self.add(path, values.iter().map(|value| value.name)),
            Shape::Bits { fields, .. } => {
                for field in fields.iter().filter(|field| !field.reserved) {
                    path.push(field.name);
                    match field.declared {
                        Some(inner) => self.add_declared(inner, path),
                        None if field.flag => self.add(path, FLAGS),
                        None => {
                            self.add_integer(field.bits.width, path, field.constraints.is_empty())
                        }
                    }
                    path.pop();
                }
            }
        }
    }

    fn add_field(&mut self, field: &'static Field, path: &mut Vec<&'static str>) {
        let is_free = field.checks.is_empty() && field.constraints.is_empty();
        let Some(block) = &field.block else {
            return self.add_value(&field.ty, path, is_free);
        };
        let name = if block.inline { path.pop() } else { None };
        self.add_value(&block.content, path, true);
        path.extend(name);
    }

    /// Adds the kinds of values in the lines of a text format, in which floats are finite.
    fn add_grammar(&mut self, grammar: &'static Grammar) {
        self.add(&[NOTATION], NOTATIONS.iter().map(|(name, _)| *name));
        for attribute in grammar.attributes {
            let path = [attribute.identifier];
            match attribute.value_type {
                ValueType::Index => self.add(&path, ["0", "1", "other"]),
                ValueType::Integer | ValueType::Word => {
                    self.add(&path, attribute.words().iter().copied())
                }
                ValueType::Float => {
                    let is_finite = |kind: &&str| !kind.ends_with("NaN") && *kind != "infinity";
                    self.add(&path, FLOATS.iter().copied().filter(is_finite));
                }
            }
            if !attribute.required {
                self.add(&path, PRESENCE);
            }
        }
        for property in grammar.properties {
            self.add(
                &[&format!("[{}]", property.name)],
                property.values.iter().copied().chain(PRESENCE),
            );
        }
    }
}

/// Returns `true` if values of type `ty` contain a list or string.
fn has_list(ty: &Type) -> bool {
    let has_one = |field: &Field| has_list(&field.ty) || has_list(&field.content_type());
    match ty {
        Type::List(_) | Type::NulString => true,
        Type::Array(item, _) => has_list(item),
        _ => ty
            .declaration()
            .is_some_and(|declaration| declaration.fields().any(has_one)),
    }
}

/// Collects the field names in the expressions and constraints of a type.
fn collect_names(ty: &'static Type, found: &mut BTreeSet<&'static str>) {
    let declaration = match ty {
        Type::Array(item, _) | Type::List(item) => return collect_names(item, found),
        Type::Declared(declaration) => declaration,
        _ => return,
    };
    let mut collect = |expr: &Expr| {
        expr.visit(&mut |part| {
            if let Expr::Path(path) = part {
                found.extend(path.iter());
            }
        });
    };
    let fields: Vec<&'static Field> = match declaration.shape {
        Shape::Struct(fields) => fields.iter().collect(),
        Shape::Choice(variants) => {
            variants
                .iter()
                .for_each(|variant| collect(&variant.condition));
            variants.iter().map(|variant| &variant.field).collect()
        }
        Shape::Enum { .. } | Shape::Bits { .. } => Vec::new(),
    };
    for field in &fields {
        if let Some(each) = &field.each {
            collect(&Expr::Path(each.list));
        }
        let exprs = [&field.condition, &field.count, &field.position];
        exprs
            .into_iter()
            .flatten()
            .chain(field.arguments)
            .for_each(&mut collect);
        field
            .checks
            .iter()
            .for_each(|check| collect(&check.condition));
        field
            .constraints
            .iter()
            .flat_map(|constraint| constraint.expressions())
            .for_each(&mut collect);
        if let Some(block) = &field.block {
            block
                .size
                .iter()
                .chain(block.arguments)
                .for_each(&mut collect);
        }
        field
            .checksum
            .iter()
            .for_each(|checksum| collect(&checksum.stored));
    }
    for field in fields {
        found.extend(field.constraints.iter().filter_map(
            |constraint| match constraint.requirement {
                Requirement::Permutation { of, .. } => of,
                _ => None,
            },
        ));
        collect_names(&field.ty, found);
        if let Some(block) = &field.block {
            collect_names(&block.content, found);
        }
    }
}
