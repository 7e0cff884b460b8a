//! Trees of values: access to stored items by index, and changes between them.

#![allow(
    dead_code,
    reason = "the declarations are only described, never decoded"
)]

use binrw::binrw;
use meshspec::layout::Layout;
use meshspec::layout::assemble::{Change, Edit, edit};
use meshspec::layout::declaration::Type;
use meshspec::layout::expr::Value;
use meshspec::layout::tree::{Tree, TreeValue, UntypedValue};
use meshspec::path;
use meshspec::{Limits, Span};

/// A run of heights, of any length.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Profile {
    count: u8,
    #[br(count = count)]
    heights: Vec<u16>,
}

/// Profiles of different lengths, weights whose size depends on the header, and names.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Terrain {
    profile_count: u16,
    weight_bytes: u8,
    #[br(count = profile_count)]
    profiles: Vec<Profile>,
    #[br(count = 100, args { inner: (weight_bytes,) })]
    weights: Vec<Weight>,
    #[br(count = profile_count)]
    names: Vec<meshspec::Text>,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
#[br(import(size: u8))]
struct Weight {
    #[br(count = size)]
    bytes: Vec<u8>,
}

const PROFILES: u16 = 300;
const WEIGHT_BYTES: u8 = 3;

/// Returns a terrain. Profile `i` has `i % 5` heights, each `i`, and the name `p` with the digits of `i`.
fn terrain() -> Vec<u8> {
    let mut bytes = PROFILES.to_le_bytes().to_vec();
    bytes.push(WEIGHT_BYTES);
    for index in 0..PROFILES {
        bytes.push((index % 5) as u8);
        for _ in 0..index % 5 {
            bytes.extend(index.to_le_bytes());
        }
    }
    bytes.extend((0..100).flat_map(|index| [index; WEIGHT_BYTES as usize]));
    for index in 0..PROFILES {
        bytes.extend(format!("p{index}\0").bytes());
    }
    bytes
}

/// Returns the offset of a profile.
fn profile_offset(index: u16) -> usize {
    3 + (0..index)
        .map(|before| 1 + 2 * usize::from(before % 5))
        .sum::<usize>()
}

fn read<'b>(ty: &'static Type, bytes: &'b [u8]) -> Tree<'b> {
    Tree::read(ty, bytes, &Limits::default()).unwrap()
}

fn int(value: &TreeValue) -> i128 {
    match value.scalar() {
        Some(Value::Int(number)) => *number,
        other => panic!("{other:?}"),
    }
}

#[test]
fn stored_items_are_decoded_by_index() {
    let bytes = terrain();
    let tree = read(&Terrain::TYPE, &bytes);
    // The offsets of items 0, 64, 128, 192 and 256 are stored.
    for index in [0, 1, 63, 64, 65, 127, 128, 190, 257, 299] {
        let profile = tree.get(path!(profiles[index])).unwrap();
        let (offset, count) = (profile_offset(index as u16) as u64, index % 5);
        let end = offset + 1 + 2 * count as u64;
        assert_eq!(profile.span(), Some(&Span::Bytes(offset..end)));
        let [("count", stored), ("heights", heights)] = &profile.fields().collect::<Vec<_>>()[..]
        else {
            panic!("{profile:?}");
        };
        assert_eq!(
            (int(stored), heights.item_count()),
            (count as i128, count as u64)
        );
        assert!(
            heights
                .items(0..9)
                .all(|height| int(&height) == index as i128)
        );
        let name = tree.get(path!(names[index])).unwrap();
        assert_eq!(
            name.scalar(),
            Some(&Value::Text(format!("p{index}").into_bytes()))
        );
    }
    // The size of a weight depends on a value outside of the list.
    let weight = tree.get(path!(weights[70].bytes)).unwrap();
    assert_eq!(
        (
            weight.item_count(),
            int(&weight.items(2..3).next().unwrap())
        ),
        (3, 70)
    );
    assert_eq!(tree.get(path!(profiles)).unwrap().item_count(), 300);
    assert!(tree.get(path!(profiles[300])).is_none());
    assert!(tree.get("profiles[4].heights[4]").is_none());
}

