//! Strictness applied to what a check finds.

use crate::{Error, ErrorKind, Limits, Report, Result, Strictness};

/// The error for the first finding of `check` that this strictness does not accept.
pub(super) fn refuse(check: impl FnOnce(&mut Report), strictness: Strictness, kind: ErrorKind) -> Result<()> {
    let mut report = Report::at_least(strictness.threshold(), &Limits::default());
    check(&mut report);
    match report.findings().first() {
        Some(finding) => Err(Error::from_finding(kind, finding)),
        None => Ok(()),
    }
}
