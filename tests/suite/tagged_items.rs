//! Lists of items whose tag determines their fields: the fast tests find what a walk over every item finds.

#![allow(
    dead_code,
    reason = "the declarations are only described, never decoded"
)]

use std::ops::ControlFlow;

use binrw::binread;
use meshspec::layout::expr::Value;
use meshspec::layout::tree::Tree;
use meshspec::layout::walk::{Node, Test, Visit, Visitor, path_text, walk};
use meshspec::layout::{Layout, check_bytes};
use meshspec::{Limits, Report, Rule, Severity, Span};
use modular_bitfield::prelude::*;
use proptest::prelude::*;

use crate::common::config;

/// Declares a list of tagged items. `$extra` are further fields of an item.
macro_rules! declare_list {
    ($name:ident, $Item:ident, [$($extra:tt)*]) => {
        mod $name {
            use super::*;

            #[derive(Layout)]
            #[br(little)]
            pub struct File {
                points: u8,
                strict: u8,
                #[br(count = points)]
                places: Vec<u8>,
                #[br(args { inner: (strict,) })]
                items: Vec<$Item>,
            }

            #[derive(Layout)]
            #[binread]
            #[br(little, import(strict: u8))]
            struct $Item {
                #[br(restore_position)]
                first: First,
                #[br(if(first.tag() == 0))]
                #[layout(holds(strict != 1), rule = VALUE, message = "a small item")]
                small: Option<Small>,
                #[br(if(first.tag() == 1 || first.tag() == 2))]
                large: Option<Large>,
                #[br(if(first.tag() == 3))]
                #[layout(unique, rule = UNIQUE)]
                number: Option<u16>,
                #[br(if(first.tag() == 4))]
                first_bits: Option<u16>,
                #[br(if(first.tag() == 4))]
                #[layout(one_of(7, 9, 11), rule = VALUE)]
                seven: Option<u8>,
                #[br(if(first.tag() == 4))]
                #[layout(index_into = places, rule = VALUE)]
                place: Option<u8>,
                #[br(if(first.tag() == 5))]
                pair: Option<Pair>,
                #[br(if(first.tag() == 6))]
                several: Option<Several>,
                #[br(if(first.tag() == 7))]
                #[br(big)]
                #[layout(below = 0xC600_0000, rule = VALUE)]
                big: Option<u32>,
                #[br(if(first.tag() == 8))]
                wide: Option<Wide>,
                #[br(if(first.tag() == 9 || first.tag() >= 13))]
                half: Option<Half>,
                #[br(if(first.tag() == 9))]
                levels: Option<Levels>,
                #[br(if(first.tag() == 9))]
                #[layout(below = 1000, rule = VALUE)]
                plain: Option<u32>,
                #[br(if(first.tag() == 9))]
                more: Option<u32>,
                #[br(if(first.tag() == 10))]
                signed: Option<SignedIndex>,
                #[br(if(first.tag() == 11))]
                own_limit: Option<OwnLimit>,
                #[br(if(first.tag() == 12))]
                #[layout(below = strict * 2000 - 2000, rule = VALUE)]
                below_negative: Option<u16>,
                #[br(if(first.tag() == 12), big)]
                big_levels: Option<BigLevels>,
                #[br(if(first.tag() == 15))]
                #[layout(below = 1000, rule = VALUE)]
                whole: Option<u64>,
                #[br(if(first.tag() == 13))]
                far: Option<Far>,
                #[br(if(first.tag() == 14))]
                #[layout(below = first.content(), rule = VALUE)]
                below_content: Option<u8>,
                $($extra)*
            }
        }
    };
}

declare_list!(tagged, Item, []);
// An item with a field that is not a number has no tag.
declare_list!(walked, WalkedItem, [
    #[br(count = 0)]
    none: Vec<u8>,
]);

static VALUE: Rule = Rule::new("VALUE", Severity::Error, "The value is valid.");
static UNIQUE: Rule = Rule::new("UNIQUE", Severity::Error, "The numbers are unique.");

#[derive(Layout)]
#[bitfield(bits = 32)]
#[binread]
#[br(map = Self::from_bytes)]
#[derive(Clone, Copy)]
struct First {
    #[layout(reserved)]
    content: B6,
    tag: B4,
    #[layout(reserved)]
    more: B22,
}

