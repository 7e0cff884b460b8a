//! What a round trip through a scene loses or changes in a document, a loss names; for all formats.
//!
//! Where no two documents become the same one, and what came back comes back the same, the round trip keeps everything.

use std::collections::BTreeMap;

use meshspec::layout::generate::Config;
use meshspec::scene::SceneOptions;
use meshspec::{Document, Loss, WriteOptions, bmd, crucible, iyma, mesh, seed};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};

use crate::common::config;

fn documents() -> impl Strategy<Value = Document> {
    let small = Config { max_items: 4, ..Config::default() };
    prop_oneof![
        1 => mesh::strategy::documents_with(small).prop_map(Document::Mesh),
        1 => crucible::strategy::documents_with(small).prop_map(Document::Crucible),
        1 => seed::strategy::documents_with(small).prop_map(Document::Seed),
        2 => bmd::strategy::documents_with(small).prop_map(Document::Bmd),
        1 => iyma::strategy::documents_with(small).prop_map(Document::Iyma),
    ]
}

/// The document that a scene of this one becomes in the same dialect, and what was lost on the way; `None` if the format
/// cannot express the scene.
fn there_and_back(document: &Document) -> Option<(Document, Vec<Loss>)> {
    let mut options = SceneOptions::default();
    options.dialect = Some(document.dialect());
    let (scene, mut losses) = document.clone().into_scene(&options).ok()?;
    let (again, more) = Document::from_scene(document.format(), scene, &options).ok()?;
    losses.extend(more);
    Some((again, losses))
}

/// The names in a path, without the positions in lists.
fn names(path: &str) -> String {
    let names = path.split('.').map(|step| step.split('[').next().unwrap_or(step));
    names.collect::<Vec<_>>().join(".")
}

