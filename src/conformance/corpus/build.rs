//! Builds the corpus of a format.

use std::collections::{BTreeMap, HashSet};
use std::convert::Infallible;

use super::breakages::{AlmostBrokenCandidate, almost_broken, offer_breakages, offer_examples};
use super::candidates::{Candidate, Candidates};
use super::entry::{CaseKind, IndexEntry, Verdict};
use super::minimize::minimize;
use super::oracle::{Oracle, Verdicts};
use super::pool::{Pool, ValidFile};
use super::{Case, Config, Corpus, boundaries, search};
use crate::conformance::Coverage;
use crate::contents::Contents;
use crate::layout::generate;
use crate::{AnyFormat, Dialect, ReadOptions, Result, parallel};

/// The number of mutated files that are added even if fewer files are missing.
const MIN_MUTATED: usize = 32;

/// The maximum number of attempts per requested file. Some attempts yield no new file.
const MAX_ATTEMPTS: usize = 20;

/// The maximum number of value kinds listed in the description of a valid file.
const MAX_LISTED: usize = 4;

/// The maximum length of contents as JSON in bytes, if fewer than [`LARGE_CORPUS`] files are requested.
const MAX_CONTENTS_BYTES: usize = 10_000;
const LARGE_CORPUS: usize = 1000;

pub(super) fn build_corpus(format: AnyFormat, config: &Config) -> Result<Corpus> {
    if let Some(dialect) = config.dialect {
        format.about().require_dialect(dialect)?;
    }
    let oracle = Oracle::new(format);
    let mut pool = Pool::new(oracle, config)?;
    if !config.plausible {
        boundaries::add_boundary_files(format, &mut pool);
    }
    let (broken, almost) = find_broken(oracle, config.dialect, &mut pool);
    let mut builder = CorpusBuilder {
        oracle,
        cases: Vec::new(),
        seen: HashSet::new(),
        count: config.count,
        prefix_counts: BTreeMap::new(),
    };
    for (file, reached) in pool.covering_files() {
        builder.add_valid(file.dialect, file.bytes.clone(), &reached);
    }
    let edge_cases = format.edge_cases().into_iter();
    let mut broken: Vec<Candidate> = edge_cases
        .filter_map(|(description, bytes)| builder.add_edge_case(description, bytes, config))
        .chain(broken)
        .collect();
    sort_by_rule_and_size(format, &mut broken);
    broken.iter().for_each(|file| builder.add_broken(file));
    almost.into_iter().for_each(|file| builder.add_almost(file));
    broken.iter().for_each(|file| builder.add_source(file));
    builder.fill(&mut pool, config.count);
    Ok(builder.finish())
}

/// Returns files that break a rule, and files that almost break one.
fn find_broken(
    oracle: Oracle,
    dialect: Option<Dialect>,
    pool: &mut Pool,
) -> (Vec<Candidate>, Vec<AlmostBrokenCandidate>) {
    let format = oracle.format;
    let mut candidates = Candidates::new(oracle);
    let bases: Vec<ValidFile> = pool.base_files().into_iter().cloned().collect();
    let bases: Vec<&ValidFile> = bases.iter().collect();
    for file in pool
        .files
        .iter()
        .filter(|file| !file.warning_codes.is_empty())
    {
        candidates.offer(
            file.dialect,
            ("content that causes a warning", ""),
            None,
            file.bytes.clone(),
        );
    }
    offer_breakages(format, &bases, &mut candidates);
    let almost = almost_broken(oracle, &bases);
    offer_examples(format, dialect, &mut candidates);
    if format.grammar().is_none() {
        let rules = format.about().rules.iter().map(|rule| rule.code);
        let rules = rules
            .filter(|code| !candidates.has_rule_in_later_item(code))
            .collect();
        let rules = search::offer_changed_bytes(&bases, rules, &mut candidates);
        let mut rules =
            search::offer_changed_bytes(&pool.files_without_findings(), rules, &mut candidates);
        rules.retain(|code| !candidates.has_rule(code));
        search::offer_mutations(pool, &rules, &mut candidates);
    }
    let mut files = candidates.into_files();
    // Minimises the smallest file of each rule and dialect.
    let mut smallest: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for (index, file) in files
        .iter()
        .enumerate()
        .filter(|(_, file)| file.source.is_some())
    {
        let best = smallest
            .entry((file.dialect.name(), file.code()))
            .or_insert(index);
        if file.bytes.len() < files[*best].bytes.len() {
            *best = index;
        }
    }
    let smallest: Vec<usize> = smallest.into_values().collect();
    let minimize = |_, index: &usize| Ok::<_, Infallible>(minimize(oracle, &files[*index]));
    let Ok(minimized) = parallel::try_map(&smallest, minimize);
    for (index, minimized) in smallest.into_iter().zip(minimized) {
        minimized.into_iter().for_each(|file| files[index] = file);
    }
    (files, almost)
}

