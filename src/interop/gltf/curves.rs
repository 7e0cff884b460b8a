//! Reads animations, and approximates cubic splines by linear segments.

use std::collections::HashMap;

use ::gltf::json;
use ::gltf::json::animation::{Interpolation as Curve, Property};
use ::gltf::json::validation::Checked;
use serde_json::Value;

use super::errors::{ReadLog, malformed};
use super::file::{GltfFile, read_extras};
use super::skeleton::NodeJoints;
use super::take_meshspec_extras;
use crate::scene::repair::{count_not_normalized, unit_rotation};
use crate::scene::resampling::{Deviation, DeviationScale};
use crate::scene::{Animation, Channel, Interpolation, Samples, push_index};
use crate::{Category, Loss, Result, float};

/// The fractions of a segment at which a spline is compared with it.
const FRACTIONS: [f32; 3] = [0.25, 0.5, 0.75];

/// The factor from the largest deviation at [`FRACTIONS`] to a bound of all deviations. A cubic curve deviates from its
/// chord by `t (1 − t) (a + b t)`; for no vectors `a` and `b`, the largest deviation is more than 1.1 times those.
const BOUND_FACTOR: f64 = 1.1;

/// The minimum number of linear segments between two keys of a spline.
const MIN_SEGMENTS: usize = 8;

/// The maximum number of linear segments between two keys of a spline.
const MAX_SEGMENTS: usize = 64;

/// The tolerated distance between segments and spline, as a fraction of the value range. May be exceeded at
/// [`MAX_SEGMENTS`].
const TOLERANCE: f32 = 1e-4;

pub(super) fn read(
    file: &GltfFile,
    joints: &NodeJoints,
    log: &mut ReadLog,
) -> Result<Vec<Animation>> {
    let mut animations = Vec::new();
    for (index, entry) in file.root.animations.iter().enumerate() {
        let at = format!("animations[{index}]");
        let reader = AnimationReader {
            file,
            entry,
            at: &at,
            animation: Animation::default(),
            time_lists: HashMap::new(),
            segments: 0,
            deviation: Deviation::default(),
        };
        animations.extend(reader.read(animations.len(), joints, log)?);
    }
    Ok(animations)
}

struct AnimationReader<'a> {
    file: &'a GltfFile<'a>,
    entry: &'a json::Animation,
    at: &'a str,
    animation: Animation,
    /// The index of the time list by accessor index and number of segments between keys.
    time_lists: HashMap<(usize, usize), usize>,
    /// The largest number of segments between two keys.
    segments: usize,
    /// The largest deviation of segments from their splines.
    deviation: Deviation,
}

