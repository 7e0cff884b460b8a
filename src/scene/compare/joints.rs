//! Compares the joints of two scenes, and their poses in animations.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use glam::{DQuat, DVec3, Mat4};

use super::{Comparison, DifferenceKind, SceneDifference, Tally, keyed_animations, quoted};
use crate::scene::{Animation, Interpolation, Joint, Scene, Transform};
use crate::{Quantity, Result};

/// The largest ignored difference of transforms, relative to their size: rounding of 32-bit matrix products.
const ROUNDING: f64 = 1e-5;

/// The largest ignored angle between rotations in degrees: rounding of 32-bit quaternions.
const ANGLE_ROUNDING: f64 = 1e-3;

/// The smallest interval of sample times in seconds. Times that are closer differ by rounding.
const MIN_INTERVAL: f64 = 1e-4;

/// The largest number of compared transforms of an animation, for a bounded running time.
const MAX_TRANSFORMS: usize = 1_000_000;

/// Corresponding joints of two skeletons.
pub struct JointPairs {
    /// The joint of the second scene for each joint of the first.
    in_b: Vec<Option<usize>>,
    /// The joint of the first scene for each joint of the second. Joints without a counterpart have indices that no
    /// joint of the first scene has, or their own if the first scene has no joints.
    pub in_a: Vec<usize>,
}

impl JointPairs {
    /// Pairs joints by unique name, then the others in order. Formats may add joints before or after the others; those
    /// are recognised by the parents, the bind and the rest poses. If either scene has no joints, weights refer to joints by index.
    pub fn new([a, b]: [&Scene; 2]) -> JointPairs {
        let scenes = [a, b];
        let [a, b] = scenes.map(|scene| &*scene.skeleton.joints);
        let [names, other_names] = [a, b].map(unique_names);
        let mut in_b: Vec<Option<usize>> = a
            .iter()
            .enumerate()
            .map(|(index, joint)| {
                names
                    .get(&*joint.name)
                    .filter(|unique| **unique == Some(index))?;
                *other_names.get(&*joint.name)?
            })
            .collect();
        let mut is_paired = vec![false; b.len()];
        in_b.iter()
            .flatten()
            .for_each(|joint| is_paired[*joint] = true);
        let open_in_a: Vec<usize> = (0..a.len())
            .filter(|joint| in_b[*joint].is_none())
            .collect();
        let open_in_b: Vec<usize> = (0..b.len()).filter(|joint| !is_paired[*joint]).collect();
        let [skipped_in_a, skipped_in_b] = skipped_joints(scenes, [&open_in_a, &open_in_b]);
        for (joint, other) in open_in_a
            .iter()
            .skip(skipped_in_a)
            .zip(open_in_b.iter().skip(skipped_in_b))
        {
            in_b[*joint] = Some(*other);
        }
        let without_counterpart = |joint: usize| {
            if a.is_empty() {
                joint
            } else {
                usize::MAX - joint
            }
        };
        let mut in_a: Vec<usize> = (0..b.len()).map(without_counterpart).collect();
        for (joint, other) in in_b.iter().enumerate() {
            if let Some(other) = other {
                in_a[*other] = joint;
            }
        }
        JointPairs { in_b, in_a }
    }

    /// Returns `true` if the parents of two joints correspond, or both are roots.
    fn are_parents_paired(&self, joint: &Joint, other: &Joint) -> bool {
        joint.parent.is_none() && other.parent.is_none()
            || joint.parent.is_some()
                && joint.parent.and_then(|parent| *self.in_b.get(parent)?) == other.parent
    }
}

