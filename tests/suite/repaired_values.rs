//! Values without a meaning, which every target replaces and lists: directions of no length, rotations that are no unit
//! quaternions, weights of another sum than 1.

use std::collections::BTreeMap;

use glam::{Mat4, Quat, Vec3};
use meshspec::interop::Interchange;
use meshspec::scene::{
    Animation, Channel, Colors, Faces, FromScene, Interpolation, Joint, Mesh, Samples, Scene,
    SceneOptions, Skeleton, Skin, ToScene, Transform, Weights,
};
use meshspec::{AnyFormat, Dialect, Document, Limits, Loss, LossKind, Quantity, bmd, mesh};

/// A square with normals, of which the second is zero and the third NaN.
fn square() -> Mesh {
    Mesh {
        positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]],
        normals: Some(vec![
            [0.6, 0.0, 0.8],
            [0.0; 3],
            [f32::NAN, 0.0, 1.0],
            [0.0, 0.6, 0.8],
        ]),
        tangents: Some(vec![
            [0.0, 1.0, 0.0, 1.0],
            [0.0, 0.0, 0.0, 1.0],
            [0.0, 1.0, 0.0, 1.0],
            [1.0, 0.0, 0.0, 1.0],
        ]),
        uvs: vec![vec![[0.5; 2]; 4]],
        faces: Faces::triangles(vec![0, 1, 2, 0, 2, 3]),
        ..Mesh::default()
    }
}

fn scene_of(mesh: Mesh) -> Scene {
    Scene {
        meshes: vec![mesh],
        ..Scene::default()
    }
}

fn to_document(format: AnyFormat, scene: &Scene, dialect: Option<Dialect>) -> (Scene, Vec<Loss>) {
    let mut options = SceneOptions::default();
    options.dialect = dialect;
    let (document, losses) = Document::from_scene(format, scene.clone(), &options).unwrap();
    (document.into_scene(&options).unwrap().0, losses)
}

fn count_of<'a>(losses: &'a [Loss], text: &str) -> Option<(&'a Loss, u64, Option<u64>)> {
    let loss = losses.iter().find(|loss| loss.to_string().contains(text))?;
    loss.affected
        .map(|affected| (loss, affected.count, affected.of))
}

#[test]
fn normals_without_a_direction_are_listed_to_every_target() {
    let scene = scene_of(square());
    let message =
        "meshes[0].normals: normals without a direction were replaced by those of the faces";
    for format in [
        mesh::FORMAT,
        meshspec::crucible::FORMAT,
        meshspec::seed::FORMAT,
        meshspec::iyma::FORMAT,
        bmd::FORMAT,
    ] {
        let (found, losses) = to_document(format, &scene, None);
        let (_, count, of) =
            count_of(&losses, message).unwrap_or_else(|| panic!("{format}: {losses:?}"));
        assert_eq!((count, of), (2, Some(4)), "{format}");
        let normals = found.meshes[0].normals.as_ref().unwrap();
        assert!(
            Vec3::from(normals[1]).dot(Vec3::Z) > 0.99,
            "{format}: {normals:?}"
        );
    }
    for target in [
        Interchange::Glb,
        Interchange::Gltf,
        Interchange::Obj,
        Interchange::Ply,
        Interchange::Stl,
    ] {
        let mut files = BTreeMap::new();
        let losses = target
            .write(scene.clone(), "out", &mut files, &SceneOptions::default())
            .unwrap();
        assert!(count_of(&losses, message).is_some(), "{target}: {losses:?}");
    }
}

#[test]
fn tangents_without_a_direction_are_listed() {
    let scene = scene_of(square());
    for (format, dialect) in [
        (meshspec::crucible::FORMAT, Some(Dialect::TANGENT)),
        (meshspec::iyma::FORMAT, None),
    ] {
        let (_, losses) = to_document(format, &scene, dialect);
        let found = count_of(&losses, "meshes[0].tangents: tangents without a direction");
        assert!(
            found.is_some_and(|(_, count, of)| (count, of) == (1, Some(4))),
            "{format}: {losses:?}"
        );
    }
}

