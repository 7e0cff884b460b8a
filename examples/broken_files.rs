//! Counts the breakages of each statement of a declaration in generated files. Statements that are never broken are
//! listed with 0.

use std::collections::BTreeMap;

use meshspec::layout::declaration::{Constraint, Field, Packing, Requirement, Shape, Type};
use meshspec::layout::expr::Expr;
use meshspec::layout::generate::{self, Breakage, BrokenFile};
use meshspec::layout::walk::Segment;
use meshspec::{Formats, Limits, Path};

/// The number of breakages of each statement of a layout, by field and statement.
pub struct Counts(pub BTreeMap<String, usize>);

impl Counts {
    /// Creates zero counts for all statements of a declaration.
    pub fn of(ty: &'static Type) -> Counts {
        let mut counts = Counts(BTreeMap::new());
        counts.add_type(ty, &mut Vec::new());
        counts.add_statement("file", "truncation");
        counts.add_statement("file", "trailing");
        counts
    }

    /// Counts a breakage.
    pub fn add(&mut self, broken: &BrokenFile) {
        let (found, changed) = (field_names(&broken.path), field_names(&broken.changed));
        let (field, statement) = match broken.breakage {
            Breakage::Check(check) => (found, check.message.to_owned()),
            Breakage::Constraint(constraint) => (found, describe_constraint(constraint)),
            Breakage::Value => (found, "value".to_owned()),
            Breakage::Count(_) => (changed, "count".to_owned()),
            Breakage::Offset => (changed, "offset".to_owned()),
            Breakage::UnpackedSize => (changed, "unpacked size".to_owned()),
            Breakage::Checksum => (changed, "checksum".to_owned()),
            Breakage::Magic => (changed, "magic".to_owned()),
            Breakage::Packing => (changed, "packing".to_owned()),
            Breakage::Truncation(_) => ("file".to_owned(), "truncation".to_owned()),
            Breakage::Trailing => ("file".to_owned(), "trailing".to_owned()),
            other => (changed, other.to_string()),
        };
        *self.0.entry(format!("{field}: {statement}")).or_default() += 1;
    }

    fn add_statement(&mut self, field: &str, statement: &str) {
        self.0.entry(format!("{field}: {statement}")).or_default();
    }

    fn add_type(&mut self, ty: &'static Type, path: &mut Vec<&'static str>) {
        let declaration = match ty {
            Type::Array(item, _) | Type::List(item) => return self.add_type(item, path),
            Type::Declared(declaration) => declaration,
            _ => return,
        };
        if !declaration.magic.is_empty() {
            self.add_statement(&path.join("."), "magic");
        }
        match declaration.shape {
            Shape::Struct(fields) => {
                for field in fields.iter().filter(|field| !field.lookahead) {
                    path.push(field.name);
                    self.add_field(field, fields, path);
                    path.pop();
                }
            }
            Shape::Choice(variants) => {
                variants
                    .iter()
                    .for_each(|variant| self.add_field(&variant.field, &[], path));
            }
            Shape::Enum { .. } => self.add_statement(&path.join("."), "value"),
            Shape::Bits { .. } => {}
        }
    }

    fn add_field(
        &mut self,
        field: &'static Field,
        siblings: &[Field],
        path: &mut Vec<&'static str>,
    ) {
        let field_path = path.join(".");
        field
            .checks
            .iter()
            .for_each(|check| self.add_statement(&field_path, check.message));
        for constraint in field.constraints {
            // The path of the finding is the list, not the field.
            let is_of_list = matches!(constraint.requirement, Requirement::Some(_));
            let names = if is_of_list {
                &path[..path.len() - 1]
            } else {
                &path[..]
            };
            self.add_statement(&names.join("."), &describe_constraint(constraint));
        }
        self.add_numbers(field.count.as_ref(), "count", siblings, path);
        self.add_numbers(field.position.as_ref(), "offset", siblings, path);
        self.add_numbers(
            field.checksum.as_ref().map(|checksum| &checksum.stored),
            "checksum",
            siblings,
            path,
        );
        let Some(block) = &field.block else {
            return self.add_type(&field.ty, path);
        };
        self.add_numbers(block.size.as_ref(), "unpacked size", siblings, path);
        if block.packing != Packing::Stored {
            self.add_statement(&field_path, "packing");
        }
        let name = if block.inline { path.pop() } else { None };
        self.add_type(&block.content, path);
        path.extend(name);
    }

