//! What only IyMA has: columns of 45 formats, reading in parts, merging, checksums of two dialects.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::io::{self, Read};

use meshspec::iyma::{
    Attribute, Bytes, Component, DataChecksum, Document, Draws, IndexFormat, Indices, MeshInfo, Reader,
    Usage, VertexFormat, are_compatible, merge, merge_compatible,
};
use meshspec::{Dialect, ErrorKind, Format, FormatId, ReadOptions, Span, WriteOptions};

/// A grid of `count` vertices: positions, texture coordinates, indices.
fn strip(count: u32, user_data: &'static str) -> Document {
    let positions: Vec<f32> = (0..count).flat_map(|i| [i as f32, (i * i % 7) as f32, 0.5]).collect();
    let uvs: Vec<f32> = (0..count).flat_map(|i| [i as f32 / count as f32, 0.25]).collect();
    let indices: Vec<u16> = (0..count as u16 - 2).flat_map(|i| [i, i + 1, i + 2]).collect();
    let mut document = Document::from_mesh(
        Some(Indices::from_u16(&indices)),
        vec![
            Attribute::from_f32(Usage::Position, VertexFormat::Float32x3, &positions),
            Attribute::from_f32(Usage::Uv, VertexFormat::Unorm16x2, &uvs),
        ],
    )
    .unwrap();
    document.user_data = user_data.as_bytes().into();
    document
}

/// Bytes of which zstd takes off a few, at a high level more.
fn noise(size: usize) -> Bytes {
    let mut state = 1u64;
    let bytes = (0..size).map(|i| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        if i % 3 == 0 { (i / 500) as u8 } else { state as u8 }
    });
    bytes.collect()
}

fn write(document: &Document) -> Vec<u8> {
    document.write(&WriteOptions::default()).unwrap()
}

/// What a component is as a float, computed with 64 bits. `bytes` are those of one component.
fn scalar(component: Component, bytes: &[u8]) -> f64 {
    let unsigned = bytes.iter().rev().fold(0u64, |word, byte| word << 8 | u64::from(*byte));
    let unused = 64 - 8 * bytes.len() as u32;
    let signed = (unsigned << unused) as i64 >> unused;
    let bits = 8 * bytes.len() as i32;
    match component {
        Component::Float16 => {
            let (sign, exponent, fraction) =
                (unsigned >> 15, (unsigned >> 10 & 31) as i32, (unsigned & 1023) as f64);
            let value = match exponent {
                0 => fraction * 2f64.powi(-24),
                31 if fraction == 0.0 => f64::INFINITY,
                31 => f64::NAN,
                _ => (1.0 + fraction / 1024.0) * 2f64.powi(exponent - 15),
            };
            if sign == 1 { -value } else { value }
        }
        Component::Float32 => f32::from_bits(unsigned as u32).into(),
        Component::Float64 => f64::from_bits(unsigned),
        Component::Sint8 | Component::Sint16 | Component::Sint32 => signed as f64,
        Component::Snorm8 | Component::Snorm16 => (signed as f64 / (2f64.powi(bits - 1) - 1.0)).max(-1.0),
        Component::Uint8 | Component::Uint16 | Component::Uint32 => unsigned as f64,
        _ => unsigned as f64 / (2f64.powi(bits) - 1.0),
    }
}

/// Bytes of components that are at the edges: all of one or two bytes, else numbers around powers of two.
fn edges(component: Component) -> Vec<Vec<u8>> {
    match component.size() {
        1 => (0..=u8::MAX).map(|byte| vec![byte]).collect(),
        2 => (0..=u16::MAX).map(|word| word.to_le_bytes().to_vec()).collect(),
        size => {
            let powers = (0..8 * size as u32).map(|bit| 1u64 << bit);
            let words = powers.flat_map(|word| [word - 1, word, word + 1, !word, word | word >> 1]);
            let floats =
                [0.0, -0.0, 1.0, f64::MAX, f64::MIN_POSITIVE, f64::INFINITY, f64::NAN, 1e-40, 16_777_217.0];
            let floats: Vec<u64> = match size {
                4 => floats.iter().map(|x| u64::from((*x as f32).to_bits())).collect(),
                _ => floats.iter().map(|x| x.to_bits()).collect(),
            };
            words.chain(floats).map(|word| word.to_le_bytes()[..size].to_vec()).collect()
        }
    }
}

