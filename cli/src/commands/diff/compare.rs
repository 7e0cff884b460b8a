//! Comparison of two files: by values if they have the same format, otherwise as scenes.

use std::path::Path;

use meshspec::scene::Scene;
use meshspec::{AnyFormat, Formats};

use super::difference::Differences;
use super::tree::Tree;
use super::{scene, values};
use crate::buffer::Buffer;
use crate::encoding::Encoding;
use crate::failure::{Failure, Result};
use crate::input::{self, name_of};
use crate::json;
use crate::reading::{Bounds, Reading};
use crate::scenes;

/// A file to compare.
pub struct File<'f> {
    pub path: &'f Path,
    pub bytes: Buffer,
    pub encoding: Encoding,
}

/// The options for reading and comparing files.
pub struct Rules<'r> {
    pub reading: &'r Reading,
    pub bounds: &'r Bounds,
    pub formats: &'r Formats,
    /// The largest ignored difference of floats, and distance in metres.
    pub tolerance: f64,
    /// Whether files of the same format are compared as scenes.
    pub as_scenes: bool,
}

impl<'f> File<'f> {
    /// Reads a file and detects its encoding.
    pub fn open(path: &'f Path, reading: &Reading, formats: &Formats) -> Result<File<'f>> {
        let bytes = input::read(path)?;
        let encoding = reading.encoding_of(&bytes, path, formats)?;
        Ok(File { path, bytes, encoding })
    }

    fn place(&self) -> String {
        name_of(self.path)
    }

    /// Returns the format of the file, or of its JSON document.
    fn format(&self, formats: &Formats) -> Option<AnyFormat> {
        match self.encoding {
            Encoding::Format(format) => Some(format),
            Encoding::Json => json::format_among(&self.bytes, formats).ok(),
            Encoding::Interchange(_) => None,
        }
    }
}

impl Rules<'_> {
    /// Adds the differences of two files. Returns their format if they were compared by values.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be decoded.
    pub fn compare(&self, [a, b]: [&File; 2], differences: &mut Differences) -> Result<Option<AnyFormat>> {
        let tolerance = self.tolerance;
        let [own, other] = [a.format(self.formats), b.format(self.formats)];
        let format = own.filter(|format| !self.as_scenes && other == Some(*format));
        if format.is_some() {
            let [before, after] = &[self.values(a)?, self.values(b)?];
            let mut comparison = values::Comparison { before, after, tolerance, differences };
            comparison.compare(&mut Vec::new(), 0, 0);
        } else {
            let scenes = [(self.scene(a)?, &*a.place()), (self.scene(b)?, &*b.place())];
            scene::Comparison { scenes, tolerance }.compare(differences)?;
        }
        Ok(format)
    }

    /// Reads the values of a file. A JSON document is compared as the file that it encodes.
    fn values(&self, file: &File) -> Result<Tree> {
        let written;
        let (format, bytes): (AnyFormat, &[u8]) = match file.encoding {
            Encoding::Format(format) => (format, &file.bytes),
            _ => {
                written = json::file_of(&file.bytes, self.formats)
                    .map_err(|error| Failure::invalid(&file.place(), error))?;
                (written.0, &written.1)
            }
        };
        let options = self.reading.options(Encoding::Format(format), bytes);
        match format.layout_of(bytes, options.dialect.unwrap_or_default()) {
            Some(ty) => Tree::of_binary(ty, bytes, &options.limits).map_err(|fault| {
                Failure::invalid(&file.place(), fault).with_hint("`meshspec dump` shows the values before it")
            }),
            None => Ok(Tree::of_text(format, bytes)),
        }
    }

    fn scene(&self, file: &File) -> Result<Scene> {
        let Rules { reading, bounds, formats, .. } = self;
        scenes::of_bytes(&file.bytes, file.encoding, file.path, reading, bounds, formats)
    }
}
