//! Short decimal numbers for messages.

/// Formats a number with two significant digits: `0.0012`, `340`, `1.5e-7`.
pub(crate) fn rounded(number: f32) -> String {
    let rounded = format!("{number:.1e}").parse().unwrap_or(number);
    if rounded == 0.0 || (1e-4..1e6).contains(&rounded.abs()) {
        rounded.to_string()
    } else {
        format!("{rounded:e}")
    }
}
