//! Polygons as triangles.

use earcut::Earcut;
use glam::DVec3;

use super::{Indices, Mesh};

/// Cutting off ears takes time with the square of the number of corners; beyond this a polygon is a fan.
const MAX_CORNERS: usize = 1 << 14;

impl Mesh {
    /// Splits faces with more than three corners into triangles inside of them that are turned as they are: convex ones
    /// into those around the first corner, others by cutting off ears in the plane of the face. Where there is no such
    /// plane the triangles are around the first corner, too. Faces with fewer than three corners vanish.
    pub fn triangulate(&mut self) {
        let Some(counts) = self.faces.corners.take() else { return };
        if counts.iter().all(|count| *count == 3) {
            return;
        }
        let mut cutter = Cutter { positions: &self.positions, earcut: Earcut::new(), flat: Vec::new() };
        self.faces.indices = Some(match &self.faces.indices {
            Some(Indices::U16(values)) => Indices::U16(cutter.triangles(&counts, values)),
            Some(Indices::U32(values)) => Indices::U32(cutter.triangles(&counts, values)),
            None => {
                let values: Vec<_> = (0..self.positions.len() as u32).collect();
                Indices::U32(cutter.triangles(&counts, &values))
            }
        });
    }
}

struct Cutter<'a> {
    positions: &'a [[f32; 3]],
    earcut: Earcut<f64>,
    /// The corners of a face in its plane.
    flat: Vec<[f64; 2]>,
}

