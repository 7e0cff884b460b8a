//! What changes a layout and is not understood is refused on structs, too.

use meshspec::layout::Layout;

use modular_bitfield::bitfield;

#[derive(Layout)]
#[brw(is_big = true)]
struct S0 {
    a: u8,
}

#[derive(Layout)]
#[br(map = from)]
struct S1 {
    a: u8,
}

#[derive(Layout)]
#[br(assert(true, "x"))]
struct S2 {
    a: u8,
}

#[derive(Layout)]
#[br(stream = s)]
struct S3 {
    a: u8,
}

#[derive(Layout)]
#[bw(magic = b"x")]
struct S4 {
    a: u8,
}

#[derive(Layout)]
#[br(magic = 7u16)]
struct S5 {
    a: u8,
}

#[derive(Layout)]
#[bitfield(bytes = 1)]
struct S6 {
    a: u8,
}

#[derive(Layout)]
#[brw(little)]
#[layout(decoded = S7::value)]
struct S7 {
    a: u8,
}

fn main() {}