/// Returns the numbers of joints to skip at the start of each list, so that the parents of the others correspond and, if
/// this does not decide, their bind or rest poses fit best.
fn skipped_joints(scenes: [&Scene; 2], [open_in_a, open_in_b]: [&[usize]; 2]) -> [usize; 2] {
    let surplus_in_a = open_in_a.len().saturating_sub(open_in_b.len());
    let surplus_in_b = open_in_b.len().saturating_sub(open_in_a.len());
    // Only both ends: formats add one joint, for the model itself.
    let ends = [[0, 0], [surplus_in_a, surplus_in_b]];
    if surplus_in_a == surplus_in_b {
        return ends[0];
    }
    let [a, b] = scenes.map(|scene| &*scene.skeleton.joints);
    let other_parents = |[skipped_in_a, skipped_in_b]: [usize; 2]| {
        let pairs = open_in_a
            .iter()
            .skip(skipped_in_a)
            .zip(open_in_b.iter().skip(skipped_in_b));
        let in_b: HashMap<usize, usize> = pairs.map(|(joint, other)| (*joint, *other)).collect();
        let paired: HashSet<usize> = in_b.values().copied().collect();
        let is_kept = |(joint, other): (&usize, &usize)| match (a[*joint].parent, b[*other].parent)
        {
            (Some(parent), Some(other)) => in_b.get(&parent) == Some(&other),
            // The parent may be the added joint.
            (None, Some(other)) => !paired.contains(&other),
            (Some(parent), None) => !in_b.contains_key(&parent),
            (None, None) => true,
        };
        in_b.iter()
            .filter(|(joint, other)| !is_kept((joint, other)))
            .count()
    };
    match other_parents(ends[0]).cmp(&other_parents(ends[1])) {
        Ordering::Less => return ends[0],
        Ordering::Greater => return ends[1],
        Ordering::Equal => {}
    }
    let poses = scenes.map(|scene| {
        let joints = 0..scene.skeleton.joints.len();
        let bound: Vec<Mat4> = joints
            .map(|joint| inverse_bind(scene, joint).inverse())
            .collect();
        [
            bound,
            PosedJoints::new(scene, scene.skeleton.rest_pose()).global,
        ]
    });
    // Rebinding makes the rest pose the bind pose, which formats without rest poses keep.
    let misfit = |[skipped_in_a, skipped_in_b]: [usize; 2]| -> f32 {
        let of_poses = |a: &[Mat4], b: &[Mat4]| -> f32 {
            let pairs = open_in_a
                .iter()
                .skip(skipped_in_a)
                .zip(open_in_b.iter().skip(skipped_in_b));
            pairs
                .map(|(joint, other)| {
                    let entries = a[*joint]
                        .to_cols_array()
                        .into_iter()
                        .zip(b[*other].to_cols_array());
                    entries
                        .map(|(from, to)| (from - to).abs())
                        .fold(0.0, f32::max)
                })
                .sum()
        };
        let [of_a, of_b] = &poses;
        of_a.iter()
            .flat_map(|a| of_b.iter().map(|b| of_poses(a, b)))
            .fold(f32::INFINITY, f32::min)
    };
    let entries = poses
        .iter()
        .flatten()
        .flatten()
        .flat_map(Mat4::to_cols_array_2d)
        .flatten();
    let rounding = ROUNDING as f32 * entries.fold(1.0_f32, |size, entry| size.max(entry.abs()));
    // Where both fit but for rounding, the added joint is the last one, as `Scene::apply_transform` adds it.
    if misfit(ends[1]) + rounding < misfit(ends[0]) {
        ends[1]
    } else {
        ends[0]
    }
}

/// Returns the inverse bind matrix of a joint, with the transform of the scene applied.
fn inverse_bind(scene: &Scene, joint: usize) -> Mat4 {
    let inverse = scene
        .transform
        .map_or(Mat4::IDENTITY, |transform| transform.inverse());
    scene.skeleton.joints[joint].inverse_bind * inverse
}

/// Returns `true` if two matrices are equal except for rounding.
fn are_near(a: Mat4, b: Mat4) -> bool {
    let size = a
        .to_cols_array()
        .into_iter()
        .map(f32::abs)
        .fold(1.0, f32::max);
    a.abs_diff_eq(b, ROUNDING as f32 * size)
}

/// Returns the index of each named joint; `None` for duplicate names.
fn unique_names(joints: &[Joint]) -> HashMap<&str, Option<usize>> {
    let mut names = HashMap::new();
    for (index, joint) in joints
        .iter()
        .enumerate()
        .filter(|(_, joint)| !joint.name.is_empty())
    {
        names
            .entry(&*joint.name)
            .and_modify(|known| *known = None)
            .or_insert(Some(index));
    }
    names
}

