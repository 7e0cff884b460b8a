//! Skeletons without scale, for formats whose joints only turn and move.

use glam::{Mat3, Mat4, Quat};

use super::{Animation, Channel, Interpolation, Samples, Scene, Skeleton, Transform};
use crate::Loss;

/// How far factors may be from 1 and count as 1.
const SAME: f32 = 1e-4;

impl Scene {
    /// Folds the scale of joints into the vertices and into the translations of their children, and binds the skeleton
    /// where it rests if the bind pose has another scale. Animations are sampled at all of their times. What cannot be
    /// folded is scale that changes; it is listed with the largest error in metres.
    pub(crate) fn fold_scale(&mut self, format: &str) -> Vec<Loss> {
        let mut losses = Vec::new();
        if !self.has_scale() {
            return losses;
        }
        if self.transform.is_some() {
            let message = format!("{format} has no transforms: applied to the vertices and root joints");
            losses.push(Loss::changed("transform", message));
            self.apply_transform();
        }
        let count = self.skeleton.joints.len();
        let rest: Vec<_> = (0..count).map(|joint| self.skeleton.rest(joint)).collect();
        let shown = self.skeleton.to_model(&rest);
        let is_scaled =
            |(shown, joint): (&Mat4, &super::Joint)| scale_error(*shown * joint.inverse_bind) > SAME;
        if shown.iter().zip(&self.skeleton.joints).any(is_scaled) {
            self.pose(&rest);
            for (joint, shown) in self.skeleton.joints.iter_mut().zip(&shown) {
                let inverse = shown.inverse();
                joint.inverse_bind = if inverse.is_finite() { inverse } else { joint.inverse_bind };
            }
        }
        let radii = self.radii();
        let before = self.skeleton.clone();
        let fold = Fold::new(&before);
        for (joint, bind) in self.skeleton.joints.iter_mut().zip(&fold.binds) {
            joint.inverse_bind = bind.inverse();
        }
        let mut error = 0.0_f32;
        let rest = fold.local(&before, &rest, &radii, &mut error);
        for (joint, rest) in self.skeleton.joints.iter_mut().zip(rest) {
            joint.rest = Some(rest);
        }
        for animation in &mut self.animations {
            fold.resample(animation, &before, &radii, &mut error);
        }
        let loss = Loss::changed(
            "skeleton.joints",
            format!("{format} joints have no scale: folded into vertices and translations"),
        );
        losses.push(loss);
        if error > SAME * self.meshes.iter().map(super::Mesh::size).fold(0.0, f32::max) {
            let message = format!("{format} joints have no scale: animated scale dropped (metres)");
            losses.push(Loss::quantised("skeleton.joints.scale", message, error));
        }
        losses
    }

    fn has_scale(&self) -> bool {
        let joints = &self.skeleton.joints;
        let unit = |scale: &[f32; 3]| scale.iter().all(|factor| (factor - 1.0).abs() <= SAME);
        let channels = self.animations.iter().flat_map(|animation| &animation.channels);
        let mut scales = channels.filter_map(|channel| match &channel.samples {
            Samples::Scale(values) => Some(values),
            _ => None,
        });
        !joints.is_empty()
            && (self.transform.is_some_and(|transform| scale_error(transform) > SAME)
                || joints.iter().any(|joint| scale_error(joint.inverse_bind) > SAME)
                || joints.iter().filter_map(|joint| joint.rest).any(|rest| !unit(&rest.scale))
                || scales.any(|values| !values.iter().all(unit)))
    }

    /// For each joint how far away the farthest vertex is that follows it, in the bind pose.
    fn radii(&self) -> Vec<f32> {
        let mut radii = vec![0.0_f32; self.skeleton.joints.len()];
        for mesh in &self.meshes {
            for skin in &mesh.skins {
                for (position, joints) in mesh.positions.iter().zip(&skin.joints) {
                    for joint in joints {
                        let index = usize::from(*joint);
                        if let (Some(radius), Some(joint)) =
                            (radii.get_mut(index), self.skeleton.joints.get(index))
                        {
                            let origin = joint.inverse_bind.inverse().w_axis.truncate();
                            let distance = origin.distance((*position).into());
                            *radius = radius.max(if distance.is_finite() { distance } else { 0.0 });
                        }
                    }
                }
            }
        }
        radii
    }
}

