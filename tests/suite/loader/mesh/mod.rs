//! A loader of MESH.

mod engine;

use meshspec::conformance::RunReport;
use meshspec::mesh::{Animation, Document, Pose};
use meshspec::{Dialect, conformance};

use crate::common::cases;

use super::{bits, require_agreement, require_all_found};
use engine::{Bug, Clip, Joint, Model, load};

fn run(bug: Option<Bug>, cases: u32) -> Vec<RunReport> {
    let dialects = [Dialect::SPEC, Dialect::RENDERLIB].into_iter();
    let run = |dialect| {
        let harness = conformance::<Document>().dialect(dialect).cases(cases / 2);
        harness.compare(model, |bytes| load(bytes, dialect, bug))
    };
    dialects.map(run).collect()
}

#[test]
fn a_loader_without_bugs_agrees() {
    require_agreement(&run(None, cases(64)));
}

#[test]
#[ignore = "takes many seconds of processor time: `.ci/run` runs it"]
fn every_bug_is_found_by_a_small_file() {
    require_all_found(&Bug::ALL, 200, |bug, cases| run(Some(bug), cases));
}

/// Converts a document to the loader's data.
fn model(document: &Document) -> Model {
    let columns = document.vertices.to_columns();
    let joint = |joint: &meshspec::mesh::Joint| Joint {
        id: joint.id,
        parent: joint.parent,
        transform: bits(joint.transform.as_flattened()),
    };
    let weights = columns.joint_weights.unwrap_or_default();
    Model {
        root: bits(document.root_transform.iter().flatten().flatten()),
        positions: bits(columns.positions.as_flattened()),
        normals: bits(columns.normals.unwrap_or_default().as_flattened()),
        uvs: bits(columns.uvs.unwrap_or_default().as_flattened()),
        joint_ids: columns.joint_ids.unwrap_or_default().concat(),
        weights: weights
            .as_flattened()
            .iter()
            .map(|weight| (f32::from(*weight) / 255.0).to_bits())
            .collect(),
        indices: document.indices.clone(),
        joints: document.joints.iter().map(joint).collect(),
        clips: document
            .animations
            .iter()
            .map(|animation| clip(document, animation))
            .collect(),
    }
}

fn clip(document: &Document, animation: &Animation) -> Clip {
    let pose = |pose: &Pose| {
        bits(
            pose.position
                .iter()
                .chain(&pose.rotation)
                .chain(&pose.scale),
        )
    };
    let poses = |time| {
        document
            .skeleton_pose(animation, time)
            .unwrap()
            .iter()
            .flat_map(pose)
            .collect()
    };
    Clip {
        name: document
            .animation_name(animation)
            .map(|name| name.as_bytes().to_vec()),
        duration: animation.duration.to_bits(),
        speed: animation.speed.to_bits(),
        times: bits(&animation.timestamps),
        poses: (0..animation.timestamps.len()).map(poses).collect(),
    }
}
