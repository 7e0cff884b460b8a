//! Failures of commands, with exit statuses and hints.

use std::collections::BTreeSet;
use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use meshspec::{ErrorKind, Limit, Loss, Rule, Severity, Span};

use crate::encoding::Encoding;
use crate::terminal::{ERROR, Escaped, HINT};
use crate::text_excerpt::TextExcerpt;

/// The hint if an output and an image have the same name.
pub const RENAME: &str = "choose another name for the output";

/// The hint for an exceeded limit.
const RAISE_LIMIT: &str =
    "raise the limit with --max-triangles (info, check, convert, diff, render and view)";

pub type Result<T, E = Failure> = std::result::Result<T, E>;

/// The exit status of a command. For several files, the highest status of all files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    Success = 0,
    /// The input is invalid, files differ, a loader disagrees, `--strict` rejects losses, or `--deny` finds a warning.
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
    /// The line of the input with the error, as printable text.
    excerpt: Option<String>,
}

impl Failure {
    fn new(status: Status, subject: &str, message: impl fmt::Display) -> Failure {
        Failure {
            status,
            message: format!("{subject}: {message}"),
            hint: None,
            excerpt: None,
        }
    }

    /// Creates a failure for invalid input. `subject` is the file, option or command that the message is about.
    pub fn invalid(subject: &str, message: impl fmt::Display) -> Failure {
        Failure::new(Status::Invalid, subject, message)
    }

    /// Creates a failure for losses of the file `subject`, which `--strict` rejects.
    pub fn lossy(subject: &str, losses: &[Loss]) -> Failure {
        let verb = if losses.len() == 1 { "is" } else { "are" };
        let count = losses.len();
        Failure::invalid(
            subject,
            format_args!("not written: --strict allows no losses, and there {verb} {count}"),
        )
    }

    /// Creates a failure for incorrect usage of `subject`, an option, a command or a file.
    pub fn usage(subject: &str, message: impl fmt::Display) -> Failure {
        Failure::new(Status::Usage, subject, message)
    }

    /// Creates a failure for an I/O error of the file or stream `subject`; [`file_exists`](Failure::file_exists) if the
    /// file already exists.
    pub fn io(subject: &str, error: &io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::AlreadyExists => Failure::file_exists(subject),
            _ => Failure::new(Status::Io, subject, error),
        }
    }

    /// Creates a failure for an existing output file, which only `--force` overwrites.
    pub fn file_exists(subject: &str) -> Failure {
        Failure::usage(subject, "the file already exists").with_hint("overwrite it with --force")
    }

    /// Creates a failure from an error while converting the file `subject`. Messages of I/O errors already contain the
    /// name of the output.
    pub fn from_write_error(subject: &str, error: &meshspec::Error) -> Failure {
        let message = error.message().to_owned();
        let failed = |status| Failure {
            status,
            message,
            hint: None,
            excerpt: None,
        };
        match error.kind() {
            ErrorKind::Io(io::ErrorKind::AlreadyExists) => Failure::file_exists(error.message()),
            ErrorKind::Io(io::ErrorKind::InvalidInput) => failed(Status::Usage).with_hint(RENAME),
            ErrorKind::Io(_) => failed(Status::Io),
            _ => Failure::from_error(subject, error),
        }
    }

    /// Creates a failure from an error that the library returned for the file `subject`.
    pub fn from_error(subject: &str, error: &meshspec::Error) -> Failure {
        match error.kind() {
            ErrorKind::Io(_) => Failure::new(Status::Io, subject, error),
            ErrorKind::LimitExceeded(Limit::Decoded | Limit::Triangles) => {
                Failure::invalid(subject, error).with_hint(RAISE_LIMIT)
            }
            _ => Failure::invalid(subject, error),
        }
    }

    /// Like [`from_error`](Failure::from_error), but for an error that rejected the file `subject`. Adds a
    /// [hint](Failure::with_rejection_hint).
    pub fn from_read_error(
        subject: &str,
        error: &meshspec::Error,
        from: Option<Encoding>,
        reads_leniently: impl FnOnce() -> bool,
    ) -> Failure {
        let failure = Failure::from_error(subject, error);
        match failure.hint.is_none() && failure.status == Status::Invalid {
            true => failure.with_rejection_hint(error.rule(), from, reads_leniently),
            false => failure,
        }
    }

    /// Like [`from_read_error`](Failure::from_read_error), but if the error has a line number, adds an excerpt of that
    /// line of `file`.
    pub fn from_file_error(
        subject: &str,
        error: &meshspec::Error,
        file: &[u8],
        from: Option<Encoding>,
        reads_leniently: impl FnOnce() -> bool,
    ) -> Failure {
        let mut failure = Failure::from_read_error(subject, error, from, reads_leniently);
        if let Some(Span::Text { range, line, .. }) = error.span() {
            let excerpt = TextExcerpt {
                file,
                marked: range.clone(),
                line: *line,
                style: ERROR,
            };
            failure.excerpt = Some(excerpt.to_string());
        }
        failure
    }

    pub fn with_hint(mut self, hint: impl Into<String>) -> Failure {
        self.hint = Some(hint.into());
        self
    }

    /// Adds `hint` if the failure has none.
    pub fn or_hint(self, hint: Option<String>) -> Failure {
        Failure {
            hint: self.hint.or(hint),
            ..self
        }
    }

    /// Adds what helps with a rejected file: for a `rule`, that `check` lists all findings; --lenient, if
    /// `reads_leniently` returns `true`, which does again leniently what failed. `from` is the value of `--from`.
    pub fn with_rejection_hint(
        self,
        rule: Option<&Rule>,
        from: Option<Encoding>,
        reads_leniently: impl FnOnce() -> bool,
    ) -> Failure {
        let from = from
            .map(|encoding| format!(" --from {encoding}"))
            .unwrap_or_default();
        let check = rule.map(|_| format!("`meshspec check FILE{from}` lists all findings"));
        // Lenient reading tolerates no fatal finding.
        let is_fatal = rule.is_some_and(|rule| rule.severity == Severity::Fatal);
        let is_read = !is_fatal && reads_leniently();
        let lenient = is_read.then(|| "--lenient reads the file nevertheless".to_owned());
        let hints: Vec<_> = check.into_iter().chain(lenient).collect();
        if hints.is_empty() {
            self
        } else {
            self.with_hint(hints.join("; "))
        }
    }

    /// Returns the subject and the message in one line.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Prints the failure to standard error. Prints each hint only once per run. Prints nothing for a closed pipe,
    /// whose status is [`Success`](Status::Success). Ignores errors from writing to standard error.
    pub fn report(&self) {
        if self.status == Status::Success {
            return;
        }
        let mut stderr = anstream::stderr().lock();
        let _ = writeln!(stderr, "{ERROR}error{ERROR:#}: {}", Escaped(&self.message));
        if let Some(excerpt) = &self.excerpt {
            let _ = write!(stderr, "{excerpt}");
        }
        if let Some(hint) = self.hint.as_ref().filter(|hint| is_first_use(hint)) {
            let _ = writeln!(stderr, "{HINT}hint{HINT:#}: {}", Escaped(hint));
        }
    }
}

/// Returns `true` on the first call with this hint, so that similar failures of many files print it once.
fn is_first_use(hint: &str) -> bool {
    static PRINTED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    PRINTED
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .insert(hint.to_owned())
}

/// Converts an error from writing to standard output. A closed pipe, as with `| head`, counts as success.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        let mut failure = Failure::io("standard output", &error);
        if error.kind() == io::ErrorKind::BrokenPipe {
            failure.status = Status::Success;
        }
        failure
    }
}
