//! Compares the attributes of matched corners.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use glam::DVec3;

use super::corners::{CornerSet, Spot};
use super::matching::{CornerMatch, Correspondence, match_corners};
use super::{DifferenceKind, SceneDifference, Tally, UncomparedCorners, point_text};
use crate::Quantity;
use crate::scene::mesh::Components;
use crate::scene::pose::joint_weights;
use crate::scene::{Colors, Mesh, UvOrigin};

/// The largest ignored angle in degrees: rounding of 32-bit unit vectors in a few matrix products.
const ANGLE_ROUNDING: f64 = 1e-3;

/// The largest ignored difference of weights: rounding of a sum of 32-bit weights.
const WEIGHT_ROUNDING: f64 = 1e-6;

/// The largest ignored difference of interpolated numbers, relative to the larger one: rounding of both to 32 bits.
const INTERPOLATION_ROUNDING: f64 = 1e-5;

/// The largest ignored difference of texture coordinates that were flipped, relative to the larger one.
const FLIP_ROUNDING: f64 = 1.2e-7;

/// The largest ignored difference of colours: rounding of bytes that became 32-bit numbers.
const COLOR_ROUNDING: f64 = 6e-8;

/// The cost of a counterpart in another mesh, which decides only between those that fit equally well.
const TIE_BREAK: f64 = 1e-9;

/// An attribute of vertices.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Attribute {
    Normals,
    Tangents,
    Uvs(usize),
    Colors(usize),
    Weights,
    Custom(String),
}

/// The value of an attribute at a point.
enum Value {
    /// A direction, zero if invalid, and the handedness of the bitangent.
    Direction(DVec3, f64),
    Numbers([f64; 4]),
    /// The fraction of the total weight by joint.
    Weights(BTreeMap<usize, f64>),
}

impl Attribute {
    /// Returns the name in paths, as in summaries of scenes.
    fn path_name(&self) -> String {
        match self {
            Attribute::Normals => "normal".to_owned(),
            Attribute::Tangents => "tangent".to_owned(),
            Attribute::Uvs(set) => format!("uv{set}"),
            Attribute::Colors(set) => format!("color{set}"),
            Attribute::Weights => "weights".to_owned(),
            Attribute::Custom(name) => name.clone(),
        }
    }

    /// Returns the plural noun.
    fn title(&self) -> String {
        match self {
            Attribute::Normals => "normals".to_owned(),
            Attribute::Tangents => "tangents".to_owned(),
            Attribute::Uvs(0) => "texture coordinates".to_owned(),
            Attribute::Uvs(set) => format!("texture coordinates {set}"),
            Attribute::Colors(0) => "colours".to_owned(),
            Attribute::Colors(set) => format!("colours {set}"),
            Attribute::Weights => "weights".to_owned(),
            Attribute::Custom(name) => format!("\"{name}\""),
        }
    }

    fn quantity(&self) -> Quantity {
        match self {
            Attribute::Normals => Quantity::NORMALS,
            Attribute::Tangents => Quantity::TANGENTS,
            Attribute::Uvs(_) => Quantity::TEXTURE_COORDINATES,
            Attribute::Colors(_) => Quantity::COLORS,
            Attribute::Weights => Quantity::WEIGHTS,
            Attribute::Custom(_) => Quantity::CUSTOM,
        }
    }

    /// Returns the attributes of a mesh.
    fn all_of(mesh: &Mesh, has_generated_normals: bool) -> impl Iterator<Item = Attribute> {
        let normals =
            (mesh.normals.is_some() && !has_generated_normals).then_some(Attribute::Normals);
        normals
            .into_iter()
            .chain(mesh.tangents.as_ref().map(|_| Attribute::Tangents))
            .chain((0..mesh.uvs.len()).map(Attribute::Uvs))
            .chain((0..mesh.colors.len()).map(Attribute::Colors))
            .chain((!mesh.skins.is_empty()).then_some(Attribute::Weights))
            .chain(
                mesh.custom
                    .iter()
                    .map(|custom| Attribute::Custom(custom.name.clone())),
            )
    }

