//! Looks up document values by their declared field names, to check constraints.

use super::schema::{Chunk, Container, Document, Indices, ModelHeader, Stream};
use crate::Dialect;
use crate::layout::walk::{DocumentValue, Fields, StoredFields};

impl Fields for Document {
    fn field(&self, name: &'static str) -> DocumentValue<'_> {
        match name {
            "header" => ModelHeader::for_chunks(&self.chunks)
                .map_or(DocumentValue::Unknown, |header| {
                    DocumentValue::little_endian(&header)
                }),
            "chunks" => DocumentValue::items(&self.chunks, |chunk| {
                let chunk = ChunkFields {
                    chunk,
                    dialect: self.dialect,
                };
                match self.container {
                    Container::Chunk => DocumentValue::fields(chunk),
                    Container::Model => DocumentValue::fields(ContainedChunkFields(chunk)),
                }
            }),
            _ => DocumentValue::Unknown,
        }
    }
}

struct ContainedChunkFields<'d>(ChunkFields<'d>);

impl Fields for ContainedChunkFields<'_> {
    fn field(&self, name: &'static str) -> DocumentValue<'_> {
        if name == "chunk" {
            DocumentValue::fields(&self.0)
        } else {
            DocumentValue::Unknown
        }
    }
}

struct ChunkFields<'d> {
    chunk: &'d Chunk,
    dialect: Dialect,
}

impl Fields for ChunkFields<'_> {
    fn field(&self, name: &'static str) -> DocumentValue<'_> {
        let Chunk {
            index_size,
            indices,
            streams,
            ..
        } = self.chunk;
        let dialect = self.dialect;
        let default_size = u8::from(matches!(indices, Indices::U32(_)));
        match name {
            "index_size" => DocumentValue::number([index_size.unwrap_or(default_size)]),
            "indices" => DocumentValue::fields(indices),
            "attribute_count" => DocumentValue::count::<u8>(streams.len()),
            "streams" => DocumentValue::items(streams, move |stream| {
                DocumentValue::fields(StreamFields { stream, dialect })
            }),
            _ => DocumentValue::Unknown,
        }
    }
}

impl Fields for Indices {
    fn field(&self, name: &'static str) -> DocumentValue<'_> {
        match name {
            "uncompressed_size" => DocumentValue::count::<i32>(self.len() * self.value_size()),
            "data" => DocumentValue::Bytes(self.to_bytes()),
            _ => DocumentValue::Unknown,
        }
    }
}

struct StreamFields<'d> {
    stream: &'d Stream,
    dialect: Dialect,
}

impl Fields for StreamFields<'_> {
    fn field(&self, name: &'static str) -> DocumentValue<'_> {
        let values = &self.stream.values;
        match name {
            "attribute" => values
                .attribute(self.dialect)
                .map_or(DocumentValue::Unknown, |attribute| {
                    DocumentValue::number(attribute.into_bytes())
                }),
            "uncompressed_size" => DocumentValue::count::<i32>(values.len() * values.value_size()),
            "data" => DocumentValue::Bytes(values.to_bytes()),
            _ => self.stream.stored_field(name),
        }
    }
}
