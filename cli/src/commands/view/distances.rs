//! The distances of a model's meshes from another model, for a page.

use meshspec::scene::{Distances, Model};

/// The maximum number of triangles per mesh for which the page contains the distance of the centre.
const MAX_CENTERS: usize = 20_000;

/// The page contains the distance of a triangle's centre if that exceeds the mean distance of the corners by more than
/// this fraction of the largest distance.
const MIN_EXCESS: f64 = 0.02;

/// The distances of a mesh from the other model, in metres.
#[derive(Default)]
pub struct MeshDistances {
    /// The distances of the vertices.
    pub vertices: Vec<f32>,
    /// The triangles whose centre is farther away than their corners, such as over a hole: the vertex indices, and the
    /// distance of the centre.
    pub centers: Vec<([u32; 3], f32)>,
}

/// Returns the distances of each mesh of a model; empty for meshes that are not drawn. `largest` is the largest
/// distance between both models.
pub fn by_mesh(model: &Model, distances: &Distances, largest: f64) -> Vec<MeshDistances> {
    let mut meshes: Vec<MeshDistances> = model
        .meshes
        .iter()
        .map(|_| MeshDistances::default())
        .collect();
    for drawn in &model.drawn_meshes {
        let first = drawn.first_vertex;
        let vertices = &distances.vertices[first..first + model.meshes[drawn.mesh].positions.len()];
        let center = |triangle: usize| {
            let corners = model.triangles[triangle].map(|corner| corner as usize);
            let center_distance = distances.centers[triangle];
            let mean = corners
                .map(|corner| distances.vertices[corner])
                .iter()
                .sum::<f64>()
                / 3.0;
            (center_distance > mean + MIN_EXCESS * largest).then(|| {
                (
                    corners.map(|corner| (corner - first) as u32),
                    center_distance as f32,
                )
            })
        };
        meshes[drawn.mesh] = MeshDistances {
            vertices: vertices.iter().map(|distance| *distance as f32).collect(),
            centers: drawn
                .triangles
                .clone()
                .filter_map(center)
                .take(MAX_CENTERS)
                .collect(),
        };
    }
    meshes
}
