//! Limits the packing error of vertices so that triangles neither collapse nor flip.

use glam::Vec3;
use half::f16;

use super::super::{
    Attributes, Face, Surface, Tolerance, Triple, VertexErrors, VertexSize, VertexSizes, Vertices,
};
use crate::loss::{format_plain, format_rounded_up};
use crate::scene::{Conventions, Precision, Scene, SceneOptions};
use crate::{Error, Result, Strictness, path};

/// Largest invisible position error, as a fraction of the mesh size.
const INVISIBLE_ERROR: f32 = 1.0 / 500.0;

/// Largest error that is always accepted, as a fraction of the mesh size.
const ALWAYS_ACCEPTED: f32 = 1.0 / 200.0;

/// Largest error that is accepted if the surface is preserved, as a fraction of the mesh size.
const ACCEPTED_SURFACES: f32 = 1.0 / 100.0;

/// Largest accepted error of vertices without triangles, as a fraction of the mesh size.
const ACCEPTED_POINTS: f32 = 1.0 / 10.0;

/// Minimum height of a visible triangle, as a fraction of the mesh size.
const VISIBLE_HEIGHT: f32 = 1.0 / 1000.0;

/// Fraction of the surface that may collapse or flip. Larger area changes cause a finer attempt and are reported.
const TOLERATED_LOSS: f32 = 0.01;

/// Largest accepted change of the surface area, as a fraction.
const ACCEPTED_AREA_CHANGE: f32 = 0.1;

/// Maximum error of a vertex, as fractions of the smallest triangle height at this vertex. The first fraction prevents
/// flattened triangles. The second fraction preserves the area; it is used if the first attempt distorts the surface.
const HEIGHT_FRACTIONS: [f32; 2] = [1.0 / 4.0, 1.0 / 64.0];

/// The largest relative error of a coordinate packed as a 16-bit float.
const HALF_ERROR: f32 = 1.0 / 2048.0;

/// The largest error of a subnormal 16-bit float.
const SMALLEST_HALF_ERROR: f32 = 1.0 / (1 << 25) as f32;

/// The vertex sizes to use, and the accepted errors.
pub struct Encoding {
    sizes: VertexSizes,
    tolerance: Tolerance,
    /// The requested maximum distance that a position moves, in units of the format.
    max_error: Option<f32>,
    /// Metres per unit.
    unit: f32,
    /// Whether to write meshes regardless of their packing error.
    is_lenient: bool,
}

/// The mesh whose vertices are encoded.
pub struct SourceMesh<'a> {
    /// The name in the scene.
    pub name: &'a str,
    /// The positions in model space.
    pub positions: &'a [[f32; 3]],
    /// The normals in model space, one per position; empty if the mesh has none.
    pub normals: &'a [[f32; 3]],
    pub faces: &'a [Face],
    /// The longest side of the bounding box.
    pub size: f32,
    /// The centre of the whole model.
    pub center: Vec3,
    /// Whether meshes far from the origin need more bones than BMD allows.
    pub out_of_bones: bool,
}

/// The positions and normals of vertices in model space.
pub type PositionsAndNormals = (Vec<[f32; 3]>, Vec<[f32; 3]>);

pub struct EncodedMesh {
    pub vertices: Vertices,
    pub errors: VertexErrors,
    pub effect: PackingEffect,
}

impl Encoding {
    /// Chooses the tolerance: nearly exact for scenes read from BMD, otherwise the default. `options.precision` takes
    /// precedence. Returns an error if BMD has no vertices of the requested size.
    pub fn of(scene: &Scene, options: &SceneOptions, conventions: Conventions) -> Result<Encoding> {
        let tolerance = match &scene.source {
            Some(source) if source.format == "bmd" => Tolerance {
                position: 1e-6,
                st: 1e-6,
                normal: 0.01,
            },
            _ => Tolerance::default(),
        };
        let unit = conventions.unit;
        let is_lenient = options.strictness == Strictness::Lenient;
        let sizes = VertexSizes::PerVertex;
        let encoding = Encoding {
            sizes,
            tolerance,
            max_error: None,
            unit,
            is_lenient,
        };
        match options.precision {
            None => Ok(encoding),
            Some(Precision::MaxError(metres)) => Ok(encoding.with_max_error(metres / unit)),
            Some(Precision::Bits(64)) => Ok(encoding.with_size(VertexSize::Bits64)),
            Some(Precision::Bits(96)) => Ok(encoding.with_size(VertexSize::Bits96)),
            Some(Precision::Bits(128)) => Ok(encoding.with_size(VertexSize::Bits128)),
            Some(Precision::Bits(bits)) => {
                let message =
                    format!("vertices of {bits} bits, but BMD supports 64, 96 and 128 bits");
                Err(Error::inexpressible(message))
            }
        }
    }

