//! 64-bit coordinates, kept until a file is written.
//!
//! 32 bits are too coarse for a mesh far from the origin: at 4,000 km, coordinates are multiples of 0.25 m. Such a mesh
//! also keeps its coordinates in 64 bits ([`Mesh::exact_positions`]), and all edits apply to them. They are rounded
//! once, immediately before a file is written. Centring the scene first makes the rounding error invisible.

use glam::{DVec3, Vec3};

use super::{Mesh, Scene};
use crate::{Loss, Quantity};

/// The rounding error, as a fraction of the model size, above which coordinates are kept in 64 bits. Centring would
/// then gain at least two bits of precision.
const NEEDS_64_BITS: f64 = 1.0 / (1 << 22) as f64;

/// The rounding error, as a fraction of the model size, above which rounding is a loss.
const VISIBLE_FRACTION: f64 = 1e-5;

/// The rounding error, as a fraction of the mesh size, above which rounding is a loss.
const VISIBLE_MESH_FRACTION: f64 = 1e-4;

/// The rounding error in metres above which coordinates are kept in 64 bits and rounding is a loss, unless unavoidable.
const MILLIMETRE: f64 = 1e-3;

/// The rounding error, as a fraction of the mesh size, up to which rounding is unavoidable: centring would gain at most
/// one bit.
const UNAVOIDABLE_FRACTION: f64 = 1.0 / (1 << 24) as f64;

/// The ratio of the largest coordinate to the bounding box size above which points count as distant: close
/// together and far from the origin. The rounding error of other points never exceeds [`VISIBLE_MESH_FRACTION`].
const MIN_DISTANT_RATIO: f64 = 1000.0;

/// The absolute coordinate in metres above which the error of rounding to 32 bits may exceed a millimetre.
pub(crate) const FAR_METRES: f32 = 32768.0;

/// The bounding box of points.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Extent {
    pub min: DVec3,
    pub max: DVec3,
}

impl Default for Extent {
    fn default() -> Extent {
        Extent {
            min: DVec3::INFINITY,
            max: DVec3::NEG_INFINITY,
        }
    }
}

impl Extent {
    pub fn add(&mut self, point: DVec3) {
        (self.min, self.max) = (self.min.min(point), self.max.max(point));
    }

    /// Returns the length of the longest side; 0 if there are no points.
    pub fn size(&self) -> f64 {
        (self.max - self.min).max_element().max(0.0)
    }

    pub fn center(&self) -> DVec3 {
        (self.min + self.max) / 2.0
    }

    /// Returns the largest absolute coordinate.
    pub fn largest(&self) -> f64 {
        self.min.abs().max(self.max.abs()).max_element()
    }

    /// Returns `true` if the box is far from the origin relative to its size. Adding points never makes a box distant.
    pub fn is_distant(&self) -> bool {
        self.largest() > MIN_DISTANT_RATIO * self.size()
    }

    /// Returns `true` if coordinates in this box need 64 bits. `error` is the largest error of rounding one to `f32`.
    pub fn needs_64_bits(&self, error: f64) -> bool {
        error > NEEDS_64_BITS * self.size() || error > MILLIMETRE
    }

    /// Returns `true` if the rounding error `error` of coordinates in this box is visible.
    pub fn is_error_visible(&self, error: f64) -> bool {
        exceeds(error, VISIBLE_FRACTION, *self) || error > MILLIMETRE
    }

    /// Returns `true` if centring the box would reduce the rounding error `error`.
    pub fn centering_reduces(&self, error: f64) -> bool {
        error > UNAVOIDABLE_FRACTION * self.size()
    }
}

/// Returns `true` if `error` exceeds `fraction` of the box size. Always `false` for a box of size 0.
fn exceeds(error: f64, fraction: f64, extent: Extent) -> bool {
    extent.size() > 0.0 && error > fraction * extent.size()
}

pub(crate) fn rounded(point: [f64; 3]) -> [f32; 3] {
    point.map(|coordinate| coordinate as f32)
}

/// Returns the largest error of rounding a coordinate to `f32`. Non-finite errors are ignored.
pub(crate) fn rounding_error(exact: [f64; 3]) -> f64 {
    let error = |coordinate: f64| (coordinate - f64::from(coordinate as f32)).abs();
    exact
        .map(error)
        .into_iter()
        .filter(|error| error.is_finite())
        .fold(0.0, f64::max)
}

/// Returns the distance by which rounding to `f32` moves a point. Non-finite coordinates are ignored.
pub(crate) fn rounding_distance(exact: [f64; 3]) -> f64 {
    let error =
        |coordinate: f64| Some(coordinate - f64::from(coordinate as f32)).filter(|e| e.is_finite());
    DVec3::from(exact.map(|coordinate| error(coordinate).unwrap_or(0.0))).length()
}

