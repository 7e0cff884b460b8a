//! Functions for the code that `#[derive(Json)]` and `#[derive(ToJson)]` emit.

/// Emits the serde implementations of the derives.
#[cfg(feature = "serde")]
#[doc(hidden)]
#[macro_export]
macro_rules! __json {
    ($($implementations:tt)*) => { $($implementations)* };
}

/// Drops the serde implementations of the derives, because the feature `serde` is off.
#[cfg(not(feature = "serde"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __json {
    ($($implementations:tt)*) => {};
}

/// Lossless floats, for `serde(with = …)`.
#[cfg(feature = "serde")]
pub mod float {
    pub use crate::float::{deserialize, serialize};
}

/// Packed words as maps of their bit fields.
#[cfg(feature = "serde")]
pub mod word {
    pub use crate::layout::word::{Implied, deserialize, serialize};
}

#[cfg(feature = "serde")]
pub use serde;

/// Returns `true` if a field has its default value and JSON omits it.
#[cfg(feature = "serde")]
pub fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
