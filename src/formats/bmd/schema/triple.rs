//! Three numbers with a shared exponent: positions, translations, scales.

use binrw::binrw;
use meshspec_derive::Layout;
use modular_bitfield::prelude::*;

use super::super::bits::{extract_bits, extract_signed};

/// Three signed fractions with a shared exponent, 32 bits. The values are fraction · 2^(exponent − 22) (B3).
#[derive(Layout)]
#[layout(
    decoded = Triple::value,
    formula = "[ldexp(frac_x, exponent - 22), ldexp(frac_y, exponent - 22), ldexp(frac_z, exponent - 22)]"
)]
#[bitfield(bits = 32)]
#[binrw]
#[br(map = Self::from_bytes)]
#[bw(map = |value: &Self| value.into_bytes())]
#[derive(Specifier, Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Triple {
    /// Fraction of X.
    #[layout(signed)]
    pub frac_x: B9,
    /// Fraction of Y.
    #[layout(signed)]
    pub frac_y: B9,
    /// Fraction of Z.
    #[layout(signed)]
    pub frac_z: B9,
    /// The shared exponent.
    pub exponent: B5,
}

impl Triple {
    /// Returns the packed word.
    pub const fn word(self) -> u32 {
        u32::from_le_bytes(self.into_bytes())
    }

    /// The fractions of X, Y and Z, −256 to 255.
    pub const fn fractions(self) -> [i16; 3] {
        let [x, y, z] = Triple::fractions_of(self.word());
        [x as i16, y as i16, z as i16]
    }

    /// Returns the fractions in a packed word.
    #[inline(always)]
    pub(in super::super) const fn fractions_of(word: u32) -> [i32; 3] {
        [
            extract_signed(Triple::FRAC_X, word),
            extract_signed(Triple::FRAC_Y, word),
            extract_signed(Triple::FRAC_Z, word),
        ]
    }

    /// Decodes the three numbers exactly.
    pub fn value(self) -> [f32; 3] {
        Triple::decode(self.word())
    }

    /// Decodes the three numbers in a packed word.
    #[inline(always)]
    pub(in super::super) fn decode(word: u32) -> [f32; 3] {
        let unit = fraction_unit(extract_bits(Triple::EXPONENT, &[word]) as u8);
        let [x, y, z] = Triple::fractions_of(word);
        [x as f32 * unit, y as f32 * unit, z as f32 * unit]
    }
}

/// Returns the value of the fraction 1 at an exponent: 2^(exponent − 22).
pub(in super::super) fn fraction_unit(exponent: u8) -> f32 {
    f32::from_bits((u32::from(exponent) + 127 - 22) << 23)
}

impl From<u32> for Triple {
    fn from(word: u32) -> Triple {
        Triple::from_bytes(word.to_le_bytes())
    }
}
