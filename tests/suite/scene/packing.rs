//! Packed BMD positions: accepted and rejected errors, and the options that a rejection suggests.

use glam::Vec3;
use meshspec::scene::{
    Animation, Channel, Faces, FromScene, Interpolation, Joint, Mesh, Precision, Samples, Scene,
    SceneOptions, Skeleton, Skin, ToScene,
};
use meshspec::{Loss, Strictness, bmd};

fn options() -> SceneOptions {
    SceneOptions::default()
}

/// Returns a grid of 2 · side² triangles in the shape of a bowl, with the given size, at the position `at`.
fn bowl(name: &str, side: u32, size: f32, at: [f32; 3]) -> Mesh {
    let corner = |index: u32| {
        let [x, y] = [index % (side + 1), index / (side + 1)].map(|n| n as f32 / side as f32);
        (Vec3::from(at) + size * Vec3::new(x, y, x * x + y * y) / 2.0).into()
    };
    let quads = (0..side * side).map(|quad| quad / side * (side + 1) + quad % side);
    let indices = quads.flat_map(|a| [a, a + 1, a + side + 2, a, a + side + 2, a + side + 1]);
    Mesh {
        name: name.to_owned(),
        positions: (0..(side + 1) * (side + 1)).map(corner).collect(),
        faces: Faces::triangles(indices.collect()),
        ..Mesh::default()
    }
}

fn scene_of(meshes: Vec<Mesh>) -> Scene {
    Scene {
        meshes,
        ..Scene::default()
    }
}

/// Returns the largest error of each mesh as a fraction of its size, and the losses.
fn errors(scene: &Scene, options: &SceneOptions) -> (Vec<f64>, Vec<Loss>) {
    let (document, losses) = bmd::Document::from_scene(scene.clone(), options).unwrap();
    let (found, _) = document.into_scene(&SceneOptions::default()).unwrap();
    let meshes = found.meshes.iter().zip(&scene.meshes).map(|(found, mesh)| {
        let pairs = found.positions.iter().zip(&mesh.positions);
        let pairs = pairs.map(|(a, b)| [a, b].map(|position| Vec3::from(*position).as_dvec3()));
        pairs.map(|[a, b]| a.distance(b)).fold(0.0, f64::max) / f64::from(mesh.size())
    });
    (meshes.collect(), losses)
}

#[test]
fn a_small_mesh_in_a_large_scene_keeps_its_shape() {
    let hall = bowl("hall", 8, 100.0, [-50.0, 0.0, -20.0]);
    let screw = bowl("screw", 8, 0.005, [31.3, 2.1, 17.7]);
    let (off, losses) = errors(&scene_of(vec![hall, screw]), &options());
    assert!(off.iter().all(|off| *off < 0.005), "{off:?}");
    let bound: Vec<_> = losses
        .iter()
        .filter(|loss| loss.path.to_string().ends_with(".skins"))
        .collect();
    assert!(
        matches!(&*bound, [loss] if loss.path == "meshes[1].skins"),
        "{losses:?}"
    );
}

#[test]
fn small_meshes_near_each_other_share_bones() {
    let mut meshes = vec![bowl("hall", 8, 100.0, [-50.0, 0.0, -20.0])];
    let place = |screw: usize| {
        [
            30.0 + 0.02 * (screw % 20) as f32,
            2.0,
            10.0 + 0.02 * (screw / 20) as f32,
        ]
    };
    meshes.extend((0..400).map(|screw| bowl("screw", 2, 0.005, place(screw))));
    let (document, _) = bmd::Document::from_scene(scene_of(meshes.clone()), &options()).unwrap();
    assert!(document.bones.len() < 150, "{}", document.bones.len());
    let (off, _) = errors(&scene_of(meshes), &options());
    assert!(off.iter().all(|off| *off < 0.005), "{off:?}");
}

