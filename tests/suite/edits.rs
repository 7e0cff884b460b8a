//! Several edits of a file: each applies to the result of the preceding ones, and contradictions are errors.

#![allow(
    dead_code,
    reason = "the declarations are only described, never decoded"
)]

use crate::assemble::Flags;
use binrw::binrw;
use meshspec::layout::assemble::{Change, Edit, edit};
use meshspec::layout::declaration::Type;
use meshspec::layout::tree::{Tree, UntypedValue};
use meshspec::layout::{Layout, walk};
use meshspec::{Dialect, Limits};

/// Groups of numbers.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Groups {
    count: u8,
    #[br(count = count)]
    groups: Vec<Group>,
}

/// Two lists with the same length.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Group {
    flags: Flags,
    #[br(if(flags.named()))]
    name: Option<u8>,
    size: u8,
    #[br(count = size)]
    numbers: Vec<u8>,
    #[br(count = size)]
    weights: Vec<u8>,
}

#[rustfmt::skip]
const GROUPS: &[u8] = &[
    3,
    0, 1, 10, 20,
    1, 9, 2, 11, 12, 21, 22,
    0, 0,
];

fn set(path: &str, value: &str) -> (String, Change) {
    (path.to_owned(), Change::Set(value.into()))
}

fn insert(path: &str, value: impl Into<UntypedValue>) -> (String, Change) {
    (path.to_owned(), Change::Insert(value.into()))
}

fn remove(path: &str) -> (String, Change) {
    (path.to_owned(), Change::Remove)
}

fn repeat(path: &str, copies: u16) -> (String, Change) {
    (path.to_owned(), Change::Repeat(copies))
}

fn struct_value<const N: usize>(fields: [(&str, UntypedValue); N]) -> UntypedValue {
    UntypedValue::Struct(
        fields
            .map(|(name, value)| (name.to_owned(), value))
            .to_vec(),
    )
}

fn list_value<const N: usize>(items: [&str; N]) -> UntypedValue {
    UntypedValue::List(items.map(UntypedValue::from).to_vec())
}

/// A group without numbers.
fn empty_group() -> UntypedValue {
    struct_value([("flags", "0".into()), ("size", "0".into())])
}

fn edited_as(
    ty: &'static Type,
    bytes: &[u8],
    edits: &[(String, Change)],
    recount: bool,
) -> Result<Vec<u8>, String> {
    let edits = edits.iter().map(|(path, change)| {
        let path = walk::parse_path(ty, path).unwrap();
        Edit {
            path: path.as_slice().into(),
            change: change.clone(),
        }
    });
    let edits: Vec<_> = edits.collect();
    edit(ty, bytes, &edits, recount, &Limits::default()).map_err(|error| error.to_string())
}

fn edited(edits: &[(String, Change)], recount: bool) -> Result<Vec<u8>, String> {
    edited_as(&Groups::TYPE, GROUPS, edits, recount)
}

#[test]
fn paths_can_be_strings() {
    let edited_text = |path: &str| {
        let edits = [Edit::set(path, "7")];
        edit(&Groups::TYPE, GROUPS, &edits, false, &Limits::default())
            .map_err(|error| error.to_string())
    };
    let path = "groups[1].numbers[1]";
    assert_eq!(edited_text(path), edited(&[set(path, "7")], false));
    let message = "groups[1].nubmers[1]: the layout has no value at this path";
    assert_eq!(edited_text("groups[1].nubmers[1]").unwrap_err(), message);
}

