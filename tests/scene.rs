//! What holds for scenes: a document that becomes a scene and a document again is the same but for what is listed.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use meshspec::scene::{Scene, SceneOptions, Skin};
use meshspec::{Document, Loss, crucible, iyma, mesh, seed};
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

/// The scene that a document becomes, and the one that it becomes by way of another document of the format.
fn twice(document: Document) -> Result<(), TestCaseError> {
    let mut options = SceneOptions::default();
    options.dialect = Some(document.dialect());
    let format = document.format();
    let (scene, _) = document.into_scene(&options).unwrap();
    let (again, losses) = Document::from_scene(format, scene.clone(), &options).unwrap();
    // Names of the other dialect, what a format requires, zeros behind three components.
    let known = ["attributes", "meshes[0].normals", "meshes[0].uvs", "meshes[0] ("];
    prop_assert!(
        losses.iter().all(|loss| known.iter().any(|path| loss.path.starts_with(path))),
        "{losses:?}"
    );
    if losses.is_empty() {
        let expected = format!("{:?}", without_empty_slots(scene));
        let found = format!("{:?}", without_empty_slots(again.into_scene(&options).unwrap().0));
        prop_assert_eq!(found, expected);
    }
    Ok(())
}

/// IyMA has no number for a joint that is not there.
fn without_empty_slots(mut scene: Scene) -> Scene {
    for skin in scene.meshes.iter_mut().flat_map(|mesh| &mut mesh.skins) {
        for joint in skin.joints.as_flattened_mut().iter_mut().filter(|joint| **joint == Skin::NONE) {
            *joint = 0;
        }
    }
    scene
}

proptest! {
    #![proptest_config(config(500))]

    #[test]
    fn seed_survives_a_scene(document in seed::strategy::documents()) {
        let (again, losses) = there_and_back(&Document::Seed(document.clone()));
        prop_assume!(losses.is_empty());
        // An empty list of comments says that reading was asked to keep them.
        prop_assert_eq!(data(&again), data(&Document::Seed(seed::Document { comments: None, ..document })));
    }

    #[test]
    fn scenes_of_iyma_survive_iyma(document in iyma::strategy::documents()) {
        twice(Document::Iyma(document))?;
    }

    #[test]
    fn scenes_of_seed_survive_seed(document in seed::strategy::documents()) {
        twice(Document::Seed(document))?;
    }
}
