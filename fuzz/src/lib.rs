//! Fuzz targets as functions of arbitrary bytes. Each panics if the library contradicts itself.
//!
//! `fuzz_targets/` wraps each in a libFuzzer program; `tests/suite/fuzzed.rs` calls them with the kept inputs.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod codecs;
mod input;
mod interop;
mod opinions;
mod read;
mod walker;

pub use self::walker::{
    Leaves, assert_assembles, assert_same_acceptance, assert_same_values, first_difference,
};
pub use codecs::{assemble, json, rewrite, verdicts, walker};
pub use input::Input;
pub use interop::{gltf, obj, ply, scenes, stl};
pub use opinions::Opinions;
pub use read::{assert_readable, read};

/// The function of a target.
pub type Target = fn(&[u8]);

/// The targets by name.
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
