//! What a changed file breaks: what the walker and the constraints say of it.

use super::attempt::{Attempt, contradicts_itself};
use super::{Breakage, Broken};
use crate::layout::check_bytes;
use crate::layout::declaration::Type;
use crate::layout::general::CHECKSUM;
use crate::layout::walk::{Fault, FaultKind, Segment, TRAILING, Visitor, walk};
use crate::{Enforcement, Finding, Limits, Path, Report, Rule, Severity, Span};

/// Holds changed files against a declaration and its rules.
pub(super) struct Judge<'f> {
    /// The file before it is changed.
    pub(super) file: &'f [u8],
    pub(super) ty: &'static Type,
    pub(super) rules: &'static [&'static Rule],
    pub(super) limits: Limits,
    /// What is found of that file.
    before: Opinion,
}

/// What there is to say of a file.
struct Opinion {
    fault: Option<Fault>,
    report: Report,
    /// Where bytes lie behind all fields.
    trailing: Vec<Path>,
}

/// Where and how a file is broken.
struct Verdict {
    path: Path,
    rule: Option<&'static Rule>,
    severity: Severity,
}

impl<'f> Judge<'f> {
    /// One for changes to this file.
    ///
    /// # Errors
    ///
    /// The first fault of the file, or its first finding that is an error.
    pub(super) fn new(
        ty: &'static Type,
        file: &'f [u8],
        rules: &'static [&'static Rule],
        limits: &Limits,
    ) -> crate::Result<Judge<'f>> {
        let before = Opinion::of(ty, file, limits);
        let error =
            |message: String| crate::Error::inexpressible(format!("the file is not valid: {message}"));
        if let Some(fault) = &before.fault {
            return Err(error(fault.message.clone()).at(&fault.path));
        }
        if let Some(finding) = before.errors().next() {
            return Err(error(finding.message.clone()).at(&finding.path));
        }
        Ok(Judge { file, ty, rules, limits: *limits, before })
    }

    /// The file with the first change that breaks exactly what is meant.
    pub(super) fn first_broken(&self, attempt: &Attempt) -> Option<Broken> {
        attempt.changes.iter().find_map(|change| {
            let bytes = change.apply(self.ty, self.file, &self.limits).filter(|bytes| bytes != self.file)?;
            let Verdict { path, rule, severity } = self.verdict(&bytes, attempt)?;
            let (breakage, changed, value) = (attempt.breakage, change.path(), change.value());
            Some(Broken { bytes, breakage, changed, value, path, rule, severity })
        })
    }

    /// Whether a changed file has no fault, and breaks no rule more often than before.
    pub(super) fn is_as_valid(&self, bytes: &[u8]) -> bool {
        let opinion = Opinion::of(self.ty, bytes, &self.limits);
        let mut found = opinion.report.findings().iter().map(|finding| finding.rule.code);
        opinion.fault.is_none()
            && opinion.trailing == self.before.trailing
            && found.all(|rule| opinion.report.count_of(rule) <= self.before.report.count_of(rule))
    }

    fn verdict(&self, bytes: &[u8], attempt: &Attempt) -> Option<Verdict> {
        let opinion = Opinion::of_structure(self.ty, bytes, &self.limits);
        if !is_possible(attempt.breakage, opinion.fault.as_ref()) {
            return None;
        }
        let opinion = opinion.with_findings(self.ty, bytes, &self.limits);
        if let Breakage::Constraint(constraint) = attempt.breakage {
            return self.finding(&opinion, constraint.rule, attempt.field);
        }
        if attempt.breakage == Breakage::Checksum {
            let found = self.finding(&opinion, attempt.rule.unwrap_or(&CHECKSUM), attempt.field);
            return found.or_else(|| self.checksum(&opinion, bytes, attempt));
        }
        if opinion.errors().next().is_some() {
            return None;
        }
        let Some(fault) = &opinion.fault else {
            return match attempt.breakage {
                Breakage::Trailing | Breakage::Count(_) => self.trailing(&opinion),
                _ => None,
            };
        };
        Some(Verdict {
            path: fault.path.clone(),
            rule: fault.rule,
            severity: severity(fault.rule).max(Severity::Error),
        })
    }

    /// That a constraint of a rule is broken that the file did not break before, and nothing else.
    fn finding(&self, opinion: &Opinion, rule: &'static Rule, field: &str) -> Option<Verdict> {
        let is_new = opinion.fault.is_none()
            && self.rules.contains(&rule)
            && self.before.report.count_of(rule.code) == 0;
        let is_alone = self.is_alone(opinion, rule)
            && (opinion.trailing == self.before.trailing || self.trailing_rule().is_none());
        let is_there = |finding: &&Finding| {
            finding.rule == rule && (field.is_empty() || name_of(&finding.path) == Some(field))
        };
        let found = opinion.report.findings().iter().find(is_there).filter(|_| is_new && is_alone)?;
        Some(Verdict { path: found.path.clone(), rule: Some(rule), severity: found.rule.severity })
    }

    /// Whether no other rule than this one is broken more often than before.
    fn is_alone(&self, opinion: &Opinion, rule: &Rule) -> bool {
        let is_as_before = |other: &str| opinion.report.count_of(other) <= self.before.report.count_of(other);
        let mut found = opinion.report.findings().iter().map(|finding| finding.rule);
        found.all(|other| other == rule || is_as_before(other.code))
    }

    fn trailing(&self, opinion: &Opinion) -> Option<Verdict> {
        let rule = self.trailing_rule()?;
        let path = opinion.trailing.iter().find(|path| !self.before.trailing.contains(path))?;
        Some(Verdict { path: path.clone(), rule: Some(rule), severity: rule.severity })
    }

    /// The rule that nothing follows the last field, `MESH-TRAILING`, if there is one.
    fn trailing_rule(&self) -> Option<&'static Rule> {
        let is_it = |code: &str| code.split_once('-').is_some_and(|(_, name)| name == "TRAILING");
        self.rules.iter().find(|rule| is_it(rule.code)).copied()
    }

    /// That a checksum is wrong which was right and that only code verifies: the assembler knows.
    fn checksum(&self, opinion: &Opinion, bytes: &[u8], attempt: &Attempt) -> Option<Verdict> {
        let is_verified = attempt.rule.is_none_or(|rule| !matches!(rule.enforced_by, Enforcement::Code(_)));
        if is_verified || opinion.fault.is_some() || opinion.errors().next().is_some() {
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

/// Returns `true` if a file with this fault, or without one, may break what is meant.
fn is_possible(breakage: Breakage, fault: Option<&Fault>) -> bool {
    let Some(fault) = fault else {
        return matches!(
            breakage,
            Breakage::Constraint(_) | Breakage::Trailing | Breakage::Count(_) | Breakage::Checksum
        );
    };
    match (breakage, fault.kind) {
        (_, FaultKind::Limit) => false,
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

/// The field that a path leads to, or to an item of it.
fn name_of(path: &Path) -> Option<&'static str> {
    last_name(path.segments()?)
}

/// The last field in a path.
pub(super) fn last_name(path: &[Segment]) -> Option<&'static str> {
    path.iter().rev().find_map(|step| match step {
        Segment::Field(name) => Some(*name),
        Segment::Index(_) => None,
    })
}

impl Opinion {
    fn of(ty: &'static Type, bytes: &[u8], limits: &Limits) -> Opinion {
        Opinion::of_structure(ty, bytes, limits).with_findings(ty, bytes, limits)
    }

    fn of_structure(ty: &'static Type, bytes: &[u8], limits: &Limits) -> Opinion {
        let mut ends = Ends(Vec::new());
        let fault = walk(ty, bytes, limits, &mut ends).err();
        Opinion { fault, report: Report::new(limits), trailing: ends.0 }
    }

    fn with_findings(mut self, ty: &'static Type, bytes: &[u8], limits: &Limits) -> Opinion {
        // It stops at the same fault.
        let _ = check_bytes(ty, bytes, limits, &mut self.report);
        self
    }

    fn errors(&self) -> impl Iterator<Item = &Finding> {
        self.report.findings().iter().filter(|finding| finding.rule.severity >= Severity::Error)
    }
}

/// Collects where bytes lie behind all fields.
struct Ends(Vec<Path>);

impl Visitor for Ends {
    fn trailing(&mut self, path: &[Segment], _: Span, _: &[u8]) {
        self.0.push(Path::from(path).field(TRAILING));
    }
}
