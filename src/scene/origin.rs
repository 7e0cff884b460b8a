//! Scenes with joints so far from the origin that rounding to 32 bits is visible.

use glam::DVec3;
#[cfg(feature = "gltf")]
use glam::{DMat3, DMat4, Mat4};

use super::Scene;
use super::exact::{Extent, error};
#[cfg(feature = "gltf")]
use super::{Placement, Transform, skin::influences};
use crate::{Loss, Quantity};

impl Scene {
    /// Lists the rounding error of root joints under the transform of the scene, if it is visible.
    pub(super) fn list_rounded_roots(&self, losses: &mut Vec<Loss>) {
        let Some(transform) = self.transform.map(|transform| transform.as_dmat4()) else { return };
        let roots = self.skeleton.joints.iter().enumerate().filter(|(_, joint)| joint.parent.is_none());
        let translations = roots.map(|(root, _)| self.skeleton.rest(root).translation.map(f64::from));
        let moved = translations.map(|translation| transform.transform_point3(translation.into()));
        self.list_rounded(largest_error(moved), losses);
    }

    /// Lists a visible rounding error: of joints or, in a scene without joints, of the transform.
    fn list_rounded(&self, error: f64, losses: &mut Vec<Loss>) {
        if error == 0.0 {
            return;
        }
        let extent = self.extent_at_rest();
        if extent.is_visible(error) && extent.is_avoidable(error) {
            let (path, message) = match self.skeleton.joints.is_empty() {
                false => ("skeleton.joints.translation", "joints rounded to 32 bits"),
                true => ("transform", "the transform of the scene rounded to 32 bits"),
            };
            losses.push(Loss::quantised(path, message, Quantity::TRANSLATIONS, error as f32));
        }
    }

    fn extent_at_rest(&self) -> Extent {
        let mut extent = Extent::default();
        self.for_each_at_rest(|at| extent.add(at));
        extent
    }
}

fn largest_error(translations: impl Iterator<Item = DVec3>) -> f64 {
    translations.map(|translation| error(translation.into())).fold(0.0, f64::max)
}

#[cfg(feature = "gltf")]
impl Scene {
    /// Sets the transform of a scene without one. `joints` holds exact translations by joint index.
    ///
    /// If rounding to 32 bits would be visible, the transform moves to the mesh nodes, which have 64 bits. With joints,
    /// it takes over whole units of the translations of the root joints instead. Lists the remaining rounding errors: of
    /// other joints, and of scenes with levels of detail or unbound vertices.
    pub(crate) fn split_transform(
        &mut self,
        transform: DMat4,
        joints: &[(usize, DVec3)],
        losses: &mut Vec<Loss>,
    ) {
        let is_root = |(joint, _): &&(usize, DVec3)| self.skeleton.joints[*joint].parent.is_none();
        let (roots, others): (Vec<_>, Vec<_>) = joints.iter().partition(is_root);
        let translations = roots.iter().map(|(_, translation)| *translation);
        let error = largest_error(translations.chain([transform.w_axis.truncate()]));
        let mut unlisted = largest_error(others.iter().map(|(_, translation)| *translation));
        self.transform = Some(transform.as_mat4()).filter(|transform| *transform != Mat4::IDENTITY);
        let extent = if error > 0.0 { self.extent_at_rest() } else { Extent::default() };
        if error > 0.0 && extent.needs_64_bits(error) {
            let has_joints = !self.skeleton.joints.is_empty();
            if self.lods.is_empty() && !has_joints {
                self.transform = None;
                self.move_to_nodes(transform);
            } else if !self.lods.is_empty()
                || self.has_unbound_vertices()
                || !self.move_to_roots(transform, extent.center(), &roots)
            {
                unlisted = unlisted.max(error);
            }
        }
        self.list_rounded(unlisted, losses);
    }

    fn move_to_nodes(&mut self, transform: DMat4) {
        for mesh in &mut self.meshes {
            if mesh.placements.is_empty() {
                mesh.placements.push(Placement::default());
            }
        }
        self.place(transform);
    }

    /// Returns `true` if a mesh with skins has vertices without influences.
    fn has_unbound_vertices(&self) -> bool {
        let mut skinned = self.meshes.iter().filter(|mesh| !mesh.skins.is_empty());
        skinned.any(|mesh| (0..mesh.positions.len()).any(|vertex| influences(&mesh.skins, vertex).is_empty()))
    }

    /// Splits the transform and the root translations into a transform that is exact in 32 bits, and roots near the
    /// origin. `center` is the scene centre before the transform. Returns `false` if the split is impossible.
    fn move_to_roots(&mut self, transform: DMat4, center: DVec3, roots: &[(usize, DVec3)]) -> bool {
        let rounded = transform.as_mat4();
        let center = center.as_vec3().round().as_dvec3();
        let axes = DMat3::from_mat4(rounded.as_dmat4());
        let translation = transform.w_axis.truncate() + DMat3::from_mat4(transform) * center;
        let whole = translation.as_vec3().round();
        let shift = axes.inverse() * (translation - whole.as_dvec3()) - center;
        if !shift.is_finite() || !whole.is_finite() {
            return false;
        }
        self.transform = Some(Mat4 { w_axis: whole.extend(1.0), ..rounded });
        for root in 0..self.skeleton.joints.len() {
            // Without a rest pose, a root would stay in its bind pose.
            if self.skeleton.joints[root].parent.is_none() {
                self.skeleton.joints[root].rest = Some(self.skeleton.rest(root));
            }
        }
        self.map_root_translations(|translation| translation + shift);
        for (root, exact) in roots {
            if let Some(joint) = self.skeleton.joints.get_mut(*root) {
                let rest = joint.rest.get_or_insert_with(Transform::default);
                rest.translation = (*exact + shift).as_vec3().into();
            }
        }
        for mesh in self.meshes.iter_mut().filter(|mesh| mesh.skins.is_empty()) {
            let shift = DMat4::from_translation(shift);
            match &mut *mesh.placements {
                [] => mesh.place(shift),
                nodes => nodes.iter_mut().for_each(|node| node.transform = shift * node.transform),
            }
        }
        true
    }
}
