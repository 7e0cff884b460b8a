//! Index formats, vertex formats, and the buffers with values in them.

#![allow(
    clippy::expect_used,
    reason = "in the setters that modular-bitfield generates"
)]

use binrw::binrw;
use bitcode::{Decode, Encode};
use meshspec_derive::Layout;
use modular_bitfield::bitfield;
use modular_bitfield::specifiers::{B2, B10};

use crate::bulk::Bulk;
use crate::layout::declaration::BitRange;
use crate::layout::decoding::{
    BINARY16, SNORM8, SNORM16, UNORM8, UNORM16, binary16, snorm8, snorm16, unorm8, unorm16,
};

/// An index format.
#[derive(Layout)]
#[binrw]
#[brw(repr = u8)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode)]
pub enum IndexFormat {
    /// 16-bit indices.
    U16 = 0,
    /// 32-bit indices.
    U32 = 1,
}

impl IndexFormat {
    /// The size of an index in bytes.
    pub const fn size(self) -> usize {
        match self {
            IndexFormat::U16 => 2,
            IndexFormat::U32 => 4,
        }
    }
}

/// The component type of a vertex format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Component {
    /// 16-bit float.
    Float16,
    /// 32-bit float.
    Float32,
    /// 64-bit float.
    Float64,
    /// Signed 8-bit integer.
    Sint8,
    /// Signed 16-bit integer.
    Sint16,
    /// Signed 32-bit integer.
    Sint32,
    /// Signed normalised 8-bit integer, −1 to 1.
    Snorm8,
    /// Signed normalised 16-bit integer, −1 to 1.
    Snorm16,
    /// Unsigned 8-bit integer.
    Uint8,
    /// Unsigned 16-bit integer.
    Uint16,
    /// Unsigned 32-bit integer.
    Uint32,
    /// Unsigned normalised 8-bit integer, 0 to 1.
    Unorm8,
    /// Like `Unorm8`, in BGRA order.
    Unorm8Bgra,
    /// Unsigned normalised integers of 10, 10, 10 and 2 bits, each 0 to 1, packed in a 32-bit word from the lowest
    /// bit.
    Unorm10x3x2,
    /// Unsigned normalised 16-bit integer, 0 to 1.
    Unorm16,
}

impl Component {
    /// The size in bytes; for `Unorm10x3x2`, the size of the whole word.
    pub const fn size(self) -> usize {
        use Component::*;
        match self {
            Sint8 | Snorm8 | Uint8 | Unorm8 | Unorm8Bgra => 1,
            Float16 | Sint16 | Snorm16 | Uint16 | Unorm16 => 2,
            Float32 | Sint32 | Uint32 | Unorm10x3x2 => 4,
            Float64 => 8,
        }
    }
}

/// The bit ranges of the components in an `Unorm10x3x2` word.
pub(in super::super) const UNORM10X3X2: [BitRange; 4] = {
    let x = BitRange {
        offset: 0,
        width: 10,
    };
    [
        x,
        x.then(10),
        x.then(10).then(10),
        x.then(10).then(10).then(2),
    ]
};

/// A value of four components in one word.
#[derive(Layout)]
#[bitfield(bits = 32)]
#[binrw]
#[br(map = Self::from_bytes)]
#[bw(map = |word: &Self| word.into_bytes())]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unorm10x3x2 {
    /// X or red.
    #[layout(decoded = unorm10, formula = UNORM10)]
    pub x: B10,
    /// Y or green.
    #[layout(decoded = unorm10, formula = UNORM10)]
    pub y: B10,
    /// Z or blue.
    #[layout(decoded = unorm10, formula = UNORM10)]
    pub z: B10,
    /// W or alpha.
    #[layout(decoded = |stored: u8| f32::from(stored) / 3.0, formula = "x / 3.0")]
    pub w: B2,
}

/// Decodes an unsigned normalised integer to 0..=1.
fn unorm10(stored: u16) -> f32 {
    f32::from(stored) / 1023.0
}

const UNORM10: &str = "x / 1023.0";

