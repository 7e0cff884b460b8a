//! Bounds the packing error of vertices so that triangles neither collapse nor flip.

use glam::Vec3;
use half::f16;

use super::super::{
    Attributes, Face, Surface, Tolerance, Triple, VertexErrors, VertexSize, VertexSizes, Vertices,
};
use crate::loss::rounded;
use crate::scene::{Conventions, Precision, Scene, SceneOptions};
use crate::{Error, Result, Strictness, path};

/// Largest invisible position error, as a fraction of the longest side of the mesh.
const INVISIBLE: f32 = 1.0 / 500.0;

/// Largest error that is always accepted, as a fraction of the mesh size.
const NEVER_REFUSED: f32 = 1.0 / 200.0;

/// Largest error that is accepted if the surface is preserved, as a fraction of the mesh size.
const ACCEPTED: f32 = 1.0 / 100.0;

/// Largest accepted error of vertices without triangles, as a fraction of the mesh size.
const ACCEPTED_POINTS: f32 = 1.0 / 10.0;

/// Minimum height of a visible triangle, as a fraction of the longest side of the mesh.
const VISIBLE: f32 = 1.0 / 1000.0;

/// Fraction of the surface that may collapse or flip, and of the area that may change, before a finer attempt.
const TOLERATED_LOSS: f32 = 0.01;

/// Largest accepted change of the area, as a fraction.
const AREA: f32 = 0.1;

/// Maximum vertex errors as fractions of the smallest height of its triangles. The first prevents flattened
/// triangles. The second preserves the area, and is used if the surface suffers.
const HEIGHT_FRACTIONS: [f32; 2] = [1.0 / 4.0, 1.0 / 64.0];

/// The precision of encoded vertices.
pub struct Encoding {
    sizes: VertexSizes,
    tolerance: Tolerance,
    /// The requested maximum error of a coordinate, in units of the format.
    allowed: Option<f32>,
    /// Metres per unit.
    unit: f32,
    /// Whether to write meshes with any packing error.
    lenient: bool,
}

/// The mesh whose vertices are encoded.
pub struct Shape<'a> {
    /// The name in the source.
    pub name: &'a str,
    /// The positions in model space.
    pub positions: &'a [[f32; 3]],
    pub faces: &'a [Face],
    /// The longest side.
    pub size: f32,
    /// The centre of the whole model.
    pub centre: Vec3,
    /// Whether meshes far from the origin need more bones than BMD has.
    pub out_of_bones: bool,
}

/// Encoded vertices and their errors.
pub struct Encoded {
    pub vertices: Vertices,
    pub errors: VertexErrors,
    pub packed: Packed,
}

impl Encoding {
    /// Chooses the precision: that of the source for scenes read from BMD, otherwise the smallest forms without a
    /// visible difference.
    ///
    /// # Errors
    ///
    /// If BMD has no vertices of the requested size.
    pub fn of(scene: &Scene, options: &SceneOptions, conventions: Conventions) -> Result<Encoding> {
        let tolerance = match &scene.source {
            Some(source) if source.format == "bmd" => Tolerance { position: 1e-6, st: 1e-6, normal: 0.01 },
            _ => Tolerance::default(),
        };
        let unit = conventions.unit;
        let lenient = options.strictness == Strictness::Lenient;
        let encoding = Encoding { sizes: VertexSizes::PerVertex, tolerance, allowed: None, unit, lenient };
        match options.precision {
            None => Ok(encoding),
            Some(Precision::Error(metres)) => Ok(encoding.within(metres / unit)),
            Some(Precision::Bits(64)) => Ok(encoding.sized(VertexSize::Bits64)),
            Some(Precision::Bits(96)) => Ok(encoding.sized(VertexSize::Bits96)),
            Some(Precision::Bits(128)) => Ok(encoding.sized(VertexSize::Bits128)),
            Some(Precision::Bits(bits)) => {
                let message = format!("vertices of {bits} bits, but BMD supports 64, 96 and 128 bits");
                Err(Error::inexpressible(message))
            }
        }
    }

    fn sized(&self, size: VertexSize) -> Encoding {
        Encoding { sizes: VertexSizes::Fixed(size), ..*self }
    }

    fn within(&self, allowed: f32) -> Encoding {
        let tolerance = Tolerance { position: f32::INFINITY, ..self.tolerance };
        Encoding { allowed: Some(allowed), tolerance, ..*self }
    }

    /// Returns the largest coordinate error that is always accepted in a mesh of this size, even if triangles
    /// collapse.
    pub fn accepted(&self, size: f32) -> f32 {
        self.allowed.unwrap_or(size * NEVER_REFUSED)
    }

