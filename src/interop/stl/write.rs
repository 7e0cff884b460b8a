//! Writes scenes as binary STL.

use std::io::{BufWriter, Write};

use glam::Vec3;

use super::{CAPABILITIES, CONVENTIONS};
use crate::interop::Files;
use crate::interop::shared::polygons::Polygons;
use crate::scene::{Mesh, Scene, SceneOptions};
use crate::{Error, Loss, LossKind, Result};

const HEADER: usize = 80;

pub(in crate::interop) fn write(
    mut scene: Scene,
    name: &str,
    files: &mut dyn Files,
    options: &SceneOptions,
) -> Result<Vec<Loss>> {
    let mut losses =
        CAPABILITIES.restrict(&mut scene, options.conventions.unwrap_or(CONVENTIONS), options)?;
    let mut mesh = scene.meshes.into_iter().next().unwrap_or_default();
    let faces = Polygons::take(&mut mesh, 0, &mut losses);
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
        let loss = Loss::changed("meshes[0].normals", "STL has one normal per facet: that of the corners");
        losses.push(loss.affecting(other_normals, faces.len(), "facets"));
    }
    Ok(losses)
}

/// Lists shared vertices and vertices without a facet, which STL lacks.
fn list_losses(mesh: &Mesh, faces: &Polygons, losses: &mut Vec<Loss>) {
    let mut used = vec![false; mesh.positions.len()];
    for corner in faces.corners() {
        if let Some(used) = used.get_mut(*corner as usize) {
            *used = true;
        }
    }
    let used = used.iter().filter(|used| **used).count();
    if used < faces.corners().len() {
        let loss = Loss::new(LossKind::Split, "meshes[0].positions", "STL has no shared vertices");
        losses.push(loss.detail(format_args!("{used} become {}", faces.corners().len())));
    }
    if used < mesh.positions.len() {
        let loss = Loss::dropped("meshes[0].positions", "vertices that no face uses");
        losses.push(loss.affecting(mesh.positions.len() - used, mesh.positions.len(), "vertices"));
    }
}

/// Returns the header with the name, truncated to fit. A leading `solid` is prefixed with `_`, since the file would look
/// like ASCII.
fn header(name: &str, losses: &mut Vec<Loss>) -> [u8; HEADER] {
    let text: String = name.chars().map(|c| if c.is_control() { '_' } else { c }).collect();
    let solid = text.trim_start().get(..5).is_some_and(|word| word.eq_ignore_ascii_case("solid"));
    let text = if solid { format!("_{}", text.trim()) } else { text.trim().to_owned() };
    let end = (0..=text.len().min(HEADER)).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    let text = text[..end].trim_end();
    if text != name {
        let detail = format!("\"{}\" becomes \"{text}\"", name.escape_debug());
        losses.push(
            Loss::renamed("meshes[0].name", "the header has 80 bytes and cannot begin with solid")
                .detail(detail),
        );
    }
    let mut header = [0; HEADER];
    header[..text.len()].copy_from_slice(text.as_bytes());
    header
}

/// Returns the normal of the vertices if all three agree, and otherwise that of the corners.
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
