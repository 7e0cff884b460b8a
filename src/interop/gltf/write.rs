//! Writes a scene as glTF.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Map, Value, json};

use super::data::{Data, Kind, Shape, Stream, Target};
use super::entries::{Json, Part, list};
use super::node_graph::NodeGraph;
use super::repair::repair;
use super::{CAPABILITIES, INSTANCING, LOD, materials, set_own};
use crate::scene::{
    Animation, Capabilities, Conventions, Extras, Interpolation, Samples, Scene, SceneOptions, Source,
};
use crate::{Loss, Quantity, Result};

/// Converts the scene to JSON and buffer data, and passes them to `save`.
pub(super) fn write(
    mut scene: Scene,
    options: &SceneOptions,
    save: impl FnOnce(Json, &Data) -> Result<()>,
) -> Result<Vec<Loss>> {
    let conventions = options.conventions.unwrap_or(Conventions::GLTF);
    let capabilities = Capabilities { lods: !mixed_lods(&scene), ..CAPABILITIES };
    let mut losses = capabilities.restrict(&mut scene, conventions, options)?;
    materials::repair(&mut scene, &mut losses);
    let bones = repair(&mut scene, &mut losses)?;
    let mut data = Data::default();
    let mut graph = NodeGraph::new(&scene, bones, &mut data, &mut losses);
    let animations = animations(&scene, &mut data, &mut losses);
    let materials = std::mem::take(&mut graph.materials);
    let mut json = Json::from([
        ("asset", Part::Value(asset(scene.source.as_ref(), conventions))),
        ("scene", Part::Value(0.into())),
        ("scenes", Part::Value(json!([scene_entry(&scene, &graph)]))),
    ]);
    let mut extensions: Vec<&str> = materials.extensions.into_iter().collect();
    if !extensions.is_empty() {
        json.insert("extensionsRequired", Part::Value(json!(extensions)));
    }
    extensions.extend((scene.lods.len() > 1).then_some(LOD));
    extensions.extend(graph.has_instances.then_some(INSTANCING));
    if !extensions.is_empty() {
        json.insert("extensionsUsed", Part::Value(json!(extensions)));
    }
    let lists = [
        ("nodes", graph.take_nodes()),
        ("meshes", graph.meshes),
        ("skins", list(&graph.skins)),
        ("materials", list(&materials.entries)),
        ("textures", list(&materials.textures)),
        ("images", list(&materials.images)),
        ("samplers", list(&materials.samplers)),
        ("animations", list(&animations)),
        ("bufferViews", std::mem::take(&mut data.views)),
        ("accessors", std::mem::take(&mut data.accessors)),
    ];
    for (name, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
        json.insert(name, Part::List(list));
    }
    save(json, &data)?;
    Ok(losses)
}

/// Returns `true` if levels of detail mix skinned and unskinned meshes, which need different parents.
fn mixed_lods(scene: &Scene) -> bool {
    let meshes = scene.lods.iter().flat_map(|lod| &lod.meshes).filter_map(|mesh| scene.meshes.get(*mesh));
    let skinned: Vec<bool> = meshes.map(|mesh| !mesh.skins.is_empty()).collect();
    skinned.contains(&true) && skinned.contains(&false)
}

/// Returns the asset object, with the source of the scene and the conventions of both files.
fn asset(source: Option<&Source>, conventions: Conventions) -> Value {
    let mut extras = Extras::new();
    if let Some(Source { format, conventions, .. }) = source {
        set_own(&mut extras, "source", json!({ "format": format, "conventions": conventions.to_string() }));
    }
    set_own(&mut extras, "conventions", conventions.to_string().into());
    let generator = concat!("meshspec ", env!("CARGO_PKG_VERSION"));
    json!({ "version": "2.0", "generator": generator, "extras": extras })
}

fn scene_entry(scene: &Scene, graph: &NodeGraph) -> Value {
    let mut entry = Map::new();
    entry.insert("nodes".to_owned(), graph.roots.clone().into());
    let mut extras = scene.extras.clone();
    if !scene.properties.is_empty() {
        set_own(&mut extras, "properties", json!(scene.properties));
    }
    if !scene.user_data.is_empty() {
        set_own(&mut extras, "user_data", BASE64.encode(&scene.user_data).into());
    }
    if !extras.is_empty() {
        entry.insert("extras".to_owned(), extras.into());
    }
    entry.into()
}

