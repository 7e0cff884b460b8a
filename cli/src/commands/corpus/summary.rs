//! Summarises a corpus: numbers of files, broken rules, and covered kinds of values.

use std::collections::BTreeMap;
use std::io::{self, Write};

use meshspec::conformance::Coverage;
use meshspec::conformance::corpus::{CaseKind, Corpus};
use meshspec::{Dialect, Enforcement, Rule};
use serde::Serialize;

use crate::terminal::{TITLE, counted};

/// The summary of a format's corpus.
#[derive(Serialize)]
pub struct Summary {
    format: &'static str,
    /// The requested dialect; `None` for all dialects.
    dialect: Option<Dialect>,
    /// The number of files of each kind.
    files: BTreeMap<&'static str, usize>,
    rules: Vec<RuleCounts>,
    fields: Vec<FieldCoverage>,
}

/// The numbers of files that test a rule.
#[derive(Serialize)]
struct RuleCounts {
    code: &'static str,
    /// The number of broken files.
    broken: usize,
    /// The number of almost broken files.
    almost: usize,
    /// The reason why the rule is enforced in code rather than declared; empty for a declared rule.
    #[serde(skip)]
    reason: &'static str,
}

/// The kinds of values that a field can have, and their occurrences.
#[derive(Serialize)]
struct FieldCoverage {
    #[serde(rename = "field")]
    name: String,
    /// The number of occurrences of each kind in valid files.
    kinds: BTreeMap<&'static str, usize>,
    /// The kinds that occur in no valid file.
    never: Vec<&'static str>,
    /// The kinds that occur only in files that are not valid.
    only_broken: Vec<&'static str>,
}

impl Summary {
    /// Summarises a corpus. Omits rules and fields that only dialects other than `dialect` have.
    pub fn of(corpus: &Corpus, dialect: Option<Dialect>) -> Summary {
        let of_kind = |kind: CaseKind| {
            (
                kind.name(),
                corpus
                    .cases
                    .iter()
                    .filter(|case| case.entry.kind == kind)
                    .count(),
            )
        };
        let rule = |(rule, [broken, almost]): (&'static Rule, [usize; 2])| {
            let reason = if let Enforcement::Code(reason) = rule.enforced_by {
                reason
            } else {
                ""
            };
            RuleCounts {
                code: rule.code,
                broken,
                almost,
                reason,
            }
        };
        let about = corpus.format.about();
        let belongs_to_dialect = |(rule, [broken, _]): &(&'static Rule, [usize; 2])| {
            *broken > 0 || dialect.is_none_or(|dialect| about.has_rule_in(rule, dialect))
        };
        let unreached: Vec<_> = corpus.coverage_with_broken.missing().collect();
        let dialect_coverage = Coverage::in_dialect(corpus.format, dialect);
        let fields = corpus.coverage.fields().filter_map(|(field, kinds)| {
            let is_relevant = |(kind, count): &(&&'static str, &usize)| {
                **count > 0 || dialect_coverage.has(field, kind)
            };
            let kinds: BTreeMap<_, _> = kinds
                .iter()
                .filter(is_relevant)
                .map(|(kind, count)| (*kind, *count))
                .collect();
            if kinds.is_empty() && !dialect_coverage.has_field(field) {
                return None;
            }
            let never: Vec<_> = kinds
                .iter()
                .filter(|(_, count)| **count == 0)
                .map(|(kind, _)| *kind)
                .collect();
            let is_reached = |kind: &&'static str| !unreached.contains(&(field, *kind));
            let only_broken = never.iter().copied().filter(is_reached).collect();
            Some(FieldCoverage {
                name: field.to_owned(),
                kinds,
                never,
                only_broken,
            })
        });
        Summary {
            format: corpus.format.name(),
            files: CaseKind::ALL.map(of_kind).into(),
            dialect,
            rules: corpus
                .rules()
                .filter(belongs_to_dialect)
                .map(rule)
                .collect(),
            fields: fields.collect(),
        }
    }

    pub fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let files: Vec<_> = CaseKind::ALL
            .iter()
            .map(|kind| format!("{} {}", self.files[kind.name()], kind.name()))
            .collect();
        let file_count: usize = self.files.values().sum();
        let total = counted(file_count as u64, "file", "files");
        writeln!(
            out,
            "{TITLE}{}{TITLE:#}: {total}: {}",
            self.format,
            files.join(", ")
        )?;
        self.print_rules(out)?;
        let (mut reached, mut kinds) = (0, 0);
        for field in &self.fields {
            kinds += field.kinds.len();
            reached += field.kinds.len() - field.never.len();
        }
        let fields = counted(self.fields.len() as u64, "field", "fields");
        writeln!(
            out,
            "  {fields}: {reached} of {kinds} kinds of values in valid files"
        )?;
        let width = self
            .fields
            .iter()
            .map(|field| field.name.len())
            .max()
            .unwrap_or_default();
        for FieldCoverage {
            name,
            kinds,
            never,
            only_broken,
        } in self.fields.iter().filter(|f| !f.kinds.is_empty())
        {
            write!(
                out,
                "    {name:width$}  {} of {}",
                kinds.len() - never.len(),
                kinds.len()
            )?;
            let is_never_reached = |kind: &&&str| !only_broken.contains(*kind);
            let never_reached: Vec<_> = never.iter().filter(is_never_reached).copied().collect();
            if !never_reached.is_empty() {
                write!(out, "; never reached: {}", never_reached.join(", "))?;
            }
            if !only_broken.is_empty() {
                write!(out, "; only in broken files: {}", only_broken.join(", "))?;
            }
            writeln!(out)?;
        }
        Ok(())
    }

    fn print_rules(&self, out: &mut impl Write) -> io::Result<()> {
        let broken = self.rules.iter().filter(|rule| rule.broken > 0).count();
        writeln!(
            out,
            "  {broken} of {} rules broken in isolation",
            self.rules.len()
        )?;
        let dialect = self
            .dialect
            .map(|dialect| format!(" in the {dialect} dialect"))
            .unwrap_or_default();
        for rule in self.rules.iter().filter(|rule| rule.broken == 0) {
            let reason = if rule.reason.is_empty() {
                String::new()
            } else {
                format!(" ({})", rule.reason)
            };
            writeln!(out, "    never broken{dialect}: {}{reason}", rule.code)?;
        }
        for rule in self
            .rules
            .iter()
            .filter(|rule| rule.broken > 0 && rule.almost == 0)
        {
            writeln!(out, "    never almost broken: {}", rule.code)?;
        }
        Ok(())
    }
}
