//! Packed vertices of 64, 96 or 128 bits, distinguished by the tag in bits 63:56 (B8).

use binrw::binread;
use meshspec_derive::Layout;
use modular_bitfield::prelude::*;

use super::super::bits::{extract_bits, power_of_two, to_word};
use super::f8a::Normal;
use super::forms::{Form, FormRow, ItemTag, WordVisitor, declare_forms, single_tag, to_words};
use super::rules;
use super::surface::Surface;
use super::triple::Triple;
use crate::layout::decoding::{BINARY16, binary16};

/// Vertices in any mix of sizes, up to the end of their bytes.
#[derive(Layout)]
#[br(import(subtype: u8, flat: bool))]
pub struct VertexList {
    /// The vertices.
    #[br(args { inner: (subtype, flat) })]
    pub vertices: Vec<VertexItem>,
}

// The vertex forms: field, name in paths and JSON, variant, word, fixed tag if any, condition, allowed flags.
declare_forms! {
    /// A vertex in the form that its tag selects.
    VertexItem(first: VertexTag, subtype: u8, flat: bool);
    /// A vertex in any of its forms.
    PackedVertex in "vertices", VertexKind;
    /// 64 bits, if the material is a texture.
    textured_64 "textured_64" Textured64(TexturedVertex64) if(first.tag() < VertexTag::BITS_96 && !flat)
        allowed(subtype <= 1);
    /// 64 bits, if the material is a flat colour.
    flat_64 "flat_64" Flat64(FlatVertex64) if(first.tag() < VertexTag::BITS_96 && flat)
        allowed(subtype <= 1);
    /// 96 bits, with an even tag.
    fine_96 "fine_96" Fine96(FineVertex96)
        if(first.tag() >= VertexTag::BITS_96 && first.tag() < VertexTag::BITS_128 && first.tag() % 2 == 0)
        allowed(subtype == 1 || subtype == 3);
    /// 96 bits, with an odd tag.
    scaled_96 "scaled_96" Scaled96(ScaledVertex96)
        if(first.tag() >= VertexTag::BITS_96 && first.tag() < VertexTag::BITS_128 && first.tag() % 2 == 1)
        allowed(subtype == 1 || subtype == 3);
    /// 128 bits with tag FD. FC, FE and FF are reserved; lenient mode reads them like FD (B8).
    vertex_128 "vertex_128" Vertex128(Vertex128) = (VertexTag::VERTEX_128) if(first.tag() >= VertexTag::BITS_128)
        allowed(subtype == 1 || subtype == 2);
}

/// The first word of any vertex.
#[derive(Layout)]
#[bitfield(bits = 64)]
#[binread]
#[br(map = Self::from_bytes)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VertexTag {
    /// The remaining bits; their meaning depends on the form.
    #[layout(reserved)]
    pub content: B56,
    /// The bone of a 64-bit vertex if below F0, otherwise the form.
    pub tag: u8,
}

impl VertexTag {
    /// The first tag of 96-bit vertices; lower values are the bones of 64-bit vertices (B9).
    pub const BITS_96: u8 = 0xF0;
    /// 96 bits with a colour: this even tag and the odd tag after it (B10).
    pub const COLOR_96: u8 = 0xF8;
    /// 96 bits with a bone: this even tag and the odd tag after it (B10).
    pub const BONE_96: u8 = 0xFA;
    /// The first tag of 128-bit vertices (B8).
    pub const BITS_128: u8 = 0xFC;
    /// The only unreserved tag of 128-bit vertices.
    pub const VERTEX_128: u8 = 0xFD;
}

/// Texture coordinates with a shared exponent: (fraction / 1024 − 0.5) · 4^exponent (B4).
#[derive(Layout)]
#[layout(
    decoded = ScaledSt::value,
    formula = "[ldexp(frac_s / 1024.0 - 0.5, 2 * exponent), ldexp(frac_t / 1024.0 - 0.5, 2 * exponent)]"
)]
#[bitfield(bits = 24)]
#[derive(Specifier, Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ScaledSt {
    /// Fraction of S.
    pub frac_s: B11,
    /// Fraction of T.
    pub frac_t: B11,
    /// The shared exponent.
    pub exponent: B2,
}

