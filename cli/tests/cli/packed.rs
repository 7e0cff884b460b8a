//! Files with packed blocks: Crucible.

use meshspec::crucible::{BoneWeight, Chunk, Container, Document, Indices, Values};
use meshspec::{Dialect, Format, WriteOptions};
use serde_json::Value;

use crate::files::Folder;

/// A triangle with inconsistent influences and an invalid third index.
fn odd_triangle() -> Document {
    let bound = BoneWeight {
        bone: 0,
        influence: 0.5,
    };
    Document {
        chunks: vec![Chunk {
            indices: Indices::U16(vec![0, 1, 7]),
            streams: vec![
                Values::Position3d(vec![[0.0; 3]; 3]).into(),
                Values::BoneWeights(vec![[bound, bound, bound, BoneWeight::default()]; 3]).into(),
            ],
            ..Chunk::default()
        }],
        ..Document::default()
    }
}

fn bytes_of(document: &Document) -> Vec<u8> {
    document.write(&WriteOptions::lenient()).unwrap()
}

#[test]
fn excerpts_show_unpacked_bytes() {
    let folder = Folder::new();
    folder.put("odd.crmesh", bytes_of(&odd_triangle()));
    let run = folder.run("check odd.crmesh");
    let finding = "\
error: chunks[0].indices.data[2] (unpacked bytes 0x4..0x6 of the block at 0x9..0x10): index 7 is not below the vertex count 3 \
[CRUCIBLE-INDEX-RANGE, C8]
 ~00000000  00 00 01 00 07 00                                |......|
                        ^^^^^
  = *1: Every index is below the vertex count.
";
    assert!(run.stdout.starts_with(finding), "{}", run.stdout);
    assert!(
        run.stdout.contains(
            "warning: chunks[0].streams[1].data[2] (unpacked bytes 0x30..0x48 of the block"
        ),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.ends_with("odd.crmesh: 1 error, 3 warnings\n"),
        "{}",
        run.stdout
    );
    run.fails(1);
}

#[test]
fn sizes_before_and_after_compression() {
    let folder = Folder::new();
    let mut document = odd_triangle();
    document.container = Container::Model;
    document.chunks[0].indices = Indices::U16(vec![0, 1, 2]);
    folder.put("model.cmodel", bytes_of(&document));
    let data: Value = serde_json::from_str(&folder.run("info --json model.cmodel").fine()).unwrap();
    let packed = &data[0]["packed"];
    assert_eq!(packed["unpacked_size"], 6 + 3 * 12 + 3 * 24);
    let blocks = packed["blocks"].as_array().unwrap();
    let sizes: Vec<_> = blocks
        .iter()
        .map(|block| block["unpacked_size"].as_u64().unwrap())
        .collect();
    assert_eq!(sizes, [6, 36, 72]);
    assert_eq!(blocks[1]["path"], "chunks[0].streams[0].data");
    assert_eq!(data[0]["meshes"][0]["index_bits"], 16);
}

#[test]
fn dialect_losses_are_reported_or_fatal() {
    let folder = Folder::new();
    let mut document = odd_triangle();
    document.dialect = Dialect::TANGENT;
    document.chunks[0].indices = Indices::U16(vec![0, 1, 2]);
    document.chunks[0]
        .streams
        .push(Values::Tangent(vec![[1.0, 0.0, 0.0]; 3]).into());
    folder.put("tangents.crmesh", bytes_of(&document));
    let message = folder
        .run("convert --strict tangents.crmesh plain.crmesh")
        .fails(1);
    assert!(
        message.starts_with(
            "dropped: chunks[0].streams[2]: the spec dialect has no attribute tangent"
        ),
        "{message}"
    );
    assert!(!folder.path("plain.crmesh").exists());
    assert_eq!(folder.run("convert tangents.crmesh plain.crmesh").status, 0);
    document.chunks[0].streams.pop();
    document.dialect = Dialect::SPEC;
    assert_eq!(folder.get("plain.crmesh"), bytes_of(&document));
}

#[test]
fn json_round_trips_are_lossless() {
    let folder = Folder::new();
    let mut document = odd_triangle();
    document.chunks[0].indices = Indices::U32(vec![0, 1, 2]);
    document.chunks[0].streams[0] =
        Values::Position3d(vec![[f32::NAN, f32::INFINITY, -0.0]; 3]).into();
    folder.put("in.crmesh", bytes_of(&document));
    folder.run("convert in.crmesh edit.json").fine();
    folder.run("convert edit.json out.crmesh").fine();
    assert_eq!(folder.get("out.crmesh"), folder.get("in.crmesh"));
}
