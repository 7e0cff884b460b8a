//! Declarations of file formats as static data.
//!
//! binrw and modular-bitfield generate a codec for a struct. `#[derive(Layout)]` adds a
//! [`Declaration`](declaration::Declaration): the same fields as constant data. The following tools use this data:
//!
//! - the [walker](walk), an independent decoder that yields each field with its byte range;
//! - the [tree] of the values of a file;
//! - the annotated [dump];
//! - the [assembler](assemble) and the [generators](generate) of files;
//! - the [schema printers](schema), for example for specification tables and for definitions in Kaitai, ImHex and C.
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
mod covered_ranges;
pub mod declaration;
pub mod decoding;
mod dictionary;
pub mod dump;
pub mod expr;
pub(crate) mod general_rules;
pub mod generate;
pub mod grammar;
mod imhex;
mod json;
mod json_schema;
mod kaitai;
mod markdown;
mod notation;
pub(crate) mod operators;
pub mod program;
mod rules;
pub mod schema;
mod stride;
pub(crate) mod structure;
pub mod tree;
pub mod walk;
mod wording;

pub use codec::{check, read, write};
pub use constraint::{check_bytes, check_document};
pub use meshspec_derive::{Layout, ToJson};

use declaration::Type;
use expr::Value;

/// A type with a declared binary layout.
///
/// The derive must be above `#[binrw]` or `#[bitfield]`, because it reads their attributes. The following does not
/// compile:
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
    /// The layout of the type. Numbers are little-endian unless their declaration or field is marked `big`.
    const TYPE: Type;

    /// The layout of the type within a big-endian struct. Numbers of several bytes are big-endian, except in types with
    /// an explicit byte order. In a big-endian struct, a packed word of several bytes must have an explicit byte order.
    /// The following does not compile:
    ///
    /// ```compile_fail,E0080
    /// # use binrw::binrw;
    /// # use meshspec::layout::Layout;
    /// # use meshspec::layout::declaration::Type;
    /// # use modular_bitfield::prelude::*;
    /// #[derive(Layout)]
    /// #[bitfield(bits = 16)]
    /// #[binrw]
    /// #[br(map = Self::from_bytes)]
    /// #[bw(map = |word: &Self| word.into_bytes())]
    /// struct Flags {
    ///     flags: B16,
    /// }
    ///
    /// #[derive(Layout)]
    /// #[binrw]
    /// #[brw(big)]
    /// struct Header {
    ///     flags: Flags,
    /// }
    /// # const TYPE: Type = Header::TYPE;
    /// ```
    const BIG: Type = Self::TYPE;

    /// Returns the size of a value in bytes; `None` if the declaration and the arguments do not determine it.
    /// `arguments` are the values of the imports, in order.
    fn size_with(arguments: &[Value]) -> Option<u64> {
        match Self::TYPE {
            Type::Declared(declaration) => {
                declaration.size(&declaration.bind(arguments.iter().cloned()))
            }
            ref other => other.size(),
        }
    }

    /// Returns the offset of a field in bytes. `arguments` are the values of the imports, in order.
    ///
    /// Returns `None` if there is no such field, the field is absent, or `arguments` do not determine its condition or
    /// offset. Also returns `None` if its offset, or that of an earlier field, is explicit.
    fn offset_with(name: &str, arguments: &[Value]) -> Option<u64> {
        let Type::Declared(declaration) = Self::TYPE else {
            return None;
        };
        declaration
            .offset_of(name, &declaration.bind(arguments.iter().cloned()))
            .map(|(offset, _)| offset)
    }
}

macro_rules! impl_layout_for_numbers {
    ($($number:ty => $kind:ident;)*) => {$(
        impl Layout for $number {
            const TYPE: Type = Type::$kind(size_of::<$number>() as u32);
            const BIG: Type = if size_of::<$number>() > 1 { Type::BigEndian(&Self::TYPE) } else { Self::TYPE };
        }
    )*};
}

impl_layout_for_numbers! {
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
