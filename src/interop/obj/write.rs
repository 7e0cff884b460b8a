//! Writes scenes as OBJ.

use std::io::{self, BufWriter, Write};

use super::{CAPABILITIES, CONVENTIONS, library};
use crate::interop::folder::bytes_from_name;
use crate::interop::images::{ImageFiles, file_stem};
use crate::interop::shared::colors::clamp_like_bytes;
use crate::interop::shared::polygons::Polygons;
use crate::interop::shared::text::{restrict_to_line, to_obj_line};
use crate::interop::{Files, WriteResult};
use crate::scene::repair::{all_finite, replace_non_finite};
use crate::scene::{Colors, Material, Mesh, Scene, SceneOptions};
use crate::{Error, Loss, Result};

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
    for (index, mesh) in scene.meshes.iter_mut().enumerate() {
        restrict_to_obj(mesh, index, &mut losses)?;
        let path = format!("meshes[{index}].material.texture");
        images.write_embedded(&mut mesh.material.texture, &path, files, &mut losses)?;
    }
    let library = library::collect_materials(&mut scene.meshes, &mut losses);
    // `robot.mtl` for `robot.obj`.
    let library_name = format!("{}.mtl", to_obj_line(file_stem(name).unwrap_or(name)));
    let has_library = write_library(&library, &library_name, files, &mut losses)?;
    let mut out = ObjWriter {
        out: BufWriter::with_capacity(1 << 16, files.create(name)?),
        counts: [0; 3],
    };
    if has_library {
        out.out.write_all(b"mtllib ")?;
        out.out.write_all(&bytes_from_name(&library_name))?;
        out.out.write_all(b"\n")?;
    }
    if scene.meshes.is_empty() {
        // A file without statements would not be OBJ.
        out.write_line("o ", "")?;
    }
    for (index, mesh) in scene.meshes.into_iter().enumerate() {
        out.write_mesh(mesh, index, &mut losses)?;
    }
    out.out.flush()?;
    Ok(losses)
}

/// Writes the library if it has materials and companion files are supported. Returns `true` if it was written.
fn write_library(
    library: &[Material],
    name: &str,
    files: &mut dyn Files,
    losses: &mut Vec<Loss>,
) -> Result<bool> {
    if library.is_empty() {
        return Ok(false);
    }
    let file = match files.create(name) {
        Err(error) if error.kind() == io::ErrorKind::Unsupported => {
            let message = format!("\"{name}\": {error}; only the names of materials were written");
            losses.push(Loss::dropped("materials", message));
            return Ok(false);
        }
        file => file?,
    };
    let mut out = BufWriter::new(file);
    library::write(&mut out, library)?;
    out.flush()?;
    Ok(true)
}

/// Adapts a mesh to OBJ, and records the losses. Numbers in OBJ are finite, colours have no alpha, and names are single
/// lines. Returns an error if a position is not finite.
fn restrict_to_obj(mesh: &mut Mesh, index: usize, losses: &mut Vec<Loss>) -> Result<()> {
    if let Some(vertex) = mesh
        .positions
        .iter()
        .position(|position| !all_finite(position))
    {
        let [x, y, z] = mesh.positions[vertex];
        let message = format!(
            "({x}, {y}, {z}) of vertex {vertex} of mesh \"{}\" is not finite",
            mesh.name
        );
        return Err(
            Error::inexpressible(message).at_text(format!("meshes[{index}].positions[{vertex}]"))
        );
    }
    if let Some(normals) = &mut mesh.normals {
        replace_non_finite(
            normals.as_flattened_mut(),
            format!("meshes[{index}].normals"),
            losses,
        );
    }
    if let [uvs] = &mut *mesh.uvs {
        replace_non_finite(
            uvs.as_flattened_mut(),
            format!("meshes[{index}].uvs[0]"),
            losses,
        );
    }
    if let [Colors::F32(colors)] = &mut *mesh.colors {
        let path = format!("meshes[{index}].colors[0]");
        replace_non_finite(colors.as_flattened_mut(), path.clone(), losses);
        clamp_like_bytes(colors, path, losses);
    }
    let has_alpha = match &*mesh.colors {
        [Colors::F32(colors)] => colors.iter().any(|color| color[3] != 1.0),
        [Colors::U8(colors)] => colors.iter().any(|color| color[3] != 255),
        _ => false,
    };
    if has_alpha {
        let path = format!("meshes[{index}].colors[0]");
        losses.push(Loss::dropped(path, "OBJ does not store alpha of vertices"));
    }
    let line = to_obj_line(&mesh.name);
    restrict_to_line(
        &mut mesh.name,
        line,
        "OBJ",
        &format!("meshes[{index}].name"),
        losses,
    );
    Ok(())
}

