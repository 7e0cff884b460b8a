//! Broken files to choose from: the smallest of each kind.
//!
//! Some rules cannot be broken alone: joints with the same id are also out of order. If no file breaks such a rule alone,
//! files that also break less severe rules are used.

use std::collections::{BTreeMap, BTreeSet};

use super::oracle::{Judgement, Oracle};
use crate::Dialect;

/// A file that breaks one rule.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) dialect: Dialect,
    pub(super) bytes: Vec<u8>,
    /// The valid file that was changed, if any.
    pub(super) source: Option<Vec<u8>>,
    /// The kind of defect.
    pub(super) what: String,
    pub(super) judgement: Judgement,
}

impl Candidate {
    /// Returns the code of the broken rule.
    pub(super) fn code(&self) -> &'static str {
        self.judgement.rule().map_or("", |rule| rule.code)
    }

    /// Returns `true` if the file breaks a single rule.
    fn is_alone(&self) -> bool {
        self.judgement.codes.len() == 1
    }
}

/// The smallest broken files.
pub(super) struct Candidates {
    oracle: Oracle,
    /// The smallest file by dialect, rule and kind of defect.
    best: BTreeMap<(&'static str, &'static str, String), Candidate>,
}

impl Candidates {
    pub(super) fn new(oracle: Oracle) -> Candidates {
        Candidates { oracle, best: BTreeMap::new() }
    }

    /// Adds a file if it breaks one rule and is the smallest of its kind. `what` describes the defect.
    pub(super) fn offer(
        &mut self,
        dialect: Dialect,
        (what, kind): (&str, &str),
        source: Option<&[u8]>,
        bytes: Vec<u8>,
    ) {
        let codes = self.oracle.codes(&bytes, dialect).unwrap_or_default();
        let is_smaller = |code: &&'static str| {
            let key = (dialect.name(), *code, kind.to_owned());
            let best = self.best.get(&key);
            best.is_none_or(|best| {
                (best.judgement.codes.len(), best.bytes.len()) > (codes.len(), bytes.len())
            })
        };
        if !codes.iter().any(&is_smaller) {
            return;
        }
        let Some(judgement) = self.oracle.judge_alike(&bytes, dialect) else { return };
        let Some(code) = judgement.rule().map(|rule| rule.code).filter(&is_smaller) else { return };
        let (what, source) = (what.to_owned(), source.map(<[u8]>::to_vec));
        let key = (dialect.name(), code, kind.to_owned());
        self.best.insert(key, Candidate { dialect, bytes, source, what, judgement });
    }

    /// Works as [`offer`](Self::offer), for files that break one of these rules.
    pub(super) fn offer_for(
        &mut self,
        rules: &[&'static str],
        dialect: Dialect,
        what: &str,
        source: Option<&[u8]>,
        bytes: Vec<u8>,
    ) {
        let codes = self.oracle.codes(&bytes, dialect).unwrap_or_default();
        if codes.iter().any(|code| rules.contains(code)) {
            self.offer(dialect, (what, what), source, bytes);
        }
    }

    /// Returns `true` if a changed file breaks this rule.
    pub(super) fn has(&self, code: &str) -> bool {
        self.best.iter().any(|((_, other, ..), file)| *other == code && file.source.is_some())
    }

    /// Returns the files. If a rule can be broken alone, only returns the files that do so.
    pub(super) fn into_files(self) -> Vec<Candidate> {
        let alone: BTreeSet<_> =
            self.best.iter().filter(|(_, file)| file.is_alone()).map(|((_, code, ..), _)| *code).collect();
        let files = self.best.into_values();
        files.filter(|file| file.is_alone() || !alone.contains(file.code())).collect()
    }
}
