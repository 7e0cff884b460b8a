//! Crucible files whose stream sizes fit both dialects: the dialect without violations is detected (C13).

use meshspec::crucible::{BoneWeight, Chunk, Container, Document, Indices, Stream, Values};
use meshspec::{Dialect, ErrorKind, Format, ReadOptions, WriteOptions};

fn file(dialect: Dialect, indices: &[u16], values: Vec<Values>) -> Document {
    let streams = values.into_iter().map(Stream::from).collect();
    let chunk = Chunk {
        indices: Indices::U16(indices.to_vec()),
        streams,
        ..Chunk::default()
    };
    Document {
        dialect,
        container: Container::Chunk,
        chunks: vec![chunk],
        trailing: Vec::new(),
    }
}

/// Returns six colours whose bytes are also the bone weights of one vertex.
fn colors() -> Values {
    Values::Color(vec![[0; 4]; 6])
}

fn tangents(count: usize) -> Values {
    Values::Tangent(vec![[1.0, 0.0, 0.0]; count])
}

fn read(bytes: &[u8]) -> Document {
    Document::read(bytes, &ReadOptions::default()).unwrap()
}

#[test]
fn the_dialect_without_violations_is_detected() {
    let document = file(Dialect::TANGENT, &[0, 1, 5], vec![colors()]);
    assert_eq!(
        read(&document.write(&WriteOptions::default()).unwrap()),
        document
    );
    // As bone weights of one vertex, it breaks no rule either.
    let bytes = file(Dialect::TANGENT, &[0, 0, 0], vec![colors()])
        .write(&WriteOptions::lenient())
        .unwrap();
    let weights = Values::BoneWeights(vec![[BoneWeight::default(); 4]]);
    assert_eq!(read(&bytes), file(Dialect::SPEC, &[0, 0, 0], vec![weights]));
    // The index is out of range in both dialects: the specification's dialect is detected.
    let bytes = file(Dialect::TANGENT, &[0, 0, 6], vec![colors()])
        .write(&WriteOptions::lenient())
        .unwrap();
    assert_eq!(
        Document::read(&bytes, &ReadOptions::lenient())
            .unwrap()
            .dialect,
        Dialect::SPEC
    );
}

#[test]
fn files_detected_as_another_dialect_are_not_written() {
    let positions = |count| Values::Position3d(vec![[0.0; 3]; count]);
    for (streams, is_written) in [
        (vec![colors()], false),
        (vec![tangents(2)], false),
        (vec![tangents(0), positions(0)], false),
        (vec![tangents(2), positions(2)], true),
        (vec![tangents(6), colors()], true),
        (vec![positions(2)], true),
    ] {
        let document = file(Dialect::TANGENT, &[], streams);
        let options = ReadOptions::default().with_dialect(Dialect::TANGENT);
        let lenient = document.write(&WriteOptions::lenient()).unwrap();
        assert_eq!(Document::read(&lenient, &options).unwrap(), document);
        match document.write(&WriteOptions::default()) {
            Ok(bytes) => {
                assert!(is_written, "{document:?}");
                assert_eq!(read(&bytes).chunks, document.chunks);
            }
            Err(error) => {
                assert!(!is_written, "{document:?}: {error}");
                assert_eq!(
                    (error.kind(), error.path().to_string()),
                    (ErrorKind::Inexpressible, "dialect".into())
                );
            }
        }
    }
}

/// One chunk with positions determines the dialect of all chunks in a container.
#[test]
fn chunks_of_a_container_share_their_dialect() {
    let positions = Values::Position3d(vec![[0.0; 3]]);
    let mut document = file(Dialect::TANGENT, &[], vec![tangents(2)]);
    document.container = Container::Model;
    assert!(document.write(&WriteOptions::default()).is_err());
    document.chunks.push(Chunk {
        streams: vec![positions.into(), tangents(1).into()],
        ..Chunk::default()
    });
    assert_eq!(
        read(&document.write(&WriteOptions::default()).unwrap()),
        document
    );
}