#[test]
fn a_fine_mesh_moves_with_its_joint() {
    let mut badge = bowl("badge", 8, 0.02, [40.0, 3.0, 0.0]);
    badge.skins = vec![Skin::rigid(vec![1; badge.positions.len()])];
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
    let scene = Scene {
        skeleton: Skeleton { joints },
        animations: vec![animation],
        ..scene_of(vec![badge])
    };
    let (off, _) = errors(&scene, &options());
    assert!(off[0] < 0.005, "{off:?}");
    let (document, _) = bmd::Document::from_scene(scene.clone(), &options()).unwrap();
    let (mut found, _) = document.into_scene(&options()).unwrap();
    let pose = found.animations[0].pose(&found.skeleton, 1.0);
    found.apply_pose(&pose);
    let moved = found.meshes[0].positions[0][2] - scene.meshes[0].positions[0][2];
    assert!((moved - 5.0).abs() < 0.01, "{moved}");
}

/// Returns `true` if no loss reports flattened triangles or a changed area in the first mesh.
fn keeps_triangles(losses: &[Loss]) -> bool {
    let mut positions = losses
        .iter()
        .filter(|loss| loss.path == "meshes[0].positions");
    positions.all(|loss| loss.affected.is_none() && loss.detail.is_none())
}

#[test]
fn collinear_triangles_do_not_count_as_collapsed() {
    // Not exactly collinear in 32-bit floats.
    let on_a_line = |step: u32| {
        [
            0.1 * step as f32 + 7.0,
            0.2 * step as f32 + 3.0,
            0.3 * step as f32,
        ]
    };
    let mut mesh = bowl("wires", 1, 0.0, [0.0; 3]);
    mesh.positions = (0..30).map(on_a_line).collect();
    mesh.faces = Faces::triangles((0..30).collect());
    let (off, losses) = errors(&scene_of(vec![mesh.clone()]), &options());
    assert!(off[0] < 0.005, "{off:?}");
    assert!(keeps_triangles(&losses), "{losses:?}");
    // They do not count next to a surface either, since they do not change its area.
    let bowl = bowl("bowl", 2, 1.0, [0.0; 3]);
    let first = bowl.positions.len() as u32;
    mesh.positions = bowl
        .positions
        .iter()
        .chain(&mesh.positions)
        .copied()
        .collect();
    let lines = (first..first + 30).chain([first; 3]);
    mesh.faces = Faces::triangles(
        bowl.faces
            .indices
            .unwrap()
            .into_u32()
            .into_iter()
            .chain(lines)
            .collect(),
    );
    let (_, losses) = errors(&scene_of(vec![mesh]), &options());
    assert!(keeps_triangles(&losses), "{losses:?}");
}

#[test]
fn small_relative_errors_are_accepted() {
    // The triangles have 1/300 of the mesh size, and collapse in the 64-bit form.
    let fine = scene_of(vec![bowl("net", 170, 1.0, [0.0; 3])]);
    let (off, losses) = errors(&fine, &options().with_precision(Precision::Bits(64)));
    assert!(off[0] < 0.005, "{off:?}");
    let flattened = |loss: &Loss| {
        loss.affected
            .is_some_and(|lost| lost.items == "triangles" && lost.count > 1000)
    };
    assert!(losses.iter().any(flattened), "{losses:?}");
}

#[test]
fn the_tolerance_is_respected() {
    let net = scene_of(vec![bowl("net", 170, 1.0, [0.0; 3])]);
    for tolerance in [0.1, 0.01, 0.001] {
        let (off, _) = errors(
            &net,
            &options().with_precision(Precision::MaxError(tolerance)),
        );
        assert!(
            off[0] <= f64::from(tolerance * 1.0001 / net.meshes[0].size()),
            "{off:?} at {tolerance}"
        );
    }
    // The tolerance is in metres for any unit.
    let mut conventions = <bmd::Document as ToScene>::CONVENTIONS;
    conventions.unit = 0.01;
    let options = options()
        .with_precision(Precision::MaxError(0.001))
        .with_conventions(conventions);
    let (document, losses) = bmd::Document::from_scene(net.clone(), &options).unwrap();
    assert!(
        losses
            .iter()
            .any(|loss| loss.path == "meshes[0].positions" && loss.error < Some(0.11))
    );
    assert_eq!(document.meshes.len(), 1);
}

