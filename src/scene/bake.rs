//! Replaces placements by transformed copies of their meshes.

use std::collections::HashSet;

#[cfg(feature = "gltf")]
use glam::DMat4;

use super::{Extras, Mesh, Placement, Scene, limits};
use crate::{Error, Limits, Loss, LossKind, Result};

impl Mesh {
    /// Returns the number of instances in all placements; 1 if there are no placements.
    pub fn instance_count(&self) -> usize {
        self.placements
            .iter()
            .map(Placement::instance_count)
            .fold(0, usize::saturating_add)
            .max(1)
    }

    /// Returns the number of triangles or vertices in one copy, whichever is larger.
    pub(crate) fn cost(&self) -> u64 {
        self.triangle_count().max(self.positions.len() as u64)
    }

    /// Returns the total size, in bytes, of the names and extras (as JSON) in all copies.
    fn text_size(&self) -> u64 {
        let size = |extras: &Extras| match extras.is_empty() {
            true => 0,
            false => serde_json::to_string(extras).map_or(0, |text| text.len()),
        };
        let texture = self
            .material
            .texture
            .as_ref()
            .map_or(0, |texture| texture.name.len());
        let own = size(&self.extras) + self.name.len() + self.material.name.len() + texture;
        let own = (own as u64).saturating_mul(self.instance_count() as u64);
        let node_text = |node: &Placement| {
            ((size(&node.extras) + node.name.len()) as u64)
                .saturating_mul(node.instance_count() as u64)
        };
        self.placements
            .iter()
            .map(node_text)
            .fold(own, u64::saturating_add)
    }

    /// Drops the only placement if it has no transform, instances or extras, and no name other than the mesh name.
    #[cfg(feature = "gltf")]
    pub(crate) fn drop_redundant_placement(&mut self) {
        let Mesh {
            name, placements, ..
        } = self;
        if let [
            Placement {
                name: node,
                transform,
                instances,
                extras,
            },
        ] = &**placements
            && (node.is_empty() || node == name)
            && *transform == DMat4::IDENTITY
            && instances.is_empty()
            && extras.is_empty()
        {
            placements.clear();
        }
    }
}

impl Scene {
    /// Checks the limits on triangles, vertices and meshes. A mesh with several placements counts once. Returns an
    /// error if a limit is exceeded.
    pub(crate) fn check_triangle_limit(&self, limits: &Limits) -> Result<()> {
        let count = self
            .meshes
            .iter()
            .map(Mesh::cost)
            .fold(0, u64::saturating_add);
        limits::check_triangle_limit(count, limits.max_triangles)?;
        limits::check_mesh_limit(self.meshes.len(), limits.max_triangles)
    }

    /// Replaces a mesh by one transformed copy per instance if it has placements and `is_baked` returns `true`. Returns
    /// an error if memory is exhausted, or the scene would exceed `max_triangles` triangles or vertices. Also returns
    /// an error if it would exceed a limit derived from `max_triangles`: on meshes, or on names and extras.
    pub(crate) fn bake(
        &mut self,
        max_triangles: u64,
        losses: &mut Vec<Loss>,
        is_baked: impl Fn(usize, &Mesh) -> bool,
    ) -> Result<()> {
        let is_chosen =
            |(index, mesh): (usize, &Mesh)| !mesh.placements.is_empty() && is_baked(index, mesh);
        let chosen: Vec<bool> = self.meshes.iter().enumerate().map(is_chosen).collect();
        if !chosen.contains(&true) {
            return Ok(());
        }
        let copies =
            |(mesh, chosen): (&Mesh, &bool)| if *chosen { mesh.instance_count() } else { 1 };
        let all = self.meshes.iter().zip(&chosen);
        let cost = all
            .clone()
            .map(|pair| pair.0.cost().saturating_mul(copies(pair) as u64));
        limits::check_triangle_limit(cost.fold(0, u64::saturating_add), max_triangles)?;
        let count = all.clone().map(copies).fold(0, usize::saturating_add);
        limits::check_mesh_limit(count, max_triangles)?;
        let text_sizes = all
            .filter(|(_, chosen)| **chosen)
            .map(|(mesh, _)| mesh.text_size());
        limits::check_text_limit(text_sizes.fold(0, u64::saturating_add), max_triangles)?;
        let mut baked = Vec::new();
        baked
            .try_reserve_exact(count)
            .map_err(|error| Error::from(std::io::Error::from(error)))?;
        let mut starts = Vec::with_capacity(chosen.len() + 1);
        for (index, (mesh, chosen)) in std::mem::take(&mut self.meshes)
            .into_iter()
            .zip(chosen)
            .enumerate()
        {
            starts.push(baked.len());
            match chosen {
                true => mesh.bake(index, &mut baked, losses),
                false => baked.push(mesh),
            }
        }
        starts.push(baked.len());
        for lod in &mut self.lods {
            let copies = |mesh: &usize| {
                starts
                    .get(*mesh..)?
                    .get(..2)
                    .map(|range| range[0]..range[1])
            };
            lod.meshes = lod.meshes.iter().filter_map(copies).flatten().collect();
        }
        self.meshes = baked;
        Ok(())
    }

