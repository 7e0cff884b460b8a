//! A document of any built-in format.

use std::ops::Deref;

use super::{AnyDocument, AnyFormat, DynDocument, Formats};
#[cfg(feature = "scene")]
use crate::scene::{Scene, SceneOptions};
use crate::{Dialect, Error, Loss, ReadOptions, Result};

macro_rules! declare {
    ($($feature:literal $Variant:ident $module:ident $title:literal;)*) => {
        /// A file of any built-in format, decoded without loss.
        ///
        /// ```
        /// # #[cfg(feature = "seed")] {
        /// use meshspec::{Dialect, Document};
        ///
        /// let document = meshspec::open("samples/seed/facets.mesh")?;
        /// assert_eq!((document.format().name(), document.dialect()), ("seed", Dialect::SPEC));
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
                #[cfg(feature = $feature)]
                $Variant(crate::$module::Document),
            )*
        }

        impl Deref for Document {
            type Target = dyn DynDocument;

            fn deref(&self) -> &(dyn DynDocument + 'static) {
                match *self {
                    $(#[cfg(feature = $feature)] Document::$Variant(ref document) => document,)*
                }
            }
        }

        impl From<Document> for AnyDocument {
            fn from(document: Document) -> AnyDocument {
                match document {
                    $(#[cfg(feature = $feature)] Document::$Variant(document) => Box::new(document),)*
                }
            }
        }

        impl TryFrom<AnyDocument> for Document {
            type Error = Error;

            /// Returns an error if the document does not have a built-in format.
            fn try_from(document: AnyDocument) -> Result<Document> {
                let format = document.format();
                let not_built_in = || {
                    let names = Formats::builtin().names();
                    Error::unsupported(format!("not one of the built-in formats: {names}"))
                        .in_format(format.name())
                };
                $(
                    #[cfg(feature = $feature)]
                    if document.downcast_ref::<crate::$module::Document>().is_some() {
                        let document = document.downcast().map(Document::$Variant);
                        return document.ok_or_else(not_built_in);
                    }
                )*
                Err(not_built_in())
            }
        }

        $(
            #[cfg(feature = $feature)]
            impl From<crate::$module::Document> for Document {
                fn from(document: crate::$module::Document) -> Document {
                    Document::$Variant(document)
                }
            }
        )*
    };
}

declare! {
    "mesh" Mesh mesh "MESH 1.0.";
    "crucible" Crucible crucible "Crucible mesh chunks.";
    "iyma" Iyma iyma "IyMA.";
    "seed" Seed seed "Seed.";
    "bmd" Bmd bmd "BMD images.";
}

impl Document {
    /// Decodes a file of a built-in format.
    ///
    /// # Errors
    ///
    /// Returns an error if the format is not built in, or the file is rejected. See [`Format::read`](crate::Format::read).
    pub fn read(format: AnyFormat, bytes: &[u8], options: &ReadOptions) -> Result<Document> {
        format.read(bytes, options)?.try_into()
    }

    /// Converts the document to another dialect. Returns the new document and the losses.
    ///
    /// # Errors
    ///
    /// Returns an error if the format lacks the dialect.
    pub fn into_dialect(self, dialect: Dialect) -> Result<(Document, Vec<Loss>)> {
        let (document, losses) = AnyDocument::from(self).into_dialect(dialect)?;
        Ok((document.try_into()?, losses))
    }

    /// Converts the document to a [scene](crate::scene). Also returns the losses: data that a scene cannot represent.
    ///
    /// # Errors
    ///
    /// Returns an error if the document is inconsistent, which is possible after lenient reading.
    #[cfg(feature = "scene")]
    pub fn into_scene(self, options: &SceneOptions) -> Result<(Scene, Vec<Loss>)> {
        AnyDocument::from(self).into_scene(options)
    }

    /// Converts a scene to a document of a built-in format. Also returns the losses: data that the format cannot
    /// represent.
    ///
    /// # Errors
    ///
    /// Returns an error if the scene is inconsistent, or the format is not built in or cannot express the scene at all.
    #[cfg(feature = "scene")]
    pub fn from_scene(
        format: AnyFormat,
        scene: Scene,
        options: &SceneOptions,
    ) -> Result<(Document, Vec<Loss>)> {
        let (document, losses) = format.document_from_scene(scene, options)?;
        Ok((document.try_into()?, losses))
    }
}
