//! The descriptor: the contents of a file, in terms of both dialects, from and to bitcode.

use std::ops::Range;

use bitcode::{Decode, Encode};
use meshspec_derive::Layout;

use super::vertex_format::{IndexFormat, VertexFormat};
use crate::Dialect;
use crate::bulk::Bulk;
use crate::layout::Packing;

/// bitcode of the specification's descriptor.
pub(super) const SPEC: Packing = Packing::Coded { name: "bitcode", decode: spec_fields };

/// bitcode of the reference dialect's descriptor.
pub(super) const REFERENCE: Packing = Packing::Coded { name: "bitcode", decode: reference_fields };

/// The descriptor as bitcode takes it. `U` is the [`VertexUsage`] of the dialect.
#[derive(Debug, Clone, PartialEq, Encode, Decode)]
pub struct IyesMeshDescriptor<U> {
    /// Number of vertices.
    pub n_vertices: u32,
    /// Size of the user data in bytes.
    pub user_data_len: u32,
    /// The meshes.
    pub meshes: Vec<MeshInfo>,
    /// The index buffer, if there is one.
    pub indices: Option<IndicesInfo>,
    /// The vertex buffers. The reference dialect has a map of them, which is encoded the same way (I1).
    pub attributes: Vec<VertexAttributeInfo<U>>,
}

/// The range of a mesh in the buffers.
#[derive(Layout, Debug, Clone, Copy, PartialEq, Eq, Default, Encode, Decode)]
#[br(little)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct MeshInfo {
    /// Position of its first index in the index buffer.
    pub first_index: u32,
    /// Number of its indices.
    pub index_count: u32,
    /// Position of its first vertex; its indices are relative to it.
    pub first_vertex: u32,
    /// Number of its vertices.
    pub vertex_count: u32,
}

/// The index buffer.
#[derive(Layout, Debug, Clone, Copy, PartialEq, Eq, Encode, Decode)]
#[br(little)]
pub struct IndicesInfo {
    /// Number of indices of all meshes.
    pub n_indices: u32,
    /// Their format.
    pub format: IndexFormat,
}

/// One vertex buffer.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub struct VertexAttributeInfo<U> {
    /// The meaning of its values.
    pub usage: U,
    /// How its values are stored.
    pub format: VertexFormat,
}

/// The meaning of the values of a vertex buffer.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub enum VertexUsage {
    /// Anything else: a number and a name.
    Custom(u32, String),
    /// Position.
    Position,
    /// Normal.
    Normal,
    /// Tangent.
    Tangent,
    /// Colour.
    Color,
    /// Texture coordinate.
    Uv,
    /// Joint indices.
    JointIndex,
    /// Joint weights.
    JointWeight,
}

/// The meaning of the values of a vertex buffer, in the reference dialect (I1).
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub enum ReferenceVertexUsage {
    /// Anything else: a number.
    Custom(u32),
    /// Position.
    Position,
    /// Normal.
    Normal,
    /// Tangent.
    Tangent,
    /// First set of texture coordinates.
    Uv0,
    /// Second set of texture coordinates.
    Uv1,
    /// Joint indices.
    JointIndex,
    /// Joint weights.
    JointWeight,
    /// Colour.
    Color,
}

/// The descriptor as plain fields.
#[derive(Layout)]
#[br(little)]
pub struct DescriptorFields<'a> {
    /// Size of the uncompressed data in bytes: the sum of the buffers below (I6). Not stored in the file.
    pub data_len: u64,
    /// Number of vertices.
    pub n_vertices: u32,
    /// Size of the user data in bytes.
    pub user_data_len: u32,
    /// Number of meshes.
    pub mesh_count: u32,
    /// The meshes.
    #[br(count = mesh_count)]
    pub meshes: Bulk<'a, MeshInfo>,
    /// Whether there is an index buffer.
    pub has_indices: u8,
    /// Number of indices of all meshes; 0 without an index buffer.
    pub n_indices: u32,
    /// Their format.
    pub index_format: IndexFormat,
    /// Number of vertex buffers.
    pub attribute_count: u32,
    /// The vertex buffers.
    #[br(count = attribute_count)]
    pub attributes: Bulk<'a, AttributeFields<'a>>,
}

