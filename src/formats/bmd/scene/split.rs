//! Splits meshes with more vertices than faces can address, or more vertices or triangles than a mesh can count.

use super::super::schema;
use super::super::{Document, Face, Faces, Mesh, Vertices};
use crate::scene::{self, Indices, Scene, push_index};
use crate::{Error, Loss, LossKind, Path, Result, path};

/// Maximum number of vertices in a triangle mesh: indices of triangles have 20 bits.
pub const MAX_VERTICES: usize = 1 << 20;

/// Maximum number of vertices in a mesh with quads: indices of quads have 15 bits.
const MAX_VERTICES_WITH_QUADS: usize = 1 << 15;

/// Maximum size of a mesh piece.
#[derive(Debug, Clone, Copy)]
pub struct PieceLimits {
    /// Maximum number of vertices.
    pub vertices: usize,
    /// Maximum number of triangles.
    pub triangles: usize,
}

/// A part of a split mesh.
#[derive(Default)]
pub struct MeshPiece {
    /// The vertices, as indices into the mesh.
    pub vertices: Vec<usize>,
    /// The faces, with vertex indices into the piece.
    pub faces: Vec<Face>,
    triangles: usize,
}

impl PieceLimits {
    /// The largest counts that the fields of a mesh can store.
    pub const FIELD_LIMITS: Self = Self {
        vertices: u16::MAX as usize,
        triangles: u16::MAX as usize,
    };

    /// Divides the faces of a mesh with `count` vertices into pieces, in order. Vertices without faces come last.
    /// `None` if a face refers to a missing vertex.
    pub fn divide(self, faces: impl Iterator<Item = Face>, count: usize) -> Option<Vec<MeshPiece>> {
        let mut is_unused = vec![true; count];
        // The index of each vertex in the current piece.
        let mut new_indices = vec![None; count];
        let mut pieces = Vec::new();
        let mut piece = MeshPiece::default();
        for face in faces {
            let corners = face.vertices();
            let mut new_count = 0;
            for vertex in corners {
                new_count += usize::from(new_indices.get(*vertex as usize)?.is_none());
            }
            let triangles = corners.len() - 2;
            let vertices = piece.vertices.len() + new_count;
            if vertices > self.vertices || piece.triangles + triangles > self.triangles {
                piece
                    .vertices
                    .iter()
                    .for_each(|vertex| new_indices[*vertex] = None);
                pieces.push(std::mem::take(&mut piece));
            }
            let mut add_vertex = |vertex: u32| {
                let vertex = vertex as usize;
                is_unused[vertex] = false;
                *new_indices[vertex]
                    .get_or_insert_with(|| push_index(&mut piece.vertices, vertex) as u32)
            };
            let face = match face {
                Face::Triangle(corners) => Face::Triangle(corners.map(&mut add_vertex)),
                Face::Quad(corners) => Face::Quad(corners.map(&mut add_vertex)),
            };
            piece.faces.push(face);
            piece.triangles += triangles;
        }
        for vertex in (0..count).filter(|vertex| is_unused[*vertex]) {
            if piece.vertices.len() >= self.vertices {
                pieces.push(std::mem::take(&mut piece));
            }
            piece.vertices.push(vertex);
        }
        pieces.push(piece);
        Some(pieces)
    }
}

/// Splits a mesh. Returns it unchanged if it is small enough, or if its faces refer to missing vertices.
fn split_mesh(mesh: &Mesh, limits: PieceLimits) -> Vec<Mesh> {
    let count = mesh.vertices.len();
    if count <= limits.vertices && mesh.triangle_count() <= limits.triangles {
        return vec![mesh.clone()];
    }
    let vertex_list: Vec<_> = mesh.vertices.packed_items().collect();
    let to_mesh = |piece: MeshPiece| {
        let mut vertices = Vertices::default();
        piece
            .vertices
            .iter()
            .try_for_each(|vertex| vertices.push(vertex_list[*vertex]))?;
        let piece = Mesh::new(
            mesh.material.clone(),
            vertices,
            Faces::encode(&piece.faces)?,
        );
        Ok(Mesh {
            resv3: mesh.resv3,
            ..piece
        })
    };
    let pieces = limits
        .divide(mesh.faces.iter(), count)
        .into_iter()
        .flatten();
    // Items from an existing list can always be pushed again.
    match pieces.map(to_mesh).collect::<Result<Vec<_>>>() {
        Ok(pieces) if !pieces.is_empty() => pieces,
        _ => vec![mesh.clone()],
    }
}

