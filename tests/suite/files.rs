//! Scenes by file path, and folders of files.

use std::fs;
use std::io;

use glam::{DMat4, DVec3, Mat4, Vec3};
use meshspec::interop::{Files, Folder, Interchange};
use meshspec::scene::{Faces, Indices, Lod, Mesh, Placement, Scene};

fn square() -> Mesh {
    Mesh {
        positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]],
        faces: Faces { indices: Some(Indices::U16(vec![0, 1, 2, 3])), corners: Some(vec![4]) },
        ..Mesh::default()
    }
}

fn area(scene: &Scene) -> f32 {
    let double = |[a, b, c]: [Vec3; 3]| (b - a).cross(c - a).length();
    scene.triangles().map(|corners| double(corners.map(Vec3::from)) / 2.0).sum()
}

#[test]
fn triangles_cover_every_placement_of_the_finest_level() {
    let mut scene = Scene { meshes: vec![square()], ..Scene::default() };
    assert_eq!((scene.triangles().count(), area(&scene)), (2, 1.0));
    let twice = |offset| Placement {
        transform: DMat4::from_translation(DVec3::splat(offset)) * DMat4::from_scale(DVec3::splat(2.0)),
        ..Placement::default()
    };
    scene.meshes[0].placements = vec![twice(0.0), twice(10.0)];
    assert_eq!((scene.triangles().count(), area(&scene)), (4, 8.0));
    assert_eq!(scene.triangles().last().unwrap()[2], [10.0, 12.0, 10.0]);
    scene.transform = Some(Mat4::from_scale(Vec3::splat(3.0)));
    assert_eq!(area(&scene), 72.0);
    // A mirror transform does not flip faces.
    scene.transform = Some(Mat4::from_scale(Vec3::new(-1.0, 1.0, 1.0)));
    let normal = |[a, b, c]: [Vec3; 3]| (b - a).cross(c - a).normalize();
    assert!(scene.triangles().all(|corners| normal(corners.map(Vec3::from)) == Vec3::Z));
    // The second mesh belongs to a coarser level, the third to no level.
    scene.meshes.extend([square(), square()]);
    let level = |mesh| Lod { distance: mesh as f32, meshes: vec![mesh] };
    scene.lods = vec![level(0), level(1)];
    assert_eq!(scene.triangles().count(), 6);
    // Corners without a vertex form no triangle.
    scene.meshes[2].faces = Faces::triangles(vec![0, 1, 9]);
    assert_eq!(scene.triangles().count(), 4);
}

#[test]
fn scenes_are_opened_and_saved_by_their_extension() {
    let folder = tempfile::tempdir().unwrap();
    let (scene, _) = Scene::open("samples/bmd/tentacle.bmd").unwrap();
    let triangles: Vec<_> = scene.triangles().collect();
    assert!(!triangles.is_empty());
    for name in ["model.glb", "model.gltf", "model.obj"] {
        let path = folder.path().join(name);
        Interchange::save(scene.clone(), &path).unwrap();
        let (again, _) = Scene::open(&path).unwrap();
        assert_eq!(again.triangles().collect::<Vec<_>>(), triangles, "{name}");
    }
    let mut names: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["model.bin", "model.glb", "model.gltf", "model.obj"]);
    let message = Interchange::save(scene, folder.path().join("model.fbx")).unwrap_err().to_string();
    assert!(
        message.ends_with("model.fbx: unknown extension, expected one of obj, ply, stl, glb, gltf"),
        "{message}"
    );
}

#[test]
fn folders_reject_paths_outside() {
    let outer = tempfile::tempdir().unwrap();
    let inner = outer.path().join("inner");
    fs::create_dir(&inner).unwrap();
    fs::write(outer.path().join("secret"), b"secret").unwrap();
    fs::write(inner.join("open"), b"open").unwrap();
    let mut folder = Folder::of(&inner.join("model.gltf"));
    assert_eq!(folder, Folder::new(&inner));
    assert_eq!(folder.read("open", 2).unwrap(), b"op");
    let absolute = outer.path().join("secret").display().to_string();
    for name in ["../secret", &absolute] {
        assert_eq!(folder.read(name, 9).unwrap_err().kind(), io::ErrorKind::Unsupported, "{name}");
        assert_eq!(folder.create(name).err().unwrap().kind(), io::ErrorKind::Unsupported, "{name}");
    }
    assert_eq!(folder.read("missing", 9).unwrap_err().kind(), io::ErrorKind::NotFound);
    assert_eq!(folder.read(".", 9).unwrap_err().kind(), io::ErrorKind::InvalidInput);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(outer.path().join("secret"), inner.join("link")).unwrap();
        assert_eq!(folder.read("link", 9).unwrap_err().kind(), io::ErrorKind::Unsupported);
    }
}
