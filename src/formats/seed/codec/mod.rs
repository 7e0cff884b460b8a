//! Reads and writes Seed: pieces of the file that end where lines end, runs of lines in each, lines in each run.
//!
//! The coarse rules of the grammar find the runs, whose numbers are read in one go by [`fast`]. Every line that is not
//! plain is [parsed](line) by the grammar.

pub(super) mod detect;
pub(super) mod diagnostic;
mod fast;
pub(super) mod intent;
pub(super) mod line;
pub(super) mod locate;
pub(super) mod messages;
mod part;
#[cfg(all(test, feature = "proptest"))]
mod tests;
pub(super) mod text;
pub(super) mod write;

use std::ops::Range;

use memchr::{memchr, memchr_iter};

use super::document::{Document, LineRef, Place};
use super::schema::Kind;
use super::syntax::{self, Pair, Rule};
use crate::{Limits, Severity};
use diagnostic::Diagnostic;
use intent::Intent;
use line::{Content, parse_line};
use part::Part;
use text::split_line;

/// How to read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Options {
    /// Stops at the first diagnostic that is at least as severe; `None` goes on to the end.
    pub stop: Option<Severity>,
    pub comments: bool,
    pub limits: Limits,
    /// Whether every line is parsed by the grammar.
    pub grammar_only: bool,
    /// About how many bytes are parsed at a time, [`PIECE`] except in tests.
    pub piece: usize,
}

/// The tokens of a piece take up to 60 times as much, if it has only short lines of different kinds.
pub(super) const PIECE: usize = 1 << 14;

/// The most bytes that all threads parse at a time, unless lines are longer.
#[cfg(feature = "parallel")]
const MAX_IN_FLIGHT: usize = 16 * PIECE;

/// Reads a file.
pub(super) fn read(file: &[u8], options: &Options) -> Part {
    let mut part = Part::default();
    if let Some(encoding) = text::other_encoding(file) {
        part.diagnostic(messages::encoding(encoding), 0, &options.limits);
        part.stopped = true;
        return part;
    }
    let start = text::start(file);
    fast::reserve(&mut part.document, count(file, start));
    read_pieces(file, start, options, &mut part);
    if options.comments {
        part.finish_comments();
    }
    part
}

/// The pieces of a file from `start` on: about as long as `piece`, up to the end of a line.
fn pieces(file: &[u8], mut start: usize, piece: usize) -> impl Iterator<Item = Range<usize>> {
    std::iter::from_fn(move || {
        let least = file.len().min(start + piece);
        let end = memchr(b'\n', &file[least..]).map_or(file.len(), |line_end| least + line_end + 1);
        let piece = std::mem::replace(&mut start, end)..end;
        (!piece.is_empty()).then_some(piece)
    })
}

#[cfg(not(feature = "parallel"))]
fn count(file: &[u8], start: usize) -> fast::Counts {
    fast::count(&file[start..])
}

#[cfg(feature = "parallel")]
fn count(file: &[u8], start: usize) -> fast::Counts {
    use rayon::prelude::*;

    let pieces: Vec<_> = pieces(file, start, 1 << 20).collect();
    let counts = pieces.into_par_iter().map(|piece| fast::count(&file[piece]));
    counts.reduce(fast::Counts::default, |a, b| std::array::from_fn(|kind| a[kind] + b[kind]))
}

#[cfg(not(feature = "parallel"))]
fn read_pieces(file: &[u8], start: usize, options: &Options, part: &mut Part) {
    read_in_turn(file, pieces(file, start, options.piece), options, part);
}

/// Some pieces at a time, in parallel; meanwhile those that were read before are joined.
#[cfg(feature = "parallel")]
fn read_pieces(file: &[u8], start: usize, options: &Options, part: &mut Part) {
    use rayon::prelude::*;

    let threads = rayon::current_num_threads();
    let mut pieces = pieces(file, start, options.piece.min(MAX_IN_FLIGHT / threads));
    if threads == 1 || file.len() - start <= options.piece {
        return read_in_turn(file, pieces, options, part);
    }
    let read = |(piece, part): (Range<usize>, &mut Part)| {
        read_in_turn(file, [piece].into_iter(), options, part);
    };
    // Parts keep their capacity from one batch to the next: threads that allocate wait for each other.
    let batch = || -> Vec<Part> { (0..32 * threads).map(|_| Part::default()).collect() };
    let (mut last, mut next) = (batch(), batch());
    loop {
        let pieces: Vec<_> = pieces.by_ref().take(next.len()).collect();
        let is_end = pieces.is_empty();
        let join = || last.iter_mut().for_each(|more| part.append(more, &options.limits));
        rayon::join(join, || pieces.into_par_iter().zip(&mut next).for_each(read));
        if part.stopped || is_end {
            return;
        }
        std::mem::swap(&mut last, &mut next);
    }
}

/// One piece after the other, up to one that stops.
fn read_in_turn(file: &[u8], pieces: impl Iterator<Item = Range<usize>>, options: &Options, part: &mut Part) {
    for piece in pieces {
        if part.stopped {
            return;
        }
        Reader { file, options, part }.piece(piece);
    }
}

/// Reads pieces of a file into a part.
struct Reader<'r> {
    file: &'r [u8],
    options: &'r Options,
    part: &'r mut Part,
}

