//! Converts between BMD and scene animations. BMD keys are relative to the base skeleton, scene keys to the parent.

use glam::{Quat, Vec3};

use super::super::{
    AnimRate, Animation, Bone, ChannelErrors, Rotation, Track, TrackKey, Transform, Triple,
};
use super::rig::Rig;
use crate::scene::resampling::{Deviation, DeviationScale};
use crate::scene::{self, Channel, Interpolation, Samples, Scene};
use crate::{Error, Loss, Quantity, Result, Text, path};

/// The preferred frame rate of resampled animations, in Hz.
const PREFERRED_RATE: f32 = 30.0;
const MAX_FRAMES: f32 = 255.0;

/// Returns the base origin and rotation of a bone, relative to its parent.
fn base_transform(bone: &Bone) -> (Vec3, Quat) {
    match bone.transform {
        Transform::Bone(base) => (
            base.origin().value().into(),
            Quat::from_array(base.unit_rotation()),
        ),
        Transform::Pseudo(_) => (Vec3::ZERO, Quat::IDENTITY),
    }
}

/// Converts an animation to a scene animation with the same keys, except keys of bone 0 and keys after the last frame.
pub fn to_animation(animation: &Animation, bones: &[Bone]) -> scene::Animation {
    let mut result = scene::Animation {
        name: animation
            .name
            .as_ref()
            .map(Text::to_string)
            .unwrap_or_default(),
        rate: animation.fl_hz.hz(),
        duration: animation.n_frames.into(),
        looped: !animation.fl_hz.no_loop(),
        ..scene::Animation::default()
    };
    // Bone 0 is the model itself; keys cannot move it (B20).
    let normal = bones.iter().filter(|bone| !bone.is_pseudo());
    for (joint, (track, bone)) in animation.tracks.iter().zip(normal).enumerate().skip(1) {
        let (origin, base_rotation) = base_transform(bone);
        let keys: Vec<_> = track
            .keys()
            .filter(|key| key.frame < animation.n_frames.into())
            .collect();
        let rotations = keys.iter().filter_map(|key| {
            let rotation = Quat::from_array(key.rotation?.value()) * base_rotation;
            Some((key.frame, rotation.to_array()))
        });
        let translations = keys.iter().filter_map(|key| {
            let translation = origin + Vec3::from(key.translation?.value());
            Some((key.frame, translation.to_array()))
        });
        let scales = keys
            .iter()
            .filter_map(|key| Some((key.frame, key.scale?.value())));
        add_channel(
            &mut result,
            joint,
            Interpolation::Normalized,
            rotations,
            Samples::Rotation,
        );
        add_channel(
            &mut result,
            joint,
            Interpolation::Linear,
            translations,
            Samples::Translation,
        );
        add_channel(
            &mut result,
            joint,
            Interpolation::Linear,
            scales,
            Samples::Scale,
        );
    }
    result
}

/// Adds a channel with the given keys, unless there are none. Channels with equal times share a list of times.
fn add_channel<T>(
    animation: &mut scene::Animation,
    joint: usize,
    interpolation: Interpolation,
    keys: impl Iterator<Item = (u32, T)>,
    samples: impl Fn(Vec<T>) -> Samples,
) {
    let (times, values): (Vec<f32>, Vec<T>) =
        keys.map(|(frame, value)| (frame as f32, value)).unzip();
    if times.is_empty() {
        return;
    }
    let times = animation.list_of_times(times);
    animation.channels.push(Channel {
        joint,
        times,
        interpolation,
        samples: samples(values),
    });
}

/// Converts the animations of a scene to keys at whole frames. `unit` is the length of a unit in metres.
pub fn convert(
    scene: &Scene,
    rig: &Rig,
    bones: &[Bone],
    unit: f64,
    losses: &mut Vec<Loss>,
) -> Result<Vec<Animation>> {
    let size = if scene.animations.is_empty() {
        0.0
    } else {
        scene.size_at_rest()
    };
    let scale = DeviationScale { unit, size };
    let animations = scene.animations.iter().enumerate();
    let encoded = animations.map(|(index, animation)| {
        let frames = Frames::of(animation);
        let keys = frames.keys(animation, scene, rig, bones);
        let mut errors = ChannelErrors::default();
        let tracks = bones
            .iter()
            .take_while(|bone| !bone.is_pseudo())
            .enumerate();
        let tracks = tracks.map(|(bone, base)| {
            let encoded = keys[bone].iter().map(|key| key.encode(base, &mut errors));
            Track::from_keys(encoded.collect::<Result<Vec<_>>>()?)
        });
        let tracks = tracks.collect::<Result<Vec<_>>>();
        let tracks = tracks.map_err(|error| error.at(path!(animations[index])))?;
        if frames.is_resampled {
            let detail = format!("to {} frames at {} Hz", frames.count, frames.rate);
            let message = "BMD keys are at whole frames; the animation was resampled";
            let mut deviation = frames.deviation(animation);
            // The keys are packed, too.
            deviation.widen(errors.translation, errors.rotation, errors.scale);
            let resampled = deviation.to_losses(index, message, scale);
            losses.extend(resampled.into_iter().map(|loss| loss.with_detail(&detail)));
        }
        frames.report(animation, index, losses);
        report_errors(errors, index, scale, losses);
        Ok(Animation {
            name: (!animation.name.is_empty()).then(|| Text::from(&*animation.name)),
            n_frames: frames.count,
            fl_hz: AnimRate::new()
                .with_quarter_hz((frames.rate * 4.0) as u8)
                .with_no_loop(!animation.looped),
            tracks,
            ..Animation::default()
        })
    });
    encoded.collect()
}

