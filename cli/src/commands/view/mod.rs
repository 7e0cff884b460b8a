//! `meshspec view`: a page that shows the model, the fields and the bytes of a file.

mod content;
mod data;
mod decoded;
mod folder;
mod model;
mod page;
mod request;
mod serve;
mod text;

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use meshspec::Formats;

use crate::failure::{Failure, Result, Status};
use crate::input::{self, is_standard};
use crate::output;
use crate::progress;
use crate::reading::{Bounds, Reading};
use crate::terminal::Escaped;
use content::Content;
use serve::Server;

/// Make a page that shows a file: its model, its fields and its bytes, each linked to the others.
///
/// The page is one file for a browser with WebGL 2. It needs no network and no other file. Files that cannot be decoded are
/// shown up to the fault.
#[derive(Debug, Args)]
pub struct View {
    /// The file; `-` is standard input. With --serve, a folder.
    file: PathBuf,
    /// The page to write; `-` is standard output. FILE.html by default.
    #[arg(long, value_name = "PAGE.html")]
    out: Option<PathBuf>,
    /// Replace an existing page.
    #[arg(long)]
    force: bool,
    /// Serve the files of a folder on a port of this machine instead, and print the address. Pages are made on demand, and
    /// reload when their file changes.
    #[arg(long, conflicts_with_all = ["out", "force"])]
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
        output::refuse_existing(&out, self.force)?;
        progress::on_files(&self.file, &out, || {
            let content = self.content(&self.file, formats)?;
            output::write(&out, self.force, |writer| page::write(content, page::Mode::File, writer))
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
            None if is_standard(&self.file) => {
                Err(Failure::usage("--out", "is required where the file is standard input"))
            }
            None => Ok(PathBuf::from(format!("{}.html", self.file.display()))),
        }
    }

    fn content(&self, path: &Path, formats: &Formats) -> Result<Content> {
        let bytes = input::read(path)?;
        let encoding = self.reading.encoding_of(&bytes, path, formats)?;
        let options = self.reading.options(encoding, &bytes).with_limits(self.bounds.limits());
        Content::read(path, bytes, encoding, &options)
    }

    /// The bytes of a file that is none of the formats, or not yet: exporters write in steps.
    fn unreadable(&self, path: &Path, why: &str) -> Result<Content> {
        Ok(Content::unreadable(path, input::read(path)?, why))
    }
}