impl Reader<'_> {
    /// Reads whole lines.
    fn piece(&mut self, piece: Range<usize>) {
        if self.options.grammar_only {
            return self.lines(piece);
        }
        let mut start = piece.start;
        while start < piece.end && !self.part.stopped {
            let rest = &self.file[start..piece.end];
            match std::str::from_utf8(rest) {
                Ok(text) => {
                    self.text(text, start);
                    return;
                }
                Err(error) => {
                    // The line that is not UTF-8 is parsed alone, the lines before it as usual.
                    let bad = error.valid_up_to();
                    let line = memchr::memrchr(b'\n', &rest[..bad]).map_or(0, |line_end| line_end + 1);
                    let end = memchr(b'\n', &rest[bad..]).map_or(rest.len(), |line_end| bad + line_end + 1);
                    self.text(std::str::from_utf8(&rest[..line]).unwrap_or_default(), start);
                    self.lines(start + line..start + end);
                    start += end;
                }
            }
        }
    }

    /// Reads whole lines that begin at `start` of the file, run by run.
    fn text(&mut self, text: &str, start: usize) {
        let end = start + text.len();
        let first = self.first_run(text, start);
        // The coarse rules expect a line ending, which the last line of a file may lack.
        let whole = text.rfind('\n').map_or(first, |last| first.max(last + 1));
        let start = start + first;
        let Ok(pairs) = syntax::parse(Rule::text, &text[first..whole]) else { return self.lines(start..end) };
        for pair in pairs {
            if self.part.stopped {
                return;
            }
            let span = pair.as_span();
            let lines = start + span.start()..start + span.end();
            match pair.as_rule() {
                Rule::run => match identifier(pair) {
                    Some(kind) => _ = self.run(kind, lines),
                    None => self.lines(lines),
                },
                Rule::remarks => self.remarks(lines),
                _ => self.lines(lines),
            }
        }
        self.lines(start + whole - first..end);
    }

    /// Reads the run that the text starts with, which mostly is all of it. Returns how far it goes.
    fn first_run(&mut self, text: &str, start: usize) -> usize {
        let pair = syntax::parse(Rule::start, text).ok().and_then(|mut pairs| pairs.next());
        match pair.and_then(identifier) {
            Some(kind) => self.run(kind, start..start + text.len()) - start,
            None => 0,
        }
    }

    /// Reads lines as long as they have the same identifier. Returns where the next one begins.
    fn run(&mut self, kind: Kind, lines: Range<usize>) -> usize {
        let mut start = lines.start;
        while !self.part.stopped {
            let index = self.part.document.column(kind).len();
            let run =
                fast::run(&mut self.part.document, kind, &self.file[start..lines.end], self.options.comments);
            if run.lines > 0 {
                self.part.added(kind, index);
            }
            self.part.lines += run.lines;
            let begin = start;
            start += run.bytes;
            if let Some(comment) = run.comment {
                let last = LineRef {
                    index: self.part.document.column(kind).len().saturating_sub(1),
                    trailing: true,
                };
                self.part.comment(&self.file[begin..][comment], Some(Place::Line(kind, last)));
                continue;
            }
            if !fast::starts(kind, &self.file[start..lines.end]) {
                break;
            }
            start = self.line(start, lines.end);
        }
        start
    }

    /// Reads well-formed lines without content.
    fn remarks(&mut self, lines: Range<usize>) {
        let mut lines = &self.file[lines];
        if !self.options.comments {
            self.part.lines += memchr_iter(b'\n', lines).count() as u64;
            return;
        }
        while !lines.is_empty() {
            let (line, next) = split_line(lines);
            if let Some(start) = memchr(b'#', line) {
                self.part.comment(&line[start + 1..], None);
            }
            self.part.lines += 1;
            lines = &lines[next..];
        }
    }

    /// Reads lines by the grammar.
    fn lines(&mut self, lines: Range<usize>) {
        let mut start = lines.start;
        while start < lines.end && !self.part.stopped {
            start = self.line(start, lines.end);
        }
    }

    /// Reads the line at `start` by the grammar. Returns where the next one starts.
    fn line(&mut self, start: usize, end: usize) -> usize {
        let (bytes, next) = split_line(&self.file[start..end]);
        match parse_line(bytes) {
            Ok(read) => {
                if let Some(diagnostic) = read.diagnostic {
                    self.diagnostic(diagnostic, start);
                }
                let place = self.content(&read.content);
                if let Some(comment) = read.comment.filter(|_| self.options.comments) {
                    self.part.comment(comment, place);
                }
            }
            Err(diagnostic) => {
                let intent = diagnostic.intent;
                self.diagnostic(diagnostic, start);
                // A malformed line still counts as one of its kind.
                if let Intent::Attribute(kind) = intent {
                    self.part.values(kind, &line::placeholder(kind));
                }
            }
        }
        self.part.lines += 1;
        start + next
    }

    /// Adds what a line says. Returns the place of a comment after it.
    fn content(&mut self, content: &Content) -> Option<Place> {
        let trailing = |index| LineRef { index, trailing: true };
        let Document { properties, .. } = &self.part.document;
        match *content {
            Content::Empty => None,
            Content::Property { name, value } => {
                let place = Place::Property(trailing(properties.len()));
                self.part.property(name, value);
                Some(place)
            }
            Content::Values(kind, ref values) => {
                let place = Place::Line(kind, trailing(self.part.document.column(kind).len()));
                self.part.values(kind, values);
                Some(place)
            }
        }
    }

    fn diagnostic(&mut self, diagnostic: Diagnostic, start: usize) {
        self.part.stopped = self.options.stop.is_some_and(|stop| diagnostic.rule.severity >= stop);
        self.part.diagnostic(diagnostic, start, &self.options.limits);
    }
}

/// The kind of the lines of a run, by its first identifier.
fn identifier(run: Pair<'_>) -> Option<Kind> {
    run.into_inner().next().and_then(|identifier| Kind::of(identifier.as_str()))
}