    fn with_size(&self, size: VertexSize) -> Encoding {
        Encoding {
            sizes: VertexSizes::Fixed(size),
            ..*self
        }
    }

    fn with_max_error(&self, max_error: f32) -> Encoding {
        let tolerance = Tolerance {
            position: f32::INFINITY,
            ..self.tolerance
        };
        Encoding {
            max_error: Some(max_error),
            tolerance,
            ..*self
        }
    }

    /// Returns the length of a unit in metres.
    pub fn unit(&self) -> f64 {
        self.unit.into()
    }

    /// Returns the largest coordinate error that is always accepted in a mesh of `size`, even if triangles collapse.
    pub fn accepted_error(&self, size: f32) -> f32 {
        self.max_error.map_or(size * ALWAYS_ACCEPTED, |max_error| {
            max_error / 3.0_f32.sqrt()
        })
    }

    /// Returns the largest rounding error of a coordinate of `position`, and a bound for positions with no larger
    /// coordinates.
    pub fn rounding_errors(&self, position: Vec3) -> (f32, f32) {
        let farthest = position.abs().max_element();
        let error = |packed: [f32; 3]| (Vec3::from(packed) - position).abs().max_element();
        let half = error(position.to_array().map(|x| f16::from_f32(x).to_f32()));
        let triple =
            Triple::nearest(position.into()).map_or(f32::INFINITY, |triple| error(triple.value()));
        match self.sizes {
            VertexSizes::Fixed(VertexSize::Bits64 | VertexSize::Bits96) => {
                (triple, farthest / 256.0)
            }
            VertexSizes::Fixed(VertexSize::Bits128) => (half, farthest / 2048.0),
            _ => (half.min(triple), farthest / 2048.0),
        }
    }

    /// Returns `true` if no precision was requested. A requested form or maximum error decides which detail is kept.
    pub fn is_default(&self) -> bool {
        self.max_error.is_none() && self.sizes == VertexSizes::PerVertex
    }

    /// Returns a position in bone space as packed by default: as a triple if its error is within `limit`, or else in the
    /// more precise form. Returns the position itself if BMD cannot express it.
    pub fn packed_position(&self, position: Vec3, limit: f32) -> Vec3 {
        let error = |packed: Vec3| (packed - position).abs().max_element();
        let triple =
            Triple::nearest(position.into()).map_or(position, |triple| triple.value().into());
        if error(triple) <= limit.min(self.tolerance.position * position.abs().max_element()) {
            return triple;
        }
        let half = Vec3::from(position.to_array().map(|x| f16::from_f32(x).to_f32()));
        if error(triple) < error(half) {
            triple
        } else {
            half
        }
    }

    /// Encodes the vertices of a mesh. `decode` returns the positions and normals of packed vertices in model space. Returns
    /// an error with hints if BMD cannot express the vertices, or packing distorts the mesh too much in strict mode.
    pub fn encode(
        &self,
        attributes: &mut Attributes,
        surface: Surface,
        source: &SourceMesh,
        decode: impl Fn(&Vertices) -> PositionsAndNormals,
    ) -> Result<EncodedMesh> {
        let error = match self.try_encode(attributes, surface, source, &decode) {
            Ok(encoded) if self.is_lenient || self.is_accepted(&encoded) => return Ok(encoded),
            Ok(encoded) => self.rejection_error(&encoded.effect, source),
            Err(error) => error,
        };
        let try_alternative =
            |encoding: &Encoding, source: &SourceMesh, attributes: &mut Attributes| {
                let encoded = encoding
                    .try_encode(attributes, surface, source, &decode)
                    .ok();
                encoded.filter(|encoded| encoding.is_accepted(encoded))
            };
        let mut hints = Vec::new();
        let is_packed = error.path() == "positions";
        if is_packed && let VertexSizes::Fixed(VertexSize::Bits64 | VertexSize::Bits96) = self.sizes
        {
            let larger = try_alternative(&self.with_size(VertexSize::Bits128), source, attributes);
            hints.extend(larger.map(|_| "--precision 128bit".to_owned()));
        }
        if is_packed && self.max_error.is_some() {
            let nearest = self
                .try_encode(attributes, surface, source, &decode)?
                .effect
                .distance;
            let metres = format_rounded_up(nearest * self.unit())
                .parse()
                .unwrap_or(f32::INFINITY);
            let coarser =
                try_alternative(&self.with_max_error(metres / self.unit), source, attributes);
            hints.extend(coarser.map(|_| format!("--precision {metres}")));
        }
        let is_unbound = attributes.bones.iter().flatten().all(|bone| *bone == 0);
        if is_unbound && source.center.is_finite() {
            let centered = |positions: &[[f32; 3]]| -> Vec<[f32; 3]> {
                positions
                    .iter()
                    .map(|position| (Vec3::from(*position) - source.center).into())
                    .collect()
            };
            let positions = centered(source.positions);
            attributes.positions = centered(&attributes.positions);
            let centered = try_alternative(
                self,
                &SourceMesh {
                    positions: &positions,
                    ..*source
                },
                attributes,
            );
            hints.extend(centered.map(|_| "--center".to_owned()));
        }
        hints.extend(is_packed.then(|| "--lenient".to_owned()));
        let path = error.path().clone();
        let message = match hints.is_empty() {
            true => error.message().to_owned(),
            false => format!("{}; use {}", error.message(), hints.join(" or ")),
        };
        Err(Error::inexpressible(message).at(path))
    }

