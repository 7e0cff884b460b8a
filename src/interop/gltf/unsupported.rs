//! Lists the parts of a file that scenes cannot hold, as far as the JSON alone shows them.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use ::gltf::json::mesh::Semantic;
use ::gltf::json::validation::Checked;
use serde_json::{Map, Value};

use super::{DRACO, INSTANCING, LIGHTS, LOD, MESHOPT, TEXTURE_SOURCES, TEXTURE_TRANSFORM, label, take_own};
use crate::Loss;

/// Returns the extensions that are read or have no effect. Lights are listed by name instead.
fn supported() -> HashSet<&'static str> {
    let mut names = HashSet::from([LOD, INSTANCING, LIGHTS, TEXTURE_TRANSFORM, "KHR_mesh_quantization"]);
    names.extend(TEXTURE_SOURCES.map(|(name, _)| name));
    names.extend(MESHOPT.iter().filter(|_| cfg!(feature = "meshopt")));
    names.extend(cfg!(feature = "draco").then_some(DRACO));
    names
}

/// The lists with extras that are read or listed elsewhere, or that are dropped entirely.
const OTHERWISE: [&str; 5] = ["scenes", "nodes", "meshes", "materials", "cameras"];

pub(super) fn list(json: &Value, losses: &mut Vec<Loss>) {
    let mut found = Found::default();
    found.visit(json, &mut String::new());
    extensions(json, &found.extensions, losses);
    for (path, names) in found.extras {
        losses.push(Loss::dropped(path, "extras are not converted").detail(names));
    }
    let lights = json.pointer(&format!("/extensions/{LIGHTS}")).unwrap_or(&Value::Null);
    users(json, "cameras", json, "/camera", losses);
    users(json, "lights", lights, &format!("/extensions/{LIGHTS}/light"), losses);
    morph_targets(json, losses);
    texts(json, losses);
    semantics(json, losses);
}

fn entries<'a>(object: &'a Value, name: &str) -> &'a [Value] {
    object.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Lists the entries of this kind by the nodes that use them. `pointer` is the JSON pointer from a node to the entry's
/// index.
fn users(json: &Value, kind: &str, holder: &Value, pointer: &str, losses: &mut Vec<Loss>) {
    let mut names = Vec::new();
    let mut used = HashSet::new();
    for (index, node) in entries(json, "nodes").iter().enumerate() {
        if let Some(entry) = node.pointer(pointer).and_then(Value::as_u64) {
            let name = name_of(node).or_else(|| name_of(entries(holder, kind).get(entry as usize)?));
            names.push(label("nodes", index, name));
            used.insert(entry as usize);
        }
    }
    let unused = entries(holder, kind).iter().enumerate().filter(|(index, _)| !used.contains(index));
    names.extend(unused.map(|(index, entry)| label(kind, index, name_of(entry))));
    if !names.is_empty() {
        losses.push(Loss::dropped(kind, format!("{kind} are not converted")).naming(names));
    }
}

/// Lists the morph targets of each mesh, with the names that exporters store in extras.
fn morph_targets(json: &Value, losses: &mut Vec<Loss>) {
    let describe = |(index, mesh): (usize, &Value)| {
        let counts = entries(mesh, "primitives").iter().map(|primitive| entries(primitive, "targets").len());
        let count = counts.max().filter(|count| *count > 0)?;
        let names = mesh.pointer("/extras/targetNames").and_then(Value::as_array);
        let names: Vec<_> = names.into_iter().flatten().map(Value::to_string).collect();
        let names = if names.is_empty() { count.to_string() } else { names.join(" ") };
        Some(format!("{}: {names}", label("meshes", index, name_of(mesh))))
    };
    let described: Vec<_> = entries(json, "meshes").iter().enumerate().filter_map(describe).collect();
    if !described.is_empty() {
        let message = "morph targets are not converted: default weights applied";
        losses.push(Loss::dropped("meshes", message).naming(described));
    }
}

fn name_of(entry: &Value) -> Option<&str> {
    entry.get("name").and_then(Value::as_str).filter(|name| !name.is_empty())
}

/// The extensions and extras of a file.
#[derive(Default)]
struct Found<'a> {
    /// The name of each extension, its first path, and the number of its uses.
    extensions: Vec<(&'a str, String, usize)>,
    /// The index of each extension in that list.
    known: HashMap<&'a str, usize>,
    /// The paths of unread extras, and the names in them.
    extras: Vec<(String, String)>,
}

