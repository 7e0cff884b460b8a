//! Strategies that generate scenes, for tests of conversions.

use glam::{Mat4, Quat, Vec3};
use proptest::collection::{btree_set, vec};
use proptest::num::f32::ANY;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::{
    AlphaMode, Animation, Channel, Colors, Components, CustomAttribute, Extras, Faces, Indices,
    Interpolation, Joint, Lod, Material, Mesh, Samples, Scene, Skeleton, Skin, Transform, Weights,
};

/// Generates scenes that are valid in glTF: finite numbers, unit vectors, weights with a sum of 1 (0 for unbound
/// vertices), and positive ascending times.
///
/// ```
/// use meshspec::scene::strategy::scenes;
/// use proptest::prelude::*;
///
/// proptest!(ProptestConfig::with_cases(2), |(scene in scenes())| {
///     prop_assert!(scene.triangles().all(|corners| corners.as_flattened().iter().all(|x| x.is_finite())));
/// });
/// ```
pub fn scenes() -> impl Strategy<Value = Scene> {
    (0..=5usize).prop_flat_map(|joints| {
        let max_animations = if joints == 0 { 0 } else { 2 };
        let model = (
            vec(meshes(joints), 0..=3),
            any::<bool>(),
            option::of(matrices()),
            skeletons(joints),
        );
        let more = (
            vec(animations(joints), 0..=max_animations),
            properties(),
            vec(any::<u8>(), 0..5),
            extras(),
        );
        (model, more).prop_map(
            |((meshes, lods, transform, skeleton), (animations, properties, user_data, extras))| {
                let skinned = meshes.iter().any(|mesh| !mesh.skins.is_empty());
                let lods = (0..meshes.len()).filter(|_| lods && !skinned);
                let lod = |mesh| Lod {
                    distance: 10.0 * mesh as f32,
                    meshes: vec![mesh],
                };
                Scene {
                    source: None,
                    lods: lods.map(lod).collect(),
                    meshes,
                    transform,
                    skeleton,
                    animations,
                    properties,
                    user_data,
                    extras,
                }
            },
        )
    })
}

/// Generates scenes with defects that glTF forbids but other formats allow, such as arbitrary floats, repeated joints,
/// degenerate faces and negative times.
///
/// ```
/// use meshspec::scene::strategy::defective_scenes;
/// use proptest::prelude::*;
///
/// proptest!(ProptestConfig::with_cases(2), |(scene in defective_scenes())| {
///     // The exporter to test must not panic.
///     prop_assert!(scene.triangles().count() < 1_000);
/// });
/// ```
pub fn defective_scenes() -> impl Strategy<Value = Scene> {
    let defect_seed = (any::<Index>(), any::<Index>(), ANY, any::<[u8; 4]>());
    (scenes(), vec(defect_seed, 1..6)).prop_map(|(mut scene, defects)| {
        for (defect, index, float, bytes) in defects {
            add_defect(&mut scene, defect.index(14), &index, float, bytes);
        }
        scene
    })
}

