//! BMD: the program shows, checks and edits the sample as JSON, and writes it back.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::files::Folder;

fn pyramid() -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples/bmd/pyramid.bmd")).unwrap()
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.put("pyramid.bmd", pyramid());
    folder
}

#[test]
fn info_shows_meshes_skeleton_and_animations() {
    let text = folder().run("info pyramid.bmd").fine();
    for line in [
        "pyramid.bmd: BMD, dialect spec, ",
        "  mesh 0: 5 vertices, 18 10-bit indices, 6 triangles\n",
        "    normal          3 × F8A\n",
        "  mesh 1: ",
        ", 3 × f16\n",
        "  materials: \"",
        "  skeleton: 3 joints, 2 roots: \"",
        "  animation 0 \"turn\": 80 ticks, 4 s, 80 poses\n",
        "    header          0x0..0x30            48 bytes\n",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    for mesh in text.split("  mesh ").skip(1) {
        assert_eq!(mesh.matches("\n    position ").count(), 1, "an attribute twice: {text}");
    }
}

#[test]
fn canonical_images_survive_json() {
    let folder = folder();
    folder.run("convert pyramid.bmd pyramid.json").fine();
    folder.run("convert pyramid.json again.bmd").fine();
    assert_eq!(folder.get("again.bmd"), pyramid());
    let mut data: Value = serde_json::from_slice(&folder.get("pyramid.json")).unwrap();
    assert_eq!(data["meshes"][1]["vertices"][4]["vertex_128"]["org_z"], 0x3c00);
    assert_eq!(data["animations"][0]["tracks"][1][1]["skip"], 31);

    // Edited.
    data["meshes"][0]["material"] = "#FF0000".into();
    folder.put("pyramid.json", data.to_string());
    folder.run("convert pyramid.json red.bmd").fine();
    assert!(folder.get("red.bmd").windows(8).any(|bytes| bytes == b"#FF0000\0"));

    // Textured meshes have no vertices with normals, and values must fit in their bits.
    data["meshes"][0]["material"] = "gfx/red".into();
    folder.put("pyramid.json", data.to_string());
    let message = folder.run("convert pyramid.json red.bmd --force").fails(1);
    assert!(message.contains("selects the form textured_64 for this vertex"), "{message}");
    data["meshes"][0]["vertices"][0]["flat_64"]["position"]["frac_x"] = 256.into();
    folder.put("pyramid.json", data.to_string());
    let message = folder.run("convert pyramid.json red.bmd --force").fails(1);
    assert!(message.contains("frac_x: 256 is out of range -256..=255"), "{message}");
}

#[test]
fn findings_have_byte_ranges() {
    let folder = folder();
    let mut bytes = pyramid();
    // The second mesh declares one vertex more than its list holds.
    let meshes = u32::from_le_bytes(bytes[0x10..0x14].try_into().unwrap()) as usize;
    bytes[meshes + 32 + 12] += 1;
    folder.put("bad.bmd", &bytes);
    let run = folder.run("check bad.bmd");
    assert_eq!(run.status, 1);
    assert!(run.stdout.contains("error: meshes[1].n_vtx (bytes "), "{}", run.stdout);
    assert!(
        run.stdout.contains("6, but the vertex count of the list is 5 [BMD-VERTEX-COUNT, B14]"),
        "{}",
        run.stdout
    );
    assert_eq!(folder.run("check pyramid.bmd").status, 0);
}

#[test]
fn vertices_are_dumped_by_variant() {
    let text = folder().run("dump pyramid.bmd --path meshes[0].vertices[4].flat_64.position").fine();
    assert!(text.contains("frac_z") && text.contains("255"), "{text}");
    let text = folder().run("dump pyramid.bmd --path animations[0].frames[1].tag").fine();
    assert!(text.contains("rotation"), "{text}");
    let tables = folder().run("schema bmd --as markdown").fine();
    assert!(tables.contains("## TexturedVertex64") && tables.contains("A look-ahead"), "{tables}");
}
