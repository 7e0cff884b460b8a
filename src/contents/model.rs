//! The contents of a file: meshes, skeleton, animations, poses.

use super::array::{Array, Numbers};
use super::fields::Fields;
use crate::{Dialect, Text};
use meshspec_derive::ToJson;

/// The decoded contents of a file: unpacked numbers and strings, in one structure for all formats.
///
/// Fields that a format lacks are empty. `docs/contents.md` defines each field.
///
/// ```
/// use meshspec::Dialect;
/// use meshspec::contents::{Array, Contents, Mesh, Numbers};
///
/// let mut mesh = Mesh::new(3);
/// mesh.add_attribute("position", Array::from_rows(vec![[0.0_f32; 3], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]));
/// mesh.indices = Some(Numbers::U16(vec![0, 1, 2]).into());
/// let mut contents = Contents::new("terrain", Dialect::SPEC);
/// contents.meshes.push(mesh);
/// assert_eq!(contents.meshes[0].attributes[0].array.shape, [3, 3]);
/// ```
#[derive(Debug, Default, ToJson)]
#[non_exhaustive]
pub struct Contents<'f> {
    /// The name of the format.
    pub format: &'static str,
    /// The dialect in which the file was read.
    pub dialect: Dialect,
    /// Named strings, in file order.
    pub properties: Vec<Property>,
    /// Application-defined bytes.
    pub user_data: Option<Array>,
    /// The transform of the whole model: 4×4, row-major.
    pub root_transform: Option<Array>,
    /// The meshes.
    pub meshes: Vec<Mesh>,
    /// The levels of detail.
    pub lods: Vec<Lod>,
    /// The skeleton.
    pub skeleton: Option<Skeleton>,
    /// The animations.
    pub animations: Vec<Animation>,
    /// The model at up to three frames of each animation and, in BMD, in the rest pose.
    pub poses: Vec<Pose>,
    /// The decoded fields, for a custom format whose model is unknown to the library.
    pub fields: Option<Fields<'f>>,
}

