//! Converts scenes to every format, to every other format, and back. The listed losses of each conversion from a scene
//! to a document and back must explain all differences.

mod compared;
mod expected;
mod omitted_losses;
mod parts;
mod scenes;
mod through_glb;

use crate::common::config;
use glam::Mat4;
use meshspec::scene::{Animation, Scene, SceneOptions};
use meshspec::{AnyFormat, Dialect, Document, ErrorKind, Loss, LossKind};
use parts::{Content, CustomPart, MeshContent, ScenePart, compare};
use proptest::prelude::*;
use proptest::strategy::ValueTree;

use self::expected::{DROPPED, LossEffects, bind_to_base_bone};

/// A format and dialect.
type Target = (AnyFormat, Dialect);

/// All formats, with both dialects of MESH and Crucible, which differ in content.
const TARGETS: [Target; 7] = [
    (meshspec::mesh::FORMAT, Dialect::SPEC),
    (meshspec::mesh::FORMAT, Dialect::RENDERLIB),
    (meshspec::crucible::FORMAT, Dialect::SPEC),
    (meshspec::crucible::FORMAT, Dialect::TANGENT),
    (meshspec::seed::FORMAT, Dialect::SPEC),
    (meshspec::iyma::FORMAT, Dialect::SPEC),
    (meshspec::bmd::FORMAT, Dialect::SPEC),
];

/// Converts a scene to a format and back. Also returns the losses. `None` if the format cannot express the scene.
fn write_and_read(scene: &Scene, (format, dialect): Target) -> Option<(Scene, Vec<Loss>)> {
    let options = SceneOptions::default().with_dialect(dialect);
    let (document, mut losses) = match Document::from_scene(format, scene.clone(), &options) {
        Ok(converted) => converted,
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::Inexpressible, "{error}");
            return None;
        }
    };
    let (found, more) = document.into_scene(&options).unwrap();
    losses.extend(more);
    Some((found, losses))
}

/// Converts a scene to a format and back, and asserts that the losses explain the differences. Returns the new scene;
/// `None` if the format cannot express the scene.
fn convert_and_compare(scene: Scene, target: Target) -> Result<Option<Scene>, TestCaseError> {
    let (format, dialect) = target;
    let scene = with_names_of_joints(scene);
    let Some((found, losses)) = write_and_read(&scene, target) else {
        return Ok(None);
    };
    assert_explained(
        in_rest_pose(scene, format, &losses),
        &found,
        Some(format),
        &losses,
    )
    .map_err(|why| TestCaseError::fail(format!("{format}, {dialect}: {why}\n{losses:#?}")))?;
    Ok(Some(found))
}

/// Returns the expected scene in a format without a rest pose: the vertices are in the rest pose, and the joints are
/// bound in it.
fn in_rest_pose(mut scene: Scene, format: AnyFormat, losses: &[Loss]) -> Scene {
    let has_skeleton = [meshspec::mesh::FORMAT, meshspec::bmd::FORMAT].contains(&format);
    let is_rebound = losses
        .iter()
        .any(|loss| loss.path == "skeleton.joints.rest");
    let is_bound = scene
        .skeleton
        .joints
        .iter()
        .all(|joint| joint.rest.is_none());
    if has_skeleton && !is_rebound || is_bound {
        return scene;
    }
    let rests: Vec<_> = (0..scene.skeleton.joints.len())
        .map(|joint| scene.skeleton.rest_transform(joint))
        .collect();
    scene.apply_pose(&rests);
    if has_skeleton {
        let matrices = scene.skeleton.global_matrices(&rests);
        for (joint, matrix) in scene.skeleton.joints.iter_mut().zip(matrices) {
            joint.inverse_bind = matrix.inverse();
        }
    } else {
        scene.set_rest_transforms(None);
    }
    scene
}

/// Returns the scene with unique joint names, which identify joints after the conversion.
fn with_names_of_joints(mut scene: Scene) -> Scene {
    for (index, joint) in scene.skeleton.joints.iter_mut().enumerate() {
        // BMD has no names for parts of pseudo-bones.
        if !joint.extras.contains_key("bmd_pseudo") {
            joint.name = format!("j{index}");
        }
    }
    scene
}

