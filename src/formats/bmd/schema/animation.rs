//! Animations: table entries, each with a list of tagged keys.

use std::io::SeekFrom;

use binrw::binrw;
use modular_bitfield::prelude::*;

use super::rules;
use super::track::{KeyList, Track};
use crate::layout::Layout;
use crate::layout::walk::StoredFields;
use crate::{Text, bulk};

/// An animation: a 16-byte table entry whose keys are stored elsewhere.
#[derive(Layout, StoredFields)]
#[binrw]
#[brw(little)]
#[bw(import(extents: AnimExtents))]
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AnimDef {
    /// Offset of the name; 0 for none.
    #[br(temp, assert(ofs_name == 0 || ofs_name >= 48, "the name overlaps the header"))]
    #[bw(calc = extents.ofs_name)]
    #[layout(rule = rules::LIST)]
    ofs_name: u32,
    /// Number of frames.
    pub n_frames: u8,
    /// Frame rate, and whether the animation loops.
    pub fl_hz: AnimRate,
    /// Reserved; must be zero (B28).
    #[layout(one_of(0), rule = rules::RESERVED, message = "{found:#x}, expected 0")]
    pub resv1: u8,
    /// Reserved; must be zero (B28).
    #[layout(one_of(0), rule = rules::RESERVED, message = "{found:#x}, expected 0")]
    pub resv2: u8,
    /// Offset of the frames list.
    #[br(temp)]
    #[bw(calc = extents.ofs_frames)]
    ofs_frames: u32,
    /// Size of the frames list in bytes.
    #[br(temp, assert(sz_frames == 0 || ofs_frames >= 48, "the frames overlap the header"))]
    #[bw(calc = extents.sz_frames)]
    #[layout(rule = rules::LIST)]
    #[layout(
        holds(n_frames > 0 || sz_frames == 0), rule = rules::NO_FRAMES,
        message = "0 frames, but the size of the frames list is {found}"
    )]
    sz_frames: u32,
    /// The name.
    #[br(if(ofs_name != 0), seek_before = SeekFrom::Start(ofs_name as u64), restore_position)]
    #[bw(ignore)]
    #[layout(rule = rules::STRING)]
    pub name: Option<Text>,
    /// The keys of all normal bones, bone by bone.
    #[br(temp, seek_before = SeekFrom::Start(ofs_frames as u64), restore_position)]
    #[br(count = sz_frames, parse_with = bulk::read)]
    #[bw(ignore)]
    #[layout(rule = rules::FRAMES, content = KeyList, inline)]
    frames: Vec<u8>,
    /// The keys of each normal bone; pseudo-bones have none.
    #[br(calc = Vec::new())]
    #[bw(ignore)]
    pub tracks: Vec<Track>,
    /// Bytes after the keys of the last bone. If a key is after the last frame, these bytes may be keys without an end
    /// tag. Only lenient reading accepts trailing bytes.
    #[br(calc = frames)]
    #[bw(ignore)]
    pub trailing: Vec<u8>,
}

impl AnimDef {
    /// Size of a table entry in bytes.
    pub const SIZE: u32 = AnimDef::TYPE.stride().expect("entries have a fixed size") as u32;
}

/// The fields of an animation that the writer fills in after writing its name and keys.
#[derive(Debug, Clone, Copy, Default)]
#[expect(
    missing_docs,
    reason = "documented at the same fields of the animation"
)]
pub struct AnimExtents {
    pub ofs_name: u32,
    pub ofs_frames: u32,
    pub sz_frames: u32,
}

/// Frame rate and loop flag of an animation: 8 bits (B27).
#[derive(Layout)]
#[layout(decoded = AnimRate::hz, formula = "quarter_hz * 0.25", unit = "frames/s")]
#[bitfield(bits = 8)]
#[binrw]
#[br(map = Self::from_bytes)]
#[bw(map = |rate: &Self| rate.into_bytes())]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AnimRate {
    /// Frame rate in units of 0.25 Hz.
    pub quarter_hz: B7,
    /// Whether playback stops at the end.
    pub no_loop: bool,
}

impl AnimRate {
    /// Returns the frame rate in Hz.
    pub fn hz(self) -> f32 {
        f32::from(self.quarter_hz()) * 0.25
    }
}
