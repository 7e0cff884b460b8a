//! Converts packed faces to vertex indices and back, individually and in bulk, using the fields v0, v1, … of the
//! declared words.

use super::super::bits::{bits, field};
use super::super::document::{Face, FaceCounts, Faces};
use super::super::schema::{FaceTag, Form, FormRow, PackedFace, Surface, WordVisitor};
use super::runs::leading_run;
use crate::layout::Layout;
use crate::layout::declaration::{BitRange, Declaration, Shape, Type};
use crate::{Error, Result, path};

/// The properties of a face form.
#[derive(Clone, Copy)]
pub struct FaceForm {
    /// Number of 32-bit words.
    words: usize,
    /// The word with only its tag set.
    tag: u64,
    /// The bit range of each vertex index.
    corners: [BitRange; 4],
    /// Number of vertices, 3 or 4.
    len: usize,
    /// The bit range of the second tag; empty in some forms.
    tag2: BitRange,
}

/// The fields with the vertex indices of a face.
pub const CORNERS: [&str; 4] = ["v0", "v1", "v2", "v3"];

/// An empty bit range.
const NONE: BitRange = BitRange { offset: 0, width: 0 };

impl FaceForm {
    /// No form.
    const NONE: FaceForm = FaceForm { words: 0, tag: 0, corners: [NONE; 4], len: 0, tag2: NONE };

    /// Derives the form from the fields of the declared word.
    const fn of(row: &FormRow) -> FaceForm {
        let mut form = FaceForm::of_word(&row.ty);
        if let Some(tag) = row.tag {
            form.tag = (tag as u64) << FaceTag::TAG.offset;
        }
        form
    }

    const fn of_word(ty: &Type) -> FaceForm {
        let mut form = FaceForm::NONE;
        if let Type::Declared(Declaration { shape: Shape::Bits { size, fields }, .. }) = ty {
            form.words = *size as usize / 4;
            let mut index = 0;
            while index < fields.len() {
                match fields[index].name.as_bytes() {
                    [b'v', b'0'..=b'3'] => {
                        form.corners[form.len] = fields[index].bits;
                        form.len += 1;
                    }
                    b"tag2" => form.tag2 = fields[index].bits,
                    _ => {}
                }
                index += 1;
            }
        }
        form
    }

    /// Returns the face with these vertices; a triangle uses the first three.
    #[inline(always)]
    fn face(&self, [a, b, c, d]: [u32; 4]) -> Face {
        if self.len == 3 { Face::Triangle([a, b, c]) } else { Face::Quad([a, b, c, d]) }
    }

    /// Returns `true` if the indices fit the form.
    fn holds(&self, face: Face) -> bool {
        let vertices = face.vertices();
        vertices.len() == self.len && vertices.iter().zip(self.corners).all(|(v, bits)| v >> bits.width == 0)
    }

    /// Packs a face that fits the form.
    fn word(&self, face: Face) -> u64 {
        let corners = face.vertices().iter().zip(self.corners);
        corners.fold(self.tag, |word, (v, bits)| word | u64::from(*v) << bits.offset)
    }
}

/// The forms, smallest first.
static FORMS: [FaceForm; PackedFace::FORMS.len()] = {
    let mut forms = [FaceForm::NONE; PackedFace::FORMS.len()];
    let mut index = 0;
    while index < forms.len() {
        forms[index] = FaceForm::of(&PackedFace::FORMS[index]);
        index += 1;
    }
    forms
};

impl PackedFace {
    fn declared(self) -> &'static FaceForm {
        &FORMS[self.form_index()]
    }

    fn word(self) -> u64 {
        let [low, high, ..] = self.words();
        u64::from(high) << 32 | u64::from(low)
    }

    /// Returns the face in every form that it fits, smallest first.
    pub(in super::super) fn in_forms(face: Face) -> impl Iterator<Item = PackedFace> {
        FORMS.iter().filter(move |form| form.holds(face)).filter_map(move |form| {
            let word = form.word(face);
            PackedFace::first(&[word as u32, (word >> 32) as u32], Surface::default())
        })
    }

    /// Returns the smallest form that fits the face; `None` if an index exceeds 20 bits, or 15 bits in a quad.
    pub fn smallest(face: Face) -> Option<PackedFace> {
        PackedFace::in_forms(face).next()
    }

    /// The vertex indices.
    pub fn value(self) -> Face {
        let (form, word) = (self.declared(), self.word());
        form.face(form.corners.map(|corner| field(corner, word)))
    }

    /// The number of vertices, 3 or 4.
    pub fn corners(self) -> usize {
        self.declared().len
    }

    /// The width of a vertex index in bits.
    pub fn index_bits(self) -> u32 {
        self.declared().corners[0].width
    }

    /// The second tag, in the two highest bits; 0 if the form has none. The specification requires 0 (B13).
    pub fn tag2(self) -> u8 {
        field(self.declared().tag2, self.word()) as u8
    }
}

