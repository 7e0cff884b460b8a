//! The descriptor: the structure of the data in a file.

#![allow(
    unused_qualifications,
    reason = "in the code that binrw generates for counts"
)]

use std::io::Cursor;
use std::ops::Range;

use binrw::io::{Read, Seek};
use binrw::{BinRead, BinResult, BinWrite, Endian, binrw, binwrite};
use bitcode::{Decode, Encode};

use super::super::hash::to_dialect;
use super::rules;
use super::usage::{ReferenceUsage, SpecUsage, Usage, UsageField, WireUsage};
use super::vertex_format::{IndexFormat, VertexFormat};
use crate::Dialect;
use crate::bulk::PrefixedText;
use crate::layout::Layout;
use crate::layout::declaration::{Packing, Type};
use crate::layout::expr::Value;
use crate::text::bytes_follow;

/// The structure of the data. Files store it encoded with bitcode. This struct declares its content as plain fields.
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[derive(Debug, Clone, PartialEq, Eq, Default, Encode, Decode)]
pub struct Descriptor {
    /// Size of the uncompressed data in bytes: the sum of the buffer sizes below (I6). Not stored in the file.
    #[br(temp)]
    #[bw(calc = self.data_len())]
    data_len: u64,
    /// Number of vertices.
    pub n_vertices: u32,
    /// Size of the user data in bytes.
    pub user_data_len: u32,
    /// Number of meshes.
    #[br(temp)]
    #[bw(try_calc = u32::try_from(meshes.len()))]
    mesh_count: u32,
    /// The range of each mesh in the buffers.
    #[br(count = mesh_count)]
    pub meshes: Vec<MeshInfo>,
    /// Whether there is an index buffer.
    #[br(temp)]
    #[bw(calc = indices.is_some().into())]
    has_indices: u8,
    /// Number of indices in the index buffer; 0 without one.
    #[br(temp)]
    #[bw(calc = indices.map_or(0, |indices| indices.n_indices))]
    n_indices: u32,
    /// Format of the indices.
    #[br(temp)]
    #[bw(calc = indices.map_or(IndexFormat::U16, |indices| indices.format))]
    index_format: IndexFormat,
    /// The index buffer, if there is one.
    #[br(calc = (has_indices != 0).then_some(IndicesInfo { n_indices, format: index_format }))]
    #[bw(ignore)]
    pub indices: Option<IndicesInfo>,
    /// Number of vertex buffers.
    #[br(temp)]
    #[bw(try_calc = u32::try_from(attributes.len()))]
    attribute_count: u32,
    /// The vertex buffers, in data order (I8). Dialects encode their usages differently.
    #[br(count = attribute_count)]
    #[bitcode(skip)]
    pub attributes: Vec<VertexAttributeInfo>,
}

/// The range of a mesh in the buffers.
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Encode, Decode)]
pub struct MeshInfo {
    /// Position of the first index in the index buffer.
    pub first_index: u32,
    /// Number of indices.
    #[layout(
        within = n_indices, first = first_index, rule = rules::MESH_RANGE,
        message = "first index {first_index} plus count {found} exceeds the index count {limit}"
    )]
    pub index_count: u32,
    /// Position of the first vertex in the vertex buffers; the indices are relative to it.
    pub first_vertex: u32,
    /// Number of vertices.
    #[layout(
        within = n_vertices, first = first_vertex, rule = rules::MESH_RANGE,
        message = "first vertex {first_vertex} plus count {found} exceeds the vertex count {limit}"
    )]
    pub vertex_count: u32,
}

/// The index buffer.
#[derive(Layout, Debug, Clone, Copy, PartialEq, Eq, Encode, Decode)]
#[br(little)]
pub struct IndicesInfo {
    /// Number of indices in the buffer.
    pub n_indices: u32,
    /// Format of the indices.
    pub format: IndexFormat,
}

/// A vertex buffer.
#[binwrite]
#[bw(little, map = AttributeFields::from)]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VertexAttributeInfo {
    /// The usage of the values.
    pub usage: Usage,
    /// The format of the values.
    pub format: VertexFormat,
}

impl Layout for VertexAttributeInfo {
    const TYPE: Type = AttributeFields::TYPE;
}

