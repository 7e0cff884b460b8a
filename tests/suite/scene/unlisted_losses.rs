//! Every change of a document in a round trip through a scene is listed as a loss, for all formats.
//!
//! The round trip is lossless if it is injective and idempotent.

use std::collections::BTreeMap;

use meshspec::layout::generate::Config;
use meshspec::scene::SceneOptions;
use meshspec::{AnyFormat, Document, Loss, WriteOptions, bmd, crucible, iyma, mesh, seed};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};

use crate::common::config;
use crate::fuzz::exact_text;

fn documents() -> impl Strategy<Value = Document> {
    let small = Config {
        max_items: 4,
        ..Config::default()
    };
    prop_oneof![
        1 => mesh::strategy::documents_with(small).prop_map(Document::Mesh),
        1 => crucible::strategy::documents_with(small).prop_map(Document::Crucible),
        1 => seed::strategy::documents_with(small).prop_map(Document::Seed),
        2 => bmd::strategy::documents_with(small).prop_map(Document::Bmd),
        1 => iyma::strategy::documents_with(small).prop_map(Document::Iyma),
    ]
}

/// Converts a document to a scene and back in its dialect. Also returns the losses. `None` if the format cannot
/// express the scene.
fn round_trip(document: &Document) -> Option<(Document, Vec<Loss>)> {
    let mut options = SceneOptions::default();
    options.dialect = Some(document.dialect());
    let (scene, mut losses) = document.clone().into_scene(&options).ok()?;
    let (again, more) = Document::from_scene(document.format(), scene, &options).ok()?;
    losses.extend(more);
    Some((again, losses))
}

/// Returns a path without indices.
fn names(path: &str) -> String {
    let names = path
        .split('.')
        .map(|step| step.split('[').next().unwrap_or(step));
    names.collect::<Vec<_>>().join(".")
}

/// Returns `true` if `name` is the part `part`, or a value in it.
fn is_part_of(part: &str, name: &str) -> bool {
    let mut steps = name.split('.');
    part.split('.')
        .all(|step| steps.next().is_some_and(|name| step == "*" || step == name))
}

fn is_listed(losses: &[Loss], name: &str) -> bool {
    losses
        .iter()
        .any(|loss| is_part_of(&names(&loss.path.to_string()), name))
}

/// Structs of files whose fields a document has at its top level.
const TOP_LEVEL: [&str; 3] = ["header", "descriptor", "data"];

/// Returns the JSON pointers of all values, by their names in documents.
fn values(data: &Value) -> BTreeMap<String, Vec<String>> {
    let mut found = BTreeMap::new();
    add_values(&data["value"], "", "/value", &mut found);
    found
}

fn add_values(data: &Value, name: &str, pointer: &str, found: &mut BTreeMap<String, Vec<String>>) {
    match data {
        Value::Object(fields) => {
            for (key, value) in fields {
                let is_nameless = ["$value", "$items"].contains(&key.as_str());
                let name = if is_nameless || name.is_empty() && TOP_LEVEL.contains(&key.as_str()) {
                    name.to_owned()
                } else if key.starts_with('$') {
                    continue;
                } else if name.is_empty() {
                    key.clone()
                } else {
                    format!("{name}.{key}")
                };
                add_values(value, &name, &format!("{pointer}/{key}"), found);
            }
        }
        Value::Array(items) => {
            let mut has_effect = true;
            for (index, value) in items.iter().enumerate().rev() {
                has_effect = match BmdKey::of(value) {
                    Some(BmdKey::End) => false,
                    Some(BmdKey::Empty) => has_effect,
                    Some(BmdKey::Values) | None => true,
                };
                if has_effect {
                    add_values(value, name, &format!("{pointer}/{index}"), found);
                }
            }
        }
        _ => found
            .entry(name.to_owned())
            .or_default()
            .push(pointer.to_owned()),
    }
}

/// A key of a BMD animation.
enum BmdKey {
    Values,
    /// A key without values, which moves the later keys of its bone. It means nothing if there are none.
    Empty,
    /// The end of the keys of a bone.
    End,
}

