//! Writes scenes as glTF.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Value, json};

use super::buffer::{AccessorType, Buffer, Stream, ViewUse};
use super::entries::{RootMap, RootValue, to_raw_entries};
use super::node_graph::NodeGraph;
use super::repair::repair;
use super::{
    CAPABILITIES, INSTANCING, LOD, Object, container, materials, set_extras, set_meshspec_extra,
    set_meshspec_extra_if,
};
use crate::interop::{Files, WriteResult};
use crate::scene::{
    Animation, Capabilities, Conventions, Extras, Interpolation, Samples, Scene, SceneOptions,
    Source,
};
use crate::{Loss, Quantity, Result, float};

/// Writes GLB: glTF in a single binary file.
pub fn write_glb(
    scene: Scene,
    name: &str,
    files: &mut dyn Files,
    options: &SceneOptions,
) -> WriteResult {
    write(scene, options, |json, buffer| {
        container::save_glb(json, buffer, name, files)
    })
}

/// Writes glTF as JSON with a separate buffer file.
pub fn write_json(
    scene: Scene,
    name: &str,
    files: &mut dyn Files,
    options: &SceneOptions,
) -> WriteResult {
    write(scene, options, |json, buffer| {
        container::save_json(json, buffer, name, files)
    })
}

/// Converts a scene to JSON and a buffer, and passes them to `save`. Returns the losses.
fn write(
    mut scene: Scene,
    options: &SceneOptions,
    save: impl FnOnce(RootMap, &Buffer) -> Result<()>,
) -> WriteResult {
    let conventions = options.conventions.unwrap_or(Conventions::GLTF);
    let capabilities = Capabilities {
        lods: !has_mixed_lods(&scene),
        ..CAPABILITIES
    };
    let mut losses = capabilities.restrict(&mut scene, conventions, options)?;
    materials::repair(&mut scene, &mut losses);
    let joints = repair(&mut scene, conventions.unit.into(), &mut losses)?;
    let mut graph = NodeGraph::new(&scene, joints, &mut losses);
    let animations = write_animations(&scene, &mut graph.buffer, &mut losses);
    let materials = std::mem::take(&mut graph.materials);
    let mut json = RootMap::from([
        (
            "asset",
            RootValue::Value(asset_entry(scene.source.as_ref(), conventions)),
        ),
        ("scene", RootValue::Value(0.into())),
        (
            "scenes",
            RootValue::Value(json!([scene_entry(&scene, &graph)])),
        ),
    ]);
    let mut extensions: Vec<&str> = materials.extensions.into_iter().collect();
    if !extensions.is_empty() {
        json.insert("extensionsRequired", RootValue::Value(json!(extensions)));
    }
    extensions.extend((scene.lods.len() > 1).then_some(LOD));
    extensions.extend(graph.has_instances.then_some(INSTANCING));
    if !extensions.is_empty() {
        json.insert("extensionsUsed", RootValue::Value(json!(extensions)));
    }
    let lists = [
        ("nodes", graph.take_nodes()),
        ("meshes", graph.meshes),
        ("skins", to_raw_entries(&graph.skins)),
        ("materials", to_raw_entries(&materials.entries)),
        ("textures", to_raw_entries(&materials.textures)),
        ("images", to_raw_entries(&materials.images)),
        ("samplers", to_raw_entries(&materials.samplers)),
        ("animations", to_raw_entries(&animations)),
        ("bufferViews", std::mem::take(&mut graph.buffer.views)),
        ("accessors", std::mem::take(&mut graph.buffer.accessors)),
    ];
    for (name, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
        json.insert(name, RootValue::List(list));
    }
    save(json, &graph.buffer)?;
    Ok(losses)
}

/// Returns `true` if levels of detail mix skinned and unskinned meshes, which need different parents.
fn has_mixed_lods(scene: &Scene) -> bool {
    let meshes = scene
        .lods
        .iter()
        .flat_map(|lod| &lod.meshes)
        .filter_map(|mesh| scene.meshes.get(*mesh));
    let skinned: Vec<bool> = meshes.map(|mesh| !mesh.skins.is_empty()).collect();
    skinned.contains(&true) && skinned.contains(&false)
}

/// Returns the `asset` object, with the output conventions and, if known, the format and conventions of the source.
fn asset_entry(source: Option<&Source>, conventions: Conventions) -> Value {
    let mut extras = Extras::new();
    if let Some(Source {
        format,
        conventions,
        ..
    }) = source
    {
        let source = json!({ "format": format, "conventions": conventions.to_string() });
        set_meshspec_extra(&mut extras, "source", source);
    }
    set_meshspec_extra(&mut extras, "conventions", conventions.to_string());
    let generator = concat!("meshspec ", env!("CARGO_PKG_VERSION"));
    json!({ "version": "2.0", "generator": generator, "extras": extras })
}

fn scene_entry(scene: &Scene, graph: &NodeGraph) -> Value {
    let mut entry = Object::new();
    entry.insert("nodes".to_owned(), graph.roots.clone().into());
    let mut extras = scene.extras.clone();
    set_meshspec_extra_if(
        &mut extras,
        !scene.properties.is_empty(),
        "properties",
        json!(scene.properties),
    );
    let user_data = BASE64.encode(&scene.user_data);
    set_meshspec_extra_if(&mut extras, !user_data.is_empty(), "user_data", user_data);
    set_extras(&mut entry, extras);
    entry.into()
}

