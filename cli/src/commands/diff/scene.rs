//! Comparison of two scenes: counts, names, attributes, bounds, surfaces and poses.

use std::collections::BTreeSet;

use glam::DVec3;
use meshspec::scene::{Animation, Scene};

use super::difference::{Difference, Differences, Kind};
use crate::failure::Result;
use crate::model::{Model, Moment, bounds};
use crate::surface::Surface;

/// A property of a scene.
type Of<T> = fn(&Scene) -> T;

/// Two scenes, each with its name in messages.
pub struct Comparison<'s> {
    pub scenes: [(Scene, &'s str); 2],
    /// The largest ignored distance, in metres.
    pub tolerance: f64,
}

impl Comparison<'_> {
    /// Compares the scenes.
    pub fn compare(&self, differences: &mut Differences) -> Result<()> {
        let [a, b] = [&self.scenes[0].0, &self.scenes[1].0];
        let counts: [(&str, Of<usize>); 5] = [
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
                differences.add(Difference::changed(name, from.to_string(), to.to_string(), Some(by)));
            }
        }
        let names: [(&str, Of<BTreeSet<String>>); 4] = [
            ("attributes", attributes),
            ("materials", |scene| scene.info().materials.into_iter().collect()),
            ("textures", |scene| scene.info().textures.into_iter().collect()),
            ("animations", |scene| animations(scene).map(|(name, _)| name).collect()),
        ];
        for (list, names) in names {
            let [from, to] = [names(a), names(b)];
            let mut missing = |kind, names: &mut dyn Iterator<Item = &String>| {
                for name in names {
                    differences.add(Difference::missing(format!("{list}[\"{name}\"]"), kind, None));
                }
            };
            missing(Kind::Removed, &mut from.difference(&to));
            missing(Kind::Added, &mut to.difference(&from));
        }
        self.surfaces("", &Moment::default(), true, differences)?;
        for (name, animation) in animations(a) {
            if let Some((_, other)) = animations(b).find(|(other, _)| *other == name) {
                self.animation(&name, [animation, other], differences)?;
            }
        }
        Ok(())
    }

    /// Compares the poses at the start, middle and end of a shared animation.
    fn animation(&self, name: &str, pair: [&Animation; 2], differences: &mut Differences) -> Result<()> {
        let [duration, other] = pair.map(|animation| animation.seconds(animation.duration));
        let by = f64::from((duration - other).abs());
        if by > self.tolerance {
            let path = format!("animations[\"{name}\"].duration");
            differences.add(Difference::changed(
                path,
                format!("{duration} s"),
                format!("{other} s"),
                Some(by),
            ));
        }
        for seconds in [0.0, 0.5, 1.0].map(|part| part * duration.min(other)) {
            let moment = Moment { animation: Some(name.to_owned()), time: Some(seconds) };
            self.surfaces(&format!("animations[\"{name}\"]@{seconds}."), &moment, false, differences)?;
        }
        Ok(())
    }

    /// Compares the bounds in a pose, and the distances of vertices and triangles from the other surface. A scene without
    /// triangles has no surface.
    fn surfaces(
        &self,
        path: &str,
        moment: &Moment,
        is_rest: bool,
        differences: &mut Differences,
    ) -> Result<()> {
        let (mut models, mut boxes) = (Vec::new(), Vec::new());
        for (scene, place) in &self.scenes {
            let mut scene = scene.clone();
            if moment.apply(&mut scene).is_ok() {
                let all = scene.meshes.iter().flat_map(|mesh| &mesh.positions);
                let of_points = bounds(all.map(|position| DVec3::from(position.map(f64::from))));
                let model = Model::new(scene, place).ok();
                // Unused vertices count only without a surface.
                boxes.push(model.as_ref().map_or(of_points, |model| bounds(model.points.iter().copied())));
                models.extend(model);
            }
        }
        if let (true, &[a, b]) = (is_rest, &boxes[..]) {
            for (name, [from, to]) in ["min", "max"].into_iter().zip(transposed(a, b)) {
                let by = (from - to).abs().max_element();
                if by > self.tolerance {
                    let [from, to] = [from, to].map(|at| format!("[{}, {}, {}]", at.x, at.y, at.z));
                    differences.add(Difference::changed(format!("bounds.{name}"), from, to, Some(by)));
                }
            }
        }
        let [a, b] = &models[..] else { return Ok(()) };
        let [to_a, to_b] = [Surface::of(b).distances(a), Surface::of(a).distances(b)];
        let all = || to_a.iter().chain(to_b.iter());
        let far = all().filter(|distance| *distance > self.tolerance).count();
        if far > 0 {
            let by = all().fold(0.0, f64::max);
            let (path, kind, count) = (format!("{path}surface"), Kind::Changed, far as u64);
            differences.add(Difference { path, kind, count, from: None, to: None, by: Some(by) });
        }
        Ok(())
    }
}

/// Returns the animations of a scene by name, or by number if the name is empty or a duplicate.
fn animations(scene: &Scene) -> impl Iterator<Item = (String, &Animation)> {
    scene.animations.iter().enumerate().map(|(index, animation)| {
        let is_known = scene.animations[..index].iter().any(|earlier| earlier.name == animation.name);
        match &*animation.name {
            name if !name.is_empty() && !is_known => (name.to_owned(), animation),
            _ => (index.to_string(), animation),
        }
    })
}

/// Returns the names of the attributes of all meshes.
fn attributes(scene: &Scene) -> BTreeSet<String> {
    let info = scene.info();
    let all = info.meshes.iter().flat_map(|(mesh, _)| &mesh.attributes);
    all.map(|attribute| attribute.name.to_string()).collect()
}

fn transposed<T: Copy>([a, b]: [T; 2], [c, d]: [T; 2]) -> [[T; 2]; 2] {
    [[a, c], [b, d]]
}
