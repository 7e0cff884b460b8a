//! `meshspec info`.

use serde_json::{Value, json};

use crate::files::{Folder, animated, broken_triangle, bytes_of, renderlib, triangle};

#[test]
fn everything_in_a_file_is_shown() {
    let folder = Folder::new();
    folder.put_mesh("walk.mesh", &animated());
    assert_eq!(
        folder.run("info walk.mesh").fine(),
        "\
walk.mesh: MESH, dialect spec, 244 bytes
  mesh 0: 3 vertices, 3 32-bit indices, 1 triangle
    position        3 × f32
    bounds          [0, 0, 0] to [1, 2, 0.5]
  skeleton: 1 joint, 1 root
  animation 0 \"walk\": 30 ticks, 1.25 s, 2 poses
  sections:
    header          0x0..0xd             13 bytes
    vertices        0xd..0x31            36 bytes
    indices         0x31..0x3d           12 bytes
    joints          0x3d..0x7f           66 bytes
    animations      0x7f..0xef           112 bytes
    strings         0xef..0xf4           5 bytes
"
    );
}

#[test]
fn json_output() {
    let folder = Folder::new();
    folder.put_mesh("walk.mesh", &animated());
    let data: Value = serde_json::from_str(&folder.run("info --json walk.mesh").fine()).unwrap();
    let section =
        |path: &str, start: u64, end: u64| json!({ "path": path, "start": start, "end": end });
    assert_eq!(
        data,
        json!([{
            "file": "walk.mesh",
            "size": 244,
            "format": "mesh",
            "dialect": "spec",
            "meshes": [{
                "vertices": 3,
                "attributes": [{ "name": "position", "components": "3 × f32" }],
                "indices": 3,
                "index_bits": 32,
                "bounds": { "min": [0.0, 0.0, 0.0], "max": [1.0, 2.0, 0.5] },
                "triangles": 1,
            }],
            "skeleton": { "joints": 1, "roots": 1 },
            "animations": [{ "name": "walk", "ticks": 30.0, "seconds": 1.25, "poses": 2 }],
            "sections": [
                section("header", 0, 13),
                section("vertices", 13, 49),
                section("indices", 49, 61),
                section("joints", 61, 127),
                section("animations", 127, 239),
                section("strings", 239, 244),
            ],
            "packed": { "size": 0, "unpacked_size": 0, "blocks": [] },
        }])
    );
}

#[test]
fn the_dialect_is_detected_or_selected() {
    let folder = Folder::new();
    folder.put_mesh("old.mesh", &renderlib());
    let text = folder.run("info old.mesh").fine();
    assert!(
        text.starts_with("old.mesh: MESH, dialect renderlib, "),
        "{text}"
    );
    assert!(
        text.contains("  header          0x0..0x4e            78 bytes\n"),
        "{text}"
    );
    folder.run("info --dialect spec old.mesh").fails(1);
    folder.put_mesh("new.mesh", &triangle());
    folder.run("info --dialect renderlib new.mesh").fails(1);
}

#[test]
fn dialects_of_other_formats_are_usage_errors() {
    let folder = Folder::new();
    folder.put_mesh("a.mesh", &triangle());
    assert_eq!(
        folder.run("info --dialect tangent a.mesh").fails(2),
        "error: a.mesh: mesh has no tangent dialect, only spec, renderlib\n"
    );
}

#[test]
fn violations_are_rejected_unless_lenient() {
    let folder = Folder::new();
    folder.put_mesh("bad.mesh", &broken_triangle());
    let message = folder.run("info bad.mesh").fails(1);
    assert_eq!(
        message,
        "error: bad.mesh: mesh: indices[2] (bytes 0x39..0x3d): index 7 is not below the vertex count 3 \
         [MESH-INDEX-RANGE, M13]\n\
         hint: `meshspec check FILE` lists all findings; --lenient reads the file nevertheless\n"
    );
    assert!(
        folder
            .run("info --lenient bad.mesh")
            .fine()
            .contains("3 32-bit indices")
    );
}

#[test]
fn lenient_reading_of_interchange_formats() {
    let folder = Folder::new();
    folder.put("cut.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 2 9\n");
    assert!(
        folder
            .run("info cut.obj")
            .fails(1)
            .contains("position 9 is missing; the file has 3")
    );
    assert!(
        folder
            .run("info --lenient cut.obj")
            .fine()
            .contains("3 vertices")
    );
    folder.run("check cut.obj").fails(1);
    folder.run("check --lenient cut.obj").fine();
}

