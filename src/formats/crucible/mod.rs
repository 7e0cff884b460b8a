//! Crucible mesh chunks: indices and one stream per attribute, each compressed with LZ4.
//!
//! A file is one bare chunk, or a `.cmodel` container of chunks. In the tangent dialect, which later engine code uses,
//! some attribute bits have a different meaning. Both dialects are supported. The declaration is in [`schema`].
//!
//! The format is specified in [Mesh Chunk Format] of Crucible by Joshua-A-Shelton.
//!
//! [Mesh Chunk Format]: https://github.com/Joshua-A-Shelton/Crucible/blob/6d8618e0f65848a58f36e766378396365d7cae1f/specs/MeshFormat.md
//!
//! ```
//! use meshspec::{Format, WriteOptions, crucible};
//!
//! let bytes = std::fs::read("samples/crucible/tetrahedra.cmodel")?;
//! let mut document = crucible::Document::read(&bytes, &Default::default())?;
//! assert_eq!(document.chunks.len(), 2);
//! let chunk = &document.chunks[0];
//! assert_eq!(chunk.positions_3d().unwrap().len(), 4);
//! assert!(chunk.uvs().is_none_or(|uvs| uvs.len() == chunk.vertex_count()));
//! assert!(chunk.positions_2d().is_some() && chunk.bone_weights().is_some());
//! let positions = &chunk.streams[0].values;
//! assert_eq!(positions.to_bytes().len(), positions.len() * positions.value_size());
//!
//! document.chunks.truncate(1);
//! let bytes = document.write(&WriteOptions::default())?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ```
//! use meshspec::Format;
//! use meshspec::crucible::{Chunk, Container, Document, Indices, Stream, Values};
//!
//! let positions = Values::Position3d(vec![[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]);
//! let (indices, streams) = (Indices::U16(vec![0, 1, 2]), vec![Stream { values: positions }]);
//! let chunks = vec![Chunk { indices, streams, ..Chunk::default() }];
//! let model = Document { container: Container::Model, chunks, ..Document::default() };
//! assert!(model.write(&Default::default())?.starts_with(b"cmodel"));
//! # Ok::<(), meshspec::Error>(())
//! ```

mod codec;
mod contents;
mod document;
#[cfg(feature = "proptest")]
mod edge_cases;
mod examples;
mod fields;
mod rules;
#[cfg(feature = "scene")]
mod scene;
pub mod schema;
#[cfg(feature = "proptest")]
pub mod strategy;

pub use schema::{BoneWeight, Chunk, Container, Document, Indices, Stream, Values};

use super::{
    About, AnyFormat, Detection, Format, RuleExample, Specification, encode_checked, format_of,
    require_valid,
};
use crate::contents::Contents;
use crate::info::{AttributeInfo, Bounds, Info, MeshInfo};
use crate::layout::declaration::Type;
#[cfg(feature = "scene")]
use crate::scene::SceneConversions;
use crate::{Dialect, Loss, ReadOptions, Report, Result, Rule, WriteOptions};

/// The format.
pub const FORMAT: AnyFormat = format_of::<Document>();

impl Format for Document {
    const ABOUT: &'static About = &About {
        summary: "mesh chunks of LZ4-compressed attribute streams",
        specification: Some(Specification {
            title: "Mesh Chunk Format",
            project: "Crucible by Joshua-A-Shelton",
            url: "https://github.com/Joshua-A-Shelton/Crucible/blob/6d8618e0f65848a58f36e766378396365d7cae1f/specs/MeshFormat.md",
        }),
        extensions: &["cmodel", "crmesh"],
        dialects: &[Dialect::SPEC, Dialect::TANGENT],
        cites_interpretations: true,
        rules: rules::RULES,
        ..About::new(schema::NAME, "Crucible", || &*schema::LAYOUTS)
    };

    /// Documents hold the bytes after the last stream and after the last chunk (C9), and nothing else is uncovered.
    fn uncovered_bytes(_: &[u8], _: &ReadOptions) -> Vec<Loss> {
        Vec::new()
    }

    #[cfg(feature = "scene")]
    const SCENES: Option<SceneConversions<Document>> = Some(SceneConversions::both());

    const CONVERTS_DIALECTS: bool = true;

    fn read(bytes: &[u8], options: &ReadOptions) -> Result<Document> {
        let dialect = Self::dialect_of(bytes, options)?;
        let structure = || Self::ABOUT.structure(codec::layout(bytes, dialect));
        codec::read(bytes, dialect, &options.limits)
            .and_then(|document| require_valid(document, options))
            .map_err(|error| structure().locate(error, bytes, &options.limits))
    }

    fn write(&self, options: &WriteOptions) -> Result<Vec<u8>> {
        encode_checked(self, options, || codec::write(self, options.strictness))
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
        for (index, chunk) in self.chunks.iter_mut().enumerate() {
            let exists = |stream: &Stream| stream.values.attribute(dialect).is_some();
            for (position, stream) in chunk
                .streams
                .iter()
                .enumerate()
                .filter(|(_, stream)| !exists(stream))
            {
                let path = format!("chunks[{index}].streams[{position}]");
                let message = format!(
                    "the {dialect} dialect has no attribute {}",
                    stream.values.name()
                );
                losses.push(Loss::dropped(path, message));
            }
            chunk.streams.retain(exists);
        }
        self.dialect = dialect;
        Ok((self, losses))
    }

    fn contents(&self) -> Contents<'static> {
        contents::contents(self)
    }

    fn info(&self) -> Info {
        Info {
            meshes: self.chunks.iter().map(mesh_info).collect(),
            ..Info::new(schema::NAME, self.dialect)
        }
    }

    fn detect(bytes: &[u8]) -> Detection {
        codec::detect(bytes)
    }

    fn may_start_with(start: &[u8]) -> bool {
        codec::may_start_with(start)
    }

    fn layout_of(bytes: &[u8], dialect: Dialect) -> Option<&'static Type> {
        Some(codec::layout(bytes, dialect))
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

    #[cfg(feature = "proptest")]
    fn edge_cases() -> Vec<(&'static str, Vec<u8>)> {
        edge_cases::edge_cases()
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

fn mesh_info(chunk: &Chunk) -> MeshInfo {
    let flat_positions = chunk
        .positions_2d()
        .unwrap_or_default()
        .iter()
        .map(|[x, y]| [*x, *y, 0.0]);
    let attribute = |Stream { values }: &Stream| AttributeInfo {
        name: values.name().into(),
        components: values.components().into(),
    };
    MeshInfo {
        vertices: chunk.vertex_count() as u64,
        attributes: chunk.streams.iter().map(attribute).collect(),
        indices: chunk.indices.len() as u64,
        index_bits: 8 * chunk.indices.value_size() as u32,
        bounds: match chunk.positions_3d() {
            Some(positions) => Bounds::from_points(positions.iter().copied()),
            None => Bounds::from_points(flat_positions),
        },
        ..MeshInfo::default()
    }
}
