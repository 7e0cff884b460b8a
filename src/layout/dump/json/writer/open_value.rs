//! The values that are being printed.

use std::ops::Range;

use super::super::annotations::Annotations;
use crate::layout::declaration::Type;

/// A value whose JSON is incomplete.
pub(super) struct OpenValue {
    /// The number of segments in its path.
    pub depth: usize,
    pub kind: OpenKind,
    pub ty: &'static Type,
    /// Whether JSON has the place even without other annotations.
    pub gives_place: bool,
    /// The place of the packed block that contains the value.
    pub packed_block: Option<Range<u64>>,
    /// Whether the block starts with the value.
    pub starts_block: bool,
    /// Whether a key or item was printed.
    pub has_entries: bool,
    /// The keys after the parts.
    pub annotations: Annotations,
    /// The annotations of inline blocks of the value, by the names of the blocks.
    pub block_annotations: Vec<(&'static str, Annotations)>,
    /// Whether all parts were printed. Trailing bytes may follow.
    pub has_ended: bool,
    /// The number of open inline blocks inside. Their content has the path of this value.
    pub open_inline_blocks: usize,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum OpenKind {
    /// An object with a key per field.
    Struct,
    /// An object with a key per bit field.
    Word,
    /// The object of a list whose items may be annotated.
    Items,
    /// The object of a list of numbers. They are not annotated: their places follow from the place of the list.
    Numbers,
    /// A list without an object: in an inline block, or without annotations.
    BareItems,
    /// A list of numbers without an object: in such a list, in an inline block, or without annotations.
    BareNumbers,
    /// A number or string.
    Scalar,
}

impl OpenValue {
    pub fn annotations_of_block(&mut self, name: &'static str) -> &mut Annotations {
        let known = self
            .block_annotations
            .iter()
            .position(|(known, _)| *known == name);
        let index = known.unwrap_or_else(|| {
            self.block_annotations.push((name, Annotations::default()));
            self.block_annotations.len() - 1
        });
        &mut self.block_annotations[index].1
    }

    /// Adds the annotations of all inline blocks as one key.
    pub fn merge_block_annotations(&mut self) {
        let blocks: Vec<String> = self
            .block_annotations
            .iter()
            .map(|(name, annotations)| format!("\"{name}\": {{{}}}", annotations.as_str()))
            .collect();
        if !blocks.is_empty() {
            self.annotations
                .add("blocks", format_args!("{{{}}}", blocks.join(", ")));
        }
    }

    pub fn is_list(&self) -> bool {
        match self.kind {
            OpenKind::Items | OpenKind::Numbers | OpenKind::BareItems | OpenKind::BareNumbers => {
                true
            }
            OpenKind::Struct | OpenKind::Word | OpenKind::Scalar => false,
        }
    }

    pub fn has_plain_items(&self) -> bool {
        matches!(self.kind, OpenKind::Numbers | OpenKind::BareNumbers)
    }
}
