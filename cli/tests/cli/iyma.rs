//! IyMA files: `meshspec iyma`, and the output of other commands.

use meshspec::iyma::{Attribute, DataChecksum, Document, IndexBuffer, Usage, VertexFormat};
use meshspec::{Dialect, Format, ReadOptions};
use serde_json::Value;

use crate::files::{Folder, bytes_of};

/// A triangle at this height.
fn triangle(height: f32, user_data: &'static str) -> Document {
    let corners = [0.0, height, 0.0, 1.0, height, 0.0, 0.0, height, 1.0];
    let positions = Attribute::from_f32(Usage::Position, VertexFormat::Float32x3, &corners);
    let wind = Attribute::from_f32(
        Usage::Custom(7, "wind".into()),
        VertexFormat::Unorm8,
        &[0.0, 0.5, 1.0],
    );
    let mut document = Document::from_mesh(
        Some(IndexBuffer::from_u16(&[0, 1, 2])),
        vec![positions, wind],
    )
    .unwrap();
    document.user_data = user_data.as_bytes().into();
    document
}

fn read(folder: &Folder, name: &str) -> Document {
    Document::read(&folder.get(name), &ReadOptions::default()).unwrap()
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.put("a.ima", bytes_of(&triangle(1.0, "first")));
    folder.put("b.ima", bytes_of(&triangle(2.0, "")));
    folder
}

#[test]
fn merging_a_folder_does_not_read_the_output_again() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("in")).unwrap();
    folder.put(
        "in/a.ima",
        include_bytes!("../../../samples/iyma/quads.ima"),
    );
    for inputs in ["in", "in/*.ima"] {
        let mut sizes = Vec::new();
        for _ in 0..3 {
            folder
                .run(&format!(
                    "iyma merge {inputs} --output in/merged.ima --force"
                ))
                .fine();
            sizes.push(folder.get("in/merged.ima").len());
        }
        assert_eq!(sizes, [sizes[0]; 3], "{inputs}");
    }
    // The output may be an input if it is named.
    folder
        .run("iyma merge in/a.ima in/merged.ima --output in/merged.ima --force")
        .fine();
    assert_ne!(folder.get("in/merged.ima"), folder.get("in/a.ima"));
}

#[test]
fn merge_and_split_again() {
    let folder = folder();
    folder
        .run("iyma merge a.ima b.ima --output both.ima --level 19")
        .fine();
    let both = read(&folder, "both.ima");
    assert_eq!((both.meshes.len(), both.n_vertices), (2, 6));
    folder.run("iyma split both.ima").fine();
    assert_eq!(read(&folder, "both.0.ima"), triangle(1.0, "first"));
    assert_eq!(read(&folder, "both.1.ima"), triangle(2.0, "first"));
    // Nothing is overwritten, and the missing file is not written either.
    std::fs::remove_file(folder.path("both.0.ima")).unwrap();
    folder.run("iyma split both.ima").fails(2);
    assert!(!folder.names().contains(&"both.0.ima".to_owned()));
    folder.run("iyma split both.ima --mesh 1 --force").fine();
    let missing = "error: both.ima: no mesh 2: the file has 2 meshes (indices count from 0)\n";
    assert_eq!(folder.run("iyma split both.ima --mesh 2").fails(2), missing);
}

#[test]
fn merging_reports_losses_and_incompatible_files() {
    let folder = folder();
    folder.put("c.ima", bytes_of(&triangle(3.0, "other")));
    let run = folder.run("iyma merge a.ima c.ima -o both.ima");
    assert!(
        run.stderr.contains(
            "dropped: c.ima: user_data: IyMA stores one block of user data per file; only the first was kept: 5 bytes"
        ),
        "{}",
        run.stderr
    );
    assert_eq!(run.status, 0);
    let run = folder.run("iyma merge a.ima c.ima -o strict.ima --strict");
    assert!(
        run.stderr
            .contains("strict.ima: not written: --strict allows no losses, and there is 1"),
        "{}",
        run.stderr
    );
    assert_eq!(run.status, 1);
    assert!(!folder.names().contains(&"strict.ima".to_owned()));
    let mut other = triangle(1.0, "");
    other.attributes.pop();
    folder.put("other.ima", bytes_of(&other));
    let run = folder.run("iyma merge a.ima other.ima -o no.ima");
    assert!(
        run.stderr
            .contains("error: other.ima: not compatible: with indices"),
        "{}",
        run.stderr
    );
    assert_eq!(run.status, 1);
    folder.run("iyma merge a.ima b.ima -o both.ima").fails(2);
}

