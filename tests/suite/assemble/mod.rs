//! Tests of the assembler: round trips of files through walker and assembler, and computed values.

#![allow(
    dead_code,
    reason = "the declarations are only described, never decoded"
)]
#![allow(
    clippy::manual_is_multiple_of,
    reason = "expressions of a layout cannot call functions with arguments"
)]

mod look_aheads;

use std::io::SeekFrom;
use std::ops::ControlFlow;

use crate::common::{Mutator, ROOT, fixtures, samples};
use crate::fuzz::{Input, assert_assembles, assert_json_assembles, first_difference};
use crate::tree_json::assert_comes_back_from_json;
use binrw::binrw;
use meshspec::bulk::{Bulk, Strings};
use meshspec::layout::Layout;
use meshspec::layout::assemble::{Change, Edit, edit};
use meshspec::layout::declaration::{ChecksumFunction, Type};
use meshspec::layout::expr::Value;
use meshspec::layout::tree::{Tree, UntypedValue};
use meshspec::layout::walk::{self, Node, Visitor};
use meshspec::{Dialect, Formats, Limits, Path, Text, path};
use modular_bitfield::bitfield;
use modular_bitfield::specifiers::B6;

#[test]
fn samples_round_trip() {
    for (format, bytes) in samples() {
        let has_layout = format
            .layout_of(&bytes, format.detect(&bytes).dialect)
            .is_some();
        assert_eq!(
            assert_assembles(Input::detected(format, &bytes), &Limits::default()),
            has_layout,
            "{format}"
        );
    }
}

#[test]
#[ignore = "needs the reference files: set MESHSPEC_FIXTURES"]
fn reference_files_round_trip() {
    let mut count = 0;
    for fixture in fixtures() {
        let Ok(format) = Formats::builtin().get(&fixture.format) else {
            continue;
        };
        let input = Input::detected(format, &fixture.bytes);
        assert_json_assembles(input, &Limits::default());
        count += usize::from(assert_assembles(input, &Limits::default()));
    }
    assert_eq!(count, 142);
}

/// Assembles values given by path, in order.
fn assembled<'v>(
    ty: &'static Type,
    given: impl IntoIterator<Item = (&'v str, &'v str)>,
) -> Result<Vec<u8>, String> {
    let mut values = Tree::new(ty);
    for (path, value) in given {
        values.set(path, value).map_err(|error| error.to_string())?;
    }
    values
        .assemble(&Limits::default())
        .map_err(|error| error.to_string())
}

