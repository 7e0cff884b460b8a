//! Vertex colours of OBJ and PLY, whose range is not declared.

use crate::{Loss, Path, Quantity};

/// The component above which fractions are colours from 0 to 255. Vertex colours of high dynamic range stay below, and a
/// model of colours from 0 to 255 has a brighter component unless it is black.
const MIN_BYTE_SCALE: f32 = 16.0;

/// Returns the divisors that scale the components of `colors` from 0 to 255 to 0 to 1; `None` if the colours are from 0
/// to 1, or of high dynamic range.
///
/// Programs write either range, and the formats declare none. Colours are from 0 to 255 if a component exceeds 1, none
/// is negative or exceeds 255, and all are whole numbers or one is above 16. Alpha may have another range. Components
/// that are not finite are ignored.
pub(in crate::interop) fn byte_scale<'a>(
    colors: impl Iterator<Item = &'a [f32; 4]>,
) -> Option<[f32; 4]> {
    let (mut largest, mut largest_alpha, mut least, mut are_whole) =
        (0.0_f32, 0.0_f32, 0.0_f32, true);
    for [red, green, blue, alpha] in colors {
        for component in [red, green, blue]
            .into_iter()
            .filter(|component| component.is_finite())
        {
            largest = largest.max(*component);
            least = least.min(*component);
            are_whole &= component.fract() == 0.0;
        }
        if alpha.is_finite() {
            largest_alpha = largest_alpha.max(*alpha);
        }
    }
    let are_bytes = largest > 1.0 && largest <= 255.0 && least >= 0.0;
    (are_bytes && (are_whole || largest > MIN_BYTE_SCALE)).then(|| {
        let alpha_divisor = if largest_alpha > 1.0 { 255.0 } else { 1.0 };
        [255.0, 255.0, 255.0, alpha_divisor]
    })
}

/// Clamps colours to 0 to 1 if reading would scale them, as if they were from 0 to 255.
pub(in crate::interop) fn clamp_like_bytes(
    colors: &mut [[f32; 4]],
    path: String,
    losses: &mut Vec<Loss>,
) {
    if byte_scale(colors.iter()).is_none() {
        return;
    }
    let (mut count, mut largest) = (0, 0.0);
    for component in colors
        .as_flattened_mut()
        .iter_mut()
        .filter(|component| **component > 1.0)
    {
        count += 1;
        largest = f64::max(largest, f64::from(*component) - 1.0);
        *component = 1.0;
    }
    let message = "colours above 1, which would be read as 0 to 255, become 1";
    let loss = Loss::quantized(path, message, Quantity::COLORS, largest);
    losses.push(loss.with_count(count, "numbers"));
}

/// Divides the components of a colour by the divisors from [`byte_scale`].
#[inline]
pub(in crate::interop) fn scale_color(color: [f32; 4], divisors: [f32; 4]) -> [f32; 4] {
    std::array::from_fn(|channel| color[channel] / divisors[channel])
}

/// Returns the loss for colours from 0 to `largest` that were scaled, at `path`.
pub(in crate::interop) fn scaled_loss(path: impl Into<Path>, largest: f64) -> Loss {
    Loss::changed(
        path,
        format!("colours from 0 to {largest} were scaled to 0 to 1"),
    )
}
