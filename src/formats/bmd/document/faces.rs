//! Faces as an image has them, packed, and the vertices that they refer to.

use super::super::schema::{FaceTag, Quad32, Quad64, Triangle32, Triangle64};
use crate::{Error, Result, path};

/// The faces of a mesh: packed words, of any mix of forms.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Faces {
    /// The little-endian words of the list, as numbers.
    words: Vec<u32>,
    len: usize,
}

/// One face in one of its forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum PackedFace {
    /// A triangle of 32 bits.
    #[cfg_attr(feature = "serde", serde(rename = "triangle_32"))]
    Triangle32(Triangle32),
    /// A quad of 32 bits.
    #[cfg_attr(feature = "serde", serde(rename = "quad_32"))]
    Quad32(Quad32),
    /// A triangle of 64 bits.
    #[cfg_attr(feature = "serde", serde(rename = "triangle_64"))]
    Triangle64(Triangle64),
    /// A quad of 64 bits.
    #[cfg_attr(feature = "serde", serde(rename = "quad_64"))]
    Quad64(Quad64),
}

/// The vertices of a face, counter-clockwise (X2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Face {
    /// Three vertices.
    Triangle([u32; 3]),
    /// Four vertices.
    Quad([u32; 4]),
}

impl Face {
    /// The vertices, three or four.
    pub fn vertices(&self) -> &[u32] {
        match self {
            Face::Triangle(vertices) => vertices,
            Face::Quad(vertices) => vertices,
        }
    }
}

/// How many triangles and quads a mesh has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FaceCounts {
    /// Number of triangles.
    pub triangles: usize,
    /// Number of quads.
    pub quads: usize,
}

impl FaceCounts {
    /// Number of faces.
    pub fn items(self) -> usize {
        self.triangles + self.quads
    }

    /// Number of triangles, with a quad counted as two (B12).
    pub fn triangulated(self) -> usize {
        self.triangles + 2 * self.quads
    }
}

/// Number of 32-bit words of a face that starts with this one.
pub const fn words_of(first: u32) -> usize {
    if FaceTag::TAG.of_u64(first as u64) & 2 == 0 { 1 } else { 2 }
}

impl Faces {
    /// Faces from the 32-bit words of their list, the low half of a 64-bit word first.
    ///
    /// # Errors
    ///
    /// If the words end inside a face.
    pub fn from_words(words: Vec<u32>) -> Result<Faces> {
        let (mut at, mut len) = (0, 0);
        while let Some(first) = words.get(at) {
            let size = words_of(*first);
            if size > words.len() - at {
                let message = "a face of 8 bytes, but 4 remain";
                return Err(Error::malformed(message).at(path!(faces[len])));
            }
            at += size;
            len += 1;
        }
        Ok(Faces { words, len })
    }

    /// The 32-bit words of the list, the low half of a 64-bit word first.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Number of faces.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many triangles and quads there are.
    pub fn counts(&self) -> FaceCounts {
        self.packed().fold(FaceCounts::default(), |counts, face| match face {
            PackedFace::Triangle32(_) | PackedFace::Triangle64(_) => {
                FaceCounts { triangles: counts.triangles + 1, ..counts }
            }
            PackedFace::Quad32(_) | PackedFace::Quad64(_) => FaceCounts { quads: counts.quads + 1, ..counts },
        })
    }

    /// Adds a face.
    ///
    /// # Errors
    ///
    /// If its tag is that of another form.
    pub fn push(&mut self, face: PackedFace) -> Result<()> {
        let (tag, expected) = match face {
            PackedFace::Triangle32(f) => (f.tag(), 0),
            PackedFace::Quad32(f) => (f.tag(), 1),
            PackedFace::Triangle64(f) => (f.tag(), 2),
            PackedFace::Quad64(f) => (f.tag(), 3),
        };
        if tag != expected {
            let message = format!("{tag} is not the tag of a {}", face.form());
            let path = path!(faces[self.len].(face.form()));
            return Err(Error::inexpressible(message).at(path));
        }
        match face {
            PackedFace::Triangle32(f) => self.extend(&f.into_bytes()),
            PackedFace::Quad32(f) => self.extend(&f.into_bytes()),
            PackedFace::Triangle64(f) => self.extend(&f.into_bytes()),
            PackedFace::Quad64(f) => self.extend(&f.into_bytes()),
        }
        self.len += 1;
        Ok(())
    }

    fn extend(&mut self, bytes: &[u8]) {
        self.words.extend(crate::bulk::to_vec::<u32>(bytes));
    }

