//! Properties that hold for every document.

use std::io::Cursor;

use crate::common::config;
use crate::corpus;
use crate::fuzz::exact_text;
use meshspec::conformance::corpus::CaseKind;
use meshspec::layout::generate::{self, GeneratedText};
use meshspec::layout::{self, walk};
use meshspec::{
    AnyFormat, Dialect, Document, Format, Formats, ReadOptions, Report, Strictness, Text,
    WriteOptions, bmd, crucible, iyma, mesh, seed,
};
use proptest::prelude::*;

/// A strategy for documents of all formats.
pub fn documents() -> impl Strategy<Value = Document> {
    prop_oneof![
        mesh::strategy::documents().prop_map(Document::Mesh),
        crucible::strategy::documents().prop_map(Document::Crucible),
        seed::strategy::documents().prop_map(Document::Seed),
        bmd::strategy::documents().prop_map(Document::Bmd),
        iyma::strategy::documents().prop_map(Document::Iyma),
    ]
}

/// Removes the last item of lists that others depend on.
fn shorten_lists(document: &mut Document, choice: u8) {
    fn shorten<T>(list: &mut Vec<T>) {
        list.pop();
    }
    match document {
        Document::Mesh(mesh) => match choice % 4 {
            0 => shorten(&mut mesh.indices),
            1 => shorten(&mut mesh.joints),
            2 => mesh
                .animations
                .iter_mut()
                .for_each(|animation| shorten(&mut animation.poses)),
            _ => mesh
                .animations
                .iter_mut()
                .for_each(|animation| shorten(&mut animation.timestamps)),
        },
        Document::Crucible(crucible) => crucible
            .chunks
            .iter_mut()
            .for_each(|chunk| shorten(&mut chunk.streams)),
        Document::Seed(seed) => match choice % 3 {
            0 => shorten(&mut seed.positions),
            1 => shorten(&mut seed.normals),
            _ => shorten(&mut seed.faces),
        },
        Document::Bmd(bmd) => match choice % 3 {
            0 => shorten(&mut bmd.bones),
            1 => shorten(&mut bmd.meshes),
            _ => bmd
                .animations
                .iter_mut()
                .for_each(|animation| shorten(&mut animation.tracks)),
        },
        Document::Iyma(iyma) => match choice % 3 {
            0 => iyma.n_vertices = iyma.n_vertices.wrapping_sub(1),
            1 => shorten(&mut iyma.attributes),
            _ => iyma.indices = None,
        },
        _ => unreachable!("a format without a strategy"),
    }
}

/// Returns options with the dialect of the document, because another dialect may be detected for an empty document.
fn as_written(document: &Document) -> ReadOptions {
    let comments = matches!(document, Document::Seed(document) if document.comments.is_some());
    ReadOptions::default()
        .with_dialect(document.dialect())
        .with_comments(comments)
}

/// Returns the sorted violations of constraints in the decoded document and in the bytes of a file; `None` if the file
/// cannot be decoded, or the walker does not reach its end.
fn constraint_findings(
    format: AnyFormat,
    dialect: Dialect,
    bytes: &[u8],
) -> Option<[Vec<String>; 2]> {
    let layout = format.layout_of(bytes, dialect)?;
    let lenient = ReadOptions::lenient().with_dialect(dialect);
    format.read(bytes, &lenient).ok()?;
    let mut of_bytes = Report::default();
    layout::check_bytes(layout, bytes, &Default::default(), &mut of_bytes).ok()?;
    let options = ReadOptions::default().with_dialect(dialect);
    let of_document = meshspec::check(bytes, format, &options).unwrap();
    let declared = layout::schema::declared_rules(format.about().layouts());
    let of_document = of_document
        .findings()
        .iter()
        .filter(|found| declared.iter().any(|rule| rule.rule == found.rule))
        // BMD reserves the transform of the first bone only, which is checked in code, by its position in the list.
        .filter(|found| !found.path.to_string().starts_with("bones[0].xform"))
        .map(ToString::to_string)
        .collect();
    let of_bytes = of_bytes
        .findings()
        .iter()
        .map(ToString::to_string)
        .collect();
    Some([of_document, of_bytes].map(|mut found: Vec<_>| {
        found.sort();
        found
    }))
}