/// Returns the angle in degrees by which rounding to 32 bits turns a direction.
#[cfg(any(feature = "iyma", feature = "ply"))]
pub(crate) fn rounding_angle(exact: [f64; 3]) -> f64 {
    let (exact, rounded) = (
        DVec3::from(exact),
        DVec3::from(rounded(exact).map(f64::from)),
    );
    exact
        .cross(rounded)
        .length()
        .atan2(exact.dot(rounded))
        .to_degrees()
}

/// Returns `true` if `points` must be kept in 64 bits; see [`Extent::needs_64_bits`].
pub(crate) fn need_64_bits(points: &[[f64; 3]]) -> bool {
    let (extent, largest_error) = extent_and_error(points);
    extent.needs_64_bits(largest_error)
}

/// Returns the bounding box of points, and the largest error of rounding a coordinate to `f32`. The box ignores
/// points at the origin, which some exporters add.
fn extent_and_error(points: &[[f64; 3]]) -> (Extent, f64) {
    let (mut extent, mut largest_error) = (Extent::default(), 0.0_f64);
    for point in points {
        if *point != [0.0; 3] {
            extent.add(DVec3::from(*point));
        }
        largest_error = largest_error.max(rounding_error(*point));
    }
    (extent, largest_error)
}

impl Mesh {
    /// Returns every position in 64 bits.
    pub(super) fn points(&self) -> impl Iterator<Item = DVec3> {
        let exact = self.exact_positions.as_deref().unwrap_or_default();
        let rounded = if self.exact_positions.is_some() {
            &[]
        } else {
            &self.positions[..]
        };
        let widened = rounded.iter().map(|position| position.map(f64::from));
        exact.iter().copied().chain(widened).map(DVec3::from)
    }

    /// Returns the vector from the vertex `from` to the vertex `to`; zero if either is missing.
    pub(super) fn edge(&self, from: u32, to: u32) -> Vec3 {
        let (from, to) = (from as usize, to as usize);
        match &self.exact_positions {
            Some(exact) => match (exact.get(from), exact.get(to)) {
                (Some(from), Some(to)) => (DVec3::from(*to) - DVec3::from(*from)).as_vec3(),
                _ => Vec3::ZERO,
            },
            None => match (self.positions.get(from), self.positions.get(to)) {
                (Some(from), Some(to)) => Vec3::from(*to) - Vec3::from(*from),
                _ => Vec3::ZERO,
            },
        }
    }

    /// Maps every position with `to`, computing in 64 bits. Adds [64-bit positions](Mesh::exact_positions) if 32 bits
    /// are too coarse for the result.
    pub(super) fn map_positions(&mut self, to: impl Fn(DVec3) -> DVec3) {
        if self.exact_positions.is_none() {
            let (mut extent, mut largest_error) = (Extent::default(), 0.0_f64);
            for point in self.points() {
                let point = to(point);
                extent.add(point);
                largest_error = largest_error.max(rounding_error(point.into()));
            }
            if !extent.needs_64_bits(largest_error) {
                let moved =
                    |position: &[f32; 3]| rounded(to(position.map(f64::from).into()).into());
                self.positions
                    .iter_mut()
                    .for_each(|position| *position = moved(position));
                return;
            }
        }
        let moved: Vec<[f64; 3]> = self.points().map(|point| to(point).into()).collect();
        self.positions = moved.iter().copied().map(rounded).collect();
        self.exact_positions = Some(moved);
    }
}

impl Scene {
    /// Drops the 64-bit positions, since no format can store them. Lists visible rounding errors that centring would
    /// reduce.
    ///
    /// `unit` is the length of a unit of the coordinates in metres.
    pub(super) fn round_positions(&mut self, unit: f32, losses: &mut Vec<Loss>) {
        if self
            .meshes
            .iter()
            .all(|mesh| mesh.exact_positions.is_none())
        {
            return;
        }
        let mut all = Extent::default();
        self.meshes
            .iter()
            .flat_map(Mesh::points)
            .for_each(|point| all.add(point));
        let message = match all.center().abs().max_element() > all.size() / 2.0 {
            true => "coordinates were rounded to 32 bits; --center reduces the error",
            false => "coordinates were rounded to 32 bits",
        };
        for (index, mesh) in self.meshes.iter_mut().enumerate() {
            let Some(exact) = mesh.exact_positions.take() else {
                continue;
            };
            let (own, error) = extent_and_error(&exact);
            let is_visible =
                all.is_error_visible(error) || exceeds(error, VISIBLE_MESH_FRACTION, own);
            if is_visible && own.centering_reduces(error) {
                let path = format!("meshes[{index}].positions");
                let unit = f64::from(unit);
                let distance = exact
                    .iter()
                    .copied()
                    .map(rounding_distance)
                    .fold(0.0, f64::max);
                let loss = Loss::quantized(path, message, Quantity::POSITIONS, unit * distance);
                losses.push(loss.with_mesh_size(unit * own.size()));
            }
        }
    }
}
