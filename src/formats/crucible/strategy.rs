//! Strategies that generate valid Crucible documents, for tests of other loaders.
//!
//! Whatever follows from nothing else is any bits at all: floats take every value, NaN and infinities included, and so
//! does a field that is added to the declaration.

use std::io::Cursor;
use std::ops::{ControlFlow, Range};

use binrw::BinRead;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::subsequence;

use super::schema::{AttributeFlags, Block, Input};
use super::{Chunk, Container, Document, Indices, Stream, codec};
use crate::layout::walk::{self, Node, Segment, Visit, Visitor};
use crate::layout::{Packing, Value};
use crate::{Dialect, Limits, Span};

const MAX_VERTICES: usize = 24;

/// Documents that strict reading accepts: every set of attributes in any order, both widths of indices, both
/// dialects, bare chunks and containers.
pub fn documents() -> impl Strategy<Value = Document> {
    (any::<bool>(), any::<bool>()).prop_flat_map(|(tangent, model)| {
        let dialect = if tangent { Dialect::Tangent } else { Dialect::Spec };
        let (container, count) = if model { (Container::Model, 0..=3) } else { (Container::Chunk, 1..=1) };
        vec(chunks(dialect), count).prop_map(move |chunks| Document {
            dialect,
            container,
            chunks,
            trailing: Vec::new(),
        })
    })
}

/// Chunks of a dialect.
pub fn chunks(dialect: Dialect) -> impl Strategy<Value = Chunk> {
    (0..=MAX_VERTICES).prop_flat_map(move |vertices| {
        (empty_chunks(dialect), streams(dialect, vertices), indices(vertices)).prop_map(
            |(base, streams, indices)| Chunk {
                // Without a stream there are no vertices.
                indices: if streams.is_empty() { Indices::default() } else { indices },
                streams,
                ..base
            },
        )
    })
}

/// The fields of a chunk besides its streams.
struct Fields(Vec<Range<usize>>);

impl Visitor for Fields {
    fn enter(&mut self, node: &Node) -> Visit {
        match node.path {
            [] | [Segment::Field("chunks")] | [_, Segment::Index(_)] => Visit::All,
            [_, _, Segment::Field("indices" | "streams"), ..] => Visit::Nothing,
            _ => Visit::All,
        }
    }

    fn leaf(&mut self, node: &Node, _: &Value) -> ControlFlow<()> {
        let is_computed = matches!(node.path, [_, _, Segment::Field("index_size" | "attribute_count")]);
        if let (Span::Bytes(range), None, false) = (&node.span, node.bit_field, is_computed) {
            self.0.push(range.start as usize..range.end as usize);
        }
        ControlFlow::Continue(())
    }
}

/// Chunks with no streams.
fn empty_chunks(dialect: Dialect) -> impl Strategy<Value = Chunk> {
    let document = Document { dialect, chunks: vec![Chunk::default()], ..Document::default() };
    let file = codec::write(&document).unwrap_or_default();
    let mut fields = Fields(Vec::new());
    let walked = walk::walk(codec::layout(&file, dialect), &file, &Limits::default(), &mut fields);
    debug_assert!(walked.is_ok(), "{walked:?}");
    vec(any::<u8>(), file.len()).prop_filter_map("a chunk", move |bytes| {
        let mut file = file.clone();
        for range in &fields.0 {
            file[range.clone()].copy_from_slice(&bytes[range.clone()]);
        }
        let input = Input { bytes: &file, limits: Limits::default(), chunk: 0 };
        Chunk::read_args(&mut Cursor::new(&file), (dialect, &input)).ok()
    })
}

/// Any set of the attributes of a dialect, in any order.
fn streams(dialect: Dialect, vertices: usize) -> impl Strategy<Value = Vec<Stream>> {
    let all =
        AttributeFlags::all().filter_map(|attribute| Some((attribute, Stream::empty(attribute, dialect)?)));
    let all: Vec<_> = all.map(|(attribute, empty)| (attribute, empty.value_size())).collect();
    let count = all.len();
    let stream = move |(attribute, size)| {
        let size = size * vertices;
        vec(any::<u8>(), size).prop_filter_map("a stream", move |bytes| {
            let (packing, limits) = (Packing::Stored, Limits::default());
            Stream::unpack(&Block { packing, bytes: &bytes, size: size as i32, limits }, attribute, dialect)
                .ok()
        })
    };
    subsequence(all, 0..=count)
        .prop_shuffle()
        .prop_flat_map(move |chosen| chosen.into_iter().map(stream).collect::<Vec<_>>())
}

/// Indices of either width.
fn indices(vertices: usize) -> impl Strategy<Value = Indices> {
    let count = if vertices == 0 { 0..=0 } else { 0..=3 * MAX_VERTICES };
    (any::<bool>(), vec(0..vertices.max(1) as u16, count)).prop_map(|(wide, indices)| {
        if wide { Indices::U32(indices.into_iter().map(u32::from).collect()) } else { Indices::U16(indices) }
    })
}