/// A vertex buffer as plain fields.
#[derive(Layout)]
#[binwrite]
#[brw(little)]
pub struct AttributeFields {
    /// The usage of the values.
    pub usage: UsageField,
    /// The number of a custom usage.
    #[br(if(usage as u8 == 0))]
    pub custom: Option<u32>,
    /// Size of a custom usage's name in bytes. The reference dialect has no names.
    #[br(if(usage as u8 == 0))]
    #[bw(try_calc = name.as_ref().map(|name| u32::try_from(name.len())).transpose())]
    name_len: Option<u32>,
    /// The name, in UTF-8.
    #[br(if(usage as u8 == 0), count = name_len)]
    pub name: Option<Vec<u8>>,
    /// The format of the values.
    pub format: VertexFormat,
}

impl From<&VertexAttributeInfo> for AttributeFields {
    fn from(VertexAttributeInfo { usage, format }: &VertexAttributeInfo) -> AttributeFields {
        let (custom, name) = match usage {
            Usage::Custom(id, name) => (Some(*id), Some(name.clone().into_bytes())),
            _ => (None, None),
        };
        AttributeFields {
            usage: usage.into(),
            custom,
            name,
            format: *format,
        }
    }
}

/// Reads the fields of [`AttributeFields`]. Names must be UTF-8.
impl BinRead for VertexAttributeInfo {
    type Args<'a> = ();

    fn read_options<R: Read + Seek>(reader: &mut R, endian: Endian, (): ()) -> BinResult<Self> {
        let usage = match UsageField::read_options(reader, endian, ())?.to_usage() {
            Some(usage) => usage,
            None => {
                let id = u32::read_options(reader, endian, ())?;
                let pos = reader.stream_position()?;
                let name = PrefixedText::<u32>::read_options(reader, endian, ())?.text;
                let name = String::from_utf8(name.as_bytes().to_vec());
                Usage::Custom(
                    id,
                    name.map_err(|error| binrw::Error::Custom {
                        pos,
                        err: Box::new(error),
                    })?,
                )
            }
        };
        Ok(VertexAttributeInfo {
            usage,
            format: VertexFormat::read_options(reader, endian, ())?,
        })
    }
}

/// The bitcode encoding of the descriptor, for the declaration. Its argument is the dialect.
pub(super) const BITCODE: Packing = Packing::Custom {
    name: "bitcode",
    decode: to_plain,
    encode: from_plain,
};

/// Decodes a descriptor, and encodes it as plain fields.
fn to_plain(bytes: &[u8], dialect: Option<Value>) -> Result<Vec<u8>, String> {
    Descriptor::decode(bytes, to_dialect(dialect.as_ref()))?.to_plain_fields()
}

/// Encodes a descriptor, given as plain fields without trailing bytes.
fn from_plain(fields: &[u8], dialect: Option<Value>) -> Result<Vec<u8>, String> {
    let dialect = to_dialect(dialect.as_ref());
    let mut rest = Cursor::new(fields);
    let descriptor = Descriptor::read(&mut rest).map_err(|error| error.root_cause().to_string())?;
    let left = fields.len() as u64 - rest.position();
    if left > 0 {
        return Err(bytes_follow(left, "its last field"));
    }
    let stored = descriptor.to_plain_fields()?;
    let has_indices_offset = 20 + 16 * descriptor.meshes.len();
    match stored
        .iter()
        .zip(fields)
        .position(|(stored, field)| stored != field)
    {
        None => {}
        Some(0..8) => {
            let size = descriptor.data_len();
            return Err(format!(
                "data_len must be {size}, the size of the buffers, because it is not stored"
            ));
        }
        Some(offset) if offset == has_indices_offset => {
            return Err(format!(
                "has_indices is {}, expected 0 or 1",
                fields[offset]
            ));
        }
        Some(_) => {
            return Err("without indices, n_indices and index_format must be 0, because they are not stored"
                .to_owned());
        }
    }
    let usage_error =
        |index| format!("the {dialect} dialect lacks the usage of attributes[{index}]");
    descriptor.encode(dialect).map_err(usage_error)
}

impl Descriptor {
    pub(in super::super) fn to_plain_fields(&self) -> Result<Vec<u8>, String> {
        let mut fields = Cursor::new(Vec::new());
        self.write(&mut fields)
            .map_err(|error| error.root_cause().to_string())?;
        Ok(fields.into_inner())
    }

