//! The items of a list: stored in the bytes of a file, or given individually.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::node::{Leaf, Node};
use super::record;
use crate::Span;
use crate::layout::declaration::Type;
use crate::layout::walk::ItemLayout;

/// The items of an array or list, in order.
///
/// Items read from a file stay in its bytes, and are decoded when they are requested. A changed list consists of runs of
/// such items and of given ones.
#[derive(Debug, Clone, Default)]
pub(in crate::layout) struct Items<'b>(Vec<Run<'b>>);

/// Successive items of a list.
#[derive(Debug, Clone)]
pub(in crate::layout) enum Run<'b> {
    Stored(StoredItems<'b>),
    Given(Vec<Node<'b>>),
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
    bytes: Cow<'b, [u8]>,
    span: Span,
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

impl<'b> Items<'b> {
    /// Creates the items of a list as stored at `span`.
    pub fn stored(
        bytes: Cow<'b, [u8]>,
        span: Span,
        encoding: ItemEncoding,
        count: u64,
    ) -> Items<'b> {
        if count == 0 {
            return Items::default();
        }
        let range = 0..bytes.len();
        let list = Arc::new(StoredList {
            bytes,
            span,
            encoding,
        });
        Items(vec![Run::Stored(StoredItems {
            list,
            indices: 0..count,
            range,
        })])
    }

    pub fn runs(&self) -> &[Run<'b>] {
        &self.0
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn len(&self) -> u64 {
        self.0.iter().map(Run::len).sum()
    }

    /// Returns an upper bound on the size of the items in bytes.
    pub fn max_size(&self) -> u64 {
        self.0
            .iter()
            .map(|run| match run {
                Run::Stored(stored) => stored.bytes().len() as u64,
                Run::Given(nodes) => nodes
                    .iter()
                    .map(Node::max_size)
                    .fold(0, u64::saturating_add),
            })
            .fold(0, u64::saturating_add)
    }

    /// Returns the items that are given individually.
    pub fn given_mut(&mut self) -> impl Iterator<Item = &mut Node<'b>> {
        self.0.iter_mut().flat_map(|run| match run {
            Run::Stored(_) => [].iter_mut(),
            Run::Given(nodes) => nodes.iter_mut(),
        })
    }

    /// Returns an item; decodes it if it is stored.
    pub fn get(&self, index: u64) -> Option<Cow<'_, Node<'b>>> {
        let (run, index) = self.find(index)?;
        match &self.0[run] {
            Run::Stored(stored) => stored.decode(index).map(Cow::Owned),
            Run::Given(nodes) => nodes.get(index as usize).map(Cow::Borrowed),
        }
    }

    /// Returns the items with these indices, as far as they exist, in order.
    pub fn range(&self, indices: Range<u64>) -> impl Iterator<Item = Cow<'_, Node<'b>>> {
        let mut first = 0;
        self.0.iter().flat_map(move |run| {
            let start = indices.start.saturating_sub(first).min(run.len());
            let end = indices.end.saturating_sub(first).min(run.len());
            first += run.len();
            run.range(start..end.max(start))
        })
    }

    /// Returns an item to be changed; a stored one becomes a given one.
    pub fn get_mut(&mut self, index: u64) -> Option<&mut Node<'b>> {
        let (run, index) = self.find(index)?;
        let Run::Stored(stored) = &self.0[run] else {
            let Run::Given(nodes) = &mut self.0[run] else {
                return None;
            };
            return nodes.get_mut(index as usize);
        };
        let item = stored.decode(index)?;
        let run = self.split_at(run, index)?;
        let Run::Stored(stored) = &mut self.0[run] else {
            return None;
        };
        let rest = stored.split_off(1)?;
        self.0[run] = Run::Given(vec![item]);
        if rest.len() > 0 {
            self.0.insert(run + 1, Run::Stored(rest));
        }
        match &mut self.0[run] {
            Run::Given(nodes) => nodes.first_mut(),
            Run::Stored(_) => None,
        }
    }

    pub fn push(&mut self, item: Node<'b>) {
        match self.0.last_mut() {
            Some(Run::Given(nodes)) => nodes.push(item),
            _ => self.0.push(Run::Given(vec![item])),
        }
    }

    /// Appends the items of another list.
    pub fn append(&mut self, mut items: Items<'b>) {
        self.0.append(&mut items.0);
    }

    /// Inserts copies of an item at `index`. Returns `false` if the list is shorter.
    pub fn insert(&mut self, index: u64, item: &Node<'b>, copies: usize) -> bool {
        if index == self.len() {
            (0..copies).for_each(|_| self.push(item.clone()));
            return true;
        }
        let Some((run, offset)) = self.find(index) else {
            return false;
        };
        match &mut self.0[run] {
            Run::Given(nodes) => {
                let at = offset as usize;
                nodes.splice(at..at, std::iter::repeat_n(item.clone(), copies));
                true
            }
            Run::Stored(_) => {
                let Some(run) = self.split_at(run, offset) else {
                    return false;
                };
                self.0.insert(run, Run::Given(vec![item.clone(); copies]));
                true
            }
        }
    }

    /// Removes an item. Returns `false` if the list is shorter.
    pub fn remove(&mut self, index: u64) -> bool {
        let Some((run, offset)) = self.find(index) else {
            return false;
        };
        let is_empty = match &mut self.0[run] {
            Run::Given(nodes) => {
                nodes.remove(offset as usize);
                nodes.is_empty()
            }
            Run::Stored(stored) => {
                let Some(rest) = stored
                    .split_off(offset)
                    .and_then(|mut item| item.split_off(1))
                else {
                    return false;
                };
                let is_empty = stored.len() == 0;
                if rest.len() > 0 {
                    self.0.insert(run + 1, Run::Stored(rest));
                }
                is_empty
            }
        };
        if is_empty {
            self.0.remove(run);
        }
        true
    }

    /// Returns the run that contains an item, and the index of the item in that run.
    fn find(&self, index: u64) -> Option<(usize, u64)> {
        let mut first = 0;
        for (number, run) in self.0.iter().enumerate() {
            match index.checked_sub(first) {
                Some(offset) if offset < run.len() => return Some((number, offset)),
                _ => first += run.len(),
            }
        }
        None
    }

    /// Splits a stored run before its item at `offset`. Returns the number of the run that starts with this item.
    fn split_at(&mut self, run: usize, offset: u64) -> Option<usize> {
        if offset == 0 {
            return Some(run);
        }
        let Run::Stored(stored) = &mut self.0[run] else {
            return None;
        };
        let rest = stored.split_off(offset)?;
        self.0.insert(run + 1, Run::Stored(rest));
        Some(run + 1)
    }
}

