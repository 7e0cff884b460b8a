//! The format-neutral model of meshes, skeletons and animations.
//!
//! Documents of every built-in format convert [to](ToScene) and [from](FromScene) scenes. Interchange formats such as
//! glTF and OBJ are read and written as scenes. Each of these formats can therefore be converted to every other.
//!
//! A scene follows the conventions of glTF 2.0: right-handed, +Y up, +Z forward, and counter-clockwise front faces.
//! Vectors are columns, and quaternions are (x, y, z, w). Lengths are in metres if the unit of the source is known.
//! Texture coordinates keep the origin of the source ([`Mesh::uv_origin`]). They are flipped only on conversion to a
//! format with the other origin, since flipping rounds.
//!
//! Nothing is dropped silently: every conversion returns its [losses](crate::Loss).

pub(crate) mod animation;
mod axes;
mod bake;
mod capabilities;
mod check;
mod compare;
mod conversions;
mod edit;
#[cfg_attr(
    not(all(feature = "gltf", feature = "obj", feature = "ply", feature = "stl")),
    allow(
        dead_code,
        reason = "unused if only some interchange formats are enabled"
    )
)]
pub(crate) mod exact;
mod four_components;
mod info;
pub(crate) mod limits;
pub(crate) mod material;
pub(crate) mod merge;
mod mesh;
mod model;
mod origin;
#[cfg_attr(
    not(feature = "gltf"),
    allow(dead_code, unused_imports, reason = "only glTF has nodes")
)]
pub(crate) mod placement;
mod pose;
mod precision;
pub(crate) mod repair;
#[cfg(any(feature = "mesh", feature = "bmd", feature = "gltf"))]
pub(crate) mod resampling;
#[cfg(any(feature = "mesh", feature = "bmd"))]
mod rest;
mod restrict;
#[cfg(feature = "bmd")]
mod scale;
#[cfg(feature = "gltf")]
mod shear;
mod skeleton;
pub(crate) mod skin;
mod source_fields;
#[cfg(feature = "proptest")]
pub mod strategy;
mod surface;
mod texture;
mod triangles;
mod triangulate;

pub use animation::{Animation, Channel, Interpolation, Samples};
pub use axes::{Axes, Axis, Conventions};
pub use capabilities::Capabilities;
pub use compare::{
    CompareOptions, DifferenceKind, SceneComparison, SceneDifference, UncomparedCorners, compare,
};
pub use conversions::SceneConversions;
pub use material::{AlphaMode, Material};
pub use mesh::{Colors, Components, CustomAttribute, Faces, Indices, Mesh};
pub use model::{DrawnMesh, Model};
pub use placement::Placement;
pub use pose::Pose;
pub use precision::Precision;
pub use skeleton::{Joint, Skeleton, Transform};
pub use skin::{Skin, Weights};
pub use source_fields::{KeyframeFields, MeshFields, SourceFields, StridedList};
pub use surface::{Distances, Surface};
pub use texture::{Filter, Image, Sampler, Texture, UvOrigin, Wrap};

use glam::Mat4;
use serde_json::{Map, Value};

use crate::{Dialect, Format, Limits, Loss, Result, Strictness};

/// The triangulation of polygons with many corners, for tests of its running time.
#[cfg(feature = "proptest")]
#[doc(hidden)]
pub mod __private {
    pub use super::triangulate::ears::{VISITS_PER_CORNER, cut_ears};
    pub use super::triangulate::point_tree::{PointTree, contains_point, doubled_area};
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
    /// The source of the scene; `None` if the scene was not converted from a format.
    pub source: Option<Source>,
    /// The meshes.
    pub meshes: Vec<Mesh>,
    /// The levels of detail. Meshes that belong to no level are displayed at every distance.
    pub lods: Vec<Lod>,
    /// The transform of the whole scene; `None` for the identity.
    pub transform: Option<Mat4>,
    /// The skeleton, whose joints are referenced by the skins of the meshes.
    pub skeleton: Skeleton,
    /// The animations of the skeleton.
    pub animations: Vec<Animation>,
    /// Named text properties in the order of the source, as in Seed.
    pub properties: Vec<(String, String)>,
    /// Application-defined bytes, as in IyMA.
    pub user_data: Vec<u8>,
    /// Application-specific data.
    pub extras: Extras,
}

