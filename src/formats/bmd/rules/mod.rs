//! The rules of BMD.

mod skeleton;

pub(super) use super::schema::rules::*;

use super::document::{Document, Mesh};
use super::schema::{Image, LodDef};
use crate::layout::{Layout, check_document};
use crate::{Report, path};

/// Reports all violations of a document.
pub(super) fn check(document: &Document, report: &mut Report) {
    // If the report collects only fatal findings, nothing remains to check: the codec rejects fatal violations.
    if !report.is_enabled(&FLAGS) {
        return;
    }
    check_document(&Image::TYPE, document, report);
    for (index, mesh) in document.meshes.iter().enumerate() {
        check_triangle_count(mesh, index, report);
    }
    // A level that contains all meshes may include undrawn ones.
    for (index, lod) in document
        .lods
        .iter()
        .enumerate()
        .filter(|(_, lod)| !lod.contains_all_meshes())
    {
        check_lod(document, *lod, index, report);
    }
    skeleton::check(document, report);
    skeleton::check_solids(document, report);
    skeleton::check_animations(document, report);
}

fn check_triangle_count(mesh: &Mesh, index: usize, report: &mut Report) {
    let Some(stated) = mesh.n_tris else { return };
    let counts = mesh.faces.counts();
    if ![counts.faces(), counts.triangulated()].contains(&stated.into()) {
        let (triangles, quads) = (counts.triangles, counts.quads);
        let message =
            format_args!("{stated}, but the faces are {triangles} triangles and {quads} quads");
        report.add(&TRIANGLE_COUNT, path!(meshes[index].n_tris), message);
    }
}

fn check_lod(document: &Document, lod: LodDef, index: usize, report: &mut Report) {
    let meshes = document.meshes_of(lod).unwrap_or_default();
    for (offset, _) in meshes
        .iter()
        .enumerate()
        .filter(|(_, mesh)| mesh.material.is_none())
    {
        let mesh = usize::from(lod.id_mesh) + offset;
        report.add(
            &LOD_DRAWABLE,
            path!(lods[index].id_mesh),
            format_args!("mesh {mesh} has no material"),
        );
    }
}
