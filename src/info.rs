//! What a person wants to know first of a document, in terms that all formats share.

use std::borrow::Cow;
use std::fmt;

use crate::{Dialect, FormatId};

/// What is in a document.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Info {
    /// The format.
    pub format: FormatId,
    /// The dialect.
    pub dialect: Dialect,
    /// The meshes.
    pub meshes: Vec<MeshInfo>,
    /// The skeleton, if there is one.
    pub skeleton: Option<SkeletonInfo>,
    /// The animations.
    pub animations: Vec<AnimationInfo>,
    /// What the file has besides, in the format's terms.
    pub properties: Vec<Property>,
}

/// Something that a file has besides meshes, skeleton and animations.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Property {
    /// The name in the format's terms.
    pub name: &'static str,
    /// How much of it there is, or which.
    pub value: PropertyValue,
}

/// The value of a [`Property`]: a number or a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(untagged))]
#[non_exhaustive]
pub enum PropertyValue {
    /// So many.
    Count(u64),
    /// So many bytes.
    Bytes(u64),
    /// This one.
    Word(&'static str),
}

impl fmt::Display for PropertyValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PropertyValue::Count(count) => count.fmt(f),
            PropertyValue::Bytes(1) => f.write_str("1 byte"),
            PropertyValue::Bytes(bytes) => write!(f, "{bytes} bytes"),
            PropertyValue::Word(word) => f.write_str(word),
        }
    }
}

/// One mesh.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct MeshInfo {
    /// Number of vertices.
    pub vertices: u64,
    /// What each vertex has.
    pub attributes: Vec<AttributeInfo>,
    /// Number of indices.
    pub indices: u64,
    /// Bits per index; 0 without indices.
    pub index_bits: u32,
    /// Where it starts in buffers that all meshes of the file share; `None` where each has its own.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub start: Option<MeshStart>,
    /// The smallest box around the finite positions; `None` without any.
    pub bounds: Option<Bounds>,
}

/// Where a mesh starts in shared buffers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct MeshStart {
    /// Position of its first index.
    pub first_index: u64,
    /// Position of its first vertex, which its indices count from.
    pub first_vertex: u64,
}

/// One attribute of a mesh.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct AttributeInfo {
    /// The name in the format's terms.
    pub name: Cow<'static, str>,
    /// Number and kind of the components, `3 × f32`.
    pub components: &'static str,
}

/// The smallest box around some points.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Bounds {
    /// The smallest coordinates.
    pub min: [f32; 3],
    /// The largest coordinates.
    pub max: [f32; 3],
}

impl Bounds {
    /// The box around those of the points that are finite.
    pub fn of(points: impl Iterator<Item = [f32; 3]>) -> Option<Bounds> {
        points.filter(|p| p.iter().all(|x| x.is_finite())).fold(None, |bounds, point| {
            let Bounds { min, max } = bounds.unwrap_or(Bounds { min: point, max: point });
            Some(Bounds {
                min: std::array::from_fn(|i| min[i].min(point[i])),
                max: std::array::from_fn(|i| max[i].max(point[i])),
            })
        })
    }
}

/// The skeleton.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct SkeletonInfo {
    /// Number of joints.
    pub joints: u64,
    /// Number of joints without a parent.
    pub roots: u64,
}

/// One animation.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct AnimationInfo {
    /// The name, if the dialect has one.
    pub name: Option<String>,
    /// Duration in ticks.
    pub ticks: f32,
    /// Duration in seconds; `None` where the speed makes none.
    pub seconds: Option<f32>,
    /// Number of poses.
    pub poses: u64,
}
