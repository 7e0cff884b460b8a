//! All library tests in one program, to link only once. Each module is a subject.
//!
//! Tests that measure process memory are separate.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

/// Turns each function into two tests: one of the samples, and one of the reference files.
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
#[cfg(all(
    feature = "mesh",
    feature = "crucible",
    feature = "seed",
    feature = "iyma",
    feature = "bmd",
    feature = "gltf",
    feature = "obj",
    feature = "ply",
    feature = "stl",
    feature = "serde"
))]
#[allow(unused_imports, reason = "the memory tests use the rest")]
#[path = "../../fuzz/src/lib.rs"]
mod fuzz;

#[cfg(all(feature = "mesh", feature = "crucible", feature = "iyma", feature = "bmd"))]
mod any_field;
#[cfg(all(
    feature = "mesh",
    feature = "crucible",
    feature = "seed",
    feature = "iyma",
    feature = "bmd",
    feature = "gltf",
    feature = "obj",
    feature = "ply",
    feature = "stl",
    feature = "serde"
))]
mod assemble;
#[cfg(all(
    feature = "mesh",
    feature = "crucible",
    feature = "iyma",
    feature = "bmd",
    feature = "serde",
    feature = "proptest"
))]
mod bit_flips;
#[cfg(all(feature = "mesh", feature = "crucible", feature = "bmd", feature = "proptest", feature = "serde"))]
mod bmd;
#[cfg(feature = "bmd")]
mod bmd_numbers;
#[cfg(feature = "bmd")]
mod bmd_poses;
#[cfg(all(feature = "bmd", feature = "scene", feature = "proptest"))]
mod bmd_splitting;
#[cfg(all(feature = "mesh", feature = "crucible", feature = "iyma", feature = "bmd", feature = "proptest"))]
mod broken;
#[cfg(all(feature = "mesh", feature = "crucible", feature = "iyma", feature = "bmd"))]
mod bulk;
#[cfg(all(feature = "mesh", feature = "crucible", feature = "bmd"))]
mod c_header;
#[cfg(all(feature = "mesh", feature = "crucible", feature = "seed", feature = "ply"))]
mod capabilities;
#[cfg(all(
    feature = "mesh",
    feature = "crucible",
    feature = "seed",
    feature = "iyma",
    feature = "bmd",
    feature = "proptest"
))]
mod conformance;
#[cfg(all(feature = "bmd", feature = "proptest"))]
mod conformance_page;
mod constraints;
#[cfg(all(
    feature = "mesh",
    feature = "crucible",
    feature = "seed",
    feature = "iyma",
    feature = "bmd",
    feature = "serde"
))]
mod content;
#[cfg(all(
    feature = "mesh",
    feature = "crucible",
    feature = "seed",
    feature = "iyma",
    feature = "bmd",
    feature = "proptest",
    feature = "serde"
))]
mod contents;
#[cfg(all(
    feature = "mesh",
    feature = "crucible",
    feature = "seed",
    feature = "iyma",
    feature = "bmd",
    feature = "serde",
    feature = "proptest"
))]
mod corpus;
#[cfg(all(
    feature = "mesh",
    feature = "crucible",
    feature = "seed",
    feature = "iyma",
    feature = "bmd",
    feature = "serde",
    feature = "proptest"
))]
mod corpus_readme;
#[cfg(feature = "crucible")]
mod crucible_dialects;
#[cfg(feature = "bmd")]
mod decoded;
mod dump;
mod edits;
#[cfg(all(feature = "mesh", feature = "crucible", feature = "iyma", feature = "bmd", feature = "scene"))]
mod fallbacks;
#[cfg(all(
    feature = "mesh",
    feature = "crucible",
    feature = "seed",
    feature = "iyma",
    feature = "bmd",
    feature = "serde"
))]
mod files;
mod fixtures;
#[cfg(all(feature = "seed", feature = "serde"))]
mod floats;
#[cfg(all(feature = "mesh", feature = "bmd"))]
mod formulas;
#[cfg(all(
    feature = "mesh",
    feature = "crucible",
    feature = "seed",
    feature = "iyma",
    feature = "bmd",
    feature = "gltf",
    feature = "obj",
    feature = "ply",
    feature = "stl",
    feature = "serde"
))]
mod fuzzed;
#[cfg(all(feature = "mesh", feature = "crucible", feature = "bmd", feature = "proptest"))]
mod generate;
#[cfg(all(feature = "mesh", feature = "proptest"))]
mod generate_large;
#[cfg(all(feature = "mesh", feature = "crucible", feature = "seed"))]
mod generated_docs;
#[cfg(all(feature = "scene", feature = "proptest"))]
mod geometry;
#[cfg(all(feature = "mesh", feature = "crucible", feature = "gltf", feature = "proptest"))]
mod gltf;
#[cfg(all(feature = "obj", feature = "ply", feature = "stl"))]
mod interop;
#[cfg(all(feature = "iyma", feature = "scene"))]
mod iyma;
#[cfg(feature = "serde")]
mod json_derive;
#[cfg(all(feature = "mesh", feature = "crucible", feature = "bmd", feature = "proptest"))]
mod loader;
#[cfg(feature = "scene")]
mod losses;
#[cfg(feature = "proptest")]
mod mutations;
#[cfg(all(feature = "lz4", feature = "checksums", feature = "proptest"))]
mod own_format;
#[cfg(all(feature = "scene", feature = "serde"))]
mod own_scene;
#[cfg(all(
    feature = "mesh",
    feature = "crucible",
    feature = "seed",
    feature = "iyma",
    feature = "bmd",
    feature = "gltf",
    feature = "proptest"
))]
mod pairs;
mod paths;
#[cfg(all(
    feature = "mesh",
    feature = "crucible",
    feature = "seed",
    feature = "iyma",
    feature = "bmd",
    feature = "scene"
))]
mod places;
#[cfg(feature = "scene")]
mod polygons;
#[cfg(all(
    feature = "mesh",
    feature = "crucible",
    feature = "iyma",
    feature = "proptest",
    feature = "serde"
))]
mod program;
mod properties;
mod registry;
#[cfg(all(feature = "mesh", feature = "crucible", feature = "seed", feature = "iyma", feature = "bmd"))]
mod rejected;
#[cfg(all(
    feature = "mesh",
    feature = "crucible",
    feature = "seed",
    feature = "iyma",
    feature = "bmd",
    feature = "gltf",
    feature = "serde"
))]
mod rule_examples;
mod rules;
#[cfg(all(
    feature = "mesh",
    feature = "crucible",
    feature = "seed",
    feature = "iyma",
    feature = "bmd",
    feature = "gltf",
    feature = "proptest",
    feature = "serde"
))]
mod scene;
#[cfg(feature = "crucible")]
mod schemas;
#[cfg(feature = "seed")]
mod seed_errors;
#[cfg(all(feature = "seed", feature = "proptest"))]
mod seed_grammar;
#[cfg(all(feature = "bmd", feature = "proptest"))]
mod shrinking;
mod spec_tables;
#[cfg(all(
    feature = "mesh",
    feature = "crucible",
    feature = "seed",
    feature = "iyma",
    feature = "bmd",
    feature = "gltf",
    feature = "obj",
    feature = "ply",
    feature = "stl",
    feature = "serde",
    feature = "proptest"
))]
mod verdicts;
#[cfg(all(
    feature = "mesh",
    feature = "crucible",
    feature = "seed",
    feature = "iyma",
    feature = "bmd",
    feature = "gltf",
    feature = "obj",
    feature = "ply",
    feature = "stl",
    feature = "serde"
))]
mod walker;
