//! The items of a list: stored in the bytes of a file, or given individually.

use std::borrow::Cow;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

use super::node::{Leaf, TreeNode};
use super::record;
use super::stored_bytes::StoredBytes;
use crate::Span;
use crate::layout::declaration::Type;
use crate::layout::walk::{ItemLayout, Lookaheads};

/// The items of an array or list, in order.
///
/// Items read from a file stay in its bytes, and are decoded when they are requested. A changed list consists of
/// sections of such items and of given ones.
#[derive(Debug, Clone, Default)]
pub(in crate::layout) struct Items<'b>(Vec<Section<'b>>);

/// Successive items of a list.
#[derive(Debug, Clone)]
pub(in crate::layout) enum Section<'b> {
    Stored(StoredItems<'b>),
    Given(Vec<TreeNode<'b>>),
}

/// A part of a stored list.
#[derive(Debug, Clone)]
pub(in crate::layout) struct StoredItems<'b> {
    list: Arc<StoredList<'b>>,
    /// The indices of the items in the stored list.
    indices: Range<u64>,
    /// The range of their bytes in the bytes of the stored list.
    range: Range<usize>,
}

/// A list in the bytes of a file or of an unpacked block.
#[derive(Debug)]
struct StoredList<'b> {
    /// The bytes of the list, and those after it that look-aheads of its last item may read.
    bytes: StoredBytes<'b>,
    /// The span of the list; `None` if it was not read from a file.
    span: Option<Span>,
    encoding: ItemEncoding,
}

/// The encoding of stored items.
#[derive(Debug)]
pub(in crate::layout) enum ItemEncoding {
    /// Numbers, enum values or packed words of this type.
    Numbers(&'static Type),
    /// Items that the walker decodes.
    Walked(Arc<ItemLayout>),
}

impl ItemEncoding {
    pub fn lookaheads(&self) -> Lookaheads {
        match self {
            ItemEncoding::Numbers(_) => Lookaheads::default(),
            ItemEncoding::Walked(layout) => layout.lookaheads(),
        }
    }

    /// Returns `true` if items with these encodings have the same values if they and their look-aheads read the same
    /// bytes.
    pub fn decodes_like(&self, other: &ItemEncoding) -> bool {
        match (self, other) {
            (ItemEncoding::Numbers(own), ItemEncoding::Numbers(other)) => {
                std::ptr::eq(*own, *other)
            }
            (ItemEncoding::Walked(own), ItemEncoding::Walked(other)) => own.decodes_like(other),
            _ => false,
        }
    }
}

/// Encodings with different hashes may still decode alike.
impl Hash for ItemEncoding {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        match self {
            ItemEncoding::Numbers(ty) => std::ptr::from_ref(*ty).hash(hasher),
            ItemEncoding::Walked(layout) => layout.hash_encoding(hasher),
        }
    }
}

