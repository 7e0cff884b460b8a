//! Strategies that generate valid MESH documents, for tests of other loaders.

use proptest::prelude::*;

use super::{Document, codec, schema};
use crate::Dialect;
use crate::formats::generated;
use crate::layout::generate::Config;

/// Returns a strategy for documents that strict reading accepts. They cover all sets of attributes, both dialects,
/// joints and parents in any order, animations, names that are not UTF-8, and floats with arbitrary bits.
///
/// ```
/// use meshspec::{Format, mesh};
/// use proptest::prelude::*;
///
/// proptest!(ProptestConfig::with_cases(2), |(document in mesh::strategy::documents())| {
///     let bytes = document.write(&Default::default()).unwrap();
///     // The loader to test reads `bytes`.
///     prop_assert!(mesh::Document::read(&bytes, &Default::default()).is_ok());
/// });
/// ```
pub fn documents() -> impl Strategy<Value = Document> {
    documents_with(Config::default())
}

/// Returns a strategy for documents that strict reading accepts, generated with `config`. If `config.plausible` is set,
/// they have no findings.
///
/// ```
/// use meshspec::{Format, layout::generate::Config, mesh::strategy::documents_with};
/// use proptest::prelude::*;
///
/// proptest!(ProptestConfig::with_cases(2), |(document in documents_with(Config::plausible()))| {
///     prop_assert!(document.check().findings().is_empty());
/// });
/// ```
pub fn documents_with(config: Config) -> impl Strategy<Value = Document> {
    let types =
        [Dialect::SPEC, Dialect::RENDERLIB].map(|dialect| (schema::layout(dialect), dialect));
    generated::documents(types, config, |bytes, dialect| {
        let (mut document, _) = codec::read(bytes, dialect).ok()?;
        // The renderlib dialect is detected by this row (M17).
        if let Some([.., last]) = &mut document.root_transform {
            *last = [0.0, 0.0, 0.0, 1.0];
        }
        Some(document)
    })
}
