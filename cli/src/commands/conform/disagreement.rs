//! Disagreements between a loader and the expected verdicts and contents of a corpus.

use std::fmt;

use meshspec::conformance::corpus::Verdict;
use meshspec::contents::Difference;
use serde::Serialize;

use super::capture::PrintedOutput;
use super::loader::{LoaderRun, RunEnd};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DisagreementKind {
    Crash,
    Hang,
    WrongVerdict,
    WrongContents,
}

/// A disagreement of the loader with the expected result for a file.
#[derive(Debug, Clone)]
pub struct Disagreement {
    pub kind: DisagreementKind,
    /// Distinguishes bugs of the same kind: the signal or exit status, the expected verdict, or the path in the
    /// contents; empty for hangs.
    pub subject: String,
    pub message: String,
}

impl DisagreementKind {
    pub const ALL: [DisagreementKind; 4] = [
        DisagreementKind::Crash,
        DisagreementKind::Hang,
        DisagreementKind::WrongVerdict,
        DisagreementKind::WrongContents,
    ];

    pub fn singular(self) -> &'static str {
        match self {
            DisagreementKind::Crash => "crash",
            DisagreementKind::Hang => "hang",
            DisagreementKind::WrongVerdict => "wrong verdict",
            DisagreementKind::WrongContents => "file with wrong contents",
        }
    }

    pub fn plural(self) -> &'static str {
        match self {
            DisagreementKind::Crash => "crashes",
            DisagreementKind::Hang => "hangs",
            DisagreementKind::WrongVerdict => "wrong verdicts",
            DisagreementKind::WrongContents => "files with wrong contents",
        }
    }
}

impl fmt::Display for DisagreementKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DisagreementKind::WrongContents => "wrong contents",
            kind => kind.singular(),
        })
    }
}

impl Disagreement {
    /// Compares the end of a run with the expected verdict. Returns `None` if they agree. A crash or hang is
    /// always a disagreement.
    pub fn compare_verdict(expected: Verdict, run: &LoaderRun) -> Option<Disagreement> {
        let new = |kind, subject: String, message| {
            Some(Disagreement {
                kind,
                subject,
                message,
            })
        };
        match (&run.end, expected) {
            (RunEnd::Accepts, Verdict::Accept) | (RunEnd::Rejects(_), Verdict::Reject) => None,
            (RunEnd::Crashes(how), _) => new(
                DisagreementKind::Crash,
                how.clone(),
                format!("the loader crashes: {how}"),
            ),
            (RunEnd::Hangs, _) => {
                let seconds = run.time.as_secs_f64();
                new(
                    DisagreementKind::Hang,
                    String::new(),
                    format!("killed after {seconds:.1} s"),
                )
            }
            (RunEnd::Accepts, Verdict::Reject) => new(
                DisagreementKind::WrongVerdict,
                "reject".to_owned(),
                "accepted, must be rejected".to_owned(),
            ),
            (RunEnd::Rejects(status), Verdict::Accept) => {
                let message = format!("rejected with status {status}, must be accepted");
                new(DisagreementKind::WrongVerdict, "accept".to_owned(), message)
            }
        }
    }

    /// Creates a disagreement about contents, from the first difference and the total number of differences.
    pub fn wrong_contents(first: &Difference, total: u64) -> Disagreement {
        let more = if total > 1 {
            format!(", and {} more", total - 1)
        } else {
            String::new()
        };
        Disagreement {
            kind: DisagreementKind::WrongContents,
            subject: without_indices(&first.path),
            message: format!("{first}{more}"),
        }
    }

    /// Creates a disagreement about output that is not valid contents.
    pub fn wrong_output(message: String) -> Disagreement {
        Disagreement {
            kind: DisagreementKind::WrongContents,
            subject: "output".to_owned(),
            message,
        }
    }

    /// Creates a disagreement about missing contents; `None` if the loader printed a JSON object.
    pub fn missing_contents(printed: &PrintedOutput) -> Option<Disagreement> {
        match printed {
            PrintedOutput::Contents | PrintedOutput::Empty => None,
            PrintedOutput::Nothing => Some(Disagreement::wrong_output(
                "the loader prints no contents".to_owned(),
            )),
            PrintedOutput::Other(text) => Some(Disagreement::wrong_output(format!(
                "expected contents, but the loader prints: {text}"
            ))),
        }
    }

    /// Returns `true` if the kinds and subjects are equal. If the rules are also equal, the cause is probably the same
    /// bug.
    pub fn has_same_symptom(&self, other: &Disagreement) -> bool {
        (self.kind, &self.subject) == (other.kind, &other.subject)
    }
}

/// Returns a path without list indices: `meshes[].attributes.position.values[]`.
fn without_indices(path: &str) -> String {
    let mut kept = String::new();
    for part in path.split('[') {
        match part.split_once(']') {
            Some((_, rest)) => kept.extend(["[]", rest]),
            None => kept.push_str(part),
        }
    }
    kept
}