macro_rules! vertex_formats {
    ($(
        $format:ident = $number:literal, $component:ident $count:literal,
        $value:ty $(as $decoded:ident $formula:ident)?, $doc:literal;
    )*) => {
        /// A vertex format: the type and number of components per value.
        #[derive(Layout)]
        #[binrw]
        #[brw(repr = u8)]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Encode, Decode)]
        #[allow(non_camel_case_types, reason = "the specification's name")]
        pub enum VertexFormat {
            $(#[doc = $doc] $format = $number,)*
        }

        /// A vertex buffer: a value per vertex.
        #[derive(Layout)]
        #[br(little, import(format: VertexFormat, n_vertices: u32))]
        #[allow(non_camel_case_types, reason = "the specification's name")]
        pub enum VertexBuffer<'a> {
            $(
                #[doc = $doc]
                #[br(pre_assert(format as u8 == $number))]
                $format(
                    #[br(count = n_vertices)]
                    $(#[layout(decoded = $decoded, formula = $formula)])?
                    Bulk<'a, $value>
                ),
            )*
        }

        // bitcode numbers the formats by their order.
        const _: () = {
            let numbers = [$($number),*];
            let mut position = 0;
            while position < numbers.len() {
                assert!(numbers[position] == position, "the number of a vertex format must be its position");
                position += 1;
            }
        };

        impl VertexFormat {
            /// All formats, in the order of the specification.
            pub const ALL: &[VertexFormat] = &[$(VertexFormat::$format,)*];

            /// The name in the specification.
            pub const fn name(self) -> &'static str {
                match self {
                    $(VertexFormat::$format => stringify!($format),)*
                }
            }

            /// The component type.
            ///
            /// ```
            /// use meshspec::iyma::{Component, VertexFormat};
            ///
            /// let format = VertexFormat::Float16x4;
            /// assert_eq!((format.component(), format.components(), format.size()), (Component::Float16, 4, 8));
            /// ```
            pub const fn component(self) -> Component {
                match self {
                    $(VertexFormat::$format => Component::$component,)*
                }
            }

            /// The number of components per value, 1 to 4.
            pub const fn components(self) -> usize {
                match self {
                    $(VertexFormat::$format => $count,)*
                }
            }

            /// The size of a value in bytes.
            pub const fn size(self) -> usize {
                match self.component() {
                    Component::Unorm10x3x2 => Component::Unorm10x3x2.size(),
                    component => component.size() * self.components(),
                }
            }
        }
    };
}

