//! The losses list exactly the content of a file that a scene cannot store.

use meshspec::interop::Interchange;
use meshspec::scene::{
    Animation, Channel, Interpolation, Joint, Material, Samples, Scene, Skeleton, Texture,
};
use serde_json::{Value, json};

use super::malformed::{add, add_samples, losses_of, numbers, triangle, with};
use super::{layout, read, read_json, write};

/// Returns the paths of the losses.
fn paths(json: &Value) -> Vec<String> {
    losses_of(json)
        .into_iter()
        .map(|loss| loss.path.to_string())
        .collect()
}

fn with_material(material: Value) -> Value {
    let mut json = with("/meshes/0/primitives/0/material", json!(0));
    json["materials"] = json!([material]);
    json
}

#[test]
fn materials_are_names_and_colours() {
    let more = [
        json!({ "normalTexture": { "index": 0 }, "occlusionTexture": { "index": 0 } }),
        json!({ "extras": { "k": 1 }, "alphaMode": "BLEND" }),
        json!({ "emissiveFactor": [0.0, 1.0, 0.0], "pbrMetallicRoughness": { "extras": { "k": 1 } } }),
    ];
    for (material, names) in more.into_iter().zip([
        "normalTexture, occlusionTexture",
        "extras",
        "emissiveFactor, extras",
    ]) {
        let losses = losses_of(&with_material(material));
        assert_eq!(
            (losses.len(), &*losses[0].path.to_string()),
            (1, "materials"),
            "{losses:?}"
        );
        assert_eq!(losses[0].detail.as_deref(), Some(names), "{}", losses[0]);
    }
    let plain = [
        json!({}),
        json!({ "name": "m", "pbrMetallicRoughness": { "baseColorFactor": [1, 0, 0, 1] } }),
        json!({
            "pbrMetallicRoughness": { "baseColorFactor": [1, 1, 1, 1], "metallicFactor": 1, "roughnessFactor": 1.0 },
            "emissiveFactor": [0, 0, 0], "alphaMode": "OPAQUE", "doubleSided": false, "extras": {},
        }),
        json!({
            "pbrMetallicRoughness": { "metallicFactor": 0.25, "roughnessFactor": 0.3 },
            "alphaMode": "MASK", "alphaCutoff": 0.75, "doubleSided": true,
        }),
    ];
    for material in plain {
        let losses = losses_of(&with_material(material));
        assert!(losses.is_empty(), "{losses:?}");
    }
    let mut json = with_material(json!({ "name": "m" }));
    add(&mut json, "materials", json!({ "name": "spare" }));
    add(&mut json, "materials", json!({}));
    let losses = losses_of(&json);
    assert_eq!(losses.len(), 1, "{losses:?}");
    assert_eq!(
        losses[0].to_string(),
        "dropped: materials: unused materials: materials[1] \"spare\", materials[2]"
    );
}

#[test]
fn own_output_has_no_losses() {
    for base_color in [None, Some([1.0; 4]), Some([0.00123, 0.5, 1.0, 0.25])] {
        for name in ["", "stone"] {
            let mut scene = layout::everything();
            let (name, texture) = (name.to_owned(), Some(Texture::file("a.png")));
            scene.meshes[0].material = Material {
                name,
                base_color,
                texture,
                ..Material::default()
            };
            scene.meshes[0].name = "body".to_owned();
            scene.meshes[0].extras.insert("k".to_owned(), 1.into());
            scene.extras.insert("k".to_owned(), 2.into());
            scene.transform = Some(glam::Mat4::from_translation(glam::Vec3::X));
            scene.animations = vec![animation(30.0, 12.0)];
            let (files, losses) = write(Interchange::Glb, scene.clone()).unwrap();
            assert!(losses.is_empty(), "{losses:?}");
            let (again, losses) = read(Interchange::Glb, &files).unwrap();
            assert!(losses.is_empty(), "{losses:?}");
            assert_eq!(again.meshes[0].material, scene.meshes[0].material);
        }
    }
}

