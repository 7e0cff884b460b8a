//! Documents of any format.

use super::Format;
use crate::contents::Contents;
use crate::info::Info;
use crate::{Dialect, FormatId, Loss, Report, Result, WriteOptions};
use meshspec_derive::Json;

/// A file of any built-in format, decoded without loss.
///
/// ```
/// # #[cfg(feature = "seed")] {
/// use meshspec::{Dialect, Document};
///
/// let document = meshspec::open("samples/seed/facets.mesh")?;
/// assert_eq!((document.format().name(), document.dialect()), ("seed", Dialect::Spec));
/// assert!(document.check().findings().is_empty());
/// if let Document::Seed(seed) = &document {
///     println!("{} vertices", seed.positions.len());
/// }
/// let text = document.write(&Default::default())?;
/// # assert!(!text.is_empty());
/// # }
/// # Ok::<(), meshspec::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Json)]
#[json(tag = "format")]
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

/// Matches on a [`Document`] or [`FormatId`], and evaluates the expression with the format's document type bound to
/// the given name.
macro_rules! with_format {
    ($value:expr, $Enum:ident $(($document:pat_param))?, |$D:ident| $result:expr) => {
        match $value {
            #[cfg(feature = "mesh")]
            $crate::$Enum::Mesh $(($document))? => { type $D = $crate::mesh::Document; $result }
            #[cfg(feature = "crucible")]
            $crate::$Enum::Crucible $(($document))? => { type $D = $crate::crucible::Document; $result }
            #[cfg(feature = "iyma")]
            $crate::$Enum::Iyma $(($document))? => { type $D = $crate::iyma::Document; $result }
            #[cfg(feature = "seed")]
            $crate::$Enum::Seed $(($document))? => { type $D = $crate::seed::Document; $result }
            #[cfg(feature = "bmd")]
            $crate::$Enum::Bmd $(($document))? => { type $D = $crate::bmd::Document; $result }
        }
    };
}

pub(super) use with_format;

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
        with_format!(*self, Document(ref document), |D| D::dialect(document))
    }

    /// Encodes the document in its own dialect.
    ///
    /// # Errors
    ///
    /// See [`Format::write`].
    pub fn write(&self, options: &WriteOptions) -> Result<Vec<u8>> {
        with_format!(*self, Document(ref document), |D| D::write(document, options))
    }

    /// Returns all violations of the format's rules.
    pub fn check(&self) -> Report {
        with_format!(*self, Document(ref document), |D| D::check(document))
    }

    /// Converts the document to another dialect. Also returns the losses.
    ///
    /// # Errors
    ///
    /// If the format lacks the dialect.
    pub fn into_dialect(self, dialect: Dialect) -> Result<(Document, Vec<Loss>)> {
        with_format!(self, Document(document), |D| {
            let (document, losses) = D::into_dialect(document, dialect)?;
            Ok((document.into(), losses))
        })
    }

    /// Summarizes the document: counts, attributes, bounds.
    pub fn info(&self) -> Info {
        with_format!(*self, Document(ref document), |D| D::info(document))
    }

    /// Returns the contents as plain numbers.
    ///
    /// ```
    /// # #[cfg(feature = "mesh")] {
    /// let bytes = std::fs::read("samples/mesh/tetrahedron.mesh")?;
    /// let contents = meshspec::read(&bytes, &Default::default())?.contents();
    /// let position = &contents.meshes[0].attributes[0];
    /// assert_eq!((&*position.name, &*position.array.shape), ("position", &[4, 3][..]));
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn contents(&self) -> Contents<'static> {
        with_format!(*self, Document(ref document), |D| D::contents(document))
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
