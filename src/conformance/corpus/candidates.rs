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
        if !codes.iter().any(|code| rules.contains(code)) {
            return;
        }
        let reason = self.oracle.judge(&bytes, Some(dialect)).and_then(|judgement| judgement.reason);
        let position = reason.map_or("", |reason| later(&reason.path));
        self.offer(dialect, (what, &format!("{what}{position}")), source, bytes);
    }

    /// Returns `true` if a changed file breaks this rule.
    pub(super) fn has(&self, code: &str) -> bool {
        self.best.iter().any(|((_, other, ..), file)| *other == code && file.source.is_some())
    }

    /// Returns `true` if a changed file breaks this rule and, if the rule is one of list items, another breaks it only
    /// in a later item.
    pub(super) fn has_later(&self, code: &str) -> bool {
        let files =
            || self.best.iter().filter(|((_, other, ..), file)| *other == code && file.source.is_some());
        let paths = || files().filter_map(|(_, file)| Some(&*file.judgement.reason.as_ref()?.path));
        self.has(code) && paths().all(|path| !path.contains('['))
            || paths().any(|path| !later(path).is_empty())
    }

    /// Returns the files. If a rule can be broken alone, only returns the files that do so.
    pub(super) fn into_files(self) -> Vec<Candidate> {
        let alone: BTreeSet<_> =
            self.best.iter().filter(|(_, file)| file.is_alone()).map(|((_, code, ..), _)| *code).collect();
        let files = self.best.into_values();
        files.filter(|file| file.is_alone() || !alone.contains(file.code())).collect()
    }
}

/// Marks the path of a value in a later item of the outermost list.
fn later(path: &str) -> &'static str {
    let index = path.split_once('[').map(|(_, index)| index);
    if index.is_none_or(|index| index.starts_with("0]")) { "" } else { " of a later item" }
}
