//! glTF 2.0, `.glb` and `.gltf`, to and from scenes.
//!
//! What glTF has no place for is kept in `extras`, under the name `meshspec`: ticks of animations, texts and user data
//! of the scene, distances of levels of detail. [`read`](read::read) finds it there again; whoever else reads the file
//! need not know of it.
//!
//! What the specification forbids is put right before a scene is written, and listed ([`repair`]). The numbers then go
//! from the columns of the scene to the file as they lie in memory ([`data`]).

mod accessor;
mod attributes;
mod container;
mod curves;
mod data;
mod document;
mod draco;
mod entries;
mod failures;
mod hierarchy;
mod instances;
mod malformed;
mod materials;
mod mend;
#[cfg(feature = "meshopt")]
mod meshopt;
mod names;
mod outline;
mod primitive;
mod read;
mod repair;
mod skeleton;
mod unread;
mod write;

use serde_json::Value;

use crate::scene::{Capabilities, Components, Extras};

/// The name in `extras` under which this crate keeps what glTF has no place for.
const OWN: &str = "meshspec";

/// The name of the node that has the transform of the scene.
const TOP: &str = "scene";

/// The extension for levels of detail.
const LOD: &str = "MSFT_lod";

/// The extension for meshes that are shown several times.
const INSTANCING: &str = "EXT_mesh_gpu_instancing";

/// The extensions for views whose bytes are compressed. The second one is the successor of the first, with one filter more
/// and another version of its codecs.
const MESHOPT: [&str; 2] = ["EXT_meshopt_compression", "KHR_meshopt_compression"];

/// The extension for primitives that are compressed.
const DRACO: &str = "KHR_draco_mesh_compression";

/// The extensions for images other than PNG and JPEG, with their media types.
const TEXTURE_SOURCES: [(&str, &str); 3] = [
    ("EXT_texture_webp", "image/webp"),
    ("KHR_texture_basisu", "image/ktx2"),
    ("MSFT_texture_dds", "image/vnd-ms.dds"),
];

/// The extension for transforms of texture coordinates.
const TEXTURE_TRANSFORM: &str = "KHR_texture_transform";

/// The extension for lights.
const LIGHTS: &str = "KHR_lights_punctual";

pub(super) const CAPABILITIES: Capabilities = Capabilities {
    format: "glTF",
    meshes: true,
    mesh_names: true,
    materials: true,
    textures: true,
    flat_colors: true,
    alpha_modes: true,
    wrapping: true,
    filters: true,
    surfaces: true,
    flat: true,
    normals: true,
    tangents: true,
    uvs: usize::MAX,
    colors: usize::MAX,
    skins: usize::MAX,
    custom: |_| true,
    unindexed: true,
    corners: 3,
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

/// The name of the kind of numbers in `extras`, for kinds that glTF does not have.
fn kind_name(values: &Components) -> Option<&'static str> {
    match values {
        Components::F64(_) => Some("f64"),
        Components::U32(_) => Some("u32"),
        Components::I32(_) => Some("i32"),
        _ => None,
    }
}

/// Keeps a value under the name of this crate.
fn set_own(extras: &mut Extras, key: &str, value: Value) {
    let mut own = take_own(extras);
    own.insert(key.to_owned(), value);
    extras.insert(OWN.to_owned(), own.into());
}

/// Takes out what is kept under the name of this crate.
fn take_own(extras: &mut Extras) -> Extras {
    match extras.remove(OWN) {
        Some(Value::Object(own)) => own,
        _ => Extras::new(),
    }
}

/// Returns the path of an object, with its name if it has one: `materials[3] "bark"`.
fn label(list: &str, index: usize, name: Option<&str>) -> String {
    match name.filter(|name| !name.is_empty()) {
        Some(name) => format!("{list}[{index}] \"{name}\""),
        None => format!("{list}[{index}]"),
    }
}

/// glTF in one binary file.
pub(super) mod glb {
    pub(in crate::interop) use super::CAPABILITIES;
    pub(in crate::interop) use super::read::{CONVENTIONS, read};
    use crate::interop::Files;
    use crate::scene::{Scene, SceneOptions};
    use crate::{Loss, Result};

    pub(in crate::interop) fn write(
        scene: Scene,
        name: &str,
        files: &mut dyn Files,
        options: &SceneOptions,
    ) -> Result<Vec<Loss>> {
        super::write::write(scene, options, |json, data| super::container::write_glb(json, data, name, files))
    }
}

/// glTF as JSON with a file of numbers beside it.
pub(super) mod gltf_json {
    pub(in crate::interop) use super::CAPABILITIES;
    pub(in crate::interop) use super::read::{CONVENTIONS, read};
    use crate::interop::Files;
    use crate::scene::{Scene, SceneOptions};
    use crate::{Loss, Result};

    pub(in crate::interop) fn write(
        scene: Scene,
        name: &str,
        files: &mut dyn Files,
        options: &SceneOptions,
    ) -> Result<Vec<Loss>> {
        super::write::write(scene, options, |json, data| {
            super::container::write_json(json, data, name, files)
        })
    }
}