/// Texture coordinates of a fixed range: fraction / 2048 − 0.5 (B5).
#[derive(Layout)]
#[layout(decoded = FineSt::value, formula = "[frac_s / 2048.0 - 0.5, frac_t / 2048.0 - 0.5]")]
#[bitfield(bits = 24)]
#[derive(Specifier, Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FineSt {
    /// Fraction of S.
    pub frac_s: B12,
    /// Fraction of T.
    pub frac_t: B12,
}

/// Q2.12 texture coordinates with a shared exponent: (fraction / 4096 − 2) · 2^exponent (B6).
#[derive(Layout)]
#[layout(
    decoded = WideSt::value,
    formula = "[ldexp(frac_s / 4096.0 - 2.0, exponent), ldexp(frac_t / 4096.0 - 2.0, exponent)]"
)]
#[bitfield(bits = 32)]
#[derive(Specifier, Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WideSt {
    /// Fraction of S.
    pub frac_s: B14,
    /// Fraction of T.
    pub frac_t: B14,
    /// The shared exponent.
    pub exponent: B4,
}

/// The 64-bit form for textured surfaces: no normal.
#[derive(Layout)]
#[bitfield(bits = 64)]
#[binread]
#[br(map = Self::from_bytes)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TexturedVertex64 {
    /// Position in bone space.
    #[layout(declared, unit = "m")]
    pub position: Triple,
    /// Texture coordinate.
    #[layout(declared)]
    pub st: ScaledSt,
    /// Bone, below F0 (B9); bone 0 is the model itself.
    #[layout(
        index_into = bones, none = 0, rule = rules::VERTEX_BONE,
        message = "bone {found} is not below the bone count {limit}"
    )]
    pub bone: u8,
}

/// The 64-bit form for surfaces of a flat colour: no texture coordinate.
#[derive(Layout)]
#[bitfield(bits = 64)]
#[binread]
#[br(map = Self::from_bytes)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FlatVertex64 {
    /// Position in bone space.
    #[layout(declared, unit = "m")]
    pub position: Triple,
    /// Normal.
    #[layout(declared)]
    pub normal: Normal,
    /// Bone, below F0 (B9); bone 0 is the model itself.
    #[layout(
        index_into = bones, none = 0, rule = rules::VERTEX_BONE,
        message = "bone {found} is not below the bone count {limit}"
    )]
    pub bone: u8,
}

/// The 96-bit form with an even tag: fine texture coordinates (B5).
#[derive(Layout)]
#[bitfield(bits = 96)]
#[binread]
#[br(map = Self::from_bytes)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FineVertex96 {
    /// Position in bone space.
    #[layout(declared, unit = "m")]
    pub position: Triple,
    /// Texture coordinate.
    #[layout(declared)]
    pub st: FineSt,
    /// F8 or FA; F0, F2, F4 and F6 are not defined.
    #[layout(
        one_of(0xF8, 0xFA), rule = rules::VERTEX_UNDEFINED,
        message = "the last byte is undefined for the tag {found:#x}"
    )]
    pub tag: u8,
    /// Normal.
    #[layout(declared)]
    pub normal: Normal,
    /// Colour/shade for tag F8, bone for tag FA (B10).
    #[layout(
        index_into = bones, none = 0, if(tag == 0xFA), rule = rules::VERTEX_BONE,
        message = "bone {found} is not below the bone count {limit}"
    )]
    pub color_or_bone: u8,
}

/// The 96-bit form with an odd tag: texture coordinates with a shared exponent (B4).
#[derive(Layout)]
#[bitfield(bits = 96)]
#[binread]
#[br(map = Self::from_bytes)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScaledVertex96 {
    /// Position in bone space.
    #[layout(declared, unit = "m")]
    pub position: Triple,
    /// Texture coordinate.
    #[layout(declared)]
    pub st: ScaledSt,
    /// F9 or FB; F1, F3, F5 and F7 are not defined.
    #[layout(
        one_of(0xF9, 0xFB), rule = rules::VERTEX_UNDEFINED,
        message = "the last byte is undefined for the tag {found:#x}"
    )]
    pub tag: u8,
    /// Normal.
    #[layout(declared)]
    pub normal: Normal,
    /// Colour/shade for tag F9, bone for tag FB (B10).
    #[layout(
        index_into = bones, none = 0, if(tag == 0xFB), rule = rules::VERTEX_BONE,
        message = "bone {found} is not below the bone count {limit}"
    )]
    pub color_or_bone: u8,
}

