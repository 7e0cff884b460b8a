//! Converts MESH documents to and from scenes.

use std::collections::BTreeSet;

use glam::Mat4;

use super::document;
use super::schema::{self, Joint, NO_JOINT, Pose};
use super::skin;
use super::{Animation, Columns, Document, Vertices};
use crate::formats::scenes::utf8_loss;
use crate::scene::animation::sorted_times;
use crate::scene::repair::{PointNormals, repair_rotations};
use crate::scene::resampling::{Deviation, DeviationScale};
use crate::scene::{
    self, Capabilities, Channel, Conventions, Faces, FromScene, Interpolation, KeyframeFields,
    Mesh, MeshFields, Samples, Scene, SceneOptions, Skin, SourceFields, StridedList, ToScene,
    Transform, UvOrigin, Weights,
};
use crate::{Dialect, Error, Limit, Loss, Result, Text, path};

const CAPABILITIES: Capabilities = Capabilities {
    format: "MESH",
    normals: true,
    max_uv_sets: 1,
    max_skins: 1,
    skeleton: true,
    animations: true,
    ..Capabilities::POSITIONS
};

/// The source format of scenes read from MESH.
const SOURCE: &str = "mesh";

impl ToScene for Document {
    const CONVENTIONS: Conventions = Conventions {
        uv_origin: UvOrigin::BottomLeft,
        evidence: "X1: faces of real files agree with their normals; the unit is assumed",
        ..Conventions::GLTF
    };

    fn source_fields(&self) -> SourceFields {
        let joints = &self.joints;
        // The index of a scene joint is the id of its entry.
        let entry = |id: usize| {
            joints
                .iter()
                .position(|joint| usize::from(joint.id) == id)
                .unwrap_or(id)
        };
        let animations = self.animations.iter().enumerate();
        let animations =
            animations.map(|(index, animation)| keyframe_fields(index, animation, joints.len()));
        SourceFields {
            meshes: vec![MeshFields {
                vertices: vec![StridedList::single("vertices")],
                faces: vec![StridedList {
                    width: 3,
                    ..StridedList::single("indices")
                }],
            }],
            joints: (0..joints.len())
                .map(|id| format!("joints[{}]", entry(id)))
                .collect(),
            animations: animations.collect(),
        }
    }

    fn into_scene(self, options: &SceneOptions) -> Result<(Scene, Vec<Loss>)> {
        let mut losses = string_losses(&self);
        let animations = self.animations.iter().enumerate();
        let animations = animations.map(|(index, animation)| to_animation(&self, index, animation));
        let animations = animations.collect::<Result<_>>()?;
        // `animations` and `strings` were converted above; `dialect` has no scene counterpart.
        let Document {
            root_transform,
            vertices,
            indices,
            joints,
            dialect: _,
            animations: _,
            strings: _,
        } = self;
        let mut mesh = to_mesh(vertices, indices);
        mesh.fill_missing_positions("indices", &mut losses);
        let mut scene = Scene {
            skeleton: to_skeleton(&joints),
            animations,
            transform: root_transform.map(to_matrix),
            meshes: vec![mesh],
            ..Scene::default()
        };
        unbind_missing_joints(&mut scene, &mut losses);
        Self::CONVENTIONS.finish_scene(&mut scene, options, SOURCE);
        Ok((scene, losses))
    }
}

impl FromScene for Document {
    const NEEDS_NORMALS: bool = true;

    fn from_scene(mut scene: Scene, options: &SceneOptions) -> Result<(Document, Vec<Loss>)> {
        let conventions = options.conventions.unwrap_or(Self::CONVENTIONS);
        let dialect = options.dialect.unwrap_or_default();
        let is_renderlib = dialect == Dialect::RENDERLIB;
        let capabilities = Capabilities {
            transform: is_renderlib,
            ..CAPABILITIES
        };
        // In the specification's dialect, the transform becomes an additional joint.
        let joints =
            scene.skeleton.joints.len() + usize::from(scene.transform.is_some() && !is_renderlib);
        let mut losses = scene.repair_directions("MESH", PointNormals::Drop);
        let limited = scene.limit_joints(joints, skin::MAX_JOINTS, "MESH");
        let rebound = scene.bind_at_rest("MESH", |_| true);
        losses.extend(capabilities.restrict(&mut scene, conventions, options)?);
        losses.extend(limited.into_iter().chain(rebound));
        skin::add_missing_joints(&mut scene, &mut losses);
        if is_renderlib {
            drop_animation_names(&mut scene, &mut losses);
        }
        // The specification requires a name, which may be empty.
        let names = if is_renderlib {
            Vec::new()
        } else {
            distinct_names(&scene)
        };
        let root_transform =
            is_renderlib.then(|| scene.transform.map_or(super::IDENTITY, from_matrix));
        let joints = from_skeleton(&scene.skeleton)?;
        let animations = from_animations(&scene, &names, conventions.unit.into(), &mut losses)?;
        let strings = names.iter().map(String::as_str).collect();
        let mut document = Document {
            dialect,
            root_transform,
            joints,
            animations,
            strings,
            ..Document::default()
        };
        if let Some(mesh) = scene.meshes.into_iter().next() {
            (document.vertices, document.indices) = from_mesh(mesh, &mut losses)?;
        }
        Ok((document, losses))
    }
}