#[test]
fn constraints_agree_on_files_of_the_corpus() {
    let mut compared = 0;
    // The other kinds would make the test half as long again.
    let cases = corpus::cases()
        .filter(|(entry, _)| matches!(entry.kind, CaseKind::Valid | CaseKind::Broken));
    for (entry, bytes) in cases {
        let format = Formats::builtin().get(&entry.format).unwrap();
        let Some([of_document, of_bytes]) = constraint_findings(format, entry.dialect, &bytes)
        else {
            continue;
        };
        assert_eq!(of_document, of_bytes, "{}", entry.file);
        compared += usize::from(!of_bytes.is_empty());
    }
    assert!(compared > 200, "{compared} files with findings");
}

/// Writing a declared struct without the codec of the format writes the whole file or fails.
#[test]
fn declarations_write_all_or_fail() {
    use binrw::BinWrite;

    let written = |document: &crucible::Document| document.write_le(&mut Cursor::new(Vec::new()));
    let chunk = crucible::Chunk::default;
    let trailing = crucible::Chunk {
        trailing: vec![1],
        ..chunk()
    };
    for (chunks, is_file) in [
        (vec![chunk()], true),
        (vec![], false),
        (vec![chunk(), chunk()], false),
        (vec![trailing], false),
    ] {
        let document = crucible::Document {
            chunks,
            ..Default::default()
        };
        assert_eq!(written(&document).is_ok(), is_file, "{document:?}");
    }
    for (name, dialect) in [(None, Dialect::SPEC), (Some(0), Dialect::RENDERLIB)] {
        let animation = |name| mesh::Animation {
            name,
            ..Default::default()
        };
        let written =
            |name| animation(name).write_le_args(&mut Cursor::new(Vec::new()), (dialect,));
        assert!(written(name).is_err(), "{name:?} in {dialect}");
        assert!(written(name.xor(Some(0))).is_ok());
    }
}

