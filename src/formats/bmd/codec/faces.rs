//! Converts packed faces to vertex indices and back, individually and in bulk. The bit ranges of the indices come from
//! the fields v0, v1, … of the packed words.

use super::super::bits::{extract_bits, extract_field};
use super::super::document::{Face, FaceCounts, Faces};
use super::super::schema::{FaceTag, Form, FormRow, PackedFace, Surface, WordVisitor};
use super::runs::leading_run;
use crate::layout::Layout;
use crate::layout::declaration::{BitRange, Declaration, Shape, Type};
use crate::{Error, Result, path};

#[derive(Clone, Copy)]
pub struct FaceForm {
    /// Number of 32-bit words.
    words: usize,
    /// The word with only its tag set.
    tag: u64,
    /// The bit range of each vertex index.
    corners: [BitRange; 4],
    /// Number of vertices, 3 or 4.
    corner_count: usize,
    /// The bit range of the second tag; empty if the form has none.
    tag2: BitRange,
}

/// The fields that store the vertex indices of a face.
pub const CORNER_FIELDS: [&str; 4] = ["v0", "v1", "v2", "v3"];

const NO_BITS: BitRange = BitRange {
    offset: 0,
    width: 0,
};

impl FaceForm {
    const EMPTY: Self = Self {
        words: 0,
        tag: 0,
        corners: [NO_BITS; 4],
        corner_count: 0,
        tag2: NO_BITS,
    };

    /// Derives the form, except for its tag, from the fields of the packed word.
    const fn from_type(ty: &Type) -> FaceForm {
        let mut form = FaceForm::EMPTY;
        if let Type::Declared(Declaration {
            shape: Shape::Bits { size, fields },
            ..
        }) = ty
        {
            form.words = *size as usize / 4;
            let mut index = 0;
            while index < fields.len() {
                match fields[index].name.as_bytes() {
                    [b'v', b'0'..=b'3'] => {
                        form.corners[form.corner_count] = fields[index].bits;
                        form.corner_count += 1;
                    }
                    b"tag2" => form.tag2 = fields[index].bits,
                    _ => {}
                }
                index += 1;
            }
        }
        form
    }

    /// Returns a face of this form; a triangle uses the first three vertices.
    #[inline(always)]
    fn to_face(self, [a, b, c, d]: [u32; 4]) -> Face {
        if self.corner_count == 3 {
            Face::Triangle([a, b, c])
        } else {
            Face::Quad([a, b, c, d])
        }
    }

    /// Returns `true` if the form has as many vertices as the face, and the indices fit its bit ranges.
    fn fits(&self, face: Face) -> bool {
        let vertices = face.vertices();
        vertices.len() == self.corner_count
            && vertices
                .iter()
                .zip(self.corners)
                .all(|(v, bits)| v >> bits.width == 0)
    }

    /// Packs a face that fits the form.
    fn pack(&self, face: Face) -> u64 {
        let corners = face.vertices().iter().zip(self.corners);
        corners.fold(self.tag, |word, (v, bits)| {
            word | u64::from(*v) << bits.offset
        })
    }
}

/// The forms, smallest first.
static FORMS: [FaceForm; PackedFace::FORMS.len()] = {
    let mut forms = [FaceForm::EMPTY; PackedFace::FORMS.len()];
    let mut index = 0;
    while index < forms.len() {
        let FormRow { tag, ty, .. } = &PackedFace::FORMS[index];
        forms[index] = FaceForm::from_type(ty);
        if let Some(tag) = tag {
            forms[index].tag = (*tag as u64) << FaceTag::TAG.offset;
        }
        index += 1;
    }
    forms
};

impl PackedFace {
    fn face_form(self) -> &'static FaceForm {
        &FORMS[self.form_index()]
    }

    fn to_word(self) -> u64 {
        let [low, high, ..] = self.words();
        u64::from(high) << 32 | u64::from(low)
    }

    /// Returns the face in every form that fits its indices, smallest first.
    pub(in super::super) fn in_fitting_forms(face: Face) -> impl Iterator<Item = PackedFace> {
        FORMS
            .iter()
            .filter(move |form| form.fits(face))
            .filter_map(move |form| {
                let word = form.pack(face);
                PackedFace::read_first(&[word as u32, (word >> 32) as u32], Surface::default())
            })
    }

    /// Returns the smallest form that fits the face; `None` if an index exceeds 20 bits, or 15 bits in a quad.
    pub fn smallest(face: Face) -> Option<PackedFace> {
        PackedFace::in_fitting_forms(face).next()
    }

    /// The vertex indices.
    pub fn value(self) -> Face {
        let (form, word) = (self.face_form(), self.to_word());
        form.to_face(form.corners.map(|corner| extract_field(corner, word)))
    }

    /// The number of vertices, 3 or 4.
    pub fn corner_count(self) -> usize {
        self.face_form().corner_count
    }

    /// The width of a vertex index in bits.
    pub fn index_bits(self) -> u32 {
        self.face_form().corners[0].width
    }

    /// The second tag, in the two highest bits; 0 if the form has none. The specification requires 0 (B13).
    pub fn tag2(self) -> u8 {
        extract_field(self.face_form().tag2, self.to_word()) as u8
    }
}

