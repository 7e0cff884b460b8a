//! Builds a corpus.

use std::collections::{BTreeMap, HashSet};
use std::convert::Infallible;

use super::candidates::{Candidate, Candidates};
use super::declared::{Almost, almost_broken, offer_breakages, offer_examples};
use super::entry::{Entry, Kind, Verdict};
use super::minimize::minimize;
use super::oracle::{Judgement, Oracle};
use super::pool::{Pool, ValidFile};
use super::{Case, Config, Corpus, boundaries, search};
use crate::conformance::Coverage;
use crate::contents::Mesh;
use crate::layout::generate;
use crate::{AnyFormat, Dialect, ReadOptions, Result, parallel};

/// The minimum number of mutated files.
const MIN_MUTATED: usize = 32;

/// The maximum number of draws per file, some of which yield nothing new.
const MAX_TURNS: usize = 20;

/// The maximum number of kinds of values in the description of a valid file.
const MAX_LISTED: usize = 4;

/// The contents of meshes with more vertices or indices are omitted if fewer files than `LARGE_CORPUS` are requested.
const MAX_ITEMS: usize = 1024;
const LARGE_CORPUS: usize = 1000;

pub(super) fn corpus(format: AnyFormat, config: &Config) -> Result<Corpus> {
    if let Some(dialect) = config.dialect {
        format.about().require_dialect(dialect)?;
    }
    let oracle = Oracle::new(format);
    let mut pool = Pool::new(format, oracle, config)?;
    if !config.plausible {
        boundaries::reach(format, oracle, &mut pool);
    }
    let (broken, almost) = broken(format, oracle, config.dialect, &mut pool);
    let mut builder = Builder::new(format, oracle, config.count);
    for (file, reached) in pool.covering() {
        builder.valid(file.dialect, file.bytes.clone(), &reached);
    }
    for (what, bytes) in format.edge_cases() {
        builder.edge_case(what, bytes, config);
    }
    broken.iter().for_each(|file| builder.broken(file));
    almost.into_iter().for_each(|file| builder.almost(file));
    broken.iter().for_each(|file| builder.neighbour(file));
    builder.fill(&mut pool, config.count);
    Ok(builder.corpus())
}

/// Finds files that break each rule, and files that almost break it.
fn broken(
    format: AnyFormat,
    oracle: Oracle,
    dialect: Option<Dialect>,
    pool: &mut Pool,
) -> (Vec<Candidate>, Vec<Almost>) {
    let mut candidates = Candidates::new(oracle);
    let bases: Vec<ValidFile> = pool.bases().into_iter().cloned().collect();
    let bases: Vec<&ValidFile> = bases.iter().collect();
    for file in pool.files.iter().filter(|file| !file.codes.is_empty()) {
        candidates.offer(file.dialect, ("content to warn of", ""), None, file.bytes.clone());
    }
    offer_breakages(format, &bases, &mut candidates);
    let almost = almost_broken(format, oracle, &bases);
    offer_examples(format, dialect, &mut candidates);
    if format.grammar().is_none() {
        let rules = format.about().rules.iter().map(|rule| rule.code);
        let rules = rules.filter(|code| !candidates.has_later(code)).collect();
        let rules = search::offer_other_bytes(&bases, rules, &mut candidates);
        let mut rules = search::offer_other_bytes(&pool.clean(), rules, &mut candidates);
        rules.retain(|code| !candidates.has(code));
        search::offer_mutations(pool, &rules, &mut candidates);
    }
    let mut files = candidates.into_files();
    // Minimizes the smallest file of each rule.
    let mut smallest: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for (index, file) in files.iter().enumerate().filter(|(_, file)| file.source.is_some()) {
        let best = smallest.entry((file.dialect.name(), file.code())).or_insert(index);
        if file.bytes.len() < files[*best].bytes.len() {
            *best = index;
        }
    }
    let smallest: Vec<usize> = smallest.into_values().collect();
    let minimize = |_, index: &usize| Ok::<_, Infallible>(minimize(format, oracle, &files[*index]));
    let Ok(minimized) = parallel::each(&smallest, minimize);
    for (index, minimized) in smallest.into_iter().zip(minimized) {
        minimized.into_iter().for_each(|file| files[index] = file);
    }
    let order = |code: &str| format.about().rules.iter().position(|rule| rule.code == code);
    files.sort_by_key(|file| (order(file.code()), file.bytes.len()));
    (files, almost)
}

