//! IyMA: GPU buffers of one or more meshes, compressed with zstd.
//!
//! All meshes in a file share one index buffer, if any, and one vertex buffer per attribute, so one multi-draw-indirect
//! call can draw them. The author's tool writes the reference dialect, which numbers usages and computes checksums
//! differently from the specification. Both dialects are supported. The declaration is in [`schema`].
//!
//! The format is specified in [Iyes Mesh Array] of iyes_mesh by IyesGames.
//!
//! [Iyes Mesh Array]: https://github.com/IyesGames/iyes_mesh/blob/4583f95435b8d508ea0cb2473e185b93cefac815/doc/ima.md
//!
//! ```
//! use meshspec::iyma::{Document, Draws, Usage};
//! use meshspec::{Format, WriteOptions};
//!
//! let bytes = std::fs::read("samples/iyma/quads.ima")?;
//! let document = Document::read(&bytes, &Default::default())?;
//! let Draws::Indexed(draws) = document.draws()? else { panic!("the quads have indices") };
//! assert_eq!((draws[1].first_index, draws[1].base_vertex), (6, 4));
//!
//! // Buffers are ready to upload to the GPU; `to_f32` converts them to floats.
//! let normals = document.attribute(&Usage::Normal).unwrap();
//! assert_eq!(normals.to_f32()[..4], [0.0, 0.0, 1.0, 0.0]);
//!
//! // One mesh in a separate file, at a high compression level.
//! let second = document.mesh(1)?;
//! let bytes = second.write(&WriteOptions::default().with_compression_level(19))?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod codec;
mod contents;
mod document;
mod examples;
mod fields;
mod hash;
mod rules;
#[cfg(feature = "scene")]
mod scene;
pub mod schema;
#[cfg(feature = "proptest")]
pub mod strategy;

pub use bytes::Bytes;
pub use codec::{Reader, compression_levels};
pub use document::merge::merge;
pub use document::{
    Attribute, DataChecksum, Document, DrawIndexedIndirect, DrawIndirect, Draws, IndexBuffer,
    WrongChecksum,
};
pub use schema::{
    Component, Descriptor, IndexFormat, IndicesInfo, MeshInfo, Usage, VertexAttributeInfo,
    VertexFormat,
};

use super::{
    About, AnyFormat, Detection, Format, RuleExample, Specification, encode_checked, format_of,
    require_valid,
};
use crate::contents::Contents;
use crate::info::{self, AttributeInfo, Bounds, Info, MeshStart, Property, PropertyValue};
#[cfg(feature = "scene")]
use crate::scene::SceneConversions;
use crate::{Dialect, Loss, ReadOptions, Report, Result, Rule, WriteOptions};

/// Exposes the checksums to tests, which compare them with reference vectors.
#[cfg(feature = "proptest")]
#[doc(hidden)]
pub mod __private {
    pub use super::hash::{
        is_metadata_checksum, is_one_shot_hash, metadata_checksum, one_shot_hash,
    };
}

/// The format.
pub const FORMAT: AnyFormat = format_of::<Document>();

