//! Counts that edits recompute, and large results of edits.

#![allow(
    dead_code,
    reason = "the declarations are only described, never decoded"
)]

use binrw::binrw;
use meshspec::bulk::Rest;
use meshspec::layout::assemble::{Change, Edit, edit};
use meshspec::layout::declaration::Type;
use meshspec::layout::{Layout, walk};
use meshspec::{Limits, Rule, Severity};

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
