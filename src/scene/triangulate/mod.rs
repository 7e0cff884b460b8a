//! Triangulation of polygons.

pub(super) mod ears;
pub(super) mod point_tree;

use earcut::Earcut;
use glam::DVec3;

use self::ears::{VISITS_PER_CORNER, cut_ears};
use self::point_tree::doubled_area;
use super::{Indices, Mesh};
use crate::Loss;

/// The largest number of corners passed to the crate `earcut`, which is faster for few corners. Its worst-case running
/// time is at least quadratic: 128 corners with repeated points take a millisecond.
const FEW_CORNERS: usize = 128;

/// The tolerated difference between the doubled areas of a polygon and its triangles. It is a fraction of d², where d
/// is the largest distance between the first corner and any other.
const TOLERANCE: f64 = 1e-5;

impl Mesh {
    /// Splits faces with more than three corners into triangles in place, keeping their winding. Quads are split along
    /// a diagonal inside them, if any. Larger faces become fans around the first corner if they are convex, or their
    /// normal is zero or not finite. Others are split by ear clipping. Faces with fewer than three corners are removed.
    ///
    /// The running time is proportional to the number of corners: at most about a second for 100,000.
    ///
    /// Returns a loss if the triangles of a face with more than four corners overlap or leave gaps. This happens if the
    /// face intersects itself, or is so complex that ear clipping stops early and the remaining corners become a fan.
    ///
    /// ```
    /// use meshspec::scene::{Faces, Mesh};
    ///
    /// let positions = vec![[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    /// let faces = Faces { indices: None, corners: Some(vec![4]) };
    /// let mut mesh = Mesh { positions, faces, ..Mesh::default() };
    /// assert_eq!(mesh.triangulate(), None);
    /// assert_eq!(mesh.faces.indices.unwrap().into_u32(), [0, 1, 2, 0, 2, 3]);
    /// ```
    pub fn triangulate(&mut self) -> Option<Loss> {
        let counts = self.faces.corners.take()?;
        if counts.iter().all(|count| *count == 3) {
            return None;
        }
        let mut triangulator = Triangulator {
            positions: &self.positions,
            earcut: Earcut::new(),
            projected: Vec::new(),
            bad_faces: 0,
            first_bad_face: None,
        };
        self.faces.indices = Some(match &self.faces.indices {
            Some(Indices::U16(values)) => {
                Indices::U16(triangulator.triangulate_faces(&counts, values))
            }
            Some(Indices::U32(values)) => {
                Indices::U32(triangulator.triangulate_faces(&counts, values))
            }
            None => {
                let values: Vec<_> = (0..self.positions.len() as u32).collect();
                Indices::U32(triangulator.triangulate_faces(&counts, &values))
            }
        });
        let first = triangulator.first_bad_face?;
        let message =
            "triangles of self-intersecting or too complex polygons overlap or leave gaps";
        let loss = Loss::changed("faces", message);
        let loss = loss.with_count_of(triangulator.bad_faces, counts.len(), "faces");
        Some(loss.with_detail(format_args!(
            "the first is faces[{first}] with {} corners",
            counts[first]
        )))
    }
}

struct Triangulator<'a> {
    positions: &'a [[f32; 3]],
    earcut: Earcut<f64>,
    /// The corners of a face, projected along the dominant axis of its normal.
    projected: Vec<[f64; 2]>,
    /// The number of faces whose triangles overlap or leave gaps.
    bad_faces: usize,
    first_bad_face: Option<usize>,
}

enum Triangulation {
    /// A fan around the first corner.
    Fan,
    /// Triangles from ear clipping, as indices into the corners.
    Ears(Vec<u32>),
}

