//! Items used by the code that `#[derive(ToJson)]` generates.

/// Emits the serde implementations that the derive generates.
#[doc(hidden)]
#[macro_export]
macro_rules! __json {
    ($($implementations:tt)*) => { $($implementations)* };
}

pub use serde;

/// Returns `true` if `value` is the default, which JSON omits.
pub fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
