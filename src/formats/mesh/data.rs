//! MESH documents as data, for JSON and its like.
//!
//! The paths are those of errors and findings: `vertices[3].position`, `animations[0].poses[17].joint`.

use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{Animation, Document, Joint, Vertex, VertexFormat, Vertices};
use crate::{Dialect, Text};

/// Which attributes a vertex has, by name.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FormatData {
    normal: bool,
    uv: bool,
    joints: bool,
    #[serde(default, skip_serializing_if = "is_zero")]
    unused: u16,
}

fn is_zero(bits: &u16) -> bool {
    *bits == 0
}

struct VertexList<'a>(&'a Vertices);

impl Serialize for VertexList<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter())
    }
}

impl Serialize for Document {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let format = self.vertices.format();
        let mut data = serializer.serialize_struct("Document", 8)?;
        data.serialize_field("dialect", &self.dialect)?;
        if let Some(transform) = &self.root_transform {
            data.serialize_field("root_transform", &FloatData(transform))?;
        }
        data.serialize_field(
            "vertex_format",
            &FormatData {
                normal: format.normal(),
                uv: format.uv(),
                joints: format.joints(),
                unused: format.unused(),
            },
        )?;
        data.serialize_field("vertices", &VertexList(&self.vertices))?;
        data.serialize_field("indices", &self.indices)?;
        data.serialize_field("joints", &self.joints)?;
        data.serialize_field("animations", &self.animations)?;
        data.serialize_field("strings", &self.strings)?;
        if self.unterminated {
            data.serialize_field("unterminated", &true)?;
        }
        data.end()
    }
}

struct FloatData<'a>(&'a [[f32; 4]; 4]);

impl Serialize for FloatData<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        crate::float::serialize(self.0, serializer)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Data {
    #[serde(default)]
    dialect: Dialect,
    #[serde(default, with = "crate::float")]
    root_transform: Option<[[f32; 4]; 4]>,
    vertex_format: FormatData,
    vertices: Vec<Vertex>,
    indices: Vec<u32>,
    #[serde(default)]
    joints: Vec<Joint>,
    #[serde(default)]
    animations: Vec<Animation>,
    #[serde(default)]
    strings: Vec<Text>,
    #[serde(default)]
    unterminated: bool,
}

impl<'de> Deserialize<'de> for Document {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Document, D::Error> {
        let data = Data::deserialize(deserializer)?;
        let FormatData { normal, uv, joints, unused } = data.vertex_format;
        let format = VertexFormat::new()
            .with_position(true)
            .with_normal(normal)
            .with_uv(uv)
            .with_joints(joints)
            .with_unused_checked(unused)
            .map_err(|_| de::Error::custom("vertex_format.unused: more than 12 bits"))?;
        Ok(Document {
            dialect: data.dialect,
            root_transform: data.root_transform,
            vertices: Vertices::from_records(format, data.vertices).map_err(de::Error::custom)?,
            indices: data.indices,
            joints: data.joints,
            animations: data.animations,
            strings: data.strings,
            unterminated: data.unterminated,
        })
    }
}
