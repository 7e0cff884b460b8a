//! What holds for scenes: a document that becomes a scene and a document again is the same but for what is listed.

mod packing;
mod poses;
mod positions;
mod rebinding;
mod rest;
mod scale;

use crate::common::config;
use glam::Vec3;
use meshspec::scene::{FromScene, Indices, Mesh, Scene, SceneOptions, Skin, ToScene};
use meshspec::{Dialect, Document, Format, FormatId, Loss, bmd, crucible, iyma, mesh, seed};
use proptest::prelude::*;

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

/// Names in the order of their use, as UTF-8, and no other strings; joints by their ids, poses in the order of the joints.
fn in_order_of_use(document: mesh::Document) -> mesh::Document {
    let mut strings: Vec<meshspec::Text> = Vec::new();
    let mut ordered = document.clone();
    for animation in &mut ordered.animations {
        if let Some(name) = document.name_of(animation) {
            let name = meshspec::Text::from(&*name.to_string());
            let known = strings.iter().position(|string| *string == name);
            animation.name = Some(known.unwrap_or_else(|| {
                strings.push(name);
                strings.len() - 1
            }) as u32);
        }
    }
    ordered.strings = strings.into_iter().collect();
    if !are_parents_ids(&document.joints) {
        for (joint, by_position) in ordered.joints.iter_mut().zip(&document.joints) {
            joint.parent = by_position.parent_entry().map_or(joint.parent, |entry| document.joints[entry].id);
        }
    }
    ordered.joints.sort_by_key(|joint| joint.id);
    let joints = ordered.joints.len().max(1);
    for poses in ordered.animations.iter_mut().flat_map(|animation| animation.poses.chunks_mut(joints)) {
        poses.sort_by_key(|pose| pose.joint);
    }
    ordered
}

/// Whether parents are ids of joints that make no circle; else they are positions.
fn are_parents_ids(joints: &[mesh::Joint]) -> bool {
    let parent_of =
        |joint: &mesh::Joint| joints.iter().find(|other| Some(usize::from(other.id)) == joint.parent_entry());
    let ancestors = |joint| std::iter::successors(Some(joint), |joint| parent_of(joint).copied());
    joints.iter().all(|joint| ancestors(*joint).nth(joints.len()).is_none())
}

/// The streams in the order of the specification's table.
fn in_order_of_attributes(mut document: crucible::Document) -> crucible::Document {
    const ORDER: [&str; 7] =
        ["position_3d", "position_2d", "normal", "uv", "tangent", "color", "bone_weights"];
    for chunk in &mut document.chunks {
        chunk.streams.sort_by_key(|stream| ORDER.iter().position(|name| *name == stream.name()));
    }
    document
}

/// Makes times follow one another, since a scene has one pose at a time.
fn ascend(times: &mut [f32]) {
    times.iter_mut().for_each(|time| *time = if time.is_finite() { time.clamp(-1e6, 1e6) } else { 0.0 });
    times.sort_by(f32::total_cmp);
    for at in 1..times.len() {
        if times[at] <= times[at - 1] {
            times[at] = times[at - 1] + 1.0;
        }
    }
}

