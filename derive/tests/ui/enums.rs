//! Enums write their values out.

use meshspec::layout::Layout;

#[derive(Layout)]
#[br(repr = u8)]
enum Implicit {
    A = 1,
    B,
}

#[derive(Layout)]
#[br(repr = u8)]
enum Magic {
    #[br(magic = 3u8)]
    A = 1,
}

#[derive(Layout)]
#[br(repr = u8)]
enum Unordered {
    A = 1,
    B = 3,
    C = 2,
}

fn main() {}
