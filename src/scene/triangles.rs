//! The triangles of a scene as a flat list.

use std::borrow::Cow;
use std::sync::Arc;

use glam::{DMat4, DVec3};

use super::{Mesh, Placement, Scene};
use crate::info::Bounds;

impl Scene {
    /// Returns the corners of all triangles in model space, in metres.
    ///
    /// Each item consists of three corners (X, Y, Z), counter-clockwise when seen from the front. Polygons are
    /// triangulated, and meshes are repeated for each instance. Coarser levels of detail are omitted. Axes follow glTF:
    /// +Y up, +Z forward.
    ///
    /// ```
    /// # #[cfg(feature = "mesh")] {
    /// use meshspec::scene::Scene;
    ///
    /// let (scene, _) = Scene::open("samples/mesh/flag.mesh")?;
    /// let area: f32 = scene.triangles().map(area_of).sum();
    /// assert!(area > 0.0);
    ///
    /// fn area_of([a, b, c]: [[f32; 3]; 3]) -> f32 {
    ///     let [a, b, c] = [a, b, c].map(glam::Vec3::from);
    ///     (b - a).cross(c - a).length() / 2.0
    /// }
    /// # }
    /// # Ok::<(), meshspec::Error>(())
    /// ```
    pub fn triangles(&self) -> impl Iterator<Item = [[f32; 3]; 3]> {
        let finest = self
            .meshes
            .iter()
            .zip(self.finest_meshes())
            .filter(|(_, is_finest)| *is_finest);
        finest.flat_map(|(mesh, _)| self.mesh_triangles(mesh))
    }

    /// Returns the bounding box of the [triangles](Scene::triangles); `None` if no corner has finite coordinates.
    ///
    /// ```
    /// # #[cfg(feature = "mesh")] {
    /// use meshspec::scene::Scene;
    ///
    /// let (scene, _) = Scene::open("samples/mesh/flag.mesh")?;
    /// let bounds = scene.bounds().unwrap();
    /// assert_eq!((bounds.min, bounds.max), ([0.0, 0.0, 0.0], [2.0, 1.0, 0.0]));
    /// # }
    /// # Ok::<(), meshspec::Error>(())
    /// ```
    pub fn bounds(&self) -> Option<Bounds> {
        Bounds::from_points(self.triangles().flatten())
    }

    /// Returns one flag per mesh: `true` if the mesh belongs to the finest level of detail or to no level.
    pub fn finest_meshes(&self) -> Vec<bool> {
        let finest = self
            .lods
            .iter()
            .min_by(|a, b| a.distance.total_cmp(&b.distance));
        let mut flags = vec![true; self.meshes.len()];
        let mut set = |meshes: &[usize], is_finest: bool| {
            for mesh in meshes {
                flags
                    .get_mut(*mesh)
                    .into_iter()
                    .for_each(|flag| *flag = is_finest);
            }
        };
        self.lods.iter().for_each(|lod| set(&lod.meshes, false));
        set(finest.map_or(&[], |lod| &lod.meshes), true);
        flags
    }

    fn mesh_triangles<'s>(
        &'s self,
        mesh: &'s Mesh,
    ) -> impl Iterator<Item = [[f32; 3]; 3]> + use<'s> {
        let mesh = match mesh.faces.corners {
            Some(_) => {
                let mut triangles = mesh.clone();
                triangles.triangulate();
                Cow::Owned(triangles)
            }
            None => Cow::Borrowed(mesh),
        };
        let scene_transform = self
            .transform
            .map_or(DMat4::IDENTITY, |transform| transform.as_dmat4());
        let nodes = mesh.placements.iter().flat_map(Placement::transforms);
        let mut transforms: Vec<DMat4> = nodes.map(|node| scene_transform * node).collect();
        if mesh.placements.is_empty() {
            transforms.push(scene_transform);
        }
        let (corners, mesh) = (
            mesh.faces.corner_count(mesh.positions.len()),
            Arc::new(mesh),
        );
        transforms.into_iter().flat_map(move |transform| {
            let (mesh, is_mirrored) = (Arc::clone(&mesh), transform.determinant() < 0.0);
            (0..corners / 3).filter_map(move |triangle| {
                let corner = |corner| {
                    let index = match &mesh.faces.indices {
                        Some(indices) => indices.get(corner)? as usize,
                        None => corner,
                    };
                    let position = *mesh.positions.get(index)?;
                    if transform == DMat4::IDENTITY {
                        return Some(position);
                    }
                    let moved = transform.transform_point3(DVec3::from(position.map(f64::from)));
                    Some(moved.as_vec3().to_array())
                };
                let [a, b, c] = [
                    corner(3 * triangle)?,
                    corner(3 * triangle + 1)?,
                    corner(3 * triangle + 2)?,
                ];
                Some(if is_mirrored { [a, c, b] } else { [a, b, c] })
            })
        })
    }
}
