//! Strict and lenient reading, `check`, the walker and the breaker agree about every file: valid, broken or mutated.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::ControlFlow;

use meshspec::layout::generate::{self, Mutated};
use meshspec::layout::walk;
use meshspec::{
    AnyFormat, Dialect, Document, Format, FormatId, Limits, ReadOptions, Report, Severity, WriteOptions,
};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};

use crate::common::cases;

/// What each judge of a file concludes.
struct Opinions {
    strict: meshspec::Result<Document>,
    lenient: meshspec::Result<Document>,
    report: meshspec::Result<Report>,
    /// The first fault that the walker finds or, of a text, the first finding that is fatal for one of its lines.
    fault: Option<String>,
}

impl Opinions {
    fn of(format: FormatId, dialect: Dialect, bytes: &[u8]) -> Opinions {
        let strict = ReadOptions::default().with_dialect(dialect);
        let lenient = ReadOptions::lenient().with_dialect(dialect);
        Opinions {
            strict: format.read(bytes, &strict),
            lenient: format.read(bytes, &lenient),
            report: meshspec::check(bytes, format, &strict),
            fault: fault(format, dialect, bytes),
        }
    }

    /// The codes of the rules of at least this severity that the file breaks.
    fn broken_rules(&self, min: Severity) -> Vec<&'static str> {
        let findings = self.report.iter().flat_map(|report| report.findings());
        findings.filter(|finding| finding.rule.severity >= min).map(|finding| finding.rule.code).collect()
    }

    /// The first contradiction between two of them. Findings of the same rule count as one.
    fn contradiction(&self) -> Option<String> {
        let verdict = |result: &meshspec::Result<Document>| match result {
            Ok(_) => "accepts".to_owned(),
            Err(error) => format!("refuses ({})", error.rule().map_or("-", |rule| rule.code)),
        };
        let strict = || format!("strict reading {}", verdict(&self.strict));
        let lenient = || format!("lenient reading {}", verdict(&self.lenient));
        let (mut errors, fatal) = (self.broken_rules(Severity::Error), self.broken_rules(Severity::Fatal));
        errors.dedup();
        let check = || match &self.report {
            Ok(_) => format!("check finds {errors:?}"),
            Err(error) => format!("check fails ({})", error.message()),
        };
        if self.strict.is_err() != (self.report.is_err() || !errors.is_empty()) {
            return Some(format!("{}, {}", strict(), check()));
        }
        if self.lenient.is_err() != (self.report.is_err() || !fatal.is_empty()) {
            return Some(format!("{}, {}", lenient(), check()));
        }
        for (result, is_it) in [(&self.strict, &errors), (&self.lenient, &fatal)] {
            if let (Err(error), Ok(_)) = (result, &self.report)
                && error.rule().is_none_or(|rule| !is_it.contains(&rule.code))
            {
                return Some(format!("reading {}, {}", verdict(result), check()));
            }
        }
        match &self.fault {
            Some(fault) if self.lenient.is_ok() => Some(format!("{}, the walker finds {fault}", lenient())),
            _ => None,
        }
    }
}

fn fault(format: FormatId, dialect: Dialect, bytes: &[u8]) -> Option<String> {
    if let Some(layout) = format.layout_of(bytes, dialect) {
        let fault = walk::first_fault(layout, bytes, &Limits::default())?;
        return Some(format!("{:?} {:?}", fault.kind, fault.rule));
    }
    let mut findings = AnyFormat::from(format).check_lines(bytes).findings().to_vec();
    AnyFormat::from(format).lines(bytes, &mut |line| {
        findings.extend_from_slice(&line.findings);
        ControlFlow::Continue(())
    });
    let fatal = findings.iter().find(|finding| finding.rule.severity == Severity::Fatal);
    fatal.map(|finding| finding.rule.code.to_owned())
}

/// The contradictions of all files: how often there is one of each kind, and the smallest file with it.
#[derive(Default)]
struct Contradictions {
    files: usize,
    kinds: BTreeMap<String, (usize, String, Vec<u8>)>,
}

impl Contradictions {
    fn add(&mut self, kind: String, what: String, bytes: &[u8]) {
        let (count, smallest, file) =
            self.kinds.entry(kind).or_insert_with(|| (0, what.clone(), bytes.to_vec()));
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
            writeln!(list, "{count} times: {kind}\n    {smallest}\n    {bytes:02x?}").unwrap();
        }
        assert!(list.is_empty(), "{what}:\n{list}");
    }
}

