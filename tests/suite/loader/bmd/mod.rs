//! A loader of BMD.

mod engine;
mod packed;

use meshspec::bmd::{self, Document, Transform};
use meshspec::conformance;
use meshspec::conformance::RunReport;

use crate::common::cases;

use super::{require_agreement, require_all_found};
use engine::{Bone, Bug, Clip, Mesh, Model, load};

fn run(bug: Option<Bug>, cases: u32) -> Vec<RunReport> {
    vec![
        conformance::<Document>()
            .cases(cases)
            .compare(model, |bytes| load(bytes, bug)),
    ]
}

#[test]
fn a_loader_without_bugs_agrees() {
    require_agreement(&run(None, cases(16)));
}

#[test]
#[ignore = "takes minutes of processor time: `.ci/run` runs it"]
fn every_bug_is_found_by_a_small_file() {
    require_all_found(&Bug::ALL, 200, |bug, cases| run(Some(bug), cases));
}

/// Converts a document to the loader's data.
fn model(document: &Document) -> Model {
    Model {
        meshes: document.meshes.iter().map(mesh).collect(),
        lods: document
            .lods
            .iter()
            .map(|lod| {
                (
                    lod.id_mesh,
                    lod.n_mesh,
                    u8::from_le_bytes(lod.ld_sc.into_bytes()),
                )
            })
            .collect(),
        bones: document.bones.iter().map(bone).collect(),
        clips: document.animations.iter().map(clip).collect(),
    }
}

fn name(text: &Option<meshspec::Text>) -> Option<Vec<u8>> {
    text.as_ref().map(|text| text.as_bytes().to_vec())
}

fn mesh(mesh: &bmd::Mesh) -> Mesh {
    Mesh {
        material: name(&mesh.material),
        positions: mesh
            .vertices
            .iter()
            .map(|vertex| vertex.position.map(f32::to_bits))
            .collect(),
        uvs: mesh
            .vertices
            .iter()
            .map(|vertex| vertex.st.map(f32::to_bits))
            .collect(),
        bones: mesh.vertices.iter().map(|vertex| vertex.bone).collect(),
        faces: mesh
            .faces
            .iter()
            .map(|face| face.vertices().to_vec())
            .collect(),
    }
}

fn bone(bone: &bmd::Bone) -> Bone {
    let transform = match bone.transform {
        Transform::Bone(transform) => transform.into_bytes(),
        Transform::Pseudo(transform) => transform.into_bytes(),
    };
    Bone {
        name: name(&bone.name),
        parent: bone.id_parent,
        solid: bone.id_solid,
        transform,
    }
}

fn clip(animation: &bmd::Animation) -> Clip {
    let key = |key: bmd::TrackKey| {
        let rotation = key
            .rotation
            .map(|rotation| u32::from_le_bytes(rotation.into_bytes()));
        let words = [
            rotation,
            key.translation.map(|value| value.word()),
            key.scale.map(|value| value.word()),
        ];
        (key.frame, words.into_iter().flatten().collect())
    };
    let keys = |track: &bmd::Track| {
        track
            .keys()
            .filter(bmd::TrackKey::has_values)
            .map(key)
            .collect()
    };
    Clip {
        name: name(&animation.name),
        frames: animation.n_frames,
        rate: u8::from_le_bytes(animation.fl_hz.into_bytes()),
        tracks: animation.tracks.iter().map(keys).collect(),
    }
}
