//! Windows of a text that is read part by part: whole lines.

use std::io::{self, Read};

/// Reads a text in windows of about the same size.
pub(super) struct Windows<'a> {
    input: &'a mut (dyn Read + Send),
    size: usize,
    /// What follows the last line of the window before.
    rest: Vec<u8>,
    /// Memory for the next window.
    spare: Vec<u8>,
}

impl<'a> Windows<'a> {
    pub fn new(input: &'a mut (dyn Read + Send), size: usize) -> Windows<'a> {
        Windows { input, size, rest: Vec::new(), spare: Vec::new() }
    }

    /// The next lines; empty at the end of the text.
    pub fn next(&mut self) -> io::Result<Vec<u8>> {
        let mut window = std::mem::take(&mut self.spare);
        window.clear();
        window.append(&mut self.rest);
        loop {
            // A line that is longer than a window makes the window longer.
            let wanted = self.size.max(2 * window.len()) - window.len();
            let read = (&mut *self.input).take(wanted as u64).read_to_end(&mut window)?;
            if read < wanted {
                return Ok(window);
            }
            if let Some(end) = last_line_end(&window) {
                self.rest.extend_from_slice(&window[end..]);
                window.truncate(end);
                return Ok(window);
            }
        }
    }

    /// Takes the memory of a window for another one.
    pub fn reuse(&mut self, window: Vec<u8>) {
        self.spare = window;
    }
}

/// Where the last line ends that is not continued.
fn last_line_end(text: &[u8]) -> Option<usize> {
    let mut text = text;
    loop {
        let end = memchr::memrchr(b'\n', text)? + 1;
        let line = text[..end].trim_ascii_end();
        if !line.ends_with(b"\\") {
            return Some(end);
        }
        // The line that ends before the backslash is the next to ask.
        text = line;
    }
}
