//! `meshspec convert`: a file as another dialect, as JSON, or from JSON.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use meshspec::{Dialect, Document, FormatId, Loss, ReadOptions, WriteOptions};

use crate::failure::{Failure, Result, Status};
use crate::input::{self, dialect_parser, format_values, is_standard, name_of, read_options};
use crate::json;
use crate::output;
use crate::terminal::{Escaped, WARNING, counted};

/// Convert a file: to another dialect, to JSON that loses nothing, and back.
#[derive(Debug, Args)]
pub struct Convert {
    /// The file to read; `-` is standard input.
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The file to write; `-` is standard output.
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// What IN is: a format or json. Otherwise `.json` files are JSON, and of all others the format is detected.
    #[arg(long, value_name = "FORMAT", value_parser = encoding_parser())]
    from: Option<Encoding>,
    /// What OUT shall be: a format or json. Otherwise the extension of OUT decides.
    #[arg(long, value_name = "FORMAT", value_parser = encoding_parser())]
    to: Option<Encoding>,
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
    /// Overwrite OUT if it exists.
    #[arg(long)]
    force: bool,
}

/// How a document is encoded in a file.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Encoding {
    Json,
    Format(FormatId),
}

fn encoding_parser() -> impl TypedValueParser<Value = Encoding> {
    let json = PossibleValue::new("json").help("the document as JSON");
    PossibleValuesParser::new(format_values().chain([json])).try_map(|name| match &*name {
        "json" => Ok(Encoding::Json),
        name => name.parse().map(Encoding::Format),
    })
}

impl Convert {
    pub fn run(&self) -> Result<Status> {
        let to = self.target()?;
        output::refuse_existing(&self.output, self.force)?;
        let bytes = input::read(&self.input)?;
        let from = self.source(&bytes)?;
        let document = self.read(&bytes, from)?;
        self.require_format(&document, to)?;
        let (document, losses) = self.in_dialect(document, from, to)?;
        report(&losses);
        if self.strict && !losses.is_empty() {
            let losses = counted(losses.len() as u64, "thing", "things");
            return Err(Failure::invalid(&name_of(&self.input), format!("{losses} would be lost")));
        }
        self.write(&document, to)
    }

    /// What OUT shall be.
    fn target(&self) -> Result<Encoding> {
        if let Some(to) = self.to {
            return Ok(to);
        }
        if is_json(&self.output) {
            return Ok(Encoding::Json);
        }
        FormatId::by_extension(&self.output).map(Encoding::Format).ok_or_else(|| {
            let out = self.output.display().to_string();
            let message = match self.output.extension() {
                _ if is_standard(&self.output) => "what to write to standard output?".to_owned(),
                Some(extension) => format!("`.{}` does not say which format it is", extension.display()),
                None => "the name does not say which format it is".to_owned(),
            };
            Failure::usage(&out, message).with_hint(format!("add --to FORMAT, one of {}", encodings()))
        })
    }

    /// What IN is.
    fn source(&self, bytes: &[u8]) -> Result<Encoding> {
        match self.from {
            Some(from) => Ok(from),
            None if is_json(&self.input) => Ok(Encoding::Json),
            None => input::detect(bytes, &self.input).map(Encoding::Format),
        }
    }

    fn options(&self) -> ReadOptions {
        read_options(self.lenient)
    }

    fn read(&self, bytes: &[u8], from: Encoding) -> Result<Document> {
        let name = name_of(&self.input);
        match from {
            Encoding::Format(format) => {
                // Nothing is lost: comments are part of what a text says.
                let options = self.options().with_comments(true);
                format.read(bytes, &options).map_err(|error| Failure::in_file(&name, &error, bytes))
            }
            Encoding::Json => {
                let document = json::read_document(bytes).map_err(|error| Failure::invalid(&name, error))?;
                match document.check().first_refused(self.options().strictness) {
                    Some(finding) => Err(Failure::invalid(&name, finding)),
                    None => Ok(document),
                }
            }
        }
    }

    /// Only documents of one format can be written as that format.
    fn require_format(&self, document: &Document, to: Encoding) -> Result<()> {
        let (from, dialect) = (document.format(), self.dialect);
        match to {
            Encoding::Format(to) if to != from => {
                let message = format!("not supported yet: converting between formats, here {from} to {to}");
                Err(Failure::usage(&name_of(&self.input), message))
            }
            _ => dialect.map_or(Ok(()), |dialect| input::require_dialect(from, dialect, &self.input)),
        }
    }

    fn in_dialect(&self, document: Document, from: Encoding, to: Encoding) -> Result<(Document, Vec<Loss>)> {
        let kept = document.dialect();
        let usual = if from == Encoding::Json || to == Encoding::Json { kept } else { Dialect::Spec };
        document
            .into_dialect(self.dialect.unwrap_or(usual))
            .map_err(|error| Failure::of(&name_of(&self.input), &error))
    }

    fn write(&self, document: &Document, to: Encoding) -> Result<Status> {
        match to {
            Encoding::Json => {
                output::write(&self.output, self.force, |out| json::write_document(document, out))
            }
            Encoding::Format(_) => {
                let options = if self.lenient { WriteOptions::lenient() } else { WriteOptions::default() };
                // It is the input that holds what cannot be written.
                let bytes =
                    document.write(&options).map_err(|error| Failure::of(&name_of(&self.input), &error))?;
                output::write(&self.output, self.force, |out| out.write_all(&bytes))
            }
        }?;
        Ok(Status::Fine)
    }
}

fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"))
}

/// The names of all encodings.
fn encodings() -> String {
    let names: Vec<_> = FormatId::ALL.iter().map(|format| format.name()).chain(["json"]).collect();
    names.join(", ")
}

/// Says what is lost on standard error. If that is closed there is nobody to tell.
fn report(losses: &[Loss]) {
    let mut stderr = anstream::stderr().lock();
    for loss in losses {
        let _ = writeln!(stderr, "{WARNING}lost{WARNING:#}: {}", Escaped(&loss.to_string()));
    }
}
