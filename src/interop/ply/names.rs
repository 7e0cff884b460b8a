//! The property names of vertex attributes, as programs write them.

/// The names of normals. The second are those of the Point Cloud Library.
pub(super) const NORMALS: [[&str; 3]; 2] =
    [["nx", "ny", "nz"], ["normal_x", "normal_y", "normal_z"]];

/// The names of texture coordinates.
pub(super) const UVS: [[&str; 2]; 5] = [
    ["u", "v"],
    ["s", "t"],
    ["texture_u", "texture_v"],
    ["texture_s", "texture_t"],
    ["tx", "ty"],
];

/// The names of the channels of a colour.
#[derive(Clone, Copy)]
pub(super) struct ColorNames {
    pub channels: [&'static str; 3],
    pub alphas: &'static [&'static str],
}

/// The names of colours. The first that a file has are its colours.
pub(super) const COLORS: [ColorNames; 6] = [
    ColorNames {
        channels: ["red", "green", "blue"],
        alphas: &["alpha"],
    },
    ColorNames {
        channels: ["r", "g", "b"],
        alphas: &["a", "alpha"],
    },
    ColorNames {
        channels: ["diffuse_red", "diffuse_green", "diffuse_blue"],
        alphas: &["diffuse_alpha", "alpha"],
    },
    ColorNames {
        channels: ["diffuse_r", "diffuse_g", "diffuse_b"],
        alphas: &["diffuse_a", "alpha"],
    },
    ColorNames {
        channels: ["ambient_red", "ambient_green", "ambient_blue"],
        alphas: &["ambient_alpha", "alpha"],
    },
    ColorNames {
        channels: ["ambient_r", "ambient_g", "ambient_b"],
        alphas: &["ambient_a", "alpha"],
    },
];

/// Returns all names that readers of PLY interpret, which custom attributes must not have.
pub(super) fn reserved() -> impl Iterator<Item = &'static str> {
    let colors = COLORS
        .iter()
        .flat_map(|names| names.channels.iter().chain(names.alphas));
    ["x", "y", "z"]
        .into_iter()
        .chain(NORMALS.into_iter().flatten())
        .chain(UVS.into_iter().flatten())
        .chain(colors.copied())
}
