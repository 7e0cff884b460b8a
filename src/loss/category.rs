//! The parts of a model that losses affect.

use meshspec_derive::ToJson;

/// The part of a model that a loss affects, ordered by importance. Groups of losses are sorted in this order.
///
/// ```
/// use meshspec::{Category, Loss, LossKind, path};
///
/// let loss = Loss::new(LossKind::Dropped, path!(faces), "degenerate faces").within(path!(meshes[3]));
/// assert_eq!(loss.path.to_string(), "meshes[3].faces");
/// assert_eq!(loss.category, Category::Geometry);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, ToJson)]
#[non_exhaustive]
pub enum Category {
    /// Vertices, their attributes, and faces.
    Geometry,
    /// Joints, and the vertices bound to them.
    Skin,
    /// Animations.
    Animation,
    /// Materials and textures.
    Material,
    /// Other visible content: cameras, lights, unknown extensions.
    Other,
    /// Names, extras, comments and user data.
    Names,
}

impl Category {
    /// Returns the category of the last path segment that has one; [`Other`](Category::Other) if none has. Ignores
    /// names that the file defines, except those of joint and weight attributes.
    pub(super) fn from_path(path: &str) -> Category {
        let mut category = Category::Other;
        let mut segments = path.split(['.', '[', ']', ',', ' ']);
        while let Some(segment) = segments.next() {
            category = Category::from_segment(segment).unwrap_or(category);
            match segment {
                // The segments after these are names that the file defines.
                "extras" | "vertex" | "face" | "tristrips" => break,
                "extensions" => drop(segments.next()),
                "attributes" => {
                    let name = segments.next().unwrap_or_default();
                    if name.starts_with("JOINTS") || name.starts_with("WEIGHTS") {
                        return Category::Skin;
                    }
                }
                _ => {}
            }
        }
        category
    }

    fn from_segment(segment: &str) -> Option<Category> {
        Some(match segment {
            "meshes" | "primitives" | "positions" | "normals" | "tangents" | "uvs" | "colors" | "custom"
            | "flat" | "faces" | "indices" | "corners" | "vertices" | "attributes" | "chunks" | "streams"
            | "lods" | "nodes" | "transform" | "root_transform" | "accessors" | "bufferViews"
            // Statements of OBJ, elements of PLY, and facets of STL.
            | "v" | "vn" | "vt" | "f" | "s" | "vertex" | "face" | "tristrips" | "facets" => Category::Geometry,
            "skins"
            | "skin"
            | "skeleton"
            | "joints"
            | "bones"
            | "weights"
            | "inverse_bind"
            | "inverseBindMatrices"
            | "bone_weights"
            | "joint_ids" => Category::Skin,
            "animations" | "channels" | "samplers" | "times" => Category::Animation,
            "materials" | "material" | "textures" | "images" | "mtllib" | "usemtl" | "map_Kd"
            | "TextureFile" => Category::Material,
            "name" | "names" | "strings" | "extras" | "properties" | "comments" | "user_data" | "asset"
            | "obj_info" => Category::Names,
            _ => return None,
        })
    }
}
