//! Skips items of a list whose [tag](Tag) determines their fields.

use super::item_layout::INDEXED_ITEMS;
use super::space::Space;
use super::walker::{VisitedItems, Walker};
use crate::layout::declaration::BitRange;
use crate::layout::program::Tag;

/// The number of items that are tested together: a branch per item would be unpredictable in a mixed list.
const BLOCK_SIZE: usize = 32;

/// What a walk knows about the items of a list by their tag.
#[derive(Debug)]
pub struct TaggedItems {
    pub(in crate::layout) tag: Tag,
    /// The size of the items with each tag; 0 if no such item was walked over.
    size_of: [u16; 256],
    /// The index of the class of the items with each tag, if their size is known. An unknown tag has the first class, whose
    /// items have no bytes.
    class_of: [u8; 256],
    classes: Vec<Class>,
}

/// The largest number in the range of a test.
pub(in crate::layout) const MAX_TESTED: u64 = u64::MAX >> 1;

/// Consecutive items of known sizes.
#[derive(Default)]
struct Block {
    offsets: [usize; BLOCK_SIZE],
    classes: [u8; BLOCK_SIZE],
    len: usize,
}

/// Items of the same size whose values have the same valid ranges.
#[derive(Debug, PartialEq)]
struct Class {
    size: u16,
    tests: Vec<PlacedTest>,
}

/// A [`Test`] of a number of 8 bytes in the item, or of the whole item if it is smaller.
#[derive(Debug, Clone, Copy, PartialEq)]
struct PlacedTest {
    /// The offset of the number.
    at: usize,
    /// The position of the lowest bit in the number.
    shift: u32,
    mask: u64,
    inverted: u64,
    low: u64,
    /// The difference between the largest and the smallest valid value.
    span: u64,
}

/// Some bits of an item, and the range of their values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::layout) struct Test {
    /// The position of the bits in the item.
    pub bits: BitRange,
    pub values: Values,
}

/// The valid values of an unsigned integer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::layout) struct Values {
    /// The bits that matter.
    pub mask: u64,
    /// Bits that are inverted before the comparison.
    pub inverted: u64,
    /// The smallest and the largest valid value, at most [`MAX_TESTED`]. If the largest is smaller, no value is valid.
    pub range: (u64, u64),
}

/// Items at the start of a list, or of what remains of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Skipped {
    /// The number of items.
    pub items: u64,
    /// Their size in bytes.
    pub size: u64,
}

impl Test {
    /// Places the test in items of `size` bytes; `None` if 8 bytes do not contain the bits.
    fn place(self, size: usize) -> Option<PlacedTest> {
        let BitRange { offset, width } = self.bits;
        let at = (offset as usize / 8).min(size.saturating_sub(8));
        let shift = offset - 8 * at as u32;
        let Values {
            mask,
            inverted,
            range: (low, high),
        } = self.values;
        (shift + width <= 64 && width < 64).then(|| PlacedTest {
            at,
            shift,
            mask: mask & ((1 << width) - 1),
            inverted,
            low,
            span: high.wrapping_sub(low),
        })
    }
}

impl PlacedTest {
    /// Returns a number below 2^63 if the value is in the range.
    #[inline(always)]
    fn sign(self, number: u64) -> u64 {
        let distance = self.distance(number);
        distance | self.span.wrapping_sub(distance)
    }

    /// Returns a number below 2^63 if the value is not below the range. The sign of a difference shows which number is
    /// larger. Without branches, the compiler vectorises loops.
    #[inline(always)]
    fn distance(self, number: u64) -> u64 {
        let value = ((number >> self.shift) & self.mask) ^ self.inverted;
        value.wrapping_sub(self.low)
    }

    /// Like [`sign`](PlacedTest::sign), for a range that starts at 0.
    #[inline(always)]
    fn sign_above(self, number: u64) -> u64 {
        self.span.wrapping_sub((number >> self.shift) & self.mask)
    }
}

impl Class {
    /// Returns `true` if all items, which are consecutive, pass all tests.
    #[inline(always)]
    fn are_valid<const SIZE: usize>(&self, items: &[[u8; SIZE]]) -> bool {
        self.tests.iter().all(|test| {
            let numbers = items.iter().map(|item| number_in(item, test.at));
            // Most values are only bounded from above, or are not equal to a number.
            let signs = match (test.low, test.inverted) {
                (0, 0) => numbers.fold(0, |signs, number| signs | test.sign_above(number)),
                _ if test.low.wrapping_add(test.span) == MAX_TESTED => {
                    numbers.fold(0, |signs, number| signs | test.distance(number))
                }
                _ => numbers.fold(0, |signs, number| signs | test.sign(number)),
            };
            signs >> 63 == 0
        })
    }

