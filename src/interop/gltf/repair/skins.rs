//! Repairs joints and weights for glTF: distinct joints per vertex, positive weights with a sum of 1, and joint 0 in
//! unused slots.

use crate::scene::skin::weights_to_bytes;
use crate::scene::{Scene, Skin, Weights};
use crate::{Error, Loss, Quantity, Result};

/// The rounding error of a weight, as a fraction of the total weight of its vertex.
const ROUNDING: f32 = 1e-6;

/// The joints of an output file.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Bones {
    /// The number of joints of the skeleton, or of placeholders.
    pub count: usize,
    /// Whether joints are placeholders with identity transforms, since the scene has no skeleton.
    pub placeholders: bool,
    /// Whether there is an additional static joint for vertices without joints.
    pub still: bool,
}

impl Bones {
    /// Returns the total number of joints.
    pub fn all(&self) -> usize {
        self.count + usize::from(self.still)
    }
}

/// # Errors
///
/// Returns an error if a static joint is needed and would exceed the maximum number of joints.
pub(super) fn repair(scene: &mut Scene, losses: &mut Vec<Loss>) -> Result<Bones> {
    let placeholders = scene.skeleton.joints.is_empty();
    let count = if placeholders { highest(scene) } else { scene.skeleton.joints.len() };
    let mut fix = SkinRepair { still: u16::try_from(count).ok(), ..SkinRepair::default() };
    for (index, mesh) in scene.meshes.iter_mut().enumerate() {
        let path = format!("meshes[{index}].skins");
        (fix.changed, fix.error) = (0, 0.0);
        let lost = clear_unused(&mut mesh.skins);
        if lost > 0 {
            losses.push(Loss::dropped(path.clone(), "joints with a weight of 0").counting(lost, "joints"));
        }
        fix.repair_skins(&mut mesh.skins, mesh.positions.len());
        if fix.changed > 0 {
            let message = "weights normalised to a sum of 1";
            let loss = match fix.error > ROUNDING {
                true => Loss::quantised(path, message, Quantity::WEIGHTS, fix.error),
                false => Loss::changed(path, message),
            };
            losses.push(loss.affecting(fix.changed, mesh.positions.len(), "vertices"));
        }
    }
    if fix.used && fix.still.is_none() {
        let message =
            format!("{count} joints, and a static one for vertices without joints, but 65535 is the maximum");
        return Err(Error::inexpressible(message).at_text("skeleton.joints"));
    }
    if placeholders && count > 0 {
        let message = "added joints at the origin, since there is no skeleton";
        losses.push(Loss::changed("skeleton", message).counting(count, "joints"));
    }
    Ok(Bones { count, placeholders, still: fix.used })
}

/// Returns the highest joint index plus one; 0 without joints.
fn highest(scene: &Scene) -> usize {
    let joints = scene.meshes.iter().flat_map(|mesh| &mesh.skins).flat_map(|skin| skin.joints.as_flattened());
    joints.filter(|joint| **joint != Skin::NONE).max().map_or(0, |joint| usize::from(*joint) + 1)
}

/// Sets joints with a weight of 0 to 0. Returns the number of changed joints other than [`Skin::NONE`].
fn clear_unused(skins: &mut [Skin]) -> usize {
    let mut lost = 0;
    let mut clear = |joint: &mut u16| {
        lost += usize::from(*joint != Skin::NONE && *joint != 0);
        *joint = 0;
    };
    for skin in skins {
        let joints = skin.joints.as_flattened_mut().iter_mut();
        match &skin.weights {
            Weights::U8(weights) => {
                let unused = joints.zip(weights.as_flattened()).filter(|(_, weight)| **weight == 0);
                unused.for_each(|(joint, _)| clear(joint));
            }
            Weights::F32(weights) => {
                let unused = joints.zip(weights.as_flattened()).filter(|(_, weight)| **weight == 0.0);
                unused.for_each(|(joint, _)| clear(joint));
            }
        }
    }
    lost
}

/// A joint and its weight.
type Slot = (u16, f64);

#[derive(Default)]
struct SkinRepair {
    /// The index of the static joint.
    still: Option<u16>,
    /// Whether a vertex uses the static joint.
    used: bool,
    /// The number of vertices of the current mesh with changed weights.
    changed: usize,
    /// The largest change of a weight in the current mesh, as a fraction of the total weight of its vertex.
    error: f32,
}

impl SkinRepair {
    fn repair_skins(&mut self, skins: &mut [Skin], vertices: usize) {
        if skins.is_empty() {
            return;
        }
        let (mut slots, mut before) = (Vec::with_capacity(4 * skins.len()), Vec::new());
        let dirty = |skins: &[Skin], slots: &mut Vec<Slot>, vertex| {
            gather(skins, vertex, slots);
            !fits(slots)
        };
        if skins.len() > 1 {
            if !(0..vertices).any(|vertex| dirty(skins, &mut slots, vertex)) {
                return;
            }
            // Weights of several sets sum to 1 together, which the per-set rounding to bytes would break.
            for skin in &mut *skins {
                let weights = std::mem::replace(&mut skin.weights, Weights::U8(Vec::new()));
                skin.weights = Weights::F32(weights.into_f32());
            }
        }
        for vertex in 0..vertices {
            if !join_bytes(skins, vertex) && dirty(skins, &mut slots, vertex) {
                before.clone_from(&slots);
                self.repair_slots(&mut slots);
                scatter(skins, vertex, &slots);
                gather(skins, vertex, &mut slots);
                self.compare(&before, &slots);
            }
        }
    }

