//! Reads the colours of PLY files.

use std::ops::Range;

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
    /// The number of negative components that were clamped to 0.
    pub clamped_count: usize,
}

/// Returns the colours, if any.
pub(super) fn take_colors(rows: &mut Rows) -> Option<ColorColumns> {
    COLORS.into_iter().find_map(|names| {
        let [red, green, blue] = names.channels;
        let with_alpha = names
            .alphas
            .iter()
            .find_map(|alpha| rows.take_columns([red, green, blue, alpha], |_| true));
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
fn to_colors<const N: usize>(
    rows: &Rows,
    columns: [usize; N],
    names: [&'static str; 3],
) -> ColorColumns {
    if rows.are_all(&columns, NumberType::U8) {
        let values = rows
            .to_bytes(columns)
            .into_iter()
            .map(|color| with_alpha(color, 255))
            .collect();
        return ColorColumns {
            names,
            values: Colors::U8(values),
            error: 0.0,
            scaled_range: None,
            are_wrapped: false,
            clamped_count: 0,
        };
    }
    let types = rows.types(columns);
    let (floats, error) = rows.to_floats(columns);
    let mut colors: Vec<_> = floats
        .into_iter()
        .map(|color| with_alpha(color, 1.0))
        .collect();
    // Red, green and blue share their sign and range; alpha may have others.
    let [of_colors, of_alpha] =
        [0..3, 3..N].map(|channels| convert_negative(&types, channels, &mut colors));
    let ranges = channel_ranges(&types, [of_colors, of_alpha], &colors);
    if ranges != [1.0; 4] {
        colors
            .iter_mut()
            .for_each(|color| *color = scale_color(*color, ranges));
    }
    let is_assumed = |channel: &usize| {
        !matches!(types[*channel], NumberType::U8 | NumberType::U16) && ranges[*channel] != 1.0
    };
    ColorColumns {
        names,
        values: Colors::F32(colors),
        error: if types.contains(&NumberType::F64) {
            error / f64::from(ranges[0])
        } else {
            0.0
        },
        scaled_range: (0..N)
            .find(is_assumed)
            .map(|channel| f64::from(ranges[channel])),
        are_wrapped: of_colors.wrapped_range.or(of_alpha.wrapped_range).is_some(),
        clamped_count: of_colors.clamped_count + of_alpha.clamped_count,
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

/// Returns `true` for integers whose type does not imply the range of colours: programs write 8 or 16 bits into wider
/// or signed integers.
fn has_open_range(number: NumberType) -> bool {
    !number.is_float() && !matches!(number, NumberType::U8 | NumberType::U16)
}

/// The conversion of the negative integers in some channels.
#[derive(Clone, Copy, Default)]
struct Negatives {
    /// The largest unsigned integer of the type, if negative integers were read as unsigned ones.
    wrapped_range: Option<f32>,
    clamped_count: usize,
}

/// Converts the negative integers of `channels`. Programs write unsigned integers into `char` and `short`. Other negative
/// integers are invalid and become 0.
fn convert_negative(
    types: &[NumberType],
    channels: Range<usize>,
    colors: &mut [[f32; 4]],
) -> Negatives {
    let signed: Vec<_> = channels
        .filter(|channel| has_open_range(types[*channel]))
        .collect();
    let (mut least, mut largest) = (0.0_f32, 0.0_f32);
    for component in colors
        .iter()
        .flat_map(|color| signed.iter().map(|channel| color[*channel]))
    {
        (least, largest) = (least.min(component), largest.max(component));
    }
    if least >= 0.0 {
        return Negatives::default();
    }
    let range = signed
        .iter()
        .map(|channel| largest_integer(types[*channel]))
        .fold(0.0, f32::max);
    let [byte, short, _] = LARGEST_INTEGERS;
    // Colours from 0 to 255 in a `short` have no use for its sign: as 65535, a single -1 would darken all others.
    let is_wrapped = range == byte || (range == short && !(1.0 < largest && largest <= byte));
    let mut count = 0;
    for color in colors {
        for channel in &signed {
            let component = &mut color[*channel];
            if *component < 0.0 {
                *component = if is_wrapped {
                    *component + largest_integer(types[*channel]) + 1.0
                } else {
                    0.0
                };
                count += 1;
            }
        }
    }
    match is_wrapped {
        true => Negatives {
            wrapped_range: Some(range),
            clamped_count: 0,
        },
        false => Negatives {
            wrapped_range: None,
            clamped_count: count,
        },
    }
}

/// Returns the number that represents 1 in each channel. `types` are the types of the channels that the file has, and
/// `negatives` the conversions of the colours and of alpha.
fn channel_ranges(
    types: &[NumberType],
    negatives: [Negatives; 2],
    colors: &[[f32; 4]],
) -> [f32; 4] {
    let of_floats = byte_scale(colors.iter()).unwrap_or([1.0; 4]);
    let [of_colors, of_alpha] =
        [0..3, 3..types.len()].map(|channels| smallest_range(types, channels, colors));
    let of_alpha = negatives[1].wrapped_range.unwrap_or(of_alpha);
    // Dark colours with opaque alpha have the range of alpha. Alpha up to 1 is opaque beside colours of any range.
    let of_colors = if of_colors == 1.0 {
        of_alpha
    } else {
        of_colors
    };
    let of_colors = negatives[0].wrapped_range.unwrap_or(of_colors);
    std::array::from_fn(|channel| match types.get(channel) {
        Some(number @ (NumberType::U8 | NumberType::U16)) => largest_integer(*number),
        Some(NumberType::F32 | NumberType::F64) => of_floats[channel],
        Some(_) if channel == 3 => of_alpha,
        Some(_) => of_colors,
        None => 1.0,
    })
}

/// Returns the smallest range that holds all components of `channels` whose type implies none.
fn smallest_range(types: &[NumberType], channels: Range<usize>, colors: &[[f32; 4]]) -> f32 {
    let open: Vec<_> = channels
        .filter(|channel| has_open_range(types[*channel]))
        .collect();
    let components = colors
        .iter()
        .flat_map(|color| open.iter().map(|channel| color[*channel]));
    let largest = components.fold(0.0, f32::max);
    let mut ranges = [1.0].into_iter().chain(LARGEST_INTEGERS);
    ranges
        .find(|range| largest <= *range)
        .unwrap_or(LARGEST_INTEGERS[2])
}

/// Extends a colour by `opaque` if it has no alpha.
fn with_alpha<T: Copy, const N: usize>(color: [T; N], opaque: T) -> [T; 4] {
    std::array::from_fn(|channel| color.get(channel).copied().unwrap_or(opaque))
}
