//! Access to documents by declared field names.

use super::schema::{Chunk, Container, Document, Indices, Stream};
use crate::Dialect;
use crate::layout::walk::{Fields, Part, StoredFields};

impl Fields for Document {
    fn field(&self, name: &'static str) -> Part<'_> {
        match name {
            "header" => Part::fields(HeaderFields(self)),
            "chunks" => Part::items(&self.chunks, |chunk| {
                let chunk = ChunkFields { chunk, dialect: self.dialect };
                match self.container {
                    Container::Chunk => Part::fields(chunk),
                    Container::Model => Part::fields(Contained(chunk)),
                }
            }),
            _ => Part::Unknown,
        }
    }
}

struct HeaderFields<'d>(&'d Document);

impl Fields for HeaderFields<'_> {
    fn field(&self, name: &'static str) -> Part<'_> {
        if name == "chunk_count" { Part::count::<u32>(self.0.chunks.len()) } else { Part::Unknown }
    }
}

/// A chunk in a container.
struct Contained<'d>(ChunkFields<'d>);

impl Fields for Contained<'_> {
    fn field(&self, name: &'static str) -> Part<'_> {
        if name == "chunk" { Part::fields(&self.0) } else { Part::Unknown }
    }
}

struct ChunkFields<'d> {
    chunk: &'d Chunk,
    dialect: Dialect,
}

impl Fields for ChunkFields<'_> {
    fn field(&self, name: &'static str) -> Part<'_> {
        let Chunk { index_size, indices, streams, .. } = self.chunk;
        let width = u8::from(matches!(indices, Indices::U32(_)));
        match name {
            "index_size" => Part::number([index_size.unwrap_or(width)]),
            "indices" => Part::fields(indices),
            "attribute_count" => Part::count::<u8>(streams.len()),
            "streams" => {
                Part::items(streams, |stream| Part::fields(StreamFields { stream, dialect: self.dialect }))
            }
            _ => Part::Unknown,
        }
    }
}

impl Fields for Indices {
    fn field(&self, name: &'static str) -> Part<'_> {
        match name {
            "uncompressed_size" => Part::count::<i32>(self.len() * self.value_size()),
            "data" => Part::Bytes(self.to_bytes()),
            _ => Part::Unknown,
        }
    }
}

struct StreamFields<'d> {
    stream: &'d Stream,
    dialect: Dialect,
}

impl Fields for StreamFields<'_> {
    fn field(&self, name: &'static str) -> Part<'_> {
        let values = &self.stream.values;
        match name {
            "attribute" => {
                let attribute = values.attribute(self.dialect);
                attribute.map_or(Part::Unknown, |attribute| Part::number(attribute.into_bytes()))
            }
            "uncompressed_size" => Part::count::<i32>(values.len() * values.value_size()),
            "data" => Part::Bytes(values.to_bytes()),
            _ => self.stream.stored(name),
        }
    }
}
