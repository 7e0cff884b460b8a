//! Reads the colours of PLY files.

use super::header::NumberType;
use super::names::COLORS;
use super::rows::Rows;
use crate::interop::shared::colors::{byte_scale, scale_color};
use crate::scene::Colors;

/// The colours of the vertices.
pub(super) struct ColorColumns {
    /// The names of the properties, without alpha.
    pub names: [&'static str; 3],
    pub values: Colors,
    /// The largest error of rounding 64-bit floats.
    pub error: f64,
    /// Whether the type does not imply the range, and the values were scaled to 0 to 1.
    pub is_scaled: bool,
}

/// Returns the colours, if any.
pub(super) fn take_colors(rows: &mut Rows) -> Option<ColorColumns> {
    COLORS.into_iter().find_map(|names| {
        let [red, green, blue] = names.channels;
        let with_alpha =
            names.alphas.iter().find_map(|alpha| rows.take_columns([red, green, blue, alpha], |_| true));
        match with_alpha {
            Some(columns) => Some(to_colors(rows, columns, names.channels)),
            None => {
                let columns = rows.take_columns(names.channels, |_| true)?;
                Some(to_colors(rows, columns, names.channels))
            }
        }
    })
}

/// Converts the columns of three or four channels.
fn to_colors<const N: usize>(rows: &Rows, columns: [usize; N], names: [&'static str; 3]) -> ColorColumns {
    if rows.are_all(&columns, NumberType::U8) {
        let values = rows.to_bytes(columns).into_iter().map(|color| with_alpha(color, 255)).collect();
        return ColorColumns { names, values: Colors::U8(values), error: 0.0, is_scaled: false };
    }
    let types = rows.types(columns);
    let (floats, error) = rows.to_floats(columns);
    let mut colors: Vec<_> = floats.into_iter().map(|color| with_alpha(color, 1.0)).collect();
    let divisors = divisors(&types, &colors);
    if divisors != [1.0; 4] {
        colors.iter_mut().for_each(|color| *color = scale_color(*color, divisors));
    }
    ColorColumns {
        names,
        values: Colors::F32(colors),
        error: if types.contains(&NumberType::F64) { error / f64::from(divisors[0]) } else { 0.0 },
        is_scaled: types
            .iter()
            .zip(divisors)
            .any(|(number, divisor)| !matches!(number, NumberType::U8 | NumberType::U16) && divisor != 1.0),
    }
}

/// Returns the divisors that scale `colors` to 0 to 1. `types` are the types of the channels that the file has.
fn divisors(types: &[NumberType], colors: &[[f32; 4]]) -> [f32; 4] {
    let of_floats = byte_scale(colors.iter()).unwrap_or([1.0; 4]);
    let is_wide = |channel: usize| {
        let number = types.get(channel).copied();
        number.is_some_and(|number| !number.is_float() && !matches!(number, NumberType::U8 | NumberType::U16))
    };
    // Programs write 8 or 16 bits into wider integers: the fewest bits that hold all components are assumed.
    let largest = colors
        .iter()
        .flat_map(|color| (0..4).filter(|channel| is_wide(*channel)).map(|channel| color[channel]))
        .fold(0.0, f32::max);
    let ranges = [u8::MAX.into(), u16::MAX.into(), u32::MAX as f32];
    let of_wide = ranges.into_iter().find(|range| largest <= *range).unwrap_or(1.0);
    std::array::from_fn(|channel| match types.get(channel) {
        Some(NumberType::U8) => u8::MAX.into(),
        Some(NumberType::U16) => u16::MAX.into(),
        Some(NumberType::F32 | NumberType::F64) => of_floats[channel],
        Some(_) => of_wide,
        None => 1.0,
    })
}

/// Extends a colour by `opaque` if it has no alpha.
fn with_alpha<T: Copy, const N: usize>(color: [T; N], opaque: T) -> [T; 4] {
    std::array::from_fn(|channel| color.get(channel).copied().unwrap_or(opaque))
}
