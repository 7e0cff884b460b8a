//! What the assembler asks for values.

use std::borrow::Cow;
use std::ops::Range;

use crate::layout::Value;
use crate::layout::walk::{Node, Segment};

/// Gives the values that [`assemble`](super::assemble()) writes. It is asked in the order in which the walker reports,
/// once in each pass.
///
/// Nodes have no place yet: their spans are empty.
pub trait Source {
    /// Whether anything of the value with this path is given. Asked of what a condition may leave out.
    fn has(&mut self, path: &[Segment]) -> bool;

    /// A struct, array or block begins.
    ///
    /// # Errors
    ///
    /// Why what is given has no parts.
    fn enter(&mut self, node: &Node) -> Result<Supply<'_>, String>;

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
