//! Skins: bindings of vertices to joints, with weights.

use crate::Loss;

/// Binds each vertex to up to four joints.
///
/// ```
/// use meshspec::scene::{Joint, Mesh, Scene, Skin, Transform, Weights};
///
/// let joints = vec![[0, Skin::NONE, Skin::NONE, Skin::NONE]];
/// let skin = Skin { joints, weights: Weights::U8(vec![[255, 0, 0, 0]]) };
/// let mesh = Mesh { positions: vec![[1.0, 0.0, 0.0]], skins: vec![skin], ..Mesh::default() };
/// let mut scene = Scene { meshes: vec![mesh], ..Scene::default() };
/// scene.skeleton.joints.push(Joint { name: "hinge".to_owned(), ..Joint::default() });
/// scene.apply_pose(&[Transform { translation: [0.0, 2.0, 0.0], ..Transform::default() }]);
/// assert_eq!(scene.meshes[0].positions, [[1.0, 2.0, 0.0]]);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Skin {
    /// Four joint indices per vertex. Unused slots are [`Skin::NONE`].
    pub joints: Vec<[u16; 4]>,
    /// Four weights per vertex.
    pub weights: Weights,
}

/// Four weights per vertex, in the precision of the source.
#[derive(Debug, Clone, PartialEq)]
pub enum Weights {
    /// Bytes; 255 represents 1.0.
    U8(Vec<[u8; 4]>),
    /// Floats, usually from 0 to 1 with a sum of 1 per vertex.
    F32(Vec<[f32; 4]>),
}

impl Skin {
    /// The joint index of an unused slot.
    pub const NONE: u16 = u16::MAX;

    /// Binds each vertex to one joint with a weight of 1, or to no joint if its index is [`Skin::NONE`].
    pub fn rigid(joints: impl IntoIterator<Item = u16>) -> Skin {
        let joints = joints
            .into_iter()
            .map(|joint| [joint, Skin::NONE, Skin::NONE, Skin::NONE]);
        let joints: Vec<_> = joints.collect();
        let weights = joints
            .iter()
            .map(|own| [u8::from(own[0] != Skin::NONE) * 255, 0, 0, 0])
            .collect();
        Skin {
            joints,
            weights: Weights::U8(weights),
        }
    }

    /// Combines skins into one, with the four largest weights of each vertex, normalised to a sum of 1.
    pub(super) fn reduce_to_four(skins: &[Skin], vertices: usize) -> (Skin, ReductionStats) {
        let (four, reduced) = reduce_influences::<4>(skins, vertices);
        let joints = four
            .iter()
            .map(|influences| influences.map(|(joint, _)| joint))
            .collect();
        let weights = four
            .iter()
            .map(|influences| influences.map(|(_, weight)| weight))
            .collect();
        (
            Skin {
                joints,
                weights: Weights::F32(weights),
            },
            reduced,
        )
    }

    /// Combines skins into one, with the four largest weights of each vertex, normalised to a sum of 1. `vertices` is
    /// the vertex count.
    ///
    /// ```
    /// use meshspec::scene::{Skin, Weights};
    ///
    /// let joints = vec![[2, Skin::NONE, Skin::NONE, Skin::NONE]];
    /// let second = Skin { joints, weights: Weights::F32(vec![[3.0, 0.0, 0.0, 0.0]]) };
    /// let skin = Skin::strongest(&[Skin::rigid([7]), second], 1);
    /// assert_eq!(skin.joints, [[2, 7, Skin::NONE, Skin::NONE]]);
    /// assert_eq!(skin.weights.into_f32(), [[0.75, 0.25, 0.0, 0.0]]);
    /// ```
    pub fn strongest(skins: &[Skin], vertices: usize) -> Skin {
        Skin::reduce_to_four(skins, vertices).0
    }

    /// Sets the weights of unused slots to 0.
    #[cfg(feature = "iyma")]
    pub(crate) fn clear_unused_weights(&mut self) {
        fn clear<W: Default>(joints: &[u16], weights: &mut [W]) {
            let unused = joints
                .iter()
                .zip(weights)
                .filter(|(joint, _)| **joint == Skin::NONE);
            unused.for_each(|(_, weight)| *weight = W::default());
        }
        match &mut self.weights {
            Weights::U8(weights) => clear(self.joints.as_flattened(), weights.as_flattened_mut()),
            Weights::F32(weights) => clear(self.joints.as_flattened(), weights.as_flattened_mut()),
        }
    }

    /// Calls `visit` with each joint index whose weight is 0.
    #[cfg(feature = "gltf")]
    pub(crate) fn for_each_unused_joint(&mut self, mut visit: impl FnMut(&mut u16)) {
        let joints = self.joints.as_flattened_mut().iter_mut();
        match &self.weights {
            Weights::U8(weights) => {
                let unused = joints
                    .zip(weights.as_flattened())
                    .filter(|(_, weight)| **weight == 0);
                unused.for_each(|(joint, _)| visit(joint));
            }
            Weights::F32(weights) => {
                let unused = joints
                    .zip(weights.as_flattened())
                    .filter(|(_, weight)| **weight == 0.0);
                unused.for_each(|(joint, _)| visit(joint));
            }
        }
    }

