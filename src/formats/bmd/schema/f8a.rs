//! The 8-bit float F8A, normals of three F8A, and rotations of four.

use binrw::binrw;
use meshspec_derive::Layout;
use modular_bitfield::prelude::*;

use super::super::bits::{extract_bits, to_word};

/// An 8-bit float: sign, 3 exponent bits, 4 fraction bits (B2).
#[derive(Layout)]
#[layout(decoded = F8A::value, formula = F8A::FORMULA)]
#[bitfield(bits = 8)]
#[binrw]
#[br(map = Self::from_bytes)]
#[bw(map = |value: &Self| value.into_bytes())]
#[derive(Specifier, Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct F8A {
    /// Fraction below an implicit leading one.
    pub fraction: B4,
    /// Exponent: the value of the leading one is 2^(exponent − 7).
    pub exponent: B3,
    /// Set for negative values.
    pub negative: bool,
}

/// Three F8A: a vector, not normalised.
#[derive(Layout)]
#[layout(decoded = Normal::value, formula = "[x, y, z], each decoded as F8A")]
#[bitfield(bits = 24)]
#[derive(Specifier, Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Normal {
    /// X.
    #[layout(decoded = F8A::value, formula = F8A::FORMULA)]
    pub x: F8A,
    /// Y.
    #[layout(decoded = F8A::value, formula = F8A::FORMULA)]
    pub y: F8A,
    /// Z.
    #[layout(decoded = F8A::value, formula = F8A::FORMULA)]
    pub z: F8A,
}

/// Four F8A: a quaternion, normalised by the reader (B19).
#[derive(Layout)]
#[layout(
    decoded = Rotation::value,
    formula = "[i, j, k, r], each decoded as F8A, divided by their length; [0, 0, 0, 1] if that is 0"
)]
#[bitfield(bits = 32)]
#[binrw]
#[br(map = Self::from_bytes)]
#[bw(map = |value: &Self| value.into_bytes())]
#[derive(Specifier, Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rotation {
    /// I.
    #[layout(decoded = F8A::value, formula = F8A::FORMULA)]
    pub i: F8A,
    /// J.
    #[layout(decoded = F8A::value, formula = F8A::FORMULA)]
    pub j: F8A,
    /// K.
    #[layout(decoded = F8A::value, formula = F8A::FORMULA)]
    pub k: F8A,
    /// R, the real part.
    #[layout(decoded = F8A::value, formula = F8A::FORMULA)]
    pub r: F8A,
}

impl F8A {
    /// The code of 1.0.
    pub const ONE: F8A = F8A::from_bytes([0x70]);

    /// The code.
    pub const fn code(self) -> u8 {
        let [code] = self.into_bytes();
        code
    }

    /// The formula of [`value`](F8A::value), where `x` is the code.
    pub const FORMULA: &str =
        "(x & 127) == 0 ? 0.0 : ldexp(16 + (x & 15), (int)(x >> 4 & 7) - 11) * (x & 128 ? -1 : 1)";

    /// The value, −1.9375 to 1.9375 (B2). Exact: zero, or 16 to 31 times a power of two.
    pub const fn value(self) -> f32 {
        VALUES[self.code() as usize]
    }
}

impl From<u8> for F8A {
    fn from(code: u8) -> F8A {
        F8A::from_bytes([code])
    }
}

/// The values of all codes.
const VALUES: &[f32; 256] = &{
    let mut values = [0.0; 256];
    let mut code = 0;
    while code < 256 {
        values[code] = value_of(code as u8);
        code += 1;
    }
    values
};

const fn value_of(code: u8) -> f32 {
    // Negative zero decodes to positive zero.
    if code & 0x7f == 0 {
        return 0.0;
    }
    let byte = code as u128;
    let significand = 16 + F8A::FRACTION.extract(byte) as u32;
    // At exponent 0, the significand counts units of 2^-11.
    let magnitude = significand as f32 * (1u32 << F8A::EXPONENT.extract(byte)) as f32 / 2048.0;
    if F8A::NEGATIVE.extract(byte) != 0 {
        -magnitude
    } else {
        magnitude
    }
}

impl Normal {
    /// The vector (X, Y, Z), not normalised.
    pub fn value(self) -> [f32; 3] {
        Normal::decode(to_word(self.into_bytes()))
    }

    /// Decodes the vector in a packed word.
    #[inline(always)]
    pub(in super::super) fn decode(word: u32) -> [f32; 3] {
        let f8a = |code: u32| VALUES[code as u8 as usize];
        [
            f8a(extract_bits(Normal::X, &[word])),
            f8a(extract_bits(Normal::Y, &[word])),
            f8a(extract_bits(Normal::Z, &[word])),
        ]
    }
}

impl Rotation {
    /// The code that the writer uses for no rotation.
    pub const IDENTITY: Rotation = Rotation::from_bytes([0, 0, 0, 0x70]);

    /// The packed word.
    pub const fn word(self) -> u32 {
        u32::from_le_bytes(self.into_bytes())
    }

    /// The stored quaternion (I, J, K, R), not normalised.
    pub fn components(self) -> [f32; 4] {
        [
            self.i().value(),
            self.j().value(),
            self.k().value(),
            self.r().value(),
        ]
    }

    /// The unit quaternion (I, J, K, R); the identity if the length is 0.
    pub fn value(self) -> [f32; 4] {
        let components = self.components().map(f64::from);
        let length = components.iter().map(|c| c * c).sum::<f64>().sqrt();
        if length == 0.0 {
            [0.0, 0.0, 0.0, 1.0]
        } else {
            components.map(|c| (c / length) as f32)
        }
    }
}

impl From<u32> for Rotation {
    fn from(word: u32) -> Rotation {
        Rotation::from_bytes(word.to_le_bytes())
    }
}
