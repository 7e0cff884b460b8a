//! The lines of a text dump: columns and colours.

use std::fmt;

use super::wording::group_digits;
use crate::Span;
use crate::layout::declaration::BitRange;
use crate::layout::walk::Node;

/// The number of bytes per line.
const BYTES_PER_LINE: usize = 8;
/// The maximum number of bytes shown per value.
const MAX_BYTES: usize = 4 * BYTES_PER_LINE;

const BOLD: &str = "\x1b[1m";
const DIM: &str = "\x1b[2m";
const CYAN: &str = "\x1b[36m";
const GREEN: &str = "\x1b[32m";

/// Applies colours, if they are enabled.
#[derive(Debug, Clone, Copy)]
pub(super) struct Paint {
    pub is_enabled: bool,
}

impl Paint {
    pub fn heading(self, text: &str) -> String {
        self.styled(BOLD, text.to_owned())
    }

    pub fn secondary(self, text: &str) -> String {
        self.styled(DIM, text.to_owned())
    }

    fn styled(self, style: &str, text: String) -> String {
        if self.is_enabled && !text.is_empty() {
            format!("{style}{text}\x1b[0m")
        } else {
            text
        }
    }
}

/// Formats an offset: `0x1f`, or `~0x1f` in an unpacked block.
pub(super) fn offset_text(span: &Span) -> String {
    format!("{}{:#x}", offset_prefix(span), span.range().start)
}

fn offset_prefix(span: &Span) -> &'static str {
    if let Span::Unpacked { .. } = span {
        "~"
    } else {
        ""
    }
}

/// A value and its bytes, on one or several lines.
#[derive(Debug, Clone)]
pub(super) struct DumpLine<'l> {
    pub span: &'l Span,
    pub bytes: &'l [u8],
    /// The bit range, shown instead of the bytes.
    pub bits: Option<BitRange>,
    pub ty: String,
    pub name: String,
    pub value: String,
    pub meaning: String,
    pub paint: Paint,
}

impl<'l> DumpLine<'l> {
    /// Creates the line of a node; type, name, value and meaning are empty.
    pub fn of(node: &'l Node, paint: Paint) -> DumpLine<'l> {
        let (ty, name, value, meaning) = Default::default();
        DumpLine {
            span: &node.span,
            bytes: node.bytes,
            bits: node.bits,
            ty,
            name,
            value,
            meaning,
            paint,
        }
    }

    fn offset_column(&self, delta: usize) -> String {
        let start = self.span.range().start + delta as u64;
        self.paint
            .secondary(&format!("{:>2}{start:08x}", offset_prefix(self.span)))
    }

    /// Formats the columns after the bytes.
    fn format_columns(&self) -> String {
        let DumpLine {
            ty,
            name,
            value,
            meaning,
            paint,
            ..
        } = self;
        // Colour codes do not count as width, and the last column is not padded.
        let columns = [
            (ty, 12, CYAN),
            (name, 18, BOLD),
            (value, 24, GREEN),
            (meaning, 0, DIM),
        ];
        let last = columns
            .iter()
            .rposition(|(text, ..)| !text.is_empty())
            .unwrap_or_default();
        let texts =
            columns
                .iter()
                .enumerate()
                .take(last + 1)
                .map(|(number, (text, width, style))| {
                    let blank = if number == last {
                        0
                    } else {
                        usize::saturating_sub(*width, text.chars().count())
                    };
                    paint.styled(style, text.to_string()) + &" ".repeat(blank)
                });
        texts.collect::<Vec<_>>().join("  ")
    }
}

impl fmt::Display for DumpLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(BitRange { offset, width }) = self.bits {
            let bits = match width {
                1 => format!("bit {offset}"),
                _ => format!("bits {offset}-{}", offset + width - 1),
            };
            return writeln!(
                f,
                "{}  {bits:<23}  {}",
                self.offset_column(0),
                self.format_columns()
            );
        }
        let shown = &self.bytes[..self.bytes.len().min(MAX_BYTES)];
        let mut lines = shown.chunks(BYTES_PER_LINE);
        let first = hexadecimal(lines.next().unwrap_or_default());
        writeln!(
            f,
            "{}  {first:<23}  {}",
            self.offset_column(0),
            self.format_columns()
        )?;
        for (number, bytes) in lines.enumerate() {
            writeln!(
                f,
                "{}  {}",
                self.offset_column(BYTES_PER_LINE * (number + 1)),
                hexadecimal(bytes)
            )?;
        }
        match self.bytes.len() - shown.len() {
            0 => Ok(()),
            1 => writeln!(f, "{:12}… 1 more byte", ""),
            more => writeln!(f, "{:12}… {} more bytes", "", group_digits(more as u64)),
        }
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    let pairs: Vec<_> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    pairs.join(" ")
}