#[derive(Layout)]
#[bitfield(bits = 32)]
#[binread]
#[br(map = Self::from_bytes)]
struct Small {
    #[layout(index_into = places, rule = VALUE)]
    point: B6,
    tag: B4,
    #[layout(below = 0x3F_0000, rule = VALUE)]
    rest: B22,
}

/// Values with constraints for which there is no test.
#[derive(Layout)]
#[bitfield(bits = 16)]
#[binread]
#[br(map = Self::from_bytes)]
struct Several {
    low: B6,
    tag: B4,
    #[layout(one_of(1, 2, 5), rule = VALUE)]
    several: B3,
    #[layout(at_least = 3, rule = VALUE)]
    at_least: B3,
}

#[derive(Layout)]
#[bitfield(bits = 64)]
#[binread]
#[br(map = Self::from_bytes)]
struct Large {
    #[layout(index_into = places, none = 63, rule = VALUE)]
    point: B6,
    #[layout(one_of(1, 2), rule = VALUE)]
    tag: B4,
    #[layout(one_of(3), rule = VALUE)]
    one: B2,
    #[layout(holds(masked & 6 != 4), rule = VALUE, message = "found {found}")]
    masked: B5,
    #[layout(holds(other < 30), rule = VALUE, message = "found {found}")]
    other: B5,
    #[layout(below = 20, if(tag == 1), rule = VALUE)]
    by_tag: B5,
    unused: B5,
    #[layout(declared)]
    nested: Nested,
    end: B16,
}

#[derive(Layout)]
#[bitfield(bits = 16)]
#[derive(Specifier)]
struct Nested {
    #[layout(index_into = places, none = 0, rule = VALUE)]
    point: B8,
    #[layout(below = 200, rule = VALUE)]
    level: B8,
}

#[derive(Layout)]
#[bitfield(bits = 32)]
#[binread]
#[br(map = Self::from_bytes)]
struct Pair {
    low: B6,
    tag: B4,
    #[layout(holds(low < 9), rule = VALUE, message = "found {found}")]
    value: B22,
}

#[derive(Layout)]
#[bitfield(bits = 16)]
#[binread]
#[br(map = Self::from_bytes)]
struct Half {
    #[layout(below = 40, rule = VALUE)]
    low: B6,
    tag: B4,
    end: B6,
}

#[derive(Layout)]
#[bitfield(bits = 16)]
#[binread]
#[br(map = Self::from_bytes)]
struct Levels {
    #[layout(below = 200, rule = VALUE)]
    first: B8,
    #[layout(below = 100, rule = VALUE)]
    second: B8,
}

#[derive(Layout)]
#[bitfield(bits = 16)]
#[repr(u16)]
#[binread]
#[br(map = |word: u16| Self::from(word), big)]
struct BigLevels {
    #[layout(below = 200, rule = VALUE)]
    first: B8,
    #[layout(below = 100, rule = VALUE)]
    second: B8,
}

#[derive(Layout)]
#[bitfield(bits = 16)]
#[binread]
#[br(map = Self::from_bytes)]
struct SignedIndex {
    low: B6,
    tag: B4,
    #[layout(signed, index_into = places, rule = VALUE)]
    index: B6,
}

#[derive(Layout)]
#[bitfield(bits = 32)]
#[binread]
#[br(map = Self::from_bytes)]
struct OwnLimit {
    low: B6,
    tag: B4,
    limit: B6,
    #[layout(below = limit, rule = VALUE)]
    value: B16,
}

/// A number that does not fit a shifted number of 8 bytes.
#[derive(Layout)]
#[bitfield(bits = 72)]
#[binread]
#[br(map = Self::from_bytes)]
struct Far {
    start: B4,
    #[layout(below = 1000, rule = VALUE)]
    number: B62,
    end: B6,
}