impl BmdKey {
    /// Returns the kind of a key; `None` if `item` is not a key.
    fn of(item: &Value) -> Option<BmdKey> {
        let tag = item.get("tag")?.as_object()?;
        let skip = tag.get("skip")?.as_u64()?;
        Some(if tag.values().any(|flag| *flag == true) {
            BmdKey::Values
        } else if skip > 0 {
            BmdKey::Empty
        } else {
            BmdKey::End
        })
    }
}

/// Returns values of the same type that differ from `value`.
fn other_values(value: &Value) -> Vec<Value> {
    match value {
        Value::Bool(flag) => vec![json!(!flag)],
        Value::String(text) => vec![json!(0.5), json!(format!("{text}x"))],
        Value::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
            (Some(number), ..) => vec![json!(number ^ 1), json!(number + 2)],
            (_, Some(number), _) => vec![json!(number + 1)],
            (.., Some(number)) => vec![json!(if number.abs() < 1e6 {
                number + 0.5
            } else {
                0.5
            })],
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// Returns the values of the document's file as JSON.
fn json_of(document: &Document) -> Value {
    let mut text = Vec::new();
    document
        .write_json(&WriteOptions::lenient(), &mut text)
        .unwrap();
    serde_json::from_slice(&text).unwrap()
}

/// Returns the document of the values in JSON; `None` if they are not those of a file.
fn document_of(format: AnyFormat, json: &Value) -> Option<Document> {
    format
        .document_from_json(json.to_string().as_bytes())
        .ok()?
        .try_into()
        .ok()
}

/// Returns the document with another value at a JSON pointer; `None` if it cannot be written.
fn with_value(document: &Document, data: &Value, pointer: &str) -> Option<Document> {
    other_values(data.pointer(pointer)?)
        .into_iter()
        .find_map(|other| {
            let mut data = data.clone();
            *data.pointer_mut(pointer)? = other;
            let other = document_of(document.format(), &data)?;
            let is_other = exact_text(&other) != exact_text(document);
            (is_other && other.write(&WriteOptions::default()).is_ok()).then_some(other)
        })
}

/// Parts of a scene whose paths a loss may have instead of the path of the declared value: format, value, part.
const PARTS: &[(&str, &str, &str)] = &[
    ("bmd", "animations.frames", "animations.tracks"),
    ("bmd", "resv1", "reserved"),
    ("bmd", "resv2", "reserved"),
    ("bmd", "resv3", "reserved"),
    ("crucible", "chunks.indices", "meshes.faces"),
    (
        "crucible",
        "chunks.streams.data.bone",
        "chunks.bone_weights",
    ),
    (
        "crucible",
        "chunks.streams.data.influence",
        "chunks.bone_weights",
    ),
    ("iyma", "vertices", "attributes"),
    ("iyma", "vertices", "n_vertices"),
    ("iyma", "indices", "meshes.faces"),
    ("mesh", "indices", "meshes.faces"),
];

/// Values with several equivalent notations: format, struct, its fields, notation. `*` is any name, such as the name
/// of a form. A new field is in no list, so another loss cannot hide its loss.
const NOTATIONS: &[(&str, &str, &[&str], &str)] = &[
    (
        "bmd",
        "meshes.vertices.*",
        &[
            "position",
            "org_x",
            "org_y",
            "org_z",
            "st",
            "normal",
            "color",
            "color_or_bone",
            "bone",
            "tag",
        ],
        "packed again, in the forms that fit",
    ),
    (
        "bmd",
        "meshes.flags",
        &["vertex_subtype", "triangles_type"],
        "follows from the vertices and faces",
    ),
    (
        "bmd",
        "bones.xform",
        &["origin", "rotation"],
        "packed again: only visible errors are losses",
    ),
    (
        "bmd",
        "bones.pseudo",
        &["bone_0", "bone_1", "bone_2", "bone_3"],
        "a bone of weight 0",
    ),
    (
        "bmd",
        "animations.frames",
        &["translation", "rotation", "scale"],
        "packed again, as bones",
    ),
    (
        "iyma",
        "meshes",
        &["first_index", "first_vertex"],
        "meshes in another order than their values",
    ),
    (
        "mesh",
        "joints",
        &["parent"],
        "an id, or a position among the joints",
    ),
    (
        "mesh",
        "animations",
        &["name"],
        "the number of one of several equal strings",
    ),
];

/// Returns `true` if a value says nothing about an IyMA document whose meshes have no vertices, or no indices.
///
/// Vertices of no mesh are a loss of `n_vertices`, whatever their attributes are.
fn is_empty_iyma(document: &Document, name: &str) -> bool {
    let Document::Iyma(document) = document else {
        return false;
    };
    let has_indices = document
        .indices
        .as_ref()
        .is_some_and(|indices| !indices.data.is_empty());
    let has_vertices = document.meshes.iter().any(|mesh| mesh.vertex_count > 0);
    match name {
        "attributes.usage" | "attributes.custom" | "attributes.name" => !has_vertices,
        "has_indices" | "index_format" => !has_indices,
        _ => false,
    }
}

/// Returns `true` if a value may change, because it is listed as a loss or has another notation.
fn may_change(document: &Document, losses: &[Loss], name: &str) -> bool {
    let format = document.format().name();
    let has_notation = NOTATIONS.iter().any(|(of, list, fields, _)| {
        *of == format
            && fields
                .iter()
                .any(|field| is_part_of(&format!("{list}.{field}"), name))
    });
    let mut parts = PARTS
        .iter()
        .filter(|(of, value, _)| *of == format && is_part_of(value, name));
    is_listed(losses, name)
        || has_notation
        || is_empty_iyma(document, name)
        || parts.any(|(.., part)| is_listed(losses, part))
}

/// Returns a document and losses as text, in which floats are equal if and only if their bits are equal.
fn text(document: &Document, losses: &[Loss]) -> String {
    format!("{} {losses:?}", exact_text(document))
}

proptest! {
    #![proptest_config(config(120, "told"))]

    /// Documents that differ in one value also differ after the round trip, unless the value is listed as a loss.
    #[test]
    fn values_lost_in_a_scene_are_listed(document in documents(), choice in any::<Index>()) {
        let data = json_of(&document);
        // JSON of Seed has the comments that writing adds.
        let document = document_of(document.format(), &data).unwrap();
        let Some((again, losses)) = round_trip(&document) else { return Ok(()) };
        for (name, places) in values(&data) {
            let pointer: &String = choice.get(&places);
            let other = with_value(&document, &data, pointer).and_then(|other| round_trip(&other));
            let is_lost = other.is_some_and(|(other, more)| text(&other, &more) == text(&again, &losses));
            prop_assert!(
                !is_lost || may_change(&document, &losses, &name),
                "{}: the scene loses {name}, and no loss says so: {pointer} is {} in {data}, losses {losses:?}",
                document.format(),
                data.pointer(pointer).unwrap()
            );
        }
    }

    /// After one round trip, further round trips change only values that are listed as losses.
    #[test]
    fn values_changed_by_a_scene_are_listed(document in documents()) {
        let Some((once, _)) = round_trip(&document) else { return Ok(()) };
        let Some((twice, losses)) = round_trip(&once) else { return Ok(()) };
        let [before, after] = [&once, &twice].map(json_of);
        for (name, places) in values(&before) {
            let is_same = |pointer: &&String| {
                // Compares text, in which zeros of both signs differ.
                before.pointer(pointer).map(Value::to_string) == after.pointer(pointer).map(Value::to_string)
            };
            let Some(pointer) = places.iter().find(|pointer| !is_same(pointer)) else { continue };
            prop_assert!(
                may_change(&once, &losses, &name),
                "{}: the scene changes {name}, and no loss says so: {pointer} is {:?} in {before}, losses {losses:?}",
                once.format(),
                after.pointer(pointer)
            );
        }
    }
}
