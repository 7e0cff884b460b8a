//! Fallbacks for scenes that a format cannot store unchanged, and their losses.

use glam::{Quat, Vec3};
use meshspec::scene::{
    Animation, Channel, Faces, Interpolation, Joint, Lod, Material, Mesh, Samples, Scene,
    SceneOptions, Skin, Texture, Transform, Weights,
};
use meshspec::{AnyFormat, Document, Loss, LossKind, ReadOptions, WriteOptions};

/// Converts a scene to a document without errors, writes it, and reads it strictly. Returns the read document and the
/// losses.
fn document(format: AnyFormat, scene: &Scene) -> (Document, Vec<Loss>) {
    let (document, losses) =
        Document::from_scene(format, scene.clone(), &SceneOptions::default()).unwrap();
    let bytes = document.write(&WriteOptions::default()).unwrap();
    assert_eq!(document.check().errors(), 0, "{:?}", document.check());
    (
        Document::read(format, &bytes, &ReadOptions::default()).unwrap(),
        losses,
    )
}

/// Converts a scene to a format and back.
fn round_trip(format: AnyFormat, scene: &Scene) -> (Scene, Vec<Loss>) {
    let (document, losses) = document(format, scene);
    (
        document.into_scene(&SceneOptions::default()).unwrap().0,
        losses,
    )
}

fn has_loss(losses: &[Loss], kind: LossKind, path: &str) -> bool {
    losses
        .iter()
        .any(|loss| loss.kind == kind && loss.path == path)
}

fn triangle() -> Mesh {
    Mesh {
        positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        normals: Some(vec![[0.0, 0.0, 1.0]; 3]),
        uvs: vec![vec![[0.25, 0.5]; 3]],
        faces: Faces::triangles(vec![0, 1, 2]),
        ..Mesh::default()
    }
}

/// Returns a rotating arm with two joints. The outer joint rests one unit above its bind pose.
fn arm(looped: bool, times: Vec<f32>, turns: Vec<[f32; 4]>) -> Scene {
    let above = |y: f32| Transform {
        translation: [0.0, y, 0.0],
        ..Transform::default()
    };
    let joints = vec![
        Joint {
            name: "base".into(),
            ..Joint::default()
        },
        Joint {
            name: "arm".into(),
            parent: Some(0),
            inverse_bind: above(1.0).to_matrix().inverse(),
            rest: Some(above(2.0)),
            ..Joint::default()
        },
    ];
    let skin = Skin {
        joints: vec![[1, Skin::NONE, Skin::NONE, Skin::NONE]; 3],
        weights: Weights::U8(vec![[255, 0, 0, 0]; 3]),
    };
    Scene {
        meshes: vec![Mesh {
            skins: vec![skin],
            ..triangle()
        }],
        skeleton: meshspec::scene::Skeleton { joints },
        animations: vec![Animation {
            name: "turn".into(),
            rate: 10.0,
            duration: 4.0,
            looped,
            times: vec![times],
            channels: vec![Channel {
                joint: 1,
                times: 0,
                interpolation: Interpolation::Linear,
                samples: Samples::Rotation(turns),
            }],
        }],
        ..Scene::default()
    }
}

fn quarter_turn() -> [f32; 4] {
    Quat::from_rotation_z(std::f32::consts::FRAC_PI_2).to_array()
}

/// Returns the vertices of the first mesh at a time of the first animation. Each vertex must be bound to one joint.
fn positions_at(scene: &Scene, seconds: f32) -> Vec<Vec3> {
    let animation = &scene.animations[0];
    let local = animation.pose(&scene.skeleton, seconds * animation.rate);
    let model = scene.skeleton.global_matrices(&local);
    let mesh = &scene.meshes[0];
    let joints = mesh.skins[0]
        .joints
        .iter()
        .map(|joints| usize::from(joints[0]));
    let matrices = joints.map(|joint| model[joint] * scene.skeleton.joints[joint].inverse_bind);
    matrices
        .zip(&mesh.positions)
        .map(|(matrix, position)| matrix.transform_point3(Vec3::from(*position)))
        .collect()
}

