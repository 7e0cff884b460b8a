//! Rejects documents with violations that the strictness does not accept.

use super::Format;
use crate::{
    Error, ErrorKind, Limits, ReadOptions, Report, Result, Severity, Strictness, WriteOptions,
    parallel,
};

/// Returns an error if `strictness` rejects a violation that `check` finds. Prefers the first fatal violation to the
/// first rejected one.
pub(super) fn reject_violations(
    check: impl Fn(&mut Report),
    strictness: Strictness,
    kind: ErrorKind,
) -> Result<()> {
    let first = |severity| {
        let mut report = Report::at_least(severity, &Limits::default());
        check(&mut report);
        report.findings().first().cloned()
    };
    match first(strictness.threshold()) {
        Some(finding) => Err(Error::from_finding(
            kind,
            &first(Severity::Fatal).unwrap_or(finding),
        )),
        None => Ok(()),
    }
}

/// Returns the document unless `options.strictness` rejects it.
#[allow(
    dead_code,
    reason = "unused if only MESH or Seed is enabled, which check while reading"
)]
pub(super) fn require_valid<D: Format>(document: D, options: &ReadOptions) -> Result<D> {
    reject_violations(
        |report| document.check_into(report),
        options.strictness,
        ErrorKind::Malformed,
    )?;
    Ok(document)
}

/// Checks and encodes a document, in parallel if threads are available. Returns an error if the document cannot be
/// encoded, or `options.strictness` rejects it. `encode` must not rely on the rules: the check may not have finished.
#[allow(
    dead_code,
    reason = "unused if only Seed is enabled, which checks before writing"
)]
pub(super) fn encode_checked<D: Format + Sync>(
    document: &D,
    options: &WriteOptions,
    encode: impl FnOnce() -> Result<Vec<u8>> + Send,
) -> Result<Vec<u8>> {
    D::ABOUT.require_dialect(document.dialect())?;
    let check = |report: &mut Report| document.check_into(report);
    let check = || reject_violations(check, options.strictness, ErrorKind::Inexpressible);
    let (checked, bytes) = parallel::join(check, encode);
    checked
        .and(bytes)
        .map_err(|error| error.in_format(D::ABOUT.name))
}
