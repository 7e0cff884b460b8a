//! `meshspec iyma`: what only IyMA files have: meshes that share buffers, and user data.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use meshspec::iyma::{self, DataChecksum, Document, Reader};
use meshspec::{Dialect, Format, ReadOptions, WriteOptions};

use super::convert;
use crate::failure::{Failure, Result, Status};
use crate::input::{self, is_standard, name_of, read_options};
use crate::output;
use crate::terminal::counted;

/// Merge and split IyMA files, and get and set their user data.
#[derive(Debug, Args)]
pub struct Iyma {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Merge(Merge),
    Split(Split),
    #[command(subcommand)]
    UserData(UserData),
}

/// Put the meshes of several files into one.
///
/// The files must have the same vertex buffers, in any order, and either all or none of them indices. The first one
/// decides on the order of the buffers. Indices are widened where those of any file are wide. Of user data, that of
/// the first file that has any is kept.
#[derive(Debug, Args)]
struct Merge {
    /// The files to read; `-` is standard input.
    #[arg(required = true, value_name = "IN")]
    inputs: Vec<PathBuf>,
    /// The file to write; `-` is standard output.
    #[arg(long, short, value_name = "OUT")]
    output: PathBuf,
    /// Write nothing if something would be lost.
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    writing: Writing,
}

/// Write each mesh of a file to a file of its own, with the user data.
#[derive(Debug, Args)]
struct Split {
    /// The file to read; `-` is standard input.
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The folder to write to. The files are named after IN: `name.0.ima`, `name.1.ima`, …
    #[arg(long, value_name = "DIR", default_value = ".")]
    out: PathBuf,
    /// Only this mesh, counted from 0.
    #[arg(long, value_name = "N")]
    mesh: Option<usize>,
    /// Write nothing if something would be lost.
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    writing: Writing,
}

/// Get, set or clear the user data of a file.
#[derive(Debug, Subcommand)]
enum UserData {
    Get(Get),
    Set(Set),
    Clear(Clear),
}

/// Write the user data of a file to standard output, or to a file. Nothing else is decompressed.
#[derive(Debug, Args)]
struct Get {
    /// The file to read; `-` is standard input.
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The file to write; `-` is standard output.
    #[arg(long, short, value_name = "OUT", default_value = "-")]
    output: PathBuf,
    /// Accept whatever can be decoded without guessing.
    #[arg(long)]
    lenient: bool,
    /// Overwrite OUT if it exists.
    #[arg(long)]
    force: bool,
}

/// Write a file with other user data.
#[derive(Debug, Args)]
struct Set {
    /// The file to read; `-` is standard input.
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The file to write; `-` is standard output. With --force it may be IN.
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// The file that holds the user data; `-` is standard input.
    #[arg(long, value_name = "FILE", required_unless_present = "text", conflicts_with = "text")]
    data: Option<PathBuf>,
    /// The user data itself.
    #[arg(long, value_name = "TEXT")]
    text: Option<String>,
    #[command(flatten)]
    writing: Writing,
}

/// Write a file without user data.
#[derive(Debug, Args)]
struct Clear {
    /// The file to read; `-` is standard input.
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The file to write; `-` is standard output. With --force it may be IN.
    #[arg(value_name = "OUT")]
    output: PathBuf,
    #[command(flatten)]
    writing: Writing,
}

/// How files are written.
#[derive(Debug, Args)]
struct Writing {
    /// The dialect to write: that of the first file read unless it is said.
    #[arg(long, value_parser = input::dialect_parser())]
    dialect: Option<Dialect>,
    /// How much to compress: up to 22.
    #[arg(long, value_name = "N", default_value_t = 3, allow_negative_numbers = true)]
    level: i32,
    /// Threads to compress with.
    #[arg(long, value_name = "N", default_value_t = 1)]
    threads: u32,
    /// Leave out the checksum of the data.
    #[arg(long)]
    no_data_checksum: bool,
    /// Accept, and write, whatever can be decoded without guessing.
    #[arg(long)]
    lenient: bool,
    /// Overwrite files that exist.
    #[arg(long)]
    force: bool,
}

impl Iyma {
    pub fn run(&self) -> Result<Status> {
        match &self.command {
            Command::Merge(merge) => merge.run(),
            Command::Split(split) => split.run(),
            Command::UserData(UserData::Get(get)) => get.run(),
            Command::UserData(UserData::Set(set)) => set.run(),
            Command::UserData(UserData::Clear(clear)) => {
                clear.writing.edit(&clear.input, &clear.output, |document| document.user_data.clear())
            }
        }
    }
}

