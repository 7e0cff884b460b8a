//! Repairs or drops invalid properties that other programs tolerate, and lists the losses.

use ::gltf::json;
use ::gltf::json::material::AlphaMode;
use ::gltf::json::validation::Checked;
use serde_json::Value;

use super::errors::malformed;
use crate::{Loss, Result};

pub(super) fn parse(
    text: &[u8],
    json: &Value,
    losses: &mut Vec<Loss>,
) -> serde_json::Result<json::Root> {
    serde_json::from_slice(text).or_else(|error| {
        let mut json = json.clone();
        repair_json(&mut json, losses);
        serde_json::from_slice(&serde_json::to_vec(&json)?).map_err(|_| error)
    })
}

/// Repairs JSON that the crate `gltf` rejects: scenes without nodes, animation channels without a target node, and
/// integers written as floats, such as `1e0`.
fn repair_json(json: &mut Value, losses: &mut Vec<Loss>) {
    for scene in list_mut(json, "scenes")
        .into_iter()
        .flatten()
        .filter_map(Value::as_object_mut)
    {
        scene
            .entry("nodes")
            .or_insert_with(|| Value::Array(Vec::new()));
    }
    for (index, animation) in list_mut(json, "animations")
        .into_iter()
        .flatten()
        .enumerate()
    {
        let Some(channels) = list_mut(animation, "channels") else {
            continue;
        };
        let before = channels.len();
        channels.retain(|channel| channel.pointer("/target/node").is_some());
        let path = format!("animations[{index}].channels");
        let loss = Loss::dropped(path, "channels without a target node");
        losses.extend(
            loss.with_count_of(before - channels.len(), before, "channels")
                .if_any(),
        );
    }
    to_integers(json);
}

/// Returns the entries of a list in an object.
fn list_mut<'a>(json: &'a mut Value, name: &str) -> Option<&'a mut Vec<Value>> {
    json.get_mut(name)?.as_array_mut()
}

/// Converts floats with integral values to integers.
fn to_integers(json: &mut Value) {
    match json {
        Value::Number(number) if number.is_f64() => {
            let value = number
                .as_f64()
                .filter(|value| value.fract() == 0.0 && value.abs() < 2_f64.powi(53));
            if let Some(value) = value {
                *number = (value as i64).into();
            }
        }
        Value::Array(values) => values.iter_mut().for_each(to_integers),
        Value::Object(map) => map.values_mut().for_each(to_integers),
        _ => {}
    }
}

/// Drops references to missing objects, unknown alpha modes, and strides of 0. Accessors, views and buffers are checked
/// on use instead. Returns an error if a skin refers to a missing joint, since dropping it would renumber the following
/// joints. Returns an error if the file has a default scene but neither scenes nor nodes.
pub(super) fn drop_invalid_references(root: &mut json::Root, losses: &mut Vec<Loss>) -> Result<()> {
    let (nodes, scenes) = (root.nodes.len(), root.scenes.len());
    if scenes == 0 && root.scene.take().is_some() {
        if nodes == 0 {
            return Err(malformed("scene", "the file has no scenes and no nodes"));
        }
        losses.push(Loss::dropped(
            "scene",
            "the file has no scenes; all nodes were converted",
        ));
    }
    drop_if_missing(&mut root.scene, scenes, "scene", losses);
    for (index, scene) in root.scenes.iter_mut().enumerate() {
        drop_missing(
            &mut scene.nodes,
            nodes,
            &format!("scenes[{index}].nodes"),
            losses,
        );
    }
    let (meshes, skins) = (root.meshes.len(), root.skins.len());
    for (index, node) in root.nodes.iter_mut().enumerate() {
        if let Some(children) = &mut node.children {
            drop_missing(children, nodes, &format!("nodes[{index}].children"), losses);
        }
        drop_if_missing(
            &mut node.mesh,
            meshes,
            format_args!("nodes[{index}].mesh"),
            losses,
        );
        drop_if_missing(
            &mut node.skin,
            skins,
            format_args!("nodes[{index}].skin"),
            losses,
        );
    }
    for (index, skin) in root.skins.iter_mut().enumerate() {
        drop_if_missing(
            &mut skin.skeleton,
            nodes,
            format_args!("skins[{index}].skeleton"),
            losses,
        );
        if let Some(position) = skin.joints.iter().position(|joint| joint.value() >= nodes) {
            let node = skin.joints[position].value();
            let message = format!("node {node} is not below the node count {nodes}");
            return Err(malformed(
                format!("skins[{index}].joints[{position}]"),
                message,
            ));
        }
    }
    let materials = root.materials.len();
    for (index, mesh) in root.meshes.iter_mut().enumerate() {
        for (position, primitive) in mesh.primitives.iter_mut().enumerate() {
            let at = format_args!("meshes[{index}].primitives[{position}].material");
            drop_if_missing(&mut primitive.material, materials, at, losses);
        }
    }
    for (index, material) in root.materials.iter_mut().enumerate() {
        if material.alpha_mode == Checked::Invalid {
            material.alpha_mode = Checked::Valid(AlphaMode::default());
            losses.push(Loss::dropped(
                format!("materials[{index}].alphaMode"),
                "unknown value",
            ));
        }
    }
    for (index, view) in root.buffer_views.iter_mut().enumerate() {
        if view.byte_stride.take_if(|stride| stride.0 == 0).is_some() {
            let message = "the stride is 0; values were assumed to be tightly packed";
            losses.push(Loss::changed(
                format!("bufferViews[{index}].byteStride"),
                message,
            ));
        }
    }
    Ok(())
}

/// Drops a reference to a missing object: an index that is not below `count`.
fn drop_if_missing<T>(
    index: &mut Option<json::Index<T>>,
    count: usize,
    path: impl std::fmt::Display,
    losses: &mut Vec<Loss>,
) {
    if let Some(missing) = index.take_if(|index| index.value() >= count) {
        let loss = Loss::dropped(path.to_string(), "reference to a missing object");
        losses.push(loss.with_detail(format_args!(
            "index {}, but the count is {count}",
            missing.value()
        )));
    }
}

/// Drops the references to missing objects from a list: the indices that are not below `count`.
fn drop_missing<T>(
    list: &mut Vec<json::Index<T>>,
    count: usize,
    path: &str,
    losses: &mut Vec<Loss>,
) {
    let before = list.len();
    list.retain(|index| index.value() < count);
    if list.len() < before {
        let loss = Loss::dropped(path, "references to missing objects");
        losses.push(loss.with_count_of(before - list.len(), before, "references"));
    }
}
