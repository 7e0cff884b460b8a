//! All tests of the library in one program, to link only once. Each module is one subject.
//!
//! Tests that measure memory are a separate program, `tests/memory/`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

/// Creates two tests from each function: one with the samples, and one with the reference files.
macro_rules! of_files {
    ($($test:ident),+) => {
        mod samples {
            $(#[test]
            fn $test() {
                super::$test(crate::common::samples());
            })+
        }
        mod reference_files {
            $(#[test]
            #[ignore = "needs the reference files: set MESHSPEC_FIXTURES"]
            fn $test() {
                super::$test(crate::common::accepted_fixtures());
            })+
        }
    };
}

#[path = "../common/mod.rs"]
mod common;
#[allow(unused_imports, reason = "the memory tests use the rest")]
#[path = "../../fuzz/src/lib.rs"]
mod fuzz;

mod any_field;
mod assemble;
mod bit_flips;
mod bmd;
mod broken;
mod bulk;
mod c_header;
mod capabilities;
mod conformance;
mod constraints;
mod contents;
mod corpus;
mod crucible_dialects;
mod decoded;
mod dump;
mod each;
mod edits;
mod fallbacks;
mod files;
mod fixtures;
mod formulas;
mod fuzzed;
mod generate;
mod generated_docs;
mod geometry;
mod gltf;
mod guards;
mod interop;
mod iyma;
mod loader;
mod losses;
mod mesh_variant;
mod mutations;
mod own_format;
mod own_scene;
mod pairs;
mod paths;
mod polygons;
mod program;
mod properties;
mod recounts;
mod registry;
mod rejected;
mod repaired_values;
mod rule_examples;
mod rules;
mod scene;
mod schemas;
mod seed;
mod shrinking;
mod source_fields;
mod spec_tables;
mod tagged_items;
mod to_json;
mod tree;
mod tree_json;
mod tree_values;
mod values_json;
mod verdicts;
mod walker;
