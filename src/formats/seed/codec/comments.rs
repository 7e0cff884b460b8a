//! Comments as they are read: each finds the line that it belongs to.

use super::super::schema::{Comment, LineRef, Place};
use crate::Text;

/// The comments of some lines.
#[derive(Debug, Default)]
pub(super) struct Comments {
    list: Vec<Comment>,
    /// Number of comments that have a place; the others belong to the next line with content.
    placed: usize,
    /// The first line with content: comments that wait at the end of the chunk before belong to it.
    first: Option<Place>,
}

impl Comments {
    /// Adds a line: the place before its content, if it has any, and the text of its comment.
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

    /// Adds the comments of the next chunk.
    pub(super) fn append(&mut self, mut next: Comments) {
        if let Some(first) = next.first {
            self.place_waiting(first);
            self.placed += next.placed;
        }
        self.list.append(&mut next.list);
    }

    /// All comments, in the order in which their lines are written.
    pub(super) fn finish(mut self) -> Vec<Comment> {
        self.list.sort_by_key(|comment| comment.place);
        self.list
    }
}

/// The place after the content of the same line.
fn after(place: Place) -> Place {
    let trailing = |line: LineRef| LineRef { trailing: true, ..line };
    match place {
        Place::Property(line) => Place::Property(trailing(line)),
        Place::Line(kind, line) => Place::Line(kind, trailing(line)),
        Place::End => Place::End,
    }
}
