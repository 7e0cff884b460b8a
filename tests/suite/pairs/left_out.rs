//! The comparison is sharp: a list that leaves a loss out, as if the library did not say it, is found wrong.

use std::collections::BTreeMap;

use meshspec::scene::{Scene, SceneOptions};
use meshspec::{Document, FormatId, Loss, LossKind};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use super::{TARGETS, Target, held, scenes, with_names_of_joints};

/// The scene in a format, as it is read from there, with the list of losses.
fn convert(scene: &Scene, (format, dialect): Target) -> Option<(Scene, Vec<Loss>)> {
    let options = SceneOptions::default().with_dialect(dialect);
    let (document, mut losses) = Document::from_scene(format, scene.clone(), &options).ok()?;
    let (found, more) = document.into_scene(&options).unwrap();
    losses.extend(more);
    Some((found, losses))
}

/// Whether something else says the same, or what it says is no more than rounding.
fn is_small(loss: &Loss) -> bool {
    let path = loss.path.to_string();
    match loss.kind {
        // The next set, and the side that reading assumes.
        LossKind::Dropped => path.contains(".skins[") || path.ends_with(".tangents.w"),
        LossKind::Quantised => {
            let compared_bit_by_bit = [".positions", ".uvs[", ".colors[", ".skins", "distance"];
            // Where a transform is applied, coordinates are compared less closely.
            let near = path.ends_with(".positions") && loss.error <= Some(0.01);
            let angle = path.ends_with(".normals") && loss.error > Some(0.01);
            near || !(angle
                || loss.error > Some(0.0) && compared_bit_by_bit.iter().any(|part| path.contains(part)))
        }
        // Names are compared unless one of the mesh is said to be another.
        LossKind::Renamed => path.contains(".custom["),
        // Of what was changed some may be as it was.
        LossKind::Changed => true,
        _ => false,
    }
}

/// Whether a loss allows what another one does. Weights are one part, of which the larger error counts.
fn says_as_much(loss: &Loss, other: &Loss) -> bool {
    let skins = |loss: &Loss| loss.path.to_string().contains(".skins");
    (loss.kind, &loss.path) == (other.kind, &other.path) || skins(loss) && skins(other)
}

/// The kind and the part that a loss is of, whatever the numbers.
fn subject(format: FormatId, loss: &Loss) -> String {
    let path: String = loss.path.to_string().chars().filter(|c| !c.is_ascii_digit()).collect();
    format!("{format}: {:?} {path}", loss.kind)
}

#[test]
fn a_list_that_leaves_a_loss_out_is_wrong() {
    let mut runner = TestRunner::deterministic();
    let mut found_wrong: BTreeMap<String, usize> = BTreeMap::new();
    for _ in 0..40 {
        let scene = scenes::at_rest_in_the_bind_pose().new_tree(&mut runner).unwrap().current();
        let scene = with_names_of_joints(scene);
        for target in TARGETS {
            let Some((found, losses)) = convert(&scene, target) else { continue };
            for index in 0..losses.len() {
                let mut rest = losses.clone();
                let left_out = rest.remove(index);
                let same = rest.iter().any(|loss| says_as_much(loss, &left_out));
                let result = held(scene.clone(), &found, Some(target.0), &rest);
                assert!(
                    result.is_err() || same || is_small(&left_out),
                    "{left_out} may be left out of {losses:#?}"
                );
                *found_wrong.entry(subject(target.0, &left_out)).or_default() += usize::from(result.is_err());
            }
        }
    }
    let subjects = [
        "mesh: Dropped meshes[].colors[]",
        "mesh: Merged meshes",
        "bmd: Quantised animations[].channels.translation",
        "mesh: Changed transform",
        "mesh: Quantised meshes[].skins[].weights",
        "seed: Renamed meshes[].name",
        "seed: Dropped meshes[].custom[]",
        "iyma: Renamed meshes[].custom[].name",
        "iyma: Changed meshes[].custom[].components",
        "crucible: Quantised meshes[].skins",
        "crucible: Dropped lods",
        "crucible: Dropped skeleton.joints",
        "bmd: Quantised meshes[].positions",
        "bmd: Quantised meshes[].normals",
        "bmd: Renamed meshes[].material.name",
        "bmd: Changed skeleton.joints",
        "bmd: Changed skeleton.joints.inverse_bind",
        "bmd: Changed animations[].duration",
    ];
    for subject in subjects {
        assert!(found_wrong.get(subject).is_some_and(|count| *count > 0), "{subject}: {found_wrong:#?}");
    }
}
