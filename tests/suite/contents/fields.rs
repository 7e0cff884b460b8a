//! The contents of a custom format: its decoded fields by path.

#![allow(
    dead_code,
    reason = "the declarations are only described, never decoded"
)]

use binrw::binrw;
use meshspec::BinaryFormat;
use meshspec::contents::compare;
use meshspec::layout::Layout;
use modular_bitfield::prelude::*;
use serde_json::{Value, json};

/// A chart.
#[derive(Layout)]
#[binrw]
#[brw(little, magic = b"CHRT")]
struct Chart {
    kind: Kind,
    flags: Flags,
    /// Number of rows.
    #[br(temp)]
    #[bw(try_calc = u8::try_from(rows.len()))]
    count: u8,
    #[br(count = count)]
    rows: Vec<Row>,
    #[br(count = count)]
    points: Vec<[f32; 2]>,
    #[br(count = count)]
    kinds: Vec<Kind>,
    scale: f64,
    title: meshspec::Text,
}

/// The kind of a chart.
#[derive(Layout)]
#[binrw]
#[brw(repr = u8)]
#[derive(Debug, Clone, Copy)]
enum Kind {
    /// Lines.
    Lines = 1,
    /// Bars.
    Bars = 2,
}

/// Two numbers.
#[derive(Layout)]
#[bitfield(bits = 8)]
#[binrw]
#[br(map = Self::from_bytes)]
#[bw(map = |flags: &Self| flags.into_bytes())]
#[derive(Clone, Copy)]
struct Flags {
    width: B7,
    is_open: bool,
}

/// A row.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Row {
    #[br(temp)]
    #[bw(try_calc = u8::try_from(values.len()))]
    count: u8,
    #[br(count = count)]
    values: Vec<i16>,
}

impl BinaryFormat for Chart {
    const NAME: &'static str = "chart";
}

const FILE: &[u8] =
    b"CHRT\x02\x85\x02\x01\xff\xff\x02\x01\x00\x02\x00\0\0\x80\x3f\0\0\xc0\x7f\0\0\0\0\0\0\0\x80\x01\x02\0\0\0\0\0\0\xe0\x3fhi\0";

fn contents() -> Value {
    let contents = meshspec::format_of::<Chart>()
        .contents(FILE, &Default::default())
        .unwrap();
    serde_json::to_value(&contents).unwrap()
}

#[test]
fn fields_have_values_by_path() {
    let one = |name: &str, value: Value| json!({"type": name, "shape": [1], "values": [value]});
    assert_eq!(
        contents(),
        json!({
            "format": "chart",
            "dialect": "spec",
            "fields": {
                "kind": one("u8", json!(2)),
                "flags.width": one("int", json!(5)),
                "flags.is_open": one("bool", json!(true)),
                "count": one("u8", json!(2)),
                "rows[0].count": one("u8", json!(1)),
                "rows[0].values": one("i16", json!(-1)),
                "rows[1].count": one("u8", json!(2)),
                "rows[1].values": {"type": "i16", "shape": [2], "values": [1, 2]},
                "points": {
                    "type": "f32", "shape": [2, 2], "values": [1.0, null, 0.0, -0.0],
                    "bits": ["3f800000", "7fc00000", "00000000", "80000000"],
                },
                "kinds": {"type": "u8", "shape": [2], "values": [1, 2]},
                "scale": {"type": "f64", "shape": [1], "values": [0.5], "bits": ["3fe0000000000000"]},
                "title": "hi",
            },
        })
    );
}

#[test]
fn fields_are_compared() {
    let found = json!({"fields": {"points": [[1, null], [0, 0]], "kind": [3], "title": "ho"}});
    let differences = compare(&contents(), &found, 10);
    let listed: Vec<_> = differences.listed.iter().map(ToString::to_string).collect();
    assert_eq!(
        listed,
        [
            "fields.kind[0]: found 3, expected 2",
            "fields.title: found \"ho\", expected \"hi\""
        ]
    );
}

#[test]
fn a_malformed_file_has_no_fields() {
    let error = meshspec::format_of::<Chart>()
        .contents(&FILE[..20], &Default::default())
        .unwrap_err();
    assert_eq!(
        (error.format(), &*error.path().to_string()),
        (Some("chart"), "points")
    );
    assert_eq!(error.rule().unwrap().code, "LAYOUT-TRUNCATED");
}

/// Lists of integers of each type.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Lists {
    unsigned: [u8; 2],
    unsigned_16: [u16; 2],
    unsigned_32: [u32; 2],
    unsigned_64: [u64; 2],
    signed: [i8; 2],
    signed_16: [i16; 2],
    signed_32: [i32; 2],
    signed_64: [i64; 2],
}

impl BinaryFormat for Lists {
    const NAME: &'static str = "lists";
}

#[test]
fn lists_have_the_type_of_their_items() {
    // A one, and the highest bit, in each type.
    let pair = |size: usize| {
        let (mut one, mut high) = (vec![0; size], vec![0; size]);
        (one[0], high[size - 1]) = (1, 0x80);
        [one, high].concat()
    };
    let bytes = [1, 2, 4, 8, 1, 2, 4, 8].map(pair).concat();
    let contents = meshspec::format_of::<Lists>()
        .contents(&bytes, &Default::default())
        .unwrap();
    let list = |name: &str, high: i128| json!({"type": name, "shape": [2], "values": [1, high]});
    assert_eq!(
        serde_json::to_value(&contents).unwrap()["fields"],
        json!({
            "unsigned": list("u8", 1 << 7),
            "unsigned_16": list("u16", 1 << 15),
            "unsigned_32": list("u32", 1 << 31),
            "unsigned_64": list("u64", 1 << 63),
            "signed": list("i8", i8::MIN.into()),
            "signed_16": list("i16", i16::MIN.into()),
            "signed_32": list("i32", i32::MIN.into()),
            "signed_64": list("i64", i64::MIN.into()),
        })
    );
}
