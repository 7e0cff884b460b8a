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
}
