//! `meshspec view`: a page that shows the model, the fields and the bytes of a file.

mod comparison;
mod content;
mod data;
mod decoded;
mod distances;
mod folder;
mod images;
mod model;
mod page;
mod request;
mod serve;
mod text;

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use meshspec::Formats;

use crate::commands::diff::compare::{File, Rules};
use crate::failure::{Failure, Result, Status};
use crate::input::{self, is_standard};
use crate::output;
use crate::progress;
use crate::reading::{Bounds, Reading};
use crate::terminal::Escaped;
use comparison::Comparison;
use content::Content;
use page::Page;
use serve::Server;

/// Make a page that shows a file: its model, its fields and its bytes, each linked to the others.
///
/// The page is one file for a browser with WebGL 2. It needs no network and no other file. Files that cannot be decoded are
/// shown up to the fault. Two files are shown side by side, coloured by their distance from each other, with a list of their
/// differences.
#[derive(Debug, Args)]
pub struct View {
    /// The file; `-` is standard input. With --serve, a folder.
    file: PathBuf,
    /// A second file, to compare with the first.
    #[arg(value_name = "OTHER")]
    other: Option<PathBuf>,
    /// The page to write; `-` is standard output. FILE.html by default; FILE-OTHER.html for two files.
    #[arg(long, value_name = "PAGE.html")]
    out: Option<PathBuf>,
    /// Replace an existing page.
    #[arg(long)]
    force: bool,
    /// Serve the files of a folder on a port of this machine instead, and print the address. Pages are made on demand, and
    /// reload when their file changes.
    #[arg(long, conflicts_with_all = ["out", "force", "other"])]
    serve: bool,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    bounds: Bounds,
}

impl View {
    pub fn run(&self, formats: &Formats) -> Result<Status> {
        if self.serve {
            Server::run(self, formats)?;
            return Ok(Status::Fine);
        }
        let out = self.output()?;
        output::reject_existing(&out, self.force)?;
        progress::on_files(&self.file, &out, || {
            let page = match &self.other {
                Some(other) => self.comparison(other, formats)?,
                None => Page::of(self.content(&self.file, formats)?),
            };
            output::write(&out, self.force, |writer| page.write(page::Mode::File, writer))
        })?;
        if !is_standard(&out) {
            // A closed standard error is no failure.
            let _ = writeln!(anstream::stderr(), "{}: written", Escaped(&out.display().to_string()));
        }
        Ok(Status::Fine)
    }

    fn output(&self) -> Result<PathBuf> {
        match &self.out {
            Some(out) => Ok(out.clone()),
            None if is_standard(&self.file) || self.other.as_deref().is_some_and(is_standard) => {
                Err(Failure::usage("--out", "is required where the file is standard input"))
            }
            None => {
                let other = self.other.as_deref().and_then(Path::file_name);
                let other = other.map(|other| format!("-{}", other.display())).unwrap_or_default();
                Ok(PathBuf::from(format!("{}{other}.html", self.file.display())))
            }
        }
    }

    fn content(&self, path: &Path, formats: &Formats) -> Result<Content> {
        Content::read(File::open(path, &self.reading, formats)?, &self.reading, &self.bounds, false)
    }

    /// Reads and compares both files.
    fn comparison(&self, other: &Path, formats: &Formats) -> Result<Page> {
        if is_standard(&self.file) && is_standard(other) {
            return Err(Failure::usage(&input::name_of(other), "can be only one of the files"));
        }
        let View { reading, bounds, .. } = self;
        let files = [File::open(&self.file, reading, formats)?, File::open(other, reading, formats)?];
        let rules = Rules { reading, bounds, formats, tolerance: 0.0, as_scenes: false };
        let mut comparison = Comparison::of_files(&files, &rules);
        let [file, other] = files.map(|file| Content::read(file, reading, bounds, true));
        let mut contents = [file?, other?];
        comparison.measure(&mut contents);
        let [file, other] = contents;
        Ok(Page { other: Some((other, comparison)), ..Page::of(file) })
    }

    /// Returns the content of a file of unknown format, which an exporter may still be writing.
    fn unreadable(&self, path: &Path, why: &str) -> Result<Content> {
        Ok(Content::unreadable(path, input::read(path)?, why))
    }
}
