//! What a list has, all of it together: enough for rules to tell whether there is anything to search for.

use super::super::document::{Faces, Vertices};
use super::super::schema::{Form, PackedFace, PackedVertex};
use super::decode::VertexForm;
use super::faces::Sink;
use super::runs::VertexSink;

/// What the vertices of a mesh have.
pub struct VertexSummary {
    tags: [bool; 256],
    /// The largest bone; 0 without any vertices.
    pub max_bone: u8,
    /// Whether all positions are finite.
    pub is_finite: bool,
}

impl Vertices {
    /// What all vertices together have.
    pub(in super::super) fn summary(&self) -> VertexSummary {
        let mut summary = VertexSummary { tags: [false; 256], max_bone: 0, is_finite: true };
        self.runs(&mut summary);
        summary
    }
}

impl VertexSummary {
    /// The tags that some have.
    pub fn tags(&self) -> impl Iterator<Item = u8> + use<'_> {
        (0..=u8::MAX).filter(|tag| self.tags[usize::from(*tag)])
    }
}

impl VertexSink for VertexSummary {
    #[inline(always)]
    fn add<const N: usize, F: VertexForm<N>>(&mut self, run: &[[u32; N]]) {
        for vertex in run {
            self.tags[usize::from(PackedVertex::tag_of(vertex))] = true;
            self.max_bone = self.max_bone.max(F::bone(vertex));
            // Without branches between the coordinates.
            self.is_finite &= F::position(vertex).iter().fold(true, |all, x| all & x.is_finite());
        }
    }
}

/// What the faces of a mesh have.
#[derive(Default)]
pub struct FaceSummary {
    /// A face of each form that some have.
    pub forms: [Option<PackedFace>; PackedFace::FORMS.len()],
    /// The largest index; none without any faces.
    pub max_index: Option<u32>,
    /// All bits of second tags.
    pub tag2: u32,
}

impl Faces {
    /// What all faces together have.
    pub(in super::super) fn summary(&self) -> FaceSummary {
        let mut summary = FaceSummary::default();
        self.runs(&mut summary);
        summary
    }
}

impl FaceSummary {
    #[inline(always)]
    fn add<const N: usize>(&mut self, run: impl Iterator<Item = [u32; N]>) {
        let max = run.fold(0, |max, face| face.into_iter().fold(max, u32::max));
        self.max_index = self.max_index.max(Some(max));
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
    fn words(&mut self, first: PackedFace, tag2: impl Iterator<Item = u32>) {
        if let Some(form) = self.forms.get_mut(first.form_index()) {
            *form = Some(first);
        }
        self.tag2 = tag2.fold(self.tag2, |all, tag2| all | tag2);
    }
}
