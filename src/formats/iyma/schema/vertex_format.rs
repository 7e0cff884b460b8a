//! The 45 vertex formats: their sizes, and conversion to and from 32-bit floats.
//!
//! Normalised integers are converted as GPUs convert them: an unsigned one of n bits is divided by 2ⁿ − 1, one with a
//! sign by 2ⁿ⁻¹ − 1, and the smallest of those counts as −1.

use bitcode::{Decode, Encode};
use half::f16;
use half::slice::{HalfBitsSliceExt, HalfFloatSliceExt};
use meshspec_derive::Layout;

use crate::bulk::{self, Plain};

/// Format of indices.
#[derive(Layout, Debug, Clone, Copy, PartialEq, Eq, Encode, Decode)]
#[br(repr = u8)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum IndexFormat {
    /// 16 bits each.
    U16 = 0,
    /// 32 bits each.
    U32 = 1,
}

/// Format of the values of a vertex buffer: the kind of its components, and how many of them a value has.
#[derive(Layout, Debug, Clone, Copy, PartialEq, Eq, Hash, Encode, Decode)]
#[br(repr = u8)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[allow(non_camel_case_types, reason = "the specification's name")]
pub enum VertexFormat {
    /// One 16-bit float.
    Float16 = 0,
    /// One 32-bit float.
    Float32 = 1,
    /// One 64-bit float.
    Float64 = 2,
    /// Two 16-bit floats.
    Float16x2 = 3,
    /// Four 16-bit floats.
    Float16x4 = 4,
    /// Two 32-bit floats.
    Float32x2 = 5,
    /// Three 32-bit floats.
    Float32x3 = 6,
    /// Four 32-bit floats.
    Float32x4 = 7,
    /// Two 64-bit floats.
    Float64x2 = 8,
    /// Three 64-bit floats.
    Float64x3 = 9,
    /// Four 64-bit floats.
    Float64x4 = 10,
    /// One 8-bit integer with a sign.
    Sint8 = 11,
    /// Two 8-bit integers with a sign.
    Sint8x2 = 12,
    /// Four 8-bit integers with a sign.
    Sint8x4 = 13,
    /// One 16-bit integer with a sign.
    Sint16 = 14,
    /// One 32-bit integer with a sign.
    Sint32 = 15,
    /// Two 16-bit integers with a sign.
    Sint16x2 = 16,
    /// Four 16-bit integers with a sign.
    Sint16x4 = 17,
    /// Two 32-bit integers with a sign.
    Sint32x2 = 18,
    /// Three 32-bit integers with a sign.
    Sint32x3 = 19,
    /// Four 32-bit integers with a sign.
    Sint32x4 = 20,
    /// One 8 bits for -1 to 1.
    Snorm8 = 21,
    /// Two times 8 bits for -1 to 1.
    Snorm8x2 = 22,
    /// Four times 8 bits for -1 to 1.
    Snorm8x4 = 23,
    /// One 16 bits for -1 to 1.
    Snorm16 = 24,
    /// Two times 16 bits for -1 to 1.
    Snorm16x2 = 25,
    /// Four times 16 bits for -1 to 1.
    Snorm16x4 = 26,
    /// One 8-bit integer.
    Uint8 = 27,
    /// Two 8-bit integers.
    Uint8x2 = 28,
    /// Four 8-bit integers.
    Uint8x4 = 29,
    /// One 16-bit integer.
    Uint16 = 30,
    /// One 32-bit integer.
    Uint32 = 31,
    /// Two 16-bit integers.
    Uint16x2 = 32,
    /// Four 16-bit integers.
    Uint16x4 = 33,
    /// Two 32-bit integers.
    Uint32x2 = 34,
    /// Three 32-bit integers.
    Uint32x3 = 35,
    /// Four 32-bit integers.
    Uint32x4 = 36,
    /// One 8 bits for 0 to 1.
    Unorm8 = 37,
    /// Two times 8 bits for 0 to 1.
    Unorm8x2 = 38,
    /// Four times 8 bits for 0 to 1.
    Unorm8x4 = 39,
    /// Blue, green, red and alpha of 8 bits for 0 to 1.
    Unorm8x4Bgra = 40,
    /// One 16 bits for 0 to 1.
    Unorm16 = 41,
    /// Three times 10 and once 2 bits for 0 to 1 in a word, the first in its lowest bits.
    Unorm10_10_10_2 = 42,
    /// Two times 16 bits for 0 to 1.
    Unorm16x2 = 43,
    /// Four times 16 bits for 0 to 1.
    Unorm16x4 = 44,
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

macro_rules! formats {
    ($($format:ident $component:ident $count:literal,)*) => {
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
        }
    };
}

