//! The other direction of the walker: values → bytes, by a declaration.
//!
//! [`assemble`] goes through a declaration as [`walk`](super::walk) does, and asks a [`Source`] where that tells a
//! [`Visitor`](super::walk::Visitor). What the source gives is written as given, even where it contradicts itself: that is
//! how files are made that break one rule. What it leaves out is computed where the declaration says what it is: counts,
//! sizes, offsets, magic bytes, values that a check demands.
//!
//! [`Values`] is such a source: the values of a file, from its bytes or one by one, to be looked at, changed and assembled.
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
mod space;
mod tree;
mod values;

pub use edit::{Change, Edit, edit};
pub use part::Part;
pub use values::Values;