    /// Adds a statement for each sibling field that the expression refers to.
    fn add_numbers(
        &mut self,
        expr: Option<&Expr>,
        statement: &str,
        siblings: &[Field],
        path: &[&'static str],
    ) {
        match expr {
            Some(Expr::Path(names)) if siblings.iter().any(|field| field.name == names[0]) => {
                let outer = path.split_last().map_or(&[][..], |(_, outer)| outer);
                self.add_statement(&[outer, names].concat().join("."), statement);
            }
            Some(Expr::Unary(_, a) | Expr::Cast(a, _)) => {
                self.add_numbers(Some(a), statement, siblings, path)
            }
            Some(Expr::Binary(_, a, b) | Expr::If(_, a, b)) => {
                [a, b]
                    .iter()
                    .for_each(|part| self.add_numbers(Some(part), statement, siblings, path));
            }
            _ => {}
        }
    }
}

/// Returns a description of a constraint: its rule and its kind.
fn describe_constraint(constraint: &Constraint) -> String {
    let kind = match constraint.requirement {
        Requirement::Below(_) => "below",
        Requirement::AtLeast(_) => "at least",
        Requirement::UnitVector => "unit vector",
        Requirement::OneOf(_) => "one of",
        Requirement::Finite => "finite",
        Requirement::Unique => "unique",
        Requirement::Ordered => "ordered",
        Requirement::Sum { .. } => "sum",
        Requirement::ReservedZero => "reserved bits",
        Requirement::Terminated => "terminated",
        Requirement::Holds(_) => constraint.message.unwrap_or("holds"),
        Requirement::IndexInto { .. } => "index into",
        Requirement::Within { .. } => "within",
        Requirement::Counts { .. } => "counts",
        Requirement::Position => "position",
        Requirement::Equal => "equal",
        Requirement::SameLength => "same length",
        Requirement::Permutation { .. } => "permutation",
        Requirement::Forest { .. } => "forest",
        Requirement::Some(_) => "some",
    };
    format!("{}: {kind}", constraint.rule.code)
}

/// Returns the field names of a path, without indices.
fn field_names(path: &Path) -> String {
    let names = path
        .segments()
        .unwrap_or_default()
        .iter()
        .filter_map(|step| match step {
            Segment::Field(name) => Some(*name),
            Segment::Index(_) => None,
        });
    names.collect::<Vec<_>>().join(".")
}

/// Generates up to `attempts` files of a layout. Every second attempt is plausible.
pub fn generate_files(ty: &'static Type, attempts: u64) -> impl Iterator<Item = Vec<u8>> {
    // The quality of the random numbers hardly matters.
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..attempts).filter_map(move |attempt| {
        let config = generate::Config {
            plausible: attempt % 2 == 1,
            ..Default::default()
        };
        let choices: Vec<u64> = (0..next() % 256).map(|_| next()).collect();
        generate::file(ty, &choices, &config).ok()
    })
}

#[allow(dead_code, reason = "a test includes this file for its other items")]
fn main() {
    for format in Formats::BUILT_IN {
        let rules = format.about().rules;
        for (name, ty) in format.about().layouts() {
            let mut counts = Counts::of(ty);
            let mut valid = 0;
            for file in generate_files(ty, 200) {
                let Ok(broken) = generate::breakages(ty, &file, rules, &Limits::default()) else {
                    continue;
                };
                valid += 1;
                broken.for_each(|broken| counts.add(&broken));
            }
            println!("{name}: {valid} files of 200");
            counts
                .0
                .iter()
                .for_each(|(statement, count)| println!("  {count:6} {statement}"));
        }
    }
}
