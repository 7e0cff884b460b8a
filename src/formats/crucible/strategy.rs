//! Strategies that generate valid Crucible documents, for tests of other loaders.

use proptest::prelude::*;

use super::{Container, Document, codec, schema};
use crate::formats::generated;
use crate::layout::generate::Config;
use crate::{Dialect, Limits};

/// Returns a strategy for documents that strict writing and reading accept. They cover sets of up to six attributes,
/// both index widths, both dialects, bare chunks and containers, and floats with arbitrary bits. Their files read back
/// with the same attributes, whether or not the dialect is given.
///
/// ```
/// use meshspec::{Format, crucible};
/// use proptest::prelude::*;
///
/// proptest!(ProptestConfig::with_cases(2), |(document in crucible::strategy::documents())| {
///     let bytes = document.write(&Default::default()).unwrap();
///     // The loader to test reads `bytes`.
///     prop_assert!(crucible::Document::read(&bytes, &Default::default()).is_ok());
/// });
/// ```
pub fn documents() -> impl Strategy<Value = Document> {
    documents_with(Config::default())
}

/// Returns a strategy for documents that strict reading accepts, generated with `config`. If `config.plausible` is set,
/// they have no findings.
///
/// ```
/// use meshspec::{Format, layout::generate::Config, crucible::strategy::documents_with};
/// use proptest::prelude::*;
///
/// proptest!(ProptestConfig::with_cases(2), |(document in documents_with(Config::plausible()))| {
///     prop_assert!(document.check().findings().is_empty());
/// });
/// ```
pub fn documents_with(config: Config) -> impl Strategy<Value = Document> {
    let containers = [Container::Chunk, Container::Model];
    let types = containers.into_iter().flat_map(|container| {
        [Dialect::SPEC, Dialect::TANGENT]
            .map(|dialect| (schema::layout_of(container, dialect), dialect))
    });
    generated::documents(types, config, |bytes, dialect| {
        let document = codec::read(bytes, dialect, &Limits::default()).ok()?;
        codec::detection_keeps_attributes(&document, bytes).then_some(document)
    })
}
