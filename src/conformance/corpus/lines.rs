//! Texts that break, or almost break, what the grammar of a text format states: edits of lines.

mod edits;

use std::collections::BTreeSet;

use self::edits::{Edit, edits};
use super::candidates::Candidates;
use super::declared::Almost;
use super::oracle::Oracle;
use super::pool::Drawn;
use crate::Dialect;
use crate::layout::Grammar;

/// How many texts are edited.
const MAX_TEXTS: usize = 16;

/// Offers edits of texts. Returns the texts with the last number that is right, where a number is not.
pub(super) fn offer_edits(
    grammar: &Grammar,
    oracle: Oracle,
    bases: &[&Drawn],
    candidates: &mut Candidates,
) -> Vec<Almost> {
    let (mut almost, mut bisected) = (Vec::new(), BTreeSet::new());
    for base in bases.iter().take(MAX_TEXTS) {
        for edit in edits(grammar, &base.bytes) {
            let search = Search { oracle, dialect: base.dialect, text: &base.bytes, edit: &edit };
            if let Some(code) = search.only_code(&edit.bytes)
                && bisected.insert((code, edit.identifier.clone()))
                && let Some((valid, broken)) = search.boundary(code)
            {
                let reason = oracle.judge(&broken, Some(base.dialect)).and_then(|judgement| judgement.reason);
                let path = reason.map(|reason| reason.path).unwrap_or_default();
                candidates.offer(base.dialect, "the first number out of range", Some(&valid), broken);
                let what = format!("the last number that {code} allows, in a line of `{}`", edit.identifier);
                almost.push(Almost { dialect: base.dialect, code, bytes: valid, path, what });
            }
            candidates.offer(base.dialect, edit.what, Some(&base.bytes), edit.bytes);
        }
    }
    almost
}

/// A search for the boundary of what is right, between two numbers.
struct Search<'e> {
    oracle: Oracle,
    dialect: Dialect,
    text: &'e [u8],
    edit: &'e Edit,
}

impl Search<'_> {
    /// Returns the only rule that a text breaks.
    fn only_code(&self, text: &[u8]) -> Option<&'static str> {
        let codes = self.oracle.codes(text, self.dialect).ok()?;
        codes.first().copied().filter(|_| codes.len() == 1)
    }

    /// Returns the texts with the last number that is right and the first that is not.
    fn boundary(&self, code: &str) -> Option<(Vec<u8>, Vec<u8>)> {
        let (range, old, new) = self.edit.numbers.clone()?;
        let text_with = |number: i64| {
            let number =
                if self.edit.is_index { number.to_string() } else { ordered_float(number).to_string() };
            [&self.text[..range.start], number.as_bytes(), &self.text[range.end..]].concat()
        };
        let key = |number: f64| if self.edit.is_index { number as i64 } else { order_of(number as f32) };
        let (mut right, mut wrong) = (key(old), key(new));
        while right.abs_diff(wrong) > 1 {
            let middle = right + (wrong - right) / 2;
            let codes = self.oracle.codes(&text_with(middle), self.dialect).ok()?;
            if codes.is_empty() {
                right = middle;
            } else {
                wrong = middle;
            }
        }
        let (valid, broken) = (text_with(right), text_with(wrong));
        let is_boundary =
            self.oracle.accepted(&valid, self.dialect).is_some_and(|found| found.codes.is_empty())
                && self.only_code(&broken) == Some(code);
        is_boundary.then_some((valid, broken))
    }
}

/// The position of a float among all of them.
fn order_of(number: f32) -> i64 {
    let bits = i64::from(number.to_bits() & 0x7fff_ffff);
    if number.is_sign_negative() { -bits } else { bits }
}

/// The float at a position.
fn ordered_float(order: i64) -> f32 {
    let number = f32::from_bits(u32::try_from(order.unsigned_abs()).unwrap_or(u32::MAX));
    if order < 0 { -number } else { number }
}
