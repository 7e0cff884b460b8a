//! Converts a scene to the model of a page, with typed arrays.

use meshspec::scene::{Animation, Interpolation, Mesh, Samples, Scene, Skin, UvOrigin, Weights};
use serde::Serialize;

use super::data::{ArrayRef, Arrays};
use super::distances::MeshDistances;
use super::images::{ImageData, ImageTable, TextureData};

/// The maximum number of triangles in a file's model.
const MAX_TRIANGLES: usize = 4_000_000;

/// The model of a file, as data for the script of the page.
#[derive(Serialize, Default)]
pub struct Model {
    meshes: Vec<MeshData>,
    images: Vec<ImageData>,
    lods: Vec<LodData>,
    joints: Vec<JointData>,
    animations: Vec<AnimationData>,
    #[serde(skip_serializing_if = "Option::is_none")]
    transform: Option<[f32; 16]>,
}

#[derive(Serialize)]
struct MeshData {
    name: String,
    material: String,
    base_color: Option<[f32; 4]>,
    vertices: usize,
    triangles: usize,
    positions: ArrayRef,
    indices: ArrayRef,
    /// The face index of each triangle; `None` if all faces are triangles.
    faces: Option<ArrayRef>,
    normals: Option<ArrayRef>,
    uvs: Option<ArrayRef>,
    /// Whether the texture coordinates (0, 0) are at the bottom left of images.
    uv_from_bottom: bool,
    texture: Option<TextureData>,
    colors: Option<ArrayRef>,
    joints: Option<ArrayRef>,
    weights: Option<ArrayRef>,
    /// A column-major matrix for each copy of the mesh; empty if the mesh is drawn once without a transform.
    placements: Vec<[f64; 16]>,
    /// The distance of each vertex from the other file's model, in metres; `None` if no models are compared, or if the
    /// mesh is not drawn.
    distances: Option<ArrayRef>,
    centers: Option<CentersData>,
}

/// The vertex indices and centre distances of the triangles in [`MeshDistances::centers`].
#[derive(Serialize)]
struct CentersData {
    indices: ArrayRef,
    distances: ArrayRef,
}

#[derive(Serialize)]
struct LodData {
    /// The minimum viewing distance in metres; `null` in JSON for infinity.
    distance: f32,
    meshes: Vec<usize>,
}

#[derive(Serialize)]
struct JointData {
    name: String,
    parent: Option<usize>,
    inverse_bind: [f32; 16],
    translation: [f32; 3],
    rotation: [f32; 4],
    scale: [f32; 3],
}

#[derive(Serialize)]
struct AnimationData {
    name: String,
    rate: f32,
    duration: f32,
    looped: bool,
    times: Vec<ArrayRef>,
    channels: Vec<ChannelData>,
}

#[derive(Serialize)]
struct ChannelData {
    joint: usize,
    /// The index into `AnimationData::times`.
    times: usize,
    interpolation: &'static str,
    property: &'static str,
    values: ArrayRef,
}

impl Model {
    /// Converts a scene, leaving its meshes empty. Omits triangles beyond [`MAX_TRIANGLES`] and adds a note.
    pub fn of(
        scene: &mut Scene,
        distances: Vec<MeshDistances>,
        arrays: &mut Arrays,
        notes: &mut Vec<String>,
    ) -> Model {
        let images = ImageTable::of(scene, arrays, notes);
        let mut remaining = MAX_TRIANGLES;
        let mut omitted = 0;
        let mut distances = distances.into_iter();
        let meshes = scene.meshes.iter_mut().map(|mesh| {
            let faces = triangle_faces(mesh);
            // Ignores losses: overlapping triangles of a polygon are drawn.
            let _ = mesh.triangulate();
            let mut data = mesh_data(mesh, faces, &mut remaining, &mut omitted, arrays);
            data.texture = images
                .texture(&mesh.material)
                .filter(|_| data.uvs.is_some());
            if let Some(MeshDistances { vertices, centers }) = distances.next() {
                let (indices, of_centers): (Vec<_>, Vec<_>) = centers.into_iter().unzip();
                data.distances = (!vertices.is_empty()).then(|| arrays.add_f32(&vertices));
                data.centers = (!indices.is_empty()).then(|| CentersData {
                    indices: arrays.add_u32(indices.as_flattened()),
                    distances: arrays.add_f32(&of_centers),
                });
            }
            *mesh = Mesh::default();
            data
        });
        let meshes = meshes.collect();
        if omitted > 0 {
            notes.push(format!(
                "{omitted} triangles are omitted: a page shows at most {MAX_TRIANGLES}"
            ));
        }
        let lods = scene.lods.iter();
        Model {
            meshes,
            images: images.list,
            lods: lods
                .map(|lod| LodData {
                    distance: lod.distance,
                    meshes: lod.meshes.clone(),
                })
                .collect(),
            joints: joint_data(scene),
            animations: scene
                .animations
                .iter()
                .map(|animation| animation_data(animation, arrays))
                .collect(),
            transform: scene.transform.map(|transform| transform.to_cols_array()),
        }
    }
}

/// Returns the face index of each triangle after triangulation; `None` if all faces are triangles.
fn triangle_faces(mesh: &Mesh) -> Option<Vec<u32>> {
    let corners = mesh.faces.corners.as_ref()?;
    let faces = corners.iter().enumerate();
    Some(
        faces
            .flat_map(|(face, count)| {
                std::iter::repeat_n(face as u32, count.saturating_sub(2) as usize)
            })
            .collect(),
    )
}

