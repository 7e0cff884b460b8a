//! Converts between levels of detail in BMD and in scenes.

use std::collections::HashSet;

use super::super::{F8A, LodDef};
use crate::scene::{self, Scene};
use crate::{Error, Loss, Quantity, Result, path};

/// Adds meshes without a level of detail to every level, because they are always visible in a scene, but never in BMD.
/// Does not change scenes read from BMD.
pub fn add_loose_meshes(scene: &mut Scene) {
    if scene.source.as_ref().is_some_and(|source| source.format == "bmd") {
        return;
    }
    let meshes_in_levels: HashSet<usize> =
        scene.lods.iter().flat_map(|lod| lod.meshes.iter().copied()).collect();
    let loose = (0..scene.meshes.len()).filter(|mesh| !meshes_in_levels.contains(mesh));
    scene.lods.iter_mut().for_each(|lod| lod.meshes.extend(loose.clone()));
}

/// Converts a BMD level of detail to a scene level of detail. `mesh_indices` maps BMD meshes to drawn scene meshes.
pub fn to_lod(lod: LodDef, mesh_indices: &[Option<usize>]) -> scene::Lod {
    let first = usize::from(lod.id_mesh);
    let range = match lod.contains_all_meshes() {
        true => 0..mesh_indices.len(),
        false => first..first + usize::from(lod.n_mesh),
    };
    let meshes = range.filter_map(|index| mesh_indices.get(index).copied().flatten()).collect();
    // A level with a scale of 0 or less is visible from infinitely far away.
    let distance = if lod.contains_all_meshes() { 0.0 } else { lod.distance().unwrap_or(f32::INFINITY) };
    scene::Lod { distance, meshes }
}

/// Converts a scene level of detail to a BMD level of detail. `mesh_indices` maps scene meshes to BMD meshes.
pub fn from_lod(
    index: usize,
    lod: &scene::Lod,
    mesh_indices: &[usize],
    losses: &mut Vec<Loss>,
) -> Result<LodDef> {
    let path = format!("lods[{index}]");
    if lod.distance == 0.0 && lod.meshes.len() == mesh_indices.len() {
        return Ok(LodDef::default());
    }
    let mut meshes: Vec<usize> =
        lod.meshes.iter().filter_map(|mesh| mesh_indices.get(*mesh).copied()).collect();
    meshes.sort_unstable();
    let (first, last) = (meshes.first().copied().unwrap_or(0), meshes.last().copied().unwrap_or(0));
    let count = if meshes.is_empty() { 0 } else { last - first + 1 };
    if count > meshes.len() {
        let message = "BMD levels of detail are ranges of meshes; the meshes in between were added";
        losses.push(Loss::changed(path.clone(), message));
    }
    let ld_sc = F8A::nearest(1.0 / (lod.distance + 1.0));
    let error = (1.0 / ld_sc.value() - 1.0 - lod.distance).abs();
    if error > lod.distance * 1e-6 && error.is_finite() {
        losses.push(Loss::quantised(
            format!("{path}.distance"),
            "distances packed",
            Quantity::DISTANCES,
            error,
        ));
    }
    let to_u8 = |count: usize| {
        u8::try_from(count).map_err(|_| {
            let message =
                format!("meshes {first} to {last}, but BMD allows a first mesh and a mesh count up to 255");
            Error::inexpressible(message).at(path!(lods[index]))
        })
    };
    Ok(LodDef { id_mesh: to_u8(first)?, n_mesh: to_u8(count)?, ld_sc, ..LodDef::default() })
}