#[test]
fn indices_refer_to_the_result_of_earlier_changes() {
    let [first, second, third] = [&GROUPS[1..5], &GROUPS[5..12], &GROUPS[12..]];
    for recount in [false, true] {
        let count = |count| if recount { count } else { 3 };
        let edits = [
            insert("groups[0]", empty_group()),
            set("groups[2].numbers[1]", "7"),
        ];
        let expected = [&[count(4)], third, first, &[1, 9, 2, 11, 7, 21, 22], third].concat();
        assert_eq!(edited(&edits, recount).unwrap(), expected);

        let edits = [remove("groups[0]"), set("groups[0].weights[0]", "7")];
        let expected = [&[count(2)], &[1, 9, 2, 11, 12, 7, 22][..], third].concat();
        assert_eq!(edited(&edits, recount).unwrap(), expected);

        let changed = insert("groups[1].numbers[2]", "5");
        let edits = [
            insert("groups[0]", empty_group()),
            remove("groups[1]"),
            changed,
        ];
        let edits = [&edits[..], &[insert("groups[1].weights[0]", "6")]].concat();
        let size = if recount { 3 } else { 2 };
        let expected = [&[3], third, &[1, 9, size, 11, 12, 5, 6, 21, 22], third].concat();
        assert_eq!(edited(&edits, recount).unwrap(), expected);
    }
    // Inserted items can be changed.
    let edits = [
        insert("groups[1]", empty_group()),
        set("groups[1].flags", "2"),
        set("groups[2].name", "8"),
    ];
    let expected = [&[4], first, &[2, 0, 1, 8], &second[2..], third].concat();
    assert_eq!(edited(&edits, true).unwrap(), expected);
    // Values that do not exist yet cannot be set.
    for edits in [
        [remove("groups[0]"), set("groups[2].size", "0")],
        [
            insert("groups[0]", empty_group()),
            set("groups[4].size", "0"),
        ],
        [
            remove("groups[1].numbers[0]"),
            set("groups[1].numbers[1]", "0"),
        ],
    ] {
        let error = edited(&edits, false).unwrap_err();
        assert!(error.ends_with(": no such value"), "{error}");
    }
}

#[test]
fn copies_follow_their_item() {
    let [first, second, third] = [&GROUPS[1..5], &GROUPS[5..12], &GROUPS[12..]];
    for recount in [false, true] {
        let count = if recount { 5 } else { 3 };
        let edits = [
            repeat("groups[0]", 2),
            set("groups[1].flags", "2"),
            set("groups[3].numbers[1]", "7"),
        ];
        let copy = [&[2], &first[1..]].concat();
        let changed = [1, 9, 2, 11, 7, 21, 22];
        let expected = [&[count], first, &copy, first, &changed, third].concat();
        assert_eq!(edited(&edits, recount).unwrap(), expected);
    }
    let numbers = edited(
        &[
            repeat("groups[0].numbers[0]", 1),
            repeat("groups[0].weights[0]", 1),
        ],
        true,
    );
    assert_eq!(
        numbers.unwrap(),
        [&[3, 0, 2, 10, 10, 20, 20], second, third].concat()
    );
    let error = |path: &str| edited(&[repeat(path, 1)], true).unwrap_err();
    assert_eq!(error("groups[3]"), "groups[3]: no such value");
    assert_eq!(
        error("groups[1].name"),
        "groups[1].name: only items of a list can be repeated"
    );
}

#[test]
fn parts_of_a_struct_are_fields() {
    let with = |name: &str| {
        let group = struct_value([
            ("flags", "0".into()),
            ("size", "0".into()),
            (name, "5".into()),
        ]);
        edited(&[insert("groups[3]", group)], true)
    };
    for name in ["[3]", "[0]", "numbers[0]", "flags.named", "count", "", "x"] {
        assert_eq!(
            with(name).unwrap_err(),
            format!("groups[3]: has no field `{name}`")
        );
    }
    let numbers = UntypedValue::List(vec![struct_value([("[1]", "5".into())])]);
    let group = struct_value([("flags", "0".into()), ("numbers", numbers)]);
    let error = edited(&[insert("groups[3]", group)], true).unwrap_err();
    assert_eq!(error, "groups[3].numbers[0]: has no field `[1]`");
}

#[test]
fn the_last_change_of_a_word_or_its_bits_wins() {
    let flags = |edits: &[(String, Change)]| edited(edits, true).map(|bytes| bytes[1]);
    assert_eq!(
        flags(&[
            set("groups[0].flags", "0"),
            set("groups[0].flags.looped", "1")
        ]),
        Ok(2)
    );
    assert_eq!(
        flags(&[
            set("groups[0].flags.looped", "1"),
            set("groups[0].flags", "0")
        ]),
        Ok(0)
    );
    let edits = [
        set("groups[0].flags", "2"),
        set("groups[0].flags.reserved", "5"),
        set("groups[0].flags.looped", "false"),
    ];
    assert_eq!(flags(&edits), Ok(5 << 2));
    let error = flags(&[
        set("groups[0].flags", "x"),
        set("groups[0].flags.looped", "1"),
    ])
    .unwrap_err();
    assert_eq!(error, "groups[0].flags: \"x\" is not an integer");
}

