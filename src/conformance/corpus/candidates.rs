//! Broken files to choose from: of each kind, the smallest.
//!
//! Some rules cannot be broken alone: joints with the same id are also out of order. Files that break others by that, which
//! are less severe, count where there is no other file.

use std::collections::{BTreeMap, BTreeSet};

use super::oracle::{Judgement, Oracle};
use crate::Dialect;

/// A file that breaks one rule.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) dialect: Dialect,
    pub(super) bytes: Vec<u8>,
    /// The valid file that was changed, if it was one.
    pub(super) source: Option<Vec<u8>>,
    /// What is wrong with it, in general.
    pub(super) what: String,
    pub(super) judgement: Judgement,
}

impl Candidate {
    /// Returns the code of the broken rule.
    pub(super) fn code(&self) -> &'static str {
        self.judgement.rule().map_or("", |rule| rule.code)
    }

    /// Returns whether it breaks no other rule.
    fn is_alone(&self) -> bool {
        self.judgement.codes.len() == 1
    }
}

/// The smallest broken files.
pub(super) struct Candidates {
    oracle: Oracle,
    /// By dialect, rule and what is wrong.
    best: BTreeMap<(&'static str, &'static str, String), Candidate>,
}

impl Candidates {
    pub(super) fn new(oracle: Oracle) -> Candidates {
        Candidates { oracle, best: BTreeMap::new() }
    }

    /// Takes a file, if it breaks one rule and is the smallest of its kind.
    pub(super) fn offer(&mut self, dialect: Dialect, what: &str, source: Option<&[u8]>, bytes: Vec<u8>) {
        let codes = self.oracle.codes(&bytes, dialect).unwrap_or_default();
        let is_smaller = |code: &&'static str| {
            let key = (dialect.name(), *code, what.to_owned());
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
        let key = (dialect.name(), code, what.clone());
        self.best.insert(key, Candidate { dialect, bytes, source, what, judgement });
    }

    /// As [`offer`](Self::offer), if the file breaks one of these rules.
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
            self.offer(dialect, what, source, bytes);
        }
    }

    /// Returns whether a changed file breaks this rule.
    pub(super) fn has(&self, code: &str) -> bool {
        self.best.iter().any(|((_, other, _), file)| *other == code && file.source.is_some())
    }

    /// Returns the files, of rules that can be broken alone those that do it.
    pub(super) fn into_files(self) -> Vec<Candidate> {
        let alone: BTreeSet<_> =
            self.best.iter().filter(|(_, file)| file.is_alone()).map(|((_, code, _), _)| *code).collect();
        let files = self.best.into_values();
        files.filter(|file| file.is_alone() || !alone.contains(file.code())).collect()
    }
}