    /// Returns the rounding error of a position, and its bound for all positions up to the same largest coordinate.
    /// Errors are per coordinate.
    pub fn rounding(&self, position: Vec3) -> (f32, f32) {
        let far = position.abs().max_element();
        let off = |packed: Option<[f32; 3]>| {
            packed.map_or(f32::INFINITY, |packed| (Vec3::from(packed) - position).abs().max_element())
        };
        let half = off(Some(position.to_array().map(|x| f16::from_f32(x).to_f32())));
        let triple = off(Triple::nearest(position.into()).map(Triple::value));
        match self.sizes {
            VertexSizes::Fixed(VertexSize::Bits64 | VertexSize::Bits96) => (triple, far / 256.0),
            VertexSizes::Fixed(VertexSize::Bits128) => (half, far / 2048.0),
            _ => (half.min(triple), far / 2048.0),
        }
    }

    /// Encodes the vertices of a mesh. `decode` returns the positions of packed vertices in model space.
    ///
    /// # Errors
    ///
    /// If BMD cannot express them, or packing distorts the mesh too much.
    pub fn encode(
        &self,
        attributes: &mut Attributes,
        surface: Surface,
        shape: &Shape,
        decode: impl Fn(&Vertices) -> Vec<[f32; 3]>,
    ) -> Result<Encoded> {
        let error = match self.attempt(attributes, surface, shape, &decode) {
            Ok(encoded) if self.lenient || self.accepts(&encoded) => return Ok(encoded),
            Ok(encoded) => self.rejection(&encoded.packed, shape),
            Err(error) => error,
        };
        let helps = |encoding: &Encoding, shape: &Shape, attributes: &mut Attributes| {
            let again = encoding.attempt(attributes, surface, shape, &decode);
            again.as_ref().is_ok_and(|again| encoding.accepts(again)).then_some(again).and_then(Result::ok)
        };
        let mut options = Vec::new();
        let is_packed = error.path() == "positions";
        if is_packed && let VertexSizes::Fixed(VertexSize::Bits64 | VertexSize::Bits96) = self.sizes {
            let larger = helps(&self.sized(VertexSize::Bits128), shape, attributes);
            options.extend(larger.map(|_| "--precision 128bit".to_owned()));
        }
        if is_packed && self.allowed.is_some() {
            let nearest = self.attempt(attributes, surface, shape, &decode)?.packed.error;
            // Rounded up to two digits.
            let metres = rounded(nearest * self.unit * 1.06).parse().unwrap_or(f32::INFINITY);
            let coarser = helps(&self.within(metres / self.unit), shape, attributes);
            options.extend(coarser.map(|_| format!("--precision {metres}")));
        }
        let is_unbound = attributes.bones.iter().flatten().all(|bone| *bone == 0);
        if is_unbound && shape.centre.is_finite() {
            let centred = |positions: &[[f32; 3]]| -> Vec<[f32; 3]> {
                positions.iter().map(|position| (Vec3::from(*position) - shape.centre).into()).collect()
            };
            let positions = centred(shape.positions);
            attributes.positions = centred(&attributes.positions);
            let centred = helps(self, &Shape { positions: &positions, ..*shape }, attributes);
            options.extend(centred.map(|_| "--center".to_owned()));
        }
        options.extend(is_packed.then(|| "--lenient".to_owned()));
        let path = error.path().clone();
        let message = match options.is_empty() {
            true => error.message().to_owned(),
            false => format!("{}; {} writes it", error.message(), options.join(" or ")),
        };
        Err(Error::inexpressible(message).at(path))
    }

    /// Encodes the vertices with the requested precision, if possible.
    fn attempt(
        &self,
        attributes: &mut Attributes,
        surface: Surface,
        shape: &Shape,
        decode: &impl Fn(&Vertices) -> Vec<[f32; 3]>,
    ) -> Result<Encoded> {
        let mut encode = |limits| {
            attributes.limits = Some(limits);
            let (vertices, errors) = Vertices::encode(attributes, surface, self.sizes, &self.tolerance)?;
            let packed = Packed::new(shape, &decode(&vertices));
            Ok::<_, Error>(Encoded { vertices, errors, packed })
        };
        let count = shape.positions.len();
        let [usual, fine] = HEIGHT_FRACTIONS;
        let first = match self.allowed {
            Some(allowed) => encode(vec![allowed; count])?,
            None => encode(limits(shape, usual))?,
        };
        let second = match self.allowed {
            _ if self.sizes != VertexSizes::PerVertex => return Ok(first),
            // In model space, rotated bones add up the errors of coordinates.
            Some(allowed) if !self.accepts(&first) => encode(vec![allowed / 3.0_f32.sqrt(); count])?,
            None if !first.packed.keeps_surface(TOLERATED_LOSS) => encode(limits(shape, fine))?,
            _ => return Ok(first),
        };
        Ok(if self.allowed.is_some() && second.packed.error > first.packed.error { first } else { second })
    }

    /// Returns `true` if the error is within the requested maximum. Without a request, the shape of the mesh must be
    /// preserved.
    fn accepts(&self, Encoded { packed, .. }: &Encoded) -> bool {
        if let Some(allowed) = self.allowed {
            return packed.error <= allowed + packed.rounding();
        }
        if packed.size == 0.0 {
            return true;
        }
        let accepted = if packed.triangles > 0 { ACCEPTED } else { ACCEPTED_POINTS };
        packed.error <= self.accepted(packed.size)
            || packed.error <= accepted * packed.size && packed.keeps_surface(AREA)
    }

