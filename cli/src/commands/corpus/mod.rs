//! `meshspec corpus`: writes files with expected verdicts, for testing loaders.

mod summary;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::ArgAction::SetTrue;
use clap::Args;
use meshspec::conformance::corpus::{self, Case, Config, IndexEntry};
use meshspec::{AnyFormat, Dialect, ErrorKind, Formats};
use rayon::prelude::*;

use crate::encoding::format_parser;
use crate::failure::{Failure, Result, Status};
use crate::input::{dialect_parser, require_dialect, text_of};
use crate::json;
use crate::output;
use crate::output_format::OutputFormat::{self, Json};
use crate::progress;
use crate::readable::Readable;
use summary::Summary;

const INDEX: &str = "index.jsonl";

/// Write a corpus: valid, broken, almost broken and mutated files with the expected verdicts.
///
/// The README.md of the corpus explains how to test a loader in Python or C. Each line of index.jsonl contains the
/// verdicts of strict and lenient reading of a file, and the broken rule with its location. For valid files, the corpus
/// contains the expected contents as printed by `meshspec decode`. Equal seeds generate the same bytes on every
/// machine.
///
/// Prints which rules are broken and, for each field, which kinds of values occur in valid files. Kinds of values are
/// flags, alternatives, list lengths and boundaries of numbers.
#[derive(Debug, Args)]
pub struct Corpus {
    /// The formats.
    #[arg(required = true, value_name = "FORMAT", value_parser = format_parser(&Formats::builtin()))]
    formats: Vec<AnyFormat>,
    /// The folder to write to.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Add valid and mutated files until there are N files per format.
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    count: usize,
    /// The seed of the generator.
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Write only files of this dialect.
    #[arg(long, value_parser = dialect_parser(&Formats::builtin(), Readable::ALL))]
    dialect: Option<Dialect>,
    /// Generate only plausible valid files, with ordinary numbers, UTF-8 strings and no warnings.
    #[arg(long)]
    plausible: bool,
    /// Overwrite an existing corpus.
    #[arg(long)]
    force: bool,
    /// Print JSON.
    #[arg(id = "json", long, action = SetTrue, value_parser = OutputFormat::json_flag())]
    output_format: OutputFormat,
}

impl Corpus {
    pub fn run(&self) -> Result<Status> {
        let index = self.out.join(INDEX);
        output::reject_existing(&index, self.force)?;
        let corpora: Vec<corpus::Corpus> = progress::on_file(&self.out, || self.generate())?;
        let mut lines = Vec::new();
        let mut writer = CorpusWriter::new(&self.out);
        for corpus in &corpora {
            for case in &corpus.cases {
                json::write_line(&writer.write(case, corpus.format)?, &mut lines)?;
            }
        }
        for (name, text) in [
            ("README.md", corpus::README),
            ("index.schema.json", corpus::INDEX_SCHEMA),
        ] {
            output::write(&self.out.join(name), true, |out| {
                out.write_all(text.as_bytes())
            })?;
        }
        // Writes the index last, so that all listed files exist.
        output::write(&index, self.force, |out| out.write_all(&lines))?;
        let summaries: Vec<_> = corpora
            .iter()
            .map(|corpus| Summary::of(corpus, self.dialect))
            .collect();
        if self.output_format == Json {
            output::print_json(&summaries)?;
        } else {
            let mut out = anstream::stdout().lock();
            summaries
                .iter()
                .try_for_each(|summary| summary.print(&mut out))?;
        }
        Ok(Status::Success)
    }

    fn generate(&self) -> Result<Vec<corpus::Corpus>> {
        let config = Config::default()
            .with_count(self.count)
            .with_seed(self.seed)
            .with_dialect(self.dialect)
            .with_plausible(self.plausible);
        let generate = |format: &AnyFormat| {
            corpus::Corpus::of(*format, &config).map_err(|error| match error.kind() {
                ErrorKind::Unsupported => Failure::usage(format.name(), error.message()),
                _ => Failure::from_error(format.name(), &error),
            })
        };
        let mut formats: Vec<AnyFormat> = Vec::new();
        for format in &self.formats {
            if !formats.contains(format) {
                formats.push(*format);
            }
        }
        if let Some(dialect) = self.dialect {
            formats
                .iter()
                .try_for_each(|format| require_dialect(*format, dialect, "--dialect"))?;
        }
        formats.par_iter().map(generate).collect()
    }
}

/// Writes the files of a corpus below a folder.
struct CorpusWriter<'p> {
    root: &'p Path,
    /// The folder of the last written file.
    last_folder: PathBuf,
}

impl CorpusWriter<'_> {
    fn new(root: &Path) -> CorpusWriter<'_> {
        CorpusWriter {
            root,
            last_folder: PathBuf::new(),
        }
    }

    /// Writes a file and its expected contents, if any. Returns its index entry.
    fn write(&mut self, case: &Case, format: AnyFormat) -> Result<IndexEntry> {
        let mut entry = case.entry.clone();
        self.write_file(&entry.file, &case.bytes)?;
        let contents = case.contents(format);
        if contents.is_none() {
            entry.contents = None;
        }
        if let (Some(path), Some(contents)) = (&entry.contents, contents) {
            let mut line = Vec::new();
            json::write_line(&contents, &mut line)?;
            self.write_file(path, &line)?;
        }
        Ok(entry)
    }

    fn write_file(&mut self, path: &str, bytes: &[u8]) -> Result<()> {
        let path = self.root.join(path);
        let failure = |error: io::Error| Failure::io(&text_of(&path), &error);
        if let Some(folder) = path.parent().filter(|folder| **folder != self.last_folder) {
            fs::create_dir_all(folder).map_err(failure)?;
            self.last_folder = folder.to_owned();
        }
        fs::write(&path, bytes).map_err(failure)
    }
}
