//! BMD: packed meshes with vertices and faces of mixed sizes, quantised skeletons, and compact animations.
//!
//! The format is specified in [Mesh Model Format (Possible, for BGBTech3 Engine)] of bgbtech_btsr1arch by
//! Brendan G. Bohannon.
//!
//! [Mesh Model Format (Possible, for BGBTech3 Engine)]: https://github.com/cr88192/bgbtech_btsr1arch/blob/6072746cc589daf2605b183d1529c443f96ff6f8/bgbcc22/docs/2025-04-19_MeshMdl1.txt
//!
//! ```
//! use meshspec::Document;
//! use meshspec::bmd::{Bone, F8A, LodDef, PackedVertex};
//!
//! let Document::Bmd(document) = meshspec::open("samples/bmd/pyramid.bmd")? else { panic!() };
//! let lod: &LodDef = &document.lods[0];
//! assert_eq!((document.meshes_of(*lod).unwrap().len(), lod.ld_sc), (2, F8A::nearest(1.0)));
//! let mut words = document.meshes[1].vertices.packed_items();
//! assert!(words.any(|word| matches!(word, PackedVertex::Vertex128(_))));
//!
//! // The bones after half a second.
//! let turn = &document.animations[0];
//! let matrices = turn.pose(turn.fl_hz.hz() / 2.0).matrices(&document.bones);
//! assert_eq!((matrices.len(), document.bones.iter().position(Bone::is_pseudo)), (3, Some(2)));
//! # Ok::<(), meshspec::Error>(())
//! ```

mod bits;
mod codec;
mod contents;
mod document;
#[cfg(feature = "proptest")]
mod edge_cases;
mod examples;
mod fields;
mod info;
mod rules;
#[cfg(feature = "scene")]
mod scene;
pub mod schema;
#[cfg(feature = "proptest")]
pub mod strategy;

pub use codec::{
    Attributes, Tolerance, VertexColumns, VertexErrors, VertexSize, VertexSizes, nearest_shade,
};
pub use document::{
    Animation, Bone, ChannelErrors, Channels, Document, Face, FaceCounts, Faces, FloatChannels,
    Matrix, Mesh, Motion, PackedFace, PackedVertex, Pose, Surface, Track, TrackKey, Transform,
    Vertex, Vertices, flat_color, shade_color,
};
pub use schema::{AnimRate, ControlFlags, F8A, LodDef, Rotation, Triple};

use super::by_layout::uncovered_losses;
use super::{
    About, AnyFormat, Detection, Format, RuleExample, Specification, encode_checked, format_of,
    require_valid,
};
use crate::contents::Contents;
use crate::info::Info;
use crate::layout::{Layout, walk};
#[cfg(feature = "scene")]
use crate::scene::SceneConversions;
use crate::{Confidence, Dialect, Loss, ReadOptions, Report, Result, Rule, WriteOptions};

/// Functions that split large meshes, exposed for tests because encoding such a mesh as a file takes seconds.
#[cfg(all(feature = "scene", feature = "proptest"))]
#[doc(hidden)]
pub mod __private {
    pub use super::scene::{MAX_VERTICES, PieceLimits, split_meshes, split_unaddressable};
}

/// The format.
pub const FORMAT: AnyFormat = format_of::<Document>();

impl Format for Document {
    const ABOUT: &'static About = &About {
        summary: "images of packed meshes, quantised skeletons, compacted animations",
        specification: Some(Specification {
            title: "Mesh Model Format (Possible, for BGBTech3 Engine)",
            project: "bgbtech_btsr1arch by Brendan G. Bohannon",
            url: "https://github.com/cr88192/bgbtech_btsr1arch/blob/6072746cc589daf2605b183d1529c443f96ff6f8/bgbcc22/docs/2025-04-19_MeshMdl1.txt",
        }),
        extensions: &["bmd"],
        has_precisions: true,
        cites_interpretations: true,
        rules: rules::RULES,
        ..About::new(schema::NAME, "BMD", || &[("bmd", &schema::Image::TYPE)])
    };

    #[cfg(feature = "scene")]
    const SCENES: Option<SceneConversions<Document>> = Some(SceneConversions::both());

    fn read(bytes: &[u8], options: &ReadOptions) -> Result<Document> {
        let structure = Self::ABOUT.structure(&schema::Image::TYPE);
        Self::dialect_of(bytes, options)
            .and_then(|_| codec::read(bytes))
            .and_then(|document| require_valid(document, options))
            .map_err(|error| structure.locate(error, bytes, &options.limits))
    }

    fn write(&self, options: &WriteOptions) -> Result<Vec<u8>> {
        encode_checked(self, options, || codec::write(self))
    }

    fn check_into(&self, report: &mut Report) {
        rules::check(self, report);
    }

    fn contents(&self) -> Contents<'static> {
        contents::contents(self)
    }

    fn info(&self) -> Info {
        info::info(self)
    }

    fn detect(bytes: &[u8]) -> Detection {
        let confidence = Confidence::by_magic(bytes, schema::Header::TYPE.magic());
        Detection {
            confidence,
            dialect: Dialect::SPEC,
        }
    }

    /// The padding of the last list (B14) is none: writing adds it again.
    fn uncovered_bytes(bytes: &[u8], options: &ReadOptions) -> Vec<Loss> {
        let mut uncovered =
            walk::uncovered(&schema::Image::TYPE, bytes, &options.limits).unwrap_or_default();
        uncovered.retain(|range| !codec::is_final_padding(bytes, range));
        uncovered_losses(uncovered, bytes.len() as u64)
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
