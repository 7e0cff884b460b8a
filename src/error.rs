//! Why something could not be read or written.

use std::fmt;

use crate::finding::write_place;
use crate::path::Path;
use crate::{Finding, Rule, Span, unpack};

/// The result of reading or writing.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why something could not be read or written: what, where, by which rule, and whose fault it is.
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
#[derive(Debug)]
pub struct Error(Box<Parts>);

#[derive(Debug)]
struct Parts {
    kind: ErrorKind,
    format: Option<&'static str>,
    path: Path,
    span: Option<Span>,
    rule: Option<&'static Rule>,
    message: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// Whose fault an [`Error`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The input breaks a rule of its format.
    Malformed,
    /// Decoding would take more than the [limits](crate::Limits) allow.
    LimitExceeded,
    /// The input is of no format that is built in, or of a variant that is not supported.
    Unsupported,
    /// The document holds what the format or dialect to be written cannot express.
    Inexpressible,
    /// Reading or writing the file itself failed.
    Io,
}

impl Error {
    /// An error that says what was found and what was expected. Crates with formats of their own can make them, too.
    ///
    /// ```
    /// use meshspec::{Error, ErrorKind, path};
    ///
    /// let error = Error::new(ErrorKind::Malformed, "7 rows, but at most 4 are allowed").at(path!(header.rows));
    /// assert_eq!(error.to_string(), "header.rows: 7 rows, but at most 4 are allowed");
    /// ```
    pub fn new(kind: ErrorKind, message: impl ToString) -> Error {
        Error(Box::new(Parts {
            kind,
            format: None,
            path: Path::default(),
            span: None,
            rule: None,
            message: message.to_string(),
            source: None,
        }))
    }

    /// The input breaks a rule of its format.
    pub(crate) fn malformed(message: impl ToString) -> Error {
        Error::new(ErrorKind::Malformed, message)
    }

    /// Decoding would take more than the limits allow.
    pub(crate) fn limit_exceeded(message: impl ToString) -> Error {
        Error::new(ErrorKind::LimitExceeded, message)
    }

    /// The input, or what is asked for, is of a kind that is not supported.
    pub(crate) fn unsupported(message: impl ToString) -> Error {
        Error::new(ErrorKind::Unsupported, message)
    }

    /// The document holds what cannot be written.
    #[cfg_attr(feature = "seed", allow(dead_code, reason = "Seed alone can express all"))]
    pub(crate) fn inexpressible(message: impl ToString) -> Error {
        Error::new(ErrorKind::Inexpressible, message)
    }

    /// The error for a finding that the reader or writer refuses.
    pub(crate) fn from_finding(kind: ErrorKind, finding: &Finding) -> Error {
        Error::new(kind, &finding.message)
            .at(&finding.path)
            .with_rule(finding.rule)
            .with_span(finding.span.clone())
    }

    /// The finding that a file was refused for this rule.
    pub(crate) fn to_finding(&self, rule: &'static Rule) -> Finding {
        let Parts { path, span, message, .. } = &*self.0;
        Finding { rule, path: path.clone(), span: span.clone(), message: message.clone() }
    }

    /// This error with the name of the format that was being read or written.
    pub fn in_format(mut self, format: impl Into<&'static str>) -> Error {
        self.0.format = Some(format.into());
        self
    }

    /// This error with the path of the value that it is about.
    pub fn at(mut self, path: impl Into<Path>) -> Error {
        self.0.path = path.into();
        self
    }

    /// This error with a path that is only shown, in a file without a declaration.
    #[cfg(feature = "scene")]
    pub(crate) fn at_text(self, path: impl Into<String>) -> Error {
        self.at(Path::text(path))
    }

    /// This error of a part of a value, with a path that starts at the whole value.
    #[allow(dead_code, reason = "not every format has parts that are read by themselves")]
    pub(crate) fn within(mut self, whole: impl Into<Path>) -> Error {
        self.0.path = whole.into().join(std::mem::take(&mut self.0.path));
        self
    }

    /// This error with the place of the value in the input, if it is known.
    pub fn with_span(mut self, span: Option<Span>) -> Error {
        self.0.span = span;
        self
    }

    /// This error with the rule that is violated.
    pub fn with_rule(mut self, rule: &'static Rule) -> Error {
        self.0.rule = Some(rule);
        self
    }

    /// Whose fault it is.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The name of the format that was being read or written.
    pub fn format(&self) -> Option<&'static str> {
        self.0.format
    }

    /// The field, `animations[1].timestamps`; empty for the file as a whole.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// Where it lies in the file.
    pub fn span(&self) -> Option<&Span> {
        self.0.span.as_ref()
    }

    /// The rule that is broken.
    pub fn rule(&self) -> Option<&'static Rule> {
        self.0.rule
    }

    /// What was found and what was expected, without place and rule.
    pub fn message(&self) -> &str {
        &self.0.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(format) = self.0.format {
            write!(f, "{format}: ")?;
        }
        write_place(f, &self.0.path, self.0.span.as_ref())?;
        f.write_str(&self.0.message)?;
        match self.0.rule {
            Some(rule) => write!(f, " [{}]", rule.reference()),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}

impl From<unpack::Failure> for Error {
    fn from(failure: unpack::Failure) -> Error {
        match failure {
            unpack::Failure::Malformed(message) | unpack::Failure::Trailing(message) => {
                Error::malformed(message)
            }
            unpack::Failure::Limit(message) => Error::limit_exceeded(message),
        }
    }
}

impl From<std::io::Error> for Error {
    fn from(source: std::io::Error) -> Error {
        let mut error = Error::new(ErrorKind::Io, &source);
        error.0.source = Some(Box::new(source));
        error
    }
}
