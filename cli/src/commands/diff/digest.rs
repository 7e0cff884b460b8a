//! Digests of values, to find equal items in lists.

use std::hash::{BuildHasher, DefaultHasher, Hash, Hasher, RandomState};

use meshspec::layout::tree::TreeValue;

use super::content::Content;

/// Computes digests of values in two files. Values with the same digest are considered equal. Each run draws new keys, so
/// no file can be made in which different values have the same digest. Equal values have the same digest, unless they
/// contain lists whose items have different arguments.
pub struct Digests {
    keys: RandomState,
    /// Whether lists in values are hashed by their bytes. In files of different types, equal lists may differ in these.
    uses_bytes: bool,
}

impl Digests {
    pub fn new(uses_bytes: bool) -> Digests {
        Digests {
            keys: RandomState::new(),
            uses_bytes,
        }
    }

    pub fn of_bytes(&self, bytes: &[u8]) -> u64 {
        self.keys.hash_one(bytes)
    }

    pub fn of_value(&self, value: &TreeValue) -> u64 {
        let mut hasher = self.keys.build_hasher();
        self.hash(value, &mut hasher);
        hasher.finish()
    }

    fn hash(&self, value: &TreeValue, hasher: &mut DefaultHasher) {
        match Content::of(value) {
            Content::Text(text) => text.hash(hasher),
            Content::Numbers(numbers) => {
                for number in numbers {
                    number.key().hash(hasher);
                }
            }
            Content::Parts => {
                for (name, field) in value.fields() {
                    name.hash(hasher);
                    self.hash(&field, hasher);
                }
                value.item_count().hash(hasher);
                if !self.uses_bytes || !value.hash_encoded(hasher) {
                    for item in value.items(0..value.item_count()) {
                        self.hash(&item, hasher);
                    }
                }
            }
        }
        value.trailing().hash(hasher);
    }
}
