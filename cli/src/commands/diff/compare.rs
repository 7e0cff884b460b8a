//! Compares two files: value by value if they have the same format, otherwise as scenes.

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};
use std::path::Path;

use meshspec::layout::declaration::Type;
use meshspec::layout::tree::Tree;
use meshspec::scene::{CompareOptions, Scene, compare};
use meshspec::{AnyFormat, Finding, Formats, Limits, Severity};

use super::difference::Differences;
use super::digest::Digests;
use super::values::ValueComparison;
use crate::buffer::Buffer;
use crate::encoding::Encoding;
use crate::failure::{Failure, Result};
use crate::input::name_of;
use crate::json::{self, FileFromJson};
use crate::read_args::{LimitArgs, ReadArgs};
use crate::readable::Readable;
use crate::scenes;

pub struct ComparedFile<'f> {
    pub path: &'f Path,
    pub bytes: Buffer,
    pub encoding: Encoding,
}

/// A file whose values are compared.
struct Source<'f> {
    name: String,
    format: AnyFormat,
    /// The layout of the values; `None` if the format declares none.
    ty: Option<&'static Type>,
    /// The file; of a text, only the lines that contain values.
    bytes: Cow<'f, [u8]>,
    other_lines: Vec<Vec<u8>>,
    limits: Limits,
}

impl Source<'_> {
    fn is_text(&self) -> bool {
        self.format.grammar().is_some()
    }

    /// Reads the values; `None` for a text format that declares none.
    fn tree(&self) -> Result<Option<Tree<'_>>> {
        let Some(ty) = self.ty else {
            if self.is_text() {
                return Ok(None);
            }
            let message = format!("{} declares no layout for this dialect", self.format);
            return Err(Failure::invalid(&self.name, message));
        };
        match Tree::read(ty, &self.bytes, &self.limits) {
            Ok(tree) => Ok(Some(tree)),
            Err(fault) => Err(Failure::invalid(&self.name, fault)
                .with_hint("print the values before the error with `meshspec dump`")),
        }
    }

    /// Moves the lines without values from the bytes of a text to the other lines. If the format declares no values,
    /// moves all lines except comments and blank ones.
    fn separate_lines(&mut self) {
        let Source {
            format,
            ty,
            bytes,
            other_lines,
            ..
        } = self;
        let mut moved: Vec<Range<usize>> = Vec::new();
        format.lines(bytes, &mut |line| {
            let has_value = ty.is_some() && !line.findings.iter().any(is_fatal);
            if has_value || (line.list.is_empty() && line.findings.is_empty()) {
                return ControlFlow::Continue(());
            }
            let start = line.offset as usize;
            moved.push(start..start.saturating_add(line.bytes.len()));
            ControlFlow::Continue(())
        });
        // A text in another encoding has no lines, but a finding.
        if let [first] = &mut moved[..]
            && first.start == first.end
        {
            *first = 0..bytes.len();
        }
        // The empty lines that remain keep the numbers of the others.
        let mut kept = Vec::new();
        let mut end = 0;
        for line in &moved {
            other_lines.push(
                bytes
                    .get(line.clone())
                    .unwrap_or_default()
                    .trim_ascii()
                    .to_owned(),
            );
            kept.extend_from_slice(bytes.get(end..line.start).unwrap_or_default());
            end = line.end;
        }
        if !moved.is_empty() {
            kept.extend_from_slice(bytes.get(end..).unwrap_or_default());
            *bytes = Cow::Owned(kept);
        }
    }
}

fn is_fatal(finding: &Finding) -> bool {
    finding.rule.severity == Severity::Fatal
}

pub struct ComparisonOptions<'r> {
    pub read_args: &'r ReadArgs,
    pub limit_args: &'r LimitArgs,
    pub formats: &'r Formats,
    /// The largest ignored difference between floats. For scenes, in metres, degrees, seconds or plain numbers.
    pub tolerance: f64,
    /// Whether to compare files of the same format as scenes.
    pub as_scenes: bool,
}

