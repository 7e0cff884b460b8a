//! Reads the statements of OBJ.

use std::collections::BTreeMap;
use std::io::Read;

use super::corners::{ABSENT, Corner, Corners};
use super::pieces::{Piece, Run, Sizes, Sort, parse};
use super::values::{Lists, MAX_VALUES};
use super::windows::Windows;
use crate::interop::shared::polygons::Polygons;
use crate::interop::shared::text::{Words, first_line, lines_of, moved, place, quote};
use crate::parallel::join;
use crate::scene::Mesh;
use crate::scene::limits::{require_meshes, require_triangles};
use crate::{Category, Error, ErrorKind, Limit, Limits, Loss, Result, Span, Strictness};

/// The maximum number of listed kinds of unsupported statements.
const MAX_KINDS: usize = 50;

/// The content of a file.
#[derive(Debug, Default)]
pub(super) struct File {
    pub lists: Lists,
    pub parts: Vec<Part>,
    /// The arguments of `mtllib` statements, one per line.
    pub libraries: Vec<u8>,
    /// The last object or group.
    pub name: Name,
    /// The content that scenes cannot hold.
    pub others: Others,
}

/// The object and group that faces belong to.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Name {
    /// The number of the object, which distinguishes objects of the same name.
    number: usize,
    pub object: Vec<u8>,
    pub group: Vec<u8>,
}

/// The faces of one mesh.
#[derive(Debug)]
pub(super) struct Part {
    pub name: Name,
    pub material: Vec<u8>,
    pub vertices: Vec<Corner>,
    pub faces: Polygons,
}

/// The content that scenes cannot hold.
#[derive(Debug, Default)]
pub(super) struct Others {
    /// The count and first location of each unsupported statement.
    statements: BTreeMap<Vec<u8>, (usize, Span)>,
    /// The number of smooth faces without normals.
    smooth: usize,
    /// The number of corners with missing texture coordinates and normals.
    missing: [usize; 3],
    /// The number of unreadable faces and faces of missing positions.
    faces: usize,
    /// Whether the last line is truncated.
    cut: bool,
}

struct Reader<'a> {
    file: File,
    corners: Corners,
    /// The corners of the current face.
    face: Vec<Corner>,
    /// The number of triangles of all faces so far.
    triangles: usize,
    material: Vec<u8>,
    smooth: bool,
    /// Whether an OBJ statement was read.
    known: bool,
    /// The part of each name and material.
    places: BTreeMap<(Name, Vec<u8>), usize>,
    /// The part of the next face; `None` after a change of name or material.
    part: Option<usize>,
    strictness: Strictness,
    limits: &'a Limits,
    /// The number of bytes and lines before the window.
    before: (u64, u64),
}

