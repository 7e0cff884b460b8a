//! What the bulk data tells while it is read, so that rules need no second way through memory.

use std::cell::Cell;

use super::schema::vertex::NO_JOINT;

/// The joints of all vertices: whether there is anything to search for.
#[derive(Debug, Default)]
pub struct Summary {
    max_joint: Cell<Option<u8>>,
}

impl Summary {
    /// Looks at joint ids and weights of some vertices.
    pub(super) fn inspect_joints(&self, slots: impl Iterator<Item = [[u8; 4]; 2]>) {
        // Without branches, and to the end. No joint is one less than any other number.
        let max = slots.fold(-1, |max: i16, [ids, weights]| {
            let [a, b, c, d] = std::array::from_fn(|slot| {
                let none = (ids[slot] == NO_JOINT) & (weights[slot] == 0);
                i16::from(ids[slot]) - 256 * i16::from(none)
            });
            // Those of a vertex first: a processor compares those of the next ones at the same time.
            max.max(a.max(b).max(c.max(d)))
        });
        self.max_joint.set(self.max_joint.get().max(u8::try_from(max).ok()));
    }

    /// The largest id of a joint that a vertex names.
    pub(super) fn max_joint(&self) -> Option<u8> {
        self.max_joint.get()
    }
}
