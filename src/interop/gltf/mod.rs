//! Reads and writes glTF 2.0 files (`.glb` and `.gltf`) as scenes.
//!
//! Data without a glTF equivalent, such as animation ticks and level-of-detail distances, is stored in `extras` under
//! the name `meshspec`. [`read`](read::read) restores this data; other readers ignore it.
//!
//! Before writing, [`repair`] fixes and lists violations of the specification. The attributes of the scene are then
//! written without conversion where possible ([`buffer`]).

mod accessor;
mod attributes;
mod buffer;
mod container;
mod curves;
mod draco;
mod entries;
mod errors;
mod file;
mod hierarchy;
mod instances;
mod materials;
#[cfg(feature = "meshopt")]
mod meshopt;
mod names;
mod node_graph;
mod primitive;
mod read;
mod repair;
mod skeleton;
mod tolerate;
mod unsupported;
mod write;

pub(super) use read::{CONVENTIONS, read};
pub(super) use write::{write_glb, write_json};

use serde_json::{Map, Value};

use crate::scene::{Capabilities, Components, Extras};

/// The key in `extras` for data without a glTF equivalent.
const MESHSPEC_EXTRAS: &str = "meshspec";

/// The name of the node that stores the scene transform.
const TOP_NODE_NAME: &str = "scene";

/// The extension for levels of detail.
const LOD: &str = "MSFT_lod";

/// The extension for instances of meshes.
const INSTANCING: &str = "EXT_mesh_gpu_instancing";

/// The extensions for compressed buffer views. The second is the successor, with a new filter and codec version.
const MESHOPT: [&str; 2] = ["EXT_meshopt_compression", "KHR_meshopt_compression"];

/// The extension for compressed primitives.
const DRACO: &str = "KHR_draco_mesh_compression";

/// The extensions for images other than PNG and JPEG, with their media types.
const TEXTURE_SOURCES: [(&str, &str); 3] = [
    ("EXT_texture_webp", "image/webp"),
    ("KHR_texture_basisu", "image/ktx2"),
    ("MSFT_texture_dds", "image/vnd-ms.dds"),
];

/// The extension for transforms of texture coordinates.
const TEXTURE_TRANSFORM: &str = "KHR_texture_transform";

/// The older extension for materials, of which the diffuse colour and image are read.
const SPECULAR_GLOSSINESS: &str = "KHR_materials_pbrSpecularGlossiness";

/// The extension for lights.
const LIGHTS: &str = "KHR_lights_punctual";

pub(super) const CAPABILITIES: Capabilities = Capabilities {
    format: "glTF",
    meshes: true,
    mesh_names: true,
    materials: true,
    textures: true,
    base_colors: true,
    alpha_modes: true,
    wrapping: true,
    filters: true,
    surfaces: true,
    flat: true,
    normals: true,
    zero_normals: false,
    tangents: true,
    max_uv_sets: usize::MAX,
    max_color_sets: usize::MAX,
    max_skins: usize::MAX,
    custom: |_| true,
    unindexed: true,
    max_corners: 3,
    lods: true,
    nodes: true,
    transform: true,
    skeleton: true,
    joint_names: true,
    animations: true,
    properties: true,
    user_data: true,
    extras: true,
};

/// Returns the name in `extras` of a component type that glTF attributes lack; `None` for other types.
fn unsupported_type_name(values: &Components) -> Option<&'static str> {
    match values {
        Components::F64(_) => Some("f64"),
        Components::U32(_) => Some("u32"),
        Components::I32(_) => Some("i32"),
        _ => None,
    }
}

/// A JSON object of the output file.
type Object = Map<String, Value>;

/// Sets a property of an output object if `is_needed` is `true`.
fn set_if(object: &mut Object, is_needed: bool, name: &str, value: impl Into<Value>) {
    if is_needed {
        object.insert(name.to_owned(), value.into());
    }
}

/// Sets a text property of an output object, unless the text is empty.
fn set_text(object: &mut Object, name: &str, text: &str) {
    set_if(object, !text.is_empty(), name, text);
}

/// Sets the extras of an output object, unless they are empty.
fn set_extras(object: &mut Object, extras: Extras) {
    set_if(object, !extras.is_empty(), "extras", extras);
}

/// Returns an extension object of a node; `None` if the node lacks the extension.
fn node_extension<'a>(node: &'a ::gltf::json::Node, name: &str) -> Option<&'a Value> {
    node.extensions.as_ref()?.others.get(name)
}

/// Adds a value to the object `meshspec` in `extras`.
fn set_meshspec_extra(extras: &mut Extras, key: &str, value: impl Into<Value>) {
    let mut meshspec_extras = take_meshspec_extras(extras);
    meshspec_extras.insert(key.to_owned(), value.into());
    extras.insert(MESHSPEC_EXTRAS.to_owned(), meshspec_extras.into());
}

/// Like [`set_meshspec_extra`], but only if `is_needed` is `true`.
fn set_meshspec_extra_if(extras: &mut Extras, is_needed: bool, key: &str, value: impl Into<Value>) {
    if is_needed {
        set_meshspec_extra(extras, key, value);
    }
}

/// Removes and returns the object `meshspec` in `extras`.
fn take_meshspec_extras(extras: &mut Extras) -> Extras {
    if let Some(Value::Object(map)) = extras.remove(MESHSPEC_EXTRAS) {
        map
    } else {
        Extras::new()
    }
}

/// Returns the path of an object, followed by its name if it has one: `materials[3] "bark"`.
fn label(list: &str, index: usize, name: Option<&str>) -> String {
    match name.filter(|name| !name.is_empty()) {
        Some(name) => format!("{list}[{index}] \"{name}\""),
        None => format!("{list}[{index}]"),
    }
}
