//! Read and write errors.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::finding::write_location;
use crate::path::Path;
use crate::{Finding, Limit, Rule, Span};

/// The result of reading or writing.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A read or write error: message, location, rule and kind.
///
/// ```
/// # #[cfg(feature = "mesh")] {
/// use meshspec::{ErrorKind, Format, mesh};
///
/// let error = mesh::Document::read(&[0x02; 13], &Default::default()).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Malformed);
/// assert_eq!(error.path(), "header.version");
/// assert_eq!(error.rule().unwrap().code, "MESH-VERSION");
/// # }
/// ```
///
/// `Debug` prints the same text as `Display`, so errors returned from `main` are readable.
pub struct Error(Box<ErrorData>);

struct ErrorData {
    kind: ErrorKind,
    file: Option<PathBuf>,
    format: Option<&'static str>,
    path: Path,
    span: Option<Span>,
    rule: Option<&'static Rule>,
    message: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// The cause of an [`Error`].
///
/// ```
/// # #[cfg(feature = "crucible")] {
/// use meshspec::{ErrorKind, Limits, ReadOptions};
///
/// let options = ReadOptions::default().with_limits(Limits::default().with_max_decoded(16));
/// let error = meshspec::open_with("samples/crucible/tetrahedron.crmesh", &options).unwrap_err();
/// assert!(matches!(error.kind(), ErrorKind::LimitExceeded(_)), "{error}");
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The input breaks a rule of its format.
    Malformed,
    /// Reading or converting the input would exceed this limit.
    LimitExceeded(Limit),
    /// The format, variant or request is unknown or unsupported.
    Unsupported,
    /// The target format or dialect cannot express the document or scene.
    Inexpressible,
    /// An I/O operation failed with this kind of error.
    Io(io::ErrorKind),
}

impl Error {
    /// Creates an error. The message should state what was found and what was expected.
    ///
    /// ```
    /// use meshspec::{Error, ErrorKind, path};
    ///
    /// let error = Error::new(ErrorKind::Malformed, "7 rows, but at most 4 are allowed").at(path!(header.rows));
    /// assert_eq!(error.to_string(), "header.rows: 7 rows, but at most 4 are allowed");
    /// ```
    pub fn new(kind: ErrorKind, message: impl ToString) -> Error {
        Error(Box::new(ErrorData {
            kind,
            file: None,
            format: None,
            path: Path::default(),
            span: None,
            rule: None,
            message: message.to_string(),
            source: None,
        }))
    }

    pub(crate) fn malformed(message: impl ToString) -> Error {
        Error::new(ErrorKind::Malformed, message)
    }

    pub(crate) fn limit_exceeded(limit: Limit, message: impl ToString) -> Error {
        Error::new(ErrorKind::LimitExceeded(limit), message)
    }

    pub(crate) fn unsupported(message: impl ToString) -> Error {
        Error::new(ErrorKind::Unsupported, message)
    }

    #[cfg_attr(
        feature = "seed",
        allow(dead_code, reason = "unused if only Seed is enabled")
    )]
    pub(crate) fn inexpressible(message: impl ToString) -> Error {
        Error::new(ErrorKind::Inexpressible, message)
    }

    /// Creates an error from a finding that the reader or writer rejects.
    pub(crate) fn from_finding(kind: ErrorKind, finding: &Finding) -> Error {
        let Finding {
            rule,
            path,
            span,
            message,
        } = finding;
        Error::new(kind, message)
            .at(path)
            .with_rule(rule)
            .with_span(span.clone())
    }

    /// Converts the error to a finding of `rule`.
    pub(crate) fn to_finding(&self, rule: &'static Rule) -> Finding {
        let ErrorData {
            path,
            span,
            message,
            ..
        } = &*self.0;
        Finding {
            rule,
            path: path.clone(),
            span: span.clone(),
            message: message.clone(),
        }
    }

    /// Sets the format that was being read or written.
    pub fn in_format(mut self, format: impl Into<&'static str>) -> Error {
        self.0.format = Some(format.into());
        self
    }

    /// Sets the file that was being read or written.
    pub(crate) fn in_file(mut self, file: &std::path::Path) -> Error {
        self.0.file = Some(file.to_owned());
        self
    }

    /// Sets the path of the value that the error concerns.
    pub fn at(mut self, path: impl Into<Path>) -> Error {
        self.0.path = path.into();
        self
    }

    /// Sets a display-only path, for files without a declaration, such as glTF.
    #[cfg(feature = "scene")]
    pub(crate) fn at_text(self, path: impl Into<String>) -> Error {
        self.at(Path::text(path))
    }

    /// Prefixes the path with `parent`, the path of the enclosing value.
    #[allow(dead_code, reason = "only some formats read nested values separately")]
    pub(crate) fn within(mut self, parent: impl Into<Path>) -> Error {
        self.0.path = parent.into().join(std::mem::take(&mut self.0.path));
        self
    }

    /// Sets the location in the input; `None` if unknown.
    pub fn with_span(mut self, span: Option<Span>) -> Error {
        self.0.span = span;
        self
    }

    /// Sets the violated rule.
    ///
    /// ```
    /// use meshspec::{Error, ErrorKind, Rule, Severity, Span};
    ///
    /// static DEPTH: Rule = Rule::new("TRACK-DEPTH", Severity::Error, "Depths are negative.");
    ///
    /// let error = Error::new(ErrorKind::Malformed, "2 is not negative").at(meshspec::path!(depths[3]));
    /// let error = error.in_format("track").with_span(Some(Span::Bytes(8..12))).with_rule(&DEPTH);
    /// assert_eq!(error.to_string(), "track: depths[3] (bytes 0x8..0xc): 2 is not negative [TRACK-DEPTH]");
    /// ```
    pub fn with_rule(mut self, rule: &'static Rule) -> Error {
        self.0.rule = Some(rule);
        self
    }

    /// The cause of the error.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The path of the file that was being read or written; `None` for data in memory.
    pub fn file(&self) -> Option<&std::path::Path> {
        self.0.file.as_deref()
    }

    /// The name of the format that was being read or written, if known.
    pub fn format(&self) -> Option<&'static str> {
        self.0.format
    }

    /// The path of the field, such as `animations[1].timestamps`; empty for the whole file.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// The location in the file, if known.
    pub fn span(&self) -> Option<&Span> {
        self.0.span.as_ref()
    }

    /// The violated rule, if known.
    pub fn rule(&self) -> Option<&'static Rule> {
        self.0.rule
    }

    /// The message, without file, format, location and rule.
    pub fn message(&self) -> &str {
        &self.0.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.0.file {
            write!(f, "{}: ", file.display())?;
        }
        if let Some(format) = self.0.format {
            write!(f, "{format}: ")?;
        }
        write_location(f, &self.0.path, self.0.span.as_ref())?;
        f.write_str(&self.0.message)?;
        let Some(rule) = self.0.rule else {
            return Ok(());
        };
        write!(f, " [{}]", rule.reference())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}

impl From<io::Error> for Error {
    fn from(source: io::Error) -> Error {
        let mut error = Error::new(ErrorKind::Io(source.kind()), &source);
        error.0.source = Some(Box::new(source));
        error
    }
}
