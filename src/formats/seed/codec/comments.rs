//! Assigns comments to lines while reading.

use super::super::schema::{Comment, LineRef, Place};
use crate::Text;

/// The comments of a range of lines.
#[derive(Debug, Default)]
pub(super) struct Comments {
    list: Vec<Comment>,
    /// The number of comments already assigned to a line; the others belong to the next line with content.
    placed: usize,
    /// The place of the first line with content, which unassigned comments of the previous chunk belong to.
    first: Option<Place>,
}

impl Comments {
    /// Adds a line: the place of its content and the text of its comment, if any.
    pub(super) fn add(&mut self, place: Option<Place>, text: Option<&[u8]>) {
        if let Some(place) = place {
            self.place_waiting(place);
        }
        if let Some(text) = text {
            self.list
                .push(Comment { text: Text::from(text.to_vec()), place: place.map_or(Place::End, after) });
            if place.is_some() {
                self.placed = self.list.len();
            }
        }
    }

    fn place_waiting(&mut self, place: Place) {
        self.first.get_or_insert(place);
        for comment in &mut self.list[self.placed..] {
            comment.place = place;
        }
        self.placed = self.list.len();
    }

    /// Appends the comments of the next chunk.
    pub(super) fn append(&mut self, mut next: Comments) {
        if let Some(first) = next.first {
            self.place_waiting(first);
            self.placed += next.placed;
        }
        self.list.append(&mut next.list);
    }

    /// Returns all comments, in the order they are written.
    pub(super) fn finish(mut self) -> Vec<Comment> {
        self.list.sort_by_key(|comment| comment.place);
        self.list
    }
}

/// Returns the place of a trailing comment on the same line.
fn after(place: Place) -> Place {
    let trailing = |line: LineRef| LineRef { trailing: true, ..line };
    match place {
        Place::Property(line) => Place::Property(trailing(line)),
        Place::Line(kind, line) => Place::Line(kind, trailing(line)),
        Place::End => Place::End,
    }
}
