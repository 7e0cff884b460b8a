//! Determines what a changed file violates, using the walker and the constraints.

use super::attempt::{Alteration, Attempt, has_stale_values};
use super::{Breakage, BrokenFile};
use crate::layout::check_bytes;
use crate::layout::declaration::Type;
use crate::layout::general_rules::CHECKSUM;
use crate::layout::walk::{Fault, FaultKind, Segment, TRAILING, Visitor, walk};
use crate::{Enforcement, Finding, Limits, Path, Report, Rule, Severity, Span};

/// Checks changed files against a declaration and its rules.
pub(super) struct Verifier<'f> {
    /// The file before the change.
    pub file: &'f [u8],
    pub ty: &'static Type,
    pub rules: &'static [&'static Rule],
    pub limits: Limits,
    /// The result of checking `file`.
    original: Violations,
}

/// The fault, findings and trailing bytes of a file.
struct Violations {
    fault: Option<Fault>,
    report: Report,
    /// The paths of trailing bytes.
    trailing: Vec<Path>,
}

/// The location and rule of a breakage.
struct Location {
    path: Path,
    rule: Option<&'static Rule>,
    severity: Severity,
}

impl<'f> Verifier<'f> {
    /// Creates a verifier. The error is the first fault of the file, or its first finding that is an error.
    pub fn new(
        ty: &'static Type,
        file: &'f [u8],
        rules: &'static [&'static Rule],
        limits: &Limits,
    ) -> crate::Result<Verifier<'f>> {
        let original = Violations::of(ty, file, limits);
        let fault = original
            .fault
            .as_ref()
            .map(|fault| (&fault.message, &fault.path));
        let finding = || {
            original
                .errors()
                .next()
                .map(|finding| (&finding.message, &finding.path))
        };
        if let Some((message, path)) = fault.or_else(finding) {
            return Err(
                crate::Error::inexpressible(format!("the file is invalid: {message}")).at(path),
            );
        }
        Ok(Verifier {
            file,
            ty,
            rules,
            limits: *limits,
            original,
        })
    }

    /// Returns the changed files in which only the intended breakage occurs.
    pub fn broken_files<'a>(
        &'a self,
        attempt: &'a Attempt,
    ) -> impl Iterator<Item = BrokenFile> + use<'a, 'f> {
        attempt.changes.iter().filter_map(|change| {
            let bytes = self.apply(change)?;
            let Location {
                path,
                rule,
                severity,
            } = self.locate(&bytes, attempt)?;
            let (breakage, changed, value) = (
                attempt.breakage,
                change.path.clone(),
                change.value().cloned(),
            );
            Some(BrokenFile {
                bytes,
                breakage,
                changed,
                value,
                path,
                rule,
                severity,
            })
        })
    }

    /// Returns the changed file; `None` if the change is impossible or changes nothing.
    pub fn apply(&self, change: &Alteration) -> Option<Vec<u8>> {
        change
            .apply(self.ty, self.file, &self.limits)
            .filter(|bytes| bytes != self.file)
    }

    /// Returns the first file from [`broken_files`](Verifier::broken_files).
    pub fn first_broken(&self, attempt: &Attempt) -> Option<BrokenFile> {
        self.broken_files(attempt).next()
    }

    /// Returns `true` if a changed file has no fault, violates no rule more often than the original, and has trailing
    /// bytes at the same paths.
    pub fn is_as_valid(&self, bytes: &[u8]) -> bool {
        let violations = Violations::of(self.ty, bytes, &self.limits);
        violations.fault.is_none()
            && violations.trailing == self.original.trailing
            && self.has_no_new_violations(&violations, |_| false)
    }

    fn locate(&self, bytes: &[u8], attempt: &Attempt) -> Option<Location> {
        let violations = Violations::of_structure(self.ty, bytes, &self.limits);
        if !is_possible(attempt.breakage, violations.fault.as_ref()) {
            return None;
        }
        let violations = violations.with_findings(self.ty, bytes, &self.limits);
        if let Breakage::Constraint(constraint) = attempt.breakage {
            return self.find_violation(&violations, constraint.rule, attempt.field);
        }
        if attempt.breakage == Breakage::Checksum {
            let found = self.find_violation(
                &violations,
                attempt.rule.unwrap_or(&CHECKSUM),
                attempt.field,
            );
            return found.or_else(|| self.find_checksum(&violations, bytes, attempt));
        }
        if violations.errors().next().is_some() {
            return None;
        }
        match (&violations.fault, attempt.breakage) {
            (Some(Fault { path, rule, .. }), _) => {
                let severity = severity(*rule).max(Severity::Error);
                Some(Location {
                    path: path.clone(),
                    rule: *rule,
                    severity,
                })
            }
            (None, Breakage::Trailing | Breakage::Count(_)) => {
                self.find_trailing_bytes(&violations)
            }
            (None, _) => None,
        }
    }

    /// Returns the violation of `rule`, if the original file satisfies the rule and no other rule is violated more
    /// often than before.
    fn find_violation(
        &self,
        violations: &Violations,
        rule: &'static Rule,
        field: &str,
    ) -> Option<Location> {
        let is_new = violations.fault.is_none()
            && self.rules.contains(&rule)
            && self.original.report.count_of(rule.code) == 0;
        let is_alone = self.has_no_new_violations(violations, |other| other == rule)
            && (violations.trailing == self.original.trailing || self.trailing_rule().is_none());
        let is_match = |finding: &&Finding| {
            finding.rule == rule
                && (field.is_empty() || finding.path.segments().and_then(last_name) == Some(field))
        };
        let found = violations
            .report
            .findings()
            .iter()
            .find(is_match)
            .filter(|_| is_new && is_alone)?;
        Some(Location {
            path: found.path.clone(),
            rule: Some(rule),
            severity: found.rule.severity,
        })
    }

    /// Returns `true` if no rule, except ignored ones, is violated more often than before.
    fn has_no_new_violations(
        &self,
        violations: &Violations,
        is_ignored: impl Fn(&Rule) -> bool,
    ) -> bool {
        let (before, after) = (&self.original.report, &violations.report);
        let mut rules = after.findings().iter().map(|finding| finding.rule);
        rules
            .all(|rule| is_ignored(rule) || after.count_of(rule.code) <= before.count_of(rule.code))
    }

    fn find_trailing_bytes(&self, violations: &Violations) -> Option<Location> {
        let rule = self.trailing_rule()?;
        let path = violations
            .trailing
            .iter()
            .find(|path| !self.original.trailing.contains(path))?;
        Some(Location {
            path: path.clone(),
            rule: Some(rule),
            severity: rule.severity,
        })
    }

    /// Returns the rule against trailing bytes, such as `MESH-TRAILING`, if there is one.
    fn trailing_rule(&self) -> Option<&'static Rule> {
        let is_match = |code: &str| {
            code.split_once('-')
                .is_some_and(|(_, name)| name == "TRAILING")
        };
        self.rules.iter().find(|rule| is_match(rule.code)).copied()
    }

    /// Returns the location of a checksum that is wrong in the changed file, but not in the original file, if it is
    /// verified in code only. A checksum counts as wrong if recomputing all values changes the file.
    fn find_checksum(
        &self,
        violations: &Violations,
        bytes: &[u8],
        attempt: &Attempt,
    ) -> Option<Location> {
        let is_verified = attempt
            .rule
            .is_none_or(|rule| !matches!(rule.enforced_by, Enforcement::Code(_)));
        if is_verified || violations.fault.is_some() || violations.errors().next().is_some() {
            return None;
        }
        let path = attempt.changes.first()?.path.clone();
        let is_wrong = |file| has_stale_values(self.ty, file, &self.limits);
        let rule = attempt.rule;
        (!is_wrong(self.file) && is_wrong(bytes)).then(|| Location {
            path,
            rule,
            severity: severity(rule),
        })
    }
}

