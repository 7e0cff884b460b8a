//! Writes a line of JSON per finished file, to standard output or to a log from which a batch can be resumed.

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
use crate::input::{is_standard, text_of};
use crate::json;
use crate::regular_files;
use crate::terminal::counted;

/// The criterion by which a file counts as unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ChangeCriterion {
    /// By size and time of modification
    Time,
    /// By size and content
    Hash,
}

/// The output for lines about finished files, and the log of earlier runs.
pub struct JobLog {
    out: Option<Mutex<Box<dyn Write + Send>>>,
    log: Option<LogFile>,
}

/// The log of `--log`: the files of earlier runs, and the settings for new lines.
struct LogFile {
    /// The name of the log file; `None` for standard output.
    name: Option<String>,
    newer: Option<ChangeCriterion>,
    /// A hash of the program version, the command and its options.
    options_hash: String,
    /// By the bytes of the path.
    states: HashMap<Vec<u8>, FileState>,
}

/// The state of a file when it was processed, and the result of processing it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileState {
    size: u64,
    /// The modification time in nanoseconds since the Unix epoch; negative for earlier times.
    modified: i64,
    /// The SHA-256 of the content, for `--newer=hash`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
    /// A hash of the program version, the command and its options, on which the result depends.
    options: String,
    status: u8,
    /// The bytes of the path in hexadecimal digits if they differ from `file`, which is text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// The images copied for the output.
    #[serde(default, skip_serializing_if = "ImageHashes::is_empty")]
    pub images: ImageHashes,
}

/// The SHA-256 of image files in hexadecimal digits, by path.
pub type ImageHashes = BTreeMap<String, String>;

/// Files that failed without a printed reason.
#[derive(Debug, Default)]
pub struct LoggedFailures {
    first: Option<String>,
    count: u64,
}

impl LoggedFailures {
    pub fn add(&mut self, file: &Path) {
        self.first.get_or_insert_with(|| text_of(file));
        self.count += 1;
    }
}

#[derive(Serialize)]
struct LogLine<'a, T> {
    #[serde(flatten)]
    row: &'a T,
    #[serde(skip_serializing_if = "Option::is_none")]
    done: Option<FileState>,
}

/// The file and its state in a [`LogLine`].
#[derive(Deserialize)]
struct LoggedFile {
    file: String,
    done: FileState,
}

/// The first line of a log, which has at least one of these keys.
#[derive(Deserialize)]
struct FirstLine {
    done: Option<FileState>,
    error: Option<IgnoredAny>,
}

/// The first bytes of every line.
const LINE_START: &[u8] = b"{\"file\":";

impl JobLog {
    /// Creates a log that discards all lines.
    pub fn disabled() -> JobLog {
        JobLog {
            out: None,
            log: None,
        }
    }

    /// Creates a log that writes lines to standard output.
    pub fn on_stdout() -> JobLog {
        JobLog {
            out: Some(Mutex::new(Box::new(io::stdout()))),
            log: None,
        }
    }

    /// Opens a log for appending and reads the states of its files. `-` is standard output, without earlier states.
    /// Removes an incomplete last line, as left by a killed run.
    ///
    /// `options` are the options that affect the results of the command.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read or written, or a usage error if it is not a log.
    pub fn open(
        path: &Path,
        newer: Option<ChangeCriterion>,
        command: &str,
        options: &impl fmt::Debug,
    ) -> Result<JobLog> {
        let options = format!("{} {command} {options:?}", env!("CARGO_PKG_VERSION"));
        let options_hash = to_hex(&Sha256::digest(options))[..16].to_owned();
        if is_standard(path) {
            let log = LogFile {
                name: None,
                newer,
                options_hash,
                states: HashMap::new(),
            };
            return Ok(JobLog {
                log: Some(log),
                ..JobLog::on_stdout()
            });
        }
        let name = text_of(path);
        let fail = |error| Failure::io(&name, &error);
        let mut file = File::options()
            .read(true)
            .append(true)
            .create(true)
            .open(path)
            .map_err(fail)?;
        if !is_log_file(&file).map_err(fail)? {
            let message = "is not a log: its first line was not written by --log";
            return Err(Failure::usage(&name, message)
                .with_hint("specify a new file, or the log of an earlier run"));
        }
        let (states, end) = read_states(&file).map_err(fail)?;
        file.set_len(end)
            .and_then(|()| file.seek(SeekFrom::End(0)))
            .map_err(fail)?;
        let log = LogFile {
            name: Some(name),
            newer,
            options_hash,
            states,
        };
        Ok(JobLog {
            out: Some(Mutex::new(Box::new(file))),
            log: Some(log),
        })
    }

    /// Returns `true` if lines are written to standard output or to a log.
    pub fn is_enabled(&self) -> bool {
        self.out.is_some()
    }

    /// Returns `true` if `--log` is given.
    pub fn has_log(&self) -> bool {
        self.log.is_some()
    }

    /// Prints one error about files that failed, whose results are only in the log file, if any.
    pub fn report_failures(&self, failed: &LoggedFailures) {
        let name = self.log.as_ref().and_then(|log| log.name.as_ref());
        if let (Some(name), Some(first)) = (name, &failed.first) {
            let message = match failed.count {
                1 => format!("failed, as recorded in {name}"),
                count => {
                    format!(
                        "failed, as recorded in {name}; {} in total",
                        counted(count, "file", "files")
                    )
                }
            };
            Failure::invalid(first, message).report();
        }
    }