/// One vertex buffer of the descriptor as plain fields.
#[derive(Layout)]
#[br(little)]
pub struct AttributeFields<'a> {
    /// The meaning of its values.
    pub usage: UsageField,
    /// The number of a custom usage.
    #[br(if(usage as u8 == 0))]
    pub custom: Option<u32>,
    /// The name of a custom usage. The reference dialect has none.
    #[br(if(usage as u8 == 0))]
    pub name_len: Option<u32>,
    /// The name in UTF-8.
    #[br(if(usage as u8 == 0), count = name_len)]
    pub name: Option<Bulk<'a, u8>>,
    /// How its values are stored.
    pub format: VertexFormat,
}

/// The meaning of the values of a vertex buffer: the usages of both dialects.
#[derive(Layout, Debug, Clone, Copy, PartialEq, Eq)]
#[br(repr = u8)]
pub enum UsageField {
    /// Anything else.
    Custom = 0,
    /// Position.
    Position = 1,
    /// Normal.
    Normal = 2,
    /// Tangent.
    Tangent = 3,
    /// Colour.
    Color = 4,
    /// Texture coordinate; the reference dialect's first set.
    Uv = 5,
    /// The reference dialect's second set of texture coordinates.
    Uv1 = 6,
    /// Joint indices.
    JointIndex = 7,
    /// Joint weights.
    JointWeight = 8,
}

/// The descriptor in terms of both dialects. [`Reader`](super::super::Reader) reads it alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Descriptor {
    /// Decides how usages are numbered and checksums computed (I1).
    pub dialect: Dialect,
    /// Number of vertices.
    pub n_vertices: u32,
    /// Size of the user data in bytes.
    pub user_data_len: u32,
    /// The range of each mesh in the buffers.
    pub meshes: Vec<MeshInfo>,
    /// The index buffer, if there is one.
    pub indices: Option<IndicesInfo>,
    /// The vertex buffers, in the order of the data (I8).
    pub attributes: Vec<(Usage, VertexFormat)>,
}

/// The meaning of the values of a vertex buffer, in terms of both dialects.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Usage {
    /// Anything else: a number and a name. The reference dialect has no names.
    Custom(u32, String),
    /// Position.
    Position,
    /// Normal.
    Normal,
    /// Tangent.
    Tangent,
    /// Colour.
    Color,
    /// Texture coordinate; `Uv0` in the reference dialect.
    Uv,
    /// Second set of texture coordinates, in the reference dialect only.
    Uv1,
    /// Joint indices.
    JointIndex,
    /// Joint weights.
    JointWeight,
}

/// The usages of a dialect.
trait DialectUsage: Encode + for<'a> Decode<'a> {
    /// `None` if the dialect does not have the usage.
    fn from_usage(usage: &Usage) -> Option<Self>;
    fn into_usage(self) -> Usage;
}

impl DialectUsage for VertexUsage {
    fn from_usage(usage: &Usage) -> Option<VertexUsage> {
        Some(match usage {
            Usage::Custom(id, name) => VertexUsage::Custom(*id, name.clone()),
            Usage::Position => VertexUsage::Position,
            Usage::Normal => VertexUsage::Normal,
            Usage::Tangent => VertexUsage::Tangent,
            Usage::Color => VertexUsage::Color,
            Usage::Uv => VertexUsage::Uv,
            Usage::Uv1 => return None,
            Usage::JointIndex => VertexUsage::JointIndex,
            Usage::JointWeight => VertexUsage::JointWeight,
        })
    }

    fn into_usage(self) -> Usage {
        match self {
            VertexUsage::Custom(id, name) => Usage::Custom(id, name),
            VertexUsage::Position => Usage::Position,
            VertexUsage::Normal => Usage::Normal,
            VertexUsage::Tangent => Usage::Tangent,
            VertexUsage::Color => Usage::Color,
            VertexUsage::Uv => Usage::Uv,
            VertexUsage::JointIndex => Usage::JointIndex,
            VertexUsage::JointWeight => Usage::JointWeight,
        }
    }
}

