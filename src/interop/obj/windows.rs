//! Reads text from a stream, in windows of whole lines.

use std::io::Read;

use crate::{Error, Limit, Limits, Result};

/// Reads text in windows of whole lines, of about `size` bytes each.
pub(super) struct WindowReader<'a> {
    input: &'a mut (dyn Read + Send),
    size: usize,
    /// The maximum size of a line in bytes.
    max_line: u64,
    /// The start of a line that was read with the previous window.
    partial_line: Vec<u8>,
    /// The allocation to reuse for the next window.
    spare: Vec<u8>,
}

impl<'a> WindowReader<'a> {
    pub fn new(input: &'a mut (dyn Read + Send), size: usize, limits: &Limits) -> WindowReader<'a> {
        // A corner of a face takes at least two bytes, and rarely more than 32.
        let max_line = limits.max_triangles.saturating_mul(32);
        WindowReader {
            input,
            size,
            max_line,
            partial_line: Vec::new(),
            spare: Vec::new(),
        }
    }

    /// Returns the next window; empty at the end of the text. Returns an error if reading fails, or if a line longer
    /// than a window is not text or exceeds the limits.
    pub fn next_window(&mut self) -> Result<Vec<u8>> {
        let mut window = std::mem::take(&mut self.spare);
        window.clear();
        window.append(&mut self.partial_line);
        loop {
            // If a line is longer than the window, extends the window.
            let wanted = self.size.max(2 * window.len()) - window.len();
            let read = (&mut *self.input)
                .take(wanted as u64)
                .read_to_end(&mut window)?;
            if read < wanted {
                return Ok(window);
            }
            if let Some(end) = last_line_end(&window) {
                self.partial_line.extend_from_slice(&window[end..]);
                window.truncate(end);
                return Ok(window);
            }
            if window.contains(&0) {
                return Err(Error::malformed(format!(
                    "not OBJ: {} bytes without a line end",
                    window.len()
                )));
            }
            if window.len() as u64 > self.max_line {
                let message = format!(
                    "a line exceeds the limit of {} bytes, 32 per allowed triangle",
                    self.max_line
                );
                return Err(Error::limit_exceeded(Limit::Triangles, message));
            }
        }
    }

    pub fn reuse(&mut self, window: Vec<u8>) {
        self.spare = window;
    }
}

/// Returns the offset after the last line that is not continued by a backslash; `None` if there is no such line.
fn last_line_end(mut text: &[u8]) -> Option<usize> {
    // A line feed may follow in the next window.
    text = text.strip_suffix(b"\r").unwrap_or(text);
    loop {
        let end = memchr::memrchr2(b'\r', b'\n', text)? + 1;
        let line = text[..end].trim_ascii_end();
        if !line.ends_with(b"\\") {
            return Some(end);
        }
        // Tries the line before the continued one.
        text = line;
    }
}
