//! The colours of triangles: lights, materials, textures and edges.

use glam::{Vec2, Vec3, Vec4};
use meshspec::scene::{AlphaMode, UvOrigin};
use rayon::prelude::*;

use super::camera::Camera;
use super::raster::{SAMPLES, on_grid, sample_place};
use super::texture::Textures;
use crate::model::{Model, Part};
use crate::surface::Distances;

/// Directions to the lights, in the axes of the camera, and their colours.
const LIGHTS: [(Vec3, Vec3); 3] = [
    // From the upper left, warm.
    (Vec3::new(-0.48, 0.64, 0.6), Vec3::new(0.9, 0.86, 0.8)),
    // From the right, cool.
    (Vec3::new(0.8, 0.0, 0.6), Vec3::new(0.24, 0.28, 0.34)),
    // From above at the back, along the edges.
    (Vec3::new(0.0, 0.8, -0.6), Vec3::new(0.25, 0.25, 0.25)),
];

/// Ambient light, from above and from below.
const AMBIENT: [f32; 2] = [0.26, 0.12];

/// The cosine of the crease angle, about 46°. Beyond this angle from the generated normal, faces have sharp edges.
const CREASE: f32 = 0.7;

/// The colour of surfaces without a material, linear.
const PLAIN: Vec3 = Vec3::new(0.62, 0.62, 0.6);

/// The colour of edges, linear, and half their width in pixels.
const EDGE: Vec3 = Vec3::new(0.01, 0.02, 0.04);
const EDGE_WIDTH: f32 = 0.8;

/// The colours of surfaces.
pub enum Paint<'m> {
    /// The colours of the file, with its textures.
    Own(&'m Textures),
    /// Colours for distances from another surface, relative to this largest distance.
    Distances(&'m Distances, f64),
}

/// Surfaces as a camera sees them.
pub struct Shader<'m> {
    model: &'m Model,
    paint: &'m Paint<'m>,
    /// The corners in the picture: pixels to the right and down, and towards the viewer.
    points: Vec<Vec3>,
    /// The normals of the corners, to the right, up, and towards the viewer; zero where missing.
    normals: Vec<Vec3>,
    with_edges: bool,
}

/// A point on a triangle.
struct Spot<'m> {
    part: &'m Part,
    corners: [usize; 3],
    /// The corners in the picture.
    points: [Vec3; 3],
    /// The weights of the corners.
    weights: Vec3,
}

