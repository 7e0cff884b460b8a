//! Rules for meshes.

use super::super::document::Mesh;
use super::TRIANGLE_COUNT;
use crate::{Report, path};

pub(super) fn check(mesh: &Mesh, index: usize, report: &mut Report) {
    if let Some(stated) = mesh.n_tris {
        let counts = mesh.faces.counts();
        if ![counts.items(), counts.triangulated()].contains(&stated.into()) {
            let (triangles, quads) = (counts.triangles, counts.quads);
            let message = format_args!("{stated}, but the faces are {triangles} triangles and {quads} quads");
            report.add(&TRIANGLE_COUNT, path!(meshes[index].n_tris), message);
        }
    }
}
