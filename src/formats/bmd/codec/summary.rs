//! Summaries of whole lists, from which rules decide whether to search for violations.

use super::super::document::{Faces, Vertices};
use super::super::schema::{Form, PackedFace, PackedVertex, Surface};
use super::decode::VertexForm;
use super::faces::{FaceForm, Sink};
use super::runs::VertexSink;

/// A summary of the vertices of a mesh.
pub struct VertexSummary {
    tags: [bool; 256],
    bones: u32,
    /// Whether all bones exist.
    pub bones_exist: bool,
    /// Whether all positions are finite.
    pub is_finite: bool,
}

impl Vertices {
    /// Summarizes the vertices, for a skeleton with this many bones.
    pub(in super::super) fn summary(&self, bones: usize) -> VertexSummary {
        let bones = bones.try_into().unwrap_or(u32::MAX);
        let mut summary = VertexSummary { tags: [false; 256], bones, bones_exist: true, is_finite: true };
        self.visit_runs(&mut summary);
        summary
    }
}

impl VertexSummary {
    /// Returns the tags in use.
    pub fn tags(&self) -> impl Iterator<Item = u8> + use<'_> {
        (0..=u8::MAX).filter(|tag| self.tags[usize::from(*tag)])
    }
}

impl VertexSink for VertexSummary {
    #[inline(always)]
    fn add<const N: usize, F: VertexForm<N>>(&mut self, run: &[[u32; N]]) {
        for vertex in run {
            self.tags[usize::from(PackedVertex::tag_of(vertex))] = true;
            self.bones_exist &= u32::from(F::bone(vertex)) < self.bones;
            self.is_finite &= F::is_finite(vertex);
        }
    }
}

/// A summary of the faces of a mesh.
pub struct FaceSummary {
    /// One face of each form in use.
    pub forms: [Option<PackedFace>; PackedFace::FORMS.len()],
    vertices: i32,
    /// Whether all vertices referred to by faces exist.
    pub vertices_exist: bool,
    /// The bitwise OR of all second tags.
    pub tag2: u32,
}

impl Faces {
    /// Summarizes the faces, for a mesh with this many vertices.
    pub(in super::super) fn summary(&self, vertices: usize) -> FaceSummary {
        let vertices = vertices.try_into().unwrap_or(i32::MAX);
        let mut summary = FaceSummary { forms: Default::default(), vertices, vertices_exist: true, tag2: 0 };
        self.visit_runs(&mut summary);
        summary
    }
}

impl FaceSummary {
    #[inline(always)]
    fn add<const N: usize>(&mut self, run: impl Iterator<Item = [u32; N]>) {
        // Signed comparison vectorizes better; indices have at most 20 bits.
        let exists = |all, vertex| all & ((vertex as i32) < self.vertices);
        self.vertices_exist = run.fold(self.vertices_exist, |all, face| face.into_iter().fold(all, exists));
    }
}

impl Sink for FaceSummary {
    #[inline(always)]
    fn triangles(&mut self, run: impl ExactSizeIterator<Item = [u32; 3]>) {
        self.add(run);
    }

    #[inline(always)]
    fn quads(&mut self, run: impl ExactSizeIterator<Item = [u32; 4]>) {
        self.add(run);
    }

    #[inline(always)]
    fn face(&mut self, _: &FaceForm, corners: [u32; 4]) {
        self.add([corners].into_iter());
    }

    #[inline(always)]
    fn words(&mut self, form: usize, first: &[u32], tag2: impl Iterator<Item = u32>) {
        if let Some(form @ None) = self.forms.get_mut(form) {
            *form = PackedFace::first(first, Surface::default());
        }
        self.tag2 = tag2.fold(self.tag2, |all, tag2| all | tag2);
    }
}