impl<'f> ComparedFile<'f> {
    /// Reads a file and determines its encoding.
    pub fn open(
        path: &'f Path,
        read_args: &ReadArgs,
        readable: Readable,
        formats: &Formats,
    ) -> Result<ComparedFile<'f>> {
        let (bytes, encoding) = read_args.read(path, readable, formats)?;
        Ok(ComparedFile {
            path,
            bytes,
            encoding,
        })
    }

    fn name(&self) -> String {
        name_of(self.path)
    }

    /// Returns the format of the file or JSON document; `None` for an interchange format, or JSON that names no
    /// format.
    fn format(&self, formats: &Formats) -> Option<AnyFormat> {
        match self.encoding {
            Encoding::Format(format) => Some(format),
            Encoding::Json => json::find_format(&self.bytes, formats).ok(),
            Encoding::Interchange(_) => None,
        }
    }
}

impl ComparisonOptions<'_> {
    /// Compares two files and adds their differences. Returns their format if they were compared value by value; `None`
    /// if as scenes.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be decoded.
    pub fn compare(
        &self,
        [a, b]: [&ComparedFile; 2],
        differences: &mut Differences,
    ) -> Result<Option<AnyFormat>> {
        let tolerance = self.tolerance;
        let [format_of_a, format_of_b] = [a.format(self.formats), b.format(self.formats)];
        let format = format_of_a.filter(|format| !self.as_scenes && format_of_b == Some(*format));
        if format.is_some() {
            let [before, after] = [self.source(a)?, self.source(b)?];
            let is_same_type = match (before.ty, after.ty) {
                (Some(own), Some(other)) => std::ptr::eq(own, other),
                _ => false,
            };
            let mut comparison = ValueComparison {
                tolerance,
                is_text: before.is_text(),
                digests: &Digests::new(is_same_type),
                differences,
            };
            if let (Some(before), Some(after)) = (before.tree()?, after.tree()?) {
                comparison.compare_files(&before, &after);
            }
            let lines = match before.ty {
                Some(_) => "unreadable_lines",
                None => "lines",
            };
            comparison.compare_lines(lines, &before.other_lines, &after.other_lines);
        } else {
            let [before, after] = [self.read_scene(a)?, self.read_scene(b)?];
            let options = CompareOptions::default().with_tolerance(tolerance);
            let comparison = compare(&before, &after, &options).map_err(|error| {
                Failure::invalid(&format!("{} and {}", a.name(), b.name()), error)
            })?;
            comparison
                .differences
                .into_iter()
                .for_each(|found| differences.push(found.into()));
            differences.compared_parts = comparison.compared;
            differences.uncompared_corners = comparison.uncompared;
        }
        Ok(format)
    }

    /// Reads a file whose values are compared. Encodes a JSON document as a file first.
    fn source<'f>(&self, file: &'f ComparedFile) -> Result<Source<'f>> {
        let (format, bytes) = match file.encoding {
            Encoding::Format(format) => (format, Cow::Borrowed(&*file.bytes)),
            _ => {
                let written = FileFromJson::read(&file.bytes, self.formats)
                    .map_err(|error| Failure::invalid(&file.name(), error))?;
                (written.format, Cow::Owned(written.bytes))
            }
        };
        let options = self.read_args.options(Encoding::Format(format), &bytes);
        let mut source = Source {
            name: file.name(),
            format,
            ty: format.values_of(&bytes, options.dialect.unwrap_or_default()),
            bytes,
            other_lines: Vec::new(),
            limits: options.limits,
        };
        if source.is_text() {
            source.separate_lines();
        }
        Ok(source)
    }

    fn read_scene(&self, file: &ComparedFile) -> Result<Scene> {
        let ComparisonOptions {
            read_args,
            limit_args,
            formats,
            ..
        } = self;
        scenes::read_bytes(
            &file.bytes,
            file.encoding,
            file.path,
            read_args,
            limit_args,
            formats,
        )
    }
}
