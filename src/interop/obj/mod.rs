//! Wavefront OBJ, including the colours and images of materials.
//!
//! **Read:** positions `v` with optional colours, texture coordinates `vt`, normals `vn`, objects `o`, groups `g` and
//! materials `usemtl`. Polygons `f` may have absolute or relative indices. From `mtllib` libraries: diffuse colours
//! `Kd`, opacity `d` or `Tr`, and images `map_Kd`. Each object and group becomes one mesh per material, named after the
//! object, the group, or `object/group`. Each combination of indices becomes a vertex, in the order of first use. The
//! positions of a file without faces become one mesh.
//!
//! **Written:** the same statements, with one object per mesh. Materials are written to a library with the same stem,
//! and embedded images to files. Numbers are the shortest decimals that parse to the same bits.
//!
//! **Lost,** and listed: on reading, curves, surfaces, lines, points, weights, third texture coordinates, and smoothing
//! groups of faces without normals. Also lost are other material properties, unused materials and values, and
//! unreadable libraries. On writing, additional sets of texture coordinates or colours, alpha of vertices and unblended
//! materials, tangents, joints, animations and custom attributes.

mod corners;
mod file;
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

use super::references::{self, Reference};
use super::shared::text::{Words, quote};
use super::{Files, ReadResult};
use crate::scene::{Capabilities, Conventions, Scene, SceneOptions, Source, UvOrigin};
use crate::{Category, Limits, Loss, Result};

pub use pieces::ParseSizes;
pub(super) use write::write;

/// OBJ specifies only the texture origin and right-handed normals. Axes and unit follow common practice.
pub(super) const CONVENTIONS: Conventions = Conventions {
    uv_origin: UvOrigin::BottomLeft,
    evidence: "the specification: right-handed normals, texture origin bottom left; by convention: +Y up, metres",
    ..Conventions::GLTF
};

pub(super) const CAPABILITIES: Capabilities = Capabilities {
    format: "OBJ",
    meshes: true,
    mesh_names: true,
    materials: true,
    textures: true,
    base_colors: true,
    alpha_modes: true,
    wrapping: true,
    normals: true,
    zero_normals: true,
    max_uv_sets: 1,
    max_color_sets: 1,
    max_corners: u32::MAX,
    ..Capabilities::POSITIONS
};

pub fn read(
    bytes: &[u8],
    files: &dyn Files,
    options: &SceneOptions,
    limits: &Limits,
) -> ReadResult {
    read_from(&mut &*bytes, files, options, limits)
}

/// Parses text in windows and pieces of the given sizes. Returns the result as debug output.
#[cfg(feature = "proptest")]
pub fn parse_to_debug(text: &str, strictness: crate::Strictness, sizes: ParseSizes) -> String {
    match read::read(&mut text.as_bytes(), strictness, &Limits::default(), sizes) {
        Ok(file) => format!("{file:#?}"),
        Err(error) => format!("{error} {:?}", error.span()),
    }
}

/// Reads a scene from a stream, one window of text at a time.
pub(super) fn read_from(
    input: &mut (dyn Read + Send),
    files: &dyn Files,
    options: &SceneOptions,
    limits: &Limits,
) -> ReadResult {
    let mut losses = Vec::new();
    let file = read::read(input, options.strictness, limits, ParseSizes::DEFAULT)?;
    file.record_losses(&mut losses);
    let materials = read_libraries(&file.libraries, files, limits, &mut losses);
    let (meshes, unused_materials) = meshes::to_meshes(file, &materials, &mut losses);
    let mut scene = Scene {
        meshes,
        ..Scene::default()
    };
    CONVENTIONS.finish_scene(&mut scene, options, "obj");
    scene.source = scene.source.map(|source| Source {
        unused_materials,
        ..source
    });
    Ok((scene, losses))
}

/// Reads the libraries in `lines`, the arguments of `mtllib` statements. Skips repeated libraries. Lists unreadable ones,
/// and those that were found in another folder.
fn read_libraries(
    lines: &[u8],
    files: &dyn Files,
    limits: &Limits,
    losses: &mut Vec<Loss>,
) -> Materials {
    let mut materials = Materials::default();
    let mut loader = LibraryLoader {
        files,
        budget: limits.max_libraries,
        loaded: HashSet::new(),
        moved: Vec::new(),
    };
    let mut known = HashSet::new();
    for line in lines
        .split_inclusive(|byte| *byte == b'\n')
        .map(<[u8]>::trim_ascii)
    {
        if !known.insert(line) {
            continue;
        }
        // A line with blanks is either a single name or several names.
        let mut libraries = vec![loader.load(line)];
        if libraries[0].is_err() {
            let several: Vec<_> = split_names(line).map(|name| loader.load(name)).collect();
            if several.iter().any(Result::is_ok) {
                libraries = several;
            }
        }
        for library in libraries {
            match library {
                Ok(Some(Library { name, text })) => {
                    material::read(&text, &name, files, &mut materials, losses);
                }
                Ok(None) => {}
                Err(reason) => {
                    let message = format!("{reason}; its materials have only names");
                    losses.push(Loss::dropped("mtllib", message));
                }
            }
        }
    }
    let message =
        "files at absolute paths were not found; those of the same name beside the model were read";
    losses.extend(
        Loss::changed("mtllib", message)
            .in_category(Category::Material)
            .listing(loader.moved),
    );
    materials
}

/// Returns the names in a line, which are separated by blanks and may be quoted.
fn split_names(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut words = Words::new(line, 0..line.len());
    std::iter::from_fn(move || words.quoted_name().or_else(|| words.next()))
}

/// A material library.
struct Library {
    /// The path relative to the model.
    name: String,
    text: Vec<u8>,
}

struct LibraryLoader<'f> {
    files: &'f dyn Files,
    /// The remaining number of bytes to read from libraries.
    budget: u64,
    /// The paths of the libraries loaded so far.
    loaded: HashSet<String>,
    /// The absolute paths of libraries that were loaded from the folder of the model.
    moved: Vec<String>,
}

impl LibraryLoader<'_> {
    /// Loads the library that an `mtllib` statement names; `None` if it is loaded already. Returns the reason if it cannot
    /// be read.
    fn load(&mut self, path: &[u8]) -> Result<Option<Library>, String> {
        // Names with blanks may be quoted.
        let mut words = Words::new(path, 0..path.len());
        let Reference { name, is_absolute } =
            match words.quoted_name().filter(|_| words.remaining() == 0) {
                Some(quoted) => references::resolve(self.files, "", quoted),
                None => references::resolve_unquoted(self.files, "", path),
            };
        if self.loaded.contains(&name) {
            return Ok(None);
        }
        match self.files.read(&name, self.budget.saturating_add(1)) {
            Ok(text) => match self.budget.checked_sub(text.len() as u64) {
                Some(remaining) => {
                    self.budget = remaining;
                    self.loaded.insert(name.clone());
                    if is_absolute {
                        self.moved
                            .push(format!("\"{}\"", String::from_utf8_lossy(path)));
                    }
                    Ok(Some(Library { name, text }))
                }
                None => Err(format!(
                    "\"{name}\": the size limit of material libraries is exceeded"
                )),
            },
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Err(format!("{} is missing", quote(path)))
            }
            Err(error) => Err(format!("\"{name}\": {error}")),
        }
    }
}
