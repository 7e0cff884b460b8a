//! What a document tells of itself.

use super::schema::{Document, Kind, Place};

impl Document {
    /// The value of the first property with this name.
    pub fn property(&self, name: &str) -> Option<&str> {
        self.properties.iter().find(|property| property.name == name).map(|property| &*property.value)
    }

    /// Number of vertices: that of the positions.
    pub fn vertex_count(&self) -> usize {
        self.positions.len()
    }

    /// Number of lines of a kind.
    pub(super) fn lines(&self, kind: Kind) -> usize {
        self.column(kind).len() / kind.attribute().values
    }
}

impl Place {
    /// Whether it follows the content of a line.
    pub(super) fn is_trailing(self) -> bool {
        match self {
            Place::Property(line) | Place::Line(_, line) => line.trailing,
            Place::End => false,
        }
    }
}
