//! Repairs joints and weights for glTF, which requires distinct joints per vertex, positive weights with a sum of 1,
//! and joint 0 in unused slots.

use crate::scene::skin::weights_to_bytes;
use crate::scene::{Scene, Skin, Weights};
use crate::{Error, Loss, Quantity, Result};

/// The largest change of a weight that counts as rounding, as a fraction of the vertex's total weight.
const WEIGHT_TOLERANCE: f64 = 1e-6;

/// The joints of an output file.
#[derive(Debug, Clone, Copy, Default)]
pub(in super::super) struct OutputJoints {
    /// The number of joints, excluding the static joint.
    pub count: usize,
    /// Whether the joints are placeholders with identity transforms, because the scene has no skeleton.
    pub are_placeholders: bool,
    /// Whether there is an additional joint, which never moves, for vertices without joints.
    pub has_static_joint: bool,
}

impl OutputJoints {
    pub fn total(&self) -> usize {
        self.count + usize::from(self.has_static_joint)
    }
}

/// Repairs the skins of all meshes. Returns the joints of the output file, or an error if a static joint is needed, but
/// there are too many joints.
pub(super) fn repair(scene: &mut Scene, losses: &mut Vec<Loss>) -> Result<OutputJoints> {
    let are_placeholders = scene.skeleton.joints.is_empty();
    let count = if are_placeholders {
        joint_index_end(scene)
    } else {
        scene.skeleton.joints.len()
    };
    let mut repair = SkinRepair {
        static_joint: u16::try_from(count)
            .ok()
            .filter(|joint| *joint != Skin::NONE),
        ..SkinRepair::default()
    };
    for (index, mesh) in scene.meshes.iter_mut().enumerate() {
        let path = format!("meshes[{index}].skins");
        (repair.changed_vertices, repair.max_change) = (0, 0.0);
        let lost = clear_unused_joints(&mut mesh.skins);
        let loss = Loss::dropped(path.clone(), "joints with a weight of 0");
        losses.extend(loss.with_count(lost, "joints").if_any());
        repair.repair_skins(&mut mesh.skins, mesh.positions.len());
        if repair.changed_vertices > 0 {
            let message = "weights were normalised to a sum of 1";
            let loss = match repair.max_change > WEIGHT_TOLERANCE {
                // Files store weights with 32 bits, which may round a change up.
                true => Loss::quantized(
                    path,
                    message,
                    Quantity::WEIGHTS,
                    (repair.max_change as f32).next_up(),
                ),
                false => Loss::changed(path, message),
            };
            losses.push(loss.with_count_of(
                repair.changed_vertices,
                mesh.positions.len(),
                "vertices",
            ));
        }
    }
    if repair.uses_static_joint && repair.static_joint.is_none() {
        let message = format!(
            "{count} joints and a static joint for unbound vertices exceed the maximum of 65535"
        );
        return Err(Error::inexpressible(message).at_text("skeleton.joints"));
    }
    if are_placeholders && count > 0 {
        let message = "joints were added at the origin, since there is no skeleton";
        losses.push(Loss::changed("skeleton", message).with_count(count, "joints"));
    }
    Ok(OutputJoints {
        count,
        are_placeholders,
        has_static_joint: repair.uses_static_joint,
    })
}

/// Returns the largest joint index plus 1; 0 if no mesh has joints.
fn joint_index_end(scene: &Scene) -> usize {
    let joints = scene
        .meshes
        .iter()
        .flat_map(|mesh| &mesh.skins)
        .flat_map(|skin| skin.joints.as_flattened());
    joints
        .filter(|joint| **joint != Skin::NONE)
        .max()
        .map_or(0, |joint| usize::from(*joint) + 1)
}

/// Sets joint indices with a weight of 0 to 0. Returns the number of changed indices, not counting [`Skin::NONE`].
fn clear_unused_joints(skins: &mut [Skin]) -> usize {
    let mut lost = 0;
    for skin in skins {
        skin.for_each_unused_joint(|joint| {
            lost += usize::from(*joint != Skin::NONE && *joint != 0);
            *joint = 0;
        });
    }
    lost
}

/// A joint and its weight.
type Influence = (u16, f64);

#[derive(Default)]
struct SkinRepair {
    /// The index of the static joint; `None` if it does not fit in 16 bits.
    static_joint: Option<u16>,
    /// Whether any vertex uses the static joint.
    uses_static_joint: bool,
    /// The number of vertices with changed weights in the current mesh.
    changed_vertices: usize,
    /// The largest weight change in the current mesh, as a fraction of the vertex's total weight.
    max_change: f64,
}

impl SkinRepair {
    fn repair_skins(&mut self, skins: &mut [Skin], vertices: usize) {
        if skins.is_empty() {
            return;
        }
        let (mut slots, mut before) = (Vec::with_capacity(4 * skins.len()), Vec::new());
        let needs_repair = |skins: &[Skin], slots: &mut Vec<Influence>, vertex| {
            read_slots(skins, vertex, slots);
            !is_valid(slots)
        };
        if skins.len() > 1 {
            if !(0..vertices).any(|vertex| needs_repair(skins, &mut slots, vertex)) {
                return;
            }
            // The weights of all sets together sum to 1. Rounding each set to bytes would change this sum.
            skins.iter_mut().for_each(|skin| skin.weights.widen());
        }
        for vertex in 0..vertices {
            if !merge_repeated_joints(skins, vertex) && needs_repair(skins, &mut slots, vertex) {
                before.clone_from(&slots);
                self.repair_slots(&mut slots);
                write_slots(skins, vertex, &slots);
                read_slots(skins, vertex, &mut slots);
                self.record_change(&before, &slots);
            }
        }
    }

