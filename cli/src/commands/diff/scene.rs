//! Compares two scenes: counts, names, attributes, bounds, surfaces and poses.

use std::collections::BTreeSet;

use glam::DVec3;
use meshspec::scene::{Animation, Scene};

use super::difference::{Difference, DifferenceKind, Differences};
use crate::failure::Result;
use crate::model::{Model, PoseSelection, bounding_box};
use crate::surface::Surface;

/// A function that returns a property of a scene.
type SceneProperty<T> = fn(&Scene) -> T;

/// Two scenes to compare, each with its file name for messages.
pub struct SceneComparison<'s> {
    pub scenes: [(Scene, &'s str); 2],
    /// The largest ignored distance in metres, and the largest ignored difference of durations in seconds.
    pub tolerance: f64,
}

impl SceneComparison<'_> {
    /// Compares the scenes and adds their differences.
    pub fn compare(&self, differences: &mut Differences) -> Result<()> {
        let [a, b] = [&self.scenes[0].0, &self.scenes[1].0];
        let counts: [(&str, SceneProperty<usize>); 5] = [
            ("meshes", |scene| scene.meshes.len()),
            ("vertices", |scene| scene.meshes.iter().map(|mesh| mesh.positions.len()).sum()),
            ("triangles", |scene| scene.info().meshes.iter().map(|(_, triangles)| *triangles as usize).sum()),
            ("joints", |scene| scene.skeleton.joints.len()),
            ("lods", |scene| scene.lods.len()),
        ];
        for (name, count) in counts {
            let [from, to] = [count(a), count(b)];
            if from != to {
                let by = from.abs_diff(to) as f64;
                differences.push(Difference::changed(name, from.to_string(), to.to_string(), Some(by)));
            }
        }
        let names: [(&str, SceneProperty<BTreeSet<String>>); 4] = [
            ("attributes", attribute_names),
            ("materials", |scene| scene.info().materials.into_iter().collect()),
            ("textures", |scene| scene.info().textures.into_iter().collect()),
            ("animations", |scene| named_animations(scene).map(|(name, _)| name).collect()),
        ];
        for (list, names) in names {
            let [from, to] = [names(a), names(b)];
            let mut missing = |kind, names: &mut dyn Iterator<Item = &String>| {
                for name in names {
                    differences.push(Difference::missing(format!("{list}[\"{name}\"]"), kind, None));
                }
            };
            missing(DifferenceKind::Removed, &mut from.difference(&to));
            missing(DifferenceKind::Added, &mut to.difference(&from));
        }
        self.compare_surfaces("", &PoseSelection::default(), true, differences)?;
        for (name, animation) in named_animations(a) {
            if let Some((_, other)) = named_animations(b).find(|(other, _)| *other == name) {
                self.compare_animation(&name, [animation, other], differences)?;
            }
        }
        Ok(())
    }

    /// Compares the durations of an animation that both scenes have, and the poses at the start, middle and end of the
    /// shorter duration.
    fn compare_animation(
        &self,
        name: &str,
        pair: [&Animation; 2],
        differences: &mut Differences,
    ) -> Result<()> {
        let [duration, other] = pair.map(|animation| animation.ticks_to_seconds(animation.duration));
        let by = f64::from((duration - other).abs());
        if by > self.tolerance {
            let path = format!("animations[\"{name}\"].duration");
            differences.push(Difference::changed(
                path,
                format!("{duration} s"),
                format!("{other} s"),
                Some(by),
            ));
        }
        for seconds in [0.0, 0.5, 1.0].map(|part| part * duration.min(other)) {
            let pose = PoseSelection { animation: Some(name.to_owned()), time: Some(seconds) };
            self.compare_surfaces(&format!("animations[\"{name}\"]@{seconds}."), &pose, false, differences)?;
        }
        Ok(())
    }

    /// Compares the scenes in the given pose. Compares the bounds only if `is_rest` is set. If both scenes have
    /// triangles, compares the distances of vertices and triangle centres from the other scene's surface, and
    /// reports them as one difference at the path `{path_prefix}surface`.
    fn compare_surfaces(
        &self,
        path_prefix: &str,
        pose: &PoseSelection,
        is_rest: bool,
        differences: &mut Differences,
    ) -> Result<()> {
        let (mut models, mut boxes) = (Vec::new(), Vec::new());
        for (scene, name) in &self.scenes {
            let mut scene = scene.clone();
            if pose.apply(&mut scene).is_ok() {
                let positions = scene.meshes.iter().flat_map(|mesh| &mesh.positions);
                let of_points = bounding_box(positions.map(|position| DVec3::from(position.map(f64::from))));
                let model = Model::new(scene, name).ok();
                // Without triangles, includes unused vertices.
                boxes.push(
                    model.as_ref().map_or(of_points, |model| bounding_box(model.points.iter().copied())),
                );
                models.extend(model);
            }
        }
        if let (true, &[a, b]) = (is_rest, &boxes[..]) {
            for (name, [from, to]) in ["min", "max"].into_iter().zip(transposed(a, b)) {
                let by = (from - to).abs().max_element();
                if by > self.tolerance {
                    let [from, to] = [from, to].map(|at| format!("[{}, {}, {}]", at.x, at.y, at.z));
                    differences.push(Difference::changed(format!("bounds.{name}"), from, to, Some(by)));
                }
            }
        }
        let [a, b] = &models[..] else { return Ok(()) };
        let [to_a, to_b] = [Surface::new(b).distances(a), Surface::new(a).distances(b)];
        let distances = || to_a.iter().chain(to_b.iter());
        let distant = distances().filter(|distance| *distance > self.tolerance).count();
        if distant > 0 {
            let by = distances().fold(0.0, f64::max);
            let (path, kind, count) =
                (format!("{path_prefix}surface"), DifferenceKind::Changed, distant as u64);
            differences.push(Difference { path, kind, count, from: None, to: None, by: Some(by) });
        }
        Ok(())
    }
}

/// Returns the animations of a scene, each with its name, or with its index if the name is empty or a duplicate.
fn named_animations(scene: &Scene) -> impl Iterator<Item = (String, &Animation)> {
    scene.animations.iter().enumerate().map(|(index, animation)| {
        let is_known = scene.animations[..index].iter().any(|earlier| earlier.name == animation.name);
        match &*animation.name {
            name if !name.is_empty() && !is_known => (name.to_owned(), animation),
            _ => (index.to_string(), animation),
        }
    })
}

/// Returns the names of all vertex attributes in a scene.
fn attribute_names(scene: &Scene) -> BTreeSet<String> {
    let info = scene.info();
    let attributes = info.meshes.iter().flat_map(|(mesh, _)| &mesh.attributes);
    attributes.map(|attribute| attribute.name.to_string()).collect()
}

fn transposed<T: Copy>([a, b]: [T; 2], [c, d]: [T; 2]) -> [[T; 2]; 2] {
    [[a, c], [b, d]]
}
