//! The fields of a file that its meshes, joints and animations are read from.

use meshspec_derive::ToJson;

/// The paths of the fields that the meshes, joints and animations of a scene are read from.
///
/// Viewers use them to map vertices to bytes, and findings to vertices.
///
/// ```
/// # #[cfg(feature = "mesh")] {
/// use meshspec::scene::StridedList;
///
/// let fields = meshspec::open("samples/mesh/tentacle.mesh")?.source_fields();
/// let StridedList { list, first, width } = &fields.meshes[0].faces[0];
/// assert_eq!(format!("{list}[{}]", first + 5 * width), "indices[15]");
/// # }
/// # Ok::<(), meshspec::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, ToJson)]
pub struct SourceFields {
    /// The fields of each mesh.
    #[json(always)]
    pub meshes: Vec<MeshFields>,
    /// The path of each joint.
    #[json(always)]
    pub joints: Vec<String>,
    /// The keys of each animation.
    #[json(always)]
    pub animations: Vec<KeyframeFields>,
}

/// The fields of a mesh.
#[derive(Debug, Clone, PartialEq, Eq, Default, ToJson)]
pub struct MeshFields {
    /// The lists that contain the attributes of each vertex.
    #[json(always)]
    pub vertices: Vec<StridedList>,
    /// The lists that contain the corners of each face.
    #[json(always)]
    pub faces: Vec<StridedList>,
}

/// A list with a fixed number of items per vertex or face.
#[derive(Debug, Clone, PartialEq, Eq, Default, ToJson)]
pub struct StridedList {
    /// The path of the list.
    pub list: String,
    /// The index of the item with which the first vertex or face starts.
    pub first: u64,
    /// The number of items per vertex or face.
    pub width: u64,
}

impl StridedList {
    /// Creates a list with one item per vertex or face, starting with the first item.
    pub fn single(list: impl Into<String>) -> StridedList {
        StridedList {
            list: list.into(),
            first: 0,
            width: 1,
        }
    }
}

/// The fields of an animation.
#[derive(Debug, Clone, PartialEq, Eq, Default, ToJson)]
pub struct KeyframeFields {
    /// The path of the key list.
    pub list: String,
    /// For each channel, the indices of its samples in `list`.
    #[json(always)]
    pub channels: Vec<Vec<u32>>,
}