/// Returns the pose entries of each joint, repeated for its three channels: translation, rotation and scale. The
/// entries of a timestamp may be in any order.
fn keyframe_fields(index: usize, animation: &Animation, joints: usize) -> KeyframeFields {
    let mut entries = vec![Vec::new(); joints];
    for (index, pose) in animation.poses.iter().enumerate() {
        if let Some(joint) = entries.get_mut(pose.joint as usize) {
            joint.push(index as u32);
        }
    }
    let channels = entries
        .into_iter()
        .flat_map(|entries| std::iter::repeat_n(entries, 3))
        .collect();
    KeyframeFields {
        list: format!("animations[{index}].poses"),
        channels,
    }
}

/// Maximum number of unused strings listed individually. Others are counted: each byte of a file may be a string.
const MAX_LISTED: usize = 100;

/// Returns losses for strings that no animation uses as its name, and for names that are not UTF-8.
fn string_losses(document: &Document) -> Vec<Loss> {
    let names = document
        .animations
        .iter()
        .filter_map(|animation| animation.name);
    let names: BTreeSet<_> = names.map(|name| name as usize).collect();
    let unused = || {
        document
            .strings
            .iter()
            .enumerate()
            .filter(|(index, _)| !names.contains(index))
    };
    let listed = unused().take(MAX_LISTED).map(|(index, string)| {
        let loss = Loss::dropped(
            format!("strings[{index}]"),
            "string not used by an animation",
        );
        loss.with_detail(format_args!("\"{}\"", Text::from(string.to_vec())))
    });
    let mut losses: Vec<_> = listed.collect();
    let others = unused().skip(MAX_LISTED).count();
    let loss = Loss::dropped("strings", "more strings not used by animations");
    losses.extend(
        loss.with_count_of(others, document.strings.len(), "strings")
            .if_any(),
    );
    let renamed =
        |index: &usize| utf8_loss(format!("strings[{index}]"), &document.strings.get(*index)?);
    losses.extend(names.iter().filter_map(renamed));
    losses
}

fn to_mesh(vertices: Vertices, indices: Vec<u32>) -> Mesh {
    let Columns {
        positions,
        normals,
        uvs,
        joint_ids,
        joint_weights,
    } = vertices.to_columns();
    let skin = joint_ids.zip(joint_weights).map(|(ids, weights)| {
        let to_joint = |id| {
            if id == NO_JOINT {
                Skin::NONE
            } else {
                u16::from(id)
            }
        };
        Skin {
            joints: ids.into_iter().map(|ids| ids.map(to_joint)).collect(),
            weights: Weights::U8(weights),
        }
    });
    Mesh {
        positions,
        normals,
        uvs: uvs.into_iter().collect(),
        skins: skin.into_iter().collect(),
        faces: Faces::triangles(indices),
        ..Mesh::default()
    }
}

fn from_mesh(mesh: Mesh, losses: &mut Vec<Loss>) -> Result<(Vertices, Vec<u32>)> {
    let indices = mesh
        .faces
        .indices
        .map(scene::Indices::into_u32)
        .unwrap_or_default();
    let mut columns = Columns {
        positions: mesh.positions,
        normals: mesh.normals,
        ..Columns::default()
    };
    columns.uvs = mesh.uvs.into_iter().next();
    let skin = mesh
        .skins
        .into_iter()
        .next()
        .map(|skin| skin::from_skin(skin, losses))
        .transpose()?;
    (columns.joint_ids, columns.joint_weights) = skin.unzip();
    Ok((Vertices::from_columns(&columns)?, indices))
}

/// Unbinds vertices from missing joints. Keeps the joint numbers if there is no skeleton.
fn unbind_missing_joints(scene: &mut Scene, losses: &mut Vec<Loss>) {
    let count = scene.skeleton.joints.len();
    let skins = scene
        .meshes
        .iter_mut()
        .flat_map(|mesh| &mut mesh.skins)
        .filter(|_| count > 0);
    let joints = skins.flat_map(|skin| skin.joints.as_flattened_mut());
    let (mut missing, mut influences) = (0, 0);
    joints.for_each(|joint| {
        influences += usize::from(*joint != Skin::NONE);
        let is_kept = *joint == Skin::NONE || usize::from(*joint) < count;
        *joint = if is_kept { *joint } else { Skin::NONE };
        missing += usize::from(!is_kept);
    });
    let loss = Loss::dropped(
        "vertices.joint_ids",
        "influences of joints that the skeleton lacks",
    );
    losses.extend(
        loss.with_count_of(missing, influences, "influences")
            .if_any(),
    );
}

