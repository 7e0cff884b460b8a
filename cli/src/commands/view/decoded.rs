//! Builds a model from the decoded numbers of a file that cannot be converted to a scene.

use meshspec::contents::{Array, Contents, Mesh, MeshRange};
use meshspec::scene::{self, Faces, Indices, Scene};

/// The maximum number of vertices and indices in all meshes together. Meshes may share buffers, so a small file can
/// exceed it.
const MAX_ITEMS: u64 = 20_000_000;
const MAX_MESHES: usize = 10_000;

/// Returns a scene with the stored positions, normals, texture coordinates and faces of the meshes.
///
/// Replaces a corner that refers to a missing vertex with the first valid corner of its face, so that the indices of
/// other faces do not change. A mesh that would exceed [`MAX_ITEMS`] is empty; meshes beyond [`MAX_MESHES`] are
/// omitted.
pub fn decoded_scene(contents: &Contents) -> Scene {
    let parts = contents.meshes.iter().flat_map(|mesh| {
        let parts = mesh.parts.clone().unwrap_or_else(|| vec![whole_mesh(mesh)]);
        parts.into_iter().map(move |part| (mesh, part))
    });
    let mut remaining = MAX_ITEMS;
    let meshes = parts.take(MAX_MESHES).map(|(mesh, part)| {
        match remaining.checked_sub(u64::from(part.vertex_count) + u64::from(part.index_count)) {
            Some(left) => {
                remaining = left;
                convert_mesh(mesh, part)
            }
            None => scene::Mesh::default(),
        }
    });
    Scene {
        meshes: meshes.collect(),
        ..Scene::default()
    }
}

/// Returns the range that covers the whole mesh.
fn whole_mesh(mesh: &Mesh) -> MeshRange {
    let indices = mesh
        .indices
        .as_ref()
        .map_or(mesh.vertices, |indices| indices.numbers.len());
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    MeshRange {
        first_index: 0,
        index_count: count(indices),
        first_vertex: 0,
        vertex_count: count(mesh.vertices),
    }
}

fn convert_mesh(mesh: &Mesh, part: MeshRange) -> scene::Mesh {
    let array = |name: &str| {
        mesh.attributes
            .iter()
            .find(|attribute| attribute.name == name)
    };
    let vectors =
        |name: &str| array(name).map(|attribute| convert_rows::<3>(&attribute.array, part));
    let positions = vectors("position")
        .or_else(|| vectors("position_2d"))
        .unwrap_or_default();
    let normals = vectors("normal").filter(|normals| normals.len() == positions.len());
    let uvs = array("uv_0").map(|attribute| convert_rows::<2>(&attribute.array, part));
    scene::Mesh {
        faces: convert_faces(mesh, part, positions.len()),
        uvs: uvs
            .into_iter()
            .filter(|uvs| uvs.len() == positions.len())
            .collect(),
        normals,
        positions,
        ..scene::Mesh::default()
    }
}

/// Converts the rows of one part of an array to vectors. Missing components are 0.
fn convert_rows<const N: usize>(array: &Array, part: MeshRange) -> Vec<[f32; N]> {
    let components: usize = array.shape.iter().skip(1).product();
    let count = array.shape.first().copied().unwrap_or_default();
    let number = |index| {
        array
            .numbers
            .text(index)
            .and_then(|text| text.parse().ok())
            .unwrap_or(0.0)
    };
    let rows = (0..count)
        .skip(part.first_vertex as usize)
        .take(part.vertex_count as usize);
    rows.map(|row| {
        std::array::from_fn(|axis| {
            if axis < components {
                number(row * components + axis)
            } else {
                0.0
            }
        })
    })
    .collect()
}

fn convert_faces(mesh: &Mesh, part: MeshRange, vertex_count: usize) -> Faces {
    let Some(array) = &mesh.indices else {
        return Faces::default();
    };
    let number = |index| {
        array
            .numbers
            .text(index)
            .and_then(|text| text.parse::<u32>().ok())
            .unwrap_or(u32::MAX)
    };
    let positions = (0..array.numbers.len())
        .skip(part.first_index as usize)
        .take(part.index_count as usize);
    let mut indices: Vec<u32> = positions.map(number).collect();
    let sizes = mesh.face_sizes.as_ref().map(|sizes| {
        let size = |index| {
            sizes
                .numbers
                .text(index)
                .and_then(|text| text.parse().ok())
                .unwrap_or(3)
        };
        (0..sizes.numbers.len()).map(size).collect::<Vec<u32>>()
    });
    let is_valid_index = |corner: u32| (corner as usize) < vertex_count;
    let triangles = vec![3; indices.len() / 3];
    let mut rest = &mut *indices;
    for size in sizes.as_ref().unwrap_or(&triangles) {
        let Some((face, others)) = std::mem::take(&mut rest).split_at_mut_checked(*size as usize)
        else {
            break;
        };
        let first = face
            .iter()
            .copied()
            .find(|corner| is_valid_index(*corner))
            .unwrap_or(0);
        face.iter_mut()
            .filter(|corner| !is_valid_index(**corner))
            .for_each(|corner| *corner = first);
        rest = others;
    }
    // Drops incomplete triangles.
    if sizes.is_none() {
        indices.truncate(3 * triangles.len());
    }
    if vertex_count == 0 || indices.iter().any(|corner| !is_valid_index(*corner)) {
        return Faces::triangles(Vec::new());
    }
    Faces {
        indices: Some(Indices::U32(indices)),
        corners: sizes,
    }
}