    /// Encodes the vertices. With per-vertex sizes, tries again with smaller limits if the first result is too coarse.
    fn try_encode(
        &self,
        attributes: &mut Attributes,
        surface: Surface,
        source: &SourceMesh,
        decode: &impl Fn(&Vertices) -> PositionsAndNormals,
    ) -> Result<EncodedMesh> {
        let mut encode = |limits| {
            attributes.limits = Some(limits);
            let (vertices, errors) =
                Vertices::encode(attributes, surface, self.sizes, &self.tolerance)?;
            let effect = PackingEffect::new(source, decode(&vertices));
            Ok::<_, Error>(EncodedMesh {
                vertices,
                errors,
                effect,
            })
        };
        let count = source.positions.len();
        let [coarse, fine] = HEIGHT_FRACTIONS;
        let first = match self.max_error {
            Some(max_error) => encode(vec![max_error; count])?,
            None => encode(source.error_limits(coarse))?,
        };
        let second = match self.max_error {
            _ if self.sizes != VertexSizes::PerVertex => return Ok(first),
            // The distance is at most √3 times the largest coordinate.
            Some(max_error) if !self.is_accepted(&first) => {
                encode(vec![max_error / 3.0_f32.sqrt(); count])?
            }
            None if !first.effect.keeps_surface(TOLERATED_LOSS) => {
                encode(source.error_limits(fine))?
            }
            _ => return Ok(first),
        };
        Ok(
            if self.max_error.is_some() && second.effect.distance > first.effect.distance {
                first
            } else {
                second
            },
        )
    }

    /// Returns `true` if the error is within the requested maximum; by default, within limits relative to the mesh
    /// size.
    fn is_accepted(&self, EncodedMesh { effect, .. }: &EncodedMesh) -> bool {
        if let Some(max_error) = self.max_error {
            return effect.distance <= f64::from(max_error + effect.height_rounding);
        }
        if effect.size == 0.0 {
            return true;
        }
        let accepted = if effect.triangles > 0 {
            ACCEPTED_SURFACES
        } else {
            ACCEPTED_POINTS
        };
        effect.error <= self.accepted_error(effect.size)
            || effect.error <= accepted * effect.size && effect.keeps_surface(ACCEPTED_AREA_CHANGE)
    }

    fn rejection_error(&self, effect: &PackingEffect, source: &SourceMesh) -> Error {
        let metres = |length: f64| format_rounded_up(length * self.unit());
        let name = if source.name.is_empty() {
            String::new()
        } else {
            format!(" of \"{}\"", source.name)
        };
        let expected = match self.max_error {
            // Six digits hide the rounding of the request to other units.
            Some(max_error) => {
                let requested = format!("{:.5e}", max_error * self.unit)
                    .parse()
                    .unwrap_or(f64::INFINITY);
                format!(", expected at most {} m", format_plain(requested))
            }
            None => {
                format!(
                    ", {} % of its size",
                    format_rounded_up(100.0 * effect.distance / f64::from(effect.size))
                )
            }
        };
        let collapsed = match effect.lost_triangles {
            0 => String::new(),
            lost => format!(
                ", and {lost} of {} triangles collapse or flip",
                effect.triangles
            ),
        };
        let bones = if source.out_of_bones {
            ", and the bones that would reduce the errors exceed the maximum of 255"
        } else {
            ""
        };
        let error = metres(effect.distance);
        let message =
            format!("packed positions{name} are off by {error} m{expected}{collapsed}{bones}");
        Error::inexpressible(message).at(path!(positions))
    }
}

