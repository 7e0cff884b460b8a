//! How far packed vertices may move: not so far that a triangle collapses or turns over.

use glam::Vec3;

use super::super::{Attributes, Face, Surface, Tolerance, VertexErrors, VertexSize, VertexSizes, Vertices};
use crate::scene::{Conventions, Precision, Scene, SceneOptions};
use crate::{Error, Result, path};

/// The largest error of a position that does not show, as a part of the longest side of the mesh.
const INVISIBLE: f32 = 1.0 / 500.0;

/// The largest error that is accepted at all.
const ACCEPTED: f32 = 1.0 / 100.0;

/// The largest error of vertices without triangles.
const ACCEPTED_POINTS: f32 = 1.0 / 10.0;

/// Triangles lower than this, as a part of the longest side of the mesh, do not show.
const VISIBLE: f32 = 1.0 / 1000.0;

/// The part of the surface that may collapse or turn over, and by which its area may change without a finer attempt.
const LOST: f32 = 0.01;

/// The part by which the area may change at all.
const AREA: f32 = 0.1;

/// The parts of the lowest height of its triangles that a vertex may be off: first the one that cannot flatten a
/// triangle, then, if the surface suffers, the one that hardly changes its area.
const OF_HEIGHT: [f32; 2] = [1.0 / 4.0, 1.0 / 64.0];

/// How exactly vertices are encoded.
pub struct Encoding {
    sizes: VertexSizes,
    tolerance: Tolerance,
    /// The largest error of a coordinate, where that is asked for.
    allowed: Option<f32>,
}

/// Vertices, and how far they are off.
pub struct Encoded {
    pub vertices: Vertices,
    pub errors: VertexErrors,
    pub packed: Packed,
}

impl Encoding {
    /// Scenes read from BMD are encoded as they were, all others in the smallest form without a visible difference.
    ///
    /// # Errors
    ///
    /// If BMD has no vertices of the size that is asked for.
    pub fn of(scene: &Scene, options: &SceneOptions, conventions: Conventions) -> Result<Encoding> {
        let tolerance = match &scene.source {
            Some(source) if source.format == "bmd" => Tolerance { position: 1e-6, st: 1e-6, normal: 0.01 },
            _ => Tolerance::default(),
        };
        let mut encoding = Encoding { sizes: VertexSizes::PerVertex, tolerance, allowed: None };
        match options.precision {
            None => {}
            Some(Precision::Error(metres)) => {
                encoding.allowed = Some(metres / conventions.unit);
                encoding.tolerance.position = f32::INFINITY;
            }
            Some(Precision::Bits(bits)) => {
                let size = match bits {
                    64 => VertexSize::Bits64,
                    96 => VertexSize::Bits96,
                    128 => VertexSize::Bits128,
                    _ => {
                        let message =
                            format!("vertices of {bits} bits, but BMD has those of 64, 96 and 128 bits");
                        return Err(Error::inexpressible(message));
                    }
                };
                encoding.sizes = VertexSizes::Fixed(size);
            }
        }
        Ok(encoding)
    }

    /// Encodes the vertices of a mesh of this size. `model` is where they are in the model, and `decode` where packed
    /// ones are there.
    ///
    /// # Errors
    ///
    /// If BMD cannot express them, or not so that the mesh stays what it is.
    pub fn encode(
        &self,
        attributes: &mut Attributes,
        surface: Surface,
        model: &[[f32; 3]],
        size: f32,
        faces: &[Face],
        decode: impl Fn(&Vertices) -> Vec<[f32; 3]>,
    ) -> Result<Encoded> {
        let mut attempt = |of_height| {
            attributes.limits = Some(match self.allowed {
                Some(allowed) => vec![allowed; model.len()],
                None => limits(model, faces, size, of_height),
            });
            let (vertices, errors) = Vertices::encode(attributes, surface, self.sizes, &self.tolerance)?;
            let packed = Packed::new(model, &decode(&vertices), faces, size);
            Ok::<_, Error>(Encoded { vertices, errors, packed })
        };
        let [usual, fine] = OF_HEIGHT;
        let mut encoded = attempt(usual)?;
        if !encoded.packed.keeps_surface(LOST)
            && self.allowed.is_none()
            && self.sizes == VertexSizes::PerVertex
        {
            encoded = attempt(fine)?;
        }
        encoded.packed.require(self.allowed)?;
        Ok(encoded)
    }
}

