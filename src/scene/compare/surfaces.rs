//! Compares the surfaces of two scenes, in the rest pose and in animations.

use glam::DVec3;

use super::{Comparison, DifferenceKind, SceneDifference, point_text, posed_scene};
use crate::scene::exact::Extent;
use crate::scene::{Animation, Model, Scene, Surface, Transform};
use crate::{Quantity, Result};

/// The largest ignored distance of skinned positions, relative to the largest coordinate: rounding of 32-bit matrix
/// products.
const POSE_ROUNDING: f64 = 2e-6;

impl Comparison<'_> {
    /// Compares bounds and surfaces in the rest pose.
    pub(super) fn compare_surfaces(&mut self) -> Result<()> {
        self.note_compared("bounds");
        self.compare_in_pose("", [None, None], true)
    }

    /// Compares the surfaces at the start, middle and end of an animation that both scenes have, up to the shorter
    /// duration.
    pub(super) fn compare_animated_surfaces(
        &mut self,
        key: &str,
        pair: [&Animation; 2],
    ) -> Result<()> {
        let [duration, other] =
            pair.map(|animation| animation.ticks_to_seconds(animation.duration));
        // At the end of a loop, rounding decides between the last pose and the first one.
        let last = if pair.iter().any(|animation| animation.looped) {
            0.99
        } else {
            1.0
        };
        for seconds in [0.0, 0.5, last].map(|part| part * duration.min(other)) {
            let prefix = format!("animations[{key}]@{seconds}.");
            let [a, b] = [0, 1].map(|side| {
                let ticks = pair[side].seconds_to_ticks(seconds);
                pair[side].pose(&self.scenes[side].skeleton, ticks)
            });
            self.compare_in_pose(&prefix, [Some(&a), Some(&b)], false)?;
        }
        Ok(())
    }

    /// Compares the scenes in poses, as of [`posed_scene`]. Compares the bounds only if `is_rest` is set. Without
    /// triangles, compares the distances of points.
    fn compare_in_pose(
        &mut self,
        prefix: &str,
        poses: [Option<&[Transform]>; 2],
        is_rest: bool,
    ) -> Result<()> {
        let mut models = Vec::new();
        let mut rounding = 0.0_f64;
        for (scene, pose) in self.scenes.into_iter().zip(poses) {
            let posed = posed_scene(scene, pose);
            rounding = rounding
                .max(pose_rounding(scene))
                .max(pose_rounding(&posed));
            let finest = posed.finest_meshes();
            models.push(Model::of_meshes(posed, &finest)?);
        }
        let [a, b] = &*models else { return Ok(()) };
        if is_rest {
            self.compare_bounds([a, b], rounding);
        }
        let points_only = a.triangles.is_empty() && b.triangles.is_empty();
        let surfaces = [a, b].map(|model| match points_only {
            true => {
                let finite = model.points.iter().filter(|point| point.is_finite());
                Surface::from_triangles(finite.map(|point| [*point; 3]))
            }
            false => Surface::new(model),
        });
        if surfaces.iter().any(Surface::is_empty) {
            return Ok(());
        }
        let part = if points_only { "points" } else { "surface" };
        self.note_compared(if points_only { "points" } else { "surfaces" });
        let [of_a, of_b] = &surfaces;
        let [from_b, from_a] = [of_b.distances(a), of_a.distances(b)];
        let above_rounding = |distance: f64| if distance <= rounding { 0.0 } else { distance };
        let distances = || from_b.iter().chain(from_a.iter()).map(above_rounding);
        let (mut compared, mut above, mut largest, mut sum) = (0_u64, 0_u64, 0.0_f64, 0.0);
        for distance in distances() {
            compared += 1;
            above += u64::from(distance > self.tolerance);
            largest = largest.max(distance);
            sum += distance;
        }
        if above > 0 {
            let farthest = a
                .points
                .iter()
                .zip(&from_b.vertices)
                .chain(b.points.iter().zip(&from_a.vertices))
                .max_by(|(_, a), (_, b)| a.total_cmp(b))
                .filter(|(_, distance)| **distance == largest);
            let difference =
                SceneDifference::new(format!("{prefix}{part}"), DifferenceKind::Changed, above)
                    .by(largest, Quantity::POSITIONS);
            self.add([SceneDifference {
                compared: Some(compared),
                mean: Some(sum / compared as f64),
                at: farthest.map(|(point, _)| point_text(*point)),
                ..difference
            }]);
        }
        Ok(())
    }

    fn compare_bounds(&mut self, models: [&Model; 2], rounding: f64) {
        let [a, b] = models.map(|model| {
            let mut extent = Extent::default();
            model
                .points
                .iter()
                .filter(|point| point.is_finite())
                .for_each(|point| extent.add(*point));
            extent
        });
        // Adding 0 turns −0 into 0 and changes no other number.
        let corners = [("min", a.min, b.min), ("max", a.max, b.max)]
            .map(|(name, from, to)| (name, from + DVec3::ZERO, to + DVec3::ZERO));
        for (name, from, to) in corners {
            let by = (from - to).abs().max_element();
            if by > self.tolerance.max(rounding) {
                let text = |at: DVec3| format!("[{}, {}, {}]", at.x, at.y, at.z);
                let difference =
                    SceneDifference::changed(format!("bounds.{name}"), text(from), text(to));
                self.add([difference.by(by, Quantity::POSITIONS)]);
            }
        }
    }
}

/// Returns the largest ignored distance of skinned positions; 0 if no vertex is skinned.
fn pose_rounding(scene: &Scene) -> f64 {
    let skinned = scene
        .meshes
        .iter()
        .filter(|mesh| !mesh.skins.is_empty() && !scene.skeleton.joints.is_empty());
    let coordinates = skinned
        .flat_map(|mesh| mesh.positions.as_flattened())
        .filter(|x| x.is_finite());
    POSE_ROUNDING
        * coordinates
            .map(|coordinate| f64::from(coordinate.abs()))
            .fold(0.0, f64::max)
}
