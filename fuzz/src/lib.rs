//! The fuzz targets: functions that take arbitrary bytes, and panic if a property of the library is violated.
//!
//! `fuzz_targets/` wraps each function in a libFuzzer program; `tests/suite/fuzzed.rs` calls them with the kept inputs.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod codecs;
mod document;
mod input;
mod interop;
mod leaves;
mod read;
mod reader_results;
mod walker;

pub use self::walker::{
    assert_assembles, assert_json_assembles, assert_same_acceptance, assert_same_values,
    assert_values_of, first_difference,
};
pub use codecs::{assemble, json, rewrite, verdicts, walker};
pub use document::{document_values, exact_text, exact_value};
pub use input::Input;
pub use interop::{gltf, obj, ply, scenes, stl};
pub use leaves::Leaves;
pub use read::{assert_readable, read};
pub use reader_results::ReaderResults;

/// A fuzz target.
pub type Target = fn(&[u8]);

/// The names and functions of all targets.
pub const TARGETS: [(&str, Target); 11] = [
    ("read", read),
    ("verdicts", verdicts),
    ("rewrite", rewrite),
    ("walker", walker),
    ("assemble", assemble),
    ("json", json),
    ("scenes", scenes),
    ("gltf", gltf),
    ("obj", obj),
    ("ply", ply),
    ("stl", stl),
];
