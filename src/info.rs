//! What a person wants to know first of a document, in terms that all formats share.

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
    /// Named values of the file as a whole, in its order, where the format has such.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub properties: Vec<PropertyInfo>,
    /// The meshes.
    pub meshes: Vec<MeshInfo>,
    /// The skeleton, if there is one.
    pub skeleton: Option<SkeletonInfo>,
    /// The animations.
    pub animations: Vec<AnimationInfo>,
}

/// A named value.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct PropertyInfo {
    /// The name.
    pub name: String,
    /// The value.
    pub value: String,
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
    /// Bits per index.
    pub index_bits: u32,
    /// The smallest box around the finite positions; `None` without any.
    pub bounds: Option<Bounds>,
}

/// One attribute of a mesh.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct AttributeInfo {
    /// The name in the format's terms.
    pub name: &'static str,
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
