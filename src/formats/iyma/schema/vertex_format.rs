//! The formats of indices and vertices: one table of the vertex formats, one of their components.

use binrw::binrw;
use bitcode::{Decode, Encode};
use meshspec_derive::{Json, Layout};

use crate::layout::declaration::BitRange;

/// Format of indices.
#[derive(Json, Layout)]
#[binrw]
#[brw(repr = u8)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode)]
pub enum IndexFormat {
    /// 16 bits each.
    U16 = 0,
    /// 32 bits each.
    U32 = 1,
}

impl IndexFormat {
    /// Size of an index in bytes.
    pub const fn size(self) -> usize {
        match self {
            IndexFormat::U16 => 2,
            IndexFormat::U32 => 4,
        }
    }
}

/// The type of the components of a vertex format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Component {
    /// 16-bit float.
    Float16,
    /// 32-bit float.
    Float32,
    /// 64-bit float.
    Float64,
    /// 8-bit integer with a sign.
    Sint8,
    /// 16-bit integer with a sign.
    Sint16,
    /// 32-bit integer with a sign.
    Sint32,
    /// 8-bit integer with a sign that stands for −1 to 1.
    Snorm8,
    /// 16-bit integer with a sign that stands for −1 to 1.
    Snorm16,
    /// 8-bit integer.
    Uint8,
    /// 16-bit integer.
    Uint16,
    /// 32-bit integer.
    Uint32,
    /// 8-bit integer that stands for 0 to 1.
    Unorm8,
    /// As `Unorm8`, in the order blue, green, red, alpha.
    Unorm8Bgra,
    /// Integers of 10, 10, 10 and 2 bits that stand for 0 to 1, in one word of 32 bits from its lowest bit on.
    Unorm10x3x2,
    /// 16-bit integer that stands for 0 to 1.
    Unorm16,
}

impl Component {
    /// Size in bytes; of `Unorm10x3x2`, that of the whole word.
    pub const fn size(self) -> usize {
        match self {
            Component::Sint8
            | Component::Snorm8
            | Component::Uint8
            | Component::Unorm8
            | Component::Unorm8Bgra => 1,
            Component::Float16
            | Component::Sint16
            | Component::Snorm16
            | Component::Uint16
            | Component::Unorm16 => 2,
            Component::Float32 | Component::Sint32 | Component::Uint32 | Component::Unorm10x3x2 => 4,
            Component::Float64 => 8,
        }
    }
}

/// The components of an `Unorm10x3x2` word.
pub(in super::super) const UNORM10X3X2: [BitRange; 4] = {
    let x = BitRange { offset: 0, width: 10 };
    [x, x.then(10), x.then(10).then(10), x.then(10).then(10).then(2)]
};

