//! Operations on vertices, which are stored as interleaved records.

use std::io::Cursor;

use binrw::io::{Read, Seek, Write};
use binrw::{BinRead, BinResult, BinWrite, Endian, VecArgs};

use super::schema::{Vertex, VertexFormat, Vertices};
use super::summary::JointSummary;
use crate::bulk::{self, Column, PlainData};
use crate::layout::Layout;
use crate::layout::declaration::Type;
use crate::{Error, Result, path};

impl Vertices {
    /// Creates vertices from the bytes of their records.
    ///
    /// # Errors
    ///
    /// Returns an error if the format lacks positions, or the length is not a multiple of the stride.
    pub fn from_bytes(format: VertexFormat, bytes: Vec<u8>) -> Result<Vertices> {
        let (size, stride) = (bytes.len(), stride(format));
        if !format.position() || !size.is_multiple_of(stride) {
            let message = format!(
                "{size} bytes are not a whole number of {stride}-byte vertices with positions"
            );
            return Err(Error::inexpressible(message).at(path!(vertices)));
        }
        Ok(Vertices { format, bytes })
    }

    /// Creates vertices from their records.
    ///
    /// ```
    /// use meshspec::mesh::{Vertex, VertexFormat, Vertices};
    ///
    /// let format = VertexFormat::new().with_position(true).with_normal(true);
    /// let (position, normal) = ([1.0, 0.0, 0.0], Some([0.0, 1.0, 0.0]));
    /// let vertex = Vertex { position, normal, uv: None, joint_ids: None, joint_weights: None };
    /// let vertices = Vertices::from_records(format, [vertex])?;
    /// assert_eq!(vertices.to_columns().normals, Some(vec![[0.0, 1.0, 0.0]]));
    /// # Ok::<(), meshspec::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if `format` lacks positions, or the attributes of a vertex differ from it. In the second case,
    /// the path of the error is the attribute.
    pub fn from_records(
        format: VertexFormat,
        records: impl IntoIterator<Item = Vertex>,
    ) -> Result<Vertices> {
        let mut bytes = Cursor::new(Vec::new());
        for (index, vertex) in records.into_iter().enumerate() {
            if let Some((name, is_present)) = vertex.mismatch(format) {
                let found = if is_present {
                    "is present"
                } else {
                    "is missing"
                };
                let message = format!("{name} {found}, unlike in the vertex format");
                return Err(Error::inexpressible(message).at(path!(vertices[index].(name))));
            }
            vertex.write(&mut bytes).map_err(Error::inexpressible)?;
        }
        Vertices::from_bytes(format, bytes.into_inner())
    }

    pub(super) fn zeroed(format: VertexFormat, count: usize) -> Vertices {
        Vertices {
            format,
            bytes: vec![0; count * stride(format)],
        }
    }

    /// Sets an attribute of all vertices if the format has it. Returns an error if `values` differs in length.
    pub(super) fn fill<T: PlainData>(
        &mut self,
        name: &'static str,
        values: Option<&[T]>,
    ) -> Result<()> {
        let Some(offset) = Vertex::offset_with(name, &[self.format.into()]) else {
            return Ok(());
        };
        let (found, count) = (values.map_or(0, <[T]>::len), self.len());
        if found != count {
            let message =
                format!("found {found} values of {name}, expected {count}, one per position");
            return Err(Error::inexpressible(message).at(path!(vertices.(name))));
        }
        let stride = self.stride();
        bulk::write_column(
            values.unwrap_or_default(),
            &mut self.bytes,
            stride,
            offset as usize,
        );
        Ok(())
    }

    /// The attributes of each vertex.
    pub fn format(&self) -> VertexFormat {
        self.format
    }

    /// The size of a record in bytes.
    pub fn stride(&self) -> usize {
        stride(self.format)
    }

    /// The number of vertices.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.stride()
    }

    /// Returns `true` if there are no vertices.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The bytes of the records, as in the file.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns vertex `index`; `None` if out of range.
    pub fn get(&self, index: usize) -> Option<Vertex> {
        let stride = self.stride();
        let start = index.checked_mul(stride)?;
        let record = self.bytes.get(start..start.checked_add(stride)?)?;
        Vertex::read_args(&mut Cursor::new(record), (self.format,)).ok()
    }

    /// Iterates over the vertices.
    pub fn iter(&self) -> impl Iterator<Item = Vertex> {
        (0..self.len()).filter_map(|index| self.get(index))
    }

    /// Returns the values of an attribute by its name; `None` if the format lacks the attribute.
    pub(super) fn column<T: PlainData>(&self, name: &str) -> Option<Column<'_, T>> {
        column(&self.bytes, self.format, name)
    }
}

fn column<'r, T: PlainData>(
    records: &'r [u8],
    format: VertexFormat,
    name: &str,
) -> Option<Column<'r, T>> {
    Column::new(
        records,
        stride(format),
        Vertex::offset_with(name, &[format.into()])? as usize,
    )
}

/// Returns the size of a vertex in bytes, from its declaration.
fn stride(format: VertexFormat) -> usize {
    // Never 0: a vertex has a position even if the format lacks the bit.
    Vertex::size_with(&[format.into()]).unwrap_or(12) as usize
}

pub(super) fn summarize_joints(records: &[u8], format: VertexFormat, summary: &JointSummary) {
    let slots = |name| column(records, format, name);
    if let (Some(ids), Some(weights)) = (slots("joint_ids"), slots("joint_weights")) {
        summary.add_vertices(
            ids.iter()
                .zip(weights.iter())
                .map(|(ids, weights)| [ids, weights]),
        );
    }
}

impl Layout for Vertices {
    const TYPE: Type = Type::list(&Vertex::TYPE);
}

impl BinRead for Vertices {
    type Args<'a> = VecArgs<(VertexFormat, &'a JointSummary)>;

    fn read_options<R: Read + Seek>(
        reader: &mut R,
        _: Endian,
        args: Self::Args<'_>,
    ) -> BinResult<Vertices> {
        let (format, summary) = args.inner;
        let inspect = |records: &[u8]| summarize_joints(records, format, summary);
        bulk::read_records(reader, args.count, stride(format), inspect)
            .map(|bytes| Vertices { format, bytes })
    }
}

impl BinWrite for Vertices {
    type Args<'a> = ();

    fn write_options<W: Write + Seek>(&self, writer: &mut W, _: Endian, (): ()) -> BinResult<()> {
        Ok(writer.write_all(&self.bytes)?)
    }
}
