//! Converts one file.

use std::ffi::OsStr;
use std::io::{self, Cursor, Read, Write};
use std::path::Path;

use meshspec::scene::{Conventions, Scene, SceneOptions};
use meshspec::{AnyDocument, AnyFormat, Dialect, ErrorKind, Formats, Strictness, WriteOptions};

use super::conversion::ConversionArgs;
use super::images;
use super::report::ConversionReport;
use crate::buffer::{Buffer, MIN_LARGE_SIZE};
use crate::content_kind;
use crate::encoding::{self, Encoding};
use crate::failure::{Failure, Result};
use crate::input::{self, is_standard, name_of};
use crate::json::{self, FileFromJson, LargeJson};
use crate::output::StagedOutput;
use crate::readable::Readable;
use crate::scenes::SceneSource;
use crate::winding::{self, MAX_EXAMINED_SIZE};

impl ConversionArgs {
    /// Converts a file. Creates no output file if an error occurs, or if the report contains a
    /// [rejection](ConversionReport::rejection).
    pub fn run(
        &self,
        input: &Path,
        output: StagedOutput,
        formats: &Formats,
    ) -> Result<ConversionReport> {
        output.reject_existing()?;
        let named = self.from.or_else(|| Encoding::by_extension(input, formats));
        let (from, source) = match named {
            Some(from @ Encoding::Interchange(format)) if format.is_read_in_parts() => {
                let (head, rest) = open_in_parts(input, from)?;
                if self.from.is_none() {
                    content_kind::reject_mismatch(from, &head, input, Readable::ALL, formats)?;
                }
                (
                    from,
                    InputData::Stream(Box::new(Cursor::new(head).chain(rest))),
                )
            }
            Some(Encoding::Json) => match LargeJson::open(input, formats) {
                Some(json) => (Encoding::Json, InputData::Json(Box::new(json))),
                None => self.read_whole(input, formats)?,
            },
            _ => self.read_whole(input, formats)?,
        };
        let to = self.target_encoding(input, output.path(), from, &source, formats)?;
        to.require_extension(output.path(), formats)?;
        self.require_options(Some(from), to, formats)?;
        let dialect = self.dialect.unwrap_or_default();
        let is_examined = source.size() <= MAX_EXAMINED_SIZE as u64;
        let mut run = ConversionRun {
            conversion: self,
            input,
            output,
            dialect,
            report: ConversionReport::default(),
        };
        match run.read(source, from, to, formats)? {
            InputContent::Source(SceneSource::Document(document)) => {
                let input_encoding = Encoding::Format(document.format());
                // JSON output keeps the format of the input.
                let format = if to == Encoding::Json {
                    input_encoding
                } else {
                    to
                };
                let is_same = format == input_encoding;
                if is_same && (from == Encoding::Json || to == Encoding::Json) {
                    run.keep_dialect(&document)?;
                }
                if is_same && self.edits.is_empty() && self.precision.is_none() {
                    let document = run.convert_dialect(document)?;
                    if is_examined && document.format().conventions().is_some() {
                        run.warn_about_document(&document);
                    }
                    run.write_document(&document, to)?;
                } else {
                    let scene = run.convert_to_scene(SceneSource::Document(document))?;
                    run.write_scene(scene, format, to)?;
                }
            }
            InputContent::Source(SceneSource::File(format, bytes, dialect)) => {
                let input_encoding = Encoding::Format(format);
                let target = if to == Encoding::Json {
                    input_encoding
                } else {
                    to
                };
                if target == input_encoding && self.edits.is_empty() {
                    if is_examined && format.conventions().is_some() {
                        run.warn_about_winding(SceneSource::File(format, bytes.clone(), dialect));
                    }
                    run.write_file(format, &bytes, dialect, to)?;
                } else {
                    let scene = run.convert_to_scene(SceneSource::File(format, bytes, dialect))?;
                    run.write_scene(scene, target, to)?;
                }
            }
            InputContent::Scene(scene) => run.write_scene(*scene, to, to)?,
        }
        run.finish()
    }

