//! The content of a page: everything that can be decoded of a file.

use std::path::Path;

use meshspec::interop::Interchange;
use meshspec::layout::dump::{Branch, Dump, Tree};
use meshspec::scene::{Places, Scene, SceneOptions};
use meshspec::{AnyFormat, Finding, Loss, ReadOptions, Report, Strictness};

use super::distances::MeshDistances;
use super::{decoded, images, text};
use crate::buffer::Buffer;
use crate::commands::diff::compare::File;
use crate::encoding::Encoding;
use crate::failure::{Failure, Result};
use crate::input::{SiblingFiles, name_of};
use crate::reading::{Bounds, Reading};

/// The approximate maximum number of branches in the tree of fields.
const MAX_BRANCHES: usize = 12_000;

/// The decoded parts of a file.
pub struct Content {
    pub name: String,
    pub title: &'static str,
    pub dialect: Option<&'static str>,
    pub bytes: Buffer,
    pub tree: Tree,
    /// Whether the fields are lines of a text.
    pub is_text: bool,
    /// The model in the axes of glTF; `None` if there is none.
    pub scene: Option<Scene>,
    /// The distances of the meshes from those of the file to compare with, by mesh.
    pub distances: Vec<MeshDistances>,
    pub places: Places,
    pub findings: Vec<Finding>,
    pub losses: Vec<Loss>,
    /// Whether the whole file was converted to the scene; otherwise, the losses are unknown.
    pub is_converted: bool,
    /// Defects of the model, and omitted parts.
    pub notes: Vec<String>,
}

impl Content {
    fn new(path: &Path, bytes: Buffer, title: &'static str) -> Content {
        Content {
            name: name_of(path),
            title,
            dialect: None,
            tree: whole(&bytes),
            bytes,
            is_text: false,
            scene: None,
            distances: Vec::new(),
            places: Places::default(),
            findings: Vec::new(),
            losses: Vec::new(),
            is_converted: false,
            notes: Vec::new(),
        }
    }

    /// Returns the content of a file of unknown format: its bytes.
    pub fn unreadable(path: &Path, bytes: Buffer, why: &str) -> Content {
        Content { notes: vec![why.to_owned()], ..Content::new(path, bytes, "no known format") }
    }

    /// Reads a file as far as it can be decoded. `bake` applies the transforms of nodes to the vertices.
    ///
    /// # Errors
    ///
    /// Returns an error if the format cannot be viewed.
    pub fn read(file: File, reading: &Reading, bounds: &Bounds, bake: bool) -> Result<Content> {
        let File { path, bytes, encoding } = file;
        let options = reading.options(encoding, &bytes).with_limits(bounds.limits());
        let mut content = Content::new(path, bytes, encoding.title());
        match encoding {
            Encoding::Format(format) => content.read_format(format, &options, bake),
            Encoding::Interchange(format) => content.read_interchange(format, path, &options, bake),
            Encoding::Json => {
                let hint = "convert it to its format first";
                return Err(
                    Failure::usage(&content.name, "documents as JSON cannot be viewed").with_hint(hint)
                );
            }
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
                self.tree = dump.tree(MAX_BRANCHES);
                // Parts may be anywhere in the file.
                self.tree.root.size = self.bytes.len() as u64;
            }
            None => {
                self.tree.root = text::lines(format, &self.bytes);
                self.is_text = true;
            }
        }
        self.take_findings(format.check(&self.bytes, options));
        self.read_model(format, options, bake);
    }

    fn read_model(&mut self, format: AnyFormat, options: &ReadOptions, bake: bool) {
        let Some(id) = format.built_in() else {
            let Some(conventions) = format.conventions() else {
                self.notes.push(format!("No model: {format} declares no scenes."));
                return;
            };
            let scene_options = SceneOptions::default().with_conventions(conventions).with_bake(bake);
            match format.read_scene(&self.bytes, options, &scene_options) {
                Ok((scene, losses)) => self.take_model(scene, losses),
                Err(error) => self.notes.push(format!("No model: {error}")),
            }
            return;
        };
        let mut lenient = options.clone();
        lenient.strictness = Strictness::Lenient;
        let document = match id.read(&self.bytes, &lenient) {
            Ok(document) => document,
            Err(error) => {
                self.notes.push(format!("No model: the file cannot be decoded. {error}"));
                return;
            }
        };
        self.places = document.places();
        match document.into_scene(&SceneOptions::default().with_strictness(Strictness::Lenient)) {
            Ok((scene, losses)) => self.take_model(scene, losses),
            Err(error) => {
                // The conversion to a scene consumed the document.
                let Ok(document) = id.read(&self.bytes, &lenient) else { return };
                let scene = decoded::scene(&document.contents());
                if scene.meshes.len() != self.places.meshes.len() {
                    self.places = Places::default();
                }
                self.notes.push(format!(
                    "The file cannot become a model: {}. Positions and faces are shown as stored, in the axes of the \
                     file, without animations.",
                    error.message()
                ));
                self.scene = Some(scene);
            }
        }
    }

    fn read_interchange(&mut self, format: Interchange, path: &Path, options: &ReadOptions, bake: bool) {
        let siblings = SiblingFiles::new(path);
        self.take_findings(format.check(&self.bytes, &siblings, options));
        let scene_options = SceneOptions::default().with_strictness(options.strictness).with_bake(bake);
        match format.read(&self.bytes, &siblings, &scene_options, &options.limits) {
            Ok((scene, losses)) => self.take_model(scene, losses),
            Err(error) => self.notes.push(format!("No model: {error}")),
        }
    }

    fn take_model(&mut self, scene: Scene, losses: Vec<Loss>) {
        self.scene = Some(scene);
        self.losses = losses;
        self.is_converted = true;
    }

    fn take_findings(&mut self, report: meshspec::Result<Report>) {
        match report {
            Ok(report) => {
                let more = report.suppressed().map(|(code, count)| format!("and {count} more of {code}"));
                self.notes.extend(more);
                self.findings = report.findings().to_vec();
            }
            Err(error) => self.notes.push(format!("The file could not be checked: {error}")),
        }
    }
}

/// Returns the tree of a file without fields.
fn whole(bytes: &[u8]) -> Tree {
    Tree { root: Branch { size: bytes.len() as u64, ..Branch::default() }, ..Tree::default() }
}