#[test]
fn a_change_of_one_item_keeps_the_bytes_of_all_others() {
    let bytes = terrain();
    for index in [0, 64, 129, 299] {
        let mut tree = read(&Terrain::TYPE, &bytes);
        let path = format!("profiles[{index}].count");
        tree.set(&path, "7").unwrap();
        let mut expected = bytes.clone();
        expected[profile_offset(index)] = 7;
        assert_eq!(tree.assemble(&Limits::default()).unwrap(), expected);
        // The next items are still there.
        for next in index + 1..300.min(index + 3) {
            let path = format!("profiles[{next}].count");
            assert_eq!(int(&tree.get(&path).unwrap()), (next % 5).into());
        }
    }
}

#[test]
fn items_are_inserted_removed_repeated_and_moved_between_stored_ones() {
    const NUMBERS: &[u8] = &[0, 1, 2, 3, 4, 5];
    let ty = &<Vec<u8> as Layout>::TYPE;
    type Edit = fn(&mut Tree) -> meshspec::Result<()>;
    let cases: [(Edit, &[u8]); 10] = [
        (|tree| tree.insert("[0]", "9"), &[9, 0, 1, 2, 3, 4, 5]),
        (|tree| tree.insert("[3]", "9"), &[0, 1, 2, 9, 3, 4, 5]),
        (|tree| tree.insert("[6]", "9"), &[0, 1, 2, 3, 4, 5, 9]),
        (|tree| tree.remove("[0]"), &[1, 2, 3, 4, 5]),
        (|tree| tree.remove("[3]"), &[0, 1, 2, 4, 5]),
        (|tree| tree.remove("[5]"), &[0, 1, 2, 3, 4]),
        (|tree| tree.repeat("[1]", 2), &[0, 1, 1, 1, 2, 3, 4, 5]),
        (|tree| tree.move_item("[1]", 4), &[0, 2, 3, 4, 1, 5]),
        (|tree| tree.move_item("[4]", 0), &[4, 0, 1, 2, 3, 5]),
        (
            |tree| {
                tree.insert("[2]", "8")?;
                tree.set("[3]", "7")?;
                tree.remove("[0]")?;
                tree.repeat("[1]", 1)
            },
            &[1, 8, 8, 7, 3, 4, 5],
        ),
    ];
    for (index, (change, expected)) in cases.into_iter().enumerate() {
        let mut tree = read(ty, NUMBERS);
        change(&mut tree).unwrap();
        assert_eq!(
            tree.assemble(&Limits::default()).unwrap(),
            expected,
            "case {index}"
        );
        // New items are text until the file is assembled.
        let numbers = tree.get("").unwrap();
        let found: Vec<_> = numbers.items(0..99).collect();
        assert_eq!(found.len(), expected.len(), "case {index}");
        for (item, expected) in found.iter().zip(expected) {
            assert!(
                *expected > 5 || int(item) == i128::from(*expected),
                "case {index}"
            );
        }
    }
    let rejected: [(Edit, &str); 5] = [
        (
            |tree| tree.insert("[7]", "9"),
            "[7]: is past the end of the list",
        ),
        (|tree| tree.remove("[6]"), "[6]: no such value"),
        (|tree| tree.repeat("[6]", 1), "[6]: no such value"),
        (
            |tree| tree.move_item("[0]", 6),
            "[0]: cannot move to index 6: the list has no such item",
        ),
        (|tree| tree.remove(""), "the whole file cannot be removed"),
    ];
    for (change, message) in rejected {
        let mut tree = read(ty, NUMBERS);
        assert_eq!(change(&mut tree).unwrap_err().to_string(), message);
        assert_eq!(tree.assemble(&Limits::default()).unwrap(), NUMBERS);
    }
}

fn edited(ty: &'static Type, bytes: &[u8], edits: &[Edit]) -> Result<Vec<u8>, String> {
    edit(ty, bytes, edits, true, &Limits::default()).map_err(|error| error.to_string())
}

/// A list of bytes or a single byte.
#[derive(Layout)]
#[binrw]
#[br(import(kind: u8))]
enum Body {
    #[br(pre_assert(kind == 0))]
    Several(Several),
    #[br(pre_assert(kind == 1))]
    Single(Single),
}

