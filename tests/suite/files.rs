//! Opening and saving scenes by path, and folders of files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use glam::{DMat4, DVec3, Mat4, Vec3};
use meshspec::info::Bounds;
use meshspec::interop::{Files, Folder, Interchange};
use meshspec::scene::{Faces, Indices, Lod, Mesh, Placement, Scene};
use meshspec::{Dialect, ErrorKind, Limit, Limits, Loss, ReadOptions};

use crate::common::{ROOT, samples, samples_of};

fn square() -> Mesh {
    Mesh {
        positions: vec![
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [1.0, 1.0, 0.0],
            [0.0, 1.0, 0.0],
        ],
        faces: Faces {
            indices: Some(Indices::U16(vec![0, 1, 2, 3])),
            corners: Some(vec![4]),
        },
        ..Mesh::default()
    }
}

fn area(scene: &Scene) -> f32 {
    let double = |[a, b, c]: [Vec3; 3]| (b - a).cross(c - a).length();
    scene
        .triangles()
        .map(|corners| double(corners.map(Vec3::from)) / 2.0)
        .sum()
}

#[test]
fn triangles_cover_every_placement_of_the_finest_level() {
    let mut scene = Scene {
        meshes: vec![square()],
        ..Scene::default()
    };
    assert_eq!((scene.triangles().count(), area(&scene)), (2, 1.0));
    let twice = |offset| Placement {
        transform: DMat4::from_translation(DVec3::splat(offset))
            * DMat4::from_scale(DVec3::splat(2.0)),
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
    assert!(
        scene
            .triangles()
            .all(|corners| normal(corners.map(Vec3::from)) == Vec3::Z)
    );
    // The second mesh belongs to a coarser level, the third to no level.
    scene.meshes.extend([square(), square()]);
    let level = |mesh| Lod {
        distance: mesh as f32,
        meshes: vec![mesh],
    };
    scene.lods = vec![level(0), level(1)];
    assert_eq!(scene.triangles().count(), 6);
    // Corners without a vertex form no triangle.
    scene.meshes[2].faces = Faces::triangles(vec![0, 1, 9]);
    assert_eq!(scene.triangles().count(), 4);
}

#[test]
fn small_files_over_the_limit_are_rejected() {
    let path = format!("{ROOT}/samples/bmd/tentacle.bmd");
    let size = fs::metadata(&path).unwrap().len();
    let options =
        |max| ReadOptions::default().with_limits(Limits::default().with_max_file_size(max));
    let error = meshspec::open_with(&path, &options(size - 1)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded(Limit::FileSize));
    assert!(meshspec::open_with(&path, &options(size)).is_ok());
}

/// The start of a file may be shorter than the magic bytes of its format.
#[test]
fn every_start_of_a_file_may_be_one() {
    for (format, file) in samples() {
        for length in 0..64.min(file.len()) {
            assert!(
                format.may_start_with(&file[..length]),
                "{format}: {length} bytes"
            );
        }
    }
    for (format, magic) in [(Interchange::Glb, &b"glTF"[..]), (Interchange::Ply, b"ply")] {
        for length in 0..magic.len() {
            assert!(
                format.may_start_with(&magic[..length]),
                "{}: {length} bytes",
                format.name()
            );
        }
    }
    assert!(!meshspec::bmd::FORMAT.may_start_with(b"\x7f"));
    assert!(!meshspec::crucible::FORMAT.may_start_with(&[0; 5]));
}

/// The size of a binary STL file follows from its facet count. A stream is at least as large as its start.
#[test]
fn a_stream_larger_than_an_stl_file_is_none() {
    let start = |facets: u32, size| {
        let mut start = vec![0; 80];
        start.extend(facets.to_le_bytes());
        start.resize(size, 0);
        start
    };
    for (facets, size, is_possible) in [
        (0, 84, true),
        (0, 85, false),
        (1, 100, true),
        (1, 135, false),
    ] {
        assert_eq!(
            Interchange::may_detect(&start(facets, size), None),
            is_possible,
            "{facets}, {size}"
        );
    }
}

/// A model with one wrong magic byte is read as a model, whatever its size.
#[test]
fn a_wrong_magic_byte_is_tolerated_at_the_start() {
    let crucible = meshspec::crucible::FORMAT;
    for sample in samples_of(meshspec::crucible::FORMAT) {
        for byte in 0..3 {
            let mut wrong = sample.clone();
            wrong[byte] = b'?';
            let layout = |bytes: &[u8]| crucible.layout_of(bytes, Dialect::SPEC).unwrap();
            let is_model = std::ptr::eq(layout(&wrong), layout(&sample)) && sample[0] > 1;
            assert_eq!(
                crucible.may_start_with(&wrong[..8]),
                is_model || wrong[0] <= 1,
                "byte {byte}"
            );
        }
    }
}

#[test]
fn scenes_are_opened_and_saved_by_their_extension() {
    let folder = tempfile::tempdir().unwrap();
    let (scene, _) = Scene::open(format!("{ROOT}/samples/bmd/tentacle.bmd")).unwrap();
    let triangles: Vec<_> = scene.triangles().collect();
    assert!(!triangles.is_empty());
    for name in ["model.glb", "model.gltf", "model.obj"] {
        let path = folder.path().join(name);
        Interchange::save(&scene, &path).unwrap();
        let (again, _) = Scene::open(&path).unwrap();
        assert_eq!(again.triangles().collect::<Vec<_>>(), triangles, "{name}");
    }
    let mut names: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|file| file.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["model.bin", "model.glb", "model.gltf", "model.obj"]);
    let message = Interchange::save(&scene, folder.path().join("model.fbx"))
        .unwrap_err()
        .to_string();
    assert!(
        message.ends_with("model.fbx: unknown extension, expected one of obj, ply, stl, glb, gltf"),
        "{message}"
    );
}