#[test]
fn conditional_fields_need_their_condition() {
    let error = edited(&[set("groups[1].flags.named", "0")], true).unwrap_err();
    assert_eq!(
        error,
        "groups[1].name: is given, but its condition `flags.named` does not hold"
    );
    // Without recounting, given values are written unchanged.
    assert_eq!(
        edited(&[set("groups[1].flags.named", "0")], false).unwrap()[5],
        0
    );
    let edits = [set("groups[1].flags.named", "0"), remove("groups[1].name")];
    assert_eq!(
        edited(&edits, true).unwrap(),
        [&GROUPS[..5], &[0], &GROUPS[7..]].concat()
    );
    // Both alternatives of a number.
    let error = edited_as(&Number::TYPE, &[7], &[insert("wide", "0x8181")], true).unwrap_err();
    assert_eq!(
        error,
        "wide: is given, but its condition `first >= 128` does not hold"
    );
}

#[test]
fn lists_of_one_length_must_agree() {
    let edits = [insert("groups[1].numbers[0]", "5")];
    let error = edited(&edits, true).unwrap_err();
    assert_eq!(
        error,
        "groups[1].weights: its number of items is 2, which conflicts with the number of items of groups[1].numbers, 3: \
         both determine groups[1].size"
    );
    // The set value is kept. Without recounting, both are written.
    let edits = [
        insert("groups[1].numbers[0]", "5"),
        set("groups[1].size", "2"),
    ];
    let expected = [&GROUPS[..8], &[5], &GROUPS[8..]].concat();
    assert_eq!(edited(&edits, true).unwrap(), expected);
    assert_eq!(edited(&edits, false).unwrap(), expected);
}

#[test]
fn values_match_the_type_of_their_field() {
    let error = |path: &str, value: UntypedValue| {
        let error = edited(&[(path.to_owned(), Change::Set(value))], true).unwrap_err();
        error
            .strip_prefix(&format!("{path}: "))
            .map(str::to_owned)
            .unwrap_or(error)
    };
    assert_eq!(
        error("groups[1].numbers", "5".into()),
        "found a single value, expected a list"
    );
    assert_eq!(
        error("groups[1]", "5".into()),
        "found a single value, expected a Group"
    );
    assert_eq!(
        error("groups", "".into()),
        "found a single value, expected a list"
    );
    assert_eq!(
        error("groups[1].size", list_value(["1"])),
        "found a list, expected an integer"
    );
    assert_eq!(
        error("groups[1].name", struct_value([])),
        "is omitted and cannot be determined"
    );
}

/// A number of one or two bytes, selected by the first byte.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Number {
    #[br(restore_position)]
    #[bw(ignore)]
    first: u8,
    #[br(if(first < 0x80))]
    narrow: Option<u8>,
    #[br(if(first >= 0x80))]
    wide: Option<u16>,
}

/// A byte and a word at the same offset, read by look-aheads.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct TwiceAhead {
    #[br(restore_position)]
    #[bw(ignore)]
    low: u8,
    #[br(restore_position)]
    #[bw(ignore)]
    word: u16,
    #[br(args(low, word))]
    body: Body,
    #[br(if(low == 1))]
    of_low: Option<u8>,
    #[br(if(word == 0x0201))]
    of_word: Option<u8>,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
