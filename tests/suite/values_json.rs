//! JSON without the values that are computed.

#![allow(
    dead_code,
    reason = "the declarations are only described, never decoded"
)]

use std::io::SeekFrom;

use binrw::binrw;
use meshspec::layout::Layout;
use meshspec::layout::declaration::Type;
use meshspec::layout::tree::Tree;
use meshspec::{Limits, ReadOptions, Rule, Severity, Text};
use modular_bitfield::prelude::*;
use serde_json::{Value, json};

use crate::common::{accepted_fixtures, computed_fields, samples, samples_of, values_of};
use crate::tree_json::assert_comes_back_from_json;

/// Returns the values of a file that are not computed. The file comes back from them.
#[track_caller]
fn given(ty: &'static Type, bytes: &[u8]) -> Value {
    assert_comes_back_from_json(ty, bytes);
    serde_json::from_slice(&values_of(ty, bytes)).unwrap()
}

fn assembled(ty: &'static Type, json: &Value) -> Vec<u8> {
    let tree = Tree::from_json(ty, json.to_string().as_bytes()).unwrap();
    tree.assemble(&Limits::default()).unwrap()
}

static COPIES: Rule = Rule::new("COPIES", Severity::Error, "The number of records.");

/// Records at an offset.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Table {
    offset: u8,
    count: u8,
    #[layout(counts = records, rule = COPIES)]
    copies: u8,
    #[br(seek_before = SeekFrom::Start(offset as u64), restore_position, count = count)]
    records: Vec<Record>,
}

/// A record with a list, and with a name elsewhere.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Record {
    name_offset: u8,
    #[br(if(name_offset != 0), seek_before = SeekFrom::Start(name_offset as u64), restore_position)]
    #[bw(ignore)]
    name: Option<Text>,
    len: u8,
    #[br(count = len, args { inner: (name_offset != 0,) })]
    numbers: Vec<Wide>,
}

/// A number whose size depends on the name.
#[derive(Layout)]
#[binrw]
#[brw(little, import(is_named: bool))]
struct Wide {
    low: u8,
    #[br(if(is_named))]
    high: Option<u8>,
}

/// The records follow the table, and the name follows them.
const TABLE: &[u8] = &[3, 2, 2, 0, 1, 5, 10, 1, 6, 7, b'a', 0];

/// The name precedes the records.
const REORDERED: &[u8] = &[5, 2, 2, b'a', 0, 0, 1, 5, 3, 1, 6, 7];

#[test]
fn computed_values_are_omitted() {
    let expected = json!({"records": [
        {"name": null, "numbers": [{"low": 5}]},
        {"name": "a", "numbers": [{"low": 6, "high": 7}]},
    ]});
    let json = given(&Table::TYPE, TABLE);
    assert_eq!(json["value"], expected);
    assert_eq!(json.get("size"), None);
    assert_eq!(json.get("gaps"), None);
    // An omitted field is absent, too.
    let mut json = json;
    json["value"]["records"][0]
        .as_object_mut()
        .unwrap()
        .remove("name");
    assert_eq!(assembled(&Table::TYPE, &json), TABLE);
}

#[test]
fn unusual_places_are_given() {
    let expected = json!({"$at": [0, 3], "records": {"$at": [5, 12], "$items": [
        {"name": null, "numbers": [{"low": 5}]},
        {"name": {"$value": "a", "$at": [3, 5]}, "numbers": [{"low": 6, "high": 7}]},
    ]}});
    let mut json = given(&Table::TYPE, REORDERED);
    assert_eq!(json["value"], expected);
    // A longer value moves those after it.
    json["value"]["records"]["$items"][1]["name"]["$value"] = json!("abc");
    let expected = [7, 2, 2, b'a', b'b', b'c', 0, 0, 1, 5, 3, 1, 6, 7];
    assert_eq!(assembled(&Table::TYPE, &json), expected);
}

#[test]
fn numbers_are_given_if_they_are_wrong() {
    let mut bytes = TABLE.to_vec();
    bytes[2] = 9;
    let json = given(&Table::TYPE, &bytes);
    assert_eq!(json["value"]["copies"], 9);
    assert_eq!(json["value"].get("count"), None);
    assert_eq!(json["value"]["records"][0].get("len"), None);
}

