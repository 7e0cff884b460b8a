//! Hints about problems of the whole run.

use std::io::Write;

use meshspec::conformance::corpus::Verdict;

use super::capture::Printed;
use super::disagreement::Problem;
use super::group::Outcome;
use super::loader::End;
use crate::terminal::{Escaped, HINT};

/// Prints the applicable hints. Returns `true` if the loader apparently reads no file.
pub fn give(outcomes: &[Outcome], has_memory_limit: bool) -> bool {
    if has_memory_limit && outcomes.iter().all(|outcome| outcome.problem() == Some(Problem::Crash)) {
        hint("every run crashed; sanitizers need --memory 0");
    }
    let printed: Vec<_> = outcomes.iter().filter_map(|o| Some((o, o.result.printed.as_ref()?))).collect();
    if !printed.iter().any(|(_, printed)| **printed == Printed::Contents) {
        let text = |printed: &Printed| match printed {
            Printed::Empty => Some("{}".to_owned()),
            Printed::Other(text) => Some(text.clone()),
            Printed::Nothing | Printed::Contents => None,
        };
        let other = printed.iter().find_map(|(outcome, printed)| Some((outcome, text(printed)?)));
        if let Some((outcome, text)) = other {
            let file = outcome.case.file.display();
            hint(&format!(
                "{file}: expected contents as JSON on standard output, found: {text}; print messages to standard error"
            ));
        }
    }
    let same = same_rejection(outcomes);
    if let Some((status, stderr)) = &same {
        hint(&format!("the loader rejects every file with status {status}: {stderr}; does it start at all?"));
    }
    same.is_some()
}

/// Returns exit status and standard error if they are equal for all files, valid or not.
fn same_rejection(outcomes: &[Outcome]) -> Option<(i32, String)> {
    let rejection = |outcome: &Outcome| match outcome.result.end {
        End::Rejects(status) => {
            let file = outcome.case.file.display().to_string();
            Some((status, outcome.result.stderr.replace(&file, "{}")))
        }
        _ => None,
    };
    let first = rejection(outcomes.first()?)?;
    let is_wrong = outcomes.iter().any(|outcome| outcome.expected == Verdict::Accept);
    let are_same =
        outcomes.len() > 1 && outcomes.iter().all(|other| rejection(other).as_ref() == Some(&first));
    (is_wrong && are_same && !first.1.is_empty()).then_some(first)
}

/// Prints a hint. Ignores a closed standard error.
fn hint(text: &str) {
    let _ = writeln!(anstream::stderr(), "{HINT}hint{HINT:#}: {}", Escaped(text));
}
