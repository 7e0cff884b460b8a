//! Look-aheads of the assembler: values read from the first bytes of later fields.

use std::io::SeekFrom;

use binrw::binrw;
use meshspec::layout::Layout;
use meshspec::layout::assemble::Change;
use meshspec::layout::tree::UntypedValue;

use super::{assembled, recounted, round_trips};

/// Items whose first byte, read by a look-ahead, selects their form.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Tagged {
    count: u8,
    #[br(count = count)]
    items: Vec<TaggedItem>,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct TaggedItem {
    #[br(restore_position)]
    #[bw(ignore)]
    tag: i8,
    #[br(args(tag))]
    body: Body,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
#[br(import(tag: i8))]
enum Body {
    #[br(pre_assert(tag < 0))]
    Negative(Negative),
    #[br(pre_assert(tag == 0x41))]
    Named(NamedBody),
    #[br(pre_assert(tag >= 0))]
    Positive(Positive),
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Negative {
    number: i8,
}

#[derive(Layout)]
#[binrw]
#[brw(little, magic = b"A")]
struct NamedBody {
    letter: u8,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Positive {
    number: i8,
    more: u8,
}

#[test]
fn look_aheads_choose_by_given_values() {
    const BYTES: &[u8] = &[3, 0xff, b'A', b'z', 5, 6];
    assert!(round_trips(&Tagged::TYPE, BYTES));
    let given = [
        ("items[0].body.number", "-1"),
        ("items[1].body.letter", "0x7a"),
        ("items[2].body.number", "5"),
        ("items[2].body.more", "6"),
    ];
    assert_eq!(assembled(&Tagged::TYPE, given).unwrap(), BYTES);
    let item = UntypedValue::Struct(vec![(
        "body".to_owned(),
        UntypedValue::Struct(vec![("number".to_owned(), "-2".into())]),
    )]);
    let edited = recounted(&Tagged::TYPE, BYTES, &[("items[0]", Change::Insert(item))]).unwrap();
    assert_eq!(edited, [4, 0xfe, 0xff, b'A', b'z', 5, 6]);
}

/// A signed number read by a look-ahead.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct SignedAhead {
    #[br(restore_position)]
    #[bw(ignore)]
    ahead: i16,
    value: i16,
    #[br(if(ahead < 0))]
    negative: Option<u8>,
}

#[test]
fn look_aheads_have_signs() {
    assert!(round_trips(&SignedAhead::TYPE, &[0xff, 0xff, 7]));
    let assembled = |given: &[(&'static str, &'static str)]| {
        assembled(&SignedAhead::TYPE, given.iter().copied())
    };
    assert_eq!(
        assembled(&[("value", "-2"), ("negative", "7")]).unwrap(),
        [0xfe, 0xff, 7]
    );
    assert_eq!(assembled(&[("value", "0x7fff")]).unwrap(), [0xff, 0x7f]);
    let error = assembled(&[("value", "-1")]).unwrap_err();
    assert_eq!(error, "negative: is omitted and cannot be determined");
}

/// Fields with explicit offsets between a look-ahead and the bytes that it reads.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct TaggedElsewhere {
    offset: u8,
    #[br(restore_position)]
    #[bw(ignore)]
    tag: i8,
    #[br(seek_before = SeekFrom::Start(2), restore_position, args(offset))]
    #[bw(ignore)]
    far: Far,
    #[br(args(tag))]
    body: FarBody,
}

/// A choice that does not depend on the look-ahead.
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[br(import(offset: u8))]
enum Far {
    #[br(pre_assert(offset < 0x80))]
    Near(Negative),
    #[br(pre_assert(offset >= 0x80))]
    Distant(Positive),
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
#[br(import(tag: i8))]
enum FarBody {
    #[br(pre_assert(tag < 0))]
    Negative(FarNegative),
    #[br(pre_assert(tag >= 0))]
    Positive(Positive),
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct FarNegative {
    #[br(seek_before = SeekFrom::Start(3), restore_position)]
    #[bw(ignore)]
    more: i8,
    number: i8,
}

#[test]
fn fields_elsewhere_are_no_look_aheads() {
    const BYTES: &[u8] = &[7, 0xff, 5, 9];
    assert!(round_trips(&TaggedElsewhere::TYPE, BYTES));
    let given = [
        ("offset", "7"),
        ("far.number", "5"),
        ("body.more", "9"),
        ("body.number", "-1"),
    ];
    assert_eq!(assembled(&TaggedElsewhere::TYPE, given).unwrap(), BYTES);
}
