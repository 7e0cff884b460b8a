//! Scenes to binary STL.

use std::io::{BufWriter, Write};

use glam::Vec3;

use super::{CONVENTIONS, HOLDS};
use crate::interop::Files;
use crate::interop::polygons::Polygons;
use crate::scene::{Mesh, Scene, SceneOptions};
use crate::{Error, Loss, LossKind, Result};

const HEADER: usize = 80;

pub(in crate::interop) fn write(
    mut scene: Scene,
    name: &str,
    files: &mut dyn Files,
    options: &SceneOptions,
) -> Result<Vec<Loss>> {
    options.conventions.unwrap_or(CONVENTIONS).out_of_gltf(&mut scene);
    let mut losses = HOLDS.restrict(&mut scene);
    let mut mesh = scene.meshes.into_iter().next().unwrap_or_default();
    let faces = Polygons::from_faces(std::mem::take(&mut mesh.faces), mesh.positions.len());
    list_losses(&mesh, &faces, &mut losses);
    let count = u32::try_from(faces.len()).map_err(|_| {
        let message = format!("{} faces, but STL can count {}", faces.len(), u32::MAX);
        Error::inexpressible(message).at_text("meshes[0].faces")
    })?;
    let header = header(&mesh.name, &mut losses);
    let mut out = BufWriter::with_capacity(1 << 16, files.create(name)?);
    out.write_all(&header)?;
    out.write_all(&count.to_le_bytes())?;
    let mut other_normals = 0;
    for corners in faces.corners().as_chunks::<3>().0 {
        let (normal, own) = normal(&mesh, corners);
        other_normals += usize::from(!own);
        out.write_all(&facet(normal, corners.map(|corner| mesh.positions[corner as usize])))?;
    }
    out.flush()?;
    if other_normals > 0 && mesh.normals.is_some() {
        let message = format!("STL has one normal per facet: that of the corners for {other_normals} facets");
        losses.push(Loss::new(LossKind::Changed, "meshes[0].normals", message));
    }
    Ok(losses)
}

/// What facets cannot say: shared vertices, and those of no facet.
fn list_losses(mesh: &Mesh, faces: &Polygons, losses: &mut Vec<Loss>) {
    if faces.degenerate > 0 {
        let message = format!("{} faces with fewer than three corners", faces.degenerate);
        losses.push(Loss::dropped("meshes[0].faces", message));
    }
    let mut used = vec![false; mesh.positions.len()];
    for corner in faces.corners() {
        if let Some(used) = used.get_mut(*corner as usize) {
            *used = true;
        }
    }
    let used = used.iter().filter(|used| **used).count();
    if used < faces.corners().len() {
        let message = format!("every facet has vertices of its own: {used} become {}", faces.corners().len());
        losses.push(Loss::new(LossKind::Split, "meshes[0].positions", message));
    }
    if used < mesh.positions.len() {
        let message = format!("{} vertices that no face uses", mesh.positions.len() - used);
        losses.push(Loss::dropped("meshes[0].positions", message));
    }
}

/// The name, as far as there is place. A header that begins with `solid` would look like an ASCII file.
fn header(name: &str, losses: &mut Vec<Loss>) -> [u8; HEADER] {
    let text: String = name.chars().map(|c| if c.is_control() { '_' } else { c }).collect();
    let solid = text.trim_start().get(..5).is_some_and(|word| word.eq_ignore_ascii_case("solid"));
    let text = if solid { format!("_{}", text.trim()) } else { text.trim().to_owned() };
    let end = (0..=text.len().min(HEADER)).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    let text = text[..end].trim_end();
    if text != name {
        let message = format!("\"{}\" is \"{text}\"", name.escape_debug());
        losses.push(Loss::new(LossKind::Renamed, "meshes[0].name", message));
    }
    let mut header = [0; HEADER];
    header[..text.len()].copy_from_slice(text.as_bytes());
    header
}

/// The normal of the vertices if it is one and the same, else that of the corners.
fn normal(mesh: &Mesh, corners: &[u32; 3]) -> ([f32; 3], bool) {
    if let Some(normals) = &mesh.normals {
        let [a, b, c] = corners.map(|corner| normals[corner as usize].map(f32::to_bits));
        if a == b && b == c {
            return (normals[corners[0] as usize], true);
        }
    }
    let [a, b, c] = corners.map(|corner| Vec3::from(mesh.positions[corner as usize]));
    ((b - a).cross(c - a).normalize_or_zero().into(), false)
}

fn facet(normal: [f32; 3], [a, b, c]: [[f32; 3]; 3]) -> [u8; 50] {
    let mut bytes = [0; 50];
    let numbers = [normal, a, b, c].into_iter().flatten();
    for (place, number) in bytes.chunks_exact_mut(4).zip(numbers) {
        place.copy_from_slice(&number.to_le_bytes());
    }
    bytes
}