/// The format that a scene was read from, and the conventions used.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    /// The name of the format.
    pub format: String,
    /// The conventions used for reading.
    pub conventions: Conventions,
    /// The names of materials that no mesh uses.
    pub unused_materials: Vec<String>,
}

/// Application-specific JSON data, by name.
pub type Extras = Map<String, Value>;

/// A level of detail.
///
/// ```
/// use meshspec::scene::{Lod, Mesh, Scene};
///
/// let mut scene = Scene { meshes: vec![Mesh::default(), Mesh::default()], ..Scene::default() };
/// scene.lods = vec![Lod { distance: 0.0, meshes: vec![0] }, Lod { distance: 50.0, meshes: vec![1] }];
/// assert_eq!(scene.finest_meshes(), [true, false]);
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Lod {
    /// The minimum distance in metres at which the meshes are displayed.
    pub distance: f32,
    /// Indices into [`Scene::meshes`].
    pub meshes: Vec<usize>,
}

/// Options for conversions between a format and a scene.
///
/// ```
/// # #[cfg(feature = "mesh")] {
/// use meshspec::scene::SceneOptions;
/// use meshspec::{Dialect, Document};
///
/// let (scene, _) = meshspec::open("samples/mesh/flag.mesh")?.into_scene(&SceneOptions::default())?;
/// let options = SceneOptions::default().with_dialect(Dialect::RENDERLIB);
/// let (document, _) = Document::from_scene(meshspec::mesh::FORMAT, scene, &options)?;
/// assert_eq!(document.dialect(), Dialect::RENDERLIB);
/// # }
/// # Ok::<(), meshspec::Error>(())
/// ```
///
/// ```
/// # #[cfg(feature = "obj")] {
/// # use std::collections::BTreeMap;
/// use meshspec::interop::Interchange;
/// use meshspec::scene::{Conventions, SceneOptions};
///
/// let z_up = Conventions::GLTF.with_axes("+x,+z,+y".parse()?);
/// let options = SceneOptions::default().with_conventions(z_up);
/// let text = b"v 0 0 0\nv 1 0 0\nv 0 1 2\nf 1 2 3\n";
/// let (scene, _) = Interchange::Obj.read(text, &BTreeMap::new(), &options, &Default::default())?;
/// assert_eq!(scene.bounds().unwrap().max[1], 2.0);
/// # }
/// # Ok::<(), meshspec::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SceneOptions {
    /// The conventions of the file to read or write; `None` for the [conventions of the format](ToScene::CONVENTIONS).
    pub conventions: Option<Conventions>,
    /// The dialect to write; `None` for the dialect of the specification.
    pub dialect: Option<Dialect>,
    /// The extension of the output file, for formats with several file types, such as Crucible. `None` if the file name
    /// is unknown.
    pub extension: Option<String>,
    /// Whether reading bakes the transforms of nodes into the vertices. Copied meshes, dropped names and conflicting
    /// extras are listed as losses; the transforms are not. If `false`, nodes become [placements](Mesh::placements).
    /// Writers of formats without nodes bake placements and list the loss.
    pub bake: bool,
    /// The maximum number of triangles, and of vertices. Meshes copied for several nodes count once per copy; see
    /// [`Limits::max_triangles`].
    pub max_triangles: u64,
    /// The precision of positions, for formats with several vertex forms, such as BMD. `None` selects the smallest form
    /// without a visible error.
    pub precision: Option<Precision>,
    /// The strictness of reading interchange formats and of writing BMD. Lenient mode drops and lists invalid faces and
    /// truncated data, and writes meshes even if packing distorts them beyond recognition.
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
    /// Sets the conventions of the file to read or write.
    pub fn with_conventions(self, conventions: Conventions) -> SceneOptions {
        SceneOptions {
            conventions: Some(conventions),
            ..self
        }
    }

    /// Sets the dialect to write.
    pub fn with_dialect(self, dialect: Dialect) -> SceneOptions {
        SceneOptions {
            dialect: Some(dialect),
            ..self
        }
    }

    /// Sets the extension of the output file.
    pub fn with_extension(self, extension: impl Into<String>) -> SceneOptions {
        SceneOptions {
            extension: Some(extension.into()),
            ..self
        }
    }

    /// Sets whether reading bakes the transforms of nodes into the vertices.
    pub fn with_bake(self, bake: bool) -> SceneOptions {
        SceneOptions { bake, ..self }
    }

    /// Sets the maximum number of triangles.
    ///
    /// ```
    /// use meshspec::Strictness;
    /// use meshspec::scene::SceneOptions;
    ///
    /// let options = SceneOptions::default().with_max_triangles(1_000_000).with_bake(true);
    /// let options = options.with_strictness(Strictness::Lenient).with_extension("cmodel");
    /// assert_eq!((options.bake, options.extension.as_deref()), (true, Some("cmodel")));
    /// ```
    pub fn with_max_triangles(self, triangles: u64) -> SceneOptions {
        SceneOptions {
            max_triangles: triangles,
            ..self
        }
    }

    /// Sets the strictness.
    pub fn with_strictness(self, strictness: Strictness) -> SceneOptions {
        SceneOptions { strictness, ..self }
    }

    /// Sets the precision of positions.
    pub fn with_precision(self, precision: Precision) -> SceneOptions {
        SceneOptions {
            precision: Some(precision),
            ..self
        }
    }
}

