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

impl<'f> Failed<'f> {
    fn new(file: &Path, failure: &'f Failure) -> Failed<'f> {
        Failed { file: file.display().to_string(), error: failure.message() }
    }
}

/// What is left of a file that was looked at.
struct Looked<R> {
    status: Status,
    /// `None` if it was done before.
    rendered: Option<R>,
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
        let mut out = anstream::stdout();
        let mut list = json::List::new();
        let text = |file: &Path, result: Result<&T, &Failure>| match result {
            _ if self.lines.are_written() => Ok(Vec::new()),
            Ok(result) if json => json::to_vec(result),
            Ok(result) => {
                let mut text = Vec::new();
                result.print(&mut text).map(|()| text)
            }
            Err(failure) if json => json::to_vec(&Failed::new(file, failure)),
            Err(_) => Ok(Vec::new()),
        };
        let status = self.each(look_at, text, |text| {
            if json {
                list.write(&text?, &mut out)?
            } else {
                out.write_all(&text?)?
            }
            Ok(())
        })?;
        if json {
            list.end(&mut out)?;
        }
        Ok(status)
    }

    /// Looks at each file, and hands on what `render` makes of the result in the order of the files. The status is the
    /// worst of all.
    pub fn each<T: FileResult, R: Send>(
        &self,
        look_at: impl Fn(&Path) -> Result<T> + Sync,
        render: impl Fn(&Path, Result<&T, &Failure>) -> R + Sync,
        mut then: impl FnMut(R) -> Result<()>,
    ) -> Result<Status> {
        let mut worst = Status::Fine;
        let bar = progress::of(&self.files);
        progress::shown(&bar, || {
            self.many.jobs.side_by_side(
                &self.files,
                |file| {
                    let looked = self.one(file, &look_at, &render);
                    bar.inc(1);
                    looked
                },
                |looked| {
                    let Looked { status, rendered, failure } = looked?;
                    worst = worst.max(status);
                    if let Some(failure) = failure {
                        bar.suspend(|| failure.report());
                    }
                    rendered.map_or(Ok(()), &mut then)
                },
            )
        })?;
        Ok(worst)
    }

    /// Looks at a file and renders the result, unless that was done before.
    fn one<T: FileResult, R>(
        &self,
        listed: &Listed,
        look_at: impl Fn(&Path) -> Result<T>,
        render: impl Fn(&Path, Result<&T, &Failure>) -> R,
    ) -> Result<Looked<R>> {
        let file = &*listed.file;
        if let Some(status) = self.lines.known(file) {
            return Ok(Looked { status, rendered: None, failure: None });
        }
        let state = self.lines.state(file);
        let result = listed.require_readable().and_then(|()| look_at(file));
        let status = result.as_ref().map_or_else(|failure| failure.status, T::status);
        match &result {
            Ok(result) => self.lines.write(result, state, status)?,
            Err(failure) => self.lines.write(&Failed::new(file, failure), state, status)?,
        }
        let rendered = Some(render(file, result.as_ref()));
        Ok(Looked { status, rendered, failure: result.err() })
    }
}