/// Fails unless the losses explain the differences. `None` stands for a format that adds no content.
fn assert_explained(
    mut scene: Scene,
    found: &Scene,
    format: Option<AnyFormat>,
    losses: &[Loss],
) -> Result<(), TestCaseError> {
    let applied = losses
        .iter()
        .any(|loss| loss.path == "transform" && loss.kind == LossKind::Changed);
    if applied {
        prop_assert!(
            scene
                .transform
                .is_some_and(|transform| transform != Mat4::IDENTITY),
            "no transform"
        );
        scene.apply_transform();
    }
    let order: Vec<usize> = (0..scene.skeleton.joints.len()).collect();
    let mut times: Vec<_> = scene.animations.iter().map(comparison_times).collect();
    if format.is_some() {
        // glTF keeps samples after the end of a loop, which are never shown.
        for (times, animation) in times
            .iter_mut()
            .zip(&scene.animations)
            .filter(|(_, a)| a.looped)
        {
            times.retain(|time| *time <= animation.duration);
        }
    }
    let mut expected = Content::of(&scene, &order, &times);
    if applied {
        expected.meshes.iter_mut().for_each(round_vertices);
    }
    let effects = expected.apply(losses).map_err(TestCaseError::fail)?;
    let order = order_of(&scene, found, &effects)?;
    let found = Content::of(found, &order, &times_of(found, &scene, times, losses));
    if format == Some(meshspec::bmd::FORMAT) {
        expected.meshes.iter_mut().for_each(bind_to_base_bone);
    }
    if format == Some(meshspec::seed::FORMAT)
        && scene.source.is_none_or(|source| source.format != "seed")
    {
        add_usual_properties(&mut expected);
    }
    compare_all(&found, &expected, &effects)
}

/// Products of coordinates up to 4000 differ in other axes.
fn round_vertices(mesh: &mut MeshContent) {
    for (name, rounding) in [("positions", 5e-3), ("normals", 1e-3), ("tangents", 1e-5)] {
        if let Some(ScenePart::Numbers(numbers)) = mesh.parts.get_mut(name) {
            numbers.error += rounding;
        }
    }
}

/// Returns the index of each joint in the scene `found`. Joints may be reordered, after added ones.
fn order_of(
    scene: &Scene,
    found: &Scene,
    effects: &LossEffects,
) -> Result<Vec<usize>, TestCaseError> {
    let joints = &found.skeleton.joints;
    let named = joints.iter().any(|joint| !joint.name.is_empty());
    let wanted = scene.skeleton.joints.len();
    let mut order: Vec<usize> = if named {
        let mut unnamed = (0..joints.len()).filter(|joint| joints[*joint].name.is_empty());
        let mut place = |name: &str| match name {
            "" => unnamed.find(|joint| joints[*joint].extras.contains_key("bmd_pseudo")),
            name => joints.iter().position(|joint| joint.name == name),
        };
        scene
            .skeleton
            .joints
            .iter()
            .filter_map(|joint| place(&joint.name))
            .collect()
    } else {
        (0..joints.len().min(wanted)).collect()
    };
    if !effects.joints_changed {
        let added = joints.len().checked_sub(wanted);
        let is_expected = added == Some(0) || effects.joint_added && added == Some(1);
        prop_assert!(
            order.is_sorted() && (joints.is_empty() || is_expected),
            "joints: {:?}",
            order
        );
    }
    order.truncate(wanted);
    Ok(order)
}

/// Converts times to the ticks of the animations in the scene `found`.
fn times_of(found: &Scene, scene: &Scene, times: Vec<Vec<f32>>, losses: &[Loss]) -> Vec<Vec<f32>> {
    let is_dropped = |index: usize| {
        let path = format!("animations[{index}]");
        losses
            .iter()
            .any(|loss| loss.kind == LossKind::Dropped && loss.path == *path)
    };
    let kept = times.into_iter().zip(&scene.animations).enumerate();
    let kept = kept
        .filter(|(index, _)| !is_dropped(*index))
        .map(|(_, kept)| kept);
    let (mut times, sources): (Vec<_>, Vec<_>) = kept.unzip();
    for (times, (found, source)) in times.iter_mut().zip(found.animations.iter().zip(sources)) {
        if found.rate != source.rate {
            times
                .iter_mut()
                .for_each(|time| *time = *time / source.rate * found.rate);
        }
    }
    times
}

