//! How often each kind of value of each field occurs in 2,000 documents of each format as its strategy makes them: flags,
//! values of enums, alternatives, boundaries. What never occurs has a 0. And how many of 2,000 plausible documents have no
//! findings.
//!
//! Boundaries are those of values that nothing in the declaration depends on: a count, an offset or an index is what fits the
//! file.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::ops::ControlFlow;

use meshspec::layout::generate::Config;
use meshspec::layout::walk::{Node, Segment, Visit, Visitor, walk};
use meshspec::layout::{Declaration, Expr, Field, Grammar, Number, Shape, Type, Value};
use meshspec::{AnyFormat, Document, FormatId, bmd, crucible, iyma, mesh, seed};
use proptest::strategy::{BoxedStrategy, Strategy, ValueTree};
use proptest::test_runner::TestRunner;

const INTEGERS: &[&str] = &["0", "1", "sign bit", "largest", "other"];
const FLOATS: &[&str] =
    &["0", "-0", "1", "largest", "infinity", "quiet NaN", "signalling NaN", "subnormal", "other"];
const STRINGS: &[&str] = &["empty", "ASCII", "beyond ASCII", "not UTF-8"];
const LISTS: &[&str] = &["no items", "one item", "several items"];

/// For each field what kinds of values it had, and how often.
pub struct Coverage {
    counts: BTreeMap<String, BTreeMap<&'static str, usize>>,
    /// The names in expressions: what depends on them leaves them no choice.
    named: BTreeSet<&'static str>,
}

impl Coverage {
    /// What values the fields of layouts can have, not counted yet.
    pub fn of(layouts: impl Iterator<Item = &'static Type>) -> Coverage {
        let mut coverage = Coverage { counts: BTreeMap::new(), named: BTreeSet::new() };
        let layouts: Vec<_> = layouts.collect();
        layouts.iter().for_each(|ty| names(ty, &mut coverage.named));
        layouts.iter().for_each(|ty| coverage.value(ty, &mut Vec::new()));
        coverage
    }

    /// What no document had, as `field: kind`.
    pub fn never(&self) -> impl Iterator<Item = String> {
        self.counts.iter().flat_map(|(field, kinds)| {
            let never = kinds.iter().filter(|(_, count)| **count == 0);
            never.map(move |(kind, _)| format!("{field}: {kind}"))
        })
    }

    fn expect(&mut self, path: &[&str], kinds: impl IntoIterator<Item = &'static str>) {
        let counts = self.counts.entry(path.join(".")).or_default();
        kinds.into_iter().for_each(|kind| _ = counts.entry(kind).or_default());
    }