    /// Returns the value at a vertex; `None` if the mesh lacks the attribute. `joints` maps joints to those of the
    /// first scene.
    fn value_at(&self, mesh: &Mesh, vertex: usize, joints: &[usize]) -> Option<Value> {
        Some(match self {
            Attribute::Normals => {
                let normal = DVec3::from(mesh.normals.as_ref()?.get(vertex)?.map(f64::from));
                Value::Direction(normal.normalize_or_zero(), 1.0)
            }
            Attribute::Tangents => {
                let [x, y, z, side] = mesh.tangents.as_ref()?.get(vertex)?.map(f64::from);
                Value::Direction(DVec3::new(x, y, z).normalize_or_zero(), side)
            }
            Attribute::Uvs(set) => {
                let [u, v] = mesh.uvs.get(*set)?.get(vertex)?.map(f64::from);
                let v = if mesh.uv_origin == UvOrigin::BottomLeft {
                    1.0 - v
                } else {
                    v
                };
                Value::Numbers([u, v, 0.0, 0.0])
            }
            Attribute::Colors(set) => Value::Numbers(match mesh.colors.get(*set)? {
                Colors::U8(colors) => colors
                    .get(vertex)?
                    .map(|channel| f64::from(channel) / 255.0),
                Colors::F32(colors) => colors.get(vertex)?.map(f64::from),
            }),
            Attribute::Weights => {
                if mesh.skins.is_empty() {
                    return None;
                }
                let mut weights = BTreeMap::new();
                for (joint, weight) in joint_weights(&mesh.skins, vertex) {
                    let joint = joints.get(joint).copied().unwrap_or(joint);
                    *weights.entry(joint).or_insert(0.0) += f64::from(weight);
                }
                let sum: f64 = weights.values().sum();
                weights.values_mut().for_each(|weight| *weight /= sum);
                Value::Weights(weights)
            }
            Attribute::Custom(name) => {
                let custom = mesh.custom.iter().find(|custom| custom.name == *name)?;
                let mut numbers = [0.0; 4];
                for (component, number) in numbers.iter_mut().enumerate().take(custom.components) {
                    *number = component_at(&custom.values, vertex * custom.components + component)?;
                }
                Value::Numbers(numbers)
            }
        })
    }
}

fn component_at(values: &Components, index: usize) -> Option<f64> {
    match values {
        Components::F32(values) => values.get(index).map(|value| f64::from(*value)),
        Components::F64(values) => values.get(index).copied(),
        Components::U8(values) => values.get(index).map(|value| f64::from(*value)),
        Components::I8(values) => values.get(index).map(|value| f64::from(*value)),
        Components::U16(values) => values.get(index).map(|value| f64::from(*value)),
        Components::I16(values) => values.get(index).map(|value| f64::from(*value)),
        Components::U32(values) => values.get(index).map(|value| f64::from(*value)),
        Components::I32(values) => values.get(index).map(|value| f64::from(*value)),
    }
}

impl Value {
    /// Returns the weighted sum of three values of one kind.
    fn blend(values: [Value; 3], factors: [f64; 3]) -> Value {
        let mut direction = DVec3::ZERO;
        let mut numbers = [0.0; 4];
        let mut weights = BTreeMap::new();
        let mut side = None;
        let mut kind = 0;
        for (value, factor) in values.into_iter().zip(factors) {
            match value {
                Value::Direction(own, own_side) => {
                    kind = 1;
                    direction += own * factor;
                    side = side.or((factor > 0.0).then_some(own_side));
                }
                Value::Numbers(own) => {
                    kind = 2;
                    numbers
                        .iter_mut()
                        .zip(own)
                        .for_each(|(sum, own)| *sum += own * factor);
                }
                Value::Weights(own) => {
                    own.into_iter().for_each(|(joint, weight)| {
                        *weights.entry(joint).or_insert(0.0) += weight * factor;
                    });
                }
            }
        }
        match kind {
            1 => Value::Direction(direction.normalize_or_zero(), side.unwrap_or(1.0)),
            2 => Value::Numbers(numbers),
            _ => Value::Weights(weights),
        }
    }

