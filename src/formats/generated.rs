//! Strategies for files, and for documents decoded from generated files.

use std::fmt::Debug;

use proptest::prelude::*;
use proptest::strategy::Union;

use super::{About, Format};
use crate::layout::declaration::Type;
use crate::layout::generate::{self, Config};
use crate::{Dialect, Limits, ReadOptions, Report, Result, Severity, WriteOptions};

/// A strategy for files with their dialects.
pub type Files = BoxedStrategy<(Dialect, Vec<u8>)>;

pub(super) fn encoded_files<D: Format + Debug>(
    documents: impl Strategy<Value = D> + 'static,
) -> Files {
    let encode = |document: D| {
        Some((
            document.dialect(),
            document.write(&WriteOptions::default()).ok()?,
        ))
    };
    documents
        .prop_filter_map("a document that cannot be written", encode)
        .boxed()
}

/// Returns a strategy for generated files in which `check` finds no error, or nothing at all if `config.plausible` is
/// set. `None` if the format has no layouts.
pub(super) fn generated_files(
    about: &'static About,
    check: fn(&[u8], &ReadOptions) -> Result<Report>,
    config: Config,
) -> Option<Files> {
    let strategy_for = |(dialect, (_, ty)): (&Dialect, &(&str, &'static Type))| {
        let dialect = *dialect;
        let check_bytes = move |bytes: Vec<u8>| {
            let report = check(&bytes, &ReadOptions::default().with_dialect(dialect)).ok()?;
            let count = if config.plausible {
                report.findings().len()
            } else {
                report.errors()
            };
            (count == 0).then_some((dialect, bytes))
        };
        generate::files(ty, config)
            .prop_filter_map("a rule enforced in code", check_bytes)
            .boxed()
    };
    let strategies: Vec<_> = about
        .dialects
        .iter()
        .zip(about.layouts())
        .map(strategy_for)
        .collect();
    (!strategies.is_empty()).then(|| Union::new(strategies).boxed())
}

/// Returns a strategy for documents that strict reading accepts, decoded from generated files of `types`; without
/// findings if `config.plausible` is set. `decode` need not check the document; `None` skips the file. It
/// may set values that the declaration leaves open, such as the last row of a renderlib root transform.
pub(super) fn documents<D: Format + Clone + Debug>(
    types: impl IntoIterator<Item = (&'static Type, Dialect)>,
    config: Config,
    decode: fn(&[u8], Dialect) -> Option<D>,
) -> impl Strategy<Value = D> {
    let strategy_for = move |(ty, dialect)| {
        let decode_valid = move |bytes: Vec<u8>| {
            let document = decode(&bytes, dialect)?;
            let min = if config.plausible {
                Severity::Warning
            } else {
                Severity::Error
            };
            let mut report = Report::at_least(min, &Limits::default());
            document.check_into(&mut report);
            report.findings().is_empty().then_some(document)
        };
        generate::files(ty, config)
            .prop_filter_map("a rule enforced in code", decode_valid)
            .boxed()
    };
    Union::new(types.into_iter().map(strategy_for))
}
