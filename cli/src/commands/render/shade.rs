//! Shades triangles: lights, materials, textures and edges.

use glam::{Vec2, Vec3, Vec4};
use meshspec::scene::{AlphaMode, Distances, DrawnMesh, Model, UvOrigin};
use rayon::prelude::*;

use super::camera::Camera;
use super::raster::{SAMPLES_PER_AXIS, on_grid, sample_position};
use super::texture::Textures;

/// The direction to each light in the axes of the camera, and its linear colour.
const LIGHTS: [(Vec3, Vec3); 3] = [
    // From the upper left, warm.
    (Vec3::new(-0.48, 0.64, 0.6), Vec3::new(0.9, 0.86, 0.8)),
    // From the right, cool.
    (Vec3::new(0.8, 0.0, 0.6), Vec3::new(0.24, 0.28, 0.34)),
    // From above and behind, as a rim light.
    (Vec3::new(0.0, 0.8, -0.6), Vec3::new(0.25, 0.25, 0.25)),
];

/// The brightness of ambient light from above and from below.
const AMBIENT: [f32; 2] = [0.26, 0.12];

/// The cosine of the crease angle, about 46°. A corner gets the face normal if its generated normal deviates by a
/// larger angle.
const CREASE: f32 = 0.7;

/// The colour of surfaces without a material, linear.
const DEFAULT_COLOR: Vec3 = Vec3::new(0.62, 0.62, 0.6);

/// The linear colour of edges, and half their width in pixels.
const EDGE_COLOR: Vec3 = Vec3::new(0.01, 0.02, 0.04);
const EDGE_HALF_WIDTH: f32 = 0.8;

/// The source of surface colours.
pub enum Paint<'m> {
    /// The colours and textures of the file.
    Own(&'m Textures),
    /// A colour scale of the distances from another surface. The `f64` is the distance at the end of the scale.
    Distances(&'m Distances, f64),
}

/// Computes the colours of a model's triangles as seen by a camera.
pub struct Shader<'m> {
    model: &'m Model,
    paint: &'m Paint<'m>,
    /// The vertices in picture coordinates: pixels to the right, down, and towards the viewer.
    points: Vec<Vec3>,
    /// The normals of the vertices in the axes of the camera: right, up, and towards the viewer. Zero if missing.
    normals: Vec<Vec3>,
    with_edges: bool,
}

/// A point on a triangle.
struct SurfacePoint<'m> {
    drawn_mesh: &'m DrawnMesh,
    corners: [usize; 3],
    /// The corners in picture coordinates.
    points: [Vec3; 3],
    /// The barycentric coordinates of the point.
    weights: Vec3,
}

