//! Queries on documents.

use super::schema::{Document, Kind, Place};

impl Document {
    /// Finds the value of the first property with this name.
    pub fn property(&self, name: &str) -> Option<&str> {
        self.properties.iter().find(|property| property.name == name).map(|property| &*property.value)
    }

    /// The number of vertices, which is the number of positions.
    pub fn vertex_count(&self) -> usize {
        self.positions.len()
    }

    /// The number of lines of a kind.
    pub(super) fn lines(&self, kind: Kind) -> usize {
        self.column(kind).len() / kind.attribute().values
    }
}

impl Place {
    /// Returns `true` for a comment after the content of a line.
    pub(super) fn is_trailing(self) -> bool {
        match self {
            Place::Property(line) | Place::Line(_, line) => line.trailing,
            Place::End => false,
        }
    }
}