#[br(import(low: u8, word: u16))]
enum Body {
    #[br(pre_assert(low == 1 && word != 0x0101))]
    Word(Word),
    #[br(pre_assert(low != 1))]
    Bytes(TwoBytes),
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Word {
    word: u16,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct TwoBytes {
    first: u8,
    second: u8,
}

/// Two look-aheads at plain numbers.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct PlainAhead {
    #[br(restore_position)]
    #[bw(ignore)]
    low: u8,
    #[br(restore_position)]
    #[bw(ignore)]
    word: u16,
    first: u8,
    second: u8,
    #[br(if(low == 1))]
    of_low: Option<u8>,
    #[br(if(word == 0x0201))]
    of_word: Option<u8>,
}

#[test]
fn several_look_aheads_see_the_same_bytes() {
    let assembled = |ty, given: &[(&str, &str)]| {
        let mut values = Tree::new(ty);
        given
            .iter()
            .try_for_each(|(path, value)| values.set(*path, *value))
            .unwrap();
        values
            .assemble(&Limits::default())
            .map_err(|error| error.to_string())
    };
    let plain = |more: &[(&str, &str)]| {
        assembled(
            &PlainAhead::TYPE,
            &[&[("first", "1"), ("second", "2")][..], more].concat(),
        )
    };
    assert_eq!(
        plain(&[("of_low", "7"), ("of_word", "8")]),
        Ok(vec![1, 2, 7, 8])
    );
    assert!(
        plain(&[("of_word", "8")])
            .unwrap_err()
            .starts_with("of_low: is omitted")
    );
    assert!(
        plain(&[("of_low", "7")])
            .unwrap_err()
            .starts_with("of_word: is omitted")
    );
    let choice = |more: &[(&str, &str)]| {
        assembled(
            &TwiceAhead::TYPE,
            &[&[("body.word", "0x0201")][..], more].concat(),
        )
    };
    assert_eq!(
        choice(&[("of_low", "7"), ("of_word", "8")]),
        Ok(vec![1, 2, 7, 8])
    );
    assert!(
        choice(&[("of_word", "8")])
            .unwrap_err()
            .starts_with("of_low: is omitted")
    );
    for bytes in [&[1, 2, 7, 8][..], &[1, 3, 7], &[5, 5]] {
        for ty in [&PlainAhead::TYPE, &TwiceAhead::TYPE] {
            let values = Tree::read(ty, bytes, &Limits::default()).unwrap();
            assert_eq!(values.assemble(&Limits::default()).unwrap(), bytes);
        }
    }
}

/// A change that alters the packed size keeps the file consistent, even without a recount.
#[test]
fn packed_blocks_keep_their_sizes() {
    let chunk: &[u8] = include_bytes!("../../samples/crucible/tetrahedron.crmesh");
    let quads: &[u8] = include_bytes!("../../samples/iyma/quads.ima");
    let cases = [
        (
            meshspec::crucible::FORMAT,
            chunk,
            set("chunks[0].streams[0].data[1][2]", "0.123456"),
        ),
        (
            meshspec::crucible::FORMAT,
            chunk,
            insert("chunks[0].indices.data[0]", "2"),
        ),
        (meshspec::iyma::FORMAT, quads, set("data.indices[1]", "77")),
        (
            meshspec::iyma::FORMAT,
            quads,
            set("descriptor.meshes[0].first_vertex", "70000"),
        ),
    ];
    for (format, file, change) in cases {
        let layout = format.layout_of(file, Dialect::SPEC).unwrap();
        let edited = edited_as(layout, file, std::slice::from_ref(&change), false).unwrap();
        assert_ne!(edited.len(), file.len(), "{change:?}");
        let fault = walk::first_fault(layout, &edited, &Limits::default());
        assert_eq!(fault.map(|fault| fault.to_string()), None, "{change:?}");
    }
}

/// A block whose size is a field of the enclosing struct.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Sized {
    size: u8,
    #[br(args(size))]
    samples: Samples,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
#[br(import(size: u8))]
struct Samples {
    #[br(count = size)]
    #[layout(content = Vec<u8>, packing = lz4, size = 20)]
    packed: Vec<u8>,
}

#[test]
fn changes_that_break_a_block_are_rejected() {
    let values = (0..20).map(|index| (format!("samples.packed[{index}]"), "7"));
    let mut given = Tree::new(&Sized::TYPE);
    for (path, value) in values {
        given.set(&path, value).unwrap();
    }
    let file = given.assemble(&Limits::default()).unwrap();
    let change = [set("samples.packed[9]", "8")];
    let error = edited_as(&Sized::TYPE, &file, &change, false).unwrap_err();
    assert!(
        error.starts_with("samples.packed: the change in a packed block breaks the file: "),
        "{error}"
    );
    let edited = edited_as(&Sized::TYPE, &file, &change, true).unwrap();
    assert_eq!(
        walk::first_fault(&Sized::TYPE, &edited, &Limits::default()).map(|fault| fault.to_string()),
        None
    );
}

#[test]
fn unbound_arguments_are_named() {
    let message = "the imports of the declaration `Samples` are unbound (size): bind them with \
                   `layout::declaration::bind`, or use `DynFormat::layout_of`";
    let error = edited_as(&Samples::TYPE, &[0; 9], &[set("packed", "1")], false).unwrap_err();
    assert_eq!(error, message);
}
