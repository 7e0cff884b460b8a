//! Polygon lists, for readers and writers of interchange formats.

use crate::Loss;
use crate::scene::{Faces, Indices, Mesh};

/// Faces with three or more corners each, stored contiguously.
#[derive(Debug, Default)]
pub(in crate::interop) struct Polygons {
    corners: Vec<u32>,
    /// The number of corners of each face. `None` means that all faces are triangles.
    counts: Option<Vec<u32>>,
    /// The index in `corners` of the first corner of the current face.
    start: usize,
    /// The number of dropped faces with fewer than three corners.
    pub degenerate_count: usize,
}

impl Polygons {
    /// Adds a corner with the vertex index `index` to the current face.
    #[inline]
    pub fn push_corner(&mut self, index: u32) {
        self.corners.push(index);
    }

    /// Finishes the current face; drops it if it has fewer than three corners.
    #[inline]
    pub fn finish_face(&mut self) {
        let count = self.corners.len() - self.start;
        if count < 3 {
            self.corners.truncate(self.start);
            self.degenerate_count += 1;
            return;
        }
        if count != 3 && self.counts.is_none() {
            self.counts = Some(vec![3; self.start / 3]);
        }
        if let Some(counts) = &mut self.counts {
            counts.push(count as u32);
        }
        self.start = self.corners.len();
    }

    pub fn discard_face(&mut self) {
        self.corners.truncate(self.start);
    }

    /// Maps the vertex indices of all corners. Drops faces with a corner for which `map` returns `None`, and returns
    /// the number of these faces.
    pub fn map_corners(&mut self, map: impl Fn(u32) -> Option<u32>) -> usize {
        let mut kept = Polygons {
            degenerate_count: self.degenerate_count,
            ..Polygons::default()
        };
        for face in self.iter() {
            for corner in face.iter().map_while(|corner| map(*corner)) {
                kept.push_corner(corner);
            }
            match kept.corners.len() - kept.start == face.len() {
                true => kept.finish_face(),
                false => kept.discard_face(),
            }
        }
        let missing = self.len() - kept.len();
        *self = kept;
        missing
    }

    pub fn is_empty(&self) -> bool {
        self.corners.is_empty()
    }

    /// Takes the faces of a mesh for writing. Drops and lists faces with fewer than three corners, including surplus
    /// corners after the last triangle. `index` is the index of the mesh.
    pub fn take_faces(mesh: &mut Mesh, index: usize, losses: &mut Vec<Loss>) -> Polygons {
        let polygons = Polygons::from_faces(std::mem::take(&mut mesh.faces), mesh.positions.len());
        polygons.record_degenerate(&format!("meshes[{index}].faces"), losses);
        polygons
    }

    /// Records the number of dropped faces, if any, at `path`.
    pub fn record_degenerate(&self, path: &str, losses: &mut Vec<Loss>) {
        let all = self.len() + self.degenerate_count;
        let loss = Loss::dropped(path, "faces with fewer than 3 corners");
        losses.extend(
            loss.with_count_of(self.degenerate_count, all, "faces")
                .if_any(),
        );
    }

    fn from_faces(faces: Faces, vertices: usize) -> Polygons {
        let corners = faces
            .indices
            .map_or_else(|| (0..vertices as u32).collect(), Indices::into_u32);
        let is_valid = match &faces.corners {
            Some(counts) => counts.iter().all(|count| *count >= 3),
            None => corners.len().is_multiple_of(3),
        };
        if is_valid {
            return Polygons {
                start: corners.len(),
                corners,
                counts: faces.corners,
                degenerate_count: 0,
            };
        }
        let mut polygons = Polygons::default();
        let counts = faces
            .corners
            .unwrap_or_else(|| vec![3; corners.len().div_ceil(3)]);
        let mut rest = &corners[..];
        for count in counts {
            let (face, others) = rest.split_at(rest.len().min(count as usize));
            face.iter().for_each(|corner| polygons.push_corner(*corner));
            polygons.finish_face();
            rest = others;
        }
        polygons
    }

    /// Returns the vertex indices of each face.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let triangles = if self.counts.is_none() {
            &self.corners[..]
        } else {
            &[]
        };
        let mut rest = &self.corners[..];
        let others = self.counts.iter().flatten().map_while(move |count| {
            let (face, others) = rest.split_at_checked(*count as usize)?;
            rest = others;
            Some(face)
        });
        triangles.chunks_exact(3).chain(others)
    }

    pub fn len(&self) -> usize {
        self.counts
            .as_ref()
            .map_or(self.corners.len() / 3, Vec::len)
    }

    /// Returns the largest number of corners of a face; at least 3.
    pub fn max_corners(&self) -> u32 {
        self.counts.iter().flatten().copied().max().unwrap_or(3)
    }

    /// Returns the vertex indices of all faces, concatenated.
    pub fn corner_indices(&self) -> &[u32] {
        &self.corners
    }

    pub fn into_faces(self) -> Faces {
        Faces {
            indices: Some(Indices::U32(self.corners)),
            corners: self.counts,
        }
    }
}

/// Returns the number of distinct indices below `count`.
pub(in crate::interop) fn count_used(count: usize, indices: impl Iterator<Item = u32>) -> usize {
    let mut used = vec![false; count];
    for index in indices {
        if let Some(used) = used.get_mut(index as usize) {
            *used = true;
        }
    }
    used.into_iter().filter(|used| *used).count()
}
