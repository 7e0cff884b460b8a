//! The comparison of two scenes: counts, names, surfaces, attributes, materials, joints and animations.

mod attributes;
mod corner_index;
mod corners;
mod joints;
mod matching;
mod materials;
mod surfaces;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use glam::DVec3;

use self::corners::CornerSet;
use super::{Animation, Model, Scene, Transform};
use crate::{Limits, Quantity, Result, Unit};

/// A function that returns a property of a scene.
type SceneProperty<T> = fn(&Scene) -> T;

/// Options for [`compare`].
///
/// ```
/// use meshspec::scene::CompareOptions;
///
/// let options = CompareOptions::default().with_tolerance(1e-3);
/// assert_eq!(options.tolerance, 1e-3);
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CompareOptions {
    /// The largest ignored difference, in the unit of each quantity: metres, degrees, seconds or plain numbers.
    pub tolerance: f64,
    /// The maximum number of triangles, and of vertices, of each scene after applying its placements.
    pub max_triangles: u64,
}

impl Default for CompareOptions {
    fn default() -> CompareOptions {
        CompareOptions {
            tolerance: 0.0,
            max_triangles: Limits::default().max_triangles,
        }
    }
}

impl CompareOptions {
    /// Sets the largest ignored difference.
    pub fn with_tolerance(self, tolerance: f64) -> CompareOptions {
        CompareOptions { tolerance, ..self }
    }
}

/// The result of [`compare`].
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct SceneComparison {
    /// The compared parts, as plural nouns: `counts`, `normals`, `materials`. Attributes that only one scene has, or
    /// whose corners have no counterpart, are missing.
    pub compared: Vec<String>,
    /// The differences.
    pub differences: Vec<SceneDifference>,
    /// The corners of triangles whose attributes are not compared.
    pub uncompared: UncomparedCorners,
}

/// The numbers of corners of triangles whose attributes [`compare`] does not compare, in the first and in the second
/// scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct UncomparedCorners {
    /// Corners without a counterpart: no triangle of the other scene faces the same way within 1 % of its size.
    pub without_counterpart: [u64; 2],
    /// Corners of triangles without an area.
    pub without_area: [u64; 2],
}

impl UncomparedCorners {
    fn add(&mut self, other: &UncomparedCorners) {
        let counts = self
            .without_counterpart
            .iter_mut()
            .chain(&mut self.without_area);
        let others = other.without_counterpart.iter().chain(&other.without_area);
        counts
            .zip(others)
            .for_each(|(count, other)| *count += other);
    }
}

/// A difference between two scenes.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SceneDifference {
    /// The path of the compared property: `attributes["normal"]`.
    pub path: String,
    /// Whether the property is changed, removed or added.
    pub kind: DifferenceKind,
    /// The number of values that differ by more than the tolerance, or are missing: corners of triangles for
    /// attributes, vertices and triangle centres for surfaces.
    pub count: u64,
    /// The number of compared values; `None` for a single value.
    pub compared: Option<u64>,
    /// The value in the first scene; `None` for several values.
    pub from: Option<String>,
    /// The value in the second scene; `None` for several values.
    pub to: Option<String>,
    /// The largest difference, in the unit of `quantity`; `None` unless the values are numbers.
    pub largest: Option<f64>,
    /// The mean difference of all compared values; `None` for a single value.
    pub mean: Option<f64>,
    /// The quantity of `largest` and `mean`.
    pub quantity: Option<Quantity>,
    /// The location of the largest difference: a position in metres, or a joint and a time.
    pub at: Option<String>,
}

/// The kind of a difference between two files or scenes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "snake_case")
)]
pub enum DifferenceKind {
    /// Different in both.
    Changed,
    /// Only in the first.
    Removed,
    /// Only in the second.
    Added,
}

impl SceneDifference {
    fn new(path: impl Into<String>, kind: DifferenceKind, count: u64) -> SceneDifference {
        SceneDifference {
            path: path.into(),
            kind,
            count,
            compared: None,
            from: None,
            to: None,
            largest: None,
            mean: None,
            quantity: None,
            at: None,
        }
    }

