//! Converts the numbers, names and formats of custom attributes.

use std::collections::HashSet;

use super::super::schema::{Component, Usage, VertexFormat};
use crate::Loss;
use crate::scene::{Components, CustomAttribute, Mesh};

/// Adds the losses from converting the custom attributes of a mesh.
pub(super) fn add_custom_losses(mesh: &Mesh, index: usize, losses: &mut Vec<Loss>) {
    let numbers = unique_numbers(&mesh.custom);
    for (position, custom) in mesh.custom.iter().enumerate() {
        let path = format!("meshes[{index}].custom[{position}]");
        let (number, name) = &numbers[position];
        let new_name = format!("{number}_{name}");
        if new_name != custom.name {
            let message = "names of custom attributes in IyMA start with a number";
            let loss = Loss::renamed(format!("{path}.name"), message);
            losses
                .push(loss.with_detail(format_args!("\"{}\" becomes \"{new_name}\"", custom.name)));
        }
        let components = smallest_format(custom).components();
        if components != custom.components {
            let loss = Loss::changed(
                format!("{path}.components"),
                "components were added and set to 0",
            );
            losses
                .push(loss.with_detail(format_args!("{} become {components}", custom.components)));
        }
    }
}

/// Returns the scene name of a usage without a scene counterpart.
pub(super) fn custom_name(usage: &Usage) -> String {
    match usage {
        Usage::Custom(number, name) => format!("{number}_{name}"),
        usage => usage.name(),
    }
}

/// Splits the name of a scene attribute at the first `_` into number and name. Returns `position` and the whole name if
/// there is no number.
fn split_name(position: usize, custom: &CustomAttribute) -> (u32, &str) {
    match custom
        .name
        .split_once('_')
        .map(|(number, name)| (number.parse(), name))
    {
        Some((Ok(number), name)) => (number, name),
        _ => (position as u32, &custom.name),
    }
}

/// Returns a unique pair of number and name for each attribute. Increments the number of a duplicate pair until it is
/// unique.
pub(super) fn unique_numbers(custom: &[CustomAttribute]) -> Vec<(u32, String)> {
    let mut used = HashSet::new();
    let numbers = custom.iter().enumerate().map(|(position, custom)| {
        let (mut number, name) = split_name(position, custom);
        while !used.insert((number, name)) {
            number = number.wrapping_add(1);
        }
        (number, name.to_owned())
    });
    numbers.collect()
}

fn component_type(values: &Components) -> Component {
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

/// Returns the smallest format that can store the attribute. No format has three 8- or 16-bit components.
fn smallest_format(custom: &CustomAttribute) -> VertexFormat {
    let component = component_type(&custom.values);
    let candidates = VertexFormat::ALL.iter().copied();
    let candidates =
        candidates.filter(|f| f.component() == component && f.components() >= custom.components);
    candidates
        .min_by_key(|format| format.components())
        .unwrap_or(VertexFormat::Float32x4)
}

/// Returns the buffer of a custom attribute. Pads values with zeros if the format has more components.
pub(super) fn custom_buffer(
    usage: Usage,
    custom: CustomAttribute,
) -> (Usage, VertexFormat, Vec<u8>) {
    let format = smallest_format(&custom);
    let bytes = custom.values.to_le_bytes();
    let (size, padded) = (
        custom.components * component_type(&custom.values).size(),
        format.size(),
    );
    if size == padded {
        return (usage, format, bytes);
    }
    let pad = |value: &[u8]| [value, &vec![0; padded.saturating_sub(value.len())]].concat();
    (
        usage,
        format,
        bytes.chunks_exact(size.max(1)).flat_map(pad).collect(),
    )
}