/// A pose of a scene: transforms relative to the parents, and in model space.
struct PosedJoints {
    /// The transforms relative to the parents; those of roots in model space.
    local: Vec<Transform>,
    global: Vec<Mat4>,
    /// The transforms of roots relative to the transform of the scene.
    untransformed: Vec<Transform>,
    transform: Mat4,
}

impl PosedJoints {
    fn new(scene: &Scene, mut local: Vec<Transform>) -> PosedJoints {
        let transform = scene.transform.unwrap_or(Mat4::IDENTITY);
        let global = scene.skeleton.global_matrices(&local);
        let global: Vec<Mat4> = global
            .into_iter()
            .map(|matrix| transform * matrix)
            .collect();
        let untransformed = local.clone();
        if transform != Mat4::IDENTITY {
            for ((joint, local), global) in
                scene.skeleton.joints.iter().zip(&mut local).zip(&global)
            {
                if joint.parent.is_none() {
                    *local = Transform::from_matrix(*global);
                }
            }
        }
        PosedJoints {
            local,
            global,
            untransformed,
            transform,
        }
    }

    /// Returns the matrix that a joint's transform is relative to.
    fn frame(&self, joint: &Joint) -> Mat4 {
        joint
            .parent
            .and_then(|parent| self.global.get(parent).copied())
            .unwrap_or(self.transform)
    }
}

/// Statistics of transforms.
#[derive(Default)]
struct TransformTally {
    translations: Tally,
    rotations: Tally,
    scales: Tally,
}

impl TransformTally {
    /// Adds the differences of two transforms. Differences up to `rounding` metres between translations are ignored.
    fn add(
        &mut self,
        [a, b]: [Transform; 2],
        rounding: f64,
        tolerance: f64,
        at: &dyn Fn() -> String,
    ) {
        let [from, to] = [a, b].map(|transform| DVec3::from(transform.translation.map(f64::from)));
        let distance = unless_same(a.translation, b.translation, from.distance(to));
        self.translations
            .add(above_rounding(distance, rounding), tolerance, at);
        let [from, to] = [a, b].map(|transform| {
            let rotation = DQuat::from_array(transform.rotation.map(f64::from));
            if rotation.length_squared() == 0.0 {
                DQuat::IDENTITY
            } else {
                rotation.normalize()
            }
        });
        let between = from.inverse() * to;
        let angle = 2.0 * between.xyz().length().atan2(between.w.abs()).to_degrees();
        let angle = unless_same(a.rotation, b.rotation, angle);
        self.rotations
            .add(above_rounding(angle, ANGLE_ROUNDING), tolerance, at);
        self.scales
            .add(above_relative_rounding(a.scale, b.scale), tolerance, at);
    }

    fn differences(self, path: &str) -> Vec<SceneDifference> {
        let translations = self
            .translations
            .difference(format!("{path}.translations"), Quantity::TRANSLATIONS);
        let rotations = self
            .rotations
            .difference(format!("{path}.rotations"), Quantity::ROTATIONS);
        let scales = self
            .scales
            .difference(format!("{path}.scales"), Quantity::SCALES);
        translations
            .into_iter()
            .chain(rotations)
            .chain(scales)
            .collect()
    }
}

/// Returns 0 if the values have the same bits, which may be NaN, and otherwise their difference.
fn unless_same<const N: usize>(a: [f32; N], b: [f32; N], difference: f64) -> f64 {
    if a.map(f32::to_bits) == b.map(f32::to_bits) {
        0.0
    } else {
        difference
    }
}

/// Returns 0 if a difference is at most `rounding`.
fn above_rounding(difference: f64, rounding: f64) -> f64 {
    if difference.is_finite() && difference <= rounding {
        0.0
    } else {
        difference
    }
}