impl<'b> Run<'b> {
    /// Returns the items with these indices.
    fn range(&self, indices: Range<u64>) -> Box<dyn Iterator<Item = Cow<'_, Node<'b>>> + '_> {
        match self {
            Run::Stored(stored) => Box::new(stored.decode_range(indices).map(Cow::Owned)),
            Run::Given(nodes) => {
                let (start, end) = (indices.start as usize, indices.end as usize);
                let nodes = nodes.get(start..end).unwrap_or_default();
                Box::new(nodes.iter().map(Cow::Borrowed))
            }
        }
    }

    fn len(&self) -> u64 {
        match self {
            Run::Stored(stored) => stored.len(),
            Run::Given(nodes) => nodes.len() as u64,
        }
    }
}

impl<'b> StoredItems<'b> {
    pub fn len(&self) -> u64 {
        self.indices.end - self.indices.start
    }

    pub fn bytes(&self) -> &[u8] {
        self.list.bytes.get(self.range.clone()).unwrap_or_default()
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

    /// Decodes an item.
    fn decode(&self, index: u64) -> Option<Node<'b>> {
        let start = self.start_of(index)?;
        self.decode_at(start..self.end_of(start)?)
    }

    /// Decodes the items with these indices, in order.
    pub fn decode_range(&self, indices: Range<u64>) -> impl Iterator<Item = Node<'b>> {
        self.ranges(indices)
            .filter_map(|range| self.decode_at(range))
    }

    fn decode_at(&self, range: Range<usize>) -> Option<Node<'b>> {
        let list = &*self.list;
        let at = list.span.range().start;
        let span = list
            .span
            .with_range(at + range.start as u64..at + range.end as u64);
        match &list.encoding {
            ItemEncoding::Numbers(ty) => Some(Node {
                ty: Some(ty),
                span: Some(span),
                ..Leaf::Value(ty.read_value(list.bytes.get(range)?)).into()
            }),
            ItemEncoding::Walked(layout) => {
                record::decode_item(layout, &list.bytes, &list.span, range.start as u64)
            }
        }
    }

    /// Returns the range of each item with these indices in the bytes of the stored list, in order.
    fn ranges(&self, indices: Range<u64>) -> impl Iterator<Item = Range<usize>> {
        let mut start = self.start_of(indices.start);
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
            ItemEncoding::Walked(layout) => layout.end_of(start as u64, &self.list.bytes)?,
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
            ItemEncoding::Walked(layout) => layout.start_of(index, &self.list.bytes)?,
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
