//! Prints a line of JSON per finished file, to standard output or to a log for resuming.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::UNIX_EPOCH;

use clap::ValueEnum;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::failure::{Failure, Result, Status};
use crate::input::is_standard;
use crate::json;
use crate::regular;

/// The criterion for unchanged files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Newer {
    /// By size and time of modification
    Time,
    /// By size and content
    Hash,
}

/// A log of processed files, one line each.
pub struct JobLog {
    out: Option<Mutex<Box<dyn Write + Send>>>,
    log: Option<LogFile>,
}

/// A log: its known files, and the settings for new lines.
struct LogFile {
    /// The name of its file; `None` for standard output.
    name: Option<String>,
    newer: Option<Newer>,
    options: String,
    known: HashMap<String, State>,
}

/// The state of a file when it was processed, and the result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    size: u64,
    /// Nanoseconds since 1970; negative before.
    modified: i64,
    /// The SHA-256 of the content, for `--newer=hash`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
    /// A hash of the command's options and the program version, on which the result depends.
    options: String,
    status: u8,
    /// The images of the output.
    #[serde(default, skip_serializing_if = "Images::is_empty")]
    pub images: Images,
}

/// SHA-256 of files, by path.
pub type Images = BTreeMap<String, String>;

#[derive(Serialize)]
struct Line<'a, T> {
    #[serde(flatten)]
    row: &'a T,
    #[serde(skip_serializing_if = "Option::is_none")]
    done: Option<State>,
}

/// The state in a [`Line`].
#[derive(Deserialize)]
struct Entry {
    file: String,
    done: State,
}

/// The first line of a log, which has one of these keys.
#[derive(Deserialize)]
struct First {
    done: Option<State>,
    error: Option<IgnoredAny>,
}

/// The beginning of every line.
const START: &[u8] = b"{\"file\":";

impl JobLog {
    /// Creates a log that drops all lines.
    pub fn none() -> JobLog {
        JobLog { out: None, log: None }
    }

    /// Creates a log on standard output.
    pub fn printed() -> JobLog {
        JobLog { out: Some(Mutex::new(Box::new(io::stdout()))), log: None }
    }

    /// Opens a log and reads its known files; `-` is standard output, without known files. Removes a last line that was
    /// truncated when the program was killed.
    ///
    /// `options` are the options that affect the results of the command.
    pub fn append_to(
        path: &Path,
        newer: Option<Newer>,
        command: &str,
        options: &impl fmt::Debug,
    ) -> Result<JobLog> {
        let options = format!("{} {command} {options:?}", env!("CARGO_PKG_VERSION"));
        let options = hex(&Sha256::digest(options))[..16].to_owned();
        if is_standard(path) {
            let log = LogFile { name: None, newer, options, known: HashMap::new() };
            return Ok(JobLog { log: Some(log), ..JobLog::printed() });
        }
        let name = path.display().to_string();
        let fail = |error| Failure::io(&name, &error);
        let mut file = File::options().read(true).append(true).create(true).open(path).map_err(fail)?;
        if !is_log(&file).map_err(fail)? {
            let message = "is not a log: its first line was not written by --log";
            return Err(
                Failure::usage(&name, message).with_hint("name a new file, or a log of an earlier run")
            );
        }
        let (known, end) = known(&file).map_err(fail)?;
        file.set_len(end).and_then(|()| file.seek(SeekFrom::End(0))).map_err(fail)?;
        let log = LogFile { name: Some(name), newer, options, known };
        Ok(JobLog { out: Some(Mutex::new(Box::new(file))), log: Some(log) })
    }

    /// Returns `true` if lines are written.
    pub fn is_written(&self) -> bool {
        self.out.is_some()
    }

    /// Returns `true` if the lines go to a log.
    pub fn is_log(&self) -> bool {
        self.log.is_some()
    }