#[test]
fn bytes_between_values_are_given() {
    let bytes = [4, 1, 1, 0xee, 0, 1, 5];
    let json = given(&Table::TYPE, &bytes);
    assert_eq!(json["size"], 7);
    assert_eq!(json["gaps"], json!([{"$bytes": "ee", "$at": [3, 4]}]));
    // Values must not overlap them.
    let mut json = json;
    json["value"]["records"] = json["value"]["records"]["$items"].take();
    let tree = Tree::from_json(&Table::TYPE, json.to_string().as_bytes()).unwrap();
    assert_eq!(
        tree.assemble(&Limits::default()).unwrap(),
        [3, 1, 1, 0, 1, 5]
    );
    let error = tree.assemble_consistent(&Limits::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "gaps: the bytes between values overlap values"
    );
    json["gaps"][0]["$at"] = json!([3, 5]);
    let error = Tree::from_json(&Table::TYPE, json.to_string().as_bytes()).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("the gap from 3 to 5 has 1 bytes"),
        "{error}"
    );
    // Zeros need not be given: the place of the records determines them.
    let json = given(&Table::TYPE, &[4, 1, 1, 0, 0, 1, 5]);
    assert_eq!(json.get("gaps"), None);
}

/// Bytes in an LZ4 block.
#[derive(Layout)]
#[br(little)]
struct Compressed {
    size: u8,
    #[br(count = size)]
    #[layout(packing = lz4, size = 20, content = [u8; 20])]
    block: Vec<u8>,
}

#[test]
fn packed_bytes_are_given_if_the_encoder_packs_differently() {
    // Literals only.
    let mut packed = vec![22, 0xf0, 5];
    packed.extend([7; 20]);
    let json = given(&Compressed::TYPE, &packed);
    assert!(json["value"]["block"]["$packed"]["$bytes"].is_string());
    assert_eq!(json["value"].get("size"), None);
    let mut json = json;
    json["value"]["block"] = json["value"]["block"]["$items"].take();
    let packed = assembled(&Compressed::TYPE, &json);
    assert!(packed.len() < 20, "{packed:x?}");
    assert_eq!(
        given(&Compressed::TYPE, &packed)["value"],
        json!({"block": vec![7; 20]})
    );
}

#[test]
fn places_must_be_ranges() {
    let error = |json: Value| {
        let error = Tree::from_json(&Table::TYPE, json.to_string().as_bytes()).unwrap_err();
        error.to_string()
    };
    let at = |at: Value| error(json!({"value": {"records": {"$items": [], "$at": at}}}));
    assert!(at(json!([4, 3])).starts_with("records: `$at` ends before it starts"));
    assert!(
        at(json!("3")).starts_with("records: invalid type: string"),
        "{}",
        at(json!("3"))
    );
    let message = error(json!({"value": {"records": null}}));
    assert!(message.starts_with("invalid type: null"), "{message}");
    let twice = br#"{"value": {"records": [{"name": null, "name": "a"}]}}"#;
    let message = Tree::from_json(&Table::TYPE, twice)
        .unwrap_err()
        .to_string();
    assert!(
        message.starts_with("records[0]: duplicate key `name`"),
        "{message}"
    );
}

/// Adds the names of all keys.
fn add_keys(json: &Value, keys: &mut Vec<String>) {
    match json {
        Value::Object(object) => {
            for (key, value) in object {
                keys.push(key.clone());
                add_keys(value, keys);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| add_keys(item, keys)),
        _ => {}
    }
}

#[test]
fn samples_give_no_computed_value() {
    let mut count = 0;
    for (format, bytes) in samples() {
        let Some(ty) = format.layout_of(&bytes, format.detect(&bytes).dialect) else {
            continue;
        };
        let mut keys = Vec::new();
        add_keys(&given(ty, &bytes), &mut keys);
        let mut computed = computed_fields(ty);
        // Selects the type of the indices.
        computed.remove("index_format");
        // Without an index buffer, nothing determines the number of indices.
        let tree = Tree::read(ty, &bytes, &Limits::default()).unwrap();
        if tree.get("data.indices").is_none() {
            computed.remove("n_indices");
        }
        let given: Vec<_> = computed
            .iter()
            .filter(|name| keys.iter().any(|key| key == *name))
            .collect();
        assert!(given.is_empty(), "{format}: {given:?}");
        count += 1;
    }
    assert!(count > 10, "{count}");
}

#[test]
fn lists_of_bmd_can_grow() {
    for bytes in samples_of(meshspec::bmd::FORMAT) {
        let ty = meshspec::bmd::FORMAT
            .layout_of(&bytes, Default::default())
            .unwrap();
        let mut json = given(ty, &bytes);
        let mesh = &mut json["value"]["meshes"]["$items"][0];
        let vertices = mesh["vertices"]["$items"].as_array_mut().unwrap();
        vertices.push(vertices[0].clone());
        let count = vertices.len();
        let bytes = assembled(ty, &json);
        let document = meshspec::bmd::FORMAT
            .read(&bytes, &ReadOptions::default())
            .unwrap();
        assert_eq!(document.info().meshes[0].vertices, count as u64);
    }
}

#[test]
#[ignore = "needs the reference files: set MESHSPEC_FIXTURES"]
fn reference_files_come_back() {
    let mut count = 0;
    for (id, bytes) in accepted_fixtures() {
        let format = id;
        let Some(layout) = id.layout_of(&bytes, id.detect(&bytes).dialect) else {
            continue;
        };
        let json = values_of(layout, &bytes);
        let tree = Tree::from_json(layout, &json).unwrap();
        assert!(
            tree.assemble_consistent(&Limits::default()).unwrap() == bytes,
            "{id}"
        );
        if format.has_json() {
            let mut json = Vec::new();
            format
                .file_to_json(&bytes, &Default::default(), &mut json)
                .unwrap();
            assert!(
                format.json_to_file(&json, &Default::default()).unwrap() == bytes,
                "{id}"
            );
        }
        count += 1;
    }
    assert!(count > 100, "{count}");
}

/// Two lists at offsets.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct TwoLists {
    first_offset: u8,
    first_count: u8,
    second_offset: u8,
    second_count: u8,
    #[br(seek_before = SeekFrom::Start(first_offset as u64), restore_position, count = first_count)]
    first: Vec<u8>,
    #[br(seek_before = SeekFrom::Start(second_offset as u64), restore_position, count = second_count)]
    second: Vec<u8>,
}

