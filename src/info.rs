//! Summaries of documents and scenes, with the same structure for all formats.
//!
//! ```
//! # #[cfg(all(feature = "mesh", feature = "scene"))] {
//! let document = meshspec::open("samples/mesh/tentacle.mesh")?;
//! let info = document.info();
//! assert_eq!((info.skeleton.unwrap().joints, info.animations[0].seconds), (4, Some(2.0)));
//!
//! let (scene, _) = document.into_scene(&Default::default())?;
//! let (mesh, triangles) = scene.info().meshes.remove(0);
//! assert_eq!((mesh.vertices, triangles, mesh.bounds.unwrap().max[1]), (20, 32, 3.0));
//! # }
//! # Ok::<(), meshspec::Error>(())
//! ```

use meshspec_derive::ToJson;
use std::borrow::Cow;
#[cfg(any(feature = "bmd", feature = "scene"))]
use std::collections::HashSet;

use crate::Dialect;
#[cfg(any(feature = "mesh", feature = "crucible"))]
use crate::layout::declaration::{Declaration, Shape, Type};

/// A summary of a document.
#[derive(Debug, Clone, PartialEq, ToJson)]
#[non_exhaustive]
pub struct Info {
    /// The name of the format.
    pub format: &'static str,
    /// The dialect.
    pub dialect: Dialect,
    /// Format-specific values, or the named strings in the file, in file order.
    pub properties: Vec<Property>,
    /// The transform of the whole model, row by row; `None` if the format or dialect has none.
    pub root_transform: Option<[[f32; 4]; 4]>,
    /// The meshes.
    #[json(always)]
    pub meshes: Vec<MeshInfo>,
    /// The skeleton, if there is one.
    #[json(always)]
    pub skeleton: Option<SkeletonInfo>,
    /// The animations.
    #[json(always)]
    pub animations: Vec<AnimationInfo>,
    /// The material names, without duplicates.
    pub materials: Vec<String>,
}

impl Info {
    /// Creates an empty summary of a file of this format.
    pub fn new(format: &'static str, dialect: Dialect) -> Info {
        Info {
            format,
            dialect,
            properties: Vec::new(),
            root_transform: None,
            meshes: Vec::new(),
            skeleton: None,
            animations: Vec::new(),
            materials: Vec::new(),
        }
    }
}

/// A summary of a [scene](crate::scene::Scene).
#[cfg(feature = "scene")]
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SceneInfo {
    /// The named strings.
    pub properties: Vec<Property>,
    /// The meshes, each with its number of triangles after triangulation.
    pub meshes: Vec<(MeshInfo, u64)>,
    /// The skeleton, if there is one.
    pub skeleton: Option<SkeletonInfo>,
    /// The animations.
    pub animations: Vec<AnimationInfo>,
    /// The material names, without duplicates; unused materials come last.
    pub materials: Vec<String>,
    /// The texture names, one per image. Unnamed embedded images are listed by type and size.
    pub textures: Vec<String>,
}

/// Returns the distinct non-empty names in order of first occurrence.
#[cfg(any(feature = "bmd", feature = "scene"))]
pub(crate) fn distinct_names(names: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut seen = HashSet::new();
    names
        .into_iter()
        .filter(|name| !name.is_empty() && seen.insert(name.clone()))
        .collect()
}

/// A named value of a document or scene, other than meshes, skeleton and animations.
///
/// ```
/// use meshspec::Dialect;
/// use meshspec::info::{Bounds, Info, MeshInfo, Property, PropertyValue};
///
/// let mut info = Info::new("terrain", Dialect::SPEC);
/// info.properties.push(Property { name: "tiles".to_owned(), value: PropertyValue::Count(16) });
/// info.meshes.push(MeshInfo::default());
/// info.meshes[0].bounds = Bounds::from_points([[0.0, 1.0, 0.0], [2.0, 0.0, 0.0]].into_iter());
/// assert_eq!(info.meshes[0].bounds.unwrap().max, [2.0, 1.0, 0.0]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, ToJson)]
pub struct Property {
    /// The name.
    pub name: String,
    /// The value.
    pub value: PropertyValue,
}

