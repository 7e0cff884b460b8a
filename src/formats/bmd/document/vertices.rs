//! Vertices as an image has them, packed, and decoded one by one.

use super::super::schema::{
    FineVertex96, FlatVertex64, ScaledVertex96, TexturedVertex64, Vertex128, VertexTag,
};
use super::material::Surface;
use crate::{Error, Result, path};

/// The vertices of a mesh: packed words, of any mix of sizes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Vertices {
    /// The little-endian words of the list, as numbers.
    words: Vec<u32>,
    len: usize,
}

/// One vertex in one of its forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum PackedVertex {
    /// 64 bits, of a textured surface.
    #[cfg_attr(feature = "serde", serde(rename = "textured_64"))]
    Textured64(TexturedVertex64),
    /// 64 bits, of a surface of a flat colour.
    #[cfg_attr(feature = "serde", serde(rename = "flat_64"))]
    Flat64(FlatVertex64),
    /// 96 bits with an even tag.
    #[cfg_attr(feature = "serde", serde(rename = "fine_96"))]
    Fine96(FineVertex96),
    /// 96 bits with an odd tag.
    #[cfg_attr(feature = "serde", serde(rename = "scaled_96"))]
    Scaled96(ScaledVertex96),
    /// 128 bits.
    #[cfg_attr(feature = "serde", serde(rename = "vertex_128"))]
    Vertex128(Vertex128),
}

/// A decoded vertex.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Vertex {
    /// Position (X, Y, Z) in the space of the bone.
    pub position: [f32; 3],
    /// Texture coordinate (S, T); 0 where a flat colour leaves it out.
    pub st: [f32; 2],
    /// Normal (X, Y, Z) as it is stored, not normalised. Where the form has none, the direction of the position (0 at
    /// the origin).
    pub normal: [f32; 3],
    /// Colour/shade byte, where the form has one; see [`shade_color`](super::shade_color).
    pub color: Option<u8>,
    /// The bone; 0 is the base.
    pub bone: u8,
}

/// Number of 32-bit words of a vertex with this tag (B8).
pub const fn words_of(tag: u8) -> usize {
    match tag {
        0..=0xEF => 2,
        0xF0..=0xFB => 3,
        0xFC..=0xFF => 4,
    }
}

/// The tag in the second 32-bit word of a vertex.
pub const fn tag_of(word: u32) -> u8 {
    VertexTag::TAG.of_u64((word as u64) << 32) as u8
}

impl Vertices {
    /// Vertices from the 32-bit words of their list, the low half of a 64-bit word first.
    ///
    /// # Errors
    ///
    /// If the words end inside a vertex.
    pub fn from_words(words: Vec<u32>) -> Result<Vertices> {
        let (mut at, mut len) = (0, 0);
        while at < words.len() {
            // A lone word is as much a vertex cut short as one of four words that has three.
            let size = words.get(at + 1).map_or(2, |word| words_of(tag_of(*word)));
            if size > words.len() - at {
                let there = 4 * (words.len() - at);
                let message = format!("a vertex of {} bytes, but {there} remain", 4 * size);
                return Err(Error::malformed(message).at(path!(vertices[len])));
            }
            at += size;
            len += 1;
        }
        Ok(Vertices { words, len })
    }

    /// The 32-bit words of the list, the low half of a 64-bit word first.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Adds a vertex.
    ///
    /// # Errors
    ///
    /// If its tag is that of another form: a vertex of 64 bits cannot have a bone from F0 on (B9).
    pub fn push(&mut self, vertex: PackedVertex) -> Result<()> {
        let tag = vertex.tag();
        let says = match (words_of(tag), vertex) {
            (2, PackedVertex::Textured64(_) | PackedVertex::Flat64(_)) => true,
            (3, PackedVertex::Fine96(_)) => tag.is_multiple_of(2),
            (3, PackedVertex::Scaled96(_)) => !tag.is_multiple_of(2),
            (4, PackedVertex::Vertex128(_)) => true,
            _ => false,
        };
        if !says {
            let message = format!("{tag:#x} is not the tag of a {}", vertex.form());
            let path = path!(vertices[self.len].(vertex.form()));
            return Err(Error::inexpressible(message).at(path));
        }
        match vertex {
            PackedVertex::Textured64(v) => self.extend(&v.into_bytes()),
            PackedVertex::Flat64(v) => self.extend(&v.into_bytes()),
            PackedVertex::Fine96(v) => self.extend(&v.into_bytes()),
            PackedVertex::Scaled96(v) => self.extend(&v.into_bytes()),
            PackedVertex::Vertex128(v) => self.extend(&v.into_bytes()),
        }
        self.len += 1;
        Ok(())
    }

    fn extend(&mut self, bytes: &[u8]) {
        self.words.extend(crate::bulk::to_vec::<u32>(bytes));
    }

    /// The vertices in order, in the forms that they have on such a surface.
    pub fn packed(&self, surface: Surface) -> impl Iterator<Item = PackedVertex> + use<'_> {
        let mut rest = &*self.words;
        std::iter::from_fn(move || {
            let (vertex, size) = first(rest, surface)?;
            rest = rest.get(size..)?;
            Some(vertex)
        })
    }

    /// The decoded vertices on such a surface.
    pub fn iter(&self, surface: Surface) -> impl Iterator<Item = Vertex> + use<'_> {
        self.packed(surface).map(PackedVertex::value)
    }
}

