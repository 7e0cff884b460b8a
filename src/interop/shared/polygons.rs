//! Polygon lists for readers and writers.

use crate::Loss;
use crate::scene::{Faces, Indices, Mesh};

/// Faces with any number of corners, stored contiguously.
#[derive(Debug, Default)]
pub(in crate::interop) struct Polygons {
    corners: Vec<u32>,
    /// The number of corners of each face; `None` if all are triangles.
    counts: Option<Vec<u32>>,
    /// The index of the first corner of the unfinished face.
    start: usize,
    /// The number of dropped faces with fewer than three corners.
    pub degenerate: usize,
}

impl Polygons {
    /// Adds a corner to the current face.
    #[inline]
    pub fn corner(&mut self, index: u32) {
        self.corners.push(index);
    }

    /// Finishes the current face; drops it if it has fewer than three corners.
    #[inline]
    pub fn finish(&mut self) {
        let count = self.corners.len() - self.start;
        if count < 3 {
            self.corners.truncate(self.start);
            self.degenerate += 1;
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

    /// Discards the corners of the current face.
    pub fn abandon(&mut self) {
        self.corners.truncate(self.start);
    }

    /// Maps the corners to other vertices. Drops faces with an unmapped corner, and returns their number.
    pub fn renumber(&mut self, place: impl Fn(u32) -> Option<u32>) -> usize {
        let mut kept = Polygons { degenerate: self.degenerate, ..Polygons::default() };
        for face in self.iter() {
            for corner in face.iter().map_while(|corner| place(*corner)) {
                kept.corner(corner);
            }
            match kept.corners.len() - kept.start == face.len() {
                true => kept.finish(),
                false => kept.abandon(),
            }
        }
        let missing = self.len() - kept.len();
        *self = kept;
        missing
    }

    /// Returns `true` if there are no faces.
    pub fn is_empty(&self) -> bool {
        self.corners.is_empty()
    }

    /// Takes the faces of a mesh for writing. Drops and lists faces with fewer than three corners and corners after the
    /// last triangle.
    pub fn take(mesh: &mut Mesh, index: usize, losses: &mut Vec<Loss>) -> Polygons {
        let polygons = Polygons::from_faces(std::mem::take(&mut mesh.faces), mesh.positions.len());
        polygons.list_degenerate(&format!("meshes[{index}].faces"), losses);
        polygons
    }

    /// Lists the dropped faces.
    pub fn list_degenerate(&self, path: &str, losses: &mut Vec<Loss>) {
        if self.degenerate > 0 {
            let loss = Loss::dropped(path, "faces with fewer than 3 corners");
            losses.push(loss.affecting(self.degenerate, self.len() + self.degenerate, "faces"));
        }
    }

    fn from_faces(faces: Faces, vertices: usize) -> Polygons {
        let corners = match faces.indices {
            Some(indices) => indices.into_u32(),
            None => (0..vertices as u32).collect(),
        };
        let sound = match &faces.corners {
            Some(counts) => counts.iter().all(|count| *count >= 3),
            None => corners.len().is_multiple_of(3),
        };
        if sound {
            return Polygons { start: corners.len(), corners, counts: faces.corners, degenerate: 0 };
        }
        let mut polygons = Polygons::default();
        let counts = faces.corners.unwrap_or_else(|| vec![3; corners.len().div_ceil(3)]);
        let mut rest = &corners[..];
        for count in counts {
            let (face, others) = rest.split_at(rest.len().min(count as usize));
            face.iter().for_each(|corner| polygons.corner(*corner));
            polygons.finish();
            rest = others;
        }
        polygons
    }

    /// Iterates over the corners of each face.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let triangles = if self.counts.is_none() { &self.corners[..] } else { &[] };
        let mut rest = &self.corners[..];
        let others = self.counts.iter().flatten().map_while(move |count| {
            let (face, others) = rest.split_at_checked(*count as usize)?;
            rest = others;
            Some(face)
        });
        triangles.chunks_exact(3).chain(others)
    }

    /// Returns the number of faces.
    pub fn len(&self) -> usize {
        self.counts.as_ref().map_or(self.corners.len() / 3, Vec::len)
    }

    /// Returns the largest number of corners of a face, at least 3.
    pub fn max_corners(&self) -> u32 {
        self.counts.iter().flatten().copied().max().unwrap_or(3)
    }

    /// Returns the corners of all faces.
    pub fn corners(&self) -> &[u32] {
        &self.corners
    }

    /// Converts to the faces of a mesh.
    pub fn into_faces(self) -> Faces {
        Faces { indices: Some(Indices::U32(self.corners)), corners: self.counts }
    }
}
