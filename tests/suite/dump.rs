//! Dumps of test declarations: gaps, large arrays, terminal colours, failures.

#![allow(
    dead_code,
    reason = "the declarations are only described, never decoded"
)]

use std::io::{self, SeekFrom};

use binrw::binrw;
use meshspec::Limits;
use meshspec::bulk::Strings;
use meshspec::layout::Layout;
use meshspec::layout::declaration::Type;
use meshspec::layout::dump::{Branch, Dump, JsonHead};
use meshspec::layout::tree::Tree;
use meshspec::layout::walk::{self, Selection};
use modular_bitfield::prelude::*;
use serde_json::{Value, json};

use crate::common::json_of;

/// Numbers at offsets from a table.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Placed {
    /// Where the first ones are.
    first: u8,
    /// Where the last one is.
    last: u8,
    #[br(seek_before = SeekFrom::Start(last as u64), restore_position)]
    far: u16,
    #[br(seek_before = SeekFrom::Start(first as u64), restore_position, count = 2)]
    near: Vec<u8>,
    next: u8,
}

/// Table, gap, two numbers, gap, the last number, two more bytes.
const PLACED: &[u8] = &[5, 8, 9, 0xa, 0xb, 1, 2, 0xc, 3, 0, 0xd, 0xe];

/// Returns the columns of a dump, separated by single spaces.
fn text(dump: &Dump) -> String {
    let mut text = Vec::new();
    dump.write_text(&mut text, false).unwrap();
    let text = String::from_utf8(text).unwrap();
    let lines = text
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns a dump as parsed JSON.
fn parsed_json(dump: &Dump) -> Value {
    serde_json::from_slice(&json_of(dump)).unwrap()
}

/// Returns the places of bytes that no field covers: gaps, then trailing bytes.
fn uncovered(json: &Value) -> Vec<Value> {
    let gaps = json["gaps"].as_array().into_iter().flatten();
    gaps.chain(json.get("trailing"))
        .map(|bytes| bytes["$at"].clone())
        .collect()
}

#[test]
fn every_byte_is_shown_or_listed_as_uncovered() {
    let dump = Dump::new(&Placed::TYPE, PLACED);
    assert_eq!(
        text(&dump),
        "\
Placed at 0x0 — Numbers at offsets from a table.
00000000 05 u8 first 5 (0x05) Where the first ones are.
00000001 08 u8 last 8 (0x08) Where the last one is.
00000008 03 00 u16 far 3 (0x0003)
00000005 01 02 u8[2] near [1, 2]
00000002 09 u8 next 9 (0x09)

trailing: 2 bytes at 0xa that no field covers
0000000a 0d 0e trailing 2 bytes

gap: 2 bytes at 0x3 that no field covers
00000003 0a 0b gap 2 bytes

gap: 1 byte at 0x7 that no field covers
00000007 0c gap 1 byte"
    );
    let places = [json!([3, 5]), json!([7, 8]), json!([10, 12])];
    assert_eq!(uncovered(&parsed_json(&dump)), places);
}

/// Arrays of every size.
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[br(magic = b"AR")]
struct Arrays {
    count: u16,
    #[br(count = count)]
    numbers: Vec<i16>,
    #[br(count = count)]
    rows: Vec<Row>,
    key: [u8; 40],
    names: Strings,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Row {
    size: u8,
    #[br(count = size)]
    columns: Vec<u8>,
}

fn arrays(count: u16) -> Vec<u8> {
    let mut bytes = b"AR".to_vec();
    bytes.extend(count.to_le_bytes());
    bytes.extend((0..count).flat_map(|n| (-(n as i16)).to_le_bytes()));
    bytes.extend((0..count).flat_map(|n| if n % 2 == 0 { vec![0] } else { vec![1, 7] }));
    bytes.extend([0x11; 40]);
    bytes.extend((0..count).flat_map(|n| [b'a' + (n % 26) as u8, 0]));
    bytes
}

#[test]
fn large_arrays_are_summarised() {
    let bytes = arrays(2000);
    let text = text(&Dump::new(&Arrays::TYPE, &bytes));
    for part in [
        "\n00000000 41 52 magic \"AR\"\n",
        "numbers: i16[2000] at 0x4\n00000004 00 00 i16 [0] 0 (0x0000)\n00000006 ff ff i16 [1] -1 (0xffff)\n",
        "i16 [3] -3 (0xfffd)\n… 1,995 more items\n00000fa2 31 f8 i16 [1999] -1999 (0xf831)\n\nrows: ",
        "rows[1]: Row at 0xfa5\n00000fa5 01 u8 size 1 (0x01)\n00000fa6 07 u8[1] columns [7]\n",
        "… 1,995 more items\n\nrows[1999]: Row at",
        "key: u8[40] at",
        "… 35 more items\n",
        "names: string[] at",
        "string [7] \"h\"\n… 1,992 more items",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(text.lines().count() < 100, "{text}");
}

#[test]
fn small_arrays_are_shown_wholly() {
    let bytes = arrays(8);
    let text = text(&Dump::new(&Arrays::TYPE, &bytes));
    assert_eq!(
        text.matches("more item").count(),
        1,
        "only the key is cut: {text}"
    );
}

fn selected(ty: &'static Type, bytes: &[u8], path: &str) -> Vec<walk::Segment> {
    match walk::select(ty, bytes, path, &Limits::default()) {
        Selection::One(path) => path,
        other => panic!("{path}: {other:?}"),
    }
}

#[test]
fn a_selected_array_shows_several_hundred_items() {
    for (count, path, more) in [
        (400, "numbers", false),
        (401, "numbers", true),
        (300, "names", false),
    ] {
        let bytes = arrays(count);
        let dump =
            Dump::new(&Arrays::TYPE, &bytes).with_path(selected(&Arrays::TYPE, &bytes, path));
        assert_eq!(text(&dump).contains("more item"), more, "{count} {path}");
    }
    let bytes = arrays(9);
    let dump =
        Dump::new(&Arrays::TYPE, &bytes).with_path(selected(&Arrays::TYPE, &bytes, "[7].columns"));
    assert_eq!(text(&dump), "00000021 07 u8[1] rows[7].columns [7]");
}

/// Adds the places of numbers, strings, lists of plain numbers, and the sizes of magic bytes.
fn add_sizes(json: &Value, size: &mut u64) {
    let Value::Object(object) = json else { return };
    if let Some(magic) = object.get("$magic") {
        *size += magic.as_str().unwrap().len() as u64;
    }
    let items = object.get("$items").and_then(Value::as_array);
    let is_leaf = items.is_none_or(|items| !items.iter().all(Value::is_object));
    let is_leaf = is_leaf && (items.is_some() || object.contains_key("$value"));
    if let (true, Some(at)) = (is_leaf, object.get("$at")) {
        *size += at[1].as_u64().unwrap() - at[0].as_u64().unwrap();
    }
    for part in object.values().chain(items.into_iter().flatten()) {
        add_sizes(part, size);
    }
}

#[test]
fn json_is_complete() {
    let bytes = arrays(500);
    let text = json_of(&Dump::new(&Arrays::TYPE, &bytes));
    let json: Value = serde_json::from_slice(&text).unwrap();
    assert_eq!(
        json["value"]["numbers"]["$items"].as_array().unwrap().len(),
        500
    );
    let mut size = 0;
    add_sizes(&json["value"], &mut size);
    assert_eq!(size, bytes.len() as u64);
    let tree = Tree::from_json(&Arrays::TYPE, &text).unwrap();
    assert!(tree.assemble(&Limits::default()).unwrap() == bytes);
}

#[test]
fn json_of_a_truncated_array_has_its_items() {
    let bytes = arrays(9);
    for (end, items) in [
        (4, json!([])),
        (9, json!([0, -1])),
        (21, json!([0, -1, -2, -3, -4, -5, -6, -7])),
    ] {
        let mut text = Vec::new();
        let dump = Dump::new(&Arrays::TYPE, &bytes[..end]);
        let fault = dump
            .write_json(&JsonHead::default(), |_| None, &mut text)
            .unwrap();
        assert_eq!(fault.unwrap().path, "numbers");
        let json: Value = serde_json::from_slice(&text).unwrap();
        assert_eq!(json["value"]["numbers"]["$items"], items, "{end}");
        assert_eq!(json["error"]["path"], "numbers");
        assert_eq!(uncovered(&json), [Value::Null; 0]);
    }
}

#[test]
fn a_truncated_array_is_shown_up_to_its_end() {
    let bytes = arrays(9);
    for end in [4, 9, 21] {
        let mut out = Vec::new();
        let fault = Dump::new(&Arrays::TYPE, &bytes[..end])
            .write_text(&mut out, false)
            .unwrap()
            .unwrap();
        assert_eq!(fault.path, "numbers");
        let out = String::from_utf8(out).unwrap();
        let shown = out.lines().filter(|line| line.contains("i16  ")).count();
        assert_eq!(shown, ((end - 4) / 2).min(4), "{out}");
        assert!(!out.contains("gap") && !out.contains("trailing"), "{out}");
    }
}

#[test]
fn colours_leave_the_text_unchanged() {
    let bytes = arrays(9);
    let dump = Dump::new(&Arrays::TYPE, &bytes);
    let (mut plain, mut coloured) = (Vec::new(), Vec::new());
    dump.write_text(&mut plain, false).unwrap();
    dump.write_text(&mut coloured, true).unwrap();
    let coloured = String::from_utf8(coloured).unwrap();
    let stripped: String = coloured
        .split("\u{1b}[")
        .map(|part| part.split_once('m').map_or(part, |p| p.1))
        .collect();
    assert!(coloured.len() > plain.len());
    // The heading of the file precedes the first colour.
    assert_eq!(stripped.len(), plain.len());
}

/// A writer that fails after the given number of bytes, like a full disk.
struct FullWriter(usize);

impl io::Write for FullWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self
            .0
            .checked_sub(bytes.len())
            .ok_or(io::ErrorKind::StorageFull)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn failed_writes_are_errors() {
    let bytes = arrays(9);
    let dump = Dump::new(&Arrays::TYPE, &bytes);
    let mut whole = Vec::new();
    dump.write_text(&mut whole, false).unwrap();
    for size in 0..whole.len() {
        let error = dump.write_text(&mut FullWriter(size), false).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull, "{size}");
    }
    assert_eq!(
        dump.write_text(&mut FullWriter(whole.len()), false)
            .unwrap(),
        None
    );
    let whole = json_of(&dump);
    for size in 0..whole.len() {
        let written = dump.write_json(&JsonHead::default(), |_| None, &mut FullWriter(size));
        let error = written.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull, "{size}");
    }
}

#[test]
fn unambiguous_partial_paths_select_their_value() {
    let bytes = arrays(30);
    let select = |path| walk::select(&Arrays::TYPE, &bytes, path, &Limits::default());
    for (path, whole) in [
        ("key", "key"),
        ("key[3]", "key[3]"),
        ("rows[3]", "rows[3]"),
        ("[3].size", "rows[3].size"),
        ("rows[3].columns[0]", "rows[3].columns[0]"),
        ("[3].columns", "rows[3].columns"),
    ] {
        assert_eq!(
            walk::path_text(&selected(&Arrays::TYPE, &bytes, path)),
            whole
        );
    }
    for path in [
        "ke",
        "key[40]",
        "rows[30]",
        "rows.nothing",
        "[2].columns[0]",
        "trailing",
        "size[0]",
    ] {
        assert_eq!(select(path), Selection::None, "{path}");
    }
    let Selection::Several { first, count } = select("size") else {
        panic!()
    };
    assert_eq!((first.len(), &*first[9], count), (10, "rows[9].size", 30));
    assert_eq!(
        walk::path_text(&selected(&Arrays::TYPE, &bytes, "[39]")),
        "key[39]"
    );
}

#[test]
fn trailing_bytes_can_be_selected() {
    let dump =
        Dump::new(&Placed::TYPE, PLACED).with_path(selected(&Placed::TYPE, PLACED, "trailing"));
    assert_eq!(
        text(&dump).lines().last(),
        Some("0000000a 0d 0e trailing 2 bytes")
    );
    let json = parsed_json(&dump);
    assert_eq!(
        (&json["path"], &json["value"]),
        (&json!("trailing"), &Value::Null)
    );
    assert_eq!(json["trailing"], json!({"$bytes": "0d0e", "$at": [10, 12]}));
}

/// Values over others, and a packed one.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Overlapping {
    #[br(seek_before = SeekFrom::Start(4), restore_position)]
    first: [u16; 2],
    #[br(seek_before = SeekFrom::Start(20), restore_position)]
    last: u16,
    #[br(seek_before = SeekFrom::Start(4), restore_position)]
    over: u64,
    #[br(seek_before = SeekFrom::Start(14), restore_position, count = 2)]
    #[layout(packing = lz4, size = 1, content = u8)]
    packed: Vec<u8>,
    #[br(seek_before = SeekFrom::Start(15), restore_position, count = 0)]
    nothing: Vec<u8>,
}

