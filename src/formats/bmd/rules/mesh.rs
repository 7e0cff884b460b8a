//! Rules on meshes: their vertices, faces and control flags.

use super::super::codec::CORNERS;
use super::super::document::{Mesh, PackedFace, PackedVertex};
use super::super::schema::{ControlFlags, Form, MeshDef, VertexTag};
use super::{
    FLAGS, INDEX_RANGE, NON_FINITE, RULES, TAG2, TRIANGLE_COUNT, VERTEX_BONE, VERTEX_TAG, VERTEX_UNDEFINED,
};
use crate::layout::{Constraints, Scope};
use crate::{Path, Report, path};

pub(super) fn check(mesh: &Mesh, index: usize, bones: usize, report: &mut Report) {
    let fields = Scope::new(vec![("resv3", mesh.resv3.into()), ("flags", mesh.flags.into())]);
    Constraints::check_fields::<MeshDef>(&fields, RULES, path!(meshes[index]), report);
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
    let surface = mesh.vertices.surface().unwrap_or_default();
    let bits_of = |tag| 32 * PackedVertex::size_of(tag) as u32;
    let is_undefined = |tag| (VertexTag::BITS_96..VertexTag::COLOR_96).contains(&tag);
    let is_reserved =
        |tag| PackedVertex::row_of(tag, surface).and_then(|row| row.tag).is_some_and(|only| only != tag);
    // A model without bones has the base.
    let has_bone = |bone: u8| usize::from(bone) < bones.max(1);
    let is_fine = |tag| allowed.contains(&bits_of(tag)) && !is_undefined(tag) && !is_reserved(tag);
    let summary = mesh.vertices.summary(bones.max(1));
    let bones_are_fine = summary.bones_exist || !report.collects(&VERTEX_BONE);
    if summary.is_finite && bones_are_fine && summary.tags().all(is_fine) {
        return;
    }
    for (position, (tag, vertex)) in mesh.vertices.tags().zip(mesh.vertices.iter()).enumerate() {
        let row = PackedVertex::row_of(tag, surface);
        let path = || path!(meshes[index].vertices[position].(row.map_or("", |row| row.name)));
        if !allowed.contains(&bits_of(tag)) {
            let bits = bits_of(tag);
            report.add(&FLAGS, path(), format_args!("{bits} bits, which the control flags do not allow"));
        }
        if is_undefined(tag) {
            report.add(&VERTEX_UNDEFINED, path(), format_args!("the tag is {tag:X}"));
        }
        if is_reserved(tag) {
            report.add(&VERTEX_TAG, path(), format_args!("the tag {tag:X} is reserved"));
        }
        let (bone, vector) = (vertex.bone, vertex.position);
        if !has_bone(bone) {
            report.add(&VERTEX_BONE, path(), format_args!("bone {bone}, but the skeleton has {bones} bones"));
        }
        if !vector.iter().all(|x| x.is_finite()) {
            report.add(&NON_FINITE, path(), format_args!("the position is {vector:?}"));
        }
    }
}

fn check_faces(mesh: &Mesh, index: usize, report: &mut Report) {
    let vertices = mesh.vertices.len();
    let summary = mesh.faces.summary(vertices);
    if summary.vertices_exist
        && summary.tag2 == 0
        && summary.forms.into_iter().flatten().all(|face| mesh.flags.allows(face))
    {
        return;
    }
    for (position, face) in mesh.faces.packed().enumerate() {
        let path = || Path::from(path!(meshes[index].faces[position].(face.form())));
        if !mesh.flags.allows(face) {
            let form = face.form();
            let message = format_args!("a {form}, which the control flags do not allow");
            report.add(&FLAGS, path(), message);
        }
        if face.tag2() != 0 {
            report.add(&TAG2, path().field("tag2"), format_args!("{}, expected 0", face.tag2()));
        }
        let value = face.value();
        for (corner, vertex) in CORNERS.into_iter().zip(value.vertices()) {
            if *vertex as usize >= vertices {
                let message = format_args!("index {vertex}, but the mesh has {vertices} vertices");
                report.add(&INDEX_RANGE, path().field(corner), message);
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
        match self.triangles_type() {
            0 => face.bits() == 32 && face.corners() == 3,
            1 => true,
            2 => face.bits() == 64 && face.corners() == 3,
            _ => face.bits() == 64,
        }
    }
}