    /// Returns `true` if those items that `is_own` selects pass all tests.
    #[inline(always)]
    fn are_own_valid<const SIZE: usize>(
        &self,
        items: &[[u8; SIZE]],
        is_own: impl Fn(&[u8; SIZE]) -> bool,
    ) -> bool {
        self.tests.iter().all(|test| {
            let signs = items.iter().fold(0, |signs, item| {
                let mask = 0_u64.wrapping_sub(is_own(item).into());
                signs | test.sign(number_in(item, test.at)) & mask
            });
            signs >> 63 == 0
        })
    }

    /// Returns `true` if the items at these offsets pass all tests, and 8 bytes follow the start of each number.
    #[inline(always)]
    fn are_valid_at(&self, bytes: &[u8], offsets: &[usize]) -> bool {
        self.tests.iter().all(|test| {
            let signs = offsets.iter().fold(0, |signs, offset| {
                let number = bytes
                    .get(offset + test.at..)
                    .and_then(|bytes| bytes.first_chunk());
                signs | number.map_or(u64::MAX, |number| test.sign(u64::from_le_bytes(*number)))
            });
            signs >> 63 == 0
        })
    }
}

impl TaggedItems {
    pub(in crate::layout) fn new(tag: Tag) -> TaggedItems {
        TaggedItems {
            tag,
            size_of: [0; 256],
            class_of: [0; 256],
            classes: vec![Class {
                size: 0,
                tests: Vec::new(),
            }],
        }
    }

    /// Stores the size of the items with a tag, and the tests that valid items pass.
    pub(in crate::layout) fn learn(&mut self, tag: usize, size: u64, tests: &[Test]) {
        let Ok(size) = u16::try_from(size) else {
            return;
        };
        let place = |test: &Test| test.place(size.into());
        let Some(tests) = tests.iter().map(place).collect() else {
            return;
        };
        let class = Class { size, tests };
        let known = self.classes.iter().position(|known| *known == class);
        let index = known.unwrap_or(self.classes.len());
        if known.is_none() {
            self.classes.push(class);
        }
        if let Ok(index) = u8::try_from(index) {
            (self.size_of[tag], self.class_of[tag]) = (size, index);
        }
    }

    /// Returns the items at the start of `bytes`, at most `max`, up to the first one that fails a test or has an unknown tag.
    pub(in crate::layout) fn skip(&self, bytes: &[u8], max: u64) -> Skipped {
        let mut skipped = Skipped::default();
        loop {
            let rest = &bytes[skipped.size as usize..];
            let most = (max - skipped.items).min(BLOCK_SIZE as u64) as usize;
            let (items, size) = self.skip_block(rest, most);
            skipped.items += items as u64;
            skipped.size += size as u64;
            if items < BLOCK_SIZE {
                return skipped;
            }
        }
    }

    /// Returns the number and size of the items to skip at the start of `bytes`, at most `most`.
    #[inline(always)]
    fn skip_block(&self, bytes: &[u8], most: usize) -> (usize, usize) {
        let size = bytes
            .first_chunk()
            .map(|start| self.size_of[self.tag.of(u64::from_le_bytes(*start))]);
        let whole = match size {
            _ if most < BLOCK_SIZE => None,
            Some(4) => self.skip_array::<4>(bytes),
            Some(8) => self.skip_array::<8>(bytes),
            Some(12) => self.skip_array::<12>(bytes),
            Some(16) => self.skip_array::<16>(bytes),
            _ => None,
        };
        whole.unwrap_or_else(|| {
            let (block, end) = self.block(bytes, most);
            self.valid_items(bytes, &block, end)
        })
    }

    /// Returns the number and size of the items to skip in a block of items of the same size at the start of `bytes`; `None`
    /// if sizes differ.
    #[inline(always)]
    fn skip_array<const SIZE: usize>(&self, bytes: &[u8]) -> Option<(usize, usize)> {
        let (items, _) = bytes.as_chunks::<SIZE>();
        // After the block, there are bytes for the look-ahead of its last item.
        let [items @ .., _] = items.first_chunk::<{ BLOCK_SIZE + 1 }>()?;
        if self.tag.bits.offset + self.tag.bits.width > 8 * SIZE as u32 {
            return None;
        }
        let (tag, end) = (
            |item: &[u8; SIZE]| self.tag.of(number_in(item, 0)),
            SIZE * BLOCK_SIZE,
        );
        let first = self.class_of[tag(&items[0])];
        let differences = items
            .iter()
            .fold(0, |all, item| all | (self.class_of[tag(item)] ^ first));
        if differences == 0 && self.classes[usize::from(first)].are_valid(items) {
            return Some((BLOCK_SIZE, end));
        }
        let have_size = |all, item| all & (usize::from(self.size_of[tag(item)]) == SIZE);
        if !items.iter().fold(true, have_size) {
            return None;
        }
        let are_valid = self.classes.iter().enumerate().all(|(index, class)| {
            class.are_own_valid(items, |item| usize::from(self.class_of[tag(item)]) == index)
        });
        Some(if are_valid {
            (BLOCK_SIZE, end)
        } else {
            let block = Block {
                offsets: std::array::from_fn(|index| SIZE * index),
                classes: items.each_ref().map(|item| self.class_of[tag(item)]),
                len: BLOCK_SIZE,
            };
            self.valid_items(bytes, &block, end)
        })
    }

