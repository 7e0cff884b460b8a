//! The content of a scene as parts, by the paths that losses use.

use std::collections::BTreeMap;

use glam::{Mat4, Quat, Vec3};
use meshspec::scene::{
    AlphaMode, Animation, Components, Lod, Material, Mesh, Scene, Skeleton, Transform, UvOrigin,
};
use proptest::test_runner::TestCaseError;

/// Parts by their path relative to the list item: `material.name` for `meshes[0].material.name`. Missing parts are
/// omitted.
pub type SceneParts = BTreeMap<String, ScenePart>;

#[derive(Debug, Clone, PartialEq)]
pub enum ScenePart {
    Text(String),
    Numbers(Numbers),
    /// Any value, as a loss permits.
    Anything,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Numbers {
    /// NaN where a loss permits any value.
    pub values: Vec<f64>,
    pub components: usize,
    pub metric: Metric,
    /// The permitted error, in the unit of the metric.
    pub error: f64,
}

/// The distance between two values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Metric {
    /// The largest difference of a component.
    Components,
    /// The Euclidean distance.
    Points,
    /// The angle between directions, in degrees.
    Directions,
    /// The angle between rotations, in degrees.
    Rotations,
    /// The values are compared as a set, regardless of order and repetition.
    Set,
}

/// A custom attribute.
#[derive(Debug, Clone, PartialEq)]
pub struct CustomPart {
    pub name: String,
    pub components: usize,
    /// The component type and values.
    pub values: (String, Vec<f64>),
    /// The permitted error.
    pub error: f64,
}

/// A mesh.
#[derive(Debug, Clone, Default)]
pub struct MeshContent {
    pub vertices: usize,
    pub parts: SceneParts,
    /// `None` for dropped attributes.
    pub custom: Vec<Option<CustomPart>>,
}

/// A scene.
#[derive(Debug, Clone, Default)]
pub struct Content {
    pub meshes: Vec<MeshContent>,
    pub joints: Vec<SceneParts>,
    pub animations: Vec<SceneParts>,
    pub properties: Vec<ScenePart>,
    /// Parts outside lists.
    pub whole: SceneParts,
}

/// The number of joints whose weights are compared.
pub const COMPARED_JOINT_COUNT: usize = 16;

impl Content {
    /// Returns the content of a scene, with joints in the order `order` and the poses of each animation at `times`.
    pub fn of(scene: &Scene, order: &[usize], times: &[Vec<f32>]) -> Content {
        // Without a skeleton, joints are compared by number.
        let place = |joint: usize| match order {
            [] => joint,
            order => order
                .iter()
                .position(|other| *other == joint)
                .unwrap_or(order.len()),
        };
        let mut whole = SceneParts::new();
        if let Some(transform) = scene
            .transform
            .filter(|transform| *transform != Mat4::IDENTITY)
        {
            whole.insert("transform".into(), numbers(&transform.to_cols_array(), 16));
        }
        if !scene.user_data.is_empty() {
            let bytes: Vec<f32> = scene
                .user_data
                .iter()
                .map(|byte| f32::from(*byte))
                .collect();
            whole.insert("user_data".into(), numbers(&bytes, 1));
        }
        if !scene.extras.is_empty() {
            whole.insert(
                "extras".into(),
                ScenePart::Text(format!("{:?}", scene.extras)),
            );
        }
        // A level with all meshes at any distance is equivalent to none.
        let all = |lod: &Lod| lod.distance == 0.0 && lod.meshes.len() == scene.meshes.len();
        let shows_all_meshes = matches!(&*scene.lods, [lod] if all(lod));
        for (index, lod) in scene.lods.iter().enumerate().filter(|_| !shows_all_meshes) {
            whole.insert(
                format!("lods[{index}].meshes"),
                ScenePart::Text(format!("{:?}", lod.meshes)),
            );
            whole.insert(
                format!("lods[{index}].distance"),
                numbers(&[lod.distance], 1),
            );
        }
        let times = times
            .iter()
            .map(Vec::as_slice)
            .chain(std::iter::repeat(&[][..]));
        let animations = scene.animations.iter().zip(times);
        Content {
            meshes: scene
                .meshes
                .iter()
                .map(|mesh| mesh_content(mesh, &place))
                .collect(),
            joints: order
                .iter()
                .map(|joint| joint_parts(&scene.skeleton, *joint, &place))
                .collect(),
            animations: animations
                .map(|(animation, times)| animation_parts(animation, &scene.skeleton, order, times))
                .collect(),
            properties: scene.properties.iter().map(property).collect(),
            whole,
        }
    }
}

