//! The decoded contents of a document.

use super::schema;
use glam::{DMat4, DVec3, Mat4};

use super::document::blended_bones;
use super::{
    Animation, Bone, Document, FloatChannels, LodDef, Mesh, PackedVertex, Pose, Transform,
};
use crate::Dialect;
use crate::contents::{
    self, Array, Blend, Contents, Keys, Lod, Numbers, PoseBudget, Skeleton, SkinnedPositions,
    sampled_frames,
};

/// The relative tolerance of values computed in 32-bit floats.
const ROUNDING: f32 = 1e-6;

/// The minimum length of an interpolated quaternion whose direction is defined despite rounding.
const MIN_LENGTH: f64 = 1e-3;

pub(super) fn contents(document: &Document) -> Contents<'static> {
    Contents {
        meshes: document.meshes.iter().map(mesh).collect(),
        lods: document.lods.iter().map(lod).collect(),
        skeleton: (!document.bones.is_empty()).then(|| skeleton(document)),
        animations: document.animations.iter().map(animation).collect(),
        poses: poses(document),
        ..Contents::new(schema::NAME, Dialect::SPEC)
    }
}

fn mesh(source: &Mesh) -> contents::Mesh {
    let columns = source.vertices.columns();
    let mut mesh = contents::Mesh::new(columns.positions.len());
    mesh.material.clone_from(&source.material);
    mesh.add_attribute("position", Array::from_rows(columns.positions));
    let is_derived = |vertex| matches!(vertex, PackedVertex::Textured64(_));
    let tolerance = source
        .vertices
        .packed_items()
        .any(is_derived)
        .then_some(ROUNDING);
    mesh.add_attribute(
        "normal",
        Array {
            tolerance,
            ..Array::from_rows(columns.normals)
        },
    );
    mesh.add_attribute("uv_0", Array::from_rows(columns.st));
    let shades: Vec<_> = source.vertices.iter().map(|vertex| vertex.color).collect();
    if shades.iter().any(Option::is_some) {
        mesh.add_attribute("shade", Numbers::OptionalU8(shades).into());
    }
    mesh.add_attribute("joints", Numbers::U8(columns.bones).into());
    let (mut indices, mut sizes) = (Vec::new(), Vec::new());
    for face in source.faces.iter() {
        indices.extend_from_slice(face.vertices());
        sizes.push(face.vertices().len() as u8);
    }
    mesh.indices = Some(Numbers::U32(indices).into());
    if source.faces.counts().quads > 0 {
        mesh.face_sizes = Some(Numbers::U8(sizes).into());
    }
    mesh
}

fn lod(lod: &LodDef) -> Lod {
    Lod {
        first_mesh: lod.id_mesh.into(),
        mesh_count: lod.n_mesh.into(),
        scale: Array::from_number(lod.ld_sc.value()),
    }
}

fn skeleton(document: &Document) -> Skeleton {
    let bones = &document.bones;
    let is_root = |(index, bone): &(usize, &Bone)| *index == 0 || bone.is_pseudo();
    let parent = |bone: (usize, &Bone)| {
        if is_root(&bone) {
            -1
        } else {
            bone.1.id_parent.into()
        }
    };
    let rest = || {
        document
            .normal_bones()
            .iter()
            .filter_map(|bone| match bone.transform {
                Transform::Bone(transform) => Some(transform),
                Transform::Pseudo(_) => None,
            })
    };
    let rotations = Array::from_rows(rest().map(|transform| transform.unit_rotation()).collect());
    let blends = bones
        .iter()
        .enumerate()
        .filter_map(|(index, bone)| match bone.transform {
            Transform::Bone(_) => None,
            Transform::Pseudo(pseudo) => Some(Blend {
                joint: index as u32,
                joints: Numbers::U8(pseudo.bones().to_vec()).into(),
                weights: Numbers::F32(pseudo.weights().to_vec()).into(),
            }),
        });
    Skeleton {
        names: Some(bones.iter().map(|bone| bone.name.clone()).collect()),
        translations: Some(Array::from_rows(
            rest().map(|transform| transform.origin().value()).collect(),
        )),
        rotations: Some(rotations.with_tolerance(ROUNDING)),
        blends: blends.collect(),
        solids: Some(Numbers::U8(bones.iter().map(|bone| bone.id_solid).collect()).into()),
        ..Skeleton::new(bones.iter().enumerate().map(parent).collect())
    }
}

/// Returns the keys of one channel of all joints; `None` if there are none.
fn keys<const N: usize>(
    joints: &[FloatChannels],
    channel: impl Fn(&FloatChannels) -> &[(u32, [f32; N])],
    tolerance: Option<f32>,
) -> Option<Keys> {
    let keys = joints.iter().enumerate().flat_map(|(joint, channels)| {
        channel(channels)
            .iter()
            .map(move |(frame, value)| (joint as u32, *frame, *value))
    });
    let (joints, frames, values): (_, _, Vec<[f32; N]>) = keys.collect();
    Keys::new(
        joints,
        frames,
        Array {
            tolerance,
            ..Array::from_rows(values)
        },
    )
}

fn animation(animation: &Animation) -> contents::Animation {
    let joints: Vec<_> = animation
        .tracks
        .iter()
        .map(|track| track.channels().to_floats())
        .collect();
    contents::Animation {
        name: animation.name.clone(),
        frames: animation.n_frames.into(),
        rate: Some(Array::from_number(animation.fl_hz.hz())),
        is_loop: Some(!animation.fl_hz.no_loop()),
        translations: keys(&joints, |channels| &channels.translations, None),
        rotations: keys(&joints, |channels| &channels.rotations, Some(ROUNDING)),
        scales: keys(&joints, |channels| &channels.scales, None),
        ..contents::Animation::default()
    }
}

