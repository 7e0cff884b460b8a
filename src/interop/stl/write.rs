//! Writes scenes as binary STL.

use std::io::{BufWriter, Write};

use glam::Vec3;

use super::{CAPABILITIES, CONVENTIONS};
use crate::interop::shared::polygons::{Polygons, count_used};
use crate::interop::shared::text::to_single_line;
use crate::interop::{Files, WriteResult};
use crate::scene::{Mesh, Scene, SceneOptions};
use crate::{Error, Loss, LossKind};

/// The size of the header in bytes, excluding the facet count.
const HEADER_TEXT_SIZE: usize = 80;

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
    let mut mesh = scene.meshes.into_iter().next().unwrap_or_default();
    let faces = Polygons::take_faces(&mut mesh, 0, &mut losses);
    record_losses(&mesh, &faces, &mut losses);
    let count = u32::try_from(faces.len()).map_err(|_| {
        let message = format!(
            "{} faces exceed the maximum of STL, {}",
            faces.len(),
            u32::MAX
        );
        Error::inexpressible(message).at_text("meshes[0].faces")
    })?;
    let header = to_header(&mesh.name, &mut losses);
    let mut out = BufWriter::with_capacity(1 << 16, files.create(name)?);
    out.write_all(&header)?;
    out.write_all(&count.to_le_bytes())?;
    let mut computed_normals = 0;
    for corners in faces.corner_indices().as_chunks::<3>().0 {
        let (normal, is_vertex_normal) = facet_normal(&mesh, corners);
        computed_normals += usize::from(!is_vertex_normal);
        out.write_all(&to_facet_bytes(
            normal,
            corners.map(|corner| mesh.positions[corner as usize]),
        ))?;
    }
    out.flush()?;
    if computed_normals > 0 && mesh.normals.is_some() {
        let message = "STL stores one normal per facet; it was computed from the corners";
        let loss = Loss::changed("meshes[0].normals", message);
        losses.push(loss.with_count_of(computed_normals, faces.len(), "facets"));
    }
    Ok(losses)
}

/// Records losses for shared vertices, and vertices that no facet uses, since STL has neither.
fn record_losses(mesh: &Mesh, faces: &Polygons, losses: &mut Vec<Loss>) {
    let (vertices, corners) = (mesh.positions.len(), faces.corner_indices());
    let used = count_used(vertices, corners.iter().copied());
    if used < corners.len() {
        let loss = Loss::new(
            LossKind::Split,
            "meshes[0].positions",
            "STL has no shared vertices",
        );
        losses.push(loss.with_detail(format_args!("{used} become {}", corners.len())));
    }
    let loss = Loss::dropped("meshes[0].positions", "vertices that no face uses");
    losses.extend(
        loss.with_count_of(vertices - used, vertices, "vertices")
            .if_any(),
    );
}

/// Returns the header, which contains the name, truncated to 80 bytes. If the name begins with `solid`, prefixes it
/// with `_`, since many programs would read the file as ASCII, even if a longer word begins so.
fn to_header(name: &str, losses: &mut Vec<Loss>) -> [u8; HEADER_TEXT_SIZE] {
    let mut text = to_single_line(name);
    if text
        .as_bytes()
        .get(..5)
        .is_some_and(|start| start.eq_ignore_ascii_case(b"solid"))
    {
        text.insert(0, '_');
    }
    let end = (0..=text.len().min(HEADER_TEXT_SIZE))
        .rev()
        .find(|end| text.is_char_boundary(*end))
        .unwrap_or(0);
    let text = text[..end].trim_end();
    if text != name {
        let message = "the STL header has 80 bytes and must not begin with `solid`";
        losses
            .push(Loss::renamed("meshes[0].name", message).with_change(name.escape_debug(), text));
    }
    let mut header = [0; HEADER_TEXT_SIZE];
    header[..text.len()].copy_from_slice(text.as_bytes());
    header
}

/// Returns the normal of the vertices and `true` if all agree, otherwise the normal of the facet and `false`.
fn facet_normal(mesh: &Mesh, corners: &[u32; 3]) -> ([f32; 3], bool) {
    if let Some(normals) = &mesh.normals {
        let [a, b, c] = corners.map(|corner| normals[corner as usize].map(f32::to_bits));
        if a == b && b == c {
            return (normals[corners[0] as usize], true);
        }
    }
    let [a, b, c] = corners.map(|corner| Vec3::from(mesh.positions[corner as usize]));
    ((b - a).cross(c - a).normalize_or_zero().into(), false)
}

fn to_facet_bytes(normal: [f32; 3], [a, b, c]: [[f32; 3]; 3]) -> [u8; 50] {
    let mut bytes = [0; 50];
    let numbers = [normal, a, b, c].into_iter().flatten();
    for (slot, number) in bytes.chunks_exact_mut(4).zip(numbers) {
        slot.copy_from_slice(&number.to_le_bytes());
    }
    bytes
}
