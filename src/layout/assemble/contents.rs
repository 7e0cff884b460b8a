//! All that is given of a file.

use std::borrow::Cow;

use super::tree::Tree;
use crate::layout::walk::Segment;

/// All that is given of a file.
#[derive(Debug, Clone, Default)]
pub(super) struct Contents<'b> {
    pub(super) root: Tree<'b>,
    /// Bytes that no field covers, with their offsets.
    pub(super) gaps: Vec<(u64, Cow<'b, [u8]>)>,
    /// Number of bytes that the values take at most.
    pub(super) size: u64,
    /// Whether values that are given are computed anew where others contradict them.
    pub(super) recounts: bool,
}

impl<'b> Contents<'b> {
    /// The place of the value with this path, made if there is none; `None` if the item before it is not there.
    pub(super) fn entry(&mut self, path: &[Segment]) -> Option<&mut Tree<'b>> {
        path.iter().try_fold(&mut self.root, |tree, step| tree.entry(*step))
    }

    /// What is given on the way to a value, from the file as a whole to the value itself, as far as there is anything.
    pub(super) fn way(&self, path: &[Segment]) -> impl Iterator<Item = &Tree<'b>> {
        let mut steps = path.iter();
        std::iter::successors(Some(&self.root), move |tree| tree.child(*steps.next()?))
    }

    /// Returns the number of zero bytes at an offset that no field covers.
    pub(super) fn padding(&self, offset: u64) -> u64 {
        let gap = self.gaps.iter().find(|(start, _)| *start == offset);
        gap.map_or(0, |(_, bytes)| bytes.iter().take_while(|byte| **byte == 0).count() as u64)
    }

    /// Returns the most bytes of the file, and of the content of each block.
    pub(super) fn max_size(&self) -> u64 {
        /// The bytes that offsets may leave free in any file.
        const FREE: u64 = 16 << 20;
        FREE.saturating_add(self.size.saturating_mul(2))
    }
}
