//! STL by 3D Systems.
//!
//! **Read:** binary and ASCII files. A file that begins with the word `solid` and continues as text is ASCII, unless its
//! size matches the facet count of a binary file. Each solid becomes a mesh of triangles without shared vertices, named
//! after the solid or the text in the header. The three vertices of a facet get its normal. Zero and non-finite normals
//! are computed from the corners, which is listed; if all normals are zero, the mesh has none.
//!
//! **Written:** binary files with one solid. The normal of a facet is the common normal of its three vertices, if any,
//! and otherwise computed from the corners.
//!
//! **Lost,** and listed: on reading binary files, the attribute bytes of facets and bytes after the last facet. On
//! writing, only the name, the triangles and their normals are kept; shared vertices, materials and joints are lost,
//! for example.

mod ascii;
mod binary;
mod write;

use super::detect::{is_binary_stl, starts_with_solid, without_byte_order_mark};
use super::shared::text::{reject, to_utf8};
use super::{Files, ReadResult};
use crate::scene::{Capabilities, Conventions, Mesh, Scene, SceneOptions};
use crate::{Limits, Loss};

pub(super) use write::write;

/// STL specifies neither axes nor a unit; those of glTF are assumed.
pub(super) const CONVENTIONS: Conventions = Conventions {
    evidence: "only counter-clockwise facets are specified; axes and unit are assumed",
    ..Conventions::GLTF
};

pub(super) const CAPABILITIES: Capabilities = Capabilities {
    format: "STL",
    mesh_names: true,
    normals: true,
    unindexed: true,
    ..Capabilities::POSITIONS
};

pub fn read(
    bytes: &[u8],
    _files: &dyn Files,
    options: &SceneOptions,
    limits: &Limits,
) -> ReadResult {
    let mut losses = Vec::new();
    if bytes.is_empty() {
        return Err(reject(bytes, 0..0, "the file is empty"));
    }
    let solids = if !is_binary_stl(bytes) && is_text(bytes) {
        ascii::read(bytes, limits, &mut losses)?
    } else {
        vec![binary::read(bytes, options.strictness, &mut losses)?]
    };
    let solids = solids.into_iter().enumerate();
    let meshes = solids
        .map(|(index, solid)| solid.into_mesh(index, &mut losses))
        .collect();
    let mut scene = Scene {
        meshes,
        ..Scene::default()
    };
    CONVENTIONS.finish_scene(&mut scene, options, "stl");
    Ok((scene, losses))
}

/// Returns `true` if the file begins with `solid` and continues as text.
fn is_text(bytes: &[u8]) -> bool {
    const SEARCHED_BYTES: usize = 512;
    let text = without_byte_order_mark(bytes);
    starts_with_solid(text)
        && text[..text.len().min(SEARCHED_BYTES)]
            .iter()
            .all(|byte| !byte.is_ascii_control() || byte.is_ascii_whitespace())
}

#[derive(Default)]
struct Solid {
    name: Vec<u8>,
    /// One normal per facet.
    normals: Vec<[f32; 3]>,
    /// Three positions per facet.
    positions: Vec<[f32; 3]>,
    /// The positions in 64 bits, if needed.
    exact_positions: Option<Vec<[f64; 3]>>,
}

impl Solid {
    fn into_mesh(self, index: usize, losses: &mut Vec<Loss>) -> Mesh {
        let mut mesh = Mesh {
            name: to_utf8(&self.name, &format!("meshes[{index}].name"), losses),
            positions: self.positions,
            exact_positions: self.exact_positions,
            ..Mesh::default()
        };
        // Many programs write zeros instead of normals.
        if self.normals.iter().all(|normal| *normal == [0.0; 3]) {
            return mesh;
        }
        let invalid = self
            .normals
            .iter()
            .filter(|normal| !is_valid_normal(normal))
            .count();
        if invalid > 0 {
            let message = "missing or non-finite normals were computed from the corners";
            let loss = Loss::changed(format!("meshes[{index}].normals"), message);
            losses.push(loss.with_count_of(invalid, self.normals.len(), "facets"));
            mesh.generate_normals();
        }
        let mut normals = mesh
            .normals
            .take()
            .unwrap_or_else(|| vec![[0.0; 3]; mesh.positions.len()]);
        for (own, normal) in normals.chunks_exact_mut(3).zip(&self.normals) {
            if is_valid_normal(normal) {
                own.fill(*normal);
            }
        }
        mesh.normals = Some(normals);
        mesh
    }
}

fn is_valid_normal(normal: &[f32; 3]) -> bool {
    *normal != [0.0; 3] && normal.iter().all(|coordinate| coordinate.is_finite())
}