#[test]
fn rest_poses_beside_the_bind_pose_are_kept_while_moving() {
    let turns = [0.0, 0.25, 0.5, 0.75, 1.0].map(|turn| Quat::from_rotation_z(turn).to_array());
    let scene = arm(false, vec![0.0, 1.0, 2.0, 3.0, 4.0], turns.to_vec());
    for format in [meshspec::mesh::FORMAT, meshspec::bmd::FORMAT] {
        let (back, losses) = round_trip(format, &scene);
        assert!(
            has_loss(&losses, LossKind::Changed, "skeleton.joints.rest"),
            "{losses:?}"
        );
        assert!(
            !losses.iter().any(|loss| loss.message.contains("resampled")),
            "{losses:?}"
        );
        for seconds in [0.0, 0.2, 0.4] {
            for (found, wanted) in positions_at(&back, seconds)
                .into_iter()
                .zip(positions_at(&scene, seconds))
            {
                assert!(
                    found.distance(wanted) < 0.02,
                    "{format:?} {seconds}: {found} {wanted}"
                );
            }
        }
    }
    // If the bind pose is the rest pose, there is no loss.
    let mut still = scene;
    still.skeleton.joints[1].rest = None;
    assert!(
        !round_trip(meshspec::mesh::FORMAT, &still)
            .1
            .iter()
            .any(|loss| loss.message.contains("bind pose"))
    );
}

#[test]
fn a_loop_ends_where_it_starts() {
    let turns = vec![
        Quat::IDENTITY.to_array(),
        quarter_turn(),
        Quat::IDENTITY.to_array(),
    ];
    let keys = |document: &Document| {
        let Document::Bmd(document) = document else {
            panic!()
        };
        let [animation] = &*document.animations else {
            panic!()
        };
        let frames: Vec<Vec<u32>> = animation
            .tracks
            .iter()
            .map(|track| track.keys().map(|key| key.frame).collect())
            .collect();
        (animation.n_frames, frames.concat())
    };
    let arm = |looped, times, turns| {
        let mut scene = arm(looped, times, turns);
        scene.animations[0].channels[0].interpolation = Interpolation::Normalized;
        scene
    };
    // The sample at the end of the loop equals the first one.
    let (closed, losses) = document(
        meshspec::bmd::FORMAT,
        &arm(true, vec![0.0, 2.0, 4.0], turns.clone()),
    );
    assert_eq!(keys(&closed), (4, vec![0, 2]));
    assert!(
        !has_loss(
            &losses,
            LossKind::Quantized,
            "animations[0].channels.rotation"
        ),
        "{losses:?}"
    );
    // If the sample at the end differs, the animation jumps, which whole frames only approximate.
    let jump = vec![Quat::IDENTITY.to_array(), quarter_turn(), quarter_turn()];
    let (jumps, losses) = document(meshspec::bmd::FORMAT, &arm(true, vec![0.0, 2.0, 4.0], jump));
    assert!(
        has_loss(
            &losses,
            LossKind::Quantized,
            "animations[0].channels.rotation"
        ),
        "{losses:?}"
    );
    assert!(
        keys(&jumps)
            .1
            .iter()
            .all(|frame| *frame < u32::from(keys(&jumps).0))
    );
    // Without a loop, the last key requires a separate frame.
    let (once, _) = document(
        meshspec::bmd::FORMAT,
        &arm(false, vec![0.0, 2.0, 4.0], turns),
    );
    assert_eq!(keys(&once), (5, vec![0, 2, 4]));
}

