//! Pieces of the text, parsed side by side: runs of plain lines, which mean the same wherever they stand.
//!
//! Plain are values, faces whose numbers count from the beginning, comments and blank lines. All other lines, and plain
//! ones that turn out to depend on what is before them, are left to be read one by one.

use std::ops::Range;

use super::corners::{ABSENT, Corner, plain};
use super::values::{Counts, Lists};
use crate::interop::text::{Words, is_blank, line_end, lines_of};
use crate::parallel::map_reduce;

/// How much of a file is read at a time.
#[derive(Debug, Clone, Copy)]
pub struct Sizes {
    /// Bytes that are in memory.
    pub window: usize,
    /// Bytes that are parsed on one thread.
    pub piece: usize,
    /// Bytes of a run on average, at least: shorter ones are not worth their while.
    pub run: usize,
}

impl Sizes {
    pub(super) const USUAL: Sizes = Sizes { window: 1 << 20, piece: 64 << 10, run: 64 };
}

/// Some whole lines.
#[derive(Debug, Default)]
pub(super) struct Piece {
    pub lists: Lists,
    /// The corners of all faces.
    pub corners: Vec<Corner>,
    /// Number of corners of each face.
    pub faces: Vec<u32>,
    /// Faces with a corner without a normal.
    bare: usize,
    pub runs: Vec<Run>,
    is_malformed: bool,
    /// Ends of lines.
    pub line_ends: usize,
}

/// Lines of one sort.
#[derive(Debug)]
pub(super) struct Run {
    pub lines: Range<usize>,
    pub sort: Sort,
    /// How many values of each kind its faces need to be there.
    pub needed: Corner,
    /// What the piece had at its beginning, and at its end.
    pub start: Marks,
    pub end: Marks,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    /// Values.
    Values,
    /// Maybe values, then faces.
    Faces,
    /// Lines to be read one by one.
    Others,
}

/// How much of everything a piece has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Marks {
    pub counts: Counts,
    pub corners: usize,
    pub faces: usize,
    pub bare: usize,
}

/// Parses a part of a text.
pub(super) fn parse(text: &[u8], lines: Range<usize>, sizes: Sizes) -> Vec<Piece> {
    let mut start = lines.start;
    let pieces = std::iter::from_fn(|| {
        let from = start.saturating_add(sizes.piece).min(lines.end);
        let end = line_end(text, start, from, lines.end);
        let piece = std::mem::replace(&mut start, end)..end;
        (!piece.is_empty()).then_some(piece)
    });
    map_reduce(
        pieces.collect(),
        |piece| vec![Piece::parse(text, piece, sizes.run)],
        |mut pieces, more| {
            pieces.extend(more);
            pieces
        },
    )
}

impl Piece {
    fn parse(text: &[u8], lines: Range<usize>, min_run: usize) -> Piece {
        let line_ends = memchr::memchr_iter(b'\n', &text[lines.clone()]).count();
        let mut piece = Piece { line_ends, ..Piece::default() };
        for words in lines_of(text, lines.clone()) {
            let start = words.range().start;
            let is_scattered = (piece.runs.len() + 1).saturating_mul(min_run) > lines.len();
            if is_scattered || !piece.line(words, start) {
                piece.leave(start);
            }
            // What is behind a value that cannot be read is hardly ever wanted.
            if is_scattered || piece.is_malformed {
                break;
            }
        }
        piece.close(lines.end);
        piece
    }

    /// Reads a line if it is plain.
    #[inline]
    fn line(&mut self, mut words: Words, start: usize) -> bool {
        let read = match words.next() {
            Some(b"v") => Lists::position,
            Some(b"vt") => Lists::uv,
            Some(b"vn") => Lists::normal,
            Some(b"f") => return self.face(words.rest(), start),
            None | Some([b'#', ..]) => return true,
            Some(_) => return false,
        };
        if self.sort() != Some(Sort::Values) {
            self.begin(Sort::Values, start);
        }
        self.is_malformed = read(&mut self.lists, words).is_err();
        !self.is_malformed
    }

    #[inline]
    fn face(&mut self, corners: &[u8], start: usize) -> bool {
        match self.runs.last_mut() {
            Some(run) if run.sort != Sort::Others => run.sort = Sort::Faces,
            _ => self.begin(Sort::Faces, start),
        }
        let (first, mut needed, mut bare) = (self.corners.len(), [0; 3], false);
        let mut rest = corners;
        while let Some(blanks) = rest.iter().position(|byte| !is_blank(*byte)).filter(|at| rest[*at] != b'#')
        {
            rest = &rest[blanks..];
            let Some((corner, length)) = plain(rest) else {
                self.corners.truncate(first);
                return false;
            };
            rest = &rest[length..];
            for (needed, index) in needed.iter_mut().zip(corner) {
                // Nothing is needed for one that is absent.
                *needed = index.wrapping_add(1).max(*needed);
            }
            bare |= corner[2] == ABSENT;
            self.corners.push(corner);
        }
        self.faces.push((self.corners.len() - first) as u32);
        self.bare += usize::from(bare);
        if let Some(run) = self.runs.last_mut() {
            run.needed = std::array::from_fn(|kind| run.needed[kind].max(needed[kind]));
        }
        true
    }

    /// Leaves the line that begins here to be read alone.
    fn leave(&mut self, start: usize) {
        // A run that began with it has nothing else.
        self.runs.pop_if(|run| run.lines.start == start);
        if self.sort() != Some(Sort::Others) {
            self.begin(Sort::Others, start);
        }
    }

    fn sort(&self) -> Option<Sort> {
        self.runs.last().map(|run| run.sort)
    }

    fn marks(&self) -> Marks {
        let (counts, corners, faces) = (self.lists.counts(), self.corners.len(), self.faces.len());
        Marks { counts, corners, faces, bare: self.bare }
    }

    /// Begins a run.
    fn begin(&mut self, sort: Sort, at: usize) {
        self.close(at);
        let start = self.marks();
        self.runs.push(Run { lines: at..at, sort, needed: [0; 3], start, end: start });
    }

    /// Ends the last run.
    fn close(&mut self, at: usize) {
        let end = self.marks();
        if let Some(run) = self.runs.last_mut() {
            run.lines.end = at;
            run.end = end;
        }
    }
}
