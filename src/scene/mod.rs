//! The neutral model: what a mesh file holds, in the terms of no format.
//!
//! Every format's document turns [into a scene](FromScene) and is made [from one](FromScene); interchange formats
//! (glTF, OBJ …) only know scenes. So each of them becomes any other.
//!
//! A scene follows the conventions of glTF 2.0: right-handed, +Y up, +Z forward, counter-clockwise front faces, column
//! vectors, quaternions (x, y, z, w), metres where the source says metres. Texture coordinates keep the origin that they
//! had ([`Mesh::uv_origin`]): turning them over rounds, and is only done for a target that has the other one.
//!
//! Nothing is dropped silently: every conversion returns a list of [losses](crate::Loss).

mod animation;
mod axes;
mod capabilities;
mod check;
mod edit;
mod info;
mod merge;
mod mesh;
mod pose;
mod precision;
#[cfg(any(feature = "mesh", feature = "bmd"))]
mod rest;
#[cfg(feature = "bmd")]
mod scale;
mod skeleton;
mod skin;
#[cfg(feature = "proptest")]
pub mod strategy;
mod triangulate;

pub use animation::{Animation, Channel, Interpolation, Samples};
pub use axes::{Axes, Axis, Conventions, UvOrigin};
#[allow(unused_imports, reason = "each format has some, and there may be no format")]
pub(crate) use capabilities::Capabilities;
#[cfg(feature = "iyma")]
pub(crate) use merge::share_attributes;
pub use mesh::{Colors, Components, Custom, Faces, Indices, Material, Mesh};
pub use precision::Precision;
pub use skeleton::{Joint, Skeleton, Transform};
#[cfg(feature = "bmd")]
pub(crate) use skin::influences;
#[cfg(any(feature = "mesh", feature = "gltf"))]
pub(crate) use skin::weights_to_bytes;
pub use skin::{Skin, Weights};

use glam::Mat4;
use serde_json::{Map, Value};

use crate::{Dialect, Format, Loss, Result, Strictness};

/// Meshes with a skeleton and its animations, in the conventions of glTF 2.0.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scene {
    /// Where it comes from.
    pub source: Option<Source>,
    /// The meshes.
    pub meshes: Vec<Mesh>,
    /// The levels of detail; empty where all meshes are shown at every distance. So are meshes of no level.
    pub lods: Vec<Lod>,
    /// Transform of the whole scene. `None` is the identity.
    pub transform: Option<Mat4>,
    /// The joints that the skins of the meshes refer to.
    pub skeleton: Skeleton,
    /// The animations of the skeleton.
    pub animations: Vec<Animation>,
    /// Text that the source names, in its order: properties of Seed.
    pub properties: Vec<(String, String)>,
    /// Bytes that only the application understands: user data of IyMA.
    pub user_data: Vec<u8>,
    /// What has no other place.
    pub extras: Extras,
}

/// Where a scene comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    /// The name of the format.
    pub format: String,
    /// How its files were understood.
    pub conventions: Conventions,
}

/// What has no other place in the model, by name.
pub type Extras = Map<String, Value>;

/// One level of detail: the meshes to show from a distance on.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Lod {
    /// Distance in metres from which on these meshes are shown; 0 for the finest level.
    pub distance: f32,
    /// Indices into [`Scene::meshes`].
    pub meshes: Vec<usize>,
}

/// How to convert between a format and a scene.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct SceneOptions {
    /// The conventions of the format's side, where its own ([`FromScene::CONVENTIONS`]) are not to be assumed.
    pub conventions: Option<Conventions>,
    /// The dialect to make; that of the specification where `None`.
    pub dialect: Option<Dialect>,
    /// The extension of the file to be written, where a format has several kinds of files: Crucible. `None` where there
    /// is no file yet.
    pub extension: Option<String>,
    /// Whether the transforms of nodes shall be applied to the vertices of their meshes. glTF's always are, since a scene
    /// has no nodes; without this wish that is listed as a change.
    pub bake: bool,
    /// How precisely to store positions, where a format has several forms of vertices: BMD. `None`: in the smallest form
    /// without a visible difference.
    pub precision: Option<Precision>,
    /// What reading of interchange formats refuses. Leniently read, what is not there is left out and listed.
    pub strictness: Strictness,
}

impl SceneOptions {
    /// These options with the conventions that the files follow.
    pub fn with_conventions(mut self, conventions: Conventions) -> SceneOptions {
        self.conventions = Some(conventions);
        self
    }

    /// These options with the dialect to make.
    pub fn with_dialect(mut self, dialect: Dialect) -> SceneOptions {
        self.dialect = Some(dialect);
        self
    }

    /// These options with the extension of the file to be written.
    pub fn with_extension(mut self, extension: impl Into<String>) -> SceneOptions {
        self.extension = Some(extension.into());
        self
    }

    /// These options with the wish to have the transforms of nodes applied to the vertices, or without.
    pub fn with_bake(mut self, bake: bool) -> SceneOptions {
        self.bake = bake;
        self
    }

    /// These options with what reading refuses.
    pub fn with_strictness(mut self, strictness: Strictness) -> SceneOptions {
        self.strictness = strictness;
        self
    }

    /// These options with the precision of positions.
    pub fn with_precision(mut self, precision: Precision) -> SceneOptions {
        self.precision = Some(precision);
        self
    }
}

/// A format whose documents become scenes and are made from them.
pub trait FromScene: Format {
    /// How the format understands space, with the evidence.
    const CONVENTIONS: Conventions;

    /// Whether programs that use files of the format need normals, so that converters generate them for scenes of other
    /// formats that have none.
    const NEEDS_NORMALS: bool = false;

    /// The content as a scene, with a list of what a scene cannot hold.
    ///
    /// # Errors
    ///
    /// If the document is not [valid](Format::check): indices of missing joints or vertices.
    fn into_scene(self, options: &SceneOptions) -> Result<(Scene, Vec<Loss>)>;

    /// A document with the content of the scene, with a list of what the format cannot hold.
    ///
    /// # Errors
    ///
    /// If the format cannot express the scene at all, such as a mesh with too many joints.
    fn from_scene(scene: Scene, options: &SceneOptions) -> Result<(Self, Vec<Loss>)>;
}
