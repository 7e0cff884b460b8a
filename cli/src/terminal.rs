//! Text for terminals: styles, plurals, numbers and escaping.

use std::borrow::Cow;
use std::fmt::{self, Write};

use anstyle::{AnsiColor, Style};

pub const ERROR: Style = AnsiColor::Red.on_default().bold();
pub const WARNING: Style = AnsiColor::Yellow.on_default().bold();
pub const HINT: Style = AnsiColor::Cyan.on_default().bold();
pub const TITLE: Style = Style::new().bold();

/// Untrusted text. Escapes characters that could control the terminal or reorder text.
pub struct Escaped<'a>(pub &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|c| match steers(c) {
            true => write!(f, "{}", c.escape_default()),
            false => f.write_char(c),
        })
    }
}

/// Returns `true` if a character controls the terminal, ends a line or changes the direction of text.
pub fn steers(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Formats a count with its noun: `1 vertex`, `2 vertices`.
pub fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Formats a number with six significant digits: `0.1`, not `0.10000000149011612`.
pub fn number(value: f32) -> String {
    let rounded = format!("{value:.5e}").parse::<f64>().unwrap_or(value.into());
    decimal(rounded, rounded.abs())
}

/// Formats a coordinate with enough digits to identify it, so that small extents far from the origin stay visible.
pub fn coordinate(value: f32) -> String {
    decimal(value, value.abs().into())
}

fn decimal(value: impl fmt::Display + fmt::LowerExp, size: f64) -> String {
    match size {
        size if size == 0.0 || (1e-4..1e9).contains(&size) || !size.is_finite() => value.to_string(),
        _ => format!("{value:e}"),
    }
}

/// Truncates long text.
pub fn shortened(text: &str) -> Cow<'_, str> {
    const MAX_CHARS: usize = 80;
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}
