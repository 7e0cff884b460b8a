//! A field elsewhere leaves the position of the next one alone.

use meshspec::layout::Layout;

use std::io::SeekFrom;

#[derive(Layout)]
#[brw(little)]
struct NoRestore {
    #[br(seek_before = SeekFrom::Start(4))]
    a: u8,
}

#[derive(Layout)]
#[brw(little)]
struct Relative {
    #[br(seek_before = SeekFrom::Current(4), restore_position)]
    a: u8,
}

fn main() {}
