//! Strategies for the documents of MESH, Crucible and BMD: files that their declarations generate, decoded.

use std::fmt::Debug;

use proptest::prelude::*;
use proptest::strategy::Union;

use super::Format;
use crate::layout::Type;
use crate::layout::generate::{self, Config};
use crate::{Dialect, Limits, Report, Severity};

/// Returns a strategy for documents that strict reading accepts, of each of these types and dialects. `decode` checks
/// nothing, and sets what only code decides. Plausible documents have no findings.
pub(super) fn documents<D: Format + Clone + Debug>(
    types: impl IntoIterator<Item = (&'static Type, Dialect)>,
    config: Config,
    decode: fn(&[u8], Dialect) -> Option<D>,
) -> impl Strategy<Value = D> {
    let of = move |(ty, dialect)| {
        let documents =
            generate::files(ty, config).prop_filter_map("a rule that code checks", move |bytes| {
                let document = decode(&bytes, dialect)?;
                let min = if config.plausible { Severity::Warning } else { Severity::Error };
                let mut report = Report::at_least(min, &Limits::default());
                document.check_into(&mut report);
                report.findings().is_empty().then_some(document)
            });
        documents.boxed()
    };
    Union::new(types.into_iter().map(of))
}
