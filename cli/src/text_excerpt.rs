//! Excerpts of text files: a line with a marked range.

use std::fmt::{self, Write};
use std::ops::Range;

use anstyle::Style;

use crate::terminal::is_terminal_control;

/// The approximate maximum number of characters to print. Longer lines are truncated around the marked range.
const WIDTH: usize = 100;

/// Prints the line that contains `marked`, with the marked bytes underlined. An empty range marks the position of a
/// missing value.
pub struct TextExcerpt<'a> {
    pub file: &'a [u8],
    pub marked: Range<u64>,
    /// The line number, from 1.
    pub line: u64,
    pub style: Style,
}

impl fmt::Display for TextExcerpt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let length = self.file.len();
        let start = usize::try_from(self.marked.start)
            .unwrap_or(usize::MAX)
            .min(length);
        let end = usize::try_from(self.marked.end)
            .unwrap_or(usize::MAX)
            .clamp(start, length);
        // Limits the bytes to scan: a character has at most 4 bytes.
        let (from, to) = (
            start.saturating_sub(4 * WIDTH),
            length.min(start + 4 * WIDTH),
        );
        let before = last_line(&self.file[from..start]);
        let (marked, after) = self.file[start..to].split_at(end.min(to) - start);
        let marked = first_line(marked, WIDTH);
        let after = if start + marked.len() < end {
            (&[][..], true)
        } else {
            truncate(first_line(after, WIDTH), WIDTH / 2)
        };

        let Self { line, style, .. } = self;
        let gutter = line.to_string();
        let (left, cut_before) = before;
        let mut shown = String::new();
        if cut_before || (from > 0 && left.len() == start - from) {
            shown.push('…');
        }
        push_text(&mut shown, left);
        let blank = " ".repeat(shown.chars().count());
        let mut middle = String::new();
        push_text(&mut middle, marked);
        let marks = "^".repeat(middle.chars().count().max(1));
        write!(f, "  {gutter} | {shown}{style}{middle}{style:#}")?;
        let mut rest = String::new();
        push_text(&mut rest, after.0);
        writeln!(f, "{rest}{}", if after.1 { "…" } else { "" })?;
        writeln!(
            f,
            "  {:width$} | {blank}{style}{marks}{style:#}",
            "",
            width = gutter.len()
        )
    }
}

/// Returns the last line of `bytes`, truncated at its start to about [`WIDTH`] / 2 bytes, and `true` if it was
/// truncated.
fn last_line(bytes: &[u8]) -> (&[u8], bool) {
    let line = bytes
        .iter()
        .rposition(is_line_end)
        .map_or(bytes, |end| &bytes[end + 1..]);
    let mut start = line.len().saturating_sub(WIDTH / 2);
    // Moves to a character boundary.
    while start > 0 && line.get(start).is_some_and(|byte| byte & 0xc0 == 0x80) {
        start -= 1;
    }
    (&line[start..], start > 0)
}

/// Returns the first line of `bytes`, truncated to about `max` bytes.
fn first_line(bytes: &[u8], max: usize) -> &[u8] {
    let end = bytes.iter().position(is_line_end).unwrap_or(bytes.len());
    truncate(&bytes[..end], max).0
}

/// Lines end in LF, CR LF or CR.
fn is_line_end(byte: &u8) -> bool {
    matches!(byte, b'\r' | b'\n')
}

/// Truncates text to `max` bytes, or a few more to end at a character boundary. Also returns `true` if bytes were
/// dropped.
fn truncate(bytes: &[u8], max: usize) -> (&[u8], bool) {
    let mut end = bytes.len().min(max);
    while end < bytes.len() && bytes[end] & 0xc0 == 0x80 {
        end += 1;
    }
    (&bytes[..end], end < bytes.len())
}

/// Appends text for display on a single line. Replaces each control character with a space or a visible character.
fn push_text(out: &mut String, bytes: &[u8]) {
    for c in String::from_utf8_lossy(bytes).chars() {
        let shown = match c {
            '\t' | '\u{b}' | '\u{c}' => ' ',
            // The Unicode pictures of control characters.
            '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}'),
            c if is_terminal_control(c) => '\u{fffd}',
            c => c,
        };
        // Writing to a string cannot fail.
        let _ = out.write_char(shown);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excerpt(file: &str, marked: Range<u64>) -> String {
        TextExcerpt {
            file: file.as_bytes(),
            marked,
            line: 12,
            style: Style::new(),
        }
        .to_string()
    }

    #[test]
    fn the_range_is_underlined() {
        assert_eq!(
            excerpt("a\np 1, x, 3 # é\nb\n", 7..8),
            "  12 | p 1, x, 3 # é\n     |      ^\n"
        );
        assert_eq!(excerpt("é\tü x\r\n", 6..7), "  12 | é ü x\n     |     ^\n");
    }

    #[test]
    fn the_end_of_a_line_is_marked_after_it() {
        assert_eq!(excerpt("p 1,\nq", 4..4), "  12 | p 1,\n     |     ^\n");
        assert_eq!(excerpt("p 1,\n", 5..5), "  12 | \n     | ^\n");
        assert_eq!(excerpt("", 9..99), "  12 | \n     | ^\n");
    }

    #[test]
    fn control_characters_are_shown_as_pictures() {
        assert_eq!(excerpt("p\u{0}\u{1b}", 1..2), "  12 | p␀␛\n     |  ^\n");
    }

    #[test]
    fn a_long_line_is_truncated() {
        let line = format!("p {}x{}", "1".repeat(5000), "2".repeat(5000));
        let text = excerpt(&line, 5002..5003);
        assert_eq!(
            text,
            format!(
                "  12 | …{}x{}…\n     | {}^\n",
                "1".repeat(50),
                "2".repeat(50),
                " ".repeat(51)
            )
        );
        let text = excerpt(&line, 2..8000);
        assert!(
            text.starts_with("  12 | p 1111") && text.lines().all(|line| line.len() < 120),
            "{text}"
        );
    }
}
