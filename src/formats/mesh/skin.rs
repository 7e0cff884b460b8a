//! Converts scene skins to MESH, where vertices with weights must be bound to joints of the skeleton.

use std::collections::BTreeSet;

use glam::Mat4;

use super::schema::{self, NO_JOINT};
use crate::scene::material::byte_error;
use crate::scene::{self, Joint, Scene, Skin, Weights};
use crate::{Error, Loss, Quantity, Result, path};

/// The joint ids and the weights of each vertex.
type JointSlots = (Vec<[u8; 4]>, Vec<[u8; 4]>);

/// Maximum number of joints; all ids are below it.
pub(super) const MAX_JOINTS: usize = NO_JOINT as usize;

/// The path of the only skin.
const SKIN_PATH: &str = "meshes[0].skins[0]";

/// Adds joints so that vertices with weights are bound to joints of the skeleton. If too many joints would be needed,
/// unbinds the vertices.
pub(super) fn add_missing_joints(scene: &mut Scene, losses: &mut Vec<Loss>) {
    let Scene {
        meshes, skeleton, ..
    } = scene;
    let Some(mesh) = meshes.first_mut() else {
        return;
    };
    if skeleton.joints.is_empty()
        && let Some(skin) = mesh.skins.first_mut()
    {
        match renumber_joints(skin, losses) {
            Some(count) => skeleton.joints = vec![Joint::default(); count],
            None => mesh.skins.clear(),
        }
    }
    let Some(skin) = mesh.skins.first_mut() else {
        return;
    };
    if bind_to_static_joint(skin, skeleton.joints.len(), losses) {
        skeleton.joints.push(Joint {
            inverse_bind: Mat4::IDENTITY,
            ..Joint::default()
        });
    }
}

/// Renumbers the joints of a skin without a skeleton if any exceeds the range of ids. Returns the joint count; `None`
/// if there are too many joints.
fn renumber_joints(skin: &mut Skin, losses: &mut Vec<Loss>) -> Option<usize> {
    let mut used: BTreeSet<u16> = skin.joints.as_flattened().iter().copied().collect();
    used.remove(&Skin::NONE);
    let mut count = used.last().map_or(0, |last| usize::from(*last) + 1);
    if used.len() > MAX_JOINTS {
        let message = format!("MESH supports at most {MAX_JOINTS} joints; vertices were unbound");
        losses.push(Loss::dropped(SKIN_PATH, message).with_count(used.len(), "joints"));
        return None;
    }
    if count > MAX_JOINTS {
        let loss = Loss::renamed(
            format!("{SKIN_PATH}.joints"),
            "joints were renumbered without gaps",
        );
        losses.push(loss.with_detail(format_args!(
            "0 to {} become 0 to {}",
            count - 1,
            used.len() - 1
        )));
        count = used.len();
        for joint in skin
            .joints
            .as_flattened_mut()
            .iter_mut()
            .filter(|joint| **joint != Skin::NONE)
        {
            *joint = used.range(..*joint).count() as u16;
        }
    }
    let message =
        "MESH requires a joint for each joint number of a vertex; joints were added at the origin";
    losses.extend(
        Loss::changed("skeleton.joints", message)
            .with_count(count, "joints")
            .if_any(),
    );
    Some(count)
}