struct Frames {
    count: u8,
    /// Frames per second, a multiple of 0.25.
    rate: f32,
    /// Whether keys are resampled at the frames.
    is_resampled: bool,
}

impl Frames {
    /// Returns frames that keep the times of the keys if BMD can express them, otherwise frames for resampling.
    fn of(animation: &scene::Animation) -> Frames {
        let last = animation
            .times
            .iter()
            .flatten()
            .fold(0.0_f32, |last, time| last.max(*time));
        let end = if animation.looped {
            animation.duration
        } else {
            animation.duration.max(last + 1.0)
        };
        let is_whole = |value: f32| value.fract() == 0.0;
        let mut channels = animation.channels.iter();
        let is_exact = channels
            .clone()
            .all(|channel| is_exact_with_keys(animation, channel));
        let is_seamless =
            animation.looped && channels.all(|channel| loops_seamlessly(animation, channel));
        let is_inside = |time: f32| time >= 0.0 && (time < end || time == end && is_seamless);
        let mut times = animation.times.iter().flatten();
        let has_exact_times = times.all(|time| is_whole(*time) && is_inside(*time));
        let has_exact_rate =
            (0.25..=31.75).contains(&animation.rate) && is_whole(animation.rate * 4.0);
        if has_exact_times && has_exact_rate && is_whole(end) && (1.0..=MAX_FRAMES).contains(&end) {
            // If BMD cannot interpolate the samples exactly, inserts as many frames as the limits allow.
            let max_factor = ((MAX_FRAMES - 1.0) / end)
                .min(PREFERRED_RATE / animation.rate)
                .floor();
            let factor = if is_exact { 1.0 } else { max_factor.max(1.0) };
            let count = if animation.looped {
                end * factor
            } else {
                (end - 1.0) * factor + 1.0
            };
            return Frames {
                count: count as u8,
                rate: animation.rate * factor,
                is_resampled: !is_exact,
            };
        }
        // Samples after the end of a loop are never played.
        let played = if animation.looped {
            animation.duration
        } else {
            animation.duration.max(last)
        };
        let seconds = animation.ticks_to_seconds(played);
        let max_rate = if seconds > 0.0 {
            (MAX_FRAMES - 1.0) / seconds
        } else {
            PREFERRED_RATE
        };
        let rate = ((max_rate.min(PREFERRED_RATE) * 4.0).floor() / 4.0).max(0.25);
        let steps = (seconds * rate).ceil().min(MAX_FRAMES - 1.0) as u8;
        // A loop iteration ends where the next one starts.
        let count = if animation.looped {
            steps.max(1)
        } else {
            steps + 1
        };
        Frames {
            count,
            rate,
            is_resampled: true,
        }
    }

    /// Reports a changed duration or rate.
    fn report(&self, animation: &scene::Animation, index: usize, losses: &mut Vec<Loss>) {
        let fields = [
            (
                "duration",
                animation.duration,
                self.count.into(),
                "BMD durations are whole frames",
            ),
            (
                "rate",
                animation.rate,
                self.rate,
                "BMD rates are multiples of 0.25 Hz, up to 31.75 Hz",
            ),
        ];
        let changed = fields
            .into_iter()
            .filter(|(_, exact, found, _)| exact != found);
        for (field, exact, found, reason) in changed {
            let loss = Loss::changed(format!("animations[{index}].{field}"), reason);
            losses.push(loss.with_detail(format_args!("{exact} becomes {found}")));
        }
    }

    /// Returns the time of each frame in scene ticks.
    fn ticks(&self, animation: &scene::Animation) -> Vec<f32> {
        (0..self.count)
            .map(|frame| self.frame_to_tick(animation, frame))
            .collect()
    }

    fn frame_to_tick(&self, animation: &scene::Animation, frame: u8) -> f32 {
        let rate = if animation.rate > 0.0 && animation.rate.is_finite() {
            animation.rate
        } else {
            1.0
        };
        f32::from(frame) * rate / self.rate
    }

