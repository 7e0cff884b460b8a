//! Parts of a model that losses affect.

/// The part of a model that a loss affects, most important first: lists of losses begin with geometry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
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
    /// Returns the category of the last path segment that has one, or [`Other`](Category::Other).
    pub(super) fn of_path(path: &str) -> Category {
        let segments = path.rsplit(['.', '[', ']', ',', ' ']);
        segments.into_iter().find_map(Category::of_segment).unwrap_or(Category::Other)
    }

    fn of_segment(segment: &str) -> Option<Category> {
        Some(match segment {
            "meshes" | "primitives" | "positions" | "normals" | "tangents" | "uvs" | "colors" | "custom"
            | "flat" | "faces" | "indices" | "corners" | "vertices" | "attributes" | "chunks" | "streams"
            | "lods" | "nodes" | "transform" | "root_transform" | "accessors" | "bufferViews" => {
                Category::Geometry
            }
            // The statements of OBJ, the elements of PLY and the facets of STL.
            "v" | "vn" | "vt" | "f" | "l" | "p" | "vertex" | "face" | "facets" => Category::Geometry,
            "skins"
            | "skin"
            | "skeleton"
            | "joints"
            | "bones"
            | "weights"
            | "JOINTS"
            | "inverse_bind"
            | "inverseBindMatrices"
            | "bone_weights"
            | "joint_ids" => Category::Skin,
            "animations" | "channels" | "samplers" | "times" => Category::Animation,
            "materials" | "material" | "textures" | "images" | "mtllib" | "usemtl" => Category::Material,
            "name" | "names" | "strings" | "extras" | "properties" | "comments" | "user_data" | "asset"
            | "obj_info" => Category::Names,
            _ => return None,
        })
    }
}
