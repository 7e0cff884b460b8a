//! A summary of a document, in terms that all formats share.

use meshspec_derive::ToJson;
use std::borrow::Cow;
#[cfg(any(feature = "bmd", feature = "scene"))]
use std::collections::HashSet;

use crate::Dialect;
#[cfg(feature = "mesh")]
use crate::layout::Layout;
#[cfg(any(feature = "mesh", feature = "crucible"))]
use crate::layout::declaration::{Declaration, Shape, Type};
#[cfg(feature = "mesh")]
use crate::layout::expr::Value;

/// What is in a document.
#[derive(Debug, Clone, PartialEq, ToJson)]
#[non_exhaustive]
pub struct Info {
    /// The name of the format.
    pub format: &'static str,
    /// The dialect.
    pub dialect: Dialect,
    /// What the file has besides: in the format's terms, or named values of its own in their order.
    pub properties: Vec<Property>,
    /// The meshes.
    #[json(always)]
    pub meshes: Vec<MeshInfo>,
    /// The skeleton, if there is one.
    #[json(always)]
    pub skeleton: Option<SkeletonInfo>,
    /// The animations.
    #[json(always)]
    pub animations: Vec<AnimationInfo>,
    /// The names of the materials, each once.
    pub materials: Vec<String>,
}

impl Info {
    /// A summary of a file of this format with nothing in it.
    pub fn new(format: &'static str, dialect: Dialect) -> Info {
        Info {
            format,
            dialect,
            properties: Vec::new(),
            meshes: Vec::new(),
            skeleton: None,
            animations: Vec::new(),
            materials: Vec::new(),
        }
    }
}

/// What is in a [scene](crate::scene::Scene).
#[cfg(feature = "scene")]
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SceneInfo {
    /// Named texts.
    pub properties: Vec<Property>,
    /// The meshes, and the number of triangles that the faces of each make.
    pub meshes: Vec<(MeshInfo, u64)>,
    /// The skeleton, if there is one.
    pub skeleton: Option<SkeletonInfo>,
    /// The animations.
    pub animations: Vec<AnimationInfo>,
    /// The names of the materials, each once; unused ones follow.
    pub materials: Vec<String>,
    /// The names of the textures, one for each image. Unnamed embedded images have their type and size instead.
    pub textures: Vec<String>,
}

/// The names in order of their first occurrence, without empty ones.
#[cfg(any(feature = "bmd", feature = "scene"))]
pub(crate) fn distinct(names: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut known = HashSet::new();
    names.into_iter().filter(|name| !name.is_empty() && known.insert(name.clone())).collect()
}

/// Something that a file has besides meshes, skeleton and animations.
#[derive(Debug, Clone, PartialEq, Eq, ToJson)]
pub struct Property {
    /// The name.
    pub name: String,
    /// How much of it there is, or which.
    pub value: PropertyValue,
}

/// The value of a [`Property`]: a number, a word or a text.
#[derive(Debug, Clone, PartialEq, Eq, ToJson)]
#[json(untagged)]
#[non_exhaustive]
pub enum PropertyValue {
    /// So many.
    Count(u64),
    /// So many bytes.
    Bytes(u64),
    /// This one.
    Word(&'static str),
    /// A text of the file.
    Text(String),
}

/// One mesh.
#[derive(Debug, Clone, Default, PartialEq, ToJson)]
#[non_exhaustive]
pub struct MeshInfo {
    /// Number of vertices.
    pub vertices: u64,
    /// What each vertex has.
    #[json(always)]
    pub attributes: Vec<AttributeInfo>,
    /// Number of indices.
    pub indices: u64,
    /// Bits per index; 0 without indices.
    pub index_bits: u32,
    /// Where it starts in buffers that all meshes of the file share; `None` where each has its own.
    #[json(flatten)]
    pub start: Option<MeshStart>,
    /// The number of copies that nodes show; `None` without transforms of nodes.
    pub copies: Option<u64>,
    /// The smallest box around the finite positions, before the transforms of nodes; `None` without any.
    #[json(always)]
    pub bounds: Option<Bounds>,
}

/// Where a mesh starts in shared buffers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ToJson)]
pub struct MeshStart {
    /// Position of its first index.
    pub first_index: u64,
    /// Position of its first vertex, which its indices count from.
    pub first_vertex: u64,
}

/// One attribute of a mesh.
#[derive(Debug, Clone, PartialEq, Eq, ToJson)]
pub struct AttributeInfo {
    /// The name in the format's terms.
    pub name: Cow<'static, str>,
    /// Number and kind of the components, `3 × f32`.
    pub components: Cow<'static, str>,
}

impl AttributeInfo {
    /// The fields of a record that are there with these arguments.
    #[cfg(feature = "mesh")]
    pub(crate) fn of_record<T: Layout>(arguments: &[Value]) -> Vec<AttributeInfo> {
        let Type::Declared(declaration) = T::TYPE else { return Vec::new() };
        let Shape::Struct(fields) = declaration.shape else { return Vec::new() };
        let scope = declaration.bind(arguments.iter().cloned());
        let there = fields
            .iter()
            .filter(|field| field.condition.is_none_or(|condition| condition.eval_bool(&scope) == Ok(true)));
        there
            .map(|field| AttributeInfo { name: field.name.into(), components: components(&field.ty).into() })
            .collect()
    }
}

/// Number and kind of the components of a value.
#[cfg(any(feature = "mesh", feature = "crucible"))]
pub(crate) fn components(ty: &Type) -> String {
    match ty {
        Type::Declared(Declaration { shape: Shape::Struct(fields), .. }) => {
            let fields: Vec<_> = fields.iter().map(|field| components(&field.ty)).collect();
            format!("({})", fields.join(", "))
        }
        Type::Array(item, count) => format!("{count} × {}", components(item)),
        Type::Unsigned(size) => format!("u{}", 8 * size),
        Type::Signed(size) => format!("i{}", 8 * size),
        Type::Float(size) => format!("f{}", 8 * size),
        _ => "struct".to_owned(),
    }
}

/// The smallest box around some points.
#[derive(Debug, Clone, Copy, PartialEq, ToJson)]
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
#[derive(Debug, Clone, Default, PartialEq, Eq, ToJson)]
#[non_exhaustive]
pub struct SkeletonInfo {
    /// Number of joints.
    pub joints: u64,
    /// Number of joints without a parent.
    pub roots: u64,
    /// The names of the joints that have one, in the order of the joints.
    pub names: Vec<String>,
}

/// One animation.
#[derive(Debug, Clone, Default, PartialEq, ToJson)]
#[non_exhaustive]
pub struct AnimationInfo {
    /// The name, if the dialect has one.
    #[json(always)]
    pub name: Option<String>,
    /// Duration in ticks.
    pub ticks: f32,
    /// Duration in seconds; `None` where the speed makes none.
    #[json(always)]
    pub seconds: Option<f32>,
    /// Number of poses.
    pub poses: u64,
}
