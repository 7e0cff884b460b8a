//! Reads, checks, edits, converts and generates the mesh files of game engines, and tests their loaders.
//!
//! Five formats are built in, each declared once, as binrw structs or a grammar. You can
//! [declare your own](#declare-a-format) in the same way.
//!
//! # Read
//!
//! A [`Scene`](scene::Scene) is the model in a file of any format, including interchange formats: meshes, skeleton,
//! animations.
//!
//! ```
//! # #[cfg(all(feature = "bmd", feature = "scene"))] {
//! use meshspec::scene::Scene;
//! let (scene, losses) = Scene::open("samples/bmd/tentacle.bmd")?;
//! for [a, b, c] in scene.triangles() {
//!     // The corners in the rest pose, as `[f32; 3]` in model space, in metres: +Y is up, +Z is forward.
//!     assert!(a != b && b != c);
//! }
//! # }
//! # Ok::<(), meshspec::Error>(())
//! ```
//!
//! [`open`] returns a [`Document`]: the lossless content of a file, with the field names of its specification. Derived
//! values (counts, sizes, offsets) are not stored; [`Format::write`] computes them.
//!
//! # Convert
//!
//! The extension selects the format, except `.mesh`, which two formats share. Existing files are replaced. Conversions
//! return losses.
//!
//! ```
//! # #[cfg(all(feature = "bmd", feature = "gltf"))] {
//! use meshspec::scene::Scene;
//! let (scene, losses) = Scene::open("samples/bmd/tentacle.bmd")?;
//! # let out = std::env::temp_dir().join(format!("meshspec-{}.glb", std::process::id()));
//! # let more_losses = scene.save(&out)?;
//! # /*
//! let more_losses = scene.save("tentacle.glb")?;
//! # */
//! losses.iter().chain(&more_losses).for_each(|loss| println!("{loss}"));
//! # std::fs::remove_file(out)?;
//! # }
//! # Ok::<(), meshspec::Error>(())
//! ```
//!
//! # Check
//!
//! [`read`] and [`open`] return the first violation that is not a warning as an [`Error`] with the path of the field,
//! its byte range and the rule. With [`ReadOptions::lenient`], [`open_with`] and `Scene::open_with` read even invalid
//! files, if they can be decoded unambiguously. [`check`] lists all violations (at most 100 per rule), up to the first
//! place that cannot be decoded. [`detect`] recognises the five formats, not interchange formats. If it fails, select
//! the format: `mesh::FORMAT.check(…)`.
//!
//! ```
//! # #[cfg(all(feature = "mesh", feature = "serde"))] {
//! for entry in std::fs::read_dir("samples/mesh")? {
//!     let path = entry?.path();
//!     let bytes = std::fs::read(&path)?;
//!     let Ok(detected) = meshspec::detect(&bytes, Some(&path)) else { println!("unknown: {path:?}"); continue };
//!     for finding in detected.check(&bytes, &Default::default())?.findings() {
//!         println!("{}", serde_json::to_string(finding)?); // {"rule":{"code":"MESH-INDEX-RANGE",…},…}
//!     }
//! }
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Change one value of a file
//!
//! [`layout::assemble::edit`] keeps all other bytes, even if the file breaks rules. `meshspec dump` lists the paths. Seed
//! files are text and have no layout: change their [`Document`] instead.
//!
//! ```
//! # #[cfg(feature = "mesh")] {
//! use meshspec::layout::assemble::{Edit, edit};
//! let bytes = std::fs::read("samples/mesh/flag.mesh")?;
//! let detected = meshspec::detect(&bytes, None)?;
//! let layout = detected.format.layout_of(&bytes, detected.dialect).expect("a binary format");
//! let edits = [Edit::set("vertices[5].position[1]", "2.5")];
//! // `true` instead of `false` also recomputes counts, sizes, offsets and checksums that no longer match.
//! let edited = edit(layout, &bytes, &edits, false, &Default::default())?;
//! # let differing = bytes.iter().zip(&edited).filter(|(a, b)| a != b).count();
//! # assert!(bytes.len() == edited.len() && (1..=4).contains(&differing));
//! # }
//! # Ok::<(), meshspec::Error>(())
//! ```
//!
//! # Declare a format
//!
//! A binrw struct with [`#[derive(Layout)]`](layout::Layout) above `#[binrw]`, other derives below, and an implementation
//! of [`BinaryFormat`] is a format. Dumps, schemas, generated files and loader tests follow from it: see [`layout`].
//! Depend on `binrw = "0.15"`.
//!
//! ```
//! use binrw::binrw;
//! use meshspec::{BinaryFormat, Format, Rule, Severity, layout::Layout};
//!
//! #[derive(Layout)]
//! #[binrw]
//! #[derive(Debug)]
//! #[brw(little, magic = b"TRCK")]
//! struct Track {
//!     #[br(temp)]
//!     #[bw(try_calc = u16::try_from(heights.len()))]
//!     count: u16,
//!     /// Heights along the track.
//!     #[br(count = count)]
//!     #[layout(finite, unit = "m", rule = HEIGHTS)]
//!     heights: Vec<f32>,
//! }
//!
//! static HEIGHTS: Rule = Rule::new("TRACK-HEIGHTS", Severity::Error, "Heights are finite.");
//!
//! impl BinaryFormat for Track {
//!     const NAME: &'static str = "track";
//!     const EXTENSIONS: &'static [&'static str] = &["trk"];
//!     const RULES: &'static [&'static Rule] = &[&HEIGHTS];
//! }
//!
//! let error = Track::read(b"TRCK\x01\0\0\0\x80\x7f", &Default::default()).err().unwrap();
//! assert_eq!(error.to_string(), "track: heights[0] (bytes 0x6..0xa): inf is not finite [TRACK-HEIGHTS]");
//! ```
//!
//! Other [constraints] on fields are `below = limit`, `one_of(2, 3)` and `holds(first < second), message = "…"`, which
//! compares a field with earlier ones; each has a `rule`. Nested structs also derive `Layout`, and their rules belong in
//! `RULES`. `track.write(&Default::default())` returns the bytes. [`format_of::<Track>()`] is the format for
//! [`check`] and for a command-line tool. See [docs/extending.md].
//!
//! [docs/extending.md]: https://github.com/meshspec/meshspec/blob/main/docs/extending.md
//! [constraints]: https://github.com/meshspec/meshspec/blob/main/docs/extending.md#rules
//! [`format_of::<Track>()`]: format_of
//!
//! # Test a loader
//!
//! With the feature `proptest`, `conformance` runs a loader on valid, broken, almost broken and mutated files of a
//! format. It reports one disagreement with strict reading per cause, such as a rule and a field, each with a shrunk
//! file. The loader returns a `Result`, an `Option` or a `bool`. To compare contents, too, call
//! `compare(|document| contents, |bytes| Ok(contents))` instead of `run`. For loaders that abort or are written in other
//! languages, use `meshspec corpus` and `meshspec conform`.
//!
//! ```
//! # #[cfg(all(feature = "proptest", feature = "crucible"))] {
//! use meshspec::{conformance, crucible};
//! # use meshspec::{Format, ReadOptions};
//! # fn my_loader(bytes: &[u8]) -> meshspec::Result<crucible::Document> {
//! #     crucible::Document::read(bytes, &ReadOptions::lenient())
//! # }
//! let report = conformance::<crucible::Document>().cases(16).run(|bytes| my_loader(bytes));
//! println!("{report}"); // `report.agrees()` is true if there are no disagreements.
//! // CRUCIBLE-INDEX-RANGE: Every index is below the vertex count.
//! //   strict reading rejects it: chunks[0].indices.data[0] (…): index 1 is not below the vertex count 1
//! # assert!(report.disagreements().iter().any(|d| d.rule.is_some_and(|rule| rule.code == "CRUCIBLE-INDEX-RANGE")));
//! # }
//! ```
//!
//! # Formats and features
//!
//! | feature | content | default |
//! |---|---|---|
//! | [`mesh`](mod@mesh), [`crucible`], [`seed`], [`iyma`], [`bmd`] | formats; each module links its specification | yes |
//! | `scene`, `gltf`, `obj`, `ply`, `stl` | scenes, conversion to and from interchange formats | yes |
//! | `meshopt`, `draco` | compressed meshes in glTF | no |
//! | `serde`, `proptest`, `parallel` | JSON; tests of loaders; several threads for large files | no |
//! | `lz4`, `zstd`, `checksums` | compressed blocks and checksums in custom formats | `lz4`, `zstd` |
//!
//! One format alone: `meshspec = { version = "0.1", default-features = false, features = ["mesh"] }`. Public
//! dependencies: binrw, bytemuck, modular-bitfield; glam (`scene`), serde_json (`scene`, `serde`), bytes, half (`iyma`),
//! serde, proptest.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(
    not(any(
        feature = "mesh",
        feature = "crucible",
        feature = "seed",
        feature = "iyma",
        feature = "bmd"
    )),
    allow(
        dead_code,
        unreachable_code,
        unused_imports,
        unused_macros,
        unused_variables,
        reason = "without formats, their shared code is unused"
    )
)]

