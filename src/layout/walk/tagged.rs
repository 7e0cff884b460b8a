//! Skips items of a list whose [tag](Tag) determines their fields.

use super::item_layout::INDEXED_ITEMS;
use super::space::Space;
use super::walker::{VisitedItems, Walked, Walker};
use crate::layout::declaration::{BitRange, Type};
use crate::layout::program::{FormId, Item, Tag};

/// The number of items that are tested together, since a branch per item would be unpredictable in a mixed list. Larger
/// blocks are not faster.
const BLOCK_SIZE: usize = 32;

/// The sizes and tests of the items of a list, by tag.
pub(super) struct TaggedItems {
    tag: Tag,
    /// Whether the walk hides the items from the visitor.
    are_muted: bool,
    /// Whether an item with the tag was walked over.
    is_known: [bool; 256],
    /// The size of the items with each tag; 0 if they must be walked over.
    size_of: [u16; 256],
    /// The index of the class of the items with each tag. Items that must be walked over have the first class.
    class_of: [u8; 256],
    classes: Vec<Class>,
}

/// An item whose [tag](Tag) determines its fields.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct TaggedItem {
    pub(in crate::layout) tag: Tag,
    /// The offset of the item, as in the spans of its values.
    pub(in crate::layout) start: u64,
    pub(in crate::layout) ty: &'static Type,
}

/// Some bits of an item, and their valid values.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Test {
    /// The position of the bits in the item.
    pub(in crate::layout) bits: BitRange,
    pub(in crate::layout) values: Values,
}

/// The valid values of an unsigned integer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::layout) struct Values {
    /// The bits that matter.
    pub mask: u64,
    /// Bits that are inverted before the comparison.
    pub inverted: u64,
    /// The smallest and the largest valid value, at most [`Values::MAX`]. If the largest is smaller, no value is valid.
    pub range: (u64, u64),
}

impl Values {
    /// The largest number in a range, so that the sign of a difference shows which number is larger.
    pub const MAX: u64 = u64::MAX >> 1;
}

/// Consecutive items of known sizes.
struct Block {
    offsets: [usize; BLOCK_SIZE],
    classes: [u8; BLOCK_SIZE],
    /// The number of items.
    len: usize,
    /// The size of all items in bytes.
    size: usize,
}

/// Items of the same size whose values have the same valid ranges.
#[derive(PartialEq)]
struct Class {
    size: u16,
    tests: Vec<PlacedTest>,
}

/// A [`Test`] of a number of 8 bytes in the item, or of the whole item if it is smaller.
#[derive(Clone, Copy, PartialEq)]
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

/// Items at the start of a list, or of what remains of it.
#[derive(Clone, Copy, Default)]
pub(super) struct Skipped {
    pub items: u64,
    /// The size of the items in bytes.
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
    /// Returns a number below 2^63 if the value is in the range: the sign of a difference shows which number is larger.
    /// Without branches, the compiler vectorises loops.
    #[inline(always)]
    fn sign(self, number: u64) -> u64 {
        let value = ((number >> self.shift) & self.mask) ^ self.inverted;
        let distance = value.wrapping_sub(self.low);
        distance | self.span.wrapping_sub(distance)
    }

    /// Like [`sign`](PlacedTest::sign), for a range that starts at 0 and no inverted bits.
    #[inline(always)]
    fn sign_from_zero(self, number: u64) -> u64 {
        self.span.wrapping_sub((number >> self.shift) & self.mask)
    }
}

impl Class {
    /// Returns `true` if all items, which are consecutive, pass all tests.
    #[inline(always)]
    fn are_valid<const SIZE: usize>(&self, items: &[[u8; SIZE]]) -> bool {
        self.tests.iter().all(|test| {
            let numbers = items.iter().map(|item| number_in(item, test.at));
            // Most values are only bounded from above: a third less time for the faces of BMD.
            let signs = if (test.low, test.inverted) == (0, 0) {
                numbers.fold(0, |signs, number| signs | test.sign_from_zero(number))
            } else {
                numbers.fold(0, |signs, number| signs | test.sign(number))
            };
            signs >> 63 == 0
        })
    }