#[test]
fn scenes_are_saved_in_built_in_formats() {
    let folder = tempfile::tempdir().unwrap();
    let (scene, _) = Scene::open(format!("{ROOT}/samples/mesh/flag.mesh")).unwrap();
    for (name, format) in [
        ("flag.bmd", "bmd"),
        ("flag.CRMESH", "crucible"),
        ("flag.cmodel", "crucible"),
        ("flag.ima", "iyma"),
    ] {
        let path = folder.path().join(name);
        scene.save(&path).unwrap();
        assert_eq!(
            meshspec::open(&path).unwrap().format().name(),
            format,
            "{name}"
        );
    }
    scene.save(folder.path().join("flag.glb")).unwrap();
    let message = |name: &str, save: &dyn Fn(Scene, PathBuf) -> meshspec::Result<Vec<Loss>>| {
        let path = folder.path().join(name);
        let message = save(scene.clone(), path.clone()).unwrap_err().to_string();
        assert!(!path.exists());
        message
            .strip_prefix(&format!("{}: ", path.display()))
            .unwrap()
            .to_owned()
    };
    let ambiguous = "`.mesh` is an extension of mesh and seed, which are no interchange formats: write one with \
                     `Scene::save_as`";
    assert_eq!(
        message("flag.mesh", &|scene, path| Interchange::save(&scene, path)),
        ambiguous
    );
    assert_eq!(
        message("flag.bmd2", &|scene, path| scene.save(path)),
        "unknown extension, expected one of obj, ply, stl, glb, gltf, mesh, cmodel, crmesh, ima, bmd"
    );
    assert_eq!(
        message("new.bmd", &|scene, path| Interchange::save(&scene, path)),
        "bmd is not an interchange format: write it with `Scene::save`"
    );
}

#[test]
fn shared_extensions_select_the_format_of_the_source() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mesh");
    let format = || meshspec::open(&path).unwrap().format().name();
    let (scene, _) = Scene::open(format!("{ROOT}/samples/seed/facets.mesh")).unwrap();
    scene.save(&path).unwrap();
    assert_eq!(format(), "seed");
    scene
        .clone()
        .save_as(meshspec::mesh::FORMAT, &path)
        .unwrap();
    assert_eq!(format(), "mesh");
    Scene {
        source: None,
        ..scene.clone()
    }
    .save(&path)
    .unwrap();
    assert_eq!(format(), "mesh");
    scene.save_as(meshspec::seed::FORMAT, &path).unwrap();
    assert_eq!(format(), "seed");
}

#[test]
fn large_files_of_another_kind_are_rejected_by_their_start() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.bmd", "a.mesh", "a.ima", "a.obj", "a"] {
        let path = folder.path().join(name);
        fs::write(&path, b"\x7fELF").unwrap();
        let small = meshspec::open(&path).unwrap_err().to_string();
        // A sparse file, larger than any memory.
        fs::File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_len(1 << 40)
            .unwrap();
        let large = meshspec::open(&path).unwrap_err().to_string();
        assert_eq!(small, large);
        assert!(!large.contains("limit"), "{large}");
        assert!(Scene::open(&path).is_err());
    }
    let path = folder.path().join("b.bmd");
    fs::write(&path, b"BMD1").unwrap();
    fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len(1 << 40)
        .unwrap();
    let error = meshspec::open(&path).unwrap_err();
    assert_eq!(
        error.kind(),
        ErrorKind::LimitExceeded(Limit::FileSize),
        "{error}"
    );
}

#[cfg(unix)]
#[test]
fn names_that_are_not_utf8_are_saved_and_opened() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let (scene, _) = Scene::open(format!("{ROOT}/samples/mesh/flag.mesh")).unwrap();
    for name in [
        &b"a\xff.gltf"[..],
        b"a\xfe.gltf",
        b"a\xff.glb",
        b"a\xfe.bmd",
        b"a\xfe.obj",
    ] {
        let path = folder.path().join(OsStr::from_bytes(name));
        scene.save(&path).unwrap();
        let (again, _) = Scene::open(&path).unwrap();
        assert_eq!(again.triangles().count(), scene.triangles().count());
    }
    // A reference with bytes that are not UTF-8.
    let path = folder.path().join("b.gltf");
    let text = fs::read_to_string(folder.path().join(OsStr::from_bytes(b"a\xff.gltf"))).unwrap();
    assert!(text.contains("a%FF.bin"), "{text}");
    fs::write(&path, text.replace("a%FF.bin", "c%FF.bin")).unwrap();
    let buffer = |name: &[u8]| folder.path().join(OsStr::from_bytes(name));
    fs::rename(buffer(b"a\xff.bin"), buffer(b"c\xff.bin")).unwrap();
    assert_eq!(
        Scene::open(&path).unwrap().0.triangles().count(),
        scene.triangles().count()
    );
}

