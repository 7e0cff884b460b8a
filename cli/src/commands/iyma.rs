//! `meshspec iyma`: merges and splits IyMA files, and reads and changes their user data.

use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use meshspec::iyma::{self, DataChecksum, Document, Reader};
use meshspec::{Dialect, Format, Formats, Loss, ReadOptions};

use crate::buffer::MIN_LARGE_SIZE;
use crate::compression_args::CompressionArgs;
use crate::content_kind::ContentKind;
use crate::encoding::Encoding;
use crate::failure::{Failure, Result, Status};
use crate::input::{self, is_standard, name_of, read_options, text_of};
use crate::listing;
use crate::messages::{self, Verbosity};
use crate::output::{self, StagedOutput};
use crate::progress;
use crate::readable::Readable;
use crate::terminal::counted;

/// Merge and split IyMA files, and get, set or clear their user data.
#[derive(Debug, Args)]
pub struct Iyma {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Merge(MergeArgs),
    Split(SplitArgs),
    #[command(subcommand)]
    UserData(UserData),
}

/// Merge the meshes of several files into one.
///
/// The files must have the same vertex buffers, in any order. Either all files or none must have indices. The output
/// has the buffer order of the first file and the user data of the first file with user data. Its indices have 32 bits
/// if those of any file do.
#[derive(Debug, Args)]
struct MergeArgs {
    /// The files, folders or patterns such as `*.ima`; `-` is standard input.
    #[arg(required = true, value_name = "IN")]
    inputs: Vec<PathBuf>,
    /// The file to write; `-` is standard output.
    #[arg(long, short, value_name = "OUT")]
    output: PathBuf,
    #[command(flatten)]
    write_args: WriteArgs,
}

/// Write each mesh of a file to a separate file. Each file gets the user data.
#[derive(Debug, Args)]
struct SplitArgs {
    /// The file to read; `-` is standard input.
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The folder to write to, created if missing. The files are named after IN: `name.0.ima`, `name.1.ima`, …
    #[arg(long, value_name = "DIR", default_value = ".")]
    out: PathBuf,
    /// Write only mesh N, counted from 0.
    #[arg(long, value_name = "N")]
    mesh: Option<usize>,
    #[command(flatten)]
    write_args: WriteArgs,
}

/// Get, set or clear the user data of a file.
#[derive(Debug, Subcommand)]
enum UserData {
    Get(GetArgs),
    Set(SetArgs),
    Clear(ClearArgs),
}

/// Write the user data of a file to standard output or to a file, without decompressing anything else.
#[derive(Debug, Args)]
struct GetArgs {
    /// The file to read; `-` is standard input.
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The file to write; `-` is standard output.
    #[arg(long, short, value_name = "OUT", default_value = "-")]
    output: PathBuf,
    /// Accept everything that can be decoded unambiguously.
    #[arg(long)]
    lenient: bool,
    /// Overwrite OUT if it exists.
    #[arg(long)]
    force: bool,
}

/// Replace the user data of a file.
#[derive(Debug, Args)]
struct SetArgs {
    /// The file to read; `-` is standard input.
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The file to write; `-` is standard output. With --force, it may be IN.
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// The file with the user data; `-` is standard input.
    #[arg(
        long,
        value_name = "FILE",
        required_unless_present = "text",
        conflicts_with = "text"
    )]
    data: Option<PathBuf>,
    /// The user data as text.
    #[arg(long, value_name = "TEXT")]
    text: Option<String>,
    #[command(flatten)]
    write_args: WriteArgs,
}

/// Remove the user data of a file.
#[derive(Debug, Args)]
struct ClearArgs {
    /// The file to read; `-` is standard input.
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The file to write; `-` is standard output. With --force, it may be IN.
    #[arg(value_name = "OUT")]
    output: PathBuf,
    #[command(flatten)]
    write_args: WriteArgs,
}