/// For each vertex how far its coordinates may be off: a small part of the size of the mesh, and this part of the lowest
/// height of its triangles.
fn limits(positions: &[[f32; 3]], faces: &[Face], size: f32, of_height: f32) -> Vec<f32> {
    let mut limits = vec![size * INVISIBLE; positions.len()];
    for_each_triangle(faces, |corners| {
        let Some(triangle) = at(positions, corners) else { return };
        let height = height_of(triangle);
        // Slivers that nobody sees need not survive.
        if height > size * 1e-5 {
            for corner in corners {
                if let Some(limit) = limits.get_mut(corner as usize) {
                    *limit = limit.min(height * of_height);
                }
            }
        }
    });
    limits
}

/// What packing did to a mesh.
#[derive(Debug, Default)]
pub struct Packed {
    /// The longest side of the mesh.
    pub size: f32,
    /// The largest coordinate.
    farthest: f32,
    /// The largest change of a coordinate.
    pub error: f32,
    /// The area of the surface, before and after, and of the triangles that show and collapsed or turned over.
    area: f32,
    area_after: f32,
    area_lost: f32,
    /// How many triangles had an area, and how many of them collapsed or turned over.
    pub triangles: usize,
    pub lost: usize,
}

impl Packed {
    fn new(before: &[[f32; 3]], after: &[[f32; 3]], faces: &[Face], size: f32) -> Packed {
        let moved = before.as_flattened().iter().zip(after.as_flattened());
        let error = moved.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        let farthest = before.as_flattened().iter().fold(0.0, |far: f32, value| far.max(value.abs()));
        let mut packed = Packed { size, farthest, error, ..Packed::default() };
        if error > 0.0 {
            for_each_triangle(faces, |corners| {
                if let (Some(before), Some(after)) = (at(before, corners), at(after, corners)) {
                    packed.triangle(before, after);
                }
            });
        }
        packed
    }

    fn triangle(&mut self, before: [Vec3; 3], after: [Vec3; 3]) {
        let [normal, packed] = [before, after].map(normal_of);
        let area = normal.length();
        if area == 0.0 {
            return;
        }
        self.triangles += 1;
        self.area += area;
        self.area_after += packed.length();
        if normal.dot(packed) <= 0.0 {
            self.lost += 1;
            self.area_lost += if height_of(before) > VISIBLE * self.size { area } else { 0.0 };
        }
    }

    /// Whether what shows of the surface is still there, and its area changed by no more than this part.
    fn keeps_surface(&self, change: f32) -> bool {
        let changed = (self.area - self.area_after).abs();
        self.area_lost <= LOST * self.area && changed <= change * self.area
    }

    /// By which part the area of the surface changed, if that is more than a hundredth.
    pub fn area_change(&self) -> Option<f32> {
        Some((self.area_after / self.area - 1.0).abs()).filter(|change| *change > LOST)
    }

    /// # Errors
    ///
    /// If vertices moved so far that the mesh is another one: packed numbers are the coarser, the farther they are from
    /// 0. Or farther than is `allowed`.
    fn require(&self, allowed: Option<f32>) -> Result<()> {
        let accepted = if self.triangles > 0 { ACCEPTED } else { ACCEPTED_POINTS } * self.size;
        let holds = self.error <= allowed.unwrap_or(accepted) && self.keeps_surface(AREA);
        if self.error == 0.0 || self.size == 0.0 || holds {
            return Ok(());
        }
        let rounded = crate::loss::rounded;
        let expected = allowed.map(|allowed| format!(", expected at most {}", rounded(allowed)));
        let message = format!(
            "packed positions are off by {}{}, but the mesh has a size of {} at coordinates of up to {}, and {} of {} \
             triangles collapse or turn over; --center moves the scene to the origin",
            rounded(self.error),
            expected.unwrap_or_default(),
            rounded(self.size),
            rounded(self.farthest),
            self.lost,
            self.triangles
        );
        Err(Error::inexpressible(message).at(path!(positions)))
    }
}

fn for_each_triangle(faces: &[Face], mut visit: impl FnMut([u32; 3])) {
    for face in faces {
        match *face {
            Face::Triangle(corners) => visit(corners),
            Face::Quad([a, b, c, d]) => {
                visit([a, b, c]);
                visit([a, c, d]);
            }
        }
    }
}

fn normal_of([a, b, c]: [Vec3; 3]) -> Vec3 {
    (b - a).cross(c - a)
}

/// The lowest height of a triangle.
fn height_of([a, b, c]: [Vec3; 3]) -> f32 {
    let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
    normal_of([a, b, c]).length() / longest
}

fn at(positions: &[[f32; 3]], corners: [u32; 3]) -> Option<[Vec3; 3]> {
    let [a, b, c] = corners.map(|corner| positions.get(corner as usize).copied().map(Vec3::from));
    Some([a?, b?, c?])
}
