//! Finds the first difference between expected and loaded contents.

use crate::text::truncated;
use std::fmt::Debug;

use super::Mismatch;

/// The maximum number of characters shown of each differing value.
const MAX_WIDTH: usize = 100;

/// Returns the first difference between expected and loaded contents, with a path of field names such as `clips.times`.
/// `None` if they are equal. Values with equal `Debug` output are equal, so NaN equals NaN.
pub(super) fn first_difference<T: PartialEq + Debug>(expected: &T, loaded: &T) -> Option<Mismatch> {
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
        let depth = line.len() - line.trim_start().len();
        ancestors.retain(|(outer, _)| *outer < depth);
        if line != other {
            let lines = ancestors
                .iter()
                .map(|(_, ancestor)| *ancestor)
                .chain([line]);
            let names = lines.filter_map(|line| Some(line.split_once(": ")?.0.trim()));
            let path = names.collect::<Vec<_>>().join(".");
            let text = format!(
                "expected {}, loaded {}",
                shortened_value(line),
                shortened_value(other)
            );
            return Some(Mismatch::Contents { path, text });
        }
        ancestors.push((depth, line));
    }
    let text = format!("loaded {} more lines", loaded_lines.count());
    Some(Mismatch::Contents {
        path: String::new(),
        text,
    })
}

/// Returns the value in a line of `Debug` output, truncated to [`MAX_WIDTH`].
fn shortened_value(line: &str) -> String {
    let value = line.split_once(": ").map_or(line, |(_, value)| value);
    format!(
        "`{}`",
        truncated(value.trim().trim_end_matches(','), MAX_WIDTH)
    )
}
