//! If a loss is removed from the list, as if the library had not reported it, the comparison must fail.

use std::collections::BTreeMap;

use meshspec::{AnyFormat, Loss, LossKind};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use super::{TARGETS, assert_explained, scenes, with_names_of_joints, write_and_read};

/// Returns `true` if the comparison may pass without the loss, because another loss covers it or it is within rounding.
fn is_small(loss: &Loss) -> bool {
    let path = loss.path.to_string();
    match loss.kind {
        // Sets are covered by the next one, and handedness by the default.
        LossKind::Dropped => path.contains(".skins[") || path.ends_with(".tangents.w"),
        LossKind::Quantized => {
            let compared_bit_by_bit = [".positions", ".uvs[", ".colors[", ".skins", "distance"];
            // Applied transforms loosen the comparison of coordinates.
            let near = path.ends_with(".positions") && loss.error <= Some(0.01);
            let angle = path.ends_with(".normals") && loss.error > Some(0.01);
            near || !(angle
                || loss.error > Some(0.0)
                    && compared_bit_by_bit.iter().any(|part| path.contains(part)))
        }
        // Names are compared unless the mesh has a rename.
        LossKind::Renamed => path.contains(".custom["),
        // Changed values may be equal by chance.
        LossKind::Changed => true,
        _ => false,
    }
}

/// Returns `true` if both losses permit the same differences: their kind and path are equal, or both affect skins,
/// which are compared as one part.
fn permit_same_differences(loss: &Loss, other: &Loss) -> bool {
    let skins = |loss: &Loss| loss.path.to_string().contains(".skins");
    (loss.kind, &loss.path) == (other.kind, &other.path) || skins(loss) && skins(other)
}

/// Returns the kind and path of a loss, without numbers.
fn subject(format: AnyFormat, loss: &Loss) -> String {
    let path: String = loss
        .path
        .to_string()
        .chars()
        .filter(|c| !c.is_ascii_digit())
        .collect();
    format!("{format}: {:?} {path}", loss.kind)
}

#[test]
fn an_omitted_loss_is_detected() {
    let mut runner = TestRunner::deterministic();
    let mut found_wrong: BTreeMap<String, usize> = BTreeMap::new();
    for _ in 0..40 {
        let scene = scenes::at_rest_in_the_bind_pose()
            .new_tree(&mut runner)
            .unwrap()
            .current();
        let scene = with_names_of_joints(scene);
        for target in TARGETS {
            let Some((found, losses)) = write_and_read(&scene, target) else {
                continue;
            };
            for index in 0..losses.len() {
                let mut rest = losses.clone();
                let omitted = rest.remove(index);
                let same = rest
                    .iter()
                    .any(|loss| permit_same_differences(loss, &omitted));
                let result = assert_explained(scene.clone(), &found, Some(target.0), &rest);
                assert!(
                    result.is_err() || same || is_small(&omitted),
                    "{omitted} may be omitted from {losses:#?}"
                );
                *found_wrong.entry(subject(target.0, &omitted)).or_default() +=
                    usize::from(result.is_err());
            }
        }
    }
    let subjects = [
        "mesh: Dropped meshes[].colors[]",
        "mesh: Merged meshes",
        "bmd: Quantized animations[].channels.translation",
        "mesh: Changed transform",
        "mesh: Quantized meshes[].skins[].weights",
        "seed: Renamed meshes[].name",
        "seed: Dropped meshes[].custom[]",
        "iyma: Renamed meshes[].custom[].name",
        "iyma: Changed meshes[].custom[].components",
        "crucible: Quantized meshes[].skins",
        "crucible: Dropped lods",
        "crucible: Dropped skeleton.joints",
        "bmd: Quantized meshes[].positions",
        "bmd: Quantized meshes[].normals",
        "bmd: Renamed meshes[].material.name",
        "bmd: Changed skeleton.joints",
        "bmd: Changed skeleton.joints.inverse_bind",
        "bmd: Changed animations[].duration",
    ];
    for subject in subjects {
        assert!(
            found_wrong.get(subject).is_some_and(|count| *count > 0),
            "{subject}: {found_wrong:#?}"
        );
    }
}
