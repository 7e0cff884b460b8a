//! What holds for scenes: a document that becomes a scene and a document again is the same but for what is listed.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::collections::BTreeMap;

use glam::{Mat4, Vec3};
use meshspec::interop::Interchange;
use meshspec::scene::{FromScene, Mesh, Scene, SceneOptions, Skin};
use meshspec::{Document, ErrorKind, Format, FormatId, Loss, bmd, crucible, iyma, mesh, seed};
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

/// The streams in the order of the specification's table.
fn in_order_of_attributes(mut document: crucible::Document) -> crucible::Document {
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

/// The skinned vertices of a scene at a time of an animation.
fn skinned(scene: &Scene, animation: &meshspec::scene::Animation, ticks: f32) -> Vec<Vec<Vec3>> {
    let joints = scene.skeleton.to_model(&animation.pose(&scene.skeleton, ticks));
    let moves: Vec<Mat4> = joints
        .iter()
        .zip(&scene.skeleton.joints)
        .map(|(global, joint)| *global * joint.inverse_bind)
        .collect();
    let mesh = |mesh: &Mesh| {
        let vertex = |(vertex, position): (usize, &[f32; 3])| {
            let Some(skin) = mesh.skins.first() else { return Vec3::from(*position) };
            let weights = skin.weights.clone().into_f32()[vertex];
            if skin.joints[vertex] == [Skin::NONE; 4] {
                return Vec3::from(*position);
            }
            let parts = skin.joints[vertex].iter().zip(weights).filter(|(joint, _)| **joint != Skin::NONE);
            parts.fold(Vec3::ZERO, |sum, (joint, weight)| {
                sum + moves[usize::from(*joint)].transform_point3(Vec3::from(*position)) * weight
            })
        };
        mesh.positions.iter().enumerate().map(vertex).collect()
    };
    scene.meshes.iter().map(mesh).collect()
}

/// The scene that is read back from a GLB of this one, and what was lost on the way there.
fn through_glb(scene: Scene) -> meshspec::Result<(Scene, Vec<Loss>)> {
    let mut files = BTreeMap::new();
    let losses = Interchange::Glb.write(scene, "x.glb", &mut files, &SceneOptions::default())?;
    let bytes = files.remove("x.glb").unwrap();
    let (again, _) = Interchange::Glb.read(&bytes, &files, &Default::default(), &Default::default()).unwrap();
    Ok((again, losses))
}

/// That a document has the content of its file is what `tests/fixtures.rs` compares.
#[test]
fn every_valid_file_becomes_glb_with_its_positions() {
    let (mut compared, mut refused) = (0, 0);
    for (format, bytes) in common::all_files() {
        let document = format.read(&bytes, &Default::default()).unwrap();
        let (scene, _) = document.into_scene(&SceneOptions::default()).unwrap();
        let (again, losses) = match through_glb(scene.clone()) {
            Ok(converted) => converted,
            Err(error) => {
                // Positions that are not finite.
                assert_eq!(error.kind(), ErrorKind::Inexpressible, "{error}");
                refused += 1;
                continue;
            }
        };
        // Meshes without vertices have no place in glTF; where levels of detail are mixed the finest one is kept.
        if losses.iter().any(|loss| loss.path == "lods") {
            continue;
        }
        let positions = |scene: &Scene| -> Vec<[u32; 3]> {
            let all = scene.meshes.iter().flat_map(|mesh| &mesh.positions);
            all.map(|position| position.map(f32::to_bits)).collect()
        };
        assert_eq!(positions(&again), positions(&scene), "{format}: {losses:?}");
        compared += 1;
    }
    assert!(compared > refused, "{compared} files compared, {refused} refused");
}

#[test]
fn bmd_moves_in_glb_as_it_does_itself() {
    let mut compared = 0;
    for (format, bytes) in common::all_files() {
        if format != FormatId::Bmd {
            continue;
        }
        let document = format.read(&bytes, &Default::default()).unwrap();
        let (scene, _) = document.into_scene(&SceneOptions::default()).unwrap();
        let (again, losses) = through_glb(scene.clone()).unwrap();
        if losses.iter().any(|loss| loss.path == "lods") {
            continue;
        }
        // glTF has no animations in which nothing moves.
        let moving: Vec<_> =
            scene.animations.iter().filter(|animation| !animation.channels.is_empty()).collect();
        assert_eq!(again.animations.len(), moving.len(), "{losses:?}");
        for (found, expected) in again.animations.iter().zip(moving) {
            // Between whole frames glTF turns on the great circle.
            for ticks in [0.0, 1.0, 2.0, 5.0] {
                let seconds = expected.seconds(ticks) * found.rate;
                let pairs = skinned(&again, found, seconds).into_iter().zip(skinned(&scene, expected, ticks));
                for (found, expected) in pairs.flat_map(|(found, expected)| found.into_iter().zip(expected)) {
                    let distance = expected.distance(found);
                    assert!(distance <= 1e-3 * (1.0 + expected.length()), "{ticks}: {expected} {found}");
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 0);
}

#[test]
fn vertices_of_bmd_are_where_its_own_poses_take_them() {
    let mut compared = 0;
    for (format, bytes) in common::all_files() {
        if format != FormatId::Bmd {
            continue;
        }
        let document = bmd::Document::read(&bytes, &Default::default()).unwrap();
        let (scene, _) = Document::Bmd(document.clone()).into_scene(&SceneOptions::default()).unwrap();
        let drawn: Vec<_> = document.meshes.iter().filter(|mesh| mesh.material.is_some()).collect();
        for (source, animation) in document.animations.iter().zip(&scene.animations) {
            for ticks in [0.0, 0.5, 1.0, 3.25, 7.0, 40.0] {
                let matrices = source.pose(ticks).matrices(&document.bones);
                for (mesh, found) in drawn.iter().zip(skinned(&scene, animation, ticks)) {
                    let columns = mesh.vertices.columns(mesh.surface());
                    for ((bone, local), found) in columns.bones.iter().zip(columns.positions).zip(found) {
                        let matrix =
                            matrices.get(usize::from(*bone)).map_or(Mat4::IDENTITY, Mat4::from_cols_array_2d);
                        let [x, y, z] = matrix.transform_point3(local.into()).to_array();
                        let expected = Vec3::new(x, z, -y);
                        let distance = expected.distance(found);
                        assert!(distance <= 1e-4 * (1.0 + expected.length()), "{ticks}: {expected} {found}");
                        compared += 1;
                    }
                }
            }
        }
    }
    assert!(compared > 0);
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

#[test]
fn bmd_survives_a_scene() {
    for (format, bytes) in common::all_files() {
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
            let found = mesh.vertices.columns(mesh.surface());
            let columns = expected.vertices.columns(expected.surface());
            if !losses.iter().any(|loss| loss.message.starts_with("bones that are not there")) {
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
                let values = |track: &bmd::Track| -> Vec<_> {
                    let keys = track.keys().filter(bmd::TrackKey::has_values);
                    keys.map(|key| {
                        (
                            key.frame,
                            key.rotation.map(|r| r.value()),
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
    let message = "changed: meshes: a `.crmesh` is one mesh: the 2 are in a container, as in a `.cmodel`";
    for (extension, losses) in [(None, ""), (Some("crmesh"), message), (Some("cmodel"), "")] {
        assert_eq!(chunks(&two, extension), (model, losses.to_owned()));
    }
}
