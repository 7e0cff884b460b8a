//! Skinned vertices in glTF equal the skinned vertices of the MESH document at several times.

use glam::{Mat4, Quat, Vec3};
use meshspec::interop::Interchange;
use meshspec::scene::SceneOptions;
use meshspec::{Document, ReadOptions, mesh};

use super::evaluate::Model;
use super::write;
use crate::common::fixtures_of;

const FILES: [&str; 6] = [
    "mesh/renderlib/skinned_78E.mesh",
    "mesh/spec/05_skinned_pntj_2anim.mesh",
    "mesh/spec/07_skinned_3anim_names.mesh",
    "mesh/spec/08_skinned_shared_name.mesh",
    "mesh/spec/09_pose_order_unsorted.mesh",
    "mesh/spec/10_joint_entries_unsorted.mesh",
];

fn rows(rows: [[f32; 4]; 4]) -> Mat4 {
    Mat4::from_cols_array_2d(&rows).transpose()
}

/// Returns the vertices at a timestamp according to the MESH specification. Poses are relative to parents, and a
/// joint's transform maps model space to joint space.
fn source_vertices(document: &mesh::Document, animation: usize, timestamp: usize) -> Vec<Vec3> {
    let poses = document
        .skeleton_pose(&document.animations[animation], timestamp)
        .unwrap();
    let local = |id: usize| {
        let [w, x, y, z] = poses[id].rotation;
        let rotation = Quat::from_xyzw(x, y, z, w).normalize();
        Mat4::from_scale_rotation_translation(
            poses[id].scale.into(),
            rotation,
            poses[id].position.into(),
        )
    };
    let entry = |id: usize| {
        document
            .joints
            .iter()
            .find(|joint| usize::from(joint.id) == id)
            .unwrap()
    };
    let global = |id: usize| {
        let (mut matrix, mut joint) = (local(id), entry(id));
        // In these files, parents are both ids and indices.
        while joint.parent != 255 {
            matrix = local(joint.parent.into()) * matrix;
            joint = entry(joint.parent.into());
        }
        matrix
    };
    let skinning: Vec<Mat4> = (0..poses.len())
        .map(|id| global(id) * rows(entry(id).transform))
        .collect();
    let root = document.root_transform.map_or(Mat4::IDENTITY, rows);
    let vertex = |index: usize| {
        let vertex = document.vertices.get(index).unwrap();
        let position = Vec3::from(vertex.position);
        let influences = vertex
            .joint_ids
            .unwrap()
            .into_iter()
            .zip(vertex.joint_weights.unwrap());
        let moved = influences.filter(|(id, _)| *id != 255).map(|(id, weight)| {
            skinning[usize::from(id)].transform_point3(position) * (f32::from(weight) / 255.0)
        });
        root.transform_point3(moved.sum())
    };
    (0..document.vertices.len()).map(vertex).collect()
}

#[test]
#[ignore = "needs the reference files: set MESHSPEC_FIXTURES"]
fn poses_match_the_source() {
    let fixtures = fixtures_of("mesh");
    for file in FILES {
        let fixture = fixtures
            .iter()
            .find(|fixture| fixture.file == file)
            .unwrap();
        let mut compared = 0;
        let document = match meshspec::read(&fixture.bytes, &ReadOptions::default()).unwrap() {
            Document::Mesh(document) => document,
            _ => panic!("{file}"),
        };
        let source = document.clone();
        let (scene, _) = Document::Mesh(document)
            .into_scene(&SceneOptions::default())
            .unwrap();
        let (files, _) = write(Interchange::Glb, scene).unwrap();
        let model = Model::new(&files["a scene.glb"]);
        for (index, animation) in source.animations.iter().enumerate() {
            let count = animation.timestamps.len();
            for timestamp in [0, count / 3, count / 2, count.saturating_sub(1)] {
                if source.skeleton_pose(animation, timestamp).is_none() {
                    continue;
                }
                let expected = source_vertices(&source, index, timestamp);
                let seconds = animation.timestamps[timestamp] / animation.speed;
                let found = model.vertices(Some(index), seconds);
                assert_eq!(found.len(), expected.len());
                let size = expected.iter().fold(1.0, |size: f32, vertex| {
                    vertex.abs().max_element().max(size)
                });
                for (vertex, (found, expected)) in found.iter().zip(&expected).enumerate() {
                    let off = (*found - *expected).length();
                    assert!(
                        off <= 1e-4 * size,
                        "{file}: animation {index} at {timestamp}: vertex {vertex}: {off}"
                    );
                }
                compared += expected.len();
            }
        }
        assert!(compared >= 12, "{file}: {compared} vertices");
        println!("{file}: {compared} vertices compared");
    }
}
