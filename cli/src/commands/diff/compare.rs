//! Compares two files: value by value if they have the same format, otherwise as scenes.

use std::path::Path;

use meshspec::scene::{CompareOptions, Scene, compare};
use meshspec::{AnyFormat, Formats};

use super::difference::Differences;
use super::tree::ValueTree;
use super::values;
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
            let [before, after] = &[self.read_values(a)?, self.read_values(b)?];
            let mut comparison = values::ValueComparison {
                before,
                after,
                tolerance,
                differences,
            };
            comparison.compare(&mut Vec::new(), 0, 0);
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

    /// Reads the values of a file. Encodes a JSON document as a file first.
    fn read_values(&self, file: &ComparedFile) -> Result<ValueTree> {
        let written;
        let (format, bytes): (AnyFormat, &[u8]) = match file.encoding {
            Encoding::Format(format) => (format, &file.bytes),
            _ => {
                written = FileFromJson::read(&file.bytes, self.formats)
                    .map_err(|error| Failure::invalid(&file.name(), error))?;
                (written.format, &written.bytes)
            }
        };
        let options = self.read_args.options(Encoding::Format(format), bytes);
        match format.layout_of(bytes, options.dialect.unwrap_or_default()) {
            Some(ty) => ValueTree::of_binary(ty, bytes, &options.limits).map_err(|fault| {
                Failure::invalid(&file.name(), fault)
                    .with_hint("print the values before the error with `meshspec dump`")
            }),
            None => Ok(ValueTree::of_text(format, bytes)),
        }
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
