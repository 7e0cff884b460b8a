//! Wrong checksums and malformed zstd frames.

use meshspec::iyma::{DataChecksum, Document, Reader};
use meshspec::{Dialect, ErrorKind, Format, ReadOptions, Span, WriteOptions};

use super::{noise, strip, write};

fn error_of(bytes: &[u8]) -> (String, String, Option<Span>) {
    let error = Document::read(bytes, &ReadOptions::default()).unwrap_err();
    (
        error.rule().expect("no rule").code.to_owned(),
        error.to_string(),
        error.span().cloned(),
    )
}

#[test]
fn wrong_checksums_are_named_with_both_values() {
    let document = strip(20, "x");
    let bytes = write(&document);
    for (at, code, field) in [
        (8, "IYMA-METADATA-CHECKSUM", 8..16),
        (bytes.len() - 1, "IYMA-DATA-CHECKSUM", 16..24),
    ] {
        let mut bad = bytes.clone();
        bad[at] ^= 1;
        let (rule, text, span) = error_of(&bad);
        assert_eq!((&*rule, span), (code, Some(Span::Bytes(field))), "{text}");
        assert!(
            text.contains("found 0x") && text.contains(", expected 0x"),
            "{text}"
        );
    }
    let mut bad = bytes.clone();
    bad[8] ^= 1;
    let lenient = Document::read(&bad, &ReadOptions::lenient()).unwrap();
    assert_eq!(lenient.attributes, document.attributes);
    let wrong = lenient.metadata_checksum.unwrap();
    assert_eq!(
        wrong.computed(),
        Some(u64::from_le_bytes(bytes[8..16].try_into().unwrap()))
    );
    let report = meshspec::check(&bad, meshspec::iyma::FORMAT, &ReadOptions::default()).unwrap();
    assert!(
        report.findings()[0].message.contains(", expected 0x"),
        "{:?}",
        report.findings()
    );
    // A wrong checksum is kept unless it is removed.
    assert_eq!(lenient.write(&WriteOptions::lenient()).unwrap(), bad);
    assert_eq!(
        lenient.write(&WriteOptions::default()).unwrap_err().kind(),
        ErrorKind::Inexpressible
    );
}

/// Returns the compressed data of a file.
fn data_of(bytes: &[u8]) -> &[u8] {
    &bytes[24 + usize::from(u16::from_le_bytes([bytes[6], bytes[7]]))..]
}

fn stream(bytes: &[u8]) -> meshspec::Result<Document> {
    Reader::new(bytes, &ReadOptions::default())?.document()
}

/// Returns a file with the descriptor of `document`, the given data, and no data checksum.
fn file_of(document: &Document, data: &[u8]) -> Vec<u8> {
    let mut bytes = write(&Document {
        data_checksum: DataChecksum::Absent,
        ..document.clone()
    });
    bytes.truncate(24 + usize::from(u16::from_le_bytes([bytes[6], bytes[7]])));
    bytes.extend_from_slice(data);
    bytes
}

/// Returns a zstd frame without magic bytes: a window of 2^(10 + `log`) bytes, and blocks of (kind, size, content).
fn frame(log: u8, blocks: &[(u32, u32, &[u8])]) -> Vec<u8> {
    let mut frame = vec![0, log << 3];
    for (index, (kind, size, content)) in blocks.iter().enumerate() {
        let last = u32::from(index + 1 == blocks.len());
        frame.extend(&(last | kind << 1 | size << 3).to_le_bytes()[..3]);
        frame.extend_from_slice(content);
    }
    frame
}

const RAW: u32 = 0;
const RLE: u32 = 1;