    /// An integer of so many bits.
    fn integer(&mut self, bits: u32, path: &[&'static str], is_free: bool) {
        let is_free = is_free && path.last().is_some_and(|name| !self.named.contains(name));
        match bits {
            _ if !is_free => self.expect(path, []),
            1 => self.expect(path, ["0", "1"]),
            2 => self.expect(path, ["0", "1", "sign bit", "largest"]),
            _ => self.expect(path, INTEGERS.iter().copied()),
        }
    }

    fn value(&mut self, ty: &'static Type, path: &mut Vec<&'static str>) {
        self.value_of(ty, path, true);
    }

    fn value_of(&mut self, ty: &'static Type, path: &mut Vec<&'static str>, is_free: bool) {
        match ty {
            Type::Unsigned(size) | Type::Signed(size) => self.integer(8 * size, path, is_free),
            Type::Float(_) => self.expect(path, FLOATS.iter().copied().filter(|_| is_free)),
            Type::NulString => self.expect(path, STRINGS.iter().copied()),
            Type::Array(item, _) => self.value_of(item, path, is_free),
            Type::List(item) => {
                self.expect(path, LISTS.iter().copied());
                self.value_of(item, path, is_free);
            }
            Type::Declared(declaration) => self.declared(declaration, path),
        }
    }

    fn declared(&mut self, declaration: &'static Declaration, path: &mut Vec<&'static str>) {
        match declaration.shape {
            Shape::Struct(fields) => {
                for field in fields.iter().filter(|field| !field.lookahead) {
                    path.push(field.name);
                    self.field(field, path);
                    path.pop();
                }
            }
            Shape::Choice(variants) => variants.iter().for_each(|variant| self.field(&variant.field, path)),
            Shape::Enum { values, .. } => self.expect(path, values.iter().map(|value| value.name)),
            Shape::Bits { fields, .. } => {
                for field in fields.iter().filter(|field| !field.reserved) {
                    path.push(field.name);
                    match field.declared {
                        Some(inner) => self.declared(inner, path),
                        None if field.flag => self.expect(path, ["false", "true"]),
                        None => self.integer(field.bits.width, path, true),
                    }
                    path.pop();
                }
            }
        }
    }

    fn field(&mut self, field: &'static Field, path: &mut Vec<&'static str>) {
        let is_free = field.checks.is_empty() && field.constraints.is_empty();
        let Some(block) = &field.block else { return self.value_of(&field.ty, path, is_free) };
        let name = if block.inline { path.pop() } else { None };
        self.value(&block.content, path);
        path.extend(name);
    }

    /// The values of the lines of a text, which are finite.
    fn attributes(&mut self, grammar: &Grammar) {
        for attribute in grammar.attributes {
            match attribute.number {
                Number::Index => self.expect(&[attribute.identifier], ["0", "1", "other"]),
                Number::F32 => {
                    let is_finite = |kind: &&str| !kind.ends_with("NaN") && *kind != "infinity";
                    self.expect(&[attribute.identifier], FLOATS.iter().copied().filter(is_finite));
                }
            }
        }
    }

    /// Counts the values of a text.
    fn lines(&mut self, text: &str) {
        for line in text.lines() {
            let Some((identifier, values)) = line.split_once(' ') else { continue };
            let Some(kinds) = self.counts.get_mut(identifier) else { continue };
            for value in values.split('#').next().unwrap_or_default().split(',') {
                let number = value.trim().parse().map_or("other", kind_of_float);
                *kinds.entry(number).or_default() += 1;
            }
        }
    }

    fn add(&mut self, node: &Node, kind: &'static str) {
        let names = node.path.iter().filter_map(|step| match step {
            Segment::Field(name) => Some(*name),
            Segment::Index(_) => None,
        });
        let counts = self.counts.entry(names.collect::<Vec<_>>().join(".")).or_default();
        *counts.entry(kind).or_default() += 1;
    }
}

/// The names in the expressions of a type.
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
        if let Some(block) = &field.block {
            block.size.iter().chain(block.arguments).for_each(&mut note);
            block.checksum.iter().for_each(|checksum| note(&checksum.stored));
        }
    }
    for field in fields {
        names(&field.ty, found);
        if let Some(block) = &field.block {
            names(&block.content, found);
        }
    }
}

impl Visitor for Coverage {
    fn enter(&mut self, _: &Node) -> Visit {
        Visit::All
    }

    fn leaf(&mut self, node: &Node, value: &Value) -> ControlFlow<()> {
        let kind = match (value, node.ty) {
            // Its fields come one by one.
            (Value::Bits(..), _) => return ControlFlow::Continue(()),
            (Value::Int(number), Type::Declared(Declaration { shape: Shape::Enum { values, .. }, .. })) => {
                values.iter().find(|value| value.value == *number).map_or("other", |value| value.name)
            }
            (Value::Int(number), _) => {
                let bits = node.bits.map_or(8 * node.bytes.len() as u32, |bits| bits.width);
                kind_of_integer(*number, bits)
            }
            (Value::Bool(flag), _) => {
                if *flag {
                    "true"
                } else {
                    "false"
                }
            }
            (Value::F32(number), _) => kind_of_float(*number),
            (Value::Text(text), _) => kind_of_string(text),
            _ => "other",
        };
        self.add(node, kind);
        ControlFlow::Continue(())
    }