/// A word that is larger than the numbers of the tests.
#[derive(Layout)]
#[bitfield(bits = 128)]
#[binread]
#[br(map = Self::from_bytes)]
struct Wide {
    #[layout(index_into = places, rule = VALUE)]
    point: B6,
    tag: B4,
    start: B44,
    #[layout(below = 1000, rule = VALUE)]
    across: B20,
    #[layout(holds(odd & 1 == 1), rule = VALUE, message = "found {found}")]
    odd: B26,
    #[layout(holds(flag == 0), rule = VALUE, message = "found {found}")]
    flag: bool,
    #[layout(one_of(5), rule = VALUE)]
    last: B27,
}

/// Returns the findings in a file, and the fault that ends it.
fn findings<T: Layout>(bytes: &[u8], limits: &Limits) -> (Vec<String>, Option<String>) {
    let mut report = Report::default();
    let result = check_bytes(&T::TYPE, bytes, limits, &mut report);
    let findings = report.findings().iter().map(ToString::to_string).collect();
    (findings, result.err().map(|fault| fault.to_string()))
}

/// Collects the values of some items.
struct Values {
    items: Visit,
    found: Vec<String>,
}

impl Visitor for Values {
    fn enter(&mut self, node: &Node) -> Visit {
        match path_text(node.path).as_str() {
            "items" => self.items.clone(),
            _ => Visit::All,
        }
    }

    fn visit_leaf(&mut self, node: &Node, value: &Value) -> ControlFlow<()> {
        self.found.push(format!(
            "{} at {:?}: {value}",
            path_text(node.path),
            node.span
        ));
        ControlFlow::Continue(())
    }

    fn leave(&mut self, node: &Node) -> ControlFlow<()> {
        if !path_text(node.path).ends_with(".none") {
            self.found.push(format!(
                "{} at {:?}: {:?}",
                path_text(node.path),
                node.span,
                node.count
            ));
        }
        ControlFlow::Continue(())
    }
}

fn values<T: Layout>(
    bytes: &[u8],
    items: &Visit,
    limits: &Limits,
) -> (Vec<String>, Option<String>) {
    let mut values = Values {
        items: items.clone(),
        found: Vec::new(),
    };
    let result = walk(&T::TYPE, bytes, limits, &mut values);
    (values.found, result.err().map(|fault| fault.to_string()))
}

/// Random numbers from which the fields of an item are drawn.
struct Draws<'d>(std::slice::Iter<'d, u32>);

impl Draws<'_> {
    /// Draws a value: usually a valid one, otherwise any.
    fn draw(&mut self, valid: impl IntoIterator<Item = u64>) -> u64 {
        let draw = self.0.next().copied().unwrap_or_default();
        let valid: Vec<u64> = valid.into_iter().collect();
        match draw % 12 {
            0 => u64::from(draw / 12),
            _ => valid
                .get((draw / 12) as usize % valid.len().max(1))
                .copied()
                .unwrap_or(0),
        }
    }
}

/// Returns an item with a tag: most of its values are valid in a list of `points` places.
fn item(tag: u64, points: u64, draws: &[u32]) -> Vec<u8> {
    let mut draws = Draws(draws.iter());
    let (mut word, mut width) = (0, 0);
    let mut put = |value: u64, bits: u32| {
        word |= u128::from(value & ((1 << bits) - 1)) << width;
        width += bits;
    };
    // The tag follows 6 bits in every item.
    put(draws.draw(0..points.clamp(1, 6)), 6);
    put(tag, 4);
    match tag {
        0 => put(draws.draw(0..128), 22),
        1 | 2 => {
            put(draws.draw([3]), 2);
            put(draws.draw((0..32).filter(|value| value & 6 != 4)), 5);
            put(draws.draw(0..30), 5);
            put(draws.draw(0..20), 5);
            put(draws.draw(0..32), 5);
            put(draws.draw(0..points), 8);
            put(draws.draw(0..200), 8);
            put(0, 16);
        }
        3 => put(draws.draw(0..64), 6),
        4 => {
            put(0, 6);
            put(draws.draw([7, 9, 11]), 8);
            put(draws.draw(0..points), 8);
        }
        5 => put(draws.draw([0, 1]), 22),
        6 => {
            put(draws.draw([1, 2, 5]), 3);
            put(draws.draw(3..8), 3);
        }
        // The first byte, which contains bits of the tag, is the most significant one.
        7 => put(0, 22),
        9 => {
            put(0, 6);
            put(draws.draw(0..200), 8);
            put(draws.draw(0..100), 8);
            // The last two numbers look like further items.
            put(draws.draw([tag << 6]), 32);
            put(draws.draw([tag << 6]), 32);
        }
        10 => put(draws.draw(0..32), 6),
        11 => {
            put(draws.draw(20..40), 6);
            put(draws.draw(0..20), 16);
        }
        12 => {
            put(0, 6);
            put(draws.draw(0..100), 8);
            put(draws.draw(0..200), 8);
        }
        13 => {
            put(0, 6);
            put(0, 4);
            put(draws.draw(0..1000), 32);
            put(draws.draw([0, 0, 0, 1, 1 << 28]), 36);
        }
        14 => {
            put(0, 6);
            put(draws.draw(0..2), 8);
        }
        15 => {
            put(0, 6);
            put(draws.draw(0..1000), 32);
            put(draws.draw([0, 0, 0, 1]), 32);
        }
        _ => {
            put(draws.draw(0..100), 44);
            put(draws.draw(0..1000), 20);
            put(draws.draw([1, 3]), 26);
            put(draws.draw([0]), 1);
            put(draws.draw([5]), 27);
        }
    }
    word.to_le_bytes()[..width.div_ceil(8) as usize].to_vec()
}

