//! What the contents of a file are: meshes, skeleton, animations, poses.

use super::array::{Array, Numbers};
use super::fields::Fields;
use crate::{Dialect, Text};

/// The contents of a file as plain numbers, the same shape for every format.
///
/// Each format fills what it has. `docs/contents.md` says from which fields of the file each value comes.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Contents<'f> {
    /// The name of the format.
    pub format: &'static str,
    /// The dialect that the file was read as.
    pub dialect: Dialect,
    /// Named texts, in the order of the file.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub properties: Vec<Property>,
    /// Bytes that only the application understands.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub user_data: Option<Array>,
    /// The transform of the whole model, 4×4, row-major.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub root_transform: Option<Array>,
    /// The meshes.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub meshes: Vec<Mesh>,
    /// The levels of detail.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub lods: Vec<Lod>,
    /// The skeleton.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub skeleton: Option<Skeleton>,
    /// The animations.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub animations: Vec<Animation>,
    /// The model in its rest pose and at three times of each animation.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub poses: Vec<Pose>,
    /// The decoded fields of a format without a codec.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub fields: Option<Fields<'f>>,
}

impl Contents<'_> {
    /// Empty contents of a file of this format.
    pub fn new(format: &'static str, dialect: Dialect) -> Self {
        Contents {
            format,
            dialect,
            properties: Vec::new(),
            user_data: None,
            root_transform: None,
            meshes: Vec::new(),
            lods: Vec::new(),
            skeleton: None,
            animations: Vec::new(),
            poses: Vec::new(),
            fields: None,
        }
    }
}

/// A named text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Property {
    /// The name.
    pub name: String,
    /// The text.
    pub value: String,
}

/// Vertices, and the faces between them.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Mesh {
    /// The material.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub material: Option<Text>,
    /// The number of vertices.
    pub vertices: usize,
    /// The attributes of the vertices, each under a name that is unique in the mesh.
    #[cfg_attr(feature = "serde", serde(serialize_with = "data::by_name"))]
    pub attributes: Vec<Attribute>,
    /// Indices of vertices; three make a triangle unless `face_sizes` says otherwise. `None` if the file has none.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub indices: Option<Array>,
    /// The number of indices of each face, where faces differ in size.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub face_sizes: Option<Array>,
    /// The ranges of the meshes that share these buffers.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub parts: Option<Vec<Part>>,
}

impl Mesh {
    /// A mesh of so many vertices.
    pub fn new(vertices: usize) -> Mesh {
        Mesh { vertices, ..Mesh::default() }
    }

    /// Adds an attribute. If the name is taken, a number makes it unique: `normal_again_1`.
    pub fn add(&mut self, name: impl Into<String>, array: Array) {
        let name = name.into();
        let is_taken = |name: &str| self.attributes.iter().any(|attribute| attribute.name == name);
        let unique = if is_taken(&name) {
            (1..).map(|number| format!("{name}_again_{number}")).find(|name| !is_taken(name))
        } else {
            None
        };
        self.attributes.push(Attribute { name: unique.unwrap_or(name), array });
    }
}

/// An attribute of all vertices of a mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct Attribute {
    /// The name: `position`, `normal`, `uv_0`.
    pub name: String,
    /// One item per vertex.
    pub array: Array,
}

/// A mesh in buffers that several share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Part {
    /// The first index.
    pub first_index: u32,
    /// The number of indices.
    pub index_count: u32,
    /// The first vertex, which the indices count from.
    pub first_vertex: u32,
    /// The number of vertices.
    pub vertex_count: u32,
}

/// A level of detail.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Lod {
    /// The first mesh.
    pub first_mesh: u32,
    /// The number of meshes.
    pub mesh_count: u32,
    /// The nominal scale, one float.
    pub scale: Array,
}

/// Joints, in the order of the file.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Skeleton {
    /// The number of joints.
    pub joints: usize,
    /// The ids of the joints, where the file stores them.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub ids: Option<Array>,
    /// The names, where the format has them; `None` for a joint without a name.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub names: Option<Vec<Option<Text>>>,
    /// The parent of each joint, −1 for none.
    pub parents: Array,
    /// From model space to the space of each joint: 4×4 matrices, row-major.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub inverse_bind: Option<Array>,
    /// The rest translation of each joint relative to its parent.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub translations: Option<Array>,
    /// The rest rotation of each joint relative to its parent: quaternions (X, Y, Z, W).
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub rotations: Option<Array>,
    /// Joints that follow the weighted mean of others.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub blends: Vec<Blend>,
    /// The mesh that is the solid of each joint, 0 for none.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub solids: Option<Array>,
}

impl Skeleton {
    /// Joints with these parents.
    pub fn new(parents: Vec<i32>) -> Skeleton {
        Skeleton {
            joints: parents.len(),
            ids: None,
            names: None,
            parents: Numbers::I32(parents).into(),
            inverse_bind: None,
            translations: None,
            rotations: None,
            blends: Vec::new(),
            solids: None,
        }
    }
}

/// A joint that follows others.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Blend {
    /// The joint.
    pub joint: u32,
    /// The joints that it follows.
    pub joints: Array,
    /// Their weights.
    pub weights: Array,
}

/// Keys of the joints over time.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Animation {
    /// The name.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub name: Option<Text>,
    /// The number of frames.
    pub frames: u64,
    /// The time of each frame in ticks, where the file stores it.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub times: Option<Array>,
    /// The duration in ticks, one float, where the file stores it.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub duration: Option<Array>,
    /// Ticks, or frames, per second: one float.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub rate: Option<Array>,
    /// Whether the animation starts again at its end, where the file stores it.
    #[cfg_attr(feature = "serde", serde(rename = "loop", skip_serializing_if = "Option::is_none"))]
    pub is_loop: Option<bool>,
    /// Keys of translations.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub translations: Option<Keys>,
    /// Keys of rotations: quaternions (X, Y, Z, W).
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub rotations: Option<Keys>,
    /// Keys of scales.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub scales: Option<Keys>,
}

/// Values of joints at frames: joint by joint, each in the order of its frames.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Keys {
    /// The joint of each key.
    pub joints: Array,
    /// The frame of each key.
    pub frames: Array,
    /// The value of each key.
    pub values: Array,
}

impl Keys {
    /// Keys at these joints and frames; `None` without any.
    pub fn new(joints: Vec<u32>, frames: Vec<u32>, values: Array) -> Option<Keys> {
        let is_empty = joints.is_empty();
        let of = |numbers| Numbers::U32(numbers).into();
        (!is_empty).then(|| Keys { joints: of(joints), frames: of(frames), values })
    }
}

/// The model at one time.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Pose {
    /// The animation; `None` for the rest pose.
    pub animation: Option<usize>,
    /// The frame; `None` for the rest pose.
    pub frame: Option<u64>,
    /// The animated translation of each joint, relative to its rest.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub translations: Option<Array>,
    /// The animated rotation of each joint, relative to its rest: quaternions (X, Y, Z, W).
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub rotations: Option<Array>,
    /// The scale of each joint.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub scales: Option<Array>,
    /// The skinned positions of each mesh in model space.
    pub positions: Vec<Array>,
}

impl Pose {
    /// The positions of the meshes in the rest pose.
    pub fn at_rest(positions: Vec<Array>) -> Pose {
        Pose { animation: None, frame: None, translations: None, rotations: None, scales: None, positions }
    }
}

#[cfg(feature = "serde")]
mod data {
    use serde::Serializer;

    use super::Attribute;

    pub(super) fn by_name<S: Serializer>(attributes: &[Attribute], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(attributes.iter().map(|Attribute { name, array }| (name, array)))
    }
}
