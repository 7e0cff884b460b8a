//! Rules on meshes: their vertices, faces and control flags.

use super::super::document::{Mesh, PackedFace};
use super::super::schema::ControlFlags;
use super::{
    FLAGS, INDEX_RANGE, NON_FINITE, TAG2, TRIANGLE_COUNT, VERTEX_BONE, VERTEX_TAG, VERTEX_UNDEFINED,
    check_zero,
};
use crate::{Path, Report, path};

pub(super) fn check(mesh: &Mesh, index: usize, bones: usize, report: &mut Report) {
    check_zero(path!(meshes[index]), &[("resv3", mesh.resv3), ("flags", mesh.flags.reserved())], report);
    check_vertices(mesh, index, bones, report);
    check_faces(mesh, index, report);
    if let Some(stated) = mesh.n_tris {
        let counts = mesh.faces.counts();
        if ![counts.items(), counts.triangulated()].contains(&stated.into()) {
            let (triangles, quads) = (counts.triangles, counts.quads);
            let message = format_args!("{stated}, but the faces are {triangles} triangles and {quads} quads");
            report.add(&TRIANGLE_COUNT, path!(meshes[index].n_tris), message);
        }
    }
}

fn check_vertices(mesh: &Mesh, index: usize, bones: usize, report: &mut Report) {
    let allowed = mesh.flags.vertex_sizes();
    for (position, vertex) in mesh.packed_vertices().enumerate() {
        let path = || path!(meshes[index].vertices[position].(vertex.form()));
        if !allowed.contains(&vertex.bits()) {
            let message = format_args!("{} bits, which the control flags do not allow", vertex.bits());
            report.add(&FLAGS, path(), message);
        }
        match vertex.tag() {
            tag @ 0xF0..=0xF7 => {
                report.add(&VERTEX_UNDEFINED, path(), format_args!("the tag is {tag:X}"));
            }
            tag @ (0xFC | 0xFE | 0xFF) => {
                let message = format_args!("the tag {tag:X} is reserved");
                report.add(&VERTEX_TAG, path(), message);
            }
            _ => {}
        }
        let (bone, vector) = (vertex.bone(), vertex.position());
        // A model without bones has the base.
        if usize::from(bone) >= bones.max(1) {
            report.add(&VERTEX_BONE, path(), format_args!("bone {bone}, but the skeleton has {bones} bones"));
        }
        if !vector.iter().all(|x| x.is_finite()) {
            report.add(&NON_FINITE, path(), format_args!("the position is {vector:?}"));
        }
    }
}

/// The fields with the vertices of a face.
const CORNERS: [&str; 4] = ["v0", "v1", "v2", "v3"];

fn check_faces(mesh: &Mesh, mesh_index: usize, report: &mut Report) {
    let vertices = mesh.vertices.len();
    for (position, face) in mesh.faces.packed().enumerate() {
        let path = || Path::from(path!(meshes[mesh_index].faces[position].(face.form())));
        if !mesh.flags.allows(face) {
            let message = format_args!("a {}, which the control flags do not allow", face.form());
            report.add(&FLAGS, path(), message);
        }
        if face.tag2() != 0 {
            let message = format_args!("{}, expected 0", face.tag2());
            report.add(&TAG2, path().field("tag2"), message);
        }
        let value = face.value();
        for (corner, index) in value.vertices().iter().enumerate() {
            if *index as usize >= vertices {
                let message = format_args!("index {index}, but the mesh has {vertices} vertices");
                report.add(&INDEX_RANGE, path().field(CORNERS[corner]), message);
            }
        }
    }
}

impl ControlFlags {
    /// The sizes of vertices in bits that these flags allow.
    pub fn vertex_sizes(self) -> &'static [u32] {
        match self.vertex_subtype() {
            0 => &[64],
            1 => &[64, 96, 128],
            2 => &[128],
            _ => &[96],
        }
    }

    /// Whether these flags allow a face of this form.
    pub fn allows(self, face: PackedFace) -> bool {
        matches!(
            (self.triangles_type(), face),
            (0, PackedFace::Triangle32(_))
                | (1, _)
                | (2, PackedFace::Triangle64(_))
                | (3, PackedFace::Triangle64(_) | PackedFace::Quad64(_))
        )
    }
}
