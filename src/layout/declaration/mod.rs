//! Declarations as data: types, fields, constraints, bit fields and blocks.
//!
//! `#[derive(Layout)]` generates this data for the walker, the assembler, the generators and the schema printers.
//!
//! ```
//! use meshspec::layout::Layout;
//! use meshspec::layout::declaration::{Declaration, Shape, Type};
//!
//! /// Heights along a track.
//! #[derive(Layout)]
//! #[binrw::binrw]
//! #[brw(little, magic = b"TRCK")]
//! struct Track {
//!     count: u16,
//!     #[br(count = count)]
//!     heights: Vec<f32>,
//! }
//!
//! let Type::Declared(Declaration { name, magic, shape: Shape::Struct(fields), .. }) = Track::TYPE else { panic!() };
//! assert_eq!((name, magic, fields[1].name), (&"Track", &&b"TRCK"[..], "heights"));
//! ```

mod bind;
pub(super) mod bits;
mod block;
pub(crate) mod constraint;
pub(super) mod data;
mod size;

pub use bind::bind;
#[cfg(feature = "crucible")]
pub(crate) use bind::bind_partially;
pub(crate) use bind::unbound_message;
pub use bits::{BitField, BitRange};
pub use block::{Block, Checksum, ChecksumFunction, Packing, RecodeFn, UpdateFn};
pub use constraint::{Constraint, Requirement};
pub use data::{Check, Computed, Declaration, Each, EnumValue, Field, Shape, Type, Variant};
