//! Expressions that cannot be printed in other languages are refused.

use meshspec::layout::Layout;

const LIMIT: u8 = 4;

#[derive(Layout)]
#[brw(little)]
struct S0 {
    a: u8,
    #[br(count = a.pow(2))]
    b: Vec<u8>,
    later: u8,
}

#[derive(Layout)]
#[brw(little)]
struct S1 {
    a: u8,
    #[br(count = usize::from(a))]
    b: Vec<u8>,
    later: u8,
}

#[derive(Layout)]
#[brw(little)]
struct S2 {
    a: u8,
    #[br(count = a[0])]
    b: Vec<u8>,
    later: u8,
}

#[derive(Layout)]
#[brw(little)]
struct S3 {
    a: u8,
    #[br(count = LIMIT)]
    b: Vec<u8>,
    later: u8,
}

#[derive(Layout)]
#[brw(little)]
struct S4 {
    a: u8,
    #[br(count = later)]
    b: Vec<u8>,
    later: u8,
}

#[derive(Layout)]
#[brw(little)]
struct S5 {
    a: u8,
    #[br(count = if a == 1 { let b = 2; b } else { 3 })]
    b: Vec<u8>,
    later: u8,
}

#[derive(Layout)]
#[brw(little)]
struct S6 {
    a: u8,
    #[br(if((a as f32) > 0.5))]
    b: Vec<u8>,
    later: u8,
}

#[derive(Layout)]
#[brw(little)]
struct S7 {
    a: u8,
    #[br(count = size_of::<u32>())]
    b: Vec<u8>,
    later: u8,
}

#[derive(Layout)]
#[brw(little)]
struct S8 {
    a: u8,
    #[br(args(a..4))]
    b: Vec<u8>,
    later: u8,
}

#[derive(Layout)]
#[brw(little)]
struct S9 {
    a: u8,
    #[br(assert(a == LIMIT, "no"))]
    b: Vec<u8>,
    later: u8,
}

#[derive(Layout)]
#[brw(little)]
struct S10 {
    a: u8,
    #[br(assert(self_0 == 1, "no"))]
    b: Vec<u8>,
    later: u8,
}

fn main() {}
