//! What a part of a file says, as far as it is read.

use std::collections::BTreeMap;

use super::document::{At, ColumnMut, Comment, Document, Place, Property};
use super::fine::{Slip, Values};
use super::meant::Meant;
use super::places;
use super::rules::Gaps;
use super::schema::Kind;
use crate::{Finding, Limits, Report, Rule, Text};

/// What a part of a file says: whole lines.
#[derive(Debug, Default)]
pub(super) struct Part {
    pub document: Document,
    pub slips: Slips,
    /// Number of lines.
    pub lines: u64,
    /// Whether reading stopped at a slip.
    pub stopped: bool,
    comments: Vec<Comment>,
    /// Number of the comments that have a place; the others belong to the line with content that comes next.
    placed: usize,
    /// The first line with content: comments that wait at the end of the part before are its.
    first: Option<Place>,
}

/// A slip and its line.
#[derive(Debug)]
pub(super) struct Placed {
    pub slip: Slip,
    /// Offset of the line in the file.
    pub start: usize,
    /// Number of the line in the part, counted from 0.
    pub line: u64,
    /// Number of the line among those of its kind.
    pub index: usize,
}

/// Slips, up to a limit for each rule.
#[derive(Debug, Default)]
pub(super) struct Slips {
    pub kept: Vec<Placed>,
    /// Number of slips of each rule that are not kept.
    pub more: BTreeMap<&'static str, (&'static Rule, usize)>,
    pub gaps: Gaps,
}

impl Slips {
    fn add(&mut self, placed: Placed, limits: &Limits) {
        let rule = placed.slip.rule;
        match placed.slip.meant {
            Meant::Attribute(_) => {}
            Meant::Property => self.gaps.properties = true,
            Meant::Unknown => self.gaps.lines = true,
        }
        let seen = self.kept.iter().filter(|other| std::ptr::eq(other.slip.rule, rule)).count();
        if seen < limits.max_findings_per_rule {
            self.kept.push(placed);
        } else {
            self.more.entry(rule.code).or_insert((rule, 0)).1 += 1;
        }
    }

    /// Adds the slips to a report on the file.
    pub(super) fn report(&self, file: &[u8], report: &mut Report) {
        for placed in &self.kept {
            report.add_with(placed.slip.rule, || placed.finding(file));
        }
        for (rule, count) in self.more.values() {
            report.add_suppressed(rule, *count);
        }
    }
}

impl Placed {
    /// The slip with its place in the file.
    pub(super) fn finding(&self, file: &[u8]) -> Finding {
        let Slip { rule, range, message, meant } = &self.slip;
        let line = file.get(self.start..).unwrap_or_default();
        Finding {
            rule,
            path: match meant {
                Meant::Attribute(kind) => format!("{}[{}]", kind.path(), self.index),
                Meant::Property | Meant::Unknown => String::new(),
            },
            span: Some(places::span(line, range.clone(), self.start, self.line + 1)),
            message: message.clone(),
        }
    }
}

impl Part {
    /// Adds a property.
    pub(super) fn property(&mut self, name: &str, value: &str) {
        self.content(Place::Property(At { index: self.document.properties.len(), behind: false }));
        self.document.properties.push(Property { name: name.to_owned(), value: value.to_owned() });
    }

    /// Adds a line of an attribute, or a face.
    pub(super) fn values(&mut self, kind: Kind, values: &Values) {
        let index = self.document.column(kind).len();
        self.content(Place::Line(kind, At { index, behind: false }));
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
        self.content(Place::Line(kind, At { index, behind: false }));
    }

    /// Notes the place of a line with content: comments that wait for one are before it.
    fn content(&mut self, place: Place) {
        self.first.get_or_insert(place);
        for comment in &mut self.comments[self.placed..] {
            comment.place = place;
        }
        self.placed = self.comments.len();
    }

    /// Adds a comment, behind the line of the last content or on a line of its own.
    pub(super) fn comment(&mut self, text: &[u8], behind: Option<Place>) {
        let place = behind.unwrap_or(Place::End);
        self.comments.push(Comment { text: Text::from(text.to_vec()), place });
        if behind.is_some() {
            self.placed = self.comments.len();
        }
    }

    /// Adds a slip in the current line.
    pub(super) fn slip(&mut self, slip: Slip, start: usize, limits: &Limits) {
        let index = self.count(slip.meant);
        let line = self.lines;
        self.slips.add(Placed { slip, start, line, index }, limits);
    }

    /// Number of the lines that were meant to be the same.
    fn count(&self, meant: Meant) -> usize {
        match meant {
            Meant::Attribute(kind) => self.document.column(kind).len(),
            Meant::Property | Meant::Unknown => 0,
        }
    }

    /// Gives the comments to the document, in the order in which their lines are written.
    pub(super) fn finish_comments(&mut self) {
        self.comments.sort_by_key(|comment| comment.place);
        self.document.comments = Some(std::mem::take(&mut self.comments));
    }

    /// Puts what the next lines of the file say behind this part, unless it has stopped. What they were read into is empty
    /// then, but keeps its room for lines.
    #[cfg(feature = "parallel")]
    pub(super) fn append(&mut self, next: &mut Part, limits: &Limits) {
        if self.stopped {
            return;
        }
        for mut placed in std::mem::take(&mut next.slips.kept) {
            placed.line += self.lines;
            placed.index += self.count(placed.slip.meant);
            self.slips.add(placed, limits);
        }
        for (code, (rule, count)) in std::mem::take(&mut next.slips.more) {
            self.slips.more.entry(code).or_insert((rule, 0)).1 += count;
        }
        self.slips.gaps = self.slips.gaps.and(std::mem::take(&mut next.slips.gaps));
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
        let by = |at: At, count: usize| At { index: at.index + count, ..at };
        match place {
            Place::Property(at) => Place::Property(by(at, self.document.properties.len())),
            Place::Line(kind, at) => Place::Line(kind, by(at, self.document.column(kind).len())),
            Place::End => Place::End,
        }
    }
}
