//! Determines what a changed file breaks, by the walker and the constraints.

use super::attempt::{Attempt, contradicts_itself};
use super::{Breakage, Broken};
use crate::layout::check_bytes;
use crate::layout::declaration::Type;
use crate::layout::general::CHECKSUM;
use crate::layout::walk::{Fault, FaultKind, Segment, TRAILING, Visitor, walk};
use crate::{Enforcement, Finding, Limits, Path, Report, Rule, Severity, Span};

/// Checks changed files against a declaration and its rules.
pub(super) struct BreakageVerifier<'f> {
    /// The file before the change.
    pub(super) file: &'f [u8],
    pub(super) ty: &'static Type,
    pub(super) rules: &'static [&'static Rule],
    pub(super) limits: Limits,
    /// The result for that file.
    before: Outcome,
}

/// The fault, findings and trailing bytes of a file.
struct Outcome {
    fault: Option<Fault>,
    report: Report,
    /// The paths of trailing bytes.
    trailing: Vec<Path>,
}

/// The location and rule of a breakage.
struct Verdict {
    path: Path,
    rule: Option<&'static Rule>,
    severity: Severity,
}

impl<'f> BreakageVerifier<'f> {
    /// Creates a verifier of changes to a file.
    ///
    /// # Errors
    ///
    /// Returns the first fault of the file, or its first finding that is an error.
    pub(super) fn new(
        ty: &'static Type,
        file: &'f [u8],
        rules: &'static [&'static Rule],
        limits: &Limits,
    ) -> crate::Result<BreakageVerifier<'f>> {
        let before = Outcome::of(ty, file, limits);
        let error =
            |message: String| crate::Error::inexpressible(format!("the file is not valid: {message}"));
        if let Some(fault) = &before.fault {
            return Err(error(fault.message.clone()).at(&fault.path));
        }
        if let Some(finding) = before.errors().next() {
            return Err(error(finding.message.clone()).at(&finding.path));
        }
        Ok(BreakageVerifier { file, ty, rules, limits: *limits, before })
    }

    /// Returns the files whose change breaks only what the attempt intends.
    pub(super) fn all_broken<'a>(
        &'a self,
        attempt: &'a Attempt,
    ) -> impl Iterator<Item = Broken> + use<'a, 'f> {
        attempt.changes.iter().filter_map(|change| {
            let bytes = change.apply(self.ty, self.file, &self.limits).filter(|bytes| bytes != self.file)?;
            let Verdict { path, rule, severity } = self.verdict(&bytes, attempt)?;
            let (breakage, changed, value) = (attempt.breakage, change.path(), change.value());
            Some(Broken { bytes, breakage, changed, value, path, rule, severity })
        })
    }

    /// Returns the first of these files.
    pub(super) fn first_broken(&self, attempt: &Attempt) -> Option<Broken> {
        self.all_broken(attempt).next()
    }

    /// Returns `true` if a changed file has no fault, and violates no rule more often than before.
    pub(super) fn is_as_valid(&self, bytes: &[u8]) -> bool {
        let outcome = Outcome::of(self.ty, bytes, &self.limits);
        let mut found = outcome.report.findings().iter().map(|finding| finding.rule.code);
        outcome.fault.is_none()
            && outcome.trailing == self.before.trailing
            && found.all(|rule| outcome.report.count_of(rule) <= self.before.report.count_of(rule))
    }

    fn verdict(&self, bytes: &[u8], attempt: &Attempt) -> Option<Verdict> {
        let outcome = Outcome::of_structure(self.ty, bytes, &self.limits);
        if !is_possible(attempt.breakage, outcome.fault.as_ref()) {
            return None;
        }
        let outcome = outcome.with_findings(self.ty, bytes, &self.limits);
        if let Breakage::Constraint(constraint) = attempt.breakage {
            return self.finding(&outcome, constraint.rule, attempt.field);
        }
        if attempt.breakage == Breakage::Checksum {
            let found = self.finding(&outcome, attempt.rule.unwrap_or(&CHECKSUM), attempt.field);
            return found.or_else(|| self.checksum(&outcome, bytes, attempt));
        }
        if outcome.errors().next().is_some() {
            return None;
        }
        let Some(fault) = &outcome.fault else {
            return match attempt.breakage {
                Breakage::Trailing | Breakage::Count(_) => self.trailing(&outcome),
                _ => None,
            };
        };
        Some(Verdict {
            path: fault.path.clone(),
            rule: fault.rule,
            severity: severity(fault.rule).max(Severity::Error),
        })
    }

    /// Returns the violation of a rule that the file satisfied before, if it is the only one.
    fn finding(&self, outcome: &Outcome, rule: &'static Rule, field: &str) -> Option<Verdict> {
        let is_new = outcome.fault.is_none()
            && self.rules.contains(&rule)
            && self.before.report.count_of(rule.code) == 0;
        let is_alone = self.is_alone(outcome, rule)
            && (outcome.trailing == self.before.trailing || self.trailing_rule().is_none());
        let is_there = |finding: &&Finding| {
            finding.rule == rule && (field.is_empty() || name_of(&finding.path) == Some(field))
        };
        let found = outcome.report.findings().iter().find(is_there).filter(|_| is_new && is_alone)?;
        Some(Verdict { path: found.path.clone(), rule: Some(rule), severity: found.rule.severity })
    }

    /// Returns `true` if no other rule is violated more often than before.
    fn is_alone(&self, outcome: &Outcome, rule: &Rule) -> bool {
        let is_as_before = |other: &str| outcome.report.count_of(other) <= self.before.report.count_of(other);
        let mut found = outcome.report.findings().iter().map(|finding| finding.rule);
        found.all(|other| other == rule || is_as_before(other.code))
    }

    fn trailing(&self, outcome: &Outcome) -> Option<Verdict> {
        let rule = self.trailing_rule()?;
        let path = outcome.trailing.iter().find(|path| !self.before.trailing.contains(path))?;
        Some(Verdict { path: path.clone(), rule: Some(rule), severity: rule.severity })
    }

    /// Returns the rule against trailing bytes, such as `MESH-TRAILING`, if there is one.
    fn trailing_rule(&self) -> Option<&'static Rule> {
        let is_it = |code: &str| code.split_once('-').is_some_and(|(_, name)| name == "TRAILING");
        self.rules.iter().find(|rule| is_it(rule.code)).copied()
    }

    /// Returns a wrong checksum that only code verifies, if it was correct before. The assembler detects it.
    fn checksum(&self, outcome: &Outcome, bytes: &[u8], attempt: &Attempt) -> Option<Verdict> {
        let is_verified = attempt.rule.is_none_or(|rule| !matches!(rule.enforced_by, Enforcement::Code(_)));
        if is_verified || outcome.fault.is_some() || outcome.errors().next().is_some() {
            return None;
        }
        let place = attempt.changes.first()?.path();
        let is_wrong = |file| contradicts_itself(self.ty, file, &self.limits);
        let rule = attempt.rule;
        (!is_wrong(self.file) && is_wrong(bytes)).then(|| Verdict {
            path: place,
            rule,
            severity: severity(rule),
        })
    }
}

