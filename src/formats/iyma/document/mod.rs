//! The document type of IyMA, and its operations.

mod buffers;
pub(super) mod dialect;
mod draw;
mod floats;
pub(super) mod merge;

pub use buffers::{Attribute, IndexBuffer};
pub use draw::{DrawIndexedIndirect, DrawIndirect, Draws};

use bytes::Bytes;

use super::schema::{self, Descriptor, IndicesInfo, MeshInfo, Usage};
use crate::{Dialect, Error, Path, Result, path};

/// The content of an IyMA file.
///
/// Buffers are [`Bytes`], which are cheap to clone. Reading returns slices of a single allocation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Document {
    /// The dialect, which determines the encoding of usages and the checksums (I1).
    pub dialect: Dialect,
    /// Application-defined bytes.
    pub user_data: Bytes,
    /// The number of vertices, and of values in each attribute.
    pub n_vertices: u32,
    /// The range of each mesh in the buffers.
    pub meshes: Vec<MeshInfo>,
    /// The indices of all meshes; `None` for non-indexed meshes.
    pub indices: Option<IndexBuffer>,
    /// The vertex buffers, in file order (I8).
    pub attributes: Vec<Attribute>,
    /// The state of the data checksum (I5).
    pub data_checksum: DataChecksum,
    /// The stored metadata checksum, if it is wrong. Only lenient reading accepts a wrong checksum (I16).
    pub metadata_checksum: Option<WrongChecksum>,
}

/// The state of the data checksum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DataChecksum {
    /// Present and correct.
    #[default]
    Present,
    /// Absent: 0 is stored (I5).
    Absent,
    /// Present but wrong. Only lenient reading accepts a wrong checksum (I16).
    Wrong(WrongChecksum),
}

impl DataChecksum {
    /// The name of the state: `present`, `absent` or `wrong`.
    pub(super) fn name(&self) -> &'static str {
        match self {
            DataChecksum::Present => "present",
            DataChecksum::Absent => "absent",
            DataChecksum::Wrong(_) => "wrong",
        }
    }

    /// The state after a change of the data: a stored checksum is computed again.
    fn recomputed(self) -> DataChecksum {
        if self == DataChecksum::Absent {
            DataChecksum::Absent
        } else {
            DataChecksum::Present
        }
    }
}

/// A stored checksum that differs from the computed one.
#[derive(Debug, Clone, Copy)]
pub struct WrongChecksum {
    /// The checksum stored in the file.
    pub stored: u64,
    computed: Option<u64>,
}

impl WrongChecksum {
    /// Pairs a checksum stored in a file with the computed checksum.
    pub(super) fn new(stored: u64, computed: u64) -> WrongChecksum {
        WrongChecksum {
            stored,
            computed: Some(computed),
        }
    }

    /// The computed checksum; `None` unless the document was read from a file. Ignored in comparisons.
    pub fn computed(&self) -> Option<u64> {
        self.computed
    }
}

impl From<u64> for WrongChecksum {
    fn from(stored: u64) -> WrongChecksum {
        WrongChecksum {
            stored,
            computed: None,
        }
    }
}

impl PartialEq for WrongChecksum {
    fn eq(&self, other: &WrongChecksum) -> bool {
        self.stored == other.stored
    }
}

impl Eq for WrongChecksum {}