    /// Returns the difference, in degrees for directions; 0 if only `rounding`, relative to numbers above 1, apart.
    /// Directions of opposite handedness, and a direction and an invalid one, are 180° apart.
    fn difference(&self, other: &Value, rounding: f64) -> f64 {
        match (self, other) {
            (Value::Direction(a, side), Value::Direction(b, other_side)) => {
                if a == b && side == other_side {
                    return 0.0;
                }
                let is_valid = |direction: &DVec3| *direction != DVec3::ZERO;
                if is_valid(a) != is_valid(b) || side.signum() != other_side.signum() {
                    return 180.0;
                }
                // Accurate for small angles, unlike the arc cosine.
                let angle = 2.0 * (*a - *b).length().atan2((*a + *b).length()).to_degrees();
                if angle <= ANGLE_ROUNDING { 0.0 } else { angle }
            }
            (Value::Numbers(a), Value::Numbers(b)) => {
                let of_component = |(a, b): (&f64, &f64)| match (a.is_nan(), b.is_nan()) {
                    (true, true) => 0.0,
                    (false, false) if a == b => 0.0,
                    (false, false) => {
                        let by = (a - b).abs();
                        if by <= rounding * a.abs().max(b.abs()).max(1.0) {
                            0.0
                        } else {
                            by
                        }
                    }
                    _ => f64::INFINITY,
                };
                a.iter().zip(b).map(of_component).fold(0.0, f64::max)
            }
            (Value::Weights(a), Value::Weights(b)) => {
                let joints = a.keys().chain(b.keys());
                let weight = |weights: &BTreeMap<usize, f64>, joint: &usize| {
                    weights.get(joint).copied().unwrap_or(0.0)
                };
                let by = joints
                    .map(|joint| (weight(a, joint) - weight(b, joint)).abs())
                    .fold(0.0, f64::max);
                if by <= WEIGHT_ROUNDING { 0.0 } else { by }
            }
            _ => f64::INFINITY,
        }
    }
}

/// A set of corners with the data to read its attributes.
struct Side<'c> {
    set: &'c CornerSet,
    /// Maps joints to those of the first scene.
    joints: &'c [usize],
}

impl Side<'_> {
    fn mesh_of(&self, spot: &Spot) -> usize {
        self.set.model.drawn_mesh_of(spot.triangle()).mesh
    }

    fn value(&self, attribute: &Attribute, spot: &Spot) -> Option<Value> {
        let model = &self.set.model;
        let drawn = model.drawn_mesh_of(spot.triangle());
        if *attribute == Attribute::Normals && drawn.has_generated_normals {
            return None;
        }
        let (mesh, corners) = (&model.meshes[drawn.mesh], model.triangles[spot.triangle()]);
        let at_corner = |corner: usize| {
            attribute.value_at(
                mesh,
                corners[corner] as usize - drawn.first_vertex,
                self.joints,
            )
        };
        match *spot {
            Spot::Corner { corner, .. } => at_corner(corner),
            Spot::Inside { weights, .. } => Some(Value::blend(
                [at_corner(0)?, at_corner(1)?, at_corner(2)?],
                weights,
            )),
        }
    }

    fn attributes(&self) -> BTreeSet<Attribute> {
        let drawn = self
            .set
            .model
            .drawn_meshes
            .iter()
            .filter(|drawn| !drawn.triangles.is_empty());
        drawn
            .flat_map(|drawn| {
                Attribute::all_of(
                    &self.set.model.meshes[drawn.mesh],
                    drawn.has_generated_normals,
                )
            })
            .collect()
    }

    /// Returns the number of corners with an attribute.
    fn count(&self, attribute: &Attribute) -> u64 {
        let mut count = 0;
        self.set
            .for_each_corner(|spot| count += u64::from(self.value(attribute, &spot).is_some()));
        count
    }
}

