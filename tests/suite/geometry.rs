//! Scenes in other axes, with applied transforms, or welded: the numbers change, but the geometry remains the same.

use std::collections::BTreeSet;

use crate::common::config;
use glam::{Mat4, Quat, Vec3, Vec4};
use meshspec::scene::{
    Axes, Axis, Colors, Components, Conventions, CustomAttribute, Faces, Mesh, Scene, Weights,
    strategy,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

type CheckResult = Result<(), TestCaseError>;

/// A strategy for all 48 assignments of right, up and forward to axes.
fn axes() -> impl Strategy<Value = Axes> {
    (Just(["x", "y", "z"]).prop_shuffle(), any::<[bool; 3]>()).prop_map(|(names, signs)| {
        let name =
            |index: usize| format!("{}{}", if signs[index] { '+' } else { '-' }, names[index]);
        [0, 1, 2].map(name).join(",").parse().unwrap()
    })
}

fn vector(axis: Axis) -> Vec3 {
    match axis {
        Axis::X => Vec3::X,
        Axis::Y => Vec3::Y,
        Axis::Z => Vec3::Z,
        Axis::NegX => Vec3::NEG_X,
        Axis::NegY => Vec3::NEG_Y,
        Axis::NegZ => Vec3::NEG_Z,
    }
}

/// Returns the transform from the space of scenes (right −X, up +Y, forward +Z) to the axes and units of `conventions`.
fn from_scene_space(conventions: Conventions) -> Mat4 {
    let Conventions {
        right,
        up,
        forward,
        unit,
        ..
    } = conventions;
    let column = |axis: Vec3| (axis / unit).extend(0.0);
    let [right, up, forward] = [right, up, forward].map(vector);
    Mat4::from_cols(column(-right), column(up), column(forward), Vec4::W)
}

/// A strategy for transforms that scale, rotate and translate; half of them mirror.
fn transforms() -> impl Strategy<Value = Mat4> {
    let number = || prop_oneof![-3.0f32..-0.3, 0.3f32..3.0];
    let turn = (vec(-1.0f32..1.0, 3), -3.0f32..3.0);
    (
        [number(), number(), number()],
        turn,
        [-9.0f32..9.0, -9.0f32..9.0, -9.0f32..9.0],
    )
        .prop_map(|(scale, (axis, angle), translation)| {
            let axis = Vec3::from_slice(&axis).try_normalize().unwrap_or(Vec3::X);
            let turn = Quat::from_axis_angle(axis, angle);
            Mat4::from_scale_rotation_translation(scale.into(), turn, translation.into())
        })
}

fn check_point(found: impl Into<Vec3>, expected: impl Into<Vec3>, what: &str) -> CheckResult {
    let (found, expected) = (found.into(), expected.into());
    let distance = found.distance(expected);
    prop_assert!(
        distance <= 1e-4 * (1.0 + expected.length()),
        "{}: {} for {}",
        what,
        found,
        expected
    );
    Ok(())
}

fn check_matrix(found: Mat4, expected: Mat4, what: &str) -> CheckResult {
    let size = expected
        .to_cols_array()
        .into_iter()
        .fold(1.0_f32, |size, x| size.max(x.abs()));
    prop_assert!(
        found.abs_diff_eq(expected, 1e-3 * size),
        "{}: {} for {}",
        what,
        found,
        expected
    );
    Ok(())
}

/// Returns the normal of each triangle; `None` for triangles so thin that rounding could flip them.
fn face_normals(mesh: &Mesh) -> Vec<Option<Vec3>> {
    let mut normals = Vec::new();
    mesh.faces
        .for_each_triangle(mesh.positions.len(), |corners| {
            let [a, b, c] = corners.map(|corner| Vec3::from(mesh.positions[corner as usize]));
            let (normal, size) = ((b - a).cross(c - a), (b - a).length() * (c - a).length());
            normals.push((normal.length() > 0.01 * size).then(|| normal.normalize()));
        });
    normals
}

/// Returns the bitangents of a mesh.
fn bitangents(mesh: &Mesh) -> Vec<Vec3> {
    let normals = mesh.normals.iter().flatten();
    let pairs = normals.zip(mesh.tangents.iter().flatten());
    pairs
        .map(|(normal, [x, y, z, side])| Vec3::from(*normal).cross(Vec3::new(*x, *y, *z)) * *side)
        .collect()
}

/// Returns the skinning matrices of each joint, at rest and at some times of each animation.
fn skinning_matrices(scene: &Scene) -> Vec<Mat4> {
    let joints = scene.skeleton.joints.len();
    let rest = (0..joints)
        .map(|joint| scene.skeleton.rest_transform(joint))
        .collect();
    let times = |duration: f32| [0.0, 1.5, 7.25, duration];
    let poses = scene.animations.iter().flat_map(|animation| {
        times(animation.duration).map(|ticks| animation.pose(&scene.skeleton, ticks))
    });
    let inverse_binds = scene.skeleton.joints.iter().map(|joint| joint.inverse_bind);
    let all = std::iter::once(rest)
        .chain(poses)
        .flat_map(|pose| scene.skeleton.global_matrices(&pose));
    all.zip(inverse_binds.cycle())
        .map(|(joint, inverse_bind)| joint * inverse_bind)
        .collect()
}

/// Returns the scene with an explicit rest pose, because the rest pose derived from shearing bind matrices is only
/// approximate.
fn with_rest_pose(mut scene: Scene) -> Scene {
    scene
        .skeleton
        .joints
        .iter_mut()
        .for_each(|joint| _ = joint.rest.get_or_insert_default());
    scene
}

/// Fails unless `found` equals `scene` transformed by `view`, a matrix with rotation, mirroring and uniform scale.
fn check_transformed(found: &Scene, scene: &Scene, view: Mat4) -> CheckResult {
    for (found, mesh) in found.meshes.iter().zip(&scene.meshes) {
        let direction = |vector: Vec3| view.transform_vector3(vector).normalize_or_zero();
        for (found, position) in found.positions.iter().zip(&mesh.positions) {
            check_point(
                *found,
                view.transform_point3(Vec3::from(*position)),
                "position",
            )?;
        }
        for (found, normal) in found
            .normals
            .iter()
            .flatten()
            .zip(mesh.normals.iter().flatten())
        {
            check_point(*found, direction(Vec3::from(*normal)), "normal")?;
        }
        for (found, [x, y, z, _]) in found
            .tangents
            .iter()
            .flatten()
            .zip(mesh.tangents.iter().flatten())
        {
            check_point(
                Vec3::from_slice(found),
                direction(Vec3::new(*x, *y, *z)),
                "tangent",
            )?;
        }
        for (found, bitangent) in bitangents(found).into_iter().zip(bitangents(mesh)) {
            check_point(
                found,
                view.transform_vector3(bitangent) / view.x_axis.length(),
                "bitangent",
            )?;
        }
        for pair in face_normals(found).into_iter().zip(face_normals(mesh)) {
            if let (Some(found), Some(normal)) = pair {
                prop_assert!(
                    found.dot(direction(normal)) > 0.9,
                    "{} for {}",
                    found,
                    direction(normal)
                );
            }
        }
    }
    let seen = |matrix: Mat4| view * matrix * view.inverse();
    for (found, expected) in skinning_matrices(found)
        .into_iter()
        .zip(skinning_matrices(scene))
    {
        check_matrix(found, seen(expected), "joint")?;
    }
    for (found, joint) in found.skeleton.joints.iter().zip(&scene.skeleton.joints) {
        check_matrix(
            found.inverse_bind,
            seen(joint.inverse_bind),
            "inverse bind matrix",
        )?;
    }
    if let (Some(found), Some(transform)) = (found.transform, scene.transform) {
        check_matrix(found, seen(transform), "transform")?;
    }
    for (found, lod) in found.lods.iter().zip(&scene.lods) {
        let expected = lod.distance * view.x_axis.length();
        prop_assert!(
            (found.distance - expected).abs() <= 1e-5 * expected,
            "{} for {}",
            found.distance,
            expected
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(config(200, "geometry"))]

    #[test]
    fn other_axes_keep_the_geometry(scene in strategy::scenes(), axes in axes(), unit in select(vec![1.0_f32, 0.01, 2.5])) {
        let conventions = Conventions { unit, ..Conventions::GLTF.with_axes(axes) };
        let view = from_scene_space(conventions);
        prop_assert_eq!(conventions.is_left_handed(), view.determinant() < 0.0);
        let scene = with_rest_pose(scene);
        let mut there = scene.clone();
        conventions.from_scene_space(&mut there);
        check_transformed(&there, &scene, view)?;
        let mut back = there.clone();
        conventions.to_scene_space(&mut back, "a format");
        check_transformed(&back, &there, view.inverse())?;
        prop_assert_eq!(back.source.unwrap().conventions, conventions);
    }

    #[test]
    fn applied_transforms_move_skinned_vertices(scene in strategy::scenes(), transform in transforms()) {
        let scene = Scene { transform: Some(transform), ..with_rest_pose(scene) };
        let mut applied = scene.clone();
        applied.apply_transform();
        prop_assert_eq!(applied.transform, None);
        for (found, mesh) in applied.meshes.iter().zip(&scene.meshes) {
            for (found, position) in found.positions.iter().zip(&mesh.positions) {
                check_point(*found, transform.transform_point3(Vec3::from(*position)), "position")?;
            }
        }
        let joints = scene.skeleton.joints.len();
        // The last joint was added as the root of all others, and does not move.
        let found = skinning_matrices(&applied).into_iter().enumerate();
        let found = found.filter(|(index, _)| index % (joints + 1) != joints).map(|(_, matrix)| matrix);
        for (found, expected) in found.zip(skinning_matrices(&scene)) {
            check_matrix(found * transform, transform * expected, "joint")?;
        }
    }

    /// In the test mesh, triangles share no vertices, so vertex normals equal face normals.
    #[test]
    fn normals_and_bitangents_move_with_faces(
        positions in vec([-9.0f32..9.0, -9.0f32..9.0, -9.0f32..9.0], 3),
        side in select(vec![1.0_f32, -1.0]),
        transform in transforms(),
    ) {
        let mut mesh = Mesh { positions, ..Mesh::default() };
        prop_assume!(face_normals(&mesh) != [None]);
        mesh.generate_normals();
        check_point(mesh.normals.as_ref().unwrap()[0], face_normals(&mesh)[0].unwrap(), "normal")?;
        let edge = Vec3::from(mesh.positions[1]) - Vec3::from(mesh.positions[0]);
        mesh.tangents = Some(vec![edge.normalize().extend(side).into(); 3]);
        let before = bitangents(&mesh);
        mesh.transform(transform);
        for (found, bitangent) in bitangents(&mesh).into_iter().zip(before) {
            prop_assert!(found.dot(transform.transform_vector3(bitangent)) > 0.0);
        }
        let moved = mesh.normals.clone().unwrap();
        mesh.generate_normals();
        for (moved, expected) in moved.into_iter().zip(mesh.normals.unwrap()) {
            prop_assert!(Vec3::from(moved).distance(expected.into()) < 1e-3, "{:?} for {:?}", moved, expected);
        }
    }
}

#[test]
fn larger_faces_have_more_weight_in_vertex_normals() {
    // One triangle is three times as large, with normal +Z; the other has normal +X. The last vertex is unused.
    let positions = vec![
        [0.0; 3],
        [3.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
        [9.0; 3],
    ];
    let faces = Faces::triangles(vec![0, 1, 2, 0, 2, 3]);
    let mut mesh = Mesh {
        positions,
        faces,
        ..Mesh::default()
    };
    mesh.generate_normals();
    let normals = mesh.normals.unwrap();
    assert!(
        Vec3::from(normals[0]).distance(Vec3::new(1.0, 0.0, 3.0).normalize()) < 1e-6,
        "{normals:?}"
    );
    assert_eq!(
        (normals[1], normals[3], normals[4]),
        ([0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0])
    );
}

/// Returns all attributes of a vertex as text.
fn format_vertex(mesh: &Mesh, index: usize) -> String {
    let bare = Mesh {
        positions: vec![mesh.positions[index]],
        ..Mesh::default()
    };
    let vertex = Mesh {
        normals: mesh.normals.as_ref().map(|values| vec![values[index]]),
        tangents: mesh.tangents.as_ref().map(|values| vec![values[index]]),
        uvs: mesh.uvs.iter().map(|values| vec![values[index]]).collect(),
        ..bare
    };
    let colors: Vec<_> = mesh
        .colors
        .iter()
        .map(|colors| colors.clone().into_f32()[index])
        .collect();
    let skins = mesh
        .skins
        .iter()
        .map(|skin| (skin.joints[index], skin.weights.clone().into_f32()[index]));
    let custom = mesh.custom.iter().map(|custom| {
        let bytes = custom.values.to_le_bytes();
        let size = bytes.len() / mesh.positions.len();
        bytes[index * size..][..size].to_vec()
    });
    format!(
        "{vertex:?} {colors:?} {:?} {:?}",
        skins.collect::<Vec<_>>(),
        custom.collect::<Vec<_>>()
    )
}

/// Makes the values of each attribute of a mesh periodic, with a period from `periods`.
fn repeat_attributes(mesh: &mut Mesh, periods: &[usize]) {
    fn again<T: Copy>(values: &mut [T], period: usize) {
        (period..values.len()).for_each(|index| values[index] = values[index - period]);
    }
    again(&mut mesh.positions, periods[0]);
    mesh.normals
        .iter_mut()
        .for_each(|values| again(values, periods[1]));
    mesh.tangents
        .iter_mut()
        .for_each(|values| again(values, periods[2]));
    mesh.uvs
        .iter_mut()
        .for_each(|values| again(values, periods[3]));
    for colors in &mut mesh.colors {
        match colors {
            Colors::U8(values) => again(values, periods[4]),
            Colors::F32(values) => again(values, periods[4]),
        }
    }
    for skin in &mut mesh.skins {
        again(&mut skin.joints, periods[5]);
        match &mut skin.weights {
            Weights::U8(values) => again(values, periods[5]),
            Weights::F32(values) => again(values, periods[5]),
        }
    }
    let values = (0..mesh.positions.len()).map(|index| (index % periods[6]) as u16);
    let values = Components::U16(values.flat_map(|value| [value, 7]).collect());
    mesh.custom = vec![CustomAttribute {
        name: "custom".to_owned(),
        components: 2,
        values,
    }];
}

proptest! {
    #![proptest_config(config(200, "geometry"))]

    #[test]
    fn welding_joins_exactly_the_equal_vertices(scene in strategy::scenes(), periods in vec(1..4usize, 7)) {
        for mut mesh in scene.meshes {
            repeat_attributes(&mut mesh, &periods);
            let corners = |mesh: &Mesh| {
                let mut corners = Vec::new();
                let mut visit = |three: [u32; 3]| corners.extend(three.map(|corner| format_vertex(mesh, corner as usize)));
                mesh.faces.for_each_triangle(mesh.positions.len(), &mut visit);
                corners
            };
            let (before, vertices) = (corners(&mesh), mesh.positions.len());
            let fewer = mesh.weld();
            let kept: BTreeSet<_> = (0..mesh.positions.len()).map(|index| format_vertex(&mesh, index)).collect();
            prop_assert_eq!((kept.len(), mesh.positions.len() + fewer), (mesh.positions.len(), vertices));
            prop_assert_eq!(corners(&mesh), before);
            Scene { meshes: vec![mesh], ..Scene::default() }.check().unwrap();
        }
    }
}
