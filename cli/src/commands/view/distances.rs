//! The distances of a model's meshes from another model.

use crate::model::Model;
use crate::surface::Distances;

/// The maximum number of triangles of a mesh with separate distances.
const MAX_CENTERS: usize = 20_000;

/// The minimum excess of a centre's distance over the mean of its corners for a separate distance, as a fraction of the
/// largest distance.
const NOTABLE: f64 = 0.02;

/// The distances of a mesh from the other model, in metres.
#[derive(Default)]
pub struct MeshDistances {
    /// The distances of the vertices.
    pub vertices: Vec<f32>,
    /// The corners and distance of triangles whose centre is farther away than their corners, as in holes.
    pub centers: Vec<([u32; 3], f32)>,
}

/// Returns the distances of the meshes of a model. Meshes that are not drawn have none.
pub fn of_meshes(model: &Model, distances: &Distances, largest: f64) -> Vec<MeshDistances> {
    let mut meshes: Vec<MeshDistances> = model.meshes.iter().map(|_| MeshDistances::default()).collect();
    for part in &model.parts {
        let first = part.first_vertex;
        let vertices = &distances.vertices[first..first + model.meshes[part.mesh].positions.len()];
        let center = |triangle: usize| {
            let corners = model.triangles[triangle].map(|corner| corner as usize);
            let own = distances.middles[triangle];
            let mean = corners.map(|corner| distances.vertices[corner]).iter().sum::<f64>() / 3.0;
            (own > mean + NOTABLE * largest)
                .then(|| (corners.map(|corner| (corner - first) as u32), own as f32))
        };
        meshes[part.mesh] = MeshDistances {
            vertices: vertices.iter().map(|distance| *distance as f32).collect(),
            centers: part.triangles.clone().filter_map(center).take(MAX_CENTERS).collect(),
        };
    }
    meshes
}