/// Lists whose sizes are stored in other fields.
#[derive(Layout)]
#[binrw]
#[brw(little, magic = b"CLIP")]
struct Clips {
    #[br(assert(version == 2, "the version is not 2"))]
    version: u8,
    joint_count: u8,
    clip_count: u16,
    #[br(count = joint_count)]
    joints: Vec<u8>,
    #[br(count = clip_count, args { inner: (joint_count,) })]
    clips: Vec<Clip>,
    names: Strings,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
#[br(import(joint_count: u8))]
struct Clip {
    flags: Flags,
    pose_count: u8,
    #[br(if(flags.named()))]
    name: Option<u16>,
    #[br(count = pose_count as u64 * joint_count as u64)]
    poses: Vec<i8>,
    #[br(count = pose_count)]
    times: Vec<f32>,
}

#[derive(Layout)]
#[bitfield(bits = 8)]
#[binrw]
#[br(map = Self::from_bytes)]
#[bw(map = |flags: &Self| flags.into_bytes())]
#[derive(Clone, Copy)]
pub struct Flags {
    pub named: bool,
    pub looped: bool,
    #[layout(reserved)]
    reserved: B6,
}

const CLIPS: [(&str, &str); 11] = [
    ("joints[0]", "7"),
    ("joints[1]", "0x8"),
    ("clips[0].flags.named", "true"),
    ("clips[0].flags.looped", "0"),
    ("clips[0].name", "513"),
    ("clips[0].poses[0]", "-1"),
    ("clips[0].poses[1]", "2"),
    ("clips[0].times[0]", "1"),
    ("clips[1].flags", "2"),
    ("names[0]", "run"),
    ("names[1]", "ä"),
];

#[rustfmt::skip]
const CLIPS_BYTES: &[u8] = &[
    b'C', b'L', b'I', b'P', 2, 2, 2, 0, 7, 8,
    1, 1, 1, 2, 0xff, 2, 0, 0, 0x80, 0x3f,
    2, 0,
    b'r', b'u', b'n', 0, 0xc3, 0xa4, 0,
];

#[test]
fn missing_values_are_computed() {
    assert_eq!(assembled(&Clips::TYPE, CLIPS).unwrap(), CLIPS_BYTES);
    assert!(round_trips(&Clips::TYPE, CLIPS_BYTES));
}

#[test]
fn given_values_are_written_unchanged() {
    let given = CLIPS
        .into_iter()
        .chain([("version", "9"), ("clip_count", "77")]);
    let mut expected = CLIPS_BYTES.to_vec();
    (expected[4], expected[6]) = (9, 77);
    assert_eq!(assembled(&Clips::TYPE, given).unwrap(), expected);
}

#[test]
fn errors_name_the_value() {
    let with = |path, value| {
        assembled(&Clips::TYPE, CLIPS.into_iter().chain([(path, value)])).unwrap_err()
    };
    assert_eq!(
        with("joints[0]", "256"),
        "joints[0]: 256 is out of range 0..=255"
    );
    assert_eq!(
        with("clips[0].poses[1]", "128"),
        "clips[0].poses[1]: 128 is out of range -128..=127"
    );
    assert_eq!(
        with("clips[0].times[0]", "x"),
        "clips[0].times[0]: \"x\" is not a number"
    );
    assert_eq!(
        with("clips[1].flags.named", "1"),
        "clips[1].flags: is 0x2, but its field `named` is 0x1: omit one of them"
    );
    assert_eq!(
        with("clips[3].flags", "0"),
        "clips[3].flags: the path skips a list index"
    );
    assert_eq!(
        with("clips[1].flog", "0"),
        "clips[1].flog: the layout has no value at this path"
    );
    assert_eq!(
        with("joints[1][0]", "0"),
        "joints[1][0]: the layout has no value at this path"
    );
    assert_eq!(
        with("name", "0"),
        "name: the layout has no value at this path"
    );
    assert_eq!(
        with("names[0]", "a\0b"),
        "names[0]: contains a NUL, which would end the string"
    );
    let without = |path| {
        let rest = CLIPS.into_iter().filter(|(other, _)| *other != path);
        assembled(&Clips::TYPE, rest).unwrap_err()
    };
    assert_eq!(
        without("clips[0].flags.looped"),
        "clips[0].flags: its field `looped` is omitted"
    );
    assert_eq!(
        without("clips[0].name"),
        "clips[0].name: is omitted and cannot be determined"
    );
}

fn round_trips(ty: &'static Type, bytes: &[u8]) -> bool {
    let values = Tree::read(ty, bytes, &Limits::default()).unwrap();
    assert_comes_back_from_json(ty, bytes);
    values.assemble(&Limits::default()).unwrap() == bytes
}

/// Lists and names at offsets from a header.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Placed {
    #[br(assert(offset % 4 == 0, "the offset is not a multiple of 4"))]
    offset: u8,
    size: u8,
    #[br(seek_before = SeekFrom::Start(offset as u64), restore_position, count = size / 2)]
    items: Vec<Named>,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Named {
    name_offset: u8,
    number: u8,
    #[br(if(name_offset != 0), seek_before = SeekFrom::Start(name_offset as u64), restore_position)]
    #[bw(ignore)]
    name: Option<Text>,
}

/// A gap, items of which two share a name, another gap, the name, and trailing bytes.
const PLACED: &[u8] = &[
    4, 6, 0xa, 0xb, 12, 1, 12, 2, 0, 3, 0xc, 0xd, b'o', b'n', 0, 0xe, 0xf,
];

#[test]
fn gaps_and_trailing_bytes_round_trip() {
    assert!(round_trips(&Placed::TYPE, PLACED));
}

#[test]
fn missing_offsets_are_assigned() {
    let given = [
        ("items[0].number", "1"),
        ("items[0].name", "on"),
        ("items[1].number", "2"),
        ("items[2].number", "3"),
        ("items[2].name", "off"),
    ];
    // The list and the names are aligned.
    #[rustfmt::skip]
    let expected = [
        4, 6, 0, 0,
        12, 1, 0, 2, 16, 3, 0, 0,
        b'o', b'n', 0, 0,
        b'o', b'f', b'f', 0,
    ];
    assert_eq!(assembled(&Placed::TYPE, given).unwrap(), expected);
}

#[test]
fn overlapping_values_must_agree() {
    let given = |second| {
        [
            ("offset", "4"),
            ("size", "4"),
            ("items[0].number", "1"),
            ("items[0].name_offset", "8"),
            ("items[0].name", "on"),
            ("items[1].number", "2"),
            ("items[1].name_offset", "9"),
            ("items[1].name", second),
        ]
    };
    assert_eq!(assembled(&Placed::TYPE, given("n")).unwrap()[8..], *b"on\0");
    assert_eq!(
        assembled(&Placed::TYPE, given("m")).unwrap_err(),
        "items[1].name: overlaps other values, at 0x9..0xa"
    );
}

/// A list at an offset of 32 bits.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Far {
    offset: u32,
    #[br(seek_before = SeekFrom::Start(offset as u64), restore_position, count = 1)]
    items: Vec<u8>,
}

#[test]
fn memory_is_bounded_by_the_given_values() {
    let at = |offset| assembled(&Far::TYPE, [("offset", offset), ("items[0]", "1")]);
    assert_eq!(at("0x10000").unwrap().len(), 0x10001);
    assert!(
        at("0xffffffff")
            .unwrap_err()
            .starts_with("items[0]: ends at 0x100000000, beyond the limit of ")
    );
}

/// Numbers of one or two bytes, selected by the first byte, and a packed list of them.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Packed<'a> {
    packed_size: u8,
    size: u8,
    #[br(count = packed_size)]
    #[layout(content = Numbers, packing = lz4, size = size)]
    numbers: Bulk<'a, u8>,
    stored_size: u8,
    #[br(count = stored_size)]
    #[layout(content = Others, inline)]
    stored: Bulk<'a, u8>,
}

