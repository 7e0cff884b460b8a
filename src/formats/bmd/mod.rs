//! BMD: images of packed meshes with mixed sizes of vertices and faces, quantised skeletons, compacted animations.

mod codec;
#[cfg(feature = "serde")]
mod data;
mod document;
mod rules;
#[cfg(feature = "scene")]
mod scene;
pub mod schema;
#[cfg(feature = "proptest")]
pub mod strategy;

pub use codec::{Attributes, Tolerance, VertexColumns, VertexErrors, VertexSize, VertexSizes, nearest_shade};
pub use document::{
    Animation, Bone, ChannelErrors, Channels, Document, Face, FaceCounts, Faces, FloatChannels, Matrix, Mesh,
    Motion, PackedFace, PackedVertex, Pose, Surface, Track, TrackKey, Transform, Vertex, Vertices,
    flat_color, resource_name, shade_color,
};
pub use schema::{AnimRate, ControlFlags, F8A, LodDef, Rotation, Triple};

use super::{About, Format, FormatId, Likelihood, locate, refuse};
use crate::info::Info;
use crate::layout::{Layout, Type};
use crate::{Dialect, Error, ErrorKind, Loss, ReadOptions, Report, Result, WriteOptions};

impl Format for Document {
    const ABOUT: &'static About = &About {
        id: FormatId::Bmd,
        title: "BMD",
        summary: "images of packed meshes, quantised skeletons, compacted animations",
        extensions: &["bmd"],
        dialects: &[Dialect::Spec],
        levels: false,
        rules: rules::RULES,
        layouts: &[("bmd", &schema::Image::TYPE)],
    };

    fn detect(bytes: &[u8]) -> Likelihood {
        codec::likelihood(bytes)
    }

    fn read(bytes: &[u8], options: &ReadOptions) -> Result<Document> {
        check_dialect(options.dialect.unwrap_or_default())
            .and_then(|()| codec::read(bytes))
            .and_then(|document| {
                refuse(|report| rules::check(&document, report), options.strictness, ErrorKind::Malformed)?;
                Ok(document)
            })
            .map_err(|error| locate(error, Self::ABOUT, &schema::Image::TYPE, bytes, options))
    }

    fn write(&self, options: &WriteOptions) -> Result<Vec<u8>> {
        refuse(|report| rules::check(self, report), options.strictness, ErrorKind::Inexpressible)
            .and_then(|()| codec::write(self))
            .map_err(|error| error.in_format(FormatId::Bmd))
    }

    fn check_into(&self, report: &mut Report) {
        rules::check(self, report);
    }

    fn dialect(&self) -> Dialect {
        Dialect::Spec
    }

    fn into_dialect(self, dialect: Dialect) -> Result<(Document, Vec<Loss>)> {
        check_dialect(dialect).map_err(|error| error.in_format(FormatId::Bmd))?;
        Ok((self, Vec::new()))
    }

    fn info(&self) -> Info {
        document::info(self)
    }

    fn layout_of(_: &[u8], _: Option<Dialect>) -> Option<&'static Type> {
        Some(&schema::Image::TYPE)
    }
}

fn check_dialect(dialect: Dialect) -> Result<()> {
    match dialect {
        Dialect::Spec => Ok(()),
        other => {
            Err(Error::new(ErrorKind::Unsupported, format!("there is no {other} dialect of BMD"))
                .at("dialect"))
        }
    }
}
