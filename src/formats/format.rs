//! Formats with a codec.

use super::Declared;
use crate::contents::Contents;
use crate::info::Info;
use crate::layout::{self, walk};
use crate::{Dialect, Finding, Loss, ReadOptions, Report, Result, Strictness, WriteOptions};

/// A document of a format with a codec: it can be decoded, encoded, checked and converted between dialects.
///
/// ```
/// # #[cfg(feature = "crucible")] {
/// use meshspec::{Format, ReadOptions, WriteOptions, crucible};
///
/// let bytes = std::fs::read("samples/crucible/tetrahedron.crmesh")?;
/// let document = crucible::Document::read(&bytes, &ReadOptions::default())?;
/// assert_eq!(document.info().meshes[0].vertices, 4);
/// let written = document.write(&WriteOptions::default())?;
/// assert_eq!(crucible::Document::read(&written, &ReadOptions::default())?, document);
/// # }
/// # Ok::<(), meshspec::Error>(())
/// ```
pub trait Format: Declared + Sized {
    /// Decodes a file.
    ///
    /// # Errors
    ///
    /// Returns an error, with its location, if the file is rejected, or the format lacks the dialect in the options.
    fn read(bytes: &[u8], options: &ReadOptions) -> Result<Self>;

    /// Encodes the document in its own dialect. The output is deterministic across machines.
    ///
    /// # Errors
    ///
    /// Returns an error if the dialect cannot express the document, or the strictness in the options rejects it.
    fn write(&self, options: &WriteOptions) -> Result<Vec<u8>>;

    /// Adds every violation of the format's rules to `report`.
    fn check_into(&self, report: &mut Report);

    /// Decodes a file and adds every violation to `report`. Formats override this where a single pass is faster.
    ///
    /// # Errors
    ///
    /// See [`read`](Format::read).
    fn read_and_check(bytes: &[u8], options: &ReadOptions, report: &mut Report) -> Result<Self> {
        let document = Self::read(bytes, options)?;
        document.check_into(report);
        Ok(document)
    }

    /// Returns all violations of the format's rules.
    fn check(&self) -> Report {
        let mut report = Report::default();
        self.check_into(&mut report);
        report
    }

    /// The dialect that [`write`](Format::write) uses; by default, the specification's.
    fn dialect(&self) -> Dialect {
        Dialect::Spec
    }

    /// Converts the document to another dialect. Returns the new document and the losses. By default, returns the
    /// document unchanged, which suits formats with one dialect.
    ///
    /// # Errors
    ///
    /// Returns an error if the format lacks the dialect.
    fn into_dialect(self, dialect: Dialect) -> Result<(Self, Vec<Loss>)> {
        Self::ABOUT.require_dialect(dialect)?;
        Ok((self, Vec::new()))
    }

    /// Summarises the document: counts, attributes, bounds.
    fn info(&self) -> Info;

    /// Returns the decoded contents: unpacked numbers and strings, in one structure for all formats.
    fn contents(&self) -> Contents<'static>;

    /// Adds violations found without decoding, such as a wrong checksum, which may explain why decoding failed. Adds
    /// none by default.
    fn check_undecoded(bytes: &[u8], dialect: Dialect, report: &mut Report) {
        let _ = (bytes, dialect, report);
    }

    /// Returns all violations in a file. If it cannot be decoded, returns the reason and the violations found without
    /// decoding. Implements [`check_file`](Declared::check_file) for formats with a codec.
    ///
    /// # Errors
    ///
    /// See [`check_file`](Declared::check_file).
    fn check_decoded(bytes: &[u8], options: &ReadOptions) -> Result<Report> {
        let mut report = Report::new(&options.limits);
        let dialect = Self::dialect_of(bytes, options)?;
        let options = &options.clone().with_dialect(dialect);
        let lenient = ReadOptions {
            strictness: Strictness::Lenient,
            ..options.clone()
        };
        let layout = Self::layout_of(bytes, dialect);
        if let Err(error) = Self::read_and_check(bytes, &lenient, &mut report) {
            let Some(rule) = error.rule() else {
                return Err(error);
            };
            Self::check_undecoded(bytes, dialect, &mut report);
            if let Some(layout) = layout {
                // The codec's error may concern a constraint, so the structure is checked separately.
                let _ = layout::check_bytes(layout, bytes, &options.limits, &mut report);
            }
            let is_known = |found: &Finding| found.rule == rule && found.path == *error.path();
            if !report.findings().iter().any(is_known) {
                report.add_with(rule, || error.to_finding(rule));
            }
        }
        if let Some(layout) = layout {
            report.locate(|path| walk::find(layout, bytes, path, &options.limits));
        }
        Ok(report)
    }
}
