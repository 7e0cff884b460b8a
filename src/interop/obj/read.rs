//! The statements of OBJ.

use std::collections::BTreeMap;
use std::ops::Range;

use super::corners::{Corner, Corners};
use crate::interop::polygons::Polygons;
use crate::interop::text::{Words, lines, place, quote, refuse};
use crate::scene::Mesh;
use crate::{Error, ErrorKind, Limits, Loss, Result, Strictness};

/// Number of kinds of other statements that are listed.
const MAX_KINDS: usize = 50;

/// What a file says.
#[derive(Default)]
pub(super) struct File<'a> {
    pub lists: Lists,
    pub parts: Vec<Part<'a>>,
    /// The files that `mtllib` names.
    pub libraries: Vec<&'a [u8]>,
    /// The last object or group.
    pub name: Name<'a>,
    /// What there was that has no place in a scene.
    pub others: Others<'a>,
}

/// What faces refer to by number.
#[derive(Default)]
pub(super) struct Lists {
    pub positions: Vec<[f32; 3]>,
    /// Red, green, blue, alpha, as far as positions have them.
    pub colors: Vec<Option<[f32; 4]>>,
    pub uvs: Vec<[f32; 2]>,
    pub normals: Vec<[f32; 3]>,
}

/// The object and group that faces belong to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Name<'a> {
    /// Objects of the same name are different objects.
    number: usize,
    pub object: &'a [u8],
    pub group: &'a [u8],
}

/// The faces of one mesh.
pub(super) struct Part<'a> {
    pub name: Name<'a>,
    pub material: &'a [u8],
    pub vertices: Vec<Corner>,
    pub faces: Polygons,
}

/// What has no place in a scene.
#[derive(Default)]
pub(super) struct Others<'a> {
    /// How often each statement is there, and where first.
    statements: BTreeMap<&'a [u8], (usize, Range<usize>)>,
    /// Positions with a weight other than 1.
    weights: usize,
    /// Texture coordinates with a third one other than 0.
    depths: usize,
    /// Faces without normals that are to be smooth.
    smooth: usize,
    /// Corners with numbers of texture coordinates and normals that are not in the file.
    missing: [usize; 3],
    /// Faces of positions that are not in the file, and faces that cannot be read.
    faces: usize,
    /// Whether the last line cannot be read, since the file ends in it.
    cut: bool,
}

impl Lists {
    fn counts(&self) -> Corner {
        // `Reader::position` and its like see to it that they fit.
        [self.positions.len() as u32, self.uvs.len() as u32, self.normals.len() as u32]
    }
}

struct Reader<'a> {
    file: File<'a>,
    corners: Corners,
    /// The corners of the face that is being read.
    face: Vec<Corner>,
    material: &'a [u8],
    smooth: bool,
    /// Whether there was a statement of OBJ.
    known: bool,
    /// The part for faces with this name and material.
    places: BTreeMap<(Name<'a>, &'a [u8]), usize>,
    /// That of the next face; `None` where the name or material changed.
    part: Option<usize>,
    limits: &'a Limits,
}

/// Leniently read, faces that cannot be read are left out, and so is the last line where the file ends in it.
pub(super) fn read<'a>(text: &'a [u8], strictness: Strictness, limits: &'a Limits) -> Result<File<'a>> {
    let mut reader = Reader {
        file: File::default(),
        corners: Corners::default(),
        face: Vec::new(),
        material: &[],
        smooth: false,
        known: false,
        places: BTreeMap::new(),
        part: None,
        limits,
    };
    for words in lines(text) {
        let mut rest = words.clone();
        let Err(error) = reader.line(words) else { continue };
        let is_cut = rest.ends_text() && !text.ends_with(b"\n");
        let is_face = rest.next() == Some(b"f");
        if strictness == Strictness::Strict || error.kind() != ErrorKind::Malformed || !(is_cut || is_face) {
            return Err(error);
        }
        let others = &mut reader.file.others;
        (others.cut, others.faces) = (is_cut, others.faces + usize::from(is_face && !is_cut));
    }
    let counts = reader.file.lists.counts();
    match strictness {
        Strictness::Strict => reader.corners.require_positions(text, counts)?,
        Strictness::Lenient => reader.drop_missing(counts[0]),
    }
    let vertices = reader.file.parts.iter_mut().flat_map(|part| &mut part.vertices);
    reader.file.others.missing = reader.corners.settle(counts, vertices);
    match reader.file.others.statements.iter().next() {
        _ if reader.known => Ok(reader.file),
        Some((word, (_, range))) => {
            let message = format!("not OBJ: {} is not a statement, and no line is one", quote(word));
            Err(refuse(text, range.clone(), message))
        }
        None => Err(refuse(text, 0..0, "not OBJ: no line is a statement")),
    }
}

impl<'a> Reader<'a> {
    #[inline]
    fn line(&mut self, mut words: Words<'a>) -> Result<()> {
        let Some(keyword) = words.next() else { return Ok(()) };
        match keyword {
            b"v" => self.position(words)?,
            b"vt" => self.uv(words)?,
            b"vn" => {
                let normal = words.numbers("a coordinate of the normal")?;
                push(&mut self.file.lists.normals, normal, &words)?;
            }
            b"f" => self.face(words)?,
            b"o" => {
                let number = self.file.name.number + 1;
                self.file.name = Name { number, object: words.rest_of_line(), group: &[] };
                self.part = None;
            }
            b"g" => {
                self.file.name.group = words.rest_of_line();
                self.part = None;
            }
            b"usemtl" => {
                self.material = words.rest_of_line();
                self.part = None;
            }
            b"mtllib" => self.file.libraries.push(words.rest_of_line()),
            b"s" => self.smooth = !matches!(words.next(), None | Some(b"off" | b"0")),
            [b'#', ..] => return Ok(()),
            other => return self.skip(other, &words),
        }
        self.known = true;
        Ok(())
    }

