//! Inputs that exceed limits cause an error with a hint, never an abort.

use serde_json::{Value, json};

use crate::files::Folder;

/// A triangle shown by this many nodes.
fn nodes(count: usize) -> String {
    let nodes: Vec<Value> = (0..count)
        .map(|place| json!({ "mesh": 0, "translation": [place, 0, 0] }))
        .collect();
    json!({
        "asset": { "version": "2.0" },
        "buffers": [{ "byteLength": 36, "uri": "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA" }],
        "bufferViews": [{ "buffer": 0, "byteLength": 36 }],
        "accessors": [{ "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3" }],
        "meshes": [{ "name": "leaf", "primitives": [{ "attributes": { "POSITION": 0 } }] }],
        "nodes": nodes,
        "scenes": [{ "nodes": (0..count).collect::<Vec<_>>() }],
    })
    .to_string()
}

#[test]
fn excess_triangles_are_rejected_with_a_hint() {
    let folder = Folder::new();
    folder.put("nodes.gltf", nodes(100));
    folder.put(
        "a.obj",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 3 2 1\nf 1 2 3\nf 1 3 2\n",
    );
    let said = "4 triangles or vertices, but the limit is 3\nhint: raise the limit with --max-triangles (info, check, convert, diff, render and view)\n";
    for command in ["info a.obj", "check a.obj", "convert a.obj a.glb"] {
        let message = folder.run(&format!("{command} --max-triangles 3")).fails(1);
        assert!(message.contains(said), "{command}: {message}");
        folder.run(&format!("{command} --max-triangles 4")).fails(0);
    }
    let said = "300 triangles or vertices, but the limit is 299\nhint: ";
    for target in ["b.obj", "b.mesh", "b.stl"] {
        let message = folder
            .run(&format!("convert nodes.gltf {target} --max-triangles 299"))
            .fails(1);
        assert!(message.contains(said), "{target}: {message}");
        folder
            .run(&format!("convert nodes.gltf {target} --max-triangles 300"))
            .fails(0);
    }
    folder
        .run("convert nodes.gltf b.glb --max-triangles 299")
        .fails(0);
}

/// A small file that describes two billion instances.
#[test]
fn instances_are_counted_before_they_are_read() {
    let folder = Folder::new();
    let mut gltf: Value = serde_json::from_str(&nodes(20_000)).unwrap();
    let accessors = gltf["accessors"].as_array_mut().unwrap();
    accessors.push(json!({ "componentType": 5126, "count": 100_000, "type": "VEC3" }));
    let instances = json!({ "EXT_mesh_gpu_instancing": { "attributes": { "TRANSLATION": 1 } } });
    for node in gltf["nodes"].as_array_mut().unwrap() {
        node["extensions"] = instances.clone();
    }
    folder.put("in.gltf", gltf.to_string());
    let said = "2000000000 instances, but the limit is 33554432, one per 4 triangles\nhint: ";
    for command in [
        "info in.gltf",
        "convert in.gltf out.glb",
        "convert in.gltf out.obj",
    ] {
        let message = folder.run(command).fails(1);
        assert!(message.contains(said), "{command}: {message}");
    }
    // Nodes outside the scene do not count.
    gltf["scenes"][0]["nodes"] = json!([0]);
    folder.put("in.gltf", gltf.to_string());
    folder.run("info in.gltf").fine();
    // Instances of skinned meshes are copied.
    let mut gltf: Value = serde_json::from_str(&nodes(1)).unwrap();
    let accessors = gltf["accessors"].as_array_mut().unwrap();
    accessors.push(json!({ "componentType": 5126, "count": 1000, "type": "VEC3" }));
    let numbers = json!({ "componentType": 5126, "count": 3, "type": "VEC4" });
    accessors.extend([
        json!({ "componentType": 5121, "count": 3, "type": "VEC4" }),
        numbers,
    ]);
    gltf["meshes"][0]["primitives"][0]["attributes"] =
        json!({ "POSITION": 0, "JOINTS_0": 2, "WEIGHTS_0": 3 });
    gltf["nodes"][0]["extensions"] = instances;
    gltf["nodes"][0]["skin"] = 0.into();
    gltf["skins"] = json!([{ "joints": [0] }]);
    folder.put("skinned.gltf", gltf.to_string());
    let message = folder
        .run("convert skinned.gltf out.glb --max-triangles 2999")
        .fails(1);
    assert!(
        message.contains("3000 triangles or vertices, but the limit is 2999\nhint: "),
        "{message}"
    );
    folder
        .run("convert skinned.gltf out.glb --max-triangles 3000")
        .fails(0);
}

