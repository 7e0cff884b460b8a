//! Reads animations, and approximates cubic splines by linear segments.

use std::collections::HashMap;

use ::gltf::json;
use ::gltf::json::animation::{Interpolation as Curve, Property};
use ::gltf::json::validation::Checked;
use serde_json::Value;

use super::errors::{Failures, malformed};
use super::file::{GltfFile, extras};
use super::skeleton::Joints;
use super::take_own;
use crate::scene::resampling::Deviation;
use crate::scene::{Animation, Channel, Interpolation, Samples};
use crate::{Loss, Result};

/// The minimum number of linear segments between two keys of a spline.
const MIN_PIECES: usize = 8;

/// The maximum number of linear segments between two keys of a spline.
const MAX_PIECES: usize = 64;

/// The tolerated distance of the segments from the spline, as a fraction of its value range, up to [`MAX_PIECES`].
const NEAR: f32 = 1e-4;

/// Samples at the times of a list and, for splines, at the midpoints between these times.
type Sampled<const N: usize> = (Vec<[f32; N]>, Vec<[f32; N]>);

pub(super) fn read(
    file: &GltfFile,
    joints: &Joints,
    failures: &mut Failures,
    losses: &mut Vec<Loss>,
) -> Result<Vec<Animation>> {
    let mut animations = Vec::new();
    for (index, entry) in file.root.animations.iter().enumerate() {
        let at = format!("animations[{index}]");
        let place = animations.len();
        animations.extend(Reader::new(file, entry, &at).read(place, joints, failures, losses)?);
    }
    Ok(animations)
}

struct Reader<'a> {
    file: &'a GltfFile<'a>,
    entry: &'a json::Animation,
    at: &'a str,
    animation: Animation,
    /// The index of the list of times for each accessor and number of segments between keys.
    lists: HashMap<(usize, usize), usize>,
    /// The largest number of segments between two keys.
    pieces: usize,
    /// The deviation of the segments from the splines.
    deviation: Deviation,
}

