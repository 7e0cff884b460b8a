//! Text for terminals: styles, counts with nouns, numbers, and escaping.

use std::borrow::Cow;
use std::fmt::{self, Write};

use anstyle::{AnsiColor, Style};

pub const ERROR: Style = AnsiColor::Red.on_default().bold();
pub const WARNING: Style = AnsiColor::Yellow.on_default().bold();
pub const HINT: Style = AnsiColor::Cyan.on_default().bold();
pub const TITLE: Style = Style::new().bold();

/// Untrusted text, printed with escapes for characters that could control the terminal or reorder text.
pub struct Escaped<'a>(pub &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .chars()
            .try_for_each(|c| match is_terminal_control(c) {
                true => write!(f, "{}", c.escape_default()),
                false => f.write_char(c),
            })
    }
}

/// Returns `true` if a character can control the terminal, end a line or change the direction of text.
pub fn is_terminal_control(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Formats a count with its noun, `one` in the singular and `many` in the plural: `1 vertex`, `2 vertices`.
pub fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Formats a number of bytes: `1 byte`, `12 bytes`.
pub fn format_size(size: u64) -> String {
    counted(size, "byte", "bytes")
}

/// Formats a number with six significant digits: `0.1`, not `0.10000000149011612`.
pub fn format_number(value: f32) -> String {
    let rounded = format!("{value:.5e}")
        .parse::<f64>()
        .unwrap_or(value.into());
    format_decimal(rounded, rounded.abs())
}

/// Formats a positive number with six significant digits, rounded up.
pub fn format_rounded_up(value: f64) -> String {
    let rounded = meshspec::round_up(value, 6);
    format_decimal(rounded, rounded)
}

/// Formats a coordinate with enough digits to distinguish it from adjacent `f32` values, so that small extents far from
/// the origin remain visible.
pub fn format_coordinate(value: f32) -> String {
    format_decimal(value, value.abs().into())
}

/// Formats a value as a decimal; in scientific notation if its magnitude is below 1e-4 but not 0, or is finite and at
/// least 1e9.
fn format_decimal(value: impl fmt::Display + fmt::LowerExp, magnitude: f64) -> String {
    match magnitude {
        // Also for −0.
        0.0 => "0".to_owned(),
        magnitude if (1e-4..1e9).contains(&magnitude) || !magnitude.is_finite() => {
            value.to_string()
        }
        _ => format!("{value:e}"),
    }
}

/// Truncates text after 80 characters, and appends `…` if any characters are dropped.
pub fn shortened(text: &str) -> Cow<'_, str> {
    const MAX_CHARS: usize = 80;
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}
