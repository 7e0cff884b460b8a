//! Reads a chunk of a file into its window of the columns.

use std::ops::Range;

use super::super::schema::{LineRef, Place, Property};
use super::comments::Comments;
use super::diagnostic::{Diagnostic, Diagnostics, Located};
use super::fast;
use super::intent::Intent;
use super::line::{self, Content, parse_line};
use super::text::split_line;
use super::window::{Counts, Window};
use crate::{Limits, Severity};

/// Options for reading.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Stops at the first diagnostic of at least this severity; `None` reads to the end.
    pub stop: Option<Severity>,
    /// Whether to keep comments.
    pub comments: bool,
    /// Limits on memory.
    pub limits: Limits,
    /// Whether the grammar parses every line.
    pub grammar_only: bool,
    /// The minimum size of a chunk in bytes.
    pub chunk: usize,
}

/// The content of a chunk, except the values of its lines.
#[derive(Debug, Default)]
pub(super) struct Part {
    pub properties: Vec<Property>,
    pub comments: Comments,
    pub diagnostics: Diagnostics,
    /// Whether reading stopped at a diagnostic.
    pub stopped: bool,
    /// The number of lines in each chunk.
    pub counts: Vec<Counts>,
}

impl Part {
    /// Appends the next chunks, unless reading stopped in this one.
    pub(super) fn append(mut self, next: Part, limits: &Limits) -> Part {
        self.counts.extend(next.counts);
        if !self.stopped {
            self.properties.extend(next.properties);
            self.comments.append(next.comments);
            self.diagnostics.append(next.diagnostics, limits);
            self.stopped = next.stopped;
        }
        self
    }
}

pub(super) struct Reader<'r> {
    pub file: &'r [u8],
    pub options: &'r Options,
    pub window: Window<'r>,
    pub part: Part,
}

impl Reader<'_> {
    /// Reads a range of whole lines.
    pub(super) fn read(mut self, lines: Range<usize>) -> Part {
        let mut start = lines.start;
        while start < lines.end && !self.part.stopped {
            let rest = &self.file[start..lines.end];
            start += match fast::line(rest).filter(|_| !self.options.grammar_only) {
                Some(plain) => {
                    self.add(&plain.content, plain.comment);
                    plain.length + self.run(&plain.content, &rest[plain.length..])
                }
                None => self.parse(rest, start),
            };
        }
        self.part.counts.push(self.window.read());
        self.part
    }

    /// Reads the run of lines of the same kind after a line. Returns their length in bytes.
    fn run(&mut self, content: &Content, lines: &[u8]) -> usize {
        match *content {
            // The run has no comments, and earlier ones belong to the line before it.
            Content::Values(kind, _) => {
                let (count, length) = fast::run(lines, kind, self.window.space(kind));
                self.window.count_lines(kind, count);
                length
            }
            _ => 0,
        }
    }

    /// Parses the first line of `lines`, at `start` in the file. Returns its length in bytes.
    fn parse(&mut self, lines: &[u8], start: usize) -> usize {
        let (bytes, length) = split_line(lines);
        match parse_line(bytes) {
            Ok(line) => {
                if let Some(diagnostic) = line.diagnostic {
                    self.diagnose(diagnostic, start);
                }
                self.add(&line.content, line.comment);
            }
            Err(diagnostic) => {
                let intent = diagnostic.intent;
                self.diagnose(diagnostic, start);
                // A malformed line still counts as one of its intended kind.
                if let Intent::Attribute(kind) = intent {
                    self.add(&Content::Values(kind, line::placeholder(kind)), None);
                }
            }
        }
        length
    }

    fn diagnose(&mut self, diagnostic: Diagnostic, start: usize) {
        self.part.stopped = self.options.stop.is_some_and(|stop| diagnostic.rule.severity >= stop);
        let index = match diagnostic.intent {
            Intent::Attribute(kind) => self.window.next_line(kind),
            Intent::Property | Intent::Unknown => 0,
        };
        self.part.diagnostics.add(Located { diagnostic, start, index }, &self.options.limits);
    }

    fn add(&mut self, content: &Content, comment: Option<&[u8]>) {
        if self.options.comments {
            self.part.comments.add(self.place(content), comment);
        }
        match *content {
            Content::Empty => {}
            Content::Property { name, value } => {
                self.window.count_property();
                self.part.properties.push(Property { name: name.to_owned(), value: value.to_owned() });
            }
            Content::Values(kind, ref values) => self.window.push(kind, values),
        }
    }

    /// The place of comments before a line.
    fn place(&self, content: &Content) -> Option<Place> {
        let before = |index| LineRef { index, trailing: false };
        match *content {
            Content::Empty => None,
            Content::Property { .. } => Some(Place::Property(before(self.window.next_property()))),
            Content::Values(kind, _) => Some(Place::Line(kind, before(self.window.next_line(kind)))),
        }
    }
}
