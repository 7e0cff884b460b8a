//! Finds given values that a file has no field for.

use std::collections::HashSet;

use crate::layout::tree::{Section, TreeNode};
use crate::layout::walk::Segment;

/// The values of a tree that a run has written, by address.
#[derive(Default)]
pub(super) struct UsedValues(HashSet<usize>);

impl UsedValues {
    /// Adds a leaf, stored items, magic bytes, or the packed or trailing bytes of a block.
    pub fn add<T>(&mut self, data: &T) {
        self.0.insert(address(data));
    }

    fn lacks<T>(&self, data: Option<&T>) -> bool {
        data.is_some_and(|data| !self.0.contains(&address(data)))
    }

    /// Returns `true` if a value in `node` was not written, and extends `path` to the first one.
    pub fn has_unused(&self, node: &TreeNode, path: &mut Vec<Segment>) -> bool {
        if self.lacks(node.leaf.as_ref()) {
            return true;
        }
        let Some(parts) = &node.parts else {
            return false;
        };
        if self.lacks(parts.magic.as_ref())
            || self.lacks(parts.packed.as_ref())
            || self.lacks(parts.trailing.as_ref())
        {
            return true;
        }
        let mut is_unused = |step: Segment, part: &TreeNode| {
            path.push(step);
            let is_unused = self.has_unused(part, path);
            if !is_unused {
                path.pop();
            }
            is_unused
        };
        for (name, field) in &parts.fields {
            if is_unused(Segment::Field(name), field) {
                return true;
            }
        }
        let mut index = 0;
        for section in parts.items.sections() {
            match section {
                Section::Stored(stored) if self.lacks(Some(stored)) => {
                    path.push(Segment::Index(index));
                    return true;
                }
                Section::Stored(stored) => index += stored.len(),
                Section::Given(items) => {
                    for item in items {
                        if is_unused(Segment::Index(index), item) {
                            return true;
                        }
                        index += 1;
                    }
                }
            }
        }
        false
    }
}

fn address<T>(data: &T) -> usize {
    std::ptr::from_ref(data).addr()
}
