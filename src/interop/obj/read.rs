//! Reads the statements of OBJ files.

use std::collections::BTreeMap;
use std::io::Read;

use super::corners::{ABSENT, Corner, CornerParser};
use super::file::{MeshName, MeshPart, ObjFile};
use super::pieces::{LineRun, ParseSizes, ParsedPiece, RunKind, parse_pieces};
use super::values::{MAX_NON_FINITE, MAX_VALUES};
use super::windows::WindowReader;
use crate::interop::shared::meshes::check_mesh_count;
use crate::interop::shared::polygons::Polygons;
use crate::interop::shared::text::{Words, first_line_offset, lines_in, locate, quote, shift_span};
use crate::parallel::join;
use crate::scene::limits::check_triangle_limit;
use crate::scene::push_index;
use crate::{Error, ErrorKind, Limits, Result, Span, Strictness};

/// The maximum number of kinds of unsupported statements to list.
const MAX_KINDS: usize = 50;

#[derive(Default)]
struct ObjReader {
    file: ObjFile,
    corners: CornerParser,
    /// The corners of the current face.
    face: Vec<Corner>,
    /// The number of triangles in all faces so far.
    triangle_count: usize,
    /// The number of vertices in all parts so far, including those that lenient reading drops at the end.
    vertex_count: usize,
    material: Vec<u8>,
    smooth: bool,
    /// Whether any supported statement was read.
    has_statements: bool,
    /// The index of the part with each name and material.
    part_indices: BTreeMap<(MeshName, Vec<u8>), usize>,
    /// The index of the part to which the next face belongs; `None` after a change of name or material.
    part: Option<usize>,
    /// The index and location of the first positions that are not finite.
    non_finite: Vec<(usize, Span)>,
    strictness: Strictness,
    limits: Limits,
    /// The numbers of bytes and lines before the window.
    window_start: (u64, u64),
}

/// Reads text in windows of whole lines. In lenient mode, drops unreadable faces and a truncated last line.
///
/// Two tasks run in parallel. One parses the pieces of the current window. The other adds the lines of the previous
/// window in order, resolving indices, then reads the next window.
pub(super) fn read(
    input: &mut (dyn Read + Send),
    strictness: Strictness,
    limits: &Limits,
    sizes: ParseSizes,
) -> Result<ObjFile> {
    let mut reader = ObjReader {
        strictness,
        limits: *limits,
        ..ObjReader::default()
    };
    let mut windows = WindowReader::new(input, sizes.window, limits);
    let (mut text, mut pieces) = (Vec::new(), Vec::new());
    let mut next = windows.next_window()?;
    let mut start = first_line_offset(&next);
    loop {
        let add = || (reader.add_window(&text, &pieces), windows.next_window());
        let ((added, after), parsed) = join(add, || parse_pieces(&next, start..next.len(), sizes));
        added?;
        if next.is_empty() {
            break;
        }
        (pieces, start) = (parsed, 0);
        let added = std::mem::replace(&mut text, std::mem::replace(&mut next, after?));
        windows.reuse(added);
    }
    reader.finish()
}

impl ObjReader {
    fn add_window(&mut self, text: &[u8], pieces: &[ParsedPiece]) -> Result<()> {
        for piece in pieces {
            for run in &piece.runs {
                if !self.add_run(piece, run) {
                    lines_in(text, run.lines.clone())
                        .try_for_each(|words| self.read_line(text, words))?;
                }
            }
        }
        self.file.lists.positions.drop_unneeded();
        self.check_limits()?;
        let (bytes, lines) = self.window_start;
        self.corners.end_window(text, bytes, lines);
        let free = MAX_NON_FINITE - self.non_finite.len().min(MAX_NON_FINITE);
        for (index, keyword) in self.file.lists.non_finite.drain(..).take(free) {
            self.non_finite
                .push((index, shift_span(locate(text, keyword), bytes, lines)));
        }
        let line_ends: usize = pieces.iter().map(|piece| piece.line_ends).sum();
        self.window_start = (bytes + text.len() as u64, lines + line_ends as u64);
        Ok(())
    }

    /// Returns an error if the number of values of a kind, vertices or triangles, or the size of library names exceeds
    /// the limit.
    fn check_limits(&self) -> Result<()> {
        let values = self.file.lists.counts().values;
        // 32 bytes of library names count as one triangle.
        let names = self.file.libraries.len() / 32;
        let max = values
            .into_iter()
            .chain([self.vertex_count, self.triangle_count])
            .fold(names, usize::max);
        check_triangle_limit(max as u64, self.limits.max_triangles)
    }