// Each format with its encoded number, which bitcode derives from the order, its components, and the type of a stored
// value with its decoding. The order follows the specification.
vertex_formats! {
    Float16 = 0, Float16 1, u16 as binary16 BINARY16, "One 16-bit float.";
    Float32 = 1, Float32 1, f32, "One 32-bit float.";
    Float64 = 2, Float64 1, f64, "One 64-bit float.";
    Float16x2 = 3, Float16 2, [u16; 2] as binary16 BINARY16, "Two 16-bit floats.";
    Float16x4 = 4, Float16 4, [u16; 4] as binary16 BINARY16, "Four 16-bit floats.";
    Float32x2 = 5, Float32 2, [f32; 2], "Two 32-bit floats.";
    Float32x3 = 6, Float32 3, [f32; 3], "Three 32-bit floats.";
    Float32x4 = 7, Float32 4, [f32; 4], "Four 32-bit floats.";
    Float64x2 = 8, Float64 2, [f64; 2], "Two 64-bit floats.";
    Float64x3 = 9, Float64 3, [f64; 3], "Three 64-bit floats.";
    Float64x4 = 10, Float64 4, [f64; 4], "Four 64-bit floats.";
    Sint8 = 11, Sint8 1, i8, "One signed 8-bit integer.";
    Sint8x2 = 12, Sint8 2, [i8; 2], "Two signed 8-bit integers.";
    Sint8x4 = 13, Sint8 4, [i8; 4], "Four signed 8-bit integers.";
    Sint16 = 14, Sint16 1, i16, "One signed 16-bit integer.";
    Sint32 = 15, Sint32 1, i32, "One signed 32-bit integer.";
    Sint16x2 = 16, Sint16 2, [i16; 2], "Two signed 16-bit integers.";
    Sint16x4 = 17, Sint16 4, [i16; 4], "Four signed 16-bit integers.";
    Sint32x2 = 18, Sint32 2, [i32; 2], "Two signed 32-bit integers.";
    Sint32x3 = 19, Sint32 3, [i32; 3], "Three signed 32-bit integers.";
    Sint32x4 = 20, Sint32 4, [i32; 4], "Four signed 32-bit integers.";
    Snorm8 = 21, Snorm8 1, i8 as snorm8 SNORM8, "One signed normalised 8-bit integer, −1 to 1.";
    Snorm8x2 = 22, Snorm8 2, [i8; 2] as snorm8 SNORM8, "Two signed normalised 8-bit integers, −1 to 1.";
    Snorm8x4 = 23, Snorm8 4, [i8; 4] as snorm8 SNORM8, "Four signed normalised 8-bit integers, −1 to 1.";
    Snorm16 = 24, Snorm16 1, i16 as snorm16 SNORM16, "One signed normalised 16-bit integer, −1 to 1.";
    Snorm16x2 = 25, Snorm16 2, [i16; 2] as snorm16 SNORM16, "Two signed normalised 16-bit integers, −1 to 1.";
    Snorm16x4 = 26, Snorm16 4, [i16; 4] as snorm16 SNORM16, "Four signed normalised 16-bit integers, −1 to 1.";
    Uint8 = 27, Uint8 1, u8, "One unsigned 8-bit integer.";
    Uint8x2 = 28, Uint8 2, [u8; 2], "Two unsigned 8-bit integers.";
    Uint8x4 = 29, Uint8 4, [u8; 4], "Four unsigned 8-bit integers.";
    Uint16 = 30, Uint16 1, u16, "One unsigned 16-bit integer.";
    Uint32 = 31, Uint32 1, u32, "One unsigned 32-bit integer.";
    Uint16x2 = 32, Uint16 2, [u16; 2], "Two unsigned 16-bit integers.";
    Uint16x4 = 33, Uint16 4, [u16; 4], "Four unsigned 16-bit integers.";
    Uint32x2 = 34, Uint32 2, [u32; 2], "Two unsigned 32-bit integers.";
    Uint32x3 = 35, Uint32 3, [u32; 3], "Three unsigned 32-bit integers.";
    Uint32x4 = 36, Uint32 4, [u32; 4], "Four unsigned 32-bit integers.";
    Unorm8 = 37, Unorm8 1, u8 as unorm8 UNORM8, "One unsigned normalised 8-bit integer, 0 to 1.";
    Unorm8x2 = 38, Unorm8 2, [u8; 2] as unorm8 UNORM8, "Two unsigned normalised 8-bit integers, 0 to 1.";
    Unorm8x4 = 39, Unorm8 4, [u8; 4] as unorm8 UNORM8, "Four unsigned normalised 8-bit integers, 0 to 1.";
    Unorm8x4Bgra = 40, Unorm8Bgra 4, [u8; 4] as unorm8 UNORM8, "Four unsigned normalised 8-bit integers, 0 to 1: blue, green, red, alpha.";
    Unorm16 = 41, Unorm16 1, u16 as unorm16 UNORM16, "One unsigned normalised 16-bit integer, 0 to 1.";
    Unorm10_10_10_2 = 42, Unorm10x3x2 4, Unorm10x3x2,
        "Unsigned normalised integers of 10, 10, 10 and 2 bits, each 0 to 1, packed in a word from the lowest bit.";
    Unorm16x2 = 43, Unorm16 2, [u16; 2] as unorm16 UNORM16, "Two unsigned normalised 16-bit integers, 0 to 1.";
    Unorm16x4 = 44, Unorm16 4, [u16; 4] as unorm16 UNORM16, "Four unsigned normalised 16-bit integers, 0 to 1.";
}
