//! Vertices in bulk: from packed words to one column per attribute, as graphics APIs take them.
//!
//! The getters of the declared words decode one vertex; this decodes many. The places of the bits come from the
//! declaration; a test compares both bit by bit.

use super::super::document::{Surface, Vertices, direction, shade_color, tag_of, words_of};
use super::super::schema::triple::unit;
use super::super::schema::{
    F8A, FineSt, FineVertex96, FlatVertex64, Normal, ScaledSt, ScaledVertex96, TexturedVertex64, Triple,
    Vertex128, WideSt,
};
use crate::layout::BitRange;

/// The decoded vertices of a mesh, one list per attribute.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct VertexColumns {
    /// Positions (X, Y, Z), each in the space of its bone.
    pub positions: Vec<[f32; 3]>,
    /// Texture coordinates (S, T); 0 where a flat colour leaves them out.
    pub st: Vec<[f32; 2]>,
    /// Normals (X, Y, Z) as they are stored, not normalised. Where the form has none, the direction of the position.
    pub normals: Vec<[f32; 3]>,
    /// Colours (red, green, blue, alpha), relative to that of the material; white where the form has none. Alpha is
    /// always 255. The shade bytes are in [`Vertices::iter`].
    pub colors: Vec<[u8; 4]>,
    /// Bones; 0 is the base.
    pub bones: Vec<u8>,
}

impl Vertices {
    /// What the vertices mean on such a surface, as [`iter`](Vertices::iter) has it, in bulk.
    pub fn columns(&self, surface: Surface) -> VertexColumns {
        let mut columns = VertexColumns::with_capacity(self.len());
        let mut rest = self.words();
        while let Some(second) = rest.get(1) {
            let taken = match (words_of(tag_of(*second)), surface) {
                (2, Surface::Textured) => columns.extend::<2, Textured>(rest),
                (2, Surface::Flat) => columns.extend::<2, Flat>(rest),
                (3, _) => columns.extend::<3, Middle>(rest),
                _ => columns.extend::<4, Wide>(rest),
            };
            rest = &rest[taken..];
        }
        columns
    }
}

impl VertexColumns {
    fn with_capacity(len: usize) -> VertexColumns {
        VertexColumns {
            positions: Vec::with_capacity(len),
            st: Vec::with_capacity(len),
            normals: Vec::with_capacity(len),
            colors: Vec::with_capacity(len),
            bones: Vec::with_capacity(len),
        }
    }

    /// Adds the first vertices of these words, which have `N` words. Returns how many words that are.
    #[inline(always)]
    fn extend<const N: usize, F: Form<N>>(&mut self, words: &[u32]) -> usize {
        let run = run_of::<N>(words, |vertex| words_of(tag_of(vertex[1])) == N);
        match run {
            [vertex] => self.push::<N, F>(vertex),
            run => self.extend_run::<N, F>(run),
        }
        run.len() * N
    }

    #[inline(always)]
    fn push<const N: usize, F: Form<N>>(&mut self, vertex: &[u32; N]) {
        self.positions.push(F::position(vertex));
        self.st.push(F::st(vertex));
        self.normals.push(F::normal(vertex));
        self.colors.push(F::color(vertex));
        self.bones.push(F::bone(vertex));
    }

    #[inline(never)]
    fn extend_run<const N: usize, F: Form<N>>(&mut self, vertices: &[[u32; N]]) {
        self.positions.extend(vertices.iter().map(F::position));
        self.st.extend(vertices.iter().map(F::st));
        self.normals.extend(vertices.iter().map(F::normal));
        self.colors.extend(vertices.iter().map(F::color));
        self.bones.extend(vertices.iter().map(F::bone));
    }
}

/// A form of vertex, of `N` words.
trait Form<const N: usize> {
    fn position(vertex: &[u32; N]) -> [f32; 3];
    fn st(vertex: &[u32; N]) -> [f32; 2];
    fn normal(vertex: &[u32; N]) -> [f32; 3];
    fn color(vertex: &[u32; N]) -> [u8; 4];
    fn bone(vertex: &[u32; N]) -> u8;
}

struct Textured;
struct Flat;
struct Middle;
struct Wide;

const WHITE: [u8; 4] = [255; 4];

impl Form<2> for Textured {
    #[inline(always)]
    fn position(vertex: &[u32; 2]) -> [f32; 3] {
        triple(bits(TexturedVertex64::POSITION, vertex))
    }

