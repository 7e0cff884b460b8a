//! How the joints move.

use super::{Skeleton, Transform};
use glam::{Quat, Vec3};

/// One animation of the skeleton.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Animation {
    /// The name; empty for none.
    pub name: String,
    /// Ticks per second: times are in ticks.
    pub rate: f32,
    /// Duration in ticks.
    pub duration: f32,
    /// Whether the animation starts again at its end: after its last sample a channel goes to its first one, which it
    /// reaches a duration later.
    pub looped: bool,
    /// Lists of times in ticks, ascending, which channels share.
    pub times: Vec<Vec<f32>>,
    /// What moves.
    pub channels: Vec<Channel>,
}

/// One property of one joint over time. A joint's property without a channel stays as it is at rest.
#[derive(Debug, Clone, PartialEq)]
pub struct Channel {
    /// Index of the joint.
    pub joint: usize,
    /// Which of [`Animation::times`] the samples belong to.
    pub times: usize,
    /// What is between two samples.
    pub interpolation: Interpolation,
    /// One value per time, relative to the parent joint.
    pub samples: Samples,
}

/// What is between two samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Interpolation {
    /// The earlier sample.
    Step,
    /// On the straight line between them; rotations on the great circle, the shorter way round.
    #[default]
    Linear,
    /// On the straight line between them; rotations as they are, then made unit length, which is faster near the
    /// middle.
    Normalized,
}

/// The values of a channel.
#[derive(Debug, Clone, PartialEq)]
pub enum Samples {
    /// Translations (X, Y, Z).
    Translation(Vec<[f32; 3]>),
    /// Rotation quaternions (X, Y, Z, W).
    Rotation(Vec<[f32; 4]>),
    /// Factors along the axes (X, Y, Z).
    Scale(Vec<[f32; 3]>),
}