/// Options for writing files.
#[derive(Debug, Args)]
struct WriteArgs {
    /// The dialect to write; by default, the dialect of the first input.
    #[arg(long, value_parser = input::dialect_parser(&Formats::builtin(), Readable::ALL))]
    dialect: Option<Dialect>,
    /// Accept and write everything that can be decoded unambiguously.
    #[arg(long)]
    lenient: bool,
    /// Write nothing if something would be lost.
    #[arg(long)]
    strict: bool,
    /// Overwrite existing files.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    verbosity: Verbosity,
    #[command(flatten)]
    compression: CompressionArgs,
}

impl Iyma {
    pub fn run(&self) -> Result<Status> {
        match &self.command {
            Command::Merge(merge) => merge.run(),
            Command::Split(split) => split.run(),
            Command::UserData(UserData::Get(get)) => get.run(),
            Command::UserData(UserData::Set(set)) => set.run(),
            Command::UserData(UserData::Clear(clear)) => {
                clear
                    .write_args
                    .edit(&clear.input, &clear.output, |document| {
                        document.user_data.clear()
                    })
            }
        }
    }
}

impl MergeArgs {
    fn run(&self) -> Result<Status> {
        output::reject_existing(&self.output, self.write_args.force)?;
        if self.inputs.iter().filter(|path| is_standard(path)).count() > 1 {
            return Err(Failure::usage(
                "standard input",
                "can be used for one input only",
            ));
        }
        let inputs = listing::list_at_least_one(&self.inputs, Some(&self.output), &is_iyma)?;
        let inputs: Vec<_> = inputs.into_iter().map(|listed| listed.file).collect();
        let documents = inputs
            .iter()
            .map(|path| self.write_args.read(path))
            .collect::<Result<Vec<_>>>()?;
        let merged = iyma::merge(&documents);
        let (document, mut losses) = merged.map_err(|error| self.failure(&inputs, &error))?;
        for loss in &mut losses {
            if let Some((file, path)) = split_error_path(&inputs, &loss.path.to_string()) {
                loss.path = format!("{file}: {path}").into();
            }
        }
        let output = output::name_of(&self.output);
        let document = self
            .write_args
            .convert_dialect(document, &mut losses, &output)?;
        self.write_args.report_losses(&losses, &output)?;
        self.write_args
            .write([(self.output.clone(), document)], &output)
    }

    /// Creates the failure for an error about one of the input documents or the merged document.
    fn failure(&self, inputs: &[PathBuf], error: &meshspec::Error) -> Failure {
        match split_error_path(inputs, &error.path().to_string()) {
            Some((file, "")) => Failure::invalid(&file, error.message()),
            Some((file, path)) => {
                Failure::invalid(&file, format_args!("{path}: {}", error.message()))
            }
            None => Failure::from_error(&output::name_of(&self.output), error),
        }
    }
}

/// Splits a path reported by the library, `documents[N]…`, into the name of the input file and the rest of the path.
/// Returns `None` for other paths.
fn split_error_path<'p>(inputs: &[PathBuf], path: &'p str) -> Option<(String, &'p str)> {
    let (index, rest) = path.strip_prefix("documents[")?.split_once(']')?;
    let input = inputs.get(index.parse::<usize>().ok()?)?;
    Some((name_of(input), rest.trim_start_matches('.')))
}

fn is_iyma(path: &Path) -> bool {
    Formats::builtin().by_extension(path) == Some(iyma::FORMAT)
}

impl SplitArgs {
    fn run(&self) -> Result<Status> {
        if is_standard(&self.out) {
            let message = "cannot be used for --out, which must be a folder";
            return Err(Failure::usage("standard output", message));
        }
        let name = name_of(&self.input);
        let mut losses = Vec::new();
        let document = self.write_args.convert_dialect(
            self.write_args.read(&self.input)?,
            &mut losses,
            &name,
        )?;
        let meshes = self.meshes(&document, &mut losses)?;
        self.write_args.report_losses(&losses, &name)?;
        let files: Vec<_> = meshes
            .into_iter()
            .map(|(index, mesh)| (self.output_path(index), mesh))
            .collect();
        fs::create_dir_all(&self.out).map_err(|error| Failure::io(&text_of(&self.out), &error))?;
        self.write_args.write(files, &name)
    }

