//! Assembles files from values, according to a declaration.
//!
//! The assembler runs the program of a declaration over a tree of given values. A given value is written unchanged,
//! even a wrong count, so that a file can break a single rule. Edits can recompute given values. An omitted value is
//! computed if the declaration determines it: counts, sizes, offsets, magic bytes, checksums, and values that a check
//! requires.
//!
//! A value that is omitted or may be recomputed is a variable (`variable.rs`). Written lists, blocks and offsets yield
//! equations (`equation.rs`). Once an equation has a single undetermined variable, it is solved, and the bytes of the
//! variable are written (`determine.rs`). A field whose offset is not final is written to a separate region
//! (`region.rs`), and copied when the file or block is complete (`complete.rs`). If written bytes depend on a value
//! determined later, the assembler runs again.
//!
//! [`FileValues`] are the values of a file, read from its bytes or set individually.
//!
//! ```
//! use binrw::binrw;
//! use meshspec::layout::{Layout, assemble::FileValues};
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
//! let mut heights = FileValues::new(&Heights::TYPE);
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
mod lookahead;
mod number;
mod record;
mod region;
mod scalar;
mod sparse_buffer;
mod tree;
mod untyped_value;
mod values;
mod variable;

pub use edit::{Change, Edit, edit};
pub use untyped_value::UntypedValue;
pub use values::FileValues;
