//! Vertices from packed words to numbers: for each form, where its attributes are. Beside the declaration this is all
//! that decoding needs to know of a form.
//!
//! The places of the bits come from the declaration; a test compares the result with the declared getters.

use super::super::document::{Vertex, Vertices, shade_color};
use super::super::schema::triple::unit;
use super::super::schema::{
    self, F8A, FineSt, FineVertex96, FlatVertex64, Form, Normal, PackedVertex, ScaledSt, ScaledVertex96,
    Surface, Tag, TexturedVertex64, Triple, Vertex128, VertexTag, WideSt, vertex_forms,
};
use super::bits::{bits, power, signed};
use super::dispatch::dispatch;

/// Name and components of an attribute, as `info` shows them.
pub type Attribute = (&'static str, &'static str);

const POSITION: Attribute = ("position", "3 × 9 bits");
const NORMAL: Attribute = ("normal", "3 × F8A");
const COLOR: Attribute = ("color", "1 × u8");
const BONE: Attribute = ("bone", "1 × u8");

/// A form of vertex, of `N` words. What it leaves out is 0, white, or the direction of the position.
pub trait VertexForm<const N: usize>: 'static {
    /// The attributes that vertices with this tag have.
    fn attributes(tag: u8) -> &'static [Attribute];

    fn position(vertex: &[u32; N]) -> [f32; 3];

    /// Whether the position is finite: all but those of binary16 are.
    #[inline(always)]
    fn is_finite(_: &[u32; N]) -> bool {
        true
    }

    #[inline(always)]
    fn st(_: &[u32; N]) -> [f32; 2] {
        [0.0; 2]
    }

    #[inline(always)]
    fn normal(vertex: &[u32; N]) -> [f32; 3] {
        direction(Self::position(vertex))
    }

    /// The colour/shade byte; 256 and more for none.
    #[inline(always)]
    fn shade(_: &[u32; N]) -> u32 {
        256
    }

    #[inline(always)]
    fn bone(_: &[u32; N]) -> u8 {
        0
    }
}

impl VertexForm<2> for TexturedVertex64 {
    fn attributes(_: u8) -> &'static [Attribute] {
        &[POSITION, ("st", "2 × 11 bits"), BONE]
    }

    #[inline(always)]
    fn position(vertex: &[u32; 2]) -> [f32; 3] {
        triple(bits(Self::POSITION, vertex))
    }

    #[inline(always)]
    fn st(vertex: &[u32; 2]) -> [f32; 2] {
        scaled_st(bits(Self::ST, vertex))
    }

    #[inline(always)]
    fn normal(vertex: &[u32; 2]) -> [f32; 3] {
        let [x, y, z] = fractions(bits(Self::POSITION, vertex));
        direction([x as f32, y as f32, z as f32])
    }

    #[inline(always)]
    fn bone(vertex: &[u32; 2]) -> u8 {
        bits(Self::BONE, vertex) as u8
    }
}

impl VertexForm<2> for FlatVertex64 {
    fn attributes(_: u8) -> &'static [Attribute] {
        &[POSITION, NORMAL, BONE]
    }

    #[inline(always)]
    fn position(vertex: &[u32; 2]) -> [f32; 3] {
        triple(bits(Self::POSITION, vertex))
    }

    #[inline(always)]
    fn normal(vertex: &[u32; 2]) -> [f32; 3] {
        normal(bits(Self::NORMAL, vertex))
    }

    #[inline(always)]
    fn bone(vertex: &[u32; 2]) -> u8 {
        bits(Self::BONE, vertex) as u8
    }
}

/// Both forms of 96 bits, which are decoded alike: where they mix, nobody could predict a branch between them. The last
/// byte is a colour where the tag is F8 or F9, a bone where it is FA or FB (B10), else undefined (B8).
pub struct Vertex96;

impl VertexForm<3> for Vertex96 {
    fn attributes(tag: u8) -> &'static [Attribute] {
        const FINE: Attribute = ("st", "2 × 12 bits");
        const SCALED: Attribute = ("st", "2 × 11 bits");
        match (tag & !1 == VertexTag::BONE_96, tag.is_multiple_of(2)) {
            (true, true) => &[POSITION, FINE, NORMAL, BONE],
            (true, false) => &[POSITION, SCALED, NORMAL, BONE],
            (false, true) => &[POSITION, FINE, NORMAL, COLOR],
            (false, false) => &[POSITION, SCALED, NORMAL, COLOR],
        }
    }

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
    fn shade(vertex: &[u32; 3]) -> u32 {
        let has_none = u32::from(bits(FineVertex96::TAG, vertex) as u8 & !1 != VertexTag::COLOR_96);
        has_none << 8 | bits(FineVertex96::COLOR_OR_BONE, vertex)
    }

    #[inline(always)]
    fn bone(vertex: &[u32; 3]) -> u8 {
        let bone = bits(FineVertex96::COLOR_OR_BONE, vertex) as u8;
        if bits(FineVertex96::TAG, vertex) as u8 & !1 == VertexTag::BONE_96 { bone } else { 0 }
    }
}

