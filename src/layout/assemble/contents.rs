//! The given values and uncovered bytes of a file.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use super::tree::ValueTree;
use crate::layout::walk::Segment;

/// The given values of a file, and the bytes that no field covers.
#[derive(Debug, Clone, Default)]
pub(super) struct Contents<'b> {
    pub root: ValueTree<'b>,
    /// Bytes that no field covers, each range with its offset.
    pub gaps: Vec<(u64, Cow<'b, [u8]>)>,
    /// An upper bound on the size of the values in bytes.
    pub size_bound: u64,
    /// The size of the original file, if the values come from one.
    pub file_size: Option<u64>,
    /// Whether given values are recomputed if they conflict with others.
    pub recounts: bool,
    /// The paths of sizes to recompute: the sizes of packed blocks whose content may have changed.
    pub block_size_paths: HashSet<Vec<Segment>>,
    /// Whether a run may have marked values as used.
    pub may_have_marks: Cell<bool>,
}

impl<'b> Contents<'b> {
    /// Returns the tree at `path`, and creates it if necessary; `None` if the path skips a list index.
    pub fn get_or_insert(&mut self, path: &[Segment]) -> Option<&mut ValueTree<'b>> {
        path.iter()
            .try_fold(&mut self.root, |tree, step| tree.get_or_insert(*step))
    }

    /// Returns the trees along `path`, starting with the root, as far as they exist.
    pub fn trees_along(&self, path: &[Segment]) -> impl Iterator<Item = &ValueTree<'b>> {
        let mut steps = path.iter();
        std::iter::successors(Some(&self.root), move |tree| tree.child(*steps.next()?))
    }

    /// Clears the marks of used values before a run.
    pub fn clear_marks(&self) {
        if self.may_have_marks.replace(true) {
            self.root.clear_marks();
        }
    }

    /// Returns the number of leading zero bytes in each uncovered range, by the offset of the range.
    pub fn padding_by_offset(&self) -> HashMap<u64, u64> {
        let zeros = |bytes: &[u8]| bytes.iter().take_while(|byte| **byte == 0).count() as u64;
        self.gaps
            .iter()
            .map(|(start, bytes)| (*start, zeros(bytes)))
            .collect()
    }

    /// Raises the bound on the size of the values by `bytes`.
    pub fn raise_bound(&mut self, bytes: u64) {
        self.size_bound = self.size_bound.saturating_add(bytes);
    }

    /// Returns the maximum size in bytes of the file, and of the content of each block.
    pub fn max_size(&self) -> u64 {
        /// The number of bytes that any file may leave uncovered between fields at explicit offsets.
        const MAX_UNCOVERED: u64 = 16 << 20;
        MAX_UNCOVERED.saturating_add(self.size_bound.saturating_mul(2))
    }
}
