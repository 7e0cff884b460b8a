//! The keys of a bone by channel, packed or as floats.

use meshspec_derive::ToJson;
use std::collections::BTreeMap;

use super::super::schema::{Rotation, Track, TrackKey, Triple};
use crate::{Error, Result, path};

/// The keys of a bone by channel: values at ascending frames, counted from 0. Values are packed by default, or floats
/// in [`FloatChannels`]. A channel without keys leaves the base skeleton unchanged.
#[derive(Debug, Clone, PartialEq)]
pub struct Channels<R = Rotation, V = Triple> {
    /// Rotations relative to the base skeleton. In [`FloatChannels`], they are quaternions (I, J, K, R).
    pub rotations: Vec<(u32, R)>,
    /// Translations relative to the base skeleton.
    pub translations: Vec<(u32, V)>,
    /// Scales.
    pub scales: Vec<(u32, V)>,
}

/// The keys of a bone by channel, as floats.
pub type FloatChannels = Channels<[f32; 4], [f32; 3]>;

/// The largest encoding error of each channel.
#[derive(Debug, Clone, Copy, PartialEq, Default, ToJson)]
pub struct ChannelErrors {
    /// The largest error of a rotation, in degrees.
    pub rotation: f32,
    /// The largest error of a translation component.
    pub translation: f32,
    /// The largest error of a scale component.
    pub scale: f32,
}

impl<R, V> Default for Channels<R, V> {
    fn default() -> Self {
        Channels {
            rotations: Vec::new(),
            translations: Vec::new(),
            scales: Vec::new(),
        }
    }
}

impl Track {
    /// Splits the keys by channel.
    pub fn channels(&self) -> Channels {
        let mut channels = Channels::default();
        for TrackKey {
            frame,
            rotation,
            translation,
            scale,
        } in self.keys()
        {
            channels
                .rotations
                .extend(rotation.map(|value| (frame, value)));
            channels
                .translations
                .extend(translation.map(|value| (frame, value)));
            channels.scales.extend(scale.map(|value| (frame, value)));
        }
        channels
    }

    /// Merges keys by frame into a track, the inverse of [`channels`](Track::channels). Tracks that bridge gaps like
    /// [`from_keys`](Track::from_keys) round-trip byte for byte.
    ///
    /// ```
    /// use meshspec::bmd::{FloatChannels, Track};
    ///
    /// let rising = vec![(0, [0.0, 0.0, 0.0]), (30, [0.0, 0.5, 0.0])];
    /// let (channels, errors) = FloatChannels { translations: rising, ..Default::default() }.encode()?;
    /// let track = Track::from_channels(&channels)?;
    /// assert!(track.keys().count() == 2 && errors.translation < 1e-6);
    /// # Ok::<(), meshspec::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the frames of a channel are not strictly ascending.
    pub fn from_channels(channels: &Channels) -> Result<Track> {
        let mut keys = BTreeMap::new();
        merge_channel(&channels.rotations, "rotations", &mut keys, |key| {
            &mut key.rotation
        })?;
        merge_channel(&channels.translations, "translations", &mut keys, |key| {
            &mut key.translation
        })?;
        merge_channel(&channels.scales, "scales", &mut keys, |key| &mut key.scale)?;
        Track::from_keys(
            keys.into_iter()
                .map(|(frame, key)| TrackKey { frame, ..key }),
        )
    }
}

/// Stores the values of a channel in the keys at their frames.
fn merge_channel<T: Copy>(
    channel: &[(u32, T)],
    name: &'static str,
    keys: &mut BTreeMap<u32, TrackKey>,
    field: impl Fn(&mut TrackKey) -> &mut Option<T>,
) -> Result<()> {
    if let Some(before) = channel.windows(2).position(|pair| pair[0].0 >= pair[1].0) {
        let (a, b) = (channel[before].0, channel[before + 1].0);
        let message = format!("frame {b} after frame {a}, expected ascending frames");
        return Err(Error::inexpressible(message).at(path!((name)[before + 1])));
    }
    for (frame, value) in channel {
        *field(keys.entry(*frame).or_default()) = Some(*value);
    }
    Ok(())
}

impl Channels {
    /// Decodes the keys: unit quaternions (I, J, K, R), translations, scales.
    ///
    /// ```
    /// use meshspec::bmd::{Channels, Triple};
    ///
    /// let key = (0, Triple::nearest([1.0, 0.0, -2.0]).unwrap());
    /// let channels = Channels { translations: vec![key], ..Channels::default() };
    /// assert_eq!(channels.to_floats().translations, [(0, [1.0, 0.0, -2.0])]);
    /// ```
    pub fn to_floats(&self) -> FloatChannels {
        Channels {
            rotations: self
                .rotations
                .iter()
                .map(|(frame, value)| (*frame, value.value()))
                .collect(),
            translations: self
                .translations
                .iter()
                .map(|(frame, value)| (*frame, value.value()))
                .collect(),
            scales: self
                .scales
                .iter()
                .map(|(frame, value)| (*frame, value.value()))
                .collect(),
        }
    }
}

impl FloatChannels {
    /// Encodes each key as the nearest code. Returns the packed channels and the largest errors.
    ///
    /// # Errors
    ///
    /// Returns an error if a quaternion has no direction, or a number is non-finite or too large for a [`Triple`].
    pub fn encode(&self) -> Result<(Channels, ChannelErrors)> {
        let mut errors = ChannelErrors::default();
        let rotations = self
            .rotations
            .iter()
            .enumerate()
            .map(|(index, (frame, target))| {
                let rotation = Rotation::nearest(*target).ok_or_else(|| {
                    Error::inexpressible(format!("{target:?} is not a rotation"))
                        .at(path!(rotations[index]))
                })?;
                errors.rotation = errors.rotation.max(rotation.angle_to(*target) as f32);
                Ok((*frame, rotation))
            });
        let channels = Channels {
            rotations: rotations.collect::<Result<_>>()?,
            translations: pack_triples(
                &self.translations,
                "translations",
                &mut errors.translation,
            )?,
            scales: pack_triples(&self.scales, "scales", &mut errors.scale)?,
        };
        Ok((channels, errors))
    }
}

fn pack_triples(
    keys: &[(u32, [f32; 3])],
    name: &'static str,
    worst: &mut f32,
) -> Result<Vec<(u32, Triple)>> {
    let triples = keys.iter().enumerate().map(|(index, (frame, target))| {
        let triple = Triple::nearest(*target).ok_or_else(|| {
            let message = format!("{target:?} is non-finite or outside ±{}", Triple::MAX);
            Error::inexpressible(message).at(path!((name)[index]))
        })?;
        *worst = triple
            .value()
            .into_iter()
            .zip(target)
            .map(|(a, b)| (a - b).abs())
            .fold(*worst, f32::max);
        Ok((*frame, triple))
    });
    triples.collect()
}