impl VertexForm<4> for Vertex128 {
    fn attributes(_: u8) -> &'static [Attribute] {
        &[("position", "3 × f16"), ("st", "2 × 14 bits"), NORMAL, COLOR, BONE]
    }

    #[inline(always)]
    fn position(vertex: &[u32; 4]) -> [f32; 3] {
        let x = f16_value(bits(Self::ORG_X, vertex));
        let y = f16_value(bits(Self::ORG_Y, vertex));
        [x, y, f16_value(bits(Self::ORG_Z, vertex))]
    }

    #[inline(always)]
    fn is_finite(vertex: &[u32; 4]) -> bool {
        let is_finite = |place| bits(place, vertex) & 0x7c00 != 0x7c00;
        // Without branches between the coordinates.
        is_finite(Self::ORG_X) & is_finite(Self::ORG_Y) & is_finite(Self::ORG_Z)
    }

    #[inline(always)]
    fn st(vertex: &[u32; 4]) -> [f32; 2] {
        wide_st(bits(Self::ST, vertex))
    }

    #[inline(always)]
    fn normal(vertex: &[u32; 4]) -> [f32; 3] {
        normal(bits(Self::NORMAL, vertex))
    }

    #[inline(always)]
    fn shade(vertex: &[u32; 4]) -> u32 {
        bits(Self::COLOR, vertex)
    }

    #[inline(always)]
    fn bone(vertex: &[u32; 4]) -> u8 {
        bits(Self::BONE, vertex) as u8
    }
}

/// Is called with the decoder of a form.
pub trait Visitor {
    type Output;
    fn visit<const N: usize, F: VertexForm<N>>(self) -> Self::Output;
}

macro_rules! decoder {
    (FineVertex96) => {
        Vertex96
    };
    (ScaledVertex96) => {
        Vertex96
    };
    ($Word:ident) => {
        schema::$Word
    };
}

vertex_forms!(dispatch);

/// A vertex, decoded.
struct Decode<'a>(&'a [u32]);

impl Visitor for Decode<'_> {
    type Output = Option<Vertex>;

    #[inline(always)]
    fn visit<const N: usize, F: VertexForm<N>>(self) -> Option<Vertex> {
        let vertex = self.0.first_chunk()?;
        Some(Vertex {
            position: F::position(vertex),
            st: F::st(vertex),
            normal: F::normal(vertex),
            color: u8::try_from(F::shade(vertex)).ok(),
            bone: F::bone(vertex),
        })
    }
}

/// The attributes of vertices with this tag.
struct Attributes(u8);

impl Visitor for Attributes {
    type Output = &'static [Attribute];

    fn visit<const N: usize, F: VertexForm<N>>(self) -> &'static [Attribute] {
        F::attributes(self.0)
    }
}

/// The attributes that a vertex with this tag has.
pub fn attributes_of(tag: u8, surface: Surface) -> &'static [Attribute] {
    with_form(tag, surface, Attributes(tag)).unwrap_or_default()
}

impl PackedVertex {
    /// The decoded vertex.
    pub fn value(self) -> Vertex {
        let (words, surface) = (self.words(), Form::surface(self).unwrap_or_default());
        with_form(PackedVertex::tag_of(&words), surface, Decode(&words)).flatten().unwrap_or_default()
    }

    /// The position in the space of the bone.
    pub fn position(self) -> [f32; 3] {
        self.value().position
    }

    /// The bone; 0 where the form has none.
    pub fn bone(self) -> u8 {
        self.value().bone
    }
}

impl Vertices {
    /// The decoded vertices, one by one.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = Vertex> + use<'_> {
        let surface = self.surface().unwrap_or_default();
        let mut rest = self.words();
        self.tags().map_while(move |tag| {
            let vertex = with_form(tag, surface, Decode(rest)).flatten()?;
            rest = rest.get(PackedVertex::size_of(tag)..)?;
            Some(vertex)
        })
    }
}

/// The colours (red, green, blue, alpha) of all colour/shade bytes, and white as often.
pub static COLORS: [[u8; 4]; 512] = {
    let mut colors = [[255; 4]; 512];
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

/// The vector of length 1 in the direction of a position; 0 at the origin. The same for any multiple of the position by
/// a power of two.
#[inline(always)]
fn direction(position: [f32; 3]) -> [f32; 3] {
    let [x, y, z] = [f64::from(position[0]), f64::from(position[1]), f64::from(position[2])];
    let square = x * x + y * y + z * z;
    let scale = if square == 0.0 { 0.0 } else { 1.0 / square.sqrt() };
    [(x * scale) as f32, (y * scale) as f32, (z * scale) as f32]
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
