//! A line of JSON for each file, as soon as it is done: on standard output, or in a log that says what need not be done
//! again.

use std::collections::HashMap;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::UNIX_EPOCH;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::failure::{Failure, Result, Status};

/// By what a file is known to be the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Newer {
    /// By size and time of modification
    Time,
    /// By size and content
    Hash,
}

/// Where the lines go.
pub struct Lines {
    out: Option<Mutex<Box<dyn Write + Send>>>,
    log: Option<Log>,
}

/// What a log knows, and what the next lines of it say.
struct Log {
    name: String,
    newer: Option<Newer>,
    options: String,
    known: HashMap<String, Done>,
}

/// The state of a file when it was done, and how that ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Done {
    size: u64,
    /// Nanoseconds since 1970.
    modified: u64,
    /// Of the content, where --newer=hash asks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
    /// Stands for the options of the command and the version of the program: with others, the result may be another.
    options: String,
    status: u8,
}

#[derive(Serialize)]
struct Line<'a, T> {
    #[serde(flatten)]
    row: &'a T,
    #[serde(skip_serializing_if = "Option::is_none")]
    done: Option<Done>,
}

#[derive(Deserialize)]
struct Known {
    file: String,
    done: Done,
}

impl Lines {
    /// No lines.
    pub fn none() -> Lines {
        Lines { out: None, log: None }
    }

    /// Lines on standard output.
    pub fn printed() -> Lines {
        Lines { out: Some(Mutex::new(Box::new(io::stdout()))), log: None }
    }

    /// Lines at the end of a log, and what it knows. A line that was cut off when the program was killed is removed.
    pub fn append_to(path: &Path, newer: Option<Newer>, options: &impl fmt::Debug) -> Result<Lines> {
        let name = path.display().to_string();
        let fail = |error| Failure::io(&name, &error);
        let mut file = File::options().read(true).append(true).create(true).open(path).map_err(fail)?;
        let (known, end) = known(&file).map_err(fail)?;
        file.set_len(end).and_then(|()| file.seek(SeekFrom::End(0))).map_err(fail)?;
        let options =
            hex(&Sha256::digest(format!("{} {options:?}", env!("CARGO_PKG_VERSION"))))[..16].to_owned();
        let log = Log { name, newer, options, known };
        Ok(Lines { out: Some(Mutex::new(Box::new(file))), log: Some(log) })
    }

    /// Whether lines are written.
    pub fn are_written(&self) -> bool {
        self.out.is_some()
    }

    /// Whether there is a log, which knows what is done.
    pub fn is_log(&self) -> bool {
        self.log.is_some()
    }

    /// How work on the file ended, if that need not be done again.
    pub fn known(&self, file: &Path) -> Option<Status> {
        let log = self.log.as_ref()?;
        let newer = log.newer?;
        let known = log.known.get(&*file.to_string_lossy())?;
        let now = Done::of(file, None, &log.options).ok()?;
        let is_same = match newer {
            Newer::Time => known.modified == now.modified,
            Newer::Hash => known.sha256.is_some() && known.sha256 == hash(file).ok(),
        };
        match known.status {
            _ if !is_same || known.size != now.size || known.options != now.options => None,
            0 => Some(Status::Fine),
            1 => Some(Status::Invalid),
            // What could not be read or written may be there now.
            _ => None,
        }
    }

    /// The state of a file, to be taken before work on it begins and given to [`write`](Lines::write) at its end.
    pub fn state(&self, file: &Path) -> Option<Done> {
        let log = self.log.as_ref()?;
        Done::of(file, log.newer, &log.options).ok()
    }

    /// Writes the line of a file that is done.
    pub fn write(&self, row: &impl Serialize, state: Option<Done>, status: Status) -> Result<()> {
        let Some(out) = &self.out else { return Ok(()) };
        let done = state.map(|state| Done { status: status as u8, ..state });
        let mut line = serde_json::to_vec(&Line { row, done }).map_err(io::Error::from)?;
        line.push(b'\n');
        // At once, so that no line of another file or end of the process comes between.
        let written = out.lock().unwrap_or_else(PoisonError::into_inner).write_all(&line);
        match &self.log {
            Some(log) => written.map_err(|error| Failure::io(&log.name, &error)),
            None => Ok(written?),
        }
    }
}

impl Done {
    fn of(file: &Path, newer: Option<Newer>, options: &str) -> io::Result<Done> {
        let metadata = fs::metadata(file)?;
        let modified = metadata.modified()?.duration_since(UNIX_EPOCH).map_err(io::Error::other)?;
        Ok(Done {
            size: metadata.len(),
            modified: u64::try_from(modified.as_nanos()).map_err(io::Error::other)?,
            sha256: if newer == Some(Newer::Hash) { Some(hash(file)?) } else { None },
            options: options.to_owned(),
            status: 0,
        })
    }
}

/// The last line of each file in a log, and where its last whole line ends.
fn known(log: &File) -> io::Result<(HashMap<String, Done>, u64)> {
    let mut reader = BufReader::new(log);
    let mut known = HashMap::new();
    let (mut line, mut end) = (Vec::new(), 0);
    while reader.read_until(b'\n', &mut line)? > 0 && line.ends_with(b"\n") {
        end += line.len() as u64;
        // Other lines may be of --json-lines: they say nothing of the state.
        if let Ok(Known { file, done }) = serde_json::from_slice(&line) {
            known.insert(file, done);
        }
        line.clear();
    }
    Ok((known, end))
}

fn hash(file: &Path) -> io::Result<String> {
    let mut hash = Sha256::new();
    io::copy(&mut File::open(file)?, &mut hash)?;
    Ok(hex(&hash.finalize()))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