    /// Returns the number of vertices.
    pub fn len(&self) -> usize {
        self.joints.len()
    }

    /// Returns `true` if there are no vertices.
    pub fn is_empty(&self) -> bool {
        self.joints.is_empty()
    }
}

/// Returns the joints of a vertex and their positive weights, from all skins, stably sorted by descending weight.
pub(crate) fn influences(skins: &[Skin], vertex: usize) -> Vec<(u16, f32)> {
    let slots =
        slots(skins, vertex).filter(|(joint, weight)| *joint != Skin::NONE && *weight > 0.0);
    let mut all: Vec<(u16, f32)> = slots.collect();
    all.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    all
}

/// Returns the joints of a vertex with their weights, slot by slot.
pub(crate) fn slots(skins: &[Skin], vertex: usize) -> impl Iterator<Item = (u16, f32)> {
    let sets = skins.iter().filter_map(move |skin| {
        let weights = match &skin.weights {
            Weights::U8(values) => values.get(vertex)?.map(|weight| f32::from(weight) / 255.0),
            Weights::F32(values) => *values.get(vertex)?,
        };
        Some(skin.joints.get(vertex)?.iter().copied().zip(weights))
    });
    sets.flatten()
}

/// Statistics about influences that were dropped for a format with fewer joints per vertex.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct ReductionStats {
    /// The number of vertices with dropped influences.
    pub vertex_count: usize,
    /// The largest dropped fraction of a vertex's total weight.
    pub max_dropped: f64,
    /// The number of vertices whose weights did not sum to 1, or were not positive numbers.
    pub normalized_count: usize,
}

impl ReductionStats {
    /// Returns the loss of the weights normalised; `None` if there are none. `vertices` is the vertex count.
    pub fn normalization_loss(self, path: String, vertices: usize) -> Option<Loss> {
        let loss = Loss::changed(path, "weights were normalised to a sum of 1");
        loss.with_count_of(self.normalized_count, vertices, "vertices")
            .if_any()
    }
}

/// The allowed deviation of a sum of weights from 1, which covers rounding.
const MAX_SUM_DEVIATION: f64 = 1e-3;

/// Returns `true` if normalising the weights of a vertex changes more than their rounding. Vertices without weights are
/// not normalised.
pub(crate) fn needs_normalizing(weights: impl Iterator<Item = f32>) -> bool {
    let (mut sum, mut is_bound, mut is_valid) = (0.0_f64, false, true);
    for weight in weights {
        sum += f64::from(weight);
        is_bound |= weight != 0.0;
        is_valid &= weight.is_finite() && weight >= 0.0;
    }
    is_bound && !(is_valid && (sum - 1.0).abs() <= MAX_SUM_DEVIATION)
}

/// Returns the `COUNT` largest influences (joint and weight) of each vertex, with weights normalised to a sum of 1.
/// Unused slots are [`Skin::NONE`] with a weight of 0.
pub(crate) fn reduce_influences<const COUNT: usize>(
    skins: &[Skin],
    vertices: usize,
) -> (Vec<[(u16, f32); COUNT]>, ReductionStats) {
    let mut reduced = ReductionStats::default();
    let kept = (0..vertices).map(|vertex| {
        let all = influences(skins, vertex);
        let given = slots(skins, vertex).filter(|(joint, _)| *joint != Skin::NONE);
        reduced.normalized_count += usize::from(needs_normalizing(given.map(|(_, weight)| weight)));
        let (kept, lost) = all.split_at(all.len().min(COUNT));
        let sum: f32 = kept.iter().map(|(_, weight)| weight).sum();
        if !lost.is_empty() {
            reduced.vertex_count += 1;
            let [kept, lost] = [kept, lost].map(|influences| {
                influences
                    .iter()
                    .map(|(_, weight)| f64::from(*weight))
                    .sum::<f64>()
            });
            reduced.max_dropped = reduced.max_dropped.max(lost / (kept + lost));
        }
        std::array::from_fn(|slot| match kept.get(slot) {
            Some(&(joint, weight)) => (joint, weight / sum),
            None => (Skin::NONE, 0.0),
        })
    });
    (kept.collect(), reduced)
}

/// Converts weights to bytes with a sum of 255, using the largest remainder method; zeros if the weights have no
/// positive sum.
#[cfg(any(feature = "mesh", feature = "gltf"))]
pub(crate) fn weights_to_bytes(weights: [f32; 4]) -> [u8; 4] {
    let sum: f32 = weights.iter().sum();
    if sum.is_nan() || sum <= 0.0 {
        return [0; 4];
    }
    let exact = weights.map(|weight| weight / sum * 255.0);
    let mut bytes = exact.map(|weight| weight as u8);
    let missing = 255_u8.saturating_sub(
        bytes
            .iter()
            .fold(0, |sum: u8, byte| sum.saturating_add(*byte)),
    );
    let mut order = [0, 1, 2, 3];
    order.sort_by(|&a, &b| exact[b].fract().total_cmp(&exact[a].fract()));
    for &slot in order
        .iter()
        .take(missing.into())
        .filter(|&&slot| weights[slot] > 0.0)
    {
        bytes[slot] = bytes[slot].saturating_add(1);
    }
    bytes
}