/// Binds vertices whose weights are all on missing joints to a static joint or, without a free id, unbinds them.
/// Returns `true` if the static joint must be added.
fn bind_to_static_joint(skin: &mut Skin, static_joint: usize, losses: &mut Vec<Loss>) -> bool {
    let unbound = match &skin.weights {
        Weights::U8(weights) => unbound_vertices(&skin.joints, weights),
        Weights::F32(weights) => unbound_vertices(&skin.joints, weights),
    };
    if unbound.is_empty() {
        return false;
    }
    let has_id = static_joint < MAX_JOINTS;
    let (joint, weight) = if has_id {
        (static_joint as u16, 1.0)
    } else {
        (Skin::NONE, 0.0)
    };
    for vertex in &unbound {
        skin.joints[*vertex] = [joint, Skin::NONE, Skin::NONE, Skin::NONE];
        match &mut skin.weights {
            Weights::U8(weights) => weights[*vertex] = [(weight * 255.0) as u8, 0, 0, 0],
            Weights::F32(weights) => weights[*vertex] = [weight, 0.0, 0.0, 0.0],
        }
    }
    let loss = if has_id {
        Loss::changed(
            "skeleton.joints",
            "a static joint was added for vertices bound to missing joints",
        )
    } else {
        let message = format!(
            "MESH supports at most {MAX_JOINTS} joints; vertices bound to missing joints were unbound"
        );
        Loss::changed(SKIN_PATH, message)
    };
    losses.push(loss.with_count_of(unbound.len(), skin.joints.len(), "vertices"));
    has_id
}

/// Returns the vertices whose weights are all on missing joints. Excludes vertices without weights.
fn unbound_vertices<W: Default + PartialOrd>(
    joints: &[[u16; 4]],
    weights: &[[W; 4]],
) -> Vec<usize> {
    let is_unbound = |(joints, weights): (&[u16; 4], &[W; 4])| {
        let influences = joints.iter().zip(weights);
        let mut weighted = influences
            .filter(|(_, weight)| **weight > W::default())
            .peekable();
        weighted.peek().is_some() && weighted.all(|(joint, _)| *joint == Skin::NONE)
    };
    let vertices = joints.iter().zip(weights).enumerate();
    vertices
        .filter(|(_, vertex)| is_unbound(*vertex))
        .map(|(index, _)| index)
        .collect()
}

/// Converts a skin to joint ids and 8-bit weights.
pub(super) fn from_skin(mut skin: Skin, losses: &mut Vec<Loss>) -> Result<JointSlots> {
    let to_id = |joint: u16| match joint {
        Skin::NONE => Some(NO_JOINT),
        joint => u8::try_from(joint).ok().filter(|id| *id != NO_JOINT),
    };
    let ids = skin.joints.iter().enumerate().map(|(vertex, four)| {
        let [Some(a), Some(b), Some(c), Some(d)] = four.map(to_id) else {
            let message = format!(
                "vertex {vertex} is bound to the joints {four:?}, but MESH joint ids are below {MAX_JOINTS}"
            );
            let error = Error::inexpressible(message).at(path!(meshes[0].skins[0]));
            return Err(error.in_format(schema::NAME));
        };
        Ok([a, b, c, d])
    });
    let ids = ids.collect::<Result<Vec<_>>>()?;
    skin.replace_non_finite("meshes[0].skins[0]", losses);
    let weights = match skin.weights {
        Weights::U8(weights) => weights,
        Weights::F32(weights) => {
            let path = "meshes[0].skins[0].weights";
            let (mut worst, mut normalized) = (0.0_f64, 0);
            let vertices = weights.len();
            let bytes = weights.into_iter().map(|weights| {
                let bytes = scene::skin::weights_to_bytes(weights);
                let sum: f32 = weights.iter().sum();
                let is_normalized = scene::skin::needs_normalizing(weights.into_iter());
                normalized += usize::from(is_normalized);
                for (weight, byte) in weights.into_iter().zip(bytes).filter(|_| sum > 0.0) {
                    worst = worst.max(byte_error(weight / sum, byte));
                    if !is_normalized {
                        worst = worst.max(byte_error(weight, byte));
                    }
                }
                bytes
            });
            let bytes = bytes.collect();
            let loss = Loss::changed(path, "weights were normalised to a sum of 1");
            losses.extend(
                loss.with_count_of(normalized, vertices, "vertices")
                    .if_any(),
            );
            let loss = Loss::quantized(path, "weights rounded to 8 bits", Quantity::WEIGHTS, worst);
            losses.extend(loss.if_any());
            bytes
        }
    };
    Ok((ids, weights))
}
