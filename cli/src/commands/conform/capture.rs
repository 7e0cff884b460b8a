//! Captures and classifies the output of a process, up to a limit.

use std::io::{self, Read};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

/// The time to wait for the end of a pipe after its process has ended, since another process may hold the pipe.
const GRACE: Duration = Duration::from_secs(1);

/// The first line of a Python traceback, which the exception ends.
const TRACEBACK: &str = "Traceback (most recent call last):";

/// A pipe that is read while its process runs.
pub struct Capture(Receiver<Captured>);

/// The start of an output.
#[derive(Debug, Default)]
pub struct Captured {
    pub bytes: Vec<u8>,
    /// Whether the output was longer.
    pub is_truncated: bool,
}

impl Capture {
    /// Keeps at most `limit` bytes of a pipe; reads and drops the rest, so that the process does not block.
    pub fn start(pipe: impl Read + Send + 'static, limit: usize) -> Capture {
        let (done, captured) = mpsc::channel();
        thread::spawn(move || {
            // The receiver is gone if another process holds the pipe too long.
            let _ = done.send(read(pipe, limit));
        });
        Capture(captured)
    }

    /// Returns what was captured; nothing if another process still holds the pipe.
    pub fn finish(self) -> Captured {
        self.0.recv_timeout(GRACE).unwrap_or_default()
    }
}

fn read(mut pipe: impl Read, limit: usize) -> Captured {
    let mut bytes = Vec::new();
    // A read error ends the output like the end of the pipe.
    let _ = pipe.by_ref().take(limit as u64).read_to_end(&mut bytes);
    let rest = io::copy(&mut pipe, &mut io::sink()).unwrap_or_default();
    Captured { bytes, is_truncated: rest > 0 }
}

impl Captured {
    /// Returns the most informative line: the last one after a Python traceback, otherwise the first non-blank one.
    pub fn excerpt(&self) -> String {
        let text = String::from_utf8_lossy(&self.bytes);
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let line = match text.lines().any(|line| line.starts_with(TRACEBACK)) {
            true => lines.next_back(),
            false => lines.next(),
        };
        line.unwrap_or_default().to_owned()
    }
}

/// The kind of an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Printed {
    Nothing,
    /// An empty object, with nothing to compare.
    Empty,
    /// Anything other than a JSON object, truncated.
    Other(String),
    /// Text that starts like a JSON object.
    Contents,
}

/// The maximum number of shown characters of an output.
const MAX_SHOWN: usize = 80;

impl Printed {
    pub fn of(stdout: &Captured) -> Printed {
        match stdout.bytes.trim_ascii() {
            b"" => Printed::Nothing,
            [b'{', inside @ .., b'}'] if inside.trim_ascii().is_empty() => Printed::Empty,
            [b'{', ..] => Printed::Contents,
            [0xef, 0xbb, 0xbf, ..] => Printed::Other("a byte order mark".to_owned()),
            _ => Printed::Other(stdout.excerpt().chars().take(MAX_SHOWN).collect()),
        }
    }
}
