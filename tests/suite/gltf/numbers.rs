//! Data in the forms of other writers: all component types, interleaving, splines, nested nodes.

use glam::{Mat4, Quat, Vec3};
use meshspec::Loss;
use meshspec::interop::Interchange;
use meshspec::scene::{Colors, Components, Samples, Scene, Skin, Weights};
use serde_json::{Value, json};

use super::layout::everything;
use super::{parts, read, read_json, write};

/// A file that is built list by list.
struct FileBuilder {
    json: Value,
    numbers: Vec<u8>,
}

impl FileBuilder {
    /// Creates a file with only nodes.
    fn new(nodes: Value, roots: &[usize]) -> FileBuilder {
        let json = json!({
            "asset": { "version": "2.0" },
            "scenes": [{ "nodes": roots }],
            "nodes": nodes,
            "buffers": [{ "byteLength": 0, "uri": "numbers.bin" }],
            "bufferViews": [],
            "accessors": [],
        });
        FileBuilder {
            json,
            numbers: Vec::new(),
        }
    }

    /// Creates a file with a mesh of three points.
    fn with_points(nodes: Value, roots: &[usize], positions: [[f32; 3]; 3]) -> FileBuilder {
        let mut file = FileBuilder::new(nodes, roots);
        let positions = file.add_floats(&positions.concat(), "VEC3");
        let primitive = json!({ "attributes": { "POSITION": positions }, "mode": 0 });
        file.json["meshes"] = json!([{ "primitives": [primitive] }]);
        file
    }

