//! Decodes as much of a file as possible, for a page.

use std::path::Path;

use meshspec::interop::Interchange;
use meshspec::layout::dump::{Branch, Dump, Outline};
use meshspec::scene::{Scene, SceneOptions, SourceFields};
use meshspec::{AnyFormat, Finding, Formats, Loss, ReadOptions, Report, Strictness};

use super::distances::MeshDistances;
use super::{READABLE, decoded, images, text};
use crate::buffer::Buffer;
use crate::commands::diff::compare::ComparedFile;
use crate::encoding::Encoding;
use crate::failure::Result;
use crate::input::{SiblingFiles, name_of};
use crate::read_args::{LimitArgs, ReadArgs};

/// The approximate maximum number of branches in a page's outline of fields.
const MAX_BRANCHES: usize = 12_000;

/// The decoded content of a file.
pub struct FileContent {
    pub name: String,
    pub title: &'static str,
    pub dialect: Option<&'static str>,
    pub bytes: Buffer,
    pub outline: Outline,
    /// Whether the file is text and the outline contains its lines.
    pub is_text: bool,
    /// The model, in the axes of glTF if `is_converted` is set, otherwise in the axes of the file. `None` if there is
    /// no model.
    pub scene: Option<Scene>,
    /// For each mesh, the distances from the model of the other file; empty without another file.
    pub distances: Vec<MeshDistances>,
    pub source_fields: SourceFields,
    pub findings: Vec<Finding>,
    pub losses: Vec<Loss>,
    /// Whether the file was completely converted to a scene. If not, the losses are unknown.
    pub is_converted: bool,
    /// Messages about content that is omitted or cannot be decoded, checked or converted.
    pub notes: Vec<String>,
}

impl FileContent {
    fn new(path: &Path, bytes: Buffer, title: &'static str) -> FileContent {
        FileContent {
            name: name_of(path),
            title,
            dialect: None,
            outline: outline_without_fields(&bytes),
            bytes,
            is_text: false,
            scene: None,
            distances: Vec::new(),
            source_fields: SourceFields::default(),
            findings: Vec::new(),
            losses: Vec::new(),
            is_converted: false,
            notes: Vec::new(),
        }
    }

    /// Returns the content of a file that cannot be decoded: its bytes, and the reason.
    pub fn undecoded(path: &Path, bytes: Buffer, reason: &str) -> FileContent {
        FileContent {
            notes: vec![reason.to_owned()],
            ..FileContent::new(path, bytes, "no known format")
        }
    }

    /// Decodes as much of a file as possible. If `bake` is set, applies the transforms of nodes to the vertices.
    ///
    /// # Errors
    ///
    /// Returns an error if the file is a JSON document, which cannot be viewed.
    pub fn read(
        file: ComparedFile,
        read_args: &ReadArgs,
        limit_args: &LimitArgs,
        bake: bool,
        formats: &Formats,
    ) -> Result<FileContent> {
        let ComparedFile {
            path,
            bytes,
            encoding,
        } = file;
        let options = read_args
            .options(encoding, &bytes)
            .with_limits(limit_args.limits());
        let mut content = FileContent::new(path, bytes, encoding.title());
        match encoding {
            Encoding::Format(format) => content.read_format(format, &options, bake),
            Encoding::Interchange(format) => content.read_interchange(format, path, &options, bake),
            Encoding::Json => return Err(READABLE.failure(encoding, path, formats)),
        }
        if let Some(scene) = &mut content.scene {
            images::embed(scene, path, &mut content.notes);
        }
        Ok(content)
    }

    fn read_format(&mut self, format: AnyFormat, options: &ReadOptions, bake: bool) {
        let dialect = options.dialect.unwrap_or_default();
        self.dialect = Some(dialect.name());
        match format.layout_of(&self.bytes, dialect) {
            Some(layout) => {
                let dump = Dump::new(layout, &self.bytes).with_limits(&options.limits);
                self.outline = dump.outline(MAX_BRANCHES);
                // Fields may be anywhere in the file, so the root covers all of it.
                self.outline.root.size = self.bytes.len() as u64;
            }
            None => {
                self.outline.root = text::line_outline(format, &self.bytes);
                self.is_text = true;
            }
        }
        self.set_findings(format.check(&self.bytes, options));
        self.read_model(format, options, bake);
    }

    fn read_model(&mut self, format: AnyFormat, options: &ReadOptions, bake: bool) {
        let Some(conventions) = format.conventions() else {
            self.notes
                .push(format!("No model: {format} declares no scenes."));
            return;
        };
        let mut lenient = options.clone();
        lenient.strictness = Strictness::Lenient;
        let document = match format.read(&self.bytes, &lenient) {
            Ok(document) => document,
            Err(error) => {
                self.notes
                    .push(format!("No model: the file cannot be decoded. {error}"));
                return;
            }
        };
        self.source_fields = document.source_fields();
        let scene_options = SceneOptions::default()
            .with_conventions(conventions)
            .with_bake(bake)
            .with_strictness(Strictness::Lenient);
        match document.into_scene(&scene_options) {
            Ok((scene, losses)) => self.set_model(scene, losses),
            Err(error) => {
                // Reads the document again, since the conversion to a scene consumed it.
                let Ok(document) = format.read(&self.bytes, &lenient) else {
                    return;
                };
                let scene = decoded::decoded_scene(&document.contents());
                if scene.meshes.len() != self.source_fields.meshes.len() {
                    self.source_fields = SourceFields::default();
                }
                self.notes.push(format!(
                    "The file cannot be converted to a model: {}. Positions and faces are shown as stored, in the axes of the \
                     file, without animations.",
                    error.message()
                ));
                self.scene = Some(scene);
            }
        }
    }

    fn read_interchange(
        &mut self,
        format: Interchange,
        path: &Path,
        options: &ReadOptions,
        bake: bool,
    ) {
        let siblings = SiblingFiles::new(path);
        self.set_findings(format.check(&self.bytes, &siblings, options));
        let scene_options = SceneOptions::default()
            .with_strictness(options.strictness)
            .with_bake(bake);
        match format.read(&self.bytes, &siblings, &scene_options, &options.limits) {
            Ok((scene, losses)) => self.set_model(scene, losses),
            Err(error) => self.notes.push(format!("No model: {error}")),
        }
    }

    fn set_model(&mut self, scene: Scene, losses: Vec<Loss>) {
        self.scene = Some(scene);
        self.losses = losses;
        self.is_converted = true;
    }

    fn set_findings(&mut self, report: meshspec::Result<Report>) {
        match report {
            Ok(report) => {
                let more = report
                    .suppressed()
                    .map(|(code, count)| format!("and {count} more of {code}"));
                self.notes.extend(more);
                self.findings = report.findings().to_vec();
            }
            Err(error) => self
                .notes
                .push(format!("The file could not be checked: {error}")),
        }
    }
}

/// Returns an outline with the bytes of a file and no fields.
fn outline_without_fields(bytes: &[u8]) -> Outline {
    Outline {
        root: Branch {
            size: bytes.len() as u64,
            ..Branch::default()
        },
        ..Outline::default()
    }
}