/// Returns limits; the lower one is exceeded by the look-aheads of small items.
fn limits() -> impl Strategy<Value = Limits> {
    prop::sample::select(vec![0, u64::MAX])
        .prop_map(|bytes| Limits::default().with_max_decoded(bytes))
}

/// Returns files whose items are mostly valid. Half of them end at any byte.
fn files() -> impl Strategy<Value = Vec<u8>> {
    let items = prop::collection::vec((any::<prop::sample::Index>(), any::<[u32; 10]>()), 0..120);
    let tags = prop::collection::vec(0..16_u64, 1..4);
    let points = prop::sample::select(vec![0_u8, 1, 20, 70]);
    let end = prop::option::of(any::<prop::sample::Index>());
    (items, tags, points, 0..3_u8, end).prop_map(|(items, tags, points, strict, end)| {
        let places = std::iter::repeat_n(0, points.into());
        let items = items
            .iter()
            .flat_map(|(tag, draws)| item(*tag.get(&tags), points.into(), draws));
        let mut bytes: Vec<u8> = [points, strict]
            .into_iter()
            .chain(places)
            .chain(items)
            .collect();
        if let Some(end) = end {
            bytes.truncate(end.index(bytes.len()));
        }
        bytes
    })
}

proptest! {
    #![proptest_config(config(2000, "tagged_items"))]

    /// Skipping the items that pass the tests loses no finding.
    #[test]
    fn tests_find_what_a_walk_finds(bytes in files(), limits in limits()) {
        prop_assert_eq!(
            findings::<tagged::File>(&bytes, &limits),
            findings::<walked::File>(&bytes, &limits)
        );
    }

    /// Skipping items that are not visited changes nothing for the others.
    #[test]
    fn skipped_items_have_the_sizes_of_a_walk(
        bytes in files(),
        first in 0..20_u64,
        last in 0..20_u64,
        limits in limits(),
    ) {
        for items in [
            Visit::All,
            Visit::Items(first..first + last),
            Visit::Ends { first, last },
            Visit::Index,
            Visit::Nothing,
        ] {
            prop_assert_eq!(
                values::<tagged::File>(&bytes, &items, &limits),
                values::<walked::File>(&bytes, &items, &limits)
            );
        }
    }
}

/// Returns a file with these items and 70 places.
fn file(items: &[Vec<u8>]) -> Vec<u8> {
    [&[70, 0], &*vec![0; 70], &items.concat()].concat()
}

