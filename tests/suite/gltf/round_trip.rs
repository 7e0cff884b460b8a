//! Round trips of scenes through glTF that this crate writes.

use crate::common::config;
use glam::{Mat4, Vec3, Vec4};
use meshspec::interop::Interchange;
use meshspec::scene::{Animation, Faces, Indices, Joint, Mesh, Scene, Skin, Weights, strategy};
use meshspec::{ErrorKind, LossKind};
use proptest::prelude::*;

use super::{read, write};

/// Returns the scene without its source, and with canonical values of properties that glTF cannot express: index width,
/// order of custom attributes, shared channel times.
fn canonical(mut scene: Scene) -> Scene {
    scene.source = None;
    for mesh in &mut scene.meshes {
        mesh.custom.sort_by(|a, b| a.name.cmp(&b.name));
        let indices = mesh
            .faces
            .indices
            .take()
            .map(|indices| Indices::U32(indices.into_u32()));
        mesh.faces = Faces {
            indices,
            corners: mesh.faces.corners.take(),
        };
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
            // Only an omitted rest pose has the shear of the bind pose.
            let may_have_shear = scene.skeleton.joints.iter().all(|joint| joint.rest.is_none());
            // For joint numbers without a skeleton, a skeleton is added; joints without a weight are dropped.
            for loss in &losses {
                prop_assert!(loss.path == "skeleton" || loss.kind == LossKind::Quantized, "{loss}");
                let is_small = loss.error.is_none_or(|error| error < 1e-5);
                let is_shear = may_have_shear && loss.path == "skeleton.joints.scale";
                prop_assert!(is_small || is_shear, "{loss}");
            }
            let (again, lost) = read(format, &files).unwrap();
            let (_, second) = write(format, Scene { source: None, ..again.clone() }).unwrap();
            prop_assert!(second.iter().all(|loss| loss.path != "skeleton.joints.scale"), "{second:?}");
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
                // The scene of a written file can be written again without changes, whatever its source.
                let again = Scene { source: None, ..again };
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
    assert_eq!(
        files.keys().collect::<Vec<_>>(),
        ["a scene.bin", "a scene.gltf"]
    );
    let (json, numbers) = super::parts(&glb["a scene.glb"]);
    let text: serde_json::Value = serde_json::from_slice(&files["a scene.gltf"]).unwrap();
    assert_eq!(files["a scene.bin"], numbers);
    assert_eq!(text["buffers"][0]["uri"], "a%20scene.bin");
    assert_eq!(text["accessors"], json["accessors"]);
}

/// The rest pose of glTF has no shear, so it differs from a sheared bind pose.
#[test]
fn the_shear_of_the_bind_pose_is_lost_once() {
    let mesh = Mesh {
        positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        faces: Faces::triangles(vec![0, 1, 2]),
        skins: vec![Skin {
            joints: vec![[0; 4]; 3],
            weights: Weights::F32(vec![[1.0, 0.0, 0.0, 0.0]; 3]),
        }],
        ..Mesh::default()
    };
    let sheared = Mat4::from_cols(Vec4::X, Vec4::new(0.5, 1.0, 0.0, 0.0), Vec4::Z, Vec4::W);
    let mut scene = Scene {
        meshes: vec![mesh],
        ..Scene::default()
    };
    scene.skeleton.joints = vec![Joint {
        inverse_bind: sheared.inverse(),
        ..Joint::default()
    }];
    let is_shear = |loss: &meshspec::Loss| loss.path == "skeleton.joints.scale";
    let (files, losses) = write(Interchange::Glb, scene).unwrap();
    assert!(losses.iter().any(is_shear), "{losses:?}");
    let (again, _) = read(Interchange::Glb, &files).unwrap();
    assert_eq!(again.skeleton.joints[0].inverse_bind, sheared.inverse());
    let (_, losses) = write(
        Interchange::Glb,
        Scene {
            source: None,
            ..again
        },
    )
    .unwrap();
    assert_eq!(losses, []);
}

#[test]
fn singular_bind_matrices_lose_no_shear() {
    // Without a bind pose, the vertices collapse in any pose: moving them would destroy the mesh. The bind transform of
    // the second joint is relative to that of the first.
    let joint = |parent, scale| Joint {
        parent,
        inverse_bind: Mat4::from_scale(Vec3::splat(scale)),
        ..Joint::default()
    };
    let mesh = Mesh {
        positions: vec![[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]],
        faces: Faces::triangles(vec![0, 1, 2]),
        skins: vec![Skin {
            joints: vec![[0, 1, 0, 0]; 3],
            weights: Weights::U8(vec![[128, 127, 0, 0]; 3]),
        }],
        ..Mesh::default()
    };
    let mut scene = Scene {
        meshes: vec![mesh],
        ..Scene::default()
    };
    scene.skeleton.joints = vec![joint(None, 0.0), joint(Some(0), 1.0)];
    let (files, losses) = write(Interchange::Glb, scene.clone()).unwrap();
    assert!(losses.is_empty(), "{losses:?}");
    let (again, _) = read(Interchange::Glb, &files).unwrap();
    assert!(
        again
            .skeleton
            .joints
            .iter()
            .all(|joint| joint.rest.is_none())
    );
    assert_eq!(again.meshes[0].positions, scene.meshes[0].positions);
}