#[derive(Layout)]
#[br(little)]
struct Others {
    others: Vec<Number>,
}

#[derive(Layout)]
#[br(little)]
struct Numbers {
    numbers: Vec<Number>,
}

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

/// A file with an LZ4 block of three literals, and a block that is not compressed.
const PACKED: &[u8] = &[4, 3, 0x30, 7, 0x81, 2, 2, 0x82, 3];

#[test]
fn unchanged_packed_blocks_round_trip() {
    assert!(round_trips(&Packed::TYPE, PACKED));
    // Twenty equal literals, which an encoder writes as a match.
    assert!(round_trips(
        &Packed::TYPE,
        &[&[22, 20, 0xf0, 5], &[7; 20][..], &[2, 0x82, 3]].concat()
    ));
    let edited = |path: &str, value: &str| {
        let path = walk::parse_path(&Packed::TYPE, path).unwrap();
        let edits = [Edit::set(path.as_slice(), value)];
        edit(&Packed::TYPE, PACKED, &edits, true, &Limits::default()).unwrap()
    };
    let bytes = edited("others[0].wide", "0x0384");
    assert_eq!(bytes, [4, 3, 0x30, 7, 0x81, 2, 2, 0x84, 3]);
    let bytes = edited("numbers.numbers[1].wide", "0x0384");
    let found = walk::unpack_block(
        &Packed::TYPE,
        &bytes,
        &Limits::default(),
        &(2..2 + u64::from(bytes[0])),
    );
    assert_eq!(found.unwrap(), [7, 0x84, 3]);
}

#[test]
fn blocks_are_packed_and_counted() {
    let given = [
        ("numbers.numbers[0].narrow", "7"),
        ("numbers.numbers[1].wide", "0x0281"),
        ("others[0].wide", "0x0382"),
    ];
    assert_eq!(assembled(&Packed::TYPE, given).unwrap(), PACKED);
    let given = given.into_iter().chain([("others[1].first", "1")]);
    let error = assembled(&Packed::TYPE, given).unwrap_err();
    assert_eq!(error, "others[1]: no value follows the look-ahead `first`");
}

/// Returns the file after one change.
fn changed(
    ty: &'static Type,
    bytes: &[u8],
    path: &str,
    change: Change,
    recount: bool,
) -> Result<Vec<u8>, String> {
    let path = walk::parse_path(ty, path).unwrap();
    let edits = [Edit {
        path: Path::from(path.as_slice()),
        change,
    }];
    edit(ty, bytes, &edits, recount, &Limits::default()).map_err(|error| error.to_string())
}

#[test]
fn an_edit_changes_one_value_and_nothing_else() {
    let set = |path, value: &str| {
        changed(
            &Clips::TYPE,
            CLIPS_BYTES,
            path,
            Change::Set(value.into()),
            false,
        )
    };
    let with = |patches: &[(usize, u8)]| {
        let mut bytes = CLIPS_BYTES.to_vec();
        patches.iter().for_each(|(at, byte)| bytes[*at] = *byte);
        bytes
    };
    assert_eq!(
        set("clip_count", "0x0304").unwrap(),
        with(&[(6, 4), (7, 3)])
    );
    assert_eq!(set("clips[0].flags.looped", "1").unwrap(), with(&[(10, 3)]));
    assert_eq!(set("clips[0].times[0]", "-1").unwrap(), with(&[(19, 0xbf)]));
    assert_eq!(
        set("names[0]", "fly").unwrap(),
        with(&[(22, b'f'), (23, b'l'), (24, b'y')])
    );
    let longer = [&CLIPS_BYTES[..22], b"jump", &CLIPS_BYTES[25..]].concat();
    let unterminated = &CLIPS_BYTES[..CLIPS_BYTES.len() - 1];
    let change = Change::Set((&String::from("up")).into());
    let edited = changed(&Clips::TYPE, unterminated, "names[1]", change, false).unwrap();
    assert_eq!(edited, [&CLIPS_BYTES[..26], b"up"].concat());
    assert_eq!(set("names[0]", "jump").unwrap(), longer);
    assert_eq!(
        set("joint_count", "256").unwrap_err(),
        "joint_count: 256 is out of range 0..=255"
    );
    assert_eq!(
        set("clips[7].flags", "0").unwrap_err(),
        "no field `clips[7].flags`"
    );
}

