//! Failures of commands and their exit statuses.

use std::collections::BTreeSet;
use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use meshspec::{ErrorKind, Limit, Loss, Span};

use crate::terminal::{ERROR, Escaped, HINT};
use crate::text_excerpt::TextExcerpt;

/// The hint for an output and an image with the same name.
pub const RENAME: &str = "choose another name for the output";

/// The hint for an exceeded limit.
const RAISE: &str = "info, check, convert, diff, render and view raise the limit with --max-triangles";

pub type Result<T, E = Failure> = std::result::Result<T, E>;

/// The result of a command: that of the worst of several files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    Fine = 0,
    /// The input is invalid, a loader disagrees, or `--strict` prevents a loss.
    Invalid = 1,
    Usage = 2,
    Io = 3,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status as u8)
    }
}

/// The failure of a command.
#[derive(Debug)]
pub struct Failure {
    pub status: Status,
    message: String,
    hint: Option<String>,
    /// The erroneous line.
    excerpt: Option<String>,
}

impl Failure {
    fn new(status: Status, place: &str, message: impl fmt::Display) -> Failure {
        Failure { status, message: format!("{place}: {message}"), hint: None, excerpt: None }
    }

    /// Creates a failure for invalid input at `place`.
    pub fn invalid(place: &str, message: impl fmt::Display) -> Failure {
        Failure::new(Status::Invalid, place, message)
    }

    /// Creates a failure for losses of `place` that `--strict` forbids.
    pub fn lossy(place: &str, losses: &[Loss]) -> Failure {
        let verb = if losses.len() == 1 { "is" } else { "are" };
        let count = losses.len();
        Failure::invalid(
            place,
            format_args!("not written: --strict allows no losses, and there {verb} {count}"),
        )
    }

    /// Creates a failure for incorrect usage.
    pub fn usage(place: &str, message: impl fmt::Display) -> Failure {
        Failure::new(Status::Usage, place, message)
    }

    /// Creates a failure for an I/O error of the file at `place`.
    pub fn io(place: &str, error: &io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::AlreadyExists => Failure::exists(place),
            _ => Failure::new(Status::Io, place, error),
        }
    }

    /// Creates a failure for an existing file at `place`, which only `--force` overwrites.
    pub fn exists(place: &str) -> Failure {
        Failure::usage(place, "the file exists already").with_hint("overwrite it with --force")
    }

    /// Creates a failure from an error of writing the content of `place`. I/O errors already name the output.
    pub fn of_writing(place: &str, error: &meshspec::Error) -> Failure {
        if error.kind() != ErrorKind::Io {
            return Failure::of(place, error);
        }
        let source = std::error::Error::source(error).and_then(|source| source.downcast_ref::<io::Error>());
        if source.is_some_and(|source| source.kind() == io::ErrorKind::AlreadyExists) {
            return Failure::exists(error.message());
        }
        if source.is_some_and(|source| source.kind() == io::ErrorKind::InvalidInput) {
            let message = error.message().to_owned();
            let failure = Failure { status: Status::Usage, message, hint: None, excerpt: None };
            return failure.with_hint(RENAME);
        }
        Failure { status: Status::Io, message: error.message().to_owned(), hint: None, excerpt: None }
    }

    /// Creates a failure from an error of the library about the file at `place`.
    pub fn of(place: &str, error: &meshspec::Error) -> Failure {
        match error.kind() {
            ErrorKind::Io => Failure::new(Status::Io, place, error),
            ErrorKind::LimitExceeded(Limit::Decoded | Limit::Triangles) => {
                Failure::invalid(place, error).with_hint(RAISE)
            }
            _ => Failure::invalid(place, error),
        }
    }

    /// Works as [`of`](Failure::of), with an excerpt of the erroneous line in a text file.
    pub fn in_file(place: &str, error: &meshspec::Error, file: &[u8]) -> Failure {
        let mut failure = Failure::of(place, error);
        if let Some(Span::Text { range, line, .. }) = error.span() {
            let excerpt = TextExcerpt { file, marked: range.clone(), line: *line, style: ERROR };
            failure.excerpt = Some(excerpt.to_string());
        }
        failure
    }

    /// Adds a hint.
    pub fn with_hint(mut self, hint: impl Into<String>) -> Failure {
        self.hint = Some(hint.into());
        self
    }

    /// Returns place and message in one line.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Prints the failure to standard error, and each hint only once. Ignores a closed stream.
    pub fn report(&self) {
        if self.status == Status::Fine {
            return;
        }
        let mut stderr = anstream::stderr().lock();
        let _ = writeln!(stderr, "{ERROR}error{ERROR:#}: {}", Escaped(&self.message));
        if let Some(excerpt) = &self.excerpt {
            let _ = write!(stderr, "{excerpt}");
        }
        if let Some(hint) = self.hint.as_ref().filter(|hint| is_new(hint)) {
            let _ = writeln!(stderr, "{HINT}hint{HINT:#}: {}", Escaped(hint));
        }
    }
}

/// Returns `true` if this hint has not been printed yet, so that similar failures of many files share one hint.
fn is_new(hint: &str) -> bool {
    static GIVEN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    GIVEN.lock().unwrap_or_else(PoisonError::into_inner).insert(hint.to_owned())
}

/// Converts a failure to write to standard output. A closed pipe, as with `| head`, is a success.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        let mut failure = Failure::io("standard output", &error);
        if error.kind() == io::ErrorKind::BrokenPipe {
            failure.status = Status::Fine;
        }
        failure
    }
}
