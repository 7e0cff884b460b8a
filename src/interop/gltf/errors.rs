//! Errors about invalid glTF, and the unreadable parts of a file, which are dropped and listed if at least one mesh remains.

use crate::scene::Scene;
use crate::{Error, ErrorKind, Result};

/// Creates an error about invalid glTF at a path.
pub(super) fn malformed(path: impl Into<String>, message: impl ToString) -> Error {
    Error::malformed(message).at_text(path)
}

/// The errors of unreadable parts.
#[derive(Default)]
pub(super) struct Failures {
    first: Option<Error>,
}

impl Failures {
    /// Records the error of the part at `at`. Returns the detail for the list of losses.
    ///
    /// # Errors
    ///
    /// Returns errors about exceeded limits, which end reading.
    pub fn record(&mut self, error: Error, at: &str) -> Result<String> {
        if let ErrorKind::LimitExceeded(_) = error.kind() {
            return Err(error);
        }
        let message = if error.path() == at { error.message().to_owned() } else { error.to_string() };
        self.first.get_or_insert(error);
        Ok(message)
    }

    /// Drops levels of detail without readable meshes.
    ///
    /// # Errors
    ///
    /// Returns the first recorded error if no mesh is left.
    pub fn finish(self, scene: &mut Scene) -> Result<()> {
        let Some(first) = self.first else { return Ok(()) };
        scene.lods.retain(|lod| !lod.meshes.is_empty());
        if scene.meshes.is_empty() { Err(first) } else { Ok(()) }
    }
}
