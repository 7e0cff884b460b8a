//! What an IyMA file says.

use bytes::Bytes;

use super::descriptor::{Descriptor, Usage};
use super::draw::{DrawIndexedIndirect, DrawIndirect, Draws};
use super::schema::{IndexFormat, IndicesInfo, MeshInfo, VertexFormat};
use crate::bulk::{Column, Plain};
use crate::{Dialect, Error, ErrorKind, FormatId, Result};

/// An IyMA file: everything in it but what can be computed.
///
/// Buffers are [`Bytes`]: those of a file that was read are slices of one block of memory, and cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Document {
    /// How usages are numbered, and which checksums there are (I1).
    #[cfg_attr(feature = "serde", serde(default))]
    pub dialect: Dialect,
    /// Anything that the application wants to keep with the meshes.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Bytes::is_empty", with = "super::data::user_data")
    )]
    pub user_data: Bytes,
    /// Number of vertices: of values in each attribute.
    pub n_vertices: u32,
    /// Where each mesh lies in the buffers.
    pub meshes: Vec<MeshInfo>,
    /// The indices of all meshes; `None` for meshes without.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub indices: Option<Indices>,
    /// The vertex buffers in the order of the file (I8).
    pub attributes: Vec<Attribute>,
    /// Whether the compressed data has a checksum (I5).
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "DataChecksum::is_present"))]
    pub data_checksum: DataChecksum,
    /// The metadata checksum where it is wrong. Only lenient reading accepts that (I16).
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub metadata_checksum: Option<WrongChecksum>,
}

/// Whether the compressed data has a checksum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum DataChecksum {
    /// It has.
    #[default]
    Present,
    /// It has not: 0 is written (I5).
    Absent,
    /// It has one that is wrong. Only lenient reading accepts that (I16).
    Wrong(WrongChecksum),
}

impl DataChecksum {
    /// Whether it is there, in a word.
    pub(super) fn word(&self) -> &'static str {
        match self {
            DataChecksum::Present => "present",
            DataChecksum::Absent => "absent",
            DataChecksum::Wrong(_) => "wrong",
        }
    }

    #[cfg(feature = "serde")]
    fn is_present(&self) -> bool {
        *self == DataChecksum::Present
    }
}

/// A checksum that is not that of what it stands for.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
pub struct WrongChecksum {
    /// What the file has.
    pub stored: u64,
    #[cfg_attr(feature = "serde", serde(skip))]
    computed: Option<u64>,
}

impl WrongChecksum {
    /// A checksum as it was found in a file, and what it should have been there.
    pub(super) fn found(stored: u64, computed: u64) -> WrongChecksum {
        WrongChecksum { stored, computed: Some(computed) }
    }

    /// What it should have been in the file that was read; not part of the document's content.
    pub fn computed(&self) -> Option<u64> {
        self.computed
    }
}

impl From<u64> for WrongChecksum {
    fn from(stored: u64) -> WrongChecksum {
        WrongChecksum { stored, computed: None }
    }
}

impl PartialEq for WrongChecksum {
    fn eq(&self, other: &WrongChecksum) -> bool {
        self.stored == other.stored
    }
}

impl Eq for WrongChecksum {}

/// The index buffer: little-endian indices that count from the first vertex of their mesh.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Indices {
    /// How wide they are.
    pub format: IndexFormat,
    /// As the GPU takes them.
    pub data: Bytes,
}

impl Indices {
    /// Indices of 16 bits.
    pub fn from_u16(indices: &[u16]) -> Indices {
        let data = Bytes::from(crate::bulk::as_bytes(indices).into_owned());
        Indices { format: IndexFormat::U16, data }
    }

    /// Indices of 32 bits.
    pub fn from_u32(indices: &[u32]) -> Indices {
        let data = Bytes::from(crate::bulk::as_bytes(indices).into_owned());
        Indices { format: IndexFormat::U32, data }
    }

    /// Number of indices.
    pub fn len(&self) -> usize {
        self.data.len() / self.format.size()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The indices, widened.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        let (narrow, wide): (&[u8], &[u8]) = match self.format {
            IndexFormat::U16 => (&self.data, &[]),
            IndexFormat::U32 => (&[], &self.data),
        };
        let narrow = narrow.chunks_exact(2).map(|b| u32::from(u16::from_le_bytes([b[0], b[1]])));
        narrow.chain(wide.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])))
    }

    /// The same indices with 32 bits each.
    pub fn widened(&self) -> Indices {
        match self.format {
            IndexFormat::U16 => Indices::from_u32(&self.iter().collect::<Vec<_>>()),
            IndexFormat::U32 => self.clone(),
        }
    }
}

/// One vertex buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute {
    /// What its values mean.
    pub usage: Usage,
    /// How its values are stored.
    pub format: VertexFormat,
    /// The values, little-endian and without gaps, as the GPU takes them.
    pub data: Bytes,
}

impl Attribute {
    /// A vertex buffer of these values, component by component; see [`VertexFormat::from_f32`].
    pub fn from_f32(usage: Usage, format: VertexFormat, values: &[f32]) -> Attribute {
        Attribute { usage, format, data: format.from_f32(values).into() }
    }

