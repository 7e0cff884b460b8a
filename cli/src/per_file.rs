//! Runs a command on several files, with one result per file. A failure does not affect the results of other files.

use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use meshspec::Formats;
use serde::Serialize;

use crate::batch_args::BatchArgs;
use crate::failure::{Failure, Result, Status};
use crate::input::text_of;
use crate::job_log::{JobLog, LoggedFailures};
use crate::json;
use crate::listing::{self, InputFile};
use crate::progress;

/// The result of a command for a file.
pub trait FileResult: Serialize {
    fn status(&self) -> Status;
    /// Prints the result as text.
    fn print(&self, out: &mut impl Write) -> io::Result<()>;
}

/// The result for a file that could not be processed, as JSON.
#[derive(Serialize)]
struct FailureRow<'a> {
    file: String,
    error: &'a str,
}

impl<'f> FailureRow<'f> {
    fn new(file: &Path, failure: &'f Failure) -> FailureRow<'f> {
        FailureRow {
            file: text_of(file),
            error: failure.message(),
        }
    }
}

/// The outcome of processing a file.
struct FileOutcome<'f, R> {
    file: &'f Path,
    status: Status,
    /// The rendered result; `None` if the log already contains the result of the file.
    rendered: Option<R>,
    failure: Option<Failure>,
}

/// The input files of a command, and the log of finished files.
pub struct InputFiles<'m> {
    batch: &'m BatchArgs,
    files: Vec<InputFile>,
    log: JobLog,
}

impl<'m> InputFiles<'m> {
    /// Lists the files of `paths` and of `--files-from`. `options` are the options that affect the results of the
    /// command.
    pub fn new(
        batch: &'m BatchArgs,
        paths: &[PathBuf],
        command: &str,
        options: &impl fmt::Debug,
        formats: &Formats,
    ) -> Result<InputFiles<'m>> {
        batch.require_log()?;
        let mut files = listing::list_at_least_one(paths, None, &|path| {
            listing::has_mesh_extension(path, formats)
        })?;
        batch.add_listed(&mut files)?;
        Ok(InputFiles {
            batch,
            files,
            log: batch.open_job_log(command, options)?,
        })
    }

    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Processes all files and prints the results as text, in order, unless `--json-lines` or `--log` is given. Returns
    /// the highest status.
    pub fn print_text<T: FileResult>(
        &self,
        process: impl Fn(&Path) -> Result<T> + Sync,
    ) -> Result<Status> {
        let mut out = anstream::stdout();
        let text = |_: &Path, result: Result<&T, &Failure>| {
            let mut text = Vec::new();
            match result {
                Ok(result) if !self.log.is_enabled() => result.print(&mut text).map(|()| text),
                _ => Ok(text),
            }
        };
        self.process_all(process, text, |text| Ok(out.write_all(&text?)?))
    }

    /// Processes all files and prints the results as a JSON list, in order. Returns the highest status.
    pub fn print_json<T: FileResult>(
        &self,
        process: impl Fn(&Path) -> Result<T> + Sync,
    ) -> Result<Status> {
        let mut out = anstream::stdout();
        let mut list = json::ListWriter::new();
        let item = |file: &Path, result: Result<&T, &Failure>| match result {
            Ok(result) => json::to_element(result),
            Err(failure) => json::to_element(&FailureRow::new(file, failure)),
        };
        let status = self.process_all(process, item, |item| Ok(list.write(&item?, &mut out)?))?;
        list.end(&mut out)?;
        Ok(status)
    }

    /// Processes all files with `process`, converts each result with `render`, and passes the rendered results to
    /// `consume` in file order. Returns the highest status.
    pub fn process_all<T: FileResult, R: Send>(
        &self,
        process: impl Fn(&Path) -> Result<T> + Sync,
        render: impl Fn(&Path, Result<&T, &Failure>) -> R + Sync,
        mut consume: impl FnMut(R) -> Result<()>,
    ) -> Result<Status> {
        let mut worst = Status::Success;
        let mut logged = LoggedFailures::default();
        let bar = progress::bar_for(&self.files);
        progress::run_with_bar(&bar, || {
            self.batch.jobs.run_parallel(
                &self.files,
                |file| {
                    let outcome = self.process_file(file, &process, &render);
                    bar.inc(1);
                    outcome
                },
                |outcome| {
                    let FileOutcome {
                        file,
                        status,
                        rendered,
                        failure,
                    } = outcome?;
                    worst = worst.max(status);
                    match failure {
                        Some(failure) => bar.suspend(|| failure.report()),
                        None if status != Status::Success => logged.add(file),
                        None => {}
                    }
                    rendered.map_or(Ok(()), &mut consume)
                },
            )
        })?;
        self.log.report_failures(&logged);
        Ok(worst)
    }

    /// Processes a file and renders the result, unless the log already contains it.
    fn process_file<'f, T: FileResult, R>(
        &self,
        listed: &'f InputFile,
        process: impl Fn(&Path) -> Result<T>,
        render: impl Fn(&Path, Result<&T, &Failure>) -> R,
    ) -> Result<FileOutcome<'f, R>> {
        let file = &*listed.file;
        if let Some(status) = self.log.finished_status(file) {
            return Ok(FileOutcome {
                file,
                status,
                rendered: None,
                failure: None,
            });
        }
        let state = self.log.read_state(file);
        let result = listed.require_readable().and_then(|()| process(file));
        let status = result
            .as_ref()
            .map_or_else(|failure| failure.status, T::status);
        match &result {
            Ok(result) => self.log.write(result, state, status)?,
            Err(failure) => self
                .log
                .write(&FailureRow::new(file, failure), state, status)?,
        }
        let rendered = Some(render(file, result.as_ref()));
        Ok(FileOutcome {
            file,
            status,
            rendered,
            failure: result.err(),
        })
    }
}
