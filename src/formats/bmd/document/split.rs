//! Control flags that fit the content, and splitting meshes that are too large for 32-bit faces.

use super::super::schema::ControlFlags;
use super::{Document, Face, Faces, Mesh, Vertices};
use crate::{Error, FormatId, Path, Result, Text, path};

/// The most vertices and triangles that a piece of a mesh may have.
#[derive(Debug, Clone, Copy)]
pub struct PieceLimits {
    vertices: usize,
    triangles: usize,
}

impl PieceLimits {
    /// The specification recommends fewer than 1,024 vertices.
    const RECOMMENDED: PieceLimits =
        PieceLimits { vertices: 1023, triangles: PieceLimits::COUNTABLE.triangles };

    /// As many as the fields of a mesh can count.
    pub const COUNTABLE: PieceLimits =
        PieceLimits { vertices: u16::MAX as usize, triangles: u16::MAX as usize };
}

impl Mesh {
    /// A mesh with the control flags that fit its content.
    pub fn new(material: Option<Text>, vertices: Vertices, faces: Faces) -> Mesh {
        let mut mesh = Mesh { material, vertices, faces, ..Mesh::default() };
        mesh.flags = mesh.fitting_flags();
        mesh
    }

    /// The narrowest control flags that allow every vertex and face of the mesh (B11).
    pub fn fitting_flags(&self) -> ControlFlags {
        // Narrow ones first.
        let subtype = [0, 3, 2].into_iter().find(|subtype| {
            let sizes = ControlFlags::new().with_vertex_subtype(*subtype).vertex_sizes();
            self.packed_vertices().all(|vertex| sizes.contains(&vertex.bits()))
        });
        let triangles = [0, 2, 3].into_iter().find(|triangles| {
            let flags = ControlFlags::new().with_triangles_type(*triangles);
            self.faces.packed().all(|face| flags.allows(face))
        });
        ControlFlags::new()
            .with_vertex_subtype(subtype.unwrap_or(1))
            .with_triangles_type(triangles.unwrap_or(1))
    }

    /// The mesh in pieces of fewer than 1,024 vertices, each with its own copy of the vertices that its faces share
    /// with other pieces. Vertices that no face uses come last. A mesh that is small enough stays as it is, and so does
    /// one whose faces use vertices that do not exist.
    pub fn split(&self) -> Vec<Mesh> {
        self.split_to(PieceLimits::RECOMMENDED)
    }

    fn split_to(&self, limits: PieceLimits) -> Vec<Mesh> {
        let count = self.vertices.len();
        if count <= limits.vertices && self.triangle_count() <= limits.triangles {
            return vec![self.clone()];
        }
        let all: Vec<_> = self.packed_vertices().collect();
        let mesh = |piece: Piece| {
            let mut vertices = Vertices::default();
            piece.vertices.iter().try_for_each(|vertex| vertices.push(all[*vertex]))?;
            let mesh = Mesh::new(self.material.clone(), vertices, Faces::encode(&piece.faces)?);
            Ok(Mesh { resv3: self.resv3, ..mesh })
        };
        let pieces = limits.divide(self.faces.iter(), count).into_iter().flatten();
        // What has been read or pushed once can be pushed again.
        match pieces.map(mesh).collect::<Result<Vec<_>>>() {
            Ok(pieces) if !pieces.is_empty() => pieces,
            _ => vec![self.clone()],
        }
    }
}

/// A piece of a mesh.
#[derive(Default)]
pub struct Piece {
    /// The vertices, by their positions in the mesh.
    pub vertices: Vec<usize>,
    /// The faces, by the positions of their vertices in the piece.
    pub faces: Vec<Face>,
    triangles: usize,
}

