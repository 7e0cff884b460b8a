//! Converts a mesh file to an interchange format, and prints the triangles that the written file must contain.
//!
//! Usage: interchange FILE OUT
//!
//! The extension of OUT selects the format. Losses are printed to standard error. Triangles are printed to standard
//! output as a JSON list with nine numbers per triangle, for tests/external.

use std::path::Path;

use meshspec::interop::{Folder, Interchange};
use meshspec::scene::{Mesh, SceneOptions};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(input), Some(out)) = (arguments.next(), arguments.next()) else {
        return Err("usage: interchange FILE OUT".into());
    };
    let out = Path::new(&out);
    let format = Interchange::by_extension(out)
        .ok_or("the extension of OUT is not that of an interchange format")?;
    let name = out
        .file_name()
        .and_then(|name| name.to_str())
        .ok_or("OUT has no valid file name")?;
    let options = SceneOptions::default();

    let document = meshspec::open(input)?;
    let (mut scene, mut losses) = document
        .into_scene(&options)
        .map_err(|error| format!("no scene: {error}"))?;
    scene.apply_transform();
    // Without levels of detail, the meshes of all levels are written instead of only the finest level.
    scene.lods.clear();
    if format == Interchange::Stl {
        // STL stores only triangles. The printed triangles must split polygons along the same diagonals.
        losses.extend(scene.meshes.iter_mut().filter_map(Mesh::triangulate));
    }
    let mut triangles: Vec<f32> = Vec::new();
    for mesh in &scene.meshes {
        mesh.faces
            .for_each_triangle(mesh.positions.len(), |corners| {
                triangles.extend(
                    corners
                        .iter()
                        .flat_map(|corner| mesh.positions[*corner as usize]),
                );
            });
    }
    let mut folder = Folder::of(out);
    losses.extend(format.write(scene, name, &mut folder, &options)?);
    for loss in losses {
        eprintln!("{loss}");
    }
    println!("{triangles:?}");
    Ok(())
}
