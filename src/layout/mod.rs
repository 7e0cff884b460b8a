//! The static description of a declaration.
//!
//! `#[derive(Layout)]` on a binrw or modular-bitfield struct leaves, next to the codec that those crates make, a
//! [`Declaration`](declaration::Declaration): the same fields as constant data. Everything that shows or checks a format without decoding it is
//! made from that: the [walker](walk) (an independent decoder that yields each field with its byte range), the
//! annotated dump, the tables, the definitions for other tools.
//!
//! ```
//! use binrw::binrw;
//! use meshspec::layout::declaration::Type;
//! use meshspec::layout::{Layout, walk};
//! use meshspec::path;
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
//! let bytes = [1, 0, 0, 0, 0x80, 0x3f];
//! let span = walk::find(&Heights::TYPE, &bytes, path!(samples[0]), &Default::default());
//! assert_eq!(span.unwrap().range(), &(2..6));
//! ```

pub mod assemble;
mod c_header;
#[cfg(feature = "checksums")]
pub mod checksum;
pub(crate) mod codec;
pub(crate) mod constraint;
mod coverage;
pub mod declaration;
pub mod decoding;
mod dictionary;
pub mod dump;
pub mod expr;
pub(crate) mod general;
pub mod generate;
pub mod grammar;
mod imhex;
mod json;
mod kaitai;
mod markdown;
mod notation;
pub mod program;
mod rules;
pub mod schema;
mod stride;
pub(crate) mod structure;
pub mod walk;
#[cfg(feature = "serde")]
pub(crate) mod word;
mod wording;

pub use codec::{check, read, write};
pub use constraint::{check_bytes, check_document};
pub use meshspec_derive::{Json, Layout, ToJson};

use declaration::Type;
use expr::Value;

/// A type that can say how it lies in a file.
///
/// Derive it above `#[binrw]` or `#[bitfield]`: only there are all their attributes visible. This does not compile:
///
/// ```compile_fail
/// #[binrw::binrw]
/// #[derive(meshspec::layout::Layout)]
/// #[brw(little)]
/// struct Below {
///     #[br(if(false))]
///     a: u8,
/// }
/// ```
pub trait Layout {
    /// The description. Numbers are little-endian unless the declaration says `big`.
    const TYPE: Type;

    /// The description within a big-endian struct: another one for numbers, arrays of them, and structs that do not state
    /// their byte order.
    const BIG: Type = Self::TYPE;

    /// The size in bytes of a value whose size does not depend on its own content, given the arguments that its
    /// declaration imports, in order; `None` if it does depend on it.
    fn size_with(arguments: &[Value]) -> Option<u64> {
        match Self::TYPE {
            Type::Declared(declaration) => declaration.size(&declaration.bind(arguments.iter().cloned())),
            ref other => other.size(),
        }
    }

    /// The offset of a field in such a value; `None` if it is not there or its offset depends on the value's content.
    fn offset_with(name: &str, arguments: &[Value]) -> Option<u64> {
        let Type::Declared(declaration) = Self::TYPE else { return None };
        declaration.offset_of(name, &declaration.bind(arguments.iter().cloned())).map(|(offset, _)| offset)
    }
}

macro_rules! plain {
    ($($number:ty => $kind:ident;)*) => {$(
        impl Layout for $number {
            const TYPE: Type = Type::$kind(size_of::<$number>() as u32);
            const BIG: Type = if size_of::<$number>() > 1 { Type::Big(&Self::TYPE) } else { Self::TYPE };
        }
    )*};
}

plain! {
    u8 => Unsigned; u16 => Unsigned; u32 => Unsigned; u64 => Unsigned; u128 => Unsigned;
    i8 => Signed; i16 => Signed; i32 => Signed; i64 => Signed; i128 => Signed;
    f32 => Float; f64 => Float;
}

impl<T: Layout, const N: usize> Layout for [T; N] {
    const TYPE: Type = Type::Array(&T::TYPE, N as u64);
    const BIG: Type = Type::Array(&T::BIG, N as u64);
}

impl<T: Layout> Layout for Vec<T> {
    const TYPE: Type = Type::list(&T::TYPE);
    const BIG: Type = Type::list(&T::BIG);
}

impl<T: Layout> Layout for Option<T> {
    const TYPE: Type = T::TYPE;
    const BIG: Type = T::BIG;
}
