//! Runs commands over several files, with one result per file. A failed file does not affect the others.

use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use meshspec::Formats;
use serde::Serialize;

use crate::batch_args::BatchArgs;
use crate::failure::{Failure, Result, Status};
use crate::job_log::JobLog;
use crate::json;
use crate::listing::{self, Listed};
use crate::progress;

/// The result of a command for a file.
pub trait FileResult: Serialize {
    fn status(&self) -> Status;
    /// Prints the result as text.
    fn print(&self, out: &mut impl Write) -> io::Result<()>;
}

/// The JSON of a file that failed.
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

/// The outcome for a file.
struct FileOutcome<R> {
    status: Status,
    /// The rendered result; `None` if the log has the file.
    rendered: Option<R>,
    failure: Option<Failure>,
}

/// The input files of a command.
pub struct Files<'m> {
    batch: &'m BatchArgs,
    files: Vec<Listed>,
    log: JobLog,
}

impl<'m> Files<'m> {
    /// Lists the files of the paths and options. `options` are the options that affect the results of the command.
    pub fn new(
        batch: &'m BatchArgs,
        paths: &[PathBuf],
        command: &str,
        options: &impl fmt::Debug,
        formats: &Formats,
    ) -> Result<Files<'m>> {
        batch.require_log()?;
        let mut files = listing::list_some(paths, &|path| listing::is_mesh(path, formats))?;
        batch.add_to(&mut files)?;
        Ok(Files { batch, files, log: batch.job_log(command, options)? })
    }

    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Processes each file and prints the results as text, in order, unless they are written as JSON lines. Returns the
    /// worst status.
    pub fn print_text<T: FileResult>(&self, look_at: impl Fn(&Path) -> Result<T> + Sync) -> Result<Status> {
        let mut out = anstream::stdout();
        let text = |_: &Path, result: Result<&T, &Failure>| {
            let mut text = Vec::new();
            match result {
                Ok(result) if !self.log.is_written() => result.print(&mut text).map(|()| text),
                _ => Ok(text),
            }
        };
        self.each(look_at, text, |text| Ok(out.write_all(&text?)?))
    }

    /// Processes each file and prints the results as a JSON list, in order. Returns the worst status.
    pub fn print_json<T: FileResult>(&self, look_at: impl Fn(&Path) -> Result<T> + Sync) -> Result<Status> {
        let mut out = anstream::stdout();
        let mut list = json::List::new();
        let item = |file: &Path, result: Result<&T, &Failure>| match result {
            Ok(result) => json::to_vec(result),
            Err(failure) => json::to_vec(&Failed::new(file, failure)),
        };
        let status = self.each(look_at, item, |item| Ok(list.write(&item?, &mut out)?))?;
        list.end(&mut out)?;
        Ok(status)
    }

    /// Processes each file, renders the result, and passes on the rendered results in the order of the files. Returns the
    /// worst status.
    pub fn each<T: FileResult, R: Send>(
        &self,
        look_at: impl Fn(&Path) -> Result<T> + Sync,
        render: impl Fn(&Path, Result<&T, &Failure>) -> R + Sync,
        mut then: impl FnMut(R) -> Result<()>,
    ) -> Result<Status> {
        let mut worst = Status::Fine;
        let bar = progress::of(&self.files);
        progress::shown(&bar, || {
            self.batch.jobs.side_by_side(
                &self.files,
                |file| {
                    let outcome = self.one(file, &look_at, &render);
                    bar.inc(1);
                    outcome
                },
                |outcome| {
                    let FileOutcome { status, rendered, failure } = outcome?;
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

    /// Processes a file and renders the result, unless the log has it.
    fn one<T: FileResult, R>(
        &self,
        listed: &Listed,
        look_at: impl Fn(&Path) -> Result<T>,
        render: impl Fn(&Path, Result<&T, &Failure>) -> R,
    ) -> Result<FileOutcome<R>> {
        let file = &*listed.file;
        if let Some(status) = self.log.known(file) {
            return Ok(FileOutcome { status, rendered: None, failure: None });
        }
        let state = self.log.state(file);
        let result = listed.require_readable().and_then(|()| look_at(file));
        let status = result.as_ref().map_or_else(|failure| failure.status, T::status);
        match &result {
            Ok(result) => self.log.write(result, state, status)?,
            Err(failure) => self.log.write(&Failed::new(file, failure), state, status)?,
        }
        let rendered = Some(render(file, result.as_ref()));
        Ok(FileOutcome { status, rendered, failure: result.err() })
    }
}
