//! Rounding of joints and scene transforms far from the origin.

use glam::DVec3;
#[cfg(feature = "gltf")]
use glam::{DMat3, DMat4, Mat4};

use super::Scene;
use super::exact::{Extent, rounding_distance};
#[cfg(feature = "gltf")]
use super::{Placement, Transform, skin::influences};
use crate::{Loss, Quantity};

impl Scene {
    /// Records the rounding error of root joints moved by [`Scene::transform`], if visible and avoidable.
    /// `unit` is the length of a unit in metres.
    pub(super) fn record_rounded_roots(&self, unit: f32, losses: &mut Vec<Loss>) {
        let Some(transform) = self.transform.map(|transform| transform.as_dmat4()) else {
            return;
        };
        let roots = self
            .skeleton
            .joints
            .iter()
            .enumerate()
            .filter(|(_, joint)| joint.parent.is_none());
        let points = roots.map(|(root, _)| {
            self.skeleton
                .rest_transform(root)
                .translation
                .map(f64::from)
        });
        let moved = points.map(|point| transform.transform_point3(point.into()));
        self.record_rounded(largest_error(moved), unit, losses);
    }

    /// Records the rounding error of joints (without joints, of the transform) if it is visible and avoidable.
    fn record_rounded(&self, error: f64, unit: f32, losses: &mut Vec<Loss>) {
        if error == 0.0 {
            return;
        }
        let extent = self.extent_at_rest();
        if extent.is_error_visible(error) && extent.centering_reduces(error) {
            let (path, message) = match self.skeleton.joints.is_empty() {
                false => (
                    "skeleton.joints.translation",
                    "joint translations were rounded to 32 bits",
                ),
                true => ("transform", "the scene transform was rounded to 32 bits"),
            };
            let unit = f64::from(unit);
            let loss = Loss::quantized(path, message, Quantity::TRANSLATIONS, unit * error);
            losses.push(loss.with_mesh_size(unit * extent.size()));
        }
    }

    /// Returns the longest side of the bounding box of all vertices in the rest pose; 0 without vertices.
    #[cfg(any(feature = "mesh", feature = "bmd", feature = "gltf"))]
    pub(crate) fn size_at_rest(&self) -> f64 {
        self.extent_at_rest().size()
    }

    fn extent_at_rest(&self) -> Extent {
        let mut extent = Extent::default();
        self.for_each_rest_position(|at| extent.add(at));
        extent
    }
}

fn largest_error(translations: impl Iterator<Item = DVec3>) -> f64 {
    translations
        .map(|translation| rounding_distance(translation.into()))
        .fold(0.0, f64::max)
}

#[cfg(feature = "gltf")]
impl Scene {
    /// Sets the transform of a scene that has none. `joints` lists joint indices with their exact translations.
    ///
    /// Handles a transform or root joint that needs 64 bits. Without joints and levels of detail, applies the transform
    /// to the mesh nodes. With joints, moves the root joints and unskinned meshes near the origin; their offset,
    /// rounded to whole units, moves to the transform. Records the remaining rounding errors: those of joints with
    /// parents, and all errors in scenes with levels of detail or unbound vertices.
    pub(crate) fn set_transform(
        &mut self,
        matrix: DMat4,
        joints: &[(usize, DVec3)],
        losses: &mut Vec<Loss>,
    ) {
        let is_root = |(joint, _): &&(usize, DVec3)| self.skeleton.joints[*joint].parent.is_none();
        let (roots, others): (Vec<_>, Vec<_>) = joints.iter().partition(is_root);
        let translations = roots.iter().map(|(_, translation)| *translation);
        let error = largest_error(translations.chain([matrix.w_axis.truncate()]));
        let mut unlisted = largest_error(others.iter().map(|(_, translation)| *translation));
        self.transform = Some(matrix.as_mat4()).filter(|transform| *transform != Mat4::IDENTITY);
        let extent = if error > 0.0 {
            self.extent_at_rest()
        } else {
            Extent::default()
        };
        if error > 0.0 && extent.needs_64_bits(error) {
            let has_joints = !self.skeleton.joints.is_empty();
            if self.lods.is_empty() && !has_joints {
                self.transform = None;
                self.move_to_nodes(matrix);
            } else if !self.lods.is_empty()
                || self.has_unbound_vertices()
                || !self.move_to_roots(matrix, extent.center(), &roots)
            {
                unlisted = unlisted.max(error);
            }
        }
        self.record_rounded(unlisted, 1.0, losses);
    }

    fn move_to_nodes(&mut self, transform: DMat4) {
        for mesh in &mut self.meshes {
            if mesh.placements.is_empty() {
                mesh.placements.push(Placement::default());
            }
        }
        self.transform_f64(transform);
    }

    /// Returns `true` if a skinned mesh has vertices that no joint influences.
    fn has_unbound_vertices(&self) -> bool {
        let mut skinned = self.meshes.iter().filter(|mesh| !mesh.skins.is_empty());
        skinned.any(|mesh| {
            (0..mesh.positions.len()).any(|vertex| influences(&mesh.skins, vertex).is_empty())
        })
    }

    /// Rounds the transform to 32 bits, its translation to whole units. To compensate, moves root joints and unskinned
    /// meshes near the origin. `center` is the scene centre before the transform. Returns `false`, without changes, if
    /// the offsets are not finite.
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
        self.transform = Some(Mat4 {
            w_axis: whole.extend(1.0),
            ..rounded
        });
        for root in 0..self.skeleton.joints.len() {
            // Without a rest pose, a root would stay in its bind pose.
            if self.skeleton.joints[root].parent.is_none() {
                self.skeleton.joints[root].rest = Some(self.skeleton.rest_transform(root));
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
            mesh.transform_placed(DMat4::from_translation(shift));
        }
        true
    }
}