#[test]
fn user_data() {
    let folder = folder();
    assert_eq!(folder.run("iyma user-data get a.ima").fine(), "first");
    folder.put("new.txt", "second");
    folder
        .run("iyma user-data set a.ima set.ima --data new.txt")
        .fine();
    assert_eq!(read(&folder, "set.ima"), triangle(1.0, "second"));
    folder
        .run("iyma user-data set set.ima set.ima --text third --force --data-checksum off")
        .fine();
    let set = read(&folder, "set.ima");
    assert_eq!(
        (&*set.user_data, set.data_checksum),
        (&b"third"[..], DataChecksum::Absent)
    );
    let run = folder.run("iyma user-data clear set.ima cleared.ima --dialect reference");
    assert!(
        run.status == 0 && run.stderr.contains("the reference dialect has no names"),
        "{}",
        run.stderr
    );
    let cleared = read(&folder, "cleared.ima");
    assert_eq!(
        (cleared.user_data.len(), cleared.dialect),
        (0, Dialect::REFERENCE)
    );
    assert_eq!(folder.run("iyma user-data get cleared.ima").fine(), "");
    folder
        .run("iyma user-data set a.ima b.ima --text x")
        .fails(2);
    folder.run("iyma user-data set a.ima x.ima").fails(2);
    folder.run("iyma user-data get missing.ima").fails(3);
    folder
        .run("iyma user-data set a.ima x.ima --text x --dialect tangent")
        .fails(2);
}

/// With half a MiB of data, the compressed bytes depend on threads and level.
#[test]
fn every_command_accepts_write_options() {
    let folder = Folder::new();
    let heights: Vec<f32> = (0..140_000u64).map(|i| (i * i % 977) as f32).collect();
    let heights = Attribute::from_f32(Usage::Uv, VertexFormat::Float32, &heights);
    let (mut document, _) = Document::from_mesh(None, vec![heights])
        .unwrap()
        .into_dialect(Dialect::REFERENCE)
        .unwrap();
    document.user_data = "kept".as_bytes().into();
    folder.put("in.ima", bytes_of(&document));
    for (command, out) in [
        ("iyma merge in.ima in.ima -o out.ima", "out.ima"),
        ("iyma split in.ima", "in.0.ima"),
        ("iyma user-data set in.ima out.ima --text new", "out.ima"),
        ("iyma user-data clear in.ima out.ima", "out.ima"),
    ] {
        let written = |options: &str| {
            folder.run(&format!("{command} --force{options}")).fine();
            (folder.get(out), read(&folder, out))
        };
        let (plain, usual) = written("");
        assert_eq!(
            (usual.dialect, usual.data_checksum),
            (Dialect::REFERENCE, DataChecksum::Present)
        );
        let (small, same) = written(" --level 19");
        assert!(
            small.len() < plain.len() && same == usual,
            "{command}: {} bytes",
            small.len()
        );
        let (shared, same) = written(" --threads 2");
        assert!(
            shared != plain && same == usual,
            "{command}: on two threads"
        );
        assert_eq!(
            written(" --data-checksum off").1.data_checksum,
            DataChecksum::Absent,
            "{command}"
        );
        assert_eq!(
            written(" --dialect spec").1.dialect,
            Dialect::SPEC,
            "{command}"
        );
        folder.run(command).fails(2);
    }
}

#[test]
fn files_that_break_rules_are_edited_leniently_only() {
    let folder = folder();
    let mut odd = triangle(1.0, "kept");
    odd.data_checksum = DataChecksum::Wrong(7.into());
    odd.metadata_checksum = Some(9.into());
    folder.put("odd.ima", bytes_of(&odd));
    for command in [
        "get odd.ima",
        "set odd.ima out.ima --text new",
        "clear odd.ima out.ima",
    ] {
        folder
            .run(&format!("iyma user-data {command} --force"))
            .fails(1);
        folder
            .run(&format!("iyma user-data {command} --lenient --force"))
            .fine();
    }
    // The checksums referred to the previous content.
    let cleared = Document {
        user_data: Default::default(),
        ..triangle(1.0, "")
    };
    assert_eq!(read(&folder, "out.ima"), cleared);
    // Strict mode neither reads nor writes indices out of range.
    let mut odd = triangle(1.0, "");
    odd.indices = Some(IndexBuffer::from_u16(&[0, 1, 9]));
    folder.put("odd.ima", bytes_of(&odd));
    for command in [
        "merge odd.ima -o out.ima",
        "split odd.ima",
        "user-data set odd.ima out.ima --text new",
    ] {
        folder.run(&format!("iyma {command} --force")).fails(1);
        folder
            .run(&format!("iyma {command} --force --lenient"))
            .fine();
    }
}

