//! In formats without a skeleton or without scale, vertices are written in the rest pose.

use glam::{Mat3, Mat4, Quat, Vec3};
use meshspec::scene::{
    Animation, Channel, Faces, FromScene, Interpolation, Joint, Mesh, Precision, Samples, Scene,
    SceneOptions, Skeleton, Skin, ToScene, Transform,
};
use meshspec::{ErrorKind, Limit, Loss, Quantity, bmd, crucible, mesh};

/// Returns a quad of 200 units, which its joint scales to 1/100 and raises by one metre.
fn scaled() -> Scene {
    let rest = Transform {
        translation: [0.0, 1.0, 0.0],
        scale: [0.01; 3],
        ..Transform::default()
    };
    let positions = vec![
        [-100.0, 0.0, 0.0],
        [100.0, 0.0, 0.0],
        [100.0, 200.0, 0.0],
        [-100.0, 200.0, 0.0],
    ];
    let mesh = Mesh {
        normals: Some(vec![[0.0, 0.0, 1.0]; 4]),
        uvs: vec![vec![[0.0; 2]; 4]],
        skins: vec![Skin::rigid([0; 4])],
        faces: Faces::triangles(vec![0, 1, 2, 0, 2, 3]),
        positions,
        ..Mesh::default()
    };
    let up = Channel {
        joint: 0,
        times: 0,
        interpolation: Interpolation::Linear,
        samples: Samples::Translation(vec![[0.0, 1.0, 0.0], [0.0, 3.0, 0.0]]),
    };
    let animation = Animation {
        rate: 1.0,
        duration: 2.0,
        times: vec![vec![0.0, 2.0]],
        channels: vec![up],
        ..Animation::default()
    };
    Scene {
        meshes: vec![mesh],
        skeleton: Skeleton {
            joints: vec![Joint {
                rest: Some(rest),
                ..Joint::default()
            }],
        },
        animations: vec![animation],
        ..Scene::default()
    }
}

fn options() -> SceneOptions {
    SceneOptions::default()
}

#[test]
fn vertices_are_written_in_the_rest_pose() {
    let (document, losses) = crucible::Document::from_scene(scaled(), &options()).unwrap();
    let (shown, _) = document.into_scene(&options()).unwrap();
    let expected = [
        [-1.0, 1.0, 0.0],
        [1.0, 1.0, 0.0],
        [1.0, 3.0, 0.0],
        [-1.0, 3.0, 0.0],
    ];
    assert_eq!(shown.meshes[0].positions, expected);
    assert_eq!(
        shown.meshes[0].normals.as_deref().unwrap()[0],
        [0.0, 0.0, 1.0]
    );
    let moved = losses.iter().find_map(|loss| loss.affected).unwrap();
    assert_eq!((moved.count, moved.of), (4, Some(4)));
}

#[test]
fn the_rest_pose_can_be_chosen() {
    let mut scene = scaled();
    scene.set_rest_transforms(None);
    let (document, _) = crucible::Document::from_scene(scene, &options()).unwrap();
    assert_eq!(
        document.into_scene(&options()).unwrap().0.meshes[0].positions[2],
        [100.0, 200.0, 0.0]
    );
    let mut scene = scaled();
    let pose = scene.animations[0].pose(&scene.skeleton, 1.0);
    scene.set_rest_transforms(Some(&pose));
    let (document, _) = crucible::Document::from_scene(scene, &options()).unwrap();
    assert_eq!(
        document.into_scene(&options()).unwrap().0.meshes[0].positions[2],
        [1.0, 4.0, 0.0]
    );
}

