//! Tests of each kind of constraint in declarations, with location and message of its findings.

#![allow(
    dead_code,
    reason = "the declarations are only described, never decoded"
)]

use binrw::binrw;
use meshspec::bulk::{Bulk, Strings};
use meshspec::layout::declaration::Type;
use meshspec::layout::{self, Layout, walk};
use meshspec::{BinaryFormat, Limits, Report, Rule, Severity, Strictness, Text, path};
use modular_bitfield::prelude::*;

macro_rules! rules {
    ($($name:ident $code:literal $severity:ident;)*) => {
        $(static $name: Rule = Rule::new($code, Severity::$severity, "");)*
        static RULES: &[&Rule] = &[$(&$name),*];
    };
}

rules! {
    RANGE "RANGE" Error;
    KIND "KIND" Error;
    BITS "BITS" Warning;
    FINITE "FINITE" Warning;
    TIME "TIME" Warning;
    ID "ID" Error;
    WEIGHTS "WEIGHTS" Warning;
    TRIANGLES "TRIANGLES" Warning;
}

/// Returns the findings of a check, as text without rule codes.
fn findings(ty: &'static Type, bytes: &[u8]) -> Vec<String> {
    let mut report = Report::default();
    layout::check_bytes(ty, bytes, &Limits::default(), &mut report).unwrap();
    report
        .findings()
        .iter()
        .map(|finding| finding.to_string())
        .collect()
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Indices {
    vertex_count: u8,
    #[layout(holds(index_count % 3 == 0), rule = TRIANGLES, message = "{found} indices, expected a multiple of 3")]
    index_count: u8,
    #[br(count = index_count)]
    #[layout(
        below = vertex_count, if(vertex_count > 0), rule = RANGE,
        message = "index {found} of {limit} ({found:#x}, {found:#06x}; {index_count} indices)"
    )]
    indices: Vec<u16>,
}

