//! The model of a page: a scene as typed arrays.

use meshspec::scene::{Animation, Interpolation, Mesh, Samples, Scene, Skin, UvOrigin, Weights};
use serde::Serialize;

use super::data::{ArrayRef, Arrays};
use super::distances::MeshDistances;
use super::images::{ImageData, Images, TextureData};

/// The maximum number of triangles of a page.
const MAX_TRIANGLES: usize = 4_000_000;

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
    /// The face of each triangle, if some faces are not triangles.
    faces: Option<ArrayRef>,
    normals: Option<ArrayRef>,
    uvs: Option<ArrayRef>,
    /// Whether (0, 0) is the bottom left of images.
    uv_from_bottom: bool,
    texture: Option<TextureData>,
    colors: Option<ArrayRef>,
    joints: Option<ArrayRef>,
    weights: Option<ArrayRef>,
    /// A column-major matrix for each copy of the mesh; empty for one untransformed copy.
    placements: Vec<[f64; 16]>,
    /// The distance of each vertex from the other file's model.
    distances: Option<ArrayRef>,
    centers: Option<CentersData>,
}

/// Triangles whose centres have separate distances.
#[derive(Serialize)]
struct CentersData {
    corners: ArrayRef,
    distances: ArrayRef,
}

#[derive(Serialize)]
struct LodData {
    /// In metres; `null` for infinity.
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
    times: usize,
    interpolation: &'static str,
    property: &'static str,
    values: ArrayRef,
}

impl Model {
    /// Splits a scene into arrays. Omits meshes beyond the triangle limit and adds a note.
    pub fn of(
        scene: &mut Scene,
        distances: Vec<MeshDistances>,
        arrays: &mut Arrays,
        notes: &mut Vec<String>,
    ) -> Model {
        let images = Images::of(scene, arrays, notes);
        let mut room = MAX_TRIANGLES;
        let mut omitted = 0;
        let mut distances = distances.into_iter();
        let meshes = scene.meshes.iter_mut().map(|mesh| {
            let faces = face_numbers(mesh);
            // Losses of overlapping polygons do not matter for a picture.
            let _ = mesh.triangulate();
            let mut data = mesh_data(mesh, faces, &mut room, &mut omitted, arrays);
            data.texture = images.texture(&mesh.material).filter(|_| data.uvs.is_some());
            if let Some(MeshDistances { vertices, centers }) = distances.next() {
                let (corners, of_centers): (Vec<_>, Vec<_>) = centers.into_iter().unzip();
                data.distances = (!vertices.is_empty()).then(|| arrays.floats(&vertices));
                data.centers = (!corners.is_empty()).then(|| CentersData {
                    corners: arrays.words(corners.as_flattened()),
                    distances: arrays.floats(&of_centers),
                });
            }
            *mesh = Mesh::default();
            data
        });
        let meshes = meshes.collect();
        if omitted > 0 {
            notes.push(format!("{omitted} triangles are omitted: a page shows at most {MAX_TRIANGLES}"));
        }
        let lods = scene.lods.iter();
        Model {
            meshes,
            images: images.all,
            lods: lods.map(|lod| LodData { distance: lod.distance, meshes: lod.meshes.clone() }).collect(),
            joints: joints(scene),
            animations: scene.animations.iter().map(|animation| animation_data(animation, arrays)).collect(),
            transform: scene.transform.map(|transform| transform.to_cols_array()),
        }
    }
}

/// Returns the face of each triangle after triangulation; `None` if all faces are triangles.
fn face_numbers(mesh: &Mesh) -> Option<Vec<u32>> {
    let corners = mesh.faces.corners.as_ref()?;
    let faces = corners.iter().enumerate();
    Some(
        faces
            .flat_map(|(face, count)| std::iter::repeat_n(face as u32, count.saturating_sub(2) as usize))
            .collect(),
    )
}

fn mesh_data(
    mesh: &mut Mesh,
    faces: Option<Vec<u32>>,
    room: &mut usize,
    omitted: &mut usize,
    arrays: &mut Arrays,
) -> MeshData {
    let vertices = mesh.positions.len();
    let mut indices = match mesh.faces.indices.take() {
        Some(indices) => indices.into_u32(),
        None => (0..vertices as u32).collect(),
    };
    let all = indices.len() / 3;
    let triangles = all.min(*room);
    indices.truncate(3 * triangles);
    *room -= triangles;
    *omitted += all - triangles;
    let skin = (!mesh.skins.is_empty()).then(|| Skin::strongest(&mesh.skins, vertices));
    let (joints, weights) = match skin {
        Some(skin) => (Some(arrays.halves(&joint_numbers(&skin))), Some(arrays.bytes(weight_bytes(skin)))),
        None => (None, None),
    };
    let normals = mesh.normals.take().filter(|normals| normals.len() == vertices);
    // The checkerboard uses the UV set of the texture.
    let uv_set = mesh.material.texture.as_ref().map_or(0, |texture| texture.uv_set);
    let uvs = mesh.uvs.drain(..).nth(uv_set).filter(|uvs| uvs.len() == vertices);
    let colors = mesh.colors.drain(..).next().filter(|colors| colors.len() == vertices);
    MeshData {
        name: std::mem::take(&mut mesh.name),
        material: std::mem::take(&mut mesh.material.name),
        base_color: mesh.material.base_color,
        vertices,
        triangles,
        positions: arrays.floats(mesh.positions.as_flattened()),
        indices: arrays.words(&indices),
        faces: faces.map(|faces| arrays.words(&faces)),
        normals: normals.map(|normals| arrays.bytes(normals.into_iter().flat_map(normal_bytes).collect())),
        uvs: uvs.map(|uvs| arrays.floats(uvs.as_flattened())),
        uv_from_bottom: mesh.uv_origin == UvOrigin::BottomLeft,
        texture: None,
        colors: colors.map(|colors| arrays.bytes(colors.into_u8().0.into_flattened())),
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

/// Converts a normal to signed bytes, 127 for 1, padded to four bytes.
fn normal_bytes(normal: [f32; 3]) -> [u8; 4] {
    // Casts saturate, and NaN becomes 0.
    let [x, y, z] = normal.map(|component| ((component * 127.0).round() as i8) as u8);
    [x, y, z, 0]
}

/// Returns the joint indices; unused influences have joint 0 and weight 0.
fn joint_numbers(skin: &Skin) -> Vec<u16> {
    let joints = skin.joints.as_flattened().iter();
    joints.map(|joint| if *joint == Skin::NONE { 0 } else { *joint }).collect()
}

fn weight_bytes(skin: Skin) -> Vec<u8> {
    match skin.weights {
        Weights::U8(weights) => weights.into_flattened(),
        Weights::F32(weights) => {
            weights.as_flattened().iter().map(|weight| (weight * 255.0).round() as u8).collect()
        }
    }
}

fn joints(scene: &Scene) -> Vec<JointData> {
    let skeleton = &scene.skeleton;
    let joints = skeleton.joints.iter().enumerate().map(|(index, joint)| {
        let rest = skeleton.rest(index);
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
    let times = animation.times.iter().map(|times| arrays.floats(times)).collect();
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
            values: arrays.floats(values),
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
