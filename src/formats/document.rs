//! A document of any built-in format.

use super::Format;
use crate::contents::Contents;
use crate::info::Info;
use crate::{Dialect, FormatId, Loss, Report, Result, WriteOptions};

macro_rules! declare {
    ({} $($name:literal $Variant:ident $module:ident $title:literal;)*) => {
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
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub enum Document {
            $(
                #[doc = $title]
                #[cfg(feature = $name)]
                $Variant(crate::$module::Document),
            )*
        }

        impl Document {
            /// The format of the document.
            pub fn format(&self) -> FormatId {
                match *self {
                    $(#[cfg(feature = $name)] Document::$Variant(_) => FormatId::$Variant,)*
                }
            }
        }

        $(
            #[cfg(feature = $name)]
            impl From<crate::$module::Document> for Document {
                fn from(document: crate::$module::Document) -> Document {
                    Document::$Variant(document)
                }
            }
        )*
    };
}

formats!(declare {});

impl Document {
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
        with_format!(*self, Document(ref document), |D| D::write(
            document, options
        ))
    }

    /// Returns all violations of the format's rules.
    pub fn check(&self) -> Report {
        with_format!(*self, Document(ref document), |D| D::check(document))
    }

    /// Converts the document to another dialect. Returns the new document and the losses.
    ///
    /// # Errors
    ///
    /// Returns an error if the format lacks the dialect.
    pub fn into_dialect(self, dialect: Dialect) -> Result<(Document, Vec<Loss>)> {
        with_format!(self, Document(document), |D| {
            let (document, losses) = D::into_dialect(document, dialect)?;
            Ok((document.into(), losses))
        })
    }

    /// Summarises the document: counts, attributes, bounds.
    pub fn info(&self) -> Info {
        with_format!(*self, Document(ref document), |D| D::info(document))
    }

    /// Returns the decoded contents: unpacked numbers and strings, in one structure for all formats.
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
