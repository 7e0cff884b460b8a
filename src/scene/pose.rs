//! Poses of the skeleton: sets the rest pose of a scene, and moves skinned vertices to a pose.

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

use glam::{DVec3, Mat3, Mat4, Vec3};

use super::exact::{Extent, rounded};
use super::placement::is_diagonal;
use super::skin::slots;
use super::{
    Animation, Channel, Interpolation, Mesh, Placement, Samples, Scene, Skeleton, Skin, Transform,
};
use crate::{Error, Result};

/// The relative tolerance for rounding errors of matrix products.
const TOLERANCE: f32 = 1e-5;

/// The tolerance, in seconds, for rounded times just outside the animation.
const TIME_TOLERANCE: f32 = 1e-3;

/// The maximum number of animation names in a message.
const MAX_NAMES: usize = 20;

/// A pose of a scene.
///
/// ```
/// use meshspec::scene::Pose;
///
/// assert_eq!("bind".parse::<Pose>()?, Pose::Bind);
/// let walk = Pose::Animation { name: "walk".to_owned(), seconds: 0.5 };
/// assert_eq!("walk@0.5".parse::<Pose>()?, walk);
/// assert!("walk".parse::<Pose>().is_err());
/// # Ok::<(), meshspec::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Pose {
    /// The bind pose, in which the vertices are bound to the joints.
    Bind,
    /// The current rest pose, used while no animation plays.
    Rest,
    /// The pose of an animation at a point in time.
    Animation {
        /// The name of the animation, or its index in [`Scene::animations`] if none has that name.
        name: String,
        /// The time in seconds since tick 0.
        seconds: f32,
    },
}

impl fmt::Display for Pose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pose::Bind => f.write_str("bind"),
            Pose::Rest => f.write_str("rest"),
            Pose::Animation { name, seconds } => write!(f, "{name}@{seconds}"),
        }
    }
}

impl FromStr for Pose {
    type Err = Error;

    fn from_str(text: &str) -> Result<Pose> {
        let parse_time = || {
            let (name, seconds) = text.rsplit_once('@')?;
            let seconds = seconds
                .parse::<f32>()
                .ok()
                .filter(|seconds| seconds.is_finite())?;
            Some(Pose::Animation {
                name: name.to_owned(),
                seconds,
            })
        };
        match text {
            "bind" => Ok(Pose::Bind),
            "rest" => Ok(Pose::Rest),
            _ => parse_time().ok_or_else(|| {
                let expected = "bind, rest or NAME@SECONDS, as in walk@0.5";
                Error::unsupported(format!("`{text}` is not a pose; expected {expected}"))
            }),
        }
    }
}

impl Scene {
    /// Sets the rest pose of the scene to `pose`. Animations keep their poses.
    ///
    /// ```
    /// # #[cfg(feature = "mesh")] {
    /// let (mut scene, _) = meshspec::scene::Scene::open("samples/mesh/tentacle.mesh")?;
    /// let bound = scene.skeleton.bind_transform(1);
    /// scene.set_rest_pose(&"0@0.5".parse()?)?;
    /// assert_ne!(scene.skeleton.rest_transform(1), bound);
    /// # }
    /// # Ok::<(), meshspec::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the animation does not exist, or the time is more than a millisecond outside its range.
    pub fn set_rest_pose(&mut self, pose: &Pose) -> Result<()> {
        match pose {
            Pose::Rest => {}
            Pose::Bind => self.set_rest_transforms(None),
            Pose::Animation { name, seconds } => {
                let animation = self.animation(name)?;
                let (first, last) = animation.time_range();
                if !(first - TIME_TOLERANCE..=last + TIME_TOLERANCE).contains(seconds) {
                    let message = format!("{pose}: the animation lasts from {first} s to {last} s");
                    return Err(Error::unsupported(message));
                }
                let ticks = animation.seconds_to_ticks(seconds.clamp(first, last));
                let local = animation.pose(&self.skeleton, ticks);
                self.set_rest_transforms(Some(&local));
            }
        }
        Ok(())
    }

