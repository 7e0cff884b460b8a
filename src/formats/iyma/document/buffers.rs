//! Index and vertex buffers, as the GPU takes them.

use bytes::Bytes;

use super::super::schema::{IndexFormat, MeshInfo, Usage, VertexAttributeInfo, VertexFormat};
use crate::bulk::{Column, Plain};

/// An index buffer: little-endian indices relative to the first vertex of their mesh.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexBuffer {
    /// Width of an index.
    pub format: IndexFormat,
    /// The bytes that the GPU takes.
    pub data: Bytes,
}

impl IndexBuffer {
    /// 16-bit indices.
    pub fn from_u16(indices: &[u16]) -> IndexBuffer {
        let data = Bytes::from(crate::bulk::as_bytes(indices).into_owned());
        IndexBuffer { format: IndexFormat::U16, data }
    }

    /// 32-bit indices.
    pub fn from_u32(indices: &[u32]) -> IndexBuffer {
        let data = Bytes::from(crate::bulk::as_bytes(indices).into_owned());
        IndexBuffer { format: IndexFormat::U32, data }
    }

    /// Number of indices.
    pub fn len(&self) -> usize {
        self.data.len() / self.format.size()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The indices as 32-bit numbers.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        let (narrow, wide): (&[u8], &[u8]) = match self.format {
            IndexFormat::U16 => (&self.data, &[]),
            IndexFormat::U32 => (&[], &self.data),
        };
        let narrow = narrow.chunks_exact(2).map(|b| u32::from(u16::from_le_bytes([b[0], b[1]])));
        narrow.chain(wide.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])))
    }

    /// The indices of a mesh; `None` if its range exceeds the buffer.
    pub(in super::super) fn of_mesh(&self, mesh: &MeshInfo) -> Option<IndexBuffer> {
        let data = slice(&self.data, self.format.size(), mesh.first_index, mesh.index_count)?;
        Some(IndexBuffer { format: self.format, data })
    }

    /// Returns the indices in 16 bits, if all of them fit.
    pub fn narrowed(&self) -> Option<IndexBuffer> {
        let narrow = self.iter().map(|index| u16::try_from(index).ok());
        narrow.collect::<Option<Vec<u16>>>().map(|narrow| IndexBuffer::from_u16(&narrow))
    }

    /// The same indices as 32-bit indices.
    pub fn widened(&self) -> IndexBuffer {
        match self.format {
            IndexFormat::U16 => IndexBuffer::from_u32(&self.iter().collect::<Vec<_>>()),
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
    /// The values, little-endian and tightly packed, as the GPU takes them.
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

    /// The values of a mesh; `None` if its range exceeds the buffer.
    pub(in super::super) fn of_mesh(&self, mesh: &MeshInfo) -> Option<Attribute> {
        let data = slice(&self.data, self.format.size(), mesh.first_vertex, mesh.vertex_count)?;
        Some(Attribute { usage: self.usage.clone(), format: self.format, data })
    }

    /// The entry of the descriptor.
    pub fn info(&self) -> VertexAttributeInfo {
        let Attribute { usage, format, data: _ } = self;
        VertexAttributeInfo { usage: usage.clone(), format: *format }
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

/// `count` items from `first` on, of `size` bytes each.
fn slice(data: &Bytes, size: usize, first: u32, count: u32) -> Option<Bytes> {
    let start = usize::try_from(first).ok()?.checked_mul(size)?;
    let end = start.checked_add(usize::try_from(count).ok()?.checked_mul(size)?)?;
    (end <= data.len()).then(|| data.slice(start..end))
}
