//! Properties that hold for every file of the five formats.

use meshspec::layout::dump::Dump;
use meshspec::layout::tree::Tree;
use meshspec::{Document, Formats, Strictness, WriteOptions};

use super::document::exact_text;
use super::input::{Input, limits};
use super::{ReaderResults, walker as walker_checks};

fn write_options(strictness: Strictness) -> WriteOptions {
    match strictness {
        Strictness::Strict => WriteOptions::default(),
        Strictness::Lenient => WriteOptions::lenient(),
    }
}

/// Asserts that strict and lenient reading, `check`, the walker and the dump agree on a file.
pub fn verdicts(data: &[u8]) {
    let Some(input) = Input::of(data) else { return };
    let Input {
        format,
        dialect,
        bytes,
    } = input;
    let results = ReaderResults::of(input, &limits());
    if let Some(contradiction) = results.contradiction() {
        panic!("{format}, {dialect}: {contradiction}");
    }
    let Some(layout) = format.layout_of(bytes, dialect) else {
        return;
    };
    let dump = Dump::new(layout, bytes).with_limits(&limits());
    let fault = dump
        .write_text(&mut std::io::sink(), false)
        .expect("writing to a sink cannot fail");
    assert!(
        results.lenient.is_err() || fault.is_none(),
        "{format}, {dialect}: dump finds {fault:?}"
    );
}

/// Like [`exact_text`], but without values that writing may change: IyMA's descriptor and frames are encoded again, and
/// a wrong checksum may match the new bytes (I14, I16).
fn comparable_text(document: &Document) -> String {
    let mut document = document.clone();
    if let Document::Iyma(document) = &mut document {
        document.metadata_checksum = None;
        document.data_checksum = Default::default();
    }
    exact_text(&document)
}

/// Asserts that the document of a file can be written, and reads back unchanged.
pub fn rewrite(data: &[u8]) {
    let Some(input) = Input::of(data) else { return };
    for strictness in [Strictness::Strict, Strictness::Lenient] {
        let options = input.options(strictness).with_comments(true);
        let Ok(document) = Document::read(input.format, input.bytes, &options) else {
            continue;
        };
        let bytes = match document.write(&write_options(strictness)) {
            Ok(bytes) => bytes,
            // Crucible files that would be detected as another dialect (C13), and usages that cannot be map keys (I13).
            Err(error)
                if ["dialect", "usage"]
                    .iter()
                    .any(|end| error.path().to_string().ends_with(end)) =>
            {
                continue;
            }
            Err(error) => panic!("the document of a file cannot be written: {error}"),
        };
        let again = Document::read(input.format, &bytes, &options)
            .unwrap_or_else(|error| panic!("the written file cannot be read: {error}"));
        assert_eq!(comparable_text(&again), comparable_text(&document));
        assert_eq!(again.write(&write_options(strictness)).unwrap(), bytes);
    }
}

/// Asserts that walker and codec reject the same files and read the same values.
pub fn walker(data: &[u8]) {
    let Some(input) = Input::of(data) else { return };
    if walker_checks::assert_same_acceptance(input, &limits()) {
        walker_checks::assert_same_values(input, &limits());
    }
}

/// Asserts that the values of a file, and their JSON, assemble to the same bytes.
pub fn assemble(data: &[u8]) {
    let Some(input) = Input::of(data) else { return };
    walker_checks::assert_assembles(input, &limits());
    walker_checks::assert_json_assembles(input, &limits());
}

/// Asserts that documents and trees from arbitrary JSON never cause a panic, that strict writing accepts only valid
/// documents, and that a document in JSON is the document of its file.
pub fn json(data: &[u8]) {
    for (_, layout) in Formats::BUILT_IN
        .iter()
        .flat_map(|format| format.about().layouts())
    {
        if let Ok(tree) = Tree::from_json(layout, data) {
            let _ = tree.assemble(&limits());
        }
    }
    for format in Formats::BUILT_IN {
        let Ok(document) = format.document_from_json(data) else {
            continue;
        };
        let is_valid = document.check().is_valid(Strictness::Strict);
        if let Ok(bytes) = document.write(&WriteOptions::default()) {
            assert!(is_valid, "strict writing accepts what check rejects");
            let _ = document.format().read(&bytes, &Default::default());
        }
        let _ = document.write(&WriteOptions::lenient());
        let _ = document.info();
        let _ = document.into_scene(&Default::default());
    }
    let Some(input) = Input::of(data) else { return };
    let options = input.options(Strictness::Lenient).with_comments(true);
    let write = |document: &Document| {
        document
            .write(&WriteOptions::lenient())
            .map_err(|error| error.to_string())
    };
    if let Ok(document) = Document::read(input.format, input.bytes, &options)
        && let Ok(file) = write(&document)
    {
        let mut json = Vec::new();
        let written = document.write_json(&WriteOptions::lenient(), &mut json);
        written.expect("a document that can be written");
        let again = input.format.document_from_json(&json);
        let again: Document = again
            .and_then(Document::try_from)
            .expect("the JSON of a document");
        assert_eq!(comparable_text(&again), comparable_text(&document));
        assert_eq!(write(&again), Ok(file));
    }
}
