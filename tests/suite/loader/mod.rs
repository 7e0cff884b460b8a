//! A loader of another project, tested by generated files: each of its bugs is found, by a file that is small.

mod engine;

use meshspec::layout::generate;
use meshspec::mesh::{Animation, Document, Pose, strategy};
use meshspec::{Declared, Dialect, Format, Limits, ReadOptions, WriteOptions};
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestError, TestRng, TestRunner};

use engine::{Bug, Clip, Joint, Model, load};

/// A file, valid or not.
#[derive(Debug, Clone)]
struct Case {
    dialect: Dialect,
    bytes: Vec<u8>,
}

impl Case {
    fn of(document: &Document) -> Case {
        Case { dialect: document.dialect, bytes: document.write(&WriteOptions::default()).unwrap() }
    }

    /// The file with each one thing broken.
    fn broken(&self) -> impl Iterator<Item = Case> {
        let layout = Document::layout_of(&self.bytes, self.dialect).unwrap();
        let broken =
            generate::breakages(layout, &self.bytes, Document::ABOUT.rules, &Limits::default()).unwrap();
        broken.map(|broken| Case { dialect: self.dialect, bytes: broken.bytes })
    }

    fn is_right(&self, bug: Option<Bug>) -> bool {
        load(&self.bytes, self.dialect, bug) == expected(self)
    }

    /// Number of vertices that its header states.
    fn vertices(&self) -> u32 {
        self.bytes.get(3..7).map_or(0, |count| u32::from_le_bytes(count.try_into().unwrap()))
    }
}

/// What an engine must make of a file.
fn expected(case: &Case) -> Option<Model> {
    let options = ReadOptions::default().with_dialect(case.dialect);
    Document::read(&case.bytes, &options).ok().map(|document| model(&document))
}

fn bits<'a>(floats: impl IntoIterator<Item = &'a f32>) -> Vec<u32> {
    floats.into_iter().map(|float| float.to_bits()).collect()
}

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
        weights: weights.as_flattened().iter().map(|weight| (f32::from(*weight) / 255.0).to_bits()).collect(),
        indices: document.indices.clone(),
        joints: document.joints.iter().map(joint).collect(),
        clips: document.animations.iter().map(|animation| clip(document, animation)).collect(),
    }
}

fn clip(document: &Document, animation: &Animation) -> Clip {
    let pose = |pose: &Pose| bits(pose.position.iter().chain(&pose.rotation).chain(&pose.scale));
    let poses = |time| document.skeleton_pose(animation, time).unwrap().iter().flat_map(pose).collect();
    Clip {
        name: document.name_of(animation).map(|name| name.as_bytes().to_vec()),
        duration: animation.duration.to_bits(),
        speed: animation.speed.to_bits(),
        times: bits(&animation.timestamps),
        poses: (0..animation.timestamps.len()).map(poses).collect(),
    }
}

/// The smallest file that a loader gets wrong, itself or with one thing broken; `None` if it gets all right.
fn wrong(bug: Option<Bug>, files: u32) -> Option<Case> {
    let is_right = |document: Document| {
        let case = Case::of(&document);
        prop_assert!(case.is_right(bug) && case.broken().all(|broken| broken.is_right(bug)));
        Ok(())
    };
    let config = ProptestConfig { cases: files, failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    match runner.run(&strategy::documents(), is_right) {
        Ok(()) => None,
        Err(TestError::Fail(_, document)) => {
            let case = Case::of(&document);
            [case.clone()].into_iter().chain(case.broken()).find(|case| !case.is_right(bug))
        }
        Err(TestError::Abort(reason)) => panic!("{reason}"),
    }
}

#[test]
fn a_loader_without_bugs_is_right() {
    let wrong = wrong(None, 200);
    assert!(wrong.is_none(), "{wrong:?}");
}

#[test]
fn every_bug_is_found_by_a_small_file() {
    for bug in Bug::ALL {
        let case = wrong(Some(bug), 1000).unwrap_or_else(|| panic!("{bug:?} is not found"));
        println!("{bug:?}: {} vertices, {} bytes", case.vertices(), case.bytes.len());
        assert!(case.vertices() <= 3, "{bug:?}: {case:?}");
    }
}