impl Samples {
    /// Number of samples: that of the times.
    pub fn len(&self) -> usize {
        match self {
            Samples::Translation(values) | Samples::Scale(values) => values.len(),
            Samples::Rotation(values) => values.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Animation {
    /// A time of this animation in seconds; as it is where the rate is not a positive number.
    pub fn seconds(&self, ticks: f32) -> f32 {
        if self.rate > 0.0 && self.rate.is_finite() { ticks / self.rate } else { ticks }
    }

    /// A time in seconds in ticks.
    pub(super) fn ticks(&self, seconds: f32) -> f32 {
        if self.rate > 0.0 && self.rate.is_finite() { seconds * self.rate } else { seconds }
    }

    /// The first and the last moment, in seconds: time 0 and the duration, or samples beyond them.
    pub(super) fn span(&self) -> (f32, f32) {
        let times = self.times.iter().flatten();
        let (first, last) = times.fold((0.0, self.duration), |(first, last): (f32, f32), time| {
            (first.min(*time), last.max(*time))
        });
        // A negative rate is not applied, and a negative duration ends before it starts.
        let (first, last) = (self.seconds(first), self.seconds(last));
        (first.min(last), first.max(last))
    }

    /// The times of all lists in ticks, each once.
    #[cfg(any(feature = "mesh", feature = "bmd"))]
    pub(super) fn all_times(&self) -> Vec<f32> {
        let mut times: Vec<f32> = self.times.iter().flatten().copied().collect();
        times.sort_by(f32::total_cmp);
        times.dedup();
        times
    }

    /// Where each joint is, relative to its parent, at a time in ticks. Before the first and after the last sample of a
    /// channel that sample holds, unless the animation is looped.
    pub fn pose(&self, skeleton: &Skeleton, ticks: f32) -> Vec<Transform> {
        self.poses(skeleton, &[ticks])
    }

    /// The [poses](Animation::pose) at several times, one after the other.
    pub fn poses(&self, skeleton: &Skeleton, ticks: &[f32]) -> Vec<Transform> {
        let joints = skeleton.joints.len();
        let mut poses = skeleton.rest_pose().repeat(ticks.len());
        for channel in self.channels.iter().filter(|channel| channel.joint < joints) {
            let Some(times) = self.times.get(channel.times) else { continue };
            let round = self.looped.then_some(self.duration);
            for (index, moment) in Moment::all(times, ticks, round).enumerate() {
                if let Some(transform) = poses.get_mut(index * joints + channel.joint) {
                    moment.sample(channel, transform);
                }
            }
        }
        poses
    }
}

impl Channel {
    /// The samples at other times, in ticks; the channel's own are `times`. An animation that starts again does so after
    /// `round` ticks.
    #[cfg(any(feature = "mesh", feature = "gltf", feature = "bmd"))]
    pub(crate) fn at(&self, times: &[f32], ticks: &[f32], round: Option<f32>) -> Samples {
        let mut transforms = vec![Transform::default(); ticks.len()];
        for (moment, transform) in Moment::all(times, ticks, round).zip(&mut transforms) {
            moment.sample(self, transform);
        }
        let transforms = transforms.into_iter();
        match self.samples {
            Samples::Translation(_) => Samples::Translation(transforms.map(|t| t.translation).collect()),
            Samples::Rotation(_) => Samples::Rotation(transforms.map(|t| t.rotation).collect()),
            Samples::Scale(_) => Samples::Scale(transforms.map(|t| t.scale).collect()),
        }
    }
}

/// A place between two samples.
struct Moment {
    before: usize,
    after: usize,
    /// From 0, the sample before, to 1, the one after.
    fraction: f32,
}

impl Moment {
    /// The places of these times, in ticks, in the list of times of a channel.
    fn all(times: &[f32], ticks: &[f32], round: Option<f32>) -> impl Iterator<Item = Moment> {
        // Where the list is taken as it is, it need not be ascending.
        let same = times.len() == ticks.len()
            && times.iter().zip(ticks).all(|(time, tick)| time.to_bits() == tick.to_bits());
        ticks.iter().enumerate().map(move |(index, ticks)| match same {
            true => Moment { before: index, after: index, fraction: 0.0 },
            false => match (round, times) {
                (Some(round), [first, .., last]) if round > 0.0 => {
                    Moment::in_round(times, *ticks, round, (*first, *last))
                }
                _ => Moment::find(times, *ticks),
            },
        })
    }

    /// A time of an animation that starts again after `round` ticks.
    fn in_round(times: &[f32], ticks: f32, round: f32, (first, last): (f32, f32)) -> Moment {
        let ticks = ticks.rem_euclid(round);
        if (first..=last).contains(&ticks) {
            return Moment::find(times, ticks);
        }
        let since_last = if ticks > last { ticks - last } else { ticks + round - last };
        let fraction = (since_last / (first + round - last)).clamp(0.0, 1.0);
        Moment { before: times.len() - 1, after: 0, fraction }
    }

    /// A time before the first or after the last sample is that of the sample.
    fn find(times: &[f32], ticks: f32) -> Moment {
        let last = times.len().saturating_sub(1);
        let after = times.partition_point(|time| *time <= ticks).min(last);
        let before = times.partition_point(|time| *time <= ticks).saturating_sub(1);
        let fraction = match (times.get(before), times.get(after)) {
            (Some(start), Some(end)) if end > start => ((ticks - start) / (end - start)).clamp(0.0, 1.0),
            _ => 0.0,
        };
        Moment { before, after, fraction }
    }

    fn sample(&self, channel: &Channel, target: &mut Transform) {
        match &channel.samples {
            Samples::Translation(values) => {
                self.linear(values, channel.interpolation, &mut target.translation)
            }
            Samples::Scale(values) => self.linear(values, channel.interpolation, &mut target.scale),
            Samples::Rotation(values) => self.rotation(values, channel.interpolation, &mut target.rotation),
        }
    }

    fn linear(&self, values: &[[f32; 3]], interpolation: Interpolation, target: &mut [f32; 3]) {
        if let (Some(before), Some(after)) = (values.get(self.before), values.get(self.after)) {
            *target = match interpolation {
                Interpolation::Linear | Interpolation::Normalized if self.fraction > 0.0 => {
                    Vec3::from(*before).lerp(Vec3::from(*after), self.fraction).into()
                }
                _ => *before,
            }
        }
    }

    fn rotation(&self, values: &[[f32; 4]], interpolation: Interpolation, target: &mut [f32; 4]) {
        if let (Some(before), Some(after)) = (values.get(self.before), values.get(self.after)) {
            let (from, to) = (Quat::from_array(*before), Quat::from_array(*after));
            *target = match interpolation {
                Interpolation::Linear if self.fraction > 0.0 => from.slerp(to, self.fraction).to_array(),
                Interpolation::Normalized if self.fraction > 0.0 => {
                    let straight = from * (1.0 - self.fraction) + to * self.fraction;
                    let length = straight.length();
                    // Halfway between opposite ones there is none.
                    if length > 0.0 { (straight / length).to_array() } else { Quat::IDENTITY.to_array() }
                }
                _ => *before,
            }
        }
    }
}
