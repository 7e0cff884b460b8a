//! The fields of a file that the parts of its scene are read from.

use meshspec_derive::ToJson;

/// The source fields of each part of a scene, as paths of the declaration.
///
/// Maps vertices to bytes, and findings to vertices, for viewers.
#[derive(Debug, Clone, PartialEq, Eq, Default, ToJson)]
pub struct Places {
    /// The fields of each mesh of the scene.
    #[json(always)]
    pub meshes: Vec<MeshPlaces>,
    /// The path of each joint of the skeleton.
    #[json(always)]
    pub joints: Vec<String>,
    /// The keys of each animation.
    #[json(always)]
    pub animations: Vec<KeyPlaces>,
}

/// The fields of a mesh.
#[derive(Debug, Clone, PartialEq, Eq, Default, ToJson)]
pub struct MeshPlaces {
    /// The lists that hold a share of each vertex.
    #[json(always)]
    pub vertices: Vec<Share>,
    /// The lists that hold a share of each face.
    #[json(always)]
    pub faces: Vec<Share>,
}

/// A list with a fixed number of items per vertex or face.
#[derive(Debug, Clone, PartialEq, Eq, Default, ToJson)]
pub struct Share {
    /// The path of the list.
    pub list: String,
    /// The index of the first item of the first share.
    pub first: u64,
    /// The number of items of each share.
    pub width: u64,
}

impl Share {
    /// Creates a share of one item each, from the first item on.
    pub fn single(list: impl Into<String>) -> Share {
        Share { list: list.into(), first: 0, width: 1 }
    }
}

/// The keys of an animation.
#[derive(Debug, Clone, PartialEq, Eq, Default, ToJson)]
pub struct KeyPlaces {
    /// The path of the list of keys.
    pub list: String,
    /// For each channel the index in the list of each sample.
    #[json(always)]
    pub channels: Vec<Vec<u32>>,
}