#[test]
fn bad_files_do_not_stop_the_others() {
    let folder = Folder::new();
    folder.put_mesh("good.mesh", &triangle());
    folder.put_mesh("bad.mesh", &broken_triangle());
    let run = folder.run("info bad.mesh missing.mesh good.mesh");
    assert!(run.stdout.starts_with("good.mesh: MESH"), "{}", run.stdout);
    let messages = run.fails(3);
    assert!(
        messages.contains("error: bad.mesh: ") && messages.contains("error: missing.mesh: "),
        "{messages}"
    );

    folder.run("info missing.mesh bad.mesh").fails(3);

    let run = folder.run("info --json bad.mesh good.mesh");
    assert_eq!(run.status, 1);
    let data: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(data[0]["file"], "bad.mesh");
    assert!(
        data[0]["error"]
            .as_str()
            .unwrap()
            .starts_with("bad.mesh: mesh: indices[2]"),
        "{data}"
    );
    assert_eq!(data[1]["size"], 61);
}

#[test]
fn standard_input() {
    let run = Folder::new().run_with("info -", bytes_of(&triangle()));
    assert!(run.fine().starts_with("-: MESH, dialect spec, 61 bytes\n"));
}

#[test]
fn files_of_unknown_format_require_from() {
    let folder = Folder::new();
    folder.put("note.txt", "no mesh at all");
    let message = folder.run("info note.txt").fails(1);
    assert!(
        message.starts_with("error: note.txt: not a file of a known format"),
        "{message}"
    );
    assert!(
        message.contains("hint: specify the format with --from"),
        "{message}"
    );
    let message = folder.run("info --from mesh note.txt").fails(1);
    assert!(message.contains("[MESH-VERSION, M1]"), "{message}");
}

#[test]
fn control_characters_in_names_are_escaped() {
    let folder = Folder::new();
    let mut document = animated();
    document.strings = ["\u{1b}[2Jwalk"].into_iter().collect();
    folder.put_mesh("evil.mesh", &document);
    let output = folder
        .command()
        .args(["info", "evil.mesh"])
        .env("CLICOLOR_FORCE", "1")
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains(r#"animation 0 "\u{1b}[2Jwalk""#), "{text}");
}

#[test]
fn names_are_listed_up_to_ten() {
    let folder = Folder::new();
    let material = |index: usize| format!("newmtl m{index}\nmap_Kd t{index}.png\n");
    folder.put("a.mtl", (0..12).map(material).collect::<String>());
    let faces: String = (0..12)
        .map(|index| format!("usemtl m{index}\nf 1 2 3\n"))
        .collect();
    folder.put(
        "a.obj",
        format!("mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\n{faces}usemtl m0\nf 3 2 1\n"),
    );
    let text = folder.run("info a.obj").fine();
    assert!(
        text.contains("\n  materials: \"m0\", \"m1\"") && text.contains("\"m9\" and 2 more\n"),
        "{text}"
    );
    assert!(text.contains("\n  textures: \"t0.png\""), "{text}");
    let text = folder.run("info a.obj --verbose").fine();
    assert!(text.contains("\"m10\", \"m11\"\n"), "{text}");
    let data: Value = serde_json::from_str(&folder.run("info a.obj --json").fine()).unwrap();
    assert_eq!(data[0]["materials"].as_array().unwrap().len(), 12);
}

#[test]
fn unnamed_images_and_unused_materials_are_listed() {
    let folder = Folder::new();
    let png = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUg==";
    let gltf = serde_json::json!({
        "asset": { "version": "2.0" },
        "scenes": [{ "nodes": [0] }], "nodes": [{ "mesh": 0 }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0, "TEXCOORD_0": 1 }, "material": 1 }] }],
        "materials": [{ "name": "spare" }, { "name": "used", "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } } }],
        "textures": [{ "source": 0 }], "images": [{ "uri": png }],
        "accessors": [
            { "componentType": 5126, "count": 3, "type": "VEC3" },
            { "componentType": 5126, "count": 3, "type": "VEC2" },
        ],
    });
    folder.put("a.gltf", gltf.to_string());
    let text = folder.run("info a.gltf").fine();
    assert!(
        text.contains("\n  materials: \"used\", \"spare\"\n"),
        "{text}"
    );
    assert!(
        text.contains("\n  textures: \"embedded image/png, 16 bytes\"\n"),
        "{text}"
    );
    folder.put("a.mtl", "newmtl spare\nnewmtl used\n");
    folder.put(
        "a.obj",
        "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl used\nf 1 2 3\n",
    );
    let text = folder.run("info a.obj").fine();
    assert!(
        text.contains("\n  materials: \"used\", \"spare\"\n"),
        "{text}"
    );
}