#[test]
fn gaps_are_the_uncovered_bytes() {
    let mut bytes = [0; 23];
    bytes[14..16].copy_from_slice(&[0x10, b'x']);
    let json = parsed_json(&Dump::new(&Overlapping::TYPE, &bytes));
    let places = [
        json!([0, 4]),
        json!([12, 14]),
        json!([16, 20]),
        json!([22, 23]),
    ];
    assert_eq!(uncovered(&json), places);
}

/// Numbers and texts of all widths.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Wordings {
    /// One byte, 0x01 is 1.0 (M1).
    /// Two.
    byte: i8,
    /// A value, e.g. this
    /// one
    ///
    /// More.
    short: u16,
    wide: i128,
    names: Strings,
}

#[test]
fn numbers_texts_and_meanings() {
    let mut bytes = vec![0xfd, 5, 0];
    bytes.extend([0xff; 16]);
    for name in [
        "wälk\u{1b}[2J\u{202e}".as_bytes(),
        b"\xff\x01",
        &[b'x'; 65],
        &[0xff; 65],
    ] {
        bytes.extend(name);
        bytes.push(0);
    }
    let text = text(&Dump::new(&Wordings::TYPE, &bytes));
    for line in [
        "i8 byte -3 (0xfd) One byte, 0x01 is 1.0 (M1).".to_owned(),
        "u16 short 5 (0x0005) A value, e.g. this one".to_owned(),
        format!("i128 wide -1 (0x{})", "f".repeat(32)),
        r#"string [0] "wälk\u{1b}[2J\u{202e}""#.to_owned(),
        r#"string [1] "\xff\x01""#.to_owned(),
        format!("string [2] \"{}\"…", "x".repeat(64)),
        format!("string [3] \"{}\"…", "\\xff".repeat(64)),
    ] {
        assert!(
            text.lines().any(|shown| shown.ends_with(&line)),
            "{line}\n{text}"
        );
    }
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Counted {
    count: u32,
    #[br(count = count)]
    items: Vec<u8>,
}

#[test]
fn digits_are_grouped() {
    for (count, grouped) in [
        (1004u32, "… 999 more"),
        (1005, "… 1,000 more"),
        (1_234_572, "… 1,234,567 more"),
    ] {
        let bytes = [&count.to_le_bytes()[..], &vec![1; count as usize]].concat();
        let text = text(&Dump::new(&Counted::TYPE, &bytes));
        assert!(text.contains(grouped), "{grouped}\n{text}");
    }
}

/// Numbers in words, one within another.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Words {
    before: u8,
    #[br(count = 2)]
    words: Vec<Outer>,
}

