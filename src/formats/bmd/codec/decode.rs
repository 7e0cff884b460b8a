//! Decodes packed vertices. Each form decodes its attributes from the bit ranges in the declaration.
//!
//! A test compares the results with the declared getters.

use super::super::bits::extract_bits;
use super::super::document::{Vertex, Vertices, shade_color};
use super::super::schema::{
    FineSt, FineVertex96, FlatVertex64, Form, Normal, PackedVertex, ScaledSt, ScaledVertex96,
    Surface, TexturedVertex64, Triple, Vertex128, VertexKind, VertexTag, WideSt,
};
use crate::layout::decoding::binary16;

/// Decodes the attributes of a vertex form of `N` 32-bit words. Omitted attributes are 0, white, or the direction of
/// the position.
pub trait VertexForm<const N: usize>: 'static {
    fn position(vertex: &[u32; N]) -> [f32; 3];

    #[inline(always)]
    fn st(_: &[u32; N]) -> [f32; 2] {
        [0.0; 2]
    }

    #[inline(always)]
    fn normal(vertex: &[u32; N]) -> [f32; 3] {
        direction(Self::position(vertex))
    }

    /// Returns the colour/shade byte, or a number from 256 to 511 if the vertex has none.
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
    #[inline(always)]
    fn position(vertex: &[u32; 2]) -> [f32; 3] {
        Triple::decode(extract_bits(Self::POSITION, vertex))
    }

    #[inline(always)]
    fn st(vertex: &[u32; 2]) -> [f32; 2] {
        ScaledSt::decode(extract_bits(Self::ST, vertex))
    }

    #[inline(always)]
    fn normal(vertex: &[u32; 2]) -> [f32; 3] {
        let [x, y, z] = Triple::fractions_of(extract_bits(Self::POSITION, vertex));
        direction([x as f32, y as f32, z as f32])
    }

    #[inline(always)]
    fn bone(vertex: &[u32; 2]) -> u8 {
        extract_bits(Self::BONE, vertex) as u8
    }
}

impl VertexForm<2> for FlatVertex64 {
    #[inline(always)]
    fn position(vertex: &[u32; 2]) -> [f32; 3] {
        Triple::decode(extract_bits(Self::POSITION, vertex))
    }

    #[inline(always)]
    fn normal(vertex: &[u32; 2]) -> [f32; 3] {
        Normal::decode(extract_bits(Self::NORMAL, vertex))
    }

    #[inline(always)]
    fn bone(vertex: &[u32; 2]) -> u8 {
        extract_bits(Self::BONE, vertex) as u8
    }
}

/// One decoder for both 96-bit forms, because a branch between them would be unpredictable in mixed lists. The last
/// byte is a colour for tags F8 and F9, a bone for FA and FB (B10), and undefined otherwise (B8).
pub struct Vertex96;

impl VertexForm<3> for Vertex96 {
    #[inline(always)]
    fn position(vertex: &[u32; 3]) -> [f32; 3] {
        Triple::decode(extract_bits(FineVertex96::POSITION, vertex))
    }

    #[inline(always)]
    fn st(vertex: &[u32; 3]) -> [f32; 2] {
        let fine = FineSt::decode(extract_bits(FineVertex96::ST, vertex));
        let scaled = ScaledSt::decode(extract_bits(ScaledVertex96::ST, vertex));
        if extract_bits(FineVertex96::TAG, vertex) & 1 == 0 {
            fine
        } else {
            scaled
        }
    }

    #[inline(always)]
    fn normal(vertex: &[u32; 3]) -> [f32; 3] {
        Normal::decode(extract_bits(FineVertex96::NORMAL, vertex))
    }

    #[inline(always)]
    fn shade(vertex: &[u32; 3]) -> u32 {
        let tag = extract_bits(FineVertex96::TAG, vertex) as u8;
        let has_no_color = u32::from(tag & !1 != VertexTag::COLOR_96);
        has_no_color << 8 | extract_bits(FineVertex96::COLOR_OR_BONE, vertex)
    }

    #[inline(always)]
    fn bone(vertex: &[u32; 3]) -> u8 {
        let bone = extract_bits(FineVertex96::COLOR_OR_BONE, vertex) as u8;
        if extract_bits(FineVertex96::TAG, vertex) as u8 & !1 == VertexTag::BONE_96 {
            bone
        } else {
            0
        }
    }
}

