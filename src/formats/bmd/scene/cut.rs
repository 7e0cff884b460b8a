//! Meshes with more vertices than a face can name, in pieces.

use crate::scene::{Faces, Indices, Mesh, Scene};
use crate::{Loss, LossKind};

/// Faces of triangles have 20 bits for each vertex.
const MAX_VERTICES: usize = 1 << 20;

/// Quads have 15 bits.
const MAX_VERTICES_OF_QUADS: usize = 1 << 15;

/// Vertices of a piece: as many as a mesh of an image can count.
const PIECE: usize = u16::MAX as usize;

/// Splits the quads of meshes with too many vertices for them, and cuts meshes that have too many for triangles.
pub fn cut(scene: &mut Scene, losses: &mut Vec<Loss>) {
    let mut places: Vec<Vec<usize>> = Vec::new();
    let mut meshes = Vec::new();
    for (index, mut mesh) in std::mem::take(&mut scene.meshes).into_iter().enumerate() {
        let vertices = mesh.positions.len();
        let has_quads = mesh.faces.corners.iter().flatten().any(|corners| *corners > 3);
        if has_quads && vertices > MAX_VERTICES_OF_QUADS {
            mesh.triangulate();
            let message = "quads of BMD can name 32768 vertices: triangulated";
            losses.push(Loss::new(LossKind::Split, format!("meshes[{index}].faces.corners"), message));
        }
        let first = meshes.len();
        if vertices > MAX_VERTICES {
            meshes.extend(pieces(mesh));
            let message = "faces of BMD can name 1048576 vertices: cut";
            let loss = Loss::new(LossKind::Split, format!("meshes[{index}]"), message);
            losses.push(loss.detail(format_args!("into {}", meshes.len() - first)));
        } else {
            meshes.push(mesh);
        }
        places.push((first..meshes.len()).collect());
    }
    for lod in &mut scene.lods {
        lod.meshes = lod.meshes.iter().filter_map(|mesh| places.get(*mesh)).flatten().copied().collect();
    }
    scene.meshes = meshes;
}

/// The triangles of a mesh in order, each piece with its own copies of the vertices that it shares with others. Vertices
/// that no triangle uses come last.
fn pieces(mut mesh: Mesh) -> Vec<Mesh> {
    const NOWHERE: u32 = u32::MAX;
    let corners = mesh.faces.indices.take().map(Indices::into_u32).unwrap_or_default();
    let mut place = vec![NOWHERE; mesh.positions.len()];
    let mut loose = vec![true; mesh.positions.len()];
    let (mut vertices, mut indices) = (Vec::new(), Vec::new());
    let mut pieces = Vec::new();
    let mut finish = |vertices: &mut Vec<usize>, indices: &mut Vec<u32>| {
        let faces = Faces::triangles(std::mem::take(indices));
        pieces.push(Mesh { faces, ..mesh.select(vertices) });
        vertices.clear();
    };
    for triangle in corners.as_chunks::<3>().0 {
        if vertices.len() + 3 > PIECE || indices.len() + 3 > 3 * PIECE {
            vertices.iter().for_each(|vertex: &usize| place[*vertex] = NOWHERE);
            finish(&mut vertices, &mut indices);
        }
        for corner in triangle {
            let Some(place) = place.get_mut(*corner as usize) else { continue };
            if *place == NOWHERE {
                *place = vertices.len() as u32;
                vertices.push(*corner as usize);
                loose[*corner as usize] = false;
            }
            indices.push(*place);
        }
    }
    for vertex in (0..loose.len()).filter(|vertex| loose[*vertex]) {
        if vertices.len() == PIECE {
            finish(&mut vertices, &mut indices);
        }
        vertices.push(vertex);
    }
    finish(&mut vertices, &mut indices);
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Lod;

    #[test]
    fn meshes_that_faces_cannot_name_are_cut() {
        let vertices = MAX_VERTICES as u32 + 32;
        let positions: Vec<[f32; 3]> = (0..vertices).map(|vertex| [vertex as f32, 0.0, 0.0]).collect();
        // The last triangle shares a vertex with the first.
        let mut indices: Vec<u32> = (0..vertices / 3 * 3).collect();
        let last = indices.len() - 1;
        indices[last] = 0;
        let faces = Faces::triangles(indices.clone());
        let large = Mesh { positions, faces, ..Mesh::default() };
        let lods = vec![Lod { distance: 0.0, meshes: vec![0] }, Lod { distance: 1.0, meshes: vec![1] }];
        let mut scene = Scene { meshes: vec![large, Mesh::default()], lods, ..Scene::default() };
        let mut losses = Vec::new();
        cut(&mut scene, &mut losses);
        assert_eq!(losses.len(), 1);
        assert_eq!(
            losses[0].to_string(),
            "split: meshes[0]: faces of BMD can name 1048576 vertices: cut: into 17"
        );
        assert_eq!(scene.lods[0].meshes, (0..17).collect::<Vec<_>>());
        assert_eq!(scene.lods[1].meshes, [17]);
        let mut corners = Vec::new();
        for piece in &scene.meshes[..17] {
            assert!(piece.positions.len() <= PIECE);
            let indices = piece.faces.indices.clone().into_iter().flat_map(Indices::into_u32);
            corners.extend(indices.map(|index| piece.positions[index as usize][0] as u32));
        }
        assert_eq!(corners, indices);
    }

    #[test]
    fn points_beyond_those_that_can_be_named_stay() {
        let positions: Vec<[f32; 3]> = (0..=MAX_VERTICES).map(|vertex| [vertex as f32, 0.0, 0.0]).collect();
        let faces = Faces::triangles(vec![7, 8, 9]);
        let mesh = Mesh { positions: positions.clone(), faces, ..Mesh::default() };
        let mut scene = Scene { meshes: vec![mesh], ..Scene::default() };
        cut(&mut scene, &mut Vec::new());
        assert!(scene.meshes.iter().all(|piece| piece.positions.len() <= PIECE));
        let mut found: Vec<_> = scene.meshes.iter().flat_map(|piece| piece.positions.clone()).collect();
        found.sort_by(|a, b| a[0].total_cmp(&b[0]));
        assert_eq!(found, positions);
    }
}
