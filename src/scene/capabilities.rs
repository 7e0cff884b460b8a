//! The capabilities of formats.

use super::CustomAttribute;

/// The scene content that a format can express. [`Capabilities::restrict`] removes or converts all other content.
///
/// ```
/// use meshspec::scene::{Capabilities, Conventions, Mesh, Scene};
///
/// const TERRAIN: Capabilities = Capabilities { format: "Terrain", normals: true, ..Capabilities::POSITIONS };
/// let mesh = Mesh { name: "hill".to_owned(), ..Mesh::default() };
/// let mut scene = Scene { meshes: vec![mesh], ..Scene::default() };
/// let losses = TERRAIN.restrict(&mut scene, Conventions::GLTF, &Default::default()).unwrap();
/// assert_eq!(losses[0].to_string(), "dropped: meshes[0].name: Terrain does not store mesh names: \"hill\"");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Capabilities {
    /// The name of the format in messages.
    pub format: &'static str,
    /// More than one mesh.
    pub meshes: bool,
    /// Names of meshes.
    pub mesh_names: bool,
    /// Names of materials.
    pub materials: bool,
    /// Textures, or materials that are identified by the name of their texture.
    pub textures: bool,
    /// Base colours of materials.
    pub base_colors: bool,
    /// Alpha modes other than opaque.
    pub alpha_modes: bool,
    /// Clamped and mirrored textures.
    pub wrapping: bool,
    /// Texture filters.
    pub filters: bool,
    /// Double-sided, metallic and rough surfaces, and textures on any set of texture coordinates.
    pub surfaces: bool,
    /// 2D positions.
    pub flat: bool,
    /// Normals.
    pub normals: bool,
    /// Normals of points that have no direction.
    pub zero_normals: bool,
    /// Tangents.
    pub tangents: bool,
    /// The maximum number of sets of texture coordinates.
    pub max_uv_sets: usize,
    /// The maximum number of sets of colours.
    pub max_color_sets: usize,
    /// The maximum number of skins per mesh. Each skin binds a vertex to up to four joints.
    pub max_skins: usize,
    /// A function that returns `true` if the format supports the custom attribute.
    pub custom: fn(&CustomAttribute) -> bool,
    /// Meshes without indices.
    pub unindexed: bool,
    /// The maximum number of corners per face.
    pub max_corners: u32,
    /// Levels of detail.
    pub lods: bool,
    /// Nodes: several placements of a mesh, each with its own name and transform.
    pub nodes: bool,
    /// A transform of the whole scene.
    pub transform: bool,
    /// Skeletons.
    pub skeleton: bool,
    /// Names of joints.
    pub joint_names: bool,
    /// Animations.
    pub animations: bool,
    /// Named text properties.
    pub properties: bool,
    /// [`Scene::user_data`](super::Scene::user_data): application-defined bytes.
    pub user_data: bool,
    /// Extras: application-specific data without a scene field.
    pub extras: bool,
}

impl Capabilities {
    /// Positions and triangles only.
    pub const POSITIONS: Capabilities = Capabilities {
        format: "",
        meshes: false,
        mesh_names: false,
        materials: false,
        textures: false,
        base_colors: false,
        alpha_modes: false,
        wrapping: false,
        filters: false,
        surfaces: false,
        flat: false,
        normals: false,
        zero_normals: false,
        tangents: false,
        max_uv_sets: 0,
        max_color_sets: 0,
        max_skins: 0,
        custom: |_| false,
        unindexed: false,
        max_corners: 3,
        lods: false,
        nodes: false,
        transform: false,
        skeleton: false,
        joint_names: false,
        animations: false,
        properties: false,
        user_data: false,
        extras: false,
    };
}