struct Builder {
    format: AnyFormat,
    oracle: Oracle,
    cases: Vec<Case>,
    seen: HashSet<(Dialect, Vec<u8>)>,
    /// The requested number of files.
    count: usize,
    /// The number of files with each name prefix.
    names: BTreeMap<String, usize>,
}

impl Builder {
    fn new(format: AnyFormat, oracle: Oracle, count: usize) -> Builder {
        Builder { format, oracle, cases: Vec::new(), seen: HashSet::new(), count, names: BTreeMap::new() }
    }

    fn valid(&mut self, dialect: Dialect, bytes: Vec<u8>, reached: &[String]) {
        let Some(judgement) = self.oracle.accepted(&bytes, dialect) else { return };
        let mut listed = reached.iter().take(MAX_LISTED).cloned().collect::<Vec<_>>().join(", ");
        if let Some(more) = reached.len().checked_sub(MAX_LISTED).filter(|more| *more > 0) {
            listed += &format!(" and {more} more");
        }
        let description = match listed.is_empty() {
            true => "Valid.".to_owned(),
            false => format!("Valid; reaches {listed}."),
        };
        self.push(Kind::Valid, dialect, bytes, judgement, None, description);
    }

    fn edge_case(&mut self, what: &str, bytes: Vec<u8>, config: &Config) {
        let dialect = self.format.detect(&bytes).dialect;
        let Some(judgement) = self.oracle.accepted(&bytes, dialect) else { return };
        let is_realistic = judgement.codes.is_empty() || !config.plausible;
        if is_realistic && config.dialect.is_none_or(|wanted| wanted == dialect) {
            self.push(Kind::Valid, dialect, bytes, judgement, None, format!("Valid: {what}."));
        }
    }

    fn broken(&mut self, file: &Candidate) {
        let Some(reason) = &file.judgement.reason else { return };
        let mut description = format!("{}: {}.", capital(&file.what), reason.message.trim_end_matches('.'));
        let others = file.judgement.codes.iter().filter(|code| **code != reason.rule.code);
        let others: Vec<_> = others.copied().collect();
        if !others.is_empty() {
            description += &format!(" This breaks {}, too.", others.join(" and "));
        }
        let (bytes, judgement) = (file.bytes.clone(), file.judgement.clone());
        self.push(Kind::Broken, file.dialect, bytes, judgement, None, description);
    }

    fn almost(&mut self, file: Almost) {
        let Some(judgement) = self.oracle.accepted(&file.bytes, file.dialect) else { return };
        let description = format!("{}.", capital(&file.what));
        let about = Some((file.code, file.path));
        self.push(Kind::Almost, file.dialect, file.bytes, judgement, about, description);
    }

    /// Adds the valid source of a broken file, if no other file almost breaks the same rule in its dialect.
    fn neighbour(&mut self, file: &Candidate) {
        let has = |case: &Case| {
            let Entry { kind, dialect, rule, .. } = &case.entry;
            *kind == Kind::Almost && *dialect == file.dialect && rule.as_deref() == Some(file.code())
        };
        let is_broken = |case: &&Case| case.entry.kind == Kind::Broken && case.bytes == file.bytes;
        let broken = self.cases.iter().find(is_broken).map(|case| case.entry.file.clone());
        let Some(source) = file.source.clone().filter(|_| !self.cases.iter().any(has)) else { return };
        let (Some(judgement), Some(broken)) = (self.oracle.accepted(&source, file.dialect), broken) else {
            return;
        };
        let description = format!("The file that {broken} was made of: it keeps {}.", file.code());
        let path = file.judgement.reason.as_ref().map(|reason| reason.path.clone()).unwrap_or_default();
        self.push(Kind::Almost, file.dialect, source, judgement, Some((file.code(), path)), description);
    }

    /// Adds mutated and valid files alternately, up to `count` files in total.
    fn fill(&mut self, pool: &mut Pool, count: usize) {
        let mut files: Vec<_> = pool.files.iter().map(|file| (file.dialect, file.bytes.clone())).collect();
        let least = self.cases.len() + MIN_MUTATED;
        for turn in 0..MAX_TURNS.saturating_mul(count.max(least)) {
            if self.cases.len() >= count.max(least) {
                break;
            }
            if turn % 2 == 0 || count < least {
                self.mutated(pool, &files, turn);
            } else if let Some((dialect, bytes)) = pool.draw() {
                files.push((dialect, bytes.clone()));
                self.valid(dialect, bytes, &[]);
            }
        }
    }