    /// Returns the logged result of a file if it need not be processed again.
    pub fn known(&self, file: &Path) -> Option<Status> {
        let log = self.log.as_ref()?;
        let newer = log.newer?;
        let known = log.known.get(&*file.to_string_lossy())?;
        let now = State::read(file, None, &log.options).ok()?;
        let is_same = match newer {
            Newer::Time => known.modified == now.modified,
            Newer::Hash => known.sha256.is_some() && known.sha256 == hash(file).ok(),
        };
        match known.status {
            _ if !is_same || known.size != now.size || known.options != now.options => None,
            0 => Some(Status::Fine),
            1 => Some(Status::Invalid),
            // I/O errors may have been temporary.
            _ => None,
        }
    }

    /// Returns the images of a file's last conversion; `None` without a log.
    pub fn images(&self, file: &Path) -> Option<Images> {
        let log = self.log.as_ref()?;
        Some(log.known.get(&*file.to_string_lossy()).map(|state| state.images.clone()).unwrap_or_default())
    }

    /// Returns the state of a file before it is processed, for [`write`](JobLog::write).
    pub fn state(&self, file: &Path) -> Option<State> {
        let log = self.log.as_ref()?;
        State::read(file, log.newer, &log.options).ok()
    }

    /// Writes the line of a finished file.
    pub fn write(&self, row: &impl Serialize, state: Option<State>, status: Status) -> Result<()> {
        let Some(out) = &self.out else { return Ok(()) };
        let done = state.map(|state| State { status: status as u8, ..state });
        let mut line = Vec::new();
        json::write_line(&Line { row, done }, &mut line)?;
        // In a single call, so that lines of other files cannot interleave.
        let written = out.lock().unwrap_or_else(PoisonError::into_inner).write_all(&line);
        match self.log.as_ref().and_then(|log| log.name.as_ref()) {
            Some(name) => written.map_err(|error| Failure::io(name, &error)),
            None => Ok(written?),
        }
    }
}

impl State {
    fn read(file: &Path, newer: Option<Newer>, options: &str) -> io::Result<State> {
        // A pipe can be read only once, so its state cannot be compared.
        regular::require(file)?;
        let metadata = fs::metadata(file)?;
        let (sign, distance) = match metadata.modified()?.duration_since(UNIX_EPOCH) {
            Ok(since) => (1, since),
            Err(error) => (-1, error.duration()),
        };
        let distance = i64::try_from(distance.as_nanos()).map_err(io::Error::other)?;
        Ok(State {
            size: metadata.len(),
            modified: sign * distance,
            sha256: if newer == Some(Newer::Hash) { Some(hash(file)?) } else { None },
            options: options.to_owned(),
            status: 0,
            images: Images::new(),
        })
    }
}

/// Returns `true` if a file is empty or starts with a line of a log, possibly truncated. Such a line has a state, or the
/// error of a file without one.
fn is_log(mut file: &File) -> io::Result<bool> {
    let mut line = Vec::new();
    Read::by_ref(&mut file).take(START.len() as u64).read_to_end(&mut line)?;
    let starts = START.starts_with(&line);
    if starts {
        BufReader::new(file).read_until(b'\n', &mut line)?;
    }
    file.rewind()?;
    Ok(starts
        && match serde_json::from_slice(&line) {
            Ok(First { done, error }) => done.is_some() || error.is_some(),
            Err(error) => error.is_eof() && !line.ends_with(b"\n"),
        })
}

/// Returns the last state of each file in a log, and the offset after its last whole line.
fn known(log: &File) -> io::Result<(HashMap<String, State>, u64)> {
    let mut reader = BufReader::new(log);
    let mut known = HashMap::new();
    let (mut line, mut end) = (Vec::new(), 0);
    while reader.read_until(b'\n', &mut line)? > 0 && line.ends_with(b"\n") {
        end += line.len() as u64;
        // Lines of `--json-lines` have no state.
        if let Ok(Entry { file, done }) = serde_json::from_slice(&line) {
            known.insert(file, done);
        }
        line.clear();
    }
    Ok((known, end))
}

/// Returns the SHA-256 of a file in hexadecimal digits.
pub fn hash(file: &Path) -> io::Result<String> {
    let mut hash = Sha256::new();
    io::copy(&mut File::open(file)?, &mut hash)?;
    Ok(hex(&hash.finalize()))
}

/// Returns the SHA-256 of bytes in hexadecimal digits.
pub fn hash_of(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
