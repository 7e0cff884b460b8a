//! Rules on meshes: their vertices, faces and control flags.

use std::fmt;

use super::super::document::{Mesh, PackedFace, PackedVertex};
use super::super::schema::ControlFlags;
use super::{
    FLAGS, INDEX_RANGE, NON_FINITE, TAG2, TRIANGLE_COUNT, VERTEX_BONE, VERTEX_TAG, VERTEX_UNDEFINED,
    check_zero,
};
use crate::Report;

pub(super) fn check(mesh: &Mesh, index: usize, bones: usize, report: &mut Report) {
    let at = format!("meshes[{index}]");
    check_zero(&at, &[("resv3", mesh.resv3), ("flags", mesh.flags.reserved())], report);
    check_vertices(mesh, &at, bones, report);
    check_faces(mesh, &at, report);
    if let Some(stated) = mesh.n_tris {
        let counts = mesh.faces.counts();
        if ![counts.items(), counts.triangulated()].contains(&stated.into()) {
            let (triangles, quads) = (counts.triangles, counts.quads);
            let message = format_args!("{stated}, but the faces are {triangles} triangles and {quads} quads");
            report.add(&TRIANGLE_COUNT, format_args!("{at}.n_tris"), message);
        }
    }
}

fn check_vertices(mesh: &Mesh, at: &str, bones: usize, report: &mut Report) {
    let allowed = mesh.flags.vertex_sizes();
    for (position, vertex) in mesh.packed_vertices().enumerate() {
        let path = VertexPath { at, position, vertex };
        if !allowed.contains(&vertex.bits()) {
            let message = format_args!("{} bits, which the control flags do not allow", vertex.bits());
            report.add(&FLAGS, &path, message);
        }
        match vertex.tag() {
            tag @ 0xF0..=0xF7 => {
                report.add(&VERTEX_UNDEFINED, &path, format_args!("the tag is {tag:X}"));
            }
            tag @ (0xFC | 0xFE | 0xFF) => {
                let message = format_args!("the tag {tag:X} is reserved");
                report.add(&VERTEX_TAG, &path, message);
            }
            _ => {}
        }
        let (bone, vector) = (vertex.bone(), vertex.position());
        // A model without bones has the base.
        if usize::from(bone) >= bones.max(1) {
            report.add(&VERTEX_BONE, &path, format_args!("bone {bone}, but the skeleton has {bones} bones"));
        }
        if !vector.iter().all(|x| x.is_finite()) {
            report.add(&NON_FINITE, &path, format_args!("the position is {vector:?}"));
        }
    }
}

/// The path of a vertex in the form that it has.
struct VertexPath<'a> {
    at: &'a str,
    position: usize,
    vertex: PackedVertex,
}

impl fmt::Display for VertexPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.vertices[{}].{}", self.at, self.position, self.vertex.form())
    }
}

fn check_faces(mesh: &Mesh, at: &str, report: &mut Report) {
    let vertices = mesh.vertices.len();
    for (position, face) in mesh.faces.packed().enumerate() {
        let path = FacePath { at, position, face };
        if !mesh.flags.allows(face) {
            let message = format_args!("a {}, which the control flags do not allow", face.form());
            report.add(&FLAGS, &path, message);
        }
        if face.tag2() != 0 {
            let message = format_args!("{}, expected 0", face.tag2());
            report.add(&TAG2, format_args!("{path}.tag2"), message);
        }
        let value = face.value();
        for (corner, index) in value.vertices().iter().enumerate() {
            if *index as usize >= vertices {
                let message = format_args!("index {index}, but the mesh has {vertices} vertices");
                report.add(&INDEX_RANGE, format_args!("{path}.v{corner}"), message);
            }
        }
    }
}

/// The path of a face in the form that it has.
struct FacePath<'a> {
    at: &'a str,
    position: usize,
    face: PackedFace,
}

impl fmt::Display for FacePath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.faces[{}].{}", self.at, self.position, self.face.form())
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
