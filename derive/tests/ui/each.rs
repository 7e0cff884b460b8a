//! Lists whose items take arguments from the items of another list.

use meshspec_derive::Layout;

#[derive(Layout)]
#[br(little)]
struct Counted {
    lens: Vec<u8>,
    #[br(count = 3, parse_with = args_iter(lens.iter().map(|len| (*len,))))]
    texts: Vec<u8>,
}

#[derive(Layout)]
#[br(little)]
struct Contained {
    lens: Vec<u8>,
    #[br(parse_with = args_iter(lens.iter().map(|len| (*len,))))]
    #[layout(content = Vec<u16>)]
    texts: Vec<u8>,
}

#[derive(Layout)]
#[br(little)]
struct Named {
    lens: Vec<u8>,
    #[br(parse_with = args_iter(lens.iter().map(|lens| (*lens,))))]
    texts: Vec<u8>,
}

#[derive(Layout)]
#[br(little)]
struct Unused {
    mode: u8,
    lens: Vec<u8>,
    #[br(parse_with = args_iter(lens.iter().map(|len| (mode,))))]
    texts: Vec<u8>,
}

#[derive(Layout)]
#[br(little)]
struct Skipped {
    lens: Vec<u8>,
    #[br(parse_with = args_iter(lens.iter().skip(1).map(|len| (*len,))))]
    texts: Vec<u8>,
}

fn main() {}