impl Faces {
    /// Encodes faces, each in the smallest form that fits its indices.
    ///
    /// # Errors
    ///
    /// Returns an error if an index exceeds 20 bits, or 15 bits in a quad. The path ends in the field of the index.
    pub fn encode(faces: &[Face]) -> Result<Faces> {
        let mut words = Vec::with_capacity(faces.len());
        for (index, face) in faces.iter().enumerate() {
            let form = FORMS
                .iter()
                .find(|form| form.fits(*face))
                .ok_or_else(|| too_large(*face, index))?;
            let word = form.pack(*face);
            words.extend_from_slice(&[word as u32, (word >> 32) as u32][..form.words]);
        }
        Faces::from_words(words)
    }

    /// Decodes the faces one by one.
    pub fn iter(&self) -> impl Iterator<Item = Face> + use<'_> {
        self.packed_items().map(PackedFace::value)
    }

    /// Counts the triangles and quads.
    pub fn counts(&self) -> FaceCounts {
        let mut counts = FaceCounts::default();
        self.visit_runs(&mut counts);
        counts
    }

    /// Triangulates the faces in order: a quad (0, 1, 2, 3) becomes (0, 1, 2) and (0, 2, 3).
    ///
    /// ```
    /// use meshspec::bmd::{Face, Faces};
    ///
    /// let faces = Faces::encode(&[Face::Quad([0, 1, 2, 3]), Face::Triangle([1, 0, 4])])?;
    /// assert_eq!(faces.triangles(), [[0, 1, 2], [0, 2, 3], [1, 0, 4]]);
    /// # Ok::<(), meshspec::Error>(())
    /// ```
    pub fn triangles(&self) -> Vec<[u32; 3]> {
        // Reserves space as if all faces were quads, and later frees the excess.
        let mut triangles = Vec::with_capacity(2 * self.len());
        self.visit_runs(&mut triangles);
        triangles.shrink_to_fit();
        triangles
    }

    /// Decodes all faces in bulk, to the same values as [`iter`](Faces::iter).
    pub fn to_vec(&self) -> Vec<Face> {
        let mut faces = Vec::with_capacity(self.len());
        self.visit_runs(&mut faces);
        faces
    }

    /// Passes all faces to `sink`, consecutive faces of one form together.
    #[inline(always)]
    pub(super) fn visit_runs(&self, sink: &mut impl FaceSink) {
        let mut rest = self.words();
        while !rest.is_empty() {
            let (_, form) = PackedFace::form_of(PackedFace::tag_of(rest), Surface::default());
            let visitor = FaceRunVisitor {
                words: rest,
                form,
                sink,
            };
            let Some(consumed) = PackedFace::with_word(form, visitor) else {
                break;
            };
            rest = if consumed > 0 {
                &rest[consumed..]
            } else {
                visit_one_by_one(rest, sink)
            };
        }
    }
}

/// Passes up to 32 faces of a mixed list to `sink`. Uses a table because branches on tags would be unpredictable.
/// Returns the remaining words.
#[inline(always)]
fn visit_one_by_one<'a>(mut words: &'a [u32], sink: &mut impl FaceSink) -> &'a [u32] {
    const MAX_FACES: usize = 32;
    for _ in 0..MAX_FACES {
        let (low, high) = match words {
            [low, high, ..] => (*low, *high),
            [low] => (*low, 0),
            [] => break,
        };
        let word = u64::from(high) << 32 | u64::from(low);
        let (_, index) = PackedFace::form_of(PackedFace::tag_of(words), Surface::default());
        let form = &FORMS[index % FORMS.len()];
        sink.start_run(index, words, [extract_field(form.tag2, word)].into_iter());
        sink.add_face(form, form.corners.map(|corner| extract_field(corner, word)));
        words = words.get(form.words..).unwrap_or_default();
    }
    words
}

fn too_large(face: Face, index: usize) -> Error {
    let forms = FORMS
        .iter()
        .filter(|form| form.corner_count == face.vertices().len());
    let bits = forms
        .map(|form| form.corners[0].width)
        .max()
        .unwrap_or_default();
    let hint = if let Face::Quad(_) = face {
        "; split it into triangles"
    } else {
        ""
    };
    let corner = face
        .vertices()
        .iter()
        .position(|vertex| *vertex >= 1 << bits)
        .unwrap_or(0);
    let vertex = face.vertices().get(corner).copied().unwrap_or(0);
    let message = format!("index {vertex} exceeds the {bits} bits of this face{hint}");
    Error::inexpressible(message).at(path!(faces[index].(CORNER_FIELDS[corner])))
}

