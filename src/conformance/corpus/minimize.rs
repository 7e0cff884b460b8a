//! Minimizes broken files together with their valid sources, so that the difference stays a single change.

use std::ops::ControlFlow;

use super::candidates::Candidate;
use super::oracle::Oracle;
use crate::layout::assemble::{Change, Edit, Part, edit};
use crate::layout::declaration::Type;
use crate::layout::walk::{Node, Segment, Visit, Visitor, walk};
use crate::{AnyFormat, Limits};

/// The maximum number of smaller files tried.
const MAX_STEPS: usize = 600;

/// Minimizes a broken file and its valid source; `None` if that fails.
pub(super) fn minimize(format: AnyFormat, oracle: Oracle, candidate: &Candidate) -> Option<Candidate> {
    let source = candidate.source.clone()?;
    let (codes, dialect) = (candidate.judgement.codes.clone(), candidate.dialect);
    let is_clean = oracle.codes(&source, dialect).is_ok_and(|codes| codes.is_empty());
    if !is_clean {
        return None;
    }
    let mut pair = Pair { valid: source, broken: candidate.bytes.clone() };
    let mut steps = 0..MAX_STEPS;
    let mut is_right = |pair: &Pair| {
        steps.next().is_some()
            && oracle.codes(&pair.broken, dialect).is_ok_and(|found| found == codes)
            && oracle.codes(&pair.valid, dialect).is_ok_and(|found| found.is_empty())
            && format.detect(&pair.valid).dialect == dialect
    };
    let layout = format.layout_of(&pair.valid, dialect);
    loop {
        let mut is_smaller = |smaller: &Pair| smaller.broken.len() < pair.broken.len() && is_right(smaller);
        let smaller = match layout {
            Some(layout) => pair.with_fewer_items(layout).find(&mut is_smaller),
            None => pair.with_fewer_lines().find(&mut is_smaller),
        };
        match smaller {
            Some(smaller) => pair = smaller,
            None => break,
        }
    }
    match layout {
        Some(_) => pair.zero(&mut is_right),
        None => pair.shorten_numbers(&mut is_right),
    }
    oracle.accepted(&pair.valid, dialect)?;
    let judgement = oracle.judge_alike(&pair.broken, dialect)?;
    let is_same = judgement.rule() == candidate.judgement.rule();
    is_same.then(|| Candidate {
        bytes: pair.broken,
        source: Some(pair.valid),
        judgement,
        ..candidate.clone()
    })
}

/// A broken file and its valid source.
struct Pair {
    valid: Vec<u8>,
    broken: Vec<u8>,
}

impl Pair {
    /// Returns pairs without the items, or without one item, of a list.
    fn with_fewer_items(&self, layout: &'static Type) -> impl Iterator<Item = Pair> {
        let limits = Limits::default();
        let mut lists = Lists::default();
        if walk(layout, &self.valid, &limits, &mut lists).is_err() {
            lists.0.clear();
        }
        let changes = lists.0.into_iter().flat_map(|(path, count)| {
            let all = (path.clone(), Change::Set(Part::List(Vec::new())));
            let item = move |index| ([&path[..], &[Segment::Index(index)]].concat(), Change::Remove);
            std::iter::once(all).chain((0..count).rev().take(8).map(item))
        });
        changes.filter_map(move |(path, change)| {
            let edits = [Edit { path: path.as_slice().into(), change }];
            let of = |file: &[u8]| edit(layout, file, &edits, true, &limits).ok();
            Some(Pair { valid: of(&self.valid)?, broken: of(&self.broken)? })
        })
    }

    /// Returns pairs without one of their common lines.
    fn with_fewer_lines(&self) -> impl Iterator<Item = Pair> {
        let lines = |text: &[u8]| -> Vec<Vec<u8>> {
            text.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
        };
        let (valid, broken) = (lines(&self.valid), lines(&self.broken));
        let same = |pair: &(&Vec<u8>, &Vec<u8>)| pair.0 == pair.1;
        let start = valid.iter().zip(&broken).take_while(same).count();
        let end = valid.iter().rev().zip(broken.iter().rev()).take_while(same).count();
        let end = end.min(valid.len().min(broken.len()) - start);
        let without =
            |lines: &[Vec<u8>], index: usize| [&lines[..index], &lines[index + 1..]].concat().concat();
        let ends = (valid.len(), broken.len());
        let from_start = (0..start).map(|index| (index, index));
        let from_end = (1..=end).map(move |back| (ends.0 - back, ends.1 - back));
        let both = from_start.chain(from_end);
        both.map(move |(a, b)| Pair { valid: without(&valid, a), broken: without(&broken, b) })
    }

    /// Replaces the longest common numbers by 0 and 1.
    fn shorten_numbers(&mut self, is_right: &mut impl FnMut(&Pair) -> bool) {
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
        let mut at = 0;
        loop {
            let rest = &self.valid[at.min(self.valid.len())..];
            let skipped = rest.iter().take_while(|byte| !is_part(byte)).count();
            let number = rest[skipped..].iter().take_while(|byte| is_part(byte)).count();
            if number == 0 {
                return;
            }
            let range = at + skipped..at + skipped + number;
            at = range.end;
            let text = self.valid[range.clone()].to_vec();
            if number < 2 || !text.iter().any(u8::is_ascii_digit) {
                continue;
            }
            // The texts agree either before or after the number.
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
                    |file: &[u8], start: usize| [&file[..start], short, &file[start + number..]].concat();
                let pair = Pair { valid: with(&self.valid, range.start), broken: with(&self.broken, start) };
                if is_right(&pair) {
                    *self = pair;
                    at = range.start + short.len();
                    break;
                }
            }
        }
    }

    /// Zeroes bytes that are equal in both files, if these have the same size.
    fn zero(&mut self, is_right: &mut impl FnMut(&Pair) -> bool) {
        if self.valid.len() != self.broken.len() {
            return;
        }
        for size in [16, 4, 1] {
            for start in (0..self.valid.len()).step_by(size) {
                let mut zeroed = Pair { valid: self.valid.clone(), broken: self.broken.clone() };
                let mut changes = false;
                let bytes = zeroed.valid.iter_mut().zip(&mut zeroed.broken).skip(start).take(size);
                for (valid, broken) in bytes.filter(|(valid, broken)| valid == broken) {
                    changes |= *valid != 0;
                    (*valid, *broken) = (0, 0);
                }
                if changes && is_right(&zeroed) {
                    *self = zeroed;
                }
            }
        }
    }
}

/// Collects the non-empty lists of a file.
#[derive(Default)]
struct Lists(Vec<(Vec<Segment>, u64)>);

impl Visitor for Lists {
    fn enter(&mut self, _: &Node) -> Visit {
        Visit::All
    }

    fn leave(&mut self, node: &Node) -> ControlFlow<()> {
        if let (Type::List(_), Some(count @ 1..)) = (node.ty, node.count) {
            self.0.push((node.path.to_vec(), count));
        }
        ControlFlow::Continue(())
    }
}