#[test]
fn items_are_inserted_and_removed() {
    let insert = |recount| {
        changed(
            &Clips::TYPE,
            CLIPS_BYTES,
            "joints[1]",
            Change::Insert("5".into()),
            recount,
        )
        .unwrap()
    };
    let mut expected = CLIPS_BYTES.to_vec();
    expected.insert(9, 5);
    assert_eq!(insert(false), expected);
    expected[5] = 3;
    assert_eq!(insert(true), expected);

    let clip = UntypedValue::Struct(vec![
        ("flags".to_owned(), "0".into()),
        ("times".to_owned(), UntypedValue::List(vec!["1".into()])),
        (
            "poses".to_owned(),
            UntypedValue::List(vec!["3".into(), "4".into()]),
        ),
    ]);
    let bytes = changed(
        &Clips::TYPE,
        CLIPS_BYTES,
        "clips[2]",
        Change::Insert(clip),
        true,
    )
    .unwrap();
    let mut expected = [
        &CLIPS_BYTES[..22],
        &[0, 1, 3, 4, 0, 0, 0x80, 0x3f],
        &CLIPS_BYTES[22..],
    ]
    .concat();
    expected[6] = 3;
    assert_eq!(bytes, expected);

    let bytes = changed(
        &Clips::TYPE,
        CLIPS_BYTES,
        "clips[0].name",
        Change::Remove,
        true,
    )
    .unwrap();
    let mut expected = [&CLIPS_BYTES[..12], &CLIPS_BYTES[14..]].concat();
    expected[10] = 0;
    assert_eq!(bytes, expected);
    let error = changed(&Clips::TYPE, CLIPS_BYTES, "clips[2]", Change::Remove, true).unwrap_err();
    assert_eq!(error, "clips[2]: no such value");
}

#[test]
fn bytes_after_an_insertion_move() {
    let item = || {
        UntypedValue::Struct(vec![
            ("number".to_owned(), "9".into()),
            ("name_offset".to_owned(), "0".into()),
        ])
    };
    let bytes = changed(
        &Placed::TYPE,
        PLACED,
        "items[3]",
        Change::Insert(item()),
        true,
    )
    .unwrap();
    // The list grows by two bytes. The bytes after it move by four, so that offsets remain aligned.
    let expected = [
        4, 8, 0xa, 0xb, 16, 1, 16, 2, 0, 3, 0, 9, 0, 0, 0xc, 0xd, b'o', b'n', 0, 0xe, 0xf,
    ];
    assert_eq!(bytes, expected);
    // Without recounting, the list would overwrite the name.
    let five = (0..3).map(|_| Edit {
        path: meshspec::path!(items[3]).into(),
        change: Change::Insert(item()),
    });
    let error = edit(
        &Placed::TYPE,
        PLACED,
        &five.collect::<Vec<_>>(),
        false,
        &Limits::default(),
    )
    .unwrap_err();
    assert!(
        error.to_string().contains("overlaps other values"),
        "{error}"
    );
}

/// Damaged files that can still be walked to the end: overlaps, gaps, trailing bytes, wrong counts.
#[test]
fn damaged_files_round_trip() {
    let files: Vec<_> = samples()
        .into_iter()
        .filter(|(_, file)| file.len() < 6000)
        .collect();
    let mut mutator = Mutator::new(5);
    let count = (0..3000)
        .filter(|round| {
            let (format, file) = &files[round % files.len()];
            let damaged = mutator.mutate(file);
            // Detection may choose another dialect. The test passes in any dialect.
            let input = Input::detected(*format, &damaged);
            if round.is_multiple_of(7) {
                assert_json_assembles(input, &Limits::default());
            }
            assert_assembles(input, &Limits::default())
        })
        .count();
    assert!((150..2850).contains(&count), "{count} of 3,000");
}

/// The path and the text of every `every`-th value in a file, except NaN and texts that are not UTF-8.
struct SampledValues {
    every: usize,
    seen: usize,
    texts: Vec<(Path, String)>,
}

impl Visitor for SampledValues {
    fn visit_leaf(&mut self, node: &Node, value: &Value) -> ControlFlow<()> {
        self.seen += 1;
        let text = match value {
            Value::Text(text) => String::from_utf8(text.clone()).ok(),
            Value::F32(number) if number.is_nan() => None,
            other => Some(other.to_string()),
        };
        if self.seen.is_multiple_of(self.every)
            && let Some(text) = text
        {
            self.texts.push((node.path.into(), text));
        }
        ControlFlow::Continue(())
    }
}

#[test]
fn setting_a_value_to_itself_changes_nothing() {
    let limits = Limits::default();
    let mut count = 0;
    for (format, file) in samples() {
        let Some(layout) = format.layout_of(&file, format.detect(&file).dialect) else {
            continue;
        };
        let mut texts = SampledValues {
            every: 1 + file.len() / 150,
            seen: 0,
            texts: Vec::new(),
        };
        walk::walk(layout, &file, &limits, &mut texts).unwrap();
        for (path, text) in texts.texts {
            for recount in [false, true] {
                let edits = [Edit::set(&path, &text)];
                let edited = edit(layout, &file, &edits, recount, &limits);
                let edited = edited.unwrap_or_else(|error| panic!("{format}: {path}: {error}"));
                let difference = first_difference(&edited, &file);
                assert_eq!(
                    difference, None,
                    "{format}: {path} = {text}, recount {recount}"
                );
                count += 1;
            }
        }
    }
    assert!(count > 500, "{count}");
}

