//! The capabilities of formats.

use super::Custom;

/// The parts of a scene that a format can express. [`Capabilities::restrict`] removes the others.
#[derive(Debug, Clone, Copy)]
pub struct Capabilities {
    /// The format's name, for messages.
    pub format: &'static str,
    /// More than one mesh.
    pub meshes: bool,
    /// Names of meshes.
    pub mesh_names: bool,
    /// Names of materials.
    pub materials: bool,
    /// Names of textures, or of materials by their texture.
    pub textures: bool,
    /// A colour for a whole mesh.
    pub flat_colors: bool,
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
    /// Tangents.
    pub tangents: bool,
    /// The maximum number of sets of texture coordinates.
    pub uvs: usize,
    /// The maximum number of sets of colours.
    pub colors: usize,
    /// The maximum number of skins, which are sets of four joints per vertex.
    pub skins: usize,
    /// Returns `true` for supported custom attributes.
    pub custom: fn(&Custom) -> bool,
    /// Meshes without indices.
    pub unindexed: bool,
    /// The maximum number of corners of a face.
    pub corners: u32,
    /// Levels of detail.
    pub lods: bool,
    /// Nodes, which place a mesh several times under different names.
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
    /// Application-defined bytes.
    pub user_data: bool,
    /// Extras: data without another field.
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
        flat_colors: false,
        alpha_modes: false,
        wrapping: false,
        filters: false,
        surfaces: false,
        flat: false,
        normals: false,
        tangents: false,
        uvs: 0,
        colors: 0,
        skins: 0,
        custom: |_| false,
        unindexed: false,
        corners: 3,
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
