//! Mesh formats of game engines, each declared once.
//!
//! meshspec reads, checks, edits and writes the files of
//!
//! - **MESH** ([`mesh`]): interleaved vertices, a skeleton, sampled animations,
//!   by the [MESH format specification v1.0][mesh specification] from Surviveler by RookieGameDevs;
//! - **Crucible** ([`crucible`]): LZ4-compressed attribute streams,
//!   by the [Mesh Chunk Format][crucible specification] from Crucible by Joshua-A-Shelton;
//! - **Seed** ([`seed`]): lines of text,
//!   by the [Mesh File Format Specification (.mesh)][seed specification] from Seed Engine by Confictura Studios;
//! - **IyMA** ([`iyma`]): zstd-compressed GPU buffers of compatible meshes,
//!   by the [Iyes Mesh Array][iyma specification] from iyes_mesh by IyesGames;
//! - **BMD** ([`bmd`]): packed meshes, quantised skeletons, compacted animations,
//!   by the [Mesh Model Format (Possible, for BGBTech3 Engine)][bmd specification] from
//!   bgbtech_btsr1arch by Brendan G. Bohannon.
//!
//! [mesh specification]: https://github.com/RookieGameDevs/surviveler/blob/c9acfd48ea8fdb7c89105650e5dd5cb0a3d41c5b/MESH_FORMAT.md
//! [crucible specification]: https://github.com/Joshua-A-Shelton/Crucible/blob/6d8618e0f65848a58f36e766378396365d7cae1f/specs/MeshFormat.md
//! [seed specification]: https://github.com/ConficturaStudios/seed-engine/blob/f8f17b66edfe18ca5922aeb7a40634605656c34a/core/docs/MeshFileSpecification.md
//! [iyma specification]: https://github.com/IyesGames/iyes_mesh/blob/4583f95435b8d508ea0cb2473e185b93cefac815/doc/ima.md
//! [bmd specification]: https://github.com/cr88192/bgbtech_btsr1arch/blob/6072746cc589daf2605b183d1529c443f96ff6f8/bgbcc22/docs/2025-04-19_MeshMdl1.txt
//!
//! A file is decoded into a [`Document`] that loses nothing, is owned, and has public fields in the terms of the
//! format's specification. What can be computed (counts, sizes, offsets) is not stored and so cannot be wrong.
//!
//! ```
//! # #[cfg(feature = "mesh")] {
//! use meshspec::{Document, Format, WriteOptions, mesh};
//!
//! // A triangle.
//! let document = mesh::Document {
//!     vertices: mesh::Vertices::from_columns(&mesh::Columns {
//!         positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
//!         ..Default::default()
//!     })?,
//!     indices: vec![0, 1, 2],
//!     ..Default::default()
//! };
//! let bytes = document.write(&WriteOptions::default())?;
//! assert_eq!(bytes.len(), 13 + 3 * 12 + 3 * 4);
//!
//! // Whatever format the bytes are of:
//! let again = meshspec::read(&bytes, &Default::default())?;
//! assert_eq!(again, Document::Mesh(document));
//! # }
//! # Ok::<(), meshspec::Error>(())
//! ```
//!
//! Reading is strict by default: the first violation of the specification is an [`Error`] that names the field, its
//! bytes and the rule. Lenient reading ([`ReadOptions::lenient`]) accepts whatever can be decoded without guessing;
//! [`Document::check`] lists what is wrong with it.
//!
//! # Testing a loader
//!
//! With the feature `proptest`, `conformance` runs a loader over valid, broken, almost broken and mutated files of a format. It
//! reports all disagreements with strict reading, each with the smallest file that shows it:
//!
//! ```
//! # #[cfg(all(feature = "proptest", feature = "crucible"))] {
//! use meshspec::{Format, ReadOptions, conformance, crucible};
//!
//! // The loader to test. This one accepts too much.
//! fn my_loader(bytes: &[u8]) -> meshspec::Result<crucible::Document> {
//!     crucible::Document::read(bytes, &ReadOptions::lenient())
//! }
//!
//! let report = conformance::<crucible::Document>().cases(16).run(|bytes| my_loader(bytes));
//! assert!(!report.agrees());
//! println!("{report}");
//! // CRUCIBLE-INDEX-RANGE: Every index is below the vertex count.
//! //
//! // accepts an invalid file
//! //   strict reading refuses it: chunks[0].indices.data[0] (…): index 1, but there are 1 vertices
//! //   broken, …; 44 bytes, the smallest of 20:
//! //   00000000  00 03 00 00 00 02 00 00 00 20 01 00 01 01 00 02  ................
//! # assert!(report.disagreements().iter().any(|d| d.rule.is_some_and(|rule| rule.code == "CRUCIBLE-INDEX-RANGE")));
//! # }
//! ```
//!
//! # Declarations
//!
//! Each format has a declaration, the module `schema` of its folder: binrw structs that read like the specification.
//! The module [`layout`] makes them available as data, from which all that shows or tests a format is derived.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(
    not(any(feature = "mesh", feature = "crucible", feature = "seed", feature = "iyma", feature = "bmd")),
    allow(dead_code, reason = "what only formats call")
)]

// The derive names this crate by its own name, in here as elsewhere.
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
mod format_id;
mod formats;
pub mod info;
#[cfg(feature = "scene")]
pub mod interop;
mod json;
pub mod layout;
mod limits;
mod lines;
mod loss;
mod nan;
mod options;
#[cfg_attr(
    not(all(feature = "crucible", feature = "seed", feature = "obj")),
    allow(dead_code, unused_imports, reason = "each format needs a part of it")
)]
mod parallel;
mod path;
#[cfg(feature = "scene")]
pub mod scene;
mod span;
mod text;
mod unpack;

#[cfg(feature = "proptest")]
pub use conformance::conformance;
pub use error::{Error, ErrorKind, Result};
pub use finding::{Enforcement, Finding, Report, Rule, Severity};
pub use format_id::FormatId;
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
    About, AnyFormat, BinaryFormat, Confidence, Declared, Detected, Detection, Document, Format, Formats,
    FromDialect, Interpretation, Layouts, RuleExample, Specification, check, detect, open, read,
};
pub use limits::Limits;
pub use lines::Line;
pub use loss::{Affected, Category, LargestError, Loss, LossGroup, LossKind, Quantity, Unit};
pub use options::{Dialect, ReadOptions, Strictness, UnknownDialect, WriteOptions};
pub use path::Path;
pub use span::Span;
pub use text::Text;

/// Items that the code of the derives uses.
#[doc(hidden)]
pub mod __private {
    pub use modular_bitfield::Specifier;

    #[cfg(feature = "serde")]
    pub use crate::json::*;
    pub use crate::layout::constraint::PLAUSIBLE;
    pub use crate::layout::decoding::{FromValue, decode};
}

/// The examples of the README are compiled and run.
#[cfg(all(doctest, feature = "mesh", feature = "proptest"))]
#[doc = include_str!("../README.md")]
mod readme {}

/// The worked example of `docs/`, whose code is run with the tests of the documentation.
#[cfg(all(doctest, feature = "checksums", feature = "proptest"))]
#[doc = include_str!("../docs/extending.md")]
mod extending {}

/// The example of converting, which is run with the tests of the documentation.
#[cfg(all(doctest, feature = "mesh", feature = "crucible", feature = "scene"))]
#[doc = include_str!("../docs/conversion.md")]
mod conversion {}
