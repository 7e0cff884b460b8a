//! Counts that edits recompute, and large results of edits.

#![allow(
    dead_code,
    reason = "the declarations are only described, never decoded"
)]

use binrw::binrw;
use meshspec::bulk::Rest;
use meshspec::layout::assemble::{Change, Edit, edit};
use meshspec::layout::declaration::Type;
use meshspec::layout::tree::Tree;
use meshspec::layout::{Layout, walk};
use meshspec::{Limits, Rule, Severity};
use serde_json::{Value, json};

use crate::common::values_of;
use crate::tree_json::assert_comes_back_from_json;

static COUNT: Rule = Rule::new(
    "SAMPLE-COUNT",
    Severity::Error,
    "The count is the number of items.",
);

/// Numbers up to the end of the file. In version 1, `count` is their count.
#[derive(Layout)]
#[binrw]
struct Numbers {
    version: u8,
    #[layout(counts = numbers, if(version == 1), rule = COUNT)]
    count: u8,
    numbers: Rest<'static>,
}

/// Large items.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Blocks {
    count: u16,
    #[br(count = count)]
    blocks: Vec<[u8; 0x10000]>,
}

fn edited(ty: &'static Type, bytes: &[u8], path: &str, change: Change) -> Vec<u8> {
    let path = walk::parse_path(ty, path).unwrap();
    edit(
        ty,
        bytes,
        &[Edit {
            path: path.as_slice().into(),
            change,
        }],
        true,
        &Limits::default(),
    )
    .unwrap()
}

#[test]
fn counts_are_recomputed_if_their_constraint_applies() {
    let insert = |file: &[u8]| {
        edited(
            &Numbers::TYPE,
            file,
            "numbers[0]",
            Change::Insert("9".into()),
        )
    };
    assert_eq!(insert(&[1, 2, 7, 8]), [1, 3, 9, 7, 8]);
    assert_eq!(insert(&[2, 2, 7, 8]), [2, 2, 9, 7, 8]);
}

#[test]
#[ignore = "takes many seconds of processor time: `.ci/run` runs it"]
fn large_items_can_be_repeated() {
    let file = [&[1, 0][..], &[5; 0x10000]].concat();
    let edited = edited(&Blocks::TYPE, &file, "blocks[0]", Change::Repeat(299));
    assert_eq!(
        (edited.len(), &edited[..2]),
        (2 + 300 * 0x10000, &300_u16.to_le_bytes()[..])
    );
    assert!(edited[2..].iter().all(|byte| *byte == 5));
}

/// Bytes, and padding to a multiple of four.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Padded {
    n: u8,
    #[br(count = n)]
    bytes: Vec<u8>,
    #[br(count = (4 - (n as u32 + 1) % 4) % 4)]
    padding: Vec<u8>,
    end: u8,
}

#[test]
fn padding_follows_what_it_pads() {
    let insert = |file: &[u8]| edited(&Padded::TYPE, file, "bytes[0]", Change::Insert("9".into()));
    let remove = |file: &[u8]| edited(&Padded::TYPE, file, "bytes[0]", Change::Remove);
    assert_eq!(insert(&[3, 1, 2, 3, 7]), [4, 9, 1, 2, 3, 0, 0, 0, 7]);
    assert_eq!(insert(&[2, 1, 2, 0, 7]), [3, 9, 1, 2, 7]);
    assert_eq!(remove(&[4, 1, 2, 3, 4, 0, 0, 0, 7]), [3, 2, 3, 4, 7]);
    // Other bytes than zeros are no padding that could be replaced.
    let change = Edit {
        path: "bytes[0]".into(),
        change: Change::Remove,
    };
    let file = [4, 1, 2, 3, 4, 0, 5, 0, 7];
    let error = edit(&Padded::TYPE, &file, &[change], true, &Limits::default()).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("padding: its number of items is 3"),
        "{error}"
    );
}

#[test]
fn padding_is_computed() {
    let mut values = Tree::new(&Padded::TYPE);
    values.set("bytes[0]", "1").unwrap();
    values.set("end", "7").unwrap();
    assert_eq!(
        values.assemble(&Limits::default()).unwrap(),
        [1, 1, 0, 0, 7]
    );
    let json = |file: &[u8]| -> Value {
        assert_comes_back_from_json(&Padded::TYPE, file);
        serde_json::from_slice(&values_of(&Padded::TYPE, file)).unwrap()
    };
    let file = [1, 1, 0, 0, 7];
    assert_eq!(json(&file)["value"], json!({"bytes": [1], "end": 7}));
    let file = [1, 1, 0, 6, 7];
    assert_eq!(
        json(&file)["value"],
        json!({"bytes": [1], "padding": [0, 6], "end": 7})
    );
    // In items that are kept as bytes, too.
    let items = &<[Padded; 2] as Layout>::TYPE;
    let file = [1, 1, 0, 0, 7, 2, 1, 2, 0, 8];
    assert_comes_back_from_json(items, &file);
    let json: Value = serde_json::from_slice(&values_of(items, &file)).unwrap();
    assert_eq!(json["value"][1], json!({"bytes": [1, 2], "end": 8}));
}

/// A block whose first value is the size of the block.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct SelfSized {
    #[br(restore_position)]
    #[bw(ignore)]
    size: u16,
    #[br(count = size)]
    #[layout(content = Content, inline)]
    content: Vec<u8>,
    end: u8,
}

#[derive(Layout)]
#[br(little)]
struct Content {
    size: u16,
    items: Vec<u8>,
}

#[test]
fn sizes_that_are_read_ahead_are_recomputed() {
    let file = [4, 0, 1, 2, 7];
    let change = Change::Insert("9".into());
    assert_eq!(
        edited(&SelfSized::TYPE, &file, "items[1]", change),
        [5, 0, 1, 9, 2, 7]
    );
    let change = Change::Remove;
    assert_eq!(
        edited(&SelfSized::TYPE, &file, "items[0]", change),
        [3, 0, 2, 7]
    );
}
