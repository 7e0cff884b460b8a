//! Packed words are whole bytes, 16 at most, in a stated byte order.

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

#[derive(Layout)]
#[bitfield(bits = 16)]
#[binrw]
#[brw(big)]
#[br(map = |word: u16| Self::from(word))]
#[bw(map = |word: &Self| word.into_bytes())]
struct BigBytes {
    a: B16,
}

#[derive(Layout)]
#[bitfield(bits = 16)]
#[binrw]
#[br(map = |word: u16| Self::from(word))]
#[bw(map = |word: &Self| u16::from(*word))]
struct AnyOrder {
    a: B16,
}

fn main() {}
