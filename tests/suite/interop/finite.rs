//! Vertices that are not finite.

use meshspec::interop::Interchange::{self, Glb, Gltf, Obj, Ply};
use meshspec::scene::{Colors, Faces, Indices, Joint, Mesh, SceneOptions, Skin, Weights};
use meshspec::{Document, Strictness};

use super::{Folder, error, list, read, scene, scene_of, triangle, write};

/// Returns a triangle with a vertex before it, and one after it, that are not finite and that no face uses.
fn with_unused_vertices() -> Mesh {
    let mut mesh = triangle();
    mesh.positions.insert(0, [f32::NAN; 3]);
    mesh.positions.push([0.0, f32::INFINITY, 0.0]);
    mesh.faces.indices = Some(Indices::U16(vec![1, 2, 3]));
    mesh.colors = vec![Colors::U8((0..5).map(|red| [red, 0, 0, 255]).collect())];
    mesh
}

#[test]
fn unused_vertices_that_are_not_finite_are_dropped() {
    for format in Interchange::ALL {
        let (folder, losses) = write(*format, scene_of(vec![with_unused_vertices()])).unwrap();
        let expected = "dropped: meshes[0].positions: vertices that are not finite and that no face uses, 2 of 5 vertices";
        assert!(losses.contains(expected), "{format}: {losses}");
        let file = &folder[&format!("file.{format}")];
        let (scene, _) = format
            .read(file, &folder, &Default::default(), &Default::default())
            .unwrap();
        assert_eq!(scene.meshes[0].positions, triangle().positions, "{format}");
        assert_eq!(scene.triangles().count(), 1);
    }
}

#[test]
fn unused_vertices_of_files_may_be_no_numbers() {
    let ply = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
               element face 1\nproperty list uchar int vertex_indices\nend_header\n\
               0 0 0\n1 0 0\n0 1 0\nnan nan nan\n3 0 1 2\n";
    let obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv nan nan nan\nf 1 2 3\n";
    for (format, text) in [(Ply, ply), (Obj, obj)] {
        let read = scene(format, text.as_bytes()).0;
        for target in Interchange::ALL {
            let (folder, _) = write(*target, read.clone()).unwrap();
            let file = &folder[&format!("file.{target}")];
            let (again, _) = target
                .read(file, &folder, &Default::default(), &Default::default())
                .unwrap();
            assert_eq!(again.meshes[0].positions.len(), 3, "{format} to {target}");
        }
    }
}

#[test]
fn the_other_attributes_are_dropped_with_them() {
    let (folder, _) = write(Ply, scene_of(vec![with_unused_vertices()])).unwrap();
    let mesh = scene(Ply, &folder["file.ply"]).0.meshes.remove(0);
    assert_eq!(
        mesh.colors,
        [Colors::U8([1, 2, 3].map(|red| [red, 0, 0, 255]).to_vec())]
    );
}

/// Points that are not finite represent missing measurements.
#[test]
fn points_that_are_not_finite_are_dropped() {
    let mut points = triangle();
    points.faces = Faces::triangles(Vec::new());
    points.positions[1] = [f32::NAN; 3];
    let (folder, losses) = write(Ply, scene_of(vec![points.clone()])).unwrap();
    assert!(losses.ends_with("1 of 3 vertices"), "{losses}");
    assert_eq!(
        scene(Ply, &folder["file.ply"]).0.meshes[0].positions,
        [[0.0; 3], [0.0, 1.0, 0.0]]
    );
    // A mesh without any finite position would vanish.
    points.positions = vec![[f32::NAN; 3]; 3];
    let error = write(Obj, scene_of(vec![points])).unwrap_err();
    assert!(error.to_string().contains("is not finite"), "{error}");
}

#[test]
fn used_vertices_that_are_not_finite_are_errors() {
    let mut mesh = with_unused_vertices();
    mesh.faces.indices = Some(Indices::U16(vec![1, 2, 4]));
    let error = write(Obj, scene_of(vec![mesh.clone()])).unwrap_err();
    assert!(error.to_string().contains("is not finite"), "{error}");
    // Without indices, faces use all vertices.
    mesh.faces = Faces::default();
    mesh.positions.push([0.0; 3]);
    mesh.colors.clear();
    assert!(write(Obj, scene_of(vec![mesh])).is_err());
}

const UNUSED_PLY: &str = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n\
    property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n\
    0 0 0\n1 0 0\n0 1 0\nnan 0 0\n3 0 1 2\n";

/// Game formats would reject the vertex, or store it.
#[test]
fn unused_vertices_that_are_not_finite_are_dropped_when_read() {
    let (read_scene, losses) = scene(Ply, UNUSED_PLY.as_bytes());
    assert_eq!(read_scene.meshes[0].positions, triangle().positions);
    assert_eq!(
        losses,
        "dropped: meshes[0].positions: vertices that are not finite and that no face uses, 1 of 4 vertices"
    );
    let mut mesh = triangle();
    mesh.positions.push([0.0; 3]);
    let (mut folder, _) = write(Gltf, scene_of(vec![mesh])).unwrap();
    folder.get_mut("file.bin").unwrap()[36..40].copy_from_slice(&f32::NAN.to_le_bytes());
    let (read_scene, losses) = read(Gltf, &folder["file.gltf"], &folder).unwrap();
    assert_eq!(read_scene.meshes[0].positions, triangle().positions);
    assert!(
        list(&losses).contains("vertices that are not finite and that no face uses, 1 of 4"),
        "{losses:?}"
    );
}

