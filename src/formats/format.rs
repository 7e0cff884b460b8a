//! What every format with a codec can do.

use super::Declared;
use crate::contents::Contents;
use crate::info::Info;
use crate::layout::{self, walk};
use crate::{Dialect, Finding, Loss, ReadOptions, Report, Result, Strictness, WriteOptions};

/// What every format's document can do.
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
    /// The first thing that the strictness of the options does not accept, with its place.
    fn read(bytes: &[u8], options: &ReadOptions) -> Result<Self>;

    /// Encodes the document in its own dialect. The same document gives the same bytes on every machine.
    ///
    /// # Errors
    ///
    /// What the format or the dialect cannot express, or what strict reading would refuse.
    fn write(&self, options: &WriteOptions) -> Result<Vec<u8>>;

    /// Adds every violation of the format's rules to `report`.
    fn check_into(&self, report: &mut Report);

    /// Decodes a file and adds every violation of the format's rules to `report`: in one pass, where there is a faster way
    /// than one after the other.
    ///
    /// # Errors
    ///
    /// As [`read`](Format::read).
    fn read_and_check(bytes: &[u8], options: &ReadOptions, report: &mut Report) -> Result<Self> {
        let document = Self::read(bytes, options)?;
        document.check_into(report);
        Ok(document)
    }

    /// Every violation of the format's rules.
    fn check(&self) -> Report {
        let mut report = Report::default();
        self.check_into(&mut report);
        report
    }

    /// The dialect that [`write`](Format::write) uses. By default, that of the specification.
    fn dialect(&self) -> Dialect {
        Dialect::Spec
    }

    /// The same content in another dialect, with a list of what that dialect cannot hold. By default, the document: its
    /// format has one dialect.
    ///
    /// # Errors
    ///
    /// If the format does not have the dialect.
    fn into_dialect(self, dialect: Dialect) -> Result<(Self, Vec<Loss>)> {
        Self::ABOUT.require_dialect(dialect)?;
        Ok((self, Vec::new()))
    }

    /// A summary: counts, attributes, bounds.
    fn info(&self) -> Info;

    /// The contents as plain numbers.
    fn contents(&self) -> Contents<'static>;

    /// Adds what is wrong with a file that cannot be decoded besides the reason for that: wrong checksums may be why.
    fn check_undecoded(bytes: &[u8], dialect: Dialect, report: &mut Report) {
        let _ = (bytes, dialect, report);
    }

    /// Everything that is wrong with a file: what keeps it from being decoded, or what the document says of itself. What
    /// [`check_file`](Declared::check_file) is where there is a codec.
    ///
    /// # Errors
    ///
    /// See [`check_file`](Declared::check_file).
    fn check_decoded(bytes: &[u8], options: &ReadOptions) -> Result<Report> {
        let mut report = Report::new(&options.limits);
        let dialect = Self::dialect_of(bytes, options)?;
        let options = &options.clone().with_dialect(dialect);
        let lenient = ReadOptions { strictness: Strictness::Lenient, ..options.clone() };
        match Self::read_and_check(bytes, &lenient, &mut report) {
            Ok(_) => {}
            Err(error) => {
                let Some(rule) = error.rule() else { return Err(error) };
                Self::check_undecoded(bytes, dialect, &mut report);
                if let Some(layout) = Self::layout_of(bytes, dialect) {
                    // The structure may have another fault, and the error may be of a constraint.
                    let _ = layout::check_bytes(layout, bytes, &options.limits, &mut report);
                }
                let is_known = |found: &Finding| found.rule == rule && found.path == *error.path();
                if !report.findings().iter().any(is_known) {
                    report.add_with(rule, || error.to_finding(rule));
                }
            }
        }
        if let Some(layout) = Self::layout_of(bytes, dialect) {
            report.locate(|path| walk::find(layout, bytes, path, &options.limits));
        }
        Ok(report)
    }
}