impl AnimationReader<'_> {
    /// Reads the animation, which becomes animation `index` of the scene. Drops unreadable channels; returns `None` if
    /// this leaves no channel.
    fn read(
        mut self,
        index: usize,
        joints: &NodeJoints,
        log: &mut ReadLog,
    ) -> Result<Option<Animation>> {
        let meshspec_extras = take_meshspec_extras(&mut read_extras(&self.entry.extras));
        // Non-finite floats are stored as strings.
        let float = |name: &str| match meshspec_extras.get(name)? {
            Value::String(text) => float::f32_of_string(text),
            number => {
                let number = float::narrow_to_f32(number.as_f64()?);
                number.is_finite().then_some(number)
            }
        };
        self.animation.name = self.entry.name.clone().unwrap_or_default();
        self.animation.looped = meshspec_extras
            .get("looped")
            .and_then(Value::as_bool)
            .unwrap_or(false);
        // Files written by other programs have no rate; their ticks are seconds.
        self.animation.rate = float("rate").unwrap_or(1.0);
        let mut unreadable = Vec::new();
        for (number, channel) in self.entry.channels.iter().enumerate() {
            let at = format!("{}.channels[{number}]", self.at);
            if let Err(error) = self.read_channel(&at, channel, joints, &mut log.losses) {
                let detail = log.record(error, &at)?;
                unreadable.push(Loss::dropped(at, "cannot be read").with_detail(detail));
            }
        }
        let is_dropped = self.animation.channels.is_empty() && !unreadable.is_empty();
        log.losses.extend(unreadable);
        if is_dropped {
            log.losses.push(Loss::dropped(
                self.at,
                "the animation has no readable channel",
            ));
            return Ok(None);
        }
        let last = self
            .animation
            .times
            .iter()
            .filter_map(|times| times.last())
            .copied();
        self.animation.duration = float("duration").unwrap_or_else(|| last.fold(0.0, f32::max));
        let detail = format!("up to {} between keys", self.segments);
        let message = "cubic splines were replaced by linear segments";
        self.deviation.scale_by(BOUND_FACTOR);
        let sampled = self.deviation.to_losses(
            index,
            message,
            DeviationScale {
                unit: 1.0,
                size: 0.0,
            },
        );
        log.losses
            .extend(sampled.into_iter().map(|loss| loss.with_detail(&detail)));
        Ok(Some(self.animation))
    }

    fn read_channel(
        &mut self,
        path: &str,
        channel: &json::animation::Channel,
        joints: &NodeJoints,
        losses: &mut Vec<Loss>,
    ) -> Result<()> {
        let node = channel.target.node.value();
        let Checked::Valid(property) = channel.target.path else {
            return Err(malformed(path, "unknown target path"));
        };
        if property == Property::MorphTargetWeights {
            losses.push(Loss::dropped(
                path,
                "animations of morph targets are not converted",
            ));
            return Ok(());
        }
        let nodes = self.file.root.nodes.len();
        if node >= nodes {
            return Err(malformed(
                path,
                format!("node {node} is not below the node count {nodes}"),
            ));
        }
        let (index, samplers) = (channel.sampler.value(), &self.entry.samplers);
        let Some(sampler) = samplers.get(index) else {
            let message = format!(
                "sampler {index} is not below the sampler count {}",
                samplers.len()
            );
            return Err(malformed(path, message));
        };
        let Checked::Valid(curve) = sampler.interpolation else {
            return Err(malformed(path, "unknown interpolation"));
        };
        let Some(joint) = joints.joint_of(node) else {
            let loss = Loss::dropped(
                path,
                "animations of nodes that move no mesh are not converted",
            );
            losses.push(loss.with_detail(format_args!("nodes[{node}]")));
            return Ok(());
        };
        let seconds = self.read_times(sampler.input.value())?;
        let mut segments = 1;
        let [mut samples, mut between] = match property {
            Property::Rotation => {
                self.read_samples(sampler, curve, &seconds, &mut segments, Samples::Rotation)?
            }
            Property::Scale => {
                self.read_samples(sampler, curve, &seconds, &mut segments, Samples::Scale)?
            }
            _ => self.read_samples(
                sampler,
                curve,
                &seconds,
                &mut segments,
                Samples::Translation,
            )?,
        };
        if let (Samples::Rotation(values), Curve::CubicSpline) = (&samples, curve) {
            let keys = values.iter().step_by(segments);
            let message = "the rotations of keys were normalised";
            let loss = Loss::changed(path, message).in_category(Category::Animation);
            let count = count_not_normalized(keys);
            losses.extend(
                loss.with_count_of(count, seconds.len(), "rotations")
                    .if_any(),
            );
        }
        for samples in [&mut samples, &mut between] {
            if let (Samples::Rotation(values), Curve::CubicSpline) = (samples, curve) {
                values.iter_mut().for_each(|value| {
                    *value = unit_rotation(value.map(f64::from)).as_quat().to_array()
                });
            }
        }
        let interpolation = if curve == Curve::Step {
            Interpolation::Step
        } else {
            Interpolation::Linear
        };
        self.segments = self.segments.max(segments);
        let times = self.time_list(sampler.input.value(), segments, &seconds);
        let channel = Channel {
            joint,
            times,
            interpolation,
            samples,
        };
        if curve == Curve::CubicSpline {
            // Compares at sample indices instead of times.
            let numbers: Vec<f32> = (0..channel.samples.len())
                .map(|number| number as f32)
                .collect();
            let segments = 0..between.len() / FRACTIONS.len();
            let positions =
                segments.flat_map(|segment| FRACTIONS.map(|fraction| segment as f32 + fraction));
            let positions: Vec<f32> = positions.collect();
            self.deviation
                .compare_samples(&between, &channel.resample(&numbers, &positions, None));
        }
        self.animation.channels.push(channel);
        Ok(())
    }

    fn read_times(&self, accessor: usize) -> Result<Vec<f32>> {
        let accessor = self.file.accessor(accessor)?;
        let seconds = accessor.read_floats::<1>()?.into_flattened();
        let infinite = seconds.iter().position(|time| !time.is_finite());
        let descending = || {
            seconds
                .windows(2)
                .position(|pair| pair[1] <= pair[0])
                .map(|key| key + 1)
        };
        let Some(key) = infinite.or_else(descending) else {
            return Ok(seconds);
        };
        Err(accessor.reject(format!(
            "time {key} is {}; expected finite, strictly ascending times",
            seconds[key]
        )))
    }

    /// Reads the samples of a sampler. For splines, sets `segments` to the number of segments between keys, and returns
    /// the values at the ends of the segments and at [`FRACTIONS`] of them.
    fn read_samples<const N: usize>(
        &self,
        sampler: &json::animation::Sampler,
        curve: Curve,
        seconds: &[f32],
        segments: &mut usize,
        to_samples: fn(Vec<[f32; N]>) -> Samples,
    ) -> Result<[Samples; 2]>
    where
        [f32; N]: bytemuck::Pod,
    {
        let accessor = self.file.accessor(sampler.output.value())?;
        let values_per_key = if curve == Curve::CubicSpline { 3 } else { 1 };
        let required = seconds.len() * values_per_key;
        if accessor.count != required {
            return Err(accessor.reject(format!(
                "{} values, but {required} are required",
                accessor.count
            )));
        }
        let values = accessor.read_floats()?;
        if values_per_key == 1 {
            return Ok([values, Vec::new()].map(to_samples));
        }
        *segments = segment_count(&values, seconds);
        let step = FRACTIONS.len() + 1;
        // The budget bounds the time, too: several channels may have the same sampler.
        let count = (seconds.len() * step * *segments) as u64;
        self.file
            .charge_budget(2 * count * 4 * N as u64, || format!("{}.samplers", self.at))?;
        let dense = subdivide(
            seconds,
            step * *segments,
            |key, time, fraction| match fraction {
                0.0 => values[3 * key + 1],
                _ => evaluate_spline(&values[3 * key..][..6], time, fraction),
            },
        );
        let (mut ends, mut between) = (Vec::new(), Vec::new());
        for (index, value) in dense.into_iter().enumerate() {
            if index % step == 0 {
                ends.push(value)
            } else {
                between.push(value)
            }
        }
        Ok([ends, between].map(to_samples))
    }

    /// Returns the index of the time list for an accessor, adding the list if it is new.
    fn time_list(&mut self, accessor: usize, segments: usize, seconds: &[f32]) -> usize {
        let animation = &mut self.animation;
        let rate = animation.rate;
        *self
            .time_lists
            .entry((accessor, segments))
            .or_insert_with(|| {
                let seconds = subdivide(seconds, segments, |key, time, fraction| {
                    seconds[key] + time * fraction
                });
                push_index(
                    &mut animation.times,
                    seconds
                        .into_iter()
                        .map(|time| to_ticks(time, rate))
                        .collect(),
                )
            })
    }
}

