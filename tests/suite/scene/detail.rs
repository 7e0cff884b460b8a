//! Fine detail in BMD: bones are added where they preserve triangles that packing would flatten.

use glam::Vec3;
use meshspec::bmd::{self, Attributes, Surface, Tolerance, VertexSizes, Vertices};
use meshspec::scene::{
    Animation, Channel, Faces, FromScene, Indices, Interpolation, Joint, Mesh, Precision, Samples,
    Scene, SceneOptions, Skeleton, Skin, ToScene,
};
use meshspec::{Affected, Loss};

/// Adds an octahedron to a mesh: eight triangles. Binds it to `joint`, if any.
fn add_octahedron(mesh: &mut Mesh, center: Vec3, radius: f32, joint: Option<u16>) {
    let first = mesh.positions.len() as u32;
    for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
        mesh.positions.push((center + radius * axis).into());
        mesh.positions.push((center - radius * axis).into());
    }
    let corners = [
        [0, 2, 4],
        [2, 1, 4],
        [1, 3, 4],
        [3, 0, 4],
        [2, 0, 5],
        [1, 2, 5],
        [3, 1, 5],
        [0, 3, 5],
    ];
    let mut indices = mesh
        .faces
        .indices
        .take()
        .map(Indices::into_u32)
        .unwrap_or_default();
    indices.extend(corners.as_flattened().iter().map(|corner| first + corner));
    mesh.faces = Faces::triangles(indices);
    if let Some(joint) = joint {
        let mut joints: Vec<_> = mesh
            .skins
            .iter()
            .flat_map(|skin| &skin.joints)
            .map(|all| all[0])
            .collect();
        joints.extend([joint; 6]);
        mesh.skins = vec![Skin::rigid(joints)];
    }
}

/// Returns a large octahedron, and `rows` rows of `columns` small ones next to each other.
fn studs(rows: usize, columns: usize) -> Mesh {
    let mut mesh = Mesh {
        name: "studs".to_owned(),
        ..Mesh::default()
    };
    add_octahedron(&mut mesh, Vec3::ZERO, 10.0, None);
    for row in 0..rows {
        for column in 0..columns {
            let at = Vec3::new(7.3 - 4.0 * row as f32, 5.1 + 0.002 * column as f32, 3.7);
            add_octahedron(&mut mesh, at, 0.0005, None);
        }
    }
    mesh
}

fn scene_of(mesh: Mesh) -> Scene {
    Scene {
        meshes: vec![mesh],
        ..Scene::default()
    }
}

/// Returns the number of triangles that collapse or flip when the positions become `after`.
fn flattened(mesh: &Mesh, after: &[[f32; 3]]) -> usize {
    let indices = mesh.faces.indices.clone().map(Indices::into_u32).unwrap();
    let normal = |positions: &[[f32; 3]], corners: [u32; 3]| {
        let [a, b, c] = corners.map(|corner| Vec3::from(positions[corner as usize]));
        (b - a).cross(c - a)
    };
    let (corners, _) = indices.as_chunks();
    corners
        .iter()
        .filter(|t| normal(&mesh.positions, **t).dot(normal(after, **t)) <= 0.0)
        .count()
}

/// Returns the number of triangles that packing flattens if all vertices are stored in model space.
fn flattened_without_bones(mesh: &Mesh) -> usize {
    let attributes = Attributes {
        positions: mesh.positions.clone(),
        ..Attributes::default()
    };
    // Below all errors, so each vertex gets its most precise form.
    let tolerance = Tolerance {
        position: 0.0,
        ..Tolerance::default()
    };
    let packed = Vertices::encode(
        &attributes,
        Surface::Textured,
        VertexSizes::PerVertex,
        &tolerance,
    );
    flattened(mesh, &packed.unwrap().0.columns().positions)
}

/// Converts a scene; returns the document, the losses, and the number of flattened triangles of the first mesh.
fn convert(scene: &Scene, options: &SceneOptions) -> (bmd::Document, Vec<Loss>, usize) {
    let (document, losses) = bmd::Document::from_scene(scene.clone(), options).unwrap();
    let (found, _) = document
        .clone()
        .into_scene(&SceneOptions::default())
        .unwrap();
    let flattened = flattened(&scene.meshes[0], &found.meshes[0].positions);
    (document, losses, flattened)
}

/// Returns the number of bones that the losses state as added near fine detail.
fn added_bones(losses: &[Loss]) -> u64 {
    let mut added = losses
        .iter()
        .filter(|loss| loss.message.contains("fine detail"));
    added
        .next()
        .map_or(0, |loss| match (loss.affected, added.next()) {
            (
                Some(Affected {
                    count,
                    of: None,
                    items: "bones",
                }),
                None,
            ) => count,
            _ => panic!("{losses:?}"),
        })
}

#[test]
fn bones_are_added_near_detail_that_would_be_flattened() {
    let scene = scene_of(studs(3, 10));
    let without = flattened_without_bones(&scene.meshes[0]);
    assert!(without > 100, "{without}");
    let (document, losses, flattened) = convert(&scene, &SceneOptions::default());
    assert!(2 * flattened <= without, "{flattened} of {without}");
    // Bone 0 and a few bones per row, not one per stud.
    assert_eq!(document.bones.len() as u64, 1 + added_bones(&losses));
    assert!((1..10).contains(&added_bones(&losses)), "{losses:?}");
    let stated = losses
        .iter()
        .find(|loss| loss.message.contains("flattened"))
        .and_then(|loss| loss.affected);
    assert_eq!(stated.map_or(0, |stated| stated.count as usize), flattened);
}

