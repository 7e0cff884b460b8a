//! Finds the first difference between expected and loaded contents.

use std::fmt::Debug;

/// The maximum number of characters shown of each differing value.
const MAX_WIDTH: usize = 100;

/// The first difference between two values.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ContentsDifference {
    /// The path of the value, as field names: `clips.times`.
    pub path: String,
    /// The expected and the loaded value.
    pub text: String,
}

/// Returns the first difference between expected and loaded contents; `None` if they are equal. Values with equal
/// `Debug` output are equal, so NaN equals NaN.
pub(super) fn first_difference<T: PartialEq + Debug>(expected: &T, loaded: &T) -> Option<ContentsDifference> {
    if expected == loaded {
        return None;
    }
    let (expected, loaded) = (format!("{expected:#?}"), format!("{loaded:#?}"));
    if expected == loaded {
        return None;
    }
    let mut ancestors: Vec<(usize, &str)> = Vec::new();
    let mut loaded_lines = loaded.lines();
    for line in expected.lines() {
        let other = loaded_lines.next().unwrap_or_default();
        let depth = indentation(line);
        ancestors.retain(|(outer, _)| *outer < depth);
        if line != other {
            let name = line.split_once(": ").map(|(name, _)| name.trim());
            let names =
                ancestors.iter().filter_map(|(_, ancestor)| ancestor.split_once(": ").map(|(name, _)| name));
            let path = names.map(str::trim).chain(name).collect::<Vec<_>>().join(".");
            let text = format!("expected {}, loaded {}", shortened_value(line), shortened_value(other));
            return Some(ContentsDifference { path, text });
        }
        ancestors.push((depth, line));
    }
    let text = format!("loaded {} more lines", loaded_lines.count());
    Some(ContentsDifference { path: String::new(), text })
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Returns the value in a line of `Debug` output, truncated to [`MAX_WIDTH`].
fn shortened_value(line: &str) -> String {
    let value = line.split_once(": ").map_or(line, |(_, value)| value);
    let value = value.trim().trim_end_matches(',');
    match value.char_indices().nth(MAX_WIDTH) {
        Some((end, _)) => format!("`{}…`", &value[..end]),
        None => format!("`{value}`"),
    }
}
