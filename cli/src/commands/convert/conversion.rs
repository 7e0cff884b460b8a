//! One file becomes another.

use std::collections::BTreeMap;
use std::path::Path;

use clap::Args;
use meshspec::interop::Interchange;
use meshspec::scene::{Conventions, Scene, SceneOptions};
use meshspec::{Dialect, Document, Limits, Loss, ReadOptions};
use serde::Serialize;

use super::edits::Edits;
use super::encoding::{self, Encoding};
use crate::failure::{Failure, Result};
use crate::input::{self, dialect_parser, is_standard, name_of, read_options};
use crate::json;
use crate::output::{self, Staged};
use crate::packing::Packing;

/// How to convert a file.
#[derive(Debug, Args)]
pub struct Conversion {
    /// What IN is: a format or json. Otherwise the extension says it or the format is detected.
    #[arg(long, value_name = "FORMAT", value_parser = encoding::parser())]
    from: Option<Encoding>,
    /// What OUT shall be: a format or json. Otherwise the extension of OUT decides.
    #[arg(long, value_name = "FORMAT", value_parser = encoding::parser())]
    pub to: Option<Encoding>,
    /// The dialect to write. Otherwise files are written as their specification says; from and to JSON, the dialect
    /// is kept.
    #[arg(long, value_parser = dialect_parser())]
    dialect: Option<Dialect>,
    /// Accept, and write, whatever can be decoded without guessing.
    #[arg(long)]
    lenient: bool,
    /// Write nothing if something would be lost.
    #[arg(long)]
    strict: bool,
    /// Overwrite files that exist.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    packing: Packing,
    #[command(flatten)]
    edits: Edits,
}

/// What there is to say of a file that was converted.
#[derive(Debug, Default, Serialize)]
pub struct Outcome {
    /// What the target does not hold, or holds otherwise.
    pub losses: Vec<Loss>,
    /// How the axes and units of both files were understood; empty where they did not matter.
    pub assumed: Vec<String>,
    /// Whether `--strict` kept the file from being written.
    #[serde(skip)]
    pub refused: bool,
}

impl Conversion {
    /// What OUT shall be.
    pub fn target(&self, output: &Path) -> Result<Encoding> {
        self.to.map_or_else(|| Encoding::of_output(output), Ok)
    }

    /// Converts a file. Nothing is written unless all goes well.
    pub fn run(&self, input: &Path, output: &Path, to: Encoding) -> Result<Outcome> {
        output::refuse_existing(output, self.force)?;
        self.require_dialect(to, input)?;
        let bytes = input::read(input)?;
        let from = self.from.map_or_else(|| Encoding::of_input(&bytes, input), Ok)?;
        let mut run = Run {
            conversion: self,
            input,
            output,
            staged: Staged::new(output, self.force),
            outcome: Outcome::default(),
        };
        match run.read(bytes, from)? {
            Content::Document(document) if self.keeps_document(&document, to) => {
                let document = run.in_dialect(document, from, to)?;
                run.write_document(&document, to)?;
            }
            Content::Document(document) => {
                let scene = run.scene_of(document)?;
                run.write_scene(scene, to)?;
            }
            Content::Scene(scene) => run.write_scene(*scene, to)?,
        }
        run.finish()
    }

    /// Whether the document itself is written, and no other that is made from its scene.
    fn keeps_document(&self, document: &Document, to: Encoding) -> bool {
        match to {
            Encoding::Json => true,
            Encoding::Format(format) => document.format() == format && self.edits.are_none(),
            Encoding::Interchange(_) => false,
        }
    }

    /// It is wrong usage to ask for a dialect that the target does not have.
    fn require_dialect(&self, to: Encoding, input: &Path) -> Result<()> {
        match (to, self.dialect) {
            (Encoding::Format(format), Some(dialect)) => input::require_dialect(format, dialect, input),
            (Encoding::Interchange(format), Some(dialect)) => {
                Err(Failure::usage(&name_of(input), format_args!("{format} has no dialect {dialect}")))
            }
            _ => Ok(()),
        }
    }

    fn read_options(&self) -> ReadOptions {
        read_options(self.lenient)
    }

    fn scene_options(&self, conventions: Conventions) -> SceneOptions {
        SceneOptions::default().with_conventions(conventions).with_dialect(self.dialect.unwrap_or_default())
    }
}

/// The content of a file on its way.
enum Content {
    Document(Document),
    Scene(Box<Scene>),
}

/// The conversion of one file.
struct Run<'a> {
    conversion: &'a Conversion,
    input: &'a Path,
    output: &'a Path,
    staged: Staged,
    outcome: Outcome,
}