impl Document {
    /// Creates a document with one mesh that uses the whole buffers.
    ///
    /// ```
    /// use meshspec::iyma::{Attribute, Document, IndexBuffer, Usage, VertexFormat};
    ///
    /// let corners = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    /// let triangle = Document::from_mesh(
    ///     Some(IndexBuffer::from_u16(&[0, 1, 2])),
    ///     vec![Attribute::from_f32(Usage::Position, VertexFormat::Float32x3, &corners)],
    /// )?;
    /// assert_eq!((triangle.n_vertices, triangle.meshes[0].index_count), (3, 3));
    /// # Ok::<(), meshspec::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the attributes differ in length, a buffer ends within a value, or a count exceeds 32 bits.
    pub fn from_mesh(indices: Option<IndexBuffer>, attributes: Vec<Attribute>) -> Result<Document> {
        let vertices = attributes.first().map_or(0, Attribute::len);
        let mesh = MeshInfo {
            vertex_count: count_to_u32(vertices, path!(attributes[0]))?,
            index_count: count_to_u32(
                indices.as_ref().map_or(0, IndexBuffer::len),
                path!(indices),
            )?,
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

    /// Builds the descriptor of the document.
    ///
    /// # Errors
    ///
    /// Returns an error if the size of a buffer does not match its count and format, or a count exceeds 32 bits.
    pub fn descriptor(&self) -> Result<Descriptor> {
        for (index, attribute) in self.attributes.iter().enumerate() {
            let expected = u64::from(self.n_vertices) * attribute.format.size() as u64;
            if attribute.data.len() as u64 != expected {
                let (found, count, format) = (
                    attribute.data.len(),
                    self.n_vertices,
                    attribute.format.name(),
                );
                let message = format!(
                    "found {found} bytes, expected {expected} for {count} vertices of {format}"
                );
                return Err(inexpressible(message, path!(attributes[index].data)));
            }
        }
        let indices = self.indices.as_ref().map(|indices| {
            if !indices.data.len().is_multiple_of(indices.format.size()) {
                let (bytes, size) = (indices.data.len(), indices.format.size());
                let message =
                    format!("{bytes} bytes are not a whole number of {size}-byte indices");
                return Err(inexpressible(message, path!(indices.data)));
            }
            let n_indices = count_to_u32(indices.len(), path!(indices))?;
            Ok(IndicesInfo {
                n_indices,
                format: indices.format,
            })
        });
        Ok(Descriptor {
            n_vertices: self.n_vertices,
            user_data_len: count_to_u32(self.user_data.len(), path!(user_data))?,
            meshes: self.meshes.clone(),
            indices: indices.transpose()?,
            attributes: self.attributes.iter().map(Attribute::info).collect(),
        })
    }

    /// Returns the first attribute with this usage; `None` if there is none.
    pub fn attribute(&self, usage: &Usage) -> Option<&Attribute> {
        self.attributes
            .iter()
            .find(|attribute| attribute.usage == *usage)
    }

    /// Returns the arguments of indirect draws that draw each mesh once.
    ///
    /// # Errors
    ///
    /// Returns an error if an indexed mesh's first vertex exceeds a signed 32-bit integer, the type of a base vertex.
    pub fn draws(&self) -> Result<Draws> {
        let meshes = self.meshes.iter();
        if self.indices.is_none() {
            return Ok(Draws::NonIndexed(meshes.map(DrawIndirect::from).collect()));
        }
        let draws = meshes.enumerate().map(|(index, mesh)| {
            DrawIndexedIndirect::try_from(mesh).map_err(|_| {
                let first = mesh.first_vertex;
                let message = format!("{first} exceeds the signed 32-bit base vertex of a draw");
                inexpressible(message, path!(meshes[index].first_vertex))
            })
        });
        draws.collect::<Result<_>>().map(Draws::Indexed)
    }
}

/// Converts a count to 32 bits; returns an error if it does not fit.
pub(super) fn count_to_u32(items: usize, path: impl Into<Path>) -> Result<u32> {
    let message = || format!("found {items} items, but IyMA allows at most {}", u32::MAX);
    u32::try_from(items).map_err(|_| inexpressible(message(), path))
}

/// Returns the error for content at `path` that IyMA cannot express.
pub(super) fn inexpressible(message: impl ToString, path: impl Into<Path>) -> Error {
    Error::inexpressible(message)
        .at(path)
        .in_format(schema::NAME)
}

pub(super) fn missing_mesh(index: usize, count: usize) -> Error {
    let meshes = match count {
        0 => "no meshes".to_owned(),
        1 => "1 mesh".to_owned(),
        _ => format!("{count} meshes"),
    };
    let message = format!("there is no mesh {index}: the file has {meshes} (indices count from 0)");
    Error::unsupported(message).in_format(schema::NAME)
}
