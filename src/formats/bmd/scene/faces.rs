//! Converts between BMD faces and scene faces. Scene faces may have any number of corners.

use super::super::{Face, Faces};
use crate::scene::{self, Indices};

/// Returns the faces of a mesh: triangles if it has no quads, otherwise polygons.
pub fn to_faces(faces: &Faces) -> scene::Faces {
    let counts = faces.counts();
    if counts.quads == 0 {
        return scene::Faces::triangles(faces.triangles().into_flattened());
    }
    let mut indices = Vec::with_capacity(3 * counts.triangles + 4 * counts.quads);
    let mut corners = Vec::with_capacity(counts.faces());
    for face in faces.iter() {
        indices.extend_from_slice(face.vertices());
        corners.push(face.vertices().len() as u32);
    }
    scene::Faces {
        indices: Some(Indices::U32(indices)),
        corners: Some(corners),
    }
}

/// Converts scene faces to triangles and quads. Skips other polygons, which
/// [`max_corners`](scene::Capabilities::max_corners) excludes.
pub fn from_faces(faces: &scene::Faces) -> Vec<Face> {
    let Some(indices) = faces.indices.clone().map(Indices::into_u32) else {
        return Vec::new();
    };
    let mut rest = &*indices;
    // Without corner counts, all faces are triangles.
    let triangles = vec![3; indices.len() / 3];
    let faces = faces
        .corners
        .as_ref()
        .unwrap_or(&triangles)
        .iter()
        .filter_map(|count| {
            let (face, others) = rest.split_at_checked(*count as usize)?;
            rest = others;
            match *face {
                [a, b, c] => Some(Face::Triangle([a, b, c])),
                [a, b, c, d] => Some(Face::Quad([a, b, c, d])),
                _ => None,
            }
        });
    faces.collect()
}