    /// `v x y z`, then a weight, or red, green and blue, or these and alpha.
    #[inline]
    fn position(&mut self, mut words: Words) -> Result<()> {
        let position = words.numbers("a coordinate of the position")?;
        if let Some(first) = words.optional()? {
            match words.optional()? {
                Some(green) => {
                    let blue = words.number("the blue of the colour")?;
                    let alpha = words.optional()?.unwrap_or(1.0);
                    let lists = &mut self.file.lists;
                    lists.colors.resize(lists.positions.len(), None);
                    lists.colors.push(Some([first, green, blue, alpha]));
                }
                None => self.file.others.weights += usize::from(first != 1.0),
            }
        }
        push(&mut self.file.lists.positions, position, &words)
    }

    /// `vt u`, then v and a third coordinate if they are not 0.
    #[inline]
    fn uv(&mut self, mut words: Words) -> Result<()> {
        let u = words.number("a texture coordinate")?;
        let v = words.optional()?;
        let depth = if v.is_some() { words.optional()? } else { None };
        self.file.others.depths += usize::from(depth.is_some_and(|depth| depth != 0.0));
        push(&mut self.file.lists.uvs, [u, v.unwrap_or(0.0)], &words)
    }

    #[inline]
    fn face(&mut self, mut words: Words) -> Result<()> {
        let (counts, positions) = (self.file.lists.counts(), self.file.lists.positions.len());
        let missing = self.corners.missing;
        // A corner that is wrong later in the line shall leave nothing behind.
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
        let place = self.part(&words)?;
        let part = &mut self.file.parts[place];
        let mut bare = false;
        for corner in &self.face {
            bare |= corner[2] == super::corners::ABSENT;
            part.faces.corner(self.corners.vertex(place as u32, *corner, positions, &mut part.vertices));
        }
        part.faces.finish();
        self.file.others.smooth += usize::from(self.smooth && bare);
        Ok(())
    }

    /// Leaves out the faces of positions that never came, and their vertices.
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

    /// The part that faces go to.
    #[inline]
    fn part(&mut self, words: &Words) -> Result<usize> {
        if let Some(place) = self.part {
            return Ok(place);
        }
        let File { parts, name, .. } = &mut self.file;
        let place = *self.places.entry((*name, self.material)).or_insert_with(|| {
            let (vertices, faces) = (Vec::new(), Polygons::default());
            parts.push(Part { name: *name, material: self.material, vertices, faces });
            parts.len() - 1
        });
        // A line of a few bytes makes a part, which takes hundreds.
        let size = parts.len() * (size_of::<Part>() + size_of::<Mesh>());
        if size as u64 > self.limits.max_decoded {
            let message = format!(
                "{} meshes take more than the limit of {} bytes",
                parts.len(),
                self.limits.max_decoded
            );
            return Err(Error::limit_exceeded(message).with_span(Some(words.place())));
        }
        self.part = Some(place);
        Ok(place)
    }

    /// A statement that is not read. It is listed, unless it shows that this is no text.
    fn skip(&mut self, keyword: &'a [u8], words: &Words) -> Result<()> {
        if keyword.iter().any(u8::is_ascii_control) {
            return Err(words.refuse(format!("{} is not text", quote(keyword))));
        }
        let statements = &mut self.file.others.statements;
        if statements.len() < MAX_KINDS || statements.contains_key(keyword) {
            statements.entry(keyword).or_insert_with(|| (0, words.range())).0 += 1;
        }
        Ok(())
    }
}

/// Adds a value that faces can refer to.
#[inline]
fn push<T>(list: &mut Vec<T>, value: T, words: &Words) -> Result<()> {
    if list.len() >= super::corners::ABSENT as usize - 1 {
        let message = format!("more than {} values of one kind", list.len());
        return Err(Error::limit_exceeded(message).with_span(Some(words.place())));
    }
    list.push(value);
    Ok(())
}

impl Others<'_> {
    pub fn losses(&self, text: &[u8], losses: &mut Vec<Loss>) {
        for (keyword, (count, range)) in &self.statements {
            let keyword = keyword.escape_ascii();
            let detail = format!("{count}, the first at {}", place(text, range.clone()));
            losses.push(Loss::dropped(keyword.to_string(), "unsupported statements").detail(detail));
        }
        let counts = [
            ("v", self.weights, "weights of positions"),
            ("vt", self.depths, "third texture coordinates"),
            ("s", self.smooth, "smooth shading of faces without normals"),
            ("f", self.faces, "faces that cannot be read, or of positions that are not in the file"),
            ("", usize::from(self.cut), "the last line, in which the file ends"),
            ("f", self.missing[1], "texture coordinates of corners that are not in the file"),
            ("f", self.missing[2], "normals of corners that are not in the file"),
        ];
        for (path, count, what) in counts.into_iter().filter(|(_, count, _)| *count > 0) {
            losses.push(Loss::dropped(path, what).detail(count));
        }
    }
}
