//! Why a command does not succeed, and the exit status that says so.

use std::collections::BTreeSet;
use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use meshspec::{ErrorKind, Loss, Span};

use crate::terminal::{ERROR, Escaped, HINT};
use crate::text_excerpt::TextExcerpt;

/// The hint if the output and an image have the same name.
pub const RENAME: &str = "choose another name for the output";

pub type Result<T, E = Failure> = std::result::Result<T, E>;

/// How a command ends. Of several files the worst counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    Fine = 0,
    /// The input is invalid, a loader disagrees, or `--strict` and something would be lost.
    Invalid = 1,
    Usage = 2,
    Io = 3,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status as u8)
    }
}

/// Why something was not done.
#[derive(Debug)]
pub struct Failure {
    pub status: Status,
    message: String,
    hint: Option<String>,
    /// The line that is wrong.
    excerpt: Option<String>,
}

impl Failure {
    fn new(status: Status, place: &str, message: impl fmt::Display) -> Failure {
        Failure { status, message: format!("{place}: {message}"), hint: None, excerpt: None }
    }

    /// The input at `place` is not what it should be.
    pub fn invalid(place: &str, message: impl fmt::Display) -> Failure {
        Failure::new(Status::Invalid, place, message)
    }

    /// Of the content of `place` something would be lost, which `--strict` forbids.
    pub fn lossy(place: &str, losses: &[Loss]) -> Failure {
        let verb = if losses.len() == 1 { "is" } else { "are" };
        let count = losses.len();
        Failure::invalid(
            place,
            format_args!("not written: --strict allows no losses, and there {verb} {count}"),
        )
    }

    /// The command line asks for something that cannot be.
    pub fn usage(place: &str, message: impl fmt::Display) -> Failure {
        Failure::new(Status::Usage, place, message)
    }

    /// The file at `place` cannot be read or written.
    pub fn io(place: &str, error: &io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::AlreadyExists => Failure::exists(place),
            _ => Failure::new(Status::Io, place, error),
        }
    }

    /// The file at `place` would be replaced, which only `--force` allows.
    pub fn exists(place: &str) -> Failure {
        Failure::usage(place, "the file exists already").with_hint("overwrite it with --force")
    }

    /// What the library says of writing the content of `place`. Where it is an output that cannot be written, the error
    /// names that already.
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

    /// What the library says of the file at `place`.
    pub fn of(place: &str, error: &meshspec::Error) -> Failure {
        match error.kind() {
            ErrorKind::Io => Failure::new(Status::Io, place, error),
            _ => Failure::invalid(place, error),
        }
    }

    /// What the library says of the file at `place`, with the line that is wrong if it is a text.
    pub fn in_file(place: &str, error: &meshspec::Error, file: &[u8]) -> Failure {
        let mut failure = Failure::of(place, error);
        if let Some(Span::Text { range, line, .. }) = error.span() {
            let excerpt = TextExcerpt { file, marked: range.clone(), line: *line, style: ERROR };
            failure.excerpt = Some(excerpt.to_string());
        }
        failure
    }

    /// With advice.
    pub fn with_hint(mut self, hint: impl Into<String>) -> Failure {
        self.hint = Some(hint.into());
        self
    }

    /// Place and message in one line.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Says it on standard error, advice once. If that is closed there is nobody to tell.
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

/// Whether this advice has not been given before: of many files that fail alike, one has it.
fn is_new(hint: &str) -> bool {
    static GIVEN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    GIVEN.lock().unwrap_or_else(PoisonError::into_inner).insert(hint.to_owned())
}

/// Writing to standard output failed. A reader that has seen enough (`| head`) is no failure.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        let mut failure = Failure::io("standard output", &error);
        if error.kind() == io::ErrorKind::BrokenPipe {
            failure.status = Status::Fine;
        }
        failure
    }
}
