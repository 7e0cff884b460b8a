//! Trees read from JSON.

#![allow(
    dead_code,
    reason = "the declarations are only described, never decoded"
)]

use std::io::{self, Read};

use binrw::binrw;
use meshspec::bulk::Strings;
use meshspec::conformance::corpus::CaseKind;
use meshspec::layout::Layout;
use meshspec::layout::declaration::Type;
use meshspec::layout::dump::Dump;
use meshspec::layout::tree::Tree;
use meshspec::{ErrorKind, Formats, Limits};
use modular_bitfield::prelude::*;
use serde_json::{Value, json};

use crate::common::{json_of, values_of};
use crate::corpus;

/// Assembles the values of a file. `Value` sorts the keys of objects.
fn assembled(ty: &'static Type, json: &Value) -> meshspec::Result<Vec<u8>> {
    Tree::from_json(ty, json.to_string().as_bytes())?.assemble(&Limits::default())
}

fn error_of(ty: &'static Type, json: &Value) -> String {
    assembled(ty, json).unwrap_err().to_string()
}

/// Removes all annotations without content, and the values of packed words: their fields remain.
fn remove_annotations(json: &mut Value) {
    match json {
        Value::Object(object) => {
            let is_word =
                object.contains_key("$value") && object.keys().any(|key| !key.starts_with('$'));
            let descriptions = [
                "$at", "$in", "$bits", "$type", "$name", "$decoded", "$unit", "$meaning",
            ];
            object.retain(|key, _| {
                let is_removed = descriptions.contains(&&**key) || (is_word && key == "$value");
                !is_removed
            });
            object.values_mut().for_each(remove_annotations);
            let only = |key| {
                (object.len() == 1)
                    .then(|| object.get(key).cloned())
                    .flatten()
            };
            if let Some(value) = only("$value").or_else(|| only("$items")) {
                *json = value;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(remove_annotations),
        _ => {}
    }
}

/// Returns JSON with the keys of objects in alphabetical or in reverse order.
fn text_of(json: &Value, is_reversed: bool) -> String {
    let text = |json| text_of(json, is_reversed);
    match json {
        Value::Object(object) => {
            let mut keys: Vec<_> = object
                .iter()
                .map(|(key, value)| format!("{}:{}", json!(key), text(value)))
                .collect();
            if is_reversed {
                keys.reverse();
            }
            format!("{{{}}}", keys.join(","))
        }
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(text).collect();
            format!("[{}]", items.join(","))
        }
        json => json.to_string(),
    }
}

/// Asserts that a file comes back from its JSON, with and without annotations or computed values, and in any order.
#[track_caller]
pub fn assert_comes_back_from_json(ty: &'static Type, bytes: &[u8]) {
    let text = json_of(&Dump::new(ty, bytes));
    let mut plain: Value = serde_json::from_slice(&text).unwrap();
    remove_annotations(&mut plain["value"]);
    let given = values_of(ty, bytes);
    let values = serde_json::from_slice(&given).unwrap();
    let texts = [
        String::from_utf8(text).unwrap(),
        text_of(&plain, false),
        text_of(&plain, true),
        String::from_utf8(given).unwrap(),
        text_of(&values, false),
        text_of(&values, true),
    ];
    for text in texts {
        let found = Tree::from_json(ty, text.as_bytes())
            .and_then(|tree| tree.assemble(&Limits::default()))
            .unwrap_or_else(|error| panic!("{error}: {text:.3000}"));
        assert!(
            found == bytes,
            "{found:x?}, expected {bytes:x?}: {text:.3000}"
        );
    }
}

#[test]
fn files_come_back_from_plain_values_in_any_order() {
    let valid = corpus::cases().filter(|(entry, _)| entry.kind == CaseKind::Valid);
    let mut count = 0;
    for (entry, bytes) in valid.step_by(2) {
        let format = Formats::builtin().get(&entry.format).unwrap();
        let Some(ty) = format.layout_of(&bytes, entry.dialect) else {
            continue;
        };
        assert_comes_back_from_json(ty, &bytes);
        count += 1;
    }
    assert!(count > 60, "{count}");
}

/// A list whose items depend on a value and on an optional one.
#[derive(Layout)]
#[binrw]
#[brw(little, magic = b"OPT")]
struct Optional {
    kind: u8,
    #[br(if(kind > 1))]
    scale: Option<u8>,
    #[br(args(kind))]
    content: Content,
    rest: Strings,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
#[br(import(kind: u8))]
enum Content {
    #[br(pre_assert(kind == 0))]
    Bytes([u8; 2]),
    #[br(pre_assert(kind != 0))]
    Words([Flags; 2]),
}

#[derive(Layout)]
#[bitfield(bits = 16)]
#[binrw]
#[br(map = Self::from_bytes)]
#[bw(map = |flags: &Self| flags.into_bytes())]
#[derive(Debug, Clone, Copy)]
struct Flags {
    is_set: bool,
    level: B7,
    #[layout(reserved)]
    unused: B8,
}

#[test]
fn values_select_variants_wherever_they_are() {
    let words = json!([{"is_set": true, "level": 3}, {"$value": "0x101", "unused": 1}]);
    let json = json!({"value": {"content": words, "kind": 2, "rest": ["a", [255]], "scale": 9}});
    let bytes = b"OPT\x02\x09\x07\x00\x01\x01a\0\xff\0";
    assert_eq!(assembled(&Optional::TYPE, &json).unwrap(), bytes);
    let json = json!({"value": {"content": [1, 2], "kind": 0, "rest": []}});
    assert_eq!(assembled(&Optional::TYPE, &json).unwrap(), b"OPT\0\x01\x02");
    let json = json!({"value": {"content": [1, 2], "rest": []}});
    let error = error_of(&Optional::TYPE, &json);
    let reason = "content: the value that selects one of Bytes, Words is omitted";
    assert!(error.starts_with(reason), "{error}");
}

#[test]
fn annotations_may_have_content() {
    let ty = &Optional::TYPE;
    let rest = json!([{"$value": "a"}, {"$unterminated": true, "$value": "b"}]);
    let json = json!({
        "trailing": {"$bytes": "00ff"},
        "value": {"$magic": "OPQ", "kind": 0, "content": [1, 2], "rest": rest},
    });
    assert_eq!(assembled(ty, &json).unwrap(), b"OPQ\0\x01\x02a\0b\0\xff");
    let json =
        json!({"value": {"$magic": [0, 255, 1], "kind": 0, "content": [1, 2], "rest": rest}});
    assert_eq!(assembled(ty, &json).unwrap(), b"\0\xff\x01\0\x01\x02a\0b");
}

#[test]
fn wrong_values_are_errors_with_their_place() {
    let ty = &Optional::TYPE;
    let with = |key: &str, value: Value| {
        let mut json = json!({"value": {"kind": 0, "content": [1, 2], "rest": []}});
        json["value"][key] = value;
        error_of(ty, &json)
    };
    for (key, value, expected) in [
        (
            "kind",
            json!(256),
            "kind: 256 is out of range 0..=255 at line 1 column ",
        ),
        ("kind", json!(-1), "kind: -1 is out of range 0..=255"),
        ("kind", json!(1.5), "kind: 1.5 is not an integer"),
        ("kind", json!("one"), "kind: \"one\" is not an integer"),
        (
            "kind",
            json!(null),
            "invalid type: null, expected an integer for `kind`",
        ),
        (
            "kind",
            json!([1]),
            "invalid type: sequence, expected an integer for `kind`",
        ),
        (
            "kind",
            json!({"$value": {"$value": 1}}),
            "invalid type: map, expected an integer for `kind`",
        ),
        ("kind", json!({"$note": 1}), "kind: has no field `$note`"),
        ("content", json!({"x": 1}), "content: has no field `x`"),
        (
            "content",
            json!([1, 256]),
            "content[1]: 256 is out of range",
        ),
        (
            "content",
            json!(["a"]),
            "content[0]: \"a\" is not an integer",
        ),
        ("rest", json!("a"), "rest: \"a\" is not a list"),
        ("rest", json!([7]), "rest[0]: 7 is not a string"),
        ("rest", json!(["a\u{0}b"]), "rest[0]: contains a NUL"),
        ("more", json!(1), "has no field `more`"),
    ] {
        let error = with(key, value.clone());
        assert!(error.starts_with(expected), "{value}: {error}");
    }
    let error = with("content", json!([1, 2, 3]));
    assert!(
        error.starts_with("content[2]: is given, but the file has no field"),
        "{error}"
    );
    for text in ["", "[]", "{\"value\": {\"kind\": 1}", "{} {}"] {
        let error = Tree::from_json(ty, text.as_bytes())
            .unwrap_err()
            .to_string();
        assert!(error.contains(" at line 1 column "), "{error}");
    }
}

/// Numbers of all widths.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Numbers {
    wide: u128,
    signed: i128,
    narrow: f32,
    double: f64,
    #[br(count = 2)]
    list: Vec<u128>,
}

#[test]
fn numbers_keep_all_digits() {
    let text = r#"{"value": {"wide": 340282366920938463463374607431768211455, "signed": {"$value":
        -170141183460469231731687303715884105728}, "narrow": 7.038531e-26, "double": 9007199254740993,
        "list": ["0xffffffffffffffffffffffffffffffff", 18446744073709551616]}}"#;
    let tree = Tree::from_json(&Numbers::TYPE, text.as_bytes()).unwrap();
    let mut expected = u128::MAX.to_le_bytes().to_vec();
    expected.extend(i128::MIN.to_le_bytes());
    expected.extend(7.038531e-26_f32.to_le_bytes());
    expected.extend(9007199254740992_f64.to_le_bytes());
    expected.extend(u128::MAX.to_le_bytes());
    expected.extend((1_u128 << 64).to_le_bytes());
    assert_eq!(tree.assemble(&Limits::default()).unwrap(), expected);
    let error = error_of(&Numbers::TYPE, &json!({"value": {"narrow": 1e39}}));
    assert!(error.starts_with("narrow: "), "{error}");
    assert!(
        error.contains("is out of range for a 32-bit float"),
        "{error}"
    );
    let text = r#"{"value": {"wide": 340282366920938463463374607431768211456}}"#;
    assert!(Tree::from_json(&Numbers::TYPE, text.as_bytes()).is_err());
}

