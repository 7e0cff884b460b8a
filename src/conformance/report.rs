//! The report on a run.

use std::fmt;

use super::{Disagreement, FileKind};
use crate::{Dialect, Rule};

/// The report on running a loader over the files of a format. `Display` and `Debug` print it as human-readable text.
#[derive(Clone)]
#[must_use = "the report contains the disagreements of the loader"]
pub struct RunReport {
    pub(super) format: &'static str,
    pub(super) dialect: Dialect,
    pub(super) files: Vec<(FileKind, usize)>,
    pub(super) disagreements: Vec<Disagreement>,
    pub(super) coverage: Vec<RuleCoverage>,
    /// The reason why no files could be generated; `None` otherwise.
    pub(super) generation_error: Option<String>,
}

/// The numbers of files in a run that test a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RuleCoverage {
    /// The rule.
    pub rule: &'static Rule,
    /// The number of files that break the rule.
    pub broken: usize,
    /// The number of files that almost break the rule.
    pub almost_broken: usize,
}

impl RunReport {
    /// Returns `true` if the loader was run on at least one valid file, and agrees with strict reading on every file.
    pub fn agrees(&self) -> bool {
        self.disagreements.is_empty() && self.files(FileKind::Valid) > 0
    }

    /// Returns the disagreements, one per cause, grouped by rule. Within a rule, the smallest file comes first.
    pub fn disagreements(&self) -> &[Disagreement] {
        &self.disagreements
    }

    /// Returns, for each rule of the format, the numbers of files that test it.
    pub fn coverage(&self) -> &[RuleCoverage] {
        &self.coverage
    }

    /// Returns the number of files of a kind on which the loader was run.
    pub fn files(&self, kind: FileKind) -> usize {
        self.files
            .iter()
            .find(|(known, _)| *known == kind)
            .map_or(0, |(_, count)| *count)
    }
}

impl fmt::Display for RunReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}): ", self.format, self.dialect)?;
        if let Some(error) = &self.generation_error {
            return writeln!(f, "no files: {error}");
        }
        let kinds = [
            FileKind::Valid,
            FileKind::AlmostBroken,
            FileKind::Broken,
            FileKind::Mutated,
        ];
        let [valid, almost, broken, mutated] = kinds.map(|kind| self.files(kind));
        write!(
            f,
            "{valid} valid, {almost} almost broken, {broken} broken and {mutated} mutated files, "
        )?;
        match self.disagreements.len() {
            0 => writeln!(f, "no disagreements")?,
            1 => writeln!(f, "1 disagreement")?,
            count => writeln!(f, "{count} disagreements")?,
        }
        let mut rule = None;
        for disagreement in &self.disagreements {
            if rule != Some(disagreement.rule) {
                rule = Some(disagreement.rule);
                match disagreement.rule {
                    Some(rule) => writeln!(f, "\n{}: {}", rule.code, rule.summary)?,
                    None => writeln!(f, "\nvalid files")?,
                }
            }
            writeln!(f, "\n{disagreement}")?;
        }
        if !self.coverage.is_empty() {
            writeln!(
                f,
                "\n{:<28}{:>8}{:>8}",
                "files that break each rule", "broken", "almost"
            )?;
        }
        for RuleCoverage {
            rule,
            broken,
            almost_broken,
        } in &self.coverage
        {
            writeln!(f, "{:<28}{broken:>8}{almost_broken:>8}", rule.code)?;
        }
        Ok(())
    }
}

impl fmt::Debug for RunReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
