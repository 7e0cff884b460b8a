//! Animations of the skeleton, and their evaluation at any time.

use super::{Skeleton, Transform, push_index};
use glam::{Quat, Vec3};

/// One animation of the skeleton.
///
/// ```
/// use meshspec::scene::{Animation, Channel, Interpolation, Joint, Samples, Skeleton};
///
/// let samples = Samples::Translation(vec![[0.0; 3], [0.0, 3.0, 0.0]]);
/// let channel = Channel { joint: 0, times: 0, interpolation: Interpolation::Linear, samples };
/// let times = vec![vec![0.0, 24.0]];
/// let lift = Animation { rate: 24.0, duration: 24.0, times, channels: vec![channel], ..Animation::default() };
/// let skeleton = Skeleton { joints: vec![Joint::default()] };
/// assert_eq!(lift.pose(&skeleton, 8.0)[0].translation, [0.0, 1.0, 0.0]);
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Animation {
    /// The name; empty for an unnamed animation.
    pub name: String,
    /// The number of ticks per second; all times are in ticks.
    pub rate: f32,
    /// The duration in ticks.
    pub duration: f32,
    /// Whether the animation loops. If so, each channel repeats after [`duration`](Animation::duration) ticks: it
    /// interpolates from its last sample to the first sample of the next loop.
    pub looped: bool,
    /// Lists of sample times, in ticks and ascending order. Channels can share a list.
    pub times: Vec<Vec<f32>>,
    /// The animated properties of joints.
    pub channels: Vec<Channel>,
}

/// One property of one joint over time. Properties without a channel keep their rest values.
#[derive(Debug, Clone, PartialEq)]
pub struct Channel {
    /// The index of the joint.
    pub joint: usize,
    /// The index in [`Animation::times`] of the sample times.
    pub times: usize,
    /// The interpolation between samples.
    pub interpolation: Interpolation,
    /// One value per time, relative to the parent joint.
    pub samples: Samples,
}

/// The interpolation between two samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Interpolation {
    /// Holds the earlier sample until the time of the later one.
    Step,
    /// Linear interpolation; rotations use slerp along the shorter arc.
    #[default]
    Linear,
    /// Linear interpolation; rotations use nlerp without changing the signs of the quaternions. Unlike slerp, nlerp
    /// turns faster near the middle.
    Normalized,
}

/// The values of a channel.
#[derive(Debug, Clone, PartialEq)]
pub enum Samples {
    /// Translations (X, Y, Z).
    Translation(Vec<[f32; 3]>),
    /// Rotation quaternions (X, Y, Z, W).
    Rotation(Vec<[f32; 4]>),
    /// Scale factors along the axes (X, Y, Z).
    Scale(Vec<[f32; 3]>),
}

impl Samples {
    /// Returns the number of samples, which equals the number of sample times.
    pub fn len(&self) -> usize {
        match self {
            Samples::Translation(values) | Samples::Scale(values) => values.len(),
            Samples::Rotation(values) => values.len(),
        }
    }

    /// Returns `true` if there are no samples.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Animation {
    /// Converts ticks to seconds. Returns `ticks` unchanged unless the rate is positive and finite.
    ///
    /// ```
    /// let animation = meshspec::scene::Animation { rate: 30.0, ..Default::default() };
    /// assert_eq!(animation.ticks_to_seconds(45.0), 1.5);
    /// ```
    pub fn ticks_to_seconds(&self, ticks: f32) -> f32 {
        if self.rate > 0.0 && self.rate.is_finite() {
            ticks / self.rate
        } else {
            ticks
        }
    }

    pub(super) fn seconds_to_ticks(&self, seconds: f32) -> f32 {
        if self.rate > 0.0 && self.rate.is_finite() {
            seconds * self.rate
        } else {
            seconds
        }
    }

