//! Joints that rest elsewhere than in the bind pose, for formats that know one of the two only.

use super::{Animation, Channel, Interpolation, Joint, Samples, Scene, Transform};
use crate::Loss;

/// How far coordinates and parts of quaternions may be off and count as the same.
const SAME: f32 = 1e-4;

impl Scene {
    /// Gives up a skeleton that takes so many joints in a format, if it can have no more than `max`: vertices stay where they
    /// are at rest.
    pub(crate) fn limit_joints(&mut self, count: usize, max: usize, format: &str) -> Option<Loss> {
        if count <= max {
            return None;
        }
        self.pose_at_rest();
        self.skeleton.joints.clear();
        self.animations.clear();
        self.meshes.iter_mut().for_each(|mesh| mesh.skins.clear());
        let message = format!(
            "{format} has at most {max} joints: vertices moved to the rest pose, joints and animations dropped"
        );
        Some(Loss::dropped("skeleton.joints", message).detail(count))
    }

    /// Lets joints rest in the bind pose, except those that `keep` names: what no key of an animation moves gets one that
    /// holds it where it has been. Returns what that changes where no animation plays.
    pub(crate) fn rest_in_bind_pose(&mut self, format: &str, keep: impl Fn(&Joint) -> bool) -> Option<Loss> {
        let mut count = 0;
        for index in 0..self.skeleton.joints.len() {
            let bind = self.skeleton.bind(index);
            let joint = &mut self.skeleton.joints[index];
            let Some(rest) = joint.rest.filter(|_| !keep(joint)) else { continue };
            if bind.to_matrix().abs_diff_eq(rest.to_matrix(), SAME) {
                continue;
            }
            joint.rest = None;
            count += 1;
            self.animations.iter_mut().for_each(|animation| animation.hold(index, rest, bind));
        }
        let message = format!("{format} has no rest pose: joints rest in the bind pose");
        let joints = self.skeleton.joints.len();
        (count > 0).then(|| Loss::changed("skeleton.joints", message).affecting(count, joints, "joints"))
    }
}

impl Animation {
    /// Holds a joint where it rests, in each of its properties that no channel moves and that the bind pose has otherwise.
    fn hold(&mut self, joint: usize, rest: Transform, bind: Transform) {
        let differs = |a: &[f32], b: &[f32]| a.iter().zip(b).any(|(a, b)| (a - b).abs() > SAME);
        let held = [
            (Samples::Translation(vec![rest.translation]), differs(&rest.translation, &bind.translation)),
            (Samples::Rotation(vec![rest.rotation]), differs(&rest.rotation, &bind.rotation)),
            (Samples::Scale(vec![rest.scale]), differs(&rest.scale, &bind.scale)),
        ];
        for (samples, _) in held.into_iter().filter(|(_, differs)| *differs) {
            let property = std::mem::discriminant(&samples);
            let moves = |channel: &Channel| {
                channel.joint == joint
                    && std::mem::discriminant(&channel.samples) == property
                    && !channel.samples.is_empty()
            };
            if self.channels.iter().any(moves) {
                continue;
            }
            let start =
                self.times.iter().filter_map(|times| times.first()).copied().reduce(f32::min).unwrap_or(0.0);
            let times = self.times.iter().position(|times| *times == [start]).unwrap_or_else(|| {
                self.times.push(vec![start]);
                self.times.len() - 1
            });
            self.channels.push(Channel { joint, times, interpolation: Interpolation::Linear, samples });
        }
    }
}
