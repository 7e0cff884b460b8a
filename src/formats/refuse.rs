//! Strictness applied to what a check finds.

use super::Format;
use crate::{
    Error, ErrorKind, Limits, ReadOptions, Report, Result, Severity, Strictness, WriteOptions, parallel,
};

/// Returns an error if `check` finds what this strictness does not accept: the first fatal finding, or else the first.
pub(super) fn refuse(check: impl Fn(&mut Report), strictness: Strictness, kind: ErrorKind) -> Result<()> {
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

/// The document, unless the strictness does not accept what is wrong with it.
#[allow(dead_code, reason = "MESH and Seed check while they read, and may be alone")]
pub(super) fn accept<D: Format>(document: D, options: &ReadOptions) -> Result<D> {
    refuse(|report| document.check_into(report), options.strictness, ErrorKind::Malformed)?;
    Ok(document)
}

/// What `encode` makes of a document, unless the strictness does not accept what is wrong with it. Both go through all of its
/// bulk data: at the same time, where there are threads. So `encode` is given documents that break rules, too.
#[allow(dead_code, reason = "Seed checks before it writes, and may be alone")]
pub(super) fn encode_checked<D: Format + Sync>(
    document: &D,
    options: &WriteOptions,
    encode: impl FnOnce() -> Result<Vec<u8>> + Send,
) -> Result<Vec<u8>> {
    D::ABOUT.require_dialect(document.dialect())?;
    let check = |report: &mut Report| document.check_into(report);
    let (checked, bytes) =
        parallel::join(|| refuse(check, options.strictness, ErrorKind::Inexpressible), encode);
    checked.and(bytes).map_err(|error| error.in_format(D::ABOUT.name))
}