/// Receives runs of faces of one form.
pub trait FaceSink {
    fn add_triangles(&mut self, run: impl ExactSizeIterator<Item = [u32; 3]>);
    fn add_quads(&mut self, run: impl ExactSizeIterator<Item = [u32; 4]>);

    /// Receives a face of any form; the fourth vertex of a triangle is 0.
    fn add_face(&mut self, form: &FaceForm, corners: [u32; 4]);

    /// Receives the form index of a run, the words starting at its first face, and the second tags of its faces.
    #[inline(always)]
    fn start_run(&mut self, _form: usize, _first: &[u32], _tag2: impl Iterator<Item = u32>) {}
}

impl FaceSink for FaceCounts {
    #[inline(always)]
    fn add_triangles(&mut self, run: impl ExactSizeIterator<Item = [u32; 3]>) {
        self.triangles += run.len();
    }

    #[inline(always)]
    fn add_quads(&mut self, run: impl ExactSizeIterator<Item = [u32; 4]>) {
        self.quads += run.len();
    }

    #[inline(always)]
    fn add_face(&mut self, form: &FaceForm, _: [u32; 4]) {
        self.triangles += usize::from(form.corner_count == 3);
        self.quads += usize::from(form.corner_count == 4);
    }
}

impl FaceSink for Vec<[u32; 3]> {
    #[inline(always)]
    fn add_triangles(&mut self, run: impl ExactSizeIterator<Item = [u32; 3]>) {
        self.extend(run);
    }

    #[inline(always)]
    fn add_quads(&mut self, run: impl ExactSizeIterator<Item = [u32; 4]>) {
        self.extend(run.flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]));
    }

    #[inline(always)]
    fn add_face(&mut self, form: &FaceForm, [a, b, c, d]: [u32; 4]) {
        let len = self.len() + form.corner_count - 2;
        self.extend_from_slice(&[[a, b, c], [a, c, d]]);
        self.truncate(len);
    }
}

impl FaceSink for Vec<Face> {
    #[inline(always)]
    fn add_triangles(&mut self, run: impl ExactSizeIterator<Item = [u32; 3]>) {
        self.extend(run.map(Face::Triangle));
    }

    #[inline(always)]
    fn add_quads(&mut self, run: impl ExactSizeIterator<Item = [u32; 4]>) {
        self.extend(run.map(Face::Quad));
    }

    #[inline(always)]
    fn add_face(&mut self, form: &FaceForm, corners: [u32; 4]) {
        self.push(form.to_face(corners));
    }
}

/// Passes the leading run of faces with the same form in `words` to `sink`.
struct FaceRunVisitor<'a, S> {
    words: &'a [u32],
    form: usize,
    sink: &'a mut S,
}

impl<S: FaceSink> WordVisitor for FaceRunVisitor<'_, S> {
    /// The number of words consumed; 0 if the run has fewer than two faces.
    type Output = usize;

    #[inline(always)]
    fn visit<const N: usize, W: Layout>(self) -> usize {
        let FaceRunVisitor { words, form, sink } = self;
        let tag = PackedFace::tag_of(words);
        let run = leading_run::<N>(words, |face| PackedFace::tag_of(face) == tag);
        if let [] | [_] = run {
            return 0;
        }
        sink.start_run(form, words, run.iter().map(read_tag2::<N, W>));
        match const { FaceForm::from_type(&W::TYPE).corner_count } {
            3 => sink.add_triangles(run.iter().map(read_triangle::<N, W>)),
            _ => sink.add_quads(run.iter().map(read_quad::<N, W>)),
        }
        run.len() * N
    }
}

/// Returns the vertex index in field v`INDEX` of the packed word.
#[inline(always)]
fn read_corner<const INDEX: usize, const N: usize, W: Layout>(face: &[u32; N]) -> u32 {
    extract_bits(const { FaceForm::from_type(&W::TYPE).corners[INDEX] }, face)
}

/// Returns the second tag; 0 if the form has none.
#[inline(always)]
fn read_tag2<const N: usize, W: Layout>(face: &[u32; N]) -> u32 {
    match const { FaceForm::from_type(&W::TYPE).tag2 } {
        NO_BITS => 0,
        tag2 => extract_bits(tag2, face),
    }
}

#[inline(always)]
fn read_triangle<const N: usize, W: Layout>(face: &[u32; N]) -> [u32; 3] {
    [
        read_corner::<0, N, W>(face),
        read_corner::<1, N, W>(face),
        read_corner::<2, N, W>(face),
    ]
}

#[inline(always)]
fn read_quad<const N: usize, W: Layout>(face: &[u32; N]) -> [u32; 4] {
    let [a, b, c] = read_triangle::<N, W>(face);
    [a, b, c, read_corner::<3, N, W>(face)]
}