#[test]
fn handwritten_frames_are_decompressed() {
    let mut document = Document {
        user_data: vec![7u8; 300].into(),
        ..Document::default()
    };
    let whole = frame(1, &[(RLE, 300, &[7])]);
    assert_eq!(
        Document::read(&file_of(&document, &whole), &Default::default())
            .unwrap()
            .user_data,
        vec![7u8; 300]
    );
    let halves = [
        frame(1, &[(RLE, 200, &[7])]),
        frame(1, &[(RAW, 2, &[7, 7]), (RLE, 98, &[7])]),
    ]
    .concat();
    assert!(
        Document::read(&file_of(&document, &halves), &Default::default()).is_ok(),
        "two frames"
    );
    let mut large_window = frame(17, &[(RLE, 300, &[7])]);
    assert!(
        Document::read(&file_of(&document, &large_window), &Default::default()).is_ok(),
        "2^27"
    );
    assert_eq!(
        stream(&file_of(&document, &large_window))
            .unwrap()
            .user_data
            .len(),
        300,
        "2^27"
    );
    large_window[1] |= 1;
    let cases: [(&str, Vec<u8>, &str); 10] = [
        ("no frame", Vec::new(), "IYMA-PACKING"),
        (
            "truncated",
            whole[..whole.len() - 1].to_vec(),
            "IYMA-PACKING",
        ),
        (
            "a window of 2^28",
            frame(18, &[(RLE, 300, &[7])]),
            "IYMA-WINDOW",
        ),
        (
            "a window of 2^27 and an eighth",
            large_window,
            "IYMA-WINDOW",
        ),
        (
            "one byte more",
            frame(1, &[(RLE, 301, &[7])]),
            "IYMA-DATA-SIZE",
        ),
        (
            "one byte less",
            frame(1, &[(RLE, 299, &[7])]),
            "IYMA-DATA-SIZE",
        ),
        (
            "a frame more",
            [&*whole, &*frame(1, &[(RAW, 1, &[7])])].concat(),
            "IYMA-DATA-SIZE",
        ),
        (
            "a byte that is no frame",
            [&*whole, &[0][..]].concat(),
            "IYMA-TRAILING",
        ),
        (
            "magic bytes",
            [&[0x28, 0xb5, 0x2f, 0xfd][..], &*whole].concat(),
            "IYMA-PACKING",
        ),
        (
            "a reserved block",
            frame(1, &[(3, 300, &[7])]),
            "IYMA-PACKING",
        ),
    ];
    for (what, data, code) in &cases {
        let file = file_of(&document, data);
        let (rule, text, span) = error_of(&file);
        assert_eq!(rule, *code, "{what}: {text}");
        let end = file.len() as u64;
        let start = if *code == "IYMA-TRAILING" {
            end - 1
        } else {
            end - data.len() as u64
        };
        assert_eq!(span, Some(Span::Bytes(start..end)), "{what}: {text}");
        // A stream reads the trailing byte as the next frame.
        let error = stream(&file).unwrap_err();
        let code = if *code == "IYMA-TRAILING" {
            "IYMA-PACKING"
        } else {
            code
        };
        assert_eq!(
            error.rule().map(|rule| rule.code),
            Some(code),
            "{what}: {error}"
        );
    }
    // Lengths near 2^32, which are never allocated.
    document.n_vertices = u32::MAX;
    document.user_data = Default::default();
    document.attributes.clear();
    let huge = write(&document);
    assert_eq!(
        Document::read(&huge, &Default::default())
            .unwrap()
            .n_vertices,
        u32::MAX
    );
}

#[test]
fn size_mismatches_are_described() {
    let document = Document {
        user_data: vec![7u8; 300].into(),
        ..Document::default()
    };
    let cases = [
        (
            frame(1, &[(RLE, 299, &[7])]),
            "300 bytes are declared, but 6 packed bytes unpack to 299",
        ),
        // A compressed block, of which only the maximum size is known.
        (
            frame(1, &[(RLE, 301, &[7]), (2, 1, &[0])]),
            "10 packed bytes unpack to 301 to 131373",
        ),
        (
            [&*frame(1, &[(RLE, 300, &[7])]), &[0]].concat(),
            "1 byte follows the last frame",
        ),
        (
            [&*frame(1, &[(RLE, 300, &[7])]), &[0, 0]].concat(),
            "2 bytes follow the last frame",
        ),
    ];
    for (data, expected) in cases {
        let error = Document::read(&file_of(&document, &data), &Default::default()).unwrap_err();
        assert!(error.message().ends_with(expected), "{error}");
    }
}

