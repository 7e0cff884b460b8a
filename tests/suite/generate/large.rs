//! Files and documents with large lists.

#![allow(
    dead_code,
    reason = "some declarations are only described, never decoded"
)]

use std::io::Cursor;

use binrw::{BinRead, binrw};
use meshspec::layout::{Layout, generate};
use meshspec::{Rule, Severity, mesh};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

/// A counted list of bytes.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Bytes {
    count: u32,
    #[br(count = count)]
    bytes: Vec<u8>,
}

/// Positions with their number, in one byte.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Positions {
    count: u8,
    #[br(count = count)]
    positions: Vec<[f32; 3]>,
}

#[test]
fn large_lists_exceed_16_bits_where_their_count_does() {
    let config = generate::Config::large();
    // The largest list is at most 4 items smaller than the maximum.
    let numbers = [16 * 10_000 + 3];
    let file = generate::file(&Bytes::TYPE, &numbers, &config).unwrap();
    assert_eq!(file.len(), 4 + 69_996);
    let file = generate::file(&Positions::TYPE, &numbers, &config).unwrap();
    assert_eq!(file.len(), 1 + 251 * 12);
    let file = generate::file(&Bytes::TYPE, &numbers, &generate::Config::default()).unwrap();
    assert!(file.len() <= 4 + 6, "{}", file.len());
}

/// A list, and positions in it.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Indexed {
    count: u32,
    #[br(count = count)]
    vertices: Vec<u8>,
    n_faces: u8,
    #[br(count = n_faces)]
    #[layout(index_into = vertices, rule = RANGE)]
    faces: Vec<u32>,
}

static RANGE: Rule = Rule::new("RANGE", Severity::Error, "");

#[test]
#[ignore = "takes ten seconds of processor time: `.ci/run` runs it"]
fn indices_into_large_lists_exceed_16_bits() {
    let largest = |file: Vec<u8>| {
        let Indexed { faces, .. } = Indexed::read(&mut Cursor::new(file)).unwrap();
        faces.into_iter().max().unwrap_or_default() as usize
    };
    let files = generate::valid::<Indexed>(generate::Config::large());
    assert!(largest_drawn(files, 1 << 16, largest) > 1 << 16);
}

#[test]
#[ignore = "takes half a minute: `.ci/run` runs it"]
fn large_documents_have_more_than_16_bits_of_vertices() {
    let documents = mesh::strategy::documents_with(generate::Config::large());
    assert!(largest_drawn(documents, 1 << 16, |document| document.vertices.len()) > 1 << 16);
}

/// Draws up to 60 values, until the size of one exceeds `enough`. Returns the largest size.
fn largest_drawn<T>(
    strategy: impl Strategy<Value = T>,
    enough: usize,
    size: impl Fn(T) -> usize,
) -> usize {
    let mut runner = TestRunner::deterministic();
    let mut largest = 0;
    for _ in 0..60 {
        largest = largest.max(size(strategy.new_tree(&mut runner).unwrap().current()));
        if largest > enough {
            break;
        }
    }
    largest
}
