//! Splits meshes with more vertices than faces can address.

use super::super::Face;
use super::split::PieceLimits;
use crate::scene::{Faces, Indices, Mesh, Scene};
use crate::{Loss, LossKind};

/// Maximum number of vertices in a triangle mesh: indices of triangles have 20 bits.
pub const MAX_VERTICES: usize = 1 << 20;

/// Maximum number of vertices in a mesh with quads: indices of quads have 15 bits.
const MAX_VERTICES_WITH_QUADS: usize = 1 << 15;

/// Triangulates meshes with too many vertices for quads, and splits meshes with too many vertices for triangles.
/// Returns the original index of each resulting mesh.
pub fn split_oversized(scene: &mut Scene, losses: &mut Vec<Loss>) -> Vec<usize> {
    let mut pieces_by_mesh: Vec<Vec<usize>> = Vec::new();
    let mut meshes = Vec::new();
    for (index, mut mesh) in std::mem::take(&mut scene.meshes).into_iter().enumerate() {
        let vertices = mesh.positions.len();
        let has_quads = mesh.faces.corners.iter().flatten().any(|corners| *corners > 3);
        if has_quads && vertices > MAX_VERTICES_WITH_QUADS {
            let at = format!("meshes[{index}]");
            losses.extend(mesh.triangulate().map(|loss| loss.within(&*at)));
            let message = "BMD quads address at most 32768 vertices; the mesh was triangulated";
            losses.push(Loss::new(LossKind::Split, format!("{at}.faces.corners"), message));
        }
        let first = meshes.len();
        if vertices > MAX_VERTICES {
            meshes.extend(split_triangles(mesh));
            let message = "BMD faces address at most 1048576 vertices; the mesh was split";
            let loss = Loss::new(LossKind::Split, format!("meshes[{index}]"), message);
            losses.push(loss.with_detail(format_args!("into {}", meshes.len() - first)));
        } else {
            meshes.push(mesh);
        }
        pieces_by_mesh.push((first..meshes.len()).collect());
    }
    for lod in &mut scene.lods {
        let pieces = lod.meshes.iter().filter_map(|mesh| pieces_by_mesh.get(*mesh));
        lod.meshes = pieces.flatten().copied().collect();
    }
    scene.meshes = meshes;
    pieces_by_mesh.iter().enumerate().flat_map(|(index, pieces)| pieces.iter().map(move |_| index)).collect()
}

/// Splits a mesh into pieces, keeping the order of its triangles. Each piece copies the shared vertices.
fn split_triangles(mut mesh: Mesh) -> Vec<Mesh> {
    let corners = mesh.faces.indices.take().map(Indices::into_u32).unwrap_or_default();
    let triangles = corners.as_chunks().0.iter().copied().map(Face::Triangle);
    let pieces = PieceLimits::COUNTABLE.divide(triangles, mesh.positions.len()).unwrap_or_default();
    let pieces = pieces.into_iter().map(|piece| {
        let corners = piece.faces.iter().flat_map(Face::vertices).copied();
        Mesh { faces: Faces::triangles(corners.collect()), ..mesh.select(&piece.vertices) }
    });
    pieces.collect()
}
