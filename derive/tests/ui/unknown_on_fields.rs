//! What changes a layout and is not understood is refused.

use meshspec::layout::Layout;

#[derive(Layout)]
#[brw(little)]
struct S0 {
    a: u8,
    #[br(pad_before = 4)]
    b: u8,
}

#[derive(Layout)]
#[brw(little)]
struct S1 {
    a: u8,
    #[br(align_after = 4)]
    b: u8,
}

#[derive(Layout)]
#[brw(little)]
struct S2 {
    a: u8,
    #[br(pad_size_to = 4)]
    b: u8,
}

#[derive(Layout)]
#[brw(little)]
struct S3 {
    a: u8,
    #[br(map = |x: u8| x + 1)]
    b: u8,
}

#[derive(Layout)]
#[brw(little)]
struct S4 {
    a: u8,
    #[br(parse_with = parse)]
    b: u8,
}

#[derive(Layout)]
#[brw(little)]
struct S5 {
    a: u8,
    #[br(ignore)]
    b: u8,
}

#[derive(Layout)]
#[brw(little)]
struct S7 {
    a: u8,
    #[br(default)]
    b: u8,
}

#[derive(Layout)]
#[brw(little)]
struct S8 {
    a: u8,
    #[br(try)]
    b: u8,
}

#[derive(Layout)]
#[brw(little)]
struct S9 {
    a: u8,
    #[br(is_big = true)]
    b: u8,
}

#[derive(Layout)]
#[brw(little)]
struct S10 {
    a: u8,
    #[br(magic = 7u8)]
    b: u8,
}

#[derive(Layout)]
#[brw(little)]
struct S11 {
    a: u8,
    #[br(offset = 4)]
    b: u8,
}

#[derive(Layout)]
#[brw(little)]
struct S12 {
    a: u8,
    #[br(if(a == 1, 7))]
    b: u8,
}

#[derive(Layout)]
#[brw(little)]
struct S13 {
    a: u8,
    #[br(err_context("x"))]
    b: u8,
}

fn main() {}
