//! Files that break or almost break the declaration of a format.

use std::collections::{BTreeMap, HashMap};

use super::candidates::Candidates;
use super::oracle::Oracle;
use super::pool::ValidFile;
use crate::layout::generate::{AlmostBroken, Breakage, Broken, Miscount};
use crate::layout::walk::Segment;
use crate::{AnyFormat, Dialect, Path, ReadOptions, Severity};

/// The maximum number of values that are tried for each change of a file.
const MAX_TRIED: usize = 4;

/// Offers every breakage of these files, with several values for each.
pub(super) fn offer_breakages(format: AnyFormat, bases: &[&ValidFile], candidates: &mut Candidates) {
    for base in bases {
        let options = ReadOptions::default().with_dialect(base.dialect);
        let broken = format.breakages_with_values(&base.bytes, &options, MAX_TRIED);
        // The number of breakages of each kind so far: the values of a kind are tried in the same order in each file.
        let mut numbers: HashMap<_, usize> = HashMap::new();
        for broken in broken.into_iter().flatten() {
            let what = what(&broken);
            let number = numbers.entry((broken.rule.map(|rule| rule.code), what.clone())).or_default();
            *number += 1;
            let kind = format!("{what} {}", (*number).min(max_kept(&broken)));
            candidates.offer(base.dialect, (&what, &kind), Some(&base.bytes), broken.bytes);
        }
    }
}

/// Returns the maximum number of files to keep for each rule and kind of change.
fn max_kept(broken: &Broken) -> usize {
    match broken.breakage {
        // Loaders accept files with warnings: one value is enough.
        _ if broken.severity < Severity::Error => 1,
        Breakage::Constraint(_) => 3,
        // In later items, one value is enough.
        _ if !position(&broken.changed).is_empty() => 1,
        // Each attribute of a text is broken in the same ways.
        Breakage::Line(_) => 2,
        _ => 3,
    }
}

/// Offers the example of each rule that no other candidate breaks.
pub(super) fn offer_examples(format: AnyFormat, dialect: Option<Dialect>, candidates: &mut Candidates) {
    for rule in format.about().rules {
        if candidates.has(rule.code) {
            continue;
        }
        let example = format.example_of(rule).filter(|example| !example.is_json);
        let is_meant = |own: Dialect| dialect.is_none_or(|dialect| dialect == own);
        if let Some(example) = example.filter(|example| is_meant(example.dialect)) {
            let what = "an example of the rule";
            candidates.offer(example.dialect, (what, what), Some(&example.correct), example.violating);
        }
    }
}

/// A file that almost breaks a rule.
pub(super) struct Almost {
    pub(super) dialect: Dialect,
    pub(super) code: &'static str,
    pub(super) bytes: Vec<u8>,
    pub(super) path: String,
    pub(super) what: String,
}

/// Returns the smallest almost broken file for each constraint.
pub(super) fn almost_broken(format: AnyFormat, oracle: Oracle, bases: &[&ValidFile]) -> Vec<Almost> {
    let mut best: BTreeMap<(&'static str, &'static str, String), Almost> = BTreeMap::new();
    for base in bases {
        let options = ReadOptions::default().with_dialect(base.dialect);
        let found = format.almost_broken(&base.bytes, &options).into_iter().flatten();
        for AlmostBroken { bytes, changed, value, rule, .. } in found {
            let Some(code) = rule.map(|rule| rule.code) else { continue };
            let key = (base.dialect.name(), code, names(&changed));
            let is_smaller = best.get(&key).is_none_or(|best| bytes.len() < best.bytes.len());
            if is_smaller && oracle.accepted(&bytes, base.dialect).is_some() {
                let (path, dialect) = (changed.to_string(), base.dialect);
                let what = format!("`{path}` is {value}, the last value that {code} allows");
                best.insert(key, Almost { dialect, code, bytes, path, what });
            }
        }
    }
    best.into_values().collect()
}

/// Describes the defect with its field.
fn what(broken: &Broken) -> String {
    let place = match broken.breakage {
        Breakage::Truncation(_) => &broken.path,
        _ => &broken.changed,
    };
    let what = match broken.breakage {
        // The index of the corpus states the rule and the message.
        Breakage::Check(_) => "a value that fails a check".to_owned(),
        Breakage::Constraint(_) => "a value that a constraint forbids".to_owned(),
        Breakage::Count(Miscount::Wrapped(8 | 16)) => "a count that is right in fewer bits".to_owned(),
        Breakage::Count(Miscount::Wrapped(_)) => "a count whose size in bytes overflows 32 bits".to_owned(),
        Breakage::Truncation(_) => "a file that ends early".to_owned(),
        other => other.to_string(),
    };
    match names(place) {
        names if names.is_empty() => what,
        names => format!("{what}{} (`{names}`{})", magnitude(broken), position(&broken.changed)),
    }
}

/// Describes a forbidden integer with a special bit pattern.
fn magnitude(broken: &Broken) -> &'static str {
    let number = broken.value.as_deref().and_then(|value| value.parse::<u64>().ok());
    match (broken.breakage, number) {
        (Breakage::Constraint(_), Some(0x100 | 0x1_0000 | 0x1_0000_0000)) => ", which is 0 in fewer bits",
        (Breakage::Constraint(_), Some(number @ 0x80..)) if number.is_power_of_two() => {
            ", which is negative with a sign"
        }
        (Breakage::Constraint(_), Some(number @ 0x7f..)) if number.wrapping_add(1).is_power_of_two() => {
            ", as large as possible"
        }
        _ => "",
    }
}

/// Marks values of later list items, which loaders check less often.
fn position(path: &Path) -> &'static str {
    let segments = path.segments().unwrap_or_default().iter();
    let mut indices = segments.filter(|step| matches!(step, Segment::Index(_)));
    let is_later = |step: &Segment| matches!(step, Segment::Index(1..));
    match (indices.next().is_some_and(is_later), indices.any(is_later)) {
        (true, _) => " of a later item",
        (false, true) => " of a later inner item",
        (false, false) => "",
    }
}

/// Returns the field names of a path, without list indices.
fn names(path: &Path) -> String {
    let names = path.segments().unwrap_or_default().iter().filter_map(|step| match step {
        Segment::Field(name) => Some(*name),
        Segment::Index(_) => None,
    });
    names.collect::<Vec<_>>().join(".")
}
