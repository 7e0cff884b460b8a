//! Three numbers with a shared exponent: positions, translations, scales.

use binrw::binrw;
use meshspec_derive::Layout;
use modular_bitfield::prelude::*;

use crate::layout::BitRange;

/// Three signed fractions with one exponent, 32 bits: each is fraction · 2^(exponent − 22) (B3).
#[derive(Layout)]
#[layout(decoded = Triple::value)]
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
    /// The exponent of all three.
    pub exponent: B5,
}

impl Triple {
    /// The packed word.
    pub const fn word(self) -> u32 {
        u32::from_le_bytes(self.into_bytes())
    }

    /// The fractions of X, Y and Z, −256 to 255.
    pub const fn fractions(self) -> [i16; 3] {
        let word = self.word();
        [signed(Triple::FRAC_X, word), signed(Triple::FRAC_Y, word), signed(Triple::FRAC_Z, word)]
    }

    /// The three numbers. Exact in every case.
    pub fn value(self) -> [f32; 3] {
        let unit = unit(self.exponent());
        self.fractions().map(|fraction| f32::from(fraction) * unit)
    }
}

/// What a fraction of 1 is worth: 2^(exponent − 22).
pub(in super::super) fn unit(exponent: u8) -> f32 {
    f32::from_bits((u32::from(exponent) + 127 - 22) << 23)
}

const fn signed(bits: BitRange, word: u32) -> i16 {
    bits.signed_of(word as u128) as i16
}

impl From<u32> for Triple {
    fn from(word: u32) -> Triple {
        Triple::from_bytes(word.to_le_bytes())
    }
}
