//! Converts between levels of detail in BMD and in scenes.

use std::collections::{BTreeSet, HashSet};

use super::super::{F8A, LodDef};
use crate::scene::{self, Scene};
use crate::{Error, Loss, Quantity, Result, path};

/// Adds meshes without a level of detail to every level, because they are always visible in a scene, but never in BMD.
/// Does not change scenes read from BMD.
pub fn add_loose_meshes(scene: &mut Scene) {
    if scene
        .source
        .as_ref()
        .is_some_and(|source| source.format == "bmd")
    {
        return;
    }
    let in_levels: HashSet<usize> = scene
        .lods
        .iter()
        .flat_map(|lod| &lod.meshes)
        .copied()
        .collect();
    let loose = (0..scene.meshes.len()).filter(|mesh| !in_levels.contains(mesh));
    scene
        .lods
        .iter_mut()
        .for_each(|lod| lod.meshes.extend(loose.clone()));
}

/// Converts a BMD level of detail to a scene level of detail. `mesh_indices` maps BMD meshes to drawn scene meshes.
pub fn to_lod(lod: LodDef, mesh_indices: &[Option<usize>]) -> scene::Lod {
    if lod.contains_all_meshes() {
        return scene::Lod {
            distance: 0.0,
            meshes: mesh_indices.iter().copied().flatten().collect(),
        };
    }
    let meshes = mesh_indices
        .iter()
        .skip(lod.id_mesh.into())
        .take(lod.n_mesh.into());
    // A level with a scale of 0 or less is visible from infinitely far away.
    let distance = lod.distance().unwrap_or(f32::INFINITY);
    scene::Lod {
        distance,
        meshes: meshes.copied().flatten().collect(),
    }
}

/// Converts a scene level of detail to a BMD level of detail. `meshes` maps scene meshes to BMD meshes.
/// `unit` is the length of a unit in metres.
pub fn from_lod(
    lod: &scene::Lod,
    index: usize,
    meshes: &[usize],
    unit: f64,
    losses: &mut Vec<Loss>,
) -> Result<LodDef> {
    let path = format!("lods[{index}]");
    let own: BTreeSet<_> = lod
        .meshes
        .iter()
        .filter_map(|mesh| meshes.get(*mesh).copied())
        .collect();
    if lod.distance == 0.0 && own.len() == meshes.len() {
        return Ok(LodDef::default());
    }
    let first = own.first().copied().unwrap_or(0);
    let count = own.last().map_or(0, |last| last - first + 1);
    if count > own.len() {
        let message = "BMD levels of detail are ranges of meshes; the meshes in between were added";
        losses.push(Loss::changed(path.clone(), message));
    }
    let ld_sc = F8A::nearest(1.0 / (lod.distance + 1.0));
    let distance = f64::from(lod.distance);
    // As readers compute it, in 32 bits.
    let error = (f64::from(1.0 / ld_sc.value() - 1.0) - distance).abs();
    if error > distance * 1e-6 && error.is_finite() {
        let path = format!("{path}.distance");
        let loss = Loss::quantized(path, "distances packed", Quantity::DISTANCES, unit * error);
        losses.push(loss.with_mesh_size(unit * distance));
    }
    let to_u8 = |number: usize| {
        u8::try_from(number).map_err(|_| {
            let last = first + count.saturating_sub(1);
            let message = format!(
                "meshes {first} to {last}, but BMD allows a first mesh and a mesh count up to 255"
            );
            Error::inexpressible(message).at(path!(lods[index]))
        })
    };
    Ok(LodDef {
        id_mesh: to_u8(first)?,
        n_mesh: to_u8(count)?,
        ld_sc,
        ..LodDef::default()
    })
}