#[test]
fn columns_agree_with_a_scalar_conversion() {
    for format in VertexFormat::ALL {
        let component = format.component();
        if matches!(component, Component::Unorm10x3x2 | Component::Unorm8Bgra) {
            continue;
        }
        let mut bytes = edges(component);
        bytes.truncate(bytes.len() / format.components() * format.components());
        let floats = format.to_f32(&bytes.concat());
        assert_eq!(floats.len(), bytes.len(), "{format:?}");
        for (bytes, float) in bytes.iter().zip(&floats) {
            let expected = scalar(component, bytes) as f32;
            let same = *float == expected || (float.is_nan() && expected.is_nan());
            assert!(same, "{format:?} {bytes:02x?}: {float}, expected {expected}");
            assert_eq!(
                float.is_sign_negative() && !float.is_nan(),
                expected.is_sign_negative() && !expected.is_nan()
            );
        }
        // And back: what a float can hold comes out as it went in.
        let lossy = matches!(component, Component::Float64 | Component::Sint32 | Component::Uint32);
        let back = format.from_f32(&floats);
        for (before, after) in bytes.iter().zip(back.chunks_exact(component.size())) {
            let (x, y) = (scalar(component, before), scalar(component, after));
            let is_least = matches!(component, Component::Snorm8 | Component::Snorm16) && x == -1.0;
            let same = before == after || (x.is_nan() && y.is_nan()) || (is_least && y == -1.0);
            let nearly = lossy && (x as f32 == y as f32 || (y - x).abs() <= 1.0);
            assert!(same || nearly, "{format:?} {before:02x?} came back as {after:02x?}");
        }
    }
}

#[test]
fn words_of_colours_and_normals() {
    let packed = VertexFormat::Unorm10_10_10_2;
    let (x, y, z, w) = (1u32, 511u32, 1023u32, 2u32);
    let bytes = (x | y << 10 | z << 20 | w << 30).to_le_bytes();
    assert_eq!(packed.to_f32(&bytes), [1.0 / 1023.0, 511.0 / 1023.0, 1.0, 2.0 / 3.0]);
    for word in (0..u32::MAX).step_by(65_521) {
        assert_eq!(packed.from_f32(&packed.to_f32(&word.to_le_bytes())), word.to_le_bytes());
    }
    let bgra = VertexFormat::Unorm8x4Bgra;
    assert_eq!(bgra.to_f32(&[255, 0, 51, 102]), [0.2, 0.0, 1.0, 0.4]);
    for byte in 0..=u8::MAX {
        let color = [byte, 255 - byte, byte / 2, 7];
        assert_eq!(bgra.from_f32(&bgra.to_f32(&color)), color);
    }
}

#[test]
fn floats_out_of_range_are_limited() {
    let floats = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e9, -1e9, -0.4, 0.5, 0.499_999_97, 2.0, -2.0];
    let cases: [(VertexFormat, &[i64]); 9] = [
        (VertexFormat::Uint8, &[0, 255, 0, 255, 0, 0, 1, 0, 2, 0]),
        (VertexFormat::Sint8, &[0, 127, -128, 127, -128, 0, 1, 0, 2, -2]),
        (VertexFormat::Uint16, &[0, 65535, 0, 65535, 0, 0, 1, 0, 2, 0]),
        (VertexFormat::Sint16, &[0, 32767, -32768, 32767, -32768, 0, 1, 0, 2, -2]),
        (VertexFormat::Uint32, &[0, 0xffff_ffff, 0, 1_000_000_000, 0, 0, 1, 0, 2, 0]),
        (
            VertexFormat::Sint32,
            &[0, 0x7fff_ffff, -0x8000_0000, 1_000_000_000, -1_000_000_000, 0, 1, 0, 2, -2],
        ),
        (VertexFormat::Unorm8, &[0, 255, 0, 255, 0, 0, 128, 127, 255, 0]),
        (VertexFormat::Snorm8, &[0, 127, -127, 127, -127, -51, 64, 63, 127, -127]),
        (VertexFormat::Unorm16, &[0, 65535, 0, 65535, 0, 0, 32768, 32767, 65535, 0]),
    ];
    for (format, expected) in cases {
        let bytes = format.from_f32(&floats);
        let numbers: Vec<i64> = bytes
            .chunks_exact(format.size())
            .map(|bytes| {
                let mut wide = [0; 8];
                wide[..bytes.len()].copy_from_slice(bytes);
                let unused = 64 - 8 * bytes.len() as u32;
                let signed = format.name().starts_with('S');
                let word = i64::from_le_bytes(wide);
                if signed { word << unused >> unused } else { word }
            })
            .collect();
        assert_eq!(numbers, expected, "{format:?}");
    }
}

