//! Writing may compute values, but not move them.

use meshspec::layout::Layout;

#[derive(Layout)]
#[brw(little)]
struct S0 {
    #[bw(pad_after = 4)]
    a: u8,
}

#[derive(Layout)]
#[brw(little)]
struct S1 {
    #[bw(align_before = 4)]
    a: u8,
}

#[derive(Layout)]
#[brw(little)]
struct S2 {
    #[bw(big)]
    a: u8,
}

#[derive(Layout)]
#[brw(little)]
struct S3 {
    #[bw(magic = 7u8)]
    a: u8,
}

#[derive(Layout)]
#[brw(little)]
struct S4 {
    #[bw(seek_before = SeekFrom::Start(4), restore_position)]
    a: u8,
}

fn main() {}
