//! The parts of a value in a tree, as other programs read them.

#![allow(
    dead_code,
    reason = "the declarations are only described, never decoded"
)]

use std::hash::{DefaultHasher, Hasher};

use binrw::binread;
use meshspec::Text;
use meshspec::layout::Layout;
use meshspec::layout::expr::Value;
use meshspec::layout::tree::{Tree, TreeValue};
use modular_bitfield::prelude::*;

#[derive(Layout)]
#[br(little)]
struct File {
    count: u8,
    is_wide: u8,
    #[br(count = count, args { inner: (is_wide,) })]
    items: Vec<Item>,
    word: Word,
    ofs_name: u8,
    #[br(seek_before = std::io::SeekFrom::Start(ofs_name as u64), restore_position)]
    name: Text,
}

#[derive(Layout)]
#[binread]
#[br(little, import(is_wide: u8))]
struct Item {
    first: u8,
    #[br(if(is_wide == 1))]
    wide: Option<u16>,
    #[br(if(is_wide != 1))]
    narrow: Option<[u8; 2]>,
}

#[derive(Layout)]
#[bitfield(bits = 8)]
#[binread]
#[br(map = Self::from_bytes)]
struct Word {
    low: B4,
    high: B4,
}

/// Returns a file with these items.
fn file(is_wide: u8, items: &[[u8; 3]], name: &[u8]) -> Vec<u8> {
    let items = items.concat();
    let ofs_name = 4 + items.len() as u8 + 2;
    let head = [items.len() as u8 / 3, is_wide];
    [&head, &*items, &[0x21, ofs_name, b'?', b'!'], name].concat()
}

fn read(bytes: &[u8]) -> Tree<'_> {
    Tree::read(&File::TYPE, bytes, &Default::default()).unwrap()
}

fn names(value: &TreeValue) -> Vec<&'static str> {
    value.fields().map(|(name, _)| name).collect()
}

#[test]
fn fields_of_structs_and_words_are_listed() {
    let bytes = file(1, &[[1, 2, 3]], b"ab\0");
    let tree = read(&bytes);
    let root = tree.root();
    assert_eq!(
        names(&root),
        ["count", "is_wide", "items", "word", "ofs_name", "name"]
    );
    assert_eq!(names(&tree.get("items[0]").unwrap()), ["first", "wide"]);
    let word = tree.get("word").unwrap();
    assert_eq!(names(&word), ["low", "high"]);
    let high = word.fields().nth(1).unwrap().1;
    assert_eq!(high.scalar(), Some(&Value::Int(2)));
    assert_eq!(high.span(), word.span());
}

#[test]
fn strings_have_their_text() {
    let names = Tree::read(&<Vec<Text> as Layout>::TYPE, b"ab\0cd", &Default::default()).unwrap();
    let texts = ["[0]", "[1]"].map(|path| names.get(path).unwrap().text().map(<[u8]>::to_vec));
    assert_eq!(texts, [Some(b"ab".to_vec()), Some(b"cd".to_vec())]);
    let lack_nul = ["[0]", "[1]"].map(|path| names.get(path).unwrap().lacks_nul());
    assert_eq!(lack_nul, [false, true]);
    let bytes = file(1, &[], b"\0");
    assert_eq!(read(&bytes).get("count").unwrap().text(), None);
}

#[test]
fn bytes_without_a_field_are_gaps_or_trailing() {
    let bytes = file(1, &[], b"ab\0");
    let tree = read(&bytes);
    assert_eq!(tree.gaps().collect::<Vec<_>>(), [(4, &b"?!"[..])]);
    assert_eq!(tree.root().trailing(), None);
    let mut padded = bytes.clone();
    padded[4..6].fill(0);
    assert_eq!(read(&padded).gaps().count(), 0);
    let longer = [&bytes[..], b"more"].concat();
    let tree = read(&longer);
    assert_eq!(tree.root().trailing(), Some(&b"more"[..]));
    assert_eq!(tree.gaps().count(), 1);
}

#[test]
fn stored_items_have_their_bytes() {
    let bytes = file(1, &[[1, 2, 3], [4, 5, 6]], b"\0");
    let tree = read(&bytes);
    let items = tree.get("items").unwrap();
    assert_eq!(items.encoded(), Some(&[1, 2, 3, 4, 5, 6][..]));
    let encoded = |indices| items.encoded_items(indices).collect::<Vec<_>>();
    assert_eq!(encoded(0..9), [[1, 2, 3], [4, 5, 6]]);
    assert_eq!(encoded(1..2), [[4, 5, 6]]);
    assert!(encoded(2..3).is_empty());
    let count = tree.get("count").unwrap();
    assert_eq!(
        (count.encoded(), count.encoded_items(0..1).count()),
        (None, 0)
    );
    // A changed list is not stored in one piece.
    let mut changed = read(&bytes);
    changed.set("items[0].first", "7").unwrap();
    assert_eq!(changed.get("items").unwrap().encoded(), None);
}