/// A count that only a constraint relates to its list is recomputed, unless an edit sets it.
#[test]
fn recounting_follows_counts_of_constraints() {
    let file = std::fs::read(format!("{ROOT}/samples/bmd/tentacle.bmd")).unwrap();
    let layout = meshspec::bmd::FORMAT
        .layout_of(&file, Dialect::SPEC)
        .unwrap();
    let remove = ("meshes[0].vertices[0]", Change::Remove);
    let count = |edits: &[(&str, Change)]| {
        let edited = recounted(layout, &file, edits).unwrap();
        let span = walk::find(layout, &edited, path!(meshes[0].n_vtx), &Limits::default()).unwrap();
        u16::from_le_bytes(
            edited[span.range().start as usize..][..2]
                .try_into()
                .unwrap(),
        )
    };
    assert_eq!(count(std::slice::from_ref(&remove)), 19);
    assert_eq!(
        count(&[remove, ("meshes[0].n_vtx", Change::Set("7".into()))]),
        7
    );
}

/// Counts are recomputed at the right paths after edits that shift indices.
#[test]
fn recounting_follows_shifted_counts() {
    let file = std::fs::read(format!("{ROOT}/samples/bmd/pyramid.bmd")).unwrap();
    let layout = meshspec::bmd::FORMAT
        .layout_of(&file, Dialect::SPEC)
        .unwrap();
    let count = |edits: &[(&str, Change)], mesh: u64| {
        let edited = recounted(layout, &file, edits).unwrap();
        let span = walk::find(
            layout,
            &edited,
            path!(meshes[mesh].n_vtx),
            &Limits::default(),
        )
        .unwrap();
        edited[span.range().start as usize]
    };
    let remove = |path| (path, Change::Remove);
    let set = ("meshes[2].n_vtx", Change::Set("3".into()));
    assert_eq!(count(&[set.clone(), remove("meshes[0]")], 1), 3);
    assert_eq!(
        count(&[remove("meshes[1].vertices[4]"), remove("meshes[0]")], 0),
        4
    );
    // A count that was already wrong is kept.
    let wrong = edit(
        layout,
        &file,
        &[Edit {
            path: path!(meshes[2].n_vtx).into(),
            change: set.1,
        }],
        false,
        &Limits::default(),
    );
    let resv = Edit::set(path!(header.resv1), "0");
    let wrong = wrong.unwrap();
    assert_eq!(
        edit(layout, &wrong, &[resv], true, &Limits::default()).unwrap(),
        wrong
    );
}

/// Returns the bytes after several edits with recounting.
fn recounted(ty: &'static Type, bytes: &[u8], edits: &[(&str, Change)]) -> Result<Vec<u8>, String> {
    let edits = edits.iter().map(|(path, change)| {
        let path = walk::parse_path(ty, path).unwrap();
        Edit {
            path: path.as_slice().into(),
            change: change.clone(),
        }
    });
    let edits: Vec<_> = edits.collect();
    edit(ty, bytes, &edits, true, &Limits::default()).map_err(|error| error.to_string())
}

#[test]
fn set_values_survive_insertions_and_removals() {
    let clip = UntypedValue::Struct(vec![("flags".to_owned(), "2".into())]);
    let set = || ("clips[1].pose_count", Change::Set("9".into()));
    let inserted = recounted(
        &Clips::TYPE,
        CLIPS_BYTES,
        &[set(), ("clips[0]", Change::Insert(clip))],
    )
    .unwrap();
    let mut expected = [&CLIPS_BYTES[..10], &[2, 0], &CLIPS_BYTES[10..]].concat();
    (expected[6], expected[23]) = (3, 9);
    assert_eq!(inserted, expected);
    let removed = recounted(
        &Clips::TYPE,
        CLIPS_BYTES,
        &[set(), ("clips[0]", Change::Remove)],
    )
    .unwrap();
    let mut expected = [&CLIPS_BYTES[..10], &CLIPS_BYTES[20..]].concat();
    (expected[6], expected[11]) = (1, 9);
    assert_eq!(removed, expected);
}

/// A checksum function that adds the bytes and an optional number, modulo 256.
const SUM: ChecksumFunction = ChecksumFunction {
    name: "sum",
    compute: |bytes, arguments| {
        let more = match arguments {
            [Value::Int(more)] => *more as u64,
            _ => 0,
        };
        bytes.iter().fold(more, |sum, byte| sum + u64::from(*byte)) % 0x100
    },
};

/// A block that is padded to a multiple of its alignment, by a size that includes the padding.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct SelfPadded {
    size: u8,
    #[br(count = size)]
    #[layout(content = PaddedContent, args(size))]
    data: Vec<u8>,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
#[br(import(size: u8))]
struct PaddedContent {
    value: u8,
    #[br(count = (4 - size as u32 % 4) % 4)]
    padding: Vec<u8>,
}

/// A checksum that covers itself.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct SelfSummed {
    own: u8,
    sum: u8,
    #[br(count = 2)]
    #[layout(content = [u8; 2], checksum = sum, from = self, by = SUM(own))]
    bytes: Vec<u8>,
}

#[test]
fn a_cycle_is_an_error_with_its_fields() {
    let mut values = Tree::new(&SelfPadded::TYPE);
    values.set("data.value", "1").unwrap();
    let error = values.assemble(&Limits::default()).unwrap_err();
    assert_eq!(error.to_string(), "`size` does not converge");
    values.set("size", "4").unwrap();
    assert_eq!(values.assemble(&Limits::default()).unwrap(), [4, 1]);
    let change = ("own", Change::Set("2".into()));
    let error = recounted(&SelfSummed::TYPE, &[1, 3, 1, 1], &[change]).unwrap_err();
    assert_eq!(error.to_string(), "bytes: its checksum does not converge");
}

