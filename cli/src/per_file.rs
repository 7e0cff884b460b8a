//! Commands that look at several files: one result per file, and a bad file does not keep the others from theirs.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::ser::{SerializeSeq, Serializer};

use crate::failure::{Failure, Result, Status};
use crate::progress;

/// What a command has to say of one file.
pub trait FileResult: Serialize {
    fn status(&self) -> Status;
    /// Prints it for people.
    fn print(&self, out: &mut impl Write) -> io::Result<()>;
}

/// Stands in the list of results for a file that could not be looked at.
#[derive(Serialize)]
struct Failed<'a> {
    file: String,
    error: &'a str,
}

/// Looks at each file and prints the results, for people or as a JSON list. The status is the worst of all.
pub fn run<T: FileResult>(
    files: &[PathBuf],
    json: bool,
    look_at: impl Fn(&Path) -> Result<T>,
) -> Result<Status> {
    let mut worst = Status::Fine;
    let mut attempt = |file: &PathBuf| {
        let result = progress::on_file(file, || look_at(file));
        match &result {
            Ok(result) => worst = worst.max(result.status()),
            Err(failure) => {
                failure.report();
                worst = worst.max(failure.status);
            }
        }
        result
    };
    if json {
        let mut out = BufWriter::new(io::stdout().lock());
        print_list(files, &mut attempt, &mut out)?;
        out.flush()?;
    } else {
        let mut out = anstream::stdout().lock();
        for file in files {
            if let Ok(result) = attempt(file) {
                result.print(&mut out)?;
            }
        }
    }
    Ok(worst)
}

fn print_list<T: FileResult>(
    files: &[PathBuf],
    attempt: &mut impl FnMut(&PathBuf) -> Result<T, Failure>,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut serializer = serde_json::Serializer::pretty(&mut *out);
    let mut list = serializer.serialize_seq(Some(files.len()))?;
    for file in files {
        match attempt(file) {
            Ok(result) => list.serialize_element(&result)?,
            Err(failure) => {
                list.serialize_element(&Failed {
                    file: file.display().to_string(),
                    error: failure.message(),
                })?;
            }
        }
    }
    list.end()?;
    writeln!(out)
}