    /// Decodes a descriptor from bitcode.
    #[doc(hidden)]
    pub fn decode(bytes: &[u8], dialect: Dialect) -> Result<Descriptor, String> {
        let decoded = match dialect {
            Dialect::REFERENCE => Descriptor::decode_as::<ReferenceUsage>(bytes),
            _ => Descriptor::decode_as::<SpecUsage>(bytes),
        };
        decoded.map_err(|_| format!("not a bitcode-encoded descriptor of the {dialect} dialect"))
    }

    /// Encodes a descriptor as bitcode. The error is the position of an attribute whose usage `dialect` lacks.
    #[doc(hidden)]
    pub fn encode(self, dialect: Dialect) -> Result<Vec<u8>, usize> {
        match dialect {
            Dialect::REFERENCE => self.encode_as::<ReferenceUsage>(),
            _ => self.encode_as::<SpecUsage>(),
        }
    }

    /// Decodes a descriptor with usages of type `U`. The reference dialect stores the attributes as a map, which
    /// bitcode encodes like a list of pairs (I1).
    fn decode_as<U: WireUsage>(bytes: &[u8]) -> Result<Descriptor, bitcode::Error> {
        let (descriptor, attributes): (Descriptor, Vec<(U, VertexFormat)>) =
            bitcode::decode(bytes)?;
        let info = |(usage, format): (U, VertexFormat)| VertexAttributeInfo {
            usage: usage.into(),
            format,
        };
        Ok(Descriptor {
            attributes: attributes.into_iter().map(info).collect(),
            ..descriptor
        })
    }

    fn encode_as<U: WireUsage>(self) -> Result<Vec<u8>, usize> {
        let attributes = self.attributes.iter().enumerate();
        let attributes =
            attributes.map(|(index, a)| Ok((U::from_usage(&a.usage).ok_or(index)?, a.format)));
        let attributes = attributes.collect::<Result<Vec<_>, usize>>()?;
        Ok(bitcode::encode(&(self, attributes)))
    }

    /// The size of the index buffer in bytes.
    pub fn index_buffer_size(&self) -> u64 {
        self.indices.map_or(0, |indices| {
            u64::from(indices.n_indices) * indices.format.size() as u64
        })
    }

    /// The size of the uncompressed data in bytes (I6).
    ///
    /// ```
    /// use meshspec::iyma;
    ///
    /// let descriptor = iyma::Descriptor { n_vertices: 3, user_data_len: 10, ..Default::default() };
    /// assert_eq!((descriptor.index_buffer_size(), descriptor.data_len()), (0, 10));
    /// ```
    pub fn data_len(&self) -> u64 {
        self.buffer_sizes().sum()
    }

    /// The byte ranges of the buffers in the uncompressed data: user data, indices, then each attribute.
    pub fn buffers(&self) -> impl Iterator<Item = Range<u64>> {
        self.buffer_sizes().scan(0, |end, size| {
            let start = *end;
            *end += size;
            Some(start..*end)
        })
    }

    fn buffer_sizes(&self) -> impl Iterator<Item = u64> {
        let vertices = u64::from(self.n_vertices);
        let attributes = self
            .attributes
            .iter()
            .map(move |info| vertices * info.format.size() as u64);
        [u64::from(self.user_data_len), self.index_buffer_size()]
            .into_iter()
            .chain(attributes)
    }

    /// Guesses the dialect of a descriptor whose checksum matches neither dialect (I2). If it decodes in both, a colour
    /// with two components suggests the reference dialect, in which the number of `Color` means `Uv`.
    #[doc(hidden)]
    pub fn guess_dialect(bytes: &[u8]) -> Dialect {
        let is_2d_color =
            |a: &VertexAttributeInfo| a.usage == Usage::Color && a.format.components() == 2;
        match (
            Descriptor::decode(bytes, Dialect::SPEC),
            Descriptor::decode(bytes, Dialect::REFERENCE),
        ) {
            (Err(_), Ok(_)) => Dialect::REFERENCE,
            (Ok(spec), Ok(_)) if spec.attributes.iter().any(is_2d_color) => Dialect::REFERENCE,
            _ => Dialect::SPEC,
        }
    }
}
