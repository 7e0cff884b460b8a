//! The results of loaders.

use std::fmt::Debug;

/// The result of a loader: whether it accepts a file, and the contents that it loads.
///
/// Implemented for `Result`, `Option` and `bool`. A loader whose contents borrow from the file returns
/// `load(bytes).is_ok()`.
pub trait Answer {
    /// The loaded contents.
    type Contents;

    /// Returns the contents, or the reason why the loader rejects the file; empty if unknown.
    fn contents(self) -> Result<Self::Contents, String>;
}

impl Answer for bool {
    type Contents = ();

    fn contents(self) -> Result<(), String> {
        if self { Ok(()) } else { Err(String::new()) }
    }
}

impl<T> Answer for Option<T> {
    type Contents = T;

    fn contents(self) -> Result<T, String> {
        self.ok_or_else(String::new)
    }
}

impl<T, E: Debug> Answer for Result<T, E> {
    type Contents = T;

    fn contents(self) -> Result<T, String> {
        self.map_err(|error| format!("{error:?}"))
    }
}
