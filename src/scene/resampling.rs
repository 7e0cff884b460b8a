//! The deviation of resampled animations from their source.

use glam::{Quat, Vec3};

use super::{Channel, Interpolation, Samples};
use crate::{Category, Loss, Quantity};

/// The fractions between two rotations at which nlerp and slerp are farthest apart, 1/2 ± √3/6, and the middle.
const FRACTIONS: [f32; 3] = [0.211_324_87, 0.5, 0.788_675_1];

/// The fractions for rotations farther apart than [`WIDE`], where nlerp speeds up near the middle.
const MANY_FRACTIONS: [f32; 9] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

/// The angle between two rotations, in degrees, above which [`FRACTIONS`] do not apply.
const WIDE: f32 = 60.0;

/// The largest deviation of each property that was resampled.
#[derive(Debug, Default)]
pub(crate) struct Deviation {
    /// In metres.
    translation: Option<f32>,
    /// In degrees.
    rotation: Option<f32>,
    scale: Option<f32>,
}

/// A channel, its times in ticks, and the period in ticks if it loops.
type Timed<'a> = (&'a Channel, &'a [f32], Option<f32>);

impl Deviation {
    /// Compares a channel with a resampled one at the times of both, and just before steps and the end of a period.
    /// Rotations are also compared between these times.
    pub fn compare(&mut self, before: Timed, after: Timed) {
        let mut times: Vec<f32> = before.1.iter().chain(after.1).copied().collect();
        times.extend([before.2, after.2].into_iter().flatten().map(f32::next_down));
        times.sort_by(f32::total_cmp);
        times.dedup();
        // Linear segments deviate most at their ends.
        let mut between = Vec::new();
        if let Samples::Rotation(ends) = before.0.at(before.1, &times, before.2) {
            for (pair, ends) in times.windows(2).zip(ends.windows(2)) {
                let is_wide = angle(ends[0], ends[1]) > WIDE;
                let fractions: &[f32] = if is_wide { &MANY_FRACTIONS } else { &FRACTIONS };
                between.extend(fractions.iter().map(|fraction| pair[0] + (pair[1] - pair[0]) * fraction));
            }
        }
        for (channel, own, _) in [before, after] {
            if channel.interpolation == Interpolation::Step {
                between.extend(own.iter().skip(1).map(|time| time.next_down()));
            }
        }
        times.extend(between);
        let [exact, found] = [before, after].map(|(channel, own, period)| channel.at(own, &times, period));
        self.add(&exact, &found);
    }

    /// Compares samples at the same times.
    pub fn add(&mut self, exact: &Samples, found: &Samples) {
        let (slot, error) = match (exact, found) {
            (Samples::Translation(exact), Samples::Translation(found)) => {
                (&mut self.translation, largest(exact, found, distance))
            }
            (Samples::Scale(exact), Samples::Scale(found)) => {
                (&mut self.scale, largest(exact, found, distance))
            }
            (Samples::Rotation(exact), Samples::Rotation(found)) => {
                (&mut self.rotation, largest(exact, found, angle))
            }
            _ => return,
        };
        *slot = Some(slot.unwrap_or(0.0).max(error));
    }

    /// Returns a loss for each resampled property of an animation.
    pub fn report(&self, animation: usize, message: &str) -> Vec<Loss> {
        let properties = [
            ("translation", Quantity::TRANSLATIONS, self.translation),
            ("rotation", Quantity::ROTATIONS, self.rotation),
            ("scale", Quantity::SCALES, self.scale),
        ];
        let resampled = properties.into_iter().filter_map(|(name, quantity, error)| {
            let path = format!("animations[{animation}].channels.{name}");
            let loss = Loss::quantised(path, message, quantity, error?);
            Some(loss.in_category(Category::Animation))
        });
        resampled.collect()
    }
}

fn largest<T: Copy>(exact: &[T], found: &[T], distance: impl Fn(T, T) -> f32) -> f32 {
    let pairs = exact.iter().zip(found).map(|(exact, found)| distance(*exact, *found));
    pairs.filter(|distance| distance.is_finite()).fold(0.0, f32::max)
}

fn distance(a: [f32; 3], b: [f32; 3]) -> f32 {
    Vec3::from(a).distance(b.into())
}

/// Returns the angle in degrees, from the chord, since the cosines of small angles round to 1.
fn angle(a: [f32; 4], b: [f32; 4]) -> f32 {
    let [a, b] = [a, b].map(|rotation| Quat::from_array(rotation).normalize());
    let chord = (a - b).length().min((a + b).length());
    4.0 * (chord / 2.0).min(1.0).asin().to_degrees()
}