// The derives refer to this crate by its external name.
extern crate self as meshspec;

pub mod bulk;
#[cfg(feature = "proptest")]
pub mod conformance;
pub mod contents;
mod error;
#[cfg(feature = "scene")]
mod files;
mod finding;
#[cfg(any(feature = "serde", feature = "gltf"))]
mod float;
mod formats;
pub mod info;
#[cfg(feature = "scene")]
pub mod interop;
#[cfg(feature = "serde")]
mod json;
pub mod layout;
mod limits;
mod lines;
mod loss;
mod options;
#[cfg_attr(
    not(all(feature = "crucible", feature = "seed", feature = "obj")),
    allow(
        dead_code,
        unused_imports,
        reason = "unused if only some formats are enabled"
    )
)]
mod parallel;
mod path;
mod read_file;
mod rule;
#[cfg(feature = "scene")]
pub mod scene;
mod span;
mod text;
mod unpack;

#[cfg(feature = "proptest")]
pub use conformance::conformance;
pub use error::{Error, ErrorKind, Result};
pub use finding::{Finding, Report};
#[cfg(feature = "bmd")]
pub use formats::bmd;
#[cfg(feature = "crucible")]
pub use formats::crucible;
#[cfg(feature = "iyma")]
pub use formats::iyma;
#[cfg(feature = "mesh")]
pub use formats::mesh;
#[cfg(feature = "seed")]
pub use formats::seed;
pub use formats::{
    About, AnyDocument, AnyFormat, BinaryFormat, Confidence, Detected, Detection, Document,
    DynDocument, DynFormat, Format, Formats, FromDialect, Interpretation, Layouts, RuleExample,
    Specification, check, detect, format_of, open, open_with, read,
};
pub use limits::{Limit, Limits};
pub use lines::Line;
pub use loss::{
    Affected, Category, HIDEABLE_HARM, LargestError, Loss, LossGroup, LossKind, Quantity, Unit,
    round_up,
};
pub use options::{Dialect, ReadOptions, Strictness, WriteOptions};
pub use path::Path;
pub use rule::{Enforcement, Rule, Severity};
pub use span::Span;
pub use text::Text;

/// Drops the serde implementations that `#[derive(ToJson)]` generates, because the feature `serde` is disabled.
#[cfg(not(feature = "serde"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __json {
    ($($implementations:tt)*) => {};
}

/// Items that derived code uses.
#[doc(hidden)]
pub mod __private {
    pub use modular_bitfield::Specifier;

    #[cfg(feature = "serde")]
    pub use crate::json::*;
    pub use crate::layout::declaration::constraint::PLAUSIBLE;
    pub use crate::layout::decoding::{FromValue, decode};
    pub use crate::layout::operators::int_type_of;
}

/// Compiles and runs the examples of the README.
#[cfg(all(doctest, feature = "mesh", feature = "proptest"))]
#[doc = include_str!("../README.md")]
mod readme {}

/// Compiles and runs the examples of `docs/extending.md`.
#[cfg(all(doctest, feature = "checksums", feature = "proptest"))]
#[doc = include_str!("../docs/extending.md")]
mod extending {}

/// Compiles and runs the example of `docs/conversion.md`.
#[cfg(all(doctest, feature = "mesh", feature = "crucible", feature = "scene"))]
#[doc = include_str!("../docs/conversion.md")]
mod conversion {}
