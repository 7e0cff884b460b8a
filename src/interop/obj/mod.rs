//! OBJ of Wavefront, and the colours of its materials.
//!
//! **Read:** positions `v` (with colours behind them, as many programs write), texture coordinates `vt`, normals `vn`,
//! polygons `f` with any mix of these and relative indices, objects `o`, groups `g`, materials `usemtl`; from the
//! libraries that `mtllib` names, the diffuse colours `Kd`. Each object and group is a mesh for each of its materials;
//! its name is that of the object, of the group, or `object/group`. Corners that combine the indices differently become
//! vertices of their own, in the order in which faces first use them. Without any face, the positions are one mesh.
//!
//! **Written:** the same, with one object per mesh, and a library of the same stem where a mesh has a material. Numbers
//! are the shortest decimals that give the same bits again.
//!
//! **Lost,** and listed: in reading curves, surfaces, lines, points, weights, third texture coordinates, smoothing
//! groups of faces without normals, what materials have besides names and diffuse colours, values that no face uses,
//! a library that is not there; in writing more than one set of texture coordinates or colours, alpha, tangents,
//! joints, animations, custom attributes.

mod corners;
mod material;
mod meshes;
mod read;
mod write;

use std::io::ErrorKind;

use material::Materials;

use super::Files;
use super::text::quote;
use crate::scene::{Conventions, Holds, Scene, SceneOptions, UvOrigin};
use crate::{Limits, Loss, Result};

pub(super) use write::write;

/// OBJ says only that normals follow the right-hand rule; the rest is custom.
pub(super) const CONVENTIONS: Conventions = Conventions {
    uv_origin: UvOrigin::BottomLeft,
    evidence: "the file format's text: right-handed, texture origin bottom left; +Y up and metres by custom",
    ..Conventions::GLTF
};

pub(super) const HOLDS: Holds = Holds {
    format: "OBJ",
    meshes: true,
    mesh_names: true,
    materials: true,
    flat_colors: true,
    normals: true,
    uvs: 1,
    uv_origin: CONVENTIONS.uv_origin,
    colors: 1,
    corners: u32::MAX,
    ..Holds::POSITIONS
};

pub(super) fn read(
    bytes: &[u8],
    files: &dyn Files,
    options: &SceneOptions,
    limits: &Limits,
) -> Result<(Scene, Vec<Loss>)> {
    let conventions = options.conventions.unwrap_or(CONVENTIONS);
    let mut losses = Vec::new();
    let file = read::read(bytes, limits)?;
    file.others.losses(bytes, &mut losses);
    let materials = libraries(&file.libraries, files, &mut losses)?;
    let meshes = meshes::meshes(file, &materials, conventions.uv_origin, &mut losses);
    let mut scene = Scene { meshes, ..Scene::default() };
    conventions.into_gltf(&mut scene, "obj");
    Ok((scene, losses))
}

/// The materials of the libraries. One that is not there is a loss.
fn libraries(names: &[&[u8]], files: &dyn Files, losses: &mut Vec<Loss>) -> Result<Materials> {
    let mut materials = Materials::new();
    let mut read = |name: &[u8]| match std::str::from_utf8(name).map(|name| (name, files.read(name))) {
        Ok((name, Ok(text))) => material::read(&text, name, &mut materials, losses).map(|()| true),
        Ok((_, Err(error))) if error.kind() != ErrorKind::NotFound => Err(error.into()),
        _ => Ok(false),
    };
    let mut missing = Vec::new();
    for line in names {
        // A name may have blanks in it, or there may be several of them.
        if !read(line)? {
            let words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
            for name in words {
                if !read(name)? {
                    missing.push(name)
                }
            }
        }
    }
    for name in missing {
        let message = format!("there is no {}, so materials have names only", quote(name));
        losses.push(Loss::dropped("mtllib", message));
    }
    Ok(materials)
}
