//! Exceptions that `#[derive(Json)]` does not know.

use meshspec::layout::{Json, ToJson};

#[derive(Json)]
#[json(rename_all = "camelCase")]
struct Renamed {
    a: u8,
}

#[derive(Json)]
struct Unknown {
    #[json(flat)]
    a: u8,
}

#[derive(Json)]
struct Twice {
    #[json(optional, always)]
    a: Option<u8>,
}

#[derive(Json)]
enum OnVariant {
    #[json(skip)]
    A,
}

#[derive(Json)]
struct Borrowed<'a> {
    a: &'a str,
}

#[derive(ToJson)]
union Overlapped {
    a: u8,
    b: i8,
}

fn main() {}
