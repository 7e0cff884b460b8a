//! Programs: the defects of declarations.

#![allow(dead_code, reason = "the declarations are only resolved, never decoded")]

use binrw::binrw;
use binrw::io::SeekFrom;
use meshspec::layout::assemble::Values;
use meshspec::layout::{ChecksumFunction, Layout, Type, problems};
use meshspec::{FormatId, Limits};

fn found(ty: &'static Type) -> Vec<String> {
    let problems = problems(ty);
    // A defective declaration is refused before anything is assembled.
    let refused = Values::new(ty).assemble(&Limits::default()).unwrap_err().to_string();
    assert_eq!(refused, format!("the declaration is defective: {}", problems[0]));
    problems.iter().map(ToString::to_string).collect()
}

#[test]
fn built_in_formats_have_no_defects() {
    let layouts: Vec<_> = FormatId::ALL.iter().flat_map(|format| format.about().layouts()).collect();
    assert_eq!(layouts.len(), 9);
    for (name, ty) in layouts {
        assert_eq!(problems(ty), [], "{name}");
    }
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Undecided {
    scale: f32,
    #[br(count = scale as u64)]
    heights: Vec<u16>,
    #[br(if(scale as u64 == 1))]
    more: Option<u8>,
}

#[derive(Layout)]
#[br(little)]
struct Endless {
    names: Vec<u8>,
    count: u8,
}

const SUM: ChecksumFunction = ChecksumFunction { name: "sum", compute: |_, _| 0 };

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Twice {
    offset: u32,
    #[br(seek_before = SeekFrom::Start(offset as u64), restore_position)]
    first: u8,
    #[br(seek_before = SeekFrom::Start(offset as u64), restore_position)]
    second: u8,
    sum: u32,
    #[br(count = 2)]
    #[layout(content = [u8; 2], checksum = sum, by = SUM())]
    bytes: Vec<u8>,
    #[br(count = 2)]
    #[layout(content = [u8; 2], checksum = sum, by = SUM())]
    more: Vec<u8>,
}

#[test]
fn defects_name_the_fields() {
    assert_eq!(
        found(&Undecided::TYPE),
        [
            "Undecided.heights: the number of items depends on a value that is no integer",
            "Undecided.more: the presence depends on a value that is no integer",
        ]
    );
    assert_eq!(found(&Endless::TYPE), ["Endless.names: runs to the end of the bytes, but `count` follows"]);
    assert_eq!(
        found(&Twice::TYPE),
        [
            "Twice.second: `Twice.offset` is its offset and the offset of `first`",
            "Twice.more: `Twice.sum` is its checksum and the checksum of `bytes`",
        ]
    );
}

/// One place for either of two values.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct EitherAt {
    is_wide: u8,
    offset: u32,
    #[br(if(is_wide == 0), seek_before = SeekFrom::Start(offset as u64), restore_position)]
    narrow: Option<u8>,
    #[br(if(is_wide != 0), seek_before = SeekFrom::Start(offset as u64), restore_position)]
    wide: Option<u16>,
    #[br(if(is_wide == 0))]
    rest: Option<u8>,
}

#[test]
fn alternatives_share_a_place() {
    assert_eq!(problems(&EitherAt::TYPE), []);
}
