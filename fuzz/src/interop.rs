//! Properties that hold for scenes and for every interchange file.

use std::collections::BTreeMap;

use meshspec::interop::{Files, Interchange};
use meshspec::scene::{Scene, SceneOptions};
use meshspec::{Document, ErrorKind, Formats, ReadOptions, Strictness, WriteOptions};

use super::input::{Input, limits};

/// Asserts that the scene of a file converts to a valid file of every format, or is rejected.
pub fn scenes(data: &[u8]) {
    let Some(input) = Input::of(data) else { return };
    let Ok(document) = input
        .format
        .read(input.bytes, &input.options(Strictness::Lenient))
    else {
        return;
    };
    let options = SceneOptions::default();
    let Ok((scene, _)) = document.into_scene(&options) else {
        return;
    };
    for format in Formats::BUILT_IN {
        let Ok((document, _)) = Document::from_scene(*format, scene.clone(), &options) else {
            continue;
        };
        // Some formats cannot store the scene: Seed, for example, requires faces.
        let Ok(bytes) = document.write(&WriteOptions::default()) else {
            continue;
        };
        format
            .read(&bytes, &ReadOptions::default())
            .unwrap_or_else(|error| panic!("{} to {format}: not read: {error}", input.format));
    }
    for format in Interchange::ALL {
        assert_reads_back(*format, scene.clone());
    }
}

/// Tests reading of a `.glb` file, or of a `.gltf` file if the magic bytes are missing.
pub fn gltf(data: &[u8]) {
    let format = if data.starts_with(b"glTF") {
        Interchange::Glb
    } else {
        Interchange::Gltf
    };
    read(format, data);
}

/// Tests reading of an OBJ file.
pub fn obj(data: &[u8]) {
    read(Interchange::Obj, data);
}

/// Tests reading of a PLY file.
pub fn ply(data: &[u8]) {
    read(Interchange::Ply, data);
}

/// Tests reading of an STL file.
pub fn stl(data: &[u8]) {
    read(Interchange::Stl, data);
}

/// Asserts that lenient reading accepts a file if strict reading does, unless it exceeds a limit. Asserts that each
/// scene can be read back after writing. All companion files have the content of the file.
fn read(format: Interchange, data: &[u8]) {
    let files = SiblingFiles(data);
    let read = |strictness| {
        let options = SceneOptions::default().with_strictness(strictness);
        format.read(data, &files, &options, &limits())
    };
    let (strict, lenient) = (read(Strictness::Strict), read(Strictness::Lenient));
    if let (Ok(_), Err(error)) = (&strict, &lenient)
        && !matches!(error.kind(), ErrorKind::LimitExceeded(_))
    {
        panic!("lenient reading rejects what strict reading accepts: {error}");
    }
    let _ = format.check(data, &files, &ReadOptions::default().with_limits(limits()));
    for (scene, _) in strict.into_iter().chain(lenient) {
        scene.check().expect("the scene of a file is valid");
        assert_reads_back(format, scene);
    }
}

/// Asserts that a scene can be read back after writing, unless writing rejects it or reading exceeds a limit.
fn assert_reads_back(format: Interchange, scene: Scene) {
    let name = format!("scene.{format}");
    let mut files = BTreeMap::new();
    if format
        .write(scene, &name, &mut files, &SceneOptions::default())
        .is_err()
    {
        return;
    }
    let bytes = &files[&name];
    if let Err(error) = format.read(bytes, &files, &SceneOptions::default(), &limits()) {
        assert!(
            matches!(error.kind(), ErrorKind::LimitExceeded(_)),
            "{format}: the written file cannot be read: {error}"
        );
    }
}

/// A folder with a file for every name. All files have the same content, the `[u8]`.
struct SiblingFiles<'d>(&'d [u8]);

impl Files for SiblingFiles<'_> {
    fn read(&self, _: &str, limit: u64) -> std::io::Result<Vec<u8>> {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        Ok(self.0[..self.0.len().min(limit)].to_vec())
    }

    fn create(&mut self, _: &str) -> std::io::Result<Box<dyn std::io::Write + '_>> {
        Err(std::io::ErrorKind::Unsupported.into())
    }
}