    /// Adds a run. Returns `false` if its lines must be read sequentially.
    fn add_run(&mut self, piece: &ParsedPiece, run: &LineRun) -> bool {
        let LineRun {
            kind,
            required_counts,
            start,
            end,
            ..
        } = run;
        let [counts, first, last] =
            [self.file.lists.counts(), start.counts, end.counts].map(|c| c.values);
        let available: [usize; 3] =
            std::array::from_fn(|kind| counts[kind] + last[kind] - first[kind]);
        let mut pairs = available.iter().zip(required_counts);
        let is_complete = pairs.all(|(have, need)| (*need as usize..=MAX_VALUES).contains(have));
        if *kind == RunKind::Sequential || !is_complete {
            return false;
        }
        if end.faces > start.faces {
            let Ok(index) = self.current_part() else {
                return false;
            };
            self.triangle_count +=
                (end.corners - start.corners).saturating_sub(2 * (end.faces - start.faces));
            let part = &mut self.file.parts[index];
            let mut corners = &piece.corners[start.corners..end.corners];
            for count in &piece.faces[start.faces..end.faces] {
                let (face, others) = corners.split_at(*count as usize);
                corners = others;
                self.vertex_count +=
                    part.add_face(index as u32, face, available[0], &mut self.corners);
            }
            if self.smooth {
                self.file.dropped.smooth_face_count +=
                    end.faces_without_normals - start.faces_without_normals;
            }
        }
        self.file
            .lists
            .extend(&piece.lists, &start.counts, &end.counts);
        self.has_statements = true;
        true
    }

    /// Reads a line. In lenient mode, drops malformed faces and a truncated last line.
    fn read_line(&mut self, text: &[u8], words: Words) -> Result<()> {
        let mut rest = words.clone();
        let Err(error) = self.read_statement(words) else {
            return Ok(());
        };
        let is_truncated = rest.ends_text() && !matches!(text.last(), Some(b'\r' | b'\n'));
        let is_face = rest
            .next()
            .is_some_and(|keyword| keyword.eq_ignore_ascii_case(b"f"));
        let is_forgiven = error.kind() == ErrorKind::Malformed && (is_truncated || is_face);
        if self.strictness == Strictness::Strict || !is_forgiven {
            let (bytes, lines) = self.window_start;
            let span = error
                .span()
                .map(|span| shift_span(span.clone(), bytes, lines));
            return Err(error.with_span(span));
        }
        let dropped = &mut self.file.dropped;
        dropped.is_truncated = is_truncated;
        dropped.face_count += usize::from(is_face && !is_truncated);
        Ok(())
    }

    fn finish(mut self) -> Result<ObjFile> {
        self.file.lists.positions.begin_object();
        self.file.lists.positions.finish();
        let counts = self.file.lists.u32_counts();
        match self.strictness {
            Strictness::Strict => {
                self.corners.require_positions(counts)?;
                self.require_finite_positions()?;
            }
            Strictness::Lenient => self.drop_missing_positions(),
        }
        let vertices = self
            .file
            .parts
            .iter_mut()
            .flat_map(|part| &mut part.vertices);
        self.file.dropped.missing_counts = self.corners.clear_unresolved(counts, vertices);
        if self.has_statements {
            return Ok(self.file);
        }
        let (message, span) = match self.file.dropped.statements.pop_first() {
            Some((word, (_, span))) => (
                format!(
                    "not OBJ: {} is not a statement, and no other line is one",
                    quote(&word)
                ),
                span,
            ),
            None => (
                "not OBJ: no line is a statement".to_owned(),
                locate(&[], 0..0),
            ),
        };
        Err(Error::malformed(message).with_span(Some(span)))
    }

    #[inline]
    fn read_statement(&mut self, mut words: Words) -> Result<()> {
        match words.next() {
            Some(keyword) => self.read_arguments(keyword, words),
            None => Ok(()),
        }
    }

    /// Reads the statement `keyword` whose arguments are `words`. Some programs write keywords in upper case.
    #[inline]
    fn read_arguments(&mut self, keyword: &[u8], mut words: Words) -> Result<()> {
        match keyword {
            b"v" => self.file.lists.parse_position(words)?,
            b"vt" => self.file.lists.parse_uv(words)?,
            b"vn" => self.file.lists.parse_normal(words)?,
            b"f" => self.read_face(words)?,
            b"o" => {
                self.file.lists.positions.begin_object();
                let (number, object) = (self.file.name.number + 1, words.name().into_owned());
                self.file.name = MeshName {
                    number,
                    object,
                    group: Vec::new(),
                };
                self.part = None;
            }
            b"g" => {
                self.file.lists.positions.begin_object();
                self.file.name.group = words.name().into_owned();
                self.part = None;
            }
            b"usemtl" => {
                self.material = words.name().into_owned();
                self.part = None;
            }
            b"mtllib" => {
                let name = words.name();
                let libraries = &mut self.file.libraries;
                // Skips repetitions of the previous line.
                if libraries.rsplit(|byte| *byte == b'\n').nth(1) != Some(&*name) {
                    libraries.extend_from_slice(&name);
                    libraries.push(b'\n');
                }
            }
            b"s" => self.smooth = !matches!(words.next(), None | Some(b"off" | b"0")),
            [b'#', ..] => return Ok(()),
            other if other.iter().any(u8::is_ascii_uppercase) => {
                return self.read_arguments(&other.to_ascii_lowercase(), words);
            }
            other => return self.record_unsupported(other, &words),
        }
        self.has_statements = true;
        Ok(())
    }