/// Blocks with checksums: more checksums than passes of the assembler.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Summed {
    count: u8,
    #[br(count = count)]
    blocks: Vec<SummedBlock>,
}

/// Two bytes, with a checksum that also depends on a number.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct SummedBlock {
    own: u8,
    sum: u8,
    #[br(count = 2)]
    #[layout(content = [u8; 2], checksum = sum, by = SUM(own), none = 0)]
    bytes: Vec<u8>,
}

#[test]
fn any_number_of_checksums_is_computed() {
    let mut values = Tree::new(&Summed::TYPE);
    let mut expected = vec![200];
    for index in 0..200_u8 {
        let (own, bytes) = (index / 2, [index, 2]);
        let mut set = |name: &str, value: UntypedValue| {
            values
                .set(format!("blocks[{index}].{name}"), value)
                .unwrap()
        };
        set("own", own.to_string().into());
        set(
            "bytes",
            UntypedValue::List(bytes.map(|byte| byte.to_string().into()).to_vec()),
        );
        let sum = match index {
            // No checksum, a wrong one, and the correct one.
            3 => 0,
            4 => 9,
            _ => own.wrapping_add(index).wrapping_add(2),
        };
        if index == 3 || index == 4 {
            set("sum", sum.to_string().into());
        }
        expected.extend([own, sum, bytes[0], bytes[1]]);
    }
    assert_eq!(values.assemble(&Limits::default()).unwrap(), expected);
    // Only the checksum of the changed block is recomputed.
    let edited = recounted(
        &Summed::TYPE,
        &expected,
        &[("blocks[7].bytes[1]", Change::Set("5".into()))],
    );
    (expected[1 + 4 * 7 + 1], expected[1 + 4 * 7 + 3]) = (3 + 7 + 5, 5);
    assert_eq!(edited.unwrap(), expected);
}

/// A packed list at an offset, and a number at a file offset.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Spaces<'a> {
    packed_size: u8,
    size: u8,
    number_offset: u8,
    #[br(count = packed_size)]
    #[layout(content = Placed, packing = lz4, size = size)]
    packed: Bulk<'a, u8>,
    #[br(seek_before = SeekFrom::Start(number_offset as u64), restore_position)]
    #[bw(ignore)]
    number: u8,
}

#[test]
fn growing_a_block_moves_nothing_outside() {
    let bytes = assembled(
        &Spaces::TYPE,
        [
            ("number_offset", "64"),
            ("number", "7"),
            ("packed.items[0].number", "1"),
            ("packed.items[0].name", "on"),
            ("packed.items[1].number", "2"),
            ("packed.items[1].name_offset", "0"),
        ],
    );
    let bytes = bytes.unwrap();
    assert_eq!(bytes.len(), 65);
    let item = UntypedValue::Struct(vec![
        ("number".to_owned(), "3".into()),
        ("name_offset".to_owned(), "0".into()),
    ]);
    let edited = recounted(
        &Spaces::TYPE,
        &bytes,
        &[("packed.items[2]", Change::Insert(item))],
    )
    .unwrap();
    assert_eq!((edited.len(), edited[2], edited[64]), (65, 64, 7));
    assert_eq!(
        walk::first_fault(&Spaces::TYPE, &edited, &Limits::default()),
        None
    );
}

#[test]
fn values_without_a_place_are_rejected() {
    let rejected = |change: fn(&mut Tree) -> meshspec::Result<()>| {
        let mut values = Tree::new(&Clips::TYPE);
        CLIPS
            .iter()
            .for_each(|(path, value)| values.set(*path, *value).unwrap());
        change(&mut values).unwrap();
        values.assemble(&Limits::default()).unwrap_err().to_string()
    };
    let message = "is given, but the file has no field for it";
    assert_eq!(
        rejected(|values| values.set_magic("clips[0]", vec![1])),
        format!("clips[0]: {message}")
    );
    assert_eq!(
        rejected(|values| values.set_trailing("joints", vec![1])),
        format!("joints: {message}")
    );
    assert_eq!(
        rejected(|values| values.set_packed("clips", vec![1])),
        format!("clips: {message}")
    );
}

#[test]
fn words_and_their_fields_are_given_in_any_order() {
    let fields = [
        ("clips[0].flags.named", "true"),
        ("clips[0].flags.looped", "0"),
    ];
    let others = CLIPS
        .into_iter()
        .filter(|(path, _)| !path.starts_with("clips[0].flags"));
    let others: Vec<_> = others.collect();
    for (word, expected) in [
        ("1", Ok(CLIPS_BYTES.to_vec())),
        ("3", Err("omit one of them")),
    ] {
        let word = [("clips[0].flags", word)];
        for order in [
            [&fields[..], &word, &others].concat(),
            [&word[..], &fields, &others].concat(),
        ] {
            match (assembled(&Clips::TYPE, order), &expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found, *expected),
                (found, expected) => {
                    assert!(found.unwrap_err().ends_with(expected.as_ref().unwrap_err()))
                }
            }
        }
    }
}

