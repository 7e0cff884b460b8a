//! Summaries of vertex and face lists. Rules use them to skip lists without violations.

use super::super::document::{Faces, Vertices};
use super::super::schema::{Form, PackedFace, PackedVertex, Surface};
use super::decode::VertexForm;
use super::faces::{FaceForm, FaceSink};
use super::runs::VertexSink;

pub struct VertexSummary {
    tags: [bool; 256],
    bone_count: u32,
    /// Whether all bones exist.
    pub bones_exist: bool,
    /// Whether all positions are finite.
    pub is_finite: bool,
}

impl Vertices {
    /// Summarises the vertices, for a skeleton of `bones` bones.
    pub(in super::super) fn summary(&self, bones: usize) -> VertexSummary {
        let (tags, bone_count) = ([false; 256], bones.try_into().unwrap_or(u32::MAX));
        let mut summary = VertexSummary {
            tags,
            bone_count,
            bones_exist: true,
            is_finite: true,
        };
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
    fn add_run<const N: usize, F: VertexForm<N>>(&mut self, run: &[[u32; N]]) {
        for vertex in run {
            self.tags[usize::from(PackedVertex::tag_of(vertex))] = true;
            self.bones_exist &= u32::from(F::bone(vertex)) < self.bone_count;
            self.is_finite &= F::is_finite(vertex);
        }
    }
}

pub struct FaceSummary {
    /// One face of each form in use.
    pub forms: [Option<PackedFace>; PackedFace::FORMS.len()],
    vertex_count: i32,
    /// Whether all faces refer to existing vertices.
    pub vertices_exist: bool,
    /// The bitwise OR of all second tags.
    pub tag2: u32,
}

impl Faces {
    /// Summarises the faces, for a mesh of `vertices` vertices.
    pub(in super::super) fn summary(&self, vertices: usize) -> FaceSummary {
        let (forms, vertex_count) = (Default::default(), vertices.try_into().unwrap_or(i32::MAX));
        let mut summary = FaceSummary {
            forms,
            vertex_count,
            vertices_exist: true,
            tag2: 0,
        };
        self.visit_runs(&mut summary);
        summary
    }
}

impl FaceSummary {
    #[inline(always)]
    fn check_indices<const N: usize>(&mut self, run: impl Iterator<Item = [u32; N]>) {
        // Signed comparison vectorises better; indices have at most 20 bits.
        let exists = |all, vertex| all & ((vertex as i32) < self.vertex_count);
        self.vertices_exist = run.fold(self.vertices_exist, |all, face| {
            face.into_iter().fold(all, exists)
        });
    }
}

impl FaceSink for FaceSummary {
    #[inline(always)]
    fn add_triangles(&mut self, run: impl ExactSizeIterator<Item = [u32; 3]>) {
        self.check_indices(run);
    }

    #[inline(always)]
    fn add_quads(&mut self, run: impl ExactSizeIterator<Item = [u32; 4]>) {
        self.check_indices(run);
    }

    #[inline(always)]
    fn add_face(&mut self, _: &FaceForm, corners: [u32; 4]) {
        self.check_indices([corners].into_iter());
    }

    #[inline(always)]
    fn start_run(&mut self, form: usize, first: &[u32], tag2: impl Iterator<Item = u32>) {
        if let Some(form @ None) = self.forms.get_mut(form) {
            *form = PackedFace::read_first(first, Surface::default());
        }
        self.tag2 = tag2.fold(self.tag2, |all, tag2| all | tag2);
    }
}
