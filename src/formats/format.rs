//! What every format can do.

use std::ops::ControlFlow;

use super::{About, Detection};
use crate::info::Info;
use crate::layout::{Grammar, Type, walk};
use crate::lines::Line;
use crate::{Dialect, Loss, ReadOptions, Report, Result, Strictness, WriteOptions};

/// What every format's document can do.
pub trait Format: Sized {
    /// Name, extensions, dialects, rules, layouts.
    const ABOUT: &'static About;

    /// The declaration of a text format; `None` for a binary format, which has layouts.
    const GRAMMAR: Option<&'static Grammar> = None;

    /// How surely these bytes are a file of this format, judged by magic bytes and structure, and its dialect. A file
    /// that is known to be of this format has this dialect, however sure that is.
    fn detect(bytes: &[u8]) -> Detection;

    /// The dialect to read these bytes as: that of the options or, without one, the one that is detected.
    ///
    /// # Errors
    ///
    /// If the format does not have the dialect of the options.
    fn dialect_of(bytes: &[u8], options: &ReadOptions) -> Result<Dialect> {
        match options.dialect {
            Some(dialect) => Self::ABOUT.require_dialect(dialect).map(|()| dialect),
            None => Ok(Self::detect(bytes).dialect),
        }
    }

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

    /// Every violation of the format's rules.
    fn check(&self) -> Report {
        let mut report = Report::default();
        self.check_into(&mut report);
        report
    }

    /// The dialect that [`write`](Format::write) uses.
    fn dialect(&self) -> Dialect;

    /// The same content in another dialect, with a list of what that dialect cannot hold.
    ///
    /// # Errors
    ///
    /// If the format does not have the dialect.
    fn into_dialect(self, dialect: Dialect) -> Result<(Self, Vec<Loss>)>;

    /// A summary: counts, attributes, bounds.
    fn info(&self) -> Info;

    /// The declaration of a whole file of this dialect with these bytes; `None` for a text format.
    fn layout_of(bytes: &[u8], dialect: Dialect) -> Option<&'static Type>;

    /// Everything that is wrong with a file, each finding with its place. See [`check`](crate::check).
    ///
    /// # Errors
    ///
    /// If decoding would take more than the limits allow or the dialect is not one of the format's.
    fn check_file(bytes: &[u8], options: &ReadOptions) -> Result<Report> {
        let mut report = Report::new(&options.limits);
        let dialect = Self::dialect_of(bytes, options)?;
        let options = &options.clone().with_dialect(dialect);
        let lenient = ReadOptions { strictness: Strictness::Lenient, ..options.clone() };
        match Self::read(bytes, &lenient) {
            Ok(document) => document.check_into(&mut report),
            Err(error) => {
                let Some(rule) = error.rule() else { return Err(error) };
                Self::check_undecoded(bytes, dialect, &mut report);
                report.add_with(rule, || error.to_finding(rule));
            }
        }
        if let Some(layout) = Self::layout_of(bytes, dialect) {
            report.locate(|path| walk::find(layout, bytes, path, &options.limits));
        }
        Ok(report)
    }

    /// Adds what is wrong with a file that cannot be decoded besides the reason for that: wrong checksums may be why.
    fn check_undecoded(bytes: &[u8], dialect: Dialect, report: &mut Report) {
        let _ = (bytes, dialect, report);
    }

    /// Calls `each` with each line of a text file and its meaning, until it breaks. A binary format has none.
    fn lines(bytes: &[u8], each: &mut dyn FnMut(&Line) -> ControlFlow<()>) {
        let _ = (bytes, each);
    }

    /// What keeps a text file from being decoded although each of its lines can be.
    fn check_lines(bytes: &[u8]) -> Report {
        let _ = bytes;
        Report::default()
    }
}
