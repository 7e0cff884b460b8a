//! Prints the report as JUnit XML: a test suite per format, a test case per file.

use std::collections::BTreeMap;
use std::io::{self, Write};

use quick_junit::{NonSuccessKind, Report as Document, TestCase, TestCaseStatus, TestSuite};

use super::Report;
use crate::commands::conform::disagreement::{Disagreement, DisagreementKind};
use crate::commands::conform::group::LoaderOutcome;
use crate::junit::{self, escaped};

pub fn print(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let mut suites: BTreeMap<&str, TestSuite> = BTreeMap::new();
    for outcome in report.outcomes {
        let format = &*outcome.case.entry.format;
        suites
            .entry(format)
            .or_insert_with(|| TestSuite::new(escaped(format)))
            .add_test_case(test_case(outcome));
    }
    let mut document = Document::new(escaped(&format!("meshspec conform {}", report.index)));
    document.add_test_suites(suites.into_values());
    junit::write(&document, out)
}

fn test_case(outcome: &LoaderOutcome) -> TestCase {
    let entry = &outcome.case.entry;
    let status = outcome
        .result
        .disagreement
        .as_ref()
        .map_or_else(TestCaseStatus::success, |found| {
            failed_status(found, outcome)
        });
    let mut case = TestCase::new(escaped(&entry.file), status);
    case.set_classname(escaped(outcome.case.rule().unwrap_or(entry.kind.name())));
    case.set_time(outcome.result.time);
    if !outcome.result.stderr.is_empty() {
        case.set_system_err(escaped(&outcome.result.stderr));
    }
    case
}

/// Returns the status of a test case with a disagreement: an error for a crash or hang, otherwise a failure.
fn failed_status(disagreement: &Disagreement, outcome: &LoaderOutcome) -> TestCaseStatus {
    let kind = match disagreement.kind {
        DisagreementKind::Crash | DisagreementKind::Hang => NonSuccessKind::Error,
        DisagreementKind::WrongVerdict | DisagreementKind::WrongContents => NonSuccessKind::Failure,
    };
    let mut status = TestCaseStatus::non_success(kind);
    status.set_type(disagreement.kind.to_string());
    status.set_message(escaped(&disagreement.message));
    status.set_description(escaped(&outcome.case.entry.description));
    status
}
