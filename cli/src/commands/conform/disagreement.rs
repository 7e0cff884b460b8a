//! Disagreements of a loader with the verdicts of a corpus.

use std::fmt;

use meshspec::conformance::corpus::Verdict;
use meshspec::contents::Difference;
use serde::Serialize;

use super::capture::Printed;
use super::loader::{End, Run};

/// The kind of a disagreement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Problem {
    Crash,
    Hang,
    WrongVerdict,
    WrongContents,
}

/// A disagreement about a file.
#[derive(Debug, Clone)]
pub struct Disagreement {
    pub problem: Problem,
    /// Distinguishes bugs with the same problem: the signal, the expected verdict, or the path in the contents.
    pub subject: String,
    pub message: String,
}

impl Problem {
    pub const ALL: [Problem; 4] =
        [Problem::Crash, Problem::Hang, Problem::WrongVerdict, Problem::WrongContents];

    pub fn singular(self) -> &'static str {
        match self {
            Problem::Crash => "crash",
            Problem::Hang => "hang",
            Problem::WrongVerdict => "wrong verdict",
            Problem::WrongContents => "file with wrong contents",
        }
    }

    pub fn plural(self) -> &'static str {
        match self {
            Problem::Crash => "crashes",
            Problem::Hang => "hangs",
            Problem::WrongVerdict => "wrong verdicts",
            Problem::WrongContents => "files with wrong contents",
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Problem::WrongContents => "wrong contents",
            problem => problem.singular(),
        })
    }
}

impl Disagreement {
    /// Compares the end of a run with the expected verdict. A crash is not a verdict.
    pub fn in_verdict(expected: Verdict, run: &Run) -> Option<Disagreement> {
        let new = |problem, subject: String, message| Some(Disagreement { problem, subject, message });
        match (&run.end, expected) {
            (End::Accepts, Verdict::Accept) | (End::Rejects(_), Verdict::Reject) => None,
            (End::Crashes(how), _) => new(Problem::Crash, how.clone(), format!("the loader crashes: {how}")),
            (End::Hangs, _) => {
                let seconds = run.time.as_secs_f64();
                new(Problem::Hang, String::new(), format!("killed after {seconds:.1} s"))
            }
            (End::Accepts, Verdict::Reject) => {
                new(Problem::WrongVerdict, "reject".to_owned(), "accepted, must be rejected".to_owned())
            }
            (End::Rejects(status), Verdict::Accept) => {
                let message = format!("rejected with status {status}, must be accepted");
                new(Problem::WrongVerdict, "accept".to_owned(), message)
            }
        }
    }

    /// Creates a disagreement about contents from the first difference.
    pub fn in_contents(first: &Difference, total: u64) -> Disagreement {
        let more = if total > 1 { format!(", and {} more", total - 1) } else { String::new() };
        Disagreement {
            problem: Problem::WrongContents,
            subject: without_positions(&first.path),
            message: format!("{first}{more}"),
        }
    }

    /// Creates a disagreement about an output that is not contents.
    pub fn in_output(message: String) -> Disagreement {
        Disagreement { problem: Problem::WrongContents, subject: "output".to_owned(), message }
    }

    /// Creates a disagreement about missing contents; `None` if the loader printed an object.
    pub fn no_contents(printed: &Printed) -> Option<Disagreement> {
        match printed {
            Printed::Contents | Printed::Empty => None,
            Printed::Nothing => Some(Disagreement::in_output("the loader prints no contents".to_owned())),
            Printed::Other(text) => {
                Some(Disagreement::in_output(format!("the loader prints no contents but: {text}")))
            }
        }
    }

    /// Returns `true` if the other disagreement, with the same rule, is likely the same bug.
    pub fn is_like(&self, other: &Disagreement) -> bool {
        (self.problem, &self.subject) == (other.problem, &other.subject)
    }
}

/// Returns a path without list indices: `meshes[].attributes.position.values[]`.
fn without_positions(path: &str) -> String {
    let mut kept = String::new();
    for part in path.split('[') {
        match part.split_once(']') {
            Some((_, rest)) => kept.extend(["[]", rest]),
            None => kept.push_str(part),
        }
    }
    kept
}