    /// Returns the animation with the name `name`. If no animation has this name, parses `name` as an index.
    fn animation(&self, name: &str) -> Result<&Animation> {
        let named = self
            .animations
            .iter()
            .find(|animation| animation.name == name);
        let numbered = || {
            name.parse::<usize>()
                .ok()
                .and_then(|index| self.animations.get(index))
        };
        named.or_else(numbered).ok_or_else(|| {
            let names = self
                .animations
                .iter()
                .take(MAX_NAMES)
                .map(|one| format!("\"{}\"", one.name));
            let names = names.collect::<Vec<_>>().join(", ");
            let known = match self.animations.len() {
                0 => "the scene has none".to_owned(),
                1..=MAX_NAMES => format!("expected one of {names}"),
                count => format!("expected one of {names} and {} more", count - MAX_NAMES),
            };
            Error::unsupported(format!("no animation \"{name}\": {known}"))
        })
    }

    /// Sets the rest pose to `local`, one transform per joint relative to its parent; `None` sets the bind pose.
    ///
    /// Animations keep their poses: each changed property without a channel gets one with its previous rest value.
    ///
    /// ```
    /// use meshspec::scene::{Joint, Scene, Transform};
    ///
    /// let mut scene = Scene::default();
    /// scene.skeleton.joints.push(Joint::default());
    /// let raised = Transform { translation: [0.0, 1.0, 0.0], ..Transform::default() };
    /// scene.set_rest_transforms(Some(&[raised]));
    /// assert_eq!(scene.skeleton.joints[0].rest, Some(raised));
    /// scene.set_rest_transforms(None);
    /// assert_eq!(scene.skeleton.joints[0].rest, None);
    /// ```
    pub fn set_rest_transforms(&mut self, local: Option<&[Transform]>) {
        let before = self.skeleton.rest_pose();
        for (index, joint) in self.skeleton.joints.iter_mut().enumerate() {
            joint.rest = local.and_then(|local| local.get(index).copied());
        }
        let after = self.skeleton.rest_pose();
        self.animations
            .iter_mut()
            .for_each(|animation| animation.add_constant_channels(&before, &after));
    }

    /// Moves skinned vertices to the rest pose. Returns the number of moved vertices.
    pub(crate) fn apply_rest_pose(&mut self) -> usize {
        // Joints without a rest transform stay in the bind pose.
        if self
            .skeleton
            .joints
            .iter()
            .all(|joint| joint.rest.is_none())
        {
            return 0;
        }
        self.apply_pose(&self.skeleton.rest_pose())
    }

    /// Moves skinned vertices to the pose `local`, one transform per joint relative to its parent. The bind pose is
    /// unchanged. Returns the number of moved vertices.
    pub fn apply_pose(&mut self, local: &[Transform]) -> usize {
        let skinning = Skinning::new(self, &self.skeleton.global_matrices(local));
        if skinning.is_identity() {
            return 0;
        }
        let mut moved = 0;
        for mesh in &mut self.meshes {
            for vertex in 0..mesh.positions.len() {
                let matrix = skinning.blend(&mesh.skins, vertex);
                if let Some(matrix) = matrix.filter(|matrix| !skinning.is_negligible(*matrix)) {
                    mesh.transform_vertex(vertex, matrix);
                    moved += 1;
                }
            }
        }
        moved
    }

    /// Calls `visit` with the rest position of every vertex in every instance. For placed instances without rotation
    /// and shear, visits two opposite corners of their bounding box instead.
    pub(super) fn for_each_rest_position(&self, mut visit: impl FnMut(DVec3)) {
        let skinning = Skinning::new(
            self,
            &self.skeleton.global_matrices(&self.skeleton.rest_pose()),
        );
        for mesh in &self.meshes {
            if !mesh.placements.is_empty() {
                mesh.for_each_placed_bound(&mut visit);
                continue;
            }
            for (vertex, point) in mesh.points().enumerate() {
                let matrix = skinning.blend(&mesh.skins, vertex);
                visit(matrix.map_or(point, |matrix| matrix.as_dmat4().transform_point3(point)));
            }
        }
    }
}