/// In lists of items of the common sizes, alike or mixed, one violation is found anywhere.
#[test]
fn a_violation_among_valid_items_is_found() {
    // The bytes whose highest values are invalid.
    for (tags, wrong_byte) in [
        (&[0][..], 3),
        (&[1], 5),
        (&[9], 5),
        (&[8], 15),
        (&[1, 2], 5),
        (&[0, 5], 3),
        (&[0, 1, 8, 9], 3),
    ] {
        let tags = tags.iter().copied().cycle().take(10_000);
        let valid: Vec<_> = tags.map(|tag| item(tag, 70, &[1; 10])).collect();
        let bytes = file(&valid);
        assert_eq!(
            findings::<tagged::File>(&bytes, &Limits::default()),
            (vec![], None)
        );
        for wrong in [0, 32, 60, 64, 96, 9_960, 9_996] {
            let mut items = valid.clone();
            items[wrong][wrong_byte] = 0xff;
            let (found, fault) = findings::<tagged::File>(&file(&items), &Limits::default());
            assert_eq!(fault, None);
            let place = format!("items[{wrong}].");
            assert!(
                found.len() == 1 && found[0].starts_with(&place),
                "{place}: {found:?}"
            );
        }
    }
}

/// Counts the items that are visited, and accepts all others.
#[derive(Default)]
struct VisitedItems(Vec<String>);

impl Visitor for VisitedItems {
    fn item_tests(&mut self) -> Option<Vec<Test>> {
        Some(Vec::new())
    }

    fn leave(&mut self, node: &Node) -> ControlFlow<()> {
        let path = path_text(node.path);
        if path.starts_with("items[") && path.ends_with(']') {
            self.0.push(path);
        }
        ControlFlow::Continue(())
    }
}

/// One item with each tag is visited, and no other.
#[test]
fn items_that_pass_are_skipped() {
    let items = [0, 1, 1, 8, 9, 0, 8].repeat(100);
    let items: Vec<_> = items.iter().map(|tag| item(*tag, 70, &[1; 10])).collect();
    let bytes = file(&items);
    let mut visited = VisitedItems::default();
    walk(
        &tagged::File::TYPE,
        &bytes,
        &Limits::default(),
        &mut visited,
    )
    .unwrap();
    assert_eq!(visited.0, ["items[0]", "items[1]", "items[3]", "items[4]"]);
    let mut visited = VisitedItems::default();
    walk(
        &walked::File::TYPE,
        &bytes,
        &Limits::default(),
        &mut visited,
    )
    .unwrap();
    assert_eq!(visited.0.len(), items.len());
}

/// Trees, which store the offset of every 64th item, read all items.
#[test]
fn items_of_trees_are_at_their_places() {
    let tags = [1, 0, 9, 0].repeat(80);
    let items: Vec<_> = tags.iter().map(|tag| item(*tag, 70, &[1; 10])).collect();
    let bytes = file(&items);
    let tree = Tree::read(&tagged::File::TYPE, &bytes, &Limits::default()).unwrap();
    let mut start = 72;
    for (index, item) in items.iter().enumerate() {
        let read = tree.get(format!("items[{index}]").as_str()).unwrap();
        let end = start + item.len() as u64;
        assert_eq!(read.span(), Some(&Span::Bytes(start..end)), "{index}");
        start = end;
    }
}

/// Limits that differ for each tag give each tag its own test.
#[test]
fn every_tag_may_have_other_limits() {
    #[derive(Layout)]
    #[br(little)]
    struct File {
        items: Vec<Item>,
    }

    #[derive(Layout)]
    #[binread]
    #[br(little)]
    struct Item {
        #[br(restore_position)]
        first: u8,
        #[br(if(first == 0))]
        none: Option<u32>,
        #[br(if(first != 0))]
        word: Option<Word>,
    }

    #[derive(Layout)]
    #[bitfield(bits = 32)]
    #[binread]
    #[br(map = Self::from_bytes)]
    struct Word {
        tag: B8,
        #[layout(below = tag, rule = VALUE)]
        value: B24,
    }

    let items = |value: fn(u8) -> u8| -> Vec<u8> {
        let tags = (0..=255).chain([1, 2, 254, 255].repeat(40));
        tags.flat_map(|tag| [tag, value(tag), 0, 0]).collect()
    };
    let (found, fault) = findings::<File>(&items(|tag| tag.max(1) - 1), &Limits::default());
    assert_eq!((found, fault), (vec![], None));
    let wrong = |tag: u8| if tag == 254 { 254 } else { tag.max(1) - 1 };
    let (found, _) = findings::<File>(&items(wrong), &Limits::default());
    assert_eq!(found.len(), 41);
}

