//! The index entries of a corpus.

use crate::Dialect;
#[cfg(feature = "serde")]
use crate::Formats;

/// The JSON Schema of one index line.
pub const INDEX_SCHEMA: &str = include_str!("index.schema.json");

/// The index entry of a file in a corpus: a line of `index.jsonl`.
///
/// ```
/// # #[cfg(all(feature = "mesh", feature = "serde"))] {
/// use meshspec::conformance::corpus::{CaseKind, IndexEntry, Verdict};
///
/// let line = r#"{"file": "mesh/spec/broken/mesh-index-range-1.mesh", "format": "mesh", "dialect": "spec", "kind": "broken",
///     "strict": "reject", "lenient": "accept", "description": "an index out of range"}"#;
/// let entry: IndexEntry = serde_json::from_str(line)?;
/// assert_eq!((entry.kind, entry.strict), (CaseKind::Broken, Verdict::Reject));
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct IndexEntry {
    /// The path of the file, relative to the index, with `/` between folders.
    pub file: String,
    /// The name of the format.
    pub format: String,
    /// The dialect in which to read the file. Deserialises only dialects of built-in formats.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "built_in_dialect"))]
    pub dialect: Dialect,
    /// The purpose of the file.
    pub kind: CaseKind,
    /// The verdict of strict reading.
    pub strict: Verdict,
    /// The verdict of lenient reading.
    pub lenient: Verdict,
    /// The code of the rule that the file breaks or, in an almost broken file, almost breaks.
    pub rule: Option<String>,
    /// The path of the value that breaks or almost breaks the rule.
    pub path: Option<String>,
    /// The start and end of the value in the file, in bytes. For a value in a packed block, the range of the block.
    pub bytes: Option<[u64; 2]>,
    /// A sentence that describes the file.
    pub description: String,
    /// The path of the JSON file with the expected contents, relative to the index. `None` if strict reading rejects
    /// the file, or another dialect is detected. Also `None` if fewer than 1,000 files were requested and the JSON
    /// exceeds 10,000 bytes; without the feature `serde`, the size is not checked.
    pub contents: Option<String>,
}

/// Deserialises the name of a dialect of a built-in format.
#[cfg(feature = "serde")]
fn built_in_dialect<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Dialect, D::Error> {
    use serde::Deserialize as _;

    let name = String::deserialize(deserializer)?;
    if name == Dialect::SPEC.name() {
        return Ok(Dialect::SPEC);
    }
    Formats::BUILT_IN
        .iter()
        .find_map(|format| format.about().dialect(&name).ok())
        .ok_or_else(|| serde::de::Error::custom(format_args!("unknown dialect `{name}`")))
}

/// The purpose of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
pub enum CaseKind {
    /// Accepted by strict reading.
    Valid,
    /// Breaks one rule; may also break less severe rules.
    Broken,
    /// Valid, but only just satisfies a rule, for example with the largest valid index.
    Almost,
    /// A valid file with random changes.
    Mutated,
}

impl CaseKind {
    /// Every kind.
    pub const ALL: [CaseKind; 4] = [
        CaseKind::Valid,
        CaseKind::Broken,
        CaseKind::Almost,
        CaseKind::Mutated,
    ];

    /// Returns the name used in the index.
    pub fn name(self) -> &'static str {
        match self {
            CaseKind::Valid => "valid",
            CaseKind::Broken => "broken",
            CaseKind::Almost => "almost",
            CaseKind::Mutated => "mutated",
        }
    }
}

/// The verdict of a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
pub enum Verdict {
    /// Accepts the file.
    Accept,
    /// Rejects the file.
    Reject,
}
