//! Rejection of documents by strictness.

use super::Format;
use crate::{
    Error, ErrorKind, Limits, ReadOptions, Report, Result, Severity, Strictness, WriteOptions, parallel,
};

/// Returns an error if `check` finds a violation that this strictness rejects: the first fatal finding, or else the
/// first one.
pub(super) fn reject(check: impl Fn(&mut Report), strictness: Strictness, kind: ErrorKind) -> Result<()> {
    let first = |severity| {
        let mut report = Report::at_least(severity, &Limits::default());
        check(&mut report);
        report.findings().first().cloned()
    };
    match first(strictness.threshold()) {
        Some(finding) => Err(Error::from_finding(kind, &first(Severity::Fatal).unwrap_or(finding))),
        None => Ok(()),
    }
}

/// Returns the document unless this strictness rejects it.
#[allow(dead_code, reason = "MESH and Seed check while they read, and may be alone")]
pub(super) fn accept<D: Format>(document: D, options: &ReadOptions) -> Result<D> {
    reject(|report| document.check_into(report), options.strictness, ErrorKind::Malformed)?;
    Ok(document)
}

/// Encodes a document unless this strictness rejects it. Both steps visit all bulk data and run in parallel if
/// threads are available. `encode` may therefore see documents that break rules.
#[allow(dead_code, reason = "Seed checks before it writes, and may be alone")]
pub(super) fn encode_checked<D: Format + Sync>(
    document: &D,
    options: &WriteOptions,
    encode: impl FnOnce() -> Result<Vec<u8>> + Send,
) -> Result<Vec<u8>> {
    D::ABOUT.require_dialect(document.dialect())?;
    let check = |report: &mut Report| document.check_into(report);
    let (checked, bytes) =
        parallel::join(|| reject(check, options.strictness, ErrorKind::Inexpressible), encode);
    checked.and(bytes).map_err(|error| error.in_format(D::ABOUT.name))
}