impl<'m> Shader<'m> {
    pub fn new(model: &'m Model, paint: &'m Paint, camera: &Camera, with_edges: bool) -> Shader<'m> {
        let points = model.points.par_iter().map(|point| on_grid(camera.place(*point))).collect();
        let seen = |normal: &Vec3| unit_or(camera.rotation * *normal, Vec3::ZERO);
        let normals = model.normals.par_iter().map(seen).collect();
        Shader { model, paint, points, normals, with_edges }
    }

    /// Returns the corners of a triangle in the picture.
    pub fn corners(&self, triangle: usize) -> [Vec3; 3] {
        self.model.triangles[triangle].map(|corner| self.points[corner as usize])
    }

    /// Returns `true` if triangles of a mesh may be partly transparent.
    pub fn has_alpha(&self, part: &Part) -> bool {
        matches!(self.paint, Paint::Own(_))
            && self.model.meshes[part.mesh].material.alpha_mode != AlphaMode::Opaque
    }

    /// Returns `true` if a triangle is visible at a sample. Transparent surfaces cover a fraction of the samples
    /// equal to their alpha.
    pub fn is_visible(&self, triangle: usize, column: usize, row: usize) -> bool {
        let spot = self.spot(triangle, sample_place(column, row));
        let alpha = self.color(&spot, triangle).w;
        match self.model.meshes[spot.part.mesh].material.alpha_mode {
            AlphaMode::Opaque => true,
            AlphaMode::Mask { cutoff } => alpha >= cutoff,
            AlphaMode::Blend => {
                let order = (column % SAMPLES) * 2 + (row % SAMPLES) * 3;
                let threshold = (order % (SAMPLES * SAMPLES)) as f32 + 0.5;
                alpha * (SAMPLES * SAMPLES) as f32 > threshold
            }
        }
    }

    /// Returns the linear colour of a triangle at a picture position.
    pub fn shade(&self, triangle: usize, at: Vec2) -> Vec3 {
        let spot = self.spot(triangle, at);
        let color = self.color(&spot, triangle).truncate() * self.light(&spot);
        if !self.with_edges {
            return color;
        }
        let [a, b, c] = spot.points.map(Vec3::truncate);
        let area = (b - a).perp_dot(c - a).abs();
        let heights = area / Vec3::new((c - b).length(), (a - c).length(), (b - a).length());
        let to_edge = (spot.weights * heights).min_element();
        color.lerp(EDGE, (EDGE_WIDTH + 0.5 - to_edge).clamp(0.0, 1.0))
    }

    fn spot(&self, triangle: usize, at: Vec2) -> Spot<'m> {
        let corners = self.model.triangles[triangle].map(|corner| corner as usize);
        let points = self.corners(triangle);
        let [a, b, c] = points.map(Vec3::truncate);
        let areas = Vec3::new((c - b).perp_dot(at - b), (a - c).perp_dot(at - c), (b - a).perp_dot(at - a));
        let area = areas.x + areas.y + areas.z;
        Spot { part: self.model.part_of(triangle), corners, points, weights: areas / area }
    }

    /// Returns the base colour: that of the material times those of vertices and texture.
    fn color(&self, spot: &Spot, triangle: usize) -> Vec4 {
        let Spot { part, corners, weights, .. } = spot;
        let mix = |values: [Vec4; 3]| values[0] * weights.x + values[1] * weights.y + values[2] * weights.z;
        let textures = match self.paint {
            Paint::Own(textures) => textures,
            Paint::Distances(distances, largest) => {
                // Linear in each third of the triangle, around its centre.
                let least = weights.min_element();
                let [a, b, c] = corners.map(|corner| distances.vertices[corner] as f32);
                let of_corners = (*weights - least).dot(Vec3::new(a, b, c));
                let distance = of_corners + 3.0 * least * distances.middles[triangle] as f32;
                return ramp(distance / *largest as f32).extend(1.0);
            }
        };
        let mesh = &self.model.meshes[part.mesh];
        let texture = mesh.material.texture.as_ref();
        let found =
            texture.and_then(|own| Some((textures.get(part.mesh)?, mesh.uvs.get(own.uv_set)?, own.sampler)));
        let is_plain = mesh.colors.is_empty() && found.is_none();
        let base = match mesh.material.base_color {
            Some(color) => Vec4::from(color),
            None if is_plain => PLAIN.extend(1.0),
            None => Vec4::ONE,
        };
        let color = match mesh.colors.is_empty() {
            true => base,
            false => base * mix(corners.map(|corner| self.model.color(part, corner).into())),
        };
        let Some((image, uvs, sampler)) = found else { return color };
        let corner_uvs = corners.map(|corner| {
            let [u, v] = uvs.get(corner - part.first_vertex).copied().unwrap_or_default();
            Vec2::new(u, if mesh.uv_origin == UvOrigin::BottomLeft { 1.0 - v } else { v })
        });
        let [a, b, c] = spot.points.map(Vec3::truncate);
        let pixels = (b - a).perp_dot(c - a).abs();
        let coordinates = (corner_uvs[1] - corner_uvs[0]).perp_dot(corner_uvs[2] - corner_uvs[0]).abs();
        let at = corner_uvs[0] * weights.x + corner_uvs[1] * weights.y + corner_uvs[2] * weights.z;
        color * image.at(at, coordinates / pixels, &sampler)
    }

    /// Returns the light that arrives at a point.
    fn light(&self, spot: &Spot) -> Vec3 {
        let [a, b, c] = spot.points.map(|at| Vec3::new(at.x, -at.y, at.z));
        let face = unit_or((b - a).cross(c - a), Vec3::Z);
        // Back faces are lit like front faces.
        let face = if face.z < 0.0 { -face } else { face };
        let normals = spot.corners.map(|corner| self.normals[corner]);
        let is_back = (normals[0] + normals[1] + normals[2]).dot(face) < 0.0;
        let normals = normals.map(|normal| {
            let is_missing =
                normal == Vec3::ZERO || (spot.part.is_creased && normal.dot(face).abs() < CREASE);
            match is_missing {
                true => face,
                false if is_back => -normal,
                false => normal,
            }
        });
        let Vec3 { x, y, z } = spot.weights;
        let normal = unit_or(normals[0] * x + normals[1] * y + normals[2] * z, face);
        let [above, below] = AMBIENT;
        let ambient = below + (above - below) * (0.5 + 0.5 * normal.y);
        let lights = LIGHTS.iter().map(|(direction, color)| *color * normal.dot(*direction).max(0.0));
        lights.fold(Vec3::splat(ambient), |sum, light| sum + light)
    }
}

/// Returns the normalized vector, or `other` if it has no direction.
fn unit_or(vector: Vec3, other: Vec3) -> Vec3 {
    let length = vector.dot(vector).sqrt();
    if length > 0.0 && length < f32::INFINITY { vector / length } else { other }
}

/// Returns the colour of a distance from 0 to 1: grey for none, blue for the smallest, then yellow, and red.
fn ramp(fraction: f32) -> Vec3 {
    let [blue, yellow, red] =
        [Vec3::new(0.05, 0.25, 0.9), Vec3::new(0.95, 0.75, 0.05), Vec3::new(0.85, 0.03, 0.02)];
    match fraction {
        fraction if fraction > 0.5 => yellow.lerp(red, 2.0 * fraction - 1.0),
        fraction if fraction > 0.0 => blue.lerp(yellow, 2.0 * fraction),
        _ => PLAIN,
    }
}