/// Appends an item to a list. Returns its index.
pub(crate) fn push_index<T>(list: &mut Vec<T>, item: T) -> usize {
    list.push(item);
    list.len() - 1
}

/// A format whose documents convert to scenes.
///
/// ```
/// # #[cfg(feature = "mesh")] {
/// use meshspec::scene::ToScene;
/// use meshspec::{Format, mesh};
///
/// let document = mesh::Document::read(&std::fs::read("samples/mesh/flag.mesh")?, &Default::default())?;
/// let (scene, losses) = document.into_scene(&Default::default())?;
/// assert_eq!((scene.meshes.len(), losses.len()), (1, 0));
/// # }
/// # Ok::<(), meshspec::Error>(())
/// ```
pub trait ToScene: Format {
    /// The axes, unit and texture origin of the format, with the evidence for them.
    const CONVENTIONS: Conventions;

    /// Returns the fields that each mesh, joint and key is read from, in the order of
    /// [`into_scene`](ToScene::into_scene).
    ///
    /// The default implementation returns no fields, so `meshspec view` cannot link fields to the model.
    fn source_fields(&self) -> SourceFields {
        SourceFields::default()
    }

    /// Converts the document to a scene, and lists the losses.
    ///
    /// # Errors
    ///
    /// Returns an error if [violations](Format::check) prevent the conversion (for example, if an animation lacks
    /// poses), or the scene would exceed a limit.
    fn into_scene(self, options: &SceneOptions) -> Result<(Scene, Vec<Loss>)>;
}

/// A format whose documents can be converted from scenes.
///
/// ```
/// # #[cfg(all(feature = "mesh", feature = "seed"))] {
/// use meshspec::scene::{FromScene, Scene};
/// use meshspec::{Format, mesh};
///
/// let (scene, _) = Scene::open("samples/seed/facets.mesh")?;
/// let (document, losses) = mesh::Document::from_scene(scene, &Default::default())?;
/// losses.iter().for_each(|loss| println!("{loss}"));
/// let bytes = document.write(&Default::default())?;
/// # assert!(!bytes.is_empty());
/// # }
/// # Ok::<(), meshspec::Error>(())
/// ```
pub trait FromScene: ToScene {
    /// Whether readers of the format require normals. If so, `meshspec convert` generates missing normals.
    const NEEDS_NORMALS: bool = false;

    /// Converts a scene to a document, and lists the losses.
    ///
    /// # Errors
    ///
    /// Returns an error if the format cannot express the scene, for example because the scene has too many meshes.
    fn from_scene(scene: Scene, options: &SceneOptions) -> Result<(Self, Vec<Loss>)>;
}