impl<'m> Shader<'m> {
    pub fn new(
        model: &'m Model,
        paint: &'m Paint,
        camera: &Camera,
        with_edges: bool,
    ) -> Shader<'m> {
        let points = model
            .points
            .par_iter()
            .map(|point| on_grid(camera.project(*point)))
            .collect();
        let to_view = |normal: &Vec3| unit_or(camera.rotation * *normal, Vec3::ZERO);
        let normals = model.normals.par_iter().map(to_view).collect();
        Shader {
            model,
            paint,
            points,
            normals,
            with_edges,
        }
    }

    /// Returns the corners of a triangle in picture coordinates.
    pub fn projected_corners(&self, triangle: usize) -> [Vec3; 3] {
        self.model.triangles[triangle].map(|corner| self.points[corner as usize])
    }

    /// Returns `true` if triangles of a mesh may be transparent.
    pub fn has_alpha(&self, drawn_mesh: &DrawnMesh) -> bool {
        matches!(self.paint, Paint::Own(_))
            && self.model.meshes[drawn_mesh.mesh].material.alpha_mode != AlphaMode::Opaque
    }

    /// Returns `true` if a triangle is visible at a sample. For blended surfaces, the fraction of visible samples
    /// approximates alpha.
    pub fn is_visible(&self, triangle: usize, column: usize, row: usize) -> bool {
        let point = self.point_at(triangle, sample_position(column, row));
        let alpha = self.color(&point, triangle).w;
        match self.model.meshes[point.drawn_mesh.mesh].material.alpha_mode {
            AlphaMode::Opaque => true,
            AlphaMode::Mask { cutoff } => alpha >= cutoff,
            AlphaMode::Blend => {
                let order = (column % SAMPLES_PER_AXIS) * 2 + (row % SAMPLES_PER_AXIS) * 3;
                let threshold = (order % (SAMPLES_PER_AXIS * SAMPLES_PER_AXIS)) as f32 + 0.5;
                alpha * (SAMPLES_PER_AXIS * SAMPLES_PER_AXIS) as f32 > threshold
            }
        }
    }

    /// Returns the linear colour of a triangle at a position in the picture.
    pub fn shade(&self, triangle: usize, at: Vec2) -> Vec3 {
        let point = self.point_at(triangle, at);
        let color = self.color(&point, triangle).truncate() * self.light(&point);
        if !self.with_edges {
            return color;
        }
        let [a, b, c] = point.points.map(Vec3::truncate);
        let area = (b - a).perp_dot(c - a).abs();
        let heights = area / Vec3::new((c - b).length(), (a - c).length(), (b - a).length());
        let to_edge = (point.weights * heights).min_element();
        color.lerp(
            EDGE_COLOR,
            (EDGE_HALF_WIDTH + 0.5 - to_edge).clamp(0.0, 1.0),
        )
    }

    fn point_at(&self, triangle: usize, at: Vec2) -> SurfacePoint<'m> {
        let corners = self.model.triangles[triangle].map(|corner| corner as usize);
        let points = self.projected_corners(triangle);
        let [a, b, c] = points.map(Vec3::truncate);
        let areas = Vec3::new(
            (c - b).perp_dot(at - b),
            (a - c).perp_dot(at - c),
            (b - a).perp_dot(at - a),
        );
        let area = areas.x + areas.y + areas.z;
        SurfacePoint {
            drawn_mesh: self.model.drawn_mesh_of(triangle),
            corners,
            points,
            weights: areas / area,
        }
    }

    /// Returns the unlit colour at a point: the colour of the distance, or the product of the colours of material,
    /// vertices and texture.
    fn color(&self, point: &SurfacePoint, triangle: usize) -> Vec4 {
        let SurfacePoint {
            drawn_mesh,
            corners,
            weights,
            ..
        } = point;
        let mix = |values: [Vec4; 3]| {
            values[0] * weights.x + values[1] * weights.y + values[2] * weights.z
        };
        let textures = match self.paint {
            Paint::Own(textures) => textures,
            Paint::Distances(distances, largest) => {
                // Interpolates linearly between two corners and the centre of the triangle.
                let least = weights.min_element();
                let [a, b, c] = corners.map(|corner| distances.vertices[corner] as f32);
                let of_corners = (*weights - least).dot(Vec3::new(a, b, c));
                let distance = of_corners + 3.0 * least * distances.centers[triangle] as f32;
                return distance_color(distance / *largest as f32).extend(1.0);
            }
        };
        let mesh = &self.model.meshes[drawn_mesh.mesh];
        let texture = mesh.material.texture.as_ref();
        let image_mapping = texture.and_then(|own| {
            Some((
                textures.get(drawn_mesh.mesh)?,
                mesh.uvs.get(own.uv_set)?,
                own.sampler,
            ))
        });
        let is_plain = mesh.colors.is_empty() && image_mapping.is_none();
        let base = match mesh.material.base_color {
            Some(color) => Vec4::from(color),
            None if is_plain => DEFAULT_COLOR.extend(1.0),
            None => Vec4::ONE,
        };
        let color = match mesh.colors.is_empty() {
            true => base,
            false => base * mix(corners.map(|corner| self.model.color(drawn_mesh, corner).into())),
        };
        let Some((image, uvs, sampler)) = image_mapping else {
            return color;
        };
        let corner_uvs = corners.map(|corner| {
            let [u, v] = uvs
                .get(corner - drawn_mesh.first_vertex)
                .copied()
                .unwrap_or_default();
            Vec2::new(
                u,
                if mesh.uv_origin == UvOrigin::BottomLeft {
                    1.0 - v
                } else {
                    v
                },
            )
        });
        let [a, b, c] = point.points.map(Vec3::truncate);
        let pixel_area = (b - a).perp_dot(c - a).abs();
        let uv_area = (corner_uvs[1] - corner_uvs[0])
            .perp_dot(corner_uvs[2] - corner_uvs[0])
            .abs();
        let uv = corner_uvs[0] * weights.x + corner_uvs[1] * weights.y + corner_uvs[2] * weights.z;
        color * image.sample(uv, uv_area / pixel_area, &sampler)
    }

    /// Returns the colour of the light at a point.
    fn light(&self, point: &SurfacePoint) -> Vec3 {
        let [a, b, c] = point.points.map(|at| Vec3::new(at.x, -at.y, at.z));
        let face = unit_or((b - a).cross(c - a), Vec3::Z);
        // Back faces are lit like front faces.
        let face = if face.z < 0.0 { -face } else { face };
        let normals = point.corners.map(|corner| self.normals[corner]);
        let is_back = (normals[0] + normals[1] + normals[2]).dot(face) < 0.0;
        let normals = normals.map(|normal| {
            let is_missing = normal == Vec3::ZERO
                || (point.drawn_mesh.has_generated_normals && normal.dot(face).abs() < CREASE);
            match is_missing {
                true => face,
                false if is_back => -normal,
                false => normal,
            }
        });
        let Vec3 { x, y, z } = point.weights;
        let normal = unit_or(normals[0] * x + normals[1] * y + normals[2] * z, face);
        let [above, below] = AMBIENT;
        let ambient = below + (above - below) * (0.5 + 0.5 * normal.y);
        let lights = LIGHTS
            .iter()
            .map(|(direction, color)| *color * normal.dot(*direction).max(0.0));
        lights.fold(Vec3::splat(ambient), |sum, light| sum + light)
    }
}

/// Returns the normalised vector; `other` if its length is 0 or not finite.
fn unit_or(vector: Vec3, other: Vec3) -> Vec3 {
    let length = vector.dot(vector).sqrt();
    if length > 0.0 && length < f32::INFINITY {
        vector / length
    } else {
        other
    }
}

/// Returns the colour of a distance from 0 to 1: grey for 0, then blue, yellow at 0.5, and red at 1.
fn distance_color(fraction: f32) -> Vec3 {
    let [blue, yellow, red] = [
        Vec3::new(0.05, 0.25, 0.9),
        Vec3::new(0.95, 0.75, 0.05),
        Vec3::new(0.85, 0.03, 0.02),
    ];
    match fraction {
        fraction if fraction > 0.5 => yellow.lerp(red, 2.0 * fraction - 1.0),
        fraction if fraction > 0.0 => blue.lerp(yellow, 2.0 * fraction),
        _ => DEFAULT_COLOR,
    }
}