/// Three indices and no vertices: the sizes of a Crucible chunk without streams match, but its block does not unpack.
#[test]
fn an_empty_mesh_is_not_a_crucible_chunk() {
    let header = [1, 15, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0];
    let bytes = [&header[..], &[0; 13]].concat();
    assert_eq!(meshspec::detect(&bytes, None).unwrap().format, mesh::FORMAT);
    let chunk = [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    assert_eq!(
        meshspec::detect(&chunk, None).unwrap().format,
        crucible::FORMAT
    );
}

proptest! {
    #![proptest_config(config(250, "properties"))]

    #[test]
    fn written_documents_read_back(document in documents()) {
        prop_assert!(document.check().is_valid(Strictness::Strict), "{:?}", document.check());
        let bytes = document.write(&WriteOptions::default()).unwrap();
        let again = Document::read(document.format(), &bytes, &as_written(&document)).unwrap();
        prop_assert_eq!(exact_text(&again), exact_text(&document));
        let format = document.format();
        prop_assert_eq!(format.uncovered_bytes(&bytes, &as_written(&document)), []);
        prop_assert_eq!(again.write(&WriteOptions::default()).unwrap(), bytes);
    }

    #[test]
    fn documents_round_trip_through_json(document in documents()) {
        let mut json = Vec::new();
        document.write_json(&WriteOptions::default(), &mut json).unwrap();
        let again = document.format().document_from_json(&json).unwrap();
        let bytes = again.write(&WriteOptions::default()).unwrap();
        prop_assert_eq!(&bytes, &document.write(&WriteOptions::default()).unwrap());
        // JSON of Seed has the comments that writing adds.
        let again = Document::read(document.format(), &bytes, &as_written(&document)).unwrap();
        prop_assert_eq!(exact_text(&again), exact_text(&document));
    }

    /// Lists of unequal length, missing bones and the like, which no file can have.
    #[test]
    fn strict_writing_rejects_what_the_check_rejects(document in documents(), choice in any::<u8>()) {
        let mut document = document;
        shorten_lists(&mut document, choice);
        if document.write(&WriteOptions::default()).is_ok() {
            prop_assert!(document.check().is_valid(Strictness::Strict), "{document:?}");
        }
    }

    #[test]
    fn files_follow_their_layout(document in documents()) {
        let bytes = document.write(&WriteOptions::default()).unwrap();
        if let Some(layout) = document.format().layout_of(&bytes, document.dialect()) {
            let end = walk::walk(layout, &bytes, &Default::default(), &mut ()).unwrap();
            // The lists of a BMD image have their own offsets after the header.
            let expected = if document.format() == bmd::FORMAT { 48 } else { bytes.len() as u64 };
            prop_assert_eq!(end, expected);
        }
    }

    /// In a file with one changed byte, the check of the bytes finds the same violations of constraints as the check
    /// of the document.
    #[test]
    fn constraints_agree_on_bytes_and_documents(
        document in documents(), at in any::<prop::sample::Index>(), byte in any::<u8>()
    ) {
        let mut bytes = document.write(&WriteOptions::default()).unwrap();
        let changed = at.index(bytes.len().max(1));
        bytes.iter_mut().skip(changed).take(1).for_each(|old| *old = byte);
        if let Some([of_rules, found]) = constraint_findings(document.format(), document.dialect(), &bytes) {
            prop_assert_eq!(of_rules, found);
        }
    }

    #[test]
    fn mesh_dialects_are_detected(document in mesh::strategy::documents()) {
        let bytes = document.write(&WriteOptions::default()).unwrap();
        let has_text =
            |read: &mesh::Document| read.strings.iter().all(|text| Text::from(text.to_vec()).is_printable());
        // A renderlib file that ends with zeros may also be valid in the specification's dialect, with empty strings.
        let as_spec = mesh::Document::read(&bytes, &ReadOptions::default().with_dialect(Dialect::SPEC));
        prop_assume!(document.dialect == Dialect::SPEC || !as_spec.is_ok_and(|read| has_text(&read)));
        prop_assert_eq!(mesh::Document::read(&bytes, &ReadOptions::default()).unwrap().dialect, document.dialect);
        // Strings that are not text reduce the confidence of the detection.
        if has_text(&document) {
            let detected = meshspec::detect(&bytes, None).unwrap();
            prop_assert_eq!((detected.format, detected.dialect), (mesh::FORMAT, document.dialect));
        }
    }

    /// If no dialect is given, a file reads back as the same chunks. If another dialect is detected, the content
    /// means the same in both (C13).
    #[test]
    fn crucible_dialects_are_detected_or_equivalent(document in crucible::strategy::documents()) {
        let bytes = document.write(&WriteOptions::default()).unwrap();
        let detected = meshspec::detect(&bytes, None).unwrap();
        prop_assert_eq!(detected.format, crucible::FORMAT);
        let again = crucible::Document::read(&bytes, &ReadOptions::default()).unwrap();
        prop_assert_eq!(again.dialect, detected.dialect);
        let in_its_dialect = crucible::Document { dialect: document.dialect, ..again };
        prop_assert_eq!(exact_text(&in_its_dialect.into()), exact_text(&document.into()));
    }

    #[test]
    fn iyma_dialects_are_detected(document in iyma::strategy::documents()) {
        let bytes = document.write(&WriteOptions::default()).unwrap();
        prop_assert_eq!(iyma::Document::read(&bytes, &ReadOptions::default()).unwrap().dialect, document.dialect);
    }

    /// Without a correct checksum, the dialect is detected if usages are unambiguous (I1, I2). Custom usages decode in
    /// only one dialect. In the reference dialect, variant 8 is `Color`, and variant 4 with two components is `Uv0`.
    #[test]
    fn iyma_dialects_are_detected_without_checksum(
        document in iyma::strategy::documents(),
        checksum in any::<u64>(),
    ) {
        let mut bytes = document.write(&WriteOptions::default()).unwrap();
        bytes[8..16].copy_from_slice(&checksum.to_le_bytes());
        let is_told = |attribute: &iyma::Attribute| match attribute.usage {
            iyma::Usage::Custom(..) => true,
            iyma::Usage::Color => document.dialect == Dialect::REFERENCE,
            iyma::Usage::Uv => document.dialect == Dialect::REFERENCE && attribute.format.components() == 2,
            _ => false,
        };
        // Ambiguous files are read in the specification's dialect.
        prop_assume!(document.dialect == Dialect::SPEC || document.attributes.iter().any(is_told));
        prop_assert!(iyma::Document::read(&bytes, &ReadOptions::default()).is_err());
        let again = iyma::Document::read(&bytes, &ReadOptions::lenient()).unwrap();
        prop_assert_eq!(again.dialect, document.dialect);
        prop_assert_eq!(again.attributes, document.attributes);
        prop_assert_eq!(iyma::Document::detect(&bytes).dialect, document.dialect);
    }

    #[test]
    fn streams_read_like_memory(document in iyma::strategy::documents()) {
        let bytes = document.write(&WriteOptions::default()).unwrap();
        let reader = || iyma::Reader::new(&bytes[..], &ReadOptions::default()).unwrap();
        prop_assert_eq!(&reader().user_data().unwrap(), &document.user_data);
        for index in 0..document.meshes.len() {
            prop_assert_eq!(reader().mesh(index).unwrap(), document.mesh(index).unwrap());
        }
        prop_assert_eq!(reader().document().unwrap(), document);
    }

    #[test]
    fn vertex_columns_match_the_vertices(document in mesh::strategy::documents()) {
        let vertices = document.vertices;
        let again = mesh::Vertices::from_columns(&vertices.to_columns()).unwrap();
        prop_assert_eq!(&again, &vertices);
        let again = mesh::Vertices::from_records(vertices.format(), vertices.iter()).unwrap();
        prop_assert_eq!(&again, &vertices);
    }

    #[test]
    fn the_other_dialect_keeps_all_but_the_losses(document in documents()) {
        for dialect in document.format().about().dialects {
            let (converted, losses) = document.clone().into_dialect(*dialect).unwrap();
            prop_assert_eq!(converted.dialect(), *dialect);
            // Strict writing rejects Crucible files that would be detected as another dialect.
            let bytes = converted.write(&WriteOptions::lenient()).unwrap();
            prop_assert!(converted.format().read(&bytes, &ReadOptions::default().with_dialect(*dialect)).is_ok());
            let (back, _) = converted.into_dialect(document.dialect()).unwrap();
            // Losses of generated names and transforms are ignored.
            if losses.is_empty() && document.dialect() == Dialect::SPEC {
                // Indices of the reference dialect become 16-bit if they fit.
                let in_width = |document: Document| match document {
                    Document::Iyma(mut document) if *dialect == Dialect::REFERENCE => {
                        document.indices = document.indices.map(|indices| indices.to_u32());
                        Document::Iyma(document)
                    }
                    other => other,
                };
                prop_assert_eq!(exact_text(&in_width(back)), exact_text(&in_width(document.clone())));
            }
        }
    }

    #[test]
    fn notation_does_not_matter(
        text in generate::texts(<seed::Document as Format>::GRAMMAR.unwrap(), Default::default()),
    ) {
        let GeneratedText { text: plain, varied: text, .. } = text;
        let read = seed::Document::read(&text, &ReadOptions::default()).unwrap();
        let document = seed::Document::read(&plain, &ReadOptions::default()).unwrap();
        // Parses numbers with the standard library.
        let lines = plain.split(|byte| *byte == b'\n').filter_map(|line| line.strip_prefix(b"p "));
        let values = lines.flat_map(|line| line.split(|byte| *byte == b'#').next().unwrap().split(|byte| *byte == b','));
        let values = values.map(|value| str::from_utf8(value).unwrap().trim().parse::<f32>().unwrap().to_bits());
        let positions = document.positions.as_flattened().iter().map(|value| value.to_bits());
        prop_assert_eq!(positions.collect::<Vec<_>>(), values.collect::<Vec<_>>());
        let (read, document) = (Document::Seed(read), Document::Seed(document));
        prop_assert_eq!(exact_text(&read), exact_text(&document));
        prop_assert_eq!(meshspec::detect(&text, None).unwrap().format, seed::FORMAT);
        // Writing is canonical.
        let canonical = read.write(&WriteOptions::default()).unwrap();
        prop_assert_eq!(&canonical, &document.write(&WriteOptions::default()).unwrap());
        // Comments are restored in place.
        let kept = Document::read(seed::FORMAT, &text, &ReadOptions::default().with_comments(true)).unwrap();
        let again = kept.write(&WriteOptions::default()).unwrap();
        let reread = Document::read(seed::FORMAT, &again, &ReadOptions::default().with_comments(true)).unwrap();
        prop_assert_eq!(exact_text(&reread), exact_text(&kept));
        let kept = Document::read(seed::FORMAT, &canonical, &ReadOptions::default().with_comments(true)).unwrap();
        prop_assert_eq!(kept.write(&WriteOptions::default()).unwrap(), canonical);
    }
}