macro_rules! vertex_formats {
    ($($(#[doc = $doc:literal])* $format:ident = $number:literal, $component:ident $count:literal;)*) => {
        /// Format of the values of a vertex buffer: the type of its components, and how many of them a value has.
        #[derive(Json, Layout)]
        #[binrw]
        #[brw(repr = u8)]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Encode, Decode)]
        #[allow(non_camel_case_types, reason = "the specification's name")]
        pub enum VertexFormat {
            $($(#[doc = $doc])* $format = $number,)*
        }

        // bitcode numbers the formats by their order.
        const _: () = {
            let numbers = [$($number),*];
            let mut position = 0;
            while position < numbers.len() {
                assert!(numbers[position] == position, "the number of a vertex format is its position, from 0 on");
                position += 1;
            }
        };

        impl VertexFormat {
            /// Every format, in the order of the specification.
            pub const ALL: &[VertexFormat] = &[$(VertexFormat::$format,)*];

            /// The name in the specification.
            pub const fn name(self) -> &'static str {
                match self {
                    $(VertexFormat::$format => stringify!($format),)*
                }
            }

            /// The type of its components.
            pub const fn component(self) -> Component {
                match self {
                    $(VertexFormat::$format => Component::$component,)*
                }
            }

            /// Number of components of a value, 1 to 4.
            pub const fn components(self) -> usize {
                match self {
                    $(VertexFormat::$format => $count,)*
                }
            }

            /// Size of a value in bytes.
            pub const fn size(self) -> usize {
                match self.component() {
                    Component::Unorm10x3x2 => Component::Unorm10x3x2.size(),
                    component => component.size() * self.components(),
                }
            }
        }
    };
}

// Each with its number on the wire, which bitcode takes from the order: they stand in that of the specification.
vertex_formats! {
    /// One 16-bit float.
    Float16 = 0, Float16 1;
    /// One 32-bit float.
    Float32 = 1, Float32 1;
    /// One 64-bit float.
    Float64 = 2, Float64 1;
    /// Two 16-bit floats.
    Float16x2 = 3, Float16 2;
    /// Four 16-bit floats.
    Float16x4 = 4, Float16 4;
    /// Two 32-bit floats.
    Float32x2 = 5, Float32 2;
    /// Three 32-bit floats.
    Float32x3 = 6, Float32 3;
    /// Four 32-bit floats.
    Float32x4 = 7, Float32 4;
    /// Two 64-bit floats.
    Float64x2 = 8, Float64 2;
    /// Three 64-bit floats.
    Float64x3 = 9, Float64 3;
    /// Four 64-bit floats.
    Float64x4 = 10, Float64 4;
    /// One 8-bit integer with a sign.
    Sint8 = 11, Sint8 1;
    /// Two 8-bit integers with a sign.
    Sint8x2 = 12, Sint8 2;
    /// Four 8-bit integers with a sign.
    Sint8x4 = 13, Sint8 4;
    /// One 16-bit integer with a sign.
    Sint16 = 14, Sint16 1;
    /// One 32-bit integer with a sign.
    Sint32 = 15, Sint32 1;
    /// Two 16-bit integers with a sign.
    Sint16x2 = 16, Sint16 2;
    /// Four 16-bit integers with a sign.
    Sint16x4 = 17, Sint16 4;
    /// Two 32-bit integers with a sign.
    Sint32x2 = 18, Sint32 2;
    /// Three 32-bit integers with a sign.
    Sint32x3 = 19, Sint32 3;
    /// Four 32-bit integers with a sign.
    Sint32x4 = 20, Sint32 4;
    /// One 8-bit integer for −1 to 1.
    Snorm8 = 21, Snorm8 1;
    /// Two 8-bit integers for −1 to 1.
    Snorm8x2 = 22, Snorm8 2;
    /// Four 8-bit integers for −1 to 1.
    Snorm8x4 = 23, Snorm8 4;
    /// One 16-bit integer for −1 to 1.
    Snorm16 = 24, Snorm16 1;
    /// Two 16-bit integers for −1 to 1.
    Snorm16x2 = 25, Snorm16 2;
    /// Four 16-bit integers for −1 to 1.
    Snorm16x4 = 26, Snorm16 4;
    /// One 8-bit integer.
    Uint8 = 27, Uint8 1;
    /// Two 8-bit integers.
    Uint8x2 = 28, Uint8 2;
    /// Four 8-bit integers.
    Uint8x4 = 29, Uint8 4;
    /// One 16-bit integer.
    Uint16 = 30, Uint16 1;
    /// One 32-bit integer.
    Uint32 = 31, Uint32 1;
    /// Two 16-bit integers.
    Uint16x2 = 32, Uint16 2;
    /// Four 16-bit integers.
    Uint16x4 = 33, Uint16 4;
    /// Two 32-bit integers.
    Uint32x2 = 34, Uint32 2;
    /// Three 32-bit integers.
    Uint32x3 = 35, Uint32 3;
    /// Four 32-bit integers.
    Uint32x4 = 36, Uint32 4;
    /// One 8-bit integer for 0 to 1.
    Unorm8 = 37, Unorm8 1;
    /// Two 8-bit integers for 0 to 1.
    Unorm8x2 = 38, Unorm8 2;
    /// Four 8-bit integers for 0 to 1.
    Unorm8x4 = 39, Unorm8 4;
    /// Blue, green, red and alpha of 8 bits for 0 to 1.
    Unorm8x4Bgra = 40, Unorm8Bgra 4;
    /// One 16-bit integer for 0 to 1.
    Unorm16 = 41, Unorm16 1;
    /// Three times 10 and once 2 bits for 0 to 1 in a word, the first in its lowest bits.
    Unorm10_10_10_2 = 42, Unorm10x3x2 4;
    /// Two 16-bit integers for 0 to 1.
    Unorm16x2 = 43, Unorm16 2;
    /// Four 16-bit integers for 0 to 1.
    Unorm16x4 = 44, Unorm16 4;
}
