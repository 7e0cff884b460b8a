//! Lists whose items take arguments from the items of another list.

use std::io::Cursor;

use binrw::helpers::args_iter;
use binrw::{BinRead, BinWrite, binrw};
use meshspec::layout::Layout;
use meshspec::layout::assemble::{Change, Edit, edit};
use meshspec::layout::generate;
use meshspec::layout::program::problems;
use meshspec::layout::tree::Tree;
use meshspec::layout::walk::{Segment, find, first_fault};
use meshspec::{Limits, path};
use proptest::prelude::*;
use serde_json::json;

use crate::common::values_of;
use crate::tree_json::assert_comes_back_from_json;

/// The type and the number of a channel's samples.
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[derive(Debug, Clone, PartialEq)]
struct Channel {
    is_wide: u8,
    len: u8,
}

/// The samples of a channel.
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[br(import(is_wide: u8, len: u8))]
#[derive(Debug, Clone, PartialEq)]
enum Samples {
    #[br(pre_assert(is_wide == 0))]
    Narrow(#[br(count = len)] Vec<u8>),
    #[br(pre_assert(is_wide != 0))]
    Wide(#[br(count = len)] Vec<u16>),
}

/// Channels, then their samples.
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[derive(Debug, Clone, PartialEq)]
struct Recording {
    #[br(temp)]
    #[bw(try_calc = u8::try_from(channels.len()))]
    count: u8,
    #[br(count = count)]
    channels: Vec<Channel>,
    #[br(parse_with = args_iter(channels.iter().map(|channel| (channel.is_wide, channel.len))))]
    samples: Vec<Samples>,
    end: u8,
}

/// Bytes of a number that is stored elsewhere.
#[derive(Layout)]
#[binrw]
#[br(import(len: u8))]
#[derive(Debug, Clone, PartialEq)]
struct Text {
    #[br(count = len)]
    bytes: Vec<u8>,
}

/// Texts whose lengths are numbers in a list.
#[derive(Layout)]
#[binrw]
#[br(import(lens: &[u8]))]
#[bw(import())]
#[derive(Debug, Clone, PartialEq)]
struct Texts {
    #[br(parse_with = args_iter(lens.iter().map(|len| (*len,))))]
    texts: Vec<Text>,
}

/// Two texts for each length.
#[derive(Layout)]
#[binrw]
#[derive(Debug, Clone, PartialEq)]
struct Group {
    #[br(temp)]
    #[bw(try_calc = u8::try_from(lens.len()))]
    count: u8,
    #[br(count = count)]
    lens: Vec<u8>,
    #[br(parse_with = args_iter(lens.iter().map(|len| (*len,))))]
    texts: Vec<Text>,
    #[br(args(&lens))]
    others: Texts,
}

/// Groups, which have their own lists.
#[derive(Layout)]
#[binrw]
#[derive(Debug, Clone, PartialEq)]
struct Groups {
    #[br(temp)]
    #[bw(try_calc = u8::try_from(groups.len()))]
    count: u8,
    #[br(count = count)]
    groups: Vec<Group>,
}

/// Two channels, and an empty one between them.
const RECORDING: &[u8] = &[3, 0, 2, 1, 0, 1, 1, 10, 11, 12, 13, 99];
/// A group with two texts of each length, and one without texts.
const GROUPS: &[u8] = &[2, 2, 1, 2, b'a', b'b', b'c', b'd', b'e', b'f', 0];

fn read<T: for<'a> BinRead<Args<'a> = ()>>(bytes: &[u8]) -> T {
    T::read_le(&mut Cursor::new(bytes)).unwrap()
}

fn write<T: for<'a> BinWrite<Args<'a> = ()>>(value: &T) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    value.write_le(&mut bytes).unwrap();
    bytes.into_inner()
}

#[test]
fn items_have_their_own_types_and_lengths() {
    let recording: Recording = read(RECORDING);
    let samples = [
        Samples::Narrow(vec![10, 11]),
        Samples::Wide(vec![]),
        Samples::Wide(vec![0x0d0c]),
    ];
    assert_eq!(recording.samples, samples);
    assert_eq!(write(&recording), RECORDING);
    let span = |path: &[Segment]| {
        let found = find(&Recording::TYPE, RECORDING, path, &Limits::default());
        found.map(|span| span.range().clone())
    };
    assert_eq!(span(&path!(samples[0][1])), Some(8..9));
    assert_eq!(span(&path!(samples[1])), Some(9..9));
    assert_eq!(span(&path!(samples[2][0])), Some(9..11));
    assert_eq!(span(&path!(end)), Some(11..12));
    assert_eq!(write(&read::<Groups>(GROUPS)), GROUPS);
}

#[test]
fn items_come_back_from_json() {
    for ty in [&Recording::TYPE, &Groups::TYPE] {
        assert_eq!(problems(ty), []);
    }
    assert_comes_back_from_json(&Recording::TYPE, RECORDING);
    assert_comes_back_from_json(&Groups::TYPE, GROUPS);
    let values: serde_json::Value =
        serde_json::from_slice(&values_of(&Recording::TYPE, RECORDING)).unwrap();
    // The lengths follow from the samples, and those in a list from the texts.
    let groups: serde_json::Value =
        serde_json::from_slice(&values_of(&Groups::TYPE, GROUPS)).unwrap();
    let texts = json!([{"bytes": [97]}, {"bytes": [98, 99]}]);
    let others = json!({"texts": [{"bytes": [100]}, {"bytes": [101, 102]}]});
    let empty = json!({"texts": [], "others": {"texts": []}});
    let expected = json!({"groups": [{"texts": texts, "others": others}, empty]});
    assert_eq!(groups["value"], expected);
    let expected = json!({
        "channels": [{"is_wide": 0}, {"is_wide": 1}, {"is_wide": 1}],
        "samples": [[10, 11], [], [0x0d0c]],
        "end": 99,
    });
    assert_eq!(values["value"], expected);
}

proptest! {
    #[test]
    fn codec_walker_and_assembler_agree(
        recording in generate::valid::<Recording>(Default::default()),
        groups in generate::valid::<Groups>(Default::default()),
    ) {
        prop_assert_eq!(&write(&read::<Recording>(&recording)), &recording);
        prop_assert_eq!(&write(&read::<Groups>(&groups)), &groups);
        for (ty, bytes) in [(&Recording::TYPE, &recording), (&Groups::TYPE, &groups)] {
            prop_assert_eq!(first_fault(ty, bytes, &Limits::default()), None);
            let tree = Tree::read(ty, bytes, &Limits::default()).unwrap();
            prop_assert_eq!(&tree.assemble(&Limits::default()).unwrap(), bytes);
            assert_comes_back_from_json(ty, bytes);
        }
    }
}

#[test]
fn both_lists_have_the_same_number_of_items() {
    let error = |samples: serde_json::Value| {
        let value = json!({"channels": [{"is_wide": 0, "len": 1}], "samples": samples, "end": 0});
        let text = json!({"value": value}).to_string();
        let tree = Tree::from_json(&Recording::TYPE, text.as_bytes()).unwrap();
        let assembled = tree.assemble(&Limits::default());
        assembled.unwrap_err().to_string()
    };
    assert_eq!(
        error(json!([])),
        "samples: has 0 items, but `channels` has 1"
    );
    assert_eq!(
        error(json!([[1], [2]])),
        "samples: has 2 items, but `channels` has 1"
    );
}

#[test]
fn edits_recompute_the_length_of_each_item() {
    let edited = |edits: &[Edit]| {
        let edited = edit(&Recording::TYPE, RECORDING, edits, true, &Limits::default());
        edited.map_err(|error| error.to_string())
    };
    let change = |path: &str, change: Change| Edit {
        path: path.into(),
        change,
    };
    let longer = change("samples[2][1]", Change::Insert("7".into()));
    assert_eq!(
        edited(&[longer]),
        Ok(vec![3, 0, 2, 1, 0, 1, 2, 10, 11, 12, 13, 7, 0, 99])
    );
    let removed = [
        change("samples[0]", Change::Remove),
        change("channels[0]", Change::Remove),
    ];
    assert_eq!(edited(&removed), Ok(vec![2, 1, 0, 1, 1, 12, 13, 99]));
    let only_one = change("channels[0]", Change::Remove);
    assert_eq!(
        edited(&[only_one]),
        Err("samples: has 3 items, but `channels` has 2".to_owned())
    );
}

#[test]
fn a_truncated_item_is_found() {
    let fault = first_fault(&Recording::TYPE, &RECORDING[..10], &Limits::default()).unwrap();
    assert_eq!(
        fault.to_string(),
        "samples[2] (bytes 0x9..0xa): needs 2 bytes, but 1 remains"
    );
}