/// How far the columns of a matrix are from unit length.
fn scale_error(matrix: Mat4) -> f32 {
    let axes = Mat3::from_mat4(matrix);
    [axes.x_axis, axes.y_axis, axes.z_axis].iter().map(|axis| (axis.length() - 1.0).abs()).fold(0.0, f32::max)
}

/// The rotation and translation of a matrix.
fn without_scale(matrix: Mat4) -> Mat4 {
    let transform = Transform::from_matrix(matrix);
    Transform { scale: [1.0; 3], ..transform }.to_matrix()
}

struct Fold {
    /// Where each joint is in the bind pose, without scale.
    binds: Vec<Mat4>,
    /// From there to where it was with scale.
    corrections: Vec<Mat4>,
}

impl Fold {
    fn new(skeleton: &Skeleton) -> Fold {
        let binds: Vec<_> = skeleton
            .joints
            .iter()
            .map(|joint| Some(joint.inverse_bind.inverse()).filter(|bind| bind.is_finite()))
            .map(|bind| without_scale(bind.unwrap_or(Mat4::IDENTITY)))
            .collect();
        let corrections =
            skeleton.joints.iter().zip(&binds).map(|(joint, bind)| joint.inverse_bind * *bind).collect();
        Fold { binds, corrections }
    }

    /// A pose without scale, relative to the parents.
    fn local(
        &self,
        skeleton: &Skeleton,
        pose: &[Transform],
        radii: &[f32],
        error: &mut f32,
    ) -> Vec<Transform> {
        let scaled =
            skeleton.to_model(pose).into_iter().zip(&self.corrections).map(|(model, own)| model * *own);
        let rigid: Vec<Mat4> = scaled
            .zip(radii)
            .map(|(scaled, radius)| {
                let rigid = without_scale(scaled);
                let off = (Mat3::from_mat4(scaled) - Mat3::from_mat4(rigid)).to_cols_array();
                let off = off.iter().fold(0.0_f32, |most, value| most.max(value.abs())) * radius;
                *error = error.max(if off.is_finite() { off } else { 0.0 });
                rigid
            })
            .collect();
        let joints = skeleton.joints.iter().zip(&rigid);
        joints
            .map(|(joint, own)| match joint.parent.and_then(|parent| rigid.get(parent)) {
                Some(parent) => Transform::from_matrix(parent.inverse() * *own),
                None => Transform::from_matrix(*own),
            })
            .map(|transform| Transform { scale: [1.0; 3], ..transform })
            .collect()
    }

    /// Gives an animation the poses without scale at all of its times.
    fn resample(&self, animation: &mut Animation, skeleton: &Skeleton, radii: &[f32], error: &mut f32) {
        let mut times: Vec<f32> = animation.times.iter().flatten().copied().collect();
        times.sort_by(f32::total_cmp);
        times.dedup();
        let count = skeleton.joints.len();
        let mut tracks = vec![(Vec::new(), Vec::<[f32; 4]>::new()); count];
        for time in &times {
            let pose = self.local(skeleton, &animation.pose(skeleton, *time), radii, error);
            for (transform, (translations, rotations)) in pose.into_iter().zip(&mut tracks) {
                let rotation = Quat::from_array(transform.rotation);
                let is_far = rotations.last().is_some_and(|last| Quat::from_array(*last).dot(rotation) < 0.0);
                translations.push(transform.translation);
                rotations.push(if is_far { -rotation } else { rotation }.to_array());
            }
        }
        animation.channels =
            tracks
                .into_iter()
                .enumerate()
                .flat_map(|(joint, (translations, rotations))| {
                    [Samples::Translation(translations), Samples::Rotation(rotations)].map(|samples| {
                        Channel { joint, times: 0, interpolation: Interpolation::Linear, samples }
                    })
                })
                .filter(|channel| !channel.samples.is_empty())
                .collect();
        animation.times = vec![times];
    }
}
