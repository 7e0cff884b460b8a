//! Collects broken files, and keeps the smallest of each kind.
//!
//! Some rules cannot be broken in isolation: for example, joints with the same id are also out of order. For such a
//! rule, files that also break less severe rules are kept.

use std::collections::{BTreeMap, BTreeSet};

use super::oracle::{Oracle, Verdicts};
use crate::Dialect;

#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) dialect: Dialect,
    pub(super) bytes: Vec<u8>,
    /// The valid file that was changed; `None` if the file was not derived from a valid file.
    pub(super) source: Option<Vec<u8>>,
    pub(super) defect: String,
    pub(super) verdicts: Verdicts,
}

impl Candidate {
    /// Returns the code of the most severe rule that the file breaks; empty if this rule is not unique.
    pub(super) fn code(&self) -> &'static str {
        self.verdicts.rule().map_or("", |rule| rule.code)
    }

    fn breaks_one_rule(&self) -> bool {
        self.verdicts.codes.len() == 1
    }
}

pub(super) struct Candidates {
    oracle: Oracle,
    /// The smallest file by dialect, rule and kind of defect.
    best: BTreeMap<(&'static str, &'static str, String), Candidate>,
}

impl Candidates {
    pub(super) fn new(oracle: Oracle) -> Candidates {
        Candidates {
            oracle,
            best: BTreeMap::new(),
        }
    }

    /// Adds a broken file if it breaks fewer rules than the best of its kind so far, or equally many and is smaller.
    /// Files with equal `kind` are of the same kind.
    pub(super) fn offer(
        &mut self,
        dialect: Dialect,
        (defect, kind): (&str, &str),
        source: Option<&[u8]>,
        bytes: Vec<u8>,
    ) {
        let codes = self
            .oracle
            .broken_rules(&bytes, dialect)
            .unwrap_or_default();
        let is_smaller = |code: &&'static str| {
            let key = (dialect.name(), *code, kind.to_owned());
            let best = self.best.get(&key);
            best.is_none_or(|best| {
                (best.verdicts.codes.len(), best.bytes.len()) > (codes.len(), bytes.len())
            })
        };
        if !codes.iter().any(&is_smaller) {
            return;
        }
        let Some(verdicts) = self.oracle.judge_unambiguous(&bytes, dialect) else {
            return;
        };
        let Some(code) = verdicts.rule().map(|rule| rule.code).filter(&is_smaller) else {
            return;
        };
        let (defect, source) = (defect.to_owned(), source.map(<[u8]>::to_vec));
        let key = (dialect.name(), code, kind.to_owned());
        self.best.insert(
            key,
            Candidate {
                dialect,
                bytes,
                source,
                defect,
                verdicts,
            },
        );
    }

    /// Like [`offer`](Self::offer), but only adds files that break one of `rules`.
    pub(super) fn offer_for_rules(
        &mut self,
        rules: &[&'static str],
        dialect: Dialect,
        defect: &str,
        source: Option<&[u8]>,
        bytes: Vec<u8>,
    ) {
        let codes = self
            .oracle
            .broken_rules(&bytes, dialect)
            .unwrap_or_default();
        if !codes.iter().any(|code| rules.contains(code)) {
            return;
        }
        let reason = self
            .oracle
            .judge(&bytes, Some(dialect))
            .and_then(|verdicts| verdicts.reason);
        let position = reason.map_or("", |reason| later_item_suffix(&reason.path));
        self.offer(
            dialect,
            (defect, &format!("{defect}{position}")),
            source,
            bytes,
        );
    }

    /// Returns `true` if a candidate with a source breaks the rule `code`.
    pub(super) fn has_rule(&self, code: &str) -> bool {
        self.best
            .iter()
            .any(|((_, other, ..), file)| *other == code && file.source.is_some())
    }

    /// Like [`has_rule`](Self::has_rule), but requires rules about list items to be broken in a later item.
    pub(super) fn has_rule_in_later_item(&self, code: &str) -> bool {
        let files = || {
            self.best
                .iter()
                .filter(|((_, rule, ..), file)| *rule == code && file.source.is_some())
        };
        let paths = || files().filter_map(|(_, file)| Some(&*file.verdicts.reason.as_ref()?.path));
        self.has_rule(code) && paths().all(|path| !path.contains('['))
            || paths().any(|path| !later_item_suffix(path).is_empty())
    }

    /// Returns the candidates. Omits those that break several rules if the most severe one is also broken alone.
    pub(super) fn into_files(self) -> Vec<Candidate> {
        let alone = self.best.iter().filter(|(_, file)| file.breaks_one_rule());
        let broken_alone: BTreeSet<_> = alone.map(|((_, code, ..), _)| *code).collect();
        let files = self.best.into_values();
        files
            .filter(|file| file.breaks_one_rule() || !broken_alone.contains(file.code()))
            .collect()
    }
}

/// Returns a suffix for a path in a later item of the outermost list; empty for other paths.
fn later_item_suffix(path: &str) -> &'static str {
    let index = path.split_once('[').map(|(_, index)| index);
    if index.is_none_or(|index| index.starts_with("0]")) {
        ""
    } else {
        " of a later item"
    }
}