/// Returns the largest difference between components; 0 if it is at most [`ROUNDING`] relative to the largest component
/// above 1. NaN if a component of one value only is NaN.
fn above_relative_rounding<const N: usize>(a: [f32; N], b: [f32; N]) -> f64 {
    let (mut by, mut size) = (0.0_f64, 1.0_f64);
    for (from, to) in a.into_iter().zip(b) {
        let difference = unless_same([from], [to], (f64::from(from) - f64::from(to)).abs());
        // `f64::max` ignores NaN.
        by = if difference > by || difference.is_nan() {
            difference
        } else {
            by
        };
        size = size.max(f64::from(from.abs())).max(f64::from(to.abs()));
    }
    above_rounding(by, ROUNDING * size)
}

impl Comparison<'_> {
    /// Compares names, parents, rest transforms and bind poses.
    pub(super) fn compare_joints(&mut self) {
        let [a, b] = self.scenes;
        let pairs = JointPairs::new([a, b]);
        let [joints, others] = [a, b].map(|scene| &*scene.skeleton.joints);
        let mut differences = Vec::new();
        for (index, joint) in joints.iter().enumerate() {
            let path = format!("joints[{}]", joint_key(a, index));
            let Some(other) = pairs.in_b[index].and_then(|other| others.get(other)) else {
                differences.push(SceneDifference::new(path, DifferenceKind::Removed, 1));
                continue;
            };
            if joint.name != other.name {
                differences.push(SceneDifference::changed(
                    format!("{path}.name"),
                    &joint.name,
                    &other.name,
                ));
            }
            if !pairs.are_parents_paired(joint, other) {
                let [from, to] = [(a, joint), (b, other)].map(|(scene, joint)| {
                    joint
                        .parent
                        .map_or_else(|| "none".to_owned(), |parent| joint_key(scene, parent))
                });
                differences.push(SceneDifference::changed(format!("{path}.parent"), from, to));
            }
        }
        for (index, in_a) in pairs.in_a.iter().enumerate() {
            if *in_a >= joints.len() {
                let path = format!("joints[{}]", joint_key(b, index));
                differences.push(SceneDifference::new(path, DifferenceKind::Added, 1));
            }
        }
        let mut rest = TransformTally::default();
        let posed = [a, b].map(|scene| PosedJoints::new(scene, scene.skeleton.rest_pose()));
        self.add_poses(&mut rest, &pairs, &posed, &|joint| joint_key(a, joint));
        if rest.translations.compared > 0 {
            self.note_compared("joints");
        }
        let mut bind = Tally::default();
        for (index, other) in pairs.in_b.iter().enumerate() {
            let Some(other) = *other else { continue };
            let [from, to] = [inverse_bind(a, index), inverse_bind(b, other)];
            let by = above_relative_rounding(from.to_cols_array(), to.to_cols_array());
            bind.add(by, self.tolerance, || joint_key(a, index));
        }
        self.add(differences);
        self.add(rest.differences("joints.rest"));
        self.add(bind.difference("joints.inverse_bind".to_owned(), Quantity::MATRICES));
    }

    /// Adds the differences between two poses: relative to the parents if these correspond or coincide, else in model
    /// space.
    fn add_poses(
        &self,
        tally: &mut TransformTally,
        pairs: &JointPairs,
        posed: &[PosedJoints; 2],
        at: &dyn Fn(usize) -> String,
    ) {
        let [joints, others] = self.scenes.map(|scene| &*scene.skeleton.joints);
        let positions = posed[0]
            .global
            .iter()
            .map(|matrix| matrix.w_axis.truncate().abs().max_element());
        let rounding = ROUNDING * f64::from(positions.fold(0.0, f32::max));
        for (index, joint) in joints.iter().enumerate() {
            let Some(other) = pairs.in_b[index] else {
                continue;
            };
            let [frame, other_frame] = [posed[0].frame(joint), posed[1].frame(&others[other])];
            // A format without a transform of the scene has a joint for it. The transform may shear a root, so that its
            // scale would depend on its rotation.
            let transforms = if are_near(frame, other_frame) {
                [posed[0].untransformed[index], posed[1].untransformed[other]]
            } else if pairs.are_parents_paired(joint, &others[other]) {
                [posed[0].local[index], posed[1].local[other]]
            } else {
                [posed[0].global[index], posed[1].global[other]].map(Transform::from_matrix)
            };
            tally.add(transforms, rounding, self.tolerance, &|| at(index));
        }
    }

    /// Compares the animations that both scenes have.
    pub(super) fn compare_animations(&mut self) -> Result<()> {
        let pairs = JointPairs::new(self.scenes);
        let [animations, others] = self.animations.map(keyed_animations);
        for (key, animation) in animations {
            if let Some(other) = others.get(&key) {
                self.note_compared("animations");
                let pair = [animation, *other];
                self.compare_timing(&key, pair);
                self.compare_poses(&key, pair, &pairs);
                self.compare_animated_surfaces(&key, pair)?;
            }
        }
        Ok(())
    }

    fn compare_timing(&mut self, key: &str, pair: [&Animation; 2]) {
        let [duration, other] =
            pair.map(|animation| animation.ticks_to_seconds(animation.duration));
        let by = f64::from((duration - other).abs());
        if by > self.tolerance {
            let path = format!("animations[{key}].duration");
            let difference =
                SceneDifference::changed(path, format!("{duration} s"), format!("{other} s"));
            self.add([difference.by(by, Quantity::TIMES)]);
        }
        let [looped, other] = pair.map(|animation| animation.looped);
        if looped != other {
            self.add([SceneDifference::changed(
                format!("animations[{key}].looped"),
                looped,
                other,
            )]);
        }
    }

    /// Compares the poses at and between all keys.
    fn compare_poses(&mut self, key: &str, pair: [&Animation; 2], pairs: &JointPairs) {
        let [a, b] = self.scenes;
        let max_times = MAX_TRANSFORMS / a.skeleton.joints.len().max(1);
        let mut tally = TransformTally::default();
        for seconds in sample_times(pair, max_times.max(1)) {
            let posed = [(a, pair[0]), (b, pair[1])].map(|(scene, animation)| {
                let ticks = animation.seconds_to_ticks(seconds as f32);
                PosedJoints::new(scene, animation.pose(&scene.skeleton, ticks))
            });
            let at = |joint| format!("{}, {} s", joint_key(a, joint), seconds as f32);
            self.add_poses(&mut tally, pairs, &posed, &at);
        }
        self.add(tally.differences(&format!("animations[{key}]")));
    }
}