#[test]
fn unsupported_names_and_extras() {
    let mut json = triangle();
    json["asset"]["copyright"] = "me".into();
    json["asset"]["extras"] = json!({ "a": 1 });
    json["extras"] = json!({ "root": 1 });
    json["scenes"][0] = json!({ "nodes": [0, 1], "name": "sc", "extras": { "kept": 1 } });
    json["nodes"] = json!([
        { "mesh": 0, "name": "n", "extras": { "twice": 1, "same": 1, "kept": 1 } },
        { "name": "empty", "extras": { "x": 1 } },
    ]);
    json["meshes"][0]["name"] = "mm".into();
    json["meshes"][0]["extras"] = json!({ "twice": 2, "same": 1 });
    add(
        &mut json,
        "meshes",
        json!({ "primitives": [{ "attributes": { "POSITION": 0 } }] }),
    );
    json["accessors"][0]["extras"] = json!({ "b": 1 });
    let (scene, losses) = read_json(&json, &numbers()).unwrap();
    let mut found: Vec<_> = losses.iter().map(|loss| loss.path.to_string()).collect();
    found.sort_unstable();
    assert_eq!(
        found,
        [
            "accessors[0].extras",
            "asset.copyright",
            "asset.extras",
            "extras",
            "meshes[1]",
            "nodes",
            "scenes[0].name",
        ]
    );
    let nodes = losses.iter().find(|loss| loss.path == "nodes").unwrap();
    assert_eq!(
        nodes.detail.as_deref(),
        Some("nodes[1] \"empty\" (extras: x)"),
        "{nodes}"
    );
    let mesh = &scene.meshes[0];
    assert_eq!(
        (&*mesh.name, json!(mesh.extras)),
        ("mm", json!({ "twice": 2, "same": 1 }))
    );
    let node = &mesh.placements[0];
    assert_eq!(
        (&*node.name, json!(node.extras)),
        ("n", json!({ "twice": 1, "same": 1, "kept": 1 }))
    );
    assert_eq!(scene.extras["kept"], 1);
}

#[test]
fn the_node_with_the_transform_of_the_scene() {
    let mut json = triangle();
    json["scenes"][0]["nodes"] = json!([1]);
    json["nodes"] = json!([
        { "mesh": 0 },
        { "name": "ROOT", "extras": { "keep": "me" }, "children": [0], "scale": [2, 2, 2] },
    ]);
    let losses = losses_of(&json);
    assert_eq!(
        (losses.len(), &*losses[0].path.to_string()),
        (1, "nodes"),
        "{losses:?}"
    );
    assert_eq!(
        losses[0].detail.as_deref(),
        Some("nodes[1] \"ROOT\" (extras: keep)"),
        "{}",
        losses[0]
    );
    json["nodes"][1] = json!({ "name": "scene", "children": [0], "scale": [2, 2, 2] });
    assert!(
        losses_of(&json).is_empty(),
        "a root with this name is written for the transform"
    );
}

#[test]
fn skins_and_animations() {
    let mut json = triangle();
    json["scenes"][0]["nodes"] = json!([0, 1]);
    json["nodes"] = json!([{ "mesh": 0 }, { "name": "hip", "extras": { "kept": 1 } }]);
    json["skins"] = json!([{ "joints": [1], "skeleton": 0, "name": "armature", "extras": { "a": 1, "meshspec": {} } }]);
    add_samples(&mut json);
    json["animations"] = json!([{
        "channels": [{ "sampler": 0, "target": { "node": 1, "path": "translation" }, "extras": { "c": 1 } }],
        "samplers": [{ "input": 2, "output": 3 }],
        "extras": { "b": 1 },
    }]);
    let mut found = paths(&json);
    found.sort_unstable();
    assert_eq!(
        found,
        [
            "animations[0].channels[0].extras",
            "animations[0].extras",
            "skins[0].extras",
            "skins[0].name",
            "skins[0].skeleton",
        ]
    );
    json["skins"][0]["skeleton"] = 1.into();
    let losses = paths(&json);
    assert!(
        !losses.iter().any(|path| path.ends_with("skeleton")),
        "the topmost joint: {losses:?}"
    );
}

#[test]
fn sets_are_counted_without_gaps() {
    let mut json = triangle();
    add(
        &mut json,
        "accessors",
        json!({ "bufferView": 0, "componentType": 5121, "normalized": true, "count": 3, "type": "VEC4" }),
    );
    add(
        &mut json,
        "accessors",
        json!({ "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC2" }),
    );
    let attributes = &mut json["meshes"][0]["primitives"][0]["attributes"];
    attributes["TEXCOORD_3"] = 3.into();
    attributes["COLOR_0"] = 2.into();
    attributes["COLOR_2"] = 2.into();
    let losses = losses_of(&json);
    let list: Vec<_> = losses.iter().map(ToString::to_string).collect();
    assert_eq!(
        list,
        [
            "renamed: meshes[0].primitives[0].attributes.COLOR_2: sets were renumbered without gaps: COLOR_1",
            "renamed: meshes[0].primitives[0].attributes.TEXCOORD_3: sets were renumbered without gaps: TEXCOORD_0",
        ]
    );
}

#[test]
fn undeclared_extensions() {
    let mut json = triangle();
    json["scenes"][0]["nodes"] = json!([0, 1, 2]);
    let vendor = json!({ "extensions": { "VENDOR_node": {} } });
    let other = json!({ "VENDOR_other": {} });
    json["nodes"] = json!([{ "mesh": 0, "extensions": other }, vendor, vendor]);
    let losses = losses_of(&json);
    let list: Vec<_> = losses.iter().map(ToString::to_string).collect();
    assert_eq!(
        list,
        [
            "dropped: nodes[0].extensions.VENDOR_other: unsupported extension: VENDOR_other",
            "dropped: nodes[1].extensions.VENDOR_node: unsupported extension: VENDOR_node, in 2 places",
        ]
    );
    json["extensionsUsed"] = json!(["VENDOR_other", "VENDOR_node"]);
    assert_eq!(
        paths(&json),
        ["extensionsUsed[0]", "extensionsUsed[1]"],
        "each is listed once"
    );
}

