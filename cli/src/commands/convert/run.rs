//! Converts one file.

use std::ffi::OsStr;
use std::io::Read;
use std::path::Path;

use meshspec::scene::{Conventions, Scene, SceneOptions};
use meshspec::{AnyFormat, Dialect, Document, FormatId, Formats, WriteOptions};

use super::conversion::Conversion;
use super::images;
use super::outcome::Outcome;
use crate::buffer::Buffer;
use crate::encoding::{self, Encoding};
use crate::failure::{Failure, Result};
use crate::input::{self, name_of};
use crate::json;
use crate::output::Staged;
use crate::scenes::Content;

impl Conversion {
    /// Converts a file. Writes nothing if an error occurs.
    pub fn run(&self, input: &Path, output: Staged, formats: &Formats) -> Result<Outcome> {
        output.reject_existing()?;
        let named = self.from.or_else(|| Encoding::of_path(input, formats));
        let (from, source) = match named {
            Some(from @ Encoding::Interchange(format)) if format.is_read_in_parts() => {
                (from, Input::Stream(input::open(input)?))
            }
            _ => {
                let bytes = input::read(input)?;
                let from = self.from.map_or_else(|| Encoding::of_input(&bytes, input, formats), Ok)?;
                (from, Input::Bytes(bytes))
            }
        };
        let to = self.target(input, output.path(), from, source.bytes(), formats)?;
        self.require_options(to, formats)?;
        let dialect = self.dialect.unwrap_or_default();
        let mut run = Run { conversion: self, input, output, dialect, outcome: Outcome::default() };
        match run.read(source, from, formats)? {
            Source::Content(Content::Document(document)) => {
                let document = *document;
                let own = Encoding::Format(document.format().into());
                // JSON output keeps the format of the input.
                let format = if to == Encoding::Json { own } else { to };
                let is_same = format == own;
                if is_same && (from == Encoding::Json || to == Encoding::Json) {
                    run.keep_dialect(&document)?;
                }
                if is_same && self.edits.are_none() && self.precision.is_none() {
                    let document = run.in_dialect(document)?;
                    run.write_document(&document, to)?;
                } else {
                    let scene = run.scene_of(Content::Document(Box::new(document)))?;
                    run.write_scene(scene, format, to)?;
                }
            }
            Source::Content(Content::File(format, bytes)) => {
                let own = Encoding::Format(format);
                let target = if to == Encoding::Json { own } else { to };
                if target == own && self.edits.are_none() {
                    run.write_file(format, &bytes, to)?;
                } else {
                    let scene = run.scene_of(Content::File(format, bytes))?;
                    run.write_scene(scene, target, to)?;
                }
            }
            Source::Scene(scene) => run.write_scene(*scene, to, to)?,
        }
        run.finish()
    }

    /// Returns the format of OUT.
    fn target(
        &self,
        input: &Path,
        output: &Path,
        from: Encoding,
        bytes: &[u8],
        formats: &Formats,
    ) -> Result<Encoding> {
        if let Some(to) = self.to.or_else(|| Encoding::of_path(output, formats)) {
            return Ok(to);
        }
        match from {
            Encoding::Format(format) => Encoding::of_shared_extension(output, Some(format), formats),
            Encoding::Interchange(_) => Encoding::of_shared_extension(output, None, formats),
            // A JSON document names its format.
            Encoding::Json => match json::format_among(bytes, formats) {
                Ok(own) => {
                    let shared = Encoding::of_shared_extension(output, Some(own), formats);
                    Ok(shared.unwrap_or(Encoding::Format(own)))
                }
                Err(error) => Err(Failure::invalid(&name_of(input), error)),
            },
        }
    }
}

/// An input file.
enum Input {
    Bytes(Buffer),
    /// Not read yet, so it need not fit in memory.
    Stream(Box<dyn Read + Send>),
}

impl Input {
    /// Returns the bytes; empty for a stream.
    fn bytes(&self) -> &[u8] {
        match self {
            Input::Bytes(bytes) => bytes,
            Input::Stream(_) => &[],
        }
    }
}

/// The content of an input file.
enum Source {
    Content(Content),
    /// An interchange file.
    Scene(Box<Scene>),
}

/// The conversion of one file.
struct Run<'a> {
    conversion: &'a Conversion,
    input: &'a Path,
    output: Staged,
    /// The dialect to write.
    dialect: Dialect,
    outcome: Outcome,
}