impl Run<'_> {
    fn read(&mut self, bytes: Vec<u8>, from: Encoding) -> Result<Content> {
        match from {
            Encoding::Format(format) => {
                // Nothing is lost: comments are part of what a text says.
                let options = self.conversion.read_options().with_comments(true);
                let document = format.read(&bytes, &options);
                document
                    .map(Content::Document)
                    .map_err(|error| Failure::in_file(&name_of(self.input), &error, &bytes))
            }
            Encoding::Json => {
                let name = name_of(self.input);
                let document = json::read_document(&bytes).map_err(|error| Failure::invalid(&name, error))?;
                match document.check().first_refused(self.conversion.read_options().strictness) {
                    Some(finding) => Err(Failure::invalid(&name, finding)),
                    None => Ok(Content::Document(document)),
                }
            }
            Encoding::Interchange(format) => {
                let options = self.source(format.name(), format.conventions());
                let beside = input::Beside::new(self.input);
                let read = format.read(&bytes, &beside, &options, &Limits::default());
                let (scene, losses) = read.map_err(|error| self.failure(&error))?;
                self.outcome.losses.extend(losses);
                Ok(Content::Scene(Box::new(scene)))
            }
        }
    }

    /// How the file to be read is understood.
    fn source(&mut self, format: &str, usual: Conventions) -> SceneOptions {
        let conventions = self.conversion.edits.source(usual);
        self.outcome.assumed.push(format!("{format}: {conventions}"));
        self.conversion.scene_options(conventions)
    }

    /// How the file to be written will be understood.
    fn target(&mut self, format: &str, usual: Conventions) -> SceneOptions {
        let conventions = self.conversion.edits.target(usual);
        self.outcome.assumed.push(format!("{format}: {conventions}"));
        self.conversion.scene_options(conventions)
    }

    fn scene_of(&mut self, document: Document) -> Result<Scene> {
        let format = document.format();
        let options = self.source(format.name(), format.conventions());
        let (scene, losses) = document.into_scene(&options).map_err(|error| self.failure(&error))?;
        self.outcome.losses.extend(losses);
        Ok(scene)
    }

    fn in_dialect(&mut self, document: Document, from: Encoding, to: Encoding) -> Result<Document> {
        if let Some(dialect) = self.conversion.dialect {
            input::require_dialect(document.format(), dialect, self.input)?;
        }
        let kept = document.dialect();
        let usual = if from == Encoding::Json || to == Encoding::Json { kept } else { Dialect::Spec };
        let dialect = self.conversion.dialect.unwrap_or(usual);
        let (document, losses) = document.into_dialect(dialect).map_err(|error| self.failure(&error))?;
        self.outcome.losses.extend(losses);
        Ok(document)
    }

    fn write_scene(&mut self, mut scene: Scene, to: Encoding) -> Result<()> {
        self.conversion.edits.apply(&mut scene);
        match to {
            Encoding::Json => {
                let message = "JSON is a document of one of the formats: convert to one of them first";
                Err(Failure::usage(&name_of(self.input), message))
            }
            Encoding::Format(format) => {
                let options = self.target(format.name(), format.conventions());
                let (document, losses) =
                    Document::from_scene(format, scene, &options).map_err(|error| self.failure(&error))?;
                self.outcome.losses.extend(losses);
                self.write_document(&document, to)
            }
            Encoding::Interchange(format) => {
                let options = self.target(format.name(), format.conventions());
                let losses =
                    self.write_interchange(format, scene, &options).map_err(|error| self.failure(&error))?;
                self.outcome.losses.extend(losses);
                Ok(())
            }
        }
    }

    /// A file of the world may have others beside it.
    fn write_interchange(
        &mut self,
        format: Interchange,
        scene: Scene,
        options: &SceneOptions,
    ) -> meshspec::Result<Vec<Loss>> {
        let name = self.output.file_name().unwrap_or_default().to_string_lossy();
        if !is_standard(self.output) {
            return format.write(scene, &name, &mut self.staged, options);
        }
        let mut files = BTreeMap::new();
        let losses = format.write(scene, &name, &mut files, options)?;
        self.staged.print(files)?;
        Ok(losses)
    }

    fn write_document(&mut self, document: &Document, to: Encoding) -> Result<()> {
        if self.is_refused() {
            return Ok(());
        }
        if to == Encoding::Json {
            return self.staged.write(|out| json::write_document(document, out));
        }
        let options = self.conversion.packing.options(self.conversion.lenient);
        // It is the input that holds what cannot be written.
        let bytes = document.write(&options).map_err(|error| self.failure(&error))?;
        self.staged.write(|out| out.write_all(&bytes))
    }

    /// Whether `--strict` forbids to write this.
    fn is_refused(&self) -> bool {
        self.conversion.strict && !self.outcome.losses.is_empty()
    }

    fn finish(mut self) -> Result<Outcome> {
        match self.is_refused() {
            true => self.outcome.refused = true,
            false => self.staged.commit()?,
        }
        Ok(self.outcome)
    }

    fn failure(&self, error: &meshspec::Error) -> Failure {
        Failure::of(&name_of(self.input), error)
    }
}

impl Outcome {
    /// The failure of a conversion that `--strict` forbade.
    pub fn failure(&self, input: &Path) -> Option<Failure> {
        self.refused.then(|| Failure::lossy(&name_of(input), &self.losses))
    }
}