impl<'b> Items<'b> {
    /// Creates the items of a list, which is the first `size` bytes of `bytes`. `span` is the span of a list in a file.
    pub fn stored(
        bytes: StoredBytes<'b>,
        size: usize,
        span: Option<Span>,
        encoding: ItemEncoding,
        count: u64,
    ) -> Items<'b> {
        if count == 0 {
            return Items::default();
        }
        let list = Arc::new(StoredList {
            bytes,
            span,
            encoding,
        });
        Items(vec![Section::Stored(StoredItems {
            list,
            indices: 0..count,
            range: 0..size,
        })])
    }

    pub fn sections(&self) -> &[Section<'b>] {
        &self.0
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn len(&self) -> u64 {
        self.0.iter().map(Section::len).sum()
    }

    /// Returns an upper bound on the size of the items in bytes.
    pub fn max_size(&self) -> u64 {
        self.0
            .iter()
            .map(|section| match section {
                Section::Stored(stored) => stored.bytes().len() as u64,
                Section::Given(nodes) => nodes
                    .iter()
                    .map(TreeNode::max_size)
                    .fold(0, u64::saturating_add),
            })
            .fold(0, u64::saturating_add)
    }

    /// Returns `true` if all items are stored, and all of their bytes are 0.
    pub fn are_zeros(&self) -> bool {
        self.0.iter().all(|section| match section {
            Section::Stored(stored) => stored.bytes().iter().all(|byte| *byte == 0),
            Section::Given(_) => false,
        })
    }

    /// Returns the items that are given individually.
    pub fn given_mut(&mut self) -> impl Iterator<Item = &mut TreeNode<'b>> {
        self.0.iter_mut().flat_map(|section| match section {
            Section::Stored(_) => [].iter_mut(),
            Section::Given(nodes) => nodes.iter_mut(),
        })
    }

    /// Returns an item; decodes it if it is stored.
    pub fn get(&self, index: u64) -> Option<Cow<'_, TreeNode<'b>>> {
        let (section, index) = self.find(index)?;
        match &self.0[section] {
            Section::Stored(stored) => stored.decode(index).map(Cow::Owned),
            Section::Given(nodes) => nodes.get(index as usize).map(Cow::Borrowed),
        }
    }

    /// Returns the items with these indices, as far as they exist, in order.
    pub fn range(&self, indices: Range<u64>) -> impl Iterator<Item = Cow<'_, TreeNode<'b>>> {
        let mut first = 0;
        self.0.iter().flat_map(move |section| {
            let start = indices.start.saturating_sub(first).min(section.len());
            let end = indices.end.saturating_sub(first).min(section.len());
            first += section.len();
            section.range(start..end.max(start))
        })
    }

    /// Returns an item to be changed; a stored one becomes a given one.
    pub fn get_mut(&mut self, index: u64) -> Option<&mut TreeNode<'b>> {
        let (mut section, mut offset) = self.find(index)?;
        if let Section::Stored(stored) = &self.0[section] {
            let item = stored.decode(offset)?;
            section = self.split_at(section, offset)?;
            self.split_at(section, 1);
            self.0[section] = Section::Given(vec![item]);
            offset = 0;
        }
        match &mut self.0[section] {
            Section::Given(nodes) => nodes.get_mut(offset as usize),
            Section::Stored(_) => None,
        }
    }

    pub fn push(&mut self, item: TreeNode<'b>) {
        match self.0.last_mut() {
            Some(Section::Given(nodes)) => nodes.push(item),
            _ => self.0.push(Section::Given(vec![item])),
        }
    }

    /// Appends the items of another list.
    pub fn append(&mut self, mut items: Items<'b>) {
        self.0.append(&mut items.0);
    }

    /// Inserts copies of an item at `index`. Returns `false` if the list is shorter.
    pub fn insert(&mut self, index: u64, item: &TreeNode<'b>, copies: usize) -> bool {
        if copies == 0 {
            return index <= self.len();
        }
        if index == self.len() {
            (0..copies).for_each(|_| self.push(item.clone()));
            return true;
        }
        let Some((section, offset)) = self.find(index) else {
            return false;
        };
        match &mut self.0[section] {
            Section::Given(nodes) => {
                let at = offset as usize;
                nodes.splice(at..at, std::iter::repeat_n(item.clone(), copies));
                true
            }
            Section::Stored(_) => {
                let Some(section) = self.split_at(section, offset) else {
                    return false;
                };
                self.0
                    .insert(section, Section::Given(vec![item.clone(); copies]));
                true
            }
        }
    }

    /// Removes an item. Returns `false` if the list is shorter.
    pub fn remove(&mut self, index: u64) -> bool {
        let Some((section, offset)) = self.find(index) else {
            return false;
        };
        let is_empty = match &mut self.0[section] {
            Section::Given(nodes) => {
                nodes.remove(offset as usize);
                nodes.is_empty()
            }
            Section::Stored(stored) => {
                let Some(rest) = stored
                    .split_off(offset)
                    .and_then(|mut item| item.split_off(1))
                else {
                    return false;
                };
                let is_empty = stored.len() == 0;
                if rest.len() > 0 {
                    self.0.insert(section + 1, Section::Stored(rest));
                }
                is_empty
            }
        };
        if is_empty {
            self.0.remove(section);
        }
        true
    }

    /// Returns the section that contains an item, and the index of the item in that section.
    fn find(&self, index: u64) -> Option<(usize, u64)> {
        let mut first = 0;
        for (number, section) in self.0.iter().enumerate() {
            match index.checked_sub(first) {
                Some(offset) if offset < section.len() => return Some((number, offset)),
                _ => first += section.len(),
            }
        }
        None
    }

    /// Splits a stored section before its item at `offset`. Returns the number of the section that starts with this
    /// item; `None` if the section has no such item.
    fn split_at(&mut self, section: usize, offset: u64) -> Option<usize> {
        if offset == 0 {
            return Some(section);
        }
        if offset >= self.0[section].len() {
            return None;
        }
        let Section::Stored(stored) = &mut self.0[section] else {
            return None;
        };
        let rest = stored.split_off(offset)?;
        self.0.insert(section + 1, Section::Stored(rest));
        Some(section + 1)
    }
}

impl<'b> Section<'b> {
    /// Returns the items with these indices.
    fn range(&self, indices: Range<u64>) -> Box<dyn Iterator<Item = Cow<'_, TreeNode<'b>>> + '_> {
        match self {
            Section::Stored(stored) => Box::new(stored.decode_range(indices).map(Cow::Owned)),
            Section::Given(nodes) => {
                let (start, end) = (indices.start as usize, indices.end as usize);
                let nodes = nodes.get(start..end).unwrap_or_default();
                Box::new(nodes.iter().map(Cow::Borrowed))
            }
        }
    }

    pub fn len(&self) -> u64 {
        match self {
            Section::Stored(stored) => stored.len(),
            Section::Given(nodes) => nodes.len() as u64,
        }
    }
}

impl<'b> StoredItems<'b> {
    pub fn len(&self) -> u64 {
        self.indices.end - self.indices.start
    }

    pub fn bytes(&self) -> &[u8] {
        let list = self.list.bytes.as_slice();
        list.get(self.range.clone()).unwrap_or_default()
    }