#[test]
fn missing_joints_of_mesh_vertices_are_added() {
    let skin = |joints: [u16; 4], weights: [f32; 4]| Skin {
        joints: vec![joints, joints, [Skin::NONE; 4]],
        weights: Weights::F32(vec![weights, weights, [0.0, 1.0, 0.0, 0.0]]),
    };
    let with = |skin: Skin| Scene {
        meshes: vec![Mesh {
            skins: vec![skin],
            ..triangle()
        }],
        ..Scene::default()
    };
    let joints_of = |document: Document| {
        let Document::Mesh(document) = document else {
            panic!()
        };
        (document.joints.len(), document.vertices.to_columns())
    };

    let (few, losses) = document(
        meshspec::mesh::FORMAT,
        &with(skin([0, 6, Skin::NONE, Skin::NONE], [0.4, 0.6, 0.0, 0.0])),
    );
    let (count, columns) = joints_of(few);
    assert_eq!(
        (count, columns.joint_ids),
        (
            8,
            Some(vec![[0, 6, 255, 255], [0, 6, 255, 255], [7, 255, 255, 255]])
        )
    );
    assert_eq!(
        columns.joint_weights.unwrap(),
        [[102, 153, 0, 0], [102, 153, 0, 0], [255, 0, 0, 0]]
    );
    assert!(
        has_loss(&losses, LossKind::Changed, "skeleton.joints"),
        "{losses:?}"
    );
    assert_eq!(
        losses.last().unwrap().affected.unwrap().count,
        1,
        "{losses:?}"
    );

    let (far, losses) = document(
        meshspec::mesh::FORMAT,
        &with(skin([300, 7, 60_000, 7], [0.5, 0.25, 0.25, 0.0])),
    );
    assert_eq!(joints_of(far).1.joint_ids.unwrap()[0], [1, 0, 2, 0]);
    assert!(
        has_loss(&losses, LossKind::Renamed, "meshes[0].skins[0].joints"),
        "{losses:?}"
    );

    let many: Vec<[u16; 4]> = (0..100)
        .map(|v| [v * 3, v * 3 + 1, v * 3 + 2, Skin::NONE])
        .collect();
    let mut scene = with(Skin {
        joints: many,
        weights: Weights::F32(vec![[0.5, 0.25, 0.25, 0.0]; 100]),
    });
    scene.meshes[0].positions = vec![[0.0; 3]; 100];
    (scene.meshes[0].normals, scene.meshes[0].uvs) = (None, Vec::new());
    let (unskinned, losses) = document(meshspec::mesh::FORMAT, &scene);
    let Document::Mesh(unskinned) = unskinned else {
        panic!()
    };
    assert!(unskinned.vertices.joint_ids().is_none());
    assert!(
        has_loss(&losses, LossKind::Dropped, "meshes[0].skins[0]"),
        "{losses:?}"
    );
}

#[test]
fn vertices_become_unbound_if_no_joint_can_be_added() {
    let mut scene = arm(false, vec![0.0], vec![[0.0, 0.0, 0.0, 1.0]]);
    scene.skeleton.joints.resize(
        255,
        Joint {
            parent: Some(0),
            ..Joint::default()
        },
    );
    // A weight without a joint.
    scene.meshes[0].skins[0].joints[1] = [Skin::NONE; 4];
    let (document, losses) = document(meshspec::mesh::FORMAT, &scene);
    let Document::Mesh(document) = document else {
        panic!()
    };
    let columns = document.vertices.to_columns();
    assert_eq!(document.joints.len(), 255);
    assert_eq!(
        (
            columns.joint_ids.unwrap()[1],
            columns.joint_weights.unwrap()[1]
        ),
        ([255; 4], [0; 4])
    );
    let loss = losses
        .iter()
        .find(|loss| loss.path == "meshes[0].skins[0]")
        .unwrap();
    assert_eq!(
        loss.affected.map(|affected| affected.count),
        Some(1),
        "{loss}"
    );
}

