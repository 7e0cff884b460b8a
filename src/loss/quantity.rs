//! The quantities in which the errors of losses are measured, and their units.

use meshspec_derive::ToJson;

/// The quantity that an error measures: a plural noun and a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, ToJson)]
pub struct Quantity {
    /// The plural noun for the values: `positions`.
    pub name: &'static str,
    /// The unit of the error.
    pub unit: Unit,
}

/// The unit of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, ToJson)]
#[non_exhaustive]
pub enum Unit {
    /// Metres.
    #[json(name = "meters")]
    Metres,
    /// Degrees.
    Degrees,
    /// Seconds.
    Seconds,
    /// Multiples of the texture width.
    TextureWidths,
    /// A difference of values in the range 0 to 1, such as colours and weights.
    OfOne,
    /// The change as a fraction of the original value: 0.012 is 1.2 %.
    Fraction,
    /// A plain number.
    None,
}

#[cfg_attr(
    not(all(feature = "bmd", feature = "gltf", feature = "iyma", feature = "scene")),
    allow(dead_code, reason = "unused if only some formats are enabled")
)]
impl Quantity {
    /// Positions of vertices, in metres.
    pub const POSITIONS: Quantity = Quantity::new("positions", Unit::Metres);
    /// Viewing distances of levels of detail, in metres.
    pub const DISTANCES: Quantity = Quantity::new("distances", Unit::Metres);
    /// Translations of joints, in metres.
    pub const TRANSLATIONS: Quantity = Quantity::new("translations", Unit::Metres);
    /// Rotations of joints, in degrees.
    pub const ROTATIONS: Quantity = Quantity::new("rotations", Unit::Degrees);
    /// Scale factors of joints.
    pub const SCALES: Quantity = Quantity::new("scales", Unit::None);
    /// Normals, in degrees.
    pub const NORMALS: Quantity = Quantity::new("normals", Unit::Degrees);
    /// Tangents, in degrees.
    pub const TANGENTS: Quantity = Quantity::new("tangents", Unit::Degrees);
    /// Areas of surfaces, as a fraction of the original area.
    pub const AREAS: Quantity = Quantity::new("areas", Unit::Fraction);
    /// Texture coordinates, as multiples of the texture width.
    pub const TEXTURE_COORDINATES: Quantity =
        Quantity::new("texture coordinates", Unit::TextureWidths);
    /// Colours, from 0 to 1.
    pub const COLORS: Quantity = Quantity::new("colors", Unit::OfOne);
    /// Weights of joints, from 0 to 1.
    pub const WEIGHTS: Quantity = Quantity::new("weights", Unit::OfOne);
    /// Animation times, in seconds.
    pub const TIMES: Quantity = Quantity::new("times", Unit::Seconds);
    /// Entries of matrices.
    pub const MATRICES: Quantity = Quantity::new("matrices", Unit::None);

    /// Application-specific attributes.
    pub const CUSTOM: Quantity = Quantity::new("values", Unit::None);

    /// Creates a quantity from a plural noun and a unit.
    pub const fn new(name: &'static str, unit: Unit) -> Quantity {
        Quantity { name, unit }
    }
}

impl Unit {
    /// Formats an error with two significant digits, rounded up, and the unit.
    pub(super) fn format(self, error: f64) -> String {
        match self {
            Unit::Metres => format!("{} m", format_rounded_up(error)),
            Unit::Degrees => format!("{}°", format_rounded_up(error)),
            Unit::Seconds => format!("{} s", format_rounded_up(error)),
            Unit::TextureWidths => format!("{} of the texture's width", format_rounded_up(error)),
            Unit::OfOne => format!("{} of 1.0", format_rounded_up(error)),
            Unit::Fraction => format!("{} %", format_rounded_up(100.0 * error)),
            Unit::None => format_rounded_up(error),
        }
    }
}

/// Formats a number with two significant digits, rounded up: `0.0012`, `340`, `1.5e-7`.
pub(crate) fn format_rounded_up(number: f64) -> String {
    format_plain(round_up(number, 2))
}

/// Rounds a positive number up to `digits` significant digits, from 1 to 17. Stated maxima are rounded this way.
///
/// ```
/// assert_eq!(meshspec::round_up(0.01201, 2), 0.013);
/// assert_eq!(meshspec::round_up(0.01201, 4), 0.01201);
/// ```
pub fn round_up(number: f64, digits: usize) -> f64 {
    let near = format!("{number:.*e}", digits.clamp(1, 17) - 1);
    let nearest: f64 = near.parse().unwrap_or(number);
    if nearest < number {
        next_number(&near).unwrap_or(number)
    } else {
        nearest
    }
}

/// Formats a number, with an exponent if it is very small or large.
pub(crate) fn format_plain(number: f64) -> String {
    let is_plain = number == 0.0 || (1e-4..1e6).contains(&number.abs());
    if is_plain {
        number.to_string()
    } else {
        format!("{number:e}")
    }
}

/// Returns the number that follows a positive number of the form `1.2e-3`, in steps of its last digit.
fn next_number(number: &str) -> Option<f64> {
    let (digits, exponent) = number.split_once('e')?;
    let decimals = digits
        .split_once('.')
        .map_or(0, |(_, decimals)| decimals.len());
    let steps: u64 = digits.replace('.', "").parse().ok()?;
    let exponent: i64 = exponent.parse().ok()?;
    // Parsing rounds correctly, unlike a multiplication by a power of ten.
    format!("{}e{}", steps + 1, exponent - decimals as i64)
        .parse()
        .ok()
}