impl Skeleton {
    /// Returns the rest transform of each joint relative to its parent.
    pub(super) fn rest_pose(&self) -> Vec<Transform> {
        (0..self.joints.len())
            .map(|joint| self.rest_transform(joint))
            .collect()
    }
}

impl Animation {
    /// Adds a constant channel with the value `before` for each unanimated property that differs in `after`.
    fn add_constant_channels(&mut self, before: &[Transform], after: &[Transform]) {
        let property = std::mem::discriminant::<Samples>;
        let animated = self
            .channels
            .iter()
            .filter(|channel| !channel.samples.is_empty());
        let animated: HashSet<_> = animated
            .map(|channel| (channel.joint, property(&channel.samples)))
            .collect();
        let mut constant = Vec::new();
        for (joint, (before, after)) in before.iter().zip(after).enumerate() {
            let Transform {
                translation,
                rotation,
                scale,
            } = *before;
            let all = [
                (
                    differ(&translation, &after.translation),
                    Samples::Translation(vec![translation]),
                ),
                (
                    differ(&rotation, &after.rotation),
                    Samples::Rotation(vec![rotation]),
                ),
                (differ(&scale, &after.scale), Samples::Scale(vec![scale])),
            ];
            let changed = all.into_iter().filter(|(is_changed, _)| *is_changed);
            let changed = changed.map(|(_, samples)| (joint, samples));
            constant.extend(
                changed.filter(|(_, samples)| !animated.contains(&(joint, property(samples)))),
            );
        }
        if constant.is_empty() {
            return;
        }
        let starts = self.times.iter().filter_map(|times| times.first()).copied();
        let start = starts.reduce(f32::min).unwrap_or(0.0);
        let times = self.list_of_times(vec![start]);
        let interpolation = Interpolation::Linear;
        let to_channel = |(joint, samples)| Channel {
            joint,
            times,
            interpolation,
            samples,
        };
        self.channels.extend(constant.into_iter().map(to_channel));
    }
}

/// Returns `true` if two vectors differ by more than rounding.
fn differ(a: &[f32], b: &[f32]) -> bool {
    let largest = a
        .iter()
        .chain(b)
        .fold(0.0, |largest: f32, value| largest.max(value.abs()));
    a.iter()
        .zip(b)
        .any(|(a, b)| (a - b).abs() > TOLERANCE * largest)
}

impl Mesh {
    /// Calls `visit` with points that have the same bounding box as all instances.
    fn for_each_placed_bound(&self, mut visit: impl FnMut(DVec3)) {
        let mut extent = Extent::default();
        self.points().for_each(|point| extent.add(point));
        for transform in self.placements.iter().flat_map(Placement::transforms) {
            let place = |point| visit(transform.transform_point3(point));
            match is_diagonal(transform) {
                true if self.positions.is_empty() => {}
                true => [extent.min, extent.max].into_iter().for_each(place),
                false => self.points().for_each(place),
            }
        }
    }

    /// Transforms a vertex with its normal and tangent.
    pub(super) fn transform_vertex(&mut self, vertex: usize, matrix: Mat4) {
        match self
            .exact_positions
            .as_mut()
            .and_then(|exact| exact.get_mut(vertex))
        {
            Some(exact) => {
                *exact = matrix
                    .as_dmat4()
                    .transform_point3(DVec3::from(*exact))
                    .into();
                self.positions[vertex] = rounded(*exact);
            }
            None => {
                let position = matrix.transform_point3(Vec3::from(self.positions[vertex]));
                self.positions[vertex] = position.into();
            }
        }
        let linear = Mat3::from_mat4(matrix);
        if let Some(normal) = self
            .normals
            .as_mut()
            .and_then(|normals| normals.get_mut(vertex))
        {
            let turned = linear.inverse().transpose() * Vec3::from(*normal);
            *normal = turned.try_normalize().unwrap_or(Vec3::from(*normal)).into();
        }
        if let Some(tangent) = self
            .tangents
            .as_mut()
            .and_then(|tangents| tangents.get_mut(vertex))
        {
            let [x, y, z, side] = *tangent;
            let own = Vec3::new(x, y, z);
            *tangent = (linear * own)
                .try_normalize()
                .unwrap_or(own)
                .extend(side)
                .into();
        }
    }
}