impl<'a> Reader<'a> {
    fn new(file: &'a GltfFile, entry: &'a json::Animation, at: &'a str) -> Reader<'a> {
        Reader {
            file,
            entry,
            at,
            animation: Animation::default(),
            lists: HashMap::new(),
            pieces: 0,
            deviation: Deviation::default(),
        }
    }

    /// Reads the animation, which gets the index `place` in the scene, without unreadable channels. Returns `None` if no
    /// channel is left.
    fn read(
        mut self,
        place: usize,
        joints: &Joints,
        failures: &mut Failures,
        losses: &mut Vec<Loss>,
    ) -> Result<Option<Animation>> {
        let own = take_own(&mut extras(&self.entry.extras));
        // Non-finite floats are stored as strings.
        let float =
            |name: &str| own.get(name).and_then(|value| crate::float::deserialize::<f32, _>(value).ok());
        self.animation.name = self.entry.name.clone().unwrap_or_default();
        self.animation.looped = own.get("looped").and_then(Value::as_bool).unwrap_or(false);
        // Files of other programs have no rate: a tick is a second.
        self.animation.rate = float("rate").unwrap_or(1.0);
        let mut unread = Vec::new();
        for (number, channel) in self.entry.channels.iter().enumerate() {
            let at = format!("{}.channels[{number}]", self.at);
            if let Err(error) = self.channel(&at, channel, joints, losses) {
                let why = failures.record(error, &at)?;
                unread.push(Loss::dropped(at, "cannot be read").detail(why));
            }
        }
        let is_left_out = self.animation.channels.is_empty() && !unread.is_empty();
        losses.extend(unread);
        if is_left_out {
            losses.push(Loss::dropped(self.at, "no readable channel"));
            return Ok(None);
        }
        let last = self.animation.times.iter().filter_map(|times| times.last()).copied();
        self.animation.duration = float("duration").unwrap_or_else(|| last.fold(0.0, f32::max));
        let detail = format!("up to {} between keys", self.pieces);
        let sampled = self.deviation.report(place, "cubic splines become linear segments");
        losses.extend(sampled.into_iter().map(|loss| loss.detail(&detail)));
        Ok(Some(self.animation))
    }

    fn channel(
        &mut self,
        path: &str,
        channel: &json::animation::Channel,
        joints: &Joints,
        losses: &mut Vec<Loss>,
    ) -> Result<()> {
        let node = channel.target.node.value();
        let Checked::Valid(property) = channel.target.path else {
            return Err(malformed(path, "unknown target path"));
        };
        if property == Property::MorphTargetWeights {
            losses.push(Loss::dropped(path, "animations of morph targets are not converted"));
            return Ok(());
        }
        let nodes = self.file.root.nodes.len();
        if node >= nodes {
            return Err(malformed(path, format!("node {node} is not below the node count {nodes}")));
        }
        let samplers = &self.entry.samplers;
        let Some(sampler) = samplers.get(channel.sampler.value()) else {
            let message = format!(
                "sampler {} is not below the sampler count {}",
                channel.sampler.value(),
                samplers.len()
            );
            return Err(malformed(path, message));
        };
        let Checked::Valid(curve) = sampler.interpolation else {
            return Err(malformed(path, "unknown interpolation"));
        };
        let Some(joint) = joints.of_node(node) else {
            losses.push(
                Loss::dropped(path, "animations of nodes that move no mesh")
                    .detail(format_args!("nodes[{node}]")),
            );
            return Ok(());
        };
        let seconds = self.seconds(sampler.input.value())?;
        let mut pieces = 1;
        let (samples, middles) = match property {
            Property::Rotation => {
                let (mut values, mut middles) = self.values::<4>(sampler, curve, &seconds, &mut pieces)?;
                if curve == Curve::CubicSpline {
                    values.iter_mut().chain(&mut middles).for_each(normalize);
                }
                (Samples::Rotation(values), Samples::Rotation(middles))
            }
            Property::Scale => {
                let (values, middles) = self.values::<3>(sampler, curve, &seconds, &mut pieces)?;
                (Samples::Scale(values), Samples::Scale(middles))
            }
            _ => {
                let (values, middles) = self.values::<3>(sampler, curve, &seconds, &mut pieces)?;
                (Samples::Translation(values), Samples::Translation(middles))
            }
        };
        let interpolation = if curve == Curve::Step { Interpolation::Step } else { Interpolation::Linear };
        self.pieces = self.pieces.max(pieces);
        let times = self.list(sampler.input.value(), pieces, &seconds);
        let channel = Channel { joint, times, interpolation, samples };
        if curve == Curve::CubicSpline {
            // Compares at sample indices instead of times.
            let numbers: Vec<f32> = (0..channel.samples.len()).map(|number| number as f32).collect();
            let halfway: Vec<f32> = (0..middles.len()).map(|number| number as f32 + 0.5).collect();
            self.deviation.add(&middles, &channel.at(&numbers, &halfway, None));
        }
        self.animation.channels.push(channel);
        Ok(())
    }

    fn seconds(&self, accessor: usize) -> Result<Vec<f32>> {
        let accessor = self.file.accessor(accessor)?;
        let seconds = accessor.floats::<1>()?.into_flattened();
        let bad = seconds
            .iter()
            .position(|time| !time.is_finite())
            .or_else(|| seconds.windows(2).position(|pair| pair[1] <= pair[0]).map(|place| place + 1));
        match bad {
            Some(place) => {
                Err(accessor
                    .reject(format!("time {place} is {}, not after the previous time", seconds[place])))
            }
            None => Ok(seconds),
        }
    }

    /// Returns the samples of a sampler and sets the number of segments between keys.
    fn values<const N: usize>(
        &self,
        sampler: &json::animation::Sampler,
        curve: Curve,
        seconds: &[f32],
        pieces: &mut usize,
    ) -> Result<Sampled<N>>
    where
        [f32; N]: bytemuck::Pod,
    {
        let accessor = self.file.accessor(sampler.output.value())?;
        let each = if curve == Curve::CubicSpline { 3 } else { 1 };
        if accessor.count != seconds.len() * each {
            let message = format!("{} values, but {} are required", accessor.count, seconds.len() * each);
            return Err(accessor.reject(message));
        }
        let values = accessor.floats()?;
        if each == 1 {
            return Ok((values, Vec::new()));
        }
        *pieces = pieces_of(&values, seconds);
        let size = values.len() as u64 * 4 * N as u64;
        self.file.spend(size * *pieces as u64, || format!("{}.samplers", self.at))?;
        let dense = between(seconds, 2 * *pieces, |place, time, fraction| match fraction {
            0.0 => values[3 * place + 1],
            _ => spline(&values[3 * place..][..6], time, fraction),
        });
        let every_second = |first: usize| dense.iter().skip(first).step_by(2).copied().collect();
        Ok((every_second(0), every_second(1)))
    }

    /// Returns the index of the list of times of an accessor, adding it if it is new.
    fn list(&mut self, accessor: usize, pieces: usize, seconds: &[f32]) -> usize {
        let animation = &mut self.animation;
        let rate = animation.rate;
        *self.lists.entry((accessor, pieces)).or_insert_with(|| {
            let seconds = between(seconds, pieces, |place, time, fraction| seconds[place] + time * fraction);
            animation.times.push(seconds.into_iter().map(|time| to_ticks(time, rate)).collect());
            animation.times.len() - 1
        })
    }
}

/// Converts seconds to ticks; prefers a whole tick that converts back to the same time.
fn to_ticks(seconds: f32, rate: f32) -> f32 {
    if !(rate > 0.0 && rate.is_finite()) {
        return seconds;
    }
    let ticks = seconds * rate;
    let whole = ticks.round();
    if whole / rate == seconds { whole } else { ticks }
}

/// Returns a value for each key and each segment between keys. `value` gets the index of the key, the seconds to the next
/// key, and the elapsed fraction of that time.
fn between<T>(seconds: &[f32], pieces: usize, value: impl Fn(usize, f32, f32) -> T) -> Vec<T> {
    let mut all = Vec::new();
    for (place, pair) in seconds.windows(2).enumerate() {
        let time = pair[1] - pair[0];
        all.extend((0..pieces).map(|piece| value(place, time, piece as f32 / pieces as f32)));
    }
    all.extend(seconds.len().checked_sub(1).map(|last| value(last, 0.0, 0.0)));
    all
}

/// Returns the number of linear segments that approximate each spline within [`NEAR`]. It is a power of two, so that the
/// times of coarser splines are among those of finer ones.
///
/// The error of a segment is at most an eighth of the second derivative, which is largest at a key.
fn pieces_of<const N: usize>(keys: &[[f32; N]], seconds: &[f32]) -> usize {
    let (mut low, mut high, mut bend) = ([f32::INFINITY; N], [f32::NEG_INFINITY; N], 0.0_f32);
    for (place, [_, value, _]) in keys.as_chunks::<3>().0.iter().enumerate() {
        let next = keys.get(3 * place + 3..3 * place + 5).zip(seconds.get(place..place + 2));
        for lane in 0..N {
            (low[lane], high[lane]) = (low[lane].min(value[lane]), high[lane].max(value[lane]));
            let Some((next, times)) = next else { continue };
            let time = times[1] - times[0];
            let (rise, out, into) =
                (next[1][lane] - value[lane], time * keys[3 * place + 2][lane], time * next[0][lane]);
            bend = bend.max((6.0 * rise - 4.0 * out - 2.0 * into).abs());
            bend = bend.max((6.0 * rise - 2.0 * out - 4.0 * into).abs());
        }
    }
    let range = (0..N).map(|lane| high[lane] - low[lane]).fold(0.0, f32::max);
    let pieces = (bend / (8.0 * NEAR * range)).sqrt().ceil();
    // The cast saturates; NaN becomes 0.
    (pieces as usize).clamp(MIN_PIECES, MAX_PIECES).next_power_of_two()
}

/// Evaluates the cubic Hermite spline between two keys, each with in-tangent, value and out-tangent. See glTF 2.0,
/// appendix C.
fn spline<const N: usize>(keys: &[[f32; N]], time: f32, t: f32) -> [f32; N] {
    let (t2, t3) = (t * t, t * t * t);
    std::array::from_fn(|lane| {
        let [start, out, into, end] = [1, 2, 3, 4].map(|key| keys[key][lane]);
        (2.0 * t3 - 3.0 * t2 + 1.0) * start
            + time * (t3 - 2.0 * t2 + t) * out
            + (-2.0 * t3 + 3.0 * t2) * end
            + time * (t3 - t2) * into
    })
}

fn normalize(rotation: &mut [f32; 4]) {
    *rotation = glam::Vec4::from(*rotation).try_normalize().unwrap_or(glam::Vec4::W).into();
}
