//! Streams of tagged keys, one per bone.

use std::fmt;

use binrw::{BinRead, binread};
use meshspec_derive::Layout;
use modular_bitfield::prelude::*;

use super::f8a::Rotation;
use super::triple::Triple;
use crate::{Error, Result, path};

/// The keys of an animation, up to the end of their bytes.
#[derive(Layout)]
#[br(little)]
pub struct KeyList {
    /// The keys of each normal bone, each followed by an end tag of 00.
    pub frames: Vec<Key>,
}

/// A keyframe of a bone, or the end of a track (B23).
#[derive(Layout)]
#[binread]
#[br(little)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Key {
    /// The skipped frames and the present values; 00 ends the track.
    pub tag: AnimTag,
    /// Rotation.
    #[br(if(tag.rotation()))]
    pub rotation: Option<Rotation>,
    /// Translation.
    #[layout(unit = "m")]
    #[br(if(tag.translation()))]
    pub translation: Option<Triple>,
    /// Scale.
    #[br(if(tag.scale()))]
    pub scale: Option<Triple>,
}

/// The tag of a key: 8 bits.
#[derive(Layout)]
#[bitfield(bits = 8)]
#[binread]
#[br(map = Self::from_bytes)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AnimTag {
    /// Number of preceding frames without a key.
    pub skip: B5,
    /// Whether the key has a scale.
    pub scale: bool,
    /// Whether the key has a translation.
    pub translation: bool,
    /// Whether the key has a rotation.
    pub rotation: bool,
}

/// The packed keys of a bone, without the end tag 00.
///
/// ```
/// use meshspec::bmd::{Rotation, Track, TrackKey};
///
/// let key = TrackKey { frame: 40, rotation: Some(Rotation::IDENTITY), ..TrackKey::default() };
/// let track = Track::from_keys([key])?;
/// // A key skips at most 31 frames, so a key without values precedes this one.
/// assert_eq!(track.packed_keys().count(), 2);
/// assert_eq!(track.keys().filter(TrackKey::has_values).map(|key| key.frame).collect::<Vec<_>>(), [40]);
/// assert!(track.reaches(40) && !track.reaches(41));
/// # Ok::<(), meshspec::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Track {
    bytes: Vec<u8>,
}

/// Formats the keys with their frames.
impl fmt::Debug for Track {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.keys()).finish()
    }
}

/// A keyframe of a bone. A key without values only skips frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TrackKey {
    /// The frame, counted from 0.
    pub frame: u32,
    /// Rotation relative to the base skeleton.
    pub rotation: Option<Rotation>,
    /// Translation relative to the base skeleton.
    pub translation: Option<Triple>,
    /// Scale.
    pub scale: Option<Triple>,
}

impl TrackKey {
    /// Returns `true` if the key has a value.
    pub fn has_values(&self) -> bool {
        self.rotation.is_some() || self.translation.is_some() || self.scale.is_some()
    }
}

/// Returns the size of a key in bytes, from its tag.
fn key_size(tag: AnimTag) -> usize {
    1 + 4
        * (usize::from(tag.rotation()) + usize::from(tag.translation()) + usize::from(tag.scale()))
}

/// Returns `true` if the bytes consist of complete keys and end tags.
pub fn are_keys(mut bytes: &[u8]) -> bool {
    while let Some(tag) = bytes.first() {
        let Some(rest) = bytes.get(key_size(AnimTag::from_bytes([*tag]))..) else {
            return false;
        };
        bytes = rest;
    }
    true
}

impl Track {
    /// Creates a track from keys in ascending order of frames. Inserts empty keys in gaps of 32 or more frames (B24).
    ///
    /// # Errors
    ///
    /// Returns an error if frames do not ascend, or an empty key skips a multiple of 32 frames: its tag would be the
    /// end tag 00.
    pub fn from_keys(keys: impl IntoIterator<Item = TrackKey>) -> Result<Track> {
        let mut track = Track::default();
        // The first frame available for the next key.
        let mut next = 0;
        for (index, key) in keys.into_iter().enumerate() {
            let TrackKey {
                frame,
                rotation,
                translation,
                scale,
            } = key;
            let Some(mut skip) = frame.checked_sub(next) else {
                let message = format!("frame {frame}, expected {next} or a later one");
                return Err(Error::inexpressible(message).at(path!(keys[index])));
            };
            while skip >= 32 {
                track.bytes.push(0x1f);
                skip -= 32;
            }
            let pushed = track.push(skip as u8, rotation, translation, scale);
            pushed.map_err(|error| error.at(path!(keys[index])))?;
            next = frame.saturating_add(1);
        }
        Ok(track)
    }

    /// Appends a key after `skip` frames without a key.
    ///
    /// # Errors
    ///
    /// Returns an error if `skip` is above 31, or 0 without a value: the tag would be the end tag 00.
    pub fn push(
        &mut self,
        skip: u8,
        rotation: Option<Rotation>,
        translation: Option<Triple>,
        scale: Option<Triple>,
    ) -> Result<()> {
        let reject = |message: &str| Err(Error::inexpressible(message));
        let Ok(tag) = AnimTag::new().with_skip_checked(skip) else {
            return reject("a key skips at most 31 frames");
        };
        let tag = tag
            .with_rotation(rotation.is_some())
            .with_translation(translation.is_some());
        let tag = tag.with_scale(scale.is_some());
        if tag == AnimTag::new() {
            return reject("an empty key that skips no frame would be the end tag 00");
        }
        self.bytes.extend(tag.into_bytes());
        self.bytes
            .extend(rotation.into_iter().flat_map(Rotation::into_bytes));
        self.bytes.extend(
            translation
                .into_iter()
                .chain(scale)
                .flat_map(Triple::into_bytes),
        );
        Ok(())
    }

    /// Parses the track at the start of `bytes`. Returns the track and its size in bytes, including the end tag.
    ///
    /// # Errors
    ///
    /// Returns an error if the end tag is missing; the error is the track of all bytes.
    pub fn parse(bytes: &[u8]) -> Result<(Track, usize), Track> {
        let mut start = 0;
        while let Some(tag) = bytes.get(start) {
            let end = start + key_size(AnimTag::from_bytes([*tag]));
            if *tag == 0 {
                return Ok((
                    Track {
                        bytes: bytes[..start].to_vec(),
                    },
                    end,
                ));
            }
            start = end;
        }
        Err(Track {
            bytes: bytes.to_vec(),
        })
    }

    /// Returns `true` if a key with values is at `frame` or later.
    pub fn reaches(&self, frame: u8) -> bool {
        self.keys()
            .any(|key| key.has_values() && key.frame >= frame.into())
    }

    /// The bytes of the keys, without the end tag.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the stored keys, including keys that only skip frames.
    pub fn packed_keys(&self) -> impl Iterator<Item = Key> + use<'_> {
        let mut cursor = std::io::Cursor::new(&*self.bytes);
        std::iter::from_fn(move || Key::read(&mut cursor).ok())
    }

    /// Returns the keys with their frames, including keys without values.
    pub fn keys(&self) -> impl Iterator<Item = TrackKey> + use<'_> {
        let mut next = 0u32;
        self.packed_keys().map(move |key| {
            let frame = next.saturating_add(key.tag.skip().into());
            next = frame.saturating_add(1);
            TrackKey {
                frame,
                rotation: key.rotation,
                translation: key.translation,
                scale: key.scale,
            }
        })
    }
}
