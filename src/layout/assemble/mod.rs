//! Assembles files: values → bytes, by a declaration.
//!
//! The assembler runs the program of a declaration beside a tree of given values. A given value is written as given, even if
//! it contradicts others: this is how files that break one rule are made. A value that is left out is computed if the
//! declaration determines it: counts, sizes, offsets, magic bytes, checksums, values that a check demands.
//!
//! A value that is left out, or may be recomputed, is a leaf (`leaf.rs`). Each written list, block and offset is an equation
//! (`equation.rs`); the leaf of an equation is determined as soon as it is the only one, and its bytes are patched
//! (`determine.rs`). A field whose offset is open is written to a separate region (`region.rs`), and placed when the file
//! is complete (`complete.rs`). A further run happens only if a choice or packed bytes relied on a value determined later.
//!
//! [`Values`] holds the values of a file, from its bytes or set one by one.
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
//! // What is given is written as given.
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
