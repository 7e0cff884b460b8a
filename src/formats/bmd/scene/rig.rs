//! Converts between BMD skeletons and scene joints, and moves vertices between bone space and model space.
//!
//! The normal bones become joints, in order, followed by the [parts](Part) of pseudo-bones.

use glam::{Mat3, Mat4, Vec3};
use serde_json::Value;

use super::super::schema::BoneTransform;
use super::super::{Attributes, Bone, Pose, Rotation, Transform, Triple};
use super::pseudo::{self, PART, Part, is_part};
use crate::scene::skin::{influences, needs_normalizing, slots};
use crate::scene::{self, Extras, Scene, Skeleton, Skin, Weights};
use crate::{Error, Loss, LossKind, Quantity, Result, Text, path};

/// The joint extra for the mesh index of the bone's solid.
const SOLID: &str = "bmd_solid";

/// The mapping between the joints of a scene and bones.
pub struct Rig {
    /// The bind matrix of each bone, from bone space to model space.
    matrices: Vec<Mat4>,
    /// The joints that represent each bone.
    parts: Vec<Vec<Part>>,
    /// The bone index of each joint. Joints that are parts of a pseudo-bone map to that pseudo-bone.
    bones: Vec<u8>,
}

impl Rig {
    /// Maps `bones` to joints. Adds a loss for each pseudo-bone that blends more than four normal bones.
    pub fn from_bones(bones: &[Bone], losses: &mut Vec<Loss>) -> Rig {
        let mut rig = Rig {
            matrices: bind_matrices(bones),
            parts: Vec::new(),
            bones: Vec::new(),
        };
        let normal_count = bones.iter().filter(|bone| !bone.is_pseudo()).count();
        let mut joints = (0..normal_count).map(|joint| joint as u16);
        let mut part_joints = (normal_count..).map(|joint| joint as u16);
        let whole_bone = |joint| Part {
            joint,
            follows: joint,
            weight: 1.0,
        };
        for (index, bone) in bones.iter().enumerate() {
            let parts = match bone.transform {
                Transform::Bone(_) => joints.by_ref().take(1).map(whole_bone).collect(),
                Transform::Pseudo(pseudo) => {
                    let (followed, dropped) = pseudo::normal_bone_weights(pseudo, &rig.parts);
                    if dropped > 0.0 {
                        let message = "a vertex has at most four joints; only the largest weights of the pseudo-bone were kept";
                        let path = format!("bones[{index}].pseudo");
                        losses.push(Loss::quantized(
                            path,
                            message,
                            Quantity::WEIGHTS,
                            dropped.next_up(),
                        ));
                    }
                    let parts = followed.into_iter().zip(part_joints.by_ref());
                    parts
                        .map(|((follows, weight), joint)| Part {
                            joint,
                            follows,
                            weight,
                        })
                        .collect()
                }
            };
            rig.parts.push(parts);
        }
        rig
    }