formats! {
    Float16 Float16 1,
    Float32 Float32 1,
    Float64 Float64 1,
    Float16x2 Float16 2,
    Float16x4 Float16 4,
    Float32x2 Float32 2,
    Float32x3 Float32 3,
    Float32x4 Float32 4,
    Float64x2 Float64 2,
    Float64x3 Float64 3,
    Float64x4 Float64 4,
    Sint8 Sint8 1,
    Sint8x2 Sint8 2,
    Sint8x4 Sint8 4,
    Sint16 Sint16 1,
    Sint32 Sint32 1,
    Sint16x2 Sint16 2,
    Sint16x4 Sint16 4,
    Sint32x2 Sint32 2,
    Sint32x3 Sint32 3,
    Sint32x4 Sint32 4,
    Snorm8 Snorm8 1,
    Snorm8x2 Snorm8 2,
    Snorm8x4 Snorm8 4,
    Snorm16 Snorm16 1,
    Snorm16x2 Snorm16 2,
    Snorm16x4 Snorm16 4,
    Uint8 Uint8 1,
    Uint8x2 Uint8 2,
    Uint8x4 Uint8 4,
    Uint16 Uint16 1,
    Uint32 Uint32 1,
    Uint16x2 Uint16 2,
    Uint16x4 Uint16 4,
    Uint32x2 Uint32 2,
    Uint32x3 Uint32 3,
    Uint32x4 Uint32 4,
    Unorm8 Unorm8 1,
    Unorm8x2 Unorm8 2,
    Unorm8x4 Unorm8 4,
    Unorm8x4Bgra Unorm8Bgra 4,
    Unorm16 Unorm16 1,
    Unorm10_10_10_2 Unorm10x3x2 4,
    Unorm16x2 Unorm16 2,
    Unorm16x4 Unorm16 4,
}

impl VertexFormat {
    /// Size of a value in bytes.
    pub const fn size(self) -> usize {
        match self.component() {
            Component::Unorm10x3x2 => 4,
            component => component.size() * self.components(),
        }
    }

    /// Values as floats, component by component, each value with [`components`](VertexFormat::components) of them.
    /// Bytes after the last whole value are ignored.
    ///
    /// 64-bit floats and 32-bit integers are rounded to the nearest float; everything else is exact or, where it is
    /// normalised, the nearest float to the fraction.
    ///
    /// ```
    /// use meshspec::iyma::VertexFormat;
    ///
    /// assert_eq!(VertexFormat::Unorm8x4Bgra.to_f32(&[255, 0, 51, 0]), [0.2, 0.0, 1.0, 0.0]);
    /// ```
    pub fn to_f32(self, bytes: &[u8]) -> Vec<f32> {
        let bytes = &bytes[..bytes.len() - bytes.len() % self.size()];
        match self.component() {
            Component::Float16 => {
                let bits: Vec<u16> = bulk::to_vec(bytes);
                let mut floats = vec![0.0; bits.len()];
                bits.reinterpret_cast::<f16>().convert_to_f32_slice(&mut floats);
                floats
            }
            Component::Float32 => bulk::to_vec(bytes),
            Component::Float64 => {
                let floats = bytes.chunks_exact(8).map(|chunk| {
                    let bits = chunk.iter().rev().fold(0, |bits: u64, byte| bits << 8 | u64::from(*byte));
                    f64::from_bits(bits) as f32
                });
                floats.collect()
            }
            Component::Sint8 => convert(bytes, |bits: u8| f32::from(bits as i8)),
            Component::Sint16 => convert(bytes, |bits: u16| f32::from(bits as i16)),
            Component::Sint32 => convert(bytes, |bits: u32| bits as i32 as f32),
            Component::Snorm8 => convert(bytes, |bits: u8| (f32::from(bits as i8) / 127.0).max(-1.0)),
            Component::Snorm16 => convert(bytes, |bits: u16| (f32::from(bits as i16) / 32767.0).max(-1.0)),
            Component::Uint8 => convert(bytes, |bits: u8| f32::from(bits)),
            Component::Uint16 => convert(bytes, |bits: u16| f32::from(bits)),
            Component::Uint32 => convert(bytes, |bits: u32| bits as f32),
            Component::Unorm8 => convert(bytes, |bits: u8| f32::from(bits) / 255.0),
            Component::Unorm16 => convert(bytes, |bits: u16| f32::from(bits) / 65535.0),
            Component::Unorm8Bgra => {
                let colors = bytes.chunks_exact(4);
                colors.flat_map(|c| [c[2], c[1], c[0], c[3]].map(|bits| f32::from(bits) / 255.0)).collect()
            }
            Component::Unorm10x3x2 => {
                let words = bulk::to_vec::<u32>(bytes);
                words.into_iter().flat_map(unpack_word).collect()
            }
        }
    }