#[test]
fn shared_meshes_are_written_once() {
    let folder = Folder::new();
    folder.put("nodes.gltf", nodes(100));
    let text = folder.run("info nodes.gltf").fine();
    assert!(
        text.contains("mesh 0: 3 vertices, no indices, 100 copies\n"),
        "{text}"
    );
    let messages = folder.run("convert nodes.gltf out.gltf --strict").fails(0);
    assert!(
        !messages.contains("changed: ") && !messages.contains("split: "),
        "{messages}"
    );
    let json: Value = serde_json::from_slice(&folder.get("out.gltf")).unwrap();
    assert_eq!(
        (
            json["meshes"].as_array().unwrap().len(),
            json["nodes"].as_array().unwrap().len()
        ),
        (1, 100)
    );
    assert_eq!(
        json["nodes"][99],
        json!({ "mesh": 0, "translation": [99.0, 0.0, 0.0] })
    );
    // Baked on request.
    folder
        .run("convert nodes.gltf baked.gltf --strict --bake")
        .fails(1);
    let messages = folder.run("convert nodes.gltf baked.gltf --bake").fails(0);
    assert!(
        messages.contains(
            "split: meshes[0]: the mesh was copied for each of its instances: 100 copies\n"
        ),
        "{messages}"
    );
    let json: Value = serde_json::from_slice(&folder.get("baked.gltf")).unwrap();
    assert_eq!(json["meshes"].as_array().unwrap().len(), 100);
}

#[test]
fn distant_coordinates_are_exact_with_center() {
    let folder = Folder::new();
    folder.put(
        "far.obj",
        "v 500000.1234 4000000.5678 0\nv 500001.1234 4000000.5678 0\nv 500000.1234 4000001.5678 2\nf 1 2 3\n",
    );
    let message = folder.run("convert far.obj out.obj --strict").fails(1);
    assert!(
        message.contains("rounded to 32 bits; --center reduces the error, off by"),
        "{message}"
    );
    let message = folder
        .run("convert far.obj out.obj --strict --center")
        .fails(0);
    assert!(
        message.contains("moved: by (-500000.6234, -4000001.0678, -1) m to centre the scene"),
        "{message}"
    );
    let text = String::from_utf8(folder.get("out.obj")).unwrap();
    assert!(
        text.contains("v -0.5 -0.5 -1\nv 0.5 -0.5 -1\nv -0.5 0.5 1\n"),
        "{text}"
    );
}

/// An abort would have no exit status.
#[cfg(target_os = "linux")]
#[test]
fn failed_allocations_exit_with_status_3() {
    let folder = Folder::new();
    // The text and its faces exceed the remaining memory.
    folder.put(
        "large.obj",
        format!(
            "v 0 0 0\nv 1 0 0\nv 0 1 0\n{}",
            "f 1 2 3\n".repeat(8_000_000)
        ),
    );
    let program = assert_cmd::cargo::cargo_bin!("meshspec");
    for variable in ["unset RUST_BACKTRACE", "export RUST_BACKTRACE=1"] {
        let script = format!("{variable}; ulimit -v 340000; exec \"$0\" \"$@\"");
        let arguments = [
            "-c",
            &script,
            program.to_str().unwrap(),
            "info",
            "large.obj",
            "--jobs",
            "1",
        ];
        let run = folder.run_shell(&arguments);
        let line = run
            .stderr
            .strip_prefix("error: out of memory: cannot allocate ")
            .unwrap();
        assert!(
            line.ends_with(" bytes\n") && line.lines().count() == 1,
            "{variable}: {run:?}"
        );
        assert_eq!(run.status, 3, "{run:?}");
    }
}