    /// The faces in order, in their forms.
    pub fn packed(&self) -> impl Iterator<Item = PackedFace> + use<'_> {
        let mut rest = &*self.words;
        std::iter::from_fn(move || {
            let first = *rest.first()?;
            let size = words_of(first);
            let second = if size == 2 { *rest.get(1)? } else { 0 };
            rest = rest.get(size..)?;
            Some(PackedFace::from_words(first, second))
        })
    }

    /// The vertices of each face.
    pub fn iter(&self) -> impl Iterator<Item = Face> + use<'_> {
        self.packed().map(PackedFace::value)
    }
}

impl PackedFace {
    /// The face at the start of these two words, in the form of its tag.
    pub fn from_words(first: u32, second: u32) -> PackedFace {
        let narrow = first.to_le_bytes();
        let wide = (u64::from(second) << 32 | u64::from(first)).to_le_bytes();
        match FaceTag::TAG.of_u64(first.into()) {
            0 => PackedFace::Triangle32(Triangle32::from_bytes(narrow)),
            1 => PackedFace::Quad32(Quad32::from_bytes(narrow)),
            2 => PackedFace::Triangle64(Triangle64::from_bytes(wide)),
            _ => PackedFace::Quad64(Quad64::from_bytes(wide)),
        }
    }

    /// The smallest form that holds a face of these vertices; `None` if an index is over 20 bits, or 15 in a quad.
    pub fn smallest(face: Face) -> Option<PackedFace> {
        match face {
            Face::Triangle([a, b, c]) => {
                let narrow = |v: u32| u16::try_from(v).ok();
                let triangle_32 = || {
                    let triangle = Triangle32::new().with_v0_checked(narrow(a)?).ok()?;
                    triangle.with_v1_checked(narrow(b)?).ok()?.with_v2_checked(narrow(c)?).ok()
                };
                let triangle_64 = || {
                    let triangle = Triangle64::new().with_tag(2).with_v0_checked(a).ok()?;
                    triangle.with_v1_checked(b).ok()?.with_v2_checked(c).ok()
                };
                triangle_32()
                    .map(PackedFace::Triangle32)
                    .or_else(|| triangle_64().map(PackedFace::Triangle64))
            }
            Face::Quad([a, b, c, d]) => {
                let narrow = |v: u32| u16::try_from(v).ok();
                let byte = |v: u32| u8::try_from(v).ok();
                let quad_32 = || {
                    let quad = Quad32::new().with_tag(1).with_v0_checked(byte(a)?).ok()?;
                    let quad = quad.with_v1_checked(byte(b)?).ok()?.with_v2_checked(byte(c)?).ok()?;
                    quad.with_v3_checked(byte(d)?).ok()
                };
                let quad_64 = || {
                    let quad = Quad64::new().with_tag(3).with_v0_checked(narrow(a)?).ok()?;
                    let quad = quad.with_v1_checked(narrow(b)?).ok()?.with_v2_checked(narrow(c)?).ok()?;
                    quad.with_v3_checked(narrow(d)?).ok()
                };
                quad_32().map(PackedFace::Quad32).or_else(|| quad_64().map(PackedFace::Quad64))
            }
        }
    }

    /// The vertices.
    pub fn value(self) -> Face {
        match self {
            PackedFace::Triangle32(f) => Face::Triangle([f.v0(), f.v1(), f.v2()].map(u32::from)),
            PackedFace::Quad32(f) => Face::Quad([f.v0(), f.v1(), f.v2(), f.v3()].map(u32::from)),
            PackedFace::Triangle64(f) => Face::Triangle([f.v0(), f.v1(), f.v2()]),
            PackedFace::Quad64(f) => Face::Quad([f.v0(), f.v1(), f.v2(), f.v3()].map(u32::from)),
        }
    }

    /// The name of the form, as paths have it.
    pub fn form(self) -> &'static str {
        match self {
            PackedFace::Triangle32(_) => "triangle_32",
            PackedFace::Quad32(_) => "quad_32",
            PackedFace::Triangle64(_) => "triangle_64",
            PackedFace::Quad64(_) => "quad_64",
        }
    }

    /// The two highest bits, where the form has them: 0, or against the specification (B13).
    pub fn tag2(self) -> u8 {
        match self {
            PackedFace::Triangle32(_) => 0,
            PackedFace::Quad32(f) => f.tag2(),
            PackedFace::Triangle64(f) => f.tag2(),
            PackedFace::Quad64(f) => f.tag2(),
        }
    }

    /// Size in bits.
    pub fn bits(self) -> u32 {
        match self {
            PackedFace::Triangle32(_) | PackedFace::Quad32(_) => 32,
            PackedFace::Triangle64(_) | PackedFace::Quad64(_) => 64,
        }
    }
}