pub fn property((name, value): &(String, String)) -> ScenePart {
    ScenePart::Text(format!("{name}={value}"))
}

fn measured_numbers(values: &[f32], components: usize, metric: Metric) -> ScenePart {
    let values = values.iter().map(|value| f64::from(*value)).collect();
    ScenePart::Numbers(Numbers {
        values,
        components,
        metric,
        error: 0.0,
    })
}

fn numbers(values: &[f32], components: usize) -> ScenePart {
    measured_numbers(values, components, Metric::Components)
}

fn mesh_content(mesh: &Mesh, place: &dyn Fn(usize) -> usize) -> MeshContent {
    let mut parts = SceneParts::new();
    let mut add = |name: &str, part: ScenePart| drop(parts.insert(name.to_owned(), part));
    let texts = [("name", &mesh.name), ("material.name", &mesh.material.name)];
    for (name, text) in texts.into_iter().filter(|(_, text)| !text.is_empty()) {
        add(name, ScenePart::Text(text.clone()));
    }
    let Material {
        base_color,
        alpha_mode,
        double_sided,
        metallic,
        roughness,
        ..
    } = mesh.material;
    if let Some([red, green, blue, alpha]) = base_color {
        add("material.base_color", numbers(&[red, green, blue], 3));
        add("material.base_color.alpha", numbers(&[alpha], 1));
    }
    if alpha_mode != AlphaMode::Opaque {
        add(
            "material.alpha_mode",
            ScenePart::Text(format!("{alpha_mode:?}")),
        );
    }
    if double_sided {
        add(
            "material.double_sided",
            ScenePart::Text("double-sided".into()),
        );
    }
    if (metallic, roughness) != (0.0, 1.0) {
        add("material.metallic", numbers(&[metallic, roughness], 2));
    }
    if mesh.flat {
        add("flat", ScenePart::Text("flat".into()));
    }
    if !mesh.extras.is_empty() {
        add("extras", ScenePart::Text(format!("{:?}", mesh.extras)));
    }
    add("positions", numbers(mesh.positions.as_flattened(), 3));
    if let Some(normals) = &mesh.normals {
        add(
            "normals",
            measured_numbers(normals.as_flattened(), 3, Metric::Directions),
        );
    }
    if let Some(tangents) = &mesh.tangents {
        let directions: Vec<_> = tangents.iter().map(|[x, y, z, _]| [*x, *y, *z]).collect();
        let sides: Vec<_> = tangents.iter().map(|[.., side]| *side).collect();
        add("tangents", numbers(directions.as_flattened(), 3));
        add("tangents.w", numbers(&sides, 1));
    }
    for (set, uvs) in mesh.uvs.iter().enumerate() {
        // Flips v without rounding if the texture origin is at the bottom left.
        let v = |v: f64| {
            if mesh.uv_origin == UvOrigin::TopLeft {
                v
            } else {
                1.0 - v
            }
        };
        let values = uvs
            .iter()
            .flat_map(|[u, w]| [f64::from(*u), v(f64::from(*w))])
            .collect();
        let metric = Metric::Components;
        add(
            &format!("uvs[{set}]"),
            ScenePart::Numbers(Numbers {
                values,
                components: 2,
                metric,
                error: 0.0,
            }),
        );
    }
    for (set, colors) in mesh.colors.iter().enumerate() {
        let colors = colors.clone().into_f32();
        let rgb: Vec<_> = colors
            .iter()
            .map(|[red, green, blue, _]| [*red, *green, *blue])
            .collect();
        let alpha: Vec<_> = colors.iter().map(|[.., alpha]| *alpha).collect();
        add(&format!("colors[{set}]"), numbers(rgb.as_flattened(), 3));
        add(&format!("colors[{set}].alpha"), numbers(&alpha, 1));
    }
    if !mesh.skins.is_empty() {
        add("skins", weights(mesh, place));
    }
    let corners = mesh.faces.corners.iter().flatten();
    if corners.clone().any(|count| *count != 3) {
        let corners: Vec<f32> = corners.map(|count| *count as f32).collect();
        add("faces.corners", numbers(&corners, 1));
    }
    let rest = mesh.faces.corner_count(mesh.positions.len()) % 3;
    if mesh.faces.corners.is_none() && rest > 0 {
        add("faces.rest", numbers(&[rest as f32], 1));
    }
    add("faces", triangles(mesh));
    let custom = mesh.custom.iter().map(|custom| {
        let values = components(&custom.values);
        Some(CustomPart {
            name: custom.name.clone(),
            components: custom.components,
            values,
            error: 0.0,
        })
    });
    MeshContent {
        vertices: mesh.positions.len(),
        custom: custom.collect(),
        parts,
    }
}