#[test]
fn bytes_that_are_text_are_shown_as_text() {
    let folder = Folder::new();
    folder.put("a.bmd", "hello, this is not a model\n");
    let message = folder.run("info --from bmd a.bmd").fails(1);
    assert!(
        message.contains("starts with \"hell\", expected \"BMD1\""),
        "{message}"
    );
    folder.put("a.bmd", b"\xff\xd8\xff\xe0 and more");
    let message = folder.run("info --from bmd a.bmd").fails(1);
    assert!(
        message.contains("starts with [ff, d8, ff, e0], expected \"BMD1\""),
        "{message}"
    );
}

#[test]
fn bounds_far_from_the_origin_keep_their_extent() {
    let folder = Folder::new();
    folder.put(
        "utm.obj",
        "v 500000.03125 4000000 0\nv 500001 4000000.25 0\nv 500000.03125 4000000 0.3\nf 1 2 3\n",
    );
    let text = folder.run("info utm.obj").stdout;
    assert!(
        text.contains("bounds          [500000.03, 4000000, 0] to [500001, 4000000.3, 0.3]\n"),
        "{text}"
    );
}

#[test]
fn bounds_are_never_negative_zero() {
    let folder = Folder::new();
    folder.put("a.obj", "v -0 -0 -0\nv -1 -0 -0\nv -0 -1 -0\nf 1 2 3\n");
    folder.put("b.obj", "v -0 -0 -0\nv -2 -0 -0\nv -0 -1 -0\nf 1 2 3\n");
    folder.run("convert a.obj a.ply -q").fine();
    for file in ["a.obj", "a.ply"] {
        let text = folder.run(&format!("info {file}")).fine();
        assert!(
            text.contains("bounds          [-1, -1, 0] to [0, 0, 0]\n"),
            "{text}"
        );
        let text = folder.run(&format!("info {file} --json")).fine();
        assert!(!text.contains("-0.0"), "{text}");
    }
    for options in ["", " --json"] {
        let run = folder.run(&format!("diff a.obj b.obj{options}"));
        assert!(
            run.status == 1 && !run.stdout.contains("-0.0") && !run.stdout.contains("-0,"),
            "{run:?}"
        );
        assert!(!run.stdout.contains("-0]"), "{run:?}");
    }
}

#[test]
fn a_root_transform_is_shown() {
    let folder = Folder::new();
    let mut document = renderlib();
    let identity = [
        [1.0, 0.0, 0.0, 0.0],
        [0.0, 1.0, 0.0, 0.0],
        [0.0, 0.0, 1.0, 0.0],
        [0.0, 0.0, 0.0, 1.0],
    ];
    document.root_transform = Some(identity);
    folder.put_mesh("a.mesh", &document);
    assert!(
        folder
            .run("info a.mesh")
            .fine()
            .contains("\n  root transform: identity\n")
    );
    let transform = [
        [2.0, 0.0, 0.0, 5.0],
        [0.0, 2.0, 0.0, 0.0],
        [0.0, 0.0, 2.0, 0.0],
        [0.0, 0.0, 0.0, 1.0],
    ];
    document.root_transform = Some(transform);
    folder.put_mesh("a.mesh", &document);
    let text = folder.run("info a.mesh").fine();
    assert!(
        text.contains(
            "\n  root transform: [2, 0, 0, 5], [0, 2, 0, 0], [0, 0, 2, 0], [0, 0, 0, 1]\n"
        ),
        "{text}"
    );
    let data: Value = serde_json::from_str(&folder.run("info a.mesh --json").fine()).unwrap();
    assert_eq!(
        data[0]["root_transform"][0],
        serde_json::json!([2.0, 0.0, 0.0, 5.0])
    );
    folder.put_mesh("b.mesh", &triangle());
    let data: Value = serde_json::from_str(&folder.run("info b.mesh --json").fine()).unwrap();
    assert_eq!(data[0].get("root_transform"), None);
}
