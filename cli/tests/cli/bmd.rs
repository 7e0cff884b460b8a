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
        assert_eq!(
            mesh.matches("\n    position ").count(),
            1,
            "an attribute twice: {text}"
        );
    }
}

#[test]
fn canonical_images_survive_json() {
    let folder = folder();
    folder.run("convert pyramid.bmd pyramid.json").fine();
    folder.run("convert pyramid.json again.bmd").fine();
    assert_eq!(folder.get("again.bmd"), pyramid());
    let mut data: Value = serde_json::from_slice(&folder.get("pyramid.json")).unwrap();
    let value = &data["value"];
    let meshes = &value["meshes"]["$items"];
    assert_eq!(
        meshes[1]["vertices"]["$items"][4]["vertex_128"]["org_z"],
        0x3c00
    );
    let frames = &value["animations"]["$items"][0]["frames"]["$items"];
    let tags = frames.as_array().unwrap().iter().map(|key| &key["tag"]);
    assert!(tags.filter(|tag| tag["skip"] == 31).count() > 0, "{frames}");

    // Edited.
    data["value"]["meshes"]["$items"][0]["material"] = "#FF0000".into();
    folder.put("pyramid.json", data.to_string());
    folder.run("convert pyramid.json red.bmd").fine();
    assert!(
        folder
            .get("red.bmd")
            .windows(8)
            .any(|bytes| bytes == b"#FF0000\0")
    );

    // Textured meshes have no vertices with normals, and values must fit in their bits.
    data["value"]["meshes"]["$items"][0]["material"] = "gfx/red".into();
    folder.put("pyramid.json", data.to_string());
    let message = folder.run("convert pyramid.json red.bmd --force").fails(1);
    assert!(
        message.contains("meshes[0].vertices[0].flat_64: is given, but"),
        "{message}"
    );
    let vertices = &mut data["value"]["meshes"]["$items"][0]["vertices"]["$items"];
    vertices[0]["flat_64"]["position"]["frac_x"] = 256.into();
    folder.put("pyramid.json", data.to_string());
    let message = folder.run("convert pyramid.json red.bmd --force").fails(1);
    assert!(
        message.contains("frac_x: 256 is out of range -256..=255"),
        "{message}"
    );
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
    assert!(
        run.stdout.contains("error: meshes[1].n_vtx (bytes "),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout
            .contains("6, but the vertex count of the list is 5 [BMD-VERTEX-COUNT, B14]"),
        "{}",
        run.stdout
    );
    assert_eq!(folder.run("check pyramid.bmd").status, 0);
}

#[test]
fn vertices_are_dumped_by_variant() {
    let text = folder()
        .run("dump pyramid.bmd --path meshes[0].vertices[4].flat_64.position")
        .fine();
    assert!(text.contains("frac_z") && text.contains("255"), "{text}");
    let text = folder()
        .run("dump pyramid.bmd --path animations[0].frames[1].tag")
        .fine();
    assert!(text.contains("rotation"), "{text}");
    let tables = folder().run("schema bmd --as markdown").fine();
    assert!(
        tables.contains("## TexturedVertex64") && tables.contains("A look-ahead"),
        "{tables}"
    );
}

/// A note after the end of the file, or in the padding after the header, which no document holds.
#[test]
fn bytes_that_no_field_covers_are_listed() {
    let folder = folder();
    let mut after_end = pyramid();
    let end = after_end.len();
    after_end.extend(b"payload");
    let mut in_gap = pyramid();
    assert_eq!(in_gap[0x30..0x40], [0; 16]);
    in_gap[0x34..0x38].copy_from_slice(b"note");
    let at_end = format!(
        "dropped: trailing: bytes that no field covers: bytes {end:#x}..{:#x}: 7\n",
        end + 7
    );
    let gap = "dropped: gaps: bytes that no field covers: bytes 0x30..0x40: 16\n".to_owned();
    for (bytes, line, field) in [(after_end, at_end, "trailing"), (in_gap, gap, "gaps")] {
        folder.put("noted.bmd", &bytes);
        for to in ["bmd", "glb", "mesh"] {
            let strict = format!("convert noted.bmd out.{to} --to {to} --strict");
            let message = folder.run(&strict).fails(1);
            assert!(
                message.contains(&line) && message.contains("--strict allows no losses"),
                "{message}"
            );
            assert!(!folder.names().contains(&format!("out.{to}")));
            let output = folder.run(&format!("convert noted.bmd out.{to} --to {to}"));
            assert!(output.stderr.contains(&line), "{to}: {}", output.stderr);
            assert_eq!(output.status, 0);
        }
        assert_eq!(folder.get("out.bmd"), pyramid());
        // JSON keeps all bytes.
        folder.run("convert noted.bmd out.json --strict").fine();
        folder.run("assemble out.json kept.bmd --force").fine();
        assert_eq!(folder.get("kept.bmd"), bytes);
        let message = folder.run("diff pyramid.bmd noted.bmd").stdout;
        assert!(message.contains(&format!("\n  {field}: ")), "{message}");
        ["json", "bmd", "glb", "mesh"].iter().for_each(|to| {
            fs::remove_file(folder.path(&format!("out.{to}"))).unwrap();
        });
    }
    folder
        .run("convert pyramid.bmd strict.json --strict")
        .fine();
    // `edit` changes bytes in place, so it keeps them.
    assert_eq!(
        folder
            .run("edit noted.bmd edited.bmd --set header.resv1=7 --lenient")
            .status,
        0
    );
    assert!(
        folder
            .get("edited.bmd")
            .windows(4)
            .any(|bytes| bytes == b"note")
    );
}
