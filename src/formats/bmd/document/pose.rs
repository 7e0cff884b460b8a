//! Evaluates animations at a given time (B20, B22, B26).
//!
//! Values are interpolated linearly between keys, and rotations are then normalised (nlerp). Loops interpolate from the
//! last key to the first one. Other animations are clamped to the first and the last key.

use glam::{Mat4, Quat, Vec3};

use super::super::schema::PseudoTransform;
use super::channels::FloatChannels;
use super::{Animation, Bone, Transform};

/// A matrix of four columns, for column vectors.
pub type Matrix = [[f32; 4]; 4];

/// The motion of each normal bone at one point in time. An empty pose is the base skeleton.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Pose {
    /// The motion of each normal bone.
    pub bones: Vec<Motion>,
}

/// The motion of a bone relative to the base skeleton.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Motion {
    /// Unit quaternion (I, J, K, R), applied after the base rotation.
    pub rotation: [f32; 4],
    /// Offset added to the base origin.
    pub translation: [f32; 3],
    /// Scale factors along the axes of the bone.
    pub scale: [f32; 3],
}

impl Default for Motion {
    /// No motion.
    fn default() -> Motion {
        Motion {
            rotation: [0.0, 0.0, 0.0, 1.0],
            translation: [0.0; 3],
            scale: [1.0; 3],
        }
    }
}

impl Animation {
    /// Evaluates the animation at a frame, which may be fractional. Loops repeat in both directions; other animations
    /// are clamped to the first and the last key. Ignores keys after the last frame. A non-finite frame counts as 0. An
    /// interpolated quaternion of length 0 becomes the identity.
    ///
    /// ```
    /// use meshspec::bmd::{Animation, Track, TrackKey, Triple};
    ///
    /// let key = |frame, x| TrackKey {
    ///     frame,
    ///     translation: Triple::nearest([x, 0.0, 0.0]),
    ///     ..TrackKey::default()
    /// };
    /// let track = Track::from_keys([key(0, 1.0), key(2, 3.0)])?;
    /// let animation = Animation { n_frames: 4, tracks: vec![track], ..Animation::default() };
    /// assert_eq!(animation.pose(0.5).bones[0].translation, [1.5, 0.0, 0.0]);
    /// // On the way back to the first key.
    /// assert_eq!(animation.pose(3.0).bones[0].translation, [2.0, 0.0, 0.0]);
    /// # Ok::<(), meshspec::Error>(())
    /// ```
    pub fn pose(&self, frame: f32) -> Pose {
        let (mut pose, lengths) = self.pose_and_lengths(frame);
        for (motion, _) in pose
            .bones
            .iter_mut()
            .zip(lengths)
            .filter(|(_, length)| *length == 0.0)
        {
            motion.rotation = Motion::default().rotation;
        }
        pose
    }

    /// Returns the pose, and the length of each interpolated quaternion before normalisation. Between two keys, the
    /// length may be 0, for example halfway between q and −q. The rotation is then NaN.
    pub(in super::super) fn pose_and_lengths(&self, frame: f32) -> (Pose, Vec<f64>) {
        let time = PlaybackTime::new(self, frame);
        let motions = self
            .tracks
            .iter()
            .map(|track| time.motion(&track.channels().to_floats()));
        let (bones, lengths) = motions.unzip();
        (Pose { bones }, lengths)
    }
}

struct PlaybackTime {
    frame: f64,
    n_frames: u32,
    is_loop: bool,
}

impl PlaybackTime {
    fn new(animation: &Animation, frame: f32) -> PlaybackTime {
        let n_frames = f64::from(animation.n_frames);
        let is_loop = !animation.fl_hz.no_loop();
        let frame = if frame.is_finite() {
            f64::from(frame)
        } else {
            0.0
        };
        let frame = if is_loop && n_frames > 0.0 {
            frame.rem_euclid(n_frames)
        } else {
            frame
        };
        PlaybackTime {
            frame,
            n_frames: animation.n_frames.into(),
            is_loop,
        }
    }

    /// Returns the motion of a bone, and the length of the interpolated quaternion before normalisation.
    fn motion(&self, channels: &FloatChannels) -> (Motion, f64) {
        let none = Motion::default();
        let rotation = self
            .interpolate(&channels.rotations)
            .unwrap_or(none.rotation.map(f64::from));
        let length = rotation.iter().map(|x| x * x).sum::<f64>().sqrt();
        let motion = Motion {
            rotation: to_f32(rotation.map(|x| x / length)),
            translation: self
                .interpolate(&channels.translations)
                .map_or(none.translation, to_f32),
            scale: self
                .interpolate(&channels.scales)
                .map_or(none.scale, to_f32),
        };
        (motion, length)
    }

