//! A block says what it holds and how it is packed.

use meshspec::layout::Layout;

#[derive(Layout)]
#[brw(little)]
struct S0 {
    n: u32,
    #[br(count = 8)]
    #[layout(packing = lz4, size = n)]
    a: Vec<u8>,
}

#[derive(Layout)]
#[brw(little)]
struct S1 {
    n: u32,
    #[br(count = 8)]
    #[layout(content = u32, packing = zip)]
    a: Vec<u8>,
}

#[derive(Layout)]
#[brw(little)]
struct S2 {
    n: u32,
    #[br(count = 8)]
    #[layout(content = u32, packed)]
    a: Vec<u8>,
}

#[derive(Layout)]
#[brw(little)]
struct S3 {
    n: u32,
    #[br(count = 8)]
    #[layout(size = n)]
    a: Vec<u8>,
}

#[derive(Layout)]
#[brw(little)]
struct S4 {
    n: u32,
    #[br(count = 8)]
    #[layout(inline)]
    a: Vec<u8>,
}

#[derive(Layout)]
#[brw(little)]
struct S5 {
    n: u32,
    #[br(count = 8)]
    #[layout(args(n))]
    a: Vec<u8>,
}

#[derive(Layout)]
#[brw(little)]
struct S6 {
    n: u32,
    #[br(count = 8)]
    #[layout(content = u32, packing = lz4, size = n())]
    a: Vec<u8>,
}

#[derive(Layout)]
#[brw(little)]
struct S7 {
    n: u32,
    #[br(count = 8)]
    #[layout(content)]
    a: Vec<u8>,
}

#[derive(Layout)]
#[brw(little)]
struct S8 {
    n: u32,
    #[br(count = 8)]
    #[layout(content = u32, packing = lz4, checksum = n)]
    a: Vec<u8>,
}

#[derive(Layout)]
#[brw(little)]
struct S11 {
    sum: u32,
    #[layout(checksum = sum, by = CRC32, from = later)]
    a: u8,
    later: u8,
}

#[derive(Layout)]
#[brw(little)]
enum E12 {
    #[br(pre_assert(true))]
    A(#[layout(checksum = sum, by = CRC32)] u8),
}

#[derive(Layout)]
#[brw(big)]
struct S13 {
    #[br(big, count = 2, parse_with = bulk::read)]
    a: Vec<u16>,
}

#[derive(Layout)]
#[brw(little)]
struct NoneWithoutChecksum {
    #[layout(none = 255)]
    a: u8,
}

#[derive(Layout)]
#[brw(little)]
#[br(import(first: u8))]
struct FromImport {
    sum: u32,
    #[layout(checksum = sum, by = SUM, from = first)]
    a: [u8; 4],
}

fn main() {}