#[test]
fn a_format_keeps_its_own_directions() {
    for format in [
        mesh::FORMAT,
        meshspec::crucible::FORMAT,
        meshspec::seed::FORMAT,
        meshspec::iyma::FORMAT,
    ] {
        let (mut scene, _) = to_document(format, &scene_of(square()), None);
        scene.meshes[0].normals.as_mut().unwrap()[3] = [0.0; 3];
        let (found, losses) = to_document(format, &scene, None);
        assert_eq!(
            found.meshes[0].normals.as_ref().unwrap()[3],
            [0.0; 3],
            "{format}"
        );
        assert!(
            count_of(&losses, "normals without a direction").is_none(),
            "{format}: {losses:?}"
        );
    }
}

/// A joint that is not a unit quaternion at rest, and whose keys are half of one and zero.
fn rotating() -> Scene {
    let half = std::f32::consts::FRAC_1_SQRT_2 / 2.0;
    let rest = Transform {
        rotation: [0.0, 0.0, 0.0, 2.0],
        ..Transform::default()
    };
    let joint = Joint {
        name: "hinge".to_owned(),
        rest: Some(rest),
        ..Joint::default()
    };
    let samples = Samples::Rotation(vec![[0.0, 0.0, half, half], [0.0; 4], [0.0, 0.0, 0.0, 1.0]]);
    let channel = Channel {
        joint: 0,
        times: 0,
        interpolation: Interpolation::Linear,
        samples,
    };
    let animation = Animation {
        rate: 10.0,
        duration: 2.0,
        channels: vec![channel],
        times: vec![vec![0.0, 1.0, 2.0]],
        ..Animation::default()
    };
    let mesh = Mesh {
        normals: None,
        tangents: None,
        skins: vec![Skin::rigid([0; 4])],
        ..square()
    };
    Scene {
        meshes: vec![mesh],
        skeleton: Skeleton {
            joints: vec![joint],
        },
        animations: vec![animation],
        ..Scene::default()
    }
}

#[test]
fn rotations_that_are_not_unit_are_normalised_and_listed() {
    for format in [mesh::FORMAT, bmd::FORMAT] {
        let (found, losses) = to_document(format, &rotating(), None);
        let at =
            |path: &str, message: &str| count_of(&losses, &format!("{path}: rotations {message}"));
        let keys = "animations[0].channels[0].samples";
        assert!(
            at("skeleton.joints[0].rest", "were normalised").is_some(),
            "{format}: {losses:?}"
        );
        let (_, count, of) = at(keys, "were normalised").unwrap();
        assert_eq!((count, of), (1, Some(3)), "{format}");
        let (_, count, of) = at(keys, "without a direction were replaced by the identity").unwrap();
        assert_eq!((count, of), (1, Some(3)), "{format}");
        let joint = found.skeleton.joints.len() - 1;
        let pose = found.animations[0].pose(&found.skeleton, 0.0)[joint];
        let angle = Quat::from_array(pose.rotation)
            .angle_between(Quat::from_rotation_z(90_f32.to_radians()));
        assert!(angle < 0.02, "{format}: {pose:?}");
    }
    // Also if another program wrote them in MESH, unless they go back to MESH.
    let (mut document, _) =
        mesh::Document::from_scene(rotating(), &SceneOptions::default()).unwrap();
    document.animations[0].poses[0].rotation = [0.5, 0.0, 0.0, 0.0];
    let (scene, _) = document
        .clone()
        .into_scene(&SceneOptions::default())
        .unwrap();
    let (again, losses) =
        mesh::Document::from_scene(scene.clone(), &SceneOptions::default()).unwrap();
    assert_eq!(again.animations[0].poses[0].rotation, [0.5, 0.0, 0.0, 0.0]);
    assert!(count_of(&losses, "were normalised").is_none(), "{losses:?}");
    let (_, losses) = bmd::Document::from_scene(scene, &SceneOptions::default()).unwrap();
    assert!(
        count_of(&losses, "rotations were normalised").is_some(),
        "{losses:?}"
    );
}

