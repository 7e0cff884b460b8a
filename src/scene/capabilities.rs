//! The capabilities of a format, part by part.

use super::Custom;

/// What a format can express of a scene. The rest is taken out by [`Capabilities::restrict`].
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
    /// The meaning of alpha.
    pub alpha_modes: bool,
    /// Clamped and mirrored textures.
    pub wrapping: bool,
    /// Filters of textures.
    pub filters: bool,
    /// Sides and reflection of surfaces, and textures on any set of texture coordinates.
    pub surfaces: bool,
    /// Positions without a third coordinate.
    pub flat: bool,
    /// Normals.
    pub normals: bool,
    /// Tangents.
    pub tangents: bool,
    /// Number of sets of texture coordinates.
    pub uvs: usize,
    /// Number of sets of colours.
    pub colors: usize,
    /// Number of sets of four joints per vertex.
    pub skins: usize,
    /// Which attributes without a meaning to the model.
    pub custom: fn(&Custom) -> bool,
    /// Vertices that are used in order, without indices.
    pub unindexed: bool,
    /// Largest number of corners of a face.
    pub corners: u32,
    /// Levels of detail.
    pub lods: bool,
    /// Nodes: a mesh at several places, with a name for each.
    pub nodes: bool,
    /// A transform of the whole scene.
    pub transform: bool,
    /// Joints.
    pub skeleton: bool,
    /// Names of joints.
    pub joint_names: bool,
    /// Animations.
    pub animations: bool,
    /// Named texts.
    pub properties: bool,
    /// Bytes of the application.
    pub user_data: bool,
    /// Whatever else a source has.
    pub extras: bool,
}

impl Capabilities {
    /// Nothing but triangles between positions.
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