    /// Returns the logged status of a file that is unchanged and need not be processed again. Returns `None` for other
    /// files, after a usage or I/O error, and without a log or `--newer`.
    pub fn finished_status(&self, file: &Path) -> Option<Status> {
        let log = self.log.as_ref()?;
        let newer = log.newer?;
        let logged = log.states.get(file.as_os_str().as_encoded_bytes())?;
        let now = FileState::read(file, None, &log.options_hash).ok()?;
        let is_same = match newer {
            ChangeCriterion::Time => logged.modified == now.modified,
            ChangeCriterion::Hash => {
                logged.sha256.is_some() && logged.sha256 == hash_file(file).ok()
            }
        };
        match logged.status {
            _ if !is_same || logged.size != now.size || logged.options != now.options => None,
            0 => Some(Status::Success),
            1 => Some(Status::Invalid),
            // The cause of a usage or I/O error may have been removed.
            _ => None,
        }
    }

    /// Returns the images copied by the last conversion of a file; `None` without a log.
    pub fn last_images(&self, file: &Path) -> Option<ImageHashes> {
        let log = self.log.as_ref()?;
        Some(
            log.states
                .get(file.as_os_str().as_encoded_bytes())
                .map(|state| state.images.clone())
                .unwrap_or_default(),
        )
    }

    /// Reads the state of a file before it is processed, to be passed to [`write`](JobLog::write). Returns `None`
    /// without a log, or if the state cannot be read.
    pub fn read_state(&self, file: &Path) -> Option<FileState> {
        let log = self.log.as_ref()?;
        FileState::read(file, log.newer, &log.options_hash).ok()
    }

    /// Writes the line of a finished file: `row` and, if given, `state` with `status`.
    pub fn write(
        &self,
        row: &impl Serialize,
        state: Option<FileState>,
        status: Status,
    ) -> Result<()> {
        let Some(out) = &self.out else { return Ok(()) };
        let done = state.map(|state| FileState {
            status: status as u8,
            ..state
        });
        let mut line = Vec::new();
        json::write_line(&LogLine { row, done }, &mut line)?;
        // Writes the line in a single call, so that lines of parallel jobs do not interleave.
        let written = out
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .write_all(&line);
        match self.log.as_ref().and_then(|log| log.name.as_ref()) {
            Some(name) => written.map_err(|error| Failure::io(name, &error)),
            None => Ok(written?),
        }
    }
}

impl FileState {
    fn read(
        file: &Path,
        newer: Option<ChangeCriterion>,
        options_hash: &str,
    ) -> io::Result<FileState> {
        // A pipe can be read only once, so it has no state to compare.
        regular_files::require_regular(file)?;
        let metadata = fs::metadata(file)?;
        let (sign, offset) = match metadata.modified()?.duration_since(UNIX_EPOCH) {
            Ok(since) => (1, since),
            Err(error) => (-1, error.duration()),
        };
        let offset = i64::try_from(offset.as_nanos()).map_err(io::Error::other)?;
        Ok(FileState {
            size: metadata.len(),
            modified: sign * offset,
            sha256: if newer == Some(ChangeCriterion::Hash) {
                Some(hash_file(file)?)
            } else {
                None
            },
            options: options_hash.to_owned(),
            status: 0,
            path: (file.to_str() != Some(&text_of(file)))
                .then(|| to_hex(file.as_os_str().as_encoded_bytes())),
            images: ImageHashes::new(),
        })
    }
}

/// Returns `true` if a file is empty or starts with a line of a log, possibly truncated. Such a line contains the state
/// of a file, or an error.
fn is_log_file(mut file: &File) -> io::Result<bool> {
    let mut line = Vec::new();
    Read::by_ref(&mut file)
        .take(LINE_START.len() as u64)
        .read_to_end(&mut line)?;
    let starts = LINE_START.starts_with(&line);
    if starts {
        BufReader::new(file).read_until(b'\n', &mut line)?;
    }
    file.rewind()?;
    Ok(starts
        && match serde_json::from_slice(&line) {
            Ok(FirstLine { done, error }) => done.is_some() || error.is_some(),
            Err(error) => error.is_eof() && !line.ends_with(b"\n"),
        })
}

/// Returns the last state of each file in a log, and the offset at which the last complete line of the log ends.
fn read_states(log: &File) -> io::Result<(HashMap<Vec<u8>, FileState>, u64)> {
    let mut reader = BufReader::new(log);
    let mut states = HashMap::new();
    let (mut line, mut end) = (Vec::new(), 0);
    while reader.read_until(b'\n', &mut line)? > 0 && line.ends_with(b"\n") {
        end += line.len() as u64;
        // Lines written by `--json-lines` have no state.
        if let Ok(LoggedFile { file, done }) = serde_json::from_slice(&line) {
            let path = done
                .path
                .as_deref()
                .map_or_else(|| Some(file.into_bytes()), from_hex);
            states.extend(path.map(|path| (path, done)));
        }
        line.clear();
    }
    Ok((states, end))
}

/// Returns the SHA-256 of a file in hexadecimal digits.
pub fn hash_file(file: &Path) -> io::Result<String> {
    let mut hash = Sha256::new();
    io::copy(&mut File::open(file)?, &mut hash)?;
    Ok(to_hex(&hash.finalize()))
}

/// Returns the SHA-256 of bytes in hexadecimal digits.
pub fn hash_bytes(bytes: &[u8]) -> String {
    to_hex(&Sha256::digest(bytes))
}

/// Returns the bytes with these hexadecimal digits; `None` if they are malformed.
fn from_hex(digits: &str) -> Option<Vec<u8>> {
    let pairs = digits
        .as_bytes()
        .chunks(2)
        .map(|pair| std::str::from_utf8(pair).ok());
    pairs
        .map(|pair| u8::from_str_radix(pair?, 16).ok())
        .collect()
}

fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
