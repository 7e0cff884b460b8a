//! The corners of a model.

use glam::DVec3;

use crate::scene::Model;

/// The largest distance between matched positions, as a fraction of the shortest edge at either. Half an edge away,
/// another vertex could be meant.
const MAX_SHIFT: f64 = 0.25;

/// The height of a triangle without area, relative to its largest coordinate: rounding of 64-bit products.
const FLAT_HEIGHT: f64 = 1e-12;

/// The corners of a model's triangles.
pub struct CornerSet {
    pub model: Model,
    /// Whether the triangles are points.
    is_cloud: bool,
}

/// A point of a model with attributes.
#[derive(Debug, Clone, Copy)]
pub enum Spot {
    /// A corner, 0 to 2, of a triangle.
    Corner { triangle: usize, corner: usize },
    /// A point on a triangle, as the weights of its corners.
    Inside { triangle: usize, weights: [f64; 3] },
}

impl Spot {
    pub fn triangle(&self) -> usize {
        match *self {
            Spot::Corner { triangle, .. } | Spot::Inside { triangle, .. } => triangle,
        }
    }
}

impl CornerSet {
    pub fn new(model: Model) -> CornerSet {
        CornerSet {
            model,
            is_cloud: false,
        }
    }

    /// Makes a triangle of each finite point, for models without triangles.
    pub fn add_points(&mut self) {
        self.is_cloud = true;
        let Model {
            drawn_meshes,
            triangles,
            points,
            ..
        } = &mut self.model;
        let ends = drawn_meshes
            .iter()
            .skip(1)
            .map(|next| next.first_vertex)
            .chain([points.len()]);
        let ends: Vec<usize> = ends.collect();
        for (drawn, end) in drawn_meshes.iter_mut().zip(ends) {
            let first = triangles.len();
            let finite = (drawn.first_vertex..end).filter(|vertex| points[*vertex].is_finite());
            triangles.extend(finite.map(|vertex| [vertex as u32; 3]));
            drawn.triangles = first..triangles.len();
        }
    }

    pub fn is_cloud(&self) -> bool {
        self.is_cloud
    }

    /// The number of corners per triangle with attributes of their own.
    pub fn corners_per_triangle(&self) -> usize {
        if self.is_cloud { 1 } else { 3 }
    }

    pub fn corner_count(&self) -> u64 {
        (self.model.triangles.len() * self.corners_per_triangle()) as u64
    }

    /// Calls `visit` with every corner.
    pub fn for_each_corner(&self, mut visit: impl FnMut(Spot)) {
        for triangle in 0..self.model.triangles.len() {
            for corner in 0..self.corners_per_triangle() {
                visit(Spot::Corner { triangle, corner });
            }
        }
    }

    pub fn point(&self, triangle: usize, corner: usize) -> DVec3 {
        self.model.points[self.model.triangles[triangle][corner] as usize]
    }

    /// Returns the position of a spot.
    pub fn position(&self, spot: &Spot) -> DVec3 {
        match *spot {
            Spot::Corner { triangle, corner } => self.point(triangle, corner),
            Spot::Inside { triangle, weights } => {
                let corners = self.model.triangle_points(triangle);
                corners
                    .iter()
                    .zip(weights)
                    .map(|(corner, weight)| *corner * weight)
                    .sum()
            }
        }
    }

    /// Returns the normal of a triangle's plane, with the length of twice its area.
    pub fn face_normal(&self, triangle: usize) -> DVec3 {
        let [a, b, c] = self.model.triangle_points(triangle);
        (b - a).cross(c - a)
    }

    /// Returns the smallest height of a triangle.
    pub fn height(&self, triangle: usize) -> f64 {
        let [a, b, c] = self.model.triangle_points(triangle);
        let longest = a
            .distance_squared(b)
            .max(b.distance_squared(c))
            .max(c.distance_squared(a))
            .sqrt();
        if longest > 0.0 {
            self.face_normal(triangle).length() / longest
        } else {
            0.0
        }
    }

    /// Returns `true` if a triangle has an area, or is a point of a model without triangles.
    pub fn has_area(&self, triangle: usize) -> bool {
        let points = self.model.triangle_points(triangle);
        let largest = points
            .iter()
            .map(|point| point.abs().max_element())
            .fold(0.0, f64::max);
        self.is_cloud || self.height(triangle) > FLAT_HEIGHT * largest
    }

    /// Returns the largest distance by which the vertex of each point may be shifted; infinity without edges.
    pub fn max_shifts(&self) -> Vec<f64> {
        let mut shifts = vec![f64::INFINITY; self.model.points.len()];
        for triangle in &self.model.triangles {
            for corner in 0..3 {
                let [from, to] =
                    [triangle[corner], triangle[(corner + 1) % 3]].map(|vertex| vertex as usize);
                let length = self.model.points[from].distance(self.model.points[to]);
                if length > 0.0 {
                    shifts[from] = shifts[from].min(MAX_SHIFT * length);
                    shifts[to] = shifts[to].min(MAX_SHIFT * length);
                }
            }
        }
        shifts
    }
}