impl Triangulator<'_> {
    fn triangulate_faces<T: Copy + Into<u32>>(&mut self, counts: &[u32], indices: &[T]) -> Vec<T> {
        let mut triangles = Vec::with_capacity(indices.len());
        let mut rest = indices;
        for (index, &count) in counts.iter().enumerate() {
            let Some((face, others)) = rest.split_at_checked(count as usize) else {
                break;
            };
            match *face {
                [a, b, c] => triangles.extend([a, b, c]),
                [a, b, c, d] if self.is_split_from_second([a, b, c, d]) => {
                    triangles.extend([b, c, d, b, d, a])
                }
                [first, ref corners @ ..] => match self.triangulate_face(index, face) {
                    Triangulation::Ears(ears) => triangles
                        .extend(ears.iter().filter_map(|corner| face.get(*corner as usize))),
                    Triangulation::Fan => {
                        triangles.extend(
                            corners
                                .windows(2)
                                .flat_map(|pair| [first, pair[0], pair[1]]),
                        );
                    }
                },
                [] => {}
            }
            rest = others;
        }
        triangles
    }

    fn position(&self, corner: impl Into<u32>) -> DVec3 {
        self.positions
            .get(corner.into() as usize)
            .map_or(DVec3::ZERO, |p| DVec3::from(p.map(f64::from)))
    }

    /// Returns `true` if the diagonal of a quad from its second corner is inside, but not the one from its first.
    fn is_split_from_second<T: Copy + Into<u32>>(&self, [a, b, c, d]: [T; 4]) -> bool {
        let [a, b, c, d] = [a, b, c, d].map(|corner| self.position(corner));
        let normal = (c - a).cross(d - b);
        let has_same_winding =
            |a: DVec3, b: DVec3, c: DVec3| (b - a).cross(c - a).dot(normal) > 0.0;
        !(has_same_winding(a, b, c) && has_same_winding(a, c, d))
            && has_same_winding(b, c, d)
            && has_same_winding(b, d, a)
    }

    /// Triangulates a face that is not a triangle. Convex faces, quads, and faces whose normal is zero or not finite
    /// become fans.
    fn triangulate_face<T: Copy + Into<u32>>(&mut self, index: usize, face: &[T]) -> Triangulation {
        if face.len() < 5 {
            return Triangulation::Fan;
        }
        let first = self.position(face[0]);
        let sides: Vec<_> = face
            .iter()
            .map(|corner| self.position(*corner) - first)
            .collect();
        let triangles = sides.windows(2).map(|pair| pair[0].cross(pair[1]));
        let normal: DVec3 = triangles.clone().sum();
        if !normal.is_finite() {
            return Triangulation::Fan;
        }
        let tolerated = TOLERANCE
            * sides
                .iter()
                .map(|side| side.length_squared())
                .fold(0.0, f64::max);
        if normal == DVec3::ZERO {
            let covered: f64 = triangles.map(DVec3::length).sum();
            self.count_if_bad(index, covered > tolerated);
            return Triangulation::Fan;
        }
        // Projects along the dominant axis of the normal: coordinates stay exact, and corners stay counter-clockwise.
        let axis = normal.abs().max_position();
        let (x, y) = match normal[axis] > 0.0 {
            true => ((axis + 1) % 3, (axis + 2) % 3),
            false => ((axis + 2) % 3, (axis + 1) % 3),
        };
        self.projected.clear();
        self.projected
            .extend(sides.iter().map(|side| [side[x], side[y]]));
        if is_convex(&self.projected) {
            return Triangulation::Fan;
        }
        let mut ears = Vec::new();
        if face.len() <= FEW_CORNERS {
            self.earcut.earcut_slice(&self.projected, &[], &mut ears);
            add_unused_corners(&mut ears, face.len());
        } else {
            ears = cut_ears(&self.projected, &mut (face.len() * VISITS_PER_CORNER));
        }
        let flat = |corner: u32| {
            self.projected
                .get(corner as usize)
                .copied()
                .unwrap_or_default()
        };
        let covered: f64 = match ears.as_chunks().0 {
            [] => {
                let fan = self
                    .projected
                    .windows(2)
                    .map(|pair| [self.projected[0], pair[0], pair[1]]);
                fan.map(|triangle| doubled_area(triangle).abs()).sum()
            }
            triangles => triangles
                .iter()
                .map(|triangle| doubled_area(triangle.map(flat)).abs())
                .sum(),
        };
        self.count_if_bad(index, (covered - normal[axis].abs()).abs() > tolerated);
        if ears.is_empty() {
            Triangulation::Fan
        } else {
            Triangulation::Ears(ears)
        }
    }

    /// Counts a face if its triangles overlap or leave gaps.
    fn count_if_bad(&mut self, index: usize, is_bad: bool) {
        if is_bad {
            self.bad_faces += 1;
            self.first_bad_face.get_or_insert(index);
        }
    }
}

/// Returns `true` if a counter-clockwise polygon never turns right, and winds around only once.
fn is_convex(corners: &[[f64; 2]]) -> bool {
    let count = corners.len();
    (0..count).all(|position| {
        doubled_area([0, 1, 2].map(|step| corners[(position + step) % count])) >= 0.0
    }) && corners
        .windows(2)
        .all(|pair| doubled_area([corners[0], pair[0], pair[1]]) >= 0.0)
}

/// Adds degenerate triangles for corners that no ear uses, such as those on straight edges. Neighbouring faces may use
/// these corners, so omitting them would leave gaps.
fn add_unused_corners(ears: &mut Vec<u32>, count: usize) {
    let mut used = vec![false; count];
    ears.iter().for_each(|corner| used[*corner as usize] = true);
    let mut left: Vec<_> = (0..count as u32).collect();
    let mut position = 0;
    while let (Some(corner), false) = (left.get(position).copied(), ears.is_empty()) {
        if used[corner as usize] {
            position += 1;
            continue;
        }
        let count = left.len();
        let (before, after) = (
            left[(position + count - 1) % count],
            left[(position + 1) % count],
        );
        ears.extend([before, corner, after]);
        left.remove(position);
    }
}
