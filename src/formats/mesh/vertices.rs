//! Vertices, interleaved as in the file, with typed columns.

use std::io::Cursor;

use binrw::{BinRead, BinWrite};

use super::schema::{Vertex, VertexFormat};
use crate::bulk::{self, Column, Plain};
use crate::layout::Layout;
use crate::{Error, Result, path};

/// The vertices of a mesh, as the file has them: one record after the other.
///
/// ```
/// use meshspec::mesh::{Columns, Vertices};
///
/// let vertices = Vertices::from_columns(&Columns {
///     positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]],
///     uvs: Some(vec![[0.0, 0.0], [1.0, 0.0]]),
///     ..Columns::default()
/// })?;
/// assert_eq!(vertices.len(), 2);
/// assert_eq!(vertices.uvs().unwrap().to_vec(), [[0.0, 0.0], [1.0, 0.0]]);
/// assert!(vertices.normals().is_none());
/// # Ok::<(), meshspec::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Vertices {
    format: VertexFormat,
    bytes: Vec<u8>,
}

/// The attributes of the vertices as one list each. All lists are of the same length.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Columns {
    /// Vertex coordinates (X, Y, Z).
    pub positions: Vec<[f32; 3]>,
    /// Normal vectors (X, Y, Z).
    pub normals: Option<Vec<[f32; 3]>>,
    /// Texture coordinates (U, V).
    pub uvs: Option<Vec<[f32; 2]>>,
    /// Joints and their weights, four per vertex.
    pub joints: Option<JointColumns>,
}

/// The joints that vertices are attached to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JointColumns {
    /// Ids of joints; 255 with weight 0 for none (M9).
    pub ids: Vec<[u8; 4]>,
    /// Weights, 255 for the whole.
    pub weights: Vec<[u8; 4]>,
}

impl Default for Vertices {
    /// No vertices, with positions only.
    fn default() -> Vertices {
        Vertices { format: VertexFormat::new().with_position(true), bytes: Vec::new() }
    }
}

impl Vertices {
    /// Vertices from the bytes of their records.
    ///
    /// # Errors
    ///
    /// If the format has no positions or the length is not a multiple of the stride.
    pub fn from_bytes(format: VertexFormat, bytes: Vec<u8>) -> Result<Vertices> {
        let stride = stride(format);
        if !format.position() || !bytes.len().is_multiple_of(stride) {
            let message = format!("{} bytes are no records of {stride} bytes with positions", bytes.len());
            return Err(Error::inexpressible(message).at(path!(vertices)));
        }
        Ok(Vertices { format, bytes })
    }

    /// Vertices from one list per attribute.
    ///
    /// # Errors
    ///
    /// If the lists differ in length.
    pub fn from_columns(columns: &Columns) -> Result<Vertices> {
        let format = VertexFormat::new()
            .with_position(true)
            .with_normal(columns.normals.is_some())
            .with_uv(columns.uvs.is_some())
            .with_joints(columns.joints.is_some());
        let count = columns.positions.len();
        let mut vertices = Vertices { format, bytes: vec![0; count * stride(format)] };
        vertices.fill("position", Some(&columns.positions), count)?;
        vertices.fill("normal", columns.normals.as_deref(), count)?;
        vertices.fill("uv", columns.uvs.as_deref(), count)?;
        vertices.fill("joint_ids", columns.joints.as_ref().map(|j| &*j.ids), count)?;
        vertices.fill("joint_weights", columns.joints.as_ref().map(|j| &*j.weights), count)?;
        Ok(vertices)
    }

    fn fill<T: Plain>(&mut self, name: &'static str, values: Option<&[T]>, count: usize) -> Result<()> {
        let (Some(values), Some(offset)) = (values, offset_of(name, self.format)) else { return Ok(()) };
        if values.len() != count {
            let message = format!("{} values of {name} for {count} positions", values.len());
            return Err(Error::inexpressible(message).at(path!(vertices.(name))));
        }
        let stride = self.stride();
        bulk::scatter(values, &mut self.bytes, stride, offset);
        Ok(())
    }