impl Faces {
    /// Encodes faces, each in the smallest form that fits its indices.
    ///
    /// # Errors
    ///
    /// If an index exceeds 20 bits, or 15 bits in a quad. The error names the vertex of the face.
    pub fn encode(faces: &[Face]) -> Result<Faces> {
        let mut words = Vec::with_capacity(faces.len());
        for (index, face) in faces.iter().enumerate() {
            let form = FORMS.iter().find(|form| form.holds(*face)).ok_or_else(|| too_large(*face, index))?;
            let word = form.word(*face);
            words.extend_from_slice(&[word as u32, (word >> 32) as u32][..form.words]);
        }
        Faces::from_words(words)
    }

    /// Decodes the faces one by one.
    pub fn iter(&self) -> impl Iterator<Item = Face> + use<'_> {
        self.packed().map(PackedFace::value)
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
        // Reserves enough for a mesh of quads; the excess is freed.
        let mut triangles = Vec::with_capacity(2 * self.len());
        self.visit_runs(&mut triangles);
        triangles.shrink_to_fit();
        triangles
    }

    /// Decodes all faces in bulk, with the values of [`iter`](Faces::iter).
    pub fn to_vec(&self) -> Vec<Face> {
        let mut faces = Vec::with_capacity(self.len());
        self.visit_runs(&mut faces);
        faces
    }

    /// Passes all faces to `sink`, consecutive faces of one form together.
    #[inline(always)]
    pub(super) fn visit_runs(&self, sink: &mut impl Sink) {
        let mut rest = self.words();
        while !rest.is_empty() {
            let (_, form) = PackedFace::form_of(PackedFace::tag_of(rest), Surface::default());
            let run = Run { words: rest, form, sink };
            let Some(taken) = PackedFace::with_word(form, run) else { break };
            rest = if taken > 0 { &rest[taken..] } else { one_by_one(rest, sink) };
        }
    }
}

/// Passes faces of a mixed list to `sink`, by table lookup because branches on tags would be unpredictable. Returns
/// the remaining words.
#[inline(always)]
fn one_by_one<'a>(mut words: &'a [u32], sink: &mut impl Sink) -> &'a [u32] {
    const SOME: usize = 32;
    for _ in 0..SOME {
        let (low, high) = match words {
            [low, high, ..] => (*low, *high),
            [low] => (*low, 0),
            [] => break,
        };
        let word = u64::from(high) << 32 | u64::from(low);
        let (_, index) = PackedFace::form_of(PackedFace::tag_of(words), Surface::default());
        let form = &FORMS[index % FORMS.len()];
        sink.words(index, words, [field(form.tag2, word)].into_iter());
        sink.face(form, form.corners.map(|corner| field(corner, word)));
        words = words.get(form.words..).unwrap_or_default();
    }
    words
}

fn too_large(face: Face, index: usize) -> Error {
    let forms = FORMS.iter().filter(|form| form.len == face.vertices().len());
    let bits = forms.map(|form| form.corners[0].width).max().unwrap_or_default();
    let hint = if let Face::Quad(_) = face { "; split it into triangles" } else { "" };
    let corner = face.vertices().iter().position(|vertex| *vertex >= 1 << bits).unwrap_or(0);
    let vertex = face.vertices().get(corner).copied().unwrap_or(0);
    let message = format!("index {vertex} exceeds the {bits} bits of this face{hint}");
    Error::inexpressible(message).at(path!(faces[index].(CORNERS[corner])))
}

/// Receives runs of faces of one form.
pub trait Sink {
    fn triangles(&mut self, run: impl ExactSizeIterator<Item = [u32; 3]>);
    fn quads(&mut self, run: impl ExactSizeIterator<Item = [u32; 4]>);