/// Returns the times at which poses are compared: all samples and, unless the animation loops, whole ticks between
/// them.
fn comparison_times(animation: &Animation) -> Vec<f32> {
    let mut times: Vec<f32> = animation.times.iter().flatten().copied().collect();
    times.sort_by(f32::total_cmp);
    times.dedup();
    if let (false, [first, .., last]) = (animation.looped, &*times) {
        let between = (first.ceil() as u32..=*last as u32).map(|tick| tick as f32);
        times.extend(between.take(1000).collect::<Vec<_>>());
    }
    times
}

/// Seed requires a name, a material and a type (S10); the defaults are "unnamed", "DEFAULT" and "STATIC".
fn add_usual_properties(expected: &mut Content) {
    let [mesh] = &mut *expected.meshes else {
        return;
    };
    let usual = [
        ("name", "name", "unnamed"),
        ("mat0", "material.name", "DEFAULT"),
    ];
    for (property, field, otherwise) in usual {
        if has_property(&expected.properties, property) {
            continue;
        }
        let part = mesh
            .parts
            .entry(field.into())
            .or_insert_with(|| ScenePart::Text(otherwise.into()));
        let value = match part {
            ScenePart::Text(text) => ScenePart::Text(format!("{property}={text}")),
            _ => ScenePart::Anything,
        };
        add_property(&mut expected.properties, property, value);
    }
    add_property(
        &mut expected.properties,
        "type",
        ScenePart::Text("type=STATIC".into()),
    );
}

fn add_property(properties: &mut Vec<ScenePart>, name: &str, part: ScenePart) {
    if !has_property(properties, name) {
        properties.push(part);
    }
}

fn has_property(properties: &[ScenePart], name: &str) -> bool {
    let is_it = |text: &str| text.split_once('=').is_some_and(|(other, _)| other == name);
    properties
        .iter()
        .any(|other| matches!(other, ScenePart::Text(text) if is_it(text)))
}

fn compare_all(
    found: &Content,
    expected: &Content,
    effects: &LossEffects,
) -> Result<(), TestCaseError> {
    // A format with exactly one mesh may have an empty mesh.
    let only_empty =
        expected.meshes.is_empty() && found.meshes.iter().all(|mesh| mesh.vertices == 0);
    prop_assert!(
        only_empty || found.meshes.len() == expected.meshes.len(),
        "{} meshes",
        found.meshes.len()
    );
    for (index, (found, expected)) in found.meshes.iter().zip(&expected.meshes).enumerate() {
        let at = format!("meshes[{index}]");
        compare_parts(&at, &found.parts, &expected.parts)?;
        compare_custom(index, &found.custom, &expected.custom, effects)?;
    }
    let joints = found.joints.iter().zip(&expected.joints).enumerate();
    prop_assert_eq!(found.joints.len(), expected.joints.len(), "joints");
    let added = ScenePart::Text(expected.joints.len().to_string());
    for (index, (found, expected)) in joints {
        let mut found = found.clone();
        // The roots are children of an added joint.
        if effects.joints_changed && found.get("parent") == Some(&added) {
            found.remove("parent");
        }
        compare_parts(&format!("skeleton.joints[{index}]"), &found, expected)?;
    }
    prop_assert_eq!(
        found.animations.len(),
        expected.animations.len(),
        "animations"
    );
    for (index, (found, expected)) in found
        .animations
        .iter()
        .zip(&expected.animations)
        .enumerate()
    {
        compare_parts(&format!("animations[{index}]"), found, expected)?;
    }
    let properties: Vec<_> = expected
        .properties
        .iter()
        .filter(|property| **property != DROPPED)
        .collect();
    prop_assert_eq!(found.properties.len(), properties.len(), "properties");
    for (index, (found, expected)) in found.properties.iter().zip(properties).enumerate() {
        compare(&format!("properties[{index}]"), Some(found), Some(expected))?;
    }
    compare_parts("", &found.whole, &expected.whole)
}

