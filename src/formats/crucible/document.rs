//! The document: what a Crucible file holds.

use super::schema::BoneWeight;
use crate::bulk;
use crate::{Dialect, Limits, unpack};

/// A Crucible file: everything in it except what can be computed.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Document {
    /// Which attribute each bit stands for.
    #[cfg_attr(feature = "serde", serde(default))]
    pub dialect: Dialect,
    /// The container of the chunks.
    #[cfg_attr(feature = "serde", serde(default))]
    pub container: Container,
    /// The meshes; exactly one in a bare file.
    pub chunks: Vec<Chunk>,
    /// Bytes behind the last chunk. Only lenient reading accepts them (C9).
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub trailing: Vec<u8>,
}

/// The container of the chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Container {
    /// Nothing: the file is one chunk.
    #[default]
    Chunk,
    /// A `.cmodel` file (C11).
    Model,
}

/// One mesh.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Chunk {
    /// The index size of the file, if it is neither 0 nor 1 and so read as 32 bits. Only lenient reading accepts it (C5).
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub index_size: Option<u8>,
    /// Indices of vertices.
    pub indices: Indices,
    /// The attributes of the vertices, in the order of the file.
    pub streams: Vec<Stream>,
    /// Bytes behind the last stream of a chunk in a container. Only lenient reading accepts them (C9).
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub trailing: Vec<u8>,
}

/// Indices of vertices, as wide as the file has them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(tag = "type", content = "data", rename_all = "snake_case")
)]
pub enum Indices {
    /// 16 bits each.
    U16(Vec<u16>),
    /// 32 bits each.
    U32(Vec<u32>),
}

impl Default for Indices {
    fn default() -> Indices {
        Indices::U16(Vec::new())
    }
}

impl Indices {
    /// Number of indices.
    pub fn len(&self) -> usize {
        match self {
            Indices::U16(values) => values.len(),
            Indices::U32(values) => values.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The indices, widened.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        let (narrow, wide): (&[u16], &[u32]) = match self {
            Indices::U16(values) => (values, &[]),
            Indices::U32(values) => (&[], values),
        };
        narrow.iter().map(|index| u32::from(*index)).chain(wide.iter().copied())
    }

    /// The largest index.
    pub fn max(&self) -> Option<u32> {
        match self {
            Indices::U16(values) => values.iter().max().map(|index| u32::from(*index)),
            Indices::U32(values) => values.iter().max().copied(),
        }
    }
}

/// Unpacks one raw LZ4 block of exactly `size` bytes into values.
pub(super) fn unpack_values<T: bulk::Plain>(
    packed: &[u8],
    size: u64,
    limits: &Limits,
) -> Result<Vec<T>, unpack::Failure> {
    let mut values = unpack::lz4(packed, size, limits)?;
    T::swap_on_big_endian(&mut values);
    Ok(values)
}

macro_rules! streams {
    ($($(#[doc = $doc:literal])* $variant:ident($value:ty) $name:literal $components:literal $values:ident,)*) => {
        /// The values of one attribute, one per vertex.
        #[derive(Debug, Clone, PartialEq)]
        #[cfg_attr(
            feature = "serde",
            derive(serde::Serialize, serde::Deserialize),
            serde(tag = "attribute", content = "data", rename_all = "snake_case")
        )]
        pub enum Stream {
            $($(#[doc = $doc])* $variant(
                #[cfg_attr(feature = "serde", serde(with = "crate::float"))] Vec<$value>
            ),)*
        }

        impl Stream {
            /// Unpacks the stream of this variant of [`AttributeData`](super::schema::AttributeData).
            pub(super) fn unpack(
                variant: &str, packed: &[u8], size: u64, limits: &Limits,
            ) -> Option<Result<Stream, unpack::Failure>> {
                match variant {
                    $(stringify!($variant) => {
                        Some(unpack_values::<$value>(packed, size, limits).map(Stream::$variant))
                    })*
                    _ => None,
                }
            }

            /// The variant of [`AttributeData`](super::schema::AttributeData).
            pub(super) fn variant(&self) -> &'static str {
                match self {
                    $(Stream::$variant(_) => stringify!($variant),)*
                }
            }

            /// The name of the attribute.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Stream::$variant(_) => $name,)*
                }
            }

            /// Number and type of the components of a value, `3 × f32`.
            pub fn components(&self) -> &'static str {
                match self {
                    $(Stream::$variant(_) => $components,)*
                }
            }

            /// Number of values: one per vertex.
            pub fn len(&self) -> usize {
                match self {
                    $(Stream::$variant(values) => values.len(),)*
                }
            }

            /// Whether there are none.
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// The uncompressed bytes of the stream.
            pub fn to_bytes(&self) -> std::borrow::Cow<'_, [u8]> {
                match self {
                    $(Stream::$variant(values) => bulk::as_bytes(values),)*
                }
            }
        }

        /// The values of each attribute: those of its first stream, `None` without one.
        impl Chunk {
            $($(#[doc = $doc])*
            pub fn $values(&self) -> Option<&[$value]> {
                self.streams.iter().find_map(|stream| match stream {
                    Stream::$variant(values) => Some(&**values),
                    _ => None,
                })
            })*
        }
    };
}

streams! {
    /// Position (X, Y, Z): +X right, +Y up, +Z forward (C12).
    Position3d([f32; 3]) "position_3d" "3 × f32" positions_3d,
    /// Position (X, Y): +X right, +Y up.
    Position2d([f32; 2]) "position_2d" "2 × f32" positions_2d,
    /// Normal (X, Y, Z).
    Normal([f32; 3]) "normal" "3 × f32" normals,
    /// UV coordinate (U, V): (0, 0) is the top left of the image.
    Uv([f32; 2]) "uv" "2 × f32" uvs,
    /// Tangent (X, Y, Z); in the tangent dialect only (C10).
    Tangent([f32; 3]) "tangent" "3 × f32" tangents,
    /// Colour (red, green, blue, alpha).
    Color([u8; 4]) "color" "4 × u8" colors,
    /// Four bones and their influences (C7).
    BoneWeights([BoneWeight; 4]) "bone_weights" "4 × (u16, f32)" bone_weights,
}

impl Chunk {
    /// Number of vertices: the length of any stream.
    pub fn vertex_count(&self) -> usize {
        self.streams.first().map_or(0, Stream::len)
    }
}
