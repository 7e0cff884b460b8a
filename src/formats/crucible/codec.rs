//! Dialect detection, and the parts of reading and writing that the declaration cannot express.

use std::io::Cursor;
use std::ops::ControlFlow;

use binrw::{BinRead, BinWrite};

use super::schema::{
    AttributeFlags, Chunk, ChunkInput, Container, Document, ModelHeader, Stream, Values, layout_of,
};
use crate::formats::require_valid;
use crate::layout::Layout;
use crate::layout::codec::convert_binrw_error;
use crate::layout::declaration::{Packing, Type};
use crate::layout::expr::Value;
use crate::layout::walk::{self, Node, Segment, Visitor};
use crate::text::count_mismatches;
use crate::{Confidence, Detection, Dialect, Error, Limits, ReadOptions, Result, Strictness, path};

/// Returns the layout of a file in `dialect`, with the detected container.
pub(super) fn layout(bytes: &[u8], dialect: Dialect) -> &'static Type {
    layout_of(detect_container(bytes), dialect)
}

/// Detects the container. Tolerates one wrong magic byte, unless the file starts with 0 or 1, as a bare chunk does.
fn detect_container(bytes: &[u8]) -> Container {
    let magic = ModelHeader::TYPE.magic();
    let missing = magic.len().saturating_sub(bytes.len());
    let is_model = count_mismatches(bytes, magic) + missing <= 1 && !may_be_chunk(bytes);
    if is_model {
        Container::Model
    } else {
        Container::Chunk
    }
}

/// Returns `false` if `start` is neither a model, with at most one wrong magic byte, nor a chunk whose indices have a
/// positive compressed size.
pub(super) fn may_start_with(start: &[u8]) -> bool {
    let is_positive = |size: &[u8; 4]| i32::from_le_bytes(*size) > 0;
    let has_indices = || {
        start
            .get(1..)
            .and_then(<[u8]>::first_chunk)
            .is_none_or(is_positive)
    };
    count_mismatches(start, ModelHeader::TYPE.magic()) <= 1
        || (may_be_chunk(start) && has_indices())
}

/// Returns `true` if the first byte, if any, is one of the two index sizes.
fn may_be_chunk(start: &[u8]) -> bool {
    start.first().is_none_or(|index_size| *index_size <= 1)
}

/// Detects Crucible by its magic bytes or structure. The dialect is tangent if the stream sizes fit only tangent (C10),
/// or fit both dialects, and strict reading accepts only tangent (C13). Otherwise, it is the specification's.
pub(super) fn detect(bytes: &[u8]) -> Detection {
    // The tangent dialect has all attribute bits of the specification and one more.
    let mut sizes = StreamSizes::default();
    let end = walk::walk(
        layout(bytes, Dialect::TANGENT),
        bytes,
        &Limits::default(),
        &mut sizes,
    );
    if end.is_err() {
        sizes = StreamSizes::default();
    }
    let (spec, tangent) = (
        sizes.fit_dialect(Dialect::SPEC),
        sizes.fit_dialect(Dialect::TANGENT),
    );
    let is_valid = |dialect| {
        let document = read(bytes, dialect, &Limits::default());
        document
            .and_then(|document| require_valid(document, &ReadOptions::default()))
            .is_ok()
    };
    let is_tangent = match (spec, tangent) {
        (true, true) => {
            sizes.depend_on_dialect() && !is_valid(Dialect::SPEC) && is_valid(Dialect::TANGENT)
        }
        (spec, tangent) => tangent && !spec,
    };
    let dialect = if is_tangent {
        Dialect::TANGENT
    } else {
        Dialect::SPEC
    };
    let confidence = match end {
        _ if bytes.starts_with(ModelHeader::TYPE.magic()) => Confidence::Magic,
        Ok(end) if sizes.index_size <= 1 => {
            let fits =
                (spec || tangent) && !sizes.has_implausible_block && end == bytes.len() as u64;
            if fits {
                Confidence::Structure
            } else {
                Confidence::Possible
            }
        }
        _ => Confidence::None,
    };
    Detection {
        confidence,
        dialect,
    }
}

/// The stream sizes in the headers of a file.
#[derive(Default)]
struct StreamSizes {
    /// The chunk index, attribute and uncompressed size in bytes of each stream.
    streams: Vec<(u64, AttributeFlags, u64)>,
    /// The index size of the last chunk.
    index_size: i128,
    compressed_size: i128,
    attribute: Option<AttributeFlags>,
    /// Whether a block suggests a format other than Crucible: empty but not compressed to 1 byte (C3), or expanded more
    /// than 255-fold, which LZ4 cannot encode.
    has_implausible_block: bool,
}

