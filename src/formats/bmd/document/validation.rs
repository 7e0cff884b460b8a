//! Fast validation of vertices and faces, in one pass over the packed words of a mesh.

use super::super::schema::{ControlFlags, Form, VertexTag, rules};
use super::{Mesh, PackedFace, PackedVertex};
use crate::Rule;

impl Mesh {
    /// The rules that [`has_valid_vertices`](Mesh::has_valid_vertices) checks.
    pub(in super::super) const VERTEX_RULES: &[&Rule] = &[
        &rules::FLAGS,
        &rules::VERTEX_TAG,
        &rules::VERTEX_UNDEFINED,
        &rules::VERTEX_BONE,
        &rules::NON_FINITE,
    ];

    /// The rules that [`has_valid_faces`](Mesh::has_valid_faces) checks.
    pub(in super::super) const FACE_RULES: &[&Rule] =
        &[&rules::FLAGS, &rules::INDEX_RANGE, &rules::TAG2];

    /// Returns `true` if no vertex violates [`VERTEX_RULES`](Mesh::VERTEX_RULES), for a skeleton of `bones` bones.
    pub(in super::super) fn has_valid_vertices(&self, bones: usize) -> bool {
        let (sizes, surface) = (
            self.flags.vertex_sizes(),
            self.vertices.surface().unwrap_or_default(),
        );
        let is_valid = |tag: u8| {
            let is_undefined = (VertexTag::BITS_96..VertexTag::COLOR_96).contains(&tag);
            let fixed_tag = PackedVertex::row_of(tag, surface).and_then(|row| row.tag);
            let bits = 32 * PackedVertex::word_count(tag) as u32;
            sizes.contains(&bits) && !is_undefined && fixed_tag.is_none_or(|fixed| fixed == tag)
        };
        // Without bones, bone 0 still exists.
        let summary = self.vertices.summary(bones.max(1));
        summary.is_finite && summary.bones_exist && summary.tags().all(is_valid)
    }

    /// Returns `true` if no face violates [`FACE_RULES`](Mesh::FACE_RULES).
    pub(in super::super) fn has_valid_faces(&self) -> bool {
        let summary = self.faces.summary(self.vertices.len());
        let mut forms = summary.forms.into_iter().flatten();
        summary.vertices_exist && summary.tag2 == 0 && forms.all(|face| self.flags.allows(face))
    }
}

impl ControlFlags {
    /// Returns the vertex sizes that the flags allow, in bits.
    ///
    /// ```
    /// use meshspec::bmd::ControlFlags;
    ///
    /// assert_eq!(ControlFlags::new().with_vertex_subtype(1).vertex_sizes(), [64, 96, 128]);
    /// ```
    pub fn vertex_sizes(self) -> &'static [u32] {
        match self.vertex_subtype() {
            0 => &[64],
            1 => &[64, 96, 128],
            2 => &[128],
            _ => &[96],
        }
    }

    /// Returns `true` if the flags allow the form of `face`.
    pub fn allows(self, face: PackedFace) -> bool {
        match self.triangles_type() {
            0 => face.bits() == 32 && face.corner_count() == 3,
            1 => true,
            2 => face.bits() == 64 && face.corner_count() == 3,
            _ => face.bits() == 64,
        }
    }
}
