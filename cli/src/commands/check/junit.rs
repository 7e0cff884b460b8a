//! Writes results as JUnit XML, with a test case per file.

use std::io;
use std::path::Path;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::checked::CheckResult;
use crate::failure::Status;
use crate::input::text_of;
use crate::junit::{self, escaped};
use crate::per_file::FileResult;

pub struct TestCases(TestSuite);

impl TestCases {
    pub fn new() -> TestCases {
        TestCases(TestSuite::new("meshspec check"))
    }

    pub fn add(&mut self, case: TestCase) {
        self.0.add_test_case(case);
    }

    pub fn write(self, out: &mut dyn io::Write) -> io::Result<()> {
        let mut report = Report::new("meshspec");
        report.add_test_suite(self.0);
        junit::write(&report, out)
    }
}

/// Returns the test case of a checked file. Lists findings in the description of a failure, or in the standard output
/// of a success.
pub fn test_case(checked: &CheckResult) -> TestCase {
    let findings = checked.findings_text();
    let is_failure = checked.status() != Status::Success;
    let status = match is_failure {
        true => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status
                .set_message(checked.counts_text())
                .set_description(escaped(&findings));
            if let Some(worst) = checked.worst_rule() {
                status.set_type(worst.code);
            }
            status
        }
        false => TestCaseStatus::success(),
    };
    let mut case = TestCase::new(escaped(&checked.file), status);
    case.set_classname(checked.format);
    if !is_failure && !findings.is_empty() {
        case.set_system_out(escaped(&findings));
    }
    case
}

/// Returns the test case of a file that cannot be read.
pub fn failed_test_case(file: &Path, message: &str) -> TestCase {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
    status.set_message(escaped(message));
    TestCase::new(escaped(&text_of(file)), status)
}
