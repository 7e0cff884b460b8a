//! Skeletons whose rest pose differs from the bind pose. Targets with a single pose have the rest pose, and their
//! animations do not change. The tests compute skinning independently, in 64 bits.

use std::collections::BTreeMap;

use glam::{DMat4, DVec3, Mat4, Quat, Vec3};
use meshspec::interop::Interchange;
use meshspec::scene::{
    Animation, Channel, Faces, FromScene, Interpolation, Joint, Mesh, Pose, Samples, Scene,
    SceneOptions, Skeleton, Skin, ToScene, Transform, Weights,
};
use meshspec::{Loss, LossKind, bmd, crucible, mesh};

fn options() -> SceneOptions {
    SceneOptions::default()
}

fn turn_about_z(translation: [f32; 3], degrees: f32, scale: f32) -> Transform {
    let rotation = Quat::from_rotation_z(degrees.to_radians()).to_array();
    Transform {
        translation,
        rotation,
        scale: [scale; 3],
    }
}

/// Returns a 2 m bar with two joints. In the bind pose, it is upside down, scaled by 100 and bent by `bend` degrees.
fn bar(bend: f32) -> Scene {
    let rest = [
        turn_about_z([0.0; 3], 0.0, 1.0),
        turn_about_z([0.0, 1.0, 0.0], 0.0, 1.0),
    ];
    let bind = [
        turn_about_z([3.0, 1.0, 0.0], 180.0, 100.0),
        turn_about_z([0.0, 1.0, 0.0], bend, 1.0),
    ];
    let skeleton = |transforms: [Transform; 2]| Skeleton {
        joints: (0..2)
            .map(|joint| Joint {
                parent: (joint > 0).then_some(0),
                rest: Some(transforms[joint]),
                ..Joint::default()
            })
            .collect(),
    };
    let mut skeleton = skeleton(rest);
    let bound = skeleton.global_matrices(&bind);
    skeleton
        .joints
        .iter_mut()
        .zip(&bound)
        .for_each(|(joint, global)| joint.inverse_bind = global.inverse());
    let heights = [0.0_f32, 0.5, 0.9, 1.1, 1.5, 2.0];
    let weights = [
        [1.0, 0.0],
        [1.0, 0.0],
        [0.75, 0.25],
        [0.25, 0.75],
        [0.0, 1.0],
        [0.0, 1.0],
    ];
    let corners = heights
        .iter()
        .zip(weights)
        .flat_map(|(y, weights)| [(-0.25, *y, weights), (0.25, *y, weights)]);
    let corners: Vec<_> = corners.collect();
    // The vertices in the bind pose, blended by the joint matrices.
    let global = skeleton.global_matrices(&rest);
    let positions = corners.iter().map(|(x, y, [a, b])| {
        let to_rest = [0, 1].map(|joint| global[joint] * skeleton.joints[joint].inverse_bind);
        let blended = to_rest[0] * *a + to_rest[1] * *b;
        blended
            .inverse()
            .transform_point3(Vec3::new(*x, *y, 0.0))
            .into()
    });
    let indices = (0..5_u32).flat_map(|row| [0, 1, 3, 0, 3, 2].map(|corner| 2 * row + corner));
    let mesh = Mesh {
        normals: Some(vec![[0.0, 0.0, 1.0]; 12]),
        uvs: vec![vec![[0.0; 2]; 12]],
        skins: vec![Skin {
            joints: vec![[0, 1, Skin::NONE, Skin::NONE]; 12],
            weights: Weights::F32(
                corners
                    .iter()
                    .map(|(.., [a, b])| [*a, *b, 0.0, 0.0])
                    .collect(),
            ),
        }],
        faces: Faces::triangles(indices.collect()),
        positions: positions.collect(),
        ..Mesh::default()
    };
    let bow = Channel {
        joint: 1,
        times: 0,
        interpolation: Interpolation::Linear,
        samples: Samples::Rotation(
            [0.0, 45.0, 90.0]
                .map(|degrees| turn_about_z([0.0; 3], degrees, 1.0).rotation)
                .into(),
        ),
    };
    let animation = Animation {
        name: "bow".to_owned(),
        rate: 1.0,
        duration: 2.0,
        times: vec![vec![0.0, 1.0, 2.0]],
        channels: vec![bow],
        ..Animation::default()
    };
    Scene {
        meshes: vec![mesh],
        skeleton,
        animations: vec![animation],
        ..Scene::default()
    }
}

