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
    /// The number that was assumed to represent 1, unless the type implies it, or it is 1.
    pub scaled_range: Option<f64>,
    /// Whether negative components were read as unsigned integers.
    pub are_wrapped: bool,
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
        return ColorColumns {
            names,
            values: Colors::U8(values),
            error: 0.0,
            scaled_range: None,
            are_wrapped: false,
        };
    }
    let types = rows.types(columns);
    let (floats, error) = rows.to_floats(columns);
    let mut colors: Vec<_> = floats.into_iter().map(|color| with_alpha(color, 1.0)).collect();
    let wrapped_channels = wrap_negative(&types, &mut colors);
    let ranges = channel_ranges(&types, wrapped_channels, &colors);
    if ranges != [1.0; 4] {
        colors.iter_mut().for_each(|color| *color = scale_color(*color, ranges));
    }
    let is_assumed = |channel: &usize| {
        !matches!(types[*channel], NumberType::U8 | NumberType::U16) && ranges[*channel] != 1.0
    };
    ColorColumns {
        names,
        values: Colors::F32(colors),
        error: if types.contains(&NumberType::F64) { error / f64::from(ranges[0]) } else { 0.0 },
        scaled_range: (0..N).find(is_assumed).map(|channel| f64::from(ranges[channel])),
        are_wrapped: wrapped_channels.contains(&true),
    }
}

/// The largest integers of one, two and four bytes.
const LARGEST_INTEGERS: [f32; 3] = [u8::MAX as f32, u16::MAX as f32, u32::MAX as f32];

/// Returns the largest unsigned integer of the size of a type.
fn largest_integer(number: NumberType) -> f32 {
    match number.size() {
        1 => LARGEST_INTEGERS[0],
        2 => LARGEST_INTEGERS[1],
        _ => LARGEST_INTEGERS[2],
    }
}

/// Converts channels of signed integers with negative components, which programs write for unsigned ones, to unsigned
/// integers. Returns the converted channels.
fn wrap_negative(types: &[NumberType], colors: &mut [[f32; 4]]) -> [bool; 4] {
    std::array::from_fn(|channel| {
        let Some(number) = types.get(channel).filter(|number| !number.is_float()) else { return false };
        if colors.iter().all(|color| color[channel] >= 0.0) {
            return false;
        }
        for color in colors.iter_mut().filter(|color| color[channel] < 0.0) {
            color[channel] += largest_integer(*number) + 1.0;
        }
        true
    })
}

/// Returns the number that represents 1 in each channel. `types` are the types of the channels that the file has.
fn channel_ranges(types: &[NumberType], wrapped_channels: [bool; 4], colors: &[[f32; 4]]) -> [f32; 4] {
    let of_floats = byte_scale(colors.iter()).unwrap_or([1.0; 4]);
    // Programs write 8 or 16 bits into wider integers: the smallest range that holds all components is assumed.
    let smallest_range = |channels: std::ops::Range<usize>| {
        let is_open = |channel: &usize| {
            let number = types.get(*channel).copied();
            number.is_some_and(|number| {
                !number.is_float()
                    && !matches!(number, NumberType::U8 | NumberType::U16)
                    && !wrapped_channels[*channel]
            })
        };
        let open: Vec<_> = channels.filter(is_open).collect();
        let largest =
            colors.iter().flat_map(|color| open.iter().map(|channel| color[*channel])).fold(0.0, f32::max);
        let ranges = [1.0].into_iter().chain(LARGEST_INTEGERS);
        ranges.into_iter().find(|range| largest <= *range).unwrap_or(LARGEST_INTEGERS[2])
    };
    let (of_colors, of_alpha) = (smallest_range(0..3), smallest_range(3..4));
    // Dark colours with opaque alpha have the range of alpha. Alpha up to 1 is opaque beside colours of any range.
    let of_colors = if of_colors == 1.0 { of_alpha } else { of_colors };
    std::array::from_fn(|channel| match types.get(channel) {
        Some(number @ (NumberType::U8 | NumberType::U16)) => largest_integer(*number),
        Some(NumberType::F32 | NumberType::F64) => of_floats[channel],
        Some(number) if wrapped_channels[channel] => largest_integer(*number),
        Some(_) if channel == 3 => of_alpha,
        Some(_) => of_colors,
        None => 1.0,
    })
}

/// Extends a colour by `opaque` if it has no alpha.
fn with_alpha<T: Copy, const N: usize>(color: [T; N], opaque: T) -> [T; 4] {
    std::array::from_fn(|channel| color.get(channel).copied().unwrap_or(opaque))
}