/// Counts what is read from it, and gives no more than so many bytes at a time.
struct Slow<'b> {
    bytes: &'b [u8],
    most: usize,
    read: usize,
}

impl Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = self.most.min(buffer.len());
        let read = self.bytes.read(&mut buffer[..most])?;
        self.read += read;
        Ok(read)
    }
}

#[test]
fn streams_give_what_memory_gives() {
    let (document, _) = merge(&[strip(300, "first"), strip(500, "")]).unwrap();
    for dialect in [Dialect::Spec, Dialect::Reference] {
        let (document, _) = document.clone().into_dialect(dialect).unwrap();
        let bytes = write(&document);
        for most in [1, 7, 1 << 20] {
            let open = |slow| Reader::new(slow, &ReadOptions::default()).unwrap();
            let slow = || Slow { bytes: &bytes, most, read: 0 };
            assert_eq!(*open(slow()).descriptor(), document.descriptor().unwrap());
            assert_eq!(open(slow()).user_data().unwrap(), "first");
            assert_eq!(open(slow()).document().unwrap(), document);
            for index in 0..2 {
                let mesh = open(slow()).mesh(index).unwrap();
                assert_eq!(mesh, document.mesh(index).unwrap());
            }
            assert!(open(slow()).mesh(2).unwrap_err().message().contains("no mesh 2"));
        }
    }
}

#[test]
fn no_more_is_read_than_is_wanted() {
    let mut document = strip(60_000, "some user data");
    document.attributes[0].data = noise(720_000);
    let bytes = write(&document);
    assert!(bytes.len() > 400_000);
    let mut slow = Slow { bytes: &bytes, most: 512, read: 0 };
    let reader = Reader::new(&mut slow, &ReadOptions::default()).unwrap();
    assert_eq!(reader.descriptor().n_vertices, 60_000);
    drop(reader);
    assert!(slow.read < 100, "{} bytes for the descriptor", slow.read);
    let mut slow = Slow { bytes: &bytes, most: 512, read: 0 };
    Reader::new(&mut slow, &ReadOptions::default()).unwrap().user_data().unwrap();
    // zstd unpacks whole blocks.
    assert!(slow.read < 140_000, "{} bytes for the user data", slow.read);
}

#[test]
fn streams_refuse_what_memory_refuses() {
    let Some(folder) = std::env::var_os("MESHSPEC_FIXTURES") else {
        eprintln!("skipped: MESHSPEC_FIXTURES does not name the folder of reference files");
        return;
    };
    let mut refused = 0;
    for entry in std::fs::read_dir(std::path::Path::new(&folder).join("iyma/bad")).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        for options in [ReadOptions::default(), ReadOptions::lenient()] {
            let memory = Document::read(&bytes, &options);
            let stream = Reader::new(&bytes[..], &options).and_then(Reader::document);
            match (memory, stream) {
                (Ok(memory), Ok(stream)) => assert_eq!(memory, stream),
                (Err(memory), Err(stream)) => {
                    refused += 1;
                    assert_eq!(stream.format(), Some(FormatId::Iyma), "{}: {stream}", path.display());
                    assert_eq!(
                        memory.rule().is_some(),
                        stream.rule().is_some() || stream.kind() == ErrorKind::LimitExceeded,
                        "{}: {memory} {stream}",
                        path.display()
                    );
                }
                (memory, stream) => panic!("{}: {memory:?}, but {stream:?}", path.display()),
            }
        }
    }
    assert!(refused > 80, "{refused} refused");
}

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
fn ranges_beyond_the_buffers() {
    let good = strip(10, "");
    for (mesh, what) in [
        (MeshInfo { first_index: 1, index_count: 24, ..good.meshes[0] }, "index_count"),
        (MeshInfo { first_index: u32::MAX, index_count: u32::MAX, ..good.meshes[0] }, "index_count"),
        (MeshInfo { first_vertex: u32::MAX, ..good.meshes[0] }, "vertex_count"),
    ] {
        let document = Document { meshes: vec![mesh], ..good.clone() };
        let bytes = document.write(&WriteOptions::lenient()).unwrap();
        let error = Document::read(&bytes, &ReadOptions::default()).unwrap_err();
        assert_eq!(error.path(), format!("descriptor.meshes[0].{what}"));
        assert!(matches!(error.span(), Some(Span::Unpacked { .. })), "{error}");
        assert!(Document::read(&bytes, &ReadOptions::lenient()).unwrap().mesh(0).is_err());
        assert!(Reader::new(&bytes[..], &ReadOptions::lenient()).unwrap().mesh(0).is_err());
    }
    let mut document = good.clone();
    document.indices = Some(Indices::from_u16(&[0, 1, 10]));
    document.meshes[0].index_count = 3;
    let bytes = document.write(&WriteOptions::lenient()).unwrap();
    let error = Document::read(&bytes, &ReadOptions::default()).unwrap_err();
    assert_eq!((error.path(), error.rule().unwrap().code), ("data.indices[2]", "IYMA-INDEX-RANGE"));
    assert!(error.span().is_some(), "{error}");
}

