//! Converts the content of an OBJ file to meshes.

use std::collections::{BTreeSet, HashSet};

use super::corners::{ABSENT, Corner};
use super::file::{MeshName, MeshPart, ObjFile};
use super::material::Materials;
use super::values::ValueLists;
use crate::interop::shared::colors::{byte_scale, scale_color, scaled_loss};
use crate::interop::shared::polygons::count_used;
use crate::interop::shared::text::to_utf8;
use crate::scene::{Colors, Faces, Indices, Material, Mesh};
use crate::{Category, Loss};

/// Returns the meshes of a file, and the names of materials that no face uses.
pub(super) fn to_meshes(
    file: ObjFile,
    materials: &Materials,
    losses: &mut Vec<Loss>,
) -> (Vec<Mesh>, Vec<String>) {
    let ObjFile {
        mut lists,
        parts,
        name,
        ..
    } = file;
    scale_colors(&mut lists, losses);
    if parts.is_empty() && lists.positions.len() > 0 {
        let unused = record_unused_materials(materials, &parts, losses);
        return (vec![to_point_mesh(lists, name, losses)], unused);
    }
    record_unused_values(&lists, &parts, losses);
    let unused = record_unused_materials(materials, &parts, losses);
    let is_invisible = are_all_invisible(&parts, materials);
    if is_invisible {
        let message = "every used material is invisible (`d 0` or `Tr 1`), as some programs write opaque ones; assumed opaque";
        losses.push(Loss::changed("mtllib", message).in_category(Category::Material));
    }
    let (mut transformed, mut guessed) = (BTreeSet::new(), BTreeSet::new());
    let meshes = parts.into_iter().enumerate().map(|(index, part)| {
        let path = format!("meshes[{index}]");
        part.faces
            .record_degenerate(&format!("{path}.faces"), losses);
        let (material_name, found) = match materials.find(&part.material) {
            Some((name, found)) => (name, Some(found)),
            None => (&*part.material, None),
        };
        let used_name = String::from_utf8_lossy(&part.material);
        let is_guess = material_name.len() > part.material.len();
        let material_name = to_utf8(material_name, &format!("{path}.material.name"), losses);
        if is_guess {
            guessed.insert(format!("\"{used_name}\" becomes \"{material_name}\""));
        }
        let material = found.map_or_else(
            || Material {
                name: material_name.clone(),
                ..Material::default()
            },
            |found| {
                let opacity = if is_invisible { 1.0 } else { found.opacity() };
                found.to_material(material_name.clone(), opacity)
            },
        );
        let mut mesh = Mesh {
            name: join_names(part.name, &path, losses),
            material,
            faces: part.faces.into_faces(),
            ..Mesh::default()
        };
        set_attributes(&mut mesh, &part.vertices, &lists, &path, losses);
        if found.is_some_and(|found| found.transform_uvs(&mut mesh)) {
            transformed.insert(format!("\"{}\"", mesh.material.name));
        }
        mesh
    });
    let meshes = meshes.collect();
    let message = "undefined materials were replaced by those whose names continue with ` #`";
    losses.extend(
        Loss::changed("usemtl", message)
            .in_category(Category::Material)
            .listing(guessed),
    );
    let message = "offset and scale of images were applied to the texture coordinates";
    losses.extend(Loss::changed("map_Kd", message).listing(transformed));
    (meshes, unused)
}

/// Returns `true` if there are faces, but none is visible, since all materials have opacity 0.
fn are_all_invisible(parts: &[MeshPart], materials: &Materials) -> bool {
    !parts.is_empty()
        && parts.iter().all(|part| {
            materials
                .find(&part.material)
                .is_some_and(|(_, found)| found.opacity() <= 0.0)
        })
}

/// Records a loss for the materials that no face uses. Returns their names.
fn record_unused_materials(
    materials: &Materials,
    parts: &[MeshPart],
    losses: &mut Vec<Loss>,
) -> Vec<String> {
    let found = parts
        .iter()
        .filter_map(|part| materials.find(&part.material));
    let used: HashSet<&[u8]> = found.map(|(name, _)| name).collect();
    let unused: BTreeSet<_> = materials
        .names()
        .filter(|name| !used.contains(name))
        .collect();
    let unused: Vec<_> = unused
        .into_iter()
        .map(|name| String::from_utf8_lossy(name).into_owned())
        .collect();
    let names = unused.iter().map(|name| format!("\"{name}\""));
    losses.extend(Loss::dropped("mtllib", "unused materials").listing(names));
    unused
}