fn sort_by_rule_and_size(format: AnyFormat, files: &mut [Candidate]) {
    let order = |code: &str| {
        format
            .about()
            .rules
            .iter()
            .position(|rule| rule.code == code)
    };
    files.sort_by_key(|file| (order(file.code()), file.bytes.len()));
}

struct CorpusBuilder {
    oracle: Oracle,
    cases: Vec<Case>,
    seen: HashSet<(Dialect, Vec<u8>)>,
    /// The requested number of files.
    count: usize,
    /// The number of files with each name prefix.
    prefix_counts: BTreeMap<String, usize>,
}

impl CorpusBuilder {
    fn add_valid(&mut self, dialect: Dialect, bytes: Vec<u8>, reached: &[String]) {
        let Some(verdicts) = self.oracle.judge_accepted(&bytes, dialect) else {
            return;
        };
        let mut listed = reached
            .iter()
            .take(MAX_LISTED)
            .cloned()
            .collect::<Vec<_>>()
            .join(", ");
        if let Some(more) = reached
            .len()
            .checked_sub(MAX_LISTED)
            .filter(|more| *more > 0)
        {
            listed += &format!(" and {more} more");
        }
        let reaches = if listed.is_empty() {
            String::new()
        } else {
            format!("; reaches {listed}")
        };
        let description = format!("Valid{reaches}.");
        self.add_case(CaseKind::Valid, dialect, bytes, verdicts, None, description);
    }

    /// Adds a valid hand-written case. Returns a broken one, to be sorted among the other broken files. Skips cases in
    /// another dialect or without an unambiguous verdict and, if files must be plausible, valid cases with warnings.
    fn add_edge_case(
        &mut self,
        description: &str,
        bytes: Vec<u8>,
        config: &Config,
    ) -> Option<Candidate> {
        let dialect = self.oracle.format.detect(&bytes).dialect;
        if config.dialect.is_some_and(|wanted| wanted != dialect) {
            return None;
        }
        let verdicts = self.oracle.judge_unambiguous(&bytes, dialect)?;
        if verdicts.strict == Verdict::Reject {
            let defect = description.to_owned();
            return Some(Candidate {
                dialect,
                bytes,
                source: None,
                defect,
                verdicts,
            });
        }
        if verdicts.codes.is_empty() || !config.plausible {
            self.add_case(
                CaseKind::Valid,
                dialect,
                bytes,
                verdicts,
                None,
                format!("Valid: {description}."),
            );
        }
        None
    }

    fn add_broken(&mut self, file: &Candidate) {
        let Some(reason) = &file.verdicts.reason else {
            return;
        };
        let message = reason.message.trim_end_matches('.');
        let mut description = format!("{}: {message}.", capitalized(&file.defect));
        let mut others: Vec<_> = file.verdicts.codes.iter().copied().collect();
        others.retain(|code| *code != reason.rule.code);
        if !others.is_empty() {
            description += &format!(" This also breaks {}.", others.join(" and "));
        }
        let (bytes, verdicts) = (file.bytes.clone(), file.verdicts.clone());
        self.add_case(
            CaseKind::Broken,
            file.dialect,
            bytes,
            verdicts,
            None,
            description,
        );
    }

