//! Exceptions that `#[derive(ToJson)]` does not know.

use meshspec::layout::ToJson;

#[derive(ToJson)]
#[json(rename_all = "camelCase")]
struct Renamed {
    a: u8,
}

#[derive(ToJson)]
struct Unknown {
    #[json(flat)]
    a: u8,
}

#[derive(ToJson)]
struct Twice {
    #[json(optional, always)]
    a: Option<u8>,
}

#[derive(ToJson)]
enum OnVariant {
    #[json(skip)]
    A,
}

#[derive(ToJson)]
union Overlapped {
    a: u8,
    b: i8,
}

fn main() {}
