//! Files with look-aheads: the field after a look-ahead has the drawn value.

use std::io::SeekFrom;

use binrw::binrw;
use meshspec::layout::{Layout, walk};

use super::file;

/// An item whose form depends on a look-ahead field.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Peeked {
    #[br(restore_position)]
    #[bw(ignore)]
    first: u8,
    #[br(if(first < 0xf0))]
    small: Option<u8>,
    #[br(if(first >= 0xf0))]
    large: Option<u32>,
}

/// A field with an explicit offset between a look-ahead and the next field.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct PeekedWithTable {
    table: u32,
    #[br(restore_position)]
    #[bw(ignore)]
    first: u8,
    #[br(seek_before = SeekFrom::Start(table as u64), restore_position)]
    #[bw(ignore)]
    entry: u8,
    #[br(if(first < 0xf0))]
    small: Option<u8>,
    #[br(if(first >= 0xf0))]
    large: Option<u32>,
}

#[test]
fn look_aheads_match_the_next_item() {
    let files: Vec<_> = (0..200)
        .map(|seed| file(&Peeked::TYPE, seed, &Default::default()))
        .collect();
    let small = files
        .iter()
        .filter(|file| file.len() == 1 && file[0] < 0xf0)
        .count();
    let large = files
        .iter()
        .filter(|file| file.len() == 4 && file[0] >= 0xf0)
        .count();
    assert_eq!(small + large, files.len());
    assert!(small > 10 && large > 10, "{small} {large}");
}

#[test]
fn fields_elsewhere_do_not_consume_look_aheads() {
    let mut sizes = [0; 2];
    for seed in 0..200 {
        let bytes = file(&PeekedWithTable::TYPE, seed, &Default::default());
        assert_eq!(
            walk::first_fault(&PeekedWithTable::TYPE, &bytes, &Default::default()),
            None,
            "{seed}"
        );
        sizes[usize::from(bytes[4] >= 0xf0)] += 1;
    }
    assert!(sizes.iter().all(|count| *count > 10), "{sizes:?}");
}