fn mesh_data(
    mesh: &mut Mesh,
    faces: Option<Vec<u32>>,
    remaining_triangles: &mut usize,
    omitted_triangles: &mut usize,
    arrays: &mut Arrays,
) -> MeshData {
    let vertices = mesh.positions.len();
    let mut indices = match mesh.faces.indices.take() {
        Some(indices) => indices.into_u32(),
        None => (0..vertices as u32).collect(),
    };
    let triangle_count = indices.len() / 3;
    let triangles = triangle_count.min(*remaining_triangles);
    indices.truncate(3 * triangles);
    *remaining_triangles -= triangles;
    *omitted_triangles += triangle_count - triangles;
    let skin = (!mesh.skins.is_empty()).then(|| Skin::strongest(&mesh.skins, vertices));
    let (joints, weights) = match skin {
        Some(skin) => (
            Some(arrays.add_u16(&joint_indices(&skin))),
            Some(arrays.add_bytes(weight_bytes(skin))),
        ),
        None => (None, None),
    };
    let normals = mesh
        .normals
        .take()
        .filter(|normals| normals.len() == vertices);
    // The checkerboard uses the UV set of the texture; without a texture, set 0.
    let uv_set = mesh
        .material
        .texture
        .as_ref()
        .map_or(0, |texture| texture.uv_set);
    let uvs = mesh
        .uvs
        .drain(..)
        .nth(uv_set)
        .filter(|uvs| uvs.len() == vertices);
    let colors = mesh
        .colors
        .drain(..)
        .next()
        .filter(|colors| colors.len() == vertices);
    MeshData {
        name: std::mem::take(&mut mesh.name),
        material: std::mem::take(&mut mesh.material.name),
        base_color: mesh.material.base_color,
        vertices,
        triangles,
        positions: arrays.add_f32(mesh.positions.as_flattened()),
        indices: arrays.add_u32(&indices),
        faces: faces.map(|faces| arrays.add_u32(&faces)),
        normals: normals
            .map(|normals| arrays.add_bytes(normals.into_iter().flat_map(normal_bytes).collect())),
        uvs: uvs.map(|uvs| arrays.add_f32(uvs.as_flattened())),
        uv_from_bottom: mesh.uv_origin == UvOrigin::BottomLeft,
        texture: None,
        colors: colors.map(|colors| arrays.add_bytes(colors.into_u8().0.into_flattened())),
        joints,
        weights,
        placements: mesh
            .placements
            .iter()
            .flat_map(|node| node.transforms())
            .map(|m| m.to_cols_array())
            .collect(),
        distances: None,
        centers: None,
    }
}

/// Converts a normal to three signed bytes, with 127 for 1, and a padding byte.
fn normal_bytes(normal: [f32; 3]) -> [u8; 4] {
    // Casts saturate, and convert NaN to 0.
    let [x, y, z] = normal.map(|component| ((component * 127.0).round() as i8) as u8);
    [x, y, z, 0]
}

/// Returns the joint indices of a skin, with 0 for unused influences, whose weight is 0.
fn joint_indices(skin: &Skin) -> Vec<u16> {
    let joints = skin.joints.as_flattened().iter();
    joints
        .map(|joint| if *joint == Skin::NONE { 0 } else { *joint })
        .collect()
}

fn weight_bytes(skin: Skin) -> Vec<u8> {
    match skin.weights {
        Weights::U8(weights) => weights.into_flattened(),
        Weights::F32(weights) => weights
            .as_flattened()
            .iter()
            .map(|weight| (weight * 255.0).round() as u8)
            .collect(),
    }
}

fn joint_data(scene: &Scene) -> Vec<JointData> {
    let skeleton = &scene.skeleton;
    let joints = skeleton.joints.iter().enumerate().map(|(index, joint)| {
        let rest = skeleton.rest_transform(index);
        JointData {
            name: joint.name.clone(),
            parent: joint.parent,
            inverse_bind: joint.inverse_bind.to_cols_array(),
            translation: rest.translation,
            rotation: rest.rotation,
            scale: rest.scale,
        }
    });
    joints.collect()
}

fn animation_data(animation: &Animation, arrays: &mut Arrays) -> AnimationData {
    let times = animation
        .times
        .iter()
        .map(|times| arrays.add_f32(times))
        .collect();
    let channels = animation.channels.iter().map(|channel| {
        let (property, values) = match &channel.samples {
            Samples::Translation(values) => ("translation", values.as_flattened()),
            Samples::Rotation(values) => ("rotation", values.as_flattened()),
            Samples::Scale(values) => ("scale", values.as_flattened()),
        };
        ChannelData {
            joint: channel.joint,
            times: channel.times,
            interpolation: match channel.interpolation {
                Interpolation::Step => "step",
                Interpolation::Linear => "linear",
                Interpolation::Normalized => "normalized",
            },
            property,
            values: arrays.add_f32(values),
        }
    });
    AnimationData {
        name: animation.name.clone(),
        rate: animation.rate,
        duration: animation.duration,
        looped: animation.looped,
        channels: channels.collect(),
        times,
    }
}