fn write_animations<'a>(
    scene: &'a Scene,
    buffer: &mut Buffer<'a>,
    losses: &mut Vec<Loss>,
) -> Vec<Value> {
    let mut entries = Vec::new();
    for (index, animation) in scene.animations.iter().enumerate() {
        let at = format!("animations[{index}]");
        if animation.channels.is_empty() {
            losses.push(Loss::dropped(at, "glTF has no animations without channels"));
            continue;
        }
        entries.push(animation_entry(animation, &at, buffer, losses));
    }
    entries
}

fn animation_entry<'a>(
    animation: &'a Animation,
    at: &str,
    buffer: &mut Buffer<'a>,
    losses: &mut Vec<Loss>,
) -> Value {
    let mut times = TimeWriter::new(animation, at, losses);
    let mut samplers = Vec::new();
    let mut channels = Vec::new();
    for channel in &animation.channels {
        let input = times.add_accessor(animation, channel.times, buffer);
        let count = channel.samples.len();
        let (path, stream, name) = match &channel.samples {
            Samples::Translation(values) => ("translation", Stream::borrowed(values), "VEC3"),
            Samples::Rotation(values) => ("rotation", Stream::borrowed(values), "VEC4"),
            Samples::Scale(values) => ("scale", Stream::borrowed(values), "VEC3"),
        };
        let output = buffer.push(
            ViewUse::Animation,
            stream,
            count,
            AccessorType::floats(name),
        );
        let interpolation = match channel.interpolation {
            Interpolation::Step => "STEP",
            Interpolation::Linear | Interpolation::Normalized => "LINEAR",
        };
        let target = json!({ "node": channel.joint, "path": path });
        channels.push(json!({ "sampler": samplers.len(), "target": target }));
        samplers.push(json!({ "input": input, "interpolation": interpolation, "output": output }));
    }
    times.record_shift(at, losses);
    let mut extras = Extras::new();
    // Non-finite floats become strings.
    for (name, value) in [("rate", animation.rate), ("duration", animation.duration)] {
        let value = float::string_of_f32(value).map_or_else(|| json!(value), Value::from);
        set_meshspec_extra(&mut extras, name, value);
    }
    set_meshspec_extra_if(&mut extras, animation.looped, "looped", true);
    let mut entry = json!({ "channels": channels, "samplers": samplers, "extras": extras });
    if !animation.name.is_empty() {
        entry["name"] = animation.name.as_str().into();
    }
    entry
}

/// Converts the times of an animation to seconds, which must be non-negative and strictly ascending in glTF.
struct TimeWriter {
    /// The accessor of each time list; `None` until it is written.
    accessors: Vec<Option<usize>>,
    /// The delay, in seconds, that is added to all times.
    delay: f32,
    /// The largest shift, in seconds, of a time that equals the previous time.
    shift: f64,
}

impl TimeWriter {
    fn new(animation: &Animation, at: &str, losses: &mut Vec<Loss>) -> TimeWriter {
        let lists = animation
            .channels
            .iter()
            .map(|channel| &animation.times[channel.times]);
        let first = lists
            .filter_map(|times| times.first())
            .copied()
            .fold(f32::INFINITY, f32::min);
        let delay = (-animation.ticks_to_seconds(first)).max(0.0);
        if delay > 0.0 {
            let message = "glTF has no negative times; the animation was delayed";
            let loss = Loss::changed(format!("{at}.times"), message);
            losses.push(loss.with_detail(format_args!(
                "by {} s",
                crate::loss::format_rounded_up(delay.into())
            )));
        }
        TimeWriter {
            accessors: vec![None; animation.times.len()],
            delay,
            shift: 0.0,
        }
    }

    fn add_accessor(&mut self, animation: &Animation, list: usize, buffer: &mut Buffer) -> usize {
        if let Some(accessor) = self.accessors[list] {
            return accessor;
        }
        let mut last = f32::NEG_INFINITY;
        let seconds = animation.times[list].iter().map(|ticks| {
            let exact = animation.ticks_to_seconds(*ticks) + self.delay;
            let time = if exact > last { exact } else { last.next_up() };
            self.shift = self.shift.max(f64::from(time) - f64::from(exact));
            last = time;
            [time]
        });
        let seconds: Vec<[f32; 1]> = seconds.collect();
        let ty = AccessorType::floats("SCALAR").with_bounds_of(&seconds);
        let accessor = buffer.push(
            ViewUse::Animation,
            Stream::owned(&seconds),
            seconds.len(),
            ty,
        );
        self.accessors[list] = Some(accessor);
        accessor
    }

    fn record_shift(&self, at: &str, losses: &mut Vec<Loss>) {
        let (path, message) = (format!("{at}.times"), "equal times were moved apart");
        losses.extend(Loss::quantized(path, message, Quantity::TIMES, self.shift).if_any());
    }
}