/// Converts seconds to ticks; an invalid rate counts as 1. Rounds to a whole tick if that converts back to the same
/// time.
fn to_ticks(seconds: f32, rate: f32) -> f32 {
    if !(rate > 0.0 && rate.is_finite()) {
        return seconds;
    }
    let ticks = seconds * rate;
    let whole = ticks.round();
    if whole / rate == seconds {
        whole
    } else {
        ticks
    }
}

/// Returns a value for each key and each start of a segment between keys. `value` receives the index of the key, the
/// seconds until the next key, and the elapsed fraction of this time.
fn subdivide<T>(seconds: &[f32], segments: usize, value: impl Fn(usize, f32, f32) -> T) -> Vec<T> {
    let mut all = Vec::new();
    for (key, pair) in seconds.windows(2).enumerate() {
        let time = pair[1] - pair[0];
        all.extend((0..segments).map(|segment| value(key, time, segment as f32 / segments as f32)));
    }
    all.extend(
        seconds
            .len()
            .checked_sub(1)
            .map(|last| value(last, 0.0, 0.0)),
    );
    all
}

/// Returns the number of linear segments between keys for an error within [`TOLERANCE`], from [`MIN_SEGMENTS`] to
/// [`MAX_SEGMENTS`]. The number is a power of two, so that finer subdivisions contain all times of coarser ones.
///
/// The error of a segment is at most an eighth of its squared length times the largest second derivative, which occurs
/// at a key.
fn segment_count<const N: usize>(keys: &[[f32; N]], seconds: &[f32]) -> usize {
    let (mut min, mut max, mut curvature) = ([f32::INFINITY; N], [f32::NEG_INFINITY; N], 0.0_f32);
    for (key, [_, value, _]) in keys.as_chunks::<3>().0.iter().enumerate() {
        let next = keys
            .get(3 * key + 3..3 * key + 5)
            .zip(seconds.get(key..key + 2));
        for component in 0..N {
            (min[component], max[component]) = (
                min[component].min(value[component]),
                max[component].max(value[component]),
            );
            let Some((next, times)) = next else { continue };
            let time = times[1] - times[0];
            let rise = next[1][component] - value[component];
            let (out, into) = (
                time * keys[3 * key + 2][component],
                time * next[0][component],
            );
            // The second derivatives at both keys.
            curvature = curvature.max((6.0 * rise - 4.0 * out - 2.0 * into).abs());
            curvature = curvature.max((6.0 * rise - 2.0 * out - 4.0 * into).abs());
        }
    }
    let range = (0..N)
        .map(|component| max[component] - min[component])
        .fold(0.0, f32::max);
    let segments = (curvature / (8.0 * TOLERANCE * range)).sqrt().ceil();
    // The cast saturates; NaN becomes 0.
    (segments as usize)
        .clamp(MIN_SEGMENTS, MAX_SEGMENTS)
        .next_power_of_two()
}

/// Evaluates a cubic Hermite spline at the fraction `t` between two keys, `time` seconds apart. Each key consists of
/// in-tangent, value and out-tangent. See glTF 2.0, appendix C.
fn evaluate_spline<const N: usize>(keys: &[[f32; N]], time: f32, t: f32) -> [f32; N] {
    let (t2, t3) = (t * t, t * t * t);
    std::array::from_fn(|component| {
        let [start, out, into, end] = [1, 2, 3, 4].map(|index| keys[index][component]);
        (2.0 * t3 - 3.0 * t2 + 1.0) * start
            + time * (t3 - 2.0 * t2 + t) * out
            + (-2.0 * t3 + 3.0 * t2) * end
            + time * (t3 - t2) * into
    })
}