#[test]
fn dialects_without_their_checksum() {
    // Told by Custom, by Color and by texture coordinates where the checksum tells nothing.
    let attribute =
        |usage, format: VertexFormat| Attribute::from_f32(usage, format, &vec![0.5; format.components()]);
    let cases = [
        (Dialect::Spec, Usage::Custom(3, "c".into()), VertexFormat::Uint8),
        (Dialect::Reference, Usage::Custom(3, String::new()), VertexFormat::Uint8),
        (Dialect::Reference, Usage::Color, VertexFormat::Unorm8x4),
        (Dialect::Spec, Usage::Color, VertexFormat::Float32x4),
        (Dialect::Reference, Usage::Uv, VertexFormat::Float32x2),
        (Dialect::Spec, Usage::Uv, VertexFormat::Float32x2),
    ];
    for (dialect, usage, format) in cases {
        let mut document = Document::from_mesh(None, vec![attribute(usage.clone(), format)]).unwrap();
        document.dialect = dialect;
        let mut bytes = write(&document);
        assert_eq!(Document::read(&bytes, &ReadOptions::default()).unwrap(), document, "{usage:?}");
        bytes[8] ^= 1;
        let again = Document::read(&bytes, &ReadOptions::lenient()).unwrap();
        assert_eq!((again.dialect, &again.attributes), (dialect, &document.attributes), "{usage:?}");
    }
    let mut document = strip(5, "");
    document.attributes[0].usage = Usage::Uv1;
    let error = document.write(&WriteOptions::default()).unwrap_err();
    assert_eq!((error.kind(), error.path()), (ErrorKind::Inexpressible, "attributes[0].usage"));
    document.dialect = Dialect::Reference;
    document.attributes[0].usage = Usage::Custom(1, "named".into());
    assert!(document.write(&WriteOptions::default()).is_err(), "the reference dialect has no names");
    let error = Document::read(&write(&strip(5, "")), &ReadOptions::default().with_dialect(Dialect::Tangent));
    assert_eq!(error.unwrap_err().kind(), ErrorKind::Unsupported);
}

