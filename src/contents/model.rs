//! What the contents of a file are: meshes, skeleton, animations, poses.

use super::array::{Array, Numbers};
use super::fields::Fields;
use crate::{Dialect, Text};
use meshspec_derive::ToJson;

/// The contents of a file as plain numbers, the same shape for every format.
///
/// Each format fills what it has. `docs/contents.md` says from which fields of the file each value comes.
#[derive(Debug, ToJson)]
#[non_exhaustive]
pub struct Contents<'f> {
    /// The name of the format.
    pub format: &'static str,
    /// The dialect that the file was read as.
    pub dialect: Dialect,
    /// Named texts, in the order of the file.
    pub properties: Vec<Property>,
    /// Bytes that only the application understands.
    pub user_data: Option<Array>,
    /// The transform of the whole model, 4×4, row-major.
    pub root_transform: Option<Array>,
    /// The meshes.
    pub meshes: Vec<Mesh>,
    /// The levels of detail.
    pub lods: Vec<Lod>,
    /// The skeleton.
    pub skeleton: Option<Skeleton>,
    /// The animations.
    pub animations: Vec<Animation>,
    /// The model in its rest pose and at three times of each animation.
    pub poses: Vec<Pose>,
    /// The decoded fields of a format without a codec.
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
#[derive(Debug, Clone, PartialEq, Eq, ToJson)]
pub struct Property {
    /// The name.
    pub name: String,
    /// The text.
    pub value: String,
}

/// Vertices, and the faces between them.
#[derive(Debug, Clone, PartialEq, Default, ToJson)]
#[non_exhaustive]
pub struct Mesh {
    /// The material.
    pub material: Option<Text>,
    /// The number of vertices.
    pub vertices: usize,
    /// The attributes of the vertices, each under a name that is unique in the mesh.
    #[json(with = "data::by_name")]
    pub attributes: Vec<Attribute>,
    /// Indices of vertices; three make a triangle unless `face_sizes` says otherwise. `None` if the file has none.
    pub indices: Option<Array>,
    /// The number of indices of each face, where faces differ in size.
    pub face_sizes: Option<Array>,
    /// The ranges of the meshes that share these buffers.
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, ToJson)]
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
#[derive(Debug, Clone, PartialEq, ToJson)]
pub struct Lod {
    /// The first mesh.
    pub first_mesh: u32,
    /// The number of meshes.
    pub mesh_count: u32,
    /// The nominal scale, one float.
    pub scale: Array,
}

/// Joints, in the order of the file.
#[derive(Debug, Clone, PartialEq, ToJson)]
#[non_exhaustive]
pub struct Skeleton {
    /// The number of joints.
    pub joints: usize,
    /// The ids of the joints, where the file stores them.
    pub ids: Option<Array>,
    /// The names, where the format has them; `None` for a joint without a name.
    pub names: Option<Vec<Option<Text>>>,
    /// The parent of each joint, −1 for none.
    pub parents: Array,
    /// From model space to the space of each joint: 4×4 matrices, row-major.
    pub inverse_bind: Option<Array>,
    /// The rest translation of each joint relative to its parent.
    pub translations: Option<Array>,
    /// The rest rotation of each joint relative to its parent: quaternions (X, Y, Z, W).
    pub rotations: Option<Array>,
    /// Joints that follow the weighted mean of others.
    pub blends: Vec<Blend>,
    /// The mesh that is the solid of each joint, 0 for none.
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
#[derive(Debug, Clone, PartialEq, ToJson)]
pub struct Blend {
    /// The joint.
    pub joint: u32,
    /// The joints that it follows.
    pub joints: Array,
    /// Their weights.
    pub weights: Array,
}

/// Keys of the joints over time.
#[derive(Debug, Clone, PartialEq, Default, ToJson)]
#[non_exhaustive]
pub struct Animation {
    /// The name.
    pub name: Option<Text>,
    /// The number of frames.
    pub frames: u64,
    /// The time of each frame in ticks, where the file stores it.
    pub times: Option<Array>,
    /// The duration in ticks, one float, where the file stores it.
    pub duration: Option<Array>,
    /// Ticks, or frames, per second: one float.
    pub rate: Option<Array>,
    /// Whether the animation starts again at its end, where the file stores it.
    #[json(name = "loop")]
    pub is_loop: Option<bool>,
    /// Keys of translations.
    pub translations: Option<Keys>,
    /// Keys of rotations: quaternions (X, Y, Z, W).
    pub rotations: Option<Keys>,
    /// Keys of scales.
    pub scales: Option<Keys>,
}

/// Values of joints at frames: joint by joint, each in the order of its frames.
#[derive(Debug, Clone, PartialEq, ToJson)]
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
#[derive(Debug, Clone, PartialEq, ToJson)]
#[non_exhaustive]
pub struct Pose {
    /// The animation; `None` for the rest pose.
    #[json(always)]
    pub animation: Option<usize>,
    /// The frame; `None` for the rest pose.
    #[json(always)]
    pub frame: Option<u64>,
    /// The animated translation of each joint, relative to its rest.
    pub translations: Option<Array>,
    /// The animated rotation of each joint, relative to its rest: quaternions (X, Y, Z, W).
    pub rotations: Option<Array>,
    /// The scale of each joint.
    pub scales: Option<Array>,
    /// The skinned positions of each mesh in model space.
    #[json(always)]
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
