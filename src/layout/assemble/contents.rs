//! All that is given of a file.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::{HashMap, HashSet};

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
    /// The size of the file that the values come from.
    pub(super) file_size: Option<u64>,
    /// Whether values that are given are computed anew where others contradict them.
    pub(super) recounts: bool,
    /// Paths of sizes to recompute: those of packed blocks whose content may have changed.
    pub(super) block_sizes: HashSet<Vec<Segment>>,
    /// Whether values may be marked as used.
    pub(super) is_marked: Cell<bool>,
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

    /// Clears the marks of used values before a run.
    pub(super) fn clear_marks(&self) {
        if self.is_marked.replace(true) {
            self.root.clear_marks();
        }
    }

    /// Returns the number of zero bytes at the start of each range that no field covers.
    pub(super) fn padding(&self) -> HashMap<u64, u64> {
        let zeros = |bytes: &[u8]| bytes.iter().take_while(|byte| **byte == 0).count() as u64;
        self.gaps.iter().map(|(start, bytes)| (*start, zeros(bytes))).collect()
    }

    /// Returns the most bytes of the file, and of the content of each block.
    pub(super) fn max_size(&self) -> u64 {
        /// The bytes that offsets may leave free in any file.
        const FREE: u64 = 16 << 20;
        FREE.saturating_add(self.size.saturating_mul(2))
    }
}