#[test]
fn folders_expand_to_their_iyma_files() {
    let folder = folder();
    std::fs::create_dir(folder.path("in")).unwrap();
    for name in ["a.ima", "b.ima"] {
        std::fs::copy(folder.path(name), folder.path("in").join(name)).unwrap();
    }
    folder.put("in/c.obj", "v 0 0 0\n");
    folder.run("iyma merge a.ima b.ima -o files.ima").fine();
    folder.run("iyma merge in -o folder.ima").fine();
    folder.run("iyma merge in/*.ima -o pattern.ima").fine();
    assert_eq!(folder.get("folder.ima"), folder.get("files.ima"));
    assert_eq!(folder.get("pattern.ima"), folder.get("files.ima"));
}

#[test]
fn splitting_reports_losses() {
    let folder = folder();
    let mut spare = triangle(1.0, "");
    spare.meshes[0].index_count = 0;
    folder.put("spare.ima", bytes_of(&spare));
    let run = folder.run("iyma split spare.ima --strict");
    assert!(
        run.status == 1
            && run
                .stderr
                .contains("spare.ima: not written: --strict allows no losses, and there is 1"),
        "{}",
        run.stderr
    );
    assert!(!folder.names().contains(&"spare.0.ima".to_owned()));
    let run = folder.run("iyma split spare.ima");
    assert!(
        run.status == 0 && run.stderr.contains("indices that no mesh uses: 3"),
        "{}",
        run.stderr
    );
    assert!(read(&folder, "spare.0.ima").indices.unwrap().is_empty());
}

#[test]
fn standard_input_and_output() {
    let folder = folder();
    let bytes = folder.get("a.ima");
    assert_eq!(
        folder
            .run_with("iyma user-data get -", bytes.clone())
            .fine(),
        "first"
    );
    folder.run_with("iyma split -", bytes.clone()).fine();
    assert_eq!(read(&folder, "mesh.0.ima"), triangle(1.0, "first"));
    folder
        .run_with("iyma user-data set a.ima out.ima --data -", "second")
        .fine();
    assert_eq!(read(&folder, "out.ima"), triangle(1.0, "second"));
    let run = folder.run_with("iyma user-data set - out.ima --data - --force", bytes);
    assert!(
        run.stderr.contains("cannot be used for both IN and --data"),
        "{}",
        run.stderr
    );
    run.fails(2);
}

#[test]
fn info_lists_meshes_and_packed_blocks() {
    let folder = folder();
    folder.run("iyma merge a.ima b.ima -o both.ima").fine();
    let data: Value = serde_json::from_str(&folder.run("info --json both.ima").fine()).unwrap();
    assert_eq!(data[0]["format"], "iyma");
    let mesh = &data[0]["meshes"][1];
    assert_eq!(
        (&mesh["vertices"], &mesh["index_bits"]),
        (&3.into(), &16.into())
    );
    assert_eq!(mesh["bounds"]["min"][1], 2.0);
    let blocks = data[0]["packed"]["blocks"].as_array().unwrap();
    let paths: Vec<_> = blocks
        .iter()
        .map(|block| block["path"].as_str().unwrap())
        .collect();
    assert_eq!(paths, ["descriptor", "data"]);
    assert_eq!(blocks[1]["unpacked_size"], 5 + 12 + 6 * 13);
}

