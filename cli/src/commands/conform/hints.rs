//! Prints hints if the results suggest a wrong setup.

use std::io::Write;

use meshspec::conformance::corpus::Verdict;

use super::capture::PrintedOutput;
use super::disagreement::DisagreementKind;
use super::group::LoaderOutcome;
use super::loader::RunEnd;
use crate::input::text_of;
use crate::terminal::{Escaped, HINT};

/// Prints a hint if every run crashes under a memory limit, if the loader prints output but never contents, or if it
/// rejects all files, including valid ones, with the same status and message. Returns `true` in the last case: the
/// loader apparently fails before it reads any file.
pub fn print_hints(outcomes: &[LoaderOutcome], has_memory_limit: bool) -> bool {
    if has_memory_limit
        && outcomes
            .iter()
            .all(|outcome| outcome.disagreement_kind() == Some(DisagreementKind::Crash))
    {
        print_hint("every run crashed; sanitizers need --memory 0");
    }
    let printed: Vec<_> = outcomes
        .iter()
        .filter_map(|o| Some((o, o.result.printed.as_ref()?)))
        .collect();
    if !printed
        .iter()
        .any(|(_, printed)| **printed == PrintedOutput::Contents)
    {
        let text = |printed: &PrintedOutput| match printed {
            PrintedOutput::Empty => Some("{}".to_owned()),
            PrintedOutput::Other(text) => Some(text.clone()),
            PrintedOutput::Nothing | PrintedOutput::Contents => None,
        };
        let other = printed
            .iter()
            .find_map(|(outcome, printed)| Some((outcome, text(printed)?)));
        if let Some((outcome, text)) = other {
            let file = text_of(&outcome.case.file);
            print_hint(&format!(
                "{file}: expected contents as JSON on standard output, found: {text}; print messages to standard error"
            ));
        }
    }
    let rejection = same_rejection(outcomes);
    if let Some((status, stderr)) = &rejection {
        print_hint(&format!(
            "the loader rejects every file with status {status}: {stderr}; does it start at all?"
        ));
    }
    rejection.is_some()
}

/// If the loader rejects all files, including valid ones, with the same exit status and standard error, returns both.
/// `None` for a single file or an empty standard error.
fn same_rejection(outcomes: &[LoaderOutcome]) -> Option<(i32, String)> {
    let rejection = |outcome: &LoaderOutcome| match outcome.result.end {
        RunEnd::Rejects(status) => {
            let file = text_of(&outcome.case.file);
            Some((status, outcome.result.stderr.replace(&file, "{}")))
        }
        _ => None,
    };
    let first = rejection(outcomes.first()?)?;
    let is_wrong = outcomes
        .iter()
        .any(|outcome| outcome.expected == Verdict::Accept);
    let are_same = outcomes.len() > 1
        && outcomes
            .iter()
            .all(|other| rejection(other).as_ref() == Some(&first));
    (is_wrong && are_same && !first.1.is_empty()).then_some(first)
}

/// Prints a hint. Ignores errors from writing to standard error.
fn print_hint(text: &str) {
    let _ = writeln!(anstream::stderr(), "{HINT}hint{HINT:#}: {}", Escaped(text));
}
