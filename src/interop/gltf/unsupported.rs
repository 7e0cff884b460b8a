//! Lists content in the JSON that scenes cannot represent.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use ::gltf::json::mesh::Semantic;
use ::gltf::json::validation::Checked;
use serde_json::{Map, Value};

use super::{
    DRACO, INSTANCING, LIGHTS, LOD, MESHOPT, SPECULAR_GLOSSINESS, TEXTURE_SOURCES,
    TEXTURE_TRANSFORM, label, take_meshspec_extras,
};
use crate::Loss;
use crate::scene::push_index;

/// Returns the extensions that are supported, that have no effect on scenes, or whose content [`record_users`] lists.
fn supported_extensions() -> HashSet<&'static str> {
    let mut names = HashSet::from([
        LOD,
        INSTANCING,
        LIGHTS,
        TEXTURE_TRANSFORM,
        "KHR_mesh_quantization",
    ]);
    names.extend(TEXTURE_SOURCES.map(|(name, _)| name));
    names.extend(MESHOPT.iter().filter(|_| cfg!(feature = "meshopt")));
    names.extend(cfg!(feature = "draco").then_some(DRACO));
    names
}

/// The lists whose extras are read, listed by other modules, or dropped with their objects.
const LISTED_ELSEWHERE: [&str; 5] = ["scenes", "nodes", "meshes", "materials", "cameras"];

pub(super) fn record_losses(json: &Value, losses: &mut Vec<Loss>) {
    let mut found = ExtensionsAndExtras::default();
    found.visit(json, &mut String::new());
    record_extensions(json, &found.extensions, losses);
    for (path, names) in found.extras {
        losses.push(Loss::dropped(path, "extras are not converted").with_detail(names));
    }
    let lights = json
        .pointer(&format!("/extensions/{LIGHTS}"))
        .unwrap_or(&Value::Null);
    record_users(json, "cameras", json, "/camera", losses);
    record_users(
        json,
        "lights",
        lights,
        &format!("/extensions/{LIGHTS}/light"),
        losses,
    );
    record_morph_targets(json, losses);
    record_names(json, losses);
    record_unknown_attributes(json, losses);
}

fn entries<'a>(object: &'a Value, name: &str) -> &'a [Value] {
    object
        .get(name)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// Records a loss for the list `list` in `parent`. Lists the nodes that use its entries, then the unused entries.
/// `pointer` is a JSON pointer, relative to a node, to the index of the entry that the node uses.
fn record_users(json: &Value, list: &str, parent: &Value, pointer: &str, losses: &mut Vec<Loss>) {
    let mut names = Vec::new();
    let mut used = HashSet::new();
    for (index, node) in entries(json, "nodes").iter().enumerate() {
        if let Some(entry) = node.pointer(pointer).and_then(Value::as_u64) {
            let name =
                name_of(node).or_else(|| name_of(entries(parent, list).get(entry as usize)?));
            names.push(label("nodes", index, name));
            used.insert(entry as usize);
        }
    }
    let unused = entries(parent, list)
        .iter()
        .enumerate()
        .filter(|(index, _)| !used.contains(index));
    names.extend(unused.map(|(index, entry)| label(list, index, name_of(entry))));
    losses.extend(Loss::dropped(list, format!("{list} are not converted")).listing(names));
}

/// Records a loss for the morph targets of all meshes, with the names that exporters store in extras.
fn record_morph_targets(json: &Value, losses: &mut Vec<Loss>) {
    let describe = |(index, mesh): (usize, &Value)| {
        let counts = entries(mesh, "primitives")
            .iter()
            .map(|primitive| entries(primitive, "targets").len());
        let count = counts.max().filter(|count| *count > 0)?;
        let names = mesh
            .pointer("/extras/targetNames")
            .and_then(Value::as_array);
        let names: Vec<_> = names.into_iter().flatten().map(Value::to_string).collect();
        let names = if names.is_empty() {
            count.to_string()
        } else {
            names.join(" ")
        };
        Some(format!(
            "{}: {names}",
            label("meshes", index, name_of(mesh))
        ))
    };
    let described = entries(json, "meshes")
        .iter()
        .enumerate()
        .filter_map(describe);
    let message = "morph targets are not converted; their default weights were applied";
    losses.extend(Loss::dropped("meshes", message).listing(described));
}

fn name_of(entry: &Value) -> Option<&str> {
    entry
        .get("name")
        .and_then(Value::as_str)
        .filter(|name| !name.is_empty())
}

/// The extensions and extras of a file.
#[derive(Default)]
struct ExtensionsAndExtras<'a> {
    /// The name, first path and number of uses of each extension.
    extensions: Vec<(&'a str, String, usize)>,
    /// The index of each extension in `extensions`.
    extension_indices: HashMap<&'a str, usize>,
    /// The paths of unsupported extras, with the names of their values.
    extras: Vec<(String, String)>,
}