impl Cutter<'_> {
    fn triangles<T: Copy + Into<u32>>(&mut self, counts: &[u32], indices: &[T]) -> Vec<T> {
        let mut triangles = Vec::with_capacity(indices.len());
        let mut rest = indices;
        for &count in counts {
            let Some((face, others)) = rest.split_at_checked(count as usize) else { break };
            match *face {
                [a, b, c] => triangles.extend([a, b, c]),
                [a, b, c, d] if self.is_cut_from_second([a, b, c, d]) => triangles.extend([b, c, d, b, d, a]),
                [first, ref corners @ ..] => match self.ears(face) {
                    Some(ears) => {
                        triangles.extend(ears.iter().filter_map(|corner| face.get(*corner as usize)))
                    }
                    None => {
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

    /// Whether it is the diagonal from the second corner of a quad that is inside, and not the one from the first.
    fn is_cut_from_second<T: Copy + Into<u32>>(&self, [a, b, c, d]: [T; 4]) -> bool {
        let [a, b, c, d] = [a, b, c, d].map(|corner| self.position(corner));
        let normal = (c - a).cross(d - b);
        let is_turned_alike = |a: DVec3, b: DVec3, c: DVec3| (b - a).cross(c - a).dot(normal) > 0.0;
        !(is_turned_alike(a, b, c) && is_turned_alike(a, c, d))
            && is_turned_alike(b, c, d)
            && is_turned_alike(b, d, a)
    }

    /// The triangles of a face that is not convex. `None` for one that is, for a quad, and where there is no plane.
    fn ears<T: Copy + Into<u32>>(&mut self, face: &[T]) -> Option<Vec<u32>> {
        if !(5..=MAX_CORNERS).contains(&face.len()) {
            return None;
        }
        let first = self.position(face[0]);
        let sides: Vec<_> = face.iter().map(|corner| self.position(*corner) - first).collect();
        let normal: DVec3 = sides.windows(2).map(|pair| pair[0].cross(pair[1])).sum();
        if !normal.is_finite() || normal == DVec3::ZERO {
            return None;
        }
        // Without the axis that the normal is nearest to, corners keep their order and their numbers.
        let axis = normal.abs().max_position();
        let (x, y) = match normal[axis] > 0.0 {
            true => ((axis + 1) % 3, (axis + 2) % 3),
            false => ((axis + 2) % 3, (axis + 1) % 3),
        };
        self.flat.clear();
        self.flat.extend(sides.iter().map(|side| [side[x], side[y]]));
        if is_convex(&self.flat) {
            return None;
        }
        let mut ears = Vec::new();
        self.earcut.earcut_slice(&self.flat, &[], &mut ears);
        take_in_all(&mut ears, face.len());
        Some(ears).filter(|ears| !ears.is_empty())
    }
}

/// Whether a polygon that goes counter-clockwise never turns right.
fn is_convex(corners: &[[f64; 2]]) -> bool {
    let count = corners.len();
    (0..count).all(|place| {
        let [a, b, c] = [0, 1, 2].map(|step| corners[(place + step) % count]);
        (b[0] - a[0]) * (c[1] - b[1]) >= (b[1] - a[1]) * (c[0] - b[0])
    })
}

/// Corners on straight edges are in no ear. Triangles without area take them in, so that there are no gaps to the
/// neighbours of the face, which have them, too.
fn take_in_all(ears: &mut Vec<u32>, count: usize) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Faces;

    /// The area of each triangle of a polygon in the plane z = 0, with a sign.
    fn areas(corners: &[[f32; 2]]) -> Vec<f32> {
        let mut mesh =
            Mesh { positions: corners.iter().map(|[x, y]| [*x, *y, 0.0]).collect(), ..Mesh::default() };
        mesh.faces = Faces { indices: None, corners: Some(vec![corners.len() as u32]) };
        mesh.triangulate();
        let mut areas = Vec::new();
        mesh.faces.for_each_triangle(corners.len(), |triangle| {
            let [a, b, c] = triangle.map(|corner| corners[corner as usize]);
            areas.push(((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])) / 2.0);
        });
        areas
    }

    /// All triangles are turned as the polygon, and are as large as it together: none is outside.
    #[track_caller]
    fn fills(corners: &[[f32; 2]], area: f32) {
        for first in 0..corners.len() {
            let mut corners = corners.to_vec();
            corners.rotate_left(first);
            for side in [1.0, -1.0] {
                let areas = areas(&corners);
                assert_eq!(areas.len(), corners.len() - 2, "{corners:?}");
                assert!(areas.iter().all(|area| area * side >= 0.0), "{corners:?}: {areas:?}");
                assert_eq!(areas.iter().sum::<f32>(), area * side, "{corners:?}");
                corners.reverse();
            }
        }
    }

    #[test]
    fn triangles_are_inside() {
        fills(&[[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]], 4.0);
        // An arrow, and a quad with a corner on an edge.
        fills(&[[0.0, 0.0], [4.0, 0.0], [1.0, 1.0], [0.0, 4.0]], 4.0);
        fills(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [0.0, 2.0]], 2.0);
        fills(&[[0.0, 0.0], [4.0, 0.0], [4.0, 1.0], [1.0, 1.0], [1.0, 4.0], [0.0, 4.0]], 7.0);
        // A comb whose back has corners on straight edges.
        fills(
            &[
                [0.0, 0.0],
                [2.0, 0.0],
                [4.0, 0.0],
                [6.0, 0.0],
                [6.0, 3.0],
                [5.0, 1.0],
                [4.0, 3.0],
                [3.0, 1.0],
                [2.0, 3.0],
                [1.0, 1.0],
                [0.0, 3.0],
            ],
            12.0,
        );
    }

    #[test]
    fn convex_polygons_and_those_without_a_plane_are_fans() {
        let fan = |positions: Vec<[f32; 3]>| {
            let count = positions.len() as u32;
            let faces = Faces { indices: None, corners: Some(vec![2, count - 2]) };
            let mut mesh = Mesh { positions, faces, ..Mesh::default() };
            mesh.triangulate();
            mesh.faces.indices
        };
        let expected = Some(Indices::U32(vec![2, 3, 4, 2, 4, 5, 2, 5, 6]));
        let convex = [[0.0; 2], [0.0; 2], [0.0, 0.0], [2.0, 0.0], [3.0, 1.0], [2.0, 2.0], [0.0, 2.0]];
        assert_eq!(fan(convex.map(|[x, y]| [5.0, x, y]).to_vec()), expected);
        assert_eq!(fan(vec![[1.0; 3]; 7]), expected);
        assert_eq!(fan(vec![[f32::NAN; 3]; 7]), expected);
    }

    #[test]
    fn polygons_lie_in_any_plane() {
        let l = [[0.0, 0.0], [4.0, 0.0], [4.0, 1.0], [1.0, 1.0], [1.0, 4.0], [0.0, 4.0]];
        for axis in 0..3 {
            for (side, first) in [(1.0, l), (-1.0, [l[5], l[4], l[3], l[2], l[1], l[0]])] {
                let mut positions = first.map(|[x, y]| [x, y, 7.0]);
                positions.iter_mut().for_each(|position| position.rotate_right(axis));
                let faces = Faces { indices: None, corners: Some(vec![6]) };
                let mut mesh = Mesh { positions: positions.to_vec(), faces, ..Mesh::default() };
                mesh.triangulate();
                mesh.faces.for_each_triangle(6, |triangle| {
                    let [a, b, c] =
                        triangle.map(|corner| DVec3::from(positions[corner as usize].map(f64::from)));
                    let normal = (b - a).cross(c - a);
                    assert!(normal[(2 + axis) % 3] * side > 0.0, "{axis} {side}: {normal}");
                });
            }
        }
    }
}