    /// Bakes meshes whose placements glTF nodes cannot express. These are the meshes in levels of detail, and meshes
    /// with a placement that does not decompose into translation, rotation and scale.
    pub(super) fn bake_inexpressible(
        &mut self,
        max_triangles: u64,
        losses: &mut Vec<Loss>,
    ) -> Result<()> {
        let levels: HashSet<usize> = self
            .lods
            .iter()
            .flat_map(|lod| &lod.meshes)
            .copied()
            .collect();
        self.bake(max_triangles, losses, |index, mesh| {
            levels.contains(&index) || !mesh.placements.iter().all(Placement::is_decomposable)
        })
    }
}

impl Mesh {
    /// Appends one transformed copy per instance to `baked`.
    fn bake(mut self, index: usize, baked: &mut Vec<Mesh>, losses: &mut Vec<Loss>) {
        let path = format!("meshes[{index}]");
        let mut remaining = self.instance_count();
        if remaining > 1 {
            let message = "the mesh was copied for each of its instances";
            losses.push(
                Loss::new(LossKind::Split, path.clone(), message).with_count(remaining, "copies"),
            );
        }
        let placements = std::mem::take(&mut self.placements);
        let is_single = placements.len() == 1;
        let is_other = |node: &Placement| !node.name.is_empty() && node.name != self.name;
        let has_others = !self.name.is_empty() && placements.iter().all(is_other);
        if let Some(first) = placements.first().filter(|_| has_others) {
            let (path, lost, kept) = match is_single {
                true => (
                    format!("{path}.placements[0].name"),
                    &first.name,
                    &self.name,
                ),
                false => (format!("{path}.name"), &self.name, &first.name),
            };
            let loss = Loss::dropped(path, "a mesh has a single name");
            losses
                .push(loss.with_detail(format_args!("\"{lost}\"; the mesh is called \"{kept}\"")));
        }
        for (index, placement) in placements.into_iter().enumerate() {
            for transform in placement.transforms() {
                remaining -= 1;
                let mut copy = if remaining == 0 {
                    std::mem::take(&mut self)
                } else {
                    self.clone()
                };
                if !placement.name.is_empty() && (!is_single || copy.name.is_empty()) {
                    copy.name.clone_from(&placement.name);
                }
                for (key, value) in &placement.extras {
                    let own = copy.extras.entry(key).or_insert_with(|| value.clone());
                    if own != value {
                        let message = "extras of the node conflict with extras of the mesh";
                        let at = format!("{path}.placements[{index}].extras.{key}");
                        losses.push(Loss::dropped(at, message).with_detail(value));
                    }
                }
                copy.transform_f64(transform);
                baked.push(copy);
            }
        }
    }
}