    #[inline]
    fn read_face(&mut self, mut words: Words) -> Result<()> {
        let (counts, positions) = (
            self.file.lists.u32_counts(),
            self.file.lists.positions.len(),
        );
        let missing = self.corners.missing_counts;
        // Parses all corners first, so that an error later in the line adds no vertices.
        self.face.clear();
        while let Some(word) = words.next_before_comment() {
            match self.corners.parse(word, &words, counts) {
                Ok(corner) => self.face.push(corner),
                Err(error) => {
                    self.corners.missing_counts = missing;
                    return Err(error);
                }
            }
        }
        let index = self
            .current_part()
            .map_err(|error| error.with_span(Some(words.span())))?;
        self.triangle_count += self.face.len().saturating_sub(2);
        let part = &mut self.file.parts[index];
        self.vertex_count += part.add_face(index as u32, &self.face, positions, &mut self.corners);
        let lacks_normals = self.smooth && self.face.iter().any(|corner| corner[2] == ABSENT);
        self.file.dropped.smooth_face_count += usize::from(lacks_normals);
        Ok(())
    }

    /// Returns an error if a face uses a position that is not finite.
    fn require_finite_positions(&self) -> Result<()> {
        let positions = &self.file.lists.positions;
        if positions.are_finite() {
            return Ok(());
        }
        let mut used = self
            .file
            .parts
            .iter()
            .flat_map(|part| &part.vertices)
            .map(|corner| corner[0]);
        let Some(index) = used.find(|index| !positions.is_finite(*index)) else {
            return Ok(());
        };
        let message = format!(
            "position {} is not finite, but a face uses it",
            u64::from(index) + 1
        );
        let location = self
            .non_finite
            .iter()
            .find(|(found, _)| *found == index as usize);
        Err(Error::malformed(message).with_span(location.map(|(_, span)| span.clone())))
    }

    /// Drops faces and vertices whose positions are missing or not finite.
    fn drop_missing_positions(&mut self) {
        let positions = &self.file.lists.positions;
        for part in &mut self.file.parts {
            let mut kept = 0;
            let mut new_index = |corner: &Corner| {
                let is_present = positions.is_finite(corner[0]);
                kept += u32::from(is_present);
                is_present.then(|| kept - 1)
            };
            let new_indices: Vec<_> = part.vertices.iter().map(&mut new_index).collect();
            if new_indices.contains(&None) {
                part.vertices
                    .retain(|corner| positions.is_finite(corner[0]));
                self.file.dropped.face_count += part
                    .faces
                    .map_corners(|corner| new_indices.get(corner as usize).copied().flatten());
            }
        }
        self.file.parts.retain(|part| !part.vertices.is_empty());
    }

    /// Returns the index of the current part, adding the part if it is new.
    #[inline]
    fn current_part(&mut self) -> Result<usize> {
        if let Some(index) = self.part {
            return Ok(index);
        }
        let ObjFile { parts, name, .. } = &mut self.file;
        let key = (name.clone(), self.material.clone());
        let index = *self
            .part_indices
            .entry(key)
            .or_insert_with_key(|(name, material)| {
                let (vertices, faces) = (Vec::new(), Polygons::default());
                push_index(
                    parts,
                    MeshPart {
                        name: name.clone(),
                        material: material.clone(),
                        vertices,
                        faces,
                    },
                )
            });
        check_mesh_count(parts.len(), size_of::<MeshPart>(), &self.limits)?;
        self.part = Some(index);
        Ok(index)
    }

    /// Records an unsupported statement. Returns an error if the keyword contains control characters.
    fn record_unsupported(&mut self, keyword: &[u8], words: &Words) -> Result<()> {
        if keyword.iter().any(u8::is_ascii_control) {
            return Err(words.reject(format!("{} is not text", quote(keyword))));
        }
        let statements = &mut self.file.dropped.statements;
        if let Some((count, _)) = statements.get_mut(keyword) {
            *count += 1;
        } else if statements.len() < MAX_KINDS {
            let span = shift_span(words.span(), self.window_start.0, self.window_start.1);
            statements.insert(keyword.to_vec(), (1, span));
        } else {
            self.file.dropped.other_statement_count += 1;
        }
        Ok(())
    }
}
