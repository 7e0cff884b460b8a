//! Animations as glTF requires them: finite values, one channel for what moves, and nothing between samples but steps,
//! straight lines and great circles.

use super::vectors::{rotations, vectors};
use crate::scene::{Animation, Channel, Deviation, Interpolation, Samples, Scene};
use crate::{Error, Loss, Result};

/// The most samples of a channel that is sampled anew.
const MAX_SAMPLES: f32 = 65_536.0;

/// # Errors
///
/// If a time is not finite or comes after a later one.
pub(super) fn repair(scene: &mut Scene, losses: &mut Vec<Loss>) -> Result<()> {
    for (index, animation) in scene.animations.iter_mut().enumerate() {
        let at = format!("animations[{index}]");
        times(animation, &at)?;
        drop_unused(animation, &at, losses);
        resample(animation, index, losses);
        for (place, channel) in animation.channels.iter_mut().enumerate() {
            let path = format!("{at}.channels[{place}].samples");
            match &mut channel.samples {
                Samples::Translation(values) => vectors(values.iter_mut(), 0.0, &path, losses),
                Samples::Scale(values) => vectors(values.iter_mut(), 1.0, &path, losses),
                Samples::Rotation(values) => rotations(values.iter_mut(), &path, losses),
            }
        }
    }
    Ok(())
}

fn times(animation: &Animation, at: &str) -> Result<()> {
    for (list, times) in animation.times.iter().enumerate() {
        let after = times.windows(2).position(|pair| pair[0] > pair[1]).map(|place| place + 1);
        // All of them may be moved, so half the range must do.
        let near = |time: &f32| animation.seconds(*time).abs() < f32::MAX / 2.0;
        let infinite = times.iter().position(|time| !near(time));
        if let Some(place) = infinite.or(after) {
            let message = format!(
                "{}, but glTF requires finite times in ascending order",
                times.get(place).unwrap_or(&0.0)
            );
            let path = format!("{at}.times[{list}][{place}]");
            return Err(Error::inexpressible(message).at_text(path));
        }
    }
    Ok(())
}

/// Leaves out channels without samples and those that a later one overrules.
fn drop_unused(animation: &mut Animation, at: &str, losses: &mut Vec<Loss>) {
    let channels = std::mem::take(&mut animation.channels);
    let target = |channel: &Channel| (channel.joint, std::mem::discriminant(&channel.samples));
    let mut last = std::collections::HashMap::new();
    for (place, channel) in channels.iter().enumerate().filter(|(_, channel)| !channel.samples.is_empty()) {
        last.insert(target(channel), place);
    }
    for (place, channel) in channels.into_iter().enumerate() {
        if last.get(&target(&channel)) == Some(&place) {
            animation.channels.push(channel);
        } else {
            let empty = channel.samples.is_empty();
            let why = if empty { "channels without samples" } else { "channels that a later one overrides" };
            losses.push(Loss::dropped(format!("{at}.channels[{place}]"), why));
        }
    }
}

/// Rotations that are not on the great circle between samples get samples at all whole ticks. So does what starts again:
/// glTF does not define what is between its last sample and its first one.
fn resample(animation: &mut Animation, index: usize, losses: &mut Vec<Loss>) {
    let round = Some(animation.duration).filter(|duration| animation.looped && duration.is_finite());
    let mut denser = vec![None; animation.times.len()];
    let mut deviation = Deviation::default();
    for channel in &mut animation.channels {
        let curved = channel.interpolation == Interpolation::Normalized;
        let turns = matches!(channel.samples, Samples::Rotation(_));
        let ticks = match (round, animation.times.get(channel.times)) {
            (None, _) if !(curved && turns) => None,
            (round, Some(times)) => whole_ticks(times, round).map(|ticks| (times, ticks)),
            (_, None) => None,
        };
        if let Some((times, ticks)) = ticks {
            let before = channel.clone();
            channel.samples = channel.at(times, &ticks, round);
            if turns && curved {
                channel.interpolation = Interpolation::Linear;
                deviation.compare((&before, times, round), (channel, &ticks, round));
            }
            let known = denser[channel.times];
            denser[channel.times] = known.or(Some(animation.times.len()));
            channel.times = known.unwrap_or(animation.times.len());
            if known.is_none() {
                animation.times.push(ticks);
            }
        }
        if curved {
            channel.interpolation = Interpolation::Linear;
        }
    }
    losses.extend(deviation.report(index, "resampled at whole ticks"));
}

/// These times and the whole ticks between them, or of the whole round; `None` if that would be none or too many.
fn whole_ticks(times: &[f32], round: Option<f32>) -> Option<Vec<f32>> {
    let (first, last) = match round {
        Some(round) => (0.0, round.floor()),
        None => (times.first()?.ceil(), times.last()?.floor()),
    };
    if last < first || last - first > MAX_SAMPLES {
        return None;
    }
    let whole = (0..=(last - first) as u32).map(|tick| first + tick as f32);
    let mut ticks: Vec<f32> = times.iter().copied().chain(whole).chain(round).collect();
    ticks.sort_by(f32::total_cmp);
    ticks.dedup();
    (ticks.len() > times.len()).then_some(ticks)
}
