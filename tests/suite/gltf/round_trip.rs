//! Round trips of scenes through glTF that this crate writes.

use crate::common::config;
use meshspec::interop::Interchange;
use meshspec::scene::{Animation, Faces, Indices, Scene, strategy};
use meshspec::{ErrorKind, LossKind};
use proptest::prelude::*;

use super::{read, write};

/// Returns the scene without its source, and with canonical values of properties that glTF cannot express: index width,
/// order of custom attributes, shared channel times.
fn canonical(mut scene: Scene) -> Scene {
    scene.source = None;
    for mesh in &mut scene.meshes {
        mesh.custom.sort_by(|a, b| a.name.cmp(&b.name));
        let indices = mesh.faces.indices.take().map(|indices| Indices::U32(indices.into_u32()));
        mesh.faces = Faces { indices, corners: mesh.faces.corners.take() };
    }
    scene.animations.iter_mut().for_each(split_times);
    scene
}

fn split_times(animation: &mut Animation) {
    let lists = std::mem::take(&mut animation.times);
    for (index, channel) in animation.channels.iter_mut().enumerate() {
        animation.times.push(lists[channel.times].clone());
        channel.times = index;
    }
}

proptest! {
    #![proptest_config(config(100, "gltf"))]

    #[test]
    fn scenes_round_trip(scene in strategy::scenes()) {
        for format in [Interchange::Glb, Interchange::Gltf] {
            let (files, losses) = write(format, scene.clone()).unwrap();
            // For joint numbers without a skeleton, a skeleton is added; joints without a weight are dropped.
            for loss in &losses {
                prop_assert!(loss.path == "skeleton" || loss.kind == LossKind::Quantized, "{loss}");
                // Bind poses may have shear.
                let is_small = loss.error.is_none_or(|error| error < 1e-5);
                prop_assert!(is_small || loss.path == "skeleton.joints.scale", "{loss}");
            }
            let (again, lost) = read(format, &files).unwrap();
            let splits_only = lost.iter().all(|loss| loss.kind == LossKind::Split);
            prop_assert!(splits_only, "{lost:?}");
            // Loops are resampled at all whole ticks.
            let looped = scene.animations.iter().any(|animation| animation.looped);
            let exact = !looped && losses.iter().all(|loss| loss.error.is_none());
            if exact {
                prop_assert_eq!(canonical(again), canonical(scene.clone()));
            }
        }
    }

    #[test]
    fn arbitrary_scenes_are_rejected_or_written(scene in strategy::defective_scenes()) {
        match write(Interchange::Glb, scene) {
            Ok((files, _)) => {
                let (again, _) = read(Interchange::Glb, &files).unwrap();
                again.check().unwrap();
                // The scene of a written file can be written again without changes.
                let (_, losses) = write(Interchange::Glb, again).unwrap();
                let changed = losses.iter().find(|loss| loss.path != "skeleton" && loss.error.is_none_or(|e| e > 1e-3));
                prop_assert!(changed.is_none(), "{}", changed.unwrap());
            }
            Err(error) => {
                prop_assert_eq!(error.kind(), ErrorKind::Inexpressible, "{}", error);
                prop_assert!(!error.path().is_empty(), "{}", error);
            }
        }
    }
}

#[test]
fn the_same_scene_gives_the_same_bytes_in_both_containers() {
    let scene = super::layout::everything();
    let (glb, _) = write(Interchange::Glb, scene.clone()).unwrap();
    let (again, _) = write(Interchange::Glb, scene.clone()).unwrap();
    assert_eq!(glb, again);
    let (files, _) = write(Interchange::Gltf, scene).unwrap();
    assert_eq!(files.keys().collect::<Vec<_>>(), ["a scene.bin", "a scene.gltf"]);
    let (json, numbers) = super::parts(&glb["a scene.glb"]);
    let text: serde_json::Value = serde_json::from_slice(&files["a scene.gltf"]).unwrap();
    assert_eq!(files["a scene.bin"], numbers);
    assert_eq!(text["buffers"][0]["uri"], "a%20scene.bin");
    assert_eq!(text["accessors"], json["accessors"]);
}