#[test]
fn numbers_that_bmd_cannot_pack_are_replaced() {
    let mut mesh = triangle();
    mesh.normals.as_mut().unwrap()[1] = [f32::NAN, 0.0, 1.0];
    mesh.uvs[0][2] = [0.5, f32::INFINITY];
    let (back, losses) = round_trip(
        meshspec::bmd::FORMAT,
        &Scene {
            meshes: vec![mesh],
            ..Scene::default()
        },
    );
    assert!(
        back.meshes[0]
            .normals
            .iter()
            .flatten()
            .flatten()
            .all(|x| x.is_finite())
    );
    assert_eq!(back.meshes[0].uvs[0][2], [0.0; 2]);
    for path in ["meshes[0].normals", "meshes[0].uvs[0]"] {
        let loss = losses
            .iter()
            .find(|loss| loss.path == path && loss.kind == LossKind::Changed)
            .unwrap();
        assert_eq!(
            loss.affected.map(|affected| affected.count),
            Some(1),
            "{loss}"
        );
    }
}

#[test]
fn meshes_outside_levels_join_all_levels_of_bmd() {
    let lods = vec![
        Lod {
            distance: 0.0,
            meshes: vec![0],
        },
        Lod {
            distance: 3.0,
            meshes: vec![2],
        },
    ];
    let scene = Scene {
        meshes: vec![triangle(), triangle(), triangle()],
        lods,
        ..Scene::default()
    };
    let (back, _) = round_trip(meshspec::bmd::FORMAT, &scene);
    assert_eq!(
        back.lods.iter().map(|lod| &*lod.meshes).collect::<Vec<_>>(),
        [&[0, 1][..], &[1, 2]]
    );
}

#[test]
fn too_many_levels_for_bmd_are_rejected() {
    for meshes in [vec![300], (0..300).collect()] {
        let lods = vec![Lod {
            distance: 1.0,
            meshes,
        }];
        let scene = Scene {
            meshes: vec![triangle(); 301],
            lods,
            ..Scene::default()
        };
        let error = Document::from_scene(meshspec::bmd::FORMAT, scene, &SceneOptions::default())
            .unwrap_err();
        assert_eq!(error.path(), "lods[0]", "{error}");
    }
}

#[test]
fn meshes_beyond_bmd_counts_are_split() {
    const SIDE: u32 = 270;
    // Small integers remain distinct after packing.
    let place =
        |index: u32| [index % 64, index / 64 % 64, index / 4096].map(|part| part as f32 - 32.0);
    let corner = |x: u32, y: u32| y * SIDE + x;
    let squares = (1..SIDE).flat_map(|y| (1..SIDE).map(move |x| (x, y)));
    let indices = squares.flat_map(|(x, y)| {
        [
            corner(x - 1, y - 1),
            corner(x, y - 1),
            corner(x, y),
            corner(x - 1, y - 1),
            corner(x, y),
            corner(x - 1, y),
        ]
    });
    let indices: Vec<u32> = indices.collect();
    let count = (SIDE * SIDE) as usize;
    let sheet = Mesh {
        positions: (0..SIDE * SIDE).map(place).collect(),
        normals: Some(vec![[0.0, 0.0, 1.0]; count]),
        uvs: vec![vec![[0.25, 0.5]; count]],
        faces: Faces::triangles(indices.clone()),
        ..Mesh::default()
    };
    let lods = vec![
        Lod {
            distance: 1.0,
            meshes: vec![0],
        },
        Lod {
            distance: 3.0,
            meshes: vec![1],
        },
    ];
    let scene = Scene {
        meshes: vec![sheet, triangle()],
        lods,
        ..Scene::default()
    };
    let (back, losses) = round_trip(meshspec::bmd::FORMAT, &scene);
    assert!(
        has_loss(&losses, LossKind::Split, "meshes[0]"),
        "{losses:?}"
    );
    assert!(
        !has_loss(&losses, LossKind::Split, "meshes[1]"),
        "{losses:?}"
    );
    let (pieces, rest) = back.meshes.split_at(back.meshes.len() - 1);
    assert!(pieces.len() > 1 && pieces.iter().all(|mesh| mesh.positions.len() <= 65_535));
    assert_eq!(rest[0].positions.len(), 3);
    assert_eq!(back.lods[0].meshes, (0..pieces.len()).collect::<Vec<_>>());
    assert_eq!(back.lods[1].meshes, [pieces.len()]);
    let corners = pieces.iter().flat_map(|mesh| {
        let indices = mesh.faces.indices.clone().unwrap().into_u32();
        indices
            .into_iter()
            .map(|index| Vec3::from(mesh.positions[index as usize]))
            .collect::<Vec<_>>()
    });
    let wanted = indices.iter().map(|index| Vec3::from(place(*index)));
    assert_eq!(corners.clone().count(), indices.len());
    assert!(
        corners
            .zip(wanted)
            .all(|(found, wanted)| found.distance(wanted) < 0.5)
    );
}

