//! Why something could not be read or written.

use std::fmt;

use crate::finding::write_place;
use crate::{Finding, FormatId, Rule, Span};

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
    format: Option<FormatId>,
    path: String,
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
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error(Box::new(Parts {
            kind,
            format: None,
            path: String::new(),
            span: None,
            rule: None,
            message: message.into(),
            source: None,
        }))
    }

    /// The error for a finding that the reader or writer refuses.
    pub(crate) fn from_finding(kind: ErrorKind, finding: &Finding) -> Error {
        Error::new(kind, finding.message.clone())
            .at(finding.path.clone())
            .with_rule(finding.rule)
            .with_span(finding.span.clone())
    }

    pub(crate) fn in_format(mut self, format: FormatId) -> Error {
        self.0.format = Some(format);
        self
    }

    pub(crate) fn at(mut self, path: impl Into<String>) -> Error {
        self.0.path = path.into();
        self
    }

    pub(crate) fn with_span(mut self, span: Option<Span>) -> Error {
        self.0.span = span;
        self
    }

    pub(crate) fn with_rule(mut self, rule: &'static Rule) -> Error {
        self.0.rule = Some(rule);
        self
    }

    /// Whose fault it is.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The format that was being read or written.
    pub fn format(&self) -> Option<FormatId> {
        self.0.format
    }

    /// The field, `animations[1].timestamps`; empty for the file as a whole.
    pub fn path(&self) -> &str {
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

impl From<std::io::Error> for Error {
    fn from(source: std::io::Error) -> Error {
        let mut error = Error::new(ErrorKind::Io, source.to_string());
        error.0.source = Some(Box::new(source));
        error
    }
}
