//! Constraints say what they require, of which value, and whose rule it is.

use meshspec::layout::Layout;

#[derive(Layout)]
#[brw(little)]
struct S0 {
    #[layout(below = 3)]
    a: u8,
}

#[derive(Layout)]
#[brw(little)]
struct S1 {
    #[layout(below = 3, finite, none = 4, rule = A)]
    a: u8,
}

#[derive(Layout)]
#[brw(little)]
struct S2 {
    #[layout(below = b, rule = A)]
    a: u8,
    b: u8,
}

#[derive(Layout)]
#[brw(little)]
struct S3 {
    #[layout(holds(a == 1), rule = A)]
    a: u8,
}

#[derive(Layout)]
#[brw(little)]
struct S4 {
    #[br(count = 3)]
    #[layout(within = list, rule = A)]
    a: Vec<u8>,
}

#[derive(Layout)]
#[brw(little)]
struct S5 {
    #[layout(finite, rule = A, message = "{value} is not finite")]
    a: f32,
}

#[derive(Layout)]
#[brw(little)]
struct S6 {
    #[br(calc = 1)]
    #[layout(finite, rule = A)]
    a: u8,
}

#[derive(Layout)]
#[brw(little)]
struct S7 {
    #[br(count = 3)]
    #[layout(content = [u8; 3])]
    #[layout(below = 3, rule = A)]
    a: Vec<u8>,
}

#[derive(Layout)]
#[brw(little)]
struct S8 {
    #[layout(finite, tolerance = 0.5, rule = A)]
    a: f32,
}

#[derive(Layout)]
#[brw(little)]
struct S9 {
    #[layout(finite, rule = "A")]
    a: f32,
}

#[derive(Layout)]
#[brw(little)]
struct S10 {
    #[br(assert(a == 1, "not 1"))]
    #[layout(rule = "A")]
    a: u8,
}

#[derive(Layout)]
#[brw(little)]
struct S11 {
    #[layout(holds(a < 3), rule = A, message = "{first} is not below 3")]
    a: u8,
}

fn main() {}