/// Returns the absolute tolerance for vectors interpolated between `vectors`.
fn interpolation_tolerance(vectors: impl Iterator<Item = [f32; 3]>) -> f32 {
    ROUNDING
        * vectors.flatten().fold(1.0, |largest: f32, coordinate| {
            largest.max(coordinate.abs())
        })
}

/// Returns the rest pose and up to three poses of each animation, until the budget is spent. Empty without bones.
fn poses(document: &Document) -> Vec<contents::Pose> {
    if document.bones.is_empty() {
        return Vec::new();
    }
    let vertices: usize = document.meshes.iter().map(|mesh| mesh.vertices.len()).sum();
    let mut budget = PoseBudget::new(vertices + document.bones.len());
    let mut poses = Vec::new();
    if budget.take_pose() {
        poses.push(contents::Pose::at_rest(skinned_positions(
            document,
            &Pose::default(),
            ROUNDING,
        )));
    }
    for (index, animation) in document.animations.iter().enumerate() {
        let keys = || animation.tracks.iter().flat_map(|track| track.keys());
        let translation =
            interpolation_tolerance(keys().filter_map(|key| Some(key.translation?.value())));
        let scale = interpolation_tolerance(keys().filter_map(|key| Some(key.scale?.value())));
        for frame in sampled_frames(animation.n_frames.into()) {
            if !budget.take_pose() {
                return poses;
            }
            let (mut pose, lengths) = animation.pose_and_lengths(frame as f32);
            let short = pose
                .bones
                .iter_mut()
                .zip(&lengths)
                .filter(|(_, length)| **length < MIN_LENGTH);
            short.for_each(|(motion, _)| motion.rotation = [f32::NAN; 4]);
            // Normalising a short quaternion multiplies its rounding error.
            let shortest = lengths
                .into_iter()
                .filter(|length| *length >= MIN_LENGTH)
                .fold(1.0, f64::min);
            let rotation = ROUNDING / shortest as f32;
            let motions = || pose.bones.iter();
            let translations =
                Array::from_rows(motions().map(|motion| motion.translation).collect());
            let rotations = Array::from_rows(motions().map(|motion| motion.rotation).collect());
            let scales = Array::from_rows(motions().map(|motion| motion.scale).collect());
            poses.push(contents::Pose {
                animation: Some(index),
                frame: Some(frame),
                translations: Some(translations.with_tolerance(translation)),
                rotations: Some(rotations.with_tolerance(rotation)),
                scales: Some(scales.with_tolerance(scale)),
                ..contents::Pose::at_rest(skinned_positions(document, &pose, rotation))
            });
        }
    }
    poses
}

/// Returns the positions of each mesh in model space, skinned with the pose. `rotation` is the tolerance of
/// rotations. Positions are undefined if they depend on an undefined rotation or on a pseudo-bone whose weights add up
/// to 0, or if their bone is missing.
fn skinned_positions(document: &Document, pose: &Pose, rotation: f32) -> Vec<Array> {
    let matrices = pose.matrices_or(&document.bones, Mat4::NAN).into_iter();
    let matrices: Vec<_> = matrices
        .map(|matrix| matrix.map(|column| column.map(f64::from)))
        .collect();
    let origins = matrices.iter().flat_map(|[.., [x, y, z, _]]| [x, y, z]);
    let largest_coordinate = origins.fold(0.0, |largest: f64, coordinate| {
        largest.max(coordinate.abs())
    });
    let bounds = matrix_bounds(&document.bones, &matrices);
    let mesh = |mesh: &Mesh| {
        let mut skinned = SkinnedPositions::default();
        skinned.allow_deviation(rotation.into());
        let mut largest_term = largest_coordinate;
        for vertex in mesh.vertices.iter() {
            let bone = usize::from(vertex.bone);
            skinned.add_vertex(vertex.position, matrices.get(bone).copied());
            if let Some(bound) = bounds.get(bone) {
                let position = DVec3::from(
                    vertex
                        .position
                        .map(|coordinate| f64::from(coordinate.abs())),
                );
                let term = bound.transform_point3(position).max_element();
                largest_term = if term.is_finite() {
                    largest_term.max(term)
                } else {
                    largest_term
                };
            }
        }
        skinned.into_array(largest_term)
    };
    document.meshes.iter().map(mesh).collect()
}

/// Returns the absolute values of each matrix; for a pseudo-bone, the weighted sum over the bones that it blends.
/// Opposite rotations and weights cancel in the matrix of a pseudo-bone, but their rounding errors do not.
fn matrix_bounds(bones: &[Bone], matrices: &[[[f64; 4]; 4]]) -> Vec<DMat4> {
    let mut bounds: Vec<DMat4> = Vec::with_capacity(bones.len());
    for (bone, matrix) in bones.iter().zip(matrices) {
        bounds.push(match bone.transform {
            // Bone 0 is the model itself, even if it is declared as a pseudo-bone.
            Transform::Pseudo(pseudo) if !bounds.is_empty() => {
                let total: f32 = blended_bones(&bounds, pseudo)
                    .map(|(_, weight)| weight)
                    .sum();
                let terms = blended_bones(&bounds, pseudo)
                    .map(|(bound, weight)| *bound * f64::from(weight / total).abs());
                terms.fold(DMat4::ZERO, |sum, term| sum + term)
            }
            _ => DMat4::from_cols_array_2d(&matrix.map(|column| column.map(f64::abs))),
        });
    }
    bounds
}
