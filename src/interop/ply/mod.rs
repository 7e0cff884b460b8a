//! PLY, the Stanford polygon format.
//!
//! **Read:** ASCII, little-endian and big-endian files. From the element `vertex`: x y z, normals (nx ny nz, normal_x
//! normal_y normal_z), texture coordinates (u v, s t, texture_u texture_v, texture_s texture_t, tx ty), and colours
//! of any type (red green blue alpha, r g b a, diffuse_red, diffuse_r, ambient_red, ambient_r). Without z, the mesh
//! is [flat](crate::scene::Mesh::flat). Any other number becomes a custom attribute. From the element `face`, or
//! `tristrips` if there is no `face`: the list `vertex_indices` or `vertex_index`; from `face` also the texture
//! coordinates of its corners, `texcoord`, and the index of its image, `texnumber`. In ASCII files, each item takes
//! one line. Each comment `TextureFile` names an image.
//!
//! Vertices whose corners differ in texture coordinates are split; each image becomes a mesh. Colours of type `uchar` and
//! `ushort` are normalised by their type. The range of all others
//! follows from their largest component; scaling is listed.
//!
//! **Written:** one mesh with these properties, the custom attributes and the texture, in the byte order of the
//! machine. An embedded image is written to a file.
//!
//! **Lost,** and listed: on reading, all other elements, lists and face properties, `obj_info`, and the precision of
//! 64-bit numbers where scenes have 32 bits. On writing, mesh names, materials, additional sets of texture coordinates
//! and colours, tangents, joints and animations.

mod colors;
mod faces;
mod header;
mod names;
mod read;
mod rows;
mod source;
mod split;
mod write;

use crate::scene::{Capabilities, Conventions, UvOrigin};

pub(super) use read::read;
pub(super) use write::write;

/// PLY specifies neither axes nor a unit; those of glTF are assumed.
pub(super) const CONVENTIONS: Conventions = Conventions {
    uv_origin: UvOrigin::BottomLeft,
    evidence: "not specified; axes and unit are assumed; the texture origin follows Blender and MeshLab",
    ..Conventions::GLTF
};

pub(super) const CAPABILITIES: Capabilities = Capabilities {
    format: "PLY",
    textures: true,
    normals: true,
    zero_normals: true,
    max_uv_sets: 1,
    max_color_sets: 1,
    custom: |_| true,
    max_corners: u32::MAX,
    ..Capabilities::POSITIONS
};