fn compare_parts(
    at: &str,
    found: &parts::SceneParts,
    expected: &parts::SceneParts,
) -> Result<(), TestCaseError> {
    for name in found.keys().chain(expected.keys()) {
        compare(&format!("{at}.{name}"), found.get(name), expected.get(name))?;
    }
    Ok(())
}

/// Compares custom attributes in any order.
fn compare_custom(
    mesh: usize,
    found: &[Option<CustomPart>],
    expected: &[Option<CustomPart>],
    effects: &LossEffects,
) -> Result<(), TestCaseError> {
    let mut found: Vec<&CustomPart> = found.iter().flatten().collect();
    for custom in expected.iter().flatten() {
        let renamed = effects.renamed.contains(&mesh);
        let same = |other: &&CustomPart| {
            let name = renamed || other.name == custom.name;
            name && (is_near(other, custom)
                || effects.widened.contains(&mesh) && is_wider(other, custom))
        };
        let place = found.iter().position(same);
        let Some(place) = place else {
            return Err(TestCaseError::fail(format!(
                "meshes[{mesh}]: no {custom:?}: {found:?}"
            )));
        };
        found.remove(place);
    }
    let zeros = found
        .iter()
        .all(|custom| custom.values.1.iter().all(|value| *value == 0.0));
    prop_assert!(
        found.is_empty() || zeros && effects.filled.contains(&mesh),
        "meshes[{}]: {:?}",
        mesh,
        found
    );
    Ok(())
}

/// Returns `true` if the attributes are equal within the stated error.
fn is_near(found: &CustomPart, expected: &CustomPart) -> bool {
    let pairs = found.values.1.iter().zip(&expected.values.1);
    let mut same = pairs.map(|(a, b)| a == b || (a - b).abs() <= expected.error || b.is_nan());
    (found.components, &found.values.0, found.values.1.len())
        == (
            expected.components,
            &expected.values.0,
            expected.values.1.len(),
        )
        && same.all(|same| same)
}

/// Returns `true` if the attributes are equal except for additional zero components.
fn is_wider(found: &CustomPart, expected: &CustomPart) -> bool {
    let ((kind, found_values), (expected_kind, values)) = (&found.values, &expected.values);
    let mut pairs = found_values
        .chunks(found.components)
        .zip(values.chunks(expected.components));
    kind == expected_kind
        && found_values.len() / found.components == values.len() / expected.components
        && pairs.all(|(found, expected)| {
            found.starts_with(expected) && found[expected.len()..].iter().all(|value| *value == 0.0)
        })
}

/// Converts to a format, to another one, and back.
fn round_trips(scene: &Scene) -> Result<usize, TestCaseError> {
    let mut converted = 0;
    for a in TARGETS {
        let Some(source) = convert_and_compare(scene.clone(), a)? else {
            continue;
        };
        for b in TARGETS {
            let Some(there) = convert_and_compare(source.clone(), b)? else {
                continue;
            };
            converted += usize::from(convert_and_compare(there, a)?.is_some());
        }
    }
    Ok(converted)
}

proptest! {
    #![proptest_config(config(20, "pairs"))]

    #[test]
    fn every_format_through_every_other(scene in scenes::at_rest_in_the_bind_pose()) {
        round_trips(&scene)?;
    }
}

proptest! {
    #![proptest_config(config(100, "pairs"))]

    #[test]
    fn every_format_lists_what_it_cannot_hold(scene in scenes::at_rest_in_the_bind_pose()) {
        for target in TARGETS {
            convert_and_compare(scene.clone(), target)?;
        }
    }

    #[test]
    fn rest_poses_other_than_the_bind_pose_pass_through_all_formats(scene in scenes::at_rest_elsewhere()) {
        for target in TARGETS {
            convert_and_compare(scene.clone(), target)?;
        }
    }
}

/// The tests above compare most scenes, since most scenes can be expressed by all formats.
#[test]
fn most_scenes_pass_through_all_formats() {
    let mut total = 0;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    for _ in 0..8 {
        let scene = scenes::at_rest_in_the_bind_pose()
            .new_tree(&mut runner)
            .unwrap()
            .current();
        total += round_trips(&scene).unwrap();
    }
    let most = 8 * TARGETS.len() * TARGETS.len();
    assert!(total > most * 3 / 4, "{} of {most}", total);
}
