//! Below `#[binrw]`, the derive sees no attributes: binrw has used them up.

use meshspec::layout::Layout;

#[derive(Layout)]
struct Below {
    a: u8,
}

fn main() {}
