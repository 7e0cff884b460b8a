//! BMD meshes with more vertices than a face can address.

use meshspec::bmd::__private::{MAX_VERTICES, split_unaddressable};
use meshspec::scene::{Faces, Indices, Lod, Mesh, Scene};

/// The maximum number of vertices per mesh in an image.
const PIECE: usize = u16::MAX as usize;

#[test]
fn meshes_beyond_face_indices_are_split() {
    let vertices = MAX_VERTICES as u32 + 32;
    let positions: Vec<[f32; 3]> = (0..vertices)
        .map(|vertex| [vertex as f32, 0.0, 0.0])
        .collect();
    // The last triangle shares a vertex with the first.
    let mut indices: Vec<u32> = (0..vertices / 3 * 3).collect();
    let last = indices.len() - 1;
    indices[last] = 0;
    let faces = Faces::triangles(indices.clone());
    let large = Mesh {
        positions,
        faces,
        ..Mesh::default()
    };
    let lods = vec![
        Lod {
            distance: 0.0,
            meshes: vec![0],
        },
        Lod {
            distance: 1.0,
            meshes: vec![1],
        },
    ];
    let mut scene = Scene {
        meshes: vec![large, Mesh::default()],
        lods,
        ..Scene::default()
    };
    let mut losses = Vec::new();
    split_unaddressable(&mut scene, &mut losses);
    assert_eq!(losses.len(), 1);
    assert_eq!(
        losses[0].to_string(),
        "split: meshes[0]: BMD faces address at most 1048576 vertices; the mesh was split: into 17"
    );
    assert_eq!(scene.lods[0].meshes, (0..17).collect::<Vec<_>>());
    assert_eq!(scene.lods[1].meshes, [17]);
    let mut corners = Vec::new();
    for piece in &scene.meshes[..17] {
        assert!(piece.positions.len() <= PIECE);
        let indices = piece
            .faces
            .indices
            .clone()
            .into_iter()
            .flat_map(Indices::into_u32);
        corners.extend(indices.map(|index| piece.positions[index as usize][0] as u32));
    }
    assert_eq!(corners, indices);
}

#[test]
fn points_beyond_face_indices_are_kept() {
    let positions: Vec<[f32; 3]> = (0..=MAX_VERTICES)
        .map(|vertex| [vertex as f32, 0.0, 0.0])
        .collect();
    let faces = Faces::triangles(vec![7, 8, 9]);
    let mesh = Mesh {
        positions: positions.clone(),
        faces,
        ..Mesh::default()
    };
    let mut scene = Scene {
        meshes: vec![mesh],
        ..Scene::default()
    };
    split_unaddressable(&mut scene, &mut Vec::new());
    assert!(
        scene
            .meshes
            .iter()
            .all(|piece| piece.positions.len() <= PIECE)
    );
    let mut found: Vec<_> = scene
        .meshes
        .iter()
        .flat_map(|piece| piece.positions.clone())
        .collect();
    found.sort_by(|a, b| a[0].total_cmp(&b[0]));
    assert_eq!(found, positions);
}