#[derive(Layout)]
#[bitfield(bits = 16)]
#[binrw]
#[br(map = Self::from_bytes)]
#[bw(map = |word: &Self| word.into_bytes())]
#[derive(Clone, Copy)]
struct Outer {
    low: B3,
    #[layout(declared)]
    inner: Inner,
    middle: B4,
    high: bool,
}

#[derive(Layout)]
#[bitfield(bits = 8)]
#[derive(Specifier, Clone, Copy)]
struct Inner {
    first: B2,
    second: B3,
    third: B3,
}

#[test]
fn bit_fields_are_the_parts_of_their_word() {
    fn steps(branch: &Branch) -> String {
        let parts = branch
            .parts
            .iter()
            .map(steps)
            .collect::<Vec<_>>()
            .join(", ");
        if parts.is_empty() {
            branch.step.clone()
        } else {
            format!("{} {{{parts}}}", branch.step)
        }
    }
    let outline = Dump::new(&Words::TYPE, &[9, 0xff, 0xff, 0, 0]).outline(100);
    let word = "{.low, .inner {.first, .second, .third}, .middle, .high}";
    let words = format!("words {{[0] {word}, [1] {word}}}");
    assert_eq!(
        outline.root.parts.iter().map(steps).collect::<Vec<_>>(),
        ["before".to_owned(), words]
    );
}