    /// Returns the meshes to write, each with its index. Adds losses of splitting to `losses`.
    fn meshes(
        &self,
        document: &Document,
        losses: &mut Vec<Loss>,
    ) -> Result<Vec<(usize, Document)>> {
        let name = name_of(&self.input);
        let fail = |error| Failure::from_error(&name, &error);
        match self.mesh {
            Some(index) if index >= document.meshes.len() => {
                let meshes = counted(document.meshes.len() as u64, "mesh", "meshes");
                let message =
                    format!("no mesh {index}: the file has {meshes} (indices count from 0)");
                Err(Failure::usage(&name, message))
            }
            Some(index) => Ok(vec![(index, document.mesh(index).map_err(fail)?)]),
            None => {
                let (meshes, lost) = document.split().map_err(fail)?;
                losses.extend(lost);
                Ok(meshes.into_iter().enumerate().collect())
            }
        }
    }

    fn output_path(&self, index: usize) -> PathBuf {
        let stem = match is_standard(&self.input) {
            true => OsStr::new("mesh"),
            false => self.input.file_stem().unwrap_or_default(),
        };
        let mut name = stem.to_owned();
        name.push(format!(".{index}.ima"));
        self.out.join(name)
    }
}

impl GetArgs {
    fn run(&self) -> Result<Status> {
        let name = name_of(&self.input);
        output::reject_existing(&self.output, self.force)?;
        let mut source =
            BufReader::with_capacity(MIN_LARGE_SIZE as usize, input::open(&self.input)?);
        let start = source
            .fill_buf()
            .map_err(|error| Failure::io(&name, &error))?
            .to_vec();
        let data = Reader::new(source, &read_options(self.lenient)).and_then(Reader::user_data);
        let data = data.map_err(|error| {
            read_failure(&self.input, &start, &error, || self.reads_leniently(&start))
        })?;
        // User data may be a file of any kind, so OUT may have any extension.
        output::write(&self.output, self.force, |out| out.write_all(&data))?;
        Ok(Status::Success)
    }

    /// Returns `true` if the user data can be read leniently; of standard input, from its first bytes.
    fn reads_leniently(&self, start: &[u8]) -> bool {
        let source: Box<dyn Read> = match is_standard(&self.input) {
            true => Box::new(start),
            false => match input::open(&self.input) {
                Ok(file) => file,
                Err(_) => return false,
            },
        };
        Reader::new(BufReader::new(source), &ReadOptions::lenient())
            .and_then(Reader::user_data)
            .is_ok()
    }
}

impl SetArgs {
    fn run(&self) -> Result<Status> {
        let data = match (&self.text, &self.data) {
            (Some(text), _) => text.clone().into_bytes(),
            (None, Some(path)) if is_standard(path) && is_standard(&self.input) => {
                let message = "cannot be used for both IN and --data";
                return Err(Failure::usage("standard input", message));
            }
            (None, Some(path)) => input::read(path)?.to_vec(),
            (None, None) => Vec::new(),
        };
        self.write_args.edit(&self.input, &self.output, |document| {
            document.user_data = data.into()
        })
    }
}

/// Returns the registry of IyMA alone, whose dialects the options of `iyma` offer.
pub fn formats() -> Formats {
    let formats = Formats::new().with_format(iyma::FORMAT);
    // A single format cannot conflict with others.
    formats.unwrap_or_else(|_| Formats::builtin())
}

/// The files that `iyma` reads.
const READABLE: Readable = Readable {
    command: "iyma",
    reads_format: |format| format == iyma::FORMAT,
    reads_interchange: false,
    reads_json: false,
};

