//! Rule examples: a small file that breaks one rule, and a correct counterpart.

use super::About;
use crate::layout::declaration::Type;
use crate::layout::generate::{self, Breakage, Broken, Config};
use crate::{Dialect, Enforcement, Limits, ReadOptions, Report, Result, Rule};

/// A violating and a correct file for one rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleExample {
    /// The dialect of both files.
    pub dialect: Dialect,
    /// The file that breaks the rule: [`check`](crate::check) returns one finding.
    pub violating: Vec<u8>,
    /// The file that follows all rules: [`check`](crate::check) returns no finding.
    pub correct: Vec<u8>,
    /// Whether both are JSON documents, because no encoded file can break the rule.
    pub is_json: bool,
}

/// Maximum items per list in generated files, smallest first.
const SIZES: [u64; 4] = [1, 2, 3, 6];

/// Files generated per layout and size.
const FILES: u64 = 24;

/// Random numbers that each generated file is built from.
const NUMBERS: usize = 128;

/// Inputs of the search for an example.
#[derive(Clone, Copy)]
pub(super) struct Source {
    pub(super) about: &'static About,
    pub(super) check: fn(&[u8], &ReadOptions) -> Result<Report>,
    pub(super) layout_of: fn(&[u8], Dialect) -> Option<&'static Type>,
}

impl Source {
    /// Returns a file that violates only this rule, with its valid counterpart. `None` if no breakage violates it
    /// alone, or code enforces the rule.
    pub(super) fn example_of(self, rule: &'static Rule) -> Option<RuleExample> {
        if matches!(rule.enforced_by, Enforcement::Code(_)) {
            return None;
        }
        SIZES.iter().find_map(|size| {
            let config = Config { max_items: *size, plausible: true, ..Config::default() };
            self.about.layouts().iter().find_map(|(_, ty)| {
                let files = (0..FILES).filter_map(|seed| generate::file(ty, &numbers(seed), &config).ok());
                let examples = files.filter_map(|file| self.example_in(&file, ty, rule));
                examples.min_by_key(|example| example.violating.len())
            })
        })
    }

    /// Returns an example from the first breakage of a file that breaks only this rule.
    fn example_in(self, file: &[u8], ty: &'static Type, rule: &'static Rule) -> Option<RuleExample> {
        let dialects = self.about.dialects.iter();
        let dialect = *dialects.clone().find(|dialect| (self.layout_of)(file, **dialect) == Some(ty))?;
        if !self.codes(file, dialect)?.is_empty() {
            return None;
        }
        let is_of_rule = |breakage: &Breakage| match breakage {
            Breakage::Constraint(constraint) => constraint.rule == rule,
            _ => true,
        };
        let (rules, limits) = (self.about.rules, Limits::default());
        let broken = generate::breakages_of(ty, file, rules, &limits, 1, is_of_rule).ok()?;
        let broken = broken.filter(|broken| broken.rule.is_none_or(|own| own == rule));
        let breaks_it =
            |broken: &Broken| self.codes(&broken.bytes, dialect).is_some_and(|codes| codes == [rule.code]);
        let broken = broken.into_iter().find(breaks_it)?;
        let correct = self.counterpart(file, dialect, ty, &broken).unwrap_or_else(|| file.to_vec());
        Some(RuleExample { dialect, violating: broken.bytes, correct, is_json: false })
    }

    /// Returns the codes of all findings in a file; `None` if it cannot be checked.
    fn codes(self, bytes: &[u8], dialect: Dialect) -> Option<Vec<&'static str>> {
        let report = (self.check)(bytes, &ReadOptions::default().with_dialect(dialect)).ok()?;
        Some(report.findings().iter().map(|finding| finding.rule.code).collect())
    }

    /// Returns a valid file in which the broken value is at the limit of its constraint.
    fn counterpart(
        self,
        file: &[u8],
        dialect: Dialect,
        ty: &'static Type,
        broken: &Broken,
    ) -> Option<Vec<u8>> {
        let mut almost = generate::almost_broken(ty, file, self.about.rules, &Limits::default()).ok()?;
        let is_it = |almost: &generate::AlmostBroken| {
            almost.breakage == broken.breakage && almost.changed == broken.changed
        };
        let almost = almost.find(is_it)?;
        self.codes(&almost.bytes, dialect)?.is_empty().then_some(almost.bytes)
    }
}

/// Returns the numbers that a file is generated from: none for the simplest file, `seed` 0.
fn numbers(seed: u64) -> Vec<u64> {
    let mut state = seed;
    let mut next = || {
        // splitmix64 (Steele, Lea and Flood).
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    };
    let count = if seed == 0 { 0 } else { NUMBERS };
    (0..count).map(|_| next()).collect()
}

/// A change that breaks one rule of a document.
#[cfg(any(feature = "mesh", feature = "crucible", feature = "bmd"))]
pub(super) type Change<D> = fn(&mut D);

/// Returns the example for a rule, from a valid document and the changes that break each rule.
#[cfg(any(feature = "mesh", feature = "crucible", feature = "bmd"))]
pub(super) fn changed<D: super::Format + Clone>(
    document: D,
    rule: &'static Rule,
    changes: &[(&Rule, Change<D>)],
) -> Option<RuleExample> {
    let (_, change) = changes.iter().find(|(own, _)| *own == rule)?;
    let mut changed = document.clone();
    change(&mut changed);
    Some(RuleExample {
        dialect: document.dialect(),
        violating: changed.write(&crate::WriteOptions::lenient()).ok()?,
        correct: document.write(&crate::WriteOptions::default()).ok()?,
        is_json: false,
    })
}
