//! Functions for the code that `#[derive(Json)]` and `#[derive(ToJson)]` emit.

/// Emits the serde implementations of the derives.
#[doc(hidden)]
#[macro_export]
macro_rules! __json {
    ($($implementations:tt)*) => { $($implementations)* };
}

/// Lossless floats, for `serde(with = …)`.
pub mod float {
    pub use crate::float::{deserialize, serialize};
}

/// Packed words as maps of their bit fields.
pub mod word {
    pub use crate::layout::word::{Implied, deserialize, serialize};
}

pub use serde;

/// Returns `true` if a field has its default value and JSON omits it.
pub fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
