//! Converts between materials and surface names, which may start with a flat colour.

use super::super::flat_color;
use crate::scene::Material;
use crate::{Loss, Quantity, Text};

/// Reports the differences between a material and its surface name.
pub fn report_differences(
    material: &Material,
    surface_name: &Text,
    index: usize,
    losses: &mut Vec<Loss>,
) {
    if surface_name.as_bytes() != material.name.as_bytes() {
        let path = format!("meshes[{index}].material.name");
        let loss = Loss::renamed(path, "BMD encodes flat colours in the material name");
        losses.push(loss.with_detail(format_args!(
            "\"{}\" becomes \"{surface_name}\"",
            material.name
        )));
    }
    let path = || format!("meshes[{index}].material.base_color");
    if material.base_color.is_none() && flat_color(surface_name.as_bytes()).is_some() {
        let message =
            "BMD interprets `#` and six hexadecimal digits at the start of a name as a flat colour";
        losses.push(Loss::changed(path(), message));
    }
    if let Some((_, error)) = material.color_bytes().filter(|(_, error)| *error > 0.0) {
        losses.push(Loss::quantized(
            path(),
            "base colours rounded to 8 bits",
            Quantity::COLORS,
            error,
        ));
    }
    if material.base_color.is_some_and(|[.., alpha]| alpha != 1.0) {
        losses.push(Loss::dropped(
            format!("{}.alpha", path()),
            "BMD base colours have no alpha",
        ));
    }
}

/// Returns the opaque base colour for a flat colour.
pub fn base_color([red, green, blue]: [u8; 3]) -> [f32; 4] {
    [red, green, blue, 255].map(|channel| f32::from(channel) / 255.0)
}

/// Returns the name of the material. The base colour, if any, precedes it as `#RRGGBB`, unless the name already starts
/// with that colour (B16).
pub fn surface_name(material: &Material) -> Text {
    let name = &material.name;
    match material.color_bytes() {
        Some((color, _)) if flat_color(name.as_bytes()) != Some(color) => {
            let [red, green, blue] = color;
            Text::from(&*format!("#{red:02X}{green:02X}{blue:02X}{name}"))
        }
        _ => Text::from(&**name),
    }
}