    /// Returns the start and end in seconds: 0 and the duration, extended to samples outside this range.
    pub(super) fn time_range(&self) -> (f32, f32) {
        let times = self.times.iter().flatten();
        let (first, last) = times.fold((0.0, self.duration), |(first, last): (f32, f32), time| {
            (first.min(*time), last.max(*time))
        });
        // With a negative duration, `first` may exceed `last`.
        let (first, last) = (self.ticks_to_seconds(first), self.ticks_to_seconds(last));
        (first.min(last), first.max(last))
    }

    /// Returns the index of the list `times`, adding the list if it is new.
    pub(crate) fn list_of_times(&mut self, times: Vec<f32>) -> usize {
        let known = self.times.iter().position(|list| *list == times);
        known.unwrap_or_else(|| push_index(&mut self.times, times))
    }

    /// Returns the times of all lists in ticks, ascending and without duplicates.
    #[cfg(any(feature = "mesh", feature = "bmd"))]
    pub(super) fn all_times(&self) -> Vec<f32> {
        sorted_times(self.times.iter().flatten().copied())
    }

    /// Returns the transform of each joint, relative to its parent, at the time `ticks`. Unless the animation loops,
    /// each channel clamps `ticks` to its first and last sample time.
    pub fn pose(&self, skeleton: &Skeleton, ticks: f32) -> Vec<Transform> {
        self.poses(skeleton, &[ticks])
    }

    /// Returns the [poses](Animation::pose) at several times, concatenated.
    pub fn poses(&self, skeleton: &Skeleton, ticks: &[f32]) -> Vec<Transform> {
        let joints = skeleton.joints.len();
        let mut poses = skeleton.rest_pose().repeat(ticks.len());
        for channel in self
            .channels
            .iter()
            .filter(|channel| channel.joint < joints)
        {
            let Some(times) = self.times.get(channel.times) else {
                continue;
            };
            let period = self.looped.then_some(self.duration);
            for (index, position) in SamplePosition::locate_all(times, ticks, period).enumerate() {
                if let Some(transform) = poses.get_mut(index * joints + channel.joint) {
                    position.sample_into(channel, transform);
                }
            }
        }
        poses
    }
}

/// Returns times in ascending order and without duplicates.
#[cfg(any(feature = "mesh", feature = "gltf", feature = "bmd"))]
pub(crate) fn sorted_times(times: impl Iterator<Item = f32>) -> Vec<f32> {
    let mut times: Vec<f32> = times.collect();
    times.sort_by(f32::total_cmp);
    times.dedup();
    times
}

/// Returns the time at which a channel that starts again every `period` ticks reaches its last sample, if that is after
/// the end of an iteration; `None` if the channel has no bend between its samples.
#[cfg(any(feature = "mesh", feature = "gltf", feature = "bmd"))]
pub(crate) fn bend_in_loop(times: &[f32], period: Option<f32>) -> Option<f32> {
    let (period, first, last) = (period?, *times.first()?, *times.last()?);
    Some(last - period).filter(|bend| *bend > 0.0 && *bend < first.min(period))
}

impl Channel {
    /// Resamples the channel, with sample times `times`, at the times `ticks`. Loops after `period` ticks, if given.
    #[cfg(any(feature = "mesh", feature = "gltf", feature = "bmd"))]
    pub(crate) fn resample(&self, times: &[f32], ticks: &[f32], period: Option<f32>) -> Samples {
        let mut transforms = vec![Transform::default(); ticks.len()];
        for (position, transform) in
            SamplePosition::locate_all(times, ticks, period).zip(&mut transforms)
        {
            position.sample_into(self, transform);
        }
        let transforms = transforms.into_iter();
        match self.samples {
            Samples::Translation(_) => {
                Samples::Translation(transforms.map(|t| t.translation).collect())
            }
            Samples::Rotation(_) => Samples::Rotation(transforms.map(|t| t.rotation).collect()),
            Samples::Scale(_) => Samples::Scale(transforms.map(|t| t.scale).collect()),
        }
    }
}

/// A position between two samples of a channel.
struct SamplePosition {
    /// The indices of the two samples.
    before: usize,
    after: usize,
    /// From 0 at `before` to 1 at `after`.
    fraction: f32,
}