/// Converts the joints. The index of each joint in the skeleton is its id.
fn to_skeleton(joints: &[Joint]) -> scene::Skeleton {
    let to_id = |entry: usize| {
        joints
            .get(entry)
            .map_or(entry, |joint| usize::from(joint.id))
    };
    let parents_are_ids = document::parents_are_ids(joints);
    let mut ordered = vec![scene::Joint::default(); joints.len()];
    for joint @ Joint {
        id,
        parent: _,
        transform,
    } in joints
    {
        let parent = joint.parent_entry();
        if let Some(slot) = ordered.get_mut(usize::from(*id)) {
            slot.parent = parent.map(|parent| {
                if parents_are_ids {
                    parent
                } else {
                    to_id(parent)
                }
            });
            slot.inverse_bind = to_matrix(*transform);
        }
    }
    scene::Skeleton { joints: ordered }
}

fn to_animation(
    document: &Document,
    index: usize,
    animation: &Animation,
) -> Result<scene::Animation> {
    let Animation {
        name: _,
        duration,
        speed,
        timestamps,
        poses: _,
    } = animation;
    let mut tracks = vec![(Vec::new(), Vec::new(), Vec::new()); document.joints.len()];
    for timestamp in 0..timestamps.len() {
        let poses = document
            .skeleton_pose(animation, timestamp)
            .ok_or_else(|| {
                let message = "expected one pose per joint and timestamp";
                Error::malformed(message)
                    .at(path!(animations[index].poses))
                    .in_format(schema::NAME)
            })?;
        for (pose, (translations, rotations, scales)) in poses.iter().zip(&mut tracks) {
            let [w, x, y, z] = pose.rotation;
            translations.push(pose.position);
            rotations.push([x, y, z, w]);
            scales.push(pose.scale);
        }
    }
    let channels =
        tracks
            .into_iter()
            .enumerate()
            .flat_map(|(joint, (translations, rotations, scales))| {
                [
                    Samples::Translation(translations),
                    Samples::Rotation(rotations),
                    Samples::Scale(scales),
                ]
                .map(|samples| Channel {
                    joint,
                    times: 0,
                    interpolation: Interpolation::Linear,
                    samples,
                })
            });
    Ok(scene::Animation {
        name: document
            .animation_name(animation)
            .map(|name| name.to_string())
            .unwrap_or_default(),
        rate: *speed,
        duration: *duration,
        looped: false,
        channels: channels.collect(),
        times: vec![timestamps.clone()],
    })
}

fn from_skeleton(skeleton: &scene::Skeleton) -> Result<Vec<Joint>> {
    let joints = &skeleton.joints;
    if joints.len() > skin::MAX_JOINTS {
        let message = format!(
            "{} joints, but MESH allows at most {}",
            joints.len(),
            skin::MAX_JOINTS
        );
        return Err(Error::inexpressible(message)
            .at(path!(skeleton.joints))
            .in_format(schema::NAME));
    }
    // All ids fit in 8 bits, because the number of joints was checked above.
    let to_joint = |(id, joint): (usize, &scene::Joint)| Joint {
        id: id as u8,
        parent: joint.parent.map_or(NO_JOINT, |parent| parent as u8),
        transform: from_matrix(joint.inverse_bind),
    };
    Ok(joints.iter().enumerate().map(to_joint).collect())
}

/// An animation with up to this number of poses is always allowed.
const MAX_POSES: usize = 1 << 24;

/// An animation with up to this number of poses per sample is always allowed.
const POSES_PER_SAMPLE: usize = 16;

/// Converts the animations. `unit` is the length of a unit in metres.
fn from_animations(
    scene: &Scene,
    names: &[String],
    unit: f64,
    losses: &mut Vec<Loss>,
) -> Result<Vec<Animation>> {
    let animations = scene
        .animations
        .iter()
        .enumerate()
        .map(|(index, animation)| {
            let timestamps = merged_times(animation);
            let samples: usize = animation
                .channels
                .iter()
                .map(|channel| channel.samples.len())
                .sum();
            let poses = timestamps.len().saturating_mul(scene.skeleton.joints.len());
            if poses > MAX_POSES.max(samples.saturating_mul(POSES_PER_SAMPLE)) {
                let times = timestamps.len();
                let message =
                    format!("{samples} samples at {times} times would become {poses} poses");
                let error =
                    Error::limit_exceeded(Limit::Fixed, message).at(path!(animations[index]));
                return Err(error.in_format(schema::NAME));
            }
            if animation.looped {
                let path = format!("animations[{index}].looped");
                losses.push(Loss::dropped(path, "MESH has no looped animations"));
            }
            losses.extend(resampling_losses(scene, index, &timestamps, unit));
            let mut poses = animation.poses(&scene.skeleton, &timestamps);
            normalize_rotations(scene, index, &mut poses, losses);
            let joints = (0..scene.skeleton.joints.len() as u32).cycle();
            let poses = joints
                .zip(poses)
                .map(|(joint, pose)| from_transform(joint, pose));
            Ok(Animation {
                name: names
                    .iter()
                    .position(|name| *name == animation.name)
                    .map(|name| name as u32),
                duration: animation.duration,
                speed: animation.rate,
                poses: poses.collect(),
                timestamps,
            })
        });
    animations.collect()
}