#[test]
fn merging_and_splitting() {
    let (a, mut b) = (strip(5, "one"), strip(8, "two"));
    b.attributes.reverse();
    let (merged, losses) = merge(&[a.clone(), b.clone()]).unwrap();
    assert_eq!((merged.n_vertices, merged.meshes.len()), (13, 2));
    assert_eq!(
        merged.meshes[1],
        MeshInfo { first_index: 9, index_count: 18, first_vertex: 5, vertex_count: 8 }
    );
    assert_eq!((&*merged.user_data, losses.len()), (&b"one"[..], 1), "{losses:?}");
    let (parts, losses) = merged.split().unwrap();
    assert!(losses.is_empty());
    b.attributes.reverse();
    b.user_data = a.user_data.clone();
    assert_eq!(parts, [a.clone(), b.clone()]);

    // Narrow and wide indices: all become wide.
    let mut wide = strip(5, "");
    wide.indices = wide.indices.map(|indices| indices.widened());
    let (merged, _) = merge(&[a.clone(), wide]).unwrap();
    let indices = merged.indices.as_ref().unwrap();
    assert_eq!(indices.format, IndexFormat::U32);
    assert!(indices.iter().take(9).eq(a.indices.as_ref().unwrap().iter()));
    assert_eq!(Document::read(&write(&merged), &Default::default()).unwrap(), merged);

    // What is not compatible is refused, or goes into a file of its own.
    let mut bare = strip(5, "");
    bare.indices = None;
    bare.meshes[0].index_count = 0;
    assert!(!are_compatible(&a, &bare));
    let error = merge(&[a.clone(), bare.clone()]).unwrap_err();
    assert!(error.path() == "documents[1]" && error.message().contains("without indices"), "{error}");
    let groups = merge_compatible(&[a.clone(), bare, b]).unwrap();
    assert_eq!(groups.iter().map(|(group, _)| group.meshes.len()).collect::<Vec<_>>(), [2, 1]);

    // What is in no mesh is said to be lost.
    let mut spare = strip(5, "");
    spare.meshes[0] = MeshInfo { first_vertex: 2, vertex_count: 3, first_index: 3, index_count: 3 };
    let losses: Vec<String> = spare.split().unwrap().1.iter().map(ToString::to_string).collect();
    assert_eq!(losses.len(), 2, "{losses:?}");
    assert!(losses[0].contains("6 indices") && losses[1].contains("2 vertices"), "{losses:?}");

    // More vertices than 32 bits can count, none of which take any bytes.
    let many = Document { n_vertices: u32::MAX, meshes: vec![MeshInfo::default()], ..Document::default() };
    assert_eq!(merge(&[many.clone(), many]).unwrap_err().kind(), ErrorKind::Inexpressible);
}

#[test]
fn draw_records() {
    let (merged, _) = merge(&[strip(5, ""), strip(8, "")]).unwrap();
    let draws = merged.draws().unwrap();
    let expected: Vec<u8> =
        [9u32, 1, 0, 0, 0, 18, 1, 9, 5, 0].iter().flat_map(|word| word.to_ne_bytes()).collect();
    assert_eq!(draws.as_bytes(), expected);
    let mut bare = Document { indices: None, ..merged };
    let Draws::NonIndexed(draws) = bare.draws().unwrap() else { panic!() };
    assert_eq!((draws[1].vertex_count, draws[1].first_vertex, draws[1].instance_count), (8, 5, 1));
    bare.meshes[1].first_vertex = 1 << 31;
    assert!(bare.draws().is_ok());
    bare.indices = Some(Indices::from_u16(&[]));
    assert_eq!(bare.draws().unwrap_err().path(), "meshes[1].first_vertex");
}

#[test]
fn what_cannot_be_written() {
    let mut document = strip(5, "");
    document.attributes[1].data = document.attributes[1].data.slice(1..);
    let error = document.write(&WriteOptions::default()).unwrap_err();
    assert_eq!((error.kind(), error.path()), (ErrorKind::Inexpressible, "attributes[1].data"));
    let mut document = strip(5, "");
    document.attributes[0].usage = Usage::Custom(0, "x".repeat(70_000));
    let error = document.write(&WriteOptions::default()).unwrap_err();
    assert!(error.path() == "descriptor" && error.message().contains("65535"), "{error}");
    let error = strip(5, "").write(&WriteOptions::default().with_compression_level(23)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
}

#[test]
fn levels_and_threads_hold_the_same_content() {
    let mut document = strip(60_000, "");
    document.attributes[0].data = noise(720_000);
    let plain = write(&document);
    let small = document.write(&WriteOptions::default().with_compression_level(19)).unwrap();
    assert!(small.len() < plain.len());
    let threads = |threads| document.write(&WriteOptions::default().with_threads(threads)).unwrap();
    assert_eq!(threads(1), plain);
    assert_eq!(threads(2), threads(3), "how many threads there are makes no difference");
    for bytes in [small, threads(2)] {
        assert_eq!(Document::read(&bytes, &Default::default()).unwrap(), document);
    }
    // Checksum on or off.
    document.data_checksum = DataChecksum::Absent;
    let bytes = write(&document);
    assert_eq!(bytes[16..24], [0; 8]);
    assert_eq!(Document::read(&bytes, &Default::default()).unwrap(), document);
}
