//! Captures the output of a process up to a limit, and classifies it.

use std::io::{self, Read};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

/// The maximum time to wait for a pipe to close after its process has ended; another process may keep it open.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// The first line of a Python traceback, whose last line is the exception.
const TRACEBACK: &str = "Traceback (most recent call last):";

/// A pipe that a thread reads while the process runs.
pub struct PipeCapture(Receiver<CapturedOutput>);

/// The output of a process, truncated to the limit of [`PipeCapture::start`].
#[derive(Debug, Default)]
pub struct CapturedOutput {
    pub bytes: Vec<u8>,
    /// Whether the process printed more than the limit.
    pub is_truncated: bool,
}

impl PipeCapture {
    /// Starts to read a pipe. Keeps at most `limit` bytes; reads and discards the rest, so that the process does not
    /// block.
    pub fn start(pipe: impl Read + Send + 'static, limit: usize) -> PipeCapture {
        let (done, captured) = mpsc::channel();
        thread::spawn(move || {
            // Sending fails if the receiver timed out because another process kept the pipe open.
            let _ = done.send(read(pipe, limit));
        });
        PipeCapture(captured)
    }

    /// Returns the captured output; empty if another process still keeps the pipe open.
    pub fn finish(self) -> CapturedOutput {
        self.0.recv_timeout(CLOSE_TIMEOUT).unwrap_or_default()
    }
}

fn read(mut pipe: impl Read, limit: usize) -> CapturedOutput {
    let mut bytes = Vec::new();
    // Treats a read error like the end of the pipe.
    let _ = pipe.by_ref().take(limit as u64).read_to_end(&mut bytes);
    let discarded = io::copy(&mut pipe, &mut io::sink()).unwrap_or_default();
    CapturedOutput {
        bytes,
        is_truncated: discarded > 0,
    }
}

impl CapturedOutput {
    /// Returns the most informative line: the last if there is a Python traceback, otherwise the first. Ignores blank
    /// lines; returns an empty string if there are no others.
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

/// The kind of output that a loader printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PrintedOutput {
    Nothing,
    /// An empty JSON object, which has nothing to compare.
    Empty,
    /// Any other output, with an excerpt.
    Other(String),
    /// Text that starts like a JSON object.
    Contents,
}

/// The maximum number of characters in an excerpt.
const MAX_EXCERPT: usize = 80;

impl PrintedOutput {
    pub fn classify(stdout: &CapturedOutput) -> PrintedOutput {
        match stdout.bytes.trim_ascii() {
            b"" => PrintedOutput::Nothing,
            [b'{', inside @ .., b'}'] if inside.trim_ascii().is_empty() => PrintedOutput::Empty,
            [b'{', ..] => PrintedOutput::Contents,
            [0xef, 0xbb, 0xbf, ..] => PrintedOutput::Other("a byte order mark".to_owned()),
            _ => PrintedOutput::Other(stdout.excerpt().chars().take(MAX_EXCERPT).collect()),
        }
    }
}