#[test]
fn corners_after_the_last_triangle_are_dropped_per_mesh() {
    let triangle = |x: f32, corners: Vec<u32>| Mesh {
        positions: vec![[x, 0.0, 0.0], [x + 1.0, 0.0, 0.0], [x, 1.0, 0.0]],
        faces: Faces::triangles(corners),
        ..Mesh::default()
    };
    let meshes = vec![
        triangle(0.0, vec![0, 1, 2, 0, 1]),
        triangle(5.0, vec![2, 0, 1]),
    ];
    let (document, losses) = mesh::Document::from_scene(
        Scene {
            meshes,
            ..Scene::default()
        },
        &options(),
    )
    .unwrap();
    assert_eq!(document.indices, [0, 1, 2, 5, 3, 4]);
    assert_eq!(
        losses[0].to_string(),
        "dropped: meshes[0].faces: corners after the last triangle: 2"
    );
}

/// Returns a grid of triangles in a 1 m square, at the position `at`.
fn grid(side: u32, at: [f32; 3]) -> Scene {
    let corner = |index: u32| {
        let step = |n: u32| n as f32 / side as f32;
        [
            at[0] + step(index % (side + 1)),
            at[1] + step(index / (side + 1)),
            at[2],
        ]
    };
    let quads = (0..side * side).map(|quad| quad / side * (side + 1) + quad % side);
    let indices = quads.flat_map(|a| [a, a + 1, a + side + 2, a, a + side + 2, a + side + 1]);
    let mesh = Mesh {
        positions: (0..(side + 1) * (side + 1)).map(corner).collect(),
        faces: Faces::triangles(indices.collect()),
        ..Mesh::default()
    };
    Scene {
        meshes: vec![mesh],
        ..Scene::default()
    }
}

/// Returns the number of triangles that are not degenerate and have their original orientation.
fn count_sound_triangles(scene: &Scene) -> usize {
    let mesh = &scene.meshes[0];
    let mut count = 0;
    mesh.faces
        .for_each_triangle(mesh.positions.len(), |corners| {
            let [a, b, c] = corners.map(|corner| mesh.positions[corner as usize]);
            let area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
            count += usize::from(area > 0.0);
        });
    count
}

#[test]
fn small_triangles_of_bmd_do_not_collapse() {
    let scene = grid(160, [0.0; 3]);
    let (document, _) = bmd::Document::from_scene(scene, &options()).unwrap();
    assert_eq!(
        count_sound_triangles(&document.into_scene(&options()).unwrap().0),
        2 * 160 * 160
    );
}

#[test]
fn a_mesh_far_from_the_origin_gets_bones_or_is_centred() {
    let mut scene = grid(4, [3000.0, 0.0, 0.0]);
    let (document, _) = bmd::Document::from_scene(scene.clone(), &options()).unwrap();
    assert!(document.bones.len() > 1);
    assert_eq!(
        count_sound_triangles(&document.into_scene(&options()).unwrap().0),
        32
    );
    assert_eq!(scene.center(), Some([-3000.5, -0.5, 0.0]));
    let (document, _) = bmd::Document::from_scene(scene.clone(), &options()).unwrap();
    assert_eq!(
        count_sound_triangles(&document.into_scene(&options()).unwrap().0),
        32
    );
    assert_eq!(scene.center(), None);
}

