//! Minimises broken files together with their valid sources, so that they still differ by a single change.

use std::ops::ControlFlow;

use super::candidates::Candidate;
use super::oracle::Oracle;
use crate::Limits;
use crate::layout::assemble::{Change, Edit, edit};
use crate::layout::declaration::Type;
use crate::layout::tree::UntypedValue;
use crate::layout::walk::{Node, Segment, Visitor, walk};

/// The maximum number of simplified file pairs to try.
const MAX_STEPS: usize = 600;

/// Minimises a broken file and its valid source. Returns `None` if the source is missing or has findings, or if the
/// broken rule changes.
pub(super) fn minimize(oracle: Oracle, candidate: &Candidate) -> Option<Candidate> {
    let source = candidate.source.clone()?;
    let (codes, dialect) = (candidate.verdicts.codes.clone(), candidate.dialect);
    oracle
        .broken_rules(&source, dialect)
        .ok()
        .filter(|codes| codes.is_empty())?;
    let mut pair = FilePair {
        valid: source,
        broken: candidate.bytes.clone(),
    };
    let mut steps = 0..MAX_STEPS;
    let mut is_equivalent = |pair: &FilePair| {
        steps.next().is_some()
            && oracle
                .broken_rules(&pair.broken, dialect)
                .is_ok_and(|found| found == codes)
            && oracle
                .broken_rules(&pair.valid, dialect)
                .is_ok_and(|found| found.is_empty())
            && oracle.format.detect(&pair.valid).dialect == dialect
    };
    let layout = oracle.format.layout_of(&pair.valid, dialect);
    loop {
        let mut is_smaller =
            |next: &FilePair| next.broken.len() < pair.broken.len() && is_equivalent(next);
        let smaller = match layout {
            Some(layout) => pair.with_fewer_items(layout).find(&mut is_smaller),
            None => pair.with_fewer_lines().find(&mut is_smaller),
        };
        let Some(smaller) = smaller else { break };
        pair = smaller;
    }
    match layout {
        Some(_) => pair.zero_bytes(&mut is_equivalent),
        None => pair.shorten_numbers(&mut is_equivalent),
    }
    oracle.judge_accepted(&pair.valid, dialect)?;
    let verdicts = oracle.judge_unambiguous(&pair.broken, dialect)?;
    let is_same = verdicts.rule() == candidate.verdicts.rule();
    is_same.then(|| Candidate {
        bytes: pair.broken,
        source: Some(pair.valid),
        verdicts,
        ..candidate.clone()
    })
}

struct FilePair {
    valid: Vec<u8>,
    broken: Vec<u8>,
}

impl FilePair {
    /// Yields pairs in which both files lack all items of a list, or the same one of its last eight.
    fn with_fewer_items(&self, layout: &'static Type) -> impl Iterator<Item = FilePair> {
        let limits = Limits::default();
        let mut lists = ListCollector::default();
        if walk(layout, &self.valid, &limits, &mut lists).is_err() {
            lists.0.clear();
        }
        let changes = lists.0.into_iter().flat_map(|(path, count)| {
            let all = (path.clone(), Change::Set(UntypedValue::List(Vec::new())));
            let item = move |index| {
                (
                    [&path[..], &[Segment::Index(index)]].concat(),
                    Change::Remove,
                )
            };
            std::iter::once(all).chain((0..count).rev().take(8).map(item))
        });
        changes.filter_map(move |(path, change)| {
            let edits = [Edit {
                path: path.as_slice().into(),
                change,
            }];
            let of = |file: &[u8]| edit(layout, file, &edits, true, &limits).ok();
            Some(FilePair {
                valid: of(&self.valid)?,
                broken: of(&self.broken)?,
            })
        })
    }