/// A tag may lie in the bytes of the next item.
#[test]
fn a_tag_may_lie_after_its_item() {
    #[derive(Layout)]
    #[br(little)]
    struct File {
        items: Vec<Item>,
    }

    #[derive(Layout)]
    #[binread]
    #[br(little)]
    struct Item {
        #[br(restore_position)]
        next: Next,
        #[br(if(next.tag() == 0))]
        below_nine: Option<BelowNine>,
        #[br(if(next.tag() == 1))]
        below_five: Option<BelowFive>,
    }

    #[derive(Layout)]
    #[bitfield(bits = 64)]
    #[binread]
    #[br(map = Self::from_bytes)]
    struct Next {
        own: B32,
        start: B8,
        tag: B8,
        end: B16,
    }

    #[derive(Layout)]
    #[bitfield(bits = 32)]
    #[binread]
    #[br(map = Self::from_bytes)]
    struct BelowNine {
        #[layout(below = 9, rule = VALUE)]
        value: B8,
        rest: B24,
    }

    #[derive(Layout)]
    #[bitfield(bits = 32)]
    #[binread]
    #[br(map = Self::from_bytes)]
    struct BelowFive {
        #[layout(below = 5, rule = VALUE)]
        value: B8,
        rest: B24,
    }

    // The second byte of each item is the tag of the item before it.
    let mut items = [[8, 0, 0, 0]; 200];
    items[100] = [4, 0, 0, 0];
    items[101] = [4, 1, 0, 0];
    let (found, _) = findings::<File>(items.as_flattened(), &Limits::default());
    assert_eq!(found, Vec::<String>::new());
    items[100] = [8, 0, 0, 0];
    let (found, _) = findings::<File>(items.as_flattened(), &Limits::default());
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].starts_with("items[100].below_five.value"),
        "{found:?}"
    );
}

/// Declares a list of items with these fields.
macro_rules! declare_items {
    ($name:ident, { $($fields:tt)* }) => {
        mod $name {
            use super::*;

            #[derive(Layout)]
            #[br(little)]
            pub struct File {
                items: Vec<Item>,
            }

            #[derive(Layout)]
            #[binread]
            #[br(little)]
            struct Item {
                $($fields)*
            }
        }
    };
}

declare_items!(nested, {
    #[br(restore_position)]
    first: u8,
    #[br(if(first == 0))]
    body: Option<Body>,
});

declare_items!(big, {
    #[br(restore_position)]
    first: u8,
    #[br(if(first == 1), big)]
    #[layout(one_of(0x0105), rule = VALUE)]
    word: Option<u16>,
});

declare_items!(counted, {
    #[br(restore_position)]
    first: u8,
    #[br(count = first)]
    #[layout(below = 9, rule = VALUE)]
    values: Vec<u8>,
});

declare_items!(enumerated, {
    #[br(restore_position)]
    first: u8,
    #[br(if(first == 0))]
    number: Option<u16>,
    #[br(if(first == 0))]
    kind: Option<Kind>,
});

declare_items!(two_conditions, {
    #[br(restore_position)]
    first: u8,
    #[br(if(first == 0))]
    number: Option<u16>,
    kind: u8,
    #[br(if(kind == 1))]
    more: Option<u16>,
    #[layout(below = 9, rule = VALUE)]
    last: u8,
});

declare_items!(two_bit_fields, {
    #[br(restore_position)]
    first: TwoBits,
    #[br(if(first.high() == 1))]
    number: Option<u16>,
    #[br(if(first.low() == 1))]
    other: Option<u16>,
    #[layout(below = 0x80, rule = VALUE)]
    last: u8,
});

declare_items!(placed, {
    #[br(restore_position)]
    first: u8,
    #[br(if(first == 0))]
    number: Option<u32>,
    #[br(if(first == 0), seek_before = std::io::SeekFrom::Start(2), restore_position)]
    #[layout(below = 9, rule = VALUE)]
    second: Option<u8>,
});

