//! A variant says when it is the one, and holds one value.

use meshspec::layout::Layout;

#[derive(Layout)]
#[br(import(wide: bool))]
enum NoCondition {
    #[br(pre_assert(wide))]
    Wide(u32),
    Narrow(u16),
}

#[derive(Layout)]
#[br(import(wide: bool))]
enum Fields {
    #[br(pre_assert(wide))]
    Wide { value: u32 },
}

#[derive(Layout)]
#[br(import(wide: bool))]
enum Two {
    #[br(pre_assert(wide))]
    Wide(u32, u32),
}

#[derive(Layout)]
#[br(import(wide: bool))]
enum Magic {
    #[br(magic = 1u8)]
    Wide(u32),
}

#[derive(Layout)]
#[br(import(wide: bool), magic = b"W")]
enum MagicOfAll {
    #[br(pre_assert(wide))]
    Wide(u32),
}

fn main() {}
