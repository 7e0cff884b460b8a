//! What the error of a loss measures, and in which unit.

use super::number::rounded;

/// The quantity that an error is of: its name, in the plural, and its unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Quantity {
    /// The values that differ: `positions`.
    pub name: &'static str,
    /// The unit of the error.
    pub unit: Unit,
}

/// The unit of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Unit {
    /// Metres.
    Metres,
    /// Degrees.
    Degrees,
    /// Seconds.
    Seconds,
    /// Widths of a texture.
    TextureWidths,
    /// Values whose full range is 0 to 1, such as colours and weights.
    OfOne,
    /// The change as a fraction of the value before: 0.012 is 1.2 %.
    Fraction,
    /// A plain number.
    None,
}

#[cfg_attr(
    not(all(feature = "bmd", feature = "gltf", feature = "iyma", feature = "scene")),
    allow(dead_code, reason = "each format measures some of these")
)]
impl Quantity {
    /// Positions of vertices, in metres.
    pub const POSITIONS: Quantity = Quantity::new("positions", Unit::Metres);
    /// Distances of levels of detail, in metres.
    pub const DISTANCES: Quantity = Quantity::new("distances", Unit::Metres);
    /// Translations of joints, in metres.
    pub const TRANSLATIONS: Quantity = Quantity::new("translations", Unit::Metres);
    /// Rotations of joints, in degrees.
    pub const ROTATIONS: Quantity = Quantity::new("rotations", Unit::Degrees);
    /// Scales of joints: factors.
    pub const SCALES: Quantity = Quantity::new("scales", Unit::None);
    /// Normals, in degrees.
    pub const NORMALS: Quantity = Quantity::new("normals", Unit::Degrees);
    /// Areas of surfaces, as a fraction of the area before.
    pub const AREAS: Quantity = Quantity::new("areas", Unit::Fraction);
    /// Texture coordinates, in widths of the texture.
    pub const TEXTURE_COORDINATES: Quantity = Quantity::new("texture coordinates", Unit::TextureWidths);
    /// Colours, from 0 to 1.
    pub const COLORS: Quantity = Quantity::new("colours", Unit::OfOne);
    /// Weights of joints, from 0 to 1.
    pub const WEIGHTS: Quantity = Quantity::new("weights", Unit::OfOne);
    /// Times of animations, in seconds.
    pub const TIMES: Quantity = Quantity::new("times", Unit::Seconds);
    /// Entries of matrices.
    pub const MATRICES: Quantity = Quantity::new("matrices", Unit::None);

    /// A quantity with this name, in the plural, and this unit.
    pub const fn new(name: &'static str, unit: Unit) -> Quantity {
        Quantity { name, unit }
    }
}

impl Unit {
    /// The error to two digits, with its unit.
    pub(super) fn show(self, error: f32) -> String {
        match self {
            Unit::Metres => format!("{} m", rounded(error)),
            Unit::Degrees => format!("{}°", rounded(error)),
            Unit::Seconds => format!("{} s", rounded(error)),
            Unit::TextureWidths => format!("{} of the texture's width", rounded(error)),
            Unit::OfOne => format!("{} of 1.0", rounded(error)),
            Unit::Fraction => format!("{} %", rounded(100.0 * error)),
            Unit::None => rounded(error),
        }
    }
}