fn add_defect(scene: &mut Scene, defect: usize, index: &Index, float: f32, bytes: [u8; 4]) {
    let mesh = pick(&mut scene.meshes, index);
    let animation = pick(&mut scene.animations, index);
    match (defect, mesh, animation) {
        (0, Some(mesh), _) => change_one(mesh.normals.as_deref_mut(), index, |v| v[0] = float),
        (1, Some(mesh), _) => change_one(mesh.normals.as_deref_mut(), index, |v| *v = [0.0; 3]),
        (2, Some(mesh), _) => change_one(mesh.tangents.as_deref_mut(), index, |v| v[3] = float),
        (3, Some(mesh), _) => mesh.normals = None,
        (4, Some(mesh), _) => change_one(mesh.uvs.first_mut().map(Vec::as_mut_slice), index, |v| {
            v[1] = float
        }),
        (5, Some(mesh), _) => match mesh.colors.first_mut() {
            Some(Colors::F32(values)) => change_one(Some(values), index, |v| v[2] = float),
            _ => mesh
                .positions
                .first_mut()
                .into_iter()
                .for_each(|position| position[1] = float),
        },
        (6, Some(mesh), _) => match mesh.skins.first_mut().map(|skin| &mut skin.weights) {
            Some(Weights::U8(values)) => change_one(Some(values), index, |v| *v = bytes),
            Some(Weights::F32(values)) => change_one(Some(values), index, |v| v[1] = float),
            None => {}
        },
        (7, Some(mesh), _) => {
            change_one(
                mesh.skins
                    .first_mut()
                    .map(|skin| skin.joints.as_mut_slice()),
                index,
                |v| v[1] = v[0],
            );
        }
        (8, Some(mesh), _) => {
            mesh.faces = Faces {
                indices: Some(Indices::U32(vec![0; 7])),
                corners: Some(vec![4, 2, 1]),
            };
        }
        (9, Some(mesh), _) => {
            mesh.faces = Faces {
                indices: Some(Indices::U16(vec![0; 5])),
                corners: None,
            }
        }
        (10, ..) => change_one(Some(&mut scene.skeleton.joints), index, |j| {
            j.inverse_bind.w_axis.x = float
        }),
        (11, ..) => scene
            .transform
            .iter_mut()
            .for_each(|matrix| matrix.x_axis.y = float),
        (12, _, Some(animation)) => {
            animation
                .channels
                .iter_mut()
                .for_each(|c| c.interpolation = Interpolation::Normalized);
            if let Some(Samples::Rotation(values)) =
                animation.channels.first_mut().map(|c| &mut c.samples)
            {
                change_one(Some(values), index, |v| v[0] = float);
            }
        }
        (13, _, Some(animation)) => {
            let start = f32::from(bytes[0]);
            animation
                .times
                .iter_mut()
                .flatten()
                .for_each(|time| *time = (*time / 2.0).floor() - start);
        }
        _ => {}
    }
}

fn pick<'a, T>(values: &'a mut [T], index: &Index) -> Option<&'a mut T> {
    let count = values.len();
    if count == 0 {
        None
    } else {
        values.get_mut(index.index(count))
    }
}

fn change_one<T>(values: Option<&mut [T]>, index: &Index, change: impl FnOnce(&mut T)) {
    if let Some(value) = pick(values.unwrap_or_default(), index) {
        change(value);
    }
}

fn names() -> impl Strategy<Value = String> {
    prop_oneof![Just(String::new()), "[a-zA-Z0-9 ä\"]{1,6}"]
}

fn extras() -> impl Strategy<Value = Extras> {
    vec(("[a-z]{1,4}", any::<i32>()), 0..3).prop_map(|list| {
        list.into_iter()
            .map(|(name, value)| (name, value.into()))
            .collect()
    })
}

fn properties() -> impl Strategy<Value = Vec<(String, String)>> {
    vec((names(), names()), 0..3)
}

fn numbers() -> impl Strategy<Value = f32> {
    -1000.0f32..1000.0
}

fn directions() -> impl Strategy<Value = [f32; 3]> {
    [-1.0f32..1.0, -1.0f32..1.0, 0.1f32..1.0]
        .prop_map(|vector| Vec3::from(vector).normalize().into())
}

fn rotations() -> impl Strategy<Value = [f32; 4]> {
    [-1.0f32..1.0, -1.0f32..1.0, -1.0f32..1.0, 0.1f32..1.0]
        .prop_map(|rotation| Quat::from_array(rotation).normalize().to_array())
}

fn transforms() -> impl Strategy<Value = Transform> {
    (
        [-10.0f32..10.0, -10.0f32..10.0, -10.0f32..10.0],
        rotations(),
        [0.5f32..2.0, 0.5f32..2.0, 0.5f32..2.0],
    )
        .prop_map(|(translation, rotation, scale)| Transform {
            translation,
            rotation,
            scale,
        })
}

fn matrices() -> impl Strategy<Value = Mat4> {
    transforms().prop_map(|transform| transform.to_matrix())
}

fn meshes(joints: usize) -> impl Strategy<Value = Mesh> {
    (1..=4usize).prop_flat_map(move |triangles| {
        let vertices = 3 * triangles;
        let appearance = (names(), materials(), extras(), any::<bool>());
        let tangents = (directions(), any::<bool>())
            .prop_map(|([x, y, z], right)| [x, y, z, if right { 1.0 } else { -1.0 }]);
        let geometry = (
            vec([numbers(), numbers(), numbers()], vertices),
            option::of(vec(directions(), vertices)),
            option::of(vec(tangents, vertices)),
            vec(vec([numbers(), numbers()], vertices), 0..=2),
        );
        let more = (
            vec(colors(vertices), 0..=2),
            skins(joints, vertices),
            custom_attributes(vertices),
            faces(vertices),
        );
        (appearance, geometry, more).prop_map(|(appearance, geometry, more)| {
            let (name, material, extras, flat) = appearance;
            let (mut positions, normals, tangents, uvs) = geometry;
            positions
                .iter_mut()
                .filter(|_| flat)
                .for_each(|[_, _, z]: &mut [f32; 3]| *z = 0.0);
            let (colors, skins, custom, faces) = more;
            let tangents = tangents.filter(|_| normals.is_some());
            Mesh {
                name,
                material,
                positions,
                flat,
                normals,
                tangents,
                uvs,
                colors,
                skins,
                custom,
                faces,
                extras,
                ..Mesh::default()
            }
        })
    })
}

