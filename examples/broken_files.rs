//! Counts the breakages of each statement of a declaration, over generated files. Statements never broken count 0.

use std::collections::BTreeMap;

use meshspec::layout::declaration::{Constraint, Field, Packing, Requirement, Shape, Type};
use meshspec::layout::expr::Expr;
use meshspec::layout::generate::{self, Breakage, Broken};
use meshspec::layout::walk::Segment;
use meshspec::{FormatId, Limits, Path};

/// The number of breakages of each statement of a layout, by name.
pub struct Counts(pub BTreeMap<String, usize>);

impl Counts {
    /// Creates zero counts for all statements of a declaration.
    pub fn of(ty: &'static Type) -> Counts {
        let mut counts = Counts(BTreeMap::new());
        counts.value(ty, &mut Vec::new());
        counts.expect("file", "truncation");
        counts.expect("file", "trailing");
        counts
    }

    /// Counts a breakage.
    pub fn add(&mut self, broken: &Broken) {
        let (found, changed) = (names(&broken.path), names(&broken.changed));
        let (place, what) = match broken.breakage {
            Breakage::Check(check) => (found, check.message.to_owned()),
            Breakage::Constraint(constraint) => (found, requirement(constraint)),
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
        *self.0.entry(format!("{place}: {what}")).or_default() += 1;
    }

    fn expect(&mut self, place: &str, what: &str) {
        self.0.entry(format!("{place}: {what}")).or_default();
    }

    fn value(&mut self, ty: &'static Type, path: &mut Vec<&'static str>) {
        let declaration = match ty {
            Type::Array(item, _) | Type::List(item) => return self.value(item, path),
            Type::Declared(declaration) => declaration,
            _ => return,
        };
        if !declaration.magic.is_empty() {
            self.expect(&path.join("."), "magic");
        }
        match declaration.shape {
            Shape::Struct(fields) => {
                for field in fields.iter().filter(|field| !field.lookahead) {
                    path.push(field.name);
                    self.field(field, fields, path);
                    path.pop();
                }
            }
            Shape::Choice(variants) => {
                variants.iter().for_each(|variant| self.field(&variant.field, &[], path));
            }
            Shape::Enum { .. } => self.expect(&path.join("."), "value"),
            Shape::Bits { .. } => {}
        }
    }

    fn field(&mut self, field: &'static Field, beside: &[Field], path: &mut Vec<&'static str>) {
        let place = path.join(".");
        field.checks.iter().for_each(|check| self.expect(&place, check.message));
        for constraint in field.constraints {
            // The finding is about the list as a whole.
            let is_of_list = matches!(constraint.requirement, Requirement::Some(_));
            let place = if is_of_list { &path[..path.len() - 1] } else { &path[..] };
            self.expect(&place.join("."), &requirement(constraint));
        }
        self.numbers(field.count.as_ref(), "count", beside, path);
        self.numbers(field.position.as_ref(), "offset", beside, path);
        self.numbers(field.checksum.as_ref().map(|checksum| &checksum.stored), "checksum", beside, path);
        let Some(block) = &field.block else { return self.value(&field.ty, path) };
        self.numbers(block.size.as_ref(), "unpacked size", beside, path);
        if block.packing != Packing::Stored {
            self.expect(&place, "packing");
        }
        let name = if block.inline { path.pop() } else { None };
        self.value(&block.content, path);
        path.extend(name);
    }

    /// Adds the numbers in an expression that are siblings of its field.
    fn numbers(&mut self, expr: Option<&Expr>, what: &str, beside: &[Field], path: &[&'static str]) {
        match expr {
            Some(Expr::Path(names)) if beside.iter().any(|field| field.name == names[0]) => {
                let place = path.split_last().map_or(&[][..], |(_, outer)| outer);
                self.expect(&[place, names].concat().join("."), what);
            }
            Some(Expr::Unary(_, a) | Expr::Cast(a, _)) => self.numbers(Some(a), what, beside, path),
            Some(Expr::Binary(_, a, b) | Expr::If(_, a, b)) => {
                [a, b].iter().for_each(|part| self.numbers(Some(part), what, beside, path));
            }
            _ => {}
        }
    }
}

/// Describes a constraint by its rule and kind.
fn requirement(constraint: &Constraint) -> String {
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

/// Returns a path without indices.
fn names(path: &Path) -> String {
    let names = path.segments().unwrap_or_default().iter().filter_map(|step| match step {
        Segment::Field(name) => Some(*name),
        Segment::Index(_) => None,
    });
    names.collect::<Vec<_>>().join(".")
}

/// Generates files of a layout, every other one plausible.
pub fn files(ty: &'static Type, attempts: u64) -> impl Iterator<Item = Vec<u8>> {
    // Any well-distributed numbers work.
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..attempts).filter_map(move |attempt| {
        let config = generate::Config { plausible: attempt % 2 == 1, ..Default::default() };
        let choices: Vec<u64> = (0..next() % 256).map(|_| next()).collect();
        generate::file(ty, &choices, &config).ok()
    })
}

#[allow(dead_code, reason = "a test uses the rest")]
fn main() {
    for format in FormatId::ALL {
        let rules = format.about().rules;
        for (name, ty) in format.about().layouts() {
            let mut counts = Counts::of(ty);
            let mut valid = 0;
            for file in files(ty, 200) {
                let Ok(broken) = generate::breakages(ty, &file, rules, &Limits::default()) else { continue };
                valid += 1;
                broken.for_each(|broken| counts.add(&broken));
            }
            println!("{name}: {valid} files of 200");
            counts.0.iter().for_each(|(what, count)| println!("  {count:6} {what}"));
        }
    }
}
