//! Placements of meshes: the nodes of a file that reference them.

use glam::{DMat3, DMat4, DVec3};

use super::repair::unit_rotation;
use super::{Extras, Transform};

/// The tolerated cosine of the angle between two axes of a transform. Larger cosines count as shear, smaller ones as
/// rounding.
const SHEAR_TOLERANCE: f64 = 1e-6;

/// A node that references a mesh.
///
/// ```
/// use glam::{DMat4, DVec3};
/// use meshspec::scene::{Mesh, Placement, Scene};
///
/// let transform = DMat4::from_translation(DVec3::new(10.0, 0.0, 0.0));
/// let moved = Placement { name: "second flag".to_owned(), transform, ..Placement::default() };
/// let positions = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]];
/// let mesh = Mesh { positions, placements: vec![Placement::default(), moved], ..Mesh::default() };
/// let scene = Scene { meshes: vec![mesh], ..Scene::default() };
/// let first_corners: Vec<_> = scene.triangles().map(|[corner, ..]| corner).collect();
/// assert_eq!(first_corners, [[0.0; 3], [10.0, 0.0, 0.0]]);
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Placement {
    /// The node name; empty for an unnamed node.
    pub name: String,
    /// The affine transform from mesh space to scene space, applied before
    /// [`Scene::transform`](super::Scene::transform).
    pub transform: DMat4,
    /// The transforms of instances of the mesh, relative to the node. Empty for a single instance at the node.
    pub instances: Vec<Transform>,
    /// Application-specific data.
    pub extras: Extras,
}

impl Placement {
    /// Returns the number of instances of the mesh; 1 if the node is not instanced.
    pub fn instance_count(&self) -> usize {
        self.instances.len().max(1)
    }

    /// Returns the transform of each instance, from mesh space to scene space.
    pub fn transforms(&self) -> impl Iterator<Item = DMat4> {
        let single = self.instances.is_empty().then_some(self.transform);
        single.into_iter().chain(
            self.instances
                .iter()
                .map(|instance| self.transform * to_matrix(instance)),
        )
    }

    /// Returns `true` if the transform decomposes into translation, rotation and scale, as glTF nodes require.
    pub(super) fn is_decomposable(&self) -> bool {
        let axes = DMat3::from_mat4(self.transform);
        let [x, y, z] = [axes.x_axis, axes.y_axis, axes.z_axis].map(DVec3::normalize_or_zero);
        let shear = [x.dot(y), y.dot(z), z.dot(x)]
            .into_iter()
            .map(f64::abs)
            .fold(0.0, f64::max);
        is_diagonal(self.transform) || (axes.determinant() != 0.0 && shear <= SHEAR_TOLERANCE)
    }
}

/// Returns `true` if a transform consists of a translation and a scale along the axes.
pub(crate) fn is_diagonal(transform: DMat4) -> bool {
    let axes = DMat3::from_mat4(transform);
    axes == DMat3::from_diagonal(axes.diagonal())
}

fn to_matrix(
    Transform {
        translation,
        rotation,
        scale,
    }: &Transform,
) -> DMat4 {
    let rotation = unit_rotation(rotation.map(f64::from));
    let [scale, translation] =
        [scale, translation].map(|vector| DVec3::from(vector.map(f64::from)));
    DMat4::from_scale_rotation_translation(scale, rotation, translation)
}
