//! Commands that look at several files: one result per file, and a bad file does not keep the others from theirs.

use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use meshspec::Formats;
use serde::Serialize;

use crate::failure::{Failure, Result, Status};
use crate::json;
use crate::lines::Lines;
use crate::listing::{self, Listed};
use crate::many::Many;
use crate::progress;

/// What a command has to say of one file.
pub trait FileResult: Serialize {
    fn status(&self) -> Status;
    /// Prints it for people.
    fn print(&self, out: &mut impl Write) -> io::Result<()>;
}

/// Stands for a file that could not be looked at.
#[derive(Serialize)]
struct Failed<'a> {
    file: String,
    error: &'a str,
}

/// What is left of a file that was looked at.
struct Looked {
    status: Status,
    /// For people, or an element of a JSON list.
    text: Vec<u8>,
    failure: Option<Failure>,
}

/// The files of a command, and how to look at them.
pub struct Files<'m> {
    many: &'m Many,
    files: Vec<Listed>,
    lines: Lines,
}

impl<'m> Files<'m> {
    /// Those that the paths and options name; `options` are those on which the results of the command depend.
    pub fn new(
        many: &'m Many,
        paths: &[PathBuf],
        command: &str,
        options: &impl fmt::Debug,
        formats: &Formats,
    ) -> Result<Files<'m>> {
        many.require_log()?;
        let mut files = listing::list_some(paths, &|path| listing::is_mesh(path, formats))?;
        many.add_to(&mut files)?;
        Ok(Files { many, files, lines: many.lines(command, options)? })
    }

    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Looks at each file and prints the results: for people or as a JSON list in order, as lines when they are done.
    /// The status is the worst of all.
    pub fn look_at<T: FileResult>(
        &self,
        json: bool,
        look_at: impl Fn(&Path) -> Result<T> + Sync,
    ) -> Result<Status> {
        let mut worst = Status::Fine;
        let mut out = anstream::stdout();
        let mut list = json::List::new();
        let bar = progress::of(&self.files);
        progress::shown(&bar, || {
            self.many.jobs.side_by_side(
                &self.files,
                |file| {
                    let looked = self.one(file, json, &look_at);
                    bar.inc(1);
                    looked
                },
                |looked| {
                    let Looked { status, text, failure } = looked?;
                    worst = worst.max(status);
                    if let Some(failure) = failure {
                        bar.suspend(|| failure.report());
                    }
                    if json {
                        list.write(&text, &mut out)?
                    } else {
                        out.write_all(&text)?
                    }
                    Ok(())
                },
            )
        })?;
        if json {
            list.end(&mut out)?;
        }
        Ok(worst)
    }

    /// Looks at a file, unless that was done before.
    fn one<T: FileResult>(
        &self,
        listed: &Listed,
        json: bool,
        look_at: impl Fn(&Path) -> Result<T>,
    ) -> Result<Looked> {
        let file = &*listed.file;
        if let Some(status) = self.lines.known(file) {
            return Ok(Looked { status, text: Vec::new(), failure: None });
        }
        let state = self.lines.state(file);
        let result = listed.require_readable().and_then(|()| look_at(file));
        let status = result.as_ref().map_or_else(|failure| failure.status, T::status);
        let mut text = Vec::new();
        match &result {
            Ok(result) if self.lines.are_written() => self.lines.write(result, state, status)?,
            Ok(result) if json => text = json::to_vec(result)?,
            Ok(result) => result.print(&mut text)?,
            Err(failure) => {
                let failed = Failed { file: file.display().to_string(), error: failure.message() };
                self.lines.write(&failed, state, status)?;
                if json {
                    text = json::to_vec(&failed)?;
                }
            }
        }
        Ok(Looked { status, text, failure: result.err() })
    }
}
