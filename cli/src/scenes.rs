//! Reads files of any format as scenes.

use std::path::Path;

use meshspec::scene::{Conventions, Scene, SceneOptions};
use meshspec::{AnyDocument, AnyFormat, Dialect, Formats, Limits, Loss, ReadOptions, Strictness};

use crate::encoding::{self, Encoding};
use crate::failure::{Failure, Result};
use crate::input::{SiblingFiles, name_of};
use crate::json::FileFromJson;
use crate::read_args::{LimitArgs, ReadArgs};
use crate::readable::Readable;

/// The content of a file to be converted to a scene.
pub enum SceneSource {
    Document(AnyDocument),
    /// The bytes of a file that is not changed, so it needs no document.
    File(AnyFormat, Vec<u8>, Dialect),
}

impl SceneSource {
    /// Decodes a file whose values were read from the JSON at `path`, and checks it with `strictness`; `from` is the value
    /// of `--from`. Returns the file instead of the document if `keeps_file` is true, otherwise also the losses of decoding
    /// it. `is_accepted` tries to convert a document that lenient reading accepts.
    pub fn from_json(
        file: FileFromJson,
        path: &Path,
        from: Option<Encoding>,
        strictness: Strictness,
        keeps_comments: bool,
        keeps_file: impl FnOnce(&AnyDocument) -> bool,
        is_accepted: impl FnOnce(AnyDocument) -> bool,
    ) -> Result<(SceneSource, Vec<Loss>)> {
        let name = name_of(path);
        let invalid = |error| Failure::invalid(&name, error);
        let document = file.decode(keeps_comments).map_err(invalid)?;
        let report = file.check().map_err(invalid)?;
        if let Some(finding) = report.first_rejected(strictness) {
            let failure = Failure::invalid(&name, finding);
            return Err(failure.with_rejection_hint(Some(finding.rule), from, || {
                report.first_rejected(Strictness::Lenient).is_none() && is_accepted(document)
            }));
        }
        if keeps_file(&document) {
            let source = SceneSource::File(file.format, file.bytes, document.dialect());
            return Ok((source, Vec::new()));
        }
        Ok((SceneSource::Document(document), file.uncovered_bytes()))
    }

    /// Converts the content to a scene, and lists the losses. `options` returns the options for the name of a format
    /// and its conventions, `from` is the value of `--from`.
    pub fn into_scene(
        self,
        path: &Path,
        read_options: &ReadOptions,
        from: Option<Encoding>,
        options: impl FnOnce(&str, Conventions) -> SceneOptions,
    ) -> Result<(Scene, Vec<Loss>)> {
        match self {
            SceneSource::Document(document) => {
                let format = document.format();
                let conventions = encoding::require_scenes(format, &name_of(path))?;
                let options = options(format.name(), conventions);
                document
                    .into_scene(&options)
                    .map_err(|error| Failure::from_error(&name_of(path), &error))
            }
            SceneSource::File(format, bytes, dialect) => {
                let read_options = read_options.clone().with_dialect(dialect);
                read_file(format, &bytes, path, &read_options, from, options)
            }
        }
    }
}

/// Reads a file as a scene, and applies the transforms of nodes to the vertices.
pub fn read(
    path: &Path,
    read_args: &ReadArgs,
    limit_args: &LimitArgs,
    formats: &Formats,
) -> Result<Scene> {
    let (bytes, encoding) = read_args.read(path, Readable::ALL, formats)?;
    read_bytes(&bytes, encoding, path, read_args, limit_args, formats)
}

/// Like [`read`], for a file whose bytes and encoding are known.
pub fn read_bytes(
    bytes: &[u8],
    encoding: Encoding,
    path: &Path,
    read_args: &ReadArgs,
    limit_args: &LimitArgs,
    formats: &Formats,
) -> Result<Scene> {
    let options = SceneOptions::default().with_bake(true);
    read_with(
        bytes,
        encoding,
        path,
        read_args,
        &limit_args.limits(),
        &options,
        formats,
    )
}

/// Like [`read_bytes`], with the given limits and options.
pub fn read_with(
    bytes: &[u8],
    encoding: Encoding,
    path: &Path,
    read_args: &ReadArgs,
    limits: &Limits,
    options: &SceneOptions,
    formats: &Formats,
) -> Result<Scene> {
    let options = options.clone().with_strictness(read_args.strictness());
    let of_format = |_: &str, conventions| options.clone().with_conventions(conventions);
    let from = read_args.from;
    let read = match encoding {
        Encoding::Format(format) => read_file(
            format,
            bytes,
            path,
            &read_args.options(encoding, bytes).with_limits(*limits),
            from,
            of_format,
        ),
        Encoding::Json => {
            let strictness = read_args.strictness();
            let lenient = options.clone().with_strictness(Strictness::Lenient);
            let is_accepted = |document: AnyDocument| document.into_scene(&lenient).is_ok();
            let file = FileFromJson::read(bytes, formats)
                .map_err(|error| Failure::invalid(&name_of(path), error))?;
            let (content, _) =
                SceneSource::from_json(file, path, from, strictness, true, |_| false, is_accepted)?;
            let read_options = read_args.options(encoding, bytes);
            content.into_scene(path, &read_options, from, of_format)
        }
        Encoding::Interchange(format) => {
            let options = options.clone().with_max_triangles(limits.max_triangles);
            let options = options.with_conventions(format.conventions());
            let siblings = SiblingFiles::new(path);
            format
                .read(bytes, &siblings, &options, limits)
                .map_err(|error| {
                    let lenient = options.clone().with_strictness(Strictness::Lenient);
                    Failure::from_file_error(&name_of(path), &error, bytes, from, || {
                        format.read(bytes, &siblings, &lenient, limits).is_ok()
                    })
                })
        }
    };
    read.map(|(scene, _)| scene)
}

fn read_file(
    format: AnyFormat,
    bytes: &[u8],
    path: &Path,
    read_options: &ReadOptions,
    from: Option<Encoding>,
    options: impl FnOnce(&str, Conventions) -> SceneOptions,
) -> Result<(Scene, Vec<Loss>)> {
    let name = name_of(path);
    let options = options(format.name(), encoding::require_scenes(format, &name)?);
    format
        .read_scene(bytes, read_options, &options)
        .map_err(|error| {
            let lenient = read_options.clone().with_strictness(Strictness::Lenient);
            let options = options.with_strictness(Strictness::Lenient);
            Failure::from_file_error(&name, &error, bytes, from, || {
                format.read_scene(bytes, &lenient, &options).is_ok()
            })
        })
}