/// Floats and their number.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Floats {
    #[br(temp)]
    #[bw(try_calc = u32::try_from(list.len()))]
    count: u32,
    #[br(count = count)]
    list: Vec<f32>,
}

#[test]
fn shortest_decimals_are_read_exactly() {
    let read = |numbers: &[String]| -> Vec<f32> {
        let text = format!(r#"{{"value": {{"list": [{}]}}}}"#, numbers.join(","));
        let tree = Tree::from_json(&Floats::TYPE, text.as_bytes()).unwrap();
        let bytes = tree.assemble(&Limits::default()).unwrap();
        let float = |bytes: &[u8; 4]| f32::from_le_bytes(*bytes);
        bytes[4..].as_chunks().0.iter().map(float).collect()
    };
    // Rounded to 64 bits, the number is half-way between two 32-bit floats, so double rounding would yield the wrong
    // one.
    let x = f32::from_bits(0x15ae_43fd);
    assert_eq!((7.038_531e-26_f64 as f32).to_bits(), x.to_bits() + 1);
    // An exact tie still rounds to even.
    let half_way = (1.0 + f64::from(f32::EPSILON) / 2.0).to_string();
    assert_eq!(read(&["7.038531e-26".to_owned(), half_way]), [x, 1.0]);
    let floats: Vec<f32> = (0..0x7f80_0000).step_by(9973).map(f32::from_bits).collect();
    let numbers: Vec<String> = floats.iter().map(|x| format!("{x:e}")).collect();
    assert_eq!(read(&numbers), floats);
}

#[test]
fn keys_occur_once() {
    for (ty, value, expected) in [
        (
            &Optional::TYPE,
            r#""kind": 0, "content": [1, 2], "kind": 0"#,
            "duplicate key `kind`",
        ),
        (
            &Optional::TYPE,
            r#""kind": {"$value": 0, "$value": 0}"#,
            "kind: duplicate key `$value`",
        ),
        (
            &Optional::TYPE,
            r#""kind": 1, "content": [{"is_set": true, "level": 1, "level": 2}, 0]"#,
            "content[0]: duplicate key `level`",
        ),
        (
            &Optional::TYPE,
            r#""rest": {"$items": [], "$items": []}"#,
            "rest: duplicate key `$items`",
        ),
        (
            &Optional::TYPE,
            r#""rest": []}, "value": {"#,
            "duplicate key `value`",
        ),
    ] {
        let text = format!("{{\"value\": {{{value}}}}}");
        let error = Tree::from_json(ty, text.as_bytes())
            .unwrap_err()
            .to_string();
        assert!(error.starts_with(expected), "{error}");
    }
}

/// A value whose type depends on a later one is read at the end of its struct, where its error is reported.
#[test]
fn errors_in_deferred_values_have_a_place_in_the_whole_text() {
    for (ty, text) in [
        (
            &Optional::TYPE,
            "{\"value\": {\n\"content\": [1,\n\"x\"],\n\"kind\": 0}}",
        ),
        (&Numbers::TYPE, "{\"value\": {\n\"wide\":\n\n\"x\"}}"),
    ] {
        let error = Tree::from_json(ty, text.as_bytes())
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("\"x\" is not an integer at line 4 "),
            "{error}"
        );
    }
}

