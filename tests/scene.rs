//! What holds for scenes: a document that becomes a scene and a document again is the same but for what is listed.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use meshspec::scene::SceneOptions;
use meshspec::{Document, Loss, crucible, mesh};
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

fn config(cases: u32) -> ProptestConfig {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/proptest-regressions/scene.txt");
    ProptestConfig {
        cases,
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct(file))),
        ..ProptestConfig::default()
    }
}

/// A document as data, in which floats are equal if their bits are.
fn data(document: &Document) -> String {
    serde_json::to_string(document).unwrap()
}

/// The document that a scene of this one becomes in the same dialect, and what was lost on the way.
fn there_and_back(document: &Document) -> (Document, Vec<Loss>) {
    let mut options = SceneOptions::default();
    options.dialect = Some(document.dialect());
    let (scene, mut losses) = document.clone().into_scene(&options).unwrap();
    let (again, more) = Document::from_scene(document.format(), scene, &options).unwrap();
    losses.extend(more);
    (again, losses)
}

/// Names in the order of their use, and no other strings; poses in the order of the joints.
fn in_order_of_use(document: mesh::Document) -> mesh::Document {
    let mut strings: Vec<meshspec::Text> = Vec::new();
    let mut ordered = document.clone();
    for animation in &mut ordered.animations {
        if let Some(name) = document.name_of(animation).cloned() {
            let known = strings.iter().position(|string| *string == name);
            animation.name = Some(known.unwrap_or_else(|| {
                strings.push(name);
                strings.len() - 1
            }) as u32);
        }
    }
    ordered.strings = strings;
    let joints = ordered.joints.len().max(1);
    for poses in ordered.animations.iter_mut().flat_map(|animation| animation.poses.chunks_mut(joints)) {
        poses.sort_by_key(|pose| pose.joint);
    }
    ordered
}

/// The streams in the order of the specification's table; one chunk alone needs no container.
fn in_order_of_attributes(mut document: crucible::Document) -> crucible::Document {
    if let [_] = *document.chunks {
        document.container = crucible::Container::Chunk;
    }
    const ORDER: [&str; 7] =
        ["position_3d", "position_2d", "normal", "uv", "tangent", "color", "bone_weights"];
    for chunk in &mut document.chunks {
        chunk.streams.sort_by_key(|stream| ORDER.iter().position(|name| *name == stream.name()));
    }
    document
}

proptest! {
    #![proptest_config(config(500))]

    #[test]
    fn mesh_survives_a_scene(document in mesh::strategy::documents()) {
        let (again, losses) = there_and_back(&Document::Mesh(document.clone()));
        let expected = Document::Mesh(in_order_of_use(document));
        let lost: Vec<_> = losses.iter().filter(|loss| !loss.path.starts_with("strings")).collect();
        prop_assert!(lost.is_empty(), "{lost:?}");
        prop_assert_eq!(data(&again), data(&expected));
    }

    #[test]
    fn crucible_survives_a_scene(document in crucible::strategy::documents()) {
        let (again, losses) = there_and_back(&Document::Crucible(document.clone()));
        // Without positions there are some in the scene.
        prop_assume!(losses.iter().all(|loss| loss.path.ends_with("tangents")));
        prop_assert_eq!(data(&again), data(&Document::Crucible(in_order_of_attributes(document))));
    }
}