    /// Yields pairs in which both files lack the same line. Removes only lines outside of the difference.
    fn with_fewer_lines(&self) -> impl Iterator<Item = FilePair> {
        let lines = |text: &[u8]| -> Vec<Vec<u8>> {
            text.split_inclusive(|byte| *byte == b'\n')
                .map(<[u8]>::to_vec)
                .collect()
        };
        let (valid, broken) = (lines(&self.valid), lines(&self.broken));
        let same = |pair: &(&Vec<u8>, &Vec<u8>)| pair.0 == pair.1;
        let start = valid.iter().zip(&broken).take_while(same).count();
        let end = valid
            .iter()
            .rev()
            .zip(broken.iter().rev())
            .take_while(same)
            .count();
        let end = end.min(valid.len().min(broken.len()) - start);
        let without =
            |lines: &[Vec<u8>], at: usize| [&lines[..at], &lines[at + 1..]].concat().concat();
        let ends = (valid.len(), broken.len());
        let from_start = (0..start).map(|index| (index, index));
        let from_end = (1..=end).map(move |back| (ends.0 - back, ends.1 - back));
        let positions = from_start.chain(from_end);
        positions.map(move |(a, b)| FilePair {
            valid: without(&valid, a),
            broken: without(&broken, b),
        })
    }

    /// Shortens numbers that both files contain to 0 or 1, where `is_equivalent` allows it.
    fn shorten_numbers(&mut self, is_equivalent: &mut impl FnMut(&FilePair) -> bool) {
        let is_number_byte = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
        let mut position = 0;
        loop {
            let rest = &self.valid[position.min(self.valid.len())..];
            let skipped = rest.iter().take_while(|byte| !is_number_byte(byte)).count();
            let number = rest[skipped..]
                .iter()
                .take_while(|byte| is_number_byte(byte))
                .count();
            if number == 0 {
                return;
            }
            let range = position + skipped..position + skipped + number;
            position = range.end;
            let text = self.valid[range.clone()].to_vec();
            if number < 2 || !text.iter().any(u8::is_ascii_digit) {
                continue;
            }
            // The number is in both files if it lies in their common prefix or common suffix.
            let from_end = self.valid.len() - range.end;
            let is_before = self.broken.get(..range.end) == Some(&self.valid[..range.end]);
            let is_after = self.broken.ends_with(&self.valid[range.start..]);
            let start = match (is_before, is_after) {
                (true, _) => range.start,
                (false, true) => self.broken.len() - from_end - number,
                (false, false) => continue,
            };
            for short in [&b"0"[..], b"1"] {
                let with =
                    |file: &[u8], at: usize| [&file[..at], short, &file[at + number..]].concat();
                let pair = FilePair {
                    valid: with(&self.valid, range.start),
                    broken: with(&self.broken, start),
                };
                if is_equivalent(&pair) {
                    *self = pair;
                    position = range.start + short.len();
                    break;
                }
            }
        }
    }

    /// Sets bytes that are equal in both files to 0, where `is_equivalent` allows it. Does nothing if the files have
    /// different sizes.
    fn zero_bytes(&mut self, is_equivalent: &mut impl FnMut(&FilePair) -> bool) {
        if self.valid.len() != self.broken.len() {
            return;
        }
        for size in [16, 4, 1] {
            for start in (0..self.valid.len()).step_by(size) {
                let mut zeroed = FilePair {
                    valid: self.valid.clone(),
                    broken: self.broken.clone(),
                };
                let mut changes = false;
                let bytes = zeroed
                    .valid
                    .iter_mut()
                    .zip(&mut zeroed.broken)
                    .skip(start)
                    .take(size);
                for (valid, broken) in bytes.filter(|(valid, broken)| valid == broken) {
                    changes |= *valid != 0;
                    (*valid, *broken) = (0, 0);
                }
                if changes && is_equivalent(&zeroed) {
                    *self = zeroed;
                }
            }
        }
    }
}

/// Collects the paths and lengths of the non-empty lists of a file.
#[derive(Default)]
struct ListCollector(Vec<(Vec<Segment>, u64)>);

impl Visitor for ListCollector {
    fn leave(&mut self, node: &Node) -> ControlFlow<()> {
        if let (Type::List(_), Some(count @ 1..)) = (node.ty, node.count) {
            self.0.push((node.path.to_vec(), count));
        }
        ControlFlow::Continue(())
    }
}