#[test]
fn meshes_without_flattened_triangles_get_no_bones() {
    let mut mesh = Mesh::default();
    add_octahedron(&mut mesh, Vec3::new(3.0, 2.0, 1.0), 10.0, None);
    let (document, losses, _) = convert(&scene_of(mesh), &SceneOptions::default());
    assert_eq!((document.bones.len(), added_bones(&losses)), (0, 0));
}

/// All bones are worth the same, and there is no room for all of them.
#[test]
fn equally_useful_bones_fill_the_skeleton() {
    let mut mesh = Mesh::default();
    add_octahedron(&mut mesh, Vec3::ZERO, 50.0, None);
    for spot in 0..400 {
        let at = Vec3::new(
            40.3 - 4.1 * (spot % 20) as f32,
            40.7 - 4.1 * (spot / 20) as f32,
            31.9,
        );
        add_octahedron(&mut mesh, at, 0.0005, None);
    }
    let (document, losses, _) = convert(&scene_of(mesh), &SceneOptions::default());
    assert!(
        added_bones(&losses) > 240 && document.bones.len() <= 255,
        "{losses:?}"
    );
}

/// The bones that preserve the most triangles are added first: the spots with the most studs.
#[test]
fn a_full_skeleton_gets_the_most_useful_bones() {
    let mut mesh = Mesh::default();
    add_octahedron(&mut mesh, Vec3::ZERO, 50.0, None);
    for spot in 0..400 {
        let at = Vec3::new(
            40.3 - 4.1 * (spot % 20) as f32,
            40.7 - 4.1 * (spot / 20) as f32,
            31.9,
        );
        // Every third spot has three studs.
        for stud in 0..if spot % 3 == 0 { 3 } else { 1 } {
            add_octahedron(&mut mesh, at + Vec3::X * 0.003 * stud as f32, 0.0005, None);
        }
    }
    let without = flattened_without_bones(&mesh);
    let (document, losses, flattened) = convert(&scene_of(mesh), &SceneOptions::default());
    assert!(document.bones.len() <= 255, "{}", document.bones.len());
    assert_eq!(
        meshspec::Format::check(&document)
            .findings()
            .first()
            .map(|f| f.to_string()),
        None
    );
    assert!(added_bones(&losses) > 240, "{}", added_bones(&losses));
    assert!(2 * flattened <= without, "{flattened} of {without}");
}

#[test]
fn added_bones_move_with_the_joint_of_their_vertices() {
    let mut mesh = Mesh::default();
    add_octahedron(&mut mesh, Vec3::ZERO, 10.0, Some(0));
    for stud in 0..10 {
        add_octahedron(
            &mut mesh,
            Vec3::new(7.3, 5.1, 0.002 * stud as f32),
            0.0005,
            Some(1),
        );
    }
    let joints = vec![
        Joint::default(),
        Joint {
            parent: Some(0),
            name: "arm".to_owned(),
            ..Joint::default()
        },
    ];
    let lift = Channel {
        joint: 1,
        times: 0,
        interpolation: Interpolation::Linear,
        samples: Samples::Translation(vec![[0.0; 3], [0.0, 0.0, 5.0]]),
    };
    let animation = Animation {
        rate: 1.0,
        duration: 2.0,
        times: vec![vec![0.0, 1.0]],
        channels: vec![lift],
        ..Animation::default()
    };
    let skeleton = Skeleton { joints };
    let scene = Scene {
        skeleton,
        animations: vec![animation],
        ..scene_of(mesh)
    };
    let (document, losses, flattened) = convert(&scene, &SceneOptions::default());
    assert!(
        added_bones(&losses) > 0 && 2 * flattened <= 80,
        "{flattened}: {losses:?}"
    );
    let (mut found, _) = document.into_scene(&SceneOptions::default()).unwrap();
    assert_eq!(
        found.animations[0]
            .channels
            .iter()
            .filter(|channel| channel.joint != 1)
            .count(),
        0
    );
    let pose = found.animations[0].pose(&found.skeleton, 1.0);
    found.apply_pose(&pose);
    for (vertex, (after, before)) in found.meshes[0]
        .positions
        .iter()
        .zip(&scene.meshes[0].positions)
        .enumerate()
    {
        let expected = if vertex < 6 { 0.0 } else { 5.0 };
        assert!(
            (after[2] - before[2] - expected).abs() < 0.01,
            "{vertex}: {after:?} {before:?}"
        );
    }
}

/// Positions read from BMD are exact, so a scene with added bones returns to the same codes, without further bones.
#[test]
fn a_document_with_added_bones_survives_a_scene() {
    let (document, ..) = convert(&scene_of(studs(3, 10)), &SceneOptions::default());
    let (scene, losses) = document
        .clone()
        .into_scene(&SceneOptions::default())
        .unwrap();
    assert_eq!(losses, []);
    let (again, losses) = bmd::Document::from_scene(scene, &SceneOptions::default()).unwrap();
    assert_eq!(added_bones(&losses), 0);
    assert!(again == document, "the codes differ");
}

/// A requested form or maximum error decides which detail is kept.
#[test]
fn no_bones_are_added_for_detail_with_a_requested_precision() {
    let scene = scene_of(studs(3, 10));
    for precision in [
        Precision::MaxError(0.25),
        Precision::Bits(64),
        Precision::Bits(128),
    ] {
        let options = SceneOptions::default().with_precision(precision);
        let (document, losses) = bmd::Document::from_scene(scene.clone(), &options).unwrap();
        assert_eq!(
            (document.bones.len(), added_bones(&losses)),
            (0, 0),
            "{precision:?}"
        );
    }
}