/// Returns `true` if a file with this fault, or without a fault, may have this breakage.
fn is_possible(breakage: Breakage, fault: Option<&Fault>) -> bool {
    let Some(fault) = fault else {
        return matches!(
            breakage,
            Breakage::Constraint(_) | Breakage::Trailing | Breakage::Count(_) | Breakage::Checksum
        );
    };
    match (breakage, fault.kind) {
        (_, FaultKind::Limit | FaultKind::Unsupported) => false,
        (Breakage::Check(check), FaultKind::Check) => fault.message.starts_with(check.message),
        (Breakage::Count(_) | Breakage::Truncation(_) | Breakage::Trailing, kind) => kind != FaultKind::Check,
        (Breakage::Offset, kind) => matches!(kind, FaultKind::End | FaultKind::Count),
        (Breakage::Magic, kind) => kind == FaultKind::Magic,
        (Breakage::Value, kind) => kind == FaultKind::Value,
        (Breakage::Packing | Breakage::UnpackedSize, kind) => kind == FaultKind::Packing,
        _ => false,
    }
}

fn severity(rule: Option<&Rule>) -> Severity {
    rule.map_or(Severity::Error, |rule| rule.severity)
}

/// Returns the name of the field at a path, or of the field that contains the item.
fn name_of(path: &Path) -> Option<&'static str> {
    last_name(path.segments()?)
}

/// Returns the last field name in a path.
pub(super) fn last_name(path: &[Segment]) -> Option<&'static str> {
    path.iter().rev().find_map(|step| match step {
        Segment::Field(name) => Some(*name),
        Segment::Index(_) => None,
    })
}

impl Outcome {
    fn of(ty: &'static Type, bytes: &[u8], limits: &Limits) -> Outcome {
        Outcome::of_structure(ty, bytes, limits).with_findings(ty, bytes, limits)
    }

    fn of_structure(ty: &'static Type, bytes: &[u8], limits: &Limits) -> Outcome {
        let mut ends = Ends(Vec::new());
        let fault = walk(ty, bytes, limits, &mut ends).err();
        Outcome { fault, report: Report::new(limits), trailing: ends.0 }
    }

    fn with_findings(mut self, ty: &'static Type, bytes: &[u8], limits: &Limits) -> Outcome {
        // Stops at the same fault.
        let _ = check_bytes(ty, bytes, limits, &mut self.report);
        self
    }

    fn errors(&self) -> impl Iterator<Item = &Finding> {
        self.report.findings().iter().filter(|finding| finding.rule.severity >= Severity::Error)
    }
}

/// Collects the paths of trailing bytes.
struct Ends(Vec<Path>);

impl Visitor for Ends {
    fn trailing(&mut self, path: &[Segment], _: Span, _: &[u8]) {
        self.0.push(Path::from(path).field(TRAILING));
    }
}
