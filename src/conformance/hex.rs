//! Hex dumps of files.

use std::fmt;
use std::ops::Range;

/// The number of bytes per line.
const WIDTH: usize = 16;

const MAX_LINES: usize = 16;

/// A hex dump of a file, or of the lines around the marked bytes. Lines with marked bytes start with `>`.
pub(super) struct HexDump<'b> {
    pub bytes: &'b [u8],
    /// The byte range to mark; `None` to print the start of the file without marks.
    pub marked: Option<Range<u64>>,
}

impl fmt::Display for HexDump<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let marked = self.marked.clone().unwrap_or_default();
        let marked_line = usize::try_from(marked.start).unwrap_or(usize::MAX) / WIDTH;
        let lines = self.bytes.len().div_ceil(WIDTH);
        // Prints a short file entirely, and other files starting `MAX_LINES / 2` lines before the marked line.
        let first = if lines <= MAX_LINES {
            0
        } else {
            marked_line.saturating_sub(MAX_LINES / 2)
        };
        let first = first.min(lines.saturating_sub(MAX_LINES));
        if first > 0 {
            writeln!(f, "  … {} bytes", first * WIDTH)?;
        }
        for (line, bytes) in self
            .bytes
            .chunks(WIDTH)
            .enumerate()
            .skip(first)
            .take(MAX_LINES)
        {
            let at = line * WIDTH;
            let is_marked = marked.start < (at + bytes.len()) as u64 && marked.end > at as u64;
            let mark = if is_marked { '>' } else { ' ' };
            let pairs: Vec<_> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            let text = bytes.iter().map(|byte| {
                if byte.is_ascii_graphic() {
                    char::from(*byte)
                } else {
                    '.'
                }
            });
            let text: String = text.collect();
            writeln!(
                f,
                "{mark} {at:08x}  {:<width$}  {text}",
                pairs.join(" "),
                width = 3 * WIDTH - 1
            )?;
        }
        match self.bytes.len().saturating_sub((first + MAX_LINES) * WIDTH) {
            0 => Ok(()),
            more => writeln!(f, "  … {more} bytes"),
        }
    }
}
