//! Lists of items whose tag determines their fields: the fast tests find what a walk over every item finds.

#![allow(
    dead_code,
    reason = "the declarations are only described, never decoded"
)]

use std::ops::ControlFlow;

use binrw::binread;
use meshspec::layout::expr::Value;
use meshspec::layout::walk::{Node, Visit, Visitor, path_text, walk};
use meshspec::layout::{Layout, check_bytes};
use meshspec::{Limits, Report, Rule, Severity};
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
                limit: Option<u8>,
                #[br(if(first.tag() == 4))]
                #[layout(index_into = limit, rule = VALUE)]
                number_below: Option<u8>,
                #[br(if(first.tag() == 5))]
                pair: Option<Pair>,
                #[br(if(first.tag() == 6))]
                several: Option<Several>,
                #[br(if(first.tag() >= 6))]
                #[br(big)]
                #[layout(below = 60_000, rule = VALUE)]
                rest: Option<u32>,
                $($extra)*
            }
        }
    };
}

declare_list!(tagged, Item, []);
// A list with a count has no fixed size.
declare_list!(walked, WalkedItem, [
    #[br(count = 0)]
    none: Vec<u8>,
]);

static VALUE: Rule = Rule::new("VALUE", Severity::Error, "The value is valid.");
static UNIQUE: Rule = Rule::new("UNIQUE", Severity::Error, "The numbers are unique.");

#[derive(Layout)]
#[bitfield(bits = 16)]
#[binread]
#[br(map = Self::from_bytes)]
#[derive(Clone, Copy)]
struct First {
    #[layout(reserved)]
    content: B6,
    tag: B3,
    #[layout(reserved)]
    more: B7,
}

#[derive(Layout)]
#[bitfield(bits = 32)]
#[binread]
#[br(map = Self::from_bytes)]
struct Small {
    #[layout(index_into = places, rule = VALUE)]
    point: B6,
    tag: B3,
    rest: B23,
}

/// Values with constraints that no range expresses.
#[derive(Layout)]
#[bitfield(bits = 16)]
#[binread]
#[br(map = Self::from_bytes)]
struct Several {
    low: B6,
    tag: B3,
    #[layout(one_of(1, 2, 5), rule = VALUE)]
    several: B3,
    #[layout(at_least = 3, rule = VALUE)]
    at_least: B4,
}

#[derive(Layout)]
#[bitfield(bits = 64)]
#[binread]
#[br(map = Self::from_bytes)]
struct Large {
    #[layout(index_into = places, none = 63, rule = VALUE)]
    point: B6,
    #[layout(one_of(1, 2), rule = VALUE)]
    tag: B3,
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
    end: B17,
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
    tag: B3,
    #[layout(holds(low < 9), rule = VALUE, message = "found {found}")]
    value: B23,
}

