//! Rows of `docs/interpretations.md`, which rules cite.

/// An interpretation of an unclear sentence in a specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interpretation {
    /// The id, such as `M13`.
    pub row: &'static str,
    /// The question that the specification leaves open.
    pub question: &'static str,
    /// The chosen reading, in Markdown.
    pub reading: &'static str,
}

const PAGE: &str = include_str!("../../docs/interpretations.md");

impl Interpretation {
    /// Returns the row with this id.
    pub(super) fn of(id: &str) -> Option<Interpretation> {
        PAGE.lines().find_map(|line| {
            let cells = line.strip_prefix("| ")?.strip_suffix(" |")?;
            let (row, rest) = cells.split_once(" | ")?;
            let (question, reading) = rest.split_once(" | ")?;
            (row == id).then_some(Interpretation { row, question, reading })
        })
    }
}