/// Returns the triangle fan of each face.
fn triangles(mesh: &Mesh) -> ScenePart {
    let mut triangles = Vec::new();
    mesh.faces
        .for_each_triangle(mesh.positions.len(), |corners| {
            triangles.extend(corners.map(|c| c as f32))
        });
    numbers(&triangles, 3)
}

/// Returns the weight of each joint for each vertex, over all sets and slots.
fn weights(mesh: &Mesh, place: &dyn Fn(usize) -> usize) -> ScenePart {
    let mut rows = vec![[0.0; COMPARED_JOINT_COUNT]; mesh.positions.len()];
    for skin in &mesh.skins {
        let weights = skin.weights.clone().into_f32();
        for (row, (joints, weights)) in rows.iter_mut().zip(skin.joints.iter().zip(weights)) {
            for (joint, weight) in joints
                .iter()
                .zip(weights)
                .filter(|(_, weight)| *weight > 0.0)
            {
                row[place((*joint).into()).min(COMPARED_JOINT_COUNT - 1)] += weight;
            }
        }
    }
    numbers(rows.as_flattened(), COMPARED_JOINT_COUNT)
}

fn components(values: &Components) -> (String, Vec<f64>) {
    let numbers = match values {
        Components::F32(values) => values.iter().map(|x| f64::from(*x)).collect(),
        Components::F64(values) => values.clone(),
        Components::U8(values) => values.iter().map(|x| f64::from(*x)).collect(),
        Components::I8(values) => values.iter().map(|x| f64::from(*x)).collect(),
        Components::U16(values) => values.iter().map(|x| f64::from(*x)).collect(),
        Components::I16(values) => values.iter().map(|x| f64::from(*x)).collect(),
        Components::U32(values) => values.iter().map(|x| f64::from(*x)).collect(),
        Components::I32(values) => values.iter().map(|x| f64::from(*x)).collect(),
    };
    let kind = format!("{values:?}").chars().take(3).collect();
    (kind, numbers)
}

fn joint_parts(skeleton: &Skeleton, index: usize, place: &dyn Fn(usize) -> usize) -> SceneParts {
    let joint = &skeleton.joints[index];
    let mut parts = SceneParts::new();
    for (name, transform) in [
        ("bind", skeleton.bind_transform(index)),
        ("rest", skeleton.rest_transform(index)),
    ] {
        for (field, part) in trs_parts(&[transform]) {
            parts.insert(format!("{name}.{field}"), part);
        }
    }
    if !joint.name.is_empty() {
        parts.insert("name".into(), ScenePart::Text(joint.name.clone()));
    }
    if let Some(parent) = joint.parent {
        parts.insert("parent".into(), ScenePart::Text(place(parent).to_string()));
    }
    if !joint.extras.is_empty() {
        parts.insert(
            "extras".into(),
            ScenePart::Text(format!("{:?}", joint.extras)),
        );
    }
    parts
}

fn animation_parts(
    animation: &Animation,
    skeleton: &Skeleton,
    order: &[usize],
    times: &[f32],
) -> SceneParts {
    let mut parts = SceneParts::new();
    if !animation.name.is_empty() {
        parts.insert("name".into(), ScenePart::Text(animation.name.clone()));
    }
    if animation.looped {
        parts.insert("looped".into(), ScenePart::Text("looped".into()));
    }
    parts.insert("rate".into(), numbers(&[animation.rate], 1));
    parts.insert("duration".into(), numbers(&[animation.duration], 1));
    let found = animation.poses(skeleton, times);
    let joints = skeleton.joints.len().max(1);
    let ordered: Vec<_> = found
        .chunks(joints)
        .flat_map(|pose| order.iter().map(|joint| pose[*joint]))
        .collect();
    for (field, part) in trs_parts(&ordered) {
        parts.insert(format!("channels.{field}"), part);
    }
    parts
}

