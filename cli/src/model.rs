//! The triangles of a posed scene.

use std::ops::Range;

use glam::{DVec3, Vec3};
use meshspec::scene::{Colors, Indices, Mesh, Pose, Scene};

use crate::failure::{Failure, Result};

/// The maximum number of triangles, and of vertices, in a picture: indices have 32 bits.
const MAX_COUNT: usize = u32::MAX as usize - 1;

/// The triangles of a scene.
pub struct Model {
    pub meshes: Vec<Mesh>,
    /// The triangles and vertices of each drawn mesh.
    pub parts: Vec<Part>,
    /// Indices into `points`.
    pub triangles: Vec<[u32; 3]>,
    /// Positions; NaN for unused vertices.
    pub points: Vec<DVec3>,
    pub normals: Vec<Vec3>,
}

/// A range of the triangles: those of one mesh.
pub struct Part {
    /// The index of the mesh.
    pub mesh: usize,
    pub triangles: Range<usize>,
    pub first_vertex: usize,
    /// Whether the file has no normals, so that sharp edges are found by angle.
    pub is_creased: bool,
}

/// The pose to draw.
#[derive(Debug, Clone, Default)]
pub struct Moment {
    /// The name or index of an animation.
    pub animation: Option<String>,
    /// The time in seconds from its start.
    pub time: Option<f32>,
}

impl Moment {
    /// Returns the pose in this scene. Without an animation, the time applies to the first one.
    fn pose(&self, scene: &Scene) -> Pose {
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

    /// Moves the vertices of a scene to this pose.
    ///
    /// # Errors
    ///
    /// Returns an error if the scene has no such animation, or the time is outside of it.
    pub fn apply(&self, scene: &mut Scene) -> meshspec::Result<()> {
        scene.apply_transform();
        scene.rest_in(&self.pose(scene))?;
        let local: Vec<_> =
            (0..scene.skeleton.joints.len()).map(|joint| scene.skeleton.rest(joint)).collect();
        scene.pose(&local);
        Ok(())
    }
}

impl Model {
    /// Collects the triangles of the finest level of detail of a posed scene.
    ///
    /// # Errors
    ///
    /// Returns an error if the scene at `place` has no triangles, or more than [`MAX_COUNT`].
    pub fn new(mut scene: Scene, place: &str) -> Result<Model> {
        let drawn = scene.finest_meshes();
        let mut model = Model {
            meshes: Vec::new(),
            parts: Vec::new(),
            triangles: Vec::new(),
            points: Vec::new(),
            normals: Vec::new(),
        };
        for (index, mesh) in scene.meshes.iter_mut().enumerate().filter(|(index, _)| drawn[*index]) {
            // Draws overlapping triangles of bad polygons unchanged.
            mesh.triangulate();
            model.add(index, mesh);
        }
        if model.triangles.is_empty() {
            let vertices: usize = scene.meshes.iter().map(|mesh| mesh.positions.len()).sum();
            let message = format!("nothing to draw: no triangles, only {vertices} vertices");
            return Err(Failure::invalid(place, message));
        }
        if model.triangles.len().max(model.points.len()) > MAX_COUNT {
            return Err(Failure::invalid(place, format!("more than {MAX_COUNT} triangles or vertices")));
        }
        model.meshes = scene.meshes;
        model.forget_unused_points();
        Ok(model)
    }

    fn add(&mut self, index: usize, mesh: &mut Mesh) {
        let first_vertex = self.points.len();
        let (first_triangle, is_creased) = (self.triangles.len(), mesh.normals.is_none());
        if is_creased {
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
        let all = indices.as_chunks::<3>().0.iter();
        let all = all.map(|corners| corners.map(|corner| (first_vertex as u32).wrapping_add(corner)));
        self.triangles.reserve(indices.len() / 3);
        self.triangles.extend(all.filter(|corners| corners.iter().all(is_finite)));
        let triangles = first_triangle..self.triangles.len();
        self.parts.push(Part { mesh: index, triangles, first_vertex, is_creased });
    }

    /// Sets the positions of unused vertices to NaN, which excludes them from bounds.
    fn forget_unused_points(&mut self) {
        let mut is_used = vec![false; self.points.len()];
        for corner in self.triangles.as_flattened() {
            is_used[*corner as usize] = true;
        }
        for (point, _) in self.points.iter_mut().zip(is_used).filter(|(_, is_used)| !is_used) {
            *point = DVec3::NAN;
        }
    }

    /// Returns the corners of a triangle.
    pub fn corners(&self, triangle: usize) -> [DVec3; 3] {
        self.triangles[triangle].map(|corner| self.points[corner as usize])
    }

    /// Returns the part that a triangle belongs to.
    pub fn part_of(&self, triangle: usize) -> &Part {
        let after = self.parts.partition_point(|part| part.triangles.start <= triangle);
        &self.parts[after.saturating_sub(1)]
    }

    /// Returns the linear vertex colour in the file; white if there is none.
    pub fn color(&self, part: &Part, vertex: usize) -> [f32; 4] {
        let own = vertex - part.first_vertex;
        let color = match self.meshes[part.mesh].colors.first() {
            Some(Colors::U8(colors)) => {
                colors.get(own).map(|color| color.map(|channel| f32::from(channel) / 255.0))
            }
            Some(Colors::F32(colors)) => colors.get(own).copied(),
            None => None,
        };
        color.unwrap_or([1.0; 4])
    }
}

/// Returns the box around the finite points.
pub fn bounds(points: impl Iterator<Item = DVec3>) -> [DVec3; 2] {
    let all = [DVec3::INFINITY, DVec3::NEG_INFINITY];
    points.filter(|point| point.is_finite()).fold(all, |[low, high], at| [low.min(at), high.max(at)])
}
