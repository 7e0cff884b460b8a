//! Round trips of scenes through files, with content that the format can store.

use crate::common::config;
use meshspec::interop::Interchange::{self, Obj, Ply, Stl};
use meshspec::scene::{
    AlphaMode, Colors, Components, CustomAttribute, Faces, Indices, Material, Mesh, Scene, UvOrigin,
};
use proptest::collection::vec;
use proptest::prelude::*;

use super::{Folder, read, scene_of, write};

/// A strategy for finite floats of all magnitudes.
fn number() -> impl Strategy<Value = f32> {
    any::<u32>()
        .prop_map(f32::from_bits)
        .prop_filter("finite", |number| number.is_finite())
}

fn point<const N: usize>() -> impl Strategy<Value = [f32; N]> {
    vec(number(), N).prop_map(|values| values.try_into().unwrap())
}

fn colors(vertices: usize) -> impl Strategy<Value = Colors> {
    prop_oneof![
        vec(any::<[u8; 4]>(), vertices).prop_map(Colors::U8),
        vec(point(), vertices).prop_map(Colors::F32),
    ]
}

/// A strategy for polygons that use every vertex; first uses are in ascending order.
fn faces(vertices: usize) -> impl Strategy<Value = Faces> {
    let more = vec(vec(0..vertices as u32, 3..6), 0..4);
    more.prop_map(move |more| {
        let first: Vec<u32> = (0..vertices as u32).collect();
        let faces: Vec<_> = std::iter::once(first).chain(more).collect();
        let counts: Vec<_> = faces.iter().map(|face| face.len() as u32).collect();
        Faces {
            indices: Some(Indices::U32(faces.concat())),
            corners: counts.iter().any(|count| *count != 3).then_some(counts),
        }
    })
}

prop_compose! {
    /// A mesh that both OBJ and PLY can store.
    fn mesh()(vertices in 3_usize..9)(
        positions in vec(point(), vertices),
        normals in proptest::option::of(vec(point(), vertices)),
        uvs in vec(vec(point(), vertices), 0..2),
        colors in vec(colors(vertices), 0..2),
        faces in faces(vertices),
    ) -> Mesh {
        Mesh { positions, normals, uvs, uv_origin: UvOrigin::BottomLeft, colors, faces, ..Mesh::default() }
    }
}

fn components(count: usize) -> impl Strategy<Value = Components> {
    prop_oneof![
        vec(number(), count).prop_map(Components::F32),
        vec(any::<i32>().prop_map(|value| f64::from(value) / 3.0), count).prop_map(Components::F64),
        vec(any::<u8>(), count).prop_map(Components::U8),
        vec(any::<i8>(), count).prop_map(Components::I8),
        vec(any::<u16>(), count).prop_map(Components::U16),
        vec(any::<i16>(), count).prop_map(Components::I16),
        vec(any::<u32>(), count).prop_map(Components::U32),
        vec(any::<i32>(), count).prop_map(Components::I32),
    ]
}

prop_compose! {
    fn with_custom()(mesh in mesh())(custom in vec(components(mesh.positions.len()), 0..3), mut mesh in Just(mesh))
    -> Mesh {
        let numbered = custom.into_iter().enumerate();
        mesh.custom = numbered
            .map(|(index, values)| CustomAttribute { name: format!("custom{index}"), components: 1, values })
            .collect();
        mesh
    }
}

prop_compose! {
    fn with_material()(
        mut mesh in mesh(),
        name in "([a-zé#][ -~]{0,10}[a-z#])?".prop_filter("a comment", |name| {
            name.split(' ').all(|word| word.is_empty() || word.bytes().any(|byte| byte != b'#'))
        }),
        color in proptest::option::of(([0.0f32..1.5, 0.0f32..1.5, 0.0f32..1.5], 0.0f32..=1.0)),
    ) -> Mesh {
        mesh.name = name;
        mesh.material.alpha_mode = match color {
            Some((_, opacity)) if opacity < 1.0 => AlphaMode::Blend,
            _ => AlphaMode::Opaque,
        };
        mesh.material.base_color = color.map(|([red, green, blue], opacity)| [red, green, blue, opacity]);
        mesh
    }
}