fn trs_parts(transforms: &[Transform]) -> [(&'static str, ScenePart); 3] {
    let translations: Vec<_> = transforms.iter().map(|t| t.translation).collect();
    let rotations: Vec<_> = transforms.iter().map(|t| t.rotation).collect();
    let scales: Vec<_> = transforms.iter().map(|t| t.scale).collect();
    [
        (
            "translation",
            measured_numbers(translations.as_flattened(), 3, Metric::Points),
        ),
        (
            "rotation",
            measured_numbers(rotations.as_flattened(), 4, Metric::Rotations),
        ),
        (
            "scale",
            measured_numbers(scales.as_flattened(), 3, Metric::Points),
        ),
    ]
}

/// Fails unless the parts match.
pub fn compare(
    path: &str,
    found: Option<&ScenePart>,
    expected: Option<&ScenePart>,
) -> Result<(), TestCaseError> {
    let fail = |why: String| Err(TestCaseError::fail(format!("{path}: {why}")));
    match (found, expected) {
        (None, None) | (_, Some(ScenePart::Anything)) => Ok(()),
        (Some(found), None) => fail(format!("{found:?}, which should not be there")),
        (None, Some(expected)) => fail(format!("nothing for {expected:?}")),
        (Some(ScenePart::Numbers(found)), Some(ScenePart::Numbers(expected))) => {
            match expected.describe_difference(found) {
                Some(why) => fail(why),
                None => Ok(()),
            }
        }
        (Some(found), Some(expected)) if found == expected => Ok(()),
        (Some(found), Some(expected)) => fail(format!("{found:?} for {expected:?}")),
    }
}

impl Numbers {
    /// Returns a description of the numbers that exceed the permitted error; `None` if there are none.
    fn describe_difference(&self, found: &Numbers) -> Option<String> {
        let rows = |numbers: &Numbers| -> Vec<Vec<f64>> {
            if self.metric != Metric::Set {
                return numbers
                    .values
                    .chunks(self.components)
                    .map(<[f64]>::to_vec)
                    .collect();
            }
            let mut values = numbers.values.clone();
            values.sort_by(f64::total_cmp);
            values.dedup();
            vec![values]
        };
        let (found, expected) = (rows(found), rows(self));
        let lengths = |rows: &[Vec<f64>]| rows.iter().map(Vec::len).collect::<Vec<_>>();
        if lengths(&found) != lengths(&expected) {
            return Some(format!("{found:?} for {expected:?}"));
        }
        let pairs = found.iter().zip(&expected);
        pairs.enumerate().find_map(|(index, (found, expected))| {
            let most = self.error + self.rounding(expected);
            let off = self.distance(found, expected);
            (off > most).then(|| {
                format!("{index}: {found:?} for {expected:?} is {off:e} off, not {most:e}")
            })
        })
    }

    /// Returns the rounding error of computed values; copied values are exact.
    fn rounding(&self, expected: &[f64]) -> f64 {
        let size = expected.iter().fold(1.0_f64, |size, x| size.max(x.abs()));
        match self.metric {
            Metric::Components | Metric::Set => 0.0,
            // Poses and bind poses are products of matrices.
            Metric::Points => 1e-4 * size,
            Metric::Directions if self.error == 0.0 => 0.0,
            Metric::Directions => 1e-3,
            Metric::Rotations => 0.02,
        }
    }

    fn distance(&self, found: &[f64], expected: &[f64]) -> f64 {
        if expected.iter().any(|x| x.is_nan()) || found == expected {
            return 0.0;
        }
        if found.iter().any(|x| x.is_nan()) {
            return f64::INFINITY;
        }
        let differences = found.iter().zip(expected).map(|(a, b)| (a - b).abs());
        let largest = differences.fold(0.0, f64::max);
        if largest == 0.0 {
            return 0.0;
        }
        let [found, expected] =
            [found, expected].map(|values| values.iter().map(|x| *x as f32).collect::<Vec<_>>());
        let off = match self.metric {
            Metric::Components | Metric::Set => return largest,
            Metric::Points => Vec3::from_slice(&found).distance(Vec3::from_slice(&expected)),
            Metric::Directions => {
                let (found, expected) = (Vec3::from_slice(&found), Vec3::from_slice(&expected));
                found
                    .cross(expected)
                    .length()
                    .atan2(found.dot(expected))
                    .to_degrees()
            }
            Metric::Rotations => {
                let [found, expected] = [found, expected].map(|q| Quat::from_slice(&q).normalize());
                let between = found * expected.inverse();
                2.0 * between.xyz().length().atan2(between.w.abs()).to_degrees()
            }
        };
        f64::from(off)
    }
}