    /// Merges repeated joints, drops invalid weights, and normalizes the rest to a sum of 1.
    fn repair_slots(&mut self, slots: &mut [Slot]) {
        for index in 0..slots.len() {
            let (earlier, rest) = slots.split_at_mut(index);
            let Some(slot) = rest.first_mut() else { break };
            if slot.0 == Skin::NONE || slot.1.is_nan() || slot.1 <= 0.0 || slot.1.is_infinite() {
                *slot = (0, 0.0);
            } else if let Some(first) = earlier.iter_mut().find(|other| other.0 == slot.0 && other.1 > 0.0) {
                first.1 += slot.1;
                *slot = (0, 0.0);
            }
        }
        let sum: f64 = slots.iter().map(|(_, weight)| weight).sum();
        if sum == 0.0 {
            self.used = true;
            slots.iter_mut().take(1).for_each(|slot| *slot = (self.still.unwrap_or(0), 1.0));
            return;
        }
        slots.iter_mut().for_each(|(_, weight)| *weight = f64::from((*weight / sum) as f32));
        // Adds the rounding error to the largest weight, so that floats sum to 1.
        let rest = 1.0 - slots.iter().map(|(_, weight)| weight).sum::<f64>();
        if let Some((_, largest)) = slots.iter_mut().max_by(|(_, a), (_, b)| a.total_cmp(b)) {
            *largest += rest;
        }
        slots.iter_mut().filter(|(_, weight)| *weight as f32 == 0.0).for_each(|slot| *slot = (0, 0.0));
    }

    /// Records the change of a vertex. Binding a vertex without weights to the static joint is no change.
    fn compare(&mut self, before: &[Slot], after: &[Slot]) {
        if before.iter().all(|(_, weight)| *weight == 0.0) {
            return;
        }
        let weight_of = |slots: &[Slot], joint| -> f64 {
            slots.iter().filter(|slot| slot.0 == joint).map(|(_, weight)| weight).sum()
        };
        let largest = |factor: f64| {
            let joints = before.iter().chain(after).map(|(joint, _)| *joint);
            let errors =
                joints.map(|joint| (weight_of(before, joint) * factor - weight_of(after, joint)).abs());
            errors.fold(0.0, f64::max) as f32
        };
        let sum: f64 = before.iter().map(|(_, weight)| weight).filter(|weight| **weight > 0.0).sum();
        self.error = self.error.max(largest(if sum.is_finite() && sum > 0.0 { 1.0 / sum } else { 1.0 }));
        self.changed += usize::from(largest(1.0) > 0.0);
    }
}

/// Fast path for a single set of byte weights with a sum of 255: merges repeated joints. Returns `false` if it does not
/// apply.
fn join_bytes(skins: &mut [Skin], vertex: usize) -> bool {
    let [Skin { joints, weights: Weights::U8(weights) }] = skins else { return false };
    let (Some(joints), Some(weights)) = (joints.get_mut(vertex), weights.get_mut(vertex)) else {
        return false;
    };
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

fn gather(skins: &[Skin], vertex: usize, slots: &mut Vec<Slot>) {
    slots.clear();
    for skin in skins {
        let Some(joints) = skin.joints.get(vertex) else { continue };
        let weights = match &skin.weights {
            Weights::U8(values) => values.get(vertex).map(|four| four.map(|w| f64::from(w) / 255.0)),
            Weights::F32(values) => values.get(vertex).map(|four| four.map(f64::from)),
        };
        slots.extend(joints.iter().copied().zip(weights.unwrap_or_default()));
    }
}

fn scatter(skins: &mut [Skin], vertex: usize, slots: &[Slot]) {
    for (skin, four) in skins.iter_mut().zip(slots.as_chunks::<4>().0) {
        let weights = four.map(|(_, weight)| weight as f32);
        let kept = match &mut skin.weights {
            Weights::U8(values) => {
                let bytes = weights_to_bytes(weights);
                if let Some(value) = values.get_mut(vertex) {
                    *value = bytes;
                }
                bytes.map(|byte| byte > 0)
            }
            Weights::F32(values) => {
                if let Some(value) = values.get_mut(vertex) {
                    *value = weights;
                }
                weights.map(|weight| weight > 0.0)
            }
        };
        if let Some(joints) = skin.joints.get_mut(vertex) {
            *joints = std::array::from_fn(|lane| if kept[lane] { four[lane].0 } else { 0 });
        }
    }
}

/// Returns `true` if joints are distinct with positive weights that sum to 1: exactly for up to two joints, and within
/// rounding for more.
fn fits(slots: &[Slot]) -> bool {
    let (mut used, mut sum) = (0, 0.0_f32);
    for (index, (joint, weight)) in slots.iter().enumerate() {
        if *weight == 0.0 {
            continue;
        }
        let again = slots[..index].iter().any(|(other, weight)| other == joint && *weight != 0.0);
        if again || *joint == Skin::NONE || weight.is_nan() || *weight < 0.0 {
            return false;
        }
        sum = (f64::from(sum) + weight) as f32;
        used += 1;
    }
    let off = (sum - 1.0).abs();
    used > 0 && if used < 3 { off == 0.0 } else { off <= 2e-7 * used as f32 }
}
