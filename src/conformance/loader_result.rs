//! The results of loaders.

use std::fmt::Debug;

use crate::Result;

/// The result of a loader for a file: the loaded contents, or the reason for a rejection.
///
/// Implemented for `Result`, `Option` and `bool`. For a loader whose contents borrow from the file, return
/// `load(bytes).is_ok()`.
pub trait LoaderResult {
    /// The loaded contents.
    type Contents;

    /// Returns the loaded contents, or the reason why the loader rejects the file. The reason is empty if unknown.
    fn contents(self) -> Result<Self::Contents, String>;
}

impl LoaderResult for bool {
    type Contents = ();

    fn contents(self) -> Result<(), String> {
        if self { Ok(()) } else { Err(String::new()) }
    }
}

impl<T> LoaderResult for Option<T> {
    type Contents = T;

    fn contents(self) -> Result<T, String> {
        self.ok_or_else(String::new)
    }
}

impl<T, E: Debug> LoaderResult for Result<T, E> {
    type Contents = T;

    fn contents(self) -> Result<T, String> {
        self.map_err(|error| format!("{error:?}"))
    }
}