/// The pairs of meshes with matched corners, for comparing their materials.
#[derive(Debug, Default)]
pub struct MeshPairs {
    /// The compared meshes of the first scene.
    pub compared: BTreeSet<usize>,
    /// The pairs whose triangles have the same corners.
    pub by_triangle: BTreeSet<(usize, usize)>,
    /// The pairs with a corner on the surface of the other.
    pub by_corner: BTreeSet<(usize, usize)>,
}

/// The differences at one attribute.
#[derive(Default)]
struct AttributeTally {
    values: Tally,
    removed: u64,
    added: u64,
}

/// The result of [`compare`].
pub struct AttributeComparison {
    pub differences: Vec<SceneDifference>,
    /// The compared parts.
    pub compared: Vec<String>,
    pub uncompared: UncomparedCorners,
}

/// Compares the attributes of two sets of corners. `compare_materials` compares the materials of matched meshes.
pub fn compare(
    prefix: &str,
    sets: [&CornerSet; 2],
    tolerance: f64,
    joints_of_b: &[usize],
    compare_materials: impl FnOnce(&MeshPairs) -> Vec<SceneDifference>,
) -> AttributeComparison {
    let [a, b] = &[
        Side {
            set: sets[0],
            joints: &[],
        },
        Side {
            set: sets[1],
            joints: joints_of_b,
        },
    ];
    let attributes = &[a.attributes(), b.attributes()];
    let all: Vec<&Attribute> = attributes[0].union(&attributes[1]).collect();
    let both: Vec<&Attribute> = attributes[0].intersection(&attributes[1]).collect();
    let materials = shared_materials([a, b]);
    // Equally many meshes are probably in the same order: this decides between corners that fit equally well.
    let has_same_meshes = sets[0].model.meshes.len() == sets[1].model.meshes.len();
    // Each attribute counts the same: directions relative to 180°, others to 1.
    let cost = |from: &Spot, to: &Spot| -> f64 {
        let is_moved = has_same_meshes && a.mesh_of(from) != b.mesh_of(to);
        let moved = if is_moved { TIE_BREAK } else { 0.0 };
        let differ = materials[0][a.mesh_of(from)] != materials[1][b.mesh_of(to)];
        let values =
            both.iter().map(
                |attribute| match (a.value(attribute, from), b.value(attribute, to)) {
                    (Some(from @ Value::Direction(..)), Some(to)) => {
                        from.difference(&to, 0.0) / 180.0
                    }
                    (Some(from), Some(to)) => from.difference(&to, 0.0).min(1.0),
                    (None, None) => 0.0,
                    _ => 1.0,
                },
            );
        f64::from(u8::from(differ)) + moved + values.sum::<f64>()
    };
    let mut tallies: Vec<AttributeTally> = both.iter().map(|_| AttributeTally::default()).collect();
    let compared_meshes = sets[0].model.drawn_meshes.iter().map(|drawn| drawn.mesh);
    let mut pairs = MeshPairs {
        compared: compared_meshes.collect(),
        ..MeshPairs::default()
    };
    let mut visit = |found: CornerMatch| {
        let [own_side, other_side] = if found.side == 0 { [a, b] } else { [b, a] };
        let Some(likeliest) = found.candidates.first() else {
            return;
        };
        let meshes = [
            own_side.mesh_of(&found.corner),
            other_side.mesh_of(likeliest),
        ];
        let meshes = if found.side == 0 {
            (meshes[0], meshes[1])
        } else {
            (meshes[1], meshes[0])
        };
        match found.correspondence {
            Correspondence::Triangle => pairs.by_triangle.insert(meshes),
            Correspondence::FlatTriangle | Correspondence::Position => {
                pairs.by_corner.insert(meshes)
            }
        };
        if found.correspondence == Correspondence::FlatTriangle {
            return;
        }
        let is_flipped =
            sets[0].model.meshes[meshes.0].uv_origin != sets[1].model.meshes[meshes.1].uv_origin;
        for (attribute, tally) in both.iter().zip(&mut tallies) {
            let own = own_side.value(attribute, &found.corner);
            let difference_to = |candidate: &Spot| {
                let rounding = match attribute {
                    _ if matches!(candidate, Spot::Inside { .. }) => INTERPOLATION_ROUNDING,
                    Attribute::Uvs(_) if is_flipped => FLIP_ROUNDING,
                    Attribute::Colors(_) => COLOR_ROUNDING,
                    _ => 0.0,
                };
                Some(
                    own.as_ref()?
                        .difference(&other_side.value(attribute, candidate)?, rounding),
                )
            };
            // Where the counterpart is uncertain, the difference is at least the smallest one.
            let least = found
                .candidates
                .iter()
                .filter_map(difference_to)
                .min_by(f64::total_cmp);
            let is_missing = |candidate: &Spot| other_side.value(attribute, candidate).is_none();
            match (least, own) {
                (Some(by), _) => {
                    tally.values.add(by, tolerance, || {
                        point_text(sets[found.side].position(&found.corner))
                    });
                }
                (None, Some(_)) if found.side == 0 => tally.removed += 1,
                (None, Some(_)) => tally.added += 1,
                (None, None) if found.candidates.iter().any(is_missing) => {}
                (None, None) if found.side == 0 => tally.added += 1,
                (None, None) => tally.removed += 1,
            }
        }
    };
    let counts = match_corners(sets, &cost, &mut visit);
    let mut differences = Vec::new();
    let mut compared = Vec::new();
    let mut tallies: BTreeMap<&Attribute, AttributeTally> = both.into_iter().zip(tallies).collect();
    for attribute in all {
        let path = format!("{prefix}attributes[\"{}\"]", attribute.path_name());
        let tally = tallies.remove(attribute).unwrap_or_else(|| AttributeTally {
            removed: a.count(attribute),
            added: b.count(attribute),
            ..AttributeTally::default()
        });
        if tally.values.compared > 0 {
            compared.push(attribute.title());
        }
        let missing = [
            (DifferenceKind::Removed, tally.removed),
            (DifferenceKind::Added, tally.added),
        ];
        differences.extend(tally.values.difference(path.clone(), attribute.quantity()));
        for (kind, count) in missing.into_iter().filter(|(_, count)| *count > 0) {
            differences.push(SceneDifference {
                compared: Some(if kind == DifferenceKind::Removed {
                    sets[0].corner_count()
                } else {
                    sets[1].corner_count()
                }),
                ..SceneDifference::new(path.clone(), kind, count)
            });
        }
    }
    if !pairs.by_triangle.is_empty() || !pairs.by_corner.is_empty() {
        compared.push("materials".to_owned());
    }
    differences.extend(compare_materials(&pairs));
    if counts.paired_triangles > 0 && !sets[0].is_cloud() {
        compared.push("winding".to_owned());
    }
    if counts.reversed_triangles > 0 {
        let path = format!("{prefix}triangles.winding");
        differences.push(SceneDifference {
            compared: Some(counts.paired_triangles),
            ..SceneDifference::new(path, DifferenceKind::Changed, counts.reversed_triangles)
        });
    }
    let uncompared = UncomparedCorners {
        without_counterpart: counts.without_counterpart,
        without_area: counts.without_area,
    };
    AttributeComparison {
        differences,
        compared,
        uncompared,
    }
}

/// Returns a number for the material of each mesh, equal for equal materials of both sets.
fn shared_materials(sides: [&Side; 2]) -> [Vec<usize>; 2] {
    let mut known = HashMap::new();
    sides.map(|side| {
        let materials = side.set.model.meshes.iter().map(|mesh| &mesh.material);
        materials
            .map(|material| {
                let next = known.len();
                *known.entry(material.clone()).or_insert(next)
            })
            .collect()
    })
}