/// Splits each mesh that exceeds the limits, and updates the mesh indices of levels of detail and bones. Bone solids
/// are not split, since the pieces would not be closed. Returns the number of pieces of each mesh.
///
/// # Errors
///
/// Returns an error if a mesh index or mesh count would exceed 255. The document is then unchanged.
pub fn split_meshes(document: &mut Document, limits: PieceLimits) -> Result<Vec<usize>> {
    let mut meshes = Vec::new();
    let mut starts = Vec::new();
    for (index, mesh) in document.meshes.iter().enumerate() {
        starts.push(meshes.len());
        let is_solid = index > 0
            && document
                .bones
                .iter()
                .any(|bone| usize::from(bone.id_solid) == index);
        meshes.extend(if is_solid {
            vec![mesh.clone()]
        } else {
            split_mesh(mesh, limits)
        });
    }
    starts.push(meshes.len());
    // Indices of missing meshes stay past the end, up to 255.
    let new_start = |mesh: usize| {
        starts
            .get(mesh)
            .copied()
            .unwrap_or(mesh.max(meshes.len()).min(255))
    };
    let mut lods = document.lods.clone();
    for (index, lod) in lods
        .iter_mut()
        .enumerate()
        .filter(|(_, lod)| !lod.contains_all_meshes())
    {
        let end = new_start(usize::from(lod.id_mesh) + usize::from(lod.n_mesh));
        let first = new_start(lod.id_mesh.into());
        lod.id_mesh = to_mesh_index(first, path!(lods[index].id_mesh))?;
        lod.n_mesh = to_mesh_index(end.saturating_sub(first), path!(lods[index].n_mesh))?;
    }
    let mut bones = document.bones.clone();
    for (index, bone) in bones
        .iter_mut()
        .enumerate()
        .filter(|(_, bone)| bone.id_solid != 0)
    {
        bone.id_solid = to_mesh_index(
            new_start(bone.id_solid.into()),
            path!(bones[index].id_solid),
        )?;
    }
    (document.meshes, document.lods, document.bones) = (meshes, lods, bones);
    Ok(starts.windows(2).map(|pair| pair[1] - pair[0]).collect())
}

fn to_mesh_index(mesh: usize, path: impl Into<Path>) -> Result<u8> {
    u8::try_from(mesh).map_err(|_| {
        let message =
            format!("mesh index {mesh} after splitting large meshes, expected at most 255");
        Error::inexpressible(message)
            .at(path)
            .in_format(schema::NAME)
    })
}

/// Triangulates meshes with too many vertices for quads, and splits meshes with too many vertices for triangles.
/// Returns the original index of each resulting mesh.
pub fn split_unaddressable(scene: &mut Scene, losses: &mut Vec<Loss>) -> Vec<usize> {
    let mut pieces_by_mesh: Vec<Vec<usize>> = Vec::new();
    let mut meshes = Vec::new();
    for (index, mut mesh) in std::mem::take(&mut scene.meshes).into_iter().enumerate() {
        let vertices = mesh.positions.len();
        let has_quads = mesh
            .faces
            .corners
            .iter()
            .flatten()
            .any(|corners| *corners > 3);
        if has_quads && vertices > MAX_VERTICES_WITH_QUADS {
            let at = format!("meshes[{index}]");
            losses.extend(mesh.triangulate().map(|loss| loss.within(&*at)));
            let message = "BMD quads address at most 32768 vertices; the mesh was triangulated";
            losses.push(Loss::new(
                LossKind::Split,
                format!("{at}.faces.corners"),
                message,
            ));
        }
        let first = meshes.len();
        if vertices > MAX_VERTICES {
            meshes.extend(split_triangles(mesh));
            let message = "BMD faces address at most 1048576 vertices; the mesh was split";
            let loss = Loss::new(LossKind::Split, format!("meshes[{index}]"), message);
            losses.push(loss.with_detail(format_args!("into {}", meshes.len() - first)));
        } else {
            meshes.push(mesh);
        }
        pieces_by_mesh.push((first..meshes.len()).collect());
    }
    for lod in &mut scene.lods {
        let pieces = lod
            .meshes
            .iter()
            .filter_map(|mesh| pieces_by_mesh.get(*mesh));
        lod.meshes = pieces.flatten().copied().collect();
    }
    scene.meshes = meshes;
    pieces_by_mesh
        .iter()
        .enumerate()
        .flat_map(|(index, pieces)| pieces.iter().map(move |_| index))
        .collect()
}

/// Splits a mesh into pieces, keeping the order of its triangles. Each piece copies the shared vertices.
fn split_triangles(mut mesh: scene::Mesh) -> Vec<scene::Mesh> {
    let corners = mesh
        .faces
        .indices
        .take()
        .map(Indices::into_u32)
        .unwrap_or_default();
    let triangles = corners.as_chunks().0.iter().copied().map(Face::Triangle);
    let pieces = PieceLimits::FIELD_LIMITS
        .divide(triangles, mesh.positions.len())
        .unwrap_or_default();
    let pieces = pieces.into_iter().map(|piece| {
        let corners = piece.faces.iter().flat_map(Face::vertices).copied();
        scene::Mesh {
            faces: scene::Faces::triangles(corners.collect()),
            ..mesh.select(&piece.vertices)
        }
    });
    pieces.collect()
}