/// The first vertex of these words, and how many of them it takes.
fn first(words: &[u32], surface: Surface) -> Option<(PackedVertex, usize)> {
    let tag = tag_of(*words.get(1)?);
    let size = words_of(tag);
    let mut bytes = [0; 16];
    for (place, word) in bytes.chunks_exact_mut(4).zip(words.get(..size)?) {
        place.copy_from_slice(&word.to_le_bytes());
    }
    Some((PackedVertex::from_bytes(bytes, surface), size))
}

impl PackedVertex {
    /// The vertex at the start of these bytes, in the form of its tag.
    pub fn from_bytes(bytes: [u8; 16], surface: Surface) -> PackedVertex {
        let [a, b, c, d, e, f, g, tag, i, j, k, l, ..] = bytes;
        let half = [a, b, c, d, e, f, g, tag];
        let three_quarters = [a, b, c, d, e, f, g, tag, i, j, k, l];
        match (words_of(tag), surface) {
            (2, Surface::Textured) => PackedVertex::Textured64(TexturedVertex64::from_bytes(half)),
            (2, Surface::Flat) => PackedVertex::Flat64(FlatVertex64::from_bytes(half)),
            (3, _) if tag.is_multiple_of(2) => PackedVertex::Fine96(FineVertex96::from_bytes(three_quarters)),
            (3, _) => PackedVertex::Scaled96(ScaledVertex96::from_bytes(three_quarters)),
            _ => PackedVertex::Vertex128(Vertex128::from_bytes(bytes)),
        }
    }

    /// The tag: the bone of a 64-bit vertex, else the form.
    pub fn tag(self) -> u8 {
        match self {
            PackedVertex::Textured64(v) => v.bone(),
            PackedVertex::Flat64(v) => v.bone(),
            PackedVertex::Fine96(v) => v.tag(),
            PackedVertex::Scaled96(v) => v.tag(),
            PackedVertex::Vertex128(v) => v.tag(),
        }
    }

    /// The name of the form, as paths have it.
    pub fn form(self) -> &'static str {
        match self {
            PackedVertex::Textured64(_) => "textured_64",
            PackedVertex::Flat64(_) => "flat_64",
            PackedVertex::Fine96(_) => "fine_96",
            PackedVertex::Scaled96(_) => "scaled_96",
            PackedVertex::Vertex128(_) => "vertex_128",
        }
    }

    /// Size in bits.
    pub fn bits(self) -> u32 {
        match self {
            PackedVertex::Textured64(_) | PackedVertex::Flat64(_) => 64,
            PackedVertex::Fine96(_) | PackedVertex::Scaled96(_) => 96,
            PackedVertex::Vertex128(_) => 128,
        }
    }

    /// The position in the space of the bone.
    pub fn position(self) -> [f32; 3] {
        match self {
            PackedVertex::Textured64(v) => v.position().value(),
            PackedVertex::Flat64(v) => v.position().value(),
            PackedVertex::Fine96(v) => v.position().value(),
            PackedVertex::Scaled96(v) => v.position().value(),
            PackedVertex::Vertex128(v) => v.position(),
        }
    }

    /// The bone; 0 where the form has none.
    pub fn bone(self) -> u8 {
        match self {
            PackedVertex::Textured64(v) => v.bone(),
            PackedVertex::Flat64(v) => v.bone(),
            PackedVertex::Fine96(v) => color_or_bone(v.tag(), v.color_or_bone()).1,
            PackedVertex::Scaled96(v) => color_or_bone(v.tag(), v.color_or_bone()).1,
            PackedVertex::Vertex128(v) => v.bone(),
        }
    }

    /// The decoded vertex.
    pub fn value(self) -> Vertex {
        let (position, bone) = (self.position(), self.bone());
        let (st, normal, color) = match self {
            PackedVertex::Textured64(v) => (v.st().value(), direction(position), None),
            PackedVertex::Flat64(v) => ([0.0; 2], v.normal().value(), None),
            PackedVertex::Fine96(v) => {
                (v.st().value(), v.normal().value(), color_or_bone(v.tag(), v.color_or_bone()).0)
            }
            PackedVertex::Scaled96(v) => {
                (v.st().value(), v.normal().value(), color_or_bone(v.tag(), v.color_or_bone()).0)
            }
            PackedVertex::Vertex128(v) => (v.st().value(), v.normal().value(), Some(v.color())),
        };
        Vertex { position, st, normal, color, bone }
    }
}

/// The last byte of 96 bits is a colour where the tag is F8 or F9, a bone where it is FA or FB (B10), else undefined (B8).
fn color_or_bone(tag: u8, last: u8) -> (Option<u8>, u8) {
    match tag {
        0xF8 | 0xF9 => (Some(last), 0),
        0xFA | 0xFB => (None, last),
        _ => (None, 0),
    }
}

/// The vector of length 1 in the direction of a position; 0 at the origin. The same for any multiple of the position by
/// a power of two.
#[inline(always)]
pub fn direction(position: [f32; 3]) -> [f32; 3] {
    let [x, y, z] = [f64::from(position[0]), f64::from(position[1]), f64::from(position[2])];
    let square = x * x + y * y + z * z;
    let scale = if square == 0.0 { 0.0 } else { 1.0 / square.sqrt() };
    [(x * scale) as f32, (y * scale) as f32, (z * scale) as f32]
}
