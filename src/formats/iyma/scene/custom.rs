//! Custom attributes: their numbers, names and formats in IyMA.

use std::collections::HashSet;

use super::super::schema::{Component, Usage, VertexFormat};
use crate::Loss;
use crate::scene::{Components, Custom, Mesh};

/// Reports the changes to custom attributes.
pub(super) fn list_custom(mesh: &Mesh, index: usize, losses: &mut Vec<Loss>) {
    let numbers = numbered(&mesh.custom);
    for (place, custom) in mesh.custom.iter().enumerate() {
        let path = format!("meshes[{index}].custom[{place}]");
        let (number, name) = &numbers[place];
        let again = format!("{number}_{name}");
        if again != custom.name {
            let loss = Loss::renamed(format!("{path}.name"), "IyMA custom attributes are numbered");
            losses.push(loss.detail(format_args!("\"{}\" becomes \"{again}\"", custom.name)));
        }
        let components = format_of(custom).components();
        if components != custom.components {
            let loss = Loss::changed(format!("{path}.components"), "components added, set to 0");
            losses.push(loss.detail(format_args!("{} become {components}", custom.components)));
        }
    }
}

/// Returns the scene name of a usage that scenes lack.
pub(super) fn custom_name(usage: &Usage) -> String {
    match usage {
        Usage::Custom(number, name) => format!("{number}_{name}"),
        usage => usage.name(),
    }
}

/// Returns the number and name of a custom attribute.
fn usage_of(place: usize, custom: &Custom) -> (u32, &str) {
    match custom.name.split_once('_').map(|(number, name)| (number.parse(), name)) {
        Some((Ok(number), name)) => (number, name),
        _ => (place as u32, &custom.name),
    }
}

/// Returns a unique number and name for each of these attributes.
pub(super) fn numbered(custom: &[Custom]) -> Vec<(u32, String)> {
    let mut known = HashSet::new();
    let numbers = custom.iter().enumerate().map(|(place, custom)| {
        let (mut number, name) = usage_of(place, custom);
        while !known.insert((number, name)) {
            number = number.wrapping_add(1);
        }
        (number, name.to_owned())
    });
    numbers.collect()
}

fn component_of(values: &Components) -> Component {
    match values {
        Components::F32(_) => Component::Float32,
        Components::F64(_) => Component::Float64,
        Components::U8(_) => Component::Uint8,
        Components::I8(_) => Component::Sint8,
        Components::U16(_) => Component::Uint16,
        Components::I16(_) => Component::Sint16,
        Components::U32(_) => Component::Uint32,
        Components::I32(_) => Component::Sint32,
    }
}

/// Returns the smallest format that holds the attribute. There are no formats of three 8- or 16-bit components.
fn format_of(custom: &Custom) -> VertexFormat {
    let component = component_of(&custom.values);
    let fits =
        |format: &&VertexFormat| format.component() == component && format.components() >= custom.components;
    let candidates = VertexFormat::ALL.iter().filter(fits);
    candidates.min_by_key(|format| format.components()).copied().unwrap_or(VertexFormat::Float32x4)
}

/// Returns the buffer of a custom attribute, zero-padded to the components of its format.
pub(super) fn custom_buffer(usage: Usage, custom: Custom) -> (Usage, VertexFormat, Vec<u8>) {
    let format = format_of(&custom);
    let bytes = custom.values.to_le_bytes();
    let (size, padded) = (custom.components * component_of(&custom.values).size(), format.size());
    let bytes = match size == padded {
        true => bytes,
        false => {
            let pad = |value: &[u8]| [value, &vec![0; padded.saturating_sub(value.len())]].concat();
            bytes.chunks_exact(size.max(1)).flat_map(pad).collect()
        }
    };
    (usage, format, bytes)
}