    fn changed(path: impl Into<String>, from: impl ToString, to: impl ToString) -> SceneDifference {
        let difference = SceneDifference::new(path, DifferenceKind::Changed, 1);
        SceneDifference {
            from: Some(from.to_string()),
            to: Some(to.to_string()),
            ..difference
        }
    }

    fn by(self, largest: f64, quantity: Quantity) -> SceneDifference {
        SceneDifference {
            largest: Some(largest),
            quantity: Some(quantity),
            ..self
        }
    }
}

/// Plain counts.
const COUNTS: Quantity = Quantity::new("counts", Unit::None);

/// Statistics of one compared quantity.
#[derive(Debug, Clone, Default)]
struct Tally {
    compared: u64,
    above: u64,
    largest: f64,
    sum: f64,
    at: Option<String>,
}

impl Tally {
    /// Adds the difference of one value. `at` returns its location.
    fn add(&mut self, difference: f64, tolerance: f64, at: impl FnOnce() -> String) {
        // A number and NaN differ infinitely.
        let difference = if difference.is_nan() {
            f64::INFINITY
        } else {
            difference
        };
        self.compared += 1;
        self.sum += difference;
        if difference > tolerance {
            self.above += 1;
            if difference > self.largest {
                self.at = Some(at());
            }
        }
        self.largest = self.largest.max(difference);
    }

    /// Returns the difference at `path`; `None` if no value differs by more than the tolerance.
    fn difference(self, path: String, quantity: Quantity) -> Option<SceneDifference> {
        (self.above > 0).then(|| SceneDifference {
            compared: Some(self.compared),
            mean: Some(self.sum / self.compared as f64),
            at: self.at,
            ..SceneDifference::new(path, DifferenceKind::Changed, self.above)
                .by(self.largest, quantity)
        })
    }
}

/// Compares two scenes.
///
/// Corners of triangles are matched by their position and face, so the order of vertices and faces, the split into
/// meshes, and the names of meshes do not matter. Where the triangulation differs, attributes are interpolated. Where
/// positions are shifted so far that the counterpart of a corner is uncertain, the difference is the smallest to any
/// corner in reach. Triangles with the same corners and opposite windings differ in `triangles.winding`. Joints are
/// matched by name, and influences are added up per joint.
///
/// ```
/// # #[cfg(feature = "mesh")] {
/// use meshspec::scene::{Scene, compare};
///
/// let (scene, _) = Scene::open("samples/mesh/flag.mesh")?;
/// let mut shifted = scene.clone();
/// shifted.meshes[0].uvs.iter_mut().flatten().for_each(|uv| uv[0] += 0.25);
/// let comparison = compare(&scene, &shifted, &Default::default())?;
/// let difference = &comparison.differences[0];
/// assert_eq!((&*difference.path, difference.largest), ("attributes[\"uv0\"]", Some(0.25)));
/// # }
/// # Ok::<(), meshspec::Error>(())
/// ```
///
/// # Errors
///
/// Returns an error if the scenes have too many triangles with all placements applied.
pub fn compare(a: &Scene, b: &Scene, options: &CompareOptions) -> Result<SceneComparison> {
    let mut baked = [baked(a, options)?, baked(b, options)?];
    // Scenes are copied for each pose.
    let animations = baked
        .each_mut()
        .map(|scene| std::mem::take(&mut scene.animations));
    let mut comparison = Comparison {
        scenes: [&baked[0], &baked[1]],
        animations: [&animations[0], &animations[1]],
        tolerance: options.tolerance,
        result: SceneComparison::default(),
    };
    comparison.compare_counts();
    comparison.compare_names();
    comparison.compare_values();
    comparison.compare_surfaces()?;
    comparison.compare_attributes()?;
    comparison.compare_joints();
    comparison.compare_animations()?;
    Ok(comparison.result)
}

/// Returns the scene with all placements applied.
fn baked(scene: &Scene, options: &CompareOptions) -> Result<Scene> {
    let mut scene = scene.clone();
    // Ignores losses: names and extras of nodes are not compared.
    scene.bake(options.max_triangles, &mut Vec::new(), |_, _| true)?;
    Ok(scene)
}