/// Each kind is one line, with the names in the file.
#[test]
fn cameras_lights_morph_targets_and_empties_are_listed_by_name() {
    let mut json = triangle();
    json["scenes"][0]["nodes"] = json!([0, 1, 2, 3, 4, 5]);
    let light = |index: u32| json!({ "KHR_lights_punctual": { "light": index } });
    json["nodes"] = json!([
        { "mesh": 0 },
        { "camera": 0, "name": "Camera.001" },
        { "camera": 1 },
        { "extensions": light(0), "name": "Sun", "extras": { "hours": 12 } },
        { "extensions": light(1) },
        { "name": "spawn", "extras": { "team": 1, "x": 2 } },
    ]);
    json["cameras"] = json!([{ "name": "a" }, { "name": "b" }, { "name": "c" }]);
    for camera in json["cameras"].as_array_mut().unwrap() {
        camera["type"] = "orthographic".into();
        camera["orthographic"] = json!({ "xmag": 1, "ymag": 1, "zfar": 2, "znear": 1 });
    }
    json["extensionsUsed"] = json!(["KHR_lights_punctual"]);
    json["extensions"] = json!({ "KHR_lights_punctual": {
        "lights": [{ "type": "directional" }, { "type": "point", "name": "lamp" }],
    } });
    json["meshes"][0]["name"] = "head".into();
    json["meshes"][0]["extras"] = json!({ "targetNames": ["smile", "blink"] });
    json["meshes"][0]["primitives"][0]["targets"] = json!([{ "POSITION": 0 }, { "POSITION": 0 }]);
    let list: Vec<_> = losses_of(&json).iter().map(ToString::to_string).collect();
    assert_eq!(
        list,
        [
            "dropped: cameras: cameras are not converted: nodes[1] \"Camera.001\", nodes[2] \"b\", cameras[2] \"c\"",
            "dropped: lights: lights are not converted: nodes[3] \"Sun\", nodes[4] \"lamp\"",
            "dropped: meshes: morph targets are not converted; their default weights were applied: \
             meshes[0] \"head\": \"smile\" \"blink\"",
            "dropped: nodes: empty objects are not converted: nodes[3] (extras: hours), \
             nodes[5] \"spawn\" (extras: team x)",
        ]
    );
    for index in 6..40 {
        add(
            &mut json,
            "nodes",
            json!({ "name": format!("empty {index}") }),
        );
        add(&mut json["scenes"][0], "nodes", json!(index));
    }
    let losses = losses_of(&json);
    let detail = losses.last().unwrap().detail.as_deref().unwrap();
    assert!(
        detail.ends_with("nodes[23] \"empty 23\" and 16 more"),
        "{detail}"
    );
}

/// Returns an animation of two ticks that moves a joint.
fn animation(rate: f32, duration: f32) -> Animation {
    let samples = Samples::Translation(vec![[0.0; 3], [1.0, 2.0, 3.0]]);
    let channel = Channel {
        joint: 0,
        times: 0,
        interpolation: Interpolation::Linear,
        samples,
    };
    Animation {
        rate,
        duration,
        times: vec![vec![0.0, 2.0]],
        channels: vec![channel],
        ..Animation::default()
    }
}

#[test]
fn non_finite_rates_and_durations_are_kept() {
    let odd = [
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::from_bits(0xffc0_0123),
        0.1,
        -3.0,
    ];
    for value in odd {
        for looped in [false, true] {
            for (rate, duration) in [(value, 2.0), (30.0, value)] {
                let animations = vec![Animation {
                    looped,
                    ..animation(rate, duration)
                }];
                let skeleton = Skeleton {
                    joints: vec![Joint::default()],
                };
                let scene = Scene {
                    skeleton,
                    animations,
                    ..Scene::default()
                };
                let (files, losses) = write(Interchange::Glb, scene).unwrap();
                assert!(losses.is_empty(), "{losses:?}");
                let (again, losses) = read(Interchange::Glb, &files).unwrap();
                assert!(losses.is_empty(), "{losses:?}");
                let found = &again.animations[0];
                assert_eq!(found.rate.to_bits(), rate.to_bits());
                assert_eq!(found.duration.to_bits(), duration.to_bits());
                assert!(
                    found.times.iter().flatten().all(|time| time.is_finite()),
                    "{:?}",
                    found.times
                );
            }
        }
    }
}
