//! IyMA files: `meshspec iyma`, and what the other commands say of them.

use meshspec::iyma::{Attribute, DataChecksum, Document, Indices, Usage, VertexFormat};
use meshspec::{Dialect, Format, ReadOptions, WriteOptions};
use serde_json::Value;

use crate::files::Folder;

/// A triangle at this height.
fn triangle(height: f32, user_data: &'static str) -> Document {
    let corners = [0.0, height, 0.0, 1.0, height, 0.0, 0.0, height, 1.0];
    let positions = Attribute::from_f32(Usage::Position, VertexFormat::Float32x3, &corners);
    let wind = Attribute::from_f32(Usage::Custom(7, "wind".into()), VertexFormat::Unorm8, &[0.0, 0.5, 1.0]);
    let mut document =
        Document::from_mesh(Some(Indices::from_u16(&[0, 1, 2])), vec![positions, wind]).unwrap();
    document.user_data = user_data.as_bytes().into();
    document
}

fn bytes_of(document: &Document) -> Vec<u8> {
    document.write(&WriteOptions::lenient()).unwrap()
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
fn merge_and_split_again() {
    let folder = folder();
    folder.run("iyma merge a.ima b.ima --output both.ima --level 19").fine();
    let both = read(&folder, "both.ima");
    assert_eq!((both.meshes.len(), both.n_vertices), (2, 6));
    folder.run("iyma split both.ima").fine();
    assert_eq!(read(&folder, "both.0.ima"), triangle(1.0, "first"));
    assert_eq!(read(&folder, "both.1.ima"), triangle(2.0, "first"));
    // Nothing is overwritten, not even the one that is not there yet.
    std::fs::remove_file(folder.path("both.0.ima")).unwrap();
    folder.run("iyma split both.ima").fails(2);
    assert!(!folder.names().contains(&"both.0.ima".to_owned()));
    folder.run("iyma split both.ima --mesh 1 --force").fine();
    folder.run("iyma split both.ima --mesh 2").fails(1);
}

#[test]
fn merging_says_what_is_lost_and_what_does_not_fit() {
    let folder = folder();
    folder.put("c.ima", bytes_of(&triangle(3.0, "other")));
    let run = folder.run("iyma merge a.ima c.ima -o both.ima");
    assert!(run.stderr.contains("documents[1].user_data: 5 bytes"), "{}", run.stderr);
    assert_eq!(run.status, 0);
    let run = folder.run("iyma merge a.ima c.ima -o strict.ima --strict");
    assert!(run.stderr.contains("c.ima: 1 thing would be lost"), "{}", run.stderr);
    assert_eq!(run.status, 1);
    assert!(!folder.names().contains(&"strict.ima".to_owned()));
    let mut other = triangle(1.0, "");
    other.attributes.pop();
    folder.put("other.ima", bytes_of(&other));
    let run = folder.run("iyma merge a.ima other.ima -o no.ima");
    assert!(
        run.stderr.contains("other.ima: iyma: documents[1]: not compatible: with indices"),
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
    folder.run("iyma user-data set a.ima set.ima --data new.txt").fine();
    assert_eq!(read(&folder, "set.ima"), triangle(1.0, "second"));
    folder.run("iyma user-data set set.ima set.ima --text third --force --no-data-checksum").fine();
    let set = read(&folder, "set.ima");
    assert_eq!((&*set.user_data, set.data_checksum), (&b"third"[..], DataChecksum::Absent));
    let run = folder.run("iyma user-data clear set.ima cleared.ima --dialect reference");
    assert!(run.status == 0 && run.stderr.contains("the dialect has no names"), "{}", run.stderr);
    let cleared = read(&folder, "cleared.ima");
    assert_eq!((cleared.user_data.len(), cleared.dialect), (0, Dialect::Reference));
    assert_eq!(folder.run("iyma user-data get cleared.ima").fine(), "");
    folder.run("iyma user-data set a.ima b.ima --text x").fails(2);
    folder.run("iyma user-data set a.ima x.ima").fails(2);
    folder.run("iyma user-data get missing.ima").fails(3);
    folder.run("iyma user-data set a.ima x.ima --text x --dialect tangent").fails(2);
}

/// Files of half a MiB and more, which threads share, and of which a high level makes fewer bytes.
#[test]
fn every_command_writes_as_it_is_told() {
    let folder = Folder::new();
    let heights: Vec<f32> = (0..140_000u64).map(|i| (i * i % 977) as f32).collect();
    let heights = Attribute::from_f32(Usage::Uv, VertexFormat::Float32, &heights);
    let (mut document, _) =
        Document::from_mesh(None, vec![heights]).unwrap().into_dialect(Dialect::Reference).unwrap();
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
        assert_eq!((usual.dialect, usual.data_checksum), (Dialect::Reference, DataChecksum::Present));
        let (small, same) = written(" --level 19");
        assert!(small.len() < plain.len() && same == usual, "{command}: {} bytes", small.len());
        let (shared, same) = written(" --threads 2");
        assert!(shared != plain && same == usual, "{command}: on two threads");
        assert_eq!(written(" --no-data-checksum").1.data_checksum, DataChecksum::Absent, "{command}");
        assert_eq!(written(" --dialect spec").1.dialect, Dialect::Spec, "{command}");
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
    for command in ["get odd.ima", "set odd.ima out.ima --text new", "clear odd.ima out.ima"] {
        folder.run(&format!("iyma user-data {command} --force")).fails(1);
        folder.run(&format!("iyma user-data {command} --lenient --force")).fine();
    }
    // The checksums were of what is not there any more.
    let cleared = Document { user_data: Default::default(), ..triangle(1.0, "") };
    assert_eq!(read(&folder, "out.ima"), cleared);
    // Indices beyond the vertices are neither read nor written strictly.
    let mut odd = triangle(1.0, "");
    odd.indices = Some(Indices::from_u16(&[0, 1, 9]));
    folder.put("odd.ima", bytes_of(&odd));
    for command in ["merge odd.ima -o out.ima", "split odd.ima", "user-data set odd.ima out.ima --text new"] {
        folder.run(&format!("iyma {command} --force")).fails(1);
        folder.run(&format!("iyma {command} --force --lenient")).fine();
    }
}

#[test]
fn splitting_says_what_is_lost() {
    let folder = folder();
    let mut spare = triangle(1.0, "");
    spare.meshes[0].index_count = 0;
    folder.put("spare.ima", bytes_of(&spare));
    let run = folder.run("iyma split spare.ima --strict");
    assert!(run.status == 1 && run.stderr.contains("spare.ima: 1 thing would be lost"), "{}", run.stderr);
    assert!(!folder.names().contains(&"spare.0.ima".to_owned()));
    let run = folder.run("iyma split spare.ima");
    assert!(run.status == 0 && run.stderr.contains("3 indices are in no mesh"), "{}", run.stderr);
    assert!(read(&folder, "spare.0.ima").indices.unwrap().is_empty());
}

#[test]
fn standard_input_and_output() {
    let folder = folder();
    let bytes = folder.get("a.ima");
    assert_eq!(folder.run_with("iyma user-data get -", bytes.clone()).fine(), "first");
    folder.run_with("iyma split -", bytes.clone()).fine();
    assert_eq!(read(&folder, "mesh.0.ima"), triangle(1.0, "first"));
    folder.run_with("iyma user-data set a.ima out.ima --data -", "second").fine();
    assert_eq!(read(&folder, "out.ima"), triangle(1.0, "second"));
    let run = folder.run_with("iyma user-data set - out.ima --data - --force", bytes);
    assert!(run.stderr.contains("both the file and its user data"), "{}", run.stderr);
    run.fails(2);
}

#[test]
fn info_lists_meshes_and_packed_blocks() {
    let folder = folder();
    folder.run("iyma merge a.ima b.ima -o both.ima").fine();
    let data: Value = serde_json::from_str(&folder.run("info --json both.ima").fine()).unwrap();
    assert_eq!(data[0]["format"], "iyma");
    let mesh = &data[0]["meshes"][1];
    assert_eq!((&mesh["vertices"], &mesh["index_bits"]), (&3.into(), &16.into()));
    assert_eq!(mesh["bounds"]["min"][1], 2.0);
    let blocks = data[0]["packed"]["blocks"].as_array().unwrap();
    let paths: Vec<_> = blocks.iter().map(|block| block["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["descriptor", "data"]);
    assert_eq!(blocks[1]["unpacked_size"], 5 + 12 + 6 * 13);
}

#[test]
fn findings_show_the_unpacked_bytes() {
    let folder = folder();
    let mut odd = triangle(1.0, "");
    odd.indices = Some(Indices::from_u16(&[0, 1, 9]));
    folder.put("odd.ima", bytes_of(&odd));
    let run = folder.run("check odd.ima");
    assert!(run.stdout.contains("error: data.indices[2] (bytes 0x4..0x6 of what"), "{}", run.stdout);
    assert!(run.stdout.contains("[IYMA-INDEX-RANGE, I11]\n  00000000  00 00 01 00 09 00"), "{}", run.stdout);
    run.fails(1);

    let mut wrong = bytes_of(&triangle(1.0, ""));
    wrong[8] ^= 1;
    folder.put("wrong.ima", wrong);
    let run = folder.run("check wrong.ima");
    assert!(run.stdout.contains("header.metadata_checksum (bytes 0x8..0x10)"), "{}", run.stdout);
    assert!(run.stdout.contains(" is stored, 0x") && run.stdout.contains(" computed"), "{}", run.stdout);
    run.fails(1);
    folder.run("check --lenient wrong.ima").fine();
}

#[test]
fn json_and_dialects() {
    let folder = folder();
    folder.run("convert a.ima a.json").fine();
    let text = String::from_utf8(folder.get("a.json")).unwrap();
    assert!(text.contains("\"user_data\": \"first\"") && text.contains("\"Unorm8\""), "{text}");
    folder.run("convert a.json again.ima").fine();
    assert_eq!(folder.get("again.ima"), folder.get("a.ima"));
    let run = folder.run("convert a.ima reference.ima --dialect reference");
    assert!(run.stderr.contains("attributes[1].usage: the dialect has no names: \"wind\""), "{}", run.stderr);
    assert_eq!(read(&folder, "reference.ima").dialect, Dialect::Reference);
    folder.run("convert a.ima small.ima --level 22").fine();
    assert_eq!(read(&folder, "small.ima"), triangle(1.0, "first"));
    folder.run("convert a.ima x.ima --level 99").fails(1);

    let edited =
        text.replacen("\"data\": [\n      0,\n      1,\n      2\n    ]", "\"data\": [0, 1, 70000]", 1);
    assert_ne!(edited, text);
    folder.put("bad.json", edited);
    let run = folder.run("convert bad.json bad.ima");
    assert!(run.stderr.contains("index 70000 does not fit in 16 bits"), "{}", run.stderr);
    run.fails(1);
}

#[test]
fn dump_goes_into_the_compressed_data() {
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
    assert!(folder.run("dump a.ima --path data.indices[1]").fine().contains(" 1"));
}