/// Fills in the attributes of the vertices. If only some vertices have an attribute, the others get a default.
fn set_attributes(
    mesh: &mut Mesh,
    corners: &[Corner],
    lists: &ValueLists,
    at: &str,
    losses: &mut Vec<Loss>,
) {
    let mut record_defaults = |count: usize, field: &str, what: &str| {
        let message = format!("missing values were replaced by {what}");
        let loss = Loss::changed(format!("{at}.{field}"), message);
        losses.extend(
            loss.with_count_of(count, corners.len(), "vertices")
                .if_any(),
        );
    };
    // All indices are in range: the reader has dropped faces with missing positions, and cleared all other invalid
    // indices.
    (mesh.positions, mesh.exact_positions) = lists
        .positions
        .select(corners.iter().map(|corner| corner[0]));
    if corners.iter().any(|corner| corner[1] != ABSENT) {
        record_defaults(
            count_absent(corners, 1),
            "uvs[0]",
            "texture coordinates (0, 0)",
        );
        let uv = |corner: &Corner| {
            lists
                .uvs
                .get(corner[1] as usize)
                .copied()
                .unwrap_or_default()
        };
        mesh.uvs.push(corners.iter().map(uv).collect());
    }
    let color = |corner: &Corner| lists.colors.get(corner[0] as usize).copied().flatten();
    if !lists.colors.is_empty() && corners.iter().any(|corner| color(corner).is_some()) {
        let missing = corners
            .iter()
            .filter(|corner| color(corner).is_none())
            .count();
        record_defaults(missing, "colors[0]", "white");
        let colors = corners
            .iter()
            .map(|corner| color(corner).unwrap_or([1.0; 4]))
            .collect();
        mesh.colors.push(Colors::F32(colors));
    }
    if corners.iter().any(|corner| corner[2] != ABSENT) {
        let missing = count_absent(corners, 2);
        record_defaults(missing, "normals", "generated normals");
        if missing > 0 {
            mesh.generate_normals();
        }
        let generated = mesh.normals.take().unwrap_or_default();
        let normal = |(index, corner): (usize, &Corner)| {
            lists
                .normals
                .get(corner[2] as usize)
                .or(generated.get(index))
                .copied()
                .unwrap_or_default()
        };
        mesh.normals = Some(corners.iter().enumerate().map(normal).collect());
    }
}

fn count_absent(vertices: &[Corner], slot: usize) -> usize {
    vertices
        .iter()
        .filter(|corner| corner[slot] == ABSENT)
        .count()
}

/// Converts a file without faces to a mesh of its positions. As many texture coordinates or normals as positions belong
/// to these in order, as other writers of points assume.
fn to_point_mesh(lists: ValueLists, name: MeshName, losses: &mut Vec<Loss>) -> Mesh {
    let count = lists.positions.len();
    for (path, values) in [("vt", lists.uvs.len()), ("vn", lists.normals.len())] {
        let unused = if values == count { 0 } else { values };
        record_unused_count(path, unused, values, losses);
    }
    let at = |index: u32, values: usize| if values == count { index } else { ABSENT };
    let vertices = (0..count as u32).map(|index| {
        [
            index,
            at(index, lists.uvs.len()),
            at(index, lists.normals.len()),
        ]
    });
    let vertices: Vec<_> = vertices.collect();
    let mut mesh = Mesh {
        name: join_names(name, "meshes[0]", losses),
        ..Mesh::default()
    };
    mesh.faces = Faces {
        indices: Some(Indices::U32(Vec::new())),
        corners: None,
    };
    set_attributes(&mut mesh, &vertices, &lists, "meshes[0]", losses);
    mesh
}

/// Scales colours from 0 to 255 to 0 to 1.
fn scale_colors(lists: &mut ValueLists, losses: &mut Vec<Loss>) {
    if let Some(divisors) = byte_scale(lists.colors.iter().flatten()) {
        for color in lists.colors.iter_mut().flatten() {
            *color = scale_color(*color, divisors);
        }
        losses.push(scaled_loss("v.colors", 255.0));
    }
}

/// Records losses for the values that no face uses.
fn record_unused_values(lists: &ValueLists, parts: &[MeshPart], losses: &mut Vec<Loss>) {
    let all = [
        ("v", lists.positions.len()),
        ("vt", lists.uvs.len()),
        ("vn", lists.normals.len()),
    ];
    for (slot, (path, count)) in all.into_iter().enumerate() {
        let indices = parts
            .iter()
            .flat_map(|part| &part.vertices)
            .map(|corner| corner[slot]);
        record_unused_count(path, count - count_used(count, indices), count, losses);
    }
}

fn record_unused_count(path: &str, count: usize, of: usize, losses: &mut Vec<Loss>) {
    let loss = Loss::dropped(path, "values that no face uses").with_count_of(count, of, "values");
    losses.extend(loss.if_any());
}

/// Joins the names of an object and a group.
fn join_names(name: MeshName, path: &str, losses: &mut Vec<Loss>) -> String {
    let path = format!("{path}.name");
    let (object, group) = (
        to_utf8(&name.object, &path, losses),
        to_utf8(&name.group, &path, losses),
    );
    match (&*object, &*group) {
        (_, "") => object,
        ("", _) => group,
        (object, group) if object == group => group.to_owned(),
        (object, group) => format!("{object}/{group}"),
    }
}