struct Comparison<'s> {
    /// The scenes without their animations.
    scenes: [&'s Scene; 2],
    animations: [&'s [Animation]; 2],
    tolerance: f64,
    result: SceneComparison,
}

impl Comparison<'_> {
    fn add(&mut self, difference: impl IntoIterator<Item = SceneDifference>) {
        self.result.differences.extend(difference);
    }

    fn note_compared(&mut self, part: impl Into<String>) {
        let part = part.into();
        if !self.result.compared.contains(&part) {
            self.result.compared.push(part);
        }
    }

    fn compare_counts(&mut self) {
        self.note_compared("counts");
        let counts: [(&str, SceneProperty<u64>); 5] = [
            ("meshes", |scene| scene.meshes.len() as u64),
            ("vertices", |scene| {
                scene
                    .meshes
                    .iter()
                    .map(|mesh| mesh.positions.len() as u64)
                    .sum()
            }),
            ("triangles", |scene| {
                scene.meshes.iter().map(|mesh| mesh.triangle_count()).sum()
            }),
            ("joints", |scene| scene.skeleton.joints.len() as u64),
            // A scene without levels displays its meshes as a scene with one.
            ("lods", |scene| scene.lods.len().max(1) as u64),
        ];
        for (name, count) in counts {
            let [from, to] = self.scenes.map(count);
            if from != to {
                let by = from.abs_diff(to) as f64;
                self.add([SceneDifference::changed(name, from, to).by(by, COUNTS)]);
            }
        }
    }

    fn compare_names(&mut self) {
        self.note_compared("names");
        let keys: [(&str, SceneProperty<BTreeSet<String>>); 3] = [
            ("meshes", |scene| {
                let names = scene.meshes.iter().map(|mesh| &mesh.name);
                names
                    .filter(|name| !name.is_empty())
                    .map(|name| quoted(name))
                    .collect()
            }),
            ("materials", |scene| {
                scene
                    .info()
                    .materials
                    .iter()
                    .map(|name| quoted(name))
                    .collect()
            }),
            ("textures", |scene| {
                scene
                    .info()
                    .textures
                    .iter()
                    .map(|name| quoted(name))
                    .collect()
            }),
        ];
        for (list, keys) in keys {
            self.compare_keys(list, self.scenes.map(keys));
        }
        let animations = self.animations.map(keyed_animations);
        self.compare_keys(
            "animations",
            animations.map(|animations| animations.into_keys().collect()),
        );
    }

    fn compare_keys(&mut self, list: &str, [from, to]: [BTreeSet<String>; 2]) {
        let missing = |kind, key: &String| SceneDifference::new(format!("{list}[{key}]"), kind, 1);
        self.add(
            from.difference(&to)
                .map(|key| missing(DifferenceKind::Removed, key)),
        );
        self.add(
            to.difference(&from)
                .map(|key| missing(DifferenceKind::Added, key)),
        );
    }

    /// Compares the distances of levels of detail, the properties and the user data.
    fn compare_values(&mut self) {
        let [a, b] = self.scenes;
        let [distances, others] = [a, b].map(distances_of_levels);
        for (level, (from, to)) in distances.into_iter().zip(others).enumerate() {
            let by = f64::from((from - to).abs());
            if by > self.tolerance {
                let difference =
                    SceneDifference::changed(format!("lods[{level}].distance"), from, to);
                self.add([difference.by(by, Quantity::DISTANCES)]);
            }
        }
        if a.lods.len().max(b.lods.len()) > 0 {
            self.note_compared("levels of detail");
        }
        let value_in = |scene: &Scene, name: &str| {
            let same = |(other, _): &&(String, String)| other == name;
            scene
                .properties
                .iter()
                .find(same)
                .map(|(_, value)| value.clone())
        };
        let names: BTreeSet<&String> = a
            .properties
            .iter()
            .chain(&b.properties)
            .map(|(name, _)| name)
            .collect();
        if !names.is_empty() {
            self.note_compared("properties");
        }
        for name in names {
            let path = format!("properties[\"{name}\"]");
            let difference = match (value_in(a, name), value_in(b, name)) {
                (Some(from), Some(to)) if from != to => SceneDifference::changed(path, from, to),
                (Some(_), None) => SceneDifference::new(path, DifferenceKind::Removed, 1),
                (None, Some(_)) => SceneDifference::new(path, DifferenceKind::Added, 1),
                _ => continue,
            };
            self.add([difference]);
        }
        if !a.user_data.is_empty() || !b.user_data.is_empty() {
            self.note_compared("user data");
            if a.user_data != b.user_data {
                let size = |scene: &Scene| format!("{} bytes", scene.user_data.len());
                self.add([SceneDifference::changed("user_data", size(a), size(b))]);
            }
        }
    }

    /// Compares the attributes and materials of each level of detail in the rest pose.
    fn compare_attributes(&mut self) -> Result<()> {
        let [a, b] = self.scenes;
        let joints = joints::JointPairs::new([a, b]);
        let posed = [posed_scene(a, None), posed_scene(b, None)];
        // Scenes with fewer levels are compared up to their last.
        for level in 0..a.lods.len().min(b.lods.len()).max(1) {
            let prefix = if level == 0 {
                String::new()
            } else {
                format!("lods[{level}].")
            };
            let set = |scene: &Scene| {
                let meshes = meshes_of_level(scene, level);
                Model::of_meshes(scene.clone(), &meshes).map(CornerSet::new)
            };
            let mut sets = [set(&posed[0])?, set(&posed[1])?];
            let [a, b] = &mut sets;
            let points_only = a.model.triangles.is_empty() && b.model.triangles.is_empty();
            if points_only {
                a.add_points();
                b.add_points();
            }
            let found =
                attributes::compare(&prefix, [a, b], self.tolerance, &joints.in_a, |pairs| {
                    materials::compare([&posed[0], &posed[1]], pairs, self.tolerance)
                });
            self.add(found.differences);
            for part in found.compared {
                self.note_compared(part);
            }
            self.result.uncompared.add(&found.uncompared);
        }
        Ok(())
    }
}