/// Returns the largest difference between coordinates of the first meshes.
fn largest_coordinate_difference(a: &Scene, b: &Scene) -> f32 {
    let pairs = a.meshes[0]
        .positions
        .as_flattened()
        .iter()
        .zip(b.meshes[0].positions.as_flattened());
    pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

#[test]
fn bmd_keeps_the_shape_under_scaled_joints() {
    let (document, losses) = bmd::Document::from_scene(scaled(), &options()).unwrap();
    let paths: Vec<_> = losses.iter().map(|loss| loss.path.to_string()).collect();
    for lost in ["skeleton.joints.rest", "skeleton.joints.inverse_bind"] {
        assert!(paths.iter().any(|path| path == lost), "{paths:?}");
    }
    let (mut back, _) = document.into_scene(&options()).unwrap();
    let animation = back.animations[0].clone();
    assert!(
        animation
            .channels
            .iter()
            .all(|channel| !matches!(channel.samples, Samples::Scale(_)))
    );
    let pose = animation.pose(&back.skeleton, animation.rate);
    back.apply_pose(&pose);
    let mut source = scaled();
    let pose = source.animations[0].pose(&source.skeleton, 1.0);
    source.apply_pose(&pose);
    assert_eq!(source.meshes[0].positions[0], [-1.0, 2.0, 0.0]);
    assert!(
        largest_coordinate_difference(&back, &source) < 0.01,
        "{:?}",
        back.meshes[0].positions
    );
}

#[test]
fn the_precision_of_bmd_can_be_chosen() {
    let size = |precision: Option<Precision>| {
        let mut options = options();
        options.precision = precision;
        let (document, _) = bmd::Document::from_scene(grid(4, [0.1, 0.2, 0.3]), &options).unwrap();
        let words = document.meshes[0].vertices.words().len();
        let (back, _) = document.into_scene(&SceneOptions::default()).unwrap();
        (
            words / 25,
            largest_coordinate_difference(&back, &grid(4, [0.1, 0.2, 0.3])),
        )
    };
    assert_eq!(size(Some(Precision::Bits(64))).0, 2);
    assert_eq!(size(Some(Precision::Bits(128))).0, 4);
    let (_, error) = size(Some(Precision::MaxError(0.0005)));
    assert!(error > 0.0 && error <= 0.0005, "{error}");
    assert!(size(None).1 > error);

    let with = |precision| SceneOptions::default().with_precision(precision);
    let reject =
        |precision| bmd::Document::from_scene(grid(4, [0.1; 3]), &with(precision)).unwrap_err();
    let error = reject(Precision::MaxError(1e-6));
    assert!(error.message().contains("expected at most 1e-6"), "{error}");
    assert!(
        reject(Precision::Bits(32))
            .message()
            .contains("64, 96 and 128")
    );
}

#[test]
fn slivers_may_collapse_but_not_visible_triangles() {
    // A square of 100 m, and a triangle with 1/10,000 of its height.
    let mut scene = grid(1, [500.0, 0.0, 0.0]);
    let mesh = &mut scene.meshes[0];
    for position in &mut mesh.positions {
        position[0] = 500.0 + 100.0 * (position[0] - 500.0);
        position[1] = 500.0 + 100.0 * position[1];
    }
    mesh.positions.extend([
        [500.0, 500.0, 0.01],
        [600.0, 500.0, 0.01],
        [600.0, 500.01, 0.01],
    ]);
    mesh.faces = Faces::triangles(vec![0, 1, 3, 0, 3, 2, 4, 5, 6]);
    let (document, losses) = bmd::Document::from_scene(scene.clone(), &options()).unwrap();
    let of = |path: &str| losses.iter().find(|loss| loss.path == path).unwrap();
    let flattened = of("meshes[0].faces").affected.unwrap();
    assert_eq!(
        (flattened.count, flattened.of, flattened.items),
        (1, Some(3), "triangles")
    );
    let packed = of("meshes[0].positions");
    assert_eq!(
        (packed.size, packed.quantity),
        (Some(100.0), Some(Quantity::POSITIONS))
    );
    // The square is visible.
    let (back, _) = document.into_scene(&options()).unwrap();
    let corners = scene.meshes[0]
        .positions
        .iter()
        .zip(&back.meshes[0].positions)
        .take(4);
    for (before, after) in corners {
        assert!(
            Vec3::from(*before).distance(Vec3::from(*after)) < 0.5,
            "{before:?} became {after:?}"
        );
    }
    // A triangle with a larger height is visible.
    scene.meshes[0].positions[6] = [600.0, 510.0, 0.01];
    let (_, losses) = bmd::Document::from_scene(scene, &options()).unwrap();
    assert!(
        losses.iter().all(|loss| loss.affected.is_none()),
        "{losses:?}"
    );
}

#[test]
fn oversized_skeletons_are_dropped() {
    let mut scene = scaled();
    scene.skeleton.joints.resize(300, Joint::default());
    let (document, losses) = mesh::Document::from_scene(scene.clone(), &options()).unwrap();
    let lost = |losses: &[Loss]| {
        losses
            .iter()
            .any(|loss| loss.path == "skeleton.joints" && loss.message.contains("255"))
    };
    assert!(lost(&losses) && document.joints.is_empty() && document.animations.is_empty());
    assert_eq!(
        document.into_scene(&options()).unwrap().0.meshes[0].positions[2],
        [1.0, 3.0, 0.0]
    );
    let (document, losses) = bmd::Document::from_scene(scene.clone(), &options()).unwrap();
    assert!(lost(&losses) && document.bones.is_empty());
    scene.skeleton.joints.truncate(254);
    assert_eq!(
        bmd::Document::from_scene(scene.clone(), &options())
            .unwrap()
            .0
            .bones
            .len(),
        255
    );
    assert_eq!(
        mesh::Document::from_scene(scene, &options())
            .unwrap()
            .0
            .joints
            .len(),
        254
    );
}

#[test]
fn step_channels_stay_steps_in_mesh() {
    let mut scene = scaled();
    scene.animations[0].channels[0].interpolation = Interpolation::Step;
    let (document, _) = mesh::Document::from_scene(scene.clone(), &options()).unwrap();
    let (back, _) = document.into_scene(&options()).unwrap();
    for time in [0.0, 1.0, 1.999, 2.0] {
        let height =
            |scene: &Scene| scene.animations[0].pose(&scene.skeleton, time)[0].translation[1];
        assert_eq!(height(&back), height(&scene), "{time}");
    }
}

#[test]
fn the_centre_is_that_of_the_visible_geometry() {
    let mut scene = scaled();
    let [x, y, z] = scene.center().unwrap();
    assert!(
        x == 0.0 && (y + 2.0).abs() < 1e-6 && z == 0.0,
        "{x} {y} {z}"
    );
    let (document, _) = crucible::Document::from_scene(scene, &options()).unwrap();
    let (shown, _) = document.into_scene(&options()).unwrap();
    for (found, [x, y]) in
        shown.meshes[0]
            .positions
            .iter()
            .zip([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    {
        assert!(
            Vec3::from(*found).distance(Vec3::new(x as f32, y as f32, 0.0)) < 1e-6,
            "{found:?}"
        );
    }
}

#[test]
fn degenerate_matrices_keep_their_scale() {
    let turn = Quat::from_rotation_y(0.5);
    for scale in [
        [0.0; 3],
        [0.0, 2.0, 3.0],
        [1.0, 0.0, 3.0],
        [1.0, 2.0, 0.0],
        [0.0, 0.0, 3.0],
        [0.0, 2.0, 0.0],
    ] {
        let matrix = Mat4::from_scale_rotation_translation(scale.into(), turn, Vec3::X);
        let found = Transform::from_matrix(matrix).to_matrix();
        assert!(found.abs_diff_eq(matrix, 1e-6), "{scale:?}: {found}");
    }
    let sheared = Mat4::from_mat3(Mat3::from_cols(
        Vec3::X,
        Vec3::new(0.9, 0.1, 0.0),
        Vec3::ZERO,
    ));
    let found = Transform::from_matrix(sheared);
    assert!(Quat::from_array(found.rotation).is_normalized());
    assert!(
        found.to_matrix().x_axis.abs_diff_eq(sheared.x_axis, 1e-6),
        "{found:?}"
    );
    // The squares of its elements overflow.
    let long = Mat4::from_mat3(Mat3::from_cols(
        Vec3::new(-0.4, 2e28, 0.0),
        Vec3::NEG_X,
        Vec3::Z * f32::MAX,
    ));
    let found = Transform::from_matrix(long).to_matrix();
    assert!(
        found.is_finite() && found.abs_diff_eq(long, 1e25),
        "{found}"
    );
    // Nothing can be bound to a joint with a singular matrix.
    let joint = Joint {
        inverse_bind: Mat4::from_scale(Vec3::ZERO),
        ..Joint::default()
    };
    assert_eq!(
        Skeleton {
            joints: vec![joint]
        }
        .bind_transform(0),
        Transform::default()
    );
}

#[test]
#[ignore = "takes many seconds of processor time: `.ci/run` runs it"]
fn too_many_poses_per_sample_are_rejected() {
    let mut scene = scaled();
    scene.skeleton.joints.resize(255, Joint::default());
    let animation = &mut scene.animations[0];
    animation.times[0] = (0..70_000).map(|time| time as f32).collect();
    animation.channels[0].samples = Samples::Translation(vec![[0.0, 1.0, 0.0]; 70_000]);
    let error = mesh::Document::from_scene(scene, &options()).unwrap_err();
    assert_eq!(
        error.kind(),
        ErrorKind::LimitExceeded(Limit::Fixed),
        "{error}"
    );
    assert_eq!(error.path(), "animations[0]");
}

#[test]
fn a_change_of_the_surface_is_listed() {
    let precision = SceneOptions::default().with_precision(Precision::MaxError(1.0));
    let (mut listed, mut kept) = (0, 0);
    for step in 0..60 {
        let width = 6.0 + step as f32 * 0.17;
        let mut scene = grid(1, [500.0, 0.0, 0.0]);
        for position in &mut scene.meshes[0].positions {
            *position = [
                500.0 + width * (position[0] - 500.0),
                500.0 + 100.0 * position[1],
                0.0,
            ];
        }
        let Ok((document, losses)) = bmd::Document::from_scene(scene, &precision) else {
            continue;
        };
        let (back, _) = document.into_scene(&options()).unwrap();
        let mesh = &back.meshes[0];
        let mut area = 0.0;
        mesh.faces
            .for_each_triangle(mesh.positions.len(), |corners| {
                let [a, b, c] = corners.map(|corner| Vec3::from(mesh.positions[corner as usize]));
                area += (b - a).cross(c - a).length() / 2.0;
            });
        let change = (area / (100.0 * width) - 1.0).abs();
        let listed_change = losses
            .iter()
            .find(|loss| loss.quantity == Some(Quantity::AREAS));
        let is_listed = listed_change.is_some();
        assert!(
            listed_change.is_none_or(|loss| (loss.error.unwrap() - f64::from(change)).abs() < 1e-3),
            "{losses:?}"
        );
        assert_eq!(is_listed, change > 0.01, "{width}: {change}: {losses:?}");
        *(if is_listed { &mut listed } else { &mut kept }) += 1;
    }
    assert!(listed > 5 && kept > 5, "{listed} listed, {kept} kept");
}

#[test]
fn corners_move_at_most_a_quarter_of_the_lowest_height() {
    for height in [0.3, 0.5, 1.0, 2.0_f32] {
        let positions = vec![
            [0.1, 0.2, 0.3],
            [100.1, 0.2, 0.3],
            [100.1, 100.2, 0.3],
            [50.05, 50.03, 7.0],
            [54.3, 50.03, 7.0],
            [54.3, 50.03 + height, 7.0],
        ];
        let mesh = Mesh {
            normals: Some(vec![[0.0, 0.0, 1.0]; 6]),
            uvs: vec![vec![[0.0; 2]; 6]],
            faces: Faces::triangles(vec![0, 1, 2, 3, 4, 5]),
            positions: positions.clone(),
            ..Mesh::default()
        };
        let scene = Scene {
            meshes: vec![mesh],
            ..Scene::default()
        };
        let (document, _) = bmd::Document::from_scene(scene, &options()).unwrap();
        let (back, _) = document.into_scene(&options()).unwrap();
        for (before, after) in positions.iter().zip(&back.meshes[0].positions).skip(3) {
            let error = before
                .iter()
                .zip(after)
                .fold(0.0_f32, |error, (a, b)| error.max((a - b).abs()));
            assert!(
                error <= height / 4.0,
                "{height}: {before:?} became {after:?}"
            );
        }
    }
}