impl DialectUsage for ReferenceVertexUsage {
    fn from_usage(usage: &Usage) -> Option<ReferenceVertexUsage> {
        Some(match usage {
            Usage::Custom(id, name) if name.is_empty() => ReferenceVertexUsage::Custom(*id),
            Usage::Custom(..) => return None,
            Usage::Position => ReferenceVertexUsage::Position,
            Usage::Normal => ReferenceVertexUsage::Normal,
            Usage::Tangent => ReferenceVertexUsage::Tangent,
            Usage::Uv => ReferenceVertexUsage::Uv0,
            Usage::Uv1 => ReferenceVertexUsage::Uv1,
            Usage::JointIndex => ReferenceVertexUsage::JointIndex,
            Usage::JointWeight => ReferenceVertexUsage::JointWeight,
            Usage::Color => ReferenceVertexUsage::Color,
        })
    }

    fn into_usage(self) -> Usage {
        match self {
            ReferenceVertexUsage::Custom(id) => Usage::Custom(id, String::new()),
            ReferenceVertexUsage::Position => Usage::Position,
            ReferenceVertexUsage::Normal => Usage::Normal,
            ReferenceVertexUsage::Tangent => Usage::Tangent,
            ReferenceVertexUsage::Uv0 => Usage::Uv,
            ReferenceVertexUsage::Uv1 => Usage::Uv1,
            ReferenceVertexUsage::JointIndex => Usage::JointIndex,
            ReferenceVertexUsage::JointWeight => Usage::JointWeight,
            ReferenceVertexUsage::Color => Usage::Color,
        }
    }
}

impl Usage {
    /// The name.
    pub fn name(&self) -> String {
        match self {
            Usage::Custom(id, name) if name.is_empty() => format!("custom {id}"),
            Usage::Custom(id, name) => format!("custom {id} \"{}\"", name.escape_debug()),
            Usage::Position => "position".into(),
            Usage::Normal => "normal".into(),
            Usage::Tangent => "tangent".into(),
            Usage::Color => "color".into(),
            Usage::Uv => "uv".into(),
            Usage::Uv1 => "uv1".into(),
            Usage::JointIndex => "joint_index".into(),
            Usage::JointWeight => "joint_weight".into(),
        }
    }

    /// The number that plain fields have for it.
    fn field(&self) -> UsageField {
        match self {
            Usage::Custom(..) => UsageField::Custom,
            Usage::Position => UsageField::Position,
            Usage::Normal => UsageField::Normal,
            Usage::Tangent => UsageField::Tangent,
            Usage::Color => UsageField::Color,
            Usage::Uv => UsageField::Uv,
            Usage::Uv1 => UsageField::Uv1,
            Usage::JointIndex => UsageField::JointIndex,
            Usage::JointWeight => UsageField::JointWeight,
        }
    }
}

impl Descriptor {
    /// Decodes a descriptor of this dialect.
    pub(in super::super) fn decode(bytes: &[u8], dialect: Dialect) -> Result<Descriptor, String> {
        let decoded = match dialect {
            Dialect::Reference => decode_as::<ReferenceVertexUsage>(bytes, dialect),
            _ => decode_as::<VertexUsage>(bytes, dialect),
        };
        decoded.map_err(|_| format!("not a bitcode-encoded descriptor of the {dialect} dialect"))
    }

    /// Encodes the descriptor in its dialect; the error is the position of an attribute that the dialect does not have.
    pub(in super::super) fn encode(&self) -> Result<Vec<u8>, usize> {
        match self.dialect {
            Dialect::Reference => self.encode_as::<ReferenceVertexUsage>(),
            _ => self.encode_as::<VertexUsage>(),
        }
    }

    fn encode_as<U: DialectUsage>(&self) -> Result<Vec<u8>, usize> {
        let attributes = self.attributes.iter().enumerate().map(|(index, (usage, format))| {
            let usage = U::from_usage(usage).ok_or(index)?;
            Ok(VertexAttributeInfo { usage, format: *format })
        });
        let attributes = attributes.collect::<Result<_, usize>>()?;
        Ok(bitcode::encode(&IyesMeshDescriptor {
            n_vertices: self.n_vertices,
            user_data_len: self.user_data_len,
            meshes: self.meshes.clone(),
            indices: self.indices,
            attributes,
        }))
    }

