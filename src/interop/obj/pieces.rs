//! Parses pieces of text in parallel, divided into runs of plain lines and runs of other lines.
//!
//! Plain lines do not depend on earlier lines: values, faces with absolute indices, comments and blank lines. The
//! sequential reader parses all other lines, and runs with faces that refer to values not yet read.

use std::ops::Range;

use super::corners::{ABSENT, Corner, parse_absolute};
use super::values::{ValueCounts, ValueLists};
use crate::interop::shared::text::{Words, count_line_breaks, is_blank, line_end_after, lines_in};
use crate::parallel::map_reduce;

/// The sizes of the units in which a file is parsed.
#[derive(Debug, Clone, Copy)]
pub struct ParseSizes {
    /// The number of bytes read into memory at a time.
    pub window: usize,
    /// The number of bytes parsed per parallel task.
    pub piece: usize,
    /// The minimum average size of runs in bytes. Parsing shorter runs in parallel would take longer than sequentially.
    pub run: usize,
}

impl ParseSizes {
    pub(super) const DEFAULT: ParseSizes = ParseSizes {
        window: 1 << 20,
        piece: 64 << 10,
        run: 64,
    };
}

/// A parsed range of whole lines.
#[derive(Debug, Default)]
pub(super) struct ParsedPiece {
    pub lists: ValueLists,
    /// The corners of all faces, in face order.
    pub corners: Vec<Corner>,
    /// The number of corners of each face.
    pub faces: Vec<u32>,
    /// The number of faces in which at least one corner lacks a normal.
    faces_without_normals: usize,
    pub runs: Vec<LineRun>,
    is_malformed: bool,
    /// The number of line breaks.
    pub line_ends: usize,
}

/// Consecutive lines of the same kind.
#[derive(Debug)]
pub(super) struct LineRun {
    pub lines: Range<usize>,
    pub kind: RunKind,
    /// For each kind of value, the number of values that must precede the faces of the run.
    pub required_counts: Corner,
    /// The totals of the piece at the start and end of the run.
    pub start: RunningTotals,
    pub end: RunningTotals,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RunKind {
    /// Values only.
    Values,
    /// Optional values, followed by faces.
    Faces,
    /// Lines for the sequential reader.
    Sequential,
}

/// The numbers of values, corners and faces in a piece up to a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct RunningTotals {
    pub counts: ValueCounts,
    pub corners: usize,
    pub faces: usize,
    pub faces_without_normals: usize,
}

/// Divides a range of whole lines of `text` into pieces, and parses these in parallel.
pub(super) fn parse_pieces(
    text: &[u8],
    lines: Range<usize>,
    sizes: ParseSizes,
) -> Vec<ParsedPiece> {
    let mut start = lines.start;
    let pieces = std::iter::from_fn(|| {
        let from = start.saturating_add(sizes.piece).min(lines.end);
        let end = line_end_after(text, start, from, lines.end);
        let piece = std::mem::replace(&mut start, end)..end;
        (!piece.is_empty()).then_some(piece)
    });
    map_reduce(
        pieces.collect(),
        |piece| vec![ParsedPiece::parse(text, piece, sizes.run)],
        |mut pieces, more| {
            pieces.extend(more);
            pieces
        },
    )
}

impl ParsedPiece {
    fn parse(text: &[u8], lines: Range<usize>, min_run: usize) -> ParsedPiece {
        let line_ends = count_line_breaks(&text[lines.clone()]);
        let mut piece = ParsedPiece {
            line_ends,
            ..ParsedPiece::default()
        };
        for words in lines_in(text, lines.clone()) {
            let start = words.range().start;
            let is_scattered = (piece.runs.len() + 1).saturating_mul(min_run) > lines.len();
            if is_scattered || !piece.parse_line(words, start) {
                piece.defer_line(start);
            }
            // Reading usually stops at a malformed value.
            if is_scattered || piece.is_malformed {
                break;
            }
        }
        piece.end_run(lines.end);
        piece
    }

    /// Parses a line that begins at `start` if it is plain. Returns `true` if it was parsed.
    #[inline]
    fn parse_line(&mut self, mut words: Words, start: usize) -> bool {
        let read = match words.next() {
            Some(b"v") => ValueLists::parse_position,
            Some(b"vt") => ValueLists::parse_uv,
            Some(b"vn") => ValueLists::parse_normal,
            Some(b"f") => return self.parse_face(words.rest(), start),
            None | Some([b'#', ..]) => return true,
            Some(_) => return false,
        };
        if self.last_run_kind() != Some(RunKind::Values) {
            self.begin_run(RunKind::Values, start);
        }
        self.is_malformed = read(&mut self.lists, words).is_err();
        !self.is_malformed
    }

    #[inline]
    fn parse_face(&mut self, corners: &[u8], start: usize) -> bool {
        match self.runs.last_mut() {
            Some(run) if run.kind != RunKind::Sequential => run.kind = RunKind::Faces,
            _ => self.begin_run(RunKind::Faces, start),
        }
        let (first, mut required_counts, mut lacks_normals) = (self.corners.len(), [0; 3], false);
        let mut rest = corners;
        while let Some(blanks) = rest
            .iter()
            .position(|byte| !is_blank(*byte))
            .filter(|at| rest[*at] != b'#')
        {
            rest = &rest[blanks..];
            let Some((corner, length)) = parse_absolute(rest) else {
                self.corners.truncate(first);
                return false;
            };
            rest = &rest[length..];
            for (required, index) in required_counts.iter_mut().zip(corner) {
                // `ABSENT` wraps around to 0.
                *required = index.wrapping_add(1).max(*required);
            }
            lacks_normals |= corner[2] == ABSENT;
            self.corners.push(corner);
        }
        self.faces.push((self.corners.len() - first) as u32);
        self.faces_without_normals += usize::from(lacks_normals);
        if let Some(run) = self.runs.last_mut() {
            run.required_counts =
                std::array::from_fn(|i| run.required_counts[i].max(required_counts[i]));
        }
        true
    }

    /// Adds the line that begins at `start` to a run for the sequential reader.
    fn defer_line(&mut self, start: usize) {
        // If the last run begins with this line, it is empty.
        self.runs.pop_if(|run| run.lines.start == start);
        if self.last_run_kind() != Some(RunKind::Sequential) {
            self.begin_run(RunKind::Sequential, start);
        }
    }

    fn last_run_kind(&self) -> Option<RunKind> {
        self.runs.last().map(|run| run.kind)
    }

    fn totals(&self) -> RunningTotals {
        let (counts, corners, faces) = (self.lists.counts(), self.corners.len(), self.faces.len());
        RunningTotals {
            counts,
            corners,
            faces,
            faces_without_normals: self.faces_without_normals,
        }
    }

    /// Begins a run at the offset `at`, and ends the last run there.
    fn begin_run(&mut self, kind: RunKind, at: usize) {
        self.end_run(at);
        let start = self.totals();
        self.runs.push(LineRun {
            lines: at..at,
            kind,
            required_counts: [0; 3],
            start,
            end: start,
        });
    }

    /// Ends the last run at the offset `at`.
    fn end_run(&mut self, at: usize) {
        let end = self.totals();
        if let Some(run) = self.runs.last_mut() {
            run.lines.end = at;
            run.end = end;
        }
    }
}
