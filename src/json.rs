//! Items used by the code that `#[derive(Json)]` and `#[derive(ToJson)]` generate.

/// Emits the serde implementations that the derives generate.
#[doc(hidden)]
#[macro_export]
macro_rules! __json {
    ($($implementations:tt)*) => { $($implementations)* };
}

/// Lossless floats, for `serde(with = …)`.
pub mod float {
    pub use crate::float::{deserialize, serialize};
}

/// Packed words as JSON objects, one key per bit field.
pub mod word {
    pub use crate::layout::word::{ImpliedFields, deserialize, serialize};
}

pub use serde;

/// Returns `true` if `value` is the default, which JSON omits.
pub fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