    fn read_whole(&self, input: &Path, formats: &Formats) -> Result<(Encoding, InputData)> {
        let is_possible =
            |start: &[u8], size| Encoding::may_read(self.from, input, formats, start, size);
        let bytes = input::read_expected(input, &is_possible)?;
        let from = match self.from {
            Some(from) => from,
            None => content_kind::detect(&bytes, input, Readable::ALL, formats)?,
        };
        Ok((from, InputData::Bytes(bytes)))
    }

    /// Returns the encoding of the output: `--to` if given, otherwise the encoding for the extension of `output`. If
    /// several formats share the extension, the format of the input takes precedence. If the extension determines no
    /// format, a JSON document is written in the format that it names.
    fn target_encoding(
        &self,
        input: &Path,
        output: &Path,
        from: Encoding,
        source: &InputData,
        formats: &Formats,
    ) -> Result<Encoding> {
        if let Some(to) = self.to.or_else(|| Encoding::by_extension(output, formats)) {
            return Ok(to);
        }
        match from {
            Encoding::Format(format) => {
                Encoding::by_shared_extension(output, Some(format), formats)
            }
            Encoding::Interchange(_) => Encoding::by_shared_extension(output, None, formats),
            // A JSON document contains the name of its format.
            Encoding::Json => match source.format_in_json(formats) {
                Ok(format) => {
                    let shared = Encoding::by_shared_extension(output, Some(format), formats);
                    Ok(shared.unwrap_or(Encoding::Format(format)))
                }
                Err(error) => Err(Failure::invalid(&name_of(input), error)),
            },
        }
    }
}

/// Opens a file that is read as a stream. Returns its first bytes, and a stream of the rest, which is empty if no file of
/// the encoding starts with these bytes.
fn open_in_parts(path: &Path, encoding: Encoding) -> Result<(Vec<u8>, Box<dyn Read + Send>)> {
    let mut stream = input::open(path)?;
    let mut head = Vec::new();
    let read = stream.by_ref().take(MIN_LARGE_SIZE).read_to_end(&mut head);
    read.map_err(|error| Failure::io(&name_of(path), &error))?;
    let rest = if encoding.may_start_with(&head) {
        stream
    } else {
        Box::new(io::empty())
    };
    Ok((head, rest))
}

enum InputData {
    Bytes(Buffer),
    /// A stream that is read during the conversion, so the file need not fit in memory.
    Stream(Box<dyn Read + Send>),
    /// A large JSON, whose values are read during the conversion.
    Json(Box<LargeJson>),
}

impl InputData {
    /// Returns the bytes of the input; empty if they are not in memory.
    fn bytes(&self) -> &[u8] {
        match self {
            InputData::Bytes(bytes) => bytes,
            InputData::Stream(_) | InputData::Json(_) => &[],
        }
    }

    /// Returns the size of the input in bytes; 0 for a stream.
    fn size(&self) -> u64 {
        match self {
            InputData::Json(json) => json.size(),
            input => input.bytes().len() as u64,
        }
    }

    /// Returns the format that a JSON names, or an error message.
    fn format_in_json(&self, formats: &Formats) -> std::result::Result<AnyFormat, String> {
        match self {
            InputData::Json(json) => Ok(json.format()),
            input => json::find_format(input.bytes(), formats),
        }
    }
}

enum InputContent {
    /// A document or an unchanged file.
    Source(SceneSource),
    /// The scene of an interchange file.
    Scene(Box<Scene>),
}

struct ConversionRun<'a> {
    conversion: &'a ConversionArgs,
    input: &'a Path,
    output: StagedOutput,
    /// The dialect to write.
    dialect: Dialect,
    report: ConversionReport,
}

