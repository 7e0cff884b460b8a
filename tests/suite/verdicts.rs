//! Strict and lenient reading, `check`, the walker and the breakages agree on every file: valid, broken or mutated.

use std::collections::BTreeMap;
use std::fmt::Write;

use meshspec::layout::generate::{self, MutatedFile};
use meshspec::{AnyFormat, Dialect, Format, Limits, ReadOptions, Severity, WriteOptions};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};

use crate::common::cases;
use crate::fuzz::{Input, ReaderResults};

/// The contradictions in all files: the number and the smallest file of each kind.
#[derive(Default)]
struct Contradictions {
    files: usize,
    kinds: BTreeMap<String, (usize, String, Vec<u8>)>,
}

impl Contradictions {
    fn add(&mut self, kind: String, what: String, bytes: &[u8]) {
        let (count, smallest, file) = self
            .kinds
            .entry(kind)
            .or_insert_with(|| (0, what.clone(), bytes.to_vec()));
        *count += 1;
        if bytes.len() < file.len() {
            (*smallest, *file) = (what, bytes.to_vec());
        }
    }

    fn require_none(&self, what: &str) {
        let all: usize = self.kinds.values().map(|(count, ..)| count).sum();
        println!("{what}: {} files, {all} contradictions", self.files);
        let mut list = String::new();
        for (kind, (count, smallest, bytes)) in &self.kinds {
            writeln!(
                list,
                "{count} times: {kind}\n    {smallest}\n    {bytes:02x?}"
            )
            .unwrap();
        }
        assert!(list.is_empty(), "{what}:\n{list}");
    }
}

fn deterministic_runner() -> TestRunner {
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    TestRunner::new_with_rng(ProptestConfig::default(), rng)
}

/// Returns the files of generated documents, with their dialects. Every run returns the same ones.
fn files<D: Format + std::fmt::Debug>(
    strategy: impl Strategy<Value = D>,
    count: u32,
) -> impl Iterator<Item = (Dialect, Vec<u8>)> {
    let mut runner = deterministic_runner();
    (0..count).map(move |_| {
        let document = strategy.new_tree(&mut runner).unwrap().current();
        (
            document.dialect(),
            document.write(&WriteOptions::default()).unwrap(),
        )
    })
}

/// Asserts that the readers agree with the verdict of each breakage.
fn check_broken<D: Format + std::fmt::Debug>(
    format: AnyFormat,
    strategy: impl Strategy<Value = D>,
) {
    let any = format;
    let mut contradictions = Contradictions::default();
    for (dialect, bytes) in files(strategy, cases(10)) {
        let options = ReadOptions::default().with_dialect(dialect);
        for broken in any.breakages(&bytes, &options).unwrap() {
            contradictions.files += 1;
            let results = ReaderResults::of(
                Input {
                    format,
                    dialect,
                    bytes: &broken.bytes,
                },
                &Limits::default(),
            );
            if let Some(kind) = results.contradiction() {
                contradictions.add(kind, broken.to_string(), &broken.bytes);
            }
            let rule = broken.rule.map(|rule| rule.code);
            let is_error = broken.severity >= Severity::Error;
            let report = results.report.as_ref().unwrap();
            let found = report
                .findings()
                .iter()
                .find(|found| Some(found.rule.code) == rule);
            let is_found =
                found.is_some_and(|found| (found.rule.severity >= Severity::Error) == is_error);
            if !is_found || results.strict.is_err() != is_error {
                let (severity, rule) = (broken.severity.label(), rule.unwrap_or("-"));
                let strict = if results.strict.is_ok() {
                    "accepts"
                } else {
                    "rejects"
                };
                let errors = results.broken_rules(Severity::Error);
                let kind = format!(
                    "called {severity} {rule}, but strict reading {strict}, check: {errors:?}"
                );
                contradictions.add(kind, broken.to_string(), &broken.bytes);
            }
        }
    }
    contradictions.require_none(format.name());
}

/// Asserts that readers and checks agree on mutated files in each dialect. Shrinks the first file of each kind of
/// contradiction.
fn check_mutated<D: Format + std::fmt::Debug>(
    format: AnyFormat,
    strategy: impl Strategy<Value = D>,
) {
    let files = strategy.prop_map(|document| document.write(&WriteOptions::default()).unwrap());
    let mutated = generate::mutations(files);
    let mut contradictions = Contradictions::default();
    let mut runner = deterministic_runner();
    let kinds_of = |mutated: &MutatedFile| -> Vec<String> {
        let dialects = format.about().dialects.iter();
        let inputs = dialects.map(|dialect| Input {
            format,
            dialect: *dialect,
            bytes: &mutated.bytes,
        });
        inputs
            .filter_map(|input| ReaderResults::of(input, &Limits::default()).contradiction())
            .collect()
    };
    for _ in 0..cases(100) {
        contradictions.files += 1;
        let mut tree = mutated.new_tree(&mut runner).unwrap();
        for kind in kinds_of(&tree.current()) {
            let mut steps = 0..if contradictions.kinds.contains_key(&kind) {
                0
            } else {
                2000
            };
            let mut is_it = true;
            while steps.next().is_some()
                && if is_it {
                    tree.simplify()
                } else {
                    tree.complicate()
                }
            {
                is_it = kinds_of(&tree.current()).contains(&kind);
            }
            let smallest = tree.current();
            contradictions.add(kind, smallest.to_string(), &smallest.bytes);
        }
    }
    contradictions.require_none(format.name());
}

macro_rules! formats {
    ($($format:ident: [$($check:ident),+];)+) => {
        $(mod $format {
            $(#[test]
            fn $check() {
                super::$check(meshspec::$format::FORMAT, meshspec::$format::strategy::documents());
            })+
        })+
    };
}

formats! {
    mesh: [check_broken, check_mutated];
    crucible: [check_broken, check_mutated];
    iyma: [check_broken, check_mutated];
    bmd: [check_broken, check_mutated];
    seed: [check_broken, check_mutated];
}
