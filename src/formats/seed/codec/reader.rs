//! Reads a chunk of a file into its window.

use std::ops::Range;

use super::super::schema::{CommentPlace, LineRef, Property};
use super::comments::Comments;
use super::diagnostic::{Diagnostic, Diagnostics, LocatedDiagnostic};
use super::fast;
use super::intent::Intent;
use super::line::{self, LineContent, parse_line};
use super::text::split_line;
use super::window::{LineCounts, Window};
use crate::{Limits, Severity};

/// Options for reading Seed text.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Reading stops at the first diagnostic of at least this severity. `None` reads the whole file.
    pub stop_at: Option<Severity>,
    /// Whether to keep comments.
    pub comments: bool,
    /// Limits on memory.
    pub limits: Limits,
    /// Whether the grammar parses all lines, without the fast path.
    pub grammar_only: bool,
    /// The minimum size of a chunk in bytes.
    pub min_chunk_size: usize,
}

/// The content of one or more chunks, except the values of their lines, which are in the columns.
#[derive(Debug, Default)]
pub(super) struct ChunkContent {
    pub properties: Vec<Property>,
    pub comments: Comments,
    pub diagnostics: Diagnostics,
    /// Whether reading stopped at a diagnostic.
    pub is_stopped: bool,
    /// The number of lines of each kind, for each chunk.
    pub counts: Vec<LineCounts>,
}

impl ChunkContent {
    /// Appends the next chunks. If reading stopped before them, appends only their counts.
    pub(super) fn append(mut self, next: ChunkContent, limits: &Limits) -> ChunkContent {
        self.counts.extend(next.counts);
        if !self.is_stopped {
            self.properties.extend(next.properties);
            self.comments.append(next.comments);
            self.diagnostics.append(next.diagnostics, limits);
            self.is_stopped = next.is_stopped;
        }
        self
    }
}

pub(super) struct ChunkReader<'r> {
    pub file: &'r [u8],
    pub options: &'r Options,
    pub window: Window<'r>,
    pub content: ChunkContent,
}

impl ChunkReader<'_> {
    /// Reads a range of whole lines.
    pub(super) fn read(mut self, lines: Range<usize>) -> ChunkContent {
        let mut start = lines.start;
        while start < lines.end && !self.content.is_stopped {
            let rest = &self.file[start..lines.end];
            start += match fast::read_line(rest).filter(|_| !self.options.grammar_only) {
                Some(plain) => {
                    self.add_line(&plain.content, plain.comment);
                    plain.length + self.read_run(&plain.content, &rest[plain.length..])
                }
                None => self.parse_first_line(rest, start),
            };
        }
        self.content.counts.push(self.window.counts());
        self.content
    }

    /// Reads the run of lines that follows a line of the same kind. Returns their total length in bytes.
    fn read_run(&mut self, content: &LineContent, lines: &[u8]) -> usize {
        // Lines in a run have no comments; earlier comments are already assigned.
        let LineContent::Values(kind, _) = *content else {
            return 0;
        };
        let (count, length) = fast::read_run(lines, kind, self.window.unfilled(kind));
        self.window.count_lines(kind, count);
        length
    }

    /// Parses the first line of `lines`, at `start` in the file. Returns its length in bytes.
    fn parse_first_line(&mut self, lines: &[u8], start: usize) -> usize {
        let (bytes, length) = split_line(lines);
        match parse_line(bytes) {
            Ok(line) => {
                if let Some(diagnostic) = line.diagnostic {
                    self.add_diagnostic(diagnostic, start);
                }
                self.add_line(&line.content, line.comment);
            }
            Err(diagnostic) => {
                let intent = diagnostic.intent;
                self.add_diagnostic(diagnostic, start);
                // A malformed line counts as a line of its intended kind.
                if let Intent::Attribute(kind) = intent {
                    self.add_line(
                        &LineContent::Values(kind, line::placeholder_values(kind)),
                        None,
                    );
                }
            }
        }
        length
    }

    /// Adds a diagnostic of the line at `start`.
    fn add_diagnostic(&mut self, diagnostic: Diagnostic, start: usize) {
        self.content.is_stopped = self
            .options
            .stop_at
            .is_some_and(|min| diagnostic.rule.severity >= min);
        let index = match diagnostic.intent {
            Intent::Attribute(kind) => self.window.next_line_index(kind),
            Intent::Property | Intent::Unknown => 0,
        };
        self.content.diagnostics.add(
            LocatedDiagnostic {
                diagnostic,
                start,
                index,
            },
            &self.options.limits,
        );
    }

    fn add_line(&mut self, content: &LineContent, comment: Option<&[u8]>) {
        if self.options.comments {
            self.content
                .comments
                .add(self.comment_place(content), comment);
        }
        match *content {
            LineContent::Empty => {}
            LineContent::Property { name, value } => {
                self.window.count_property();
                self.content.properties.push(Property {
                    name: name.to_owned(),
                    value: value.to_owned(),
                });
            }
            LineContent::Values(kind, ref values) => self.window.push(kind, values),
        }
    }

    /// Returns the place of comments before a line; `None` for a line without content.
    fn comment_place(&self, content: &LineContent) -> Option<CommentPlace> {
        let before = |index| LineRef {
            index,
            is_trailing: false,
        };
        Some(match *content {
            LineContent::Empty => return None,
            LineContent::Property { .. } => {
                CommentPlace::Property(before(self.window.next_property_index()))
            }
            LineContent::Values(kind, _) => {
                CommentPlace::Line(kind, before(self.window.next_line_index(kind)))
            }
        })
    }
}