#[derive(Layout)]
#[binrw]
struct Several {
    count: u8,
    #[br(count = count)]
    values: Vec<u8>,
}

#[derive(Layout)]
#[binrw]
struct Single {
    count: u8,
}

#[derive(Layout)]
#[binrw]
struct Variants {
    kind: u8,
    #[br(args(kind))]
    body: Body,
}

#[test]
fn a_stored_list_without_a_field_is_not_dropped() {
    let error = edited(&Variants::TYPE, &[0, 2, 7, 8], &[Edit::set("kind", "1")]);
    assert_eq!(
        error.unwrap_err(),
        "body.values[0]: is given, but the file has no field for it"
    );
}

/// An entry with a look-ahead that is longer than the entry.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Entry {
    #[br(restore_position)]
    head: u16,
    value: u8,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Entries {
    count: u8,
    #[br(count = count)]
    entries: Vec<Entry>,
    tail: u16,
}

#[test]
fn the_last_item_may_look_ahead_past_its_list() {
    let bytes = [2, 5, 6, 0, 0];
    let tree = read(&Entries::TYPE, &bytes);
    assert_eq!(int(&tree.get("entries[1].value").unwrap()), 6);
    let edit = Edit::set("entries[1].value", "9");
    assert_eq!(
        edited(&Entries::TYPE, &bytes, &[edit]).unwrap(),
        [2, 5, 9, 0, 0]
    );
}