/// Creates the failure for an error from reading a file, of which `bytes` are at least the first bytes. Names the format
/// of a file in another one. `reads_leniently` is as of [`Failure::with_rejection_hint`].
fn read_failure(
    path: &Path,
    bytes: &[u8],
    error: &meshspec::Error,
    reads_leniently: impl FnOnce() -> bool,
) -> Failure {
    let formats = Formats::builtin();
    match ContentKind::of(bytes, &formats) {
        Some(ContentKind::Encoding(encoding)) if !READABLE.contains(encoding) => {
            READABLE.failure(encoding, path, &formats)
        }
        Some(
            kind @ (ContentKind::Dump { .. } | ContentKind::Contents | ContentKind::OtherJson),
        ) => kind.failure(path, READABLE, &formats),
        _ => Failure::from_read_error(&name_of(path), error, None, reads_leniently),
    }
}

impl WriteArgs {
    fn read_options(&self) -> ReadOptions {
        read_options(self.lenient)
    }

    fn read(&self, path: &Path) -> Result<Document> {
        progress::on_file(path, || {
            let format = iyma::FORMAT;
            let bytes = input::read_expected(path, &|start, _| format.may_start_with(start))?;
            Document::read(&bytes, &self.read_options()).map_err(|error| {
                read_failure(path, &bytes, &error, || {
                    Document::read(&bytes, &ReadOptions::lenient()).is_ok()
                })
            })
        })
    }

    /// Reads a document, changes it and writes it.
    fn edit(
        &self,
        input: &Path,
        output: &Path,
        change: impl FnOnce(&mut Document),
    ) -> Result<Status> {
        output::reject_existing(output, self.force)?;
        let mut document = self.read(input)?;
        change(&mut document);
        // Discards incorrect checksums of the input.
        document.metadata_checksum = None;
        if let DataChecksum::Wrong(_) = document.data_checksum {
            document.data_checksum = DataChecksum::Present;
        }
        let (name, mut losses) = (name_of(input), Vec::new());
        let document = self.convert_dialect(document, &mut losses, &name)?;
        self.report_losses(&losses, &name)?;
        self.write([(output.to_owned(), document)], &name)
    }

    /// Converts a document to the dialect to write. Adds losses to `losses`.
    fn convert_dialect(
        &self,
        document: Document,
        losses: &mut Vec<Loss>,
        name: &str,
    ) -> Result<Document> {
        let dialect = self.dialect.unwrap_or(document.dialect);
        input::require_dialect(iyma::FORMAT, dialect, name)?;
        let (document, lost) = document
            .into_dialect(dialect)
            .map_err(|error| Failure::from_error(name, &error))?;
        losses.extend(lost);
        Ok(document)
    }

    /// Prints losses. Returns an error if there are losses and `--strict` is given.
    fn report_losses(&self, losses: &[Loss], name: &str) -> Result<()> {
        messages::print(self.verbosity, &[], losses, &[]);
        if self.strict && !losses.is_empty() {
            Err(Failure::lossy(name, losses))
        } else {
            Ok(())
        }
    }

    /// Writes all files. Moves them to their paths only after all are encoded and written. `name` is the name of the
    /// input in messages about encoding errors.
    fn write(
        &self,
        files: impl IntoIterator<Item = (PathBuf, Document)>,
        name: &str,
    ) -> Result<Status> {
        let files: Vec<_> = files.into_iter().collect();
        let encoding = Encoding::Format(iyma::FORMAT);
        for (path, _) in &files {
            encoding.require_extension(path, &Formats::builtin())?;
            output::reject_existing(path, self.force)?;
        }
        let options = self.compression.write_options(self.lenient);
        let staged = files.iter().map(|(path, document)| {
            progress::on_file(path, || {
                let bytes = document
                    .write(&options)
                    .map_err(|error| Failure::from_error(name, &error))?;
                let mut staged = StagedOutput::new(path, self.force);
                staged.write(|out| out.write_all(&bytes))?;
                Ok(staged)
            })
        });
        staged
            .collect::<Result<Vec<_>>>()?
            .into_iter()
            .try_for_each(StagedOutput::commit)?;
        Ok(Status::Success)
    }
}
