//! Splits vertices of PLY files whose corners differ in texture coordinates or image.

use std::collections::HashMap;

use crate::interop::shared::meshes::check_mesh_count;
use crate::interop::shared::polygons::Polygons;
use crate::scene::limits::check_triangle_limit;
use crate::scene::{Mesh, Texture, push_index};
use crate::{Error, Limit, Limits, Loss, Result};

/// A vertex of the file with the texture coordinates and the image of a corner.
#[derive(PartialEq, Eq, Hash)]
struct SplitVertex {
    image: u32,
    corner: u32,
    uv_bits: Option<[u32; 2]>,
}

/// The faces with one image.
#[derive(Default)]
pub(super) struct VertexGroup {
    pub image: u32,
    /// The index in the file of each vertex.
    vertices: Vec<usize>,
    /// The texture coordinates of each vertex; empty if the faces have none.
    uvs: Vec<[f32; 2]>,
    pub faces: Polygons,
}

impl VertexGroup {
    pub fn into_mesh(self, all: &Mesh, images: &[String]) -> Mesh {
        let mut mesh = all.select(&self.vertices);
        if !self.uvs.is_empty() {
            mesh.uvs.insert(0, self.uvs);
        }
        set_image(&mut mesh, images.get(self.image as usize));
        mesh.faces = self.faces.into_faces();
        mesh
    }
}

/// Groups the faces by image, in the order of the images. A vertex of a group has one pair of texture coordinates.
/// Omits faces with missing vertices; if all are, returns no group. Also returns the number of omitted faces.
///
/// `uvs` are the texture coordinates of all corners, and `images` the images of all faces; empty if the faces have none.
pub(super) fn split_vertices(
    polygons: &Polygons,
    uvs: &[[f32; 2]],
    images: &[u32],
    mesh: &Mesh,
    limits: &Limits,
) -> Result<(Vec<VertexGroup>, usize)> {
    let vertices = mesh.positions.len();
    let max_size = limits.max_decoded / mesh.vertex_size().max(1) as u64;
    let mut groups: Vec<VertexGroup> = Vec::new();
    // Most files have few images, but a header may name millions.
    let mut group_indices = HashMap::new();
    let mut new_indices: HashMap<SplitVertex, u32> = HashMap::new();
    let mut rest = uvs;
    let mut omitted = 0;
    for (face, corners) in polygons.iter().enumerate() {
        let (uvs, others) = rest.split_at(corners.len().min(rest.len()));
        rest = others;
        if corners.iter().any(|corner| *corner as usize >= vertices) {
            omitted += 1;
            continue;
        }
        let image = images.get(face).copied().unwrap_or(0);
        let group_index = *group_indices.entry(image).or_insert_with(|| {
            push_index(
                &mut groups,
                VertexGroup {
                    image,
                    ..VertexGroup::default()
                },
            )
        });
        check_mesh_count(groups.len(), size_of::<VertexGroup>(), limits)?;
        let group = &mut groups[group_index];
        for (index, corner) in corners.iter().enumerate() {
            let uv = uvs.get(index).copied();
            let key = SplitVertex {
                image,
                corner: *corner,
                uv_bits: uv.map(|uv| uv.map(f32::to_bits)),
            };
            let vertex = *new_indices.entry(key).or_insert_with(|| {
                group.uvs.extend(uv);
                push_index(&mut group.vertices, *corner as usize) as u32
            });
            group.faces.push_corner(vertex);
        }
        group.faces.finish_face();
        check_triangle_limit(new_indices.len() as u64, limits.max_triangles)?;
        if new_indices.len() as u64 > max_size {
            let limit = limits.max_decoded;
            let message =
                format!("vertices split by texture coordinates exceed the limit of {limit} bytes");
            return Err(Error::limit_exceeded(Limit::Decoded, message));
        }
    }
    groups.sort_by_key(|group| group.image);
    Ok((groups, omitted))
}

pub(super) fn set_image(mesh: &mut Mesh, image: Option<&String>) {
    mesh.material.texture = image
        .filter(|image| !image.is_empty())
        .map(|image| Texture::file(&**image));
}

pub(super) fn record_unused_vertices(mesh: &Mesh, groups: &[VertexGroup], losses: &mut Vec<Loss>) {
    let mut is_used = vec![false; mesh.positions.len()];
    for vertex in groups.iter().flat_map(|group| &group.vertices) {
        is_used[*vertex] = true;
    }
    let unused = is_used.iter().filter(|is_used| !**is_used).count();
    let loss = Loss::dropped("vertex", "vertices that no face uses");
    losses.extend(
        loss.with_count_of(unused, mesh.positions.len(), "vertices")
            .if_any(),
    );
}