    /// Returns `true` if those items pass all tests whose class has this index. `classes` are the classes of the items.
    #[inline(always)]
    fn are_own_valid<const SIZE: usize>(
        &self,
        items: &[[u8; SIZE]],
        classes: &[u8],
        index: u8,
    ) -> bool {
        self.tests.iter().all(|test| {
            let signs = items.iter().zip(classes).fold(0, |signs, (item, class)| {
                let mask = 0_u64.wrapping_sub((*class == index).into());
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
    pub fn new(tag: Tag) -> TaggedItems {
        TaggedItems {
            tag,
            are_muted: false,
            is_known: [false; 256],
            size_of: [0; 256],
            class_of: [0; 256],
            classes: vec![Class {
                size: 0,
                tests: Vec::new(),
            }],
        }
    }

    /// Returns the tag of the item at the start of `bytes` if no item with the tag was walked over.
    pub fn unknown_tag(&self, bytes: &[u8]) -> Option<usize> {
        self.tag.read(bytes).filter(|tag| !self.is_known[*tag])
    }

    /// Returns `true` if the walk knows tests for the item at the start of `bytes`.
    #[inline(always)]
    fn may_skip(&self, bytes: &[u8]) -> bool {
        bytes.first_chunk().is_some_and(|start| {
            let tag = self.tag.of(u64::from_le_bytes(*start));
            self.size_of[tag] > 0
        })
    }

    /// Stores the size of the items with a tag, and the tests that valid items pass; `None` if the items must be walked
    /// over.
    pub fn learn(&mut self, tag: usize, size: u64, tests: Option<Vec<Test>>) {
        self.is_known[tag] = true;
        let (Some(tests), Ok(size)) = (tests, u16::try_from(size)) else {
            return;
        };
        let place = |test: &Test| test.place(size.into());
        let Some(tests) = tests.iter().map(place).collect() else {
            return;
        };
        let class = Class { size, tests };
        let known = self.classes.iter().position(|known| *known == class);
        let Ok(index) = u8::try_from(known.unwrap_or(self.classes.len())) else {
            return;
        };
        if known.is_none() {
            self.classes.push(class);
        }
        self.size_of[tag] = size;
        self.class_of[tag] = index;
    }

    /// Returns the items at the start of `bytes`, at most `max`, up to the first one that fails a test or has an
    /// unknown tag.
    fn skip(&self, bytes: &[u8], max: u64) -> Skipped {
        let mut skipped = Skipped::default();
        loop {
            let rest = &bytes[skipped.size as usize..];
            let most = (max - skipped.items).min(BLOCK_SIZE as u64) as usize;
            let Skipped { items, size } = self.skip_block(rest, most);
            skipped.items += items;
            skipped.size += size;
            if items < BLOCK_SIZE as u64 {
                return skipped;
            }
        }
    }

    /// Like [`skip`](TaggedItems::skip), for at most one block.
    #[inline(always)]
    fn skip_block(&self, bytes: &[u8], most: usize) -> Skipped {
        let size = bytes.first_chunk().map_or(0, |start| {
            self.size_of[self.tag.of(u64::from_le_bytes(*start))]
        });
        // The common sizes of packed items. The compiler vectorises loops over arrays.
        let skipped = match size {
            _ if most < BLOCK_SIZE => None,
            4 => self.skip_array::<4>(bytes),
            8 => self.skip_array::<8>(bytes),
            12 => self.skip_array::<12>(bytes),
            16 => self.skip_array::<16>(bytes),
            _ => None,
        };
        skipped.unwrap_or_else(|| self.valid_part(bytes, &self.block(bytes, most)))
    }

    /// Like [`skip`](TaggedItems::skip), for a whole block of valid items of the same size; `None` if an item is
    /// invalid or has another size.
    #[inline(always)]
    fn skip_array<const SIZE: usize>(&self, bytes: &[u8]) -> Option<Skipped> {
        let (items, _) = bytes.as_chunks::<SIZE>();
        // After the block, there are bytes for the look-ahead of its last item.
        let [items @ .., _] = items.first_chunk::<{ BLOCK_SIZE + 1 }>()?;
        if self.tag.bits.offset + self.tag.bits.width > 8 * SIZE as u32 {
            return None;
        }
        let classes: [u8; BLOCK_SIZE] =
            std::array::from_fn(|index| self.class_of[self.tag.of(number_in(&items[index], 0))]);
        let first = classes[0];
        let differences = classes.iter().fold(0, |all, class| all | (class ^ first));
        let are_valid = if differences == 0 {
            self.classes[usize::from(first)].are_valid(items)
        } else {
            let have_size = classes.iter().fold(true, |all, class| {
                all & (usize::from(self.classes[usize::from(*class)].size) == SIZE)
            });
            have_size
                && self
                    .classes
                    .iter()
                    .zip(0..=u8::MAX)
                    .all(|(class, index)| class.are_own_valid(items, &classes, index))
        };
        are_valid.then_some(Skipped {
            items: BLOCK_SIZE as u64,
            size: (SIZE * BLOCK_SIZE) as u64,
        })
    }

    /// Returns a block of at most `most` items of known sizes at the start of `bytes`.
    #[inline(always)]
    fn block(&self, bytes: &[u8], most: usize) -> Block {
        let mut block = Block {
            offsets: [0; BLOCK_SIZE],
            classes: [0; BLOCK_SIZE],
            len: 0,
            size: 0,
        };
        // The last items are walked over, since 8 bytes do not follow their start.
        while block.len < most
            && let Some(start) = bytes
                .get(block.size..)
                .and_then(|bytes| bytes.first_chunk())
        {
            let tag = self.tag.of(u64::from_le_bytes(*start));
            let end = block.size + usize::from(self.size_of[tag]);
            if end == block.size || end > bytes.len() {
                break;
            }
            block.offsets[block.len] = block.size;
            block.classes[block.len] = self.class_of[tag];
            block.len += 1;
            block.size = end;
        }
        block
    }

    /// Returns the items of a block up to the first invalid one.
    #[inline(always)]
    fn valid_part(&self, bytes: &[u8], block: &Block) -> Skipped {
        let offsets = &block.offsets[..block.len];
        let classes = &block.classes[..block.len];
        let mut is_tested = [false; 256];
        let are_valid = classes.iter().all(|index| {
            let class = &self.classes[usize::from(*index)];
            let was_tested = std::mem::replace(&mut is_tested[usize::from(*index)], true);
            if was_tested || class.tests.is_empty() {
                return true;
            }
            // Without branches, since classes alternate unpredictably.
            let (mut own, mut count) = ([0; BLOCK_SIZE], 0);
            for (offset, other) in offsets.iter().zip(classes) {
                own[count] = *offset;
                count += usize::from(other == index);
            }
            class.are_valid_at(bytes, &own[..count])
        });
        let is_invalid = |(offset, class): (&usize, &u8)| {
            !self.classes[usize::from(*class)].are_valid_at(bytes, &[*offset])
        };
        let invalid = match are_valid {
            true => None,
            false => offsets.iter().zip(classes).position(is_invalid),
        };
        Skipped {
            items: invalid.unwrap_or(block.len) as u64,
            size: invalid.map_or(block.size, |invalid| offsets[invalid]) as u64,
        }
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
    /// Returns what a walk over a list of `count` items needs to skip some of them; `None` if it visits all of them.
    pub(super) fn tagged_items(&self, form: FormId, count: Option<u64>) -> Option<TaggedItems> {
        // The walk visits one item with each tag, so little of a short list remains to be skipped.
        let is_short = count.is_some_and(|count| count < BLOCK_SIZE as u64);
        let tag = self.program.tag_of(form).filter(|_| !is_short)?;
        Some(TaggedItems::new(tag))
    }

    /// Skips items at `at` that need no walk. `max` returns the largest number of items to skip.
    pub(super) fn skip_items(
        &mut self,
        space: &Space,
        at: u64,
        items: &mut TaggedItems,
        max: impl FnOnce() -> u64,
    ) -> Skipped {
        if self.is_muted != items.are_muted {
            // The visitor may need the items that the walk could skip before.
            *items = TaggedItems {
                are_muted: self.is_muted,
                ..TaggedItems::new(items.tag)
            };
        }
        let bytes = space.bytes_from(at);
        if !items.may_skip(bytes) {
            return Skipped::default();
        }
        // The look-aheads of skipped items count against the limit, too. The item that exceeds it is walked over.
        let allowed = self.max_placed_bytes(space);
        let allowed = allowed.saturating_sub(self.costs.placed_bytes) / items.tag.lookahead;
        let skipped = items.skip(bytes, max().min(allowed));
        self.costs.placed_bytes += skipped.items * items.tag.lookahead;
        skipped
    }

    /// Walks over the item of a list at `at`. Returns its end.
    pub(super) fn walk_tagged_item(
        &mut self,
        space: &Space,
        at: u64,
        item: &Item,
        items: &mut TaggedItems,
    ) -> Walked<u64> {
        let Some(tag) = items.unknown_tag(space.bytes_from(at)) else {
            return self.walk_value(space, at, item);
        };
        if !self.is_muted {
            self.visitor.start_item(TaggedItem {
                tag: items.tag,
                start: space.span(at..at).range().start,
                ty: self.program.forms[item.form].ty,
            });
        }
        let end = self.walk_value(space, at, item)?;
        let tests = match self.is_muted {
            true => Some(Vec::new()),
            false => self.visitor.item_tests(),
        };
        items.learn(tag, end - at, tests);
        Ok(end)
    }
}

impl VisitedItems {
    /// Returns the number of items, starting with the one at `index`, that are all visited or all hidden. The list has
    /// `count` items.
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
