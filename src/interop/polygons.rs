//! Faces while they are read or written.

use crate::Loss;
use crate::scene::{Faces, Indices, Mesh};

/// Faces of any number of corners, all in one list.
#[derive(Debug, Default)]
pub(super) struct Polygons {
    corners: Vec<u32>,
    /// Number of corners of each face; `None` as long as all have three.
    counts: Option<Vec<u32>>,
    /// Where the face that is not finished begins.
    start: usize,
    /// Faces with fewer than three corners, which were left out.
    pub degenerate: usize,
}

impl Polygons {
    /// Adds a corner to the face that is being read.
    #[inline]
    pub fn corner(&mut self, index: u32) {
        self.corners.push(index);
    }

    /// Finishes a face. One with fewer than three corners is left out.
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

    /// Takes back the corners of the face that is being read.
    pub fn abandon(&mut self) {
        self.corners.truncate(self.start);
    }

    /// Gives the corners other vertices. Faces with a corner that has none are left out. Returns how many those are.
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

    /// Whether there is no face.
    pub fn is_empty(&self) -> bool {
        self.corners.is_empty()
    }

    /// Takes the faces out of a mesh to be written. Those with fewer than three corners, and corners behind the last
    /// triangle, are left out, and listed.
    pub fn take(mesh: &mut Mesh, index: usize, losses: &mut Vec<Loss>) -> Polygons {
        let polygons = Polygons::from_faces(std::mem::take(&mut mesh.faces), mesh.positions.len());
        polygons.list_degenerate(&format!("meshes[{index}].faces"), losses);
        polygons
    }

    /// Lists the faces that were left out.
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

    /// The corners of each face.
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

    /// Number of faces.
    pub fn len(&self) -> usize {
        self.counts.as_ref().map_or(self.corners.len() / 3, Vec::len)
    }

    /// Largest number of corners of a face.
    pub fn max_corners(&self) -> u32 {
        self.counts.iter().flatten().copied().max().unwrap_or(3)
    }

    /// The corners of all faces.
    pub fn corners(&self) -> &[u32] {
        &self.corners
    }

    /// As the faces of a mesh.
    pub fn into_faces(self) -> Faces {
        Faces { indices: Some(Indices::U32(self.corners)), corners: self.counts }
    }
}
