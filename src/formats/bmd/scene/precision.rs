//! How far packed vertices may move: not so far that a triangle collapses or turns over.

use glam::Vec3;

use super::super::Face;
use crate::{Error, Result, path};

/// The largest error of a position that does not show, as a part of the longest side of the mesh.
const INVISIBLE: f32 = 1.0 / 500.0;

/// The largest error that is accepted at all.
const ACCEPTED: f32 = 1.0 / 100.0;

/// The part of the area, and of the triangles, that may collapse or turn over.
const LOST: f32 = 0.01;

/// For each vertex how far its coordinates may be off: a small part of the size of the mesh, and a quarter of the lowest
/// height of its triangles.
pub fn limits(positions: &[[f32; 3]], faces: &[Face], size: f32) -> Vec<f32> {
    let mut limits = vec![size * INVISIBLE; positions.len()];
    for_each_triangle(faces, |corners| {
        let Some([a, b, c]) = at(positions, corners) else { return };
        let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
        let height = (b - a).cross(c - a).length() / longest;
        // Slivers that nobody sees need not survive.
        if height > size * 1e-5 {
            for corner in corners {
                if let Some(limit) = limits.get_mut(corner as usize) {
                    *limit = limit.min(height / 4.0);
                }
            }
        }
    });
    limits
}

/// # Errors
///
/// If vertices moved so far that the mesh is another one: packed numbers are the coarser, the farther they are from 0.
pub fn check(before: &[[f32; 3]], after: &[[f32; 3]], faces: &[Face], size: f32) -> Result<()> {
    let moved = before.as_flattened().iter().zip(after.as_flattened());
    let error = moved.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    if error == 0.0 || size == 0.0 {
        return Ok(());
    }
    let (mut total, mut lost, mut count, mut collapsed) = (0.0, 0.0, 0_usize, 0_usize);
    for_each_triangle(faces, |corners| {
        let (Some(before), Some(after)) = (at(before, corners), at(after, corners)) else { return };
        let [normal, packed] = [before, after].map(|[a, b, c]| (b - a).cross(c - a));
        if normal == Vec3::ZERO {
            return;
        }
        count += 1;
        total += normal.length();
        collapsed += usize::from(packed == Vec3::ZERO);
        if normal.dot(packed) <= 0.0 {
            lost += normal.length();
        }
    });
    if error <= size * ACCEPTED && lost <= total * LOST && collapsed as f32 <= count as f32 * LOST {
        return Ok(());
    }
    let rounded = crate::loss::rounded;
    let farthest = before.as_flattened().iter().fold(0.0, |far: f32, value| far.max(value.abs()));
    let message = format!(
        "packed positions are off by {}, but the mesh has a size of {} at coordinates of up to {}, and {collapsed} of \
         {count} triangles collapse; --center moves the scene to the origin",
        rounded(error),
        rounded(size),
        rounded(farthest)
    );
    Err(Error::inexpressible(message).at(path!(positions)))
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

fn at(positions: &[[f32; 3]], corners: [u32; 3]) -> Option<[Vec3; 3]> {
    let [a, b, c] = corners.map(|corner| positions.get(corner as usize).copied().map(Vec3::from));
    Some([a?, b?, c?])
}
