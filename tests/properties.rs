//! What holds for every document.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use meshspec::layout::walk;
use meshspec::{
    Dialect, Document, Format, FormatId, ReadOptions, Strictness, WriteOptions, bmd, crucible, mesh,
};
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

/// Failures are kept at the top of the repository.
fn config(cases: u32) -> ProptestConfig {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/proptest-regressions/properties.txt");
    ProptestConfig {
        cases,
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct(file))),
        ..ProptestConfig::default()
    }
}

fn documents() -> impl Strategy<Value = Document> {
    prop_oneof![
        mesh::strategy::documents().prop_map(Document::Mesh),
        crucible::strategy::documents().prop_map(Document::Crucible),
        bmd::strategy::documents().prop_map(Document::Bmd),
    ]
}

/// A document as data, in which floats are equal if their bits are.
fn data(document: &Document) -> String {
    serde_json::to_string(document).unwrap()
}

/// Nothing that can be told from the bytes is told otherwise: an empty document of a dialect may look like another.
fn as_written(document: &Document) -> ReadOptions {
    ReadOptions::default().with_dialect(document.dialect())
}

proptest! {
    #![proptest_config(config(2000))]

    #[test]
    fn written_documents_read_back(document in documents()) {
        prop_assert!(document.check().is_valid(Strictness::Strict), "{:?}", document.check());
        let bytes = document.write(&WriteOptions::default()).unwrap();
        let again = document.format().read(&bytes, &as_written(&document)).unwrap();
        prop_assert_eq!(data(&again), data(&document));
        prop_assert_eq!(again.write(&WriteOptions::default()).unwrap(), bytes);
    }

    #[test]
    fn documents_survive_json(document in documents()) {
        let json = data(&document);
        let again: Document = serde_json::from_str(&json).unwrap();
        prop_assert_eq!(data(&again), json);
        prop_assert_eq!(
            again.write(&WriteOptions::default()).unwrap(),
            document.write(&WriteOptions::default()).unwrap()
        );
    }

    #[test]
    fn files_follow_their_layout(document in documents()) {
        let bytes = document.write(&WriteOptions::default()).unwrap();
        let layout = document.format().layout_of(&bytes, Some(document.dialect()));
        let end = walk::walk(layout, &bytes, &Default::default(), &mut ()).unwrap();
        // The lists of an image lie at offsets of their own, behind its header.
        let expected = if document.format() == FormatId::Bmd { 48 } else { bytes.len() as u64 };
        prop_assert_eq!(end, expected);
    }

    #[test]
    fn mesh_dialects_are_told_apart(document in mesh::strategy::documents()) {
        let bytes = document.write(&WriteOptions::default()).unwrap();
        prop_assert_eq!(mesh::Document::read(&bytes, &ReadOptions::default()).unwrap().dialect, document.dialect);
        prop_assert_eq!(meshspec::detect(&bytes, None).unwrap(), FormatId::Mesh);
    }

    #[test]
    fn columns_of_vertices_are_the_vertices(vertices in mesh::strategy::vertex_lists(9, 3)) {
        let again = mesh::Vertices::from_columns(&vertices.to_columns()).unwrap();
        prop_assert_eq!(&again, &vertices);
        let again = mesh::Vertices::from_records(vertices.format(), vertices.iter()).unwrap();
        prop_assert_eq!(&again, &vertices);
    }

    #[test]
    fn the_other_dialect_holds_what_is_not_listed_as_lost(document in documents()) {
        for dialect in document.format().about().dialects {
            let (converted, losses) = document.clone().into_dialect(*dialect).unwrap();
            prop_assert_eq!(converted.dialect(), *dialect);
            let bytes = converted.write(&WriteOptions::default()).unwrap();
            prop_assert!(converted.format().read(&bytes, &ReadOptions::default().with_dialect(*dialect)).is_ok());
            let (back, _) = converted.into_dialect(document.dialect()).unwrap();
            // Names and transforms that are made up do not count.
            if losses.is_empty() && document.dialect() == Dialect::Spec {
                prop_assert_eq!(data(&back), data(&document));
            }
        }
    }
}
