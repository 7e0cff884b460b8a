//! Finds the sections and packed blocks of a file by walking it with the declaration of its format.

use std::ops::{ControlFlow, Range};

use meshspec::layout::declaration::{Field, Packing, Shape, Type};
use meshspec::layout::expr::Value;
use meshspec::layout::walk::{self, Node, Segment, Visit, Visitor, path_text};
use meshspec::{Limits, Span};
use serde::Serialize;

/// The sections and packed blocks of a file.
#[derive(Debug, Default, Serialize)]
pub struct FileSections {
    /// The top-level fields of the file, in order, and trailing bytes.
    pub sections: Vec<Section>,
    /// The packed blocks at any depth.
    pub packed: PackedTotals,
}

#[derive(Debug, Serialize)]
pub struct Section {
    /// The path of the field; `None` for bytes outside of all fields.
    pub path: Option<String>,
    pub start: u64,
    pub end: u64,
}

impl Section {
    pub fn size(&self) -> u64 {
        self.end - self.start
    }
}

#[derive(Debug, Default, Serialize)]
pub struct PackedTotals {
    /// The total packed size of the blocks, in bytes.
    pub size: u64,
    /// The total unpacked size of the blocks, in bytes.
    pub unpacked_size: u64,
    pub blocks: Vec<PackedBlock>,
}

#[derive(Debug, Serialize)]
pub struct PackedBlock {
    pub path: String,
    pub start: u64,
    pub end: u64,
    pub unpacked_size: u64,
}

/// Returns the sections and packed blocks of a file before its first structural error.
pub fn find_sections(layout: &'static Type, bytes: &[u8], limits: &Limits) -> FileSections {
    let mut sections = FileSections::default();
    // Ignores errors, which a leniently read file may contain, and keeps the sections before them.
    let _ = walk::walk(layout, bytes, limits, &mut sections);
    sections
}

impl FileSections {
    fn add_section(&mut self, node: &Node) -> ControlFlow<()> {
        if node.path.len() == 1 {
            let path = Some(path_text(node.path));
            let Range { start, end } = file_range(&node.span).clone();
            self.sections.push(Section { path, start, end });
        }
        ControlFlow::Continue(())
    }
}

/// Returns the byte range of a span in the file; for an unpacked value, the range of its block.
fn file_range(span: &Span) -> &Range<u64> {
    match span {
        Span::Unpacked { packed, .. } => packed,
        bytes => bytes.range(),
    }
}

impl Visitor for FileSections {
    fn enter(&mut self, node: &Node) -> Visit {
        // Skips the items of lists that cannot contain packed blocks, since there may be millions of items.
        if has_packed(node.ty) {
            Visit::All
        } else {
            Visit::Items(0..0)
        }
    }

    fn visit_leaf(&mut self, node: &Node, _: &Value) -> ControlFlow<()> {
        self.add_section(node)
    }

    fn leave(&mut self, node: &Node) -> ControlFlow<()> {
        self.add_section(node)
    }

    fn visit_unpacked(&mut self, node: &Node, content: &[u8]) {
        let Range { start, end } = file_range(&node.span).clone();
        let unpacked_size = content.len() as u64;
        self.packed.size += end - start;
        self.packed.unpacked_size += unpacked_size;
        self.packed.blocks.push(PackedBlock {
            path: path_text(node.path),
            start,
            end,
            unpacked_size,
        });
    }

    fn visit_trailing(&mut self, _: &[Segment], span: Span, _: &[u8]) {
        if let Span::Bytes(Range { start, end }) = span {
            self.sections.push(Section {
                path: None,
                start,
                end,
            });
        }
    }
}

/// Returns `true` if values of type `ty` can contain packed blocks.
fn has_packed(ty: &Type) -> bool {
    match ty {
        Type::Array(item, _) | Type::List(item) => has_packed(item),
        Type::Declared(declaration) => match declaration.shape {
            Shape::Struct(fields) => fields.iter().any(field_has_packed),
            Shape::Choice(variants) => variants
                .iter()
                .any(|variant| field_has_packed(&variant.field)),
            _ => false,
        },
        _ => false,
    }
}

fn field_has_packed(field: &Field) -> bool {
    match &field.block {
        Some(block) => block.packing != Packing::Stored || has_packed(&block.content),
        None => has_packed(&field.ty),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use binrw::binrw;
    use meshspec::layout::Layout;

    use super::*;

    #[derive(Layout)]
    #[binrw]
    #[brw(little)]
    struct File {
        stream_count: u8,
        #[br(count = stream_count)]
        streams: Vec<Stream>,
        name: [u8; 2],
    }

    #[derive(Layout)]
    #[binrw]
    #[brw(little)]
    struct Stream {
        packed_size: u8,
        size: u8,
        #[br(count = packed_size)]
        #[layout(content = Vec<u8>, packing = lz4, size = size)]
        data: Vec<u8>,
    }

    /// Two LZ4 blocks: a literal byte, and a literal byte with 20 copies and five further literals.
    #[rustfmt::skip]
    const BYTES: &[u8] = &[
        2,
        2, 1, 0x10, 7,
        11, 26, 0x1f, 7, 1, 0, 1, 0x50, 1, 2, 3, 4, 5,
        b'a', b'b', b'?',
    ];

    #[test]
    fn packed_blocks_are_found_and_measured() {
        let found = find_sections(&File::TYPE, BYTES, &Limits::default());
        let sections: Vec<_> = found
            .sections
            .iter()
            .map(|s| (s.path.as_deref(), s.start, s.end))
            .collect();
        assert_eq!(
            sections,
            [
                (Some("stream_count"), 0, 1),
                (Some("streams"), 1, 18),
                (Some("name"), 18, 20),
                (None, 20, 21)
            ]
        );
        let blocks: Vec<_> = found
            .packed
            .blocks
            .iter()
            .map(|b| (&*b.path, b.start, b.end, b.unpacked_size))
            .collect();
        assert_eq!(
            blocks,
            [("streams[0].data", 3, 5, 1), ("streams[1].data", 7, 18, 26)]
        );
        assert_eq!((found.packed.size, found.packed.unpacked_size), (13, 27));
    }

    #[test]
    fn sections_before_a_fault_are_found() {
        let found = find_sections(&File::TYPE, &BYTES[..6], &Limits::default());
        assert_eq!(found.sections.len(), 1);
        assert_eq!(found.packed.blocks.len(), 1);
    }
}