#[test]
fn positions_of_obj_that_a_face_uses_are_finite_in_every_spelling() {
    for spelling in ["nan", "-nan(ind)", "1.#IND", "inf", "-1.#INF", "1e39"] {
        let text = format!("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 {spelling} 0\nf 1 2 3\n");
        let (read_scene, losses) = scene(Obj, text.as_bytes());
        assert_eq!(
            read_scene.meshes[0].positions,
            triangle().positions,
            "{spelling}"
        );
        assert_eq!(
            losses,
            "dropped: v: values that no face uses, 1 of 4 values"
        );
        let used = text.replace("f 1 2 3", "f 1 2 3\nf 1 2 4");
        assert_eq!(
            error(Obj, used.as_bytes()),
            "line 4, column 1: position 4 is not finite, but a face uses it",
            "{spelling}"
        );
        let options = SceneOptions::default().with_strictness(Strictness::Lenient);
        let lenient = Obj.read(
            used.as_bytes(),
            &Folder::new(),
            &options,
            &Default::default(),
        );
        assert_eq!(lenient.unwrap().0.meshes[0].positions, triangle().positions);
    }
}

/// Points have no faces from which normals could be computed.
#[test]
fn normals_of_points_are_not_invented() {
    let mut points = triangle();
    points.faces = Faces::triangles(Vec::new());
    points.normals = Some(vec![[1.0, 0.0, 0.0], [0.0; 3], [0.0, 1.0, 0.0]]);
    let (folder, losses) = write(Gltf, scene_of(vec![points.clone()])).unwrap();
    let expected = "dropped: meshes[0].normals: normals of points, some of which have no direction, 3 of 3 normals";
    assert!(losses.contains(expected), "{losses}");
    assert_eq!(
        read(Gltf, &folder["file.gltf"], &folder).unwrap().0.meshes[0].normals,
        None
    );
}

#[test]
fn ply_and_obj_keep_normals_of_points_without_a_direction() {
    let mut points = triangle();
    points.faces = Faces::triangles(Vec::new());
    points.normals = Some(vec![[1.0, 0.0, 0.0], [0.0; 3], [1.0, f32::NAN, 0.0]]);
    let lost = "changed: meshes[0].normals: normals that are not finite became 0, 1 of 3 normals";
    let (folder, losses) = write(Ply, scene_of(vec![points.clone()])).unwrap();
    assert_eq!(losses, lost);
    let expected = [[1.0, 0.0, 0.0], [0.0; 3], [0.0; 3]];
    assert_eq!(
        scene(Ply, &folder["file.ply"]).0.meshes[0]
            .normals
            .as_deref(),
        Some(&expected[..])
    );
    let (folder, losses) = write(Obj, scene_of(vec![points])).unwrap();
    assert_eq!(losses, lost);
    assert_eq!(
        scene(Obj, &folder["file.obj"]).0.meshes[0]
            .normals
            .as_deref(),
        Some(&expected[..])
    );
}

/// Formats with normalised weights list weights that are no numbers. IyMA stores them.
#[test]
fn weights_that_are_not_finite_are_listed() {
    for (weight, sets) in [(f32::NAN, 1), (f32::INFINITY, 1), (f32::NAN, 2)] {
        let mut mesh = triangle();
        let mut weights = vec![[1.0, 0.0, 0.0, 0.0]; 3];
        weights[1] = [weight, 1.0, 0.0, 0.0];
        let skin = Skin {
            joints: vec![[0, 1, 2, 3]; 3],
            weights: Weights::F32(weights),
        };
        mesh.skins = vec![skin; sets];
        let mut scene = scene_of(vec![mesh]);
        scene.skeleton.joints = (0..4)
            .map(|name| Joint {
                name: format!("{name}"),
                ..Joint::default()
            })
            .collect();
        let mut lists = vec![("glb", write(Glb, scene.clone()).unwrap().1)];
        for format in [
            meshspec::mesh::FORMAT,
            meshspec::crucible::FORMAT,
            meshspec::bmd::FORMAT,
        ] {
            let (_, losses) =
                Document::from_scene(format, scene.clone(), &SceneOptions::default()).unwrap();
            lists.push((format.name(), list(&losses)));
        }
        for (format, losses) in lists {
            let expected = "weights: non-finite numbers were replaced by 0";
            assert!(
                losses.contains(expected),
                "{format}, {weight}, {sets}: {losses}"
            );
        }
    }
}

/// Readers take whole colours above 1 for colours from 0 to 255.
#[test]
fn colours_that_would_be_scaled_are_clamped_and_listed() {
    for (bright, is_ambiguous) in [(2.0, true), (20.5, true), (1.5, false)] {
        for format in [Obj, Ply] {
            let mut mesh = triangle();
            mesh.colors = vec![Colors::F32(vec![
                [bright, 0.0, 0.0, 1.0],
                [0.0, 1.0, 0.0, 1.0],
                [1.0; 4],
            ])];
            let (folder, losses) = write(format, scene_of(vec![mesh])).unwrap();
            assert_eq!(
                losses.contains("colours above 1"),
                is_ambiguous,
                "{format}, {bright}: {losses}"
            );
            let again = scene(format, &folder[&format!("file.{format}")]).0;
            let colors = again.meshes[0].colors[0].clone().into_f32();
            assert_eq!(
                colors[0][0],
                if is_ambiguous { 1.0 } else { bright },
                "{format}"
            );
        }
    }
}