#[test]
fn only_nans_and_decimals_that_fit_are_floats() {
    let assembled = |value| assembled(&<f32 as Layout>::TYPE, [("", value)]);
    assert_eq!(
        assembled("NaN:ffc00001").unwrap(),
        0xffc0_0001_u32.to_le_bytes()
    );
    assert_eq!(
        assembled("-Infinity").unwrap(),
        f32::NEG_INFINITY.to_le_bytes()
    );
    for value in ["NaN:+fc00001", "NaN:3f800000", "NaN:7fc0001"] {
        assert_eq!(
            assembled(value).unwrap_err(),
            format!("\"{value}\" is not a number")
        );
    }
    assert_eq!(
        assembled("-1e39").unwrap_err(),
        "-1e39 is out of range for a 32-bit float"
    );
}

/// A list at an offset of 64 bits.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct VeryFar {
    offset: u64,
    #[br(seek_before = SeekFrom::Start(offset), restore_position, count = 3)]
    items: Vec<u8>,
}

#[test]
fn offsets_beyond_the_limit_are_rejected() {
    let bytes = [8, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3];
    for offset in ["0xffffffffffffffff", "0xfffffffffffffffe"] {
        let change = [("offset", Change::Set(offset.into()))];
        let error = recounted(&VeryFar::TYPE, &bytes, &change).unwrap_err();
        assert!(
            error.starts_with("items: ends at 0xffffffffffffffff, beyond the limit of "),
            "{error}"
        );
    }
}

/// Fields with explicit positions, some of which overlap.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Overlapping {
    #[br(seek_before = SeekFrom::Start(4), restore_position)]
    four: [u8; 4],
    #[br(seek_before = SeekFrom::Start(10), restore_position)]
    two: [u8; 2],
    #[br(seek_before = SeekFrom::Start(6), restore_position)]
    over: [u8; 3],
    first: u8,
    #[br(if(first != 7), seek_before = SeekFrom::Start(first as u64), restore_position)]
    anywhere: Option<u16>,
}

#[test]
fn overlapping_fields_must_agree() {
    let assembled = |given: &[(&str, &str)], gap: &[u8]| {
        let mut values = Tree::new(&Overlapping::TYPE);
        let all = [
            ("four", "[1, 2, 3, 4]"),
            ("two", "[9, 9]"),
            ("over", "[3, 4, 5]"),
        ];
        for (path, value) in all.iter().chain(given) {
            let items = value.trim_matches(['[', ']']).split(", ").enumerate();
            for (index, item) in items {
                let path = if value.starts_with('[') {
                    format!("{path}[{index}]")
                } else {
                    (*path).to_owned()
                };
                values.set(&path, item).unwrap();
            }
        }
        values.add_gap(0, gap.to_vec());
        values
            .assemble(&Limits::default().with_max_decoded(100))
            .map_err(|error| error.to_string())
    };
    let gap = [8; 14];
    assert_eq!(
        assembled(&[("first", "7")], &[]),
        Ok(vec![7, 0, 0, 0, 1, 2, 3, 4, 5, 0, 9, 9])
    );
    assert_eq!(
        assembled(&[("first", "7")], &gap),
        Ok(vec![7, 8, 8, 8, 1, 2, 3, 4, 5, 8, 9, 9, 8, 8])
    );
    let rejected = |first: &str, anywhere: &str| {
        assembled(&[("first", first), ("anywhere", anywhere)], &[]).unwrap_err()
    };
    assert_eq!(
        assembled(&[("first", "8"), ("anywhere", "5")], &[]).map(|bytes| bytes[8..].to_vec()),
        Ok(vec![5, 0, 9, 9])
    );
    assert!(
        rejected("8", "6").contains("overlaps other values, at 0x8..0x9"),
        "{}",
        rejected("8", "6")
    );
    let far = rejected("99", "6");
    assert!(
        far.contains("ends at 0x65, beyond the limit of 100 bytes"),
        "{far}"
    );
}

/// A list that replaces a struct has the path of the struct.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct InlineNumbers {
    size: u8,
    #[br(count = size)]
    #[layout(content = Vec<u16>, inline)]
    numbers: Vec<u8>,
    last: u8,
}

#[test]
fn inline_numbers_round_trip() {
    assert!(round_trips(&InlineNumbers::TYPE, &[4, 1, 0, 2, 0, 9]));
}

/// Numbers whose width depends on another value.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Widths {
    is_wide: u8,
    count: u8,
    #[br(args(is_wide, count))]
    numbers: WidthNumbers,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