#[test]
fn points_beyond_bmd_counts_are_split() {
    let place =
        |index: u32| [index % 64, index / 64 % 64, index / 4096].map(|part| part as f32 - 32.0);
    let points = Mesh {
        positions: (0..70_000).map(place).collect(),
        normals: Some(vec![[0.0, 0.0, 1.0]; 70_000]),
        faces: Faces::triangles(Vec::new()),
        ..Mesh::default()
    };
    let (back, losses) = round_trip(
        meshspec::bmd::FORMAT,
        &Scene {
            meshes: vec![points],
            ..Scene::default()
        },
    );
    assert!(
        has_loss(&losses, LossKind::Split, "meshes[0]"),
        "{losses:?}"
    );
    assert_eq!(
        back.meshes
            .iter()
            .map(|mesh| mesh.positions.len())
            .collect::<Vec<_>>(),
        [65_535, 4465]
    );
    let found = back
        .meshes
        .iter()
        .flat_map(|mesh| &mesh.positions)
        .map(|position| Vec3::from(*position));
    assert!(
        found
            .zip((0..).map(place))
            .all(|(found, expected)| found.distance(expected.into()) < 0.5)
    );
}

#[test]
fn redundant_content_is_not_a_loss() {
    // A level of detail with all meshes at any distance.
    let lod = Lod {
        distance: 0.0,
        meshes: vec![0],
    };
    let scene = Scene {
        meshes: vec![triangle()],
        lods: vec![lod],
        ..Scene::default()
    };
    assert_eq!(document(meshspec::iyma::FORMAT, &scene).1, []);
    // Two joint sets in which vertices use four joints.
    let set = |joint: u16| Skin {
        joints: vec![[joint, joint + 1, Skin::NONE, Skin::NONE]; 3],
        weights: Weights::F32(vec![[0.25, 0.25, 0.0, 0.0]; 3]),
    };
    let mesh = Mesh {
        skins: vec![set(0), set(2)],
        ..triangle()
    };
    let scene = Scene {
        meshes: vec![mesh],
        ..Scene::default()
    };
    let (_, losses) = document(meshspec::crucible::FORMAT, &scene);
    assert!(
        losses
            .iter()
            .all(|loss| !loss.path.to_string().contains("skins")),
        "{losses:?}"
    );
}

#[test]
fn indices_may_reach_the_last_vertex_only() {
    let with = |last| Scene {
        meshes: vec![Mesh {
            faces: Faces::triangles(vec![0, 1, last]),
            ..triangle()
        }],
        ..Scene::default()
    };
    with(2).check().unwrap();
    assert_eq!(
        with(3).check().unwrap_err().path(),
        "meshes[0].faces.indices"
    );
}