impl Format for Document {
    const ABOUT: &'static About = &About {
        summary: "zstd-compressed GPU buffers of compatible meshes",
        specification: Some(Specification {
            title: "Iyes Mesh Array",
            project: "iyes_mesh by IyesGames",
            url: "https://github.com/IyesGames/iyes_mesh/blob/4583f95435b8d508ea0cb2473e185b93cefac815/doc/ima.md",
        }),
        extensions: &["ima"],
        dialects: &[Dialect::SPEC, Dialect::REFERENCE],
        authors_dialect: Some(Dialect::REFERENCE),
        has_compression_levels: true,
        cites_interpretations: true,
        rules: rules::RULES,
        ..About::new(schema::NAME, "IyMA", || &*schema::LAYOUTS)
    };

    #[cfg(feature = "scene")]
    const SCENES: Option<SceneConversions<Document>> = Some(SceneConversions::both());

    const CONVERTS_DIALECTS: bool = true;

    fn read(bytes: &[u8], options: &ReadOptions) -> Result<Document> {
        let dialect = Self::dialect_of(bytes, options)?;
        codec::read(bytes, dialect, options)
            .and_then(|document| require_valid(document, options))
            .map_err(|error| codec::locate_error(error, bytes, dialect, &options.limits))
    }

    fn write(&self, options: &WriteOptions) -> Result<Vec<u8>> {
        encode_checked(self, options, || codec::write(self, options))
    }

    fn check_into(&self, report: &mut Report) {
        rules::check(self, report);
    }

    fn dialect(&self) -> Dialect {
        self.dialect
    }

    fn into_dialect(mut self, dialect: Dialect) -> Result<(Document, Vec<Loss>)> {
        Self::ABOUT.require_dialect(dialect)?;
        let mut losses = Vec::new();
        if self.dialect != dialect {
            document::dialect::convert_usages(&mut self.attributes, dialect, &mut losses);
            // A wrong metadata checksum cannot be converted, because it depends on the dialect.
            self.metadata_checksum = None;
            self.dialect = dialect;
            self.narrow_indices();
        }
        Ok((self, losses))
    }

    fn contents(&self) -> Contents<'static> {
        contents::contents(self)
    }

    fn info(&self) -> Info {
        let properties = [
            ("n_vertices", PropertyValue::Count(self.n_vertices.into())),
            (
                "user_data",
                PropertyValue::Bytes(self.user_data.len() as u64),
            ),
            (
                "data_checksum",
                PropertyValue::Keyword(self.data_checksum.name()),
            ),
        ];
        Info {
            meshes: self
                .meshes
                .iter()
                .map(|mesh| self.mesh_info(mesh))
                .collect(),
            properties: properties
                .map(|(name, value)| Property {
                    name: name.to_owned(),
                    value,
                })
                .to_vec(),
            ..Info::new(schema::NAME, self.dialect)
        }
    }

    fn check_undecoded(bytes: &[u8], dialect: Dialect, report: &mut Report) {
        if let Some((metadata, data)) = codec::verify_checksums(bytes, dialect) {
            rules::check_checksums(metadata.as_ref(), &data, report);
        }
    }

    fn detect(bytes: &[u8]) -> Detection {
        codec::detect(bytes)
    }

    fn check_file(bytes: &[u8], options: &ReadOptions) -> Result<Report> {
        Self::check_decoded(bytes, options)
    }

    #[cfg(feature = "proptest")]
    fn files(config: crate::layout::generate::Config) -> Option<super::Files> {
        Some(super::generated::encoded_files(strategy::documents_with(
            config,
        )))
    }

    fn info_of(bytes: &[u8], options: &ReadOptions) -> Result<Info> {
        Self::read(bytes, options).map(|document| document.info())
    }

    fn contents_of<'f>(bytes: &'f [u8], options: &ReadOptions) -> Result<Contents<'f>> {
        Self::read(bytes, options).map(|document| document.contents())
    }

    fn example_of(rule: &'static Rule) -> Option<RuleExample> {
        examples::example_of(rule)
    }
}

impl Document {
    fn mesh_info(&self, mesh: &MeshInfo) -> info::MeshInfo {
        let attributes = self.attributes.iter().map(|attribute| AttributeInfo {
            name: attribute.usage.name().into(),
            components: attribute.format.name().into(),
        });
        let MeshInfo {
            first_index,
            first_vertex,
            ..
        } = *mesh;
        let start = MeshStart {
            first_index: first_index.into(),
            first_vertex: first_vertex.into(),
        };
        info::MeshInfo {
            vertices: mesh.vertex_count.into(),
            attributes: attributes.collect(),
            indices: mesh.index_count.into(),
            index_bits: self
                .indices
                .as_ref()
                .map_or(0, |indices| 8 * indices.format.size() as u32),
            start: Some(start),
            bounds: self.bounds(mesh),
            ..Default::default()
        }
    }

    /// Returns the bounding box of a mesh; `None` without finite positions in its range.
    fn bounds(&self, mesh: &MeshInfo) -> Option<Bounds> {
        let positions = self.attribute(&Usage::Position)?.slice_mesh(mesh)?;
        let values = positions.to_f32();
        let components = positions.format.components();
        let point =
            |value: &[f32]| std::array::from_fn(|i| value.get(i).copied().unwrap_or_default());
        Bounds::from_points(values.chunks_exact(components).map(point))
    }
}
