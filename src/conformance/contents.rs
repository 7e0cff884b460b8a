//! The first difference between expected and loaded contents.

use std::fmt::Debug;

/// The maximum number of characters shown of a value.
const MAX_WIDTH: usize = 100;

/// The first difference between two values.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Difference {
    /// The path of the difference by field names: `clips.times`.
    pub place: String,
    /// The expected and the loaded value.
    pub text: String,
}

/// Compares loaded contents with the expected ones. Values with equal debug output are equal, so NaN equals NaN.
pub(super) fn difference<T: PartialEq + Debug>(expected: &T, loaded: &T) -> Option<Difference> {
    if expected == loaded {
        return None;
    }
    let (expected, loaded) = (format!("{expected:#?}"), format!("{loaded:#?}"));
    if expected == loaded {
        return None;
    }
    let mut open: Vec<(usize, &str)> = Vec::new();
    let mut theirs = loaded.lines();
    for line in expected.lines() {
        let other = theirs.next().unwrap_or_default();
        let depth = depth(line);
        open.retain(|(outer, _)| *outer < depth);
        if line != other {
            let name = line.split_once(": ").map(|(name, _)| name.trim());
            let names = open.iter().filter_map(|(_, opening)| opening.split_once(": ").map(|(name, _)| name));
            let place = names.map(str::trim).chain(name).collect::<Vec<_>>().join(".");
            let text = format!("expected {}, loaded {}", short(line), short(other));
            return Some(Difference { place, text });
        }
        open.push((depth, line));
    }
    let text = format!("loaded {} more lines", theirs.count());
    Some(Difference { place: String::new(), text })
}

fn depth(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Returns the value of a line, truncated to [`MAX_WIDTH`].
fn short(line: &str) -> String {
    let value = line.split_once(": ").map_or(line, |(_, value)| value);
    let value = value.trim().trim_end_matches(',');
    match value.char_indices().nth(MAX_WIDTH) {
        Some((end, _)) => format!("`{}…`", &value[..end]),
        None => format!("`{value}`"),
    }
}