/// The value of a [`Property`].
#[derive(Debug, Clone, PartialEq, Eq, ToJson)]
#[json(untagged)]
#[non_exhaustive]
pub enum PropertyValue {
    /// A count of items.
    Count(u64),
    /// A size in bytes.
    Bytes(u64),
    /// A keyword.
    Keyword(&'static str),
    /// A string from the file.
    Text(String),
}

/// A summary of a mesh.
#[derive(Debug, Clone, Default, PartialEq, ToJson)]
#[non_exhaustive]
pub struct MeshInfo {
    /// The number of vertices.
    pub vertices: u64,
    /// The vertex attributes.
    #[json(always)]
    pub attributes: Vec<AttributeInfo>,
    /// The number of indices.
    pub indices: u64,
    /// Bits per index; 0 if the mesh has no indices.
    pub index_bits: u32,
    /// The start of the mesh in buffers that all meshes share; `None` if meshes share no buffers.
    #[json(flatten)]
    pub start: Option<MeshStart>,
    /// The number of instances; `None` if the mesh has no placements.
    pub copies: Option<u64>,
    /// The bounding box of the finite positions, before node transforms; `None` without finite positions.
    #[json(always)]
    pub bounds: Option<Bounds>,
}

/// The start of a mesh in shared buffers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ToJson)]
pub struct MeshStart {
    /// The position of the first index of the mesh.
    pub first_index: u64,
    /// The position of the first vertex, to which the indices of the mesh are relative.
    pub first_vertex: u64,
}

/// A summary of a vertex attribute.
#[derive(Debug, Clone, PartialEq, Eq, ToJson)]
pub struct AttributeInfo {
    /// The name in the format's terms.
    pub name: Cow<'static, str>,
    /// The number and type of the components, such as `3 × f32`.
    pub components: Cow<'static, str>,
}

/// Describes the components of a numeric value, such as `3 × f32`.
#[cfg(any(feature = "mesh", feature = "crucible"))]
pub(crate) fn describe_components(ty: &Type) -> String {
    match ty {
        Type::Declared(Declaration {
            shape: Shape::Struct(fields),
            ..
        }) => {
            let fields: Vec<_> = fields
                .iter()
                .map(|field| describe_components(&field.ty))
                .collect();
            format!("({})", fields.join(", "))
        }
        Type::Array(item, count) => format!("{count} × {}", describe_components(item)),
        Type::Unsigned(size) => format!("u{}", 8 * size),
        Type::Signed(size) => format!("i{}", 8 * size),
        Type::Float(size) => format!("f{}", 8 * size),
        _ => "struct".to_owned(),
    }
}

/// An axis-aligned bounding box.
#[derive(Debug, Clone, Copy, PartialEq, ToJson)]
pub struct Bounds {
    /// The minimum coordinates.
    pub min: [f32; 3],
    /// The maximum coordinates.
    pub max: [f32; 3],
}

impl Bounds {
    /// Returns the bounding box of the points whose coordinates are finite; `None` without such points. The bounds of
    /// −0 are 0.
    pub fn from_points(points: impl Iterator<Item = [f32; 3]>) -> Option<Bounds> {
        let finite = points.filter(|point| point.iter().all(|coordinate| coordinate.is_finite()));
        let bounds = finite.fold(None, |bounds, point| {
            let Bounds { min, max } = bounds.unwrap_or(Bounds {
                min: point,
                max: point,
            });
            Some(Bounds {
                min: std::array::from_fn(|i| min[i].min(point[i])),
                max: std::array::from_fn(|i| max[i].max(point[i])),
            })
        });
        // Adding 0 turns −0 into 0 and changes no other number.
        bounds.map(|Bounds { min, max }| Bounds {
            min: min.map(|x| x + 0.0),
            max: max.map(|x| x + 0.0),
        })
    }
}

/// A summary of a skeleton.
#[derive(Debug, Clone, Default, PartialEq, Eq, ToJson)]
#[non_exhaustive]
pub struct SkeletonInfo {
    /// The number of joints.
    pub joints: u64,
    /// The number of joints without a parent.
    pub roots: u64,
    /// The names of the named joints, in joint order.
    pub names: Vec<String>,
}

/// A summary of an animation.
#[derive(Debug, Clone, Default, PartialEq, ToJson)]
#[non_exhaustive]
pub struct AnimationInfo {
    /// The name; `None` if missing.
    #[json(always)]
    pub name: Option<String>,
    /// The duration in ticks.
    pub ticks: f32,
    /// The duration in seconds; `None` in a document whose tick rate is not positive and finite.
    #[json(always)]
    pub seconds: Option<f32>,
    /// The number of poses; in a scene, the length of the longest list of times.
    pub poses: u64,
}
