//! How often each value of each field occurs in 2,000 documents of each format as its strategy makes them, and how many of
//! 2,000 plausible ones have no findings.
//!
//! A line for each field: how often it occurs, and how often as each of its values, or as 0, as its largest number, as
//! neither; of a list, how often it is empty.

use std::collections::BTreeMap;
use std::error::Error;
use std::ops::ControlFlow;

use meshspec::layout::generate::Config;
use meshspec::layout::walk::{Node, Segment, Visit, Visitor, walk};
use meshspec::layout::{Shape, Type, Value};
use meshspec::{Document, FormatId, bmd, crucible, iyma, mesh, seed};
use proptest::strategy::{BoxedStrategy, Strategy, ValueTree};
use proptest::test_runner::{Reason, TestRunner};

/// For each field what values it had, and how often.
#[derive(Default)]
struct Counts(BTreeMap<String, BTreeMap<&'static str, usize>>);

impl Counts {
    fn add(&mut self, node: &Node, value: &'static str) {
        let names = node.path.iter().filter_map(|step| match step {
            Segment::Field(name) => Some(*name),
            Segment::Index(_) => None,
        });
        let name = names.collect::<Vec<_>>().join(".");
        *self.0.entry(name).or_default().entry(value).or_default() += 1;
    }
}

impl Visitor for Counts {
    fn enter(&mut self, _: &Node) -> Visit {
        Visit::All
    }

    fn leaf(&mut self, node: &Node, value: &Value) -> ControlFlow<()> {
        let values = match node.ty {
            Type::Declared(declaration) if node.bit_field.is_none() => declaration.shape,
            _ => Shape::Struct(&[]),
        };
        let what = match (values, value) {
            (Shape::Enum { values, .. }, Value::Int(number)) => {
                values.iter().find(|value| value.value == *number).map_or("?", |value| value.name)
            }
            (_, Value::Bool(true)) => "true",
            (_, Value::Bool(false)) => "false",
            (_, Value::Int(0) | Value::Bits(0, _)) => "0",
            (_, Value::F32(number)) if number.is_nan() => "NaN",
            (_, Value::F32(number)) if number.is_infinite() => "infinite",
            (_, Value::F32(number)) if number.to_bits() == 1 << 31 => "-0",
            (_, Value::F32(0.0)) => "0",
            _ if node.bits.is_none() && node.bytes.iter().all(|byte| *byte == 0xff) => "largest",
            _ => "other",
        };
        self.add(node, what);
        ControlFlow::Continue(())
    }

    fn leave(&mut self, node: &Node) -> ControlFlow<()> {
        if let (Type::List(_), Some(count)) = (node.ty, node.count) {
            self.add(node, if count == 0 { "empty" } else { "items" });
        }
        ControlFlow::Continue(())
    }
}

/// The documents of a format, of this sort; `None` if it has no strategy yet.
fn documents(format: FormatId, config: Config) -> Option<BoxedStrategy<Document>> {
    Some(match format {
        FormatId::Mesh => mesh::strategy::documents_with(config).prop_map(Document::Mesh).boxed(),
        FormatId::Crucible => crucible::strategy::documents_with(config).prop_map(Document::Crucible).boxed(),
        FormatId::Seed => seed::strategy::documents_with(config).prop_map(Document::Seed).boxed(),
        FormatId::Iyma => iyma::strategy::documents_with(config).prop_map(Document::Iyma).boxed(),
        FormatId::Bmd => bmd::strategy::documents_with(config).prop_map(Document::Bmd).boxed(),
        _ => return None,
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut runner = TestRunner::deterministic();
    let mut two_thousand = |format, config| -> Result<Vec<Document>, Reason> {
        let Some(strategy) = documents(format, config) else { return Ok(Vec::new()) };
        (0..2000).map(|_| Ok(strategy.new_tree(&mut runner)?.current())).collect()
    };
    for format in FormatId::ALL.iter().copied() {
        let mut counts = Counts::default();
        for document in two_thousand(format, Config::default()).map_err(|reason| reason.to_string())? {
            let file = document.write(&Default::default())?;
            // A text has no layout.
            if let Some(layout) = format.layout_of(&file, document.dialect()) {
                walk(layout, &file, &Default::default(), &mut counts).map_err(|fault| fault.message)?;
            }
        }
        let config = Config { plausible: true, ..Config::default() };
        let documents = two_thousand(format, config).map_err(|reason| reason.to_string())?;
        let fine = documents.iter().filter(|document| document.check().findings().is_empty()).count();
        println!("{}: of {} plausible documents {fine} have no findings", format.name(), documents.len());
        for (field, values) in &counts.0 {
            let all: Vec<_> = values.iter().map(|(value, count)| format!("{value} {count}")).collect();
            println!("  {field}: {}", all.join(", "));
        }
    }
    Ok(())
}