    #[inline(always)]
    fn st(vertex: &[u32; 2]) -> [f32; 2] {
        scaled_st(bits(TexturedVertex64::ST, vertex))
    }

    #[inline(always)]
    fn normal(vertex: &[u32; 2]) -> [f32; 3] {
        let [x, y, z] = fractions(bits(TexturedVertex64::POSITION, vertex));
        direction([x as f32, y as f32, z as f32])
    }

    #[inline(always)]
    fn color(_: &[u32; 2]) -> [u8; 4] {
        WHITE
    }

    #[inline(always)]
    fn bone(vertex: &[u32; 2]) -> u8 {
        bits(TexturedVertex64::BONE, vertex) as u8
    }
}

impl Form<2> for Flat {
    #[inline(always)]
    fn position(vertex: &[u32; 2]) -> [f32; 3] {
        triple(bits(FlatVertex64::POSITION, vertex))
    }

    #[inline(always)]
    fn st(_: &[u32; 2]) -> [f32; 2] {
        [0.0; 2]
    }

    #[inline(always)]
    fn normal(vertex: &[u32; 2]) -> [f32; 3] {
        normal(bits(FlatVertex64::NORMAL, vertex))
    }

    #[inline(always)]
    fn color(_: &[u32; 2]) -> [u8; 4] {
        WHITE
    }

    #[inline(always)]
    fn bone(vertex: &[u32; 2]) -> u8 {
        bits(FlatVertex64::BONE, vertex) as u8
    }
}

impl Form<3> for Middle {
    #[inline(always)]
    fn position(vertex: &[u32; 3]) -> [f32; 3] {
        triple(bits(FineVertex96::POSITION, vertex))
    }

    #[inline(always)]
    fn st(vertex: &[u32; 3]) -> [f32; 2] {
        let fine = fine_st(bits(FineVertex96::ST, vertex));
        let scaled = scaled_st(bits(ScaledVertex96::ST, vertex));
        if bits(FineVertex96::TAG, vertex) & 1 == 0 { fine } else { scaled }
    }

    #[inline(always)]
    fn normal(vertex: &[u32; 3]) -> [f32; 3] {
        normal(bits(FineVertex96::NORMAL, vertex))
    }

    #[inline(always)]
    fn color(vertex: &[u32; 3]) -> [u8; 4] {
        let is_bone = u32::from(bits(FineVertex96::TAG, vertex) & !1 != 0xF8);
        // Looked up in any case: nobody could predict a branch.
        COLORS[(is_bone << 8 | bits(FineVertex96::COLOR_OR_BONE, vertex)) as usize % COLORS.len()]
    }

    #[inline(always)]
    fn bone(vertex: &[u32; 3]) -> u8 {
        let bone = bits(FineVertex96::COLOR_OR_BONE, vertex) as u8;
        if bits(FineVertex96::TAG, vertex) & !1 == 0xFA { bone } else { 0 }
    }
}

impl Form<4> for Wide {
    #[inline(always)]
    fn position(vertex: &[u32; 4]) -> [f32; 3] {
        let x = f16_value(bits(Vertex128::ORG_X, vertex));
        let y = f16_value(bits(Vertex128::ORG_Y, vertex));
        [x, y, f16_value(bits(Vertex128::ORG_Z, vertex))]
    }

    #[inline(always)]
    fn st(vertex: &[u32; 4]) -> [f32; 2] {
        wide_st(bits(Vertex128::ST, vertex))
    }

    #[inline(always)]
    fn normal(vertex: &[u32; 4]) -> [f32; 3] {
        normal(bits(Vertex128::NORMAL, vertex))
    }

    #[inline(always)]
    fn color(vertex: &[u32; 4]) -> [u8; 4] {
        COLORS[bits(Vertex128::COLOR, vertex) as u8 as usize]
    }

    #[inline(always)]
    fn bone(vertex: &[u32; 4]) -> u8 {
        bits(Vertex128::BONE, vertex) as u8
    }
}

/// The first items of a list that are alike, a block at most: few enough for their words to stay in the fastest cache
/// while one column after the other is decoded. In a mixed list it is the first one alone.
#[inline(always)]
pub(super) fn run_of<const N: usize>(words: &[u32], is_alike: impl Fn(&[u32; N]) -> bool) -> &[[u32; N]] {
    const BLOCK: usize = 512;
    let (items, _) = words.as_chunks::<N>();
    match items {
        // A sample, all at once: a branch for each item could not be predicted in a mixed list.
        [_, a, _, b, _, _, _, c, ..] if is_alike(a) & is_alike(b) & is_alike(c) => {
            let block = &items[..items.len().min(BLOCK)];
            &block[..block.iter().position(|item| !is_alike(item)).unwrap_or(block.len())]
        }
        _ => &items[..items.len().min(1)],
    }
}