#[test]
fn findings_show_the_unpacked_bytes() {
    let folder = folder();
    let mut odd = triangle(1.0, "");
    odd.indices = Some(IndexBuffer::from_u16(&[0, 1, 9]));
    folder.put("odd.ima", bytes_of(&odd));
    let run = folder.run("check odd.ima");
    assert!(
        run.stdout
            .contains("error: data.indices[2] (unpacked bytes 0x4..0x6 of the block"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout
            .contains("[IYMA-INDEX-RANGE, I11]\n ~00000000  00 00 01 00 09 00"),
        "{}",
        run.stdout
    );
    run.fails(1);

    let mut wrong = bytes_of(&triangle(1.0, ""));
    wrong[8] ^= 1;
    folder.put("wrong.ima", wrong);
    let run = folder.run("check wrong.ima");
    assert!(
        run.stdout
            .contains("header.metadata_checksum (bytes 0x8..0x10)"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.contains("found 0x") && run.stdout.contains(", expected 0x"),
        "{}",
        run.stdout
    );
    run.fails(1);
    folder.run("check --lenient wrong.ima").fine();
}

#[test]
fn json_and_dialects() {
    let folder = folder();
    folder.run("convert a.ima a.json").fine();
    let text = String::from_utf8(folder.get("a.json")).unwrap();
    assert!(
        text.contains("\"user_data\": [102, 105, 114, 115, 116]") && text.contains("\"Unorm8\""),
        "{text}"
    );
    folder.run("convert a.json again.ima").fine();
    assert_eq!(folder.get("again.ima"), folder.get("a.ima"));
    let run = folder.run("convert a.ima reference.ima --dialect reference");
    assert!(
        run.stderr
            .contains("attributes[1].usage: the reference dialect has no names: \"wind\""),
        "{}",
        run.stderr
    );
    assert_eq!(read(&folder, "reference.ima").dialect, Dialect::REFERENCE);
    folder.run("convert a.ima small.ima --level 22").fine();
    assert_eq!(read(&folder, "small.ima"), triangle(1.0, "first"));
    for command in [
        "convert a.ima x.ima",
        "iyma merge a.ima -o x.ima",
        "iyma split a.ima",
    ] {
        let message = folder.run(&format!("{command} --level 23")).fails(2);
        assert!(message.contains("23 is not in -131072..=22"), "{message}");
    }

    let edited = text.replacen("\"indices\": [0, 1, 2]", "\"indices\": [0, 1, 70000]", 1);
    assert_ne!(edited, text);
    folder.put("bad.json", edited);
    let message = folder.run("convert bad.json bad.ima").fails(1);
    assert!(
        message.contains("data.indices[2]: 70000 is out of range 0..=65535 at line 35 column 29"),
        "{message}"
    );
}

#[test]
fn dumps_include_compressed_data() {
    let folder = folder();
    let dump = folder.run("dump a.ima").fine();
    for part in [
        "n_vertices          3",
        "[0, 1, 2]",
        "[102, 105, 114, 115, 116]",
        "zstd block at",
        "bitcode block at",
    ] {
        assert!(dump.contains(part), "{part}:\n{dump}");
    }
    assert!(
        folder
            .run("dump a.ima --path data.indices[1]")
            .fine()
            .contains(" 1")
    );
}

#[test]
fn strict_dialect_conversions_reject_losses() {
    let folder = folder();
    let before = folder.names();
    for (command, place) in [
        ("merge a.ima b.ima -o x.ima", "x.ima"),
        ("split a.ima", "a.ima"),
        ("user-data set a.ima x.ima --text x", "a.ima"),
        ("user-data clear a.ima x.ima", "a.ima"),
    ] {
        let message = folder
            .run(&format!("iyma {command} --dialect reference --strict"))
            .fails(1);
        let lost = "dropped: attributes[1].usage: the reference dialect has no names: \"wind\"";
        assert_eq!(
            message,
            format!(
                "{lost}\nerror: {place}: not written: --strict allows no losses, and there is 1\n"
            ),
            "{command}"
        );
    }
    assert_eq!(folder.names(), before);
    folder
        .run("iyma user-data clear a.ima x.ima --strict")
        .fine();
}

#[test]
fn a_map_has_each_usage_once() {
    let folder = folder();
    let mut document = triangle(1.0, "");
    document.attributes.push(Attribute {
        usage: Usage::Custom(7, "sway".into()),
        ..document.attributes[1].clone()
    });
    folder.put("two.ima", bytes_of(&document));
    let run = folder.run("convert two.ima two.reference.ima --dialect reference");
    let renamed = "renamed: attributes[2].usage: the reference dialect allows each usage once: custom 7 becomes custom 0";
    assert!(run.stderr.contains(renamed), "{}", run.stderr);
    assert_eq!(
        read(&folder, "two.reference.ima").attributes[2].usage,
        Usage::Custom(0, String::new())
    );
}

#[test]
fn checksums_can_be_removed_and_restored() {
    let folder = folder();
    let checksum = |name: &str| read(&folder, name).data_checksum;
    folder
        .run("convert a.ima off.ima --data-checksum off --threads 2")
        .fine();
    assert_eq!(checksum("off.ima"), DataChecksum::Absent);
    folder.run("convert off.ima same.ima").fine();
    assert_eq!(checksum("same.ima"), DataChecksum::Absent);
    folder
        .run("convert off.ima on.ima --data-checksum on")
        .fine();
    assert_eq!(folder.get("on.ima"), folder.get("a.ima"));
    folder.run("iyma split off.ima --data-checksum on").fine();
    assert_eq!(checksum("off.0.ima"), DataChecksum::Present);
    folder
        .run("iyma merge on.ima on.ima -o merged.ima --data-checksum off")
        .fine();
    assert_eq!(checksum("merged.ima"), DataChecksum::Absent);
}

#[test]
fn wrong_checksums_are_reported_before_their_consequences() {
    let folder = folder();
    let mut bytes = folder.get("a.ima");
    // Damages the vertex count in the descriptor, and the last byte of the data.
    bytes[25] ^= 1;
    *bytes.last_mut().unwrap() ^= 1;
    folder.put("bad.ima", &bytes);
    let run = folder.run("check bad.ima --json");
    let data: Value = serde_json::from_str(&run.stdout).unwrap();
    let findings = data[0]["findings"].as_array().unwrap();
    let codes: Vec<_> = findings
        .iter()
        .map(|finding| finding["rule"]["code"].as_str().unwrap())
        .collect();
    assert_eq!(
        codes[..2],
        ["IYMA-METADATA-CHECKSUM", "IYMA-DATA-CHECKSUM"],
        "{codes:?}"
    );
    // The last one ends reading.
    assert_eq!(codes[2..], ["IYMA-MESH-RANGE", "IYMA-PACKING"], "{codes:?}");
    assert_eq!(findings[3]["rule"]["severity"], "fatal");
    assert_eq!(findings[0]["span"]["bytes"]["start"], 8);
    assert!(
        findings[1]["message"]
            .as_str()
            .unwrap()
            .contains(", expected 0x"),
        "{data}"
    );
    run.fails(1);
}

#[test]
fn info_describes_the_buffers() {
    let folder = folder();
    folder
        .run("iyma merge a.ima b.ima -o both.ima --data-checksum off")
        .fine();
    let text = folder.run("info both.ima").fine();
    let mesh = "\n  mesh 1: 3 vertices from vertex 3, 3 16-bit indices from index 3, 1 triangle\n";
    let properties = "\n  properties:\n    n_vertices      6\n    user_data       5 bytes\n    data_checksum   absent\n";
    for part in [mesh, "\n    custom 7 \"wind\" Unorm8\n", properties] {
        assert!(text.contains(part), "{part}:\n{text}");
    }
    let data: Value = serde_json::from_str(&folder.run("info --json both.ima").fine()).unwrap();
    let mesh = &data[0]["meshes"][1];
    assert_eq!(
        (&mesh["first_index"], &mesh["first_vertex"]),
        (&3.into(), &3.into())
    );
    assert_eq!(
        data[0]["properties"][1],
        serde_json::json!({ "name": "user_data", "value": 5 })
    );

    let mut bare = triangle(1.0, "");
    bare.indices = None;
    bare.meshes[0].index_count = 0;
    folder.put("bare.ima", bytes_of(&bare));
    let text = folder.run("info bare.ima").fine();
    assert!(
        text.contains("\n  mesh 0: 3 vertices from vertex 0, no indices\n"),
        "{text}"
    );
}

#[test]
fn output_locations() {
    let folder = folder();
    folder.run("iyma split a.ima --out new/folder").fine();
    assert_eq!(read(&folder, "new/folder/a.0.ima"), triangle(1.0, "first"));
    let message = folder.run("iyma split a.ima --out -").fails(2);
    assert!(
        message.starts_with("error: standard output: cannot be used for --out"),
        "{message}"
    );
    assert!(!folder.names().contains(&"-".to_owned()));
    let message = folder.run("iyma merge - - -o x.ima").fails(2);
    assert_eq!(
        message,
        "error: standard input: can be used for one input only\n"
    );
    let message = folder.run("iyma merge a.ima -o nowhere/x.ima").fails(3);
    assert!(
        message.starts_with("error: nowhere/x.ima: ") && !message.contains(".meshspec-"),
        "{message}"
    );
}
