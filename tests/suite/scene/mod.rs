//! Properties of scenes: a round trip of a document through a scene changes only content that is listed as a loss.

mod compare;
mod detail;
mod packing;
mod poses;
mod positions;
mod rebinding;
mod rest;
mod scale;
mod unlisted_losses;

use glam::Vec3;
use meshspec::scene::{FromScene, Mesh, Scene, SceneOptions, ToScene};
use meshspec::{Document, Format, Loss, bmd, crucible};

/// Converts a document to a scene and back in its dialect. Returns the new document and the losses.
fn round_trip(document: &Document) -> (Document, Vec<Loss>) {
    let mut options = SceneOptions::default();
    options.dialect = Some(document.dialect());
    let (scene, mut losses) = document.clone().into_scene(&options).unwrap();
    let (again, more) = Document::from_scene(document.format(), scene, &options).unwrap();
    losses.extend(more);
    (again, losses)
}

/// Asserts that positions are equal, or close if a loss reports rounding by a transform.
fn assert_near(found: &[[f32; 3]], expected: &[[f32; 3]], losses: &[Loss]) {
    let errors = losses
        .iter()
        .filter(|loss| loss.path.to_string().ends_with("positions"))
        .filter_map(|loss| loss.error);
    let error = errors.fold(0.0, f64::max) as f32;
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        let size = expected.iter().fold(0.0_f32, |size, x| size.max(x.abs()));
        let distance = Vec3::from(*found).distance((*expected).into());
        let most = if error > 0.0 {
            2.0 * error + 1e-6 * size
        } else {
            0.0
        };
        assert!(distance <= most, "{found:?} for {expected:?}: {losses:?}");
    }
}

of_files!(packed_values_of_bmd_round_trip);

fn packed_values_of_bmd_round_trip(files: Vec<crate::common::File>) {
    for (format, bytes) in files {
        if format != bmd::FORMAT {
            continue;
        }
        let document = bmd::Document::read(&bytes, &Default::default()).unwrap();
        let (again, losses) = round_trip(&Document::Bmd(document.clone()));
        let Document::Bmd(again) = again else {
            panic!()
        };
        assert_eq!(again.meshes.len(), document.meshes.len(), "{losses:?}");
        for (mesh, expected) in again.meshes.iter().zip(&document.meshes) {
            assert_eq!(mesh.material, expected.material);
            assert!(mesh.faces.iter().eq(expected.faces.iter()));
            let found = mesh.vertices.columns();
            let columns = expected.vertices.columns();
            if !losses
                .iter()
                .any(|loss| loss.message == "bindings to missing bones")
            {
                assert_eq!(found.bones, columns.bones);
            }
            assert_eq!(found.colors, columns.colors);
            assert_near(&found.positions, &columns.positions, &losses);
            assert_eq!(found.st, columns.st);
        }
        // Two encodings of a level mean all meshes at any distance.
        let levels = |document: &bmd::Document| -> Vec<_> {
            let lods = document.lods.iter();
            lods.map(|lod| {
                let shown = document
                    .meshes_of(*lod)
                    .unwrap()
                    .iter()
                    .filter(|mesh| mesh.material.is_some());
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
            assert_eq!(
                (animation.n_frames, animation.fl_hz),
                (expected.n_frames, expected.fl_hz)
            );
            for (track, expected) in animation.tracks.iter().zip(&expected.tracks) {
                // A quaternion and its negation are the same rotation: bones take the shorter arc.
                let same_sign = |[i, j, k, r]: [f32; 4]| {
                    let sign = if [r, k, j, i].into_iter().find(|x| *x != 0.0) < Some(0.0) {
                        -1.0
                    } else {
                        1.0
                    };
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
fn the_source_or_extension_selects_the_container() {
    let chunks = |scene: &Scene, extension: Option<&str>| {
        let mut options = SceneOptions::default();
        options.extension = extension.map(str::to_owned);
        let (document, losses) = crucible::Document::from_scene(scene.clone(), &options).unwrap();
        let losses: Vec<_> = losses.iter().map(ToString::to_string).collect();
        (document.container, losses.join("\n"))
    };
    let (chunk, model) = (crucible::Container::Chunk, crucible::Container::Model);
    let one = Scene {
        meshes: vec![Mesh::default()],
        ..Scene::default()
    };
    for (extension, expected) in [
        (None, chunk),
        (Some("crmesh"), chunk),
        (Some("cmodel"), model),
    ] {
        assert_eq!(
            chunks(&one, extension),
            (expected, String::new()),
            "{extension:?}"
        );
        for container in [chunk, model] {
            let (document, _) =
                crucible::Document::from_scene(one.clone(), &SceneOptions::default()).unwrap();
            let document = crucible::Document {
                container,
                ..document
            };
            let (scene, _) = document.into_scene(&SceneOptions::default()).unwrap();
            assert_eq!(
                chunks(&scene, extension),
                (container, String::new()),
                "{extension:?}"
            );
        }
    }
    let two = Scene {
        meshes: vec![Mesh::default(); 2],
        ..Scene::default()
    };
    let message = "changed: meshes: a .crmesh file has one mesh; a container like in a .cmodel file was written: 2 meshes";
    for (extension, losses) in [(None, ""), (Some("crmesh"), message), (Some("cmodel"), "")] {
        assert_eq!(chunks(&two, extension), (model, losses.to_owned()));
    }
}