    /// The values as floats, component by component; see [`VertexFormat::to_f32`].
    pub fn to_f32(&self) -> Vec<f32> {
        self.format.to_f32(&self.data)
    }

    /// The values as they are stored, if `T` is as large as one: `[f32; 3]` for `Float32x3`, `[u8; 4]` for `Unorm8x4`.
    ///
    /// ```
    /// use meshspec::iyma::{Attribute, Usage, VertexFormat};
    ///
    /// let positions = Attribute::from_f32(Usage::Position, VertexFormat::Float32x3, &[1.0, 2.0, 3.0]);
    /// assert_eq!(positions.column::<[f32; 3]>().unwrap().to_vec(), [[1.0, 2.0, 3.0]]);
    /// assert!(positions.column::<[f32; 2]>().is_none());
    /// ```
    pub fn column<T: Plain>(&self) -> Option<Column<'_, T>> {
        let size = self.format.size();
        (size_of::<T>() == size).then(|| Column::new(&self.data, size, 0))?
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.data.len() / self.format.size()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Document {
    /// A file of one mesh that takes all of its buffers.
    ///
    /// ```
    /// use meshspec::iyma::{Attribute, Document, Indices, Usage, VertexFormat};
    ///
    /// let corners = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    /// let triangle = Document::from_mesh(
    ///     Some(Indices::from_u16(&[0, 1, 2])),
    ///     vec![Attribute::from_f32(Usage::Position, VertexFormat::Float32x3, &corners)],
    /// )?;
    /// assert_eq!((triangle.n_vertices, triangle.meshes[0].index_count), (3, 3));
    /// # Ok::<(), meshspec::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the attributes have different numbers of values, or there are more than 32 bits can count.
    pub fn from_mesh(indices: Option<Indices>, attributes: Vec<Attribute>) -> Result<Document> {
        let vertices = attributes.first().map_or(0, Attribute::len);
        let mesh = MeshInfo {
            vertex_count: count(vertices, "attributes[0]")?,
            index_count: count(indices.as_ref().map_or(0, Indices::len), "indices")?,
            ..MeshInfo::default()
        };
        let document = Document {
            n_vertices: mesh.vertex_count,
            meshes: vec![mesh],
            indices,
            attributes,
            ..Document::default()
        };
        document.descriptor()?;
        Ok(document)
    }

    /// The descriptor that is written for the document.
    ///
    /// # Errors
    ///
    /// If an attribute has another number of values than there are vertices, or a buffer is too large to be counted.
    pub fn descriptor(&self) -> Result<Descriptor> {
        for (index, attribute) in self.attributes.iter().enumerate() {
            let expected = u64::from(self.n_vertices) * attribute.format.size() as u64;
            if attribute.data.len() as u64 != expected {
                let (found, vertices) = (attribute.data.len(), self.n_vertices);
                let message = format!("{found} bytes, but {vertices} vertices take {expected}");
                return Err(inexpressible(format!("attributes[{index}].data"), message));
            }
        }
        let indices = self.indices.as_ref().map(|indices| {
            if !indices.data.len().is_multiple_of(indices.format.size()) {
                let message = format!("{} bytes make no whole number of indices", indices.data.len());
                return Err(inexpressible("indices.data", message));
            }
            Ok(IndicesInfo { n_indices: count(indices.len(), "indices")?, format: indices.format })
        });
        Ok(Descriptor {
            dialect: self.dialect,
            n_vertices: self.n_vertices,
            user_data_len: count(self.user_data.len(), "user_data")?,
            meshes: self.meshes.clone(),
            indices: indices.transpose()?,
            attributes: self.attributes.iter().map(|a| (a.usage.clone(), a.format)).collect(),
        })
    }

    /// The first attribute with this usage.
    pub fn attribute(&self, usage: &Usage) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.usage == *usage)
    }

    /// The records that draw each mesh once, for an indirect-draw buffer.
    ///
    /// # Errors
    ///
    /// If a mesh starts at a vertex that a base vertex, which has a sign, cannot say.
    pub fn draws(&self) -> Result<Draws> {
        let meshes = self.meshes.iter();
        if self.indices.is_none() {
            return Ok(Draws::NonIndexed(meshes.map(DrawIndirect::from).collect()));
        }
        let draws = meshes.enumerate().map(|(index, mesh)| {
            DrawIndexedIndirect::try_from(mesh).map_err(|_| {
                let message = format!("vertex {} does not fit in a base vertex", mesh.first_vertex);
                inexpressible(format!("meshes[{index}].first_vertex"), message)
            })
        });
        draws.collect::<Result<_>>().map(Draws::Indexed)
    }
}

/// The error for what the format cannot hold.
pub(super) fn inexpressible(path: impl Into<String>, message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Inexpressible, message).at(path).in_format(FormatId::Iyma)
}

/// A count in the 32 bits that files have for it.
pub(super) fn count(items: usize, path: &str) -> Result<u32> {
    u32::try_from(items).map_err(|_| inexpressible(path, format!("{items} are more than 32 bits can count")))
}
