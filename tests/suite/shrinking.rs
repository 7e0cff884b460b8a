//! Files shrink to the smallest file with a bug, in at most 2,000 runs.

#![allow(
    dead_code,
    reason = "some declarations are only described, never decoded"
)]
#![allow(
    clippy::manual_is_multiple_of,
    reason = "expressions of a layout cannot call functions with arguments"
)]

use binrw::{BinRead, binrw, io::Cursor};
use meshspec::layout::{Layout, generate};
use meshspec::{Rule, Severity, bmd};
use modular_bitfield::prelude::*;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};

const MAX_RUNS: usize = 2000;

/// Shrinks the first value for which `is_start` returns `true`, as long as `fails` returns `true`. Returns the
/// smallest value and the number of runs.
fn shrink<S: Strategy>(
    strategy: S,
    is_start: impl Fn(&S::Value) -> bool,
    fails: impl Fn(&S::Value) -> bool,
) -> (S::Value, usize) {
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(ProptestConfig::default(), rng);
    let mut trees = (0..100_000).map(|_| strategy.new_tree(&mut runner).unwrap());
    let mut tree = trees
        .find(|tree| is_start(&tree.current()))
        .expect("no value to start with");
    let (mut runs, mut has_failed) = (0, true);
    while if has_failed {
        tree.simplify()
    } else {
        tree.complicate()
    } {
        has_failed = fails(&tree.current());
        runs += 1;
    }
    (tree.current(), runs)
}

/// A list counted in bytes, of lists.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Meshes {
    #[br(assert(size % 2 == 0, "the size is odd"))]
    size: u16,
    #[br(count = size / 2)]
    meshes: Vec<Mesh>,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Mesh {
    material: u8,
    count: u8,
    #[br(count = count)]
    vertices: Vec<u16>,
}

impl Meshes {
    fn of(file: &[u8]) -> Meshes {
        Meshes::read(&mut Cursor::new(file)).unwrap()
    }
}

#[test]
fn empty_items_before_the_bug_are_removed() {
    let (file, runs) = shrink(
        generate::valid::<Meshes>(generate::Config::default()),
        |file| {
            let meshes = Meshes::of(file).meshes;
            meshes.len() > 4
                && meshes[..4].iter().all(|mesh| mesh.count == 0)
                && meshes[4].count > 1
        },
        |file| Meshes::of(file).meshes.iter().any(|mesh| mesh.count > 0),
    );
    println!("{runs} runs, {file:?}");
    let meshes = Meshes::of(&file).meshes;
    assert_eq!(meshes.len(), 1, "{file:?}");
    assert_eq!(meshes[0].vertices, [0], "{file:?}");
    assert!(runs <= MAX_RUNS, "{runs} runs");
}

#[test]
fn an_image_shrinks_to_one_mesh_with_one_vertex() {
    let (document, runs) = shrink(
        bmd::strategy::documents(),
        |document| {
            let meshes = &document.meshes;
            meshes.len() > 3
                && meshes[..2].iter().all(|mesh| mesh.vertices.is_empty())
                && meshes[2..].iter().any(|mesh| mesh.vertices.len() > 1)
        },
        |document| document.meshes.iter().any(|mesh| !mesh.vertices.is_empty()),
    );
    println!("{runs} runs, {document:?}");
    assert_eq!(document.meshes.len(), 1, "{document:?}");
    assert_eq!(document.meshes[0].vertices.len(), 1, "{document:?}");
    assert!(document.meshes[0].faces.is_empty(), "{document:?}");
    assert!(
        document.lods.is_empty() && document.bones.is_empty() && document.animations.is_empty()
    );
    assert!(runs <= MAX_RUNS, "{runs} runs");
}

static UNIQUE: Rule = Rule::new("UNIQUE", Severity::Error, "");

/// Items that differ in a word.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Tags {
    count: u8,
    #[br(count = count)]
    tags: Vec<Tag>,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Tag {
    #[layout(unique, rule = UNIQUE)]
    word: Word,
}

#[derive(Layout)]
#[bitfield(bits = 16)]
#[binrw]
#[br(map = Self::from_bytes)]
#[bw(map = |word: &Self| word.into_bytes())]
#[derive(Clone, Copy)]
struct Word {
    #[layout(declared)]
    inner: Inner,
    number: B7,
    is_high: bool,
}

#[derive(Layout)]
#[bitfield(bits = 8)]
#[derive(Specifier, Clone, Copy)]
struct Inner {
    first: B4,
    second: B4,
}

#[test]
fn unique_words_stay_while_others_disappear() {
    let files = generate::valid::<Tags>(generate::Config::plausible());
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(ProptestConfig::default(), rng);
    let mut tested = 0;
    for _ in 0..100 {
        let mut tree = files.new_tree(&mut runner).unwrap();
        let file = tree.current();
        let words = |file: &[u8]| file[1..].chunks(2).map(<[u8]>::to_vec).collect::<Vec<_>>();
        let Some(last) = words(&file).pop() else {
            continue;
        };
        let mut has_failed = true;
        while if has_failed {
            tree.simplify()
        } else {
            tree.complicate()
        } {
            has_failed = words(&tree.current()).contains(&last);
        }
        assert_eq!(words(&tree.current()), [last], "{file:?}");
        tested += 1;
    }
    assert!(tested > 50, "{tested}");
}