    /// Returns the deviation of keys at these frames from the scene's channels.
    fn deviation(&self, animation: &scene::Animation) -> Deviation {
        let ticks = self.ticks(animation);
        let period = animation.looped.then_some(animation.duration);
        let own_period = animation
            .looped
            .then(|| self.frame_to_tick(animation, self.count));
        let mut deviation = Deviation::default();
        for channel in animation
            .channels
            .iter()
            .filter(|channel| !channel.samples.is_empty())
        {
            let Some(times) = animation.times.get(channel.times) else {
                continue;
            };
            let samples = channel.resample(times, &ticks, period);
            let mut keys = Channel {
                samples,
                interpolation: Interpolation::Normalized,
                ..channel.clone()
            };
            if let Samples::Rotation(values) = &mut keys.samples {
                take_shorter_arcs(values.iter_mut());
            }
            deviation.compare((channel, times, period), (&keys, &ticks, own_period));
        }
        deviation
    }

    /// Returns the keys of each normal bone, relative to its parent.
    fn keys(
        &self,
        animation: &scene::Animation,
        scene: &Scene,
        rig: &Rig,
        bones: &[Bone],
    ) -> Vec<Vec<Key>> {
        let mut keys: Vec<Vec<Key>> = vec![Vec::new(); bones.len()];
        let ticks = self.ticks(animation);
        let joints = scene.skeleton.joints.len();
        let poses = if self.is_resampled {
            animation.poses(&scene.skeleton, &ticks)
        } else {
            Vec::new()
        };
        for channel in &animation.channels {
            let Some(list) = rig
                .bone_of(channel.joint)
                .and_then(|bone| keys.get_mut(bone))
            else {
                continue;
            };
            if self.is_resampled {
                for frame in 0..usize::from(self.count) {
                    let pose = poses[frame * joints + channel.joint];
                    let key = key_at(list, frame as u32);
                    match channel.samples {
                        Samples::Rotation(_) => key.rotation = Some(pose.rotation),
                        Samples::Translation(_) => key.translation = Some(pose.translation),
                        Samples::Scale(_) => key.scale = Some(pose.scale),
                    }
                }
                continue;
            }
            let times = animation.times.get(channel.times).into_iter().flatten();
            for (index, time) in times
                .enumerate()
                .filter(|(_, time)| **time < f32::from(self.count))
            {
                let key = key_at(list, *time as u32);
                match &channel.samples {
                    Samples::Rotation(values) => key.rotation = values.get(index).copied(),
                    Samples::Translation(values) => key.translation = values.get(index).copied(),
                    Samples::Scale(values) => key.scale = values.get(index).copied(),
                }
            }
        }
        for channel in &animation.channels {
            if (self.is_resampled || channel.interpolation == Interpolation::Linear)
                && let Some(list) = rig
                    .bone_of(channel.joint)
                    .and_then(|bone| keys.get_mut(bone))
            {
                take_shorter_arcs(list.iter_mut().filter_map(|key| key.rotation.as_mut()));
            }
        }
        keys
    }
}

/// Flips the signs of quaternions so that component-wise interpolation between neighbours takes the shorter arc.
fn take_shorter_arcs<'a>(rotations: impl Iterator<Item = &'a mut [f32; 4]>) {
    let mut last = Quat::IDENTITY;
    for rotation in rotations {
        let quaternion = Quat::from_array(*rotation);
        last = if last.dot(quaternion) < 0.0 {
            -quaternion
        } else {
            quaternion
        };
        *rotation = last.to_array();
    }
}

/// Returns `true` if a looped channel has no sample at the end of the loop, or the same sample at its start and end.
/// BMD keys can then express the loop without a sample at its end.
fn loops_seamlessly(animation: &scene::Animation, channel: &Channel) -> bool {
    let times = animation
        .times
        .get(channel.times)
        .map_or(&[][..], |times| times);
    if times.last().is_none_or(|last| *last < animation.duration) {
        return true;
    }
    let has_equal_ends = match &channel.samples {
        Samples::Rotation(values) => values.first() == values.last(),
        Samples::Translation(values) | Samples::Scale(values) => values.first() == values.last(),
    };
    times.first() == Some(&0.0) && !channel.samples.is_empty() && has_equal_ends
}