    /// Receives a face of any form; the fourth vertex of a triangle is 0.
    fn face(&mut self, form: &FaceForm, corners: [u32; 4]);

    /// Receives the index of the form, the words of the first face, and the second tags of all faces.
    #[inline(always)]
    fn words(&mut self, _form: usize, _first: &[u32], _tag2: impl Iterator<Item = u32>) {}
}

impl Sink for FaceCounts {
    #[inline(always)]
    fn triangles(&mut self, run: impl ExactSizeIterator<Item = [u32; 3]>) {
        self.triangles += run.len();
    }

    #[inline(always)]
    fn quads(&mut self, run: impl ExactSizeIterator<Item = [u32; 4]>) {
        self.quads += run.len();
    }

    #[inline(always)]
    fn face(&mut self, form: &FaceForm, _: [u32; 4]) {
        self.triangles += usize::from(form.len == 3);
        self.quads += usize::from(form.len == 4);
    }
}

impl Sink for Vec<[u32; 3]> {
    #[inline(always)]
    fn triangles(&mut self, run: impl ExactSizeIterator<Item = [u32; 3]>) {
        self.extend(run);
    }

    #[inline(always)]
    fn quads(&mut self, run: impl ExactSizeIterator<Item = [u32; 4]>) {
        self.extend(run.flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]));
    }

    #[inline(always)]
    fn face(&mut self, form: &FaceForm, [a, b, c, d]: [u32; 4]) {
        let len = self.len() + form.len - 2;
        self.extend_from_slice(&[[a, b, c], [a, c, d]]);
        self.truncate(len);
    }
}

impl Sink for Vec<Face> {
    #[inline(always)]
    fn triangles(&mut self, run: impl ExactSizeIterator<Item = [u32; 3]>) {
        self.extend(run.map(Face::Triangle));
    }

    #[inline(always)]
    fn quads(&mut self, run: impl ExactSizeIterator<Item = [u32; 4]>) {
        self.extend(run.map(Face::Quad));
    }

    #[inline(always)]
    fn face(&mut self, form: &FaceForm, corners: [u32; 4]) {
        self.push(form.face(corners));
    }
}

/// The run of faces of one form at the start of these words.
struct Run<'a, S> {
    words: &'a [u32],
    form: usize,
    sink: &'a mut S,
}

impl<S: Sink> WordVisitor for Run<'_, S> {
    /// The number of words consumed; 0 if the list is mixed.
    type Output = usize;

    #[inline(always)]
    fn visit<const N: usize, W: Layout>(self) -> usize {
        let Run { words, form, sink } = self;
        let tag = PackedFace::tag_of(words);
        let run = leading_run::<N>(words, |face| PackedFace::tag_of(face) == tag);
        if let [] | [_] = run {
            return 0;
        }
        sink.words(form, words, run.iter().map(tag2::<N, W>));
        match const { FaceForm::of_word(&W::TYPE).len } {
            3 => sink.triangles(run.iter().map(triangle::<N, W>)),
            _ => sink.quads(run.iter().map(quad::<N, W>)),
        }
        run.len() * N
    }
}

/// Returns a vertex field of the declared word.
#[inline(always)]
fn corner<const INDEX: usize, const N: usize, W: Layout>(face: &[u32; N]) -> u32 {
    bits(const { FaceForm::of_word(&W::TYPE).corners[INDEX] }, face)
}

/// Returns the second tag, if the form has one.
#[inline(always)]
fn tag2<const N: usize, W: Layout>(face: &[u32; N]) -> u32 {
    match const { FaceForm::of_word(&W::TYPE).tag2 } {
        NONE => 0,
        tag2 => bits(tag2, face),
    }
}

#[inline(always)]
fn triangle<const N: usize, W: Layout>(face: &[u32; N]) -> [u32; 3] {
    [corner::<0, N, W>(face), corner::<1, N, W>(face), corner::<2, N, W>(face)]
}

#[inline(always)]
fn quad<const N: usize, W: Layout>(face: &[u32; N]) -> [u32; 4] {
    [corner::<0, N, W>(face), corner::<1, N, W>(face), corner::<2, N, W>(face), corner::<3, N, W>(face)]
}