    pub fn encoding(&self) -> &ItemEncoding {
        &self.list.encoding
    }

    /// Returns the first `count` items.
    pub fn first(&self, count: u64) -> Option<StoredItems<'b>> {
        let mut first = self.clone();
        if count < self.len() {
            first.split_off(count)?;
        }
        Some(first)
    }

    /// Returns the bytes that determine each existing item with these indices: the bytes of the item, and those after it
    /// that its look-aheads read.
    pub fn determining_bytes(&self, indices: Range<u64>) -> impl Iterator<Item = &[u8]> {
        let lookaheads = self.encoding().lookaheads();
        let existing = indices.start..indices.end.min(self.len());
        self.ranges(existing)
            .map_while(move |item| self.bytes_to(item.start, lookaheads.end_after(&item)))
    }

    /// Returns the bytes that determine all items: their own, and those after the list that look-aheads may read.
    pub fn all_determining_bytes(&self) -> &[u8] {
        let Range { start, end } = self.range;
        let end = end.saturating_add(self.encoding().lookaheads().size);
        self.bytes_to(start, end).unwrap_or_default()
    }

    /// Returns the bytes of the stored list from `start` to `end`, as far as they exist.
    fn bytes_to(&self, start: usize, end: usize) -> Option<&[u8]> {
        let bytes = self.list.bytes.as_slice();
        bytes.get(start..end.min(bytes.len()))
    }

    /// Returns the items as nodes.
    pub fn decode_all(&self) -> Vec<TreeNode<'b>> {
        self.decode_range(0..self.len()).collect()
    }

    /// Decodes each item, and returns it with its bytes.
    #[cfg(feature = "serde")]
    pub fn with_bytes(&self) -> impl Iterator<Item = (TreeNode<'b>, &[u8])> {
        let bytes = self.list.bytes.as_slice();
        self.ranges(0..self.len())
            .filter_map(|range| Some((self.decode_at(range.clone())?, bytes.get(range)?)))
    }

    /// Decodes an item.
    fn decode(&self, index: u64) -> Option<TreeNode<'b>> {
        let start = self.start_of(index)?;
        self.decode_at(start..self.end_of(start)?)
    }

    /// Decodes the items with these indices, in order.
    fn decode_range(&self, indices: Range<u64>) -> impl Iterator<Item = TreeNode<'b>> {
        self.ranges(indices)
            .filter_map(|range| self.decode_at(range))
    }

    fn decode_at(&self, range: Range<usize>) -> Option<TreeNode<'b>> {
        let list = &*self.list;
        match &list.encoding {
            ItemEncoding::Numbers(ty) => Some(TreeNode {
                ty: Some(ty),
                span: list.span.as_ref().map(|span| {
                    let at = span.range().start;
                    span.with_range(at + range.start as u64..at + range.end as u64)
                }),
                ..Leaf::Value(ty.read_value(list.bytes.as_slice().get(range)?)).into()
            }),
            ItemEncoding::Walked(layout) => {
                record::decode_item(layout, &list.bytes, list.span.as_ref(), range.start as u64)
            }
        }
    }

    /// Returns the range of each item with these indices in the bytes of the stored list, in order.
    fn ranges(&self, indices: Range<u64>) -> impl Iterator<Item = Range<usize>> {
        // Finding a start may require decoding the items before it.
        let mut start = match indices.is_empty() {
            true => None,
            false => self.start_of(indices.start),
        };
        indices.map_while(move |_| {
            let range = start?..self.end_of(start?)?;
            start = Some(range.end);
            Some(range)
        })
    }

    /// Returns the end of the item at an offset in the bytes of the stored list.
    fn end_of(&self, start: usize) -> Option<usize> {
        let end = match &self.list.encoding {
            ItemEncoding::Numbers(ty) => (start as u64).checked_add(ty.size()?)?,
            ItemEncoding::Walked(layout) => {
                layout.end_of(start as u64, self.list.bytes.as_slice())?
            }
        };
        usize::try_from(end).ok()
    }

    /// Returns the offset of an item in the bytes of the stored list; its end for the index after the last item.
    fn start_of(&self, index: u64) -> Option<usize> {
        let index = self.indices.start.checked_add(index)?;
        if index == self.indices.end {
            return Some(self.range.end);
        }
        let start = match &self.list.encoding {
            ItemEncoding::Numbers(ty) => ty.size()?.checked_mul(index)?,
            ItemEncoding::Walked(layout) => {
                layout.start_of(index, self.list.bytes.as_slice(), self.range.end as u64)?
            }
        };
        usize::try_from(start).ok()
    }

    /// Removes the items from `index` on, and returns them.
    fn split_off(&mut self, index: u64) -> Option<StoredItems<'b>> {
        let start = self.start_of(index)?;
        let middle = self.indices.start + index;
        let rest = StoredItems {
            list: Arc::clone(&self.list),
            indices: middle..self.indices.end,
            range: start..self.range.end,
        };
        self.indices.end = middle;
        self.range.end = start;
        Some(rest)
    }
}
