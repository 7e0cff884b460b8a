//! Mutated files reveal bugs of loaders, and shrink to small files.

#![allow(dead_code, reason = "the declaration is only described, never decoded")]

use std::collections::BTreeSet;
use std::mem::discriminant;

use binrw::binrw;
use meshspec::layout::generate::{self, MutatedFile, Mutation};
use meshspec::layout::{Layout, walk};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{TestError, TestRunner};

/// A list at an offset, with a count.
#[derive(Layout)]
#[binrw]
#[brw(little, magic = b"LIST")]
struct List {
    ofs_items: u16,
    count: u16,
    #[br(seek_before = std::io::SeekFrom::Start(ofs_items as u64), restore_position, count = count)]
    items: Vec<u32>,
}

/// Bugs of the loader under test.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Bug {
    TrustsCount,
    TrustsOffset,
    /// Computes the end of the list in 16 bits.
    Wraps,
    /// Checks count and offset only separately.
    ChecksStart,
}

/// Returns the last item of a list, like a loader; `None` if the file is invalid. With a bug, it panics for some files.
fn last(file: &[u8], bug: Option<Bug>) -> Option<u32> {
    let word = |at: usize| {
        Some(u16::from_le_bytes(
            file.get(at..at + 2)?.try_into().unwrap(),
        ))
    };
    let (offset, count) = (word(4)?, word(6)?);
    if !file.starts_with(b"LIST") || count == 0 {
        return None;
    }
    let (start, size) = (usize::from(offset), 4 * usize::from(count));
    let end = match bug {
        Some(Bug::Wraps) => usize::from(offset.wrapping_add(size as u16)),
        _ => start + size,
    };
    let is_inside = match bug {
        None | Some(Bug::Wraps) => end <= file.len(),
        Some(Bug::TrustsCount) => start + 4 <= file.len(),
        Some(Bug::TrustsOffset) => size <= file.len(),
        Some(Bug::ChecksStart) => start <= file.len(),
    };
    if !is_inside {
        return None;
    }
    Some(u32::from_le_bytes(
        file[start + size - 4..start + size].try_into().unwrap(),
    ))
}

fn mutated() -> impl Strategy<Value = MutatedFile> {
    generate::mutations(generate::valid::<List>(generate::Config::default()))
}

/// Returns the smallest mutated file for which `is_right` returns `false`, if any.
fn smallest(is_right: impl Fn(&[u8]) -> bool) -> Option<MutatedFile> {
    let config = ProptestConfig {
        cases: 4000,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let rng = TestRunner::deterministic().rng().clone();
    let result = TestRunner::new_with_rng(config, rng).run(&mutated(), |mutated| {
        prop_assert!(is_right(&mutated.bytes));
        Ok(())
    });
    match result {
        Ok(()) => None,
        Err(TestError::Fail(_, mutated)) => Some(mutated),
        Err(TestError::Abort(reason)) => panic!("{reason}"),
    }
}

fn without_panic(file: &[u8], bug: Option<Bug>) -> bool {
    std::panic::catch_unwind(|| last(file, bug)).is_ok()
}

#[test]
fn one_mutation_of_a_small_file_finds_each_bug() {
    assert_eq!(smallest(|file| without_panic(file, None)), None);
    for bug in [
        Bug::TrustsCount,
        Bug::TrustsOffset,
        Bug::Wraps,
        Bug::ChecksStart,
    ] {
        let found =
            smallest(|file| without_panic(file, Some(bug))).unwrap_or_else(|| panic!("{bug:?}"));
        println!("{bug:?}: {found:?}");
        assert_eq!(found.mutations.len(), 1, "{bug:?}: {found:?}");
        assert!(found.bytes.len() <= 16, "{bug:?}: {found:?}");
        assert_eq!(
            walk::first_fault(&List::TYPE, &found.file, &Default::default()),
            None
        );
    }
}

/// A mutation keeps its distance from the end of the file while the file shrinks.
#[test]
fn the_file_shrinks_before_a_mutation() {
    // No valid list ends like this.
    let ends = |file: &[u8]| file.len() % 4 == 1 && file.ends_with(&[0xff]);
    let found = smallest(|file| !ends(file)).unwrap();
    // One item, and the added byte.
    assert_eq!(found.mutations.len(), 1, "{found:?}");
    assert!(found.bytes.len() <= 13, "{found:?}");
}

#[test]
fn every_mutation_is_drawn_and_changes_the_file() {
    let mut runner = TestRunner::deterministic();
    let mut kinds = Vec::new();
    let mut widths = BTreeSet::new();
    for _ in 0..2000 {
        let MutatedFile {
            bytes,
            file,
            mutations,
            ..
        } = mutated().new_tree(&mut runner).unwrap().current();
        assert!(mutations.len() > 1 || bytes != file);
        for mutation in mutations {
            if let Mutation::Overwrite { bytes, .. } = &mutation {
                widths.insert(bytes.len());
            }
            if !kinds.contains(&discriminant(&mutation)) {
                kinds.push(discriminant(&mutation));
            }
        }
    }
    assert_eq!(kinds.len(), 7);
    assert!(
        [1, 2, 4, 8].iter().all(|width| widths.contains(width)),
        "{widths:?}"
    );
}

/// Shrinking terminates for any failing test.
#[test]
fn shrinking_ends() {
    let mut runner = TestRunner::deterministic();
    for seed in 0..200_u64 {
        let mut tree = mutated().new_tree(&mut runner).unwrap();
        let (mut state, mut steps) = (seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1, 0);
        loop {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let fails = state % 3 == 0;
            if !(if fails {
                tree.simplify()
            } else {
                tree.complicate()
            }) {
                break;
            }
            steps += 1;
            assert!(steps < 20_000);
        }
    }
}

/// Shrinks the mutated files that `is_start` accepts while `fails` returns `true`. Returns the smallest of each.
fn shrunk(
    is_start: impl Fn(&MutatedFile) -> bool,
    fails: impl Fn(&MutatedFile, &MutatedFile) -> bool,
) -> Vec<MutatedFile> {
    let mut runner = TestRunner::deterministic();
    let trees = (0..3000).map(|_| mutated().new_tree(&mut runner).unwrap());
    let starts = trees.filter(|tree| is_start(&tree.current()));
    starts
        .map(|mut tree| {
            let (start, mut has_failed) = (tree.current(), true);
            while if has_failed {
                tree.simplify()
            } else {
                tree.complicate()
            } {
                has_failed = fails(&start, &tree.current());
            }
            tree.current()
        })
        .collect()
}

#[test]
fn overwritten_words_shrink_to_the_byte_that_matters() {
    // The last byte of the file is the last one of a word.
    let is_start = |mutated: &MutatedFile| match &*mutated.mutations {
        [Mutation::Overwrite { at, bytes }] => {
            bytes.len() > 1
                && at + bytes.len() == mutated.file.len()
                && bytes.last() != mutated.file.last()
        }
        _ => false,
    };
    let found = shrunk(is_start, |_, mutated| {
        mutated.bytes.len() == mutated.file.len() && mutated.bytes.last() != mutated.file.last()
    });
    assert!(!found.is_empty());
    for mutated in found {
        let [Mutation::Overwrite { at, bytes }] = &*mutated.mutations else {
            panic!("{mutated:?}")
        };
        assert_eq!(
            (at + 1, bytes.len()),
            (mutated.file.len(), 1),
            "{mutated:?}"
        );
    }
}