/// Returns the findings in a file, and the fault that ends it.
fn findings<T: Layout>(bytes: &[u8]) -> (Vec<String>, Option<String>) {
    let mut report = Report::default();
    let result = check_bytes(&T::TYPE, bytes, &Limits::default(), &mut report);
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

fn values<T: Layout>(bytes: &[u8], items: &Visit) -> (Vec<String>, Option<String>) {
    let mut values = Values {
        items: items.clone(),
        found: Vec::new(),
    };
    let result = walk(&T::TYPE, bytes, &Limits::default(), &mut values);
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
    put(draws.draw(0..points.max(1)), 6);
    put(tag, 3);
    match tag {
        0 => put(draws.draw(0..128), 23),
        3 => put(draws.draw(0..128), 7),
        1 | 2 => {
            put(draws.draw([3]), 2);
            put(draws.draw((0..32).filter(|value| value & 6 != 4)), 5);
            put(draws.draw(0..30), 5);
            put(draws.draw(0..20), 5);
            put(draws.draw(0..32), 5);
            put(draws.draw(0..points), 8);
            put(draws.draw(0..200), 8);
            put(0, 17);
        }
        4 => {
            put(0, 7);
            put(draws.draw([7, 9, 11]), 8);
            put(draws.draw(0..12), 8);
        }
        5 => put(draws.draw([0, 1]), 23),
        6 => {
            put(draws.draw([1, 2, 5]), 3);
            put(draws.draw(3..16), 4);
        }
        _ => put(0, 7),
    }
    match tag {
        // The number is in big-endian byte order.
        6 => {
            put(0, 24);
            put(draws.draw(0..200), 8);
        }
        // The number starts with the tag, so it is too large.
        7 => put(draws.draw([0]), 16),
        _ => {}
    }
    word.to_le_bytes()[..width.div_ceil(8) as usize].to_vec()
}

/// Returns files whose items are mostly valid.
fn files() -> impl Strategy<Value = Vec<u8>> {
    let items = prop::collection::vec((any::<prop::sample::Index>(), any::<[u32; 10]>()), 0..120);
    let tags = prop::collection::vec(0..8_u64, 1..4);
    let points = prop::sample::select(vec![0_u8, 1, 20, 70]);
    (items, tags, points, 0..3_u8).prop_map(|(items, tags, points, strict)| {
        let places = std::iter::repeat_n(0, points.into());
        let items = items
            .iter()
            .flat_map(|(tag, draws)| item(*tag.get(&tags), points.into(), draws));
        [points, strict]
            .into_iter()
            .chain(places)
            .chain(items)
            .collect()
    })
}

proptest! {
    #![proptest_config(config(2000, "tagged_items"))]

    /// Skipping the items that pass the tests loses no finding.
    #[test]
    fn tests_by_tag_find_what_a_walk_finds(bytes in files()) {
        prop_assert_eq!(findings::<tagged::File>(&bytes), findings::<walked::File>(&bytes));
    }

    /// Skipping items that are not visited changes nothing for the others.
    #[test]
    fn skipped_items_have_the_sizes_of_a_walk(bytes in files(), first in 0..20_u64, last in 0..20_u64) {
        for items in [Visit::All, Visit::Items(first..first + last), Visit::Ends { first, last }, Visit::Nothing] {
            prop_assert_eq!(values::<tagged::File>(&bytes, &items), values::<walked::File>(&bytes, &items));
        }
    }
}

/// A list of 10,000 items with one violation at its end.
#[test]
fn a_violation_after_many_valid_items_is_found() {
    // 9 places, so the point 5 is valid.
    let (valid, wrong) = ([5, 0, 0, 0], [9, 0, 0, 0]);
    let bytes = |points: u8, items: &[[u8; 4]]| {
        let places = vec![0; points.into()];
        [&[points, 0], &*places, &items.concat()].concat()
    };
    let items = [valid; 10_000];
    assert_eq!(findings::<tagged::File>(&bytes(9, &items)), (vec![], None));
    let with_wrong = [&items[..], &[wrong], &[valid; 10]].concat();
    let (found, fault) = findings::<tagged::File>(&bytes(9, &with_wrong));
    assert_eq!(fault, None);
    assert_eq!(
        found,
        ["items[10000].small.point (bytes 0x9c4b..0x9c4f): found 9, expected less than 9 [VALUE]"]
    );
    // Without places, no point is valid.
    let (found, _) = findings::<tagged::File>(&bytes(0, &[valid; 100]));
    assert_eq!(found.len(), 100);
}

/// Constraints that refer to values inside the item, or to bytes in another order, are checked for every item.
#[test]
fn constraints_that_the_tag_does_not_decide_are_checked() {
    #[derive(Layout)]
    #[br(little)]
    struct Nested {
        items: Vec<NestedItem>,
    }

    #[derive(Layout)]
    #[binread]
    #[br(little)]
    struct NestedItem {
        #[br(restore_position)]
        first: u8,
        #[br(if(first == 0))]
        body: Option<Body>,
    }

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
    #[br(little)]
    struct Big {
        items: Vec<BigItem>,
    }

    #[derive(Layout)]
    #[binread]
    #[br(little)]
    struct BigItem {
        #[br(restore_position)]
        first: u8,
        #[br(if(first == 1), big)]
        #[layout(one_of(0x0105), rule = VALUE)]
        word: Option<u16>,
    }

    let valid = [0, 5, 4, 8, 8];
    let wrong = [[0, 3, 4, 8, 8], [0, 5, 4, 8, 9]];
    let bytes = [&[valid; 40][..], &wrong, &[valid; 40]].concat().concat();
    let (found, fault) = findings::<Nested>(&bytes);
    assert_eq!(fault, None);
    assert_eq!(
        found,
        [
            "items[40].body.value (bytes 0xca..0xcb): found 4, expected less than 3 [VALUE]",
            "items[41].body.values (bytes 0xd0..0xd2): found [8, 9], expected less than 9 [VALUE]",
        ]
    );
    let bytes = [&[[1, 5]; 40][..], &[[1, 6]], &[[1, 5]; 40]]
        .concat()
        .concat();
    let (found, _) = findings::<Big>(&bytes);
    assert_eq!(found.len(), 1);
    assert!(found[0].starts_with("items[40].word"), "{found:?}");
}
