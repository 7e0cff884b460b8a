//! The deviation of resampled animations from their source.

use glam::{DQuat, DVec3};

use super::animation::{bend_in_loop, sorted_times};
use super::{Channel, Interpolation, Samples};
use crate::{Category, Loss, Quantity};

/// The fractions between two rotations at which nlerp and slerp are farthest apart, 1/2 ± √3/6, and the middle.
const FRACTIONS: [f32; 3] = [0.211_324_87, 0.5, 0.788_675_1];

/// The fractions for rotations farther apart than [`WIDE_ANGLE`], since nlerp turns faster near the middle.
const WIDE_FRACTIONS: [f32; 9] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

/// The factor from the largest deviation found between rotations to a bound of all deviations. For angles up to
/// [`WIDE_ANGLE`], the deviation is largest within 0.01 of a fraction, and the nearest fractions are at most 0.05 away
/// for larger angles. Deviations between two rotations are similar to a sine of at most one period, which changes by
/// less than 5 % over 0.05 next to its maximum.
const BOUND_FACTOR: f64 = 1.05;

/// The angle between two rotations, in degrees, above which [`FRACTIONS`] do not apply.
const WIDE_ANGLE: f64 = 60.0;

/// The largest deviation of each resampled property; `None` for properties that were not resampled.
#[derive(Debug, Default)]
pub(crate) struct Deviation {
    /// In the unit of the scene.
    translation: Option<f64>,
    /// In degrees.
    rotation: Option<f64>,
    /// As a distance between scale factors.
    scale: Option<f64>,
}

/// The units of a scene, in which its deviations are stated.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DeviationScale {
    /// The length of a unit in metres.
    pub unit: f64,
    /// The longest side of the model in units; 0 if unknown.
    pub size: f64,
}

/// A channel, its times in ticks, and the period in ticks if it loops.
type TimedChannel<'a> = (&'a Channel, &'a [f32], Option<f32>);

impl Deviation {
    /// Compares a channel before and after resampling, at the sample times and bends of both. Also compares it immediately
    /// before each step and each period end. Rotations are also compared between these times.
    pub fn compare(&mut self, before: TimedChannel, after: TimedChannel) {
        let ends = [before.2, after.2]
            .into_iter()
            .flatten()
            .map(f32::next_down);
        let bends = [before, after]
            .into_iter()
            .filter_map(|(_, times, period)| bend_in_loop(times, period));
        let mut times = sorted_times(
            before
                .1
                .iter()
                .chain(after.1)
                .copied()
                .chain(ends)
                .chain(bends),
        );
        // Linear segments deviate most at their ends.
        let mut between = Vec::new();
        if let Samples::Rotation(ends) = before.0.resample(before.1, &times, before.2) {
            for (pair, ends) in times.windows(2).zip(ends.windows(2)) {
                let is_wide = angle(ends[0], ends[1]) > WIDE_ANGLE;
                let fractions: &[f32] = if is_wide { &WIDE_FRACTIONS } else { &FRACTIONS };
                between.extend(
                    fractions
                        .iter()
                        .map(|fraction| pair[0] + (pair[1] - pair[0]) * fraction),
                );
            }
        }
        for (channel, own, period) in [before, after] {
            if channel.interpolation == Interpolation::Step {
                // In a loop, the first sample is also a step, from the last one.
                let steps = own
                    .iter()
                    .skip(usize::from(period.is_none()))
                    .filter(|time| **time > 0.0);
                between.extend(steps.map(|time| time.next_down()));
            }
        }
        times.extend(between);
        let [exact, resampled] =
            [before, after].map(|(channel, own, period)| channel.resample(own, &times, period));
        self.compare_samples(&exact, &resampled);
        if before.0.interpolation != after.0.interpolation {
            self.rotation = self.rotation.map(|angle| (BOUND_FACTOR * angle).min(180.0));
        }
    }

    /// Multiplies all deviations by `factor`.
    #[cfg(feature = "gltf")]
    pub fn scale_by(&mut self, factor: f64) {
        for deviation in [&mut self.translation, &mut self.rotation, &mut self.scale]
            .into_iter()
            .flatten()
        {
            *deviation *= factor;
        }
    }

    /// Adds the errors of rounded samples, a distance, an angle in degrees and a distance, to the properties that were
    /// resampled.
    #[cfg(feature = "bmd")]
    pub fn widen(&mut self, translation: f32, rotation: f32, scale: f32) {
        let own = [&mut self.translation, &mut self.rotation, &mut self.scale];
        for (deviation, error) in own.into_iter().zip([translation, rotation, scale]) {
            *deviation = deviation.map(|deviation| deviation + f64::from(error));
        }
    }

    /// Compares exact samples with resampled ones at the same times.
    pub fn compare_samples(&mut self, exact: &Samples, resampled: &Samples) {
        let (slot, error) = match (exact, resampled) {
            (Samples::Translation(a), Samples::Translation(b)) => {
                (&mut self.translation, largest(a, b, distance))
            }
            (Samples::Scale(a), Samples::Scale(b)) => (&mut self.scale, largest(a, b, distance)),
            (Samples::Rotation(a), Samples::Rotation(b)) => {
                (&mut self.rotation, largest(a, b, angle))
            }
            _ => return,
        };
        *slot = Some(slot.unwrap_or(0.0).max(error));
    }

    /// Returns a loss for each resampled property of the animation with index `animation`.
    pub fn to_losses(&self, animation: usize, message: &str, scale: DeviationScale) -> Vec<Loss> {
        let DeviationScale { unit, size } = scale;
        let properties = [
            (
                "translation",
                Quantity::TRANSLATIONS,
                self.translation.map(|distance| unit * distance),
            ),
            ("rotation", Quantity::ROTATIONS, self.rotation),
            ("scale", Quantity::SCALES, self.scale),
        ];
        let losses = properties
            .into_iter()
            .filter_map(|(name, quantity, error)| {
                let path = format!("animations[{animation}].channels.{name}");
                let loss = Loss::quantized(path, message, quantity, error?)
                    .in_category(Category::Animation);
                Some(if name == "translation" {
                    loss.with_mesh_size(unit * size)
                } else {
                    loss
                })
            });
        losses.collect()
    }
}

fn largest<T: Copy>(exact: &[T], resampled: &[T], distance: impl Fn(T, T) -> f64) -> f64 {
    let pairs = exact
        .iter()
        .zip(resampled)
        .map(|(exact, resampled)| distance(*exact, *resampled));
    pairs
        .filter(|distance| distance.is_finite())
        .fold(0.0, f64::max)
}

fn distance(a: [f32; 3], b: [f32; 3]) -> f64 {
    let [a, b] = [a, b].map(|vector| DVec3::from(vector.map(f64::from)));
    a.distance(b)
}

/// Returns the angle between two rotations in degrees, from the chord, since cosines of small angles round to 1.
fn angle(a: [f32; 4], b: [f32; 4]) -> f64 {
    let [a, b] = [a, b].map(|rotation| DQuat::from_array(rotation.map(f64::from)).normalize());
    let chord = (a - b).length().min((a + b).length());
    4.0 * (chord / 2.0).min(1.0).asin().to_degrees()
}