declare_items!(big_lookahead, {
    #[br(restore_position, big)]
    first: BigFirst,
    #[br(if(first.tag() == 1))]
    number: Option<u16>,
    #[br(if(first.tag() == 2), big)]
    #[layout(below = 9, rule = VALUE)]
    small: Option<u16>,
});

declare_items!(wide_tag, {
    #[br(restore_position)]
    first: u16,
    #[br(if(first == 0x0101))]
    number: Option<u16>,
    #[br(if(first != 0x0101))]
    #[layout(below = 9, rule = VALUE)]
    small: Option<u16>,
});

#[derive(Layout)]
#[binread]
#[br(little)]
struct Body {
    tag: u8,
    limit: u8,
    #[layout(below = limit, rule = VALUE)]
    value: u8,
    #[layout(below = 9, rule = VALUE)]
    values: [u8; 2],
}

#[derive(Layout)]
#[binread]
#[br(little, repr = u8)]
enum Kind {
    First = 1,
    Second = 2,
}

#[derive(Layout)]
#[bitfield(bits = 8)]
#[binread]
#[br(map = Self::from_bytes)]
#[derive(Clone, Copy)]
struct TwoBits {
    low: B1,
    between: B6,
    high: B1,
}

#[derive(Layout)]
#[bitfield(bits = 16)]
#[repr(u16)]
#[binread]
#[br(map = |word: u16| Self::from(word), big)]
#[derive(Clone, Copy)]
struct BigFirst {
    tag: B4,
    #[layout(reserved)]
    rest: B12,
}

/// Items that need more than the tests for their tag are visited: their fields depend on other values, or constraints
/// refer to other values, or to bytes in another order.
#[test]
fn other_items_are_visited() {
    /// Returns the paths of the findings in 40 valid items, these ones, and 40 valid items; and the fault.
    fn paths<T: Layout>(valid: &[u8], others: &[&[u8]]) -> (Vec<String>, bool) {
        let bytes = [&valid.repeat(40), &*others.concat(), &valid.repeat(40)].concat();
        let (found, fault) = findings::<T>(&bytes, &Limits::default());
        let path = |finding: &String| finding.split(' ').next().unwrap().to_owned();
        (found.iter().map(path).collect(), fault.is_some())
    }
    let found = |paths: &[&str]| {
        let paths: Vec<_> = paths.iter().map(|path| (*path).to_owned()).collect();
        (paths, false)
    };
    assert_eq!(
        paths::<nested::File>(&[0, 5, 4, 8, 8], &[&[0, 3, 4, 8, 8], &[0, 5, 4, 8, 9]]),
        found(&["items[40].body.value", "items[41].body.values"])
    );
    assert_eq!(
        paths::<big::File>(&[1, 5], &[&[1, 6]]),
        found(&["items[40].word"])
    );
    assert_eq!(
        paths::<counted::File>(&[2, 5], &[&[2, 9]]),
        found(&["items[40].values[1]"])
    );
    assert_eq!(
        paths::<enumerated::File>(&[0, 0, 2], &[&[0, 0, 3]]),
        (vec![], true)
    );
    // The fields of the item that follows the number of the second one.
    assert_eq!(
        paths::<two_conditions::File>(&[0, 0, 0, 8], &[&[0, 0, 1, 0, 0, 9], &[0, 0, 1, 9, 9, 8]]),
        found(&["items[40].last"])
    );
    assert_eq!(
        paths::<two_bit_fields::File>(&[0x80, 0, 0], &[&[0x81, 0, 0, 0, 0x80], &[1, 0, 0x80]]),
        found(&["items[40].last", "items[41].last"])
    );
    // All items refer to the same byte, at offset 2.
    let (found_places, _) = paths::<placed::File>(&[0, 0, 9, 0], &[&[0; 4]]);
    assert_eq!(found_places.len(), 81);
    assert_eq!(
        paths::<big_lookahead::File>(&[2, 1], &[&[0, 2], &[2, 2]]),
        found(&["items[41].small"])
    );
    assert_eq!(
        paths::<wide_tag::File>(&[1, 1], &[&[1, 0], &[1, 9]]),
        found(&["items[41].small"])
    );
}