#[br(import(is_wide: u8, count: u8))]
enum WidthNumbers {
    #[br(pre_assert(is_wide == 0))]
    Narrow(#[br(count = count)] Vec<u8>),
    #[br(pre_assert(is_wide != 0))]
    Wide(#[br(count = count)] Vec<u16>),
}

#[test]
fn a_changed_value_changes_the_width_of_numbers() {
    const NARROW: &[u8] = &[0, 2, 7, 8];
    let mut values = Tree::read(&Widths::TYPE, NARROW, &Limits::default()).unwrap();
    values.set("is_wide", "1").unwrap();
    let wide = [1, 2, 7, 0, 8, 0];
    assert_eq!(values.assemble(&Limits::default()).unwrap(), wide);
    let set = |value: &str| ("is_wide", Change::Set(value.into()));
    assert_eq!(recounted(&Widths::TYPE, NARROW, &[set("1")]).unwrap(), wide);
    assert_eq!(
        recounted(&Widths::TYPE, &wide, &[set("0")]).unwrap(),
        NARROW
    );
    let error = recounted(&Widths::TYPE, &[1, 1, 0, 1], &[set("0")]).unwrap_err();
    assert_eq!(error, "numbers[0]: 256 is out of range 0..=255");
}

/// Rows whose fields depend on another value.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Rows {
    has_weights: u8,
    count: u8,
    #[br(count = count, args { inner: (has_weights,) })]
    rows: Vec<Row>,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
#[br(import(has_weights: u8))]
struct Row {
    height: u8,
    #[br(if(has_weights != 0))]
    weight: Option<u8>,
}

#[test]
fn rows_that_a_changed_value_resizes_must_be_set() {
    let set = |value: &str| ("has_weights", Change::Set(value.into()));
    let error = recounted(&Rows::TYPE, &[0, 2, 7, 8], &[set("1")]).unwrap_err();
    assert_eq!(
        error,
        "rows: a changed value requires 4 bytes for its 2 items, found 2: set the items as well"
    );
    let row = |height: &str| {
        UntypedValue::Struct(vec![
            ("height".to_owned(), height.into()),
            ("weight".to_owned(), "1".into()),
        ])
    };
    let rows = (
        "rows",
        Change::Set(UntypedValue::List(vec![row("7"), row("8")])),
    );
    assert_eq!(
        recounted(&Rows::TYPE, &[0, 2, 7, 8], &[set("1"), rows]).unwrap(),
        [1, 2, 7, 1, 8, 1]
    );
}

#[test]
fn values_assemble_again_after_an_error() {
    let mut values = Tree::new(&Widths::TYPE);
    for (path, value) in [("is_wide", "0"), ("numbers[0]", "256")] {
        values.set(path, value).unwrap();
    }
    assert!(values.assemble(&Limits::default()).is_err());
    values.set("is_wide", "1").unwrap();
    assert_eq!(values.assemble(&Limits::default()).unwrap(), [1, 1, 0, 1]);
}

/// A list whose count is disabled by another value.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Disabled {
    is_used: u8,
    count: u8,
    #[br(count = if is_used != 0 { count } else { 0 })]
    items: Vec<u8>,
}

#[test]
fn the_branch_taken_determines_a_count() {
    let used = [("is_used", "1"), ("items[0]", "8"), ("items[1]", "9")];
    assert_eq!(assembled(&Disabled::TYPE, used), Ok(vec![1, 2, 8, 9]));
    assert_eq!(
        assembled(&Disabled::TYPE, [("is_used", "0"), ("count", "7")]),
        Ok(vec![0, 7])
    );
}

/// A list whose count is a product.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Table {
    rows: u8,
    columns: u8,
    #[br(count = rows as u64 * columns as u64)]
    items: Vec<u8>,
}

#[test]
fn a_count_of_several_values_is_recounted_or_an_error() {
    let item = || [("items[2]", Change::Insert("5".into()))];
    assert_eq!(
        recounted(&Disabled::TYPE, &[1, 2, 8, 9], &item()),
        Ok(vec![1, 3, 8, 9, 5])
    );
    // Only one of the two numbers can give 3.
    assert_eq!(
        recounted(&Table::TYPE, &[1, 2, 8, 9], &item()),
        Ok(vec![1, 3, 8, 9, 5])
    );
    let item = [("items[1]", Change::Insert("5".into()))];
    let error = recounted(&Table::TYPE, &[1, 1, 8], &item).unwrap_err();
    assert_eq!(
        error,
        "items: its number of items is 2, which conflicts with other values"
    );
}

/// A number whose width depends on the sum of two others, one of which counts a later list.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Totals {
    few: u8,
    many: u8,
    #[br(args(few as u64 + many as u64))]
    total: Total,
    #[br(count = many)]
    items: Vec<u8>,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
#[br(import(total: u64))]
enum Total {
    #[br(pre_assert(total < 3))]
    Narrow(u8),
    #[br(pre_assert(total >= 3))]
    Wide(u16),
}

#[test]
fn recounted_values_change_the_arguments_before_them() {
    let item = || ("items[1]", Change::Insert("9".into()));
    assert_eq!(
        recounted(&Totals::TYPE, &[1, 1, 7, 8], &[item()]),
        Ok(vec![1, 2, 7, 0, 8, 9])
    );
    assert_eq!(
        recounted(&Totals::TYPE, &[0, 1, 7, 8], &[item()]),
        Ok(vec![0, 2, 7, 8, 9])
    );
    let removed = [("items[0]", Change::Remove)];
    assert_eq!(
        recounted(&Totals::TYPE, &[1, 2, 7, 0, 8, 9], &removed),
        Ok(vec![1, 1, 7, 9])
    );
}
