//! Conversion between files and scenes, for formats chosen at run time.

use super::DynFormat;
use crate::scene::{Scene, SceneOptions};
use crate::{Loss, ReadOptions, Result, WriteOptions};

impl dyn DynFormat {
    /// Decodes a file to a scene. Also returns the losses: data that a scene cannot represent, and bytes that no field
    /// covers.
    ///
    /// # Errors
    ///
    /// Returns an error if the format cannot be converted to scenes, or the file is rejected or inconsistent.
    pub fn read_scene(
        &self,
        bytes: &[u8],
        options: &ReadOptions,
        scene: &SceneOptions,
    ) -> Result<(Scene, Vec<Loss>)> {
        let (scene, mut losses) = self.read(bytes, options)?.into_scene(scene)?;
        losses.extend(self.uncovered_bytes(bytes, options));
        Ok((scene, losses))
    }

    /// Encodes a scene as a file. Also returns the losses: data that the format cannot represent.
    ///
    /// ```
    /// # #[cfg(all(feature = "mesh", feature = "crucible"))] {
    /// use meshspec::{crucible, mesh};
    ///
    /// let bytes = std::fs::read("samples/crucible/tetrahedron.crmesh")?;
    /// let options = Default::default();
    /// let (scene, losses) = crucible::FORMAT.read_scene(&bytes, &Default::default(), &options)?;
    /// let (bytes, more_losses) = mesh::FORMAT.write_scene(scene, &options, &Default::default())?;
    /// assert_eq!(meshspec::detect(&bytes, None)?.format, mesh::FORMAT);
    /// # }
    /// # Ok::<(), meshspec::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the scene is inconsistent, or the format has no conversion from scenes or cannot express it.
    pub fn write_scene(
        &self,
        scene: Scene,
        options: &SceneOptions,
        write_options: &WriteOptions,
    ) -> Result<(Vec<u8>, Vec<Loss>)> {
        let (document, losses) = self.document_from_scene(scene, options)?;
        Ok((document.write(write_options)?, losses))
    }
}

/// Returns the loss for a name that is not UTF-8; otherwise `None`.
#[cfg(any(feature = "mesh", feature = "bmd"))]
pub(super) fn utf8_loss(path: String, name: &crate::Text) -> Option<Loss> {
    let text = name.to_string();
    (text.as_bytes() != name.as_bytes()).then(|| {
        Loss::renamed(path, "invalid UTF-8 replaced")
            .with_detail(format_args!("{name:?} becomes \"{text}\""))
    })
}
