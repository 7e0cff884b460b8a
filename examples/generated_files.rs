//! How often each value of each field occurs in 2,000 files that are generated from each declaration.
//!
//! A line for each field: how often it occurs, and how often as each of its values, or as 0, as its largest number, as
//! neither; of a list, how often it is empty.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use meshspec::FormatId;
use meshspec::layout::walk::{Node, Segment, Visit, Visitor, walk};
use meshspec::layout::{Shape, Type, Value, generate};

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

fn main() {
    // Any numbers will do that are far from each other.
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for format in FormatId::ALL {
        let config = generate::Config { rules: format.about().rules, ..Default::default() };
        for (name, layout) in format.about().layouts() {
            let mut counts = Counts::default();
            let mut files = 0;
            for _ in 0..2000 {
                let choices: Vec<u64> = (0..next() % 512).map(|_| next()).collect();
                let Ok(file) = generate::file(layout, &choices, &config) else { continue };
                files += usize::from(walk(layout, &file, &Default::default(), &mut counts).is_ok());
            }
            println!("{name}: {files} files of 2000");
            for (field, values) in &counts.0 {
                let all: Vec<_> = values.iter().map(|(value, count)| format!("{value} {count}")).collect();
                println!("  {field}: {}", all.join(", "));
            }
        }
    }
}