#[cfg(unix)]
#[test]
fn different_paths_have_different_names() {
    use std::collections::HashMap;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    use meshspec::interop::{from_name, to_name};
    // All paths of up to six of these bytes.
    let mut paths = vec![Vec::new()];
    let mut names = HashMap::new();
    for _ in 0..=6 {
        for path in &paths {
            let path = OsStr::from_bytes(path);
            let name = to_name(path);
            assert_eq!(from_name(&name).as_os_str(), path, "{name}");
            assert_eq!(names.insert(name, path.to_owned()), None);
        }
        let longer = |path: &Vec<u8>| {
            b"%25F\xff"
                .iter()
                .map(|byte| [&path[..], &[*byte]].concat())
                .collect()
        };
        paths = paths
            .iter()
            .flat_map(|path| -> Vec<Vec<u8>> { longer(path) })
            .collect();
    }
}

#[test]
fn errors_name_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let named = |error: meshspec::Error, path: &Path| {
        assert_eq!(error.file(), Some(path));
        // An error that `main` returns is printed by `Debug`.
        assert_eq!(format!("{error:?}"), error.to_string());
        error
            .to_string()
            .strip_prefix(&format!("{}: ", path.display()))
            .unwrap()
            .to_owned()
    };
    let path = folder.path().join("nope.bmd");
    let missing = |path: &Path| fs::read(path).unwrap_err().to_string();
    assert_eq!(
        named(Scene::open(&path).unwrap_err(), &path),
        missing(&path)
    );
    assert_eq!(
        named(meshspec::open(&path).unwrap_err(), &path),
        missing(&path)
    );
    let unwritable = folder.path().join("none/flag.glb");
    let scene = Scene {
        meshes: vec![square()],
        ..Scene::default()
    };
    assert_eq!(
        named(
            Interchange::save(&scene, &unwritable).unwrap_err(),
            &unwritable
        ),
        missing(&unwritable)
    );
    let unwritable = folder.path().join("none/flag.bmd");
    assert_eq!(
        named(scene.save(&unwritable).unwrap_err(), &unwritable),
        missing(&unwritable)
    );

    let path = folder.path().join("note.txt");
    fs::write(&path, "hello").unwrap();
    assert_eq!(
        named(Scene::open(&path).unwrap_err(), &path),
        "not a file of a known format (mesh, crucible, iyma, seed, bmd, obj, ply, stl, glb, gltf)"
    );
    assert_eq!(
        named(meshspec::open(&path).unwrap_err(), &path),
        "not a file of a known format (mesh, crucible, iyma, seed, bmd)"
    );
    fs::write(&path, "").unwrap();
    assert_eq!(
        named(Scene::open(&path).unwrap_err(), &path),
        "the file is empty"
    );
    assert_eq!(
        named(meshspec::open(&path).unwrap_err(), &path),
        "the file is empty"
    );
    let mut bytes = fs::read(format!("{ROOT}/samples/mesh/flag.mesh")).unwrap();
    bytes.pop();
    fs::write(&path, bytes).unwrap();
    assert!(named(meshspec::open(&path).unwrap_err(), &path).starts_with("mesh: "));
}

#[test]
fn bounds_are_those_of_the_triangles() {
    let mut scene = Scene {
        meshes: vec![square()],
        ..Scene::default()
    };
    scene.transform = Some(Mat4::from_scale(Vec3::splat(3.0)));
    // No triangle uses this vertex.
    scene.meshes[0].positions.push([9.0; 3]);
    assert_eq!(
        scene.bounds(),
        Some(Bounds {
            min: [0.0; 3],
            max: [3.0, 3.0, 0.0]
        })
    );
    assert_eq!(Scene::default().bounds(), None);
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
        assert_eq!(
            folder.read(name, 9).unwrap_err().kind(),
            io::ErrorKind::Unsupported,
            "{name}"
        );
        assert_eq!(
            folder.create(name).err().unwrap().kind(),
            io::ErrorKind::Unsupported,
            "{name}"
        );
    }
    assert_eq!(
        folder.read("missing", 9).unwrap_err().kind(),
        io::ErrorKind::NotFound
    );
    assert_eq!(
        folder.read(".", 9).unwrap_err().kind(),
        io::ErrorKind::InvalidInput
    );
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(outer.path().join("secret"), inner.join("link")).unwrap();
        assert_eq!(
            folder.read("link", 9).unwrap_err().kind(),
            io::ErrorKind::Unsupported
        );
    }
}