#[test]
fn scaled_joints_never_exceed_the_total() {
    let mut scene = rotating();
    scene.skeleton.joints[0].inverse_bind = Mat4::from_scale(Vec3::splat(0.5));
    scene.transform = Some(Mat4::from_scale(Vec3::new(2.0, 3.0, 4.0)));
    let (_, losses) = to_document(bmd::FORMAT, &scene, None);
    let (_, count, of) = count_of(&losses, "BMD has no joint scale").unwrap();
    assert!(of.is_some_and(|of| count <= of), "{losses:?}");
}

#[test]
fn rotations_of_gltf_nodes_are_listed() {
    let gltf = r#"{"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0, 1]}],
        "nodes": [{"mesh": 0, "rotation": [0, 0, 0.5, 0.5]}, {"mesh": 0, "rotation": [0, 0, 0, 0]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "buffers": [{"byteLength": 36, "uri": "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]}]}"#;
    let read = Interchange::Gltf.read(
        gltf.as_bytes(),
        &BTreeMap::new(),
        &SceneOptions::default(),
        &Limits::default(),
    );
    let (_, losses) = read.unwrap();
    assert!(
        count_of(&losses, "nodes[0].rotation: rotations were normalised").is_some(),
        "{losses:?}"
    );
    assert!(
        count_of(&losses, "nodes[1].rotation: rotations without a direction").is_some(),
        "{losses:?}"
    );
}

#[test]
fn normalised_weights_and_non_finite_values_are_listed() {
    let mut scene = rotating();
    let joints = vec![[0, Skin::NONE, Skin::NONE, Skin::NONE]; 4];
    let weights = [1.0, 0.5, f32::NAN, 1.0].map(|weight| [weight, 0.0, 0.0, 0.0]);
    scene.meshes[0].skins = vec![Skin {
        joints,
        weights: Weights::F32(weights.to_vec()),
    }];
    let colors = vec![[0.5, f32::NAN, 1.0, 1.0]; 4];
    scene.meshes[0].colors = vec![Colors::F32(colors)];
    for format in [mesh::FORMAT, bmd::FORMAT] {
        let (_, losses) = to_document(format, &scene, None);
        assert!(
            count_of(&losses, "weights were normalised to a sum of 1").is_some(),
            "{format}: {losses:?}"
        );
    }
    let (_, losses) = to_document(mesh::FORMAT, &scene, None);
    assert!(
        count_of(&losses, "weights: non-finite numbers were replaced by 0").is_some(),
        "{losses:?}"
    );
    for format in [meshspec::crucible::FORMAT, bmd::FORMAT] {
        let (_, losses) = to_document(format, &scene, None);
        let found = count_of(&losses, "colors[0]: non-finite numbers were replaced by 0");
        assert!(
            found.is_some_and(|(_, count, _)| count == 4),
            "{format}: {losses:?}"
        );
    }
}

#[test]
fn the_area_of_thin_triangles_is_part_of_the_change() {
    // A needle far from the origin, whose width is below the rounding of its coordinates.
    let mut scene = scene_of(Mesh {
        normals: None,
        tangents: None,
        ..square()
    });
    let positions = vec![
        [1.0, 0.0, 0.0],
        [2.0, 0.0, 0.0],
        [1.5, 1e-7, 0.0],
        [1.501, 0.003, 0.0],
    ];
    scene.meshes[0].positions = positions;
    let options = SceneOptions::default().with_strictness(meshspec::Strictness::Lenient);
    let options = options.with_precision(meshspec::scene::Precision::Bits(64));
    let (document, losses) = bmd::Document::from_scene(scene.clone(), &options).unwrap();
    let (found, _) = document.into_scene(&options).unwrap();
    let area = |scene: &Scene| -> f64 {
        let corners = scene
            .triangles()
            .map(|corners| corners.map(|corner| Vec3::from(corner).as_dvec3()));
        corners.map(|[a, b, c]| (b - a).cross(c - a).length()).sum()
    };
    let change = (area(&found) / area(&scene) - 1.0).abs();
    let stated = losses
        .iter()
        .find(|loss| loss.quantity == Some(Quantity::AREAS));
    assert!(change > 0.01, "{change}");
    let stated = stated.unwrap_or_else(|| panic!("{losses:?}"));
    assert_eq!(stated.kind, LossKind::Quantized);
    assert!(
        (stated.error.unwrap() - change).abs() < 1e-6 * change,
        "{stated}, not {change}"
    );
}
