//! Parses pieces of a text in parallel, as runs of plain lines, whose meaning does not depend on earlier lines.
//!
//! Plain lines are values, faces with absolute indices, comments and blank lines. The sequential reader parses all other
//! lines, and plain lines that turn out to depend on earlier ones.

use std::ops::Range;

use super::corners::{ABSENT, Corner, plain};
use super::values::{Counts, Lists};
use crate::interop::shared::text::{Words, is_blank, line_end, lines_of};
use crate::parallel::map_reduce;

/// The sizes of the parts in which a file is parsed.
#[derive(Debug, Clone, Copy)]
pub struct Sizes {
    /// The number of bytes in memory.
    pub window: usize,
    /// The number of bytes parsed per task.
    pub piece: usize,
    /// The minimum average size of runs in bytes: parsing shorter runs in parallel does not pay.
    pub run: usize,
}

impl Sizes {
    pub(super) const USUAL: Sizes = Sizes { window: 1 << 20, piece: 64 << 10, run: 64 };
}

/// A parsed range of whole lines.
#[derive(Debug, Default)]
pub(super) struct Piece {
    pub lists: Lists,
    /// The corners of all faces.
    pub corners: Vec<Corner>,
    /// The number of corners of each face.
    pub faces: Vec<u32>,
    /// The number of faces with a corner without a normal.
    without_normals: usize,
    pub runs: Vec<Run>,
    is_malformed: bool,
    /// The number of line ends.
    pub line_ends: usize,
}

/// Consecutive lines of one sort.
#[derive(Debug)]
pub(super) struct Run {
    pub lines: Range<usize>,
    pub sort: Sort,
    /// The minimum number of values of each kind that its faces refer to.
    pub needed: Corner,
    /// The totals of the piece at the start and end of the run.
    pub start: Totals,
    pub end: Totals,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    /// Values.
    Values,
    /// Optional values, then faces.
    Faces,
    /// Any other lines, for the sequential reader.
    Others,
}

/// Running totals of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Totals {
    pub counts: Counts,
    pub corners: usize,
    pub faces: usize,
    pub without_normals: usize,
}

/// Parses a range of a text.
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
            // Lines after a malformed value are rarely needed.
            if is_scattered || piece.is_malformed {
                break;
            }
        }
        piece.close(lines.end);
        piece
    }

    /// Parses a line if it is plain.
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
        let (first, mut needed, mut without_normals) = (self.corners.len(), [0; 3], false);
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
                // `ABSENT` wraps around to 0.
                *needed = index.wrapping_add(1).max(*needed);
            }
            without_normals |= corner[2] == ABSENT;
            self.corners.push(corner);
        }
        self.faces.push((self.corners.len() - first) as u32);
        self.without_normals += usize::from(without_normals);
        if let Some(run) = self.runs.last_mut() {
            run.needed = std::array::from_fn(|kind| run.needed[kind].max(needed[kind]));
        }
        true
    }

    /// Leaves the line that begins at `start` to the sequential reader.
    fn leave(&mut self, start: usize) {
        // A run that starts with this line is empty.
        self.runs.pop_if(|run| run.lines.start == start);
        if self.sort() != Some(Sort::Others) {
            self.begin(Sort::Others, start);
        }
    }

    fn sort(&self) -> Option<Sort> {
        self.runs.last().map(|run| run.sort)
    }

    fn totals(&self) -> Totals {
        let (counts, corners, faces) = (self.lists.counts(), self.corners.len(), self.faces.len());
        Totals { counts, corners, faces, without_normals: self.without_normals }
    }

    /// Begins a run.
    fn begin(&mut self, sort: Sort, at: usize) {
        self.close(at);
        let start = self.totals();
        self.runs.push(Run { lines: at..at, sort, needed: [0; 3], start, end: start });
    }

    /// Ends the last run.
    fn close(&mut self, at: usize) {
        let end = self.totals();
        if let Some(run) = self.runs.last_mut() {
            run.lines.end = at;
            run.end = end;
        }
    }
}