/// Returns skinned positions in model space.
fn skinned(scene: &Scene, local: &[Transform]) -> Vec<DVec3> {
    let wide = |transform: &Transform| {
        let [x, y, z, w] = transform.rotation.map(f64::from);
        DMat4::from_scale_rotation_translation(
            Vec3::from(transform.scale).as_dvec3(),
            glam::DQuat::from_xyzw(x, y, z, w).normalize(),
            Vec3::from(transform.translation).as_dvec3(),
        )
    };
    let joints = &scene.skeleton.joints;
    let mut global: Vec<DMat4> = Vec::new();
    for (joint, local) in joints.iter().zip(local) {
        let parent = joint
            .parent
            .map_or(DMat4::IDENTITY, |parent| global[parent]);
        global.push(parent * wide(local));
    }
    let mesh = &scene.meshes[0];
    let weights = mesh.skins[0].weights.clone().into_f32();
    let vertices = mesh
        .positions
        .iter()
        .zip(mesh.skins[0].joints.iter().zip(weights));
    let vertex = |(position, (four, weights)): (&[f32; 3], (&[u16; 4], [f32; 4]))| {
        let moved = four
            .iter()
            .zip(weights)
            .filter(|(_, weight)| *weight > 0.0)
            .map(|(joint, weight)| {
                let matrix = global[usize::from(*joint)]
                    * joints[usize::from(*joint)].inverse_bind.as_dmat4();
                matrix.transform_point3(Vec3::from(*position).as_dvec3()) * f64::from(weight)
            });
        moved.sum()
    };
    vertices.map(vertex).collect()
}

fn rest_positions(scene: &Scene) -> Vec<DVec3> {
    let rest: Vec<_> = (0..scene.skeleton.joints.len())
        .map(|joint| scene.skeleton.rest_transform(joint))
        .collect();
    skinned(scene, &rest)
}

fn animated_positions(scene: &Scene, time: f32) -> Vec<DVec3> {
    let animation = scene.animations.last().unwrap();
    skinned(
        scene,
        &animation.pose(&scene.skeleton, time / animation.duration * 2.0),
    )
}

fn positions(scene: &Scene) -> Vec<DVec3> {
    scene.meshes[0]
        .positions
        .iter()
        .map(|position| Vec3::from(*position).as_dvec3())
        .collect()
}

fn farthest(a: &[DVec3], b: &[DVec3]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter()
        .zip(b)
        .map(|(a, b)| a.distance(*b))
        .fold(0.0, f64::max)
}

fn through_mesh(scene: &Scene) -> (Scene, Vec<Loss>) {
    let (document, losses) = mesh::Document::from_scene(scene.clone(), &options()).unwrap();
    (document.into_scene(&options()).unwrap().0, losses)
}

fn find<'a>(losses: &'a [Loss], path: &str) -> Option<&'a Loss> {
    losses.iter().find(|loss| loss.path == path)
}

#[test]
fn mesh_poses_match_the_source() {
    let scene = bar(0.0);
    assert!(scene.meshes[0].size() > 150.0);
    let (found, losses) = through_mesh(&scene);
    assert!(farthest(&positions(&found), &rest_positions(&scene)) < 1e-4);
    for time in [0.0, 0.5, 1.0, 2.0] {
        // Weights of 8 bits.
        assert!(
            farthest(
                &animated_positions(&found, time),
                &animated_positions(&scene, time)
            ) < 0.01,
            "{time}"
        );
    }
    let loss = find(&losses, "skeleton.joints.rest").unwrap();
    assert_eq!(
        (loss.kind, loss.affected.unwrap().count),
        (LossKind::Changed, 12)
    );
    // All joints agree on the vertex positions.
    assert!(find(&losses, "animations").is_none(), "{losses:?}");
    // The normals are rotated with the vertices, by half a turn about z, which is their direction.
    let normal = Vec3::from(found.meshes[0].normals.as_deref().unwrap()[5]);
    assert!(normal.distance(Vec3::Z) < 1e-5, "{normal}");
}