    fn add_almost(&mut self, file: AlmostBrokenCandidate) {
        let Some(verdicts) = self.oracle.judge_accepted(&file.bytes, file.dialect) else {
            return;
        };
        let description = format!("{}.", capitalized(&file.description));
        let almost_broken_value = Some((file.code, file.path));
        self.add_case(
            CaseKind::Almost,
            file.dialect,
            file.bytes,
            verdicts,
            almost_broken_value,
            description,
        );
    }

    /// Adds the valid source of a broken file as an almost broken file, unless another file almost breaks the same rule
    /// in the same dialect.
    fn add_source(&mut self, file: &Candidate) {
        let has = |case: &Case| {
            let IndexEntry {
                kind,
                dialect,
                rule,
                ..
            } = &case.entry;
            *kind == CaseKind::Almost
                && *dialect == file.dialect
                && rule.as_deref() == Some(file.code())
        };
        let is_broken =
            |case: &&Case| case.entry.kind == CaseKind::Broken && case.bytes == file.bytes;
        let broken = self
            .cases
            .iter()
            .find(is_broken)
            .map(|case| case.entry.file.clone());
        let Some(source) = file.source.clone().filter(|_| !self.cases.iter().any(has)) else {
            return;
        };
        let (Some(verdicts), Some(broken)) =
            (self.oracle.judge_accepted(&source, file.dialect), broken)
        else {
            return;
        };
        let description = format!(
            "The valid source of {broken}, which satisfies {}.",
            file.code()
        );
        let path = file
            .verdicts
            .reason
            .as_ref()
            .map(|reason| reason.path.clone())
            .unwrap_or_default();
        let almost_broken_value = Some((file.code(), path));
        self.add_case(
            CaseKind::Almost,
            file.dialect,
            source,
            verdicts,
            almost_broken_value,
            description,
        );
    }

    /// Adds mutated and valid files in turn until there are `count` files. If fewer than [`MIN_MUTATED`] files are
    /// missing, adds [`MIN_MUTATED`] mutated files instead.
    fn fill(&mut self, pool: &mut Pool, count: usize) {
        let mut files: Vec<_> = pool
            .files
            .iter()
            .map(|file| (file.dialect, file.bytes.clone()))
            .collect();
        let least = self.cases.len() + MIN_MUTATED;
        for turn in 0..MAX_ATTEMPTS.saturating_mul(count.max(least)) {
            if self.cases.len() >= count.max(least) {
                break;
            }
            if turn % 2 == 0 || count < least {
                self.add_mutated(pool, &files, turn);
            } else if let Some((dialect, bytes)) = pool.draw() {
                files.push((dialect, bytes.clone()));
                self.add_valid(dialect, bytes, &[]);
            }
        }
    }

    /// Adds a mutated file. Adds none if the mutation fails or the file has no unambiguous verdict.
    fn add_mutated(&mut self, pool: &mut Pool, files: &[(Dialect, Vec<u8>)], turn: usize) {
        let Some((dialect, file)) = files.get(turn * 7 % files.len().max(1)) else {
            return;
        };
        let other = &files[turn * 3 % files.len()].1;
        let Ok(mutated) = generate::mutate(pool.runner(), file.clone(), other) else {
            return;
        };
        let Some(verdicts) = self.oracle.judge_unambiguous(&mutated.bytes, *dialect) else {
            return;
        };
        let description = format!("{}.", capitalized(&mutated.to_string()));
        self.add_case(
            CaseKind::Mutated,
            *dialect,
            mutated.bytes,
            verdicts,
            None,
            description,
        );
    }

