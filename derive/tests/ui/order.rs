//! Below `#[binrw]`, the derive would see no attributes.

use meshspec::layout::Layout;

use binrw::binrw;

#[binrw]
#[derive(Layout)]
#[brw(little)]
struct Below {
    #[br(if(false))]
    a: u8,
}

fn main() {}