    /// Returns the parts of a bone; an empty slice if the bone does not exist.
    fn parts_of(&self, bone: usize) -> &[Part] {
        self.parts.get(bone).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns `true` if the bone exists. Bone 0 always exists.
    pub fn has_bone(&self, bone: u8) -> bool {
        usize::from(bone) < self.matrices.len().max(1)
    }

    /// Returns the joints as a scene skeleton.
    pub fn skeleton(&self, bones: &[Bone]) -> Skeleton {
        let numbered = || bones.iter().enumerate().zip(&self.matrices);
        let normal = numbered().filter_map(|((index, bone), matrix)| {
            let Transform::Bone(base) = bone.transform else {
                return None;
            };
            let rest = scene::Transform {
                translation: base.origin().value(),
                rotation: base.unit_rotation(),
                ..Default::default()
            };
            let mut extras = Extras::new();
            if bone.id_solid != 0 {
                extras.insert(SOLID.to_owned(), bone.id_solid.into());
            }
            Some(scene::Joint {
                name: bone.name.as_ref().map(Text::to_string).unwrap_or_default(),
                parent: (index > 0).then_some(bone.id_parent.into()),
                inverse_bind: matrix.inverse(),
                // Bone 0 is the model itself (B20).
                rest: Some(if index == 0 { Default::default() } else { rest }),
                extras,
            })
        });
        let parts = numbered().filter_map(|((index, bone), matrix)| match bone.transform {
            Transform::Pseudo(pseudo) => Some((index, bone, pseudo, matrix.inverse())),
            Transform::Bone(_) => None,
        });
        let first_joint = |bone: u8| {
            self.parts_of(bone.into())
                .first()
                .map_or(0, |part| part.joint)
        };
        let parts = parts.flat_map(|(index, bone, pseudo, inverse_bind)| {
            self.parts_of(index)
                .iter()
                .enumerate()
                .map(move |(slot, part)| {
                    let extra = pseudo::part_extra(index, slot, bone, pseudo, first_joint);
                    scene::Joint {
                        name: String::new(),
                        parent: Some(part.follows.into()),
                        inverse_bind,
                        rest: Some(Default::default()),
                        extras: [(PART.to_owned(), extra)].into_iter().collect(),
                    }
                })
        });
        Skeleton {
            joints: normal.chain(parts).collect(),
        }
    }

    /// Transforms vertices from bone space to model space.
    pub fn to_model_space(
        &self,
        bones: &[u8],
        positions: &mut [[f32; 3]],
        normals: &mut [[f32; 3]],
    ) {
        for ((bone, position), normal) in bones.iter().zip(positions).zip(normals) {
            if let Some(matrix) = self.matrices.get(usize::from(*bone)) {
                *position = matrix.transform_point3(Vec3::from(*position)).into();
                *normal = matrix.transform_vector3(Vec3::from(*normal)).into();
            }
        }
    }

    /// Transforms vertices from model space to bone space.
    pub fn to_bone_space(&self, attributes: &mut Attributes) {
        let Some(bones) = &attributes.bones else {
            return;
        };
        let inverses: Vec<Mat4> = self.matrices.iter().map(Mat4::inverse).collect();
        let inverse = |bone: u16| inverses.get(usize::from(bone));
        for (bone, position) in bones.iter().zip(&mut attributes.positions) {
            if let Some(matrix) = inverse(*bone) {
                *position = matrix.transform_point3(Vec3::from(*position)).into();
            }
        }
        for (bone, normal) in bones.iter().zip(attributes.normals.iter_mut().flatten()) {
            if let Some(matrix) = inverse(*bone) {
                *normal = (Mat3::from_mat4(*matrix) * Vec3::from(*normal)).into();
            }
        }
    }

    /// Returns the skin of a mesh, from the bone of each vertex.
    pub fn skin(&self, bones: &[u8]) -> Skin {
        let slot = |bone: &u8, slot: usize| {
            self.parts_of((*bone).into())
                .get(slot)
                .map_or((Skin::NONE, 0.0), |p| (p.joint, p.weight))
        };
        if bones
            .iter()
            .all(|bone| self.parts_of((*bone).into()).len() <= 1)
        {
            return Skin::rigid(bones.iter().map(|bone| slot(bone, 0).0));
        }
        let joints = bones
            .iter()
            .map(|bone| std::array::from_fn(|index| slot(bone, index).0))
            .collect();
        let weights = bones
            .iter()
            .map(|bone| std::array::from_fn(|index| slot(bone, index).1))
            .collect();
        Skin {
            joints,
            weights: Weights::F32(weights),
        }
    }

    /// Returns the bone of a joint; `None` if the joint does not exist.
    pub fn bone_of(&self, joint: usize) -> Option<usize> {
        self.bones.get(joint).copied().map(usize::from)
    }

    /// Returns the bone of each vertex, by its largest weight; 0 without weights. Reports the lost weights.
    pub fn bones_of(&self, skin: &Skin, mesh: usize, losses: &mut Vec<Loss>) -> Vec<u16> {
        let (mut vertices, mut largest_loss, mut normalized, mut unbound) = (0, 0.0_f64, 0, 0);
        let bones = (0..skin.len()).map(|vertex| {
            let influences = influences(std::slice::from_ref(skin), vertex);
            let Some(bone) = influences
                .first()
                .and_then(|(joint, _)| self.bone_of((*joint).into()))
            else {
                unbound += 1;
                return 0;
            };
            let given =
                slots(std::slice::from_ref(skin), vertex).filter(|(joint, _)| *joint != Skin::NONE);
            normalized += usize::from(needs_normalizing(given.map(|(_, weight)| weight)));
            let others = influences
                .iter()
                .filter(|(joint, _)| self.bone_of((*joint).into()) != Some(bone));
            let lost: f64 = others.map(|(_, weight)| f64::from(*weight)).sum();
            if lost > 0.0 {
                vertices += 1;
                let total: f64 = influences
                    .iter()
                    .map(|(_, weight)| f64::from(*weight))
                    .sum();
                // Weights stored as bytes add up to slightly more than 1.
                largest_loss = largest_loss.max(lost / total.min(1.0));
            }
            bone as u16
        });
        let bones: Vec<u16> = bones.collect();
        let path = format!("meshes[{mesh}].skins[0]");
        // A bone 0 that is none of the joints was added, and does not move. A mesh without other bones has no skin.
        if self.bones.contains(&0) && bones.iter().any(|bone| *bone != 0) {
            let loss = Loss::changed(
                path.clone(),
                "vertices without weights were bound to joint 0",
            );
            losses.extend(loss.with_count_of(unbound, skin.len(), "vertices").if_any());
        }
        let loss = Loss::changed(path, "weights were normalised to a sum of 1");
        losses.extend(
            loss.with_count_of(normalized, skin.len(), "vertices")
                .if_any(),
        );
        if vertices > 0 {
            let message = "BMD stores one bone per vertex; only the largest weight was kept";
            let path = format!("meshes[{mesh}].skins[0]");
            let loss = Loss::quantized(path, message, Quantity::WEIGHTS, largest_loss);
            losses.push(loss.with_count_of(vertices, skin.len(), "vertices"));
        }
        bones
    }

    /// Builds bones from the joints of a scene. `extras` are the extras removed by [`take_extras`].
    /// `unit` is the length of a unit in metres.
    pub fn build(
        scene: &Scene,
        extras: &[Extras],
        unit: f64,
        losses: &mut Vec<Loss>,
    ) -> Result<(Rig, Vec<Bone>)> {
        let joints = &scene.skeleton.joints;
        let mut order = parents_first(&scene.skeleton);
        order.retain(|joint| !extras.get(*joint).is_some_and(is_part));
        let mut bones = Vec::new();
        if !joints.is_empty() && !first_joint_can_be_base(scene, &order) {
            bones.push(Bone::default());
            let message =
                "BMD uses bone 0 for the model itself; it was added before the other bones";
            losses.push(Loss::new(LossKind::Changed, "skeleton.joints", message));
        }
        if order.windows(2).any(|pair| pair[0] > pair[1]) {
            let message = "reordered so that parents come before their children";
            losses.push(Loss::new(LossKind::Changed, "skeleton.joints", message));
        }
        let mut rig = Rig {
            matrices: Vec::new(),
            parts: Vec::new(),
            bones: vec![0; joints.len()],
        };
        let mut errors = (0.0_f64, 0.0_f64);
        for joint in order {
            let at = |error: Error| error.at(path!(skeleton.joints[joint]));
            rig.bones[joint] = to_bone_index(bones.len()).map_err(at)?;
            let scene::Joint { name, parent, .. } = &joints[joint];
            let mut bone = Bone {
                name: (!name.is_empty()).then(|| Text::from(&**name)),
                id_parent: parent
                    .and_then(|parent| rig.bones.get(parent).copied())
                    .unwrap_or(0),
                id_solid: parse_solid(
                    extras.get(joint).and_then(|extras| extras.get(SOLID)),
                    joint,
                    losses,
                ),
                ..Bone::default()
            };
            if !bones.is_empty() {
                bone.transform = pack_bind_pose(scene, joint, &mut errors, losses).map_err(at)?;
            }
            bones.push(bone);
        }
        add_pseudo_bones(&mut rig, &mut bones, extras, losses)?;
        report_errors(errors, scene, unit, losses);
        rig.matrices = bind_matrices(&bones);
        Ok((rig, bones))
    }
}

/// Returns the bind matrix of each bone, from bone space to model space.
fn bind_matrices(bones: &[Bone]) -> Vec<Mat4> {
    Pose::default()
        .matrices(bones)
        .iter()
        .map(Mat4::from_cols_array_2d)
        .collect()
}

fn to_bone_index(bone: usize) -> Result<u8> {
    let message = "more than 255 bones including pseudo-bones, the maximum of BMD";
    u8::try_from(bone)
        .ok()
        .filter(|bone| *bone != Bone::PSEUDO)
        .ok_or_else(|| Error::inexpressible(message))
}

/// Returns the joint that becomes bone 0; `None` if no joint can.
pub fn base_joint(scene: &Scene) -> Option<usize> {
    let order = parents_first(&scene.skeleton);
    order
        .first()
        .copied()
        .filter(|_| first_joint_can_be_base(scene, &order))
}

/// Removes the extras for bone solids and pseudo-bones from the joints, and returns them for each joint.
pub fn take_extras(skeleton: &mut Skeleton) -> Vec<Extras> {
    let take = |joint: &mut scene::Joint| {
        let taken = [SOLID, PART].into_iter();
        taken
            .filter_map(|name| Some((name.to_owned(), joint.extras.remove(name)?)))
            .collect()
    };
    skeleton.joints.iter_mut().map(take).collect()
}

pub const MAX_BONES: usize = Bone::PSEUDO as usize;

/// Returns the number of bones for a scene: one per joint, one for the scene's transform, if any, and one if bone 0
/// must be added. Returns 0 if the scene has no joints, or has parts of pseudo-bones.
pub fn bone_count(scene: &Scene) -> usize {
    let joints = &scene.skeleton.joints;
    if joints.is_empty() || joints.iter().any(|joint| is_part(&joint.extras)) {
        return 0;
    }
    let has_transform = scene.transform.is_some();
    let needs_base =
        has_transform || !first_joint_can_be_base(scene, &parents_first(&scene.skeleton));
    joints.len() + usize::from(has_transform) + usize::from(needs_base)
}

/// Returns the joint indices, parents before children. Keeps the existing order if it is already valid.
fn parents_first(skeleton: &Skeleton) -> Vec<usize> {
    let mut joints = skeleton.joints.iter().enumerate();
    match joints.all(|(index, joint)| joint.parent.is_none_or(|parent| parent < index)) {
        true => (0..skeleton.joints.len()).collect(),
        false => skeleton.parents_first(),
    }
}

/// Returns `true` if the first joint can be bone 0: the only root, untransformed, and never animated.
fn first_joint_can_be_base(scene: &Scene, order: &[usize]) -> bool {
    let joints = &scene.skeleton.joints;
    let Some(&first) = order.first() else {
        return false;
    };
    let root_count = order
        .iter()
        .filter(|joint| joints[**joint].parent.is_none())
        .count();
    let mut channels = scene
        .animations
        .iter()
        .flat_map(|animation| &animation.channels);
    let is_animated = channels.any(|channel| channel.joint == first);
    let is_at_origin = joints[first]
        .rest
        .is_none_or(|rest| rest == scene::Transform::default());
    root_count == 1 && !is_animated && is_at_origin && joints[first].inverse_bind == Mat4::IDENTITY
}

/// Returns the bind pose of a joint; the rest pose if both agree within 1e-4, since no matrix has rounded it.
fn bind_pose(skeleton: &Skeleton, joint: usize) -> scene::Transform {
    let (bind, rest) = (
        skeleton.bind_transform(joint),
        skeleton.rest_transform(joint),
    );
    if bind.to_matrix().abs_diff_eq(rest.to_matrix(), 1e-4) {
        rest
    } else {
        bind
    }
}

/// Packs the bind pose of a joint. Updates `errors`, the largest errors of translations and, in degrees, of rotations.
fn pack_bind_pose(
    scene: &Scene,
    joint: usize,
    errors: &mut (f64, f64),
    losses: &mut Vec<Loss>,
) -> Result<Transform> {
    let bind = bind_pose(&scene.skeleton, joint);
    let source = &scene.skeleton.joints[joint];
    let reject = |what: &str, value: &[f32], hint: &str| {
        Error::inexpressible(format!(
            "BMD cannot express the {what} {value:?} of \"{}\"{hint}",
            source.name
        ))
    };
    let origin = Triple::nearest(bind.translation).ok_or_else(|| {
        let centered = (Vec3::from(bind.translation) - center_of(scene)).into();
        let helps_to_center = source.parent.is_none() && Triple::nearest(centered).is_some();
        reject(
            "translation",
            &bind.translation,
            if helps_to_center {
                "; use --center"
            } else {
                ""
            },
        )
    })?;
    let rotation =
        Rotation::nearest(bind.rotation).ok_or_else(|| reject("rotation", &bind.rotation, ""))?;
    if bind.scale.iter().any(|factor| (factor - 1.0).abs() > 1e-4) {
        let path = format!("skeleton.joints[{joint}].inverse_bind");
        let loss = Loss::changed(
            path,
            "the BMD base skeleton has no scale; the scale was dropped",
        );
        losses.push(loss.with_detail(format_args!("{:?}", bind.scale)));
    }
    let [packed, exact] =
        [origin.value(), bind.translation].map(|vector| Vec3::from(vector).as_dvec3());
    let distance = packed.distance(exact);
    *errors = (
        errors.0.max(distance),
        errors.1.max(rotation.angle_to(bind.rotation)),
    );
    Ok(Transform::Bone(
        BoneTransform::new()
            .with_origin(origin)
            .with_rotation(rotation),
    ))
}

/// Returns the centre of the bounding box of all vertices; NaN without vertices.
pub fn center_of(scene: &Scene) -> Vec3 {
    let (mut min, mut max) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for position in scene.meshes.iter().flat_map(|mesh| &mesh.positions) {
        (min, max) = (
            min.min(Vec3::from(*position)),
            max.max(Vec3::from(*position)),
        );
    }
    (min + max) / 2.0
}

fn report_errors((origin, angle): (f64, f64), scene: &Scene, unit: f64, losses: &mut Vec<Loss>) {
    // In small models, smaller errors matter.
    if origin > 0.0 && (origin > 1e-5 || origin > 1e-6 * scene.size_at_rest()) {
        let (path, message) = (
            "skeleton.joints.translation",
            "translations of joints packed",
        );
        let loss = Loss::quantized(path, message, Quantity::TRANSLATIONS, unit * origin);
        losses.push(loss.with_mesh_size(unit * scene.size_at_rest()));
    }
    if angle > 0.001 {
        let (path, message) = ("skeleton.joints.rotation", "rotations of joints packed");
        losses.push(Loss::quantized(path, message, Quantity::ROTATIONS, angle));
    }
}

/// Parses the solid of a bone, a mesh index, from the extras of a joint. Returns 0, for none, if it is missing or
/// invalid.
fn parse_solid(value: Option<&Value>, joint: usize, losses: &mut Vec<Loss>) -> u8 {
    let Some(value) = value else { return 0 };
    value
        .as_u64()
        .and_then(|solid| u8::try_from(solid).ok())
        .unwrap_or_else(|| {
            let loss = Loss::dropped(
                format!("skeleton.joints[{joint}].extras"),
                "invalid mesh index of a solid",
            );
            losses.push(loss.with_detail(value.to_string()));
            0
        })
}

/// Appends the pseudo-bones that the extras of their parts describe.
fn add_pseudo_bones<'e>(
    rig: &mut Rig,
    bones: &mut Vec<Bone>,
    extras: &'e [Extras],
    losses: &mut Vec<Loss>,
) -> Result<()> {
    let part = |(joint, extras): (usize, &'e Extras)| {
        let value = extras.get(PART)?;
        Some((value.get("bone")?.as_u64()?, joint, value))
    };
    let mut parts: Vec<_> = extras.iter().enumerate().filter_map(part).collect();
    // A pseudo-bone may blend earlier ones.
    parts.sort_by_key(|(bone, ..)| *bone);
    for parts in parts.chunk_by(|(bone, ..), (other, ..)| bone == other) {
        let parse = |(_, joint, value): &(u64, usize, &'e Value)| {
            Some((
                *joint,
                *value,
                pseudo::parse_pseudo_bone(value, |joint| rig.bone_of(joint))?,
            ))
        };
        let Some((joint, value, pseudo)) = parts.iter().find_map(parse) else {
            continue;
        };
        let bone =
            to_bone_index(bones.len()).map_err(|error| error.at(path!(skeleton.joints[joint])))?;
        parts
            .iter()
            .for_each(|(_, joint, _)| rig.bones[*joint] = bone);
        bones.push(Bone {
            transform: Transform::Pseudo(pseudo),
            name: value.get("name").and_then(Value::as_str).map(Text::from),
            id_parent: Bone::PSEUDO,
            id_solid: parse_solid(value.get("solid"), joint, losses),
            ..Bone::default()
        });
    }
    Ok(())
}