/// The bits of a range, 32 at most, in a list of little-endian words. Inlines to a shift and a mask.
#[inline(always)]
pub(super) fn bits<const N: usize>(range: BitRange, words: &[u32; N]) -> u32 {
    let (at, shift) = ((range.offset / 32) as usize, range.offset % 32);
    let low = u64::from(words[at]);
    let high = if shift + range.width > 32 { u64::from(words[at + 1]) << 32 } else { 0 };
    BitRange { offset: shift, width: range.width }.of_u64(high | low) as u32
}

/// The bits of a range of a word, the highest of them a sign.
#[inline(always)]
fn signed(range: BitRange, word: u32) -> i32 {
    (word << (32 - range.offset - range.width)) as i32 >> (32 - range.width)
}

#[inline(always)]
fn fractions(word: u32) -> [i32; 3] {
    [signed(Triple::FRAC_X, word), signed(Triple::FRAC_Y, word), signed(Triple::FRAC_Z, word)]
}

#[inline(always)]
fn triple(word: u32) -> [f32; 3] {
    let unit = unit(bits(Triple::EXPONENT, &[word]) as u8);
    let [x, y, z] = fractions(word);
    [x as f32 * unit, y as f32 * unit, z as f32 * unit]
}

#[inline(always)]
fn f8a(code: u32) -> f32 {
    F8A_VALUES[code as u8 as usize]
}

#[inline(always)]
fn normal(word: u32) -> [f32; 3] {
    [f8a(bits(Normal::X, &[word])), f8a(bits(Normal::Y, &[word])), f8a(bits(Normal::Z, &[word]))]
}

/// 2^exponent, for exponents up to 127.
#[inline(always)]
pub(super) fn power(exponent: u32) -> f32 {
    f32::from_bits((127 + exponent) << 23)
}

#[inline(always)]
fn scaled_st(word: u32) -> [f32; 2] {
    let scale = power(2 * bits(ScaledSt::EXPONENT, &[word]));
    let [s, t] = [bits(ScaledSt::FRAC_S, &[word]), bits(ScaledSt::FRAC_T, &[word])];
    [(s as f32 / 1024.0 - 0.5) * scale, (t as f32 / 1024.0 - 0.5) * scale]
}

#[inline(always)]
fn fine_st(word: u32) -> [f32; 2] {
    let [s, t] = [bits(FineSt::FRAC_S, &[word]), bits(FineSt::FRAC_T, &[word])];
    [s as f32 / 2048.0 - 0.5, t as f32 / 2048.0 - 0.5]
}

#[inline(always)]
fn wide_st(word: u32) -> [f32; 2] {
    let scale = power(bits(WideSt::EXPONENT, &[word]));
    let [s, t] = [bits(WideSt::FRAC_S, &[word]), bits(WideSt::FRAC_T, &[word])];
    [(s as f32 / 4096.0 - 2.0) * scale, (t as f32 / 4096.0 - 2.0) * scale]
}

/// As `f16::to_f32`, without branches: shifted into place, a binary16 is a binary32 whose exponent is too small.
#[inline(always)]
fn f16_value(code: u32) -> f32 {
    let magnitude = (code & 0x7fff) << 13;
    let sign = (code & 0x8000) << 16;
    let finite = f32::from_bits(magnitude) * f32::from_bits((254 - 15) << 23);
    // Infinity and NaN, whose quiet bit `half` sets.
    let special = magnitude | 0x7f80_0000 | (((magnitude & 0x007f_ffff) != 0) as u32) << 22;
    let value = if magnitude >= 0x0f80_0000 { special } else { finite.to_bits() };
    f32::from_bits(value | sign)
}

/// The colours of all colour/shade bytes, and white as often.
static COLORS: [[u8; 4]; 512] = {
    let mut colors = [WHITE; 512];
    let mut code = 0;
    while code < 256 {
        let [red, green, blue] = shade_color(code as u8);
        colors[code] = [red, green, blue, 255];
        code += 1;
    }
    colors
};

static F8A_VALUES: [f32; 256] = {
    let mut values = [0.0; 256];
    let mut code = 0;
    while code < 256 {
        values[code] = F8A::from_bytes([code as u8]).value();
        code += 1;
    }
    values
};