    /// The bytes of values that are given component by component. Floats after the last whole value are ignored.
    ///
    /// Integers are rounded to the nearest one, halves away from zero, and limited to their range; normalised ones
    /// after scaling. NaN becomes 0 there.
    pub fn from_f32(self, values: &[f32]) -> Vec<u8> {
        let values = &values[..values.len() - values.len() % self.components()];
        let round = |x: f32, scale: f32, least: f32| (x.clamp(least, 1.0) * scale).round();
        match self.component() {
            Component::Float16 => collect(values, |x| f16::from_f32(x).to_bits().to_le_bytes()),
            Component::Float32 => bulk::as_bytes(values).into_owned(),
            Component::Float64 => collect(values, |x| f64::from(x).to_le_bytes()),
            Component::Sint8 => collect(values, |x| (x.round() as i8).to_le_bytes()),
            Component::Sint16 => collect(values, |x| (x.round() as i16).to_le_bytes()),
            Component::Sint32 => collect(values, |x| (x.round() as i32).to_le_bytes()),
            Component::Snorm8 => collect(values, |x| (round(x, 127.0, -1.0) as i8).to_le_bytes()),
            Component::Snorm16 => collect(values, |x| (round(x, 32767.0, -1.0) as i16).to_le_bytes()),
            Component::Uint8 => collect(values, |x| (x.round() as u8).to_le_bytes()),
            Component::Uint16 => collect(values, |x| (x.round() as u16).to_le_bytes()),
            Component::Uint32 => collect(values, |x| (x.round() as u32).to_le_bytes()),
            Component::Unorm8 => collect(values, |x| (round(x, 255.0, 0.0) as u8).to_le_bytes()),
            Component::Unorm16 => collect(values, |x| (round(x, 65535.0, 0.0) as u16).to_le_bytes()),
            Component::Unorm8Bgra => {
                let colors = values.chunks_exact(4);
                colors.flat_map(|c| [c[2], c[1], c[0], c[3]].map(|x| round(x, 255.0, 0.0) as u8)).collect()
            }
            Component::Unorm10x3x2 => {
                let words = values.chunks_exact(4).map(|value| {
                    let bits = WORD.iter().zip(value);
                    bits.fold(0, |word, ((shift, most), x)| word | (round(*x, *most, 0.0) as u32) << shift)
                });
                words.flat_map(u32::to_le_bytes).collect()
            }
        }
    }
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

impl IndexFormat {
    /// Size of an index in bytes.
    pub const fn size(self) -> usize {
        match self {
            IndexFormat::U16 => 2,
            IndexFormat::U32 => 4,
        }
    }
}

/// Shift and largest number of the parts of a word of 10, 10, 10 and 2 bits.
const WORD: [(u32, f32); 4] = [(0, 1023.0), (10, 1023.0), (20, 1023.0), (30, 3.0)];

fn unpack_word(word: u32) -> [f32; 4] {
    WORD.map(|(shift, most)| (word >> shift & most as u32) as f32 / most)
}

fn convert<T: Plain>(bytes: &[u8], to_f32: impl Fn(T) -> f32) -> Vec<f32> {
    let value = |bytes| {
        let mut value = [bytemuck::pod_read_unaligned(bytes)];
        T::swap_on_big_endian(&mut value);
        to_f32(value[0])
    };
    bytes.chunks_exact(size_of::<T>()).map(value).collect()
}

fn collect<const N: usize>(values: &[f32], to_bytes: impl Fn(f32) -> [u8; N]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(values.len() * N);
    values.iter().for_each(|x| bytes.extend_from_slice(&to_bytes(*x)));
    bytes
}
