//! Reads the index of a corpus.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use meshspec::conformance::corpus::{CaseKind, IndexEntry, Verdict};
use meshspec::{Dialect, Formats, Strictness};
use serde_json::Value;

use crate::failure::{Failure, Result};
use crate::input::text_of;
use crate::{input, job_log, regular_files};

/// The name of the index in the folder of a corpus.
const INDEX: &str = "index.jsonl";

/// A file of a corpus, with its index entry.
#[derive(Debug)]
pub struct CorpusFile {
    pub entry: IndexEntry,
    pub file: PathBuf,
    /// The path of the JSON file with the expected contents; `None` if the corpus lacks them.
    pub contents: Option<PathBuf>,
    /// The size of the file in bytes.
    pub size: u64,
    /// The SHA-256 of the file.
    hash: String,
}

impl CorpusFile {
    /// Returns the expected verdict for the given strictness.
    pub fn verdict(&self, strictness: Strictness) -> Verdict {
        match strictness {
            Strictness::Strict => self.entry.strict,
            Strictness::Lenient => self.entry.lenient,
        }
    }

    /// Returns the code of the rule that the file tests. Valid files, and mutated files that strict reading accepts,
    /// test no rule, even if they have warnings.
    pub fn rule(&self) -> Option<&str> {
        let entry = &self.entry;
        match entry.kind {
            CaseKind::Valid => None,
            CaseKind::Mutated if entry.strict == Verdict::Accept => None,
            CaseKind::Broken | CaseKind::Almost | CaseKind::Mutated => entry.rule.as_deref(),
        }
    }

    /// Returns `true` if the file has changed, or become unreadable, since the index was read.
    pub fn is_changed(&self) -> bool {
        job_log::hash_file(&self.file).ok().as_deref() != Some(&self.hash)
    }

    /// Reads the expected contents of the file. Returns `None` if the corpus lacks them.
    ///
    /// # Errors
    ///
    /// Returns an error if the contents cannot be read or are not JSON.
    pub fn read_contents(&self) -> Result<Option<Value>> {
        let Some(path) = &self.contents else {
            return Ok(None);
        };
        let text = input::read(path)?;
        let contents = serde_json::from_slice(&text);
        contents
            .map(Some)
            .map_err(|error| Failure::usage(&text_of(path), error))
    }
}

impl AsRef<Path> for CorpusFile {
    fn as_ref(&self) -> &Path {
        &self.file
    }
}

/// Reads an index, or the index in a folder.
///
/// # Errors
///
/// Returns an error if the index or a listed file cannot be read, if a line is malformed, or if there are no lines.
pub fn read_index(index: &Path, formats: &Formats) -> Result<Vec<CorpusFile>> {
    let index = if index.is_dir() {
        index.join(INDEX)
    } else {
        index.to_owned()
    };
    let name = input::name_of(&index);
    let text = input::read(&index)?;
    let mut cases = Vec::new();
    for (number, line) in (1..).zip(text.split(|byte| *byte == b'\n')) {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let entry = parse_entry(line, formats)
            .map_err(|error| Failure::usage(&name, format_args!("line {number}: {error}")))?;
        cases.push(read_case(entry, &index)?);
    }
    if cases.is_empty() {
        return Err(Failure::usage(&name, "the index lists no files"));
    }
    Ok(cases)
}

/// Removes all files except those of `only`: the name of a format, or `FORMAT/DIALECT`.
///
/// # Errors
///
/// Returns a usage error if no file remains.
pub fn retain_only(cases: &mut Vec<CorpusFile>, only: &str) -> Result<()> {
    let with_dialect = |entry: &IndexEntry| format!("{}/{}", entry.format, entry.dialect);
    let selections: BTreeSet<_> = cases
        .iter()
        .flat_map(|case| [case.entry.format.clone(), with_dialect(&case.entry)])
        .collect();
    if !selections.contains(only) {
        let names = selections.into_iter().collect::<Vec<_>>().join(", ");
        return Err(Failure::usage(
            "--only",
            format_args!("the index lists no files of `{only}`"),
        )
        .with_hint(format!("use one of {names}")));
    }
    cases.retain(|case| case.entry.format == only || with_dialect(&case.entry) == only);
    Ok(())
}

/// Parses a line of the index. Accepts the dialects of `formats`, including those of custom formats.
fn parse_entry(line: &[u8], formats: &Formats) -> serde_json::Result<IndexEntry> {
    let mut line: Value = serde_json::from_slice(line)?;
    let dialect = line["format"].as_str().and_then(|name| {
        let dialects = formats.get(name).ok()?.about().dialects;
        dialects
            .iter()
            .find(|dialect| line["dialect"] == dialect.name())
            .copied()
    });
    if dialect.is_some() {
        line["dialect"] = Value::from(Dialect::SPEC.name());
    }
    let entry: IndexEntry = serde_json::from_value(line)?;
    Ok(IndexEntry {
        dialect: dialect.unwrap_or(entry.dialect),
        ..entry
    })
}

fn read_case(entry: IndexEntry, index: &Path) -> Result<CorpusFile> {
    let file = index.with_file_name(&entry.file);
    let contents = entry
        .contents
        .as_ref()
        .map(|contents| index.with_file_name(contents));
    let (size, hash) = with_path(&file, |file| {
        Ok((regular_files::file_size(file)?, job_log::hash_file(file)?))
    })?;
    if let Some(contents) = &contents {
        with_path(contents, regular_files::require_regular)?;
    }
    Ok(CorpusFile {
        entry,
        file,
        contents,
        size,
        hash,
    })
}

fn with_path<T>(file: &Path, read: impl FnOnce(&Path) -> io::Result<T>) -> Result<T> {
    read(file).map_err(|error| Failure::io(&text_of(file), &error))
}
