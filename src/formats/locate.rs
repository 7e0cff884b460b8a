//! Errors with their places: of codecs, of the structure.

use super::About;
use crate::layout::{Type, walk};
use crate::{Error, ErrorKind, ReadOptions};

/// Gives an error of a codec its place: that of its path or, without one, that of the layout's first fault.
#[allow(dead_code, reason = "every binary format locates errors, and there may be none")]
pub(super) fn locate(
    error: Error,
    about: &About,
    layout: &'static Type,
    bytes: &[u8],
    options: &ReadOptions,
) -> Error {
    let error = error.in_format(about.name);
    if !error.path().is_empty() {
        let span = walk::find(layout, bytes, error.path(), &options.limits);
        return error.with_span(span);
    }
    match walk::first_fault(layout, bytes, &options.limits) {
        Some(fault) => structural(about, &fault),
        None => error,
    }
}

/// The error for a fault of the structure.
pub(super) fn structural(about: &About, fault: &walk::Fault) -> Error {
    let kind = match fault.kind {
        walk::FaultKind::Limit => ErrorKind::LimitExceeded,
        _ => ErrorKind::Malformed,
    };
    let error = Error::new(kind, fault.message.clone())
        .in_format(about.name)
        .at(fault.path.clone())
        .with_span(Some(fault.span.clone()));
    match about.rule_for(fault) {
        Some(rule) => error.with_rule(rule),
        None => error,
    }
}

/// The error that a function of a declaration gave, else what `other` makes of the message.
#[cfg(any(feature = "mesh", feature = "crucible"))]
pub(super) fn of_binrw(error: binrw::Error, other: fn(binrw::Error) -> Error) -> Error {
    match error {
        binrw::Error::Backtrace(trace) => of_binrw(*trace.error, other),
        binrw::Error::Custom { err, .. } if err.is::<Error>() => err
            .downcast::<Error>()
            .map_or_else(|_| Error::inexpressible("a value does not fit"), |error| *error),
        error => other(error),
    }
}