    /// Size of the index buffer in bytes.
    pub fn indices_len(&self) -> u64 {
        self.indices.map_or(0, |indices| u64::from(indices.n_indices) * indices.format.size() as u64)
    }

    /// Size of the uncompressed data in bytes (I6).
    pub fn data_len(&self) -> u64 {
        let sizes = self.attributes.iter().map(|(_, format)| format.size() as u64);
        u64::from(self.user_data_len) + self.indices_len() + u64::from(self.n_vertices) * sizes.sum::<u64>()
    }

    /// The range of each buffer in the uncompressed data: user data, indices, attributes.
    pub fn buffers(&self) -> impl Iterator<Item = Range<u64>> {
        let vertices = u64::from(self.n_vertices);
        let attributes = self.attributes.iter().map(move |(_, format)| vertices * format.size() as u64);
        let sizes = [u64::from(self.user_data_len), self.indices_len()].into_iter().chain(attributes);
        sizes.scan(0, |end, size| {
            let start = *end;
            *end += size;
            Some(start..*end)
        })
    }

    /// Whether it looks like one of the other dialect: the fifth variant is `Color` in one dialect and `Uv0`, which has
    /// two components, in the other (I2).
    fn is_odd(&self) -> bool {
        self.attributes.iter().any(|(usage, format)| match usage {
            Usage::Color => format.components() == 2,
            _ => false,
        })
    }

    /// The dialect of a descriptor whose checksum matches none (I2).
    pub(in super::super) fn guess(bytes: &[u8]) -> Dialect {
        match (Descriptor::decode(bytes, Dialect::Spec), Descriptor::decode(bytes, Dialect::Reference)) {
            (Err(_), Ok(_)) => Dialect::Reference,
            (Ok(spec), Ok(_)) if spec.is_odd() => Dialect::Reference,
            _ => Dialect::Spec,
        }
    }

    /// The descriptor as [`DescriptorFields`].
    fn to_fields(&self) -> Vec<u8> {
        // The encoded descriptor has at most 65,535 bytes, so that counts fit.
        let count = |count: usize| (count as u32).to_le_bytes();
        let mut out = self.data_len().to_le_bytes().to_vec();
        out.extend(self.n_vertices.to_le_bytes());
        out.extend(self.user_data_len.to_le_bytes());
        out.extend(count(self.meshes.len()));
        for mesh in &self.meshes {
            let MeshInfo { first_index, index_count, first_vertex, vertex_count } = *mesh;
            out.extend(
                [first_index, index_count, first_vertex, vertex_count].map(u32::to_le_bytes).as_flattened(),
            );
        }
        let none = IndicesInfo { n_indices: 0, format: IndexFormat::U16 };
        let IndicesInfo { n_indices, format } = self.indices.unwrap_or(none);
        out.push(self.indices.is_some().into());
        out.extend(n_indices.to_le_bytes());
        out.push(format as u8);
        out.extend(count(self.attributes.len()));
        for (usage, format) in &self.attributes {
            out.push(usage.field() as u8);
            if let Usage::Custom(id, name) = usage {
                out.extend(id.to_le_bytes());
                out.extend(count(name.len()));
                out.extend(name.as_bytes());
            }
            out.push(*format as u8);
        }
        out
    }
}

fn decode_as<U: DialectUsage>(bytes: &[u8], dialect: Dialect) -> Result<Descriptor, bitcode::Error> {
    let IyesMeshDescriptor::<U> { n_vertices, user_data_len, meshes, indices, attributes } =
        bitcode::decode(bytes)?;
    let attributes = attributes.into_iter().map(|info| (info.usage.into_usage(), info.format)).collect();
    Ok(Descriptor { dialect, n_vertices, user_data_len, meshes, indices, attributes })
}

/// A descriptor of the specification as plain fields.
fn spec_fields(bytes: &[u8]) -> Result<Vec<u8>, String> {
    Descriptor::decode(bytes, Dialect::Spec).map(|descriptor| descriptor.to_fields())
}

/// A descriptor of the reference dialect as plain fields.
fn reference_fields(bytes: &[u8]) -> Result<Vec<u8>, String> {
    Descriptor::decode(bytes, Dialect::Reference).map(|descriptor| descriptor.to_fields())
}