    /// Returns the interpolated value of a channel; `None` if it has no key before the end of the animation.
    fn interpolate<const N: usize>(&self, keys: &[(u32, [f32; N])]) -> Option<[f64; N]> {
        let keys = &keys[..keys.partition_point(|(frame, _)| *frame < self.n_frames)];
        let (earlier, later) =
            keys.split_at(keys.partition_point(|(at, _)| f64::from(*at) <= self.frame));
        let period = f64::from(self.n_frames);
        let at = |key: &(u32, [f32; N]), offset| (f64::from(key.0) + offset, key.1.map(f64::from));
        // Neighbouring keys in the previous or next loop iteration.
        let last = keys
            .last()
            .filter(|_| self.is_loop)
            .map(|key| at(key, -period));
        let first = keys
            .first()
            .filter(|_| self.is_loop)
            .map(|key| at(key, period));
        let before = earlier.last().map(|key| at(key, 0.0)).or(last);
        let after = later.first().map(|key| at(key, 0.0)).or(first);
        let (Some((start, from)), Some((end, to))) = (before, after) else {
            return before.or(after).map(|(_, value)| value);
        };
        let fraction = (self.frame - start) / (end - start);
        Some(std::array::from_fn(|i| {
            from[i] * (1.0 - fraction) + to[i] * fraction
        }))
    }
}

fn to_f32<const N: usize>(values: [f64; N]) -> [f32; N] {
    values.map(|x| x as f32)
}

impl Pose {
    /// Returns the matrix of each bone, from bone space to model space.
    ///
    /// Bone 0 is the model itself. The matrix of a pseudo-bone is the weighted mean over the preceding bones that it
    /// blends; the identity if their weights add up to 0. A bone whose parent does not precede it is treated as a
    /// child of bone 0 (B21).
    pub fn matrices(&self, skeleton: &[Bone]) -> Vec<Matrix> {
        self.matrices_or(skeleton, Mat4::IDENTITY)
    }

    /// Like [`matrices`](Pose::matrices), with the matrix `undefined` for pseudo-bones whose weights add up to 0.
    pub(in super::super) fn matrices_or(&self, skeleton: &[Bone], undefined: Mat4) -> Vec<Matrix> {
        let mut matrices: Vec<Mat4> = Vec::with_capacity(skeleton.len());
        for (index, bone) in skeleton.iter().enumerate() {
            let motion = self.bones.get(index).copied().unwrap_or_default();
            matrices.push(match bone.transform {
                _ if index == 0 => Mat4::IDENTITY,
                Transform::Bone(base) => {
                    let origin = Vec3::from(base.origin().value()) + Vec3::from(motion.translation);
                    let rotation =
                        Quat::from_array(motion.rotation) * Quat::from_array(base.unit_rotation());
                    let local = Mat4::from_scale_rotation_translation(
                        motion.scale.into(),
                        rotation,
                        origin,
                    );
                    matrices
                        .get(usize::from(bone.id_parent))
                        .copied()
                        .unwrap_or_default()
                        * local
                }
                Transform::Pseudo(pseudo) => weighted_mean(&matrices, pseudo).unwrap_or(undefined),
            });
        }
        matrices.iter().map(Mat4::to_cols_array_2d).collect()
    }
}

/// Returns the weighted mean of matrices; `None` if the weights add up to 0.
fn weighted_mean(matrices: &[Mat4], pseudo: PseudoTransform) -> Option<Mat4> {
    let (sum, total) = blended_bones(matrices, pseudo)
        .fold((Mat4::ZERO, 0.0), |(sum, total), (matrix, weight)| {
            (sum + *matrix * weight, total + weight)
        });
    (total != 0.0).then(|| sum * (1.0 / total))
}

/// Returns the `items` of the bones that a pseudo-bone blends, with their weights. `items` has one item per preceding
/// bone. Skips other bones, and bones with weight 0.
pub(in super::super) fn blended_bones<M>(
    items: &[M],
    pseudo: PseudoTransform,
) -> impl Iterator<Item = (&M, f32)> {
    let slots = pseudo
        .bones()
        .into_iter()
        .zip(pseudo.weights())
        .filter(|(_, weight)| *weight != 0.0);
    slots.filter_map(|(bone, weight)| Some((items.get(usize::from(bone))?, weight)))
}