    /// Merges repeated joints, drops invalid weights, and normalises the remaining weights to a sum of 1.
    fn repair_slots(&mut self, slots: &mut [Influence]) {
        for index in 0..slots.len() {
            let (earlier, rest) = slots.split_at_mut(index);
            let Some(slot) = rest.first_mut() else { break };
            if slot.0 == Skin::NONE || slot.1 <= 0.0 || !slot.1.is_finite() {
                *slot = (0, 0.0);
            } else if let Some(first) = earlier
                .iter_mut()
                .find(|other| other.0 == slot.0 && other.1 > 0.0)
            {
                first.1 += slot.1;
                *slot = (0, 0.0);
            }
        }
        let sum: f64 = slots.iter().map(|(_, weight)| weight).sum();
        if sum == 0.0 {
            self.uses_static_joint = true;
            slots
                .iter_mut()
                .take(1)
                .for_each(|slot| *slot = (self.static_joint.unwrap_or(0), 1.0));
            return;
        }
        slots
            .iter_mut()
            .for_each(|(_, weight)| *weight = f64::from((*weight / sum) as f32));
        // Adds the rounding error to the largest weight, so that floats sum to 1.
        let rest = 1.0 - slots.iter().map(|(_, weight)| weight).sum::<f64>();
        if let Some((_, largest)) = slots.iter_mut().max_by(|(_, a), (_, b)| a.total_cmp(b)) {
            *largest += rest;
        }
        slots
            .iter_mut()
            .filter(|(_, weight)| *weight as f32 == 0.0)
            .for_each(|slot| *slot = (0, 0.0));
    }

    /// Records the change of a vertex. Binding a vertex without weights to the static joint does not count as a change.
    fn record_change(&mut self, before: &[Influence], after: &[Influence]) {
        if before.iter().all(|(_, weight)| *weight == 0.0) {
            return;
        }
        let weight_of = |slots: &[Influence], joint| -> f64 {
            slots
                .iter()
                .filter(|slot| slot.0 == joint)
                .map(|(_, weight)| weight)
                .sum()
        };
        let largest = |factor: f64| {
            let joints = before.iter().chain(after).map(|(joint, _)| *joint);
            let error = |joint| (weight_of(before, joint) * factor - weight_of(after, joint)).abs();
            joints.map(error).fold(0.0, f64::max)
        };
        let sum: f64 = before
            .iter()
            .map(|(_, weight)| weight)
            .filter(|weight| **weight > 0.0)
            .sum();
        let factor = if sum.is_finite() && sum > 0.0 {
            1.0 / sum
        } else {
            1.0
        };
        self.max_change = self.max_change.max(largest(factor));
        self.changed_vertices += usize::from(largest(1.0) > 0.0);
    }
}

/// Fast path for one set of byte weights with a sum of 255: merges repeated joints. Returns `false` if inapplicable.
fn merge_repeated_joints(skins: &mut [Skin], vertex: usize) -> bool {
    let [
        Skin {
            joints,
            weights: Weights::U8(weights),
        },
    ] = skins
    else {
        return false;
    };
    let (joints, weights) = (&mut joints[vertex], &mut weights[vertex]);
    let sum: u16 = weights.iter().map(|weight| u16::from(*weight)).sum();
    let missing = (0..4).any(|slot| weights[slot] > 0 && joints[slot] == Skin::NONE);
    if sum != 255 || missing {
        return false;
    }
    for later in 1..4 {
        let same = |earlier: &usize| weights[*earlier] > 0 && joints[*earlier] == joints[later];
        if let Some(first) = (0..later).find(same).filter(|_| weights[later] > 0) {
            weights[first] += std::mem::take(&mut weights[later]);
            joints[later] = 0;
        }
    }
    true
}

fn read_slots(skins: &[Skin], vertex: usize, slots: &mut Vec<Influence>) {
    slots.clear();
    for skin in skins {
        let weights = match &skin.weights {
            Weights::U8(values) => values[vertex].map(|weight| f64::from(weight) / 255.0),
            Weights::F32(values) => values[vertex].map(f64::from),
        };
        slots.extend(skin.joints[vertex].into_iter().zip(weights));
    }
}

fn write_slots(skins: &mut [Skin], vertex: usize, slots: &[Influence]) {
    for (skin, four) in skins.iter_mut().zip(slots.as_chunks::<4>().0) {
        let weights = four.map(|(_, weight)| weight as f32);
        let kept = match &mut skin.weights {
            Weights::U8(values) => {
                values[vertex] = weights_to_bytes(weights);
                values[vertex].map(|byte| byte > 0)
            }
            Weights::F32(values) => {
                values[vertex] = weights;
                weights.map(|weight| weight > 0.0)
            }
        };
        skin.joints[vertex] = std::array::from_fn(|lane| if kept[lane] { four[lane].0 } else { 0 });
    }
}

/// Returns `true` if the joints are distinct, and their weights are positive with a sum of 1. The sum must be exact for
/// up to two joints, and within rounding for more.
fn is_valid(slots: &[Influence]) -> bool {
    let (mut used, mut sum) = (0, 0.0_f32);
    for (index, (joint, weight)) in slots.iter().enumerate() {
        if *weight == 0.0 {
            continue;
        }
        let is_repeated = slots[..index]
            .iter()
            .any(|(other, weight)| other == joint && *weight != 0.0);
        if is_repeated || *joint == Skin::NONE || weight.is_nan() || *weight < 0.0 {
            return false;
        }
        sum = (f64::from(sum) + weight) as f32;
        used += 1;
    }
    let deviation = (sum - 1.0).abs();
    used > 0
        && if used < 3 {
            deviation == 0.0
        } else {
            deviation <= 2e-7 * used as f32
        }
}
