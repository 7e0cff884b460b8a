//! Writes material libraries (MTL).

use std::collections::{BTreeSet, HashMap};
use std::io::Write;

use super::material::is_map_option;
use crate::interop::folder::bytes_from_name;
use crate::interop::shared::text::{
    has_comment_mark, restrict_to_line, to_obj_line, to_single_line, unique_name,
    without_continuation,
};
use crate::scene::{AlphaMode, Material, Mesh, Wrap, push_index};
use crate::{Loss, Result};

/// Collects the distinct materials of meshes into a library. Renames the material of each mesh to its name in the
/// library.
pub(super) fn collect_materials(meshes: &mut [Mesh], losses: &mut Vec<Loss>) -> Vec<Material> {
    let mut library: Vec<Material> = Vec::new();
    let mut library_indices: HashMap<Material, usize> = HashMap::new();
    let mut names = BTreeSet::new();
    for (index, mesh) in meshes.iter_mut().enumerate() {
        let material = mesh.material.clone();
        // A `usemtl` statement applies until the next one, so once the library has an entry, the default material also
        // needs one.
        if material == Material::default() && library.is_empty() {
            continue;
        }
        let index_in_library = *library_indices
            .entry(material)
            .or_insert_with_key(|material| {
                let mut material = material.clone();
                restrict_to_mtl(&mut material, &format!("meshes[{index}].material"), losses);
                let preferred = match (&*to_obj_line(&material.name), material.color_bytes()) {
                    ("", Some(([red, green, blue], _))) => {
                        format!("color_{red:02x}{green:02x}{blue:02x}")
                    }
                    ("", None) => "none".to_owned(),
                    (name, _) => name.to_owned(),
                };
                material.name = unique_name(&preferred, &mut names);
                push_index(&mut library, material)
            });
        let name = &library[index_in_library].name;
        if *name != mesh.material.name {
            let path = format!("meshes[{index}].material.name");
            let loss = Loss::renamed(path, "OBJ materials must have unique names");
            losses.push(loss.with_change(&mesh.material.name, name));
            mesh.material.name.clone_from(name);
        }
    }
    library
}

/// Adapts a material to MTL, and records the losses. MTL has no alpha modes and no mirrored wrapping. Wrapping is the
/// same in both directions, colours are finite, and names are single lines.
fn restrict_to_mtl(material: &mut Material, at: &str, losses: &mut Vec<Loss>) {
    if let Some(texture) = &mut material.texture {
        let line = without_continuation(to_single_line(&texture.name));
        // A quote may end a quoted name.
        let line = if needs_quotes(&line) {
            line.replace('"', "_")
        } else {
            line
        };
        restrict_to_line(
            &mut texture.name,
            line,
            "OBJ",
            &format!("{at}.texture"),
            losses,
        );
        let wrap = texture.sampler.wrap;
        if wrap.contains(&Wrap::Mirror) || wrap[0] != wrap[1] {
            let message = "OBJ textures are either repeated or clamped, in both directions";
            losses.push(Loss::dropped(format!("{at}.texture.sampler"), message));
        }
    }
    if let Some(color) = &mut material.base_color {
        let non_finite = color.iter_mut().filter(|channel| !channel.is_finite());
        if non_finite.map(|channel| *channel = 0.0).count() > 0 {
            losses.push(Loss::changed(
                format!("{at}.base_color"),
                "non-finite numbers were replaced by 0",
            ));
        }
        let alpha = color[3];
        if alpha < 1.0 && material.alpha_mode == AlphaMode::Blend {
            return;
        }
        if alpha != 1.0 {
            color[3] = 1.0;
            let message = "OBJ does not store alpha of surfaces without blending";
            losses
                .push(Loss::dropped(format!("{at}.base_color.alpha"), message).with_detail(alpha));
        }
    }
    if material.alpha_mode != AlphaMode::Opaque {
        let loss = Loss::dropped(
            format!("{at}.alpha_mode"),
            "OBJ does not store transparency of images",
        );
        losses.push(loss.with_detail(material.alpha_mode));
    }
}

pub(super) fn write(out: &mut dyn Write, library: &[Material]) -> Result<()> {
    for Material {
        name,
        base_color,
        texture,
        ..
    } in library
    {
        writeln!(out, "newmtl {name}")?;
        if let Some([red, green, blue, alpha]) = base_color {
            writeln!(out, "Kd {red} {green} {blue}")?;
            if *alpha != 1.0 {
                writeln!(out, "d {alpha}")?;
            }
        }
        if let Some(texture) = texture {
            let clamp = if texture.sampler.wrap == [Wrap::Clamp; 2] {
                "-clamp on "
            } else {
                ""
            };
            write!(out, "map_Kd {clamp}")?;
            let prefix = if texture.name.starts_with(['-', '"']) {
                "./"
            } else {
                ""
            };
            // Most readers do not support quotes.
            let quote = if needs_quotes(&texture.name) {
                "\""
            } else {
                ""
            };
            write!(out, "{quote}{prefix}")?;
            out.write_all(&bytes_from_name(&texture.name))?;
            writeln!(out, "{quote}")?;
        }
    }
    Ok(())
}

/// Returns `true` if reading an image name could stop at one of its words: an option, or the start of a comment.
fn needs_quotes(name: &str) -> bool {
    let has_option = name
        .split_ascii_whitespace()
        .skip(1)
        .any(|word| is_map_option(word.as_bytes()));
    // Most programs begin a comment at ` #`, even if a word follows directly.
    has_option || has_comment_mark(name) || name.contains(" #")
}
