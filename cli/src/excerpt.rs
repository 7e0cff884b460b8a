//! Hex dumps of a few bytes around a marked range.

use std::fmt::{self, Write};
use std::ops::Range;

use anstyle::Style;

const BYTES_PER_LINE: usize = 16;
const MAX_LINES: usize = 3;

/// Prints at most [`MAX_LINES`] lines that contain bytes of `marked`, with these bytes underlined. An empty range marks
/// the position of a missing value.
pub struct HexExcerpt<'a> {
    pub bytes: &'a [u8],
    pub marked: Range<u64>,
    /// Whether the bytes belong to an unpacked block. If so, `~` precedes their offsets, as in dumps.
    pub is_unpacked: bool,
    pub style: Style,
}

impl fmt::Display for HexExcerpt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let length = self.bytes.len();
        let Some(last) = length.checked_sub(1) else {
            return Ok(());
        };
        let start = usize::try_from(self.marked.start)
            .unwrap_or(usize::MAX)
            .min(length);
        let end = usize::try_from(self.marked.end)
            .unwrap_or(usize::MAX)
            .clamp(start, length);
        // For a range past the end of the file, prints the last line.
        let first_line = start.min(last) / BYTES_PER_LINE;
        let last_line = (first_line + MAX_LINES - 1)
            .min(end.saturating_sub(1).max(start).min(last) / BYTES_PER_LINE);
        for line in first_line..=last_line {
            self.write_line(f, line * BYTES_PER_LINE, start..end)?;
        }
        let shown = (last_line + 1) * BYTES_PER_LINE;
        if end > shown {
            writeln!(f, "            ... and {} more bytes", end - shown)?;
        }
        Ok(())
    }
}

impl HexExcerpt<'_> {
    /// Writes the bytes of the line at offset `at`, and a line of `^` below the bytes in `marked`.
    fn write_line(
        &self,
        f: &mut fmt::Formatter<'_>,
        at: usize,
        marked: Range<usize>,
    ) -> fmt::Result {
        let line = &self.bytes[at..self.bytes.len().min(at + BYTES_PER_LINE)];
        let style = self.style;
        let mark = if self.is_unpacked { '~' } else { ' ' };
        write!(f, " {mark}{at:08x}  ")?;
        for (index, byte) in line.iter().enumerate() {
            match marked.contains(&(at + index)) {
                true => write!(f, "{style}{byte:02x}{style:#} ")?,
                false => write!(f, "{byte:02x} ")?,
            }
        }
        write!(
            f,
            "{:blank$} |",
            "",
            blank = 3 * (BYTES_PER_LINE - line.len())
        )?;
        for byte in line {
            f.write_char(if byte.is_ascii_graphic() || *byte == b' ' {
                char::from(*byte)
            } else {
                '.'
            })?;
        }
        writeln!(f, "|")?;
        let from = marked.start.saturating_sub(at);
        let to = marked
            .end
            .saturating_sub(at)
            .min(BYTES_PER_LINE)
            .max(from + 1);
        let marks = "^".repeat(3 * (to - from) - 1);
        writeln!(
            f,
            "{:blank$}{style}{marks}{style:#}",
            "",
            blank = 12 + 3 * from
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excerpt(length: u8, marked: Range<u64>) -> String {
        let bytes: Vec<u8> = (0..length).collect();
        HexExcerpt {
            bytes: &bytes,
            marked,
            is_unpacked: false,
            style: Style::new(),
        }
        .to_string()
    }

    #[test]
    fn a_range_is_marked_on_each_line() {
        assert_eq!(
            excerpt(40, 14..18),
            "  00000000  00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f  |................|\n\
             \x20                                                     ^^^^^\n\
             \x20 00000010  10 11 12 13 14 15 16 17 18 19 1a 1b 1c 1d 1e 1f  |................|\n\
             \x20           ^^^^^\n"
        );
    }

    #[test]
    fn the_end_of_the_bytes_is_marked_after_them() {
        assert_eq!(
            excerpt(18, 18..18),
            "  00000010  10 11                                            |..|\n\
             \x20                 ^^\n"
        );
        let after_a_full_line = format!("{:60}^^", "");
        assert_eq!(
            excerpt(16, 16..16).lines().nth(1),
            Some(&*after_a_full_line)
        );
    }

    #[test]
    fn a_long_range_is_truncated() {
        let text = excerpt(200, 1..200);
        assert_eq!(text.lines().count(), 2 * MAX_LINES + 1);
        assert!(text.ends_with("... and 152 more bytes\n"), "{text}");
    }

    #[test]
    fn ranges_out_of_bounds_are_clamped() {
        for marked in [0..u64::MAX, u64::MAX..u64::MAX, 300..400] {
            assert!(excerpt(20, marked.clone()).contains('^'), "{marked:?}");
        }
        assert_eq!(excerpt(0, 0..4), "");
    }
}
