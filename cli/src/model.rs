//! The triangles of a posed scene, for drawing and measuring.

use std::ops::Range;

use glam::{DVec3, Vec3};
use meshspec::scene::{Colors, Indices, Mesh, Pose, Scene};

use crate::failure::{Failure, Result};

/// The maximum number of triangles, and of vertices, since indices have 32 bits.
const MAX_COUNT: usize = u32::MAX as usize - 1;

/// The triangles of a scene.
pub struct Model {
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
    pub triangles: Range<usize>,
    pub first_vertex: usize,
    /// Whether the normals are generated. If so, shading replaces those that deviate from the face normal by more than
    /// the crease angle.
    pub has_generated_normals: bool,
}

/// The pose selected on the command line: a time in an animation, or the rest pose.
#[derive(Debug, Clone, Default)]
pub struct PoseSelection {
    /// The name or index of an animation.
    pub animation: Option<String>,
    /// The time on the timeline of the animation, in seconds.
    pub time: Option<f32>,
}

impl PoseSelection {
    /// Returns the selected pose of a scene. If only a time is given, it refers to the first animation; if only an
    /// animation is given, the time is 0.
    fn selected_pose(&self, scene: &Scene) -> Pose {
        if self.animation.is_none() && self.time.is_none() {
            return Pose::Rest;
        }
        let first = || match scene.animations.first() {
            Some(first) if !first.name.is_empty() => first.name.clone(),
            _ => "0".to_owned(),
        };
        let name = self.animation.clone().unwrap_or_else(first);
        Pose::Animation { name, seconds: self.time.unwrap_or(0.0) }
    }

    /// Moves the vertices of a scene to the selected pose.
    ///
    /// # Errors
    ///
    /// Returns an error if the scene lacks the animation, or the time is outside the animation.
    pub fn apply(&self, scene: &mut Scene) -> meshspec::Result<()> {
        scene.apply_transform();
        scene.set_rest_pose(&self.selected_pose(scene))?;
        let local: Vec<_> =
            (0..scene.skeleton.joints.len()).map(|joint| scene.skeleton.rest_transform(joint)).collect();
        scene.apply_pose(&local);
        Ok(())
    }
}

impl Model {
    /// Collects the triangles of a posed scene at its finest level of detail. Omits triangles with a corner that is
    /// missing or not finite.
    ///
    /// # Errors
    ///
    /// Returns an error if the scene has no triangles, or more than [`MAX_COUNT`] triangles or vertices. `subject` is
    /// the name of the file in messages.
    pub fn new(mut scene: Scene, subject: &str) -> Result<Model> {
        let drawn = scene.finest_meshes();
        let mut model = Model {
            meshes: Vec::new(),
            drawn_meshes: Vec::new(),
            triangles: Vec::new(),
            points: Vec::new(),
            normals: Vec::new(),
        };
        for (index, mesh) in scene.meshes.iter_mut().enumerate().filter(|(index, _)| drawn[*index]) {
            // Ignores losses: polygons whose triangles overlap are drawn anyway.
            mesh.triangulate();
            model.add_mesh(index, mesh);
        }
        if model.triangles.is_empty() {
            let vertices: usize = scene.meshes.iter().map(|mesh| mesh.positions.len()).sum();
            let message = format!("nothing to draw: no triangles, only {vertices} vertices");
            return Err(Failure::invalid(subject, message));
        }
        if model.triangles.len().max(model.points.len()) > MAX_COUNT {
            return Err(Failure::invalid(subject, format!("more than {MAX_COUNT} triangles or vertices")));
        }
        model.meshes = scene.meshes;
        model.exclude_unused_points();
        Ok(model)
    }

    fn add_mesh(&mut self, index: usize, mesh: &mut Mesh) {
        let first_vertex = self.points.len();
        let (first_triangle, has_generated_normals) = (self.triangles.len(), mesh.normals.is_none());
        if has_generated_normals {
            mesh.generate_normals();
        }
        match &mesh.exact_positions {
            Some(exact) => self.points.extend(exact.iter().copied().map(DVec3::from)),
            None => self.points.extend(mesh.positions.iter().map(|at| Vec3::from(*at).as_dvec3())),
        }
        self.normals.extend(mesh.normals.iter().flatten().copied().map(Vec3::from));
        self.normals.resize(self.points.len(), Vec3::ZERO);
        let indices = mesh.faces.indices.take().map(Indices::into_u32);
        let indices = indices.unwrap_or_else(|| (0..mesh.positions.len() as u32).collect());
        let points = &self.points;
        let is_finite = |corner: &u32| points.get(*corner as usize).is_some_and(|point| point.is_finite());
        let corners = indices.as_chunks::<3>().0.iter();
        let triangles =
            corners.map(|corners| corners.map(|corner| (first_vertex as u32).wrapping_add(corner)));
        self.triangles.reserve(indices.len() / 3);
        self.triangles.extend(triangles.filter(|corners| corners.iter().all(is_finite)));
        let triangles = first_triangle..self.triangles.len();
        self.drawn_meshes.push(DrawnMesh { mesh: index, triangles, first_vertex, has_generated_normals });
    }

    /// Sets the positions of unused vertices to NaN, which excludes them from bounds.
    fn exclude_unused_points(&mut self) {
        let mut is_used = vec![false; self.points.len()];
        for corner in self.triangles.as_flattened() {
            is_used[*corner as usize] = true;
        }
        for (point, _) in self.points.iter_mut().zip(is_used).filter(|(_, is_used)| !is_used) {
            *point = DVec3::NAN;
        }
    }

    /// Returns the corner positions of a triangle.
    pub fn triangle_points(&self, triangle: usize) -> [DVec3; 3] {
        self.triangles[triangle].map(|corner| self.points[corner as usize])
    }

    /// Returns the drawn mesh that contains a triangle.
    pub fn drawn_mesh_of(&self, triangle: usize) -> &DrawnMesh {
        let after = self.drawn_meshes.partition_point(|drawn| drawn.triangles.start <= triangle);
        &self.drawn_meshes[after.saturating_sub(1)]
    }

    /// Returns the linear colour of the vertex with the index `vertex` in `points`; white if the mesh has no colours.
    pub fn color(&self, drawn: &DrawnMesh, vertex: usize) -> [f32; 4] {
        let index_in_mesh = vertex - drawn.first_vertex;
        let color = match self.meshes[drawn.mesh].colors.first() {
            Some(Colors::U8(colors)) => {
                colors.get(index_in_mesh).map(|color| color.map(|channel| f32::from(channel) / 255.0))
            }
            Some(Colors::F32(colors)) => colors.get(index_in_mesh).copied(),
            None => None,
        };
        color.unwrap_or([1.0; 4])
    }
}

/// Returns the minimum and maximum corner of the box that bounds the finite points. The bounds of −0 are 0. Without such
/// points, the minimum is infinity and the maximum negative infinity.
pub fn bounding_box(points: impl Iterator<Item = DVec3>) -> [DVec3; 2] {
    let empty = [DVec3::INFINITY, DVec3::NEG_INFINITY];
    let bounds =
        points.filter(|point| point.is_finite()).fold(empty, |[min, max], at| [min.min(at), max.max(at)]);
    // Adding 0 turns −0 into 0 and changes no other number.
    bounds.map(|corner| corner + DVec3::ZERO)
}