impl PieceLimits {
    /// Divides the faces of a mesh of so many vertices into pieces, in order. Vertices that no face uses come last. `None`
    /// if a face uses a vertex that does not exist.
    pub fn divide(self, faces: impl Iterator<Item = Face>, count: usize) -> Option<Vec<Piece>> {
        let mut loose = vec![true; count];
        // The positions of the vertices in the current piece.
        let mut places = vec![None; count];
        let mut pieces = Vec::new();
        let mut piece = Piece::default();
        for face in faces {
            let corners = face.vertices();
            let mut new = 0;
            for vertex in corners {
                new += usize::from(places.get(*vertex as usize)?.is_none());
            }
            let triangles = corners.len() - 2;
            if piece.vertices.len() + new > self.vertices || piece.triangles + triangles > self.triangles {
                piece.vertices.iter().for_each(|vertex| places[*vertex] = None);
                pieces.push(std::mem::take(&mut piece));
            }
            let mut place = |vertex: u32| {
                let vertex = vertex as usize;
                loose[vertex] = false;
                *places[vertex].get_or_insert_with(|| {
                    piece.vertices.push(vertex);
                    piece.vertices.len() as u32 - 1
                })
            };
            let face = match face {
                Face::Triangle(corners) => Face::Triangle(corners.map(&mut place)),
                Face::Quad(corners) => Face::Quad(corners.map(&mut place)),
            };
            piece.faces.push(face);
            piece.triangles += triangles;
        }
        for vertex in (0..count).filter(|vertex| loose[*vertex]) {
            if piece.vertices.len() >= self.vertices {
                pieces.push(std::mem::take(&mut piece));
            }
            piece.vertices.push(vertex);
        }
        pieces.push(piece);
        Some(pieces)
    }
}

impl Document {
    /// Splits each mesh of 1,024 and more vertices into pieces; levels of detail and bones still refer to the same
    /// meshes. Bone solids stay whole, since pieces are not closed. Returns the number of meshes that were split.
    ///
    /// # Errors
    ///
    /// If a level of detail or a bone would have to refer to a mesh beyond 255; the document stays as it was.
    pub fn split_large_meshes(&mut self) -> Result<usize> {
        let pieces = self.split_meshes(PieceLimits::RECOMMENDED)?;
        Ok(pieces.into_iter().filter(|pieces| *pieces > 1).count())
    }

    /// Splits each mesh that exceeds the limits, as [`split_large_meshes`](Document::split_large_meshes) does. Returns
    /// the number of pieces of each.
    pub(crate) fn split_meshes(&mut self, limits: PieceLimits) -> Result<Vec<usize>> {
        let mut meshes = Vec::new();
        let mut starts = Vec::new();
        for (index, mesh) in self.meshes.iter().enumerate() {
            starts.push(meshes.len());
            let is_solid = index > 0 && self.bones.iter().any(|bone| usize::from(bone.id_solid) == index);
            meshes.extend(if is_solid { vec![mesh.clone()] } else { mesh.split_to(limits) });
        }
        starts.push(meshes.len());
        // Indices of meshes that do not exist stay wrong.
        let start = |mesh: usize| starts.get(mesh).copied().unwrap_or(mesh);
        let mut lods = self.lods.clone();
        for (index, lod) in lods.iter_mut().enumerate().filter(|(_, lod)| !lod.is_all()) {
            let end = start(usize::from(lod.id_mesh) + usize::from(lod.n_mesh));
            let first = start(lod.id_mesh.into());
            lod.id_mesh = number(first, path!(lods[index].id_mesh))?;
            lod.n_mesh = number(end.saturating_sub(first), path!(lods[index].n_mesh))?;
        }
        let mut bones = self.bones.clone();
        for (index, bone) in bones.iter_mut().enumerate().filter(|(_, bone)| bone.id_solid != 0) {
            bone.id_solid = number(start(bone.id_solid.into()), path!(bones[index].id_solid))?;
        }
        (self.meshes, self.lods, self.bones) = (meshes, lods, bones);
        Ok(starts.windows(2).map(|pair| pair[1] - pair[0]).collect())
    }
}

fn number(mesh: usize, path: impl Into<Path>) -> Result<u8> {
    u8::try_from(mesh).map_err(|_| {
        let message = format!("mesh index {mesh} after splitting large meshes, expected at most 255");
        Error::inexpressible(message).at(path).in_format(FormatId::Bmd)
    })
}
