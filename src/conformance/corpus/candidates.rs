//! Broken files to choose from: of each kind, the smallest.

use std::collections::BTreeMap;

use super::oracle::{Judgement, Oracle};
use crate::Dialect;

/// A file that breaks exactly one rule.
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
        self.judgement.only_rule().map_or("", |rule| rule.code)
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

    /// Takes a file, if it breaks exactly one rule and is the smallest of its kind.
    pub(super) fn offer(&mut self, dialect: Dialect, what: &str, source: Option<&[u8]>, bytes: Vec<u8>) {
        let Ok(codes) = self.oracle.codes(&bytes, dialect) else { return };
        let (Some(code), 1) = (codes.first(), codes.len()) else { return };
        let key = (dialect.name(), *code, what.to_owned());
        if self.best.get(&key).is_some_and(|best| best.bytes.len() <= bytes.len()) {
            return;
        }
        let Some(judgement) = self.oracle.judge_alike(&bytes, dialect) else { return };
        if judgement.only_rule().is_some() {
            let source = source.map(<[u8]>::to_vec);
            self.best.insert(key, Candidate { dialect, bytes, source, what: what.to_owned(), judgement });
        }
    }

    /// As [`offer`](Self::offer), if the rule is one of these.
    pub(super) fn offer_for(
        &mut self,
        rules: &[&'static str],
        dialect: Dialect,
        what: &str,
        source: Option<&[u8]>,
        bytes: Vec<u8>,
    ) {
        let codes = self.oracle.codes(&bytes, dialect).unwrap_or_default();
        if codes.len() == 1 && codes.iter().all(|code| rules.contains(code)) {
            self.offer(dialect, what, source, bytes);
        }
    }

    /// Returns whether a changed file breaks this rule alone.
    pub(super) fn has(&self, code: &str) -> bool {
        self.best.iter().any(|((_, other, _), file)| *other == code && file.source.is_some())
    }

    pub(super) fn into_files(self) -> Vec<Candidate> {
        self.best.into_values().collect()
    }
}
