//! Serde implementations of documents.
//!
//! The structure matches the paths in errors and findings: `vertices[3].position`, `animations[0].poses[17].joint`.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{Animation, Document, Joint, Vertex, VertexFormat, Vertices};
use crate::Dialect;
use crate::bulk::Strings;
use crate::layout::word::{self, ImpliedFields};

/// The serialised form of a document, with a list of vertices. Includes the vertex format, because an empty list does
/// not determine it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct DocumentJson<'a, V> {
    #[serde(default)]
    dialect: Dialect,
    #[serde(
        default,
        with = "crate::float",
        skip_serializing_if = "Option::is_none"
    )]
    root_transform: Option<[[f32; 4]; 4]>,
    #[serde(with = "vertex_format_serde")]
    vertex_format: VertexFormat,
    vertices: V,
    indices: Cow<'a, [u32]>,
    #[serde(default)]
    joints: Cow<'a, [Joint]>,
    #[serde(default)]
    animations: Cow<'a, [Animation]>,
    #[serde(default)]
    strings: Cow<'a, Strings>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    unterminated: bool,
}

/// Serialises the vertex format as a map of attributes to flags, without the position if its flag is set.
mod vertex_format_serde {
    use super::*;

    fn implied_position() -> ImpliedFields {
        let word = u16::from_le_bytes(VertexFormat::default().into_bytes()).into();
        ImpliedFields {
            word,
            fields: &["position"],
        }
    }

    pub fn serialize<S: Serializer>(
        format: &VertexFormat,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        word::serialize::<VertexFormat, S>(&format.into_bytes(), implied_position(), serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<VertexFormat, D::Error> {
        word::deserialize::<VertexFormat, _, D>(implied_position(), deserializer)
            .map(VertexFormat::from_bytes)
    }
}

/// Serialises vertices as a list of records.
struct VertexList<'a>(&'a Vertices);

impl Serialize for VertexList<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter())
    }
}

impl Serialize for Document {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Document {
            dialect,
            root_transform,
            vertices,
            indices,
            joints,
            animations,
            strings,
        } = self;
        let data = DocumentJson {
            dialect: *dialect,
            root_transform: *root_transform,
            vertex_format: vertices.format(),
            vertices: VertexList(vertices),
            indices: indices.into(),
            joints: joints.into(),
            animations: animations.into(),
            unterminated: strings.is_unterminated(),
            strings: Cow::Borrowed(strings),
        };
        data.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Document {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Document, D::Error> {
        let data = DocumentJson::<Vec<Vertex>>::deserialize(deserializer)?;
        let mut strings = data.strings.into_owned();
        if data.unterminated {
            strings.remove_terminator().map_err(de::Error::custom)?;
        }
        Ok(Document {
            dialect: data.dialect,
            root_transform: data.root_transform,
            vertices: Vertices::from_records(data.vertex_format, data.vertices)
                .map_err(de::Error::custom)?,
            indices: data.indices.into_owned(),
            joints: data.joints.into_owned(),
            animations: data.animations.into_owned(),
            strings,
        })
    }
}