#[test]
fn equal_poses_change_no_bit() {
    let mut scene = bar(0.0);
    let rest: Vec<_> = (0..2)
        .map(|joint| scene.skeleton.rest_transform(joint))
        .collect();
    let global = scene.skeleton.global_matrices(&rest);
    // Bound in the rest pose within rounding.
    for (joint, global) in scene.skeleton.joints.iter_mut().zip(global) {
        joint.inverse_bind = global.inverse() * Mat4::from_rotation_x(1e-7);
    }
    let (found, losses) = through_mesh(&scene);
    assert_eq!(found.meshes[0].positions, scene.meshes[0].positions);
    for (found, joint) in found.skeleton.joints.iter().zip(&scene.skeleton.joints) {
        assert_eq!(found.inverse_bind, joint.inverse_bind);
    }
    assert!(
        losses
            .iter()
            .all(|loss| !loss.path.to_string().starts_with("skeleton")),
        "{losses:?}"
    );
}

#[test]
fn the_deviation_of_blended_vertices_is_reported() {
    let scene = bar(60.0);
    let (document, losses) = mesh::Document::from_scene(scene.clone(), &options()).unwrap();
    let (mut found, _) = document.into_scene(&options()).unwrap();
    assert!(farthest(&positions(&found), &rest_positions(&scene)) < 1e-4);
    let said = find(&losses, "animations").unwrap().error.unwrap();
    found.meshes[0].skins = scene.meshes[0].skins.clone();
    let times = [0.0, 1.0, 2.0];
    let off = times
        .map(|time| {
            farthest(
                &animated_positions(&found, time),
                &animated_positions(&scene, time),
            )
        })
        .into_iter()
        .fold(0.0, f64::max);
    assert!(
        off > 0.02 && (off - said).abs() < 1e-4,
        "{off}, said {said}"
    );
    // There is no deviation at rest.
    assert!(
        farthest(
            &animated_positions(&found, 0.0),
            &animated_positions(&scene, 0.0)
        ) < 1e-4
    );
    // The deviation of a transformed scene is in metres.
    let transform = Some(Mat4::from_scale(Vec3::splat(3.0)));
    let (_, losses) = mesh::Document::from_scene(
        Scene {
            transform,
            ..scene.clone()
        },
        &options(),
    )
    .unwrap();
    let larger = find(&losses, "animations").unwrap().error.unwrap();
    assert!((larger - 3.0 * said).abs() < 1e-4, "{larger}");
    // Bound in the bind pose, the scene moves exactly.
    let mut bound = scene.clone();
    bound.set_rest_pose(&Pose::Bind).unwrap();
    let (mut found, losses) = through_mesh(&bound);
    found.meshes[0].skins = scene.meshes[0].skins.clone();
    assert_eq!(found.meshes[0].positions, scene.meshes[0].positions);
    assert!(find(&losses, "animations").is_none());
    for time in [0.0, 1.0, 2.0] {
        assert!(
            farthest(
                &animated_positions(&found, time),
                &animated_positions(&scene, time)
            ) < 1e-4,
            "{time}"
        );
    }
}

#[test]
fn bmd_rest_poses_match_the_source() {
    let scene = bar(0.0);
    let (document, losses) = bmd::Document::from_scene(scene.clone(), &options()).unwrap();
    let (found, _) = document.into_scene(&options()).unwrap();
    assert!(farthest(&positions(&found), &rest_positions(&scene)) < 0.01);
    assert!(find(&losses, "skeleton.joints.rest").is_some());
}