/// A value that depends on an optional one.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct DefaultArgument {
    kind: u8,
    #[br(if(kind > 1))]
    scale: u8,
    #[br(args(scale))]
    zone: Zone,
    last: u8,
}

#[test]
fn absent_values_determine_types() {
    assert_comes_back_from_json(&DefaultArgument::TYPE, &[0, 5, 6]);
    assert_comes_back_from_json(&DefaultArgument::TYPE, &[2, 1, 5, 0, 6]);
    // The value is not deferred, so its error is reported in its line.
    let text = "{\"value\": {\"kind\": 0,\n\"zone\": 256,\n\"last\": 1}}";
    let error = Tree::from_json(&DefaultArgument::TYPE, text.as_bytes()).unwrap_err();
    assert!(error.to_string().contains(" at line 2 "), "{error}");
}

#[test]
fn annotations_without_a_place_in_the_file_are_errors() {
    let ty = &Optional::TYPE;
    for item in [
        json!({"$value": 1, "$trailing": {"$bytes": "ff"}}),
        json!({"$value": 1, "$packed": {"$bytes": "ff"}}),
    ] {
        let json = json!({"value": {"kind": 0, "content": [item, 2], "rest": []}});
        let error = error_of(ty, &json);
        let reason = "content[0]: is given, but the file has no field for it";
        assert!(error.contains(reason), "{error}");
    }
}

