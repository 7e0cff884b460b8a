//! Creates files that break or almost break the declaration of a format.

use std::collections::{BTreeMap, HashMap};

use super::candidates::Candidates;
use super::oracle::Oracle;
use super::pool::ValidFile;
use crate::conformance::coverage::field_names;
use crate::layout::generate::{self, Breakage, BrokenFile, Miscount};
use crate::layout::walk::Segment;
use crate::{AnyFormat, Dialect, Path, ReadOptions, Severity};

/// The maximum number of values to try for each breakage.
const MAX_TRIED: usize = 4;

/// Offers every breakage of each of `bases`, with several values per breakage.
pub(super) fn offer_breakages(
    format: AnyFormat,
    bases: &[&ValidFile],
    candidates: &mut Candidates,
) {
    for base in bases {
        let options = ReadOptions::default().with_dialect(base.dialect);
        let broken = format.breakages_with_values(&base.bytes, &options, MAX_TRIED);
        // The number of files of each kind so far. The values of a kind have the same order for each base file.
        let mut numbers: HashMap<_, usize> = HashMap::new();
        for broken in broken.into_iter().flatten() {
            let defect = describe_defect(&broken);
            let number = numbers
                .entry((broken.rule.map(|rule| rule.code), defect.clone()))
                .or_default();
            *number += 1;
            let kind = format!("{defect} {}", (*number).min(max_kept(&broken)));
            candidates.offer(
                base.dialect,
                (&defect, &kind),
                Some(&base.bytes),
                broken.bytes,
            );
        }
    }
}

/// Returns the maximum number of files to keep with the rule and breakage of `broken`.
fn max_kept(broken: &BrokenFile) -> usize {
    match broken.breakage {
        // Loaders accept files with warnings, so one value is enough.
        _ if broken.severity < Severity::Error => 1,
        Breakage::Constraint(_) => 3,
        // The first item is tested with several values, so one is enough for later items.
        _ if !later_item_suffix(&broken.changed).is_empty() => 1,
        // All attributes of a text format are broken in the same ways.
        Breakage::Line(_) => 2,
        _ => 3,
    }
}

/// Offers the violating example of each rule that no other candidate breaks.
pub(super) fn offer_examples(
    format: AnyFormat,
    dialect: Option<Dialect>,
    candidates: &mut Candidates,
) {
    for rule in format.about().rules {
        if candidates.has_rule(rule.code) {
            continue;
        }
        let example = format.example_of(rule);
        let is_wanted = |own: Dialect| dialect.is_none_or(|dialect| dialect == own);
        if let Some(example) = example.filter(|example| is_wanted(example.dialect)) {
            let defect = "an example of the rule";
            candidates.offer(
                example.dialect,
                (defect, defect),
                Some(&example.correct),
                example.violating,
            );
        }
    }
}

pub(super) struct AlmostBrokenCandidate {
    pub(super) dialect: Dialect,
    pub(super) code: &'static str,
    pub(super) bytes: Vec<u8>,
    pub(super) path: String,
    pub(super) description: String,
}

/// Returns the smallest almost broken file for each rule, dialect and field.
pub(super) fn almost_broken(oracle: Oracle, bases: &[&ValidFile]) -> Vec<AlmostBrokenCandidate> {
    let mut best: BTreeMap<(&'static str, &'static str, String), AlmostBrokenCandidate> =
        BTreeMap::new();
    for base in bases {
        let options = ReadOptions::default().with_dialect(base.dialect);
        let found = oracle
            .format
            .almost_broken(&base.bytes, &options)
            .into_iter()
            .flatten();
        for generate::AlmostBrokenFile {
            bytes,
            changed,
            value,
            rule,
            ..
        } in found
        {
            let Some(code) = rule.map(|rule| rule.code) else {
                continue;
            };
            let key = (
                base.dialect.name(),
                code,
                field_names(changed.segments().unwrap_or_default()),
            );
            let is_smaller = best
                .get(&key)
                .is_none_or(|best| bytes.len() < best.bytes.len());
            if is_smaller && oracle.judge_accepted(&bytes, base.dialect).is_some() {
                let (path, dialect) = (changed.to_string(), base.dialect);
                let description = format!("`{path}` is {value}, the last value that {code} allows");
                best.insert(
                    key,
                    AlmostBrokenCandidate {
                        dialect,
                        code,
                        bytes,
                        path,
                        description,
                    },
                );
            }
        }
    }
    best.into_values().collect()
}

/// Describes the defect of a file, with the path of its field.
fn describe_defect(broken: &BrokenFile) -> String {
    let path = if let Breakage::Truncation(_) = broken.breakage {
        &broken.path
    } else {
        &broken.changed
    };
    let defect = match broken.breakage {
        // The index of the corpus contains the rule and the message.
        Breakage::Check(_) => "a value that fails a check".to_owned(),
        Breakage::Constraint(_) => "a value that a constraint forbids".to_owned(),
        Breakage::Count(Miscount::Wrapped(8 | 16)) => {
            "a count that is correct if truncated to fewer bits".to_owned()
        }
        Breakage::Count(Miscount::Wrapped(_)) => {
            "a count whose product with the item size overflows 32 bits".to_owned()
        }
        Breakage::Truncation(_) => "a file that ends early".to_owned(),
        other => other.to_string(),
    };
    match field_names(path.segments().unwrap_or_default()) {
        names if names.is_empty() => defect,
        names => {
            let (pattern, item) = (
                bit_pattern_suffix(broken),
                later_item_suffix(&broken.changed),
            );
            format!("{defect}{pattern} (`{names}`{item})")
        }
    }
}

/// Describes a forbidden integer by its bit pattern; empty unless a description matches.
fn bit_pattern_suffix(broken: &BrokenFile) -> &'static str {
    let number = broken
        .value
        .as_deref()
        .and_then(|value| value.parse::<u64>().ok());
    match (broken.breakage, number) {
        (Breakage::Constraint(_), Some(0x100 | 0x1_0000 | 0x1_0000_0000)) => {
            ", which is 0 if truncated to fewer bits"
        }
        (Breakage::Constraint(_), Some(number @ 0x80..)) if number.is_power_of_two() => {
            ", which is negative if read as signed"
        }
        (Breakage::Constraint(_), Some(number @ 0x7f..))
            if number.wrapping_add(1).is_power_of_two() =>
        {
            ", the largest number of its size"
        }
        _ => "",
    }
}

/// Returns a suffix for values in later items of a list, which loaders check less often; empty otherwise.
fn later_item_suffix(path: &Path) -> &'static str {
    let segments = path.segments().unwrap_or_default().iter();
    let mut indices = segments.filter(|step| matches!(step, Segment::Index(_)));
    let is_later = |step: &Segment| matches!(step, Segment::Index(1..));
    match (indices.next().is_some_and(is_later), indices.any(is_later)) {
        (true, _) => " of a later item",
        (false, true) => " of a later inner item",
        (false, false) => "",
    }
}