#[test]
fn empty_lists_have_a_place() {
    let json = given(&TwoLists::TYPE, &[5, 0, 4, 1, 9]);
    let first = json!({"$items": [], "$at": [5, 5]});
    let second = json!({"$items": [9], "$at": [4, 5]});
    assert_eq!(
        json["value"],
        json!({"$at": [0, 4], "first": first, "second": second})
    );
}

/// A list, and a value at an offset after it.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct ListAndValue {
    offset: u8,
    count: u8,
    #[br(count = count)]
    list: Vec<u8>,
    #[br(seek_before = SeekFrom::Start(offset as u64), restore_position)]
    value: u8,
}

#[test]
fn values_move_if_those_without_an_offset_grow() {
    let mut json = given(&ListAndValue::TYPE, &[5, 2, 1, 2, 0, 7]);
    json["value"]["list"] = json!([1, 2, 3, 4]);
    assert_eq!(
        assembled(&ListAndValue::TYPE, &json),
        [7, 4, 1, 2, 3, 4, 0, 7]
    );
}

/// A block of a list, and one of a number. Other bytes may follow their content.
#[derive(Layout)]
#[br(little)]
struct Blocks {
    list_size: u8,
    #[br(count = list_size)]
    #[layout(content = [u8; 2])]
    list: Vec<u8>,
    number_size: u8,
    #[br(count = number_size)]
    #[layout(content = u8)]
    number: Vec<u8>,
}

#[test]
fn trailing_bytes_of_blocks_are_given() {
    let json = given(&Blocks::TYPE, &[3, 1, 2, 9, 2, 5, 8]);
    assert_eq!(json["value"]["list"]["$trailing"]["$bytes"], "09");
    assert_eq!(json["value"]["number"]["$trailing"]["$bytes"], "08");
}

/// A word without meaning.
#[derive(Layout)]
#[bitfield(bits = 8)]
#[binrw]
#[br(map = Self::from_bytes)]
#[bw(map = |word: &Self| word.into_bytes())]
#[derive(Debug, Clone, Copy)]
struct Unused {
    #[layout(reserved)]
    unused: B8,
}

#[test]
fn words_of_reserved_bits_are_given() {
    let json = given(&<[Unused; 2] as Layout>::TYPE, &[0, 3]);
    assert_eq!(json["value"], json!([{"$value": 0}, {"unused": 3}]));
}

/// A number whose size depends on the distance of the name.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Distant {
    name_offset: u8,
    #[br(if(name_offset != 0), seek_before = SeekFrom::Start(name_offset as u64), restore_position)]
    #[bw(ignore)]
    name: Option<Text>,
    count: u8,
    #[br(count = count, args { inner: (name_offset > 3,) })]
    numbers: Vec<Wide>,
}

#[test]
fn sizes_do_not_follow_from_the_presence_of_a_name() {
    given(&Distant::TYPE, &[4, 1, 6, 7, b'a', 0]);
    // The list is read before the offset is known.
    let json = json!({"value": {"name": "a", "numbers": [{"low": 6}, {"low": 5}]}});
    let tree = Tree::from_json(&Distant::TYPE, json.to_string().as_bytes()).unwrap();
    let error = tree.assemble(&Limits::default()).unwrap_err();
    assert!(
        error.to_string().starts_with("numbers[0].high: is omitted"),
        "{error}"
    );
}