const COLOR: [f32; 4] = [0.1, 0.2, 0.00123, 1.0];

/// Writes a scene and reads it again. Asserts that each loss of writing contains one of the texts in `lost`, and that
/// reading has no losses. Returns the read scene.
fn assert_round_trip(format: Interchange, scene: Scene, lost: &[&str]) -> Scene {
    let (folder, losses) = write(format, scene).unwrap();
    let others: Vec<_> = losses
        .lines()
        .filter(|line| !lost.iter().any(|lost| line.contains(lost)))
        .collect();
    assert_eq!(others, [""; 0]);
    let (mut scene, losses) = read(format, &folder[&format!("file.{format}")], &folder).unwrap();
    assert_eq!(losses, []);
    // Coordinates read from text keep the nearest 64-bit float.
    scene
        .meshes
        .iter_mut()
        .for_each(|mesh| mesh.exact_positions = None);
    scene
}

/// Returns a scene as text in which −0 differs from 0.
fn text(scene: &Scene) -> String {
    format!("{scene:?}")
}

proptest! {
    #![proptest_config(config(256, "interop"))]

    #[test]
    fn obj(mut meshes in vec(with_material(), 1..4)) {
        // OBJ cannot reset the material.
        meshes.sort_by_key(|mesh| mesh.material.base_color.is_some());
        for (index, mesh) in meshes.iter_mut().enumerate() {
            if mesh.material.base_color.is_some() {
                mesh.material.name = format!("material {index}");
            }
        }
        // Other normals are replaced.
        for mesh in &mut meshes {
            mesh.normals = mesh.normals.take().filter(|normals| normals.iter().all(|normal| *normal != [0.0; 3]));
        }
        let scene = scene_of(meshes);
        let again = assert_round_trip(Obj, scene.clone(), &["alpha"]);
        let mut expected = scene;
        for color in expected.meshes.iter_mut().flat_map(|mesh| &mut mesh.colors) {
            let mut floats = std::mem::replace(color, Colors::U8(Vec::new())).into_f32();
            floats.iter_mut().for_each(|color| color[3] = 1.0);
            *color = Colors::F32(floats);
        }
        prop_assert_eq!(text(&again), text(&expected));
    }

    #[test]
    fn ply(mesh in with_custom()) {
        let scene = scene_of(vec![mesh]);
        prop_assert_eq!(text(&assert_round_trip(Ply, scene.clone(), &[])), text(&scene));
    }

    #[test]
    fn stl(corners in vec(vec(point::<3>(), 3), 0..9), normals in vec(point::<3>(), 9), name in "([a-r][ -~]{0,30}[a-z])?") {
        prop_assume!(normals.iter().all(|normal| *normal != [0.0; 3]));
        let positions: Vec<[f32; 3]> = corners.concat();
        let normals: Vec<_> = normals.iter().take(corners.len()).flat_map(|normal| [*normal; 3]).collect();
        let normals = (!normals.is_empty()).then_some(normals);
        let scene = scene_of(vec![Mesh { name, positions, normals, ..Mesh::default() }]);
        prop_assert_eq!(text(&assert_round_trip(Stl, scene.clone(), &[])), text(&scene));
    }

    /// Invalid names are changed and listed as losses.
    #[test]
    fn names(name in any::<String>(), material in any::<String>()) {
        let mut mesh = super::triangle();
        mesh.name.clone_from(&name);
        mesh.material = Material { name: material.clone(), base_color: Some(COLOR), ..Material::default() };
        for format in [Obj, Stl] {
            let mut folder = Folder::new();
            let losses = format.write(scene_of(vec![mesh.clone()]), "a", &mut folder, &Default::default()).unwrap();
            let (scene, _) = read(format, &folder["a"], &folder).unwrap();
            let renamed = losses.iter().any(|loss| loss.path == "meshes[0].name");
            prop_assert_eq!(scene.meshes[0].name != name, renamed, "{:?}", scene.meshes[0].name);
            if format == Obj {
                let renamed = losses.iter().any(|loss| loss.path == "meshes[0].material.name");
                prop_assert_eq!(scene.meshes[0].material.name != material, renamed);
                prop_assert_eq!(scene.meshes[0].material.base_color, Some(COLOR));
            }
        }
    }
}