impl VertexForm<4> for Vertex128 {
    #[inline(always)]
    fn position(vertex: &[u32; 4]) -> [f32; 3] {
        let x = binary16(extract_bits(Self::ORG_X, vertex) as u16);
        let y = binary16(extract_bits(Self::ORG_Y, vertex) as u16);
        [x, y, binary16(extract_bits(Self::ORG_Z, vertex) as u16)]
    }

    #[inline(always)]
    fn st(vertex: &[u32; 4]) -> [f32; 2] {
        WideSt::decode(extract_bits(Self::ST, vertex))
    }

    #[inline(always)]
    fn normal(vertex: &[u32; 4]) -> [f32; 3] {
        Normal::decode(extract_bits(Self::NORMAL, vertex))
    }

    #[inline(always)]
    fn shade(vertex: &[u32; 4]) -> u32 {
        extract_bits(Self::COLOR, vertex)
    }

    #[inline(always)]
    fn bone(vertex: &[u32; 4]) -> u8 {
        extract_bits(Self::BONE, vertex) as u8
    }
}

/// A generic callback that receives the decoder of a form.
pub trait VertexVisitor {
    type Output;
    fn visit<const N: usize, F: VertexForm<N>>(self) -> Self::Output;
}

/// Calls `visitor` with the decoder for the vertex at the start of `words`; `None` if the tag of the vertex is unknown.
#[inline(always)]
pub fn with_form<V: VertexVisitor>(
    words: &[u32],
    surface: Surface,
    visitor: V,
) -> Option<V::Output> {
    let (_, form) = PackedVertex::form_of(PackedVertex::tag_of(words), surface);
    Some(match PackedVertex::kind_at(form)? {
        VertexKind::Textured64 => visitor.visit::<2, TexturedVertex64>(),
        VertexKind::Flat64 => visitor.visit::<2, FlatVertex64>(),
        VertexKind::Fine96 | VertexKind::Scaled96 => visitor.visit::<3, Vertex96>(),
        VertexKind::Vertex128 => visitor.visit::<4, Vertex128>(),
    })
}

/// Decodes the vertex at the start of the words; `None` if it is truncated.
struct VertexDecoder<'a>(&'a [u32]);

impl VertexVisitor for VertexDecoder<'_> {
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

impl PackedVertex {
    /// Decodes the vertex.
    pub fn value(self) -> Vertex {
        let (words, surface) = (self.words(), Form::surface(self).unwrap_or_default());
        with_form(&words, surface, VertexDecoder(&words))
            .flatten()
            .unwrap_or_default()
    }

    /// Decodes the position in bone space.
    pub fn position(self) -> [f32; 3] {
        self.value().position
    }
}

impl Vertices {
    /// Decodes the vertices one by one.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = Vertex> + use<'_> {
        let surface = self.surface().unwrap_or_default();
        let mut rest = self.words();
        std::iter::from_fn(move || {
            let vertex = with_form(rest, surface, VertexDecoder(rest)).flatten()?;
            rest = rest.get(PackedVertex::word_count(PackedVertex::tag_of(rest))..)?;
            Some(vertex)
        })
    }
}

/// The colours (red, green, blue, alpha) of all colour/shade bytes, then 256 whites for vertices without a colour.
pub static SHADE_COLORS: [[u8; 4]; 512] = {
    let mut colors = [[255; 4]; 512];
    let mut code = 0;
    while code < 256 {
        let [red, green, blue] = shade_color(code as u8);
        colors[code] = [red, green, blue, 255];
        code += 1;
    }
    colors
};

/// Returns the unit vector towards a position; 0 at the origin. Scaling the position by a power of two does not
/// change the result.
#[inline(always)]
fn direction(position: [f32; 3]) -> [f32; 3] {
    let [x, y, z] = [
        f64::from(position[0]),
        f64::from(position[1]),
        f64::from(position[2]),
    ];
    let square = x * x + y * y + z * z;
    let scale = if square == 0.0 {
        0.0
    } else {
        1.0 / square.sqrt()
    };
    [(x * scale) as f32, (y * scale) as f32, (z * scale) as f32]
}
