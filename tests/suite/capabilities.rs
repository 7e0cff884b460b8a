//! Conversion of scenes to formats with fewer capabilities: the most important content is kept, the rest is listed.

use std::collections::BTreeMap;

use meshspec::interop::Interchange::Ply;
use meshspec::scene::{
    Capabilities, Colors, Faces, FromScene, Joint, Lod, Mesh, Placement, Scene, SceneOptions,
    Skeleton, Skin, ToScene, UvOrigin, Weights,
};
use meshspec::{Loss, crucible, mesh, seed};

fn triangle(x: f32) -> Mesh {
    Mesh {
        positions: vec![[x, 0.0, 0.0], [x + 1.0, 0.0, 0.0], [x, 1.0, 0.0]],
        faces: Faces::triangles(vec![0, 1, 2]),
        ..Mesh::default()
    }
}

fn list(losses: &[Loss]) -> String {
    losses
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn the_finest_level_of_detail_is_kept() {
    let lod = |distance, mesh| Lod {
        distance,
        meshes: vec![mesh],
    };
    let scene = Scene {
        meshes: vec![triangle(0.0), triangle(1.0), triangle(2.0), triangle(3.0)],
        lods: vec![lod(20.0, 0), lod(0.0, 1), lod(10.0, 2)],
        ..Scene::default()
    };
    let (document, losses) =
        crucible::Document::from_scene(scene, &SceneOptions::default()).unwrap();
    let kept: Vec<_> = document
        .chunks
        .iter()
        .map(|chunk| chunk.positions_3d().unwrap()[0][0].abs())
        .collect();
    // The last mesh belongs to no level, and is therefore part of every level.
    assert_eq!(kept, [1.0, 3.0]);
    assert_eq!(
        list(&losses),
        "dropped: meshes[2]: a coarser level of detail\n\
         dropped: meshes[0]: a coarser level of detail\n\
         dropped: lods: Crucible has no levels of detail; the finest was kept, 2 of 4 meshes"
    );
}

#[test]
fn placements_are_baked_despite_missing_meshes_of_a_level() {
    let mesh = Mesh {
        placements: vec![Placement::default(), Placement::default()],
        ..triangle(0.0)
    };
    let lods = vec![Lod {
        distance: 0.0,
        meshes: vec![0, 1, usize::MAX],
    }];
    let mut scene = Scene {
        meshes: vec![mesh],
        lods,
        ..Scene::default()
    };
    Capabilities::POSITIONS
        .bake_placements(&mut scene, 1_000)
        .unwrap();
    assert_eq!(
        (scene.meshes.len(), &*scene.lods[0].meshes),
        (2, &[0, 1][..])
    );
}

/// Returns a triangle whose first vertex has the joints and weights of two sets; the other vertices follow joint 0.
fn skinned_triangle(sets: [([u16; 4], [f32; 4]); 2]) -> Scene {
    let skins = sets
        .into_iter()
        .enumerate()
        .map(|(set, (joints, weights))| {
            let (other, weight) = if set == 0 {
                (0, 1.0)
            } else {
                (Skin::NONE, 0.0)
            };
            let alone = [other, Skin::NONE, Skin::NONE, Skin::NONE];
            Skin {
                joints: vec![joints, alone, alone],
                weights: Weights::F32(vec![
                    weights,
                    [weight, 0.0, 0.0, 0.0],
                    [weight, 0.0, 0.0, 0.0],
                ]),
            }
        });
    let meshes = vec![Mesh {
        skins: skins.collect(),
        ..triangle(0.0)
    }];
    Scene {
        meshes,
        skeleton: Skeleton {
            joints: vec![Joint::default(); 6],
        },
        ..Scene::default()
    }
}

#[test]
fn the_heaviest_joints_are_kept_with_a_sum_of_one() {
    let scene = skinned_triangle([
        ([0, 1, 2, 3], [0.125, 0.25, 0.0625, 0.0]),
        ([4, 5, 0, 0], [0.5, 0.0625, 0.0, 0.0]),
    ]);
    let (document, losses) =
        crucible::Document::from_scene(scene, &SceneOptions::default()).unwrap();
    let (again, _) = document.into_scene(&SceneOptions::default()).unwrap();
    let skin = &again.meshes[0].skins[0];
    // Of two equal joints, the first is kept.
    assert_eq!(skin.joints[0], [4, 1, 0, 2]);
    let weights = skin.weights.clone().into_f32()[0];
    let sum = 0.9375;
    assert_eq!(weights, [0.5 / sum, 0.25 / sum, 0.125 / sum, 0.0625 / sum]);
    let loss = losses
        .iter()
        .find(|loss| loss.path == "meshes[0].skins")
        .unwrap();
    assert_eq!(loss.error, Some(0.0625), "{loss}");
}

/// Weights are rounded by largest remainders: the weights that lose most by rounding down are rounded up.
#[test]
fn weights_of_eight_bits_have_a_sum_of_255() {
    let cases = [
        ([0.6, 0.25, 0.15, 0.0], [153, 64, 38, 0]),
        ([0.15, 0.25, 0.6, 0.0], [38, 64, 153, 0]),
        ([0.25, 0.25, 0.25, 0.25], [64, 64, 64, 63]),
        ([2.0, 0.0, 2.0, 0.0], [128, 0, 127, 0]),
        ([0.0, 0.0, 0.0, 1.0], [0, 0, 0, 255]),
    ];
    for (weights, expected) in cases {
        let mut scene = skinned_triangle([([0, 1, 2, 3], weights), ([0; 4], [0.0; 4])]);
        scene.meshes[0].skins.pop();
        let (document, _) = mesh::Document::from_scene(scene, &SceneOptions::default()).unwrap();
        assert_eq!(
            document.vertices.get(0).unwrap().joint_weights,
            Some(expected),
            "{weights:?}"
        );
    }
}

#[test]
fn joint_names_and_flipped_coordinates_are_listed() {
    let mut scene = skinned_triangle([([0; 4], [1.0, 0.0, 0.0, 0.0]), ([Skin::NONE; 4], [0.0; 4])]);
    scene.meshes[0].skins.truncate(1);
    scene.meshes[0].uvs = vec![vec![[0.0, 1e-9]; 3]];
    scene.skeleton.joints[2].name = "hip".to_owned();
    let (document, losses) = mesh::Document::from_scene(scene, &SceneOptions::default()).unwrap();
    assert_eq!(
        list(&losses),
        "quantized: meshes[0].uvs[0]: MESH uses the bottom left as texture origin; v was replaced by 1 - v, off by at most 1e-9 of the texture's width\n\
         dropped: skeleton.joints.name: MESH does not store joint names: 1"
    );
    let (again, _) = document.into_scene(&SceneOptions::default()).unwrap();
    assert_eq!(
        (again.meshes[0].uv_origin, &again.meshes[0].uvs[0][0]),
        (UvOrigin::BottomLeft, &[0.0, 1.0])
    );
}

/// Missing attributes are filled in: white, +X, 0, or generated normals.
#[test]
fn merged_meshes_share_their_attributes() {
    let full = |colors| Mesh {
        normals: Some(vec![[0.0, 1.0, 0.0]; 3]),
        uvs: vec![vec![[0.5, 0.25]; 3]],
        uv_origin: UvOrigin::BottomLeft,
        colors: vec![colors],
        ..triangle(2.0)
    };
    let bytes = full(Colors::U8(vec![[0, 51, 255, 102]; 3]));
    let floats = full(Colors::F32(vec![[0.5, 0.75, 2.0, 1.0]; 3]));
    let bare = Mesh {
        uv_origin: UvOrigin::BottomLeft,
        ..triangle(0.0)
    };
    let scene = Scene {
        meshes: vec![bare, bytes, floats],
        ..Scene::default()
    };
    let mut files = BTreeMap::new();
    Ply.write(scene, "a.ply", &mut files, &SceneOptions::default())
        .unwrap();
    let (scene, _) = Ply
        .read(
            &files["a.ply"],
            &files,
            &Default::default(),
            &Default::default(),
        )
        .unwrap();
    let [mesh] = &*scene.meshes else {
        panic!("{} meshes", scene.meshes.len())
    };
    let three = |values: [[f32; 4]; 3]| values.map(|value| [value; 3]).concat();
    let colors = three([[1.0; 4], [0.0, 0.2, 1.0, 0.4], [0.5, 0.75, 2.0, 1.0]]);
    assert_eq!(mesh.colors, [Colors::F32(colors)]);
    let normals = mesh.normals.as_deref().unwrap();
    assert_eq!(
        (normals[0], normals[3], normals[6]),
        ([0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [0.0, 1.0, 0.0])
    );
    assert_eq!((mesh.uvs[0][0], mesh.uvs[0][3]), ([0.0, 0.0], [0.5, 0.25]));
    assert_eq!(
        mesh.faces.indices.clone().unwrap().into_u32(),
        (0..9).collect::<Vec<_>>()
    );
    assert_eq!(
        (mesh.positions[0], mesh.positions[3]),
        ([0.0; 3], [2.0, 0.0, 0.0])
    );
}

#[test]
fn missing_built_in_properties_of_seed_are_added() {
    let mesh = Mesh {
        name: "of the mesh".to_owned(),
        ..triangle(0.0)
    };
    let properties = vec![("name".to_owned(), "as said".to_owned())];
    let scene = Scene {
        meshes: vec![mesh],
        properties,
        ..Scene::default()
    };
    let (document, _) = seed::Document::from_scene(scene, &SceneOptions::default()).unwrap();
    let properties: Vec<_> = document
        .properties
        .iter()
        .map(|property| (&*property.name, &*property.value))
        .collect();
    assert_eq!(
        properties,
        [("name", "as said"), ("mat0", "DEFAULT"), ("type", "STATIC")]
    );
}