impl Contents<'_> {
    /// Creates empty contents of a file of this format.
    pub fn new(format: &'static str, dialect: Dialect) -> Self {
        Contents {
            format,
            dialect,
            ..Contents::default()
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

/// A mesh: vertices and faces.
#[derive(Debug, Clone, PartialEq, Default, ToJson)]
#[non_exhaustive]
pub struct Mesh {
    /// The name of the material.
    pub material: Option<Text>,
    /// The number of vertices.
    pub vertices: usize,
    /// The vertex attributes. Names are unique within the mesh.
    #[json(with = "serde_attributes::by_name")]
    pub attributes: Vec<Attribute>,
    /// Vertex indices, three per triangle unless `face_sizes` is set. `None` if the file has no indices.
    pub indices: Option<Array>,
    /// The number of indices per face, if faces vary in size.
    pub face_sizes: Option<Array>,
    /// The ranges of the meshes that share these vertices and indices; `None` if each mesh has its own buffers.
    pub parts: Option<Vec<MeshRange>>,
}

impl Mesh {
    /// Creates a mesh with `vertices` vertices and without attributes.
    pub fn new(vertices: usize) -> Mesh {
        Mesh {
            vertices,
            ..Mesh::default()
        }
    }

    /// Adds an attribute. A duplicate name gets a numbered suffix: `normal_again_1`.
    pub fn add_attribute(&mut self, name: impl Into<String>, array: Array) {
        let name = name.into();
        let is_taken = |name: &str| {
            self.attributes
                .iter()
                .any(|attribute| attribute.name == name)
        };
        let numbered = (1..).map(|number| format!("{name}_again_{number}"));
        let unique = std::iter::once(name.clone())
            .chain(numbered)
            .find(|name| !is_taken(name));
        self.attributes.push(Attribute {
            name: unique.unwrap_or(name),
            array,
        });
    }
}

/// A vertex attribute of a mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct Attribute {
    /// The name, such as `position`, `normal` or `uv_0`.
    pub name: String,
    /// One item per vertex.
    pub array: Array,
}

/// The range of a mesh in buffers that several meshes share.
///
/// ```
/// # #[cfg(feature = "iyma")] {
/// use meshspec::contents::{Attribute, MeshRange};
///
/// let mesh = meshspec::open("samples/iyma/quads.ima")?.contents().meshes.remove(0);
/// let Attribute { name, array } = &mesh.attributes[0];
/// assert_eq!((&**name, &*array.shape), ("position", &[8, 3][..]));
/// let MeshRange { first_index, index_count, first_vertex, .. } = mesh.parts.unwrap()[1];
/// assert_eq!((first_index, index_count, first_vertex), (6, 6, 4));
/// # }
/// # Ok::<(), meshspec::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, ToJson)]
pub struct MeshRange {
    /// The position of the first index in the shared index list.
    pub first_index: u32,
    /// The number of indices.
    pub index_count: u32,
    /// The position of the first vertex, to which the indices are relative.
    pub first_vertex: u32,
    /// The number of vertices.
    pub vertex_count: u32,
}

/// A level of detail.
#[derive(Debug, Clone, PartialEq, ToJson)]
pub struct Lod {
    /// The index of the first mesh.
    pub first_mesh: u32,
    /// The number of meshes.
    pub mesh_count: u32,
    /// The nominal scale, one float.
    pub scale: Array,
}

/// The joints, in file order.
///
/// ```
/// use meshspec::contents::{Array, Blend, Keys, Numbers, Skeleton};
///
/// let mut skeleton = Skeleton::new(vec![-1, 0, 0]);
/// let [joints, weights] = [Numbers::from(vec![0_u8, 1]), Numbers::from(vec![0.5_f32, 0.5])].map(Array::from);
/// skeleton.blends.push(Blend { joint: 2, joints, weights });
/// let raised = Keys::new(vec![1], vec![0], Array::from_rows(vec![[0.0_f32, 1.0, 0.0]]));
/// assert_eq!((skeleton.joints, raised.unwrap().values.shape), (3, vec![1, 3]));
/// ```
#[derive(Debug, Clone, PartialEq, ToJson)]
#[non_exhaustive]
pub struct Skeleton {
    /// The number of joints.
    pub joints: usize,
    /// The joint ids, if the file stores them.
    pub ids: Option<Array>,
    /// The joint names, if the format has names; `None` for an unnamed joint.
    pub names: Option<Vec<Option<Text>>>,
    /// The parent of each joint; −1 for a root.
    pub parents: Array,
    /// Inverse bind matrices, from model space to joint space: 4×4, row-major.
    pub inverse_bind: Option<Array>,
    /// The rest translations relative to the parent, for all joints before the first of `blends`.
    pub translations: Option<Array>,
    /// The rest rotations of the same joints: quaternions (X, Y, Z, W).
    pub rotations: Option<Array>,
    /// Joints driven by weighted combinations of other joints (BMD pseudo-bones).
    pub blends: Vec<Blend>,
    /// The index of the solid mesh of each joint; 0 for none.
    pub solids: Option<Array>,
}

impl Skeleton {
    /// Creates a skeleton from the parent of each joint.
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

/// A joint that blends the transforms of other joints.
#[derive(Debug, Clone, PartialEq, ToJson)]
pub struct Blend {
    /// The joint.
    pub joint: u32,
    /// The joints that it blends.
    pub joints: Array,
    /// The weights of these joints.
    pub weights: Array,
}

/// Keyframes of the joints.
#[derive(Debug, Clone, PartialEq, Default, ToJson)]
#[non_exhaustive]
pub struct Animation {
    /// The name.
    pub name: Option<Text>,
    /// The number of frames.
    pub frames: u64,
    /// The time of each frame in ticks, if the file stores it.
    pub times: Option<Array>,
    /// The duration in ticks, one float, if the file stores it.
    pub duration: Option<Array>,
    /// Ticks per second (MESH) or frames per second (BMD), one float.
    pub rate: Option<Array>,
    /// Whether the animation loops, if the file stores it.
    #[json(name = "loop")]
    pub is_loop: Option<bool>,
    /// Translation keys.
    pub translations: Option<Keys>,
    /// Rotation keys: quaternions (X, Y, Z, W).
    pub rotations: Option<Keys>,
    /// Scale keys.
    pub scales: Option<Keys>,
}

/// The keys of all joints, sorted by joint, then frame.
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
    /// Creates keys from the joint, frame and value of each key; `None` if there are no keys.
    pub fn new(joints: Vec<u32>, frames: Vec<u32>, values: Array) -> Option<Keys> {
        let array = |numbers| Numbers::U32(numbers).into();
        (!joints.is_empty()).then(|| Keys {
            joints: array(joints),
            frames: array(frames),
            values,
        })
    }
}

/// The model at one frame, or in the rest pose.
#[derive(Debug, Clone, PartialEq, ToJson)]
#[non_exhaustive]
pub struct Pose {
    /// The animation; `None` for the rest pose.
    #[json(always)]
    pub animation: Option<usize>,
    /// The frame; `None` for the rest pose.
    #[json(always)]
    pub frame: Option<u64>,
    /// The animated translations of the joints that are not in [`Skeleton::blends`], relative to the rest transform.
    pub translations: Option<Array>,
    /// The animated rotations of the same joints, relative to the rest transform: quaternions (X, Y, Z, W).
    pub rotations: Option<Array>,
    /// The scales of the same joints.
    pub scales: Option<Array>,
    /// The skinned positions of each mesh in model space.
    #[json(always)]
    pub positions: Vec<Array>,
}

impl Pose {
    /// Creates the rest pose from the positions of each mesh.
    ///
    /// ```
    /// use meshspec::contents::{Array, Pose};
    ///
    /// let pose = Pose::at_rest(vec![Array::from_rows(vec![[0.0f32, 1.0, 2.0]])]);
    /// assert_eq!((pose.animation, pose.frame, &*pose.positions[0].shape), (None, None, &[1, 3][..]));
    /// ```
    pub fn at_rest(positions: Vec<Array>) -> Pose {
        Pose {
            animation: None,
            frame: None,
            translations: None,
            rotations: None,
            scales: None,
            positions,
        }
    }
}

#[cfg(feature = "serde")]
mod serde_attributes {
    use serde::Serializer;

    use super::Attribute;

    pub(super) fn by_name<S: Serializer>(
        attributes: &[Attribute],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_map(
            attributes
                .iter()
                .map(|Attribute { name, array }| (name, array)),
        )
    }
}
