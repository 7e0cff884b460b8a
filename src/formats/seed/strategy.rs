//! Strategies that generate valid Seed documents, for tests of other loaders.

use proptest::prelude::*;

use super::Document;
use super::schema::GRAMMAR;
use crate::formats::{Files, Format};
use crate::layout::generate::{self, Config, GeneratedText};
use crate::{Dialect, ReadOptions};

/// Returns a strategy for documents that strict reading accepts: with any properties and attributes, with and without
/// comments.
///
/// ```
/// use meshspec::{Format, seed};
/// use proptest::prelude::*;
///
/// proptest!(ProptestConfig::with_cases(2), |(document in seed::strategy::documents())| {
///     let bytes = document.write(&Default::default()).unwrap();
///     // The loader to test reads `bytes`.
///     prop_assert!(seed::Document::read(&bytes, &Default::default()).is_ok());
/// });
/// ```
pub fn documents() -> impl Strategy<Value = Document> {
    documents_with(Config {
        max_items: 12,
        ..Config::default()
    })
}

/// Returns a strategy for documents that strict reading accepts, generated with `config`. If `config.plausible` is set,
/// they have no findings.
///
/// ```
/// use meshspec::{Format, layout::generate::Config, seed::strategy::documents_with};
/// use proptest::prelude::*;
///
/// proptest!(ProptestConfig::with_cases(2), |(document in documents_with(Config::plausible()))| {
///     prop_assert!(document.check().findings().is_empty());
/// });
/// ```
pub fn documents_with(config: Config) -> impl Strategy<Value = Document> {
    let texts = (generate::texts(&GRAMMAR, config), any::<bool>());
    texts.prop_filter_map(
        "the text breaks a rule that the table does not state",
        |(text, comments)| {
            Document::read(&text.text, &ReadOptions::default().with_comments(comments)).ok()
        },
    )
}

/// Returns a strategy for files that strict reading accepts, half of them in varied notation. If `config.plausible` is
/// set, they have no findings.
pub(super) fn files(config: Config) -> Files {
    let texts = (generate::texts(&GRAMMAR, config), any::<bool>());
    let accepted = move |(text, is_varied): (GeneratedText, bool)| {
        let bytes = if is_varied { text.varied } else { text.text };
        let report = Document::check_file(&bytes, &ReadOptions::default()).ok()?;
        let count = if config.plausible {
            report.findings().len()
        } else {
            report.errors()
        };
        (count == 0).then_some((Dialect::SPEC, bytes))
    };
    texts
        .prop_filter_map(
            "the text breaks a rule that the table does not state",
            accepted,
        )
        .boxed()
}