#[test]
fn quads_beyond_bmd_indices_become_triangles() {
    let place = |index: u32| [(index % 200) as f32, (index / 200) as f32, 0.0];
    let mesh = Mesh {
        positions: (0..40_000).map(place).collect(),
        normals: Some(vec![[0.0, 0.0, 1.0]; 40_000]),
        faces: Faces {
            corners: Some(vec![4, 3]),
            ..Faces::triangles(vec![39_798, 39_799, 39_999, 39_998, 0, 1, 200])
        },
        ..Mesh::default()
    };
    let (scene, losses) = round_trip(
        meshspec::bmd::FORMAT,
        &Scene {
            meshes: vec![mesh],
            ..Scene::default()
        },
    );
    assert!(
        has_loss(&losses, LossKind::Split, "meshes[0].faces.corners"),
        "{losses:?}"
    );
    assert_eq!(scene.meshes[0].faces.corner_count(0), 9);
}

#[test]
fn texture_names_become_material_names() {
    let mut mesh = triangle();
    mesh.material = Material {
        name: "bark".to_owned(),
        base_color: Some([0.75, 0.5, 0.0, 1.0]),
        texture: Some(Texture::file("img/oak.png")),
        ..Material::default()
    };
    let scene = Scene {
        meshes: vec![mesh],
        ..Scene::default()
    };
    for format in [meshspec::seed::FORMAT, meshspec::bmd::FORMAT] {
        let (back, losses) = round_trip(format, &scene);
        let material = &back.meshes[0].material;
        assert_eq!(
            (&*material.name, material.base_color, &material.texture),
            ("img/oak.png", None, &None)
        );
        assert!(
            has_loss(&losses, LossKind::Renamed, "meshes[0].material.name"),
            "{losses:?}"
        );
        assert!(
            has_loss(&losses, LossKind::Dropped, "meshes[0].material.base_color"),
            "{losses:?}"
        );
    }
    let (_, losses) = document(meshspec::mesh::FORMAT, &scene);
    assert!(
        has_loss(&losses, LossKind::Dropped, "meshes[0].material.texture"),
        "{losses:?}"
    );
}

#[test]
fn rotations_are_interpolated_along_the_shorter_arc() {
    // Half a turn per second, with one quaternion negated.
    let turns = [0.0_f32, 2.0, 4.0].map(Quat::from_rotation_z);
    let turns = vec![
        turns[0].to_array(),
        (-turns[1]).to_array(),
        turns[2].to_array(),
    ];
    let mut scene = arm(false, vec![0.0, 1.0, 2.0], turns);
    scene.animations[0].rate = 1.0;
    let (back, losses) = round_trip(meshspec::bmd::FORMAT, &scene);
    assert!(
        has_loss(&losses, LossKind::Changed, "animations[0].rate"),
        "{losses:?}"
    );
    for seconds in [0.0, 0.25, 0.5, 0.9, 1.0, 1.1, 1.6, 2.0] {
        for (found, wanted) in positions_at(&back, seconds)
            .into_iter()
            .zip(positions_at(&scene, seconds))
        {
            assert!(found.distance(wanted) < 0.1, "{seconds}: {found} {wanted}");
        }
    }
}

#[test]
fn skins_refer_to_existing_joints() {
    let with = |joint| {
        let mut scene = arm(false, vec![0.0], vec![quarter_turn()]);
        scene.meshes[0].skins[0].joints[2][0] = joint;
        scene
    };
    for joint in [0, 1, Skin::NONE] {
        with(joint).check().unwrap();
    }
    for joint in [2, 255, Skin::NONE - 1] {
        assert_eq!(
            with(joint).check().unwrap_err().path(),
            "meshes[0].skins[0]"
        );
        for format in [meshspec::mesh::FORMAT, meshspec::bmd::FORMAT] {
            let error =
                Document::from_scene(format, with(joint), &SceneOptions::default()).unwrap_err();
            assert_eq!(error.path(), "meshes[0].skins[0]", "{error}");
        }
    }
    // Without a skeleton, joints are only numbers.
    let scene = Scene {
        skeleton: Default::default(),
        animations: Vec::new(),
        ..with(9)
    };
    scene.check().unwrap();
}

