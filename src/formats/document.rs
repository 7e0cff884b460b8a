//! A file of any of the formats.

use super::Format;
#[cfg(feature = "scene")]
use super::by_id::with_document;
use crate::info::Info;
#[cfg(feature = "scene")]
use crate::scene::{FromScene, Scene, SceneOptions};
use crate::{Dialect, FormatId, Loss, Report, Result, WriteOptions};

/// A file of any of the formats, decoded without loss.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(tag = "format", rename_all = "snake_case")
)]
#[non_exhaustive]
pub enum Document {
    /// MESH 1.0.
    #[cfg(feature = "mesh")]
    Mesh(super::mesh::Document),
    /// Crucible mesh chunks.
    #[cfg(feature = "crucible")]
    Crucible(super::crucible::Document),
    /// IyMA.
    #[cfg(feature = "iyma")]
    Iyma(super::iyma::Document),
    /// Seed.
    #[cfg(feature = "seed")]
    Seed(super::seed::Document),
    /// BMD images.
    #[cfg(feature = "bmd")]
    Bmd(super::bmd::Document),
}

/// The expression with the document of the format under the name given.
macro_rules! with_inner {
    ($document:expr, |$inner:pat_param| $result:expr) => {
        match $document {
            #[cfg(feature = "mesh")]
            Document::Mesh($inner) => $result,
            #[cfg(feature = "crucible")]
            Document::Crucible($inner) => $result,
            #[cfg(feature = "iyma")]
            Document::Iyma($inner) => $result,
            #[cfg(feature = "seed")]
            Document::Seed($inner) => $result,
            #[cfg(feature = "bmd")]
            Document::Bmd($inner) => $result,
        }
    };
}

impl Document {
    /// The format of the document.
    pub fn format(&self) -> FormatId {
        match *self {
            #[cfg(feature = "mesh")]
            Document::Mesh(_) => FormatId::Mesh,
            #[cfg(feature = "crucible")]
            Document::Crucible(_) => FormatId::Crucible,
            #[cfg(feature = "iyma")]
            Document::Iyma(_) => FormatId::Iyma,
            #[cfg(feature = "seed")]
            Document::Seed(_) => FormatId::Seed,
            #[cfg(feature = "bmd")]
            Document::Bmd(_) => FormatId::Bmd,
        }
    }

    /// The dialect that [`write`](Document::write) uses.
    pub fn dialect(&self) -> Dialect {
        with_inner!(*self, |ref document| document.dialect())
    }

    /// Encodes the document in its own dialect.
    ///
    /// # Errors
    ///
    /// See [`Format::write`].
    pub fn write(&self, options: &WriteOptions) -> Result<Vec<u8>> {
        with_inner!(*self, |ref document| document.write(options))
    }

    /// Everything in the document that violates a rule of the format.
    pub fn check(&self) -> Report {
        with_inner!(*self, |ref document| document.check())
    }

    /// Adds everything in the document that violates a rule of the format to `report`.
    pub fn check_into(&self, report: &mut Report) {
        with_inner!(*self, |ref document| document.check_into(report));
    }

    /// The same content in another dialect, with a list of what that dialect cannot hold.
    ///
    /// # Errors
    ///
    /// If the format does not have the dialect.
    pub fn into_dialect(self, dialect: Dialect) -> Result<(Document, Vec<Loss>)> {
        with_inner!(self, |document| {
            let (document, losses) = document.into_dialect(dialect)?;
            Ok((document.into(), losses))
        })
    }

    /// A summary: counts, attributes, bounds.
    pub fn info(&self) -> Info {
        with_inner!(*self, |ref document| document.info())
    }

    /// The content as a [scene](crate::scene), with a list of what a scene cannot hold.
    ///
    /// # Errors
    ///
    /// If the parts of the document do not fit each other, as in a file that was read leniently.
    #[cfg(feature = "scene")]
    pub fn into_scene(self, options: &SceneOptions) -> Result<(Scene, Vec<Loss>)> {
        let format = self.format();
        let (scene, losses): (Scene, Vec<Loss>) =
            with_inner!(self, |document| document.into_scene(options)?);
        scene.check().map_err(|error| error.in_format(format))?;
        Ok((scene, losses))
    }

    /// A document of this format with the content of the scene, with a list of what the format cannot hold.
    ///
    /// # Errors
    ///
    /// If the parts of the scene do not fit each other, or the format cannot express it at all.
    #[cfg(feature = "scene")]
    pub fn from_scene(
        format: FormatId,
        scene: Scene,
        options: &SceneOptions,
    ) -> Result<(Document, Vec<Loss>)> {
        scene.check()?;
        with_document!(format, |D| {
            let (document, losses) = D::from_scene(scene, options)?;
            Ok((document.into(), losses))
        })
    }
}

macro_rules! from {
    ($($feature:literal $variant:ident $document:ty,)*) => {$(
        #[cfg(feature = $feature)]
        impl From<$document> for Document {
            fn from(document: $document) -> Document {
                Document::$variant(document)
            }
        }
    )*};
}

from! {
    "mesh" Mesh super::mesh::Document,
    "crucible" Crucible super::crucible::Document,
    "iyma" Iyma super::iyma::Document,
    "seed" Seed super::seed::Document,
    "bmd" Bmd super::bmd::Document,
}
