//! PLY, the polygon file format of Stanford.
//!
//! **Read:** ASCII, little-endian and big-endian files. Of the element `vertex` the properties x y z (without z the mesh
//! is [flat](crate::scene::Mesh::flat)), nx ny nz, texture coordinates (u v, s t, texture_u texture_v), red green blue
//! and alpha as bytes or floats; every other number is a custom attribute. Of the element `face` the list
//! `vertex_indices` or `vertex_index`: polygons as they are. In ASCII files each item is a line of its own. The image
//! that a comment `TextureFile` names is the texture.
//!
//! **Written:** one mesh, little-endian, with these properties, the custom attributes and the texture; an embedded image
//! as a file beside it.
//!
//! **Lost,** and listed: in reading other elements, lists and properties of faces, `obj_info`, numbers of 64 bits where
//! the model has 32; in writing the names of meshes, materials, all sets of texture coordinates and colours but one,
//! tangents, joints, animations. Other comments are not looked at.

mod header;
mod read;
mod rows;
mod source;
mod write;

use crate::scene::{Capabilities, Conventions, UvOrigin};

pub(super) use read::read;
pub(super) use write::write;

/// PLY says nothing of space, so that coordinates are kept as they are.
pub(super) const CONVENTIONS: Conventions = Conventions {
    uv_origin: UvOrigin::BottomLeft,
    evidence: "the file format says nothing: axes and unit are assumed; Blender and MeshLab have textures bottom left",
    ..Conventions::GLTF
};

pub(super) const CAPABILITIES: Capabilities = Capabilities {
    format: "PLY",
    textures: true,
    normals: true,
    uvs: 1,
    colors: 1,
    custom: |_| true,
    corners: u32::MAX,
    ..Capabilities::POSITIONS
};