impl SamplePosition {
    /// Locates each time of `ticks` between the sample times of a channel.
    fn locate_all(
        times: &[f32],
        ticks: &[f32],
        period: Option<f32>,
    ) -> impl Iterator<Item = SamplePosition> {
        // Resampling at the sample times needs no search, so the times need not be ascending.
        let are_sample_times = times.len() == ticks.len()
            && times
                .iter()
                .zip(ticks)
                .all(|(time, tick)| time.to_bits() == tick.to_bits());
        ticks
            .iter()
            .enumerate()
            .map(move |(index, ticks)| match are_sample_times {
                true => SamplePosition {
                    before: index,
                    after: index,
                    fraction: 0.0,
                },
                false => match (period, times) {
                    (Some(period), [first, .., last]) if period > 0.0 => {
                        SamplePosition::locate_in_loop(times, *ticks, period, (*first, *last))
                    }
                    _ => SamplePosition::locate(times, *ticks),
                },
            })
    }

    /// Locates the time `ticks` in an animation that loops after `period` ticks.
    fn locate_in_loop(
        times: &[f32],
        ticks: f32,
        period: f32,
        (first, last): (f32, f32),
    ) -> SamplePosition {
        let ticks = ticks.rem_euclid(period);
        if (first..=last).contains(&ticks) {
            return SamplePosition::locate(times, ticks);
        }
        let since_last = if ticks > last {
            ticks - last
        } else {
            ticks + period - last
        };
        let fraction = (since_last / (first + period - last)).clamp(0.0, 1.0);
        SamplePosition {
            before: times.len() - 1,
            after: 0,
            fraction,
        }
    }

    /// Locates the time `ticks`, clamped to the first and last sample time.
    fn locate(times: &[f32], ticks: f32) -> SamplePosition {
        let next = times.partition_point(|time| *time <= ticks);
        let (before, after) = (
            next.saturating_sub(1),
            next.min(times.len().saturating_sub(1)),
        );
        let fraction = match (times.get(before), times.get(after)) {
            (Some(start), Some(end)) if end > start => {
                ((ticks - start) / (end - start)).clamp(0.0, 1.0)
            }
            _ => 0.0,
        };
        SamplePosition {
            before,
            after,
            fraction,
        }
    }

    fn sample_into(&self, channel: &Channel, target: &mut Transform) {
        let mode = channel.interpolation;
        match &channel.samples {
            Samples::Translation(values) => {
                self.interpolate_vector(values, mode, &mut target.translation)
            }
            Samples::Scale(values) => self.interpolate_vector(values, mode, &mut target.scale),
            Samples::Rotation(values) => {
                self.interpolate_rotation(values, mode, &mut target.rotation)
            }
        }
    }

    fn interpolate_vector(
        &self,
        values: &[[f32; 3]],
        interpolation: Interpolation,
        target: &mut [f32; 3],
    ) {
        if let (Some(before), Some(after)) = (values.get(self.before), values.get(self.after)) {
            *target = match interpolation != Interpolation::Step && self.fraction > 0.0 {
                true => Vec3::from(*before)
                    .lerp(Vec3::from(*after), self.fraction)
                    .into(),
                false => *before,
            }
        }
    }

    fn interpolate_rotation(
        &self,
        values: &[[f32; 4]],
        interpolation: Interpolation,
        target: &mut [f32; 4],
    ) {
        if let (Some(before), Some(after)) = (values.get(self.before), values.get(self.after)) {
            let (from, to) = (Quat::from_array(*before), Quat::from_array(*after));
            *target = match interpolation {
                Interpolation::Linear if self.fraction > 0.0 => {
                    from.slerp(to, self.fraction).to_array()
                }
                Interpolation::Normalized if self.fraction > 0.0 => {
                    let straight = from * (1.0 - self.fraction) + to * self.fraction;
                    let length = straight.length();
                    // Halfway between opposite quaternions, the weighted sum is zero.
                    if length > 0.0 {
                        (straight / length).to_array()
                    } else {
                        Quat::IDENTITY.to_array()
                    }
                }
                _ => *before,
            }
        }
    }
}