impl SourceMesh<'_> {
    fn error_limits(&self, height_fraction: f32) -> Vec<f32> {
        error_limits(self.positions, self.faces, self.size, height_fraction).limits
    }
}

/// The maximum coordinate error of each vertex in a mesh: the smaller of `INVISIBLE_ERROR` × mesh size and a fraction of
/// the smallest triangle height at the vertex. Slivers do not count.
pub struct ErrorLimits {
    pub limits: Vec<f32>,
    /// Whether there are slivers: triangles that are invisibly thin, but not degenerate.
    pub has_slivers: bool,
}

fn error_limits(
    positions: &[[f32; 3]],
    faces: &[Face],
    size: f32,
    height_fraction: f32,
) -> ErrorLimits {
    let mut limits = vec![size * INVISIBLE_ERROR; positions.len()];
    let degenerate = height_rounding(positions);
    // Invisible slivers may collapse.
    let min_height = degenerate.max(size * 1e-5);
    let mut has_slivers = false;
    for_each_triangle(faces, |corners| {
        let Some(triangle) = triangle_at(positions, corners) else {
            return;
        };
        let height = smallest_height(triangle);
        has_slivers |= height > degenerate && height <= min_height;
        if height > min_height {
            for corner in corners {
                if let Some(limit) = limits.get_mut(corner as usize) {
                    *limit = limit.min(height * height_fraction);
                }
            }
        }
    });
    ErrorLimits {
        limits,
        has_slivers,
    }
}

/// Returns `true` if the error of a packed position in bone space is within `limit`, whichever form is chosen.
pub fn is_within_limit(position: Vec3, limit: f32) -> bool {
    let largest = position.abs().max_element();
    // Larger numbers exceed the range of 16-bit floats.
    largest < f32::from(f16::MAX) && (largest * HALF_ERROR).max(SMALLEST_HALF_ERROR) <= limit
}

/// Returns the maximum coordinate errors in the first attempt to encode a mesh of `size`.
pub fn first_error_limits(positions: &[[f32; 3]], faces: &[Face], size: f32) -> ErrorLimits {
    let [coarse, _] = HEIGHT_FRACTIONS;
    error_limits(positions, faces, size, coarse)
}

/// Returns a bound for the rounding error of triangle heights at these positions.
pub fn height_rounding(positions: &[[f32; 3]]) -> f32 {
    let largest = positions
        .as_flattened()
        .iter()
        .fold(0.0, |largest: f32, value| largest.max(value.abs()));
    4.0 * f32::EPSILON * largest
}

#[derive(Debug, Default)]
pub struct PackingEffect {
    /// The longest side of the bounding box before packing.
    pub size: f32,
    /// A bound for the rounding error of triangle heights.
    height_rounding: f32,
    /// The largest change of a coordinate.
    pub error: f32,
    /// The largest distance that a position moves.
    pub distance: f64,
    /// The largest angle by which a normal turns, in degrees.
    pub normal_angle: f64,
    /// Twice the area of all triangles before packing.
    whole_area: f64,
    /// Twice the area of all triangles after packing.
    whole_area_after: f64,
    /// Twice the area, before packing, of triangles that were not degenerate.
    area: f32,
    /// Twice the area of these triangles after packing.
    area_after: f32,
    /// Twice the area, before packing, of visible triangles that collapsed or flipped.
    area_lost: f32,
    /// The number of triangles that were not degenerate before packing; 0 if no coordinate changed.
    pub triangles: usize,
    /// The number of triangles that collapsed or flipped.
    pub lost_triangles: usize,
}

impl PackingEffect {
    fn new(source: &SourceMesh, (after, normals_after): PositionsAndNormals) -> PackingEffect {
        let SourceMesh {
            positions: before,
            normals,
            faces,
            size,
            ..
        } = *source;
        let moved = before.as_flattened().iter().zip(after.as_flattened());
        let error = moved.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        let height_rounding = height_rounding(before);
        let points = before
            .iter()
            .zip(&after)
            .map(|(a, b)| [a, b].map(|p| Vec3::from(*p).as_dvec3()));
        let distance = points
            .map(|[a, b]| a.distance_squared(b))
            .fold(0.0, f64::max)
            .sqrt();
        let normal_angle = largest_angle(normals.iter().zip(&normals_after));
        let mut effect = PackingEffect {
            size,
            height_rounding,
            error,
            distance,
            normal_angle,
            ..PackingEffect::default()
        };
        if error > 0.0 {
            for_each_triangle(faces, |corners| {
                if let Some(before) = triangle_at(before, corners)
                    && let Some(after) = triangle_at(&after, corners)
                {
                    effect.add_triangle(before, after);
                }
            });
        }
        effect
    }

