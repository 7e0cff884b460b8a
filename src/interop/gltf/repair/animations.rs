//! Repairs animations for glTF: makes values finite, removes duplicate channels, and resamples nlerp and loops.

use std::collections::HashMap;

use crate::scene::animation::{bend_in_loop, sorted_times};
use crate::scene::repair::{repair_rotations, repair_vectors};
use crate::scene::resampling::{Deviation, DeviationScale};
use crate::scene::{Animation, Channel, Interpolation, Samples, Scene, push_index};
use crate::{Error, Loss, Result};

/// The maximum number of ticks between the first and the last whole tick of a resampled channel.
const MAX_SAMPLES: f32 = 65_536.0;

/// Repairs the animations of a scene. Returns an error if a time is not finite, too large, or less than the previous
/// time. `unit` is the length of a unit in metres.
pub(super) fn repair(scene: &mut Scene, unit: f64, losses: &mut Vec<Loss>) -> Result<()> {
    let size = if scene.animations.is_empty() {
        0.0
    } else {
        scene.size_at_rest()
    };
    for (index, animation) in scene.animations.iter_mut().enumerate() {
        let at = format!("animations[{index}]");
        check_times(animation, &at)?;
        drop_ineffective_channels(animation, &at, losses);
        resample(animation, index, DeviationScale { unit, size }, losses);
        for (position, channel) in animation.channels.iter_mut().enumerate() {
            let path = format!("{at}.channels[{position}].samples");
            match &mut channel.samples {
                Samples::Translation(values) => repair_vectors(values, 0.0, &path, losses),
                Samples::Scale(values) => repair_vectors(values, 1.0, &path, losses),
                Samples::Rotation(values) => repair_rotations(values, &path, losses),
            }
        }
    }
    Ok(())
}

fn check_times(animation: &Animation, at: &str) -> Result<()> {
    for (list, times) in animation.times.iter().enumerate() {
        let after = times
            .windows(2)
            .position(|pair| pair[0] > pair[1])
            .map(|position| position + 1);
        // Allows half of the range of floats, since writing may shift all times.
        let is_in_range = |time: &f32| animation.ticks_to_seconds(*time).abs() < f32::MAX / 2.0;
        let infinite = times.iter().position(|time| !is_in_range(time));
        if let Some(position) = infinite.or(after) {
            let time = times[position];
            let message = format!("{time}, but glTF requires finite times in ascending order");
            return Err(
                Error::inexpressible(message).at_text(format!("{at}.times[{list}][{position}]"))
            );
        }
    }
    Ok(())
}

/// Drops channels without samples and channels overridden by a later one.
fn drop_ineffective_channels(animation: &mut Animation, at: &str, losses: &mut Vec<Loss>) {
    let channels = std::mem::take(&mut animation.channels);
    let target = |channel: &Channel| (channel.joint, std::mem::discriminant(&channel.samples));
    let mut last = HashMap::new();
    let effective = channels
        .iter()
        .enumerate()
        .filter(|(_, channel)| !channel.samples.is_empty());
    last.extend(effective.map(|(position, channel)| (target(channel), position)));
    for (position, channel) in channels.into_iter().enumerate() {
        if last.get(&target(&channel)) == Some(&position) {
            animation.channels.push(channel);
        } else {
            let why = match channel.samples.is_empty() {
                true => "channels without samples",
                false => "channels that a later channel overrides",
            };
            losses.push(Loss::dropped(format!("{at}.channels[{position}]"), why));
        }
    }
}

/// Resamples nlerp rotations, and channels of looped animations, at whole ticks. glTF has no nlerp, and does not define
/// interpolation from the last sample to the first.
fn resample(
    animation: &mut Animation,
    index: usize,
    scale: DeviationScale,
    losses: &mut Vec<Loss>,
) {
    let period =
        Some(animation.duration).filter(|duration| animation.looped && duration.is_finite());
    let mut denser = vec![None; animation.times.len()];
    let mut deviation = Deviation::default();
    for channel in &mut animation.channels {
        let is_nlerp = channel.interpolation == Interpolation::Normalized;
        let is_rotation = matches!(channel.samples, Samples::Rotation(_));
        let times = &animation.times[channel.times];
        let is_resampled = period.is_some() || (is_nlerp && is_rotation);
        let ticks = is_resampled.then(|| whole_ticks(times, period)).flatten();
        let before = (is_nlerp && is_rotation).then(|| channel.clone());
        if let Some(ticks) = &ticks {
            // The last value of an iteration: at the period, the next one has started.
            let before_end = |tick: &f32| {
                if Some(*tick) == period {
                    tick.next_down()
                } else {
                    *tick
                }
            };
            let ticks: Vec<f32> = ticks.iter().map(before_end).collect();
            channel.samples = channel.resample(times, &ticks, period);
        }
        if is_nlerp {
            channel.interpolation = Interpolation::Linear;
        }
        // Without further ticks, too, glTF turns the shorter way, and nlerp may turn the longer one.
        if let Some(before) = before {
            let after_times = ticks.as_deref().unwrap_or(times);
            deviation.compare((&before, times, period), (channel, after_times, period));
        }
        if let Some(ticks) = ticks {
            let add = || push_index(&mut animation.times, ticks);
            channel.times = *denser[channel.times].get_or_insert_with(add);
        }
    }
    let message = match denser.iter().any(Option::is_some) {
        true => "channels were resampled at whole ticks",
        false => "rotations by nlerp became slerp",
    };
    losses.extend(deviation.to_losses(index, message, scale));
}

/// Returns `times` and all whole ticks between the first and last time; with a `period`, all whole ticks from 0 to
/// `period`, `period`, and the bend that the loop causes. Returns `None` if this adds no tick, or if the whole ticks span more than [`MAX_SAMPLES`].
fn whole_ticks(times: &[f32], period: Option<f32>) -> Option<Vec<f32>> {
    let (first, last) = match period {
        Some(period) => (0.0, period.floor()),
        None => (times.first()?.ceil(), times.last()?.floor()),
    };
    if last < first || last - first > MAX_SAMPLES {
        return None;
    }
    let whole = (0..=(last - first) as u32).map(|tick| first + tick as f32);
    let added = whole.chain(period).chain(bend_in_loop(times, period));
    let ticks = sorted_times(times.iter().copied().chain(added));
    (ticks.len() > times.len()).then_some(ticks)
}
