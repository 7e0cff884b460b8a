//! The other direction of the walker: values → bytes, by a declaration.
//!
//! [`assemble`] goes through a declaration as [`walk`](super::walk) does, and asks a [`Source`] where that tells a
//! [`Visitor`](super::walk::Visitor). What the source gives is written as given, even where it contradicts itself: that is
//! how files are made that break one rule. What it leaves out is computed where the declaration says what it is: counts,
//! sizes, offsets, magic bytes, values that a check demands.
//!
//! [`Values`] is such a source: the values of a file, from its bytes or one by one, to be looked at, changed and assembled.
//!
//! ```
//! use binrw::binrw;
//! use meshspec::layout::{Layout, assemble::Values};
//!
//! /// A list of heights.
//! #[derive(Layout)]
//! #[binrw]
//! #[brw(little)]
//! struct Heights {
//!     /// Number of samples.
//!     count: u16,
//!     #[br(count = count)]
//!     samples: Vec<f32>,
//! }
//!
//! let mut heights = Values::new(&Heights::TYPE);
//! heights.set("samples[0]", "1")?;
//! heights.set("samples[1]", "-0.5")?;
//! assert_eq!(heights.assemble(&Default::default())?, [2, 0, 0, 0, 0x80, 0x3f, 0, 0, 0, 0xbf]);
//! // What is given is written as given.
//! heights.set("count", "7")?;
//! assert_eq!(heights.assemble(&Default::default())?[..2], [7, 0]);
//! # Ok::<(), meshspec::Error>(())
//! ```

mod assembler;
mod block;
mod declared;
mod edit;
mod frame;
mod known;
mod number;
mod output;
mod place;
mod record;
mod solve;
mod source;
mod tree;
mod values;

pub use edit::{Change, Edit, edit};
pub use values::{Part, Values};

use std::borrow::Cow;
use std::ops::Range;

use super::walk::{Node, Segment};
use super::{Type, Value};
use crate::{Limits, Result};

/// Gives the values that [`assemble`] writes. It is asked in the order in which the walker reports.
///
/// Nodes have no place yet: their spans are empty.
pub trait Source {
    /// Whether anything of the value with this path is given. Asked of what a condition may leave out.
    fn has(&mut self, path: &[Segment]) -> bool;

    /// A struct, array or block begins.
    fn enter(&mut self, node: &Node) -> Supply<'_>;

    /// A number, string, enum or packed word; `None` if it is left out.
    ///
    /// # Errors
    ///
    /// Why what is given is no such value.
    fn leaf(&mut self, node: &Node) -> Result<Option<Cow<'_, Value>>, String>;

    /// Whether the string at the end of a list lacks its NUL.
    fn lacks_nul(&mut self, node: &Node) -> bool {
        let _ = node;
        false
    }

    /// What a struct starts with instead of its magic bytes; `None` for those.
    fn magic(&mut self, node: &Node) -> Option<&[u8]> {
        let _ = node;
        None
    }

    /// The packed bytes of the block with this path as they were in a file. They are written again if nothing of the
    /// content is given, or if they unpack to what is.
    fn packed(&mut self, path: &[Segment]) -> Option<Packed<'_>> {
        let _ = path;
        None
    }

    /// A group ends.
    fn leave(&mut self, node: &Node) {
        let _ = node;
    }

    /// Bytes behind all fields of the file, or of the stored block with this path.
    fn trailing(&mut self, path: &[Segment]) -> Option<&[u8]> {
        let _ = path;
        None
    }

    /// Bytes of the file that no field covers, with their offsets.
    fn gaps(&self) -> Vec<(u64, &[u8])> {
        Vec::new()
    }

    /// How large the file, and the content of each block, can be at most.
    fn max_size(&self) -> u64 {
        u64::MAX
    }

    /// Whether values that are given are computed anew where others contradict them.
    fn recounts(&self) -> bool {
        false
    }

    /// Whether a value is never computed anew.
    fn is_fixed(&self, path: &[Segment]) -> bool {
        let _ = path;
        true
    }

    /// Where a field with a position of its own lay in the file that the values come from; of the empty path, what of the
    /// file has none.
    fn origin(&self, path: &[Segment]) -> Option<Range<u64>> {
        let _ = path;
        None
    }
}

/// What a source gives of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Supply<'s> {
    /// Its parts one by one; of an array, so many items.
    Parts(u64),
    /// All of its bytes at once, with the number of items where it is an array.
    Bytes(&'s [u8], u64),
}

/// A packed block as it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packed<'s> {
    /// Its bytes.
    pub bytes: &'s [u8],
    /// Whether nothing of its content is given.
    pub is_opaque: bool,
}

/// The bytes of one value of type `ty` that is made of what `source` gives: all of a file.
///
/// # Errors
///
/// The first value that is left out and follows from nothing, does not fit its field, or lies where other values do; and
/// if the output would be larger than the [limits](Limits::max_decoded) allow.
pub fn assemble(ty: &'static Type, source: &mut impl Source, limits: &Limits) -> Result<Vec<u8>> {
    assembler::assemble(ty, source, limits)
}
