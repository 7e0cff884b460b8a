//! Converts materials to and from surface names, which start with a flat colour.

use super::super::flat_color;
use crate::scene::Material;
use crate::{Loss, Quantity, Text};

/// Reports how the material differs from the surface of this name. A name that starts like a flat colour is read as
/// one.
pub fn report(material: &Material, found: &Text, index: usize, losses: &mut Vec<Loss>) {
    if found.as_bytes() != material.name.as_bytes() {
        let loss =
            Loss::renamed(format!("meshes[{index}].material.name"), "BMD stores flat colours in the name");
        losses.push(loss.detail(format_args!("\"{}\" becomes \"{found}\"", material.name)));
    }
    let path = || format!("meshes[{index}].material.base_color");
    if material.base_color.is_none() && flat_color(found.as_bytes()).is_some() {
        let message = "BMD reads # and a number at the beginning of a name as a flat colour";
        losses.push(Loss::changed(path(), message));
    }
    if let Some((_, error)) = material.color_bytes().filter(|(_, error)| *error > 0.0) {
        losses.push(Loss::quantised(path(), "base colours rounded to 8 bits", Quantity::COLORS, error));
    }
    if material.base_color.is_some_and(|[.., alpha]| alpha != 1.0) {
        losses.push(Loss::dropped(format!("{}.alpha", path()), "BMD base colours have no alpha"));
    }
}

/// Returns the base colour of an opaque flat colour.
pub fn base_color([red, green, blue]: [u8; 3]) -> [f32; 4] {
    [red, green, blue, 255].map(|channel| f32::from(channel) / 255.0)
}

/// Returns the surface name: the flat colour, then the name of the material (B16).
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