/// Reads a text in windows. Lenient mode drops unreadable faces and a truncated last line.
///
/// Three steps run in parallel: reading the next window, parsing the pieces of a window, and adding the previous window
/// in order, which resolves indices.
pub(super) fn read(
    input: &mut (dyn Read + Send),
    strictness: Strictness,
    limits: &Limits,
    sizes: Sizes,
) -> Result<File> {
    let mut reader = Reader {
        file: File::default(),
        corners: Corners::default(),
        face: Vec::new(),
        triangles: 0,
        material: Vec::new(),
        smooth: false,
        known: false,
        places: BTreeMap::new(),
        part: None,
        strictness,
        limits,
        before: (0, 0),
    };
    let mut windows = Windows::new(input, sizes.window, limits);
    let (mut text, mut pieces) = (Vec::new(), Vec::new());
    let mut next = windows.next()?;
    let mut start = first_line(&next);
    loop {
        let add = || (reader.add(&text, &pieces), windows.next());
        let ((added, after), parsed) = join(add, || parse(&next, start..next.len(), sizes));
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

impl Reader<'_> {
    /// Adds the lines of a window.
    fn add(&mut self, text: &[u8], pieces: &[Piece]) -> Result<()> {
        for piece in pieces {
            for run in &piece.runs {
                if !self.add_run(piece, run) {
                    lines_of(text, run.lines.clone()).try_for_each(|words| self.line(text, words))?;
                }
            }
        }
        self.file.lists.positions.drop_unneeded();
        self.require_limits()?;
        let (bytes, lines) = self.before;
        self.corners.end_part(text, bytes, lines);
        let line_ends: usize = pieces.iter().map(|piece| piece.line_ends).sum();
        self.before = (bytes + text.len() as u64, lines + line_ends as u64);
        Ok(())
    }

    /// # Errors
    ///
    /// Returns an error if values or triangles exceed the limit.
    fn require_limits(&self) -> Result<()> {
        let values = self.file.lists.counts().values;
        // 32 bytes of names count as a triangle.
        let names = self.file.libraries.len() / 32;
        let count = values.into_iter().fold(names.max(self.triangles), usize::max);
        require_triangles(count as u64, self.limits.max_triangles)
    }

    /// Adds a run. Returns `false` if its lines must be read sequentially.
    fn add_run(&mut self, piece: &Piece, run: &Run) -> bool {
        let Run { sort, needed, start, end, .. } = run;
        let counts = self.file.lists.counts().values;
        let there: [usize; 3] =
            std::array::from_fn(|kind| counts[kind] + end.counts.values[kind] - start.counts.values[kind]);
        let fits = |kind: usize| there[kind] <= MAX_VALUES && needed[kind] as usize <= there[kind];
        if *sort == Sort::Others || !(0..3).all(fits) {
            return false;
        }
        if end.faces > start.faces {
            let Ok(place) = self.part() else { return false };
            self.triangles += (end.corners - start.corners).saturating_sub(2 * (end.faces - start.faces));
            let part = &mut self.file.parts[place];
            let mut corners = &piece.corners[start.corners..end.corners];
            for count in &piece.faces[start.faces..end.faces] {
                let (face, others) = corners.split_at(*count as usize);
                corners = others;
                for corner in face {
                    let vertex = self.corners.vertex(place as u32, *corner, there[0], &mut part.vertices);
                    part.faces.corner(vertex);
                }
                part.faces.finish();
            }
            self.file.others.smooth +=
                if self.smooth { end.without_normals - start.without_normals } else { 0 };
        }
        self.file.lists.extend(&piece.lists, &start.counts, &end.counts);
        self.known = true;
        true
    }

    /// Reads a line.
    fn line(&mut self, text: &[u8], words: Words) -> Result<()> {
        let mut rest = words.clone();
        let Err(error) = self.statement(words) else { return Ok(()) };
        let is_cut = rest.ends_text() && !text.ends_with(b"\n");
        let is_face = rest.next() == Some(b"f");
        let is_forgiven = error.kind() == ErrorKind::Malformed && (is_cut || is_face);
        if self.strictness == Strictness::Strict || !is_forgiven {
            let span = error.span().map(|span| self.in_file(span.clone()));
            return Err(error.with_span(span));
        }
        let others = &mut self.file.others;
        (others.cut, others.faces) = (is_cut, others.faces + usize::from(is_face && !is_cut));
        Ok(())
    }

    /// Converts a location in the window to one in the file.
    fn in_file(&self, span: Span) -> Span {
        moved(span, self.before.0, self.before.1)
    }

    fn finish(mut self) -> Result<File> {
        self.file.lists.positions.begin_object();
        self.file.lists.positions.finish();
        let counts = self.file.lists.numbered();
        match self.strictness {
            Strictness::Strict => self.corners.require_positions(counts)?,
            Strictness::Lenient => self.drop_missing(counts[0]),
        }
        let vertices = self.file.parts.iter_mut().flat_map(|part| &mut part.vertices);
        self.file.others.missing = self.corners.clear_unresolved(counts, vertices);
        if self.known {
            return Ok(self.file);
        }
        let (message, span) = match self.file.others.statements.pop_first() {
            Some((word, (_, span))) => {
                (format!("not OBJ: {} is not a statement, nor is any other line", quote(&word)), span)
            }
            None => ("not OBJ: no line is a statement".to_owned(), place(&[], 0..0)),
        };
        Err(Error::malformed(message).with_span(Some(span)))
    }

    #[inline]
    fn statement(&mut self, mut words: Words) -> Result<()> {
        let Some(keyword) = words.next() else { return Ok(()) };
        match keyword {
            b"v" => self.file.lists.position(words)?,
            b"vt" => self.file.lists.uv(words)?,
            b"vn" => self.file.lists.normal(words)?,
            b"f" => self.face(words)?,
            b"o" => {
                self.file.lists.positions.begin_object();
                let number = self.file.name.number + 1;
                self.file.name = Name { number, object: words.rest_of_line().to_vec(), group: Vec::new() };
                self.part = None;
            }
            b"g" => {
                self.file.lists.positions.begin_object();
                self.file.name.group = words.rest_of_line().to_vec();
                self.part = None;
            }
            b"usemtl" => {
                self.material = words.rest_of_line().to_vec();
                self.part = None;
            }
            b"mtllib" => {
                let name = words.rest_of_line();
                let libraries = &mut self.file.libraries;
                // Skips repetitions of the previous line.
                if libraries.rsplit(|byte| *byte == b'\n').nth(1) != Some(name) {
                    libraries.extend_from_slice(name);
                    libraries.push(b'\n');
                }
            }
            b"s" => self.smooth = !matches!(words.next(), None | Some(b"off" | b"0")),
            [b'#', ..] => return Ok(()),
            other => return self.skip(other, &words),
        }
        self.known = true;
        Ok(())
    }

    #[inline]
    fn face(&mut self, mut words: Words) -> Result<()> {
        let (counts, positions) = (self.file.lists.numbered(), self.file.lists.positions.len());
        let missing = self.corners.missing;
        // Collects all corners first, so that an error later in the line has no side effects.
        self.face.clear();
        while let Some(word) = words.next().filter(|word| !word.starts_with(b"#")) {
            match self.corners.parse(word, &words, counts) {
                Ok(corner) => self.face.push(corner),
                Err(error) => {
                    self.corners.missing = missing;
                    return Err(error);
                }
            }
        }
        let place = self.part().map_err(|error| error.with_span(Some(words.place())))?;
        self.triangles += self.face.len().saturating_sub(2);
        let part = &mut self.file.parts[place];
        let mut without_normals = false;
        for corner in &self.face {
            without_normals |= corner[2] == ABSENT;
            part.faces.corner(self.corners.vertex(place as u32, *corner, positions, &mut part.vertices));
        }
        part.faces.finish();
        self.file.others.smooth += usize::from(self.smooth && without_normals);
        Ok(())
    }

    /// Drops faces and vertices that refer to missing positions.
    fn drop_missing(&mut self, positions: u32) {
        for part in &mut self.file.parts {
            let mut kept = 0;
            let mut place = |corner: &Corner| {
                let is_there = corner[0] < positions;
                kept += u32::from(is_there);
                is_there.then(|| kept - 1)
            };
            let places: Vec<_> = part.vertices.iter().map(&mut place).collect();
            if places.contains(&None) {
                part.vertices.retain(|corner| corner[0] < positions);
                self.file.others.faces +=
                    part.faces.renumber(|corner| places.get(corner as usize).copied().flatten());
            }
        }
        self.file.parts.retain(|part| !part.vertices.is_empty());
    }

    /// Returns the current part, adding it if it is new.
    #[inline]
    fn part(&mut self) -> Result<usize> {
        if let Some(place) = self.part {
            return Ok(place);
        }
        let File { parts, name, .. } = &mut self.file;
        let key = (name.clone(), self.material.clone());
        let place = *self.places.entry(key).or_insert_with_key(|(name, material)| {
            let (vertices, faces) = (Vec::new(), Polygons::default());
            parts.push(Part { name: name.clone(), material: material.clone(), vertices, faces });
            parts.len() - 1
        });
        // A part takes hundreds of bytes, its line only a few.
        let size = parts.len() * (size_of::<Part>() + size_of::<Mesh>());
        if size as u64 > self.limits.max_decoded {
            let message = format!(
                "{} meshes take more than the limit of {} bytes",
                parts.len(),
                self.limits.max_decoded
            );
            return Err(Error::limit_exceeded(Limit::Decoded, message));
        }
        require_meshes(parts.len(), self.limits.max_triangles)?;
        self.part = Some(place);
        Ok(place)
    }

    /// Lists an unsupported statement. Returns an error if the file is not text.
    fn skip(&mut self, keyword: &[u8], words: &Words) -> Result<()> {
        if keyword.iter().any(u8::is_ascii_control) {
            return Err(words.reject(format!("{} is not text", quote(keyword))));
        }
        let statements = &mut self.file.others.statements;
        if let Some((count, _)) = statements.get_mut(keyword) {
            *count += 1;
        } else if statements.len() < MAX_KINDS {
            let span = moved(words.place(), self.before.0, self.before.1);
            statements.insert(keyword.to_vec(), (1, span));
        }
        Ok(())
    }
}

impl File {
    /// Lists the content that scenes cannot hold.
    pub fn losses(&self, losses: &mut Vec<Loss>) {
        let File { lists, others, .. } = self;
        for (keyword, (count, span)) in &others.statements {
            let detail = format!("{count}, the first at {span}");
            let loss = Loss::dropped(keyword.escape_ascii().to_string(), "unsupported statements");
            losses.push(loss.in_category(category(keyword)).detail(detail));
        }
        let counts = [
            ("v", lists.weights, "weights of positions"),
            ("vt", lists.depths, "third texture coordinates"),
            ("s", others.smooth, "smooth shading of faces without normals"),
            ("f", others.faces, "unreadable faces and faces of missing positions"),
            ("", usize::from(others.cut), "the last line, which is truncated"),
            ("f", others.missing[1], "missing texture coordinates of corners"),
            ("f", others.missing[2], "missing normals of corners"),
        ];
        for (path, count, what) in counts.into_iter().filter(|(_, count, _)| *count > 0) {
            losses.push(Loss::dropped(path, what).counting(count, what));
        }
    }
}

/// Returns the category of an unsupported statement: lines, points, curves and surfaces are geometry.
fn category(keyword: &[u8]) -> Category {
    match keyword {
        b"l" | b"p" | b"vp" | b"cstype" | b"deg" | b"curv" | b"curv2" | b"surf" | b"parm" | b"end" => {
            Category::Geometry
        }
        b"maplib" | b"usemap" => Category::Material,
        _ => Category::Other,
    }
}