    /// Creates a file with an untransformed triangle.
    fn triangle() -> FileBuilder {
        FileBuilder::with_points(
            json!([{ "mesh": 0 }]),
            &[0],
            [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        )
    }

    fn add_view(&mut self, bytes: &[u8]) -> usize {
        let views = self.json["bufferViews"].as_array_mut().unwrap();
        views.push(
            json!({ "buffer": 0, "byteOffset": self.numbers.len(), "byteLength": bytes.len() }),
        );
        self.numbers.extend(bytes);
        self.numbers
            .resize(self.numbers.len().next_multiple_of(4), 0);
        views.len() - 1
    }

    fn add_accessor(&mut self, accessor: Value) -> usize {
        let accessors = self.json["accessors"].as_array_mut().unwrap();
        accessors.push(accessor);
        accessors.len() - 1
    }

    fn add_floats(&mut self, values: &[f32], ty: &str) -> usize {
        let components = match ty {
            "SCALAR" => 1,
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 16,
        };
        let bytes: Vec<u8> = values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        let view = self.add_view(&bytes);
        self.add_accessor(json!({
            "bufferView": view, "componentType": 5126, "count": values.len() / components, "type": ty,
        }))
    }

    fn add_attribute(&mut self, name: &str, accessor: usize) {
        self.json["meshes"][0]["primitives"][0]["attributes"][name] = accessor.into();
    }

    fn scene(self) -> Scene {
        self.read().0
    }

    fn read(mut self) -> (Scene, Vec<Loss>) {
        self.json["buffers"][0]["byteLength"] = self.numbers.len().into();
        read_json(&self.json, &self.numbers).unwrap()
    }
}

/// According to section 3.6.2.2 of the specification, the smallest integer and its neighbour both mean −1.
#[test]
fn normalised_integers_reach_both_ends() {
    let words = |values: [i32; 3]| values.map(|value| (value as u16).to_le_bytes()).concat();
    let cases = [
        (5120, vec![0x80, 0x81, 0x7f], [-1.0, -1.0, 1.0]),
        (5121, vec![0, 51, 255], [0.0, 0.2, 1.0]),
        (5122, words([-32_768, -32_767, 32_767]), [-1.0, -1.0, 1.0]),
        (5123, words([0, 13_107, 65_535]), [0.0, 0.2, 1.0]),
    ];
    for (kind, bytes, expected) in cases {
        let mut file = FileBuilder::triangle();
        let view = file.add_view(&bytes);
        let accessor = json!({
            "bufferView": view, "componentType": kind, "normalized": true, "count": 3, "type": "SCALAR",
        });
        let accessor = file.add_accessor(accessor);
        file.add_attribute("_LEVEL", accessor);
        let scene = file.scene();
        assert_eq!(
            scene.meshes[0].custom[0].values,
            Components::F32(expected.to_vec()),
            "{kind}"
        );
    }
}

#[test]
fn attributes_may_be_interleaved() {
    let mut file = FileBuilder::triangle();
    // Position, texture coordinates and colour of each vertex, interleaved: 24 bytes.
    let vertex = |vertex: u8| {
        let floats =
            [0.0, 1.0, 2.0, 3.0, 4.0].map(|lane| (lane + 10.0 * f32::from(vertex)).to_le_bytes());
        [floats.concat(), vec![vertex, 2, 3, 0]].concat()
    };
    let view = file.add_view(&[vertex(0), vertex(1), vertex(2)].concat());
    file.json["bufferViews"][view]["byteStride"] = 24.into();
    for (name, offset, kind, ty) in [
        ("POSITION", 0, 5126, "VEC3"),
        ("TEXCOORD_0", 12, 5126, "VEC2"),
        ("COLOR_0", 20, 5121, "VEC3"),
    ] {
        let accessor = file.add_accessor(json!({
            "bufferView": view, "byteOffset": offset, "componentType": kind, "count": 3, "type": ty,
            "normalized": kind == 5121,
        }));
        file.add_attribute(name, accessor);
    }
    let mesh = &file.scene().meshes[0];
    assert_eq!(
        mesh.positions,
        [[0.0, 1.0, 2.0], [10.0, 11.0, 12.0], [20.0, 21.0, 22.0]]
    );
    assert_eq!(mesh.uvs, [[[3.0, 4.0], [13.0, 14.0], [23.0, 24.0]]]);
    // Colours without alpha are opaque.
    assert_eq!(
        mesh.colors,
        [Colors::U8(vec![
            [0, 2, 3, 255],
            [1, 2, 3, 255],
            [2, 2, 3, 255]
        ])]
    );
}

#[test]
fn colours_of_floats_without_alpha_are_opaque() {
    let mut file = FileBuilder::triangle();
    let colors = file.add_floats(&[0.5; 9], "VEC3");
    file.add_attribute("COLOR_0", colors);
    assert_eq!(
        file.scene().meshes[0].colors,
        [Colors::F32(vec![[0.5, 0.5, 0.5, 1.0]; 3])]
    );
}

/// A spline with the tangents of a cubic is converted to segments near the cubic.
#[test]
fn cubic_splines_are_followed() {
    let cubic = |t: f32| [t * t * t, t * t - t, 2.0 - t];
    let slope = |t: f32| [3.0 * t * t, 2.0 * t - 1.0, -1.0];
    let mut file = FileBuilder::new(json!([{}]), &[0]);
    file.json["skins"] = json!([{ "joints": [0] }]);
    let keys = [0.5, 1.0, 3.0];
    let input = file.add_floats(&keys, "SCALAR");
    let values = keys
        .map(|time| [slope(time), cubic(time), slope(time)].concat())
        .concat();
    let output = file.add_floats(&values, "VEC3");
    file.json["animations"] = json!([{
        "channels": [{ "sampler": 0, "target": { "node": 0, "path": "translation" } }],
        "samplers": [{ "input": input, "interpolation": "CUBICSPLINE", "output": output }],
    }]);
    let (scene, losses) = file.read();
    let animation = &scene.animations[0];
    let Samples::Translation(samples) = &animation.channels[0].samples else {
        panic!("{animation:?}")
    };
    assert!(samples.len() > 2 * keys.len());
    // Segments deviate most in their middle.
    let middle = |times: &[f32]| {
        let [first, last] = [times[0], times[1]].map(|time| Vec3::from(cubic(time)));
        first
            .midpoint(last)
            .distance(cubic((times[0] + times[1]) / 2.0).into())
    };
    let expected = f64::from(
        animation.times[0]
            .windows(2)
            .map(middle)
            .fold(0.0, f32::max),
    );
    let error = losses.iter().find_map(|loss| loss.error).unwrap();
    assert!(
        error > expected && error < 1.101 * expected,
        "{error}, not {expected}: {losses:?}"
    );
    for (time, sample) in animation.times[0].iter().zip(samples) {
        assert!(
            Vec3::from(*sample).distance(cubic(*time).into()) < 1e-5,
            "{time}: {sample:?}"
        );
    }
}

/// Returns three nested nodes with transforms, and their matrices, outermost first.
fn chain(last: Value) -> (Value, [Mat4; 3]) {
    let turn = Quat::from_rotation_z(0.5);
    let mut last = last;
    last["translation"] = json!([0.0, 0.0, 4.0]);
    let nodes = json!([
        { "children": [1], "translation": [1.0, 2.0, 3.0], "scale": [1.0, 2.0, 1.0] },
        { "children": [2], "rotation": turn.to_array(), "translation": [5.0, 0.0, 0.0] },
        last,
        {},
    ]);
    let first = Mat4::from_translation(Vec3::new(1.0, 2.0, 3.0))
        * Mat4::from_scale(Vec3::new(1.0, 2.0, 1.0));
    let second = first * Mat4::from_rotation_translation(turn, Vec3::new(5.0, 0.0, 0.0));
    (
        nodes,
        [
            first,
            second,
            second * Mat4::from_translation(Vec3::new(0.0, 0.0, 4.0)),
        ],
    )
}

#[test]
fn all_ancestors_transform_vertices() {
    let (nodes, [.., transform]) = chain(json!({ "mesh": 0 }));
    let positions = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 2.0]];
    let scene = FileBuilder::with_points(nodes, &[0, 3], positions).scene();
    assert_eq!(scene.transform, None);
    assert_eq!(scene.meshes[0].positions, positions);
    let [placement] = &*scene.meshes[0].placements else {
        panic!("{:?}", scene.meshes[0].placements)
    };
    for position in positions.map(Vec3::from) {
        let expected = transform.transform_point3(position);
        let found = placement
            .transform
            .transform_point3(position.as_dvec3())
            .as_vec3();
        assert!(expected.distance(found) < 1e-5, "{found:?}, not {expected}");
    }
}

