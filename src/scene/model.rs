//! The triangles of a posed scene, for drawing and measuring.

use std::ops::Range;

use glam::{DVec3, Vec3};

use super::{Colors, Indices, Mesh, Scene};
use crate::{Error, Result};

/// The maximum number of triangles, and of vertices, since indices have 32 bits.
const MAX_COUNT: usize = u32::MAX as usize - 1;

/// The triangles of a scene, for drawing and measuring.
///
/// ```
/// # #[cfg(feature = "mesh")] {
/// use meshspec::scene::{Model, Scene, Surface};
///
/// let (scene, _) = Scene::open("samples/mesh/flag.mesh")?;
/// let mut moved = scene.clone();
/// moved.meshes[0].positions.iter_mut().for_each(|position| position[2] += 0.5);
/// let [before, after] = [Model::new(scene)?, Model::new(moved)?];
/// let distances = Surface::new(&before).distances(&after);
/// assert!(distances.iter().all(|distance| distance <= 0.5));
/// # }
/// # Ok::<(), meshspec::Error>(())
/// ```
pub struct Model {
    /// All meshes of the scene, without the indices of drawn meshes.
    pub meshes: Vec<Mesh>,
    /// The drawn meshes, in the order of their triangles and vertices.
    pub drawn_meshes: Vec<DrawnMesh>,
    /// Indices into `points`.
    pub triangles: Vec<[u32; 3]>,
    /// The positions of the vertices; NaN for unused vertices.
    pub points: Vec<DVec3>,
    /// The normals of the vertices; zero if missing.
    pub normals: Vec<Vec3>,
}

/// A mesh that is drawn, with its triangles and vertices in the model.
pub struct DrawnMesh {
    /// The index of the mesh in `meshes`.
    pub mesh: usize,
    /// The range of its triangles in the model.
    pub triangles: Range<usize>,
    /// The index of its first vertex in [`Model::points`].
    pub first_vertex: usize,
    /// Whether the normals are generated. If so, shading replaces those that deviate from the face normal by more than
    /// the crease angle.
    pub has_generated_normals: bool,
}

impl Model {
    /// Collects the triangles of a posed scene at its finest level of detail. Omits triangles with a corner that is
    /// missing or not finite. Ignores [placements](Mesh::placements) and the [transform](Scene::transform).
    ///
    /// # Errors
    ///
    /// Returns an error if the scene has no triangles, or more than 2³² − 2 triangles or vertices.
    pub fn new(scene: Scene) -> Result<Model> {
        let drawn = scene.finest_meshes();
        let model = Model::of_meshes(scene, &drawn)?;
        if model.triangles.is_empty() {
            let vertices: usize = model.meshes.iter().map(|mesh| mesh.positions.len()).sum();
            let message = format!("nothing to draw: no triangles, only {vertices} vertices");
            return Err(Error::unsupported(message));
        }
        Ok(model)
    }

    /// Collects the triangles of the meshes whose flag in `drawn` is set. The list may be empty.
    pub(super) fn of_meshes(mut scene: Scene, drawn: &[bool]) -> Result<Model> {
        let mut model = Model {
            meshes: Vec::new(),
            drawn_meshes: Vec::new(),
            triangles: Vec::new(),
            points: Vec::new(),
            normals: Vec::new(),
        };
        for (index, mesh) in scene.meshes.iter_mut().enumerate() {
            if drawn.get(index) == Some(&true) {
                // Ignores losses: polygons whose triangles overlap are drawn anyway.
                mesh.triangulate();
                model.add_mesh(index, mesh);
            }
        }
        if model.triangles.len().max(model.points.len()) > MAX_COUNT {
            return Err(Error::unsupported(format!(
                "more than {MAX_COUNT} triangles or vertices"
            )));
        }
        model.meshes = scene.meshes;
        if !model.triangles.is_empty() {
            model.exclude_unused_points();
        }
        Ok(model)
    }

    fn add_mesh(&mut self, index: usize, mesh: &mut Mesh) {
        let first_vertex = self.points.len();
        let (first_triangle, has_generated_normals) =
            (self.triangles.len(), mesh.normals.is_none());
        if has_generated_normals {
            mesh.generate_normals();
        }
        match &mesh.exact_positions {
            Some(exact) => self.points.extend(exact.iter().copied().map(DVec3::from)),
            None => self
                .points
                .extend(mesh.positions.iter().map(|at| Vec3::from(*at).as_dvec3())),
        }
        self.normals
            .extend(mesh.normals.iter().flatten().copied().map(Vec3::from));
        self.normals.resize(self.points.len(), Vec3::ZERO);
        let indices = mesh.faces.indices.take().map(Indices::into_u32);
        let indices = indices.unwrap_or_else(|| (0..mesh.positions.len() as u32).collect());
        let points = &self.points;
        let is_finite = |corner: &u32| {
            points
                .get(*corner as usize)
                .is_some_and(|point| point.is_finite())
        };
        let corners = indices.as_chunks::<3>().0.iter();
        let triangles =
            corners.map(|corners| corners.map(|corner| (first_vertex as u32).wrapping_add(corner)));
        self.triangles.reserve(indices.len() / 3);
        self.triangles
            .extend(triangles.filter(|corners| corners.iter().all(is_finite)));
        let triangles = first_triangle..self.triangles.len();
        self.drawn_meshes.push(DrawnMesh {
            mesh: index,
            triangles,
            first_vertex,
            has_generated_normals,
        });
    }

    /// Sets the positions of unused vertices to NaN, which excludes them from bounds.
    fn exclude_unused_points(&mut self) {
        let mut is_used = vec![false; self.points.len()];
        for corner in self.triangles.as_flattened() {
            is_used[*corner as usize] = true;
        }
        for (point, _) in self
            .points
            .iter_mut()
            .zip(is_used)
            .filter(|(_, is_used)| !is_used)
        {
            *point = DVec3::NAN;
        }
    }

    /// Returns the corner positions of a triangle.
    pub fn triangle_points(&self, triangle: usize) -> [DVec3; 3] {
        self.triangles[triangle].map(|corner| self.points[corner as usize])
    }

    /// Returns the drawn mesh that contains a triangle.
    pub fn drawn_mesh_of(&self, triangle: usize) -> &DrawnMesh {
        let after = self
            .drawn_meshes
            .partition_point(|drawn| drawn.triangles.start <= triangle);
        &self.drawn_meshes[after.saturating_sub(1)]
    }

    /// Returns the linear colour of the vertex with the index `vertex` in `points`; white if the mesh has no colours.
    pub fn color(&self, drawn: &DrawnMesh, vertex: usize) -> [f32; 4] {
        let index_in_mesh = vertex - drawn.first_vertex;
        let color = match self.meshes[drawn.mesh].colors.first() {
            Some(Colors::U8(colors)) => colors
                .get(index_in_mesh)
                .map(|color| color.map(|channel| f32::from(channel) / 255.0)),
            Some(Colors::F32(colors)) => colors.get(index_in_mesh).copied(),
            None => None,
        };
        color.unwrap_or([1.0; 4])
    }
}
