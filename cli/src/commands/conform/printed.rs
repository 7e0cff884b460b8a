//! Classifies the standard output of a loader.

use super::capture::Captured;

/// The kind of an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Printed {
    Nothing,
    /// An empty object, with nothing to compare.
    Empty,
    /// Anything other than a JSON object, truncated.
    Other(String),
    /// Text that starts like a JSON object.
    Contents,
}

/// The maximum number of shown characters of an output.
const MAX_SHOWN: usize = 80;

impl Printed {
    pub fn of(stdout: &Captured) -> Printed {
        match stdout.bytes.trim_ascii() {
            b"" => Printed::Nothing,
            [b'{', inside @ .., b'}'] if inside.trim_ascii().is_empty() => Printed::Empty,
            [b'{', ..] => Printed::Contents,
            [0xef, 0xbb, 0xbf, ..] => Printed::Other("a byte order mark".to_owned()),
            _ => Printed::Other(stdout.excerpt().chars().take(MAX_SHOWN).collect()),
        }
    }
}