/// Generates materials without textures, since textures need texture coordinates.
fn materials() -> impl Strategy<Value = Material> {
    let unit = || 0.0f32..=1.0;
    let alpha = prop_oneof![
        Just(AlphaMode::Opaque),
        Just(AlphaMode::Blend),
        unit().prop_map(|cutoff| AlphaMode::Mask { cutoff })
    ];
    let surface = (alpha, any::<bool>(), unit(), unit());
    (
        names(),
        option::of([unit(), unit(), unit(), unit()]),
        surface,
    )
        .prop_map(
            |(name, base_color, (alpha_mode, double_sided, metallic, roughness))| Material {
                name,
                base_color,
                texture: None,
                alpha_mode,
                double_sided,
                metallic,
                roughness,
            },
        )
}

fn colors(vertices: usize) -> impl Strategy<Value = Colors> {
    let unit = || 0.0f32..=1.0;
    prop_oneof![
        vec(any::<[u8; 4]>(), vertices).prop_map(Colors::U8),
        vec([unit(), unit(), unit(), unit()], vertices).prop_map(Colors::F32),
    ]
}

/// Generates up to two skins with distinct joints per vertex. Without a skeleton, joint indices are below 9.
fn skins(joints: usize, vertices: usize) -> impl Strategy<Value = Vec<Skin>> {
    let numbers = if joints == 0 { 9 } else { joints };
    let four = btree_set(0..numbers as u16, 0..=numbers.min(4));
    let four = four
        .prop_map(|joints| joints.into_iter().collect::<Vec<_>>())
        .prop_shuffle();
    (0..=2usize, any::<bool>(), vec(four, vertices)).prop_map(
        |(sets, bytes, vertices)| match sets {
            0 => Vec::new(),
            1 => vec![skin(&vertices, 0..4, bytes)],
            _ => vec![skin(&vertices, 0..2, false), skin(&vertices, 2..4, false)],
        },
    )
}

/// Returns a skin with the joints of each vertex at the indices in `range`.
fn skin(vertices: &[Vec<u16>], range: std::ops::Range<usize>, bytes: bool) -> Skin {
    const BYTES: [[u8; 4]; 5] = [
        [0; 4],
        [255, 0, 0, 0],
        [128, 127, 0, 0],
        [100, 100, 55, 0],
        [64, 64, 64, 63],
    ];
    const FLOATS: [[f32; 4]; 5] = [
        [0.0; 4],
        [1.0, 0.0, 0.0, 0.0],
        [0.75, 0.25, 0.0, 0.0],
        [0.5, 0.25, 0.25, 0.0],
        [0.25; 4],
    ];
    let index_of = |slot: usize| range.clone().nth(slot);
    let joints = vertices.iter().map(|joints| {
        std::array::from_fn(|slot| {
            index_of(slot)
                .and_then(|p| joints.get(p))
                .copied()
                .unwrap_or(Skin::NONE)
        })
    });
    let joints = joints.collect();
    let floats = |joints: &Vec<u16>| {
        std::array::from_fn(|slot| index_of(slot).map_or(0.0, |index| FLOATS[joints.len()][index]))
    };
    let weights = match bytes {
        true => Weights::U8(vertices.iter().map(|joints| BYTES[joints.len()]).collect()),
        false => Weights::F32(vertices.iter().map(floats).collect()),
    };
    Skin { joints, weights }
}