impl<'a> Found<'a> {
    fn visit(&mut self, value: &'a Value, path: &mut String) {
        let length = path.len();
        match value {
            Value::Object(map) => {
                for (key, child) in map {
                    path.push_str(if length == 0 { "" } else { "." });
                    path.push_str(key);
                    match (key.as_str(), child) {
                        ("extensions", Value::Object(extensions)) => self.extensions(extensions, path),
                        ("extras", _) => self.extras(child, path),
                        _ => self.visit(child, path),
                    }
                    path.truncate(length);
                }
            }
            Value::Array(list) => {
                for (index, child) in list.iter().enumerate().filter(|(_, child)| !child.is_number()) {
                    // Writing to a `String` cannot fail.
                    let _ = write!(path, "[{index}]");
                    self.visit(child, path);
                    path.truncate(length);
                }
            }
            _ => {}
        }
    }

    fn extensions(&mut self, extensions: &'a Map<String, Value>, path: &str) {
        for name in extensions.keys() {
            let place = *self.known.entry(name).or_insert(self.extensions.len());
            match self.extensions.get_mut(place) {
                Some((.., places)) => *places += 1,
                None => self.extensions.push((name, format!("{path}.{name}"), 1)),
            }
        }
    }

    fn extras(&mut self, extras: &Value, path: &str) {
        if OTHERWISE.iter().any(|list| path.strip_prefix(list).is_some_and(|rest| rest.starts_with('['))) {
            return;
        }
        let names = match extras {
            Value::Object(map) => {
                let mut map = map.clone();
                take_own(&mut map);
                map.keys().map(String::as_str).collect::<Vec<_>>().join(", ")
            }
            Value::Null => String::new(),
            other => other.to_string(),
        };
        if !names.is_empty() {
            self.extras.push((path.to_owned(), names));
        }
    }
}

/// Lists unsupported extensions, declared or not.
fn extensions(json: &Value, found: &[(&str, String, usize)], losses: &mut Vec<Loss>) {
    let mut listed: HashSet<&str> = supported();
    for list in ["extensionsRequired", "extensionsUsed"] {
        for (index, name) in entries(json, list).iter().enumerate() {
            let Some(name) = name.as_str().filter(|name| !listed.contains(name)) else { continue };
            losses.push(Loss::dropped(format!("{list}[{index}]"), "unsupported extension").detail(name));
            listed.insert(name);
        }
    }
    for (name, path, places) in found.iter().filter(|(name, ..)| !listed.contains(name)) {
        let detail = match places {
            1 => (*name).to_owned(),
            _ => format!("{name}, in {places} places"),
        };
        losses.push(Loss::dropped(&**path, "unsupported extension").detail(detail));
    }
}

/// Lists copyright notices and names that scenes lack.
fn texts(json: &Value, losses: &mut Vec<Loss>) {
    let mut drop = |path: String, value: Option<&Value>, what: &str| {
        if let Some(value) = value.filter(|value| !value.is_null() && value.as_str() != Some("")) {
            losses.push(Loss::dropped(path, format!("{what} are not converted")).detail(value));
        }
    };
    drop("asset.copyright".to_owned(), json.pointer("/asset/copyright"), "copyright notices");
    let chosen = json.get("scene").and_then(Value::as_u64).unwrap_or(0);
    drop(
        format!("scenes[{chosen}].name"),
        json.pointer(&format!("/scenes/{chosen}/name")),
        "names of scenes",
    );
    for (index, skin) in entries(json, "skins").iter().enumerate() {
        drop(format!("skins[{index}].name"), skin.get("name"), "names of skins");
    }
}

/// Lists attributes with unknown names.
fn semantics(json: &Value, losses: &mut Vec<Loss>) {
    for (mesh, entry) in entries(json, "meshes").iter().enumerate() {
        for (place, primitive) in entries(entry, "primitives").iter().enumerate() {
            let attributes = primitive.get("attributes").and_then(Value::as_object);
            for name in attributes.into_iter().flat_map(Map::keys).filter(|name| !is_semantic(name)) {
                let path = format!("meshes[{mesh}].primitives[{place}].attributes.{name}");
                let message = "unknown attribute; application-specific names begin with _";
                losses.push(Loss::dropped(path, message).detail(format_args!("\"{name}\"")));
            }
        }
    }
}

/// Returns `true` if the crate `gltf` knows the attribute name. It drops all others.
fn is_semantic(name: &str) -> bool {
    let parsed: Result<Checked<Semantic>, _> = serde_json::from_value(name.into());
    matches!(parsed, Ok(Checked::Valid(_)))
}
