//! Assembles files from values, by a declaration.
//!
//! The assembler runs the program of a declaration over a tree of given values. A given value is written
//! unchanged, even if it conflicts with others; this is how files that break one rule are made. An omitted value
//! is computed if the declaration determines it: counts, sizes, offsets, magic bytes, checksums, and values that a
//! check requires.
//!
//! A value that is omitted or may be recomputed is a leaf (`leaf.rs`). Each written list, block and offset is an
//! equation (`equation.rs`). Once an equation has only one open leaf, the leaf is determined and its bytes are
//! patched (`determine.rs`). A field whose offset is unknown is written to a separate region (`region.rs`), and
//! placed when the file is complete (`complete.rs`). Another run follows only if a choice or packed bytes relied
//! on a value determined later.
//!
//! [`Values`] holds the values of a file, read from its bytes or set individually.
//!
//! ```
//! use binrw::binrw;
//! use meshspec::layout::{Layout, assemble::Values};
//!
//! /// A list of heights.
//! #[derive(Layout)]
//! #[binrw]
//! #[brw(little)]
//! struct Heights {
//!     /// Number of samples.
//!     count: u16,
//!     #[br(count = count)]
//!     samples: Vec<f32>,
//! }
//!
//! let mut heights = Values::new(&Heights::TYPE);
//! heights.set("samples[0]", "1")?;
//! heights.set("samples[1]", "-0.5")?;
//! assert_eq!(heights.assemble(&Default::default())?, [2, 0, 0, 0, 0x80, 0x3f, 0, 0, 0, 0xbf]);
//! // Given values are written unchanged.
//! heights.set("count", "7")?;
//! assert_eq!(heights.assemble(&Default::default())?[..2], [7, 0]);
//! # Ok::<(), meshspec::Error>(())
//! ```

mod assembler;
mod block;
mod complete;
mod contents;
mod determine;
mod edit;
mod equation;
mod fields;
mod input;
mod leaf;
mod lookahead;
mod number;
mod part;
mod record;
mod region;
mod scalar;
mod space;
mod tree;
mod values;

pub use edit::{Change, Edit, edit};
pub use part::Part;
pub use values::Values;