fn animations<'a>(scene: &'a Scene, data: &mut Data<'a>, losses: &mut Vec<Loss>) -> Vec<Value> {
    let mut entries = Vec::new();
    for (index, animation) in scene.animations.iter().enumerate() {
        let at = format!("animations[{index}]");
        if animation.channels.is_empty() {
            losses.push(Loss::dropped(at, "glTF has no animations without channels"));
            continue;
        }
        entries.push(animation_entry(animation, &at, data, losses));
    }
    entries
}

fn animation_entry<'a>(
    animation: &'a Animation,
    at: &str,
    data: &mut Data<'a>,
    losses: &mut Vec<Loss>,
) -> Value {
    let mut clock = Clock::new(animation, at, losses);
    let mut samplers = Vec::new();
    let mut channels = Vec::new();
    for channel in &animation.channels {
        let input = clock.accessor(animation, channel.times, data);
        let count = channel.samples.len();
        let (path, stream, name) = match &channel.samples {
            Samples::Translation(values) => ("translation", Stream::plain(values), "VEC3"),
            Samples::Rotation(values) => ("rotation", Stream::plain(values), "VEC4"),
            Samples::Scale(values) => ("scale", Stream::plain(values), "VEC3"),
        };
        let output = data.push(Target::Animation, stream, count, Shape::new(Kind::F32, name));
        let interpolation = match channel.interpolation {
            Interpolation::Step => "STEP",
            Interpolation::Linear | Interpolation::Normalized => "LINEAR",
        };
        channels
            .push(json!({ "sampler": samplers.len(), "target": { "node": channel.joint, "path": path } }));
        samplers.push(json!({ "input": input, "interpolation": interpolation, "output": output }));
    }
    clock.list_shift(at, losses);
    let mut extras = Extras::new();
    // Non-finite floats become strings.
    for (name, value) in [("rate", animation.rate), ("duration", animation.duration)] {
        let value = crate::float::serialize(&value, serde_json::value::Serializer).unwrap_or_default();
        set_own(&mut extras, name, value);
    }
    if animation.looped {
        set_own(&mut extras, "looped", true.into());
    }
    let mut entry = json!({ "channels": channels, "samplers": samplers, "extras": extras });
    if !animation.name.is_empty() {
        entry["name"] = animation.name.as_str().into();
    }
    entry
}

/// Converts the times of an animation to seconds that are not negative and strictly ascending.
struct Clock {
    /// The accessor of each list written so far.
    accessors: Vec<Option<usize>>,
    /// The delay of all times, in seconds.
    start: f32,
    /// The largest shift in seconds of a time equal to the previous one.
    shift: f32,
}

impl Clock {
    fn new(animation: &Animation, at: &str, losses: &mut Vec<Loss>) -> Clock {
        let lists = animation.channels.iter().filter_map(|channel| animation.times.get(channel.times));
        let first = lists.filter_map(|times| times.first()).copied().fold(f32::INFINITY, f32::min);
        let start = (-animation.seconds(first)).max(0.0);
        if start > 0.0 {
            let loss = Loss::changed(format!("{at}.times"), "glTF has no negative times: starts later");
            losses.push(loss.detail(format_args!("by {} s", crate::loss::rounded(start))));
        }
        Clock { accessors: vec![None; animation.times.len()], start, shift: 0.0 }
    }

    fn accessor(&mut self, animation: &Animation, list: usize, data: &mut Data) -> usize {
        if let Some(Some(accessor)) = self.accessors.get(list) {
            return *accessor;
        }
        let mut last = f32::NEG_INFINITY;
        let ticks = animation.times.get(list).into_iter().flatten();
        let seconds: Vec<[f32; 1]> = ticks
            .map(|ticks| {
                let exact = animation.seconds(*ticks) + self.start;
                let time = if exact > last { exact } else { last.next_up() };
                self.shift = self.shift.max(time - exact);
                last = time;
                [time]
            })
            .collect();
        let shape = Shape::new(Kind::F32, "SCALAR").bounded(&seconds);
        let accessor = data.push(Target::Animation, Stream::owned(&seconds), seconds.len(), shape);
        if let Some(slot) = self.accessors.get_mut(list) {
            *slot = Some(accessor);
        }
        accessor
    }

    fn list_shift(&self, at: &str, losses: &mut Vec<Loss>) {
        if self.shift > 0.0 {
            let (path, message) = (format!("{at}.times"), "equal times moved apart");
            losses.push(Loss::quantised(path, message, Quantity::TIMES, self.shift));
        }
    }
}
