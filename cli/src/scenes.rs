//! Files of any format, read as scenes.

use std::path::Path;

use meshspec::scene::{Conventions, Scene, SceneOptions};
use meshspec::{AnyFormat, Document, Formats, Loss, ReadOptions, Strictness, WriteOptions};

use crate::encoding::{self, Encoding};
use crate::failure::{Failure, Result};
use crate::input::{self, SiblingFiles, name_of};
use crate::json;
use crate::reading::{Bounds, Reading};

/// The content of a file of a format, before it becomes a scene.
pub enum Content {
    Document(Box<Document>),
    /// A file of a custom format.
    File(AnyFormat, Vec<u8>),
}

impl Content {
    /// Decodes a JSON document. Applies `change` before the document is checked.
    pub fn of_json(
        text: &[u8],
        path: &Path,
        formats: &Formats,
        strictness: Strictness,
        write: &WriteOptions,
        change: impl FnOnce(&mut Document),
    ) -> Result<Content> {
        let place = name_of(path);
        if let Ok(format) = json::format_among(text, formats)
            && format.built_in().is_none()
        {
            let file = format.read_json(text, write);
            return file.map(|file| Content::File(format, file)).map_err(|error| Failure::of(&place, &error));
        }
        let mut document = json::read_document(text).map_err(|error| Failure::invalid(&place, error))?;
        change(&mut document);
        match document.check().first_rejected(strictness) {
            Some(finding) => Err(Failure::invalid(&place, finding)),
            None => Ok(Content::Document(Box::new(document))),
        }
    }

    /// Converts the content to a scene. `options` returns the options for a format and its conventions.
    pub fn into_scene(
        self,
        path: &Path,
        read: &ReadOptions,
        options: impl FnOnce(&str, Conventions) -> SceneOptions,
    ) -> Result<(Scene, Vec<Loss>)> {
        match self {
            Content::Document(document) => {
                let format = document.format();
                let options = options(format.name(), format.conventions());
                document.into_scene(&options).map_err(|error| Failure::of(&name_of(path), &error))
            }
            Content::File(format, bytes) => of_file(format, &bytes, path, read, options),
        }
    }
}

/// Reads a file as a scene, with the transforms of nodes applied to the vertices.
pub fn read(path: &Path, reading: &Reading, bounds: &Bounds, formats: &Formats) -> Result<Scene> {
    let bytes = input::read(path)?;
    let encoding = reading.encoding_of(&bytes, path, formats)?;
    of_bytes(&bytes, encoding, path, reading, bounds, formats)
}

/// Reads the bytes of a file as a scene.
pub fn of_bytes(
    bytes: &[u8],
    encoding: Encoding,
    path: &Path,
    reading: &Reading,
    bounds: &Bounds,
    formats: &Formats,
) -> Result<Scene> {
    let options = SceneOptions::default().with_strictness(reading.strictness()).with_bake(true);
    let of_format = |_: &str, usual| options.clone().with_conventions(usual);
    let read = match encoding {
        Encoding::Format(format) => {
            of_file(format, bytes, path, &reading.options(encoding, bytes), of_format)
        }
        Encoding::Json => {
            let write = WriteOptions::lenient();
            let content = Content::of_json(bytes, path, formats, reading.strictness(), &write, |_| ())?;
            let read = match &content {
                Content::File(format, file) => reading.options(Encoding::Format(*format), file),
                Content::Document(_) => reading.options(encoding, bytes),
            };
            content.into_scene(path, &read, of_format)
        }
        Encoding::Interchange(format) => {
            let limits = bounds.limits();
            let options = options.clone().with_max_triangles(limits.max_triangles);
            let options = options.with_conventions(format.conventions());
            let read = format.read(bytes, &SiblingFiles::new(path), &options, &limits);
            read.map_err(|error| Failure::in_file(&name_of(path), &error, bytes))
        }
    };
    read.map(|(scene, _)| scene)
}

fn of_file(
    format: AnyFormat,
    bytes: &[u8],
    path: &Path,
    read: &ReadOptions,
    options: impl FnOnce(&str, Conventions) -> SceneOptions,
) -> Result<(Scene, Vec<Loss>)> {
    let place = name_of(path);
    let options = options(format.name(), encoding::require_scenes(format, &place)?);
    format.read_scene(bytes, read, &options).map_err(|error| Failure::in_file(&place, &error, bytes))
}
