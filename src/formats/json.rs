//! Converts between files and the JSON of their values.

use std::io;

use serde::Deserialize;

use super::{AnyDocument, DynDocument, DynFormat};
use crate::layout::declaration::Type;
use crate::layout::dump::{Dump, JsonHead};
use crate::layout::tree::Tree;
use crate::{Dialect, Error, ErrorKind, Limits, ReadOptions, Result, WriteOptions};

impl dyn DynFormat {
    /// Returns `true` if files can be converted to JSON: the values of the format are declared.
    pub fn has_json(&self) -> bool {
        !self.value_layouts().is_empty()
    }

    /// Writes the values of a file as JSON, as docs/json.md describes it. Values that are computed from others are
    /// omitted.
    ///
    /// # Errors
    ///
    /// Returns an error if the file is rejected, or writing fails.
    pub fn file_to_json(
        &self,
        bytes: &[u8],
        options: &ReadOptions,
        out: &mut impl io::Write,
    ) -> Result<()> {
        let report = self.check(bytes, options)?;
        if let Some(finding) = report.first_rejected(options.strictness) {
            return Err(Error::from_finding(ErrorKind::Malformed, finding).in_format(self.name()));
        }
        let dialect = self.dialect_of(bytes, options)?;
        let Some(layout) = self.values_of(bytes, dialect) else {
            return Err(self.missing_error("layout for this dialect"));
        };
        let mut layouts = self.about().layouts().iter();
        let own = layouts.find(|(_, own)| std::ptr::eq(*own, layout));
        let head = JsonHead {
            format: self.name(),
            layout: own.map_or(self.name(), |(name, _)| *name),
            ..JsonHead::default()
        };
        let dump = Dump::new(layout, bytes).with_limits(&options.limits);
        match dump.write_values(&head, out) {
            Ok(None) => Ok(()),
            Ok(Some(fault)) => Err(self.about().structure(layout).to_error(&fault)),
            Err(error) => Err(error.into()),
        }
    }

    /// Reads the values of a file from JSON, and returns the file.
    ///
    /// ```
    /// # #[cfg(feature = "mesh")] {
    /// let format = meshspec::mesh::FORMAT;
    /// let bytes = std::fs::read("samples/mesh/flag.mesh")?;
    /// let mut json = Vec::new();
    /// format.file_to_json(&bytes, &Default::default(), &mut json)?;
    /// assert_eq!(format.json_to_file(&json, &Default::default())?, bytes);
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the text does not contain the values of a file of the format, a value that is omitted cannot
    /// be computed, or the strictness in the options rejects the file.
    pub fn json_to_file(&self, text: &[u8], options: &WriteOptions) -> Result<Vec<u8>> {
        let (dialect, layout) = self.layout_in_json(text)?;
        let bytes = Tree::from_json(layout, text)?.assemble_consistent(&Limits::default())?;
        let read_options = ReadOptions::default()
            .with_strictness(options.strictness)
            .with_dialect(dialect);
        let report = self.check(&bytes, &read_options)?;
        match report.first_rejected(options.strictness) {
            Some(finding) => {
                let error = Error::from_finding(ErrorKind::Inexpressible, finding);
                Err(error.in_format(self.name()))
            }
            None => Ok(bytes),
        }
    }

    /// Returns the layout that JSON names, and its dialect.
    fn layout_in_json(&self, text: &[u8]) -> Result<(Dialect, &'static Type)> {
        #[derive(Deserialize)]
        struct Head {
            layout: String,
        }
        let Head { layout } = serde_json::from_slice(text).map_err(Error::malformed)?;
        self.layout_named(&layout)
            .ok_or_else(|| self.missing_error(&format!("layout `{layout}`")))
    }

    /// Reads a document from the JSON of a file, whether or not it is valid.
    ///
    /// # Errors
    ///
    /// Returns an error if the text does not contain the values of a file of the format.
    pub fn document_from_json(&self, text: &[u8]) -> Result<AnyDocument> {
        let (dialect, layout) = self.layout_in_json(text)?;
        let bytes = Tree::from_json(layout, text)?.assemble_consistent(&Limits::default())?;
        let options = ReadOptions::lenient().with_dialect(dialect);
        self.read(&bytes, &options.with_comments(true))
    }
}

impl dyn DynDocument {
    /// Writes the values of the document's file as JSON.
    ///
    /// # Errors
    ///
    /// Returns an error if the dialect cannot express the document, or writing fails.
    pub fn write_json(&self, options: &WriteOptions, out: &mut impl io::Write) -> Result<()> {
        let bytes = self.write(options)?;
        let options = ReadOptions::lenient().with_dialect(self.dialect());
        self.format().file_to_json(&bytes, &options, out)
    }
}