    /// Adds a triangle. Counts it unless it was degenerate before packing.
    fn add_triangle(&mut self, before: [Vec3; 3], after: [Vec3; 3]) {
        let [whole, whole_after] = [before, after]
            .map(twice_the_area)
            .map(|area| if area.is_finite() { area } else { 0.0 });
        self.whole_area += whole;
        self.whole_area_after += whole_after;
        let height = smallest_height(before);
        if height.is_nan() || height <= self.height_rounding {
            return;
        }
        let [normal, packed_normal] = [before, after].map(scaled_normal);
        let area = normal.length();
        self.triangles += 1;
        self.area += area;
        self.area_after += packed_normal.length();
        if is_flattened(before, after) {
            self.lost_triangles += 1;
            self.area_lost += if height > VISIBLE_HEIGHT * self.size {
                area
            } else {
                0.0
            };
        }
    }

    /// Returns `true` if the visible surface is preserved and its area changed by at most the fraction `max_change`.
    fn keeps_surface(&self, max_change: f32) -> bool {
        let change = (self.area - self.area_after).abs();
        self.area_lost <= TOLERATED_LOSS * self.area && change <= max_change * self.area
    }

    /// Returns the change of the area of all triangles as a fraction; `None` unless it exceeds 0.01, or if the area was
    /// 0.
    pub fn area_change(&self) -> Option<f64> {
        let change = (self.whole_area_after - self.whole_area).abs() / self.whole_area;
        Some(change).filter(|change| change.is_finite() && *change > f64::from(TOLERATED_LOSS))
    }
}

/// Returns `true` if packing collapses or flips a triangle.
pub fn is_flattened(before: [Vec3; 3], after: [Vec3; 3]) -> bool {
    scaled_normal(before).dot(scaled_normal(after)) <= 0.0
}

pub fn for_each_triangle(faces: &[Face], mut visit: impl FnMut([u32; 3])) {
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

/// Returns twice the area of a triangle.
fn twice_the_area(corners: [Vec3; 3]) -> f64 {
    let [a, b, c] = corners.map(Vec3::as_dvec3);
    (b - a).cross(c - a).length()
}

/// Returns the largest angle between two directions in degrees; 0 if either is zero.
fn largest_angle<'n>(pairs: impl Iterator<Item = (&'n [f32; 3], &'n [f32; 3])>) -> f64 {
    let mut largest = 0.0_f64;
    let mut largest_key = 0.0;
    for (a, b) in pairs {
        let [a, b] = [a, b].map(|vector| Vec3::from(*vector).as_dvec3());
        let (cross_squared, dot) = (a.cross(b).length_squared(), a.dot(b));
        // The squared sine of an acute angle, or 2 minus that of an obtuse one. It increases with the angle, and is
        // computed much faster.
        let squared_sine = cross_squared / (cross_squared + dot * dot);
        let key = if dot < 0.0 {
            2.0 - squared_sine
        } else {
            squared_sine
        };
        // Near 90° and 180°, different angles may have equal keys.
        if key > largest_key || (key == largest_key && key > 0.5) {
            largest_key = key;
            largest = largest.max(cross_squared.sqrt().atan2(dot));
        }
    }
    largest.to_degrees()
}

/// Returns the normal of a triangle; its length is twice the area.
fn scaled_normal([a, b, c]: [Vec3; 3]) -> Vec3 {
    (b - a).cross(c - a)
}

pub fn smallest_height([a, b, c]: [Vec3; 3]) -> f32 {
    let longest = a
        .distance_squared(b)
        .max(b.distance_squared(c))
        .max(c.distance_squared(a))
        .sqrt();
    scaled_normal([a, b, c]).length() / longest
}

/// Returns the corner positions of a triangle; `None` if a corner is missing.
pub fn triangle_at(positions: &[[f32; 3]], corners: [u32; 3]) -> Option<[Vec3; 3]> {
    let [a, b, c] = corners.map(|corner| positions.get(corner as usize).copied().map(Vec3::from));
    Some([a?, b?, c?])
}