    /// Returns a block of at most `most` items of known sizes at the start of `bytes`, and its end.
    #[inline(always)]
    fn block(&self, bytes: &[u8], most: usize) -> (Block, usize) {
        let (mut block, mut end) = (Block::default(), 0);
        // The last items are walked over, since 8 bytes do not follow their start.
        while block.len < most
            && let Some(start) = bytes.get(end..).and_then(|bytes| bytes.first_chunk())
        {
            let tag = self.tag.of(u64::from_le_bytes(*start));
            let next = end + usize::from(self.size_of[tag]);
            if next == end || next > bytes.len() {
                break;
            }
            (block.offsets[block.len], block.classes[block.len]) = (end, self.class_of[tag]);
            block.len += 1;
            end = next;
        }
        (block, end)
    }

    /// Returns the number and size of the items in a block, which ends at `end`, up to the first invalid one.
    #[inline(always)]
    fn valid_items(&self, bytes: &[u8], block: &Block, end: usize) -> (usize, usize) {
        let (offsets, classes) = (&block.offsets[..block.len], &block.classes[..block.len]);
        let are_valid = self.classes.iter().enumerate().all(|(index, class)| {
            if class.tests.is_empty() {
                return true;
            }
            let (mut own, mut count) = ([0; BLOCK_SIZE], 0);
            for (offset, class) in offsets.iter().zip(classes) {
                own[count] = *offset;
                count += usize::from(usize::from(*class) == index);
            }
            class.are_valid_at(bytes, &own[..count])
        });
        if are_valid {
            return (block.len, end);
        }
        let is_valid = |(offset, class): (&usize, &u8)| {
            self.classes[usize::from(*class)].are_valid_at(bytes, &[*offset])
        };
        let valid = offsets.iter().zip(classes).position(|item| !is_valid(item));
        valid.map_or((block.len, end), |valid| (valid, offsets[valid]))
    }
}

/// Returns 8 bytes at an offset that is valid in every item, padded with zeros for smaller items.
#[inline(always)]
fn number_in<const SIZE: usize>(item: &[u8; SIZE], at: usize) -> u64 {
    let mut number = [0; 8];
    if SIZE < 8 {
        number[..SIZE].copy_from_slice(item);
    } else {
        let at = at.min(SIZE - 8);
        number.copy_from_slice(&item[at..at + 8]);
    }
    u64::from_le_bytes(number)
}

impl Walker<'_> {
    /// Skips items at `at` that need no walk, at most `max`.
    pub(super) fn skip_items(
        &mut self,
        space: &Space,
        at: u64,
        max: u64,
        items: &TaggedItems,
    ) -> Skipped {
        // The look-aheads of skipped items count against the limit, too. The item that exceeds it is walked over.
        let allowed = self.max_placed_bytes(space);
        let allowed = allowed.saturating_sub(self.costs.placed_bytes) / items.tag.lookahead;
        let max = max.min(allowed);
        let bytes = space.bytes.get(at as usize..).unwrap_or_default();
        let skipped = if self.is_muted {
            items.skip(bytes, max)
        } else {
            self.visitor.skip_items(&self.path, items.tag, bytes, max)
        };
        self.costs.placed_bytes += skipped.items * items.tag.lookahead;
        skipped
    }
}

impl VisitedItems {
    /// Returns how many items from `index` on are visited alike, in a list of `count` items.
    pub(super) fn alike(&self, index: u64, count: Option<u64>) -> u64 {
        let ends = self
            .ranges
            .iter()
            .flat_map(|range| [range.start, range.end]);
        let indexed = self
            .is_indexed
            .then(|| (index / INDEXED_ITEMS + 1) * INDEXED_ITEMS);
        let end = ends
            .chain(count)
            .chain(indexed)
            .filter(|end| *end > index)
            .min();
        end.unwrap_or(u64::MAX) - index
    }
}