impl Merge {
    fn run(&self) -> Result<Status> {
        output::refuse_existing(&self.output, self.writing.force)?;
        let documents = self.inputs.iter().map(|path| self.writing.read(path)).collect::<Result<Vec<_>>>()?;
        // Paths of the library count the documents; people know their files by name.
        let file_of = |path: &str| {
            let index = path
                .strip_prefix("documents[")
                .and_then(|rest| rest.split_once(']')?.0.parse::<usize>().ok());
            index.and_then(|index| self.inputs.get(index)).unwrap_or(&self.output)
        };
        let (document, losses) =
            iyma::merge(&documents).map_err(|error| Failure::of(&name_of(file_of(error.path())), &error))?;
        convert::report_losses(&losses, "");
        if let (true, Some(loss)) = (self.strict, losses.first()) {
            let losses = counted(losses.len() as u64, "thing", "things");
            return Err(Failure::invalid(&name_of(file_of(&loss.path)), format!("{losses} would be lost")));
        }
        self.writing.write(document, &self.output, self.output.as_path())
    }
}

impl Split {
    fn run(&self) -> Result<Status> {
        let name = name_of(&self.input);
        let document = self.writing.read(&self.input)?;
        let parts = match self.mesh {
            Some(index) => {
                let mesh = document.mesh(index).map_err(|error| Failure::of(&name, &error))?;
                vec![(index, mesh)]
            }
            None => {
                let (meshes, losses) = document.split().map_err(|error| Failure::of(&name, &error))?;
                convert::report_losses(&losses, "");
                if self.strict && !losses.is_empty() {
                    let losses = counted(losses.len() as u64, "thing", "things");
                    return Err(Failure::invalid(&name, format!("{losses} would be lost")));
                }
                meshes.into_iter().enumerate().collect()
            }
        };
        let parts: Vec<_> = parts.into_iter().map(|(index, mesh)| (self.path_of(index), mesh)).collect();
        // All or none, as far as can be seen before.
        parts.iter().try_for_each(|(path, _)| output::refuse_existing(path, self.writing.force))?;
        for (path, mesh) in parts {
            self.writing.write(mesh, &path, &self.input)?;
        }
        Ok(Status::Fine)
    }

    fn path_of(&self, index: usize) -> PathBuf {
        let stem = match is_standard(&self.input) {
            true => "mesh".into(),
            false => self.input.file_stem().unwrap_or_default().to_string_lossy(),
        };
        self.out.join(format!("{stem}.{index}.ima"))
    }
}

impl Get {
    fn run(&self) -> Result<Status> {
        let name = name_of(&self.input);
        output::refuse_existing(&self.output, self.force)?;
        let source: Box<dyn Read> = match is_standard(&self.input) {
            true => Box::new(io::stdin().lock()),
            false => {
                let file = std::fs::File::open(&self.input).map_err(|error| Failure::io(&name, &error))?;
                Box::new(io::BufReader::new(file))
            }
        };
        let data = Reader::new(source, &read_options(self.lenient))
            .and_then(Reader::user_data)
            .map_err(|error| Failure::of(&name, &error))?;
        output::write(&self.output, self.force, |out| out.write_all(&data))?;
        Ok(Status::Fine)
    }
}

impl Set {
    fn run(&self) -> Result<Status> {
        let data = match (&self.text, &self.data) {
            (Some(text), _) => text.clone().into_bytes(),
            (None, Some(path)) if is_standard(path) && is_standard(&self.input) => {
                let message = "both the file and its user data cannot come from there";
                return Err(Failure::usage("standard input", message));
            }
            (None, Some(path)) => input::read(path)?,
            (None, None) => Vec::new(),
        };
        self.writing.edit(&self.input, &self.output, |document| document.user_data = data.into())
    }
}

impl Writing {
    fn options(&self) -> ReadOptions {
        read_options(self.lenient)
    }

    fn read(&self, path: &Path) -> Result<Document> {
        let bytes = input::read(path)?;
        Document::read(&bytes, &self.options()).map_err(|error| Failure::of(&name_of(path), &error))
    }

    /// Reads a document, changes it and writes it.
    fn edit(&self, input: &Path, output: &Path, change: impl FnOnce(&mut Document)) -> Result<Status> {
        output::refuse_existing(output, self.force)?;
        let mut document = self.read(input)?;
        change(&mut document);
        // Checksums that were wrong stood for what was in the file before.
        document.metadata_checksum = None;
        if let DataChecksum::Wrong(_) = document.data_checksum {
            document.data_checksum = DataChecksum::Present;
        }
        self.write(document, output, input)
    }

    /// Writes a document that was made of `input`.
    fn write(&self, mut document: Document, output: &Path, input: &Path) -> Result<Status> {
        let fail = |error| Failure::of(&name_of(input), &error);
        if self.no_data_checksum {
            document.data_checksum = DataChecksum::Absent;
        }
        let dialect = self.dialect.unwrap_or(document.dialect);
        input::require_dialect(meshspec::FormatId::Iyma, dialect, &name_of(input))?;
        let (document, losses) = document.into_dialect(dialect).map_err(fail)?;
        convert::report_losses(&losses, "");
        let options = if self.lenient { WriteOptions::lenient() } else { WriteOptions::default() };
        let options = options.with_compression_level(self.level).with_threads(self.threads);
        let bytes = document.write(&options).map_err(fail)?;
        output::write(output, self.force, |out| out.write_all(&bytes))?;
        Ok(Status::Fine)
    }
}
