//! What a part of a file says, as far as it is read.

use super::super::document::{ColumnMut, Comment, Document, LineRef, Place, Property};
use super::super::schema::Kind;
use super::diagnostic::{Diagnostic, Diagnostics, Located};
use super::intent::Intent;
use super::line::Values;
use crate::{Limits, Text};

/// What a part of a file says: whole lines.
#[derive(Debug, Default)]
pub(in crate::formats::seed) struct Part {
    pub document: Document,
    pub diagnostics: Diagnostics,
    /// Number of lines.
    pub lines: u64,
    /// Whether reading stopped at a diagnostic.
    pub stopped: bool,
    comments: Vec<Comment>,
    /// Number of comments that have a place; the others belong to the next line with content.
    placed: usize,
    /// The first line with content: comments that wait at the end of the part before are its.
    first: Option<Place>,
}

impl Part {
    /// Adds a property.
    pub(super) fn property(&mut self, name: &str, value: &str) {
        self.content(Place::Property(LineRef { index: self.document.properties.len(), trailing: false }));
        self.document.properties.push(Property { name: name.to_owned(), value: value.to_owned() });
    }

    /// Adds a line of an attribute, or a face.
    pub(super) fn values(&mut self, kind: Kind, values: &Values) {
        let index = self.document.column(kind).len();
        self.content(Place::Line(kind, LineRef { index, trailing: false }));
        match (self.document.column_mut(kind), values) {
            (ColumnMut::Two(column), Values::Floats([u, v, ..])) => column.push([*u, *v]),
            (ColumnMut::Three(column), Values::Floats([x, y, z, _])) => column.push([*x, *y, *z]),
            (ColumnMut::Four(column), Values::Floats(values)) => column.push(*values),
            (ColumnMut::Faces(column), Values::Indices([a, b, c, _])) => column.push([*a, *b, *c]),
            // The table gives floats to all but faces.
            _ => {}
        }
    }

    /// Notes lines of a kind that were added to its column, from `index` on, in a part without comments that wait.
    pub(super) fn added(&mut self, kind: Kind, index: usize) {
        self.content(Place::Line(kind, LineRef { index, trailing: false }));
    }

    /// Notes the place of a line with content: comments that wait for one are before it.
    fn content(&mut self, place: Place) {
        self.first.get_or_insert(place);
        for comment in &mut self.comments[self.placed..] {
            comment.place = place;
        }
        self.placed = self.comments.len();
    }

    /// Adds a comment: after the content of a line, or on a line of its own.
    pub(super) fn comment(&mut self, text: &[u8], trailing: Option<Place>) {
        let place = trailing.unwrap_or(Place::End);
        self.comments.push(Comment { text: Text::from(text.to_vec()), place });
        if trailing.is_some() {
            self.placed = self.comments.len();
        }
    }

    /// Adds a diagnostic of the current line.
    pub(super) fn diagnostic(&mut self, diagnostic: Diagnostic, start: usize, limits: &Limits) {
        let index = self.count(diagnostic.intent);
        let line = self.lines;
        self.diagnostics.add(Located { diagnostic, start, line, index }, limits);
    }

    /// Number of lines of the kind that a line was meant to be.
    fn count(&self, intent: Intent) -> usize {
        match intent {
            Intent::Attribute(kind) => self.document.column(kind).len(),
            Intent::Property | Intent::Unknown => 0,
        }
    }

    /// Gives the comments to the document, in the order in which their lines are written.
    pub(super) fn finish_comments(&mut self) {
        self.comments.sort_by_key(|comment| comment.place);
        self.document.comments = Some(std::mem::take(&mut self.comments));
    }

    /// Appends what the next lines of the file say, unless this part has stopped. `next` is empty then, and keeps its
    /// capacity.
    #[cfg(feature = "parallel")]
    pub(super) fn append(&mut self, next: &mut Part, limits: &Limits) {
        if self.stopped {
            return;
        }
        let Diagnostics { kept, suppressed, unreadable } = std::mem::take(&mut next.diagnostics);
        for mut located in kept {
            located.line += self.lines;
            located.index += self.count(located.diagnostic.intent);
            self.diagnostics.add(located, limits);
        }
        for (code, (rule, count)) in suppressed {
            self.diagnostics.suppressed.entry(code).or_insert((rule, 0)).1 += count;
        }
        self.diagnostics.unreadable = self.diagnostics.unreadable.and(unreadable);
        if let Some(first) = next.first.take() {
            let first = self.moved(first);
            self.content(first);
            for comment in &mut next.comments {
                comment.place = self.moved(comment.place);
            }
            self.placed += std::mem::take(&mut next.placed);
        }
        self.comments.append(&mut next.comments);
        self.document.properties.append(&mut next.document.properties);
        for kind in Kind::ALL {
            if !next.document.has(kind) {
                continue;
            }
            match (self.document.column_mut(kind), next.document.column_mut(kind)) {
                (ColumnMut::Two(column), ColumnMut::Two(more)) => column.append(more),
                (ColumnMut::Three(column), ColumnMut::Three(more)) => column.append(more),
                (ColumnMut::Four(column), ColumnMut::Four(more)) => column.append(more),
                (ColumnMut::Faces(column), ColumnMut::Faces(more)) => column.append(more),
                // A kind has one type of column.
                _ => {}
            }
        }
        self.lines += std::mem::take(&mut next.lines);
        self.stopped = std::mem::take(&mut next.stopped);
    }

    /// A place in the next part, counted on from the lines of this one.
    #[cfg(feature = "parallel")]
    fn moved(&self, place: Place) -> Place {
        let by = |at: LineRef, count: usize| LineRef { index: at.index + count, ..at };
        match place {
            Place::Property(at) => Place::Property(by(at, self.document.properties.len())),
            Place::Line(kind, at) => Place::Line(kind, by(at, self.document.column(kind).len())),
            Place::End => Place::End,
        }
    }
}
