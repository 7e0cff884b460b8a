//! Looks up properties, and counts vertices and lines.

use super::schema::{CommentPlace, Document, LineKind};

impl Document {
    /// Returns the value of the first property with this name; `None` if there is none.
    pub fn property(&self, name: &str) -> Option<&str> {
        self.properties
            .iter()
            .find(|property| property.name == name)
            .map(|property| &*property.value)
    }

    /// The number of vertices, one per position.
    pub fn vertex_count(&self) -> usize {
        self.positions.len()
    }

    /// The number of lines of a kind.
    pub(super) fn line_count(&self, kind: LineKind) -> usize {
        self.column(kind).len() / kind.attribute().values
    }
}

impl CommentPlace {
    /// Returns `true` if the comment follows the content of a line.
    pub(super) fn is_trailing(self) -> bool {
        match self {
            CommentPlace::Property(line) | CommentPlace::Line(_, line) => line.is_trailing,
            CommentPlace::End => false,
        }
    }
}
