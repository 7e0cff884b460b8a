//! Messages are data.

use meshspec::layout::Layout;

#[derive(Layout)]
#[brw(little)]
struct S0 {
    #[br(assert(a == 1, "got {}", a))]
    a: u8,
}

#[derive(Layout)]
#[brw(little)]
struct S1 {
    #[br(assert(a == 1))]
    a: u8,
}

#[derive(Layout)]
#[brw(little)]
struct S2 {
    #[br(assert(a == 1, Failure))]
    a: u8,
}

fn main() {}