impl ConversionRun<'_> {
    /// Reads the input. Takes it by value, so that its memory is freed before the output is created.
    fn read(
        &mut self,
        input: InputData,
        from: Encoding,
        to: Encoding,
        formats: &Formats,
    ) -> Result<InputContent> {
        let bytes = input.bytes();
        match from {
            Encoding::Format(format) => {
                let options = self
                    .conversion
                    .read_options()
                    .with_comments(self.conversion.comments().are_kept());
                let document = format.read(bytes, &options).map_err(|error| {
                    let (name, from) = (name_of(self.input), self.conversion.from);
                    let lenient = options.clone().with_strictness(Strictness::Lenient);
                    Failure::from_file_error(&name, &error, bytes, from, || {
                        let read = format.read(bytes, &lenient);
                        read.is_ok_and(|document| self.is_convertible(document, to))
                    })
                })?;
                if to == Encoding::Json && self.keeps_file(&document) {
                    return Ok(InputContent::Source(SceneSource::File(
                        format,
                        bytes.to_vec(),
                        document.dialect(),
                    )));
                }
                self.report
                    .losses
                    .extend(format.uncovered_bytes(bytes, &options));
                Ok(InputContent::Source(SceneSource::Document(document)))
            }
            Encoding::Json => {
                let (strictness, comments) = (
                    self.conversion.read_options().strictness,
                    self.conversion.comments(),
                );
                let from = self.conversion.from;
                let is_accepted = |document| self.is_convertible(document, to);
                let file = match input {
                    InputData::Json(json) => json.read(),
                    input => Some(FileFromJson::read(input.bytes(), formats)),
                };
                let file = match file {
                    Some(file) => file,
                    None => {
                        let (_, input) = self.conversion.read_whole(self.input, formats)?;
                        FileFromJson::read(input.bytes(), formats)
                    }
                };
                let file = file.map_err(|error| Failure::invalid(&name_of(self.input), error))?;
                let keeps_file = |document: &AnyDocument| {
                    let own = Encoding::Format(document.format());
                    (to == Encoding::Json || to == own) && self.keeps_file(document)
                };
                let (source, losses) = SceneSource::from_json(
                    file,
                    self.input,
                    from,
                    strictness,
                    comments.are_kept(),
                    keeps_file,
                    is_accepted,
                )?;
                self.report.losses.extend(losses);
                Ok(InputContent::Source(source))
            }
            Encoding::Interchange(format) => {
                let options = self.source_options(format.name(), format.conventions());
                let siblings = input::SiblingFiles::new(self.input);
                let limits = self.conversion.limit_args.limits();
                let read = match input {
                    InputData::Stream(mut input) => {
                        format.read_from(&mut *input, &siblings, &options, &limits)
                    }
                    input => format.read(input.bytes(), &siblings, &options, &limits),
                };
                let (scene, losses) = read.map_err(|error| {
                    let lenient = options.with_strictness(Strictness::Lenient);
                    // A stream has been consumed.
                    let again = |(head, rest)| {
                        let mut input = Cursor::new(head).chain(rest);
                        format.read_from(&mut input, &siblings, &lenient, &limits)
                    };
                    let name = name_of(self.input);
                    Failure::from_read_error(&name, &error, self.conversion.from, || {
                        !is_standard(self.input)
                            && open_in_parts(self.input, from)
                                .is_ok_and(|parts| again(parts).is_ok())
                    })
                })?;
                self.report.losses.extend(losses);
                Ok(InputContent::Scene(Box::new(scene)))
            }
        }
    }

    /// Returns `true` if a conversion to or from JSON keeps all bytes of the file with this document: no option changes its
    /// content.
    fn keeps_file(&self, document: &AnyDocument) -> bool {
        let conversion = self.conversion;
        conversion.edits.is_empty()
            && conversion.comments().are_kept()
            && conversion.precision.is_none()
            && conversion.compression.first_given().is_none()
            && conversion
                .dialect
                .is_none_or(|dialect| dialect == document.dialect())
    }

    /// Returns `true` if a document in the format `to`, or with a scene when read leniently, can be converted.
    fn is_convertible(&self, document: AnyDocument, to: Encoding) -> bool {
        let is_kept = to == Encoding::Json || to == Encoding::Format(document.format());
        let options = SceneOptions::default().with_strictness(Strictness::Lenient);
        (is_kept && self.conversion.edits.is_empty()) || document.into_scene(&options).is_ok()
    }

    /// Returns the options for reading a scene, and records the assumed conventions.
    fn source_options(&mut self, format: &str, format_conventions: Conventions) -> SceneOptions {
        let conventions = self.conversion.edits.source_conventions(format_conventions);
        self.record_assumption(format, format_conventions, conventions);
        SceneOptions::default()
            .with_conventions(conventions)
            .with_bake(self.conversion.edits.bake)
            .with_strictness(self.conversion.read_options().strictness)
    }

    /// Returns the options for writing a scene, and records the assumed conventions.
    fn target_options(&mut self, format: &str, format_conventions: Conventions) -> SceneOptions {
        let conventions = self.conversion.edits.target_conventions(format_conventions);
        self.record_assumption(format, format_conventions, conventions);
        let mut options = SceneOptions::default()
            .with_conventions(conventions)
            .with_dialect(self.dialect);
        options.precision = self.conversion.precision;
        options.strictness = self.conversion.read_options().strictness;
        options.max_triangles = self.conversion.limit_args.limits().max_triangles;
        match self.output.path().extension().and_then(OsStr::to_str) {
            Some(extension) => options.with_extension(extension.to_ascii_lowercase()),
            None => options,
        }
    }

    fn record_assumption(
        &mut self,
        format: &str,
        format_conventions: Conventions,
        used: Conventions,
    ) {
        let is_default = used == format_conventions;
        self.report.assumes_defaults |= is_default;
        let source = if is_default { "" } else { " (as given)" };
        self.report
            .assumed
            .push(format!("{format}: {used}{source}"));
    }

    /// Adds the warnings about the geometry of a file that is converted without a scene. A file that has none, such as one
    /// with errors that lenient reading accepts, gets no warning.
    fn warn_about_winding(&mut self, content: SceneSource) {
        let options = |_: &str, conventions| SceneOptions::default().with_conventions(conventions);
        let scene = content.into_scene(self.input, &self.conversion.read_options(), None, options);
        self.report
            .warnings
            .extend(scene.iter().flat_map(|(scene, _)| winding::warnings(scene)));
    }

    /// Adds the warnings about the geometry of a document that is written without a scene.
    fn warn_about_document(&mut self, document: &AnyDocument) {
        // The conversion to a scene would consume the document.
        if let Ok(bytes) = document.write(&WriteOptions::lenient()) {
            let (format, dialect) = (document.format(), document.dialect());
            self.warn_about_winding(SceneSource::File(format, bytes, dialect));
        }
    }

    fn convert_to_scene(&mut self, content: SceneSource) -> Result<Scene> {
        let (input, read) = (self.input, self.conversion.read_options());
        let from = self.conversion.from;
        let (scene, losses) =
            content.into_scene(input, &read, from, |format, format_conventions| {
                self.source_options(format, format_conventions)
            })?;
        self.report.losses.extend(losses);
        Ok(scene)
    }

    /// Selects the dialect of the document for writing. If `--dialect` is given, instead checks that the format has
    /// that dialect.
    fn keep_dialect(&mut self, document: &AnyDocument) -> Result<()> {
        match self.conversion.dialect {
            Some(dialect) => input::require_dialect(document.format(), dialect, "--dialect")?,
            None => self.dialect = document.dialect(),
        }
        Ok(())
    }

    /// Converts the document to the dialect to write. Without `--dialect`, that is the specification's, if the format
    /// converts between its dialects.
    fn convert_dialect(&mut self, document: AnyDocument) -> Result<AnyDocument> {
        let before = document.dialect();
        if self.conversion.dialect.is_none() && !document.format().converts_dialects() {
            return Ok(document);
        }
        let (document, losses) = document
            .into_dialect(self.dialect)
            .map_err(|error| self.failure(&error))?;
        self.report.losses.extend(losses);
        if document.dialect() != before {
            self.note_dialect(&document);
        }
        Ok(document)
    }

    /// Edits the scene, converts it to `format`, and writes it as a file or, if `to` is JSON, as a JSON document.
    fn write_scene(&mut self, mut scene: Scene, format: Encoding, to: Encoding) -> Result<()> {
        self.report.warnings.extend(winding::warnings(&scene));
        let moved = self
            .conversion
            .edits
            .apply(&mut scene, &mut self.report.losses);
        self.report.moved = moved.map_err(|error| Failure::usage("--pose", error))?;
        match format {
            Encoding::Json => {
                let message = "JSON has the values of a file of one format, not a scene";
                Err(Failure::usage(&name_of(self.input), message)
                    .with_hint("convert to a format with JSON first, and then its file to JSON"))
            }
            Encoding::Format(target) => {
                let options =
                    self.target_options(target.name(), encoding::require_target(target, "--to")?);
                if self.conversion.edits.add_normals(&mut scene, target) > 0 {
                    self.report
                        .assumed
                        .push(format!("{target}: missing normals are generated"));
                }
                let (document, losses) = target
                    .document_from_scene(scene, &options)
                    .map_err(|error| self.failure(&error))?;
                self.report.losses.extend(losses);
                if to != Encoding::Json {
                    self.note_dialect(&document);
                }
                self.write_document(&document, to)
            }
            Encoding::Interchange(format) => {
                let options = self.target_options(format.name(), format.conventions());
                if format.has_textures() {
                    let embed = self.conversion.embed_images;
                    images::transfer(
                        &mut scene,
                        embed,
                        self.input,
                        &mut self.output,
                        &mut self.report,
                    )?;
                }
                let name = self.output.name();
                let losses = format
                    .write(scene, &name, &mut self.output, &options)
                    .map_err(|error| Failure::from_write_error(&name_of(self.input), &error))?;
                self.report.losses.extend(losses);
                Ok(())
            }
        }
    }

    /// Adds a note if the tool of the format's author cannot read the dialect of the document, and `--dialect` is not
    /// given.
    fn note_dialect(&mut self, document: &AnyDocument) {
        let format = document.format();
        if let (None, Some(needed)) = (self.conversion.dialect, format.about().authors_dialect)
            && document.dialect() != needed
        {
            let (name, written) = (format.name(), document.dialect());
            let note = format!(
                "{name}: {written} dialect; the author's tool reads only the {needed} dialect: --dialect {needed}"
            );
            self.report.assumed.push(note);
        }
    }

    fn write_document(&mut self, document: &AnyDocument, to: Encoding) -> Result<()> {
        if self.is_rejected() {
            return Ok(());
        }
        let options = self.write_options();
        // The failure names the input, since its content causes encoding errors.
        if to == Encoding::Json {
            return self.write_json(|out| document.write_json(&options, out));
        }
        let bytes = document
            .write(&options)
            .map_err(|error| self.failure(&error))?;
        self.output.write(|out| out.write_all(&bytes))
    }

    /// Writes the output as JSON. Writes nothing if `write` fails.
    fn write_json(
        &mut self,
        write: impl FnOnce(&mut &mut dyn Write) -> meshspec::Result<()>,
    ) -> Result<()> {
        let mut failure = None;
        let written = self.output.write(|mut out| {
            write(&mut out).map_err(|error| match error.kind() {
                ErrorKind::Io(kind) => io::Error::new(kind, error.to_string()),
                _ => io::Error::other(failure.insert(error).to_string()),
            })
        });
        // An error in the content concerns the input, not the output.
        match failure {
            Some(error) => Err(self.failure(&error)),
            None => written,
        }
    }

    fn write_options(&self) -> WriteOptions {
        let mut options = self
            .conversion
            .compression
            .write_options(self.conversion.lenient);
        options.comments = self.conversion.comments().are_written();
        options
    }

    /// Writes a file unchanged; if `to` is JSON, writes its values.
    fn write_file(
        &mut self,
        format: AnyFormat,
        bytes: &[u8],
        dialect: Dialect,
        to: Encoding,
    ) -> Result<()> {
        let options = self.conversion.read_options().with_dialect(dialect);
        if self.is_rejected() {
            return Ok(());
        }
        if to == Encoding::Json {
            return self.write_json(|out| format.file_to_json(bytes, &options, out));
        }
        let report = format
            .check(bytes, &options)
            .map_err(|error| self.failure(&error))?;
        match report.first_rejected(options.strictness) {
            Some(finding) => Err(Failure::invalid(&name_of(self.input), finding)),
            None => self.output.write(|out| out.write_all(bytes)),
        }
    }

    /// Returns `true` if there are losses and `--strict` is given.
    fn is_rejected(&self) -> bool {
        self.conversion.strict && !self.report.losses.is_empty()
    }

    fn finish(mut self) -> Result<ConversionReport> {
        if self.is_rejected() {
            let rejection = Failure::lossy(&name_of(self.input), &self.report.losses);
            self.report.rejection = Some(rejection);
        } else {
            self.output.commit()?;
        }
        Ok(self.report)
    }

    fn failure(&self, error: &meshspec::Error) -> Failure {
        Failure::from_error(&name_of(self.input), error)
    }
}
