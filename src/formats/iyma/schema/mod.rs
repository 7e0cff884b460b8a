//! The declaration of IyMA: header and data as binrw structs, the descriptor as a struct encoded with bitcode. Order
//! and names follow the specification.
//!
//! Bitcode has no fields at fixed positions. For display and checks, the descriptor is rewritten as the plain fields of
//! [`Descriptor`].

mod descriptor;
pub(super) mod rules;
mod usage;
mod vertex_format;

pub(super) use vertex_format::UNORM10X3X2;

pub use descriptor::{AttributeFields, Descriptor, IndicesInfo, MeshInfo, VertexAttributeInfo};
pub use usage::{Usage, UsageField};
pub use vertex_format::{Component, IndexFormat, Unorm10x3x2, VertexBuffer, VertexFormat};

use std::sync::LazyLock;

use binrw::binrw;

use super::hash::{DATA_HASH, METADATA_HASH};
use crate::Dialect;
use crate::bulk::{Bulk, Rest};
use crate::layout::Layout;
use crate::layout::declaration::{Type, bind};
use descriptor::BITCODE;

/// The name of the format on the command line and in messages.
pub const NAME: &str = "iyma";

impl Dialect {
    /// IyMA: the layout that the tool of the format's author writes (I1).
    pub const REFERENCE: Dialect = Dialect::new("reference", 3);
}

/// A file. The dialects encode the usages in the descriptor differently (I1).
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[br(import(dialect: Dialect))]
#[derive(Debug)]
pub struct File<'a> {
    /// The header.
    pub header: Header,
    /// The structure of the data, encoded with bitcode.
    #[br(count = header.descriptor_len)]
    #[layout(
        rule = rules::DESCRIPTOR, packing = BITCODE(dialect), content = Descriptor,
        checksum = header.metadata_checksum, by = METADATA_HASH(dialect, header.data_checksum)
    )]
    pub descriptor: Bulk<'a, u8>,
    /// All buffers, compressed with zstd, up to the end of the file.
    #[layout(
        rule = rules::PACKING, packing = zstd, size = descriptor.data_len, content = Data<'static>,
        checksum = header.data_checksum, by = DATA_HASH(dialect), none = 0,
        args(
            descriptor.user_data_len, descriptor.has_indices, descriptor.index_format, descriptor.n_indices,
            descriptor.n_vertices, descriptor.attributes
        )
    )]
    pub data: Rest<'a>,
}

/// The header: 24 bytes.
#[derive(Layout)]
#[binrw]
#[brw(little, magic = b"IyMA")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// Version of the format: 1.
    #[br(assert(version == 1, "the version is not 1"))]
    #[layout(rule = rules::VERSION)]
    pub version: u16,
    /// Size of the encoded descriptor in bytes.
    pub descriptor_len: u16,
    /// RapidHash of the encoded descriptor, its length and the data checksum (I3, I4).
    #[layout(rule = rules::METADATA_CHECKSUM)]
    pub metadata_checksum: u64,
    /// RapidHash of the compressed data; 0 if absent (I5).
    #[layout(rule = rules::DATA_CHECKSUM)]
    pub data_checksum: u64,
}

impl Header {
    /// The version of the format.
    pub const VERSION: u16 = 1;

    /// The size in bytes.
    pub fn size() -> usize {
        Header::size_with(&[]).unwrap_or_default() as usize
    }
}

/// The uncompressed buffers, concatenated.
#[derive(Layout)]
#[br(little, import(
    user_data_len: u32, has_indices: u8, index_format: IndexFormat, n_indices: u32, n_vertices: u32,
    attributes: &[AttributeFields]
))]
pub struct Data<'a> {
    /// Application-defined bytes.
    #[br(count = user_data_len)]
    pub user_data: Bulk<'a, u8>,
    /// The index buffer.
    #[br(if(has_indices != 0), args(index_format, n_indices))]
    pub indices: Option<IndexData<'a>>,
    /// The vertex buffers, in descriptor order (I8).
    #[br(parse_with = args_iter(attributes.iter().map(|attribute| (attribute.format, n_vertices))))]
    pub vertices: Vec<VertexBuffer<'a>>,
}

/// The index buffer.
#[derive(Layout)]
#[br(little, import(index_format: IndexFormat, n_indices: u32))]
pub enum IndexData<'a> {
    /// 16-bit indices.
    #[br(pre_assert(index_format as u8 == 0))]
    U16(#[br(count = n_indices)] Bulk<'a, u16>),
    /// 32-bit indices.
    #[br(pre_assert(index_format as u8 == 1))]
    U32(#[br(count = n_indices)] Bulk<'a, u32>),
}

/// The name and the layout of each dialect.
pub(super) static LAYOUTS: LazyLock<[(&str, &Type); 2]> = LazyLock::new(|| {
    [
        ("iyma", bind::<File>("", &[Dialect::SPEC.into()])),
        (
            "iyma_reference",
            bind::<File>("Reference", &[Dialect::REFERENCE.into()]),
        ),
    ]
});

/// Returns the layout of a file in `dialect`.
pub(super) fn layout(dialect: Dialect) -> &'static Type {
    let [(_, spec), (_, reference)] = *LAYOUTS;
    if dialect == Dialect::REFERENCE {
        reference
    } else {
        spec
    }
}
