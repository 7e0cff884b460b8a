//! Iterates over indices as 32-bit numbers, and counts the vertices of a chunk.

use super::schema::{Chunk, Indices};

impl Default for Indices {
    fn default() -> Indices {
        Indices::U16(Vec::new())
    }
}

impl Indices {
    /// Iterates over the indices as 32-bit numbers.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        let (narrow, wide): (&[u16], &[u32]) = match self {
            Indices::U16(values) => (values, &[]),
            Indices::U32(values) => (&[], values),
        };
        narrow
            .iter()
            .map(|index| u32::from(*index))
            .chain(wide.iter().copied())
    }

    /// Returns the largest index; `None` if there are no indices.
    pub fn max(&self) -> Option<u32> {
        match self {
            Indices::U16(values) => values.iter().max().map(|index| u32::from(*index)),
            Indices::U32(values) => values.iter().max().copied(),
        }
    }
}

impl Chunk {
    /// The number of vertices: the length of the first stream, or 0. In a valid chunk, all streams have this length.
    pub fn vertex_count(&self) -> usize {
        self.streams.first().map_or(0, |stream| stream.values.len())
    }
}
