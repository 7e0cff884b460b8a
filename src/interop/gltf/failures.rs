//! Parts of a file that cannot be read: left out and listed, as long as there is another mesh.

use crate::scene::Scene;
use crate::{Error, ErrorKind, Result};

/// Why parts could not be read.
#[derive(Default)]
pub(super) struct Failures {
    first: Option<Error>,
}

impl Failures {
    /// Takes note of what is wrong with the part at `at`. Returns what to say of it in the list of losses.
    ///
    /// # Errors
    ///
    /// The error itself if it is about limits: to read on would not respect them.
    pub fn note(&mut self, error: Error, at: &str) -> Result<String> {
        if error.kind() == ErrorKind::LimitExceeded {
            return Err(error);
        }
        let message = if error.path() == at { error.message().to_owned() } else { error.to_string() };
        self.first.get_or_insert(error);
        Ok(message)
    }

    /// Takes levels of detail out that have lost all their meshes.
    ///
    /// # Errors
    ///
    /// If there is no mesh at all, what was wrong first.
    pub fn settle(self, scene: &mut Scene) -> Result<()> {
        let Some(first) = self.first else { return Ok(()) };
        scene.lods.retain(|lod| !lod.meshes.is_empty());
        if scene.meshes.is_empty() { Err(first) } else { Ok(()) }
    }
}
