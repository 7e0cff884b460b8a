//! Index and vertex buffers, ready for the GPU.

use bytes::Bytes;

use super::super::schema::{IndexFormat, MeshInfo, Usage, VertexAttributeInfo, VertexFormat};
use crate::bulk::{Column, PlainData};

/// An index buffer: little-endian indices relative to the first vertex of their mesh.
///
/// ```
/// use meshspec::iyma::IndexBuffer;
///
/// let wide = IndexBuffer::from_u32(&[0, 1, 2]);
/// let narrow = wide.to_u16().unwrap();
/// assert_eq!(narrow.data.as_ref(), [0, 0, 1, 0, 2, 0]);
/// assert_eq!(narrow.to_u32(), wide);
/// assert_eq!(IndexBuffer::from_u32(&[70_000]).to_u16(), None);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexBuffer {
    /// The width of an index.
    pub format: IndexFormat,
    /// The indices as bytes, ready to upload.
    pub data: Bytes,
}

impl IndexBuffer {
    /// Creates a buffer of 16-bit indices.
    pub fn from_u16(indices: &[u16]) -> IndexBuffer {
        IndexBuffer {
            format: IndexFormat::U16,
            data: crate::bulk::as_bytes(indices).into_owned().into(),
        }
    }

    /// Creates a buffer of 32-bit indices.
    pub fn from_u32(indices: &[u32]) -> IndexBuffer {
        IndexBuffer {
            format: IndexFormat::U32,
            data: crate::bulk::as_bytes(indices).into_owned().into(),
        }
    }

    /// The number of indices.
    pub fn len(&self) -> usize {
        self.data.len() / self.format.size()
    }

    /// Returns `true` if there are no indices.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Iterates over the indices as 32-bit numbers.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        let (narrow, wide): (&[u8], &[u8]) = match self.format {
            IndexFormat::U16 => (&self.data, &[]),
            IndexFormat::U32 => (&[], &self.data),
        };
        let narrow = narrow
            .as_chunks()
            .0
            .iter()
            .map(|bytes| u16::from_le_bytes(*bytes).into());
        narrow.chain(
            wide.as_chunks()
                .0
                .iter()
                .map(|bytes| u32::from_le_bytes(*bytes)),
        )
    }

    /// Returns the indices of `mesh`; `None` if its range exceeds the buffer.
    pub(in super::super) fn slice_mesh(&self, mesh: &MeshInfo) -> Option<IndexBuffer> {
        let data = slice_items(
            &self.data,
            self.format.size(),
            mesh.first_index,
            mesh.index_count,
        )?;
        Some(IndexBuffer {
            format: self.format,
            data,
        })
    }

    /// Converts the indices to 16 bits; `None` if an index does not fit.
    pub fn to_u16(&self) -> Option<IndexBuffer> {
        let narrow = self.iter().map(|index| u16::try_from(index).ok());
        narrow
            .collect::<Option<Vec<u16>>>()
            .map(|narrow| IndexBuffer::from_u16(&narrow))
    }

    /// Converts the indices to 32 bits.
    pub fn to_u32(&self) -> IndexBuffer {
        match self.format {
            IndexFormat::U16 => IndexBuffer::from_u32(&self.iter().collect::<Vec<_>>()),
            IndexFormat::U32 => self.clone(),
        }
    }
}

/// A vertex buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute {
    /// The usage of the values.
    pub usage: Usage,
    /// The format of the values.
    pub format: VertexFormat,
    /// The values, little-endian and tightly packed, ready to upload.
    pub data: Bytes,
}

impl Attribute {
    /// Creates a vertex buffer from floats, component by component; see [`VertexFormat::from_f32`].
    pub fn from_f32(usage: Usage, format: VertexFormat, values: &[f32]) -> Attribute {
        Attribute {
            usage,
            format,
            data: format.from_f32(values).into(),
        }
    }

    /// Converts the values to floats, component by component; see [`VertexFormat::to_f32`].
    pub fn to_f32(&self) -> Vec<f32> {
        self.format.to_f32(&self.data)
    }

    /// Returns the stored values as type `T`, such as `[f32; 3]` for `Float32x3`, or `[u8; 4]` for `Unorm8x4`. `None`
    /// if a `T` and a value differ in size.
    ///
    /// ```
    /// use meshspec::iyma::{Attribute, Usage, VertexFormat};
    ///
    /// let positions = Attribute::from_f32(Usage::Position, VertexFormat::Float32x3, &[1.0, 2.0, 3.0]);
    /// assert_eq!(positions.column::<[f32; 3]>().unwrap().to_vec(), [[1.0, 2.0, 3.0]]);
    /// assert!(positions.column::<[f32; 2]>().is_none());
    /// ```
    pub fn column<T: PlainData>(&self) -> Option<Column<'_, T>> {
        let size = self.format.size();
        (size_of::<T>() == size).then(|| Column::new(&self.data, size, 0))?
    }

    /// Returns the values of `mesh`; `None` if its range exceeds the buffer.
    pub(in super::super) fn slice_mesh(&self, mesh: &MeshInfo) -> Option<Attribute> {
        let data = slice_items(
            &self.data,
            self.format.size(),
            mesh.first_vertex,
            mesh.vertex_count,
        )?;
        Some(Attribute {
            usage: self.usage.clone(),
            format: self.format,
            data,
        })
    }

    /// Returns the descriptor entry of the buffer.
    pub fn info(&self) -> VertexAttributeInfo {
        let Attribute {
            usage,
            format,
            data: _,
        } = self;
        VertexAttributeInfo {
            usage: usage.clone(),
            format: *format,
        }
    }

    /// The number of values.
    pub fn len(&self) -> usize {
        self.data.len() / self.format.size()
    }

    /// Returns `true` if there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Returns `count` items of `size` bytes each, starting at item `first`; `None` if they exceed `data`.
fn slice_items(data: &Bytes, size: usize, first: u32, count: u32) -> Option<Bytes> {
    let start = usize::try_from(first).ok()?.checked_mul(size)?;
    let end = start.checked_add(usize::try_from(count).ok()?.checked_mul(size)?)?;
    (end <= data.len()).then(|| data.slice(start..end))
}