#[test]
fn skins_without_joints_add_none() {
    let skin = Skin {
        joints: vec![[Skin::NONE; 4]; 3],
        weights: Weights::U8(vec![[0; 4]; 3]),
    };
    let scene = Scene {
        meshes: vec![Mesh {
            skins: vec![skin],
            ..triangle()
        }],
        ..Scene::default()
    };
    let (document, losses) = document(meshspec::mesh::FORMAT, &scene);
    let Document::Mesh(document) = document else {
        panic!()
    };
    assert!(document.joints.is_empty());
    assert_eq!(losses, []);
}

#[test]
fn joints_of_bmd_keep_their_order_if_parents_come_first() {
    let names = |joints: &[(&str, Option<usize>)]| {
        let mut scene = arm(false, vec![0.0], vec![quarter_turn()]);
        let joints = joints.iter().zip(0_u8..).map(|((name, parent), x)| Joint {
            name: (*name).to_owned(),
            parent: *parent,
            inverse_bind: glam::Mat4::from_translation(Vec3::X * -f32::from(x)),
            ..Joint::default()
        });
        scene.skeleton.joints = joints.collect();
        let (back, _) = round_trip(meshspec::bmd::FORMAT, &scene);
        back.skeleton
            .joints
            .into_iter()
            .map(|joint| joint.name)
            .collect::<Vec<_>>()
    };
    let depth_first = [
        ("root", None),
        ("left", Some(0)),
        ("hand", Some(1)),
        ("right", Some(0)),
    ];
    assert_eq!(names(&depth_first), ["root", "left", "hand", "right"]);
    let breadth_first = [
        ("root", None),
        ("left", Some(0)),
        ("right", Some(0)),
        ("hand", Some(1)),
    ];
    assert_eq!(names(&breadth_first), ["root", "left", "right", "hand"]);
    let child_first = [("root", None), ("hand", Some(2)), ("left", Some(0))];
    assert_eq!(names(&child_first), ["root", "left", "hand"]);
}

#[test]
fn channels_of_mesh_share_their_times() {
    let with = |times| {
        let mut scene = arm(
            false,
            vec![0.0, 4.0],
            vec![Quat::IDENTITY.to_array(), quarter_turn()],
        );
        scene.skeleton.joints[1].rest = None;
        let animation = &mut scene.animations[0];
        animation.times.push(times);
        animation.channels.push(Channel {
            joint: 0,
            times: 1,
            interpolation: Interpolation::Linear,
            samples: Samples::Translation(vec![[0.0; 3], [1.0, 0.0, 0.0]]),
        });
        // Rotations at the same angular speed differ from normalised ones between the samples.
        animation.channels[0].interpolation = Interpolation::Normalized;
        scene
    };
    let resampled = |scene: &Scene| {
        let (document, losses) = document(meshspec::mesh::FORMAT, scene);
        let Document::Mesh(document) = document else {
            panic!()
        };
        let of = losses
            .into_iter()
            .filter(|loss| loss.message.contains("resampled linearly"));
        (
            document.animations[0].timestamps.len(),
            of.collect::<Vec<_>>(),
        )
    };
    let (times, losses) = resampled(&with(vec![0.0, 1.0]));
    assert!(times > 2, "{times}");
    assert!(
        has_loss(
            &losses,
            LossKind::Quantized,
            "animations[0].channels.rotation"
        ),
        "{losses:?}"
    );
    assert!(
        losses.iter().any(|loss| loss.error > Some(0.1)),
        "{losses:?}"
    );
    let mut linear = with(vec![0.0, 4.0]);
    linear.animations[0].channels[0].interpolation = Interpolation::Linear;
    assert_eq!(resampled(&linear), (2, Vec::new()));
}