/// Returns `true` if the breakage can cause this fault or, without a fault, if it need not cause one.
fn is_possible(breakage: Breakage, fault: Option<&Fault>) -> bool {
    let Some(fault) = fault else {
        return matches!(
            breakage,
            Breakage::Constraint(_) | Breakage::Trailing | Breakage::Count(_) | Breakage::Checksum
        );
    };
    match (breakage, fault.kind) {
        (_, FaultKind::Limit | FaultKind::EmptyItems | FaultKind::Unsupported) => false,
        (Breakage::Check(check), FaultKind::Check) => fault.message.starts_with(check.message),
        (Breakage::Count(_) | Breakage::Truncation(_) | Breakage::Trailing, kind) => {
            kind != FaultKind::Check
        }
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

/// Returns the last field name in a path; for an item of a list, the name of the list.
pub(super) fn last_name(path: &[Segment]) -> Option<&'static str> {
    path.iter().rev().find_map(|step| step.name())
}

impl Violations {
    fn of(ty: &'static Type, bytes: &[u8], limits: &Limits) -> Violations {
        Violations::of_structure(ty, bytes, limits).with_findings(ty, bytes, limits)
    }

    fn of_structure(ty: &'static Type, bytes: &[u8], limits: &Limits) -> Violations {
        let mut ends = TrailingPaths(Vec::new());
        let fault = walk(ty, bytes, limits, &mut ends).err();
        Violations {
            fault,
            report: Report::new(limits),
            trailing: ends.0,
        }
    }

    fn with_findings(mut self, ty: &'static Type, bytes: &[u8], limits: &Limits) -> Violations {
        // `check_bytes` returns the fault that the walk has already returned.
        let _ = check_bytes(ty, bytes, limits, &mut self.report);
        self
    }

    fn errors(&self) -> impl Iterator<Item = &Finding> {
        self.report
            .findings()
            .iter()
            .filter(|finding| finding.rule.severity >= Severity::Error)
    }
}

/// Collects the paths of trailing bytes.
struct TrailingPaths(Vec<Path>);

impl Visitor for TrailingPaths {
    fn should_visit_empty_items(&self) -> bool {
        false
    }

    fn visit_trailing(&mut self, path: &[Segment], _: Span, _: &[u8]) {
        self.0.push(Path::from(path).field(TRAILING));
    }
}