/// Returns the distances of the levels of detail. Scenes without levels are displayed at any distance.
fn distances_of_levels(scene: &Scene) -> Vec<f32> {
    let distances: Vec<f32> = scene.lods.iter().map(|level| level.distance).collect();
    if distances.is_empty() {
        vec![0.0]
    } else {
        distances
    }
}

/// Returns one flag per mesh: `true` if the mesh is displayed in the level of detail `level`, counted from the finest,
/// and at no finer level.
fn meshes_of_level(scene: &Scene, level: usize) -> Vec<bool> {
    if level == 0 {
        return scene.finest_meshes();
    }
    let mut lods: Vec<_> = scene.lods.iter().collect();
    lods.sort_by(|a, b| a.distance.total_cmp(&b.distance));
    let meshes = lods.get(level).map_or(&[][..], |lod| &lod.meshes);
    (0..scene.meshes.len())
        .map(|mesh| meshes.contains(&mesh))
        .collect()
}

/// Returns the scene with its vertices moved to a pose, then its transform applied. `local` are the transforms of the
/// joints relative to their parents; `None` is the rest pose.
fn posed_scene(scene: &Scene, local: Option<&[Transform]>) -> Scene {
    let mut scene = scene.clone();
    if local.is_some() {
        scene.set_rest_transforms(local);
    }
    scene.apply_rest_pose();
    // Last, since it may add a joint with a rest transform to joints without one.
    scene.apply_transform();
    scene
}

/// Returns animations by their keys in paths: the name in quotes, or the index if the name is empty or a duplicate.
fn keyed_animations(animations: &[Animation]) -> BTreeMap<String, &Animation> {
    let mut seen = HashSet::new();
    let keyed = animations.iter().enumerate().map(|(index, animation)| {
        let is_named = !animation.name.is_empty() && seen.insert(&*animation.name);
        let key = if is_named {
            quoted(&animation.name)
        } else {
            index.to_string()
        };
        (key, animation)
    });
    keyed.collect()
}

/// Returns a name as the key of an item in a path.
fn quoted(name: &str) -> String {
    format!("\"{name}\"")
}

/// Formats a point as a list of three coordinates.
fn point_text(at: DVec3) -> String {
    // Adding 0 turns −0 into 0 and changes no other number.
    let [x, y, z] = at.to_array().map(|coordinate| coordinate as f32 + 0.0);
    format!("[{x}, {y}, {z}]")
}