/// The 128-bit form.
#[derive(Layout)]
#[bitfield(bits = 128)]
#[binread]
#[br(map = Self::from_bytes)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Vertex128 {
    /// X in bone space, as binary16 (B7).
    #[layout(decoded = binary16, formula = BINARY16, unit = "m")]
    #[layout(
        holds(org_x & 0x7C00 != 0x7C00), rule = rules::NON_FINITE, message = "binary16 {found:#x} is not finite"
    )]
    pub org_x: u16,
    /// Y, as binary16.
    #[layout(decoded = binary16, formula = BINARY16, unit = "m")]
    #[layout(
        holds(org_y & 0x7C00 != 0x7C00), rule = rules::NON_FINITE, message = "binary16 {found:#x} is not finite"
    )]
    pub org_y: u16,
    /// Z, as binary16.
    #[layout(decoded = binary16, formula = BINARY16, unit = "m")]
    #[layout(
        holds(org_z & 0x7C00 != 0x7C00), rule = rules::NON_FINITE, message = "binary16 {found:#x} is not finite"
    )]
    pub org_z: u16,
    /// Colour/shade.
    pub color: u8,
    /// FD; other values are reserved.
    #[layout(one_of(0xFD), rule = rules::VERTEX_TAG, message = "the tag {found:#x} is reserved")]
    pub tag: u8,
    /// Texture coordinate.
    #[layout(declared)]
    pub st: WideSt,
    /// Normal.
    #[layout(declared)]
    pub normal: Normal,
    /// Bone; bone 0 is the model itself.
    #[layout(
        index_into = bones, none = 0, rule = rules::VERTEX_BONE,
        message = "bone {found} is not below the bone count {limit}"
    )]
    pub bone: u8,
}

impl ScaledSt {
    /// Decodes (S, T) exactly: −0.5 to 1.5 at exponent 0, −32 to 96 at exponent 3.
    pub fn value(self) -> [f32; 2] {
        ScaledSt::decode(to_word(self.into_bytes()))
    }

    /// Decodes the coordinates (S, T) in a packed word.
    #[inline(always)]
    pub(in super::super) fn decode(word: u32) -> [f32; 2] {
        let scale = power_of_two(2 * extract_bits(ScaledSt::EXPONENT, &[word]));
        let [s, t] = [
            extract_bits(ScaledSt::FRAC_S, &[word]),
            extract_bits(ScaledSt::FRAC_T, &[word]),
        ];
        [
            (s as f32 / 1024.0 - 0.5) * scale,
            (t as f32 / 1024.0 - 0.5) * scale,
        ]
    }
}

impl FineSt {
    /// Decodes (S, T) exactly: −0.5 to 1.5.
    pub fn value(self) -> [f32; 2] {
        FineSt::decode(to_word(self.into_bytes()))
    }

    /// Decodes the coordinates (S, T) in a packed word.
    #[inline(always)]
    pub(in super::super) fn decode(word: u32) -> [f32; 2] {
        let [s, t] = [
            extract_bits(FineSt::FRAC_S, &[word]),
            extract_bits(FineSt::FRAC_T, &[word]),
        ];
        [s as f32 / 2048.0 - 0.5, t as f32 / 2048.0 - 0.5]
    }
}

impl WideSt {
    /// Decodes (S, T) exactly: −2 to 2 at exponent 0, −65,536 to 65,536 at exponent 15.
    pub fn value(self) -> [f32; 2] {
        WideSt::decode(to_word(self.into_bytes()))
    }

    /// Decodes the coordinates (S, T) in a packed word.
    #[inline(always)]
    pub(in super::super) fn decode(word: u32) -> [f32; 2] {
        let scale = power_of_two(extract_bits(WideSt::EXPONENT, &[word]));
        let [s, t] = [
            extract_bits(WideSt::FRAC_S, &[word]),
            extract_bits(WideSt::FRAC_T, &[word]),
        ];
        [
            (s as f32 / 4096.0 - 2.0) * scale,
            (t as f32 / 4096.0 - 2.0) * scale,
        ]
    }
}
