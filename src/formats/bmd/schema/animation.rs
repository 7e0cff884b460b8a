//! Animations: a header each, and a stream of tagged keys.

use std::io::SeekFrom;

use binrw::{binread, binrw};
use meshspec_derive::Layout;
use modular_bitfield::prelude::*;

use super::f8a::Rotation;
use super::triple::Triple;
use crate::bulk::{Bulk, NulString};

/// One animation: 16 bytes.
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[derive(Debug)]
pub struct AnimDef<'a> {
    /// Offset of the animation name; 0 for none.
    #[br(assert(ofs_name == 0 || ofs_name >= 48, "the name overlaps the header"))]
    #[layout(rule = "BMD-LIST")]
    pub ofs_name: u32,
    /// Number of frames in this animation loop.
    pub n_frames: u8,
    /// Speed, and whether it loops.
    pub fl_hz: AnimRate,
    /// MBZ (B28).
    pub resv1: u8,
    /// MBZ (B28).
    pub resv2: u8,
    /// Offset of the frames list.
    pub ofs_frames: u32,
    /// Size of the frames list in bytes.
    #[br(assert(sz_frames == 0 || ofs_frames >= 48, "the frames overlap the header"))]
    #[layout(rule = "BMD-LIST")]
    pub sz_frames: u32,
    /// The name.
    #[br(if(ofs_name != 0), seek_before = SeekFrom::Start(ofs_name as u64), restore_position)]
    #[bw(ignore)]
    #[layout(rule = "BMD-STRING")]
    pub name: Option<NulString>,
    /// The keys of all normal bones, bone after bone.
    #[br(seek_before = SeekFrom::Start(ofs_frames as u64), restore_position, count = sz_frames)]
    #[bw(ignore)]
    #[layout(content = KeyList, inline)]
    pub frames: Bulk<'a, u8>,
}

/// Speed of an animation: 8 bits (B27).
#[derive(Layout)]
#[bitfield(bits = 8)]
#[binrw]
#[br(map = Self::from_bytes)]
#[bw(map = |rate: &Self| rate.into_bytes())]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AnimRate {
    /// Frames per second, in units of 0.25.
    pub quarter_hz: B7,
    /// Whether it stops at its end.
    pub no_loop: bool,
}

impl AnimRate {
    /// Frames per second.
    pub fn hz(self) -> f32 {
        f32::from(self.quarter_hz()) * 0.25
    }
}

/// The keys of an animation, up to the end of their bytes.
#[derive(Layout)]
#[br(little)]
pub struct KeyList {
    /// For each normal bone its keys and an end, a tag of 00.
    pub frames: Vec<Key>,
}

/// What a bone does at a frame, or the end of a bone: 1 to 13 bytes (B23).
#[derive(Layout)]
#[binread]
#[br(little)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Key {
    /// What is there; 00 ends the bone.
    pub tag: AnimTag,
    /// Rotation.
    #[br(if(tag.rotation()))]
    pub rotation: Option<Rotation>,
    /// Translation.
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
    /// Scale present.
    pub scale: bool,
    /// Translation present.
    pub translation: bool,
    /// Rotation present.
    pub rotation: bool,
}
