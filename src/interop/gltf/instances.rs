//! `EXT_mesh_gpu_instancing`: several instances of a mesh.

use ::gltf::json::{Node, Root};
use serde_json::Value;

use super::errors::malformed;
use super::file::GltfFile;
use super::{INSTANCING, node_extension};
use crate::scene::Transform;
use crate::scene::repair::repair_rotations;
use crate::{Loss, Result};

const SUPPORTED_ATTRIBUTES: [&str; 3] = ["TRANSLATION", "ROTATION", "SCALE"];

/// Returns the number of instances of a node times the number of primitives of its mesh.
pub(super) fn instance_count(root: &Root, node: &Node) -> u64 {
    let entry = node_extension(node, INSTANCING);
    let attributes = entry
        .and_then(|entry| entry.get("attributes"))
        .and_then(Value::as_object);
    let lists = attributes
        .into_iter()
        .flatten()
        .filter_map(|(_, index)| index.as_u64());
    let counts = lists
        .filter_map(|index| root.accessors.get(index as usize))
        .map(|list| list.count.0);
    let mesh = node.mesh.and_then(|mesh| root.meshes.get(mesh.value()));
    counts
        .max()
        .unwrap_or(0)
        .saturating_mul(mesh.map_or(0, |mesh| mesh.primitives.len() as u64))
}

/// Returns the instance transforms of a node, relative to the node; `None` for a node without instances. Returns an
/// error if the translations, rotations or scales cannot be read or differ in number.
pub(super) fn read(
    file: &GltfFile,
    node: usize,
    losses: &mut Vec<Loss>,
) -> Result<Option<Vec<Transform>>> {
    let Some(entry) = node_extension(&file.root.nodes[node], INSTANCING) else {
        return Ok(None);
    };
    let at = || format!("nodes[{node}].extensions.{INSTANCING}");
    let attributes = entry
        .get("attributes")
        .and_then(Value::as_object)
        .into_iter()
        .flatten();
    for (name, _) in attributes.filter(|(name, _)| !SUPPORTED_ATTRIBUTES.contains(&&***name)) {
        losses.push(Loss::dropped(at(), "unsupported attributes of instances").with_detail(name));
    }
    let translations = read_list(file, entry, "TRANSLATION")?;
    let mut rotations = read_list(file, entry, "ROTATION")?;
    repair_rotations(rotations.as_deref_mut().unwrap_or_default(), &at(), losses);
    let scales = read_list(file, entry, "SCALE")?;
    let counts = [
        translations.as_ref().map(Vec::len),
        rotations.as_ref().map(Vec::len),
        scales.as_ref().map(Vec::len),
    ];
    let counts: Vec<usize> = counts.into_iter().flatten().collect();
    let Some(count) = counts.first().copied() else {
        return Ok(None);
    };
    if counts.iter().any(|other| *other != count) {
        return Err(malformed(
            at(),
            format!("lists of {counts:?} values, expected the same number in each"),
        ));
    }
    file.charge_budget(count as u64 * size_of::<Transform>() as u64, at)?;
    let default = Transform::default();
    let instance = |index: usize| Transform {
        translation: translations
            .as_ref()
            .map_or(default.translation, |values| values[index]),
        rotation: rotations
            .as_ref()
            .map_or(default.rotation, |values| values[index]),
        scale: scales
            .as_ref()
            .map_or(default.scale, |values| values[index]),
    };
    Ok(Some((0..count).map(instance).collect()))
}

/// Reads an attribute of instances; `None` if it is missing.
fn read_list<const N: usize>(
    file: &GltfFile,
    entry: &Value,
    name: &str,
) -> Result<Option<Vec<[f32; N]>>>
where
    [f32; N]: bytemuck::Pod,
{
    let index = entry
        .get("attributes")
        .and_then(|attributes| attributes.get(name))
        .and_then(Value::as_u64);
    index
        .map(|index| file.accessor(index as usize)?.read_floats())
        .transpose()
}