proptest! {
    #![proptest_config(config(200, "scene"))]

    #[test]
    fn mesh_survives_a_scene(mut document in mesh::strategy::documents()) {
        // Vertices of missing joints would be one with more joints.
        let has_joints = |finding: &meshspec::Finding| finding.rule.code != "MESH-VERTEX-JOINT";
        prop_assume!(document.check().findings().iter().all(has_joints));
        // Spare corners and faces without vertices would be a loss.
        let corners = if document.vertices.is_empty() { 0 } else { document.indices.len() / 3 * 3 };
        document.indices.truncate(corners);
        document.animations.iter_mut().for_each(|animation| ascend(&mut animation.timestamps));
        let (again, losses) = there_and_back(&Document::Mesh(document.clone()));
        let expected = Document::Mesh(in_order_of_use(document));
        let lost: Vec<_> = losses.iter().filter(|loss| !loss.path.starts_with("strings")).collect();
        prop_assert!(lost.is_empty(), "{lost:?}");
        prop_assert_eq!(data(&again), data(&expected));
    }

    #[test]
    fn crucible_survives_a_scene(mut document in crucible::strategy::documents()) {
        for chunk in &mut document.chunks {
            // Spare corners would be a loss.
            let whole = chunk.indices.len() / 3 * 3;
            match &mut chunk.indices {
                crucible::Indices::U16(indices) => indices.truncate(whole),
                crucible::Indices::U32(indices) => indices.truncate(whole),
            }
        }
        let (again, losses) = there_and_back(&Document::Crucible(document.clone()));
        // Without positions there are some in the scene.
        prop_assume!(losses.iter().all(|loss| loss.path.ends_with("tangents.w")));
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
    let known = [
        "attributes",
        "meshes[0].normals",
        "meshes[0].uvs",
        "meshes[0].name",
        "meshes[0].material.name",
        "meshes[0].custom",
    ];
    // And corners behind the last whole triangle.
    let is_known =
        |loss: &Loss| loss.path.ends_with(".faces") || known.iter().any(|path| loss.path.starts_with(path));
    prop_assert!(losses.iter().all(is_known), "{losses:?}");
    if losses.is_empty() {
        let (mut scene, mut found) = (scene, again.into_scene(&options).unwrap().0);
        if options.dialect == Some(Dialect::Reference) {
            // Its indices are narrower where they fit.
            for mesh in scene.meshes.iter_mut().chain(&mut found.meshes) {
                mesh.faces.indices =
                    mesh.faces.indices.take().map(|indices| Indices::U32(indices.into_u32()));
            }
        }
        let expected = format!("{:?}", without_empty_slots(scene));
        let found = format!("{:?}", without_empty_slots(found));
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
    #![proptest_config(config(200, "scene"))]

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

/// The same positions; or, where numbers of very different sizes were turned together and a loss says so, near ones.
fn assert_near(found: &[[f32; 3]], expected: &[[f32; 3]], losses: &[Loss]) {
    let errors = losses.iter().filter(|loss| loss.path.ends_with("positions")).filter_map(|loss| loss.error);
    let error = errors.fold(0.0, f32::max);
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        let size = expected.iter().fold(0.0_f32, |size, x| size.max(x.abs()));
        let distance = Vec3::from(*found).distance((*expected).into());
        let most = if error > 0.0 { 2.0 * error + 1e-6 * size } else { 0.0 };
        assert!(distance <= most, "{found:?} for {expected:?}: {losses:?}");
    }
}

of_files!(bmd_survives_a_scene);

fn bmd_survives_a_scene(files: Vec<crate::common::File>) {
    for (format, bytes) in files {
        if format != FormatId::Bmd {
            continue;
        }
        let document = bmd::Document::read(&bytes, &Default::default()).unwrap();
        let (again, losses) = there_and_back(&Document::Bmd(document.clone()));
        let Document::Bmd(again) = again else { panic!() };
        assert_eq!(again.meshes.len(), document.meshes.len(), "{losses:?}");
        for (mesh, expected) in again.meshes.iter().zip(&document.meshes) {
            assert_eq!(mesh.material, expected.material);
            assert!(mesh.faces.iter().eq(expected.faces.iter()));
            let found = mesh.vertices.columns();
            let columns = expected.vertices.columns();
            if !losses.iter().any(|loss| loss.message == "bindings to missing bones") {
                assert_eq!(found.bones, columns.bones);
            }
            assert_eq!(found.colors, columns.colors);
            assert_near(&found.positions, &columns.positions, &losses);
            assert_eq!(found.st, columns.st);
        }
        // All meshes from nearby on can be said in two ways.
        let levels = |document: &bmd::Document| -> Vec<_> {
            let lods = document.lods.iter();
            lods.map(|lod| {
                let shown = document.meshes_of(*lod).unwrap().iter().filter(|mesh| mesh.material.is_some());
                (shown.count(), lod.distance().unwrap_or(0.0))
            })
            .collect()
        };
        assert_eq!(levels(&again), levels(&document));
        for (bone, expected) in again.bones.iter().zip(&document.bones) {
            assert_eq!(
                (&bone.name, bone.id_parent, bone.id_solid),
                (&expected.name, expected.id_parent, expected.id_solid)
            );
        }
        for (animation, expected) in again.animations.iter().zip(&document.animations) {
            assert_eq!((animation.n_frames, animation.fl_hz), (expected.n_frames, expected.fl_hz));
            for (track, expected) in animation.tracks.iter().zip(&expected.tracks) {
                // A quaternion and its opposite are the same rotation: bones turn the shorter way between them.
                let same_sign = |[i, j, k, r]: [f32; 4]| {
                    let sign =
                        if [r, k, j, i].into_iter().find(|x| *x != 0.0) < Some(0.0) { -1.0 } else { 1.0 };
                    [i, j, k, r].map(|x| sign * x)
                };
                let values = |track: &bmd::Track| -> Vec<_> {
                    let keys = track.keys().filter(bmd::TrackKey::has_values);
                    keys.map(|key| {
                        (
                            key.frame,
                            key.rotation.map(|r| same_sign(r.value())),
                            key.translation.map(|t| t.value()),
                            key.scale.map(|s| s.value()),
                        )
                    })
                    .collect()
                };
                assert_eq!(values(track), values(expected));
            }
        }
    }
}

#[test]
fn a_chunk_has_the_container_of_its_source_or_of_its_extension() {
    let chunks = |scene: &Scene, extension: Option<&str>| {
        let mut options = SceneOptions::default();
        options.extension = extension.map(str::to_owned);
        let (document, losses) = crucible::Document::from_scene(scene.clone(), &options).unwrap();
        let losses: Vec<_> = losses.iter().map(ToString::to_string).collect();
        (document.container, losses.join("\n"))
    };
    let (chunk, model) = (crucible::Container::Chunk, crucible::Container::Model);
    let one = Scene { meshes: vec![Mesh::default()], ..Scene::default() };
    for (extension, expected) in [(None, chunk), (Some("crmesh"), chunk), (Some("cmodel"), model)] {
        assert_eq!(chunks(&one, extension), (expected, String::new()), "{extension:?}");
        for container in [chunk, model] {
            let (document, _) =
                crucible::Document::from_scene(one.clone(), &SceneOptions::default()).unwrap();
            let document = crucible::Document { container, ..document };
            let (scene, _) = document.into_scene(&SceneOptions::default()).unwrap();
            assert_eq!(chunks(&scene, extension), (container, String::new()), "{extension:?}");
        }
    }
    let two = Scene { meshes: vec![Mesh::default(); 2], ..Scene::default() };
    let message =
        "changed: meshes: a .crmesh has one mesh: written in a container, as in a .cmodel: 2 meshes";
    for (extension, losses) in [(None, ""), (Some("crmesh"), message), (Some("cmodel"), "")] {
        assert_eq!(chunks(&two, extension), (model, losses.to_owned()));
    }
}