    /// Adds a mutated file, unless the draw yields nothing new.
    fn mutated(&mut self, pool: &mut Pool, files: &[(Dialect, Vec<u8>)], turn: usize) {
        let Some((dialect, file)) = files.get(turn * 7 % files.len().max(1)) else { return };
        let other = &files[turn * 3 % files.len()].1;
        let Ok(mutated) = generate::mutate(pool.runner(), file.clone(), other) else { return };
        let Some(judgement) = self.oracle.judge_alike(&mutated.bytes, *dialect) else { return };
        let description = format!("{}.", capital(&mutated.to_string()));
        self.push(Kind::Mutated, *dialect, mutated.bytes, judgement, None, description);
    }

    /// Adds a new file. `about` is the code and path of the rule that an almost broken file keeps.
    fn push(
        &mut self,
        kind: Kind,
        dialect: Dialect,
        bytes: Vec<u8>,
        judgement: Judgement,
        about: Option<(&str, String)>,
        description: String,
    ) {
        if kind != Kind::Almost && !self.seen.insert((dialect, bytes.clone())) {
            return;
        }
        let Judgement { strict, lenient, reason, .. } = judgement;
        let (rule, path, place) = match (about, reason) {
            (Some((code, path)), _) => (Some(code.to_owned()), path, None),
            (None, Some(reason)) => (Some(reason.rule.code.to_owned()), reason.path, reason.bytes),
            (None, None) => (None, String::new(), None),
        };
        let file = self.name(kind, dialect, rule.as_deref(), &bytes);
        let path = Some(path).filter(|path| !path.is_empty());
        let format = self.format.name().to_owned();
        // In another detected dialect, the file may have other contents.
        let is_detected = self.format.detect(&bytes).dialect == dialect;
        let has_contents = strict == Verdict::Accept && is_detected && !self.is_too_large(&bytes, dialect);
        let contents = file.rsplit_once('.').filter(|_| has_contents).map(|(name, _)| format!("{name}.json"));
        let entry = Entry {
            file,
            format,
            dialect,
            kind,
            strict,
            lenient,
            rule,
            path,
            bytes: place,
            description,
            contents,
        };
        self.cases.push(Case { entry, bytes });
    }

    /// Returns `true` if the contents of a file would dominate a small corpus.
    fn is_too_large(&self, bytes: &[u8], dialect: Dialect) -> bool {
        let options = ReadOptions::default().with_dialect(dialect);
        let is_large = |mesh: &Mesh| {
            let vertices = if mesh.attributes.is_empty() { 0 } else { mesh.vertices };
            vertices.max(mesh.indices.as_ref().map_or(0, |indices| indices.numbers.len())) > MAX_ITEMS
        };
        self.count < LARGE_CORPUS
            && self
                .format
                .contents(bytes, &options)
                .is_ok_and(|contents| contents.meshes.iter().any(is_large))
    }

    /// Returns the name of a new file, such as `mesh/spec/broken/mesh-magic-1.mesh`.
    fn name(&mut self, kind: Kind, dialect: Dialect, rule: Option<&str>, bytes: &[u8]) -> String {
        let about = self.format.about();
        let name = match (kind, rule) {
            (Kind::Broken | Kind::Almost, Some(rule)) => rule.to_ascii_lowercase(),
            _ => kind.name().to_owned(),
        };
        let start = format!("{}/{dialect}/{}/{name}", about.name, kind.name());
        let count = self.names.entry(start.clone()).or_default();
        *count += 1;
        // A container with several extensions starts with the name of one.
        let is_own = |extension: &&&str| bytes.starts_with(extension.as_bytes());
        let extension = about.extensions.iter().find(is_own).or(about.extensions.last());
        format!("{start}-{count}.{}", extension.unwrap_or(&about.name))
    }

    fn corpus(mut self) -> Corpus {
        self.cases.sort_by_key(|case| case.entry.kind);
        let [mut coverage, mut coverage_with_broken] = [(); 2].map(|()| Coverage::of(self.format));
        for Case { entry, bytes } in &self.cases {
            coverage_with_broken.add(bytes, entry.dialect);
            if entry.kind == Kind::Valid {
                coverage.add(bytes, entry.dialect);
            }
        }
        Corpus { format: self.format, cases: self.cases, coverage, coverage_with_broken }
    }
}

/// Capitalizes the first letter.
fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
