//! Triangulation of polygons.

pub(super) mod ears;
pub(super) mod point_tree;

use earcut::Earcut;
use glam::DVec3;

use self::ears::{VISITS_PER_CORNER, cut_ears};
use self::point_tree::area;
use super::{Indices, Mesh};
use crate::Loss;

/// The largest number of corners passed to the crate `earcut`, which is faster for few corners. Its time is at least
/// quadratic: with repeated points, this many corners take a millisecond.
const FEW_CORNERS: usize = 128;

/// The tolerated difference between the doubled areas of a polygon and of its triangles. Relative to the square of the
/// largest distance of a corner from the first.
const TOLERANCE: f64 = 1e-5;

impl Mesh {
    /// Splits faces with more than three corners into triangles in place, keeping their winding. Convex faces, and
    /// faces without a plane, become fans around the first corner. Other faces are split by ear clipping in their
    /// plane. Faces with fewer than three corners are removed.
    ///
    /// Takes time proportional to the number of corners: at most a second for 100,000.
    ///
    /// Returns a loss if the triangles of a face with more than four corners overlap or leave gaps. Such a face
    /// intersects itself, or has thousands of corners and exceeds that time; its rest becomes a fan around one corner.
    pub fn triangulate(&mut self) -> Option<Loss> {
        let counts = self.faces.corners.take()?;
        if counts.iter().all(|count| *count == 3) {
            return None;
        }
        let mut cutter = Cutter {
            positions: &self.positions,
            earcut: Earcut::new(),
            flat: Vec::new(),
            bad: 0,
            first_bad: None,
        };
        self.faces.indices = Some(match &self.faces.indices {
            Some(Indices::U16(values)) => Indices::U16(cutter.triangles(&counts, values)),
            Some(Indices::U32(values)) => Indices::U32(cutter.triangles(&counts, values)),
            None => {
                let values: Vec<_> = (0..self.positions.len() as u32).collect();
                Indices::U32(cutter.triangles(&counts, &values))
            }
        });
        let first = cutter.first_bad?;
        let message =
            "polygons that cross themselves or are too intricate: their triangles overlap or leave gaps";
        let loss = Loss::changed("faces", message).affecting(cutter.bad, counts.len(), "faces");
        Some(loss.detail(format_args!("the first is faces[{first}] with {} corners", counts[first])))
    }
}

struct Cutter<'a> {
    positions: &'a [[f32; 3]],
    earcut: Earcut<f64>,
    /// The corners of a face, projected to its plane.
    flat: Vec<[f64; 2]>,
    /// The number of faces whose triangles overlap or leave gaps.
    bad: usize,
    first_bad: Option<usize>,
}

/// The triangulation of a face.
enum Cut {
    /// A fan around the first corner.
    Fan,
    /// Triangles from ear clipping, as indices into the corners.
    Ears(Vec<u32>),
}

