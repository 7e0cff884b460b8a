//! Checksums and frames that are wrong.

use meshspec::iyma::{DataChecksum, Document};
use meshspec::{ErrorKind, Format, FormatId, ReadOptions, Span, WriteOptions};

use crate::{strip, write};

fn error_of(bytes: &[u8]) -> (String, String, Option<Span>) {
    let error = Document::read(bytes, &ReadOptions::default()).unwrap_err();
    (error.rule().expect("no rule").code.to_owned(), error.to_string(), error.span().cloned())
}

#[test]
fn wrong_checksums_are_named_with_both_values() {
    let document = strip(20, "x");
    let bytes = write(&document);
    for (at, code, field) in
        [(8, "IYMA-METADATA-CHECKSUM", 8..16), (bytes.len() - 1, "IYMA-DATA-CHECKSUM", 16..24)]
    {
        let mut bad = bytes.clone();
        bad[at] ^= 1;
        let (rule, text, span) = error_of(&bad);
        assert_eq!((&*rule, span), (code, Some(Span::Bytes(field))), "{text}");
        assert!(text.contains(" is stored, ") && text.contains(" computed"), "{text}");
    }
    let mut bad = bytes.clone();
    bad[8] ^= 1;
    let lenient = Document::read(&bad, &ReadOptions::lenient()).unwrap();
    assert_eq!(lenient.attributes, document.attributes);
    let wrong = lenient.metadata_checksum.unwrap();
    assert_eq!(wrong.computed(), Some(u64::from_le_bytes(bytes[8..16].try_into().unwrap())));
    let report = meshspec::check(&bad, FormatId::Iyma, &ReadOptions::default()).unwrap();
    assert!(report.findings()[0].message.contains("computed"), "{:?}", report.findings());
    // What was wrong stays wrong, unless it is taken out.
    assert_eq!(lenient.write(&WriteOptions::lenient()).unwrap(), bad);
    assert_eq!(lenient.write(&WriteOptions::default()).unwrap_err().kind(), ErrorKind::Inexpressible);
}

/// A file with this header, descriptor and data, and right checksums, made by hand.
fn file_of(document: &Document, data: &[u8]) -> Vec<u8> {
    let mut bytes = write(&Document { data_checksum: DataChecksum::Absent, ..document.clone() });
    bytes.truncate(24 + usize::from(u16::from_le_bytes([bytes[6], bytes[7]])));
    bytes.extend_from_slice(data);
    bytes
}

/// A frame without magic bytes of a window of 2^(10 + `log`) bytes and these blocks: kind, size and content.
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
fn frames_made_by_hand() {
    let mut document = Document { user_data: vec![7u8; 300].into(), ..Document::default() };
    let whole = frame(1, &[(RLE, 300, &[7])]);
    assert_eq!(
        Document::read(&file_of(&document, &whole), &Default::default()).unwrap().user_data,
        vec![7u8; 300]
    );
    let halves = [frame(1, &[(RLE, 200, &[7])]), frame(1, &[(RAW, 2, &[7, 7]), (RLE, 98, &[7])])].concat();
    assert!(Document::read(&file_of(&document, &halves), &Default::default()).is_ok(), "two frames");
    let cases: [(&str, Vec<u8>, &str); 9] = [
        ("no frame", Vec::new(), "IYMA-PACKING"),
        ("cut off", whole[..whole.len() - 1].to_vec(), "IYMA-PACKING"),
        ("a window of 2^28", frame(18, &[(RLE, 300, &[7])]), "IYMA-WINDOW"),
        ("one byte more", frame(1, &[(RLE, 301, &[7])]), "IYMA-DATA-SIZE"),
        ("one byte less", frame(1, &[(RLE, 299, &[7])]), "IYMA-DATA-SIZE"),
        ("a frame more", [&*whole, &*frame(1, &[(RAW, 1, &[7])])].concat(), "IYMA-DATA-SIZE"),
        ("a byte that is no frame", [&*whole, &[0][..]].concat(), "IYMA-TRAILING"),
        ("magic bytes", [&[0x28, 0xb5, 0x2f, 0xfd][..], &*whole].concat(), "IYMA-PACKING"),
        ("a reserved block", frame(1, &[(3, 300, &[7])]), "IYMA-PACKING"),
    ];
    for (what, data, code) in &cases {
        let (rule, text, _) = error_of(&file_of(&document, data));
        assert_eq!(rule, *code, "{what}: {text}");
    }
    // Lengths near 2^32, of which there is no allocation.
    document.n_vertices = u32::MAX;
    document.user_data = Default::default();
    document.attributes.clear();
    let huge = write(&document);
    assert_eq!(Document::read(&huge, &Default::default()).unwrap().n_vertices, u32::MAX);
}

#[test]
fn sizes_are_told_in_words() {
    let document = Document { user_data: vec![7u8; 300].into(), ..Document::default() };
    let cases = [
        (frame(1, &[(RLE, 299, &[7])]), "300 bytes are declared, but 6 packed bytes hold 299"),
        // A compressed block, of which only the most is known.
        (frame(1, &[(RLE, 301, &[7]), (2, 1, &[0])]), "10 packed bytes hold 301 to 131373"),
        ([&*frame(1, &[(RLE, 300, &[7])]), &[0]].concat(), "1 byte follows the last frame"),
        ([&*frame(1, &[(RLE, 300, &[7])]), &[0, 0]].concat(), "2 bytes follow the last frame"),
    ];
    for (data, expected) in cases {
        let error = Document::read(&file_of(&document, &data), &Default::default()).unwrap_err();
        assert!(error.message().ends_with(expected), "{error}");
    }
}
