//! Assigns comments to their lines while reading.

use super::super::schema::{Comment, CommentPlace, LineRef};
use crate::Text;

/// The comments in a range of lines.
#[derive(Debug, Default)]
pub(super) struct Comments {
    list: Vec<Comment>,
    /// The number of comments that are assigned to a line. Further comments belong to the next line with content.
    assigned: usize,
    /// The place of the first line with content. Unassigned comments of the previous chunk belong to this line.
    first: Option<CommentPlace>,
}

impl Comments {
    /// Adds a line, given the place before its content, if any, and the text of its comment, if any.
    pub(super) fn add(&mut self, place: Option<CommentPlace>, text: Option<&[u8]>) {
        if let Some(place) = place {
            self.assign_rest(place);
        }
        if let Some(text) = text {
            self.list.push(Comment {
                text: Text::from(text.to_vec()),
                place: place.map_or(CommentPlace::End, to_trailing),
            });
            if place.is_some() {
                self.assigned = self.list.len();
            }
        }
    }

    /// Assigns the unassigned comments to `place`.
    fn assign_rest(&mut self, place: CommentPlace) {
        self.first.get_or_insert(place);
        for comment in &mut self.list[self.assigned..] {
            comment.place = place;
        }
        self.assigned = self.list.len();
    }

    /// Appends the comments of the next chunk.
    pub(super) fn append(&mut self, mut next: Comments) {
        if let Some(first) = next.first {
            self.assign_rest(first);
            self.assigned += next.assigned;
        }
        self.list.append(&mut next.list);
    }

    /// Returns all comments, in the order in which they are written.
    pub(super) fn finish(mut self) -> Vec<Comment> {
        self.list.sort_by_key(|comment| comment.place);
        self.list
    }
}

/// Returns the place of a trailing comment on the same line.
fn to_trailing(place: CommentPlace) -> CommentPlace {
    let to_trailing_ref = |line: LineRef| LineRef {
        is_trailing: true,
        ..line
    };
    match place {
        CommentPlace::Property(line) => CommentPlace::Property(to_trailing_ref(line)),
        CommentPlace::Line(kind, line) => CommentPlace::Line(kind, to_trailing_ref(line)),
        CommentPlace::End => CommentPlace::End,
    }
}
