//! Counts the kinds of values of each field in 2,000 generated documents per format: flags, enum values, alternatives
//! and boundaries. Kinds that never occur are listed with 0. Also counts how many of 2,000 plausible documents have
//! no findings.
//!
//! Boundaries are counted only for independent values. The rest of the file determines counts, offsets and indices.

use std::error::Error;

use meshspec::conformance::Coverage;
use meshspec::layout::generate::Config;
use meshspec::{AnyFormat, Document, Formats, bmd, crucible, iyma, mesh, seed};
use proptest::strategy::{BoxedStrategy, Strategy, ValueTree};
use proptest::test_runner::TestRunner;

/// Returns `count` generated documents of a format; an empty list if the format has no strategy.
pub fn documents(format: AnyFormat, config: Config, count: usize) -> Vec<Document> {
    let strategy: BoxedStrategy<Document> = match format.name() {
        "mesh" => mesh::strategy::documents_with(config)
            .prop_map(Document::Mesh)
            .boxed(),
        "crucible" => crucible::strategy::documents_with(config)
            .prop_map(Document::Crucible)
            .boxed(),
        "seed" => seed::strategy::documents_with(config)
            .prop_map(Document::Seed)
            .boxed(),
        "iyma" => iyma::strategy::documents_with(config)
            .prop_map(Document::Iyma)
            .boxed(),
        "bmd" => bmd::strategy::documents_with(config)
            .prop_map(Document::Bmd)
            .boxed(),
        _ => return Vec::new(),
    };
    let mut runner = TestRunner::deterministic();
    let trees = (0..count).filter_map(|_| strategy.new_tree(&mut runner).ok());
    trees.map(|tree| tree.current()).collect()
}

/// Returns the coverage of documents of a format.
pub fn coverage(format: AnyFormat, documents: &[Document]) -> meshspec::Result<Coverage> {
    let mut coverage = Coverage::of(format);
    for document in documents {
        coverage.add(&document.write(&Default::default())?, document.dialect());
    }
    Ok(coverage)
}

#[allow(dead_code, reason = "a test includes this file for its other items")]
fn main() -> Result<(), Box<dyn Error>> {
    for format in Formats::BUILT_IN.iter().copied() {
        let plausible = documents(
            format,
            Config {
                plausible: true,
                ..Config::default()
            },
            2000,
        );
        let clean = plausible
            .iter()
            .filter(|document| document.check().findings().is_empty())
            .count();
        println!(
            "{}: of {} plausible documents {clean} have no findings",
            format.name(),
            plausible.len()
        );
        for (field, kinds) in
            coverage(format, &documents(format, Config::default(), 2000))?.fields()
        {
            let all: Vec<_> = kinds
                .iter()
                .map(|(kind, count)| format!("{kind} {count}"))
                .collect();
            println!("  {field}: {}", all.join(", "));
        }
    }
    Ok(())
}