/// Returns the times in seconds at which to compare two animations: their keys, and the middles between them. If one
/// has steps, times after the keys replace the keys, since rounding decides about the value at a step.
fn sample_times(pair: [&Animation; 2], max_count: usize) -> Vec<f64> {
    let seconds = |animation: &Animation, ticks: f32| f64::from(animation.ticks_to_seconds(ticks));
    let mut keys: Vec<f64> = pair
        .into_iter()
        .flat_map(|animation| {
            animation
                .times
                .iter()
                .flatten()
                .map(|ticks| seconds(animation, *ticks))
        })
        .filter(|time| time.is_finite())
        .collect();
    // At its end, a loop continues with its start.
    let ends = pair.into_iter().filter(|animation| animation.looped);
    let end = ends
        .map(|animation| seconds(animation, animation.duration))
        .fold(f64::INFINITY, f64::min);
    keys.retain(|time| *time < end - MIN_INTERVAL);
    keys.sort_by(f64::total_cmp);
    keys.dedup_by(|later, earlier| *later - *earlier < MIN_INTERVAL);
    let mut channels = pair.into_iter().flat_map(|animation| &animation.channels);
    let has_steps = channels.any(|channel| channel.interpolation == Interpolation::Step);
    let mut times = Vec::new();
    for interval in keys.windows(2) {
        let [start, end] = [interval[0], interval[1]];
        times.push(if has_steps {
            start + 0.01 * (end - start)
        } else {
            start
        });
        times.push((start + end) / 2.0);
    }
    times.extend(keys.last().filter(|_| !has_steps || keys.len() == 1));
    let step = times.len().div_ceil(max_count).max(1);
    times.into_iter().step_by(step).collect()
}

/// Returns the key of a joint in a path: its name in quotes, or its index if it has none.
fn joint_key(scene: &Scene, joint: usize) -> String {
    match scene.skeleton.joints.get(joint) {
        Some(joint) if !joint.name.is_empty() => quoted(&joint.name),
        _ => joint.to_string(),
    }
}