/// Normalises the rotations of an animation, unless the scene was read from MESH, which stores them as they are.
fn normalize_rotations(
    scene: &Scene,
    index: usize,
    poses: &mut [Transform],
    losses: &mut Vec<Loss>,
) {
    if scene
        .source
        .as_ref()
        .is_some_and(|source| source.format == SOURCE)
    {
        return;
    }
    let mut rotations: Vec<_> = poses.iter().map(|pose| pose.rotation).collect();
    repair_rotations(
        &mut rotations,
        &format!("animations[{index}].channels.rotation"),
        losses,
    );
    for (pose, rotation) in poses.iter_mut().zip(rotations) {
        pose.rotation = rotation;
    }
}

/// Returns the losses from resampling all channels of animation `index` at `timestamps`. `unit` is the length of a unit
/// in metres.
fn resampling_losses(scene: &Scene, index: usize, timestamps: &[f32], unit: f64) -> Vec<Loss> {
    let animation = &scene.animations[index];
    // A channel with one sample is constant, so it loses nothing.
    let varying = animation
        .channels
        .iter()
        .filter(|channel| channel.samples.len() > 1);
    let varying =
        varying.filter_map(|channel| Some((channel, &**animation.times.get(channel.times)?)));
    let kept = (timestamps, Interpolation::Linear);
    let mut resampled = varying
        .filter(|(channel, times)| (*times, channel.interpolation) != kept)
        .peekable();
    if resampled.peek().is_none() {
        return Vec::new();
    }
    let period = animation.looped.then_some(animation.duration);
    let mut deviation = Deviation::default();
    for (channel, times) in resampled {
        let samples = channel.resample(times, timestamps, period);
        let after = Channel {
            samples,
            interpolation: Interpolation::Linear,
            ..channel.clone()
        };
        deviation.compare((channel, times, period), (&after, timestamps, None));
    }
    let message = "MESH stores one list of times for all joints; channels were resampled linearly";
    deviation.to_losses(
        index,
        message,
        DeviationScale {
            unit,
            size: scene.size_at_rest(),
        },
    )
}

fn drop_animation_names(scene: &mut Scene, losses: &mut Vec<Loss>) {
    for (index, animation) in scene.animations.iter_mut().enumerate() {
        let name = std::mem::take(&mut animation.name);
        if !name.is_empty() {
            let path = format!("animations[{index}].name");
            let loss = Loss::dropped(path, "the renderlib dialect has no names");
            losses.push(loss.with_detail(format_args!("\"{name}\"")));
        }
    }
}

/// Returns the distinct names of the animations, in order of first occurrence.
fn distinct_names(scene: &Scene) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for animation in &scene.animations {
        if !names.contains(&animation.name) {
            names.push(animation.name.clone());
        }
    }
    names
}

/// Returns the sorted, distinct times of all channels. For step channels, includes the largest float below the time
/// of each step, at which the previous value is repeated.
fn merged_times(animation: &scene::Animation) -> Vec<f32> {
    let is_step = |c: &&Channel| c.interpolation == Interpolation::Step && c.samples.len() > 1;
    let steps = animation.channels.iter().filter(is_step);
    let steps = steps
        .filter_map(|channel| animation.times.get(channel.times)?.get(1..))
        .flatten();
    let mut before = steps.map(|time| time.next_down()).peekable();
    if let ([times], None) = (&*animation.times, before.peek()) {
        return times.clone();
    }
    sorted_times(animation.times.iter().flatten().copied().chain(before))
}

fn from_transform(joint: u32, transform: Transform) -> Pose {
    let [x, y, z, w] = transform.rotation;
    Pose {
        joint,
        position: transform.translation,
        rotation: [w, x, y, z],
        scale: transform.scale,
    }
}

/// Converts the rows of a matrix in the file.
fn to_matrix(rows: [[f32; 4]; 4]) -> Mat4 {
    Mat4::from_cols_array_2d(&rows).transpose()
}

fn from_matrix(matrix: Mat4) -> [[f32; 4]; 4] {
    matrix.transpose().to_cols_array_2d()
}