impl Visitor for StreamSizes {
    fn should_unpack(&mut self, node: &Node) -> bool {
        // Only the chunks of a container are stored blocks.
        node.field
            .and_then(|field| field.block)
            .is_some_and(|block| block.packing == Packing::Stored)
    }

    fn visit_leaf(&mut self, node: &Node, value: &Value) -> ControlFlow<()> {
        let (Some(Segment::Index(chunk)), Some(Segment::Field(name))) =
            (node.path.get(1), node.path.last())
        else {
            return ControlFlow::Continue(());
        };
        match (*name, value) {
            ("index_size", Value::Int(size)) => self.index_size = *size,
            ("attribute", Value::Bits(word, _)) => {
                self.attribute = Some(AttributeFlags::from_bytes((*word as u16).to_le_bytes()));
            }
            ("compressed_size", Value::Int(size)) => self.compressed_size = *size,
            ("uncompressed_size", Value::Int(size)) => {
                self.has_implausible_block |= *size == 0 && self.compressed_size != 1;
                // A byte adds at most 255 bytes to the length of a match.
                self.has_implausible_block |= *size / 255 > self.compressed_size;
                self.streams.extend(
                    self.attribute
                        .take()
                        .map(|attribute| (*chunk, attribute, *size as u64)),
                );
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

impl StreamSizes {
    /// Returns `true` if `dialect` has all attributes, and all streams of each chunk have the same whole number of
    /// values.
    fn fit_dialect(&self, dialect: Dialect) -> bool {
        let count = |(chunk, attribute, size): &(u64, AttributeFlags, u64)| {
            let value = Values::empty(*attribute, dialect)?.value_size() as u64;
            size.is_multiple_of(value).then_some((*chunk, size / value))
        };
        let counts: Option<Vec<_>> = self.streams.iter().map(count).collect();
        counts.is_some_and(|counts| {
            counts
                .windows(2)
                .all(|two| two[0].0 != two[1].0 || two[0].1 == two[1].1)
        })
    }

    /// Returns `true` if the meaning of at least one attribute depends on the dialect.
    fn depend_on_dialect(&self) -> bool {
        self.streams
            .iter()
            .any(|(_, attribute, _)| attribute.depends_on_dialect())
    }
}

/// Decodes a file in `dialect`, checking only its structure.
pub(super) fn read(bytes: &[u8], dialect: Dialect, limits: &Limits) -> Result<Document> {
    let (mut cursor, input) = (Cursor::new(bytes), ChunkInput::new(bytes, *limits, 0));
    let document = Document::read_args(&mut cursor, (dialect, detect_container(bytes), &input))
        .map_err(|error| convert_binrw_error(error, Error::malformed))?;
    Ok(Document {
        trailing: bytes[cursor.position() as usize..].to_vec(),
        ..document
    })
}

/// Encodes the document in its own dialect. Strict mode rejects it if detection would change the attributes' meaning.
pub(super) fn write(document: &Document, strictness: Strictness) -> Result<Vec<u8>> {
    // Reserves the uncompressed size, so that the output rarely grows.
    let size = document.chunks.iter().map(Chunk::uncompressed_size).sum();
    let mut out = Cursor::new(Vec::with_capacity(size));
    document
        .write(&mut out)
        .map_err(|error| convert_binrw_error(error, Error::inexpressible))?;
    let bytes = out.into_inner();
    if strictness == Strictness::Strict && !detection_keeps_attributes(document, &bytes) {
        let message = "without positions, readers detect the spec dialect, in which attribute bits have another \
                       meaning";
        return Err(Error::inexpressible(message).at(path!(dialect)));
    }
    Ok(bytes)
}

/// Returns `true` if detecting the dialect of an encoded, valid document keeps the meaning of its attributes (C13).
pub(super) fn detection_keeps_attributes(document: &Document, bytes: &[u8]) -> bool {
    let mut streams = document.chunks.iter().flat_map(|chunk| &chunk.streams);
    let depends_on_dialect = |stream: &Stream| {
        stream
            .values
            .attribute(document.dialect)
            .is_some_and(|attribute| attribute.depends_on_dialect())
    };
    document.dialect == Dialect::SPEC
        || !streams.any(depends_on_dialect)
        || detect(bytes).dialect == document.dialect
}