/// Whether the name is that of a part of the document, or of a value in it.
fn is_in(part: &str, name: &str) -> bool {
    name.strip_prefix(part).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn is_told(losses: &[Loss], name: &str) -> bool {
    losses.iter().any(|loss| is_in(&names(&loss.path.to_string()), name))
}

/// The places of all values, by their declared names.
fn values(data: &Value) -> BTreeMap<String, Vec<String>> {
    let mut found = BTreeMap::new();
    add_values(data, "", "", &mut found);
    found
}

fn add_values(data: &Value, name: &str, place: &str, found: &mut BTreeMap<String, Vec<String>>) {
    match data {
        Value::Object(fields) => {
            for (key, value) in fields {
                let name = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
                add_values(value, &name, &format!("{place}/{key}"), found);
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                add_values(value, name, &format!("{place}/{index}"), found);
            }
        }
        _ => found.entry(name.to_owned()).or_default().push(place.to_owned()),
    }
}

/// Other values of the same type.
fn others(value: &Value) -> Vec<Value> {
    match value {
        Value::Bool(flag) => vec![json!(!flag)],
        Value::String(text) => vec![json!(0.5), json!(format!("{text}x"))],
        Value::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
            (Some(number), ..) => vec![json!(number ^ 1), json!(number + 2)],
            (_, Some(number), _) => vec![json!(number + 1)],
            (.., Some(number)) => vec![json!(if number.abs() < 1e6 { number + 0.5 } else { 0.5 })],
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// The document with another value in a place, if it can be written.
fn changed(original: &Value, place: &str) -> Option<Document> {
    others(original.pointer(place)?).into_iter().find_map(|other| {
        let mut data = original.clone();
        *data.pointer_mut(place)? = other;
        let document: Document = serde_json::from_value(data).ok()?;
        let is_other = serde_json::to_value(&document).ok()? != *original;
        (is_other && document.write(&WriteOptions::default()).is_ok()).then_some(document)
    })
}

/// Parts of a scene that a loss may name in place of the declared value.
const PARTS: [(&str, &str); 11] = [
    ("indices", "meshes.faces"),
    ("attributes", "n_vertices"),
    ("chunks.indices", "meshes.faces"),
    ("chunks.streams.data", "chunks.bone_weights"),
    ("animations.fl_hz", "animations.rate"),
    ("animations.n_frames", "animations.duration"),
    ("animations.poses", "animations.channels"),
    ("animations.timestamps", "animations.channels"),
    ("animations.tracks", "animations.channels"),
    ("bones", "skeleton.joints"),
    ("lods.ld_sc", "lods.distance"),
];

/// Values that are the same in another notation: format, name, notation.
const NOTATIONS: [(&str, &str, &str); 10] = [
    ("bmd", "meshes.vertices", "packed again, in the forms that fit"),
    ("bmd", "meshes.flags.vertex_subtype", "follows from the vertices"),
    ("bmd", "meshes.flags.triangles_type", "follows from the faces"),
    ("bmd", "bones.transform", "packed again: only errors that can be seen are losses"),
    ("bmd", "animations.tracks", "packed again: only errors that can be seen are losses"),
    ("iyma", "attributes.usage", "a usage of no values, in a file without vertices"),
    ("iyma", "meshes.first_index", "indices of one mesh after those of another"),
    ("iyma", "meshes.first_vertex", "vertices of one mesh after those of another"),
    ("mesh", "joints.parent", "an id, or a position among the joints"),
    ("mesh", "animations.name", "the number of one of several equal strings"),
];

/// Whether a value may change: a loss names it, or it has another notation.
fn may_change(document: &Document, losses: &[Loss], name: &str) -> bool {
    let format = document.format().name();
    let has_notation = |notation: &(&str, &str, &str)| notation.0 == format && is_in(notation.1, name);
    let part = PARTS.iter().find(|(value, _)| is_in(value, name)).map_or(name, |(_, part)| part);
    is_told(losses, name) || is_told(losses, part) || NOTATIONS.iter().any(has_notation)
}

/// The text of a document, in which floats are equal if their bits are, and of losses.
fn text(document: &Document, losses: &[Loss]) -> String {
    format!("{} {losses:?}", serde_json::to_string(document).unwrap())
}

proptest! {
    #![proptest_config(config(120, "told"))]

    /// Documents that differ in one value come back as different ones, or a loss names the value.
    #[test]
    fn what_a_scene_loses_is_told(document in documents(), choice in any::<Index>()) {
        let Some((again, losses)) = there_and_back(&document) else { return Ok(()) };
        let data = serde_json::to_value(&document).unwrap();
        for (name, places) in values(&data) {
            let place: &String = choice.get(&places);
            let other = changed(&data, place).and_then(|other| there_and_back(&other));
            let is_lost = other.is_some_and(|(other, more)| text(&other, &more) == text(&again, &losses));
            prop_assert!(
                !is_lost || may_change(&document, &losses, &name),
                "{}: the scene loses {name}, and no loss says so: {place} is {} in {data}, losses {losses:?}",
                document.format(),
                data.pointer(place).unwrap()
            );
        }
    }

    /// What came back once comes back the same, or a loss names the value.
    #[test]
    fn what_a_scene_changes_is_told(document in documents()) {
        let Some((once, _)) = there_and_back(&document) else { return Ok(()) };
        let Some((twice, losses)) = there_and_back(&once) else { return Ok(()) };
        let [before, after] = [&once, &twice].map(|document| serde_json::to_value(document).unwrap());
        for (name, places) in values(&before) {
            let is_same = |place: &&String| {
                // As text, in which zeros of both signs differ.
                before.pointer(place).map(Value::to_string) == after.pointer(place).map(Value::to_string)
            };
            let Some(place) = places.iter().find(|place| !is_same(place)) else { continue };
            prop_assert!(
                may_change(&once, &losses, &name),
                "{}: the scene changes {name}, and no loss says so: {place} is {:?} in {before}, losses {losses:?}",
                once.format(),
                after.pointer(place)
            );
        }
    }
}
