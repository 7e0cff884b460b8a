//! Packed words are whole bytes, 16 at most.

use meshspec::layout::Layout;

use modular_bitfield::prelude::*;

#[derive(Layout)]
#[bitfield(bits = 12)]
struct Odd {
    a: B12,
}

#[derive(Layout)]
#[bitfield(bits = 136)]
struct Wide {
    a: u128,
    b: u8,
}

#[derive(Layout)]
#[bitfield(bits = 8)]
struct Attribute {
    #[layout(sign)]
    a: B8,
}

fn main() {}