    /// Adds a file. Skips duplicates, except almost broken files. For an almost broken file, `almost_broken_value`
    /// contains the rule code and the value path.
    fn add_case(
        &mut self,
        kind: CaseKind,
        dialect: Dialect,
        bytes: Vec<u8>,
        verdicts: Verdicts,
        almost_broken_value: Option<(&str, String)>,
        description: String,
    ) {
        if kind != CaseKind::Almost && !self.seen.insert((dialect, bytes.clone())) {
            return;
        }
        let Verdicts {
            strict,
            lenient,
            reason,
            ..
        } = verdicts;
        let (rule, path, bytes_range) = match (almost_broken_value, reason) {
            (Some((code, path)), _) => (Some(code.to_owned()), path, None),
            (None, Some(reason)) => (Some(reason.rule.code.to_owned()), reason.path, reason.bytes),
            (None, None) => (None, String::new(), None),
        };
        let file = self.new_file_name(kind, dialect, rule.as_deref(), &bytes);
        let path = Some(path).filter(|path| !path.is_empty());
        let format = self.oracle.format.name().to_owned();
        // If another dialect is detected, `meshspec decode` may print different contents.
        let is_detected = self.oracle.format.detect(&bytes).dialect == dialect;
        let has_contents =
            strict == Verdict::Accept && is_detected && !self.is_too_large(&bytes, dialect);
        let contents = file
            .rsplit_once('.')
            .filter(|_| has_contents)
            .map(|(name, _)| format!("{name}.json"));
        let entry = IndexEntry {
            file,
            format,
            dialect,
            kind,
            strict,
            lenient,
            rule,
            path,
            bytes: bytes_range,
            description,
            contents,
        };
        self.cases.push(Case { entry, bytes });
    }

    /// Returns `true` if the contents as JSON exceed [`MAX_CONTENTS_BYTES`] and fewer than [`LARGE_CORPUS`] files are
    /// requested.
    fn is_too_large(&self, bytes: &[u8], dialect: Dialect) -> bool {
        let options = ReadOptions::default().with_dialect(dialect);
        let contents = || self.oracle.format.contents(bytes, &options);
        self.count < LARGE_CORPUS
            && contents().is_ok_and(|contents| json_len(&contents) > MAX_CONTENTS_BYTES)
    }

    /// Returns the path for a new file, such as `mesh/spec/broken/mesh-magic-1.mesh`.
    fn new_file_name(
        &mut self,
        kind: CaseKind,
        dialect: Dialect,
        rule: Option<&str>,
        bytes: &[u8],
    ) -> String {
        let about = self.oracle.format.about();
        let name = match (kind, rule) {
            (CaseKind::Broken | CaseKind::Almost, Some(rule)) => rule.to_ascii_lowercase(),
            _ => kind.name().to_owned(),
        };
        let start = format!("{}/{dialect}/{}/{name}", about.name, kind.name());
        let count = self.prefix_counts.entry(start.clone()).or_default();
        *count += 1;
        // If a format has several extensions, its files may start with one of them.
        let is_own = |extension: &&&str| bytes.starts_with(extension.as_bytes());
        let extension = about
            .extensions
            .iter()
            .find(is_own)
            .or(about.extensions.last());
        format!("{start}-{count}.{}", extension.unwrap_or(&about.name))
    }

    fn finish(mut self) -> Corpus {
        self.cases.sort_by_key(|case| case.entry.kind);
        let [mut coverage, mut coverage_with_broken] =
            [(); 2].map(|()| Coverage::of(self.oracle.format));
        for Case { entry, bytes } in &self.cases {
            coverage_with_broken.add(bytes, entry.dialect);
            if entry.kind == CaseKind::Valid {
                coverage.add(bytes, entry.dialect);
            }
        }
        Corpus {
            format: self.oracle.format,
            cases: self.cases,
            coverage,
            coverage_with_broken,
        }
    }
}

/// Returns the length of contents as JSON in bytes.
#[cfg(feature = "serde")]
fn json_len(contents: &Contents<'_>) -> usize {
    serde_json::to_string(contents).map_or(0, |json| json.len())
}

/// Returns 0: contents cannot be written without the feature `serde`.
#[cfg(not(feature = "serde"))]
fn json_len(_: &Contents<'_>) -> usize {
    0
}

fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    chars
        .next()
        .map(|first| first.to_uppercase().chain(chars).collect())
        .unwrap_or_default()
}