/// The same bytes are other values if the arguments of the items differ.
#[test]
fn arguments_are_part_of_the_encoding() {
    let items = [[1, 2, 3]];
    let [wide, also_wide, narrow] = [
        file(1, &items, b"\0"),
        file(1, &[items[0], items[0]], b"x\0"),
        file(0, &items, b"\0"),
    ];
    let [wide, also_wide, narrow] = [&wide, &also_wide, &narrow].map(|bytes| read(bytes));
    let items = |tree: &Tree<'_>, of: &Tree<'_>| {
        let [own, other] = [tree, of].map(|tree| tree.get("items").unwrap());
        own.has_same_encoding(&other)
    };
    assert!(items(&wide, &also_wide));
    assert!(!items(&wide, &narrow));
    let [count, list] = ["count", "items"].map(|path| wide.get(path).unwrap());
    assert!(!list.has_same_encoding(&count));
}

/// An item of one byte that depends on the next one.
#[derive(Layout)]
#[binread]
#[br(little)]
struct Peeking {
    #[br(restore_position)]
    both: u16,
    first: u8,
}

/// An item that depends on its own bytes only.
#[derive(Layout)]
#[binread]
#[br(little)]
struct SelfContained {
    #[br(restore_position)]
    tag: u8,
    #[br(if(tag > 2))]
    long: Option<u16>,
    #[br(if(tag <= 2))]
    short: Option<u8>,
}

/// An item whose look-ahead follows its first byte.
#[derive(Layout)]
#[binread]
#[br(little)]
struct LateLookAhead {
    first: u8,
    peeking: Peeking,
}

#[test]
fn look_aheads_are_part_of_the_bytes_of_items() {
    #[derive(Layout)]
    #[br(little)]
    struct Lists {
        #[br(count = 2)]
        peeking: Vec<Peeking>,
        #[br(count = 2)]
        self_contained: Vec<SelfContained>,
        #[br(count = 1)]
        late: Vec<LateLookAhead>,
        last: u8,
    }
    let bytes = [1, 2, 3, 4, 1, 5, 6, 7];
    let tree = Tree::read(&Lists::TYPE, &bytes, &Default::default()).unwrap();
    let items = |path| {
        let list = tree.get(path).unwrap();
        list.encoded_items(0..9)
            .map(<[u8]>::to_vec)
            .collect::<Vec<_>>()
    };
    assert_eq!(items("peeking"), [vec![1, 2], vec![2, 3]]);
    assert_eq!(items("self_contained"), [vec![3, 4], vec![1]]);
    // More than the item reads, but no less.
    assert_eq!(items("late"), [vec![5, 6, 7]]);
    let other = Tree::read(&Lists::TYPE, &[1, 2, 1, 1, 5, 6, 7, 8], &Default::default());
    let other = other.unwrap();
    let are_alike = |path, own: &Tree<'_>| {
        let [own, other] = [own, &other].map(|tree| tree.get(path).unwrap());
        assert!(own.has_same_encoding(&other));
        let is_hashed_alike = hash(&own) == hash(&other);
        assert_eq!(own.is_encoded_alike(&other), is_hashed_alike);
        is_hashed_alike
    };
    // The lists have the same bytes, but other bytes follow them.
    assert!(!are_alike("peeking", &tree));
    assert!(are_alike("peeking", &other));
}

fn hash(list: &TreeValue) -> u64 {
    let mut hasher = DefaultHasher::new();
    assert!(list.hash_encoded(&mut hasher));
    hasher.finish()
}

#[test]
fn hashes_of_lists_depend_on_bytes_and_arguments() {
    let items = [[1, 2, 3]];
    let hash = |bytes: &[u8]| hash(&read(bytes).get("items").unwrap());
    let wide = hash(&file(1, &items, b"\0"));
    assert_eq!(wide, hash(&file(1, &items, b"x\0")));
    assert_ne!(wide, hash(&file(0, &items, b"\0")));
    assert_ne!(wide, hash(&file(1, &[[1, 2, 4]], b"\0")));
}
