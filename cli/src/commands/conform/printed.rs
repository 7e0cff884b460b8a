//! The standard output of a loader, parsed as contents.

use super::capture::Captured;

/// The kind of an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Printed {
    Nothing,
    /// An object without keys: nothing to compare.
    Empty,
    /// Anything else than a JSON object, by its beginning.
    Other(String),
    /// What starts like a JSON object.
    Contents,
}

/// The most characters that are shown of an output.
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
