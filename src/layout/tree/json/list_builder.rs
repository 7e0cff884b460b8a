//! Builds a list item by item, and keeps complete items as bytes.

use std::sync::Arc;

use super::super::items::{ItemEncoding, Items};
use super::super::node::TreeNode;
use super::super::record::is_contiguous;
use super::encode::Encoder;
use crate::layout::program::{FormKind, Frames, Item, Program};
use crate::layout::walk::ItemLayout;

/// A list whose items are added at the end.
pub(super) struct ListBuilder {
    program: &'static Program,
    item: Item,
    /// The size of every item in bytes; `None` if the sizes differ.
    stride: Option<u64>,
    /// Whether the items can be kept as bytes.
    is_contiguous: bool,
    /// The items before those in `bytes`.
    items: Items<'static>,
    /// The last items that are complete.
    bytes: Vec<u8>,
    /// The number of items in `bytes`.
    count: u64,
    /// If the sizes differ, the offsets in `bytes` that [`ItemLayout`] requires.
    starts: Vec<u64>,
}

impl ListBuilder {
    /// Creates an empty list. `frames` has the slots of the unit that contains it. With `keeps_nodes`, no items are kept as
    /// bytes.
    pub fn new(
        item: Item,
        program: &'static Program,
        frames: &mut Frames,
        keeps_nodes: bool,
    ) -> ListBuilder {
        let form = &program.forms[item.form];
        // Without them, the items cannot be decoded later.
        let has_arguments = item
            .arguments
            .iter()
            .all(|argument| frames.is_known(argument));
        ListBuilder {
            program,
            item,
            stride: frames.item_size(&item),
            is_contiguous: !keeps_nodes && has_arguments && is_contiguous(form.ty),
            items: Items::default(),
            bytes: Vec::new(),
            count: 0,
            starts: Vec::new(),
        }
    }

    pub fn push(&mut self, node: TreeNode<'static>, frames: &mut Frames) {
        let start = self.bytes.len() as u64;
        let mut encoder = Encoder {
            program: self.program,
            frames,
            bytes: &mut self.bytes,
        };
        let is_encoded = self.is_contiguous && encoder.encode(&node, &self.item);
        // Items without bytes have no offset of their own.
        if !is_encoded || self.bytes.len() as u64 == start {
            self.end_bytes(frames);
            self.items.push(node);
            return;
        }
        if self.stride.is_none() && ItemLayout::is_indexed(self.count) {
            self.starts.push(start);
        }
        self.count += 1;
    }

    pub fn finish(mut self, frames: &Frames) -> Items<'static> {
        self.end_bytes(frames);
        self.items
    }

    /// Adds the items in `bytes`.
    fn end_bytes(&mut self, frames: &Frames) {
        if self.count == 0 {
            return;
        }
        let form = &self.program.forms[self.item.form];
        let encoding = match form.kind {
            FormKind::Number(_) => ItemEncoding::Numbers(form.ty),
            _ => {
                let starts = std::mem::take(&mut self.starts);
                let layout = ItemLayout::new(self.program, self.item, frames, self.stride, starts);
                ItemEncoding::Walked(Arc::new(layout))
            }
        };
        let bytes = std::mem::take(&mut self.bytes);
        let (size, count) = (bytes.len(), std::mem::take(&mut self.count));
        let items = Items::stored(bytes.into(), size, None, encoding, count);
        self.items.append(items);
    }
}