    fn rejection(&self, packed: &Packed, shape: &Shape) -> Error {
        let metres = |length: f32| rounded(length * self.unit);
        let name = if shape.name.is_empty() { String::new() } else { format!(" of \"{}\"", shape.name) };
        let expected = match self.allowed {
            Some(allowed) => format!(", expected at most {} m", metres(allowed)),
            None => format!(", {} % of its size", rounded(100.0 * packed.error / packed.size)),
        };
        let collapsed = match packed.lost {
            0 => String::new(),
            lost => format!(", and {lost} of {} triangles collapse or flip", packed.triangles),
        };
        let bones = if shape.out_of_bones { ", with all 255 bones in use" } else { "" };
        let message = format!(
            "packed positions{name} are off by {} m{expected}{collapsed}{bones}",
            metres(packed.error)
        );
        Error::inexpressible(message).at(path!(positions))
    }
}

/// Returns the maximum coordinate error of each vertex: a small fraction of the mesh size, and this fraction of the
/// smallest height of its triangles.
fn limits(shape: &Shape, of_height: f32) -> Vec<f32> {
    let Shape { positions, faces, size, .. } = *shape;
    let mut limits = vec![size * INVISIBLE; positions.len()];
    // Invisible slivers may collapse.
    let least = rounding(farthest(positions)).max(size * 1e-5);
    for_each_triangle(faces, |corners| {
        let Some(triangle) = at(positions, corners) else { return };
        let height = height_of(triangle);
        if height > least {
            for corner in corners {
                if let Some(limit) = limits.get_mut(corner as usize) {
                    *limit = limit.min(height * of_height);
                }
            }
        }
    });
    limits
}

fn farthest(positions: &[[f32; 3]]) -> f32 {
    positions.as_flattened().iter().fold(0.0, |far: f32, value| far.max(value.abs()))
}

/// Returns the rounding error of a triangle height, for coordinates up to `farthest`.
fn rounding(farthest: f32) -> f32 {
    4.0 * f32::EPSILON * farthest
}

/// The effect of packing on a mesh.
#[derive(Debug, Default)]
pub struct Packed {
    /// The longest side of the mesh.
    pub size: f32,
    /// The largest coordinate.
    farthest: f32,
    /// The largest change of a coordinate.
    pub error: f32,
    /// The surface area before and after packing, and the area of visible triangles that collapsed or flipped.
    area: f32,
    area_after: f32,
    area_lost: f32,
    /// The number of triangles with an area, and how many of them collapsed or flipped.
    pub triangles: usize,
    pub lost: usize,
}

impl Packed {
    fn new(shape: &Shape, after: &[[f32; 3]]) -> Packed {
        let Shape { positions: before, faces, size, .. } = *shape;
        let moved = before.as_flattened().iter().zip(after.as_flattened());
        let error = moved.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        let mut packed = Packed { size, farthest: farthest(before), error, ..Packed::default() };
        if error > 0.0 {
            for_each_triangle(faces, |corners| {
                if let (Some(before), Some(after)) = (at(before, corners), at(after, corners)) {
                    packed.triangle(before, after);
                }
            });
        }
        packed
    }

    fn rounding(&self) -> f32 {
        rounding(self.farthest)
    }

    /// Counts a triangle unless its source corners are collinear.
    fn triangle(&mut self, before: [Vec3; 3], after: [Vec3; 3]) {
        let height = height_of(before);
        if height.is_nan() || height <= self.rounding() {
            return;
        }
        let [normal, packed] = [before, after].map(normal_of);
        let area = normal.length();
        self.triangles += 1;
        self.area += area;
        self.area_after += packed.length();
        if normal.dot(packed) <= 0.0 {
            self.lost += 1;
            self.area_lost += if height > VISIBLE * self.size { area } else { 0.0 };
        }
    }

    /// Returns `true` if the visible surface is preserved and its area changed by at most this fraction.
    fn keeps_surface(&self, change: f32) -> bool {
        let changed = (self.area - self.area_after).abs();
        self.area_lost <= TOLERATED_LOSS * self.area && changed <= change * self.area
    }

    /// Returns the change of the surface area as a fraction, if it exceeds 0.01.
    pub fn area_change(&self) -> Option<f32> {
        Some((self.area_after / self.area - 1.0).abs()).filter(|change| *change > TOLERATED_LOSS)
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

/// Returns the smallest height of a triangle.
fn height_of([a, b, c]: [Vec3; 3]) -> f32 {
    let longest = a.distance_squared(b).max(b.distance_squared(c)).max(c.distance_squared(a)).sqrt();
    normal_of([a, b, c]).length() / longest
}

fn at(positions: &[[f32; 3]], corners: [u32; 3]) -> Option<[Vec3; 3]> {
    let [a, b, c] = corners.map(|corner| positions.get(corner as usize).copied().map(Vec3::from));
    Some([a?, b?, c?])
}