/// Generates up to three attributes with distinct names and any component types.
fn custom_attributes(vertices: usize) -> impl Strategy<Value = Vec<CustomAttribute>> {
    let custom = (0..8usize, 1..=4usize).prop_flat_map(move |(component_type, components)| {
        vec(-30_000i32..30_000, vertices * components).prop_map(move |values| {
            let values = values.into_iter();
            let values = match component_type {
                0 => Components::F32(values.map(|x| x as f32 / 7.0).collect()),
                1 => Components::F64(values.map(|x| f64::from(x) / 4.0).collect()),
                2 => Components::U8(values.map(|x| x as u8).collect()),
                3 => Components::I8(values.map(|x| x as i8).collect()),
                4 => Components::U16(values.map(|x| x as u16).collect()),
                5 => Components::I16(values.map(|x| x as i16).collect()),
                6 => Components::U32(values.map(|x| x.unsigned_abs()).collect()),
                _ => Components::I32(values.collect()),
            };
            (components, values)
        })
    });
    (vec(custom, 0..=3), "[A-Z_]{0,3}").prop_map(|(list, name)| {
        list.into_iter()
            .enumerate()
            .map(|(index, (components, values))| CustomAttribute {
                name: format!("{index}{name}"),
                components,
                values,
            })
            .collect()
    })
}

fn faces(vertices: usize) -> impl Strategy<Value = Faces> {
    let wide = vec(
        [0..vertices as u32, 0..vertices as u32, 0..vertices as u32],
        0..8,
    )
    .prop_map(|faces| Some(Indices::U32(faces.into_iter().flatten().collect())));
    let narrow = vec(
        [0..vertices as u16, 0..vertices as u16, 0..vertices as u16],
        0..8,
    )
    .prop_map(|faces| Some(Indices::U16(faces.into_iter().flatten().collect())));
    prop_oneof![Just(None), wide, narrow].prop_map(|indices| Faces {
        indices,
        corners: None,
    })
}

/// Generates skeletons in which all parents precede their children, or all follow them.
fn skeletons(count: usize) -> impl Strategy<Value = Skeleton> {
    let joint = (
        names(),
        option::of(any::<Index>()),
        matrices(),
        option::of(transforms()),
        extras(),
    );
    (vec(joint, count), any::<bool>()).prop_map(move |(joints, backwards)| {
        let position_of = |index: usize| if backwards { count - 1 - index } else { index };
        let entries = joints.into_iter().enumerate();
        let mut joints: Vec<Joint> = entries
            .map(|(index, (name, parent, inverse_bind, rest, extras))| {
                let parent = parent
                    .filter(|_| index > 0)
                    .map(|parent| position_of(parent.index(index)));
                Joint {
                    name,
                    parent,
                    inverse_bind,
                    rest,
                    extras,
                }
            })
            .collect();
        if backwards {
            joints.reverse();
        }
        Skeleton { joints }
    })
}

/// Generates animations with at least one channel.
fn animations(joints: usize) -> impl Strategy<Value = Animation> {
    let rate = select(vec![1.0f32, 24.0, 30.0, 60.0, 1000.0]);
    let lists = vec(vec(1..20u32, 1..=4), 1..=2);
    let targets = btree_set((0..joints.max(1), 0..3usize), 1..=4);
    let values = vec((transforms(), any::<bool>()), 16);
    (
        names(),
        rate,
        0.0f32..100.0,
        any::<bool>(),
        lists,
        targets,
        values,
    )
        .prop_map(|(name, rate, duration, looped, lists, targets, values)| {
            let ticks = |steps: Vec<u32>| {
                let times = steps.into_iter().scan(0, |tick, step| {
                    *tick += step;
                    Some(*tick as f32)
                });
                times.collect::<Vec<_>>()
            };
            let times: Vec<Vec<f32>> = lists.into_iter().map(ticks).collect();
            let channels = targets
                .into_iter()
                .enumerate()
                .map(|(number, (joint, property))| {
                    let list = number % times.len();
                    let values = values
                        .iter()
                        .skip(number)
                        .take(times[list].len())
                        .map(|(t, _)| t);
                    let samples = match property {
                        0 => Samples::Translation(values.map(|t| t.translation).collect()),
                        1 => Samples::Rotation(values.map(|t| t.rotation).collect()),
                        _ => Samples::Scale(values.map(|t| t.scale).collect()),
                    };
                    Channel {
                        joint,
                        times: list,
                        interpolation: Interpolation::Linear,
                        samples,
                    }
                });
            let mut channels: Vec<_> = channels.collect();
            for (channel, (_, step)) in channels.iter_mut().zip(&values) {
                channel.interpolation = if *step {
                    Interpolation::Step
                } else {
                    Interpolation::Linear
                };
            }
            Animation {
                name,
                rate,
                duration,
                looped,
                times,
                channels,
            }
        })
}
