//! Unions have no one layout.

use meshspec::layout::Layout;

#[derive(Layout)]
#[repr(C)]
union Union {
    a: u32,
    b: f32,
}

fn main() {}
