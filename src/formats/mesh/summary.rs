//! A summary of the vertex joints, collected during reading, so that checks need no second pass.

use std::cell::Cell;

use super::schema::vertex::NO_JOINT;

/// The largest joint id that vertices use. If it is below the joint count, checks skip the search for violations.
#[derive(Debug, Default)]
pub struct JointSummary {
    max_joint: Cell<Option<u8>>,
}

impl JointSummary {
    /// Adds the joint ids and weights of vertices.
    pub(super) fn add_vertices(&self, slots: impl Iterator<Item = [[u8; 4]; 2]>) {
        // Branch-free, without early exit. An unused slot is −1, below all ids.
        let max = slots.fold(-1, |max: i16, [ids, weights]| {
            let [a, b, c, d] = std::array::from_fn(|slot| {
                let is_unused = (ids[slot] == NO_JOINT) & (weights[slot] == 0);
                i16::from(ids[slot]) - 256 * i16::from(is_unused)
            });
            // The maximum of each vertex comes first, so the processor can overlap consecutive vertices.
            max.max(a.max(b).max(c.max(d)))
        });
        self.max_joint
            .set(self.max_joint.get().max(u8::try_from(max).ok()));
    }

    /// The largest joint id that vertices use; `None` if no vertex uses a joint.
    pub(super) fn max_joint(&self) -> Option<u8> {
        self.max_joint.get()
    }
}