#[test]
fn ranges_and_conditions_are_checked() {
    assert_eq!(findings(&Indices::TYPE, &[3, 3, 0, 0, 1, 0, 2, 0]), [""; 0]);
    assert_eq!(
        findings(&Indices::TYPE, &[2, 4, 0, 0, 2, 0, 1, 0, 0, 1]),
        [
            "index_count (bytes 0x1..0x2): 4 indices, expected a multiple of 3 [TRIANGLES]",
            "indices[1] (bytes 0x4..0x6): index 2 of 2 (0x2, 0x0002; 4 indices) [RANGE]",
            "indices[3] (bytes 0x8..0xa): index 256 of 2 (0x100, 0x0100; 4 indices) [RANGE]",
        ]
    );
    // The condition is false.
    assert_eq!(findings(&Indices::TYPE, &[0, 3, 0, 0, 1, 0, 2, 0]), [""; 0]);
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Word {
    #[layout(one_of(1, 2, 4), rule = KIND)]
    kind: i16,
    #[layout(reserved_zero, rule = BITS)]
    flags: Flags,
}

#[derive(Layout)]
#[bitfield(bits = 16)]
#[binrw]
#[br(map = Self::from_bytes)]
#[bw(map = |flags: &Self| flags.into_bytes())]
#[derive(Clone, Copy)]
struct Flags {
    #[layout(reserved)]
    low: B3,
    used: B5,
    #[layout(declared)]
    inner: Inner,
}

#[derive(Layout)]
#[bitfield(bits = 8)]
#[derive(Specifier, Clone, Copy)]
struct Inner {
    used: B7,
    #[layout(reserved)]
    unused: bool,
}

#[test]
fn one_of_and_reserved_bits() {
    assert_eq!(findings(&Word::TYPE, &[4, 0, 0xf8, 0x7f]), [""; 0]);
    assert_eq!(
        findings(&Word::TYPE, &[0xff, 0xff, 0xfa, 0xff]),
        [
            "kind (bytes 0x0..0x2): found -1, expected 1, 2 or 4 [KIND]",
            "flags (bytes 0x2..0x4): reserved bits are set: 0x8002 [BITS]",
        ]
    );
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Names {
    first: u8,
    #[layout(terminated, rule = KIND)]
    names: Strings,
}

#[test]
fn terminated() {
    assert_eq!(findings(&Names::TYPE, b"\0"), [""; 0]);
    assert_eq!(findings(&Names::TYPE, b"\0ab\0\0"), [""; 0]);
    let unterminated = |at: &str| {
        vec![format!(
            "{at}: the last string does not end with a NUL [KIND]"
        )]
    };
    assert_eq!(
        findings(&Names::TYPE, b"\0ab"),
        unterminated("names[0] (bytes 0x1..0x3)")
    );
    assert_eq!(
        findings(&Names::TYPE, b"\0ab\0\0cd"),
        unterminated("names[2] (bytes 0x5..0x7)")
    );
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Tracks {
    #[br(count = 2)]
    tracks: Vec<Track>,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Track {
    key_count: u8,
    #[br(count = key_count)]
    keys: Vec<Key>,
    #[br(count = key_count)]
    #[layout(ordered, rule = TIME)]
    #[layout(finite, rule = FINITE)]
    times: Vec<f32>,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Key {
    #[layout(unique, rule = ID)]
    #[layout(ordered, rule = TIME, message = "{found} comes after {previous}")]
    id: u8,
}

#[test]
fn unique_and_ordered_in_each_list() {
    let track = |keys: [u8; 3], times: [f32; 3]| {
        let times = times.iter().flat_map(|time| time.to_le_bytes());
        [3].into_iter()
            .chain(keys)
            .chain(times)
            .collect::<Vec<u8>>()
    };
    let sorted = track([1, 2, 3], [0.0, 0.5, 0.5]);
    assert_eq!(
        findings(&Tracks::TYPE, &[sorted.clone(), sorted.clone()].concat()),
        [""; 0]
    );
    let unsorted = track([7, 3, 3], [1.5, f32::NAN, 0.5]);
    let descending = track([3, 2, 1], [2.0, 1.0, 0.0]);
    assert_eq!(
        findings(&Tracks::TYPE, &[unsorted, descending].concat()),
        [
            // Only the first disorder in each list is reported.
            "tracks[0].keys[2].id (bytes 0x3..0x4): 3 is a duplicate [ID]",
            "tracks[0].keys[1].id (bytes 0x2..0x3): 3 comes after 7 [TIME]",
            "tracks[0].times[1] (bytes 0x8..0xc): NaN is not finite [FINITE]",
            "tracks[1].keys[1].id (bytes 0x12..0x13): 2 comes after 3 [TIME]",
            "tracks[1].times[1] (bytes 0x18..0x1c): found 1 after 2, expected at least 2 [TIME]",
        ]
    );
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Links {
    #[br(count = 2)]
    links: Vec<Link>,
}

/// The name makes the size variable, so the numbers of the list are collected item by item.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Link {
    name: Text,
    #[layout(unique, rule = ID)]
    from: u8,
    #[layout(unique, rule = ID)]
    to: u8,
}

#[test]
fn fields_with_equal_constraints_are_checked_separately() {
    assert_eq!(findings(&Links::TYPE, b"a\0\x01\x02b\0\x02\x01"), [""; 0]);
    assert_eq!(
        findings(&Links::TYPE, b"a\0\x01\x02b\0\x01\x02"),
        [
            "links[1].from (bytes 0x6..0x7): 1 is a duplicate [ID]",
            "links[1].to (bytes 0x7..0x8): 2 is a duplicate [ID]",
        ]
    );
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Slots {
    #[br(count = 4)]
    slots: Vec<Slot>,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Slot {
    is_used: u8,
    #[layout(unique, if(is_used == 1), rule = ID)]
    id: u8,
}

/// After an item whose condition is false, duplicates of earlier items are still found.
#[test]
fn unique_among_some_items() {
    let expected = "slots[2].id (bytes 0x5..0x6): 5 is a duplicate [ID]";
    assert_eq!(
        findings(&Slots::TYPE, &[1, 5, 0, 5, 1, 5, 1, 6]),
        [expected]
    );
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Packed<'a> {
    size: u8,
    #[br(count = size)]
    #[layout(packing = lz4, size = 20, content = Vertex)]
    vertex: Bulk<'a, u8>,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Vertex {
    #[layout(finite, rule = FINITE)]
    position: [f32; 3],
    #[layout(sum = 255, rule = WEIGHTS)]
    weights: [u8; 4],
    #[layout(sum = 1.0, tolerance = 0.25, of = influence, rule = WEIGHTS, message = "{found} in all, not {limit}")]
    bones: [Bone; 2],
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Bone {
    joint: u8,
    influence: i8,
}

#[test]
fn sums_and_numbers_in_packed_blocks() {
    let file = |position: [f32; 3], rest: [u8; 8]| {
        let vertex = position.iter().flat_map(|x| x.to_le_bytes()).chain(rest);
        [22, 0xf0, 5].into_iter().chain(vertex).collect::<Vec<u8>>()
    };
    let fine = file([0.0; 3], [255, 0, 0, 0, 9, 0, 9, 1]);
    assert_eq!(findings(&Packed::TYPE, &fine), [""; 0]);
    let wrong = file([0.0, f32::INFINITY, 1.0], [255, 1, 0, 0, 9, 2, 9, 0xff]);
    assert_eq!(
        findings(&Packed::TYPE, &wrong),
        [
            "vertex.position (unpacked bytes 0x0..0xc of the block at 0x1..0x17): [0.0, inf, 1.0] is not finite [FINITE]",
            "vertex.weights (unpacked bytes 0xc..0x10 of the block at 0x1..0x17): adds up to 256, expected 255 [WEIGHTS]",
        ]
    );
    let wrong = file([0.0; 3], [255, 0, 0, 0, 9, 1, 9, 1]);
    assert_eq!(
        findings(&Packed::TYPE, &wrong),
        [
            "vertex.bones (unpacked bytes 0x10..0x14 of the block at 0x1..0x17): 2 in all, not 1 [WEIGHTS]",
        ]
    );
}

/// A structural fault ends the check, but earlier findings remain.
#[test]
fn truncated_files() {
    let mut report = Report::default();
    let cut = layout::check_bytes(&Indices::TYPE, &[3, 4, 0], &Limits::default(), &mut report);
    assert_eq!(cut.unwrap_err().kind, walk::FaultKind::End);
    assert_eq!((report.warnings(), report.errors()), (1, 0));
}

/// The report remains small for any number of violations.
#[test]
fn findings_are_counted() {
    let bytes = [vec![1, 255], vec![1; 2 * 255]].concat();
    let mut limits = Limits::default();
    limits.max_findings_per_rule = 10;
    let mut report = Report::new(&limits);
    layout::check_bytes(&Indices::TYPE, &bytes, &limits, &mut report).unwrap();
    assert_eq!(
        (report.findings().len(), report.count_of("RANGE")),
        (10, 255)
    );
}

/// Binding a dialect removes constraints that cannot apply.
#[test]
fn constraints_of_a_dialect() {
    #[derive(Layout)]
    #[binrw]
    #[brw(little)]
    #[br(import(version: u8, limit: u8))]
    struct Versioned {
        #[layout(below = limit + 1, if(version > 1), rule = RANGE)]
        value: u8,
    }

    let bound =
        |version: u8| layout::declaration::bind::<Versioned>("", &[version.into(), 7u8.into()]);
    assert_eq!(findings(bound(1), &[9]), [""; 0]);
    assert_eq!(
        findings(bound(2), &[9]),
        ["value (bytes 0x0..0x1): found 9, expected less than 8 [RANGE]"]
    );
}

/// Constraints on bit fields, and conditions on at least one item, may refer to imports.
#[test]
fn constraints_that_refer_to_bound_imports() {
    #[derive(Layout)]
    #[bitfield(bits = 8)]
    #[binrw]
    #[br(map = Self::from_bytes)]
    #[bw(map = |word: &Self| word.into_bytes())]
    #[layout(outer(top))]
    #[derive(Clone, Copy)]
    struct Pair {
        #[layout(below = top, rule = RANGE)]
        first: B4,
        second: B4,
    }

    #[derive(Layout)]
    #[binrw]
    #[br(import(top: u8))]
    struct Level {
        #[layout(some(value == top), rule = KIND, message = "no level {top}")]
        value: u8,
    }

    #[derive(Layout)]
    #[binrw]
    #[brw(little)]
    #[br(import(top: u8))]
    struct Pairs {
        pair: Pair,
        #[br(count = 2, args { inner: (top,) })]
        levels: Vec<Level>,
    }

    let bound = layout::declaration::bind::<Pairs>("", &[3u8.into()]);
    assert_eq!(findings(bound, &[0x52, 1, 3]), [""; 0]);
    assert_eq!(
        findings(bound, &[0x53, 1, 2]),
        [
            "pair.first (bytes 0x0..0x1): found 3, expected less than 3 [RANGE]",
            "levels (bytes 0x1..0x3): no level 3 [KIND]"
        ]
    );
}

/// Placeholders of other requirements are names of fields.
#[test]
fn fields_can_have_names_of_placeholders() {
    #[derive(Layout)]
    #[binrw]
    #[brw(little)]
    struct Pair {
        first: u8,
        #[layout(holds(first < limit), rule = RANGE, message = "first {first} is not below {limit:#x}")]
        limit: u8,
    }

    let expected = ["limit (bytes 0x1..0x2): first 9 is not below 0x2 [RANGE]"];
    assert_eq!(findings(&Pair::TYPE, &[9, 2]), expected);
}

/// Fields and bit fields hide imports of the same name.
#[test]
fn fields_hide_imports() {
    #[derive(Layout)]
    #[bitfield(bits = 16)]
    #[binrw]
    #[br(map = Self::from_bytes)]
    #[bw(map = |word: &Self| word.into_bytes())]
    #[derive(Clone, Copy)]
    struct Tag {
        #[layout(holds(kind != 3), rule = KIND, message = "kind {kind}")]
        kind: B8,
        #[layout(declared)]
        level: TagLevel,
    }

    /// Only the bit fields of this word hide imports.
    #[derive(Layout)]
    #[bitfield(bits = 8)]
    #[layout(outer(kind))]
    #[derive(Specifier, Clone, Copy)]
    struct TagLevel {
        #[layout(below = kind + 3, rule = RANGE)]
        value: B8,
    }

    #[derive(Layout)]
    #[binrw]
    #[brw(little)]
    #[br(import(kind: u8, size: u8))]
    struct Tagged {
        #[br(if(kind == 3))]
        tag: Option<Tag>,
        #[br(if(size == 1))]
        size: Option<u8>,
        #[layout(below = size, rule = RANGE)]
        index: u8,
    }

    #[derive(Layout)]
    #[binrw]
    #[brw(little)]
    struct Outer {
        size: u8,
        #[br(args(3, size))]
        tagged: Tagged,
    }

    assert_eq!(
        findings(&Outer::TYPE, &[1, 2, 5, 9, 9]),
        ["tagged.index (bytes 0x4..0x5): found 9, expected less than 9 [RANGE]"]
    );
    let bound = layout::declaration::bind::<Tagged>("", &[3u8.into(), 1u8.into()]);
    assert_eq!(findings(bound, &[2, 5, 9, 8]), [""; 0]);
    assert_eq!(
        findings(bound, &[3, 6, 9, 9]),
        [
            "tag.kind (bytes 0x0..0x2): kind 3 [KIND]",
            "tag.level.value (bytes 0x0..0x2): found 6, expected less than 6 [RANGE]",
            "index (bytes 0x3..0x4): found 9, expected less than 9 [RANGE]"
        ]
    );
}

/// Declarations that are bound to different constants have different names.
#[test]
fn bound_declarations_have_different_names() {
    #[derive(Layout)]
    #[binrw]
    #[br(import(top: u8))]
    struct Level {
        #[layout(below = top, rule = RANGE)]
        value: u8,
    }

    #[derive(Layout)]
    #[binrw]
    struct Levels {
        #[br(args(2))]
        low: Level,
        #[br(args(5))]
        high: Level,
        #[br(args(2))]
        last: Level,
        #[br(args(low.value))]
        unbound: Level,
    }

    let bound = layout::declaration::bind::<Levels>("", &[]);
    let text = layout::schema::Schema::Kaitai
        .print("levels", "", &[("levels", bound)])
        .remove(0)
        .text;
    let types: Vec<_> = text
        .lines()
        .filter(|line| line.starts_with("  level") || line.contains("type: '"))
        .collect();
    assert_eq!(
        types,
        [
            "    type: 'level'",
            "    type: 'level2'",
            "    type: 'level'",
            "    type: 'level3(low.value)'",
            "  level:",
            "  level2:",
            "  level3:"
        ]
    );
}

impl BinaryFormat for Indices {
    const NAME: &'static str = "indices";
    const RULES: &'static [&'static Rule] = RULES;
}

/// A custom format enforces the rules in its declaration.
#[test]
fn a_custom_format_is_checked() {
    let format = meshspec::format_of::<Indices>();
    let report = meshspec::check(&[2, 3, 0, 0, 1, 0, 2, 0], format, &Default::default()).unwrap();
    let [finding] = report.findings() else {
        panic!("{report:?}")
    };
    assert_eq!(
        (finding.rule, &finding.path),
        (&RANGE, &path!(indices[2]).into())
    );
    assert!(!report.is_valid(Strictness::Strict));
}

/// Signed positions in a list, and a signed range of it.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Signed {
    #[br(count = 3)]
    items: Vec<u8>,
    #[br(count = 2)]
    #[layout(index_into = items, none = -1, rule = RANGE, message = "no item {found}")]
    positions: Vec<i16>,
    first: i8,
    #[layout(within = items, first = first, rule = RANGE, message = "{found} items from {first}")]
    count: i8,
}

#[test]
fn negative_positions_are_outside() {
    let with = |positions: [i16; 2], first: i8, count: i8| {
        let positions = positions.map(i16::to_le_bytes);
        let bytes = [
            &[0; 3],
            positions.as_flattened(),
            &[first as u8, count as u8],
        ]
        .concat();
        findings(&Signed::TYPE, &bytes)
    };
    assert_eq!(with([2, -1], 1, 2), [""; 0]);
    let outside = |found: i16| format!("positions[1] (bytes 0x5..0x7): no item {found} [RANGE]");
    assert_eq!(with([-1, -2], 0, 0), [outside(-2)]);
    assert_eq!(with([0, 3], 0, 0), [outside(3)]);
    let range = |found: &str| format!("count (bytes 0x8..0x9): {found} [RANGE]");
    assert_eq!(with([0, 0], 0, -1), [range("-1 items from 0")]);
    assert_eq!(with([0, 0], -1, 2), [range("2 items from -1")]);
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Times {
    #[br(count = 3)]
    #[layout(unique, rule = ID)]
    times: Vec<f32>,
    #[br(count = 2)]
    #[layout(unique, rule = ID)]
    precise: Vec<f64>,
}

#[test]
fn negative_zero_equals_zero() {
    let with = |times: [f32; 3], precise: [f64; 2]| {
        let bytes = times.iter().flat_map(|time| time.to_le_bytes());
        let bytes = bytes.chain(precise.iter().flat_map(|time| time.to_le_bytes()));
        findings(&Times::TYPE, &bytes.collect::<Vec<_>>())
    };
    assert_eq!(with([0.0, 1.0, -1.0], [-0.0, 1.0]), [""; 0]);
    assert_eq!(
        with([-0.0, 1.0, 0.0], [0.0, -0.0]),
        [
            "times[2] (bytes 0x8..0xc): 0 is a duplicate [ID]",
            "precise[1] (bytes 0x14..0x1c): -0 is a duplicate [ID]",
        ]
    );
}