/// Without bytes if `count` is 0.
#[derive(Layout)]
#[binrw]
#[br(import(count: u8))]
struct Optional {
    #[br(if(count > 0))]
    length: u8,
    #[br(count = length)]
    rest: Vec<u8>,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Optionals {
    length: u8,
    count: u16,
    #[br(count = count, args { inner: (length,) })]
    items: Vec<Optional>,
}

#[test]
fn items_without_bytes_have_an_index() {
    let bytes = [0, 200, 0];
    let tree = read(&Optionals::TYPE, &bytes);
    assert!(tree.get("items[150]").is_some() && tree.get("items[200]").is_none());
    let items = tree.get("items").unwrap();
    assert_eq!(items.items(60..300).count(), 140);
    let remove = Edit {
        path: "items[100]".into(),
        change: Change::Remove,
    };
    assert_eq!(
        edited(&Optionals::TYPE, &bytes, &[remove]).unwrap(),
        [0, 199, 0]
    );
}

#[derive(Layout, Debug, Clone, Copy)]
#[binrw]
#[brw(repr = u8)]
enum Kind {
    Zero = 0,
    One = 1,
}

#[derive(Layout)]
#[binrw]
struct Kinds {
    count: u8,
    #[br(count = count)]
    kinds: Vec<Kind>,
    #[br(count = count)]
    marked: Vec<Marked>,
}

#[derive(Layout)]
#[binrw]
#[brw(magic = b"M")]
struct Marked {
    #[br(assert(value < 8, "the value is too large"))]
    value: u8,
}

#[test]
fn reading_a_tree_finds_faults_in_every_item() {
    let fault = |bytes: &[u8]| {
        let fault = Tree::read(&Kinds::TYPE, bytes, &Limits::default());
        fault.map(drop).map_err(|fault| fault.path.to_string())
    };
    assert_eq!(fault(&[2, 0, 1, b'M', 7, b'M', 0]), Ok(()));
    assert_eq!(
        fault(&[2, 0, 9, b'M', 7, b'M', 0]),
        Err("kinds[1]".to_owned())
    );
    assert_eq!(
        fault(&[2, 0, 1, b'M', 7, b'N', 0]),
        Err("marked[1]".to_owned())
    );
    assert_eq!(
        fault(&[2, 0, 1, b'M', 8, b'M', 0]),
        Err("marked[0].value".to_owned())
    );
}

/// Pairs of bytes, or of 16-bit numbers.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Pairs {
    is_wide: u8,
    count: u8,
    #[br(args(is_wide, count))]
    pairs: PairList,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
#[br(import(is_wide: u8, count: u8))]
enum PairList {
    #[br(pre_assert(is_wide == 0))]
    Narrow(#[br(count = count)] Vec<Narrow>),
    #[br(pre_assert(is_wide == 1))]
    Wide(#[br(count = count)] Vec<Wide>),
}

#[derive(Layout)]
#[binrw]
struct Narrow {
    a: u8,
    b: u8,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Wide {
    a: u16,
    b: u16,
}

#[test]
fn stored_structs_are_converted_to_another_type_by_name() {
    let mut tree = read(&Pairs::TYPE, &[0, 2, 1, 2, 3, 4]);
    tree.set("is_wide", "1").unwrap();
    assert_eq!(
        tree.assemble(&Limits::default()).unwrap(),
        [1, 2, 1, 0, 2, 0, 3, 0, 4, 0]
    );
}

#[test]
fn only_the_last_string_lacks_its_nul() {
    let ty = &<Vec<meshspec::Text> as Layout>::TYPE;
    let assembled = |change: fn(&mut Tree) -> meshspec::Result<()>| {
        let mut tree = read(ty, b"a\0b");
        change(&mut tree).unwrap();
        tree.assemble(&Limits::default()).unwrap()
    };
    assert_eq!(assembled(|_| Ok(())), b"a\0b");
    assert_eq!(assembled(|tree| tree.insert("[2]", "c")), b"a\0b\0c\0");
    assert_eq!(assembled(|tree| tree.repeat("[1]", 1)), b"a\0b\0b");
    assert_eq!(assembled(|tree| tree.move_item("[1]", 0)), b"b\0a\0");
}

#[test]
fn a_failed_change_keeps_the_tree() {
    let mut tree = Tree::new(&Optionals::TYPE);
    tree.set("length", "0").unwrap();
    assert!(tree.insert("items[1].rest[0]", "1").is_err());
    assert!(tree.remove("items[0]").is_err() && tree.repeat("items[0]", 1).is_err());
    assert!(tree.get("items").is_none());
}

#[test]
fn bit_fields_have_paths() {
    use crate::assemble::Flags;
    let tree = read(&<[Flags; 2] as Layout>::TYPE, &[1, 2]);
    let flag = |path: &str| tree.get(path).unwrap().scalar().cloned();
    assert_eq!(flag("[0].named"), Some(Value::Bool(true)));
    assert_eq!(flag("[1].named"), Some(Value::Bool(false)));
    assert_eq!(flag("[1].looped"), Some(Value::Bool(true)));
    assert!(tree.get("[1].absent").is_none());
}

/// A packed list.
#[derive(Layout)]
#[binrw]
struct Packed {
    kind: u8,
    packed_size: u8,
    size: u8,
    #[br(count = packed_size)]
    #[layout(content = Vec<u8>, packing = lz4, size = size)]
    data: Vec<u8>,
}

#[test]
fn blocks_without_a_change_stay_packed() {
    // The block is damaged: three literals are missing.
    let damaged = [0, 1, 3, 0x30];
    assert!(Tree::read(&Packed::TYPE, &damaged, &Limits::default()).is_err());
    let edits = [Edit::set("kind", "7")];
    assert_eq!(
        edited(&Packed::TYPE, &damaged, &edits).unwrap(),
        [7, 1, 3, 0x30]
    );
    let edits = [Edit::set("data[0]", "7")];
    assert!(edited(&Packed::TYPE, &damaged, &edits).is_err());
}

#[test]
fn a_packed_list_can_become_empty() {
    let bytes = [0, 2, 1, 0x10, 7];
    let remove = Edit {
        path: "data[0]".into(),
        change: Change::Remove,
    };
    let empty = Edit::set("data", UntypedValue::List(Vec::new()));
    for change in [remove, empty] {
        assert_eq!(
            edited(&Packed::TYPE, &bytes, &[change]).unwrap(),
            [0, 1, 0, 0]
        );
    }
    // Without a change, the original bytes remain.
    assert_eq!(
        read(&Packed::TYPE, &bytes)
            .assemble(&Limits::default())
            .unwrap(),
        bytes
    );
}