/// Returns the options after "use" at the end of a rejection.
fn suggestions(scene: &Scene, options: &SceneOptions) -> (String, Vec<String>) {
    let error = bmd::Document::from_scene(scene.clone(), options).unwrap_err();
    let message = error.to_string();
    let named = message
        .rsplit_once("; ")
        .and_then(|(_, rest)| rest.strip_prefix("use "))
        .unwrap_or_default();
    (
        message.clone(),
        named.split(" or ").map(str::to_owned).collect(),
    )
}

#[test]
fn a_rejection_names_the_mesh_and_suggestions() {
    let scene = scene_of(vec![
        bowl("small", 2, 1.0, [0.0; 3]),
        bowl("hall", 8, 100.0, [0.0; 3]),
    ]);
    let fine = options().with_precision(Precision::MaxError(0.001));
    let (message, named) = suggestions(&scene, &fine);
    assert!(
        message.contains("meshes[1].positions: packed positions of \"hall\" are off by 0.0"),
        "{message}"
    );
    assert!(message.contains("expected at most 0.001 m"), "{message}");
    let [precision, center, lenient] = &*named else {
        panic!("{message}")
    };
    assert_eq!([&**center, lenient], ["--center", "--lenient"]);
    // Each suggested option works.
    let mut moved = scene.clone();
    assert!(moved.center().is_some());
    errors(&moved, &fine);
    let precision = precision
        .strip_prefix("--precision ")
        .unwrap()
        .parse()
        .unwrap();
    errors(&scene, &options().with_precision(precision));
    let (off, losses) = errors(&scene, &fine.clone().with_strictness(Strictness::Lenient));
    let loss = losses
        .iter()
        .find(|loss| loss.path == "meshes[1].positions")
        .unwrap();
    assert!(
        (loss.error.unwrap() / loss.size.unwrap() - off[1]).abs() < 1e-12,
        "{loss} {off:?}"
    );
}

#[test]
fn centering_is_suggested_only_where_it_helps() {
    let far = |x: f32| scene_of(vec![bowl("tower", 4, 64.0, [x, 0.0, 0.0])]);
    let (off, _) = errors(&far(3000.0), &options());
    assert!(off[0] < 0.005, "{off:?}");
    // The mesh is too far from the origin for additional bones.
    let mut scene = far(2e6);
    let (message, named) = suggestions(&scene, &options());
    assert_eq!(named, ["--center"], "{message}");
    assert!(scene.center().is_some());
    let (off, _) = errors(&scene, &options());
    assert!(off[0] < 0.005, "{off:?}");
}

#[test]
fn a_rejection_names_the_smallest_tolerance() {
    let scene = scene_of(vec![bowl("ball", 4, 0.1, [30.0, 0.0, 0.0])]);
    let (message, named) =
        suggestions(&scene, &options().with_precision(Precision::MaxError(1e-6)));
    let tolerance: Precision = named[0]
        .strip_prefix("--precision ")
        .unwrap()
        .parse()
        .unwrap();
    let (off, losses) = errors(&scene, &options().with_precision(tolerance));
    assert!(off[0] < 0.002, "{message} {off:?}");
    assert!(keeps_triangles(&losses), "{losses:?}");
}

#[test]
fn a_rejection_reports_exhausted_bones() {
    let place = |mesh: usize| {
        [
            100.0 + 20.0 * (mesh % 20) as f32,
            0.0,
            100.0 + 20.0 * (mesh / 20) as f32,
        ]
    };
    let scene = scene_of(
        (0..400)
            .map(|mesh| bowl("nut", 2, 0.005, place(mesh)))
            .collect(),
    );
    let (message, _) = suggestions(&scene, &options());
    assert!(
        message
            .contains(", and the bones that would reduce the errors exceed the maximum of 255; "),
        "{message}"
    );
    let (message, _) = suggestions(
        &scene_of(vec![bowl("ball", 4, 0.1, [30.0, 0.0, 0.0])]),
        &options().with_precision(Precision::MaxError(1e-6)),
    );
    assert!(!message.contains("bones"), "{message}");
}
