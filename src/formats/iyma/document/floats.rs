//! Converts vertex buffers to and from 32-bit floats.
//!
//! Normalised integers follow the GPU rules: unsigned n-bit integers are divided by 2ⁿ − 1, signed n-bit integers by
//! 2ⁿ⁻¹ − 1. The most negative integer is clamped to −1.

use half::f16;
use half::slice::{HalfBitsSliceExt, HalfFloatSliceExt};

use super::super::schema::{Component, UNORM10X3X2, VertexFormat};
use crate::bulk::{self, PlainData};
use crate::layout::declaration::BitRange;

impl VertexFormat {
    /// Converts values to floats, [`components`](VertexFormat::components) floats per value. Ignores bytes after the
    /// last whole value.
    ///
    /// 64-bit floats, 32-bit and normalised integers are rounded to the nearest 32-bit float. Other values are exact.
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
                bits.reinterpret_cast::<f16>()
                    .convert_to_f32_slice(&mut floats);
                floats
            }
            Component::Float32 => bulk::to_vec(bytes),
            Component::Float64 => bytes
                .as_chunks()
                .0
                .iter()
                .map(|x| f64::from_le_bytes(*x) as f32)
                .collect(),
            Component::Sint8 => decode_each(bytes, |bits: u8| f32::from(bits as i8)),
            Component::Sint16 => decode_each(bytes, |bits: u16| f32::from(bits as i16)),
            Component::Sint32 => decode_each(bytes, |bits: u32| bits as i32 as f32),
            Component::Snorm8 => {
                decode_each(bytes, |bits: u8| (f32::from(bits as i8) / 127.0).max(-1.0))
            }
            Component::Snorm16 => {
                decode_each(bytes, |bits: u16| (bits as i16 as f32 / 32767.0).max(-1.0))
            }
            Component::Uint8 => decode_each(bytes, |bits: u8| f32::from(bits)),
            Component::Uint16 => decode_each(bytes, |bits: u16| f32::from(bits)),
            Component::Uint32 => decode_each(bytes, |bits: u32| bits as f32),
            Component::Unorm8 => decode_each(bytes, |bits: u8| f32::from(bits) / 255.0),
            Component::Unorm16 => decode_each(bytes, |bits: u16| f32::from(bits) / 65535.0),
            Component::Unorm8Bgra => {
                let colors = bytes.chunks_exact(4);
                colors
                    .flat_map(|c| [c[2], c[1], c[0], c[3]].map(|bits| f32::from(bits) / 255.0))
                    .collect()
            }
            Component::Unorm10x3x2 => bulk::to_vec(bytes)
                .into_iter()
                .flat_map(unpack_unorm)
                .collect(),
        }
    }

    /// Encodes values from floats, component by component. Ignores floats after the last whole value.
    ///
    /// In integer formats, floats are rounded to the nearest integer, ties away from zero, and clamped to the range of
    /// the format; NaN becomes 0. Normalised values are scaled first.
    pub fn from_f32(self, values: &[f32]) -> Vec<u8> {
        let values = &values[..values.len() - values.len() % self.components()];
        let round = |x: f32, scale: f32, min: f32| (x.clamp(min, 1.0) * scale).round();
        match self.component() {
            Component::Float16 => encode_each(values, |x| f16::from_f32(x).to_bits().to_le_bytes()),
            Component::Float32 => bulk::as_bytes(values).into_owned(),
            Component::Float64 => encode_each(values, |x| f64::from(x).to_le_bytes()),
            Component::Sint8 => encode_each(values, |x| (x.round() as i8).to_le_bytes()),
            Component::Sint16 => encode_each(values, |x| (x.round() as i16).to_le_bytes()),
            Component::Sint32 => encode_each(values, |x| (x.round() as i32).to_le_bytes()),
            Component::Snorm8 => {
                encode_each(values, |x| (round(x, 127.0, -1.0) as i8).to_le_bytes())
            }
            Component::Snorm16 => {
                encode_each(values, |x| (round(x, 32767.0, -1.0) as i16).to_le_bytes())
            }
            Component::Uint8 => encode_each(values, |x| (x.round() as u8).to_le_bytes()),
            Component::Uint16 => encode_each(values, |x| (x.round() as u16).to_le_bytes()),
            Component::Uint32 => encode_each(values, |x| (x.round() as u32).to_le_bytes()),
            Component::Unorm8 => {
                encode_each(values, |x| (round(x, 255.0, 0.0) as u8).to_le_bytes())
            }
            Component::Unorm16 => {
                encode_each(values, |x| (round(x, 65535.0, 0.0) as u16).to_le_bytes())
            }
            Component::Unorm8Bgra => {
                let colors = values.chunks_exact(4);
                colors
                    .flat_map(|c| [c[2], c[1], c[0], c[3]].map(|x| round(x, 255.0, 0.0) as u8))
                    .collect()
            }
            Component::Unorm10x3x2 => {
                let words = values.chunks_exact(4).map(|value| {
                    UNORM10X3X2.iter().zip(value).fold(0, |word, (bits, x)| {
                        word | (round(*x, max_value(*bits), 0.0) as u32) << bits.offset
                    })
                });
                words.flat_map(u32::to_le_bytes).collect()
            }
        }
    }
}

/// Returns the largest number in a bit range.
const fn max_value(bits: BitRange) -> f32 {
    bits.extract_u64(u64::MAX) as f32
}

/// Unpacks an `Unorm10x3x2` word to its components.
fn unpack_unorm(word: u32) -> [f32; 4] {
    UNORM10X3X2.map(|bits| bits.extract_u64(word.into()) as u32 as f32 / max_value(bits))
}

/// Converts little-endian numbers of type `T` to floats.
fn decode_each<T: PlainData>(bytes: &[u8], to_f32: impl Fn(T) -> f32) -> Vec<f32> {
    bytes
        .chunks_exact(size_of::<T>())
        .map(|bytes| to_f32(bulk::to_value(bytes)))
        .collect()
}

fn encode_each<const N: usize>(values: &[f32], to_bytes: impl Fn(f32) -> [u8; N]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(values.len() * N);
    values
        .iter()
        .for_each(|x| bytes.extend_from_slice(&to_bytes(*x)));
    bytes
}
