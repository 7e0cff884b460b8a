//! OBJ, PLY and STL: what is read, written and lost, and what is said of bad input.

mod detect;
mod far;
mod lenient;
mod limits;
mod obj;
#[cfg(feature = "proptest")]
mod pieces;
mod ply;
mod round_trips;
mod stl;
mod textures;

use std::collections::BTreeMap;

use meshspec::interop::Interchange;
use meshspec::scene::{Faces, Mesh, Scene};
use meshspec::{Error, Loss};

/// Files in memory.
type Folder = BTreeMap<String, Vec<u8>>;

fn read(format: Interchange, bytes: &[u8], folder: &Folder) -> Result<(Scene, Vec<Loss>), Error> {
    let (mut scene, losses) = format.read(bytes, folder, &Default::default(), &Default::default())?;
    scene.check().unwrap();
    // Scenes are compared by their content.
    let source = scene.source.take().unwrap();
    assert_eq!((&*source.format, source.conventions), (format.name(), format.conventions()));
    Ok((scene, losses))
}

/// The scene in a file that refers to no others, and what was lost, line by line.
fn scene(format: Interchange, bytes: &[u8]) -> (Scene, String) {
    let (scene, losses) = read(format, bytes, &Folder::new()).unwrap();
    (scene, list(&losses))
}

/// What is said of a file that cannot be read.
fn error(format: Interchange, bytes: &[u8]) -> String {
    read(format, bytes, &Folder::new()).unwrap_err().to_string()
}

/// The files that a scene becomes, and what was lost, line by line.
fn write(format: Interchange, scene: Scene) -> Result<(Folder, String), Error> {
    let mut folder = Folder::new();
    let losses = format.write(scene, &format!("file.{format}"), &mut folder, &Default::default())?;
    Ok((folder, list(&losses)))
}

fn list(losses: &[Loss]) -> String {
    losses.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

fn of(meshes: Vec<Mesh>) -> Scene {
    Scene { meshes, ..Scene::default() }
}

fn triangle() -> Mesh {
    Mesh {
        positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        faces: Faces::triangles(vec![0, 1, 2]),
        ..Mesh::default()
    }
}
