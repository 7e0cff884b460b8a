//! Rule examples: a file that breaks only one rule, and a correct counterpart.

use super::About;
use crate::layout::declaration::Type;
use crate::layout::generate::{self, Breakage, BrokenFile, Config};
use crate::{Dialect, Enforcement, Limits, ReadOptions, Report, Result, Rule};

/// A violating and a correct file for one rule.
///
/// ```
/// # #[cfg(feature = "mesh")] {
/// use meshspec::RuleExample;
///
/// let format = meshspec::mesh::FORMAT;
/// let rule = format.about().rule("MESH-FORMAT-BITS").unwrap();
/// let RuleExample { violating, correct, .. } = format.example_of(rule).unwrap();
/// assert!(violating != correct && violating.len() == correct.len());
/// assert_eq!(format.enforcement_of(rule), "`Header.format`, `RenderlibHeader.format`: Reserved bits must be 0");
/// assert_eq!(rule.reference(), "MESH-FORMAT-BITS, M7");
/// assert_eq!(format.interpretations_of(rule)[0].row, "M7");
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleExample {
    /// The dialect of both files.
    pub dialect: Dialect,
    /// The file that breaks the rule: [`check`](crate::check) returns one finding.
    pub violating: Vec<u8>,
    /// The correct file, for which [`check`](crate::check) returns no finding.
    pub correct: Vec<u8>,
}

/// The maximum numbers of items per list in generated files, in the order in which they are tried.
const MAX_ITEMS: [u64; 4] = [1, 2, 3, 6];

/// The number of files generated for each layout and each of [`MAX_ITEMS`].
const FILES_PER_LAYOUT: u64 = 24;

/// The number of random numbers from which a file is generated; seed 0 uses none.
const RANDOM_NUMBERS: usize = 128;

/// The search for an example of a rule among generated files.
#[derive(Clone, Copy)]
pub(super) struct ExampleSearch {
    pub(super) about: &'static About,
    pub(super) check: fn(&[u8], &ReadOptions) -> Result<Report>,
    pub(super) layout_of: fn(&[u8], Dialect) -> Option<&'static Type>,
}

impl ExampleSearch {
    /// Returns a generated file that violates only `rule`, with its valid counterpart. `None` if `rule` is enforced
    /// in code, or no breakage violates it alone.
    pub(super) fn example_of(self, rule: &'static Rule) -> Option<RuleExample> {
        if matches!(rule.enforced_by, Enforcement::Code(_)) {
            return None;
        }
        MAX_ITEMS.iter().find_map(|max_items| {
            let config = Config {
                max_items: *max_items,
                plausible: true,
                ..Config::default()
            };
            self.about.layouts().iter().find_map(|(_, ty)| {
                let files = (0..FILES_PER_LAYOUT)
                    .filter_map(|seed| generate::file(ty, &random_numbers(seed), &config).ok());
                let examples = files.filter_map(|file| self.example_from_file(&file, ty, rule));
                examples.min_by_key(|example| example.violating.len())
            })
        })
    }

    /// Returns an example from the first breakage of `file` that violates only `rule`; `None` if there is none or
    /// `file` has findings.
    fn example_from_file(
        self,
        file: &[u8],
        ty: &'static Type,
        rule: &'static Rule,
    ) -> Option<RuleExample> {
        let dialects = self.about.dialects.iter();
        let dialect = *dialects
            .clone()
            .find(|dialect| (self.layout_of)(file, **dialect) == Some(ty))?;
        if !self.finding_codes(file, dialect)?.is_empty() {
            return None;
        }
        let is_of_rule = |breakage: &Breakage| match breakage {
            Breakage::Constraint(constraint) => constraint.rule == rule,
            _ => true,
        };
        let (rules, limits) = (self.about.rules, Limits::default());
        let broken = generate::breakages_of(ty, file, rules, &limits, 1, is_of_rule).ok()?;
        let broken = broken.filter(|broken| broken.rule.is_none_or(|own| own == rule));
        let only = Some(vec![rule.code]);
        let broken = broken
            .into_iter()
            .find(|broken| self.finding_codes(&broken.bytes, dialect) == only)?;
        let correct = self
            .counterpart(file, dialect, ty, &broken)
            .unwrap_or_else(|| file.to_vec());
        Some(RuleExample {
            dialect,
            violating: broken.bytes,
            correct,
        })
    }

    /// Returns the codes of all findings in a file; `None` if it cannot be checked.
    fn finding_codes(self, bytes: &[u8], dialect: Dialect) -> Option<Vec<&'static str>> {
        let report = (self.check)(bytes, &ReadOptions::default().with_dialect(dialect)).ok()?;
        Some(
            report
                .findings()
                .iter()
                .map(|finding| finding.rule.code)
                .collect(),
        )
    }

    /// Returns a valid file in which the broken value is at the limit of its constraint; `None` if none is generated.
    fn counterpart(
        self,
        file: &[u8],
        dialect: Dialect,
        ty: &'static Type,
        broken: &BrokenFile,
    ) -> Option<Vec<u8>> {
        let mut almost =
            generate::almost_broken(ty, file, self.about.rules, &Limits::default()).ok()?;
        let almost =
            almost.find(|a| a.breakage == broken.breakage && a.changed == broken.changed)?;
        self.finding_codes(&almost.bytes, dialect)?
            .is_empty()
            .then_some(almost.bytes)
    }
}

/// Returns the random numbers from which to generate a file. Empty for seed 0, which generates the simplest file.
fn random_numbers(seed: u64) -> Vec<u64> {
    let mut state = seed;
    let mut next = || {
        // splitmix64 (Steele, Lea and Flood).
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    };
    let count = if seed == 0 { 0 } else { RANDOM_NUMBERS };
    (0..count).map(|_| next()).collect()
}

/// A change to a valid document that breaks one rule.
#[cfg(any(feature = "mesh", feature = "crucible", feature = "bmd"))]
pub(super) type DocumentChange<D> = fn(&mut D);

/// Returns the example for `rule`: the valid document, and a copy with the change for `rule` in `changes`. `None` if
/// there is no such change, or a document cannot be written.
#[cfg(any(feature = "mesh", feature = "crucible", feature = "bmd"))]
pub(super) fn example_from_changes<D: super::Format + Clone>(
    document: D,
    rule: &'static Rule,
    changes: &[(&Rule, DocumentChange<D>)],
) -> Option<RuleExample> {
    let (_, change) = changes.iter().find(|(own, _)| *own == rule)?;
    let mut changed = document.clone();
    change(&mut changed);
    Some(RuleExample {
        dialect: document.dialect(),
        violating: changed.write(&crate::WriteOptions::lenient()).ok()?,
        correct: document.write(&crate::WriteOptions::default()).ok()?,
    })
}