/// Returns the positions of a scene in each target.
fn positions_in_targets(scene: &Scene) -> [(&'static str, Vec<DVec3>); 4] {
    let (mesh, _) = through_mesh(scene);
    let (crucible, _) = crucible::Document::from_scene(scene.clone(), &options()).unwrap();
    let (crucible, _) = crucible.into_scene(&options()).unwrap();
    let by = |format: Interchange, name: &str| {
        let mut files = BTreeMap::new();
        format
            .write(scene.clone(), name, &mut files, &options())
            .unwrap();
        let bytes = files.remove(name).unwrap();
        format
            .read(&bytes, &files, &options(), &Default::default())
            .unwrap()
            .0
    };
    let glb = rest_positions(&by(Interchange::Glb, "a.glb"));
    let ply = positions(&by(Interchange::Ply, "a.ply"));
    [
        ("mesh", positions(&mesh)),
        ("crucible", positions(&crucible)),
        ("glb", glb),
        ("ply", ply),
    ]
}

#[test]
fn every_target_shows_every_pose() {
    let scene = bar(60.0);
    let poses: [(&str, Vec<DVec3>); 4] = [
        ("bind", positions(&scene)),
        ("rest", rest_positions(&scene)),
        ("bow@1", animated_positions(&scene, 1.0)),
        ("0@2", animated_positions(&scene, 2.0)),
    ];
    for (pose, expected) in poses {
        let mut scene = scene.clone();
        scene.set_rest_pose(&pose.parse().unwrap()).unwrap();
        let size = expected
            .iter()
            .map(|vertex| vertex.length())
            .fold(1.0, f64::max);
        for (target, found) in positions_in_targets(&scene) {
            assert!(
                farthest(&found, &expected) < 1e-4 * size,
                "{pose} in {target}"
            );
        }
    }
}

#[test]
fn rebinding_keeps_animations() {
    let scene = bar(60.0);
    for pose in ["bind", "bow@2"] {
        let mut posed = scene.clone();
        posed.set_rest_pose(&pose.parse().unwrap()).unwrap();
        for time in [0.0, 1.0, 2.0] {
            assert!(
                farthest(
                    &animated_positions(&posed, time),
                    &animated_positions(&scene, time)
                ) < 1e-4,
                "{pose} at {time}"
            );
        }
    }
    let mut same = scene.clone();
    same.set_rest_pose(&Pose::Rest).unwrap();
    assert_eq!(same, scene);
}

#[test]
fn unknown_poses_list_the_known_ones() {
    let mut scene = bar(0.0);
    let reject = |scene: &mut Scene, pose: &str| {
        scene
            .set_rest_pose(&pose.parse().unwrap())
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        reject(&mut scene, "run@0"),
        "no animation \"run\": expected one of \"bow\""
    );
    assert_eq!(
        reject(&mut scene, "bow@2.5"),
        "bow@2.5: the animation lasts from 0 s to 2 s"
    );
    assert_eq!(
        reject(&mut scene, "bow@-1"),
        "bow@-1: the animation lasts from 0 s to 2 s"
    );
    scene.animations.clear();
    assert_eq!(
        reject(&mut scene, "bow@0"),
        "no animation \"bow\": the scene has none"
    );
    let error = "bow".parse::<Pose>().unwrap_err().to_string();
    assert_eq!(
        error,
        "`bow` is not a pose; expected bind, rest or NAME@SECONDS, as in walk@0.5"
    );
    assert!("bow@soon".parse::<Pose>().is_err() && "bow@inf".parse::<Pose>().is_err());
}

#[test]
fn joints_without_a_size_at_rest_get_one() {
    let mut scene = bar(0.0);
    scene.skeleton.joints[1].rest = Some(turn_about_z([0.0, 1.0, 0.0], 0.0, 0.0));
    let (found, losses) = through_mesh(&scene);
    assert!(
        losses
            .iter()
            .any(|loss| loss.message.contains("scale of 0")),
        "{losses:?}"
    );
    assert!(
        found
            .skeleton
            .joints
            .iter()
            .all(|joint| joint.inverse_bind.is_finite())
    );
    // The animation still has a scale of 0.
    for time in [0.0, 2.0] {
        assert!(
            farthest(
                &animated_positions(&found, time),
                &animated_positions(&scene, time)
            ) < 0.01,
            "{time}"
        );
    }
}
