//! Converts files to glTF, and prints the losses.
//!
//! `write_gltf OUT_DIR FILE…` writes `OUT_DIR/N.glb`, and `OUT_DIR/N.gltf` with its `.bin`, for the Nth file, counted
//! from 0, and prints its name and losses. `write_gltf OUT_DIR --generated COUNT` writes random scenes instead.
//! `write_gltf --list-formats` prints the built-in formats.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use meshspec::interop::Interchange;
use meshspec::scene::{Scene, SceneOptions};
use meshspec::{Formats, Loss};

type Error = Box<dyn std::error::Error>;

fn main() -> Result<(), Error> {
    let mut arguments = std::env::args_os().skip(1);
    let out = PathBuf::from(arguments.next().ok_or("usage: write_gltf OUT_DIR FILE…")?);
    if out.as_os_str() == "--list-formats" {
        Formats::BUILT_IN
            .iter()
            .for_each(|format| println!("{format}"));
        return Ok(());
    }
    std::fs::create_dir_all(&out)?;
    let files: Vec<PathBuf> = arguments.map(PathBuf::from).collect();
    if files
        .first()
        .is_some_and(|first| first.as_os_str() == "--generated")
    {
        let count = files
            .get(1)
            .and_then(|count| count.to_str())
            .ok_or("usage: write_gltf OUT_DIR --generated COUNT")?
            .parse()?;
        return write_generated(&out, count);
    }
    for (index, file) in files.iter().enumerate() {
        let bytes = std::fs::read(file)?;
        println!("{index} {}", file.display());
        match convert(&bytes, &out, index) {
            Ok(losses) => losses.iter().for_each(|loss| println!("  {loss}")),
            Err(error) => println!("  not written: {error}"),
        }
    }
    Ok(())
}

fn convert(bytes: &[u8], out: &Path, index: usize) -> Result<Vec<Loss>, Error> {
    let document = meshspec::read(bytes, &Default::default())?;
    let (scene, mut losses) = document.into_scene(&SceneOptions::default())?;
    losses.extend(save(scene, out, index)?);
    Ok(losses)
}

/// Writes the scene as `.gltf` and `.glb`. Returns the losses of the latter.
fn save(scene: Scene, out: &Path, index: usize) -> Result<Vec<Loss>, Error> {
    let mut files = BTreeMap::new();
    let options = SceneOptions::default();
    Interchange::Gltf.write(
        scene.clone(),
        &format!("{index}.gltf"),
        &mut files,
        &options,
    )?;
    let losses = Interchange::Glb.write(scene, &format!("{index}.glb"), &mut files, &options)?;
    for (name, bytes) in files {
        std::fs::write(out.join(name), bytes)?;
    }
    Ok(losses)
}

#[cfg(feature = "proptest")]
fn write_generated(out: &Path, count: usize) -> Result<(), Error> {
    use meshspec::scene::strategy;
    use proptest::strategy::{Strategy, ValueTree};
    use proptest::test_runner::TestRunner;

    let mut runner = TestRunner::deterministic();
    for index in 0..count {
        let scene = match index % 2 {
            0 => strategy::scenes()
                .new_tree(&mut runner)
                .map(|tree| tree.current()),
            _ => strategy::defective_scenes()
                .new_tree(&mut runner)
                .map(|tree| tree.current()),
        };
        let scene = scene.map_err(|reason| reason.to_string())?;
        println!("{index} generated");
        match save(scene, out, index) {
            Ok(losses) => losses.iter().for_each(|loss| println!("  {loss}")),
            Err(error) => println!("  not written: {error}"),
        }
    }
    Ok(())
}

#[cfg(not(feature = "proptest"))]
fn write_generated(_: &Path, _: usize) -> Result<(), Error> {
    Err("--generated requires the feature `proptest`".into())
}