fn deterministic() -> TestRunner {
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    TestRunner::new_with_rng(ProptestConfig::default(), rng)
}

/// Documents and their files, the same in every run.
fn files<D: Format + std::fmt::Debug>(
    strategy: impl Strategy<Value = D>,
    count: u32,
) -> impl Iterator<Item = (Dialect, Vec<u8>)> {
    let mut runner = deterministic();
    (0..count).map(move |_| {
        let document = strategy.new_tree(&mut runner).unwrap().current();
        (document.dialect(), document.write(&WriteOptions::default()).unwrap())
    })
}

/// The verdict of each broken file is that of its readers.
fn check_broken<D: Format + std::fmt::Debug>(format: FormatId, strategy: impl Strategy<Value = D>) {
    let any = AnyFormat::from(format);
    let mut contradictions = Contradictions::default();
    for (dialect, bytes) in files(strategy, cases(10)) {
        let options = ReadOptions::default().with_dialect(dialect);
        for broken in any.breakages(&bytes, &options).unwrap() {
            contradictions.files += 1;
            let opinions = Opinions::of(format, dialect, &broken.bytes);
            if let Some(kind) = opinions.contradiction() {
                contradictions.add(kind, broken.to_string(), &broken.bytes);
            }
            let rule = broken.rule.map(|rule| rule.code);
            let is_error = broken.severity >= Severity::Error;
            let report = opinions.report.as_ref().unwrap();
            let found = report.findings().iter().find(|found| Some(found.rule.code) == rule);
            let is_found = found.is_some_and(|found| (found.rule.severity >= Severity::Error) == is_error);
            if !is_found || opinions.strict.is_err() != is_error {
                let (severity, rule) = (broken.severity.label(), rule.unwrap_or("-"));
                let strict = if opinions.strict.is_ok() { "accepts" } else { "refuses" };
                let errors = opinions.broken_rules(Severity::Error);
                let kind =
                    format!("called {severity} {rule}, but strict reading {strict}, check: {errors:?}");
                contradictions.add(kind, broken.to_string(), &broken.bytes);
            }
        }
    }
    contradictions.require_none(format.name());
}

/// Readers and checks conclude the same of mutated files, in each dialect. Of each kind of contradiction, the first file
/// is shrunk.
fn check_mutated<D: Format + std::fmt::Debug>(format: FormatId, strategy: impl Strategy<Value = D>) {
    let files = strategy.prop_map(|document| document.write(&WriteOptions::default()).unwrap());
    let mutated = generate::mutations(files);
    let mut contradictions = Contradictions::default();
    let mut runner = deterministic();
    let kinds_of = |mutated: &Mutated| -> Vec<String> {
        let dialects = format.about().dialects.iter();
        dialects
            .filter_map(|dialect| Opinions::of(format, *dialect, &mutated.bytes).contradiction())
            .collect()
    };
    for _ in 0..cases(100) {
        contradictions.files += 1;
        let mut tree = mutated.new_tree(&mut runner).unwrap();
        for kind in kinds_of(&tree.current()) {
            let mut steps = 0..if contradictions.kinds.contains_key(&kind) { 0 } else { 2000 };
            let mut is_it = true;
            while steps.next().is_some() && if is_it { tree.simplify() } else { tree.complicate() } {
                is_it = kinds_of(&tree.current()).contains(&kind);
            }
            let smallest = tree.current();
            contradictions.add(kind, smallest.to_string(), &smallest.bytes);
        }
    }
    contradictions.require_none(format.name());
}

macro_rules! formats {
    ($($format:ident: $id:ident, [$($check:ident),+];)+) => {
        $(mod $format {
            $(#[test]
            fn $check() {
                super::$check(meshspec::FormatId::$id, meshspec::$format::strategy::documents());
            })+
        })+
    };
}

formats! {
    mesh: Mesh, [check_broken, check_mutated];
    crucible: Crucible, [check_broken, check_mutated];
    iyma: Iyma, [check_broken, check_mutated];
    bmd: Bmd, [check_broken, check_mutated];
    seed: Seed, [check_broken, check_mutated];
}
