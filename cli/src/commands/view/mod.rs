//! `meshspec view`: creates a page that shows the model, the fields and the bytes of a file.

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

use crate::commands::diff::compare::{ComparedFile, ComparisonOptions};
use crate::extension;
use crate::failure::{Failure, Result, Status};
use crate::input::{self, is_standard, text_of};
use crate::output;
use crate::progress;
use crate::read_args::{LimitArgs, ReadArgs};
use crate::readable::Readable;
use crate::terminal::Escaped;
use comparison::Comparison;
use content::FileContent;
use page::Page;
use serve::Server;

/// Create a page that shows the model, the fields and the bytes of a file, linked to each other.
///
/// The page is a single file for a browser with WebGL 2, and needs neither network nor other files. Malformed files are
/// shown up to the first error. Two files are shown side by side, coloured by the distances between their surfaces,
/// with a list of their differences.
#[derive(Debug, Args)]
pub struct View {
    /// The file; `-` is standard input. With --serve, a folder.
    file: PathBuf,
    /// A second file to compare with the first.
    #[arg(value_name = "OTHER")]
    other: Option<PathBuf>,
    /// The page to write; `-` is standard output. By default, FILE.html, or FILE-OTHER.html for two files.
    #[arg(long, value_name = "PAGE.html")]
    out: Option<PathBuf>,
    /// Overwrite an existing page.
    #[arg(long)]
    force: bool,
    /// Serve the files of a folder on a local port instead, and print the address. Pages are created on demand, and
    /// reload when their file changes.
    #[arg(long, conflicts_with_all = ["out", "force", "other"])]
    serve: bool,
    #[command(flatten)]
    read_args: ReadArgs,
    #[command(flatten)]
    limit_args: LimitArgs,
}

/// The files that `view` shows.
pub const READABLE: Readable = Readable {
    command: "view",
    reads_json: false,
    ..Readable::ALL
};

impl View {
    pub fn run(&self, formats: &Formats) -> Result<Status> {
        if self.serve {
            Server::run(self, formats)?;
            return Ok(Status::Success);
        }
        let out = self.output_path()?;
        extension::require(&out, &["html", "htm"], "an HTML page", formats)?;
        output::reject_existing(&out, self.force)?;
        progress::on_files(&self.file, &out, || {
            let page = match &self.other {
                Some(other) => self.compare(other, formats)?,
                None => Page::of(self.read_content(&self.file, formats)?),
            };
            output::write(&out, self.force, |writer| {
                page.write(page::PageMode::File, writer)
            })
        })?;
        if !is_standard(&out) {
            // Ignores the error: standard error may be closed.
            let _ = writeln!(anstream::stderr(), "{}: written", Escaped(&text_of(&out)));
        }
        Ok(Status::Success)
    }

    fn output_path(&self) -> Result<PathBuf> {
        match &self.out {
            Some(out) => Ok(out.clone()),
            None if is_standard(&self.file) || self.other.as_deref().is_some_and(is_standard) => {
                Err(Failure::usage(
                    "--out",
                    "is required if a file is standard input",
                ))
            }
            None => {
                let mut out = self.file.clone().into_os_string();
                if let Some(other) = self.other.as_deref().and_then(Path::file_name) {
                    out.push("-");
                    out.push(other);
                }
                out.push(".html");
                Ok(out.into())
            }
        }
    }

    fn read_content(&self, path: &Path, formats: &Formats) -> Result<FileContent> {
        FileContent::read(
            ComparedFile::open(path, &self.read_args, READABLE, formats)?,
            &self.read_args,
            &self.limit_args,
            false,
            formats,
        )
    }

    /// Reads and compares two files, and returns their page.
    fn compare(&self, other: &Path, formats: &Formats) -> Result<Page> {
        if is_standard(&self.file) && is_standard(other) {
            return Err(Failure::usage(
                &input::name_of(other),
                "can be used for one of the files only",
            ));
        }
        let View {
            read_args,
            limit_args,
            ..
        } = self;
        let files = [
            ComparedFile::open(&self.file, read_args, READABLE, formats)?,
            ComparedFile::open(other, read_args, READABLE, formats)?,
        ];
        let options = ComparisonOptions {
            read_args,
            limit_args,
            formats,
            tolerance: 0.0,
            as_scenes: false,
        };
        let mut comparison = Comparison::of_files(&files, &options);
        let [file, other] =
            files.map(|file| FileContent::read(file, read_args, limit_args, true, formats));
        let mut contents = [file?, other?];
        comparison.measure(&mut contents);
        let [file, other] = contents;
        Ok(Page {
            other: Some((other, comparison)),
            ..Page::of(file)
        })
    }

    /// Returns the content of a file that cannot be decoded, for example because an exporter is still writing it.
    fn undecoded_content(
        &self,
        path: &Path,
        reason: &str,
        formats: &Formats,
    ) -> Result<FileContent> {
        Ok(FileContent::undecoded(
            path,
            self.read_args.read_bytes(path, formats)?,
            reason,
        ))
    }
}
