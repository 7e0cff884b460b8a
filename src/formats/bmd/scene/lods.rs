//! Converts levels of detail to and from a scene's.

use std::collections::HashSet;

use super::super::{F8A, LodDef};
use crate::scene::{self, Scene};
use crate::{Error, Loss, Quantity, Result, path};

/// Adds meshes outside every level of detail to all levels, because a scene always shows them and BMD never does.
pub fn add_loose_meshes(scene: &mut Scene) {
    if scene.source.as_ref().is_some_and(|source| source.format == "bmd") {
        return;
    }
    let levelled: HashSet<usize> = scene.lods.iter().flat_map(|lod| lod.meshes.iter().copied()).collect();
    let loose = (0..scene.meshes.len()).filter(|mesh| !levelled.contains(mesh));
    scene.lods.iter_mut().for_each(|lod| lod.meshes.extend(loose.clone()));
}

/// Converts a level of detail: a range of meshes, or all of them.
pub fn to_lod(lod: LodDef, places: &[Option<usize>]) -> scene::Lod {
    let first = usize::from(lod.id_mesh);
    let range = if lod.is_all() { 0..places.len() } else { first..first + usize::from(lod.n_mesh) };
    let meshes = range.filter_map(|index| places.get(index).copied().flatten()).collect();
    // A scale of 0 is visible from infinitely far away.
    let distance = if lod.is_all() { 0.0 } else { lod.distance().unwrap_or(f32::INFINITY) };
    scene::Lod { distance, meshes }
}

pub fn from_lod(index: usize, lod: &scene::Lod, places: &[usize], losses: &mut Vec<Loss>) -> Result<LodDef> {
    let path = format!("lods[{index}]");
    if lod.distance == 0.0 && lod.meshes.len() == places.len() {
        return Ok(LodDef::default());
    }
    let mut meshes: Vec<usize> = lod.meshes.iter().filter_map(|mesh| places.get(*mesh).copied()).collect();
    meshes.sort_unstable();
    let (first, last) = (meshes.first().copied().unwrap_or(0), meshes.last().copied().unwrap_or(0));
    let count = if meshes.is_empty() { 0 } else { last - first + 1 };
    if count > meshes.len() {
        let message = "BMD levels of detail are ranges of meshes: meshes in between are also shown";
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
    let number = |count: usize| {
        u8::try_from(count).map_err(|_| {
            let message = format!("meshes {first} to {last}, but BMD levels of detail count at most 255");
            Error::inexpressible(message).at(path!(lods[index]))
        })
    };
    Ok(LodDef { id_mesh: number(first)?, n_mesh: number(count)?, ld_sc, ..LodDef::default() })
}
