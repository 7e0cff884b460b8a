//! Pseudo-bones as joints. A pseudo-bone moves with the weighted mean of the matrices of four bones. Since its bind
//! pose differs from theirs, it becomes four joints, called *parts*. Each part is a child of one of the bones; its
//! inverse bind matrix is the inverse of the mean. Skinning to the parts with their weights is exact.

use std::array::from_fn;
use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::super::schema::PseudoTransform;
use super::super::{Bone, F8A};
use crate::Text;
use crate::scene::Extras;

/// The joint extra that marks a part of a pseudo-bone.
pub const PART: &str = "bmd_pseudo";

/// A joint that represents a normal bone or a part of a pseudo-bone.
#[derive(Debug, Clone, Copy)]
pub struct Part {
    /// The joint.
    pub joint: u16,
    /// The joint of the normal bone that the part moves with; the joint itself for a normal bone.
    pub follows: u16,
    /// The weight in the mean; 1 for a normal bone.
    pub weight: f32,
}

/// Returns the joints of the normal bones that a pseudo-bone blends, with their weights, and the sum of the absolute
/// weights of dropped bones. `parts[i]` are the parts of bone `i`, for each bone before the pseudo-bone.
///
/// Pseudo-bones among the four bones are replaced by the bones that they blend. Of more than four bones, keeps the
/// four with the largest absolute weights. Ignores bones that do not precede the pseudo-bone, like
/// [`Pose::matrices`](crate::bmd::Pose::matrices). Slots with weight 0 may contain any bone (B22).
pub fn normal_bone_weights(pseudo: PseudoTransform, parts: &[Vec<Part>]) -> ([(u16, f32); 4], f32) {
    let mut slots = from_fn::<(&[Part], f32), 4, _>(|slot| {
        let parts = parts
            .get(usize::from(pseudo.bones()[slot]))
            .map(Vec::as_slice)
            .unwrap_or_default();
        (
            parts,
            if parts.is_empty() {
                0.0
            } else {
                pseudo.weights()[slot]
            },
        )
    });
    let total: f32 = slots.iter().map(|(_, weight)| weight).sum();
    if total != 0.0 {
        slots.iter_mut().for_each(|(_, weight)| *weight /= total);
    }
    if slots
        .iter()
        .all(|(parts, weight)| parts.len() <= 1 || *weight == 0.0)
    {
        return (
            slots.map(|(parts, weight)| (parts.first().map_or(0, |part| part.follows), weight)),
            0.0,
        );
    }
    let mut sums: BTreeMap<u16, f32> = BTreeMap::new();
    for (parts, weight) in slots {
        for part in parts {
            *sums.entry(part.follows).or_default() += weight * part.weight;
        }
    }
    let mut sorted: Vec<_> = sums
        .into_iter()
        .filter(|(_, weight)| *weight != 0.0)
        .collect();
    sorted.sort_by(|(_, a), (_, b)| b.abs().total_cmp(&a.abs()));
    let dropped: f32 = sorted.iter().skip(4).map(|(_, weight)| weight.abs()).sum();
    let kept: f32 = sorted.iter().take(4).map(|(_, weight)| weight).sum();
    let scale = if dropped > 0.0 && kept != 0.0 {
        1.0 / kept
    } else {
        1.0
    };
    let mut kept = sorted
        .into_iter()
        .map(|(joint, weight)| (joint, weight * scale));
    (from_fn(|_| kept.next().unwrap_or_default()), dropped)
}

/// Returns `true` if a joint with `extras` is a part of a pseudo-bone.
pub fn is_part(extras: &Extras) -> bool {
    extras.contains_key(PART)
}

/// Returns the extra for a part of the pseudo-bone with index `index`. The first part stores all fields; `joint_of`
/// returns the first joint of a bone.
pub fn part_extra(
    index: usize,
    slot: usize,
    bone: &Bone,
    pseudo: PseudoTransform,
    joint_of: impl Fn(u8) -> u16,
) -> Value {
    if slot > 0 {
        return json!({ "bone": index });
    }
    let codes = [
        pseudo.weight_0(),
        pseudo.weight_1(),
        pseudo.weight_2(),
        pseudo.weight_3(),
    ]
    .map(F8A::code);
    json!({
        "bone": index,
        "follows": pseudo.bones().map(joint_of),
        "weights": codes,
        "name": bone.name.as_ref().map(Text::to_string),
        "solid": bone.id_solid,
    })
}

/// Returns the pseudo-bone in the extra of a part; `None` if the extra is incomplete or invalid. `bone_of` returns the
/// bone of a joint.
pub fn parse_pseudo_bone(
    value: &Value,
    bone_of: impl Fn(usize) -> Option<usize>,
) -> Option<PseudoTransform> {
    let numbers = |name: &str| serde_json::from_value::<[usize; 4]>(value.get(name)?.clone()).ok();
    let [a, b, c, d] = numbers("follows")?.map(|joint| bone_of(joint).map(|bone| bone as u8));
    let [i, j, k, l] = numbers("weights")?.map(|code| u8::try_from(code).ok().map(F8A::from));
    let bones = PseudoTransform::new()
        .with_bone_0(a?)
        .with_bone_1(b?)
        .with_bone_2(c?)
        .with_bone_3(d?);
    Some(
        bones
            .with_weight_0(i?)
            .with_weight_1(j?)
            .with_weight_2(k?)
            .with_weight_3(l?),
    )
}
