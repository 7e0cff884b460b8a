//! A summary of the bulk data, collected during reading so that rules need no second pass.

use std::cell::Cell;

use super::schema::vertex::NO_JOINT;

/// The joints in use by all vertices, from which rules decide whether to search for violations.
#[derive(Debug, Default)]
pub struct Summary {
    max_joint: Cell<Option<u8>>,
}

impl Summary {
    /// Adds the joint ids and weights of some vertices.
    pub(super) fn inspect_joints(&self, slots: impl Iterator<Item = [[u8; 4]; 2]>) {
        // Branch-free, without early exit. An unused slot counts as −1, below all ids.
        let max = slots.fold(-1, |max: i16, [ids, weights]| {
            let [a, b, c, d] = std::array::from_fn(|slot| {
                let none = (ids[slot] == NO_JOINT) & (weights[slot] == 0);
                i16::from(ids[slot]) - 256 * i16::from(none)
            });
            // Reduces each vertex first, so that the processor can overlap consecutive vertices.
            max.max(a.max(b).max(c.max(d)))
        });
        self.max_joint.set(self.max_joint.get().max(u8::try_from(max).ok()));
    }

    /// The largest joint id in use.
    pub(super) fn max_joint(&self) -> Option<u8> {
        self.max_joint.get()
    }
}