#[test]
fn all_kinds_of_frame_headers() {
    let size = 300u64;
    let document = Document {
        user_data: vec![7u8; size as usize].into(),
        ..Document::default()
    };
    // Content sizes of two bytes start at 256; one byte would be too small, and requires a single segment.
    for (flag, length, stored) in [(0, 0, 0), (1, 2, size - 256), (2, 4, size), (3, 8, size)] {
        for single_segment in [false, true] {
            if single_segment && flag == 0 {
                continue;
            }
            let rest = frame(1, &[(RLE, size as u32, &[7])]);
            let mut data = vec![(flag << 6) | (u8::from(single_segment) << 5)];
            data.extend(rest[1..2].iter().filter(|_| !single_segment));
            data.extend(&stored.to_le_bytes()[..length]);
            data.extend(&rest[2..]);
            let file = file_of(&document, &data);
            let what = format!("{length} bytes of content size, single segment: {single_segment}");
            assert_eq!(
                Document::read(&file, &Default::default())
                    .unwrap()
                    .user_data,
                document.user_data,
                "{what}"
            );
            assert_eq!(
                stream(&file).unwrap().user_data,
                document.user_data,
                "{what}"
            );
        }
    }
}

/// Unpacked sizes are checked even if block headers do not state them, and if data grows so much that it is unpacked in
/// pieces.
#[test]
fn sizes_are_exact_at_any_amount() {
    for size in [1_000u32, 9 << 20] {
        let of = |size: u32| Document {
            user_data: (0..size).map(|i| (i % 251) as u8).collect(),
            data_checksum: DataChecksum::Absent,
            ..Document::default()
        };
        let bytes = write(&of(size));
        let data = data_of(&bytes);
        for wrong in [size - 1, size + 1] {
            let file = file_of(&of(wrong), data);
            assert_eq!(error_of(&file).0, "IYMA-DATA-SIZE", "{size} for {wrong}");
            assert_eq!(
                stream(&file).unwrap_err().rule().unwrap().code,
                "IYMA-DATA-SIZE",
                "{size} for {wrong}"
            );
        }
        assert_eq!(stream(&bytes).unwrap(), of(size));
    }
}

#[test]
fn frames_are_written_by_the_specification() {
    // 3 MiB of noise twice, which only long-distance matching finds.
    let once = noise(3 << 20);
    let twice = Document {
        user_data: [&*once, &*once].concat().into(),
        ..Document::default()
    };
    let once = Document {
        user_data: once,
        ..Document::default()
    };
    let (once, twice) = (write(&once), write(&twice));
    assert!(
        twice.len() < once.len() * 11 / 10,
        "{} bytes once, {} twice",
        once.len(),
        twice.len()
    );
    // No content size, single segment, checksum or dictionary.
    assert_eq!((data_of(&once)[0], data_of(&twice)[0]), (0, 0));
}

/// Both dialects have the same hash, except for 48 bytes, for which the author's tool has a bug (I3).
#[test]
fn data_checksums_of_each_dialect() {
    let mut differ = 0;
    for size in 0..100 {
        for dialect in [Dialect::SPEC, Dialect::REFERENCE] {
            let document = Document {
                dialect,
                user_data: noise(size),
                ..Document::default()
            };
            let bytes = write(&document);
            let stored = u64::from_le_bytes(bytes[16..24].try_into().unwrap());
            let data = data_of(&bytes);
            let right = stored == rapidhash::v1::rapidhash_v1(data);
            assert_eq!(
                right,
                data.len() != 48 || dialect == Dialect::SPEC,
                "{dialect} {}",
                data.len()
            );
            differ += u32::from(!right);
            assert_eq!(
                Document::read(&bytes, &Default::default()).unwrap(),
                document
            );
        }
    }
    assert!(differ > 0, "no data of 48 bytes");
}