#[test]
fn ancestors_of_joints_become_joints_in_place() {
    let (nodes, transforms) = chain(json!({ "name": "joint" }));
    let mut file = FileBuilder::new(nodes, &[0, 3]);
    let bind = Mat4::from_rotation_x(1.0);
    let matrices = file.add_floats(&bind.to_cols_array(), "MAT4");
    file.json["skins"] = json!([{ "joints": [2], "inverseBindMatrices": matrices }]);
    let skeleton = file.scene().skeleton;
    let rest: Vec<_> = (0..3).map(|joint| skeleton.rest_transform(joint)).collect();
    let [first, second, third] = transforms;
    // The joint of the skin comes first, then its ancestors, from the bottom up.
    for ((joint, found), expected) in skeleton
        .global_matrices(&rest)
        .iter()
        .enumerate()
        .zip([third, second, first])
    {
        assert!(
            found.abs_diff_eq(expected, 1e-5),
            "{joint}: {found}, not {expected}"
        );
        let inverse = if joint == 0 { bind } else { expected.inverse() };
        assert!(
            skeleton.joints[joint]
                .inverse_bind
                .abs_diff_eq(inverse, 1e-5),
            "{joint}"
        );
    }
}

#[test]
fn joint_256_takes_16_bits() {
    for (joints, last, kind) in [(256, 255, 5121), (257, 256, 5123), (256, Skin::NONE, 5123)] {
        let mut scene = everything();
        scene.skeleton.joints.resize_with(joints, Default::default);
        scene.meshes[0].skins[0].joints[1][0] = last;
        let weight = if last == Skin::NONE { 0 } else { 255 };
        scene.meshes[0].skins[0].weights =
            Weights::U8([255, weight, 255].map(|weight| [weight, 0, 0, 0]).to_vec());
        let (files, _) = write(Interchange::Glb, scene.clone()).unwrap();
        let (json, _) = parts(&files["a scene.glb"]);
        let accessor = json["meshes"][0]["primitives"][0]["attributes"]["JOINTS_0"]
            .as_u64()
            .unwrap();
        assert_eq!(json["accessors"][accessor as usize]["componentType"], kind);
        let (again, _) = read(Interchange::Glb, &files).unwrap();
        assert_eq!(again.meshes[0].skins, scene.meshes[0].skins);
    }
}

#[test]
fn the_later_of_two_equal_channels_wins() {
    let mut scene = everything();
    let channel = |x: f32| meshspec::scene::Channel {
        joint: 0,
        times: 0,
        interpolation: Default::default(),
        samples: Samples::Translation(vec![[x, 0.0, 0.0]]),
    };
    scene.animations = vec![meshspec::scene::Animation {
        rate: 1.0,
        times: vec![vec![0.0]],
        channels: vec![channel(1.0), channel(2.0)],
        ..Default::default()
    }];
    let (files, losses) = write(Interchange::Glb, scene.clone()).unwrap();
    let paths: Vec<_> = losses.iter().map(|loss| loss.path.to_string()).collect();
    assert_eq!(paths, ["animations[0].channels[0]"]);
    let (again, _) = read(Interchange::Glb, &files).unwrap();
    let place = |scene: &Scene| scene.animations[0].pose(&scene.skeleton, 0.0)[0].translation;
    assert_eq!(
        (place(&again), place(&scene)),
        ([2.0, 0.0, 0.0], [2.0, 0.0, 0.0])
    );
}