/// The joint matrices of a pose, for linear blend skinning.
pub(super) struct Skinning {
    /// The transform of each joint from its bind pose to its current pose, in model space.
    pub matrices: Vec<Mat4>,
    /// The largest absolute coordinate of skinned vertices, the reference for rounding errors.
    max_vertex_coordinate: f32,
    /// The largest absolute coordinate of joints, the reference for rounding errors.
    max_joint_coordinate: f32,
}

impl Skinning {
    /// Computes the joint matrices of the pose `global`, the transform of each joint from joint space to model space.
    pub fn new(scene: &Scene, global: &[Mat4]) -> Skinning {
        let matrices = global.iter().zip(&scene.skeleton.joints);
        let matrices = matrices.map(|(global, joint)| *global * joint.inverse_bind);
        let matrices = matrices.map(|matrix| {
            if matrix.is_finite() {
                matrix
            } else {
                Mat4::IDENTITY
            }
        });
        let skinned = scene.meshes.iter().filter(|mesh| !mesh.skins.is_empty());
        let coordinates = skinned.flat_map(|mesh| mesh.positions.as_flattened());
        let joints = global
            .iter()
            .map(|global| global.w_axis.truncate().abs().max_element());
        Skinning {
            matrices: matrices.collect(),
            max_vertex_coordinate: coordinates
                .fold(0.0, |largest, coordinate| largest.max(coordinate.abs())),
            max_joint_coordinate: joints.fold(0.0, f32::max),
        }
    }

    /// Returns `true` if the pose moves no vertices, except for rounding.
    pub fn is_identity(&self) -> bool {
        self.matrices
            .iter()
            .all(|matrix| self.is_negligible(*matrix))
    }

    /// Returns `true` if `matrix` moves no vertices, except for rounding.
    pub fn is_negligible(&self, matrix: Mat4) -> bool {
        self.are_equivalent(matrix, Mat4::IDENTITY)
    }

    /// Returns `true` if two matrices move vertices equally, except for rounding.
    pub fn are_equivalent(&self, a: Mat4, b: Mat4) -> bool {
        let [linear, other] = [a, b].map(Mat3::from_mat4);
        let sizes = [b.x_axis, b.y_axis, b.z_axis].map(|axis| axis.abs().max_element());
        let size = sizes.into_iter().fold(0.0, f32::max);
        let distance = (a.w_axis - b.w_axis).abs().max_element();
        let tolerated = TOLERANCE * (size * self.max_vertex_coordinate + self.max_joint_coordinate);
        linear.abs_diff_eq(other, TOLERANCE * size) && distance <= tolerated
    }

    /// Returns the weighted mean of the joint matrices of a vertex; `None` without influences.
    pub fn blend(&self, skins: &[Skin], vertex: usize) -> Option<Mat4> {
        let (mut sum, mut blended) = (0.0, Mat4::ZERO);
        for (joint, weight) in joint_weights(skins, vertex) {
            if let Some(matrix) = self.matrices.get(joint) {
                sum += weight;
                blended += *matrix * weight;
            }
        }
        (sum > 0.0).then(|| blended * (1.0 / sum))
    }
}

/// Returns the joints of a vertex with their weights. Omits joints unless their weight is positive and finite.
pub(super) fn joint_weights(skins: &[Skin], vertex: usize) -> impl Iterator<Item = (usize, f32)> {
    let slots = slots(skins, vertex).map(|(joint, weight)| (usize::from(joint), weight));
    slots.filter(|(_, weight)| *weight > 0.0 && weight.is_finite())
}

/// Returns the largest factor by which a matrix scales one of the axes.
#[cfg(any(feature = "mesh", feature = "bmd", feature = "gltf"))]
pub(super) fn longest_axis(matrix: Mat4) -> f32 {
    let axes = Mat3::from_mat4(matrix);
    [axes.x_axis, axes.y_axis, axes.z_axis]
        .map(Vec3::length)
        .into_iter()
        .fold(0.0, f32::max)
}
