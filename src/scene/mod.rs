//! The neutral model: what a mesh file holds, in the terms of no format.
//!
//! Every format's document turns [into a scene](ToScene) and is made [from one](FromScene); interchange formats
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
#[cfg_attr(
    not(all(feature = "gltf", feature = "obj", feature = "ply", feature = "stl")),
    allow(dead_code, reason = "each interchange format needs a part of it")
)]
pub(crate) mod exact;
mod info;
mod material;
mod merge;
mod mesh;
mod origin;
#[cfg_attr(not(feature = "gltf"), allow(dead_code, unused_imports, reason = "only glTF has nodes"))]
mod placement;
mod places;
mod pose;
mod precision;
#[cfg(any(feature = "mesh", feature = "bmd", feature = "gltf"))]
mod resampling;
#[cfg(any(feature = "mesh", feature = "bmd"))]
mod rest;
mod restrict;
#[cfg(feature = "bmd")]
mod scale;
mod skeleton;
mod skin;
#[cfg(feature = "proptest")]
pub mod strategy;
mod texture;
mod triangles;
mod triangulate;

pub use animation::{Animation, Channel, Interpolation, Samples};
pub use axes::{Axes, Axis, Conventions, UvOrigin};
pub use capabilities::Capabilities;
pub use material::{AlphaMode, Material};
#[cfg(feature = "iyma")]
pub(crate) use merge::share_attributes;
pub use mesh::{Colors, Components, Custom, Faces, Indices, Mesh};
pub use placement::Placement;
#[cfg(feature = "gltf")]
pub(crate) use placement::is_diagonal;
pub use places::{KeyPlaces, MeshPlaces, Places, Share};
pub use pose::Pose;
pub use precision::Precision;
#[cfg(any(feature = "mesh", feature = "bmd", feature = "gltf"))]
pub(crate) use resampling::Deviation;
pub use skeleton::{Joint, Skeleton, Transform};
#[cfg(feature = "bmd")]
pub(crate) use skin::influences;
#[cfg(any(feature = "mesh", feature = "gltf"))]
pub(crate) use skin::weights_to_bytes;
pub use skin::{Skin, Weights};
#[cfg(any(feature = "gltf", feature = "obj"))]
pub(crate) use texture::TextureTransform;
pub use texture::{Filter, Image, Sampler, Texture, Wrap};

use glam::Mat4;
use serde_json::{Map, Value};

use crate::{Dialect, Format, Limits, Loss, Result, Strictness};

/// The triangulation of polygons with many corners, for the tests of its time.
#[cfg(feature = "proptest")]
#[doc(hidden)]
pub mod __private {
    pub use super::triangulate::ears::{VISITS_PER_CORNER, cut_ears};
    pub use super::triangulate::point_tree::{PointTree, area, has_inside};
}

/// Meshes with a skeleton and its animations, in the conventions of glTF 2.0.
///
/// ```
/// # #[cfg(feature = "stl")] {
/// use meshspec::interop::Interchange;
/// use meshspec::scene::SceneOptions;
///
/// let text = b"solid a\nfacet normal 0 0 1\nouter loop\n\
///     vertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n";
/// let files = std::collections::BTreeMap::new();
/// let (scene, _) = Interchange::Stl.read(text, &files, &SceneOptions::default(), &Default::default())?;
/// assert_eq!(scene.meshes[0].positions.len(), 3);
/// assert_eq!(scene.triangles().count(), 1);
/// # }
/// # Ok::<(), meshspec::Error>(())
/// ```
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
    /// The names of materials that no mesh has.
    pub unused_materials: Vec<String>,
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
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SceneOptions {
    /// Conventions to use instead of [those of the format](ToScene::CONVENTIONS).
    pub conventions: Option<Conventions>,
    /// The dialect to make; that of the specification where `None`.
    pub dialect: Option<Dialect>,
    /// The extension of the file to be written, where a format has several kinds of files: Crucible. `None` where there
    /// is no file yet.
    pub extension: Option<String>,
    /// Whether reading applies the transforms of nodes to the vertices of their meshes, which is then no loss. Otherwise
    /// they become [placements](Mesh::placements), and formats without nodes apply them and list that.
    pub bake: bool,
    /// Triangles, and vertices, that a scene may have after the meshes of several nodes are copied, if they are:
    /// [`Limits::max_triangles`].
    pub max_triangles: u64,
    /// How precisely to store positions, where a format has several forms of vertices: BMD. `None`: in the smallest form
    /// without a visible difference.
    pub precision: Option<Precision>,
    /// What reading of interchange formats refuses, and writing of BMD. Lenient mode drops and lists what is missing, and
    /// writes meshes that packing changes beyond recognition.
    pub strictness: Strictness,
}

impl Default for SceneOptions {
    fn default() -> SceneOptions {
        SceneOptions {
            conventions: None,
            dialect: None,
            extension: None,
            bake: false,
            max_triangles: Limits::default().max_triangles,
            precision: None,
            strictness: Strictness::default(),
        }
    }
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

    /// These options with another bound on triangles.
    pub fn with_max_triangles(mut self, triangles: u64) -> SceneOptions {
        self.max_triangles = triangles;
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

/// A format whose documents become scenes.
pub trait ToScene: Format {
    /// How the format understands space, with the evidence.
    const CONVENTIONS: Conventions;

    /// The content as a scene, with a list of what a scene cannot hold.
    ///
    /// # Errors
    ///
    /// If the document is not [valid](Format::check): indices of missing joints or vertices.
    fn into_scene(self, options: &SceneOptions) -> Result<(Scene, Vec<Loss>)>;
}

/// A format whose documents are made from scenes.
pub trait FromScene: ToScene {
    /// Whether programs that use files of the format need normals, so that converters generate them for scenes of other
    /// formats that have none.
    const NEEDS_NORMALS: bool = false;

    /// Returns the fields that the scene is made of: of each mesh, joint and key in the order of [`into_scene`](ToScene::into_scene).
    /// Without any, programs show the fields and the model of a file side by side, unlinked.
    fn places(&self) -> Places {
        Places::default()
    }

    /// A document with the content of the scene, with a list of what the format cannot hold.
    ///
    /// # Errors
    ///
    /// If the format cannot express the scene at all, such as a mesh with too many joints.
    fn from_scene(scene: Scene, options: &SceneOptions) -> Result<(Self, Vec<Loss>)>;
}
