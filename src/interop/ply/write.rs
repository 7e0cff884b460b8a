//! Writes scenes as PLY.

use std::collections::BTreeSet;
use std::io::{BufWriter, Write};

use super::{CAPABILITIES, CONVENTIONS, names};
use crate::interop::folder::bytes_from_name;
use crate::interop::images::ImageFiles;
use crate::interop::shared::colors::clamp_like_bytes;
use crate::interop::shared::polygons::Polygons;
use crate::interop::shared::text::{restrict_to_line, to_single_line, unique_name};
use crate::interop::{Files, WriteResult};
use crate::scene::{Colors, Components, CustomAttribute, Mesh, Scene, SceneOptions, Texture};
use crate::{Loss, LossKind, Result};

pub fn write(
    mut scene: Scene,
    name: &str,
    files: &mut dyn Files,
    options: &SceneOptions,
) -> WriteResult {
    let mut losses = CAPABILITIES.restrict(
        &mut scene,
        options.conventions.unwrap_or(CONVENTIONS),
        options,
    )?;
    let mut images = ImageFiles::new(name, &scene);
    let mut mesh = scene.meshes.into_iter().next().unwrap_or_default();
    let path = "meshes[0].material.texture";
    images.write_embedded(&mut mesh.material.texture, path, files, &mut losses)?;
    if let Some(Texture { name, .. }) = &mut mesh.material.texture {
        let line = to_single_line(name);
        restrict_to_line(name, line, "PLY", path, &mut losses);
    }
    if let [Colors::F32(colors)] = &mut *mesh.colors {
        clamp_like_bytes(colors, "meshes[0].colors[0]".to_owned(), &mut losses);
    }
    let polygons = Polygons::take_faces(&mut mesh, 0, &mut losses);
    let names = property_names(&mesh.custom, &mut losses);
    let mut out = BufWriter::with_capacity(1 << 16, files.create(name)?);
    write_header(&mut out, &mesh, &names, &polygons)?;
    // The attributes are in the order of the header.
    out.write_all(&mesh.interleave_attributes())?;
    write_faces(&mut out, &polygons)?;
    out.flush()?;
    Ok(losses)
}

/// Returns the property names of the custom attributes, one per component.
fn property_names(custom: &[CustomAttribute], losses: &mut Vec<Loss>) -> Vec<Vec<String>> {
    let mut used_names: BTreeSet<String> = names::reserved().map(str::to_owned).collect();
    let attributes = custom.iter().enumerate().map(|(index, custom)| {
        let path = format!("meshes[0].custom[{index}]");
        let plain = |c: char| {
            if c.is_whitespace() || c.is_control() {
                '_'
            } else {
                c
            }
        };
        let preferred: String = match &*custom.name {
            "" => "custom".to_owned(),
            name => name.chars().map(plain).collect(),
        };
        let old = custom.name.escape_debug();
        if custom.components == 1 {
            let name = unique_name(&preferred, &mut used_names);
            if name != custom.name {
                let message = "PLY properties must have unique names without blanks";
                losses.push(Loss::renamed(format!("{path}.name"), message).with_change(old, &name));
            }
            return vec![name];
        }
        let lanes = (0..custom.components).map(|lane| format!("{preferred}_{lane}"));
        let names: Vec<_> = lanes
            .map(|name| unique_name(&name, &mut used_names))
            .collect();
        let loss = Loss::new(
            LossKind::Split,
            path,
            "each component was written as a property",
        );
        losses.push(loss.with_detail(format_args!("\"{old}\" becomes {}", names.join(", "))));
        names
    });
    attributes.collect()
}

fn write_header(
    out: &mut impl Write,
    mesh: &Mesh,
    names: &[Vec<String>],
    polygons: &Polygons,
) -> Result<()> {
    let endian = if cfg!(target_endian = "big") {
        "big"
    } else {
        "little"
    };
    writeln!(out, "ply\nformat binary_{endian}_endian 1.0")?;
    if let Some(texture) = &mesh.material.texture {
        write!(out, "comment TextureFile ")?;
        out.write_all(&bytes_from_name(&texture.name))?;
        writeln!(out)?;
    }
    writeln!(out, "element vertex {}", mesh.positions.len())?;
    let mut property = |ty: &str, names: &[&str]| -> Result<()> {
        Ok(names
            .iter()
            .try_for_each(|name| writeln!(out, "property {ty} {name}"))?)
    };
    property("float", &["x", "y", "z"])?;
    if mesh.normals.is_some() {
        property("float", &["nx", "ny", "nz"])?;
    }
    if !mesh.uvs.is_empty() {
        property("float", &["u", "v"])?;
    }
    match mesh.colors.first() {
        Some(Colors::U8(_)) => property("uchar", &["red", "green", "blue", "alpha"])?,
        Some(Colors::F32(_)) => property("float", &["red", "green", "blue", "alpha"])?,
        None => {}
    }
    for (custom, names) in mesh.custom.iter().zip(names) {
        let ty = match custom.values {
            Components::I8(_) => "char",
            Components::U8(_) => "uchar",
            Components::I16(_) => "short",
            Components::U16(_) => "ushort",
            Components::I32(_) => "int",
            Components::U32(_) => "uint",
            Components::F32(_) => "float",
            Components::F64(_) => "double",
        };
        property(ty, &names.iter().map(String::as_str).collect::<Vec<_>>())?;
    }
    if !polygons.is_empty() {
        let count = if polygons.max_corners() > 255 {
            "uint"
        } else {
            "uchar"
        };
        // Most readers support `int`; larger meshes need `uint`.
        let index = if mesh.positions.len() > i32::MAX as usize {
            "uint"
        } else {
            "int"
        };
        writeln!(
            out,
            "element face {}\nproperty list {count} {index} vertex_indices",
            polygons.len()
        )?;
    }
    Ok(writeln!(out, "end_header")?)
}

fn write_faces(out: &mut impl Write, polygons: &Polygons) -> Result<()> {
    let has_wide_counts = polygons.max_corners() > 255;
    for face in polygons.iter() {
        let count = face.len() as u32;
        match has_wide_counts {
            true => out.write_all(&count.to_ne_bytes())?,
            false => out.write_all(&[count as u8])?,
        }
        out.write_all(bytemuck::cast_slice(face))?;
    }
    Ok(())
}