impl Run<'_> {
    /// Consumes the input, so that its memory is freed before the output is created.
    fn read(&mut self, input: Input, from: Encoding, formats: &Formats) -> Result<Source> {
        let bytes = input.bytes();
        match from {
            Encoding::Format(format) => {
                let options =
                    self.conversion.read_options().with_comments(self.conversion.comments().are_kept());
                let Some(format) = format.built_in() else {
                    if !format.has_json() {
                        encoding::require_scenes(format, &name_of(self.input))?;
                    }
                    return Ok(Source::Content(Content::File(format, bytes.to_vec())));
                };
                let document = format.read(bytes, &options);
                document
                    .map(|document| Source::Content(Content::Document(Box::new(document))))
                    .map_err(|error| Failure::in_file(&name_of(self.input), &error, bytes))
            }
            Encoding::Json => {
                let (strictness, comments) =
                    (self.conversion.read_options().strictness, self.conversion.comments());
                let change = |document: &mut Document| comments.apply(document);
                Content::of_json(bytes, self.input, formats, strictness, &self.write_options(), change)
                    .map(Source::Content)
            }
            Encoding::Interchange(format) => {
                let options = self.source(format.name(), format.conventions());
                let siblings = input::SiblingFiles::new(self.input);
                let limits = self.conversion.bounds.limits();
                let read = match input {
                    Input::Bytes(bytes) => format.read(&bytes, &siblings, &options, &limits),
                    Input::Stream(mut input) => format.read_from(&mut *input, &siblings, &options, &limits),
                };
                let (scene, losses) = read.map_err(|error| self.failure(&error))?;
                self.outcome.losses.extend(losses);
                Ok(Source::Scene(Box::new(scene)))
            }
        }
    }

    /// Returns the options for reading, and records the assumed conventions.
    fn source(&mut self, format: &str, usual: Conventions) -> SceneOptions {
        let conventions = self.conversion.edits.source(usual);
        self.assume(format, usual, conventions);
        SceneOptions::default()
            .with_conventions(conventions)
            .with_bake(self.conversion.edits.bake)
            .with_strictness(self.conversion.read_options().strictness)
    }

    /// Returns the options for writing, and records the assumed conventions.
    fn target(&mut self, format: &str, usual: Conventions) -> SceneOptions {
        let conventions = self.conversion.edits.target(usual);
        self.assume(format, usual, conventions);
        let mut options = SceneOptions::default().with_conventions(conventions).with_dialect(self.dialect);
        options.precision = self.conversion.precision;
        options.strictness = self.conversion.read_options().strictness;
        options.max_triangles = self.conversion.bounds.limits().max_triangles;
        match self.output.path().extension().and_then(OsStr::to_str) {
            Some(extension) => options.with_extension(extension.to_ascii_lowercase()),
            None => options,
        }
    }

    fn assume(&mut self, format: &str, usual: Conventions, found: Conventions) {
        let why = if found == usual { "docs/conversion.md" } else { "as given" };
        self.outcome.assumed.push(format!("{format}: {found} ({why})"));
    }

    fn scene_of(&mut self, content: Content) -> Result<Scene> {
        let (input, read) = (self.input, self.conversion.read_options());
        let (scene, losses) = content.into_scene(input, &read, |format, usual| self.source(format, usual))?;
        self.outcome.losses.extend(losses);
        Ok(scene)
    }

    /// Selects the dialect of the document, unless `--dialect` selects another.
    fn keep_dialect(&mut self, document: &Document) -> Result<()> {
        match self.conversion.dialect {
            Some(dialect) => input::require_dialect(document.format(), dialect, "--dialect")?,
            None => self.dialect = document.dialect(),
        }
        Ok(())
    }

    fn in_dialect(&mut self, document: Document) -> Result<Document> {
        let before = document.dialect();
        let (document, losses) = document.into_dialect(self.dialect).map_err(|error| self.failure(&error))?;
        self.outcome.losses.extend(losses);
        if document.dialect() != before {
            self.note_dialect(&document);
        }
        Ok(document)
    }

    /// Writes the scene in a format, or as a JSON document of that format.
    fn write_scene(&mut self, mut scene: Scene, format: Encoding, to: Encoding) -> Result<()> {
        let moved = self.conversion.edits.apply(&mut scene, &mut self.outcome.losses);
        self.outcome.moved = moved.map_err(|error| Failure::usage("--pose", error))?;
        match format {
            Encoding::Json => {
                let names: Vec<_> = FormatId::ALL.iter().map(|format| format.name()).collect();
                let message = format!("JSON holds documents of {} only", names.join(", "));
                Err(Failure::usage(&name_of(self.input), message).with_hint("convert to one of these first"))
            }
            Encoding::Format(target) => {
                let options = self.target(target.name(), encoding::require_target(target, "--to")?);
                if self.conversion.edits.add_normals(&mut scene, target) > 0 {
                    self.outcome.assumed.push(format!("{target}: missing normals are generated"));
                }
                let Some(format) = target.built_in() else {
                    let written = target.write_scene(scene, &options, &self.write_options());
                    let (bytes, losses) = written.map_err(|error| self.failure(&error))?;
                    self.outcome.losses.extend(losses);
                    return self.write_file(target, &bytes, to);
                };
                let (document, losses) =
                    Document::from_scene(format, scene, &options).map_err(|error| self.failure(&error))?;
                self.outcome.losses.extend(losses);
                if to != Encoding::Json {
                    self.note_dialect(&document);
                }
                self.write_document(&document, to)
            }
            Encoding::Interchange(format) => {
                let options = self.target(format.name(), format.conventions());
                if format.has_textures() {
                    let embed = self.conversion.embed_images;
                    images::carry(&mut scene, embed, self.input, &mut self.output, &mut self.outcome)?;
                }
                let name = self.output.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
                let losses = format
                    .write(scene, &name, &mut self.output, &options)
                    .map_err(|error| Failure::of_writing(&name_of(self.input), &error))?;
                self.outcome.losses.extend(losses);
                Ok(())
            }
        }
    }

    /// Notes the dialect that the author's software requires, if none was chosen.
    fn note_dialect(&mut self, document: &Document) {
        let format = AnyFormat::from(document.format());
        if let (None, Some(needed)) = (self.conversion.dialect, format.about().authors_dialect)
            && document.dialect() != needed
        {
            let (name, written) = (format.name(), document.dialect());
            let note = format!(
                "{name}: {written} dialect; the author's tool reads only the {needed} dialect: --dialect {needed}"
            );
            self.outcome.assumed.push(note);
        }
    }

    fn write_document(&mut self, document: &Document, to: Encoding) -> Result<()> {
        if self.is_rejected() {
            return Ok(());
        }
        if to == Encoding::Json {
            return self.output.write(|out| json::write_document(document, out));
        }
        let options = self.write_options();
        // The input causes the errors of writing.
        let bytes = document.write(&options).map_err(|error| self.failure(&error))?;
        self.output.write(|out| out.write_all(&bytes))
    }

    fn write_options(&self) -> WriteOptions {
        let mut options = self.conversion.packing.options(self.conversion.lenient);
        options.comments = self.conversion.comments().are_written();
        options
    }

    /// Writes a file of a custom format, or its document as JSON.
    fn write_file(&mut self, format: AnyFormat, bytes: &[u8], to: Encoding) -> Result<()> {
        if self.is_rejected() {
            return Ok(());
        }
        let options = self.conversion.read_options();
        if to == Encoding::Json {
            let text = format.write_json(bytes, &options).map_err(|error| self.failure(&error))?;
            return self.output.write(|out| writeln!(out, "{text}"));
        }
        let report = format.check(bytes, &options).map_err(|error| self.failure(&error))?;
        match report.first_rejected(options.strictness) {
            Some(finding) => Err(Failure::invalid(&name_of(self.input), finding)),
            None => self.output.write(|out| out.write_all(bytes)),
        }
    }

    /// Returns `true` if `--strict` forbids writing.
    fn is_rejected(&self) -> bool {
        self.conversion.strict && !self.outcome.losses.is_empty()
    }

    fn finish(mut self) -> Result<Outcome> {
        if self.is_rejected() {
            let rejection = Failure::lossy(&name_of(self.input), &self.outcome.losses);
            self.outcome.rejection = Some(rejection);
        } else {
            self.output.commit()?;
        }
        Ok(self.outcome)
    }

    fn failure(&self, error: &meshspec::Error) -> Failure {
        Failure::of(&name_of(self.input), error)
    }
}