    fn leave(&mut self, node: &Node) -> ControlFlow<()> {
        if let (Type::List(_), Some(count)) = (node.ty, node.count) {
            self.add(node, LISTS[count.min(2) as usize]);
        }
        ControlFlow::Continue(())
    }
}

fn kind_of_integer(number: i128, bits: u32) -> &'static str {
    let all = u128::MAX >> (128 - bits.clamp(1, 128));
    match number as u128 & all {
        0 => "0",
        1 => "1",
        number if number == all => "largest",
        number if number == 1 << (bits - 1) => "sign bit",
        _ => "other",
    }
}

fn kind_of_float(number: f32) -> &'static str {
    match number.to_bits() {
        0 => "0",
        0x8000_0000 => "-0",
        0x7f80_0000 | 0xff80_0000 => "infinity",
        bits if number.is_nan() => {
            if bits & 0x40_0000 == 0 {
                "signalling NaN"
            } else {
                "quiet NaN"
            }
        }
        _ if number == 1.0 => "1",
        _ if number.abs() == f32::MAX => "largest",
        _ if number.is_subnormal() => "subnormal",
        _ => "other",
    }
}

fn kind_of_string(text: &[u8]) -> &'static str {
    match str::from_utf8(text.strip_suffix(&[0]).unwrap_or(text)) {
        Ok("") => "empty",
        Ok(text) if text.is_ascii() => "ASCII",
        Ok(_) => "beyond ASCII",
        Err(_) => "not UTF-8",
    }
}

/// Documents of a format, of this sort; none if it has no strategy yet.
pub fn documents(format: FormatId, config: Config, count: usize) -> Vec<Document> {
    let strategy: BoxedStrategy<Document> = match format {
        FormatId::Mesh => mesh::strategy::documents_with(config).prop_map(Document::Mesh).boxed(),
        FormatId::Crucible => crucible::strategy::documents_with(config).prop_map(Document::Crucible).boxed(),
        FormatId::Seed => seed::strategy::documents_with(config).prop_map(Document::Seed).boxed(),
        FormatId::Iyma => iyma::strategy::documents_with(config).prop_map(Document::Iyma).boxed(),
        FormatId::Bmd => bmd::strategy::documents_with(config).prop_map(Document::Bmd).boxed(),
        _ => return Vec::new(),
    };
    let mut runner = TestRunner::deterministic();
    let trees = (0..count).filter_map(|_| strategy.new_tree(&mut runner).ok());
    trees.map(|tree| tree.current()).collect()
}

/// What such documents of a format have.
pub fn coverage(format: FormatId, documents: &[Document]) -> Result<Coverage, Box<dyn Error>> {
    let mut coverage = Coverage::of(format.about().layouts().iter().map(|(_, ty)| *ty));
    if let Some(grammar) = AnyFormat::from(format).grammar() {
        coverage.attributes(grammar);
    }
    for document in documents {
        let file = document.write(&Default::default())?;
        match format.layout_of(&file, document.dialect()) {
            Some(layout) => {
                walk(layout, &file, &Default::default(), &mut coverage).map_err(|fault| fault.message)?;
            }
            None => coverage.lines(&String::from_utf8_lossy(&file)),
        }
    }
    Ok(coverage)
}

#[allow(dead_code, reason = "a test uses the rest")]
fn main() -> Result<(), Box<dyn Error>> {
    for format in FormatId::ALL.iter().copied() {
        let plausible = documents(format, Config { plausible: true, ..Config::default() }, 2000);
        let fine = plausible.iter().filter(|document| document.check().findings().is_empty()).count();
        println!("{}: of {} plausible documents {fine} have no findings", format.name(), plausible.len());
        for (field, kinds) in &coverage(format, &documents(format, Config::default(), 2000))?.counts {
            let all: Vec<_> = kinds.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
            println!("  {field}: {}", all.join(", "));
        }
    }
    Ok(())
}