struct ObjWriter<'a> {
    out: BufWriter<Box<dyn Write + 'a>>,
    /// The number of positions, texture coordinates and normals written so far.
    counts: [u64; 3],
}

impl ObjWriter<'_> {
    fn write_mesh(&mut self, mut mesh: Mesh, index: usize, losses: &mut Vec<Loss>) -> Result<()> {
        let faces = Polygons::take_faces(&mut mesh, index, losses);
        self.write_line("o ", &mesh.name)?;
        self.write_positions(&mesh)?;
        let uvs = mesh.uvs.first().map_or(&[][..], |uvs| &uvs[..]);
        let normals = mesh.normals.as_deref().unwrap_or_default();
        uvs.iter().try_for_each(|uv| self.write_values("vt", uv))?;
        normals
            .iter()
            .try_for_each(|normal| self.write_values("vn", normal))?;
        if !mesh.material.name.is_empty() {
            self.write_line("usemtl ", &mesh.material.name)?;
        }
        self.write_faces(&faces, !uvs.is_empty(), !normals.is_empty())?;
        let [positions, before_uvs, before_normals] = &mut self.counts;
        *positions += mesh.positions.len() as u64;
        *before_uvs += uvs.len() as u64;
        *before_normals += normals.len() as u64;
        Ok(())
    }

    fn write_positions(&mut self, mesh: &Mesh) -> Result<()> {
        match mesh.colors.first() {
            None => mesh
                .positions
                .iter()
                .try_for_each(|position| self.write_values("v", position)),
            Some(Colors::F32(colors)) => {
                let mut both = mesh.positions.iter().zip(colors);
                both.try_for_each(|(position, color)| self.write_colored(*position, *color))
            }
            Some(Colors::U8(colors)) => {
                let colors = colors
                    .iter()
                    .map(|color| color.map(|channel| f32::from(channel) / 255.0));
                let mut both = mesh.positions.iter().zip(colors);
                both.try_for_each(|(position, color)| self.write_colored(*position, color))
            }
        }
    }

    fn write_colored(&mut self, [x, y, z]: [f32; 3], [r, g, b, _]: [f32; 4]) -> Result<()> {
        self.write_values("v", &[x, y, z, r, g, b])
    }

    fn write_faces(&mut self, faces: &Polygons, uvs: bool, normals: bool) -> Result<()> {
        let mut digits = itoa::Buffer::new();
        let counts = self.counts;
        for face in faces.iter() {
            self.out.write_all(b"f")?;
            for &corner in face {
                let mut number = |slot: usize, before: &[u8]| {
                    self.out.write_all(before)?;
                    self.out.write_all(
                        digits
                            .format(counts[slot] + u64::from(corner) + 1)
                            .as_bytes(),
                    )
                };
                number(0, b" ")?;
                match (uvs, normals) {
                    (false, false) => {}
                    (true, false) => number(1, b"/")?,
                    (false, true) => number(2, b"//")?,
                    (true, true) => {
                        number(1, b"/")?;
                        number(2, b"/")?;
                    }
                }
            }
            self.out.write_all(b"\n")?;
        }
        Ok(())
    }

    fn write_line(&mut self, keyword: &str, text: &str) -> Result<()> {
        Ok(self
            .out
            .write_all(format!("{keyword}{text}\n").as_bytes())?)
    }

    /// Writes a line with the keyword, and each number as the shortest decimal that parses to the same bits.
    #[inline]
    fn write_values(&mut self, keyword: &str, values: &[f32]) -> Result<()> {
        let mut digits = zmij::Buffer::new();
        self.out.write_all(keyword.as_bytes())?;
        for value in values {
            let text = digits.format_finite(*value);
            self.out.write_all(b" ")?;
            self.out
                .write_all(text.strip_suffix(".0").unwrap_or(text).as_bytes())?;
        }
        self.out.write_all(b"\n")?;
        Ok(())
    }
}