/// Returns `true` if BMD keys at the samples express the channel exactly. BMD lacks step interpolation and
/// interpolates rotations with nlerp.
fn is_exact_with_keys(animation: &scene::Animation, channel: &Channel) -> bool {
    let is_rotation = matches!(channel.samples, Samples::Rotation(_));
    let times = animation
        .times
        .get(channel.times)
        .map_or(&[][..], |times| times);
    // The gap from the last sample to the first sample of the next loop iteration.
    let wrap_around = match times {
        [first, .., last] if animation.looped => first + animation.duration - last,
        _ => 0.0,
    };
    let mut gaps = times
        .windows(2)
        .map(|pair| pair[1] - pair[0])
        .chain([wrap_around]);
    match channel.interpolation {
        Interpolation::Step => channel.samples.len() < 2,
        Interpolation::Linear if is_rotation => {
            gaps.all(|g| g <= 1.0) && has_small_steps(&channel.samples)
        }
        Interpolation::Linear | Interpolation::Normalized => true,
    }
}

/// Returns `true` if consecutive rotations are so close that nlerp approximates slerp.
fn has_small_steps(samples: &Samples) -> bool {
    /// The cosine of 10°, half of the largest rotation step.
    const MIN_COSINE: f32 = 0.985;
    let Samples::Rotation(values) = samples else {
        return true;
    };
    let dot = |pair: &[[f32; 4]]| Quat::from_array(pair[0]).dot(Quat::from_array(pair[1]));
    values.windows(2).all(|pair| dot(pair).abs() >= MIN_COSINE)
}

/// A keyframe of a bone, relative to the bone's parent.
#[derive(Debug, Clone, Copy, Default)]
struct Key {
    frame: u32,
    rotation: Option<[f32; 4]>,
    translation: Option<[f32; 3]>,
    scale: Option<[f32; 3]>,
}

/// Returns the key at a frame of the sorted list. Inserts a key without values if there is none.
fn key_at(keys: &mut Vec<Key>, frame: u32) -> &mut Key {
    let index = keys.partition_point(|key| key.frame < frame);
    if keys.get(index).is_none_or(|key| key.frame != frame) {
        keys.insert(
            index,
            Key {
                frame,
                ..Key::default()
            },
        );
    }
    &mut keys[index]
}

impl Key {
    /// Packs the key relative to the base skeleton.
    fn encode(&self, bone: &Bone, errors: &mut ChannelErrors) -> Result<TrackKey> {
        let (origin, base_rotation) = base_transform(bone);
        let reject = |what: &str| {
            Error::inexpressible(format!(
                "BMD cannot express the {what} at frame {}",
                self.frame
            ))
        };
        let rotation = self.rotation.map(|rotation| {
            let relative = (Quat::from_array(rotation) * base_rotation.inverse()).to_array();
            let packed = Rotation::nearest(relative).ok_or_else(|| reject("rotation"))?;
            errors.rotation = errors
                .rotation
                .max((packed.angle_to(relative) as f32).next_up());
            Ok::<_, Error>(packed)
        });
        let rotation = rotation.transpose()?;
        let pack = |vector: Vec3, what: &str, largest_error: &mut f32| {
            let packed = Triple::nearest(vector.into()).ok_or_else(|| reject(what))?;
            let distance = Vec3::from(packed.value())
                .as_dvec3()
                .distance(vector.as_dvec3());
            *largest_error = largest_error.max((distance as f32).next_up());
            Ok::<_, Error>(packed)
        };
        let translation = self
            .translation
            .map(|translation| Vec3::from(translation) - origin);
        let translation = translation
            .map(|v| pack(v, "translation", &mut errors.translation))
            .transpose()?;
        let scale = self
            .scale
            .map(|v| pack(v.into(), "scale", &mut errors.scale))
            .transpose()?;
        Ok(TrackKey {
            frame: self.frame,
            rotation,
            translation,
            scale,
        })
    }
}

/// Reports the largest packing errors in the keys of an animation. Errors of translations and scales are distances.
fn report_errors(
    errors: ChannelErrors,
    index: usize,
    scale: DeviationScale,
    losses: &mut Vec<Loss>,
) {
    let DeviationScale { unit, size } = scale;
    // Smaller errors are those of 32-bit computations.
    let min_distance = if size > 0.0 {
        (1e-6 * size).min(1e-5)
    } else {
        1e-5
    };
    let channels = [
        (
            errors.rotation,
            0.001,
            "rotation",
            Quantity::ROTATIONS,
            1.0,
            0.0,
        ),
        (
            errors.translation,
            min_distance,
            "translation",
            Quantity::TRANSLATIONS,
            unit,
            size,
        ),
        (errors.scale, 1e-5, "scale", Quantity::SCALES, 1.0, 0.0),
    ];
    for (error, min_reported, field, quantity, unit, size) in channels {
        let error = f64::from(error);
        if error > min_reported {
            let message = format!("{} packed", quantity.name);
            let path = format!("animations[{index}].channels.{field}");
            losses.push(
                Loss::quantized(path, message, quantity, unit * error).with_mesh_size(unit * size),
            );
        }
    }
}
