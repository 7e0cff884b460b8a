//! Trees of values: access to stored items by index, and changes between them.

#![allow(
    dead_code,
    reason = "the declarations are only described, never decoded"
)]

use binrw::binrw;
use meshspec::layout::Layout;
use meshspec::layout::declaration::Type;
use meshspec::layout::expr::Value;
use meshspec::layout::tree::{Tree, TreeValue};
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
        (
            |tree| tree.insert("[0]", "9".into()),
            &[9, 0, 1, 2, 3, 4, 5],
        ),
        (
            |tree| tree.insert("[3]", "9".into()),
            &[0, 1, 2, 9, 3, 4, 5],
        ),
        (
            |tree| tree.insert("[6]", "9".into()),
            &[0, 1, 2, 3, 4, 5, 9],
        ),
        (|tree| tree.remove("[0]"), &[1, 2, 3, 4, 5]),
        (|tree| tree.remove("[3]"), &[0, 1, 2, 4, 5]),
        (|tree| tree.remove("[5]"), &[0, 1, 2, 3, 4]),
        (|tree| tree.repeat("[1]", 2), &[0, 1, 1, 1, 2, 3, 4, 5]),
        (|tree| tree.move_item("[1]", 4), &[0, 2, 3, 4, 1, 5]),
        (|tree| tree.move_item("[4]", 0), &[4, 0, 1, 2, 3, 5]),
        (
            |tree| {
                tree.insert("[2]", "8".into())?;
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
            |tree| tree.insert("[7]", "9".into()),
            "[7]: is past the end of the list",
        ),
        (|tree| tree.remove("[6]"), "[6]: no such value"),
        (|tree| tree.repeat("[6]", 1), "[6]: no such value"),
        (|tree| tree.move_item("[0]", 6), "[0]: no such value"),
        (|tree| tree.remove(""), "the whole file cannot be removed"),
    ];
    for (change, message) in rejected {
        let mut tree = read(ty, NUMBERS);
        assert_eq!(change(&mut tree).unwrap_err().to_string(), message);
        assert_eq!(tree.assemble(&Limits::default()).unwrap(), NUMBERS);
    }
}
