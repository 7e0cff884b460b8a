//! OBJ of Wavefront, with the colours and images of its materials.
//!
//! **Read:** positions `v` (with colours behind them, as many programs write), texture coordinates `vt`, normals `vn`,
//! polygons `f` with any mix of these and relative indices, objects `o`, groups `g`, materials `usemtl`; from the
//! libraries that `mtllib` names, the diffuse colours `Kd`, their opacity `d` and their images `map_Kd`. Each object and
//! group is a mesh for each of its materials; its name is that of the object, of the group, or `object/group`. Corners
//! that combine the indices differently become separate vertices, in the order in which faces first use them. Without
//! faces, the positions are one mesh.
//!
//! **Written:** the same, with one object per mesh, and a library of the same stem where a mesh has a material; embedded
//! images as files beside it. Numbers are the shortest decimals that give the same bits again.
//!
//! **Lost,** and listed: in reading curves, surfaces, lines, points, weights, third texture coordinates, smoothing
//! groups of faces without normals, everything else in materials, materials that no face uses, values that no face uses,
//! a library that cannot be read; in writing more than one set of texture coordinates or colours, alpha, tangents,
//! joints, animations, custom attributes.

mod corners;
mod library;
mod material;
mod meshes;
mod pieces;
mod read;
mod values;
mod windows;
mod write;

use std::collections::HashSet;
use std::io::{ErrorKind, Read};

use material::Materials;

use super::Files;
use super::text::quote;
use crate::scene::{Capabilities, Conventions, Scene, SceneOptions, Source, UvOrigin};
use crate::{Limits, Loss, Result};

pub use pieces::Sizes;
pub(super) use write::write;

/// OBJ says only that normals follow the right-hand rule; the rest is custom.
pub(super) const CONVENTIONS: Conventions = Conventions {
    uv_origin: UvOrigin::BottomLeft,
    evidence: "the file format's text: right-handed, texture origin bottom left; +Y up and metres by custom",
    ..Conventions::GLTF
};

pub(super) const CAPABILITIES: Capabilities = Capabilities {
    format: "OBJ",
    meshes: true,
    mesh_names: true,
    materials: true,
    textures: true,
    flat_colors: true,
    alpha_modes: true,
    wrapping: true,
    normals: true,
    uvs: 1,
    colors: 1,
    corners: u32::MAX,
    ..Capabilities::POSITIONS
};

pub(super) fn read(
    bytes: &[u8],
    files: &dyn Files,
    options: &SceneOptions,
    limits: &Limits,
) -> Result<(Scene, Vec<Loss>)> {
    read_from(&mut &*bytes, files, options, limits)
}

/// The statements of a text as text, however it is cut.
#[cfg(feature = "proptest")]
pub fn outcome(text: &str, strictness: crate::Strictness, sizes: Sizes) -> String {
    match read::read(&mut text.as_bytes(), strictness, &Limits::default(), sizes) {
        Ok(file) => format!("{file:#?}"),
        Err(error) => format!("{error} {:?}", error.span()),
    }
}

/// Reads a text of which only a part is in memory at a time.
pub(super) fn read_from(
    input: &mut (dyn Read + Send),
    files: &dyn Files,
    options: &SceneOptions,
    limits: &Limits,
) -> Result<(Scene, Vec<Loss>)> {
    let conventions = options.conventions.unwrap_or(CONVENTIONS);
    let mut losses = Vec::new();
    let file = read::read(input, options.strictness, limits, Sizes::USUAL)?;
    file.losses(&mut losses);
    let materials = libraries(&file.libraries, files, limits, &mut losses);
    let (meshes, unused_materials) = meshes::meshes(file, &materials, conventions.uv_origin, &mut losses);
    let mut scene = Scene { meshes, ..Scene::default() };
    conventions.to_scene_space(&mut scene, "obj");
    scene.source = scene.source.map(|source| Source { unused_materials, ..source });
    Ok((scene, losses))
}

/// The materials of the libraries, each line once. One that cannot be read is a loss.
fn libraries(lines: &[u8], files: &dyn Files, limits: &Limits, losses: &mut Vec<Loss>) -> Materials {
    let mut materials = Materials::new();
    let mut left = limits.max_libraries;
    let mut known = HashSet::new();
    for line in lines.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::trim_ascii) {
        if !known.insert(line) {
            continue;
        }
        // A name may have blanks in it, or there may be several of them.
        let mut libraries = vec![library(line, files, &mut left)];
        if libraries[0].is_err() {
            let names = line.split(u8::is_ascii_whitespace).filter(|name| !name.is_empty());
            let several: Vec<_> = names.map(|name| library(name, files, &mut left)).collect();
            if several.iter().any(Result::is_ok) {
                libraries = several;
            }
        }
        for library in libraries {
            match library {
                Ok((name, text)) => material::read(&text, name, &mut materials, losses),
                Err(reason) => {
                    let message = format!("{reason}, so materials have names only");
                    losses.push(Loss::dropped("mtllib", message));
                }
            }
        }
    }
    materials
}

/// The name and content of a library, or why it cannot be read; `left` bytes of all libraries may be.
fn library<'a>(
    name: &'a [u8],
    files: &dyn Files,
    left: &mut u64,
) -> std::result::Result<(&'a str, Vec<u8>), String> {
    let missing = || format!("{} is missing", quote(name));
    let name = std::str::from_utf8(name).map_err(|_| missing())?;
    match files.read(name, left.saturating_add(1)) {
        Ok(text) => match left.checked_sub(text.len() as u64) {
            Some(less) => {
                *left = less;
                Ok((name, text))
            }
            None => Err(format!("\"{name}\": more bytes than the limit for material libraries allows")),
        },
        Err(error) if error.kind() == ErrorKind::NotFound => Err(missing()),
        Err(error) => Err(format!("\"{name}\": {error}")),
    }
}
