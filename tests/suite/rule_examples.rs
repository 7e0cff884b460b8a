//! Rule examples: `check` finds exactly the rule in the violating file, and nothing in the correct one.

use std::collections::BTreeMap;

use meshspec::interop::Interchange;
use meshspec::{AnyFormat, Format, Formats, ReadOptions, Report, Rule, RuleExample, iyma};

/// Pairs of rules: a file that breaks the first rule also breaks the second.
const IMPLIED: [(&str, &str); 3] = [
    ("MESH-VERTEX-UNBOUND", "MESH-VERTEX-JOINT"),
    ("MESH-JOINT-ID", "MESH-JOINT-ORDER"),
    ("MESH-NO-STRINGS", "MESH-NAME"),
];

/// A rule that every violating file breaks at least twice: swapping two joints breaks it for both.
const TWICE: &str = "MESH-JOINT-ORDER";

/// A rule that no file breaks, only a document in memory.
const DOCUMENT_RULE: &str = "SEED-COMMENT";

/// Checks one file of an example.
fn check(format: AnyFormat, example: &RuleExample, bytes: &[u8]) -> Report {
    let options = ReadOptions::default().with_dialect(example.dialect);
    meshspec::check(bytes, format, &options).unwrap()
}

fn codes(report: &Report) -> Vec<&str> {
    report
        .findings()
        .iter()
        .map(|finding| finding.rule.code)
        .collect()
}

/// Returns a message about a defect in the example of a rule; `None` if the example is correct.
fn fault(format: AnyFormat, rule: &'static Rule) -> Option<String> {
    let Some(example) = format.example_of(rule) else {
        return Some(format!("{}: no example", rule.code));
    };
    let violating = check(format, &example, &example.violating);
    let correct = check(format, &example, &example.correct);
    let implied = IMPLIED
        .iter()
        .find(|(code, _)| *code == rule.code)
        .map(|(_, implied)| *implied);
    let mut expected: Vec<&str> = implied.into_iter().chain([rule.code]).collect();
    let mut found = codes(&violating);
    expected.sort_unstable();
    found.sort_unstable();
    if rule.code == TWICE {
        found.dedup();
    }
    let is_right =
        found == expected && correct.findings().is_empty() && example.violating.len() < 8192;
    (!is_right).then(|| format!("{}: {violating:?}, correct: {correct:?}", rule.code))
}

#[test]
#[ignore = "takes many seconds of processor time: `.ci/run` runs it"]
fn every_rule_has_an_example_that_breaks_it_alone() {
    let rules = Formats::BUILT_IN
        .iter()
        .flat_map(|id| id.about().rules.iter().map(|rule| (*id, *rule)));
    let rules: Vec<_> = rules
        .filter(|(_, rule)| rule.code != DOCUMENT_RULE)
        .collect();
    let faults: Vec<_> = rules
        .iter()
        .filter_map(|(format, rule)| fault(*format, rule))
        .collect();
    assert_eq!(rules.len(), 96);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn interchange_formats_have_examples() {
    for format in Interchange::ALL {
        let example = format.rule_example();
        let check = |bytes: &[u8]| {
            format
                .check(
                    bytes,
                    &BTreeMap::<String, Vec<u8>>::new(),
                    &ReadOptions::default(),
                )
                .unwrap()
        };
        assert_eq!(codes(&check(&example.violating)), [format.rule().code]);
        assert!(check(&example.correct).findings().is_empty(), "{format:?}");
    }
}

#[test]
fn rules_cite_interpretations_that_exist() {
    for format in Formats::BUILT_IN {
        for rule in format.about().rules {
            let rows: Vec<&str> = rule.row.split(", ").filter(|row| !row.is_empty()).collect();
            let cited = format.interpretations_of(rule);
            assert_eq!(
                cited.iter().map(|row| row.row).collect::<Vec<_>>(),
                rows,
                "{}",
                rule.code
            );
            assert!(
                cited
                    .iter()
                    .all(|row| !row.question.is_empty() && !row.reading.contains(" | "))
            );
        }
    }
}

/// Only the frame around the data of a triangle differs: it is too wide, or has one byte too many.
#[test]
fn examples_of_wrong_frames_keep_the_data() {
    for (code, more) in [("IYMA-WINDOW", 0), ("IYMA-DATA-SIZE", 1)] {
        let rule = iyma::FORMAT.about().rule(code).unwrap();
        let example = iyma::FORMAT.example_of(rule).unwrap();
        let document = iyma::Document::read(&example.correct, &ReadOptions::default()).unwrap();
        let mut data = document.indices.unwrap().data.to_vec();
        document
            .attributes
            .iter()
            .for_each(|attribute| data.extend(attribute.data.iter()));
        assert!(!data.is_empty());
        let end = example.violating.len() - more;
        assert!(example.violating[..end].ends_with(&data), "{code}");
    }
}
