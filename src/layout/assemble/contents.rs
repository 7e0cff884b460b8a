//! The given values of a file.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use super::tree::Tree;
use crate::layout::walk::Segment;

/// The given values of a file, with its uncovered bytes.
#[derive(Debug, Clone, Default)]
pub(super) struct Contents<'b> {
    pub(super) root: Tree<'b>,
    /// Bytes that no field covers, with their offsets.
    pub(super) gaps: Vec<(u64, Cow<'b, [u8]>)>,
    /// An upper bound on the size of the values in bytes.
    pub(super) size: u64,
    /// The size of the original file, if the values come from one.
    pub(super) file_size: Option<u64>,
    /// Whether given values are recomputed if they conflict with others.
    pub(super) recounts: bool,
    /// The paths of sizes to recompute: those of packed blocks whose content may have changed.
    pub(super) block_sizes: HashSet<Vec<Segment>>,
    /// Whether any value may be marked as used.
    pub(super) is_marked: Cell<bool>,
}

impl<'b> Contents<'b> {
    /// Returns the tree at this path, and creates it if necessary; `None` if the preceding item is missing.
    pub(super) fn entry(&mut self, path: &[Segment]) -> Option<&mut Tree<'b>> {
        path.iter().try_fold(&mut self.root, |tree, step| tree.entry(*step))
    }

    /// Returns the trees along a path, from the whole file to the value, as far as they exist.
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

    /// Returns the maximum size of the file, and of the content of each block, in bytes.
    pub(super) fn max_size(&self) -> u64 {
        /// The bytes that offsets may leave uncovered in any file.
        const FREE: u64 = 16 << 20;
        FREE.saturating_add(self.size.saturating_mul(2))
    }
}