#[test]
fn deep_nesting_is_harmless() {
    let is_read = |open: &str, close: &str| {
        let value = open.repeat(100_000) + "1" + &close.repeat(100_000);
        let text = format!("{{\"value\": {{\"wide\": {value}}}}}");
        Tree::from_json(&Numbers::TYPE, text.as_bytes()).is_ok()
    };
    assert!(!is_read("{\"$value\": ", "}"));
    assert!(!is_read("[", "]"));
    // Descriptions may contain anything.
    assert!(is_read("{\"$name\": ", "}"));
    assert!(is_read("{\"$decoded\": [", "]}"));
}

/// Inline content that depends on a value before it.
#[derive(Layout)]
#[binrw]
#[brw(little, magic = b"OU")]
struct Outer {
    kind: u8,
    size: u8,
    #[br(count = size)]
    #[layout(content = Inner, args(kind), inline)]
    body: Vec<u8>,
    end: u8,
}

#[derive(Layout)]
#[binrw]
#[brw(little, magic = b"IN")]
#[br(import(kind: u8))]
struct Inner {
    a: u8,
    #[br(if(kind != 0))]
    b: Option<u8>,
    own: u8,
    #[br(args(own))]
    zone: Zone,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
#[br(import(kind: u8))]
enum Zone {
    #[br(pre_assert(kind == 0))]
    Narrow(u8),
    #[br(pre_assert(kind != 0))]
    Wide(u16),
}

/// Inline content that is a choice of structs.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct InlineChoice {
    kind: u8,
    size: u8,
    #[br(count = size)]
    #[layout(content = Which, args(kind), inline)]
    body: Vec<u8>,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
#[br(import(kind: u8))]
enum Which {
    #[br(pre_assert(kind == 0))]
    Pair(Pair),
    #[br(pre_assert(kind != 0))]
    Single(Single),
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Pair {
    x: u8,
    y: u8,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Single {
    x: u16,
}

/// A packed inline block and a field of its content with the same name.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Same {
    size: u8,
    #[br(count = size)]
    #[layout(content = SameBody, packing = lz4, size = 2, inline)]
    body: Vec<u8>,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct SameBody {
    body: u8,
    last: u8,
}

/// Inline content that is a list, then packed inline content that is a choice, and nested inline content.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct InlineKinds {
    size: u8,
    #[br(count = size)]
    #[layout(content = [u8; 2], inline)]
    list: Vec<u8>,
    kind: u8,
    packed_size: u8,
    #[br(count = packed_size)]
    #[layout(content = Which, args(kind), packing = lz4, size = 2, inline)]
    choice: Vec<u8>,
    nested_size: u8,
    #[br(count = nested_size)]
    #[layout(content = Nested, inline)]
    nested: Vec<u8>,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Nested {
    inner_size: u8,
    #[br(count = inner_size)]
    #[layout(content = Leaf, inline)]
    inner: Vec<u8>,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Leaf {
    leaf: u8,
}

/// Items whose variants a look-ahead selects. The same text has another type in each.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Guessed {
    #[br(restore_position)]
    tag: u8,
    #[br(args(tag))]
    body: GuessedBody,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
#[br(import(tag: u8))]
enum GuessedBody {
    #[br(pre_assert(tag == 0))]
    Narrow(NarrowBody),
    #[br(pre_assert(tag == 1))]
    Wide(WideBody),
    #[br(pre_assert(tag > 1))]
    Word(WordBody),
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct NarrowBody {
    own: u8,
    number: f32,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct WideBody {
    own: u8,
    number: f64,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct WordBody {
    word: Flags,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct GuessedNames {
    #[br(restore_position)]
    tag: u8,
    #[br(args(tag))]
    body: NamedBody,
}

/// The look-ahead selects the inline content, whose size precedes it.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct GuessedInline {
    #[br(restore_position)]
    tag: u8,
    kind: u8,
    size: u8,
    #[br(count = size)]
    #[layout(content = NamedBody, args(tag), inline)]
    body: Vec<u8>,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
#[br(import(tag: u8))]
enum NamedBody {
    #[br(pre_assert(tag == 0))]
    First(FirstBody),
    #[br(pre_assert(tag != 0))]
    Second(SecondBody),
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct FirstBody {
    own: u8,
    colour: FirstColour,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct SecondBody {
    own: u8,
    colour: SecondColour,
}

#[derive(Layout)]
#[binrw]
#[brw(repr = u8)]
enum FirstColour {
    Red = 1,
    Blue = 2,
}

#[derive(Layout)]
#[binrw]
#[brw(repr = u8)]
enum SecondColour {
    Red = 7,
    Blue = 9,
}

#[test]
fn values_of_guessed_variants_keep_their_text() {
    let narrow = [&[0][..], &0.1_f32.to_le_bytes()].concat();
    assert_comes_back_from_json(&Guessed::TYPE, &narrow);
    for number in [0.1, -0.0, 1e300, f64::NAN, f64::INFINITY] {
        let wide = [&[1][..], &f64::to_le_bytes(number)].concat();
        assert_comes_back_from_json(&Guessed::TYPE, &wide);
    }
    assert_comes_back_from_json(&Guessed::TYPE, &[7, 0]);
    // The name has a number in each enum.
    assert_comes_back_from_json(&GuessedNames::TYPE, &[1, 9]);
    let json = json!({"value": {"body": {"own": 1, "colour": "Blue"}}});
    assert_eq!(assembled(&GuessedNames::TYPE, &json).unwrap(), [1, 9]);
    // The look-ahead is outside of the inline content.
    assert_comes_back_from_json(&GuessedInline::TYPE, &[1, 2, 1, 9]);
    let json = json!({"value": {"kind": 1, "own": 1, "colour": "Blue"}});
    assert_eq!(
        assembled(&GuessedInline::TYPE, &json).unwrap(),
        [1, 2, 1, 9]
    );
}

#[test]
fn inline_content_comes_back() {
    let outer = &Outer::TYPE;
    assert_comes_back_from_json(outer, b"OU\x01\x07INabc\x01\0e");
    assert_comes_back_from_json(outer, b"OU\0\x05INa\0\x07e");
    // Trailing bytes of the block, and of the file.
    assert_comes_back_from_json(outer, b"OU\0\x07INa\0\x07xye");
    assert_comes_back_from_json(outer, b"OU\0\x06INa\0\x07xeyz");
    assert_comes_back_from_json(&InlineChoice::TYPE, &[0, 2, 7, 8]);
    assert_comes_back_from_json(&InlineChoice::TYPE, &[1, 2, 7, 8]);
    assert_comes_back_from_json(&Same::TYPE, &[3, 0x20, 5, 6]);
    let kinds = &InlineKinds::TYPE;
    let bytes = [2, 7, 8, 0, 3, 0x20, 5, 6, 2, 1, 9];
    assert_comes_back_from_json(kinds, &bytes);
    // Trailing bytes after the list and after the innermost content.
    let bytes = [3, 7, 8, 0xaa, 1, 3, 0x20, 5, 6, 4, 3, 9, 0xbb, 0xcc];
    assert_comes_back_from_json(kinds, &bytes);
}

#[test]
fn inline_content_may_precede_what_it_depends_on() {
    let json = json!({"value": {"a": 1, "b": 2, "own": 0, "zone": 1, "size": 6, "end": 1}});
    // The presence of `b` determines the omitted `kind`.
    let expected = b"OU\x01\x06IN\x01\x02\0\x01\x01";
    assert_eq!(assembled(&Outer::TYPE, &json).unwrap(), expected);
    let json = json!({"value": {"a": 0, "own": 0}});
    let error = error_of(&Outer::TYPE, &json);
    assert_eq!(error, "zone: is omitted and cannot be determined");
}

#[test]
fn streams_are_read_like_texts() {
    let bytes = b"OPT\x02\x09\x07\x00\x01\x01a\0\xff\0";
    let json = json_of(&Dump::new(&Optional::TYPE, bytes));
    let stream = json[..7].chain(&json[7..]);
    let tree = Tree::read_json(&Optional::TYPE, stream).unwrap();
    assert_eq!(tree.assemble(&Limits::default()).unwrap(), bytes);

    struct BrokenStream;
    impl Read for BrokenStream {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::ErrorKind::ConnectionReset.into())
        }
    }
    let stream = json[..20].chain(BrokenStream);
    let error = Tree::read_json(&Optional::TYPE, stream).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io(io::ErrorKind::ConnectionReset));
}