impl Cutter<'_> {
    fn triangles<T: Copy + Into<u32>>(&mut self, counts: &[u32], indices: &[T]) -> Vec<T> {
        let mut triangles = Vec::with_capacity(indices.len());
        let mut rest = indices;
        for (index, &count) in counts.iter().enumerate() {
            let Some((face, others)) = rest.split_at_checked(count as usize) else { break };
            match *face {
                [a, b, c] => triangles.extend([a, b, c]),
                [a, b, c, d] if self.is_cut_from_second([a, b, c, d]) => triangles.extend([b, c, d, b, d, a]),
                [first, ref corners @ ..] => match self.cut(index, face) {
                    Cut::Ears(ears) => {
                        triangles.extend(ears.iter().filter_map(|corner| face.get(*corner as usize)))
                    }
                    Cut::Fan => {
                        triangles.extend(corners.windows(2).flat_map(|pair| [first, pair[0], pair[1]]));
                    }
                },
                [] => {}
            }
            rest = others;
        }
        triangles
    }

    fn position(&self, corner: impl Into<u32>) -> DVec3 {
        self.positions.get(corner.into() as usize).map_or(DVec3::ZERO, |p| DVec3::from(p.map(f64::from)))
    }

    /// Returns `true` if the diagonal of a quad from the second corner is inside and that from the first is not.
    fn is_cut_from_second<T: Copy + Into<u32>>(&self, [a, b, c, d]: [T; 4]) -> bool {
        let [a, b, c, d] = [a, b, c, d].map(|corner| self.position(corner));
        let normal = (c - a).cross(d - b);
        let is_turned_alike = |a: DVec3, b: DVec3, c: DVec3| (b - a).cross(c - a).dot(normal) > 0.0;
        !(is_turned_alike(a, b, c) && is_turned_alike(a, c, d))
            && is_turned_alike(b, c, d)
            && is_turned_alike(b, d, a)
    }

    /// Triangulates a face other than a triangle. Convex faces, quads and faces without a plane become fans.
    fn cut<T: Copy + Into<u32>>(&mut self, index: usize, face: &[T]) -> Cut {
        if face.len() < 5 {
            return Cut::Fan;
        }
        let first = self.position(face[0]);
        let sides: Vec<_> = face.iter().map(|corner| self.position(*corner) - first).collect();
        let triangles = sides.windows(2).map(|pair| pair[0].cross(pair[1]));
        let normal: DVec3 = triangles.clone().sum();
        if !normal.is_finite() {
            return Cut::Fan;
        }
        let tolerated = TOLERANCE * sides.iter().map(|side| side.length_squared()).fold(0.0, f64::max);
        if normal == DVec3::ZERO {
            let covered: f64 = triangles.map(DVec3::length).sum();
            self.count_if_bad(index, covered > tolerated);
            return Cut::Fan;
        }
        // Drops the dominant axis of the normal: corners stay exact, and counter-clockwise around it.
        let axis = normal.abs().max_position();
        let (x, y) = match normal[axis] > 0.0 {
            true => ((axis + 1) % 3, (axis + 2) % 3),
            false => ((axis + 2) % 3, (axis + 1) % 3),
        };
        self.flat.clear();
        self.flat.extend(sides.iter().map(|side| [side[x], side[y]]));
        if is_convex(&self.flat) {
            return Cut::Fan;
        }
        let mut ears = Vec::new();
        if face.len() <= FEW_CORNERS {
            self.earcut.earcut_slice(&self.flat, &[], &mut ears);
            add_unused_corners(&mut ears, face.len());
        } else {
            ears = cut_ears(&self.flat, &mut (face.len() * VISITS_PER_CORNER));
        }
        let flat = |corner: u32| self.flat.get(corner as usize).copied().unwrap_or_default();
        let covered: f64 = match ears.as_chunks().0 {
            [] => self.flat.windows(2).map(|pair| area([self.flat[0], pair[0], pair[1]]).abs()).sum(),
            triangles => triangles.iter().map(|triangle| area(triangle.map(flat)).abs()).sum(),
        };
        self.count_if_bad(index, (covered - normal[axis].abs()).abs() > tolerated);
        if ears.is_empty() { Cut::Fan } else { Cut::Ears(ears) }
    }

    /// Counts a face if its triangles overlap or leave gaps.
    fn count_if_bad(&mut self, index: usize, is_bad: bool) {
        if is_bad {
            self.bad += 1;
            self.first_bad.get_or_insert(index);
        }
    }
}

/// Returns `true` if a counter-clockwise polygon never turns right and winds around once.
fn is_convex(corners: &[[f64; 2]]) -> bool {
    let count = corners.len();
    (0..count).all(|place| area([0, 1, 2].map(|step| corners[(place + step) % count])) >= 0.0)
        && corners.windows(2).all(|pair| area([corners[0], pair[0], pair[1]]) >= 0.0)
}

/// Adds degenerate triangles for corners that no ear contains, as on straight edges. Neighbouring faces may use these
/// corners, so omitting them would leave gaps.
fn add_unused_corners(ears: &mut Vec<u32>, count: usize) {
    let mut used = vec![false; count];
    ears.iter().for_each(|corner| used[*corner as usize] = true);
    let mut left: Vec<_> = (0..count as u32).collect();
    let mut place = 0;
    while let (Some(corner), false) = (left.get(place).copied(), ears.is_empty()) {
        if used[corner as usize] {
            place += 1;
            continue;
        }
        let (before, after) = (left[(place + left.len() - 1) % left.len()], left[(place + 1) % left.len()]);
        ears.extend([before, corner, after]);
        left.remove(place);
    }
}