impl<'a> ExtensionsAndExtras<'a> {
    fn visit(&mut self, value: &'a Value, path: &mut String) {
        let length = path.len();
        match value {
            Value::Object(map) => {
                for (key, child) in map {
                    path.push_str(if length == 0 { "" } else { "." });
                    path.push_str(key);
                    match (key.as_str(), child) {
                        ("extensions", Value::Object(extensions)) => {
                            self.record_extensions(extensions, path)
                        }
                        ("extras", _) => self.record_extras(child, path),
                        _ => self.visit(child, path),
                    }
                    path.truncate(length);
                }
            }
            Value::Array(list) => {
                for (index, child) in list
                    .iter()
                    .enumerate()
                    .filter(|(_, child)| !child.is_number())
                {
                    // Writing to a `String` cannot fail.
                    let _ = write!(path, "[{index}]");
                    self.visit(child, path);
                    path.truncate(length);
                }
            }
            _ => {}
        }
    }

    fn record_extensions(&mut self, extensions: &'a Map<String, Value>, path: &str) {
        for name in extensions.keys() {
            let add = || push_index(&mut self.extensions, (name, format!("{path}.{name}"), 0));
            let index = *self.extension_indices.entry(name).or_insert_with(add);
            self.extensions[index].2 += 1;
        }
    }

    fn record_extras(&mut self, extras: &Value, path: &str) {
        let is_in = |list: &&str| {
            path.strip_prefix(*list)
                .is_some_and(|rest| rest.starts_with('['))
        };
        if LISTED_ELSEWHERE.iter().any(is_in) {
            return;
        }
        let names = match extras {
            Value::Object(map) => {
                let mut map = map.clone();
                take_meshspec_extras(&mut map);
                map.keys()
                    .map(String::as_str)
                    .collect::<Vec<_>>()
                    .join(", ")
            }
            Value::Null => String::new(),
            other => other.to_string(),
        };
        if !names.is_empty() {
            self.extras.push((path.to_owned(), names));
        }
    }
}

/// Describes the content of an extension that is lost.
fn lost_content(extension: &str) -> &'static str {
    match extension {
        SPECULAR_GLOSSINESS => "only the diffuse colour and image of the extension are converted",
        _ => "unsupported extension",
    }
}

/// Records losses for unsupported extensions, whether declared or not.
fn record_extensions(json: &Value, found: &[(&str, String, usize)], losses: &mut Vec<Loss>) {
    let mut listed: HashSet<&str> = supported_extensions();
    for list in ["extensionsRequired", "extensionsUsed"] {
        for (index, name) in entries(json, list).iter().enumerate() {
            let Some(name) = name.as_str().filter(|name| !listed.contains(name)) else {
                continue;
            };
            losses.push(
                Loss::dropped(format!("{list}[{index}]"), lost_content(name)).with_detail(name),
            );
            listed.insert(name);
        }
    }
    for (name, path, uses) in found.iter().filter(|(name, ..)| !listed.contains(name)) {
        let detail = if *uses == 1 {
            (*name).to_owned()
        } else {
            format!("{name}, in {uses} places")
        };
        losses.push(Loss::dropped(&**path, lost_content(name)).with_detail(detail));
    }
}

/// Records losses for the copyright notice, and names that scenes cannot store.
fn record_names(json: &Value, losses: &mut Vec<Loss>) {
    let mut drop = |path: String, value: Option<&Value>, what: &str| {
        if let Some(value) = value.filter(|value| !value.is_null() && value.as_str() != Some("")) {
            losses
                .push(Loss::dropped(path, format!("{what} are not converted")).with_detail(value));
        }
    };
    drop(
        "asset.copyright".to_owned(),
        json.pointer("/asset/copyright"),
        "copyright notices",
    );
    let chosen = json.get("scene").and_then(Value::as_u64).unwrap_or(0);
    let name = json.pointer(&format!("/scenes/{chosen}/name"));
    drop(format!("scenes[{chosen}].name"), name, "names of scenes");
    for (index, skin) in entries(json, "skins").iter().enumerate() {
        drop(
            format!("skins[{index}].name"),
            skin.get("name"),
            "names of skins",
        );
    }
}

fn record_unknown_attributes(json: &Value, losses: &mut Vec<Loss>) {
    for (mesh, entry) in entries(json, "meshes").iter().enumerate() {
        for (index, primitive) in entries(entry, "primitives").iter().enumerate() {
            let attributes = primitive.get("attributes").and_then(Value::as_object);
            for name in attributes
                .into_iter()
                .flat_map(Map::keys)
                .filter(|name| !is_known_attribute(name))
            {
                let path = format!("meshes[{mesh}].primitives[{index}].attributes.{name}");
                let message = "unknown attribute; application-specific names begin with _";
                losses.push(Loss::dropped(path, message).with_detail(format_args!("\"{name}\"")));
            }
        }
    }
}

/// Returns `true` if the crate `gltf` supports the attribute name. The crate drops all other attributes.
fn is_known_attribute(name: &str) -> bool {
    let parsed: Result<Checked<Semantic>, _> = serde_json::from_value(name.into());
    matches!(parsed, Ok(Checked::Valid(_)))
}