    /// Vertices one by one.
    ///
    /// # Errors
    ///
    /// If a vertex has other attributes than `format` says; the path names it.
    pub fn from_records(format: VertexFormat, records: impl IntoIterator<Item = Vertex>) -> Result<Vertices> {
        let mut bytes = Cursor::new(Vec::new());
        for (index, vertex) in records.into_iter().enumerate() {
            let attributes = [
                ("normal", vertex.normal.is_some(), format.normal()),
                ("uv", vertex.uv.is_some(), format.uv()),
                ("joint_ids", vertex.joint_ids.is_some(), format.joints()),
                ("joint_weights", vertex.joint_weights.is_some(), format.joints()),
            ];
            if let Some((name, there, _)) = attributes.iter().find(|(_, there, wanted)| there != wanted) {
                let message = format!(
                    "{name} {}, but the vertex format says otherwise",
                    if *there { "is there" } else { "is missing" }
                );
                return Err(Error::inexpressible(message).at(path!(vertices[index].(name))));
            }
            vertex.write(&mut bytes).map_err(|error| Error::inexpressible(error.to_string()))?;
        }
        Vertices::from_bytes(format, bytes.into_inner())
    }

    /// Which attributes each vertex has.
    pub fn format(&self) -> VertexFormat {
        self.format
    }

    /// Size of one record in bytes: 12 to 40.
    pub fn stride(&self) -> usize {
        stride(self.format)
    }

    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.stride()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The records as they lie in the file.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Vertex `index`.
    pub fn get(&self, index: usize) -> Option<Vertex> {
        let stride = self.stride();
        let start = index.checked_mul(stride)?;
        let record = self.bytes.get(start..start.checked_add(stride)?)?;
        Vertex::read_args(&mut Cursor::new(record), (self.format,)).ok()
    }

    /// The vertices one by one.
    pub fn iter(&self) -> impl Iterator<Item = Vertex> {
        (0..self.len()).filter_map(|index| self.get(index))
    }

    /// Coordinates (X, Y, Z).
    pub fn positions(&self) -> Column<'_, [f32; 3]> {
        // Every vertex starts with a position, whatever else it has.
        self.column("position").unwrap_or_default()
    }

    /// Normal vectors (X, Y, Z).
    pub fn normals(&self) -> Option<Column<'_, [f32; 3]>> {
        self.column("normal")
    }

    /// Texture coordinates (U, V).
    pub fn uvs(&self) -> Option<Column<'_, [f32; 2]>> {
        self.column("uv")
    }

    /// Ids of the joints that a vertex is attached to; 255 with weight 0 for none (M9).
    pub fn joint_ids(&self) -> Option<Column<'_, [u8; 4]>> {
        self.column("joint_ids")
    }

    /// Weights of the joints, 255 for the whole.
    pub fn joint_weights(&self) -> Option<Column<'_, [u8; 4]>> {
        self.column("joint_weights")
    }

    /// All attributes as lists.
    pub fn to_columns(&self) -> Columns {
        Columns {
            positions: self.positions().to_vec(),
            normals: self.normals().map(|c| c.to_vec()),
            uvs: self.uvs().map(|c| c.to_vec()),
            joints: self
                .joint_ids()
                .zip(self.joint_weights())
                .map(|(ids, weights)| JointColumns { ids: ids.to_vec(), weights: weights.to_vec() }),
        }
    }

    fn column<T: Plain>(&self, name: &str) -> Option<Column<'_, T>> {
        Column::new(&self.bytes, self.stride(), offset_of(name, self.format)?)
    }
}

/// Where an attribute lies in a vertex, from its declaration.
pub(super) fn offset_of(name: &str, format: VertexFormat) -> Option<usize> {
    Vertex::offset_with(name, &[format.into()]).map(|offset| offset as usize)
}

/// Size of a vertex in bytes, from its declaration.
pub(super) fn stride(format: VertexFormat) -> usize {
    // At least the position, which is there whatever the bits say; a divisor in any case.
    Vertex::size_with(&[format.into()]).unwrap_or(12) as usize
}
