//! Files that break, or almost break, what the declaration of a binary format states.

use std::collections::BTreeMap;

use super::candidates::Candidates;
use super::oracle::Oracle;
use super::pool::Drawn;
use crate::layout::Type;
use crate::layout::generate::{self, AlmostBroken, Breakage, Broken, Miscount};
use crate::layout::walk::Segment;
use crate::{AnyFormat, Dialect, Limits, Path};

/// Offers every breakage of these files.
pub(super) fn offer_breakages(format: AnyFormat, bases: &[&Drawn], candidates: &mut Candidates) {
    for base in bases {
        let Some(layout) = format.layout_of(&base.bytes, base.dialect) else { continue };
        let rules = format.about().rules;
        let Ok(breakages) = generate::breakages(layout, &base.bytes, rules, &Limits::default()) else {
            continue;
        };
        for broken in breakages {
            candidates.offer(base.dialect, &what(&broken), Some(&base.bytes), broken.bytes);
        }
    }
}

/// A file that only just keeps a rule.
pub(super) struct Almost {
    pub(super) dialect: Dialect,
    pub(super) code: &'static str,
    pub(super) bytes: Vec<u8>,
    pub(super) path: String,
    pub(super) what: String,
}

/// Returns, for each constraint that these files almost break, the smallest file.
pub(super) fn almost_broken(format: AnyFormat, oracle: Oracle, bases: &[&Drawn]) -> Vec<Almost> {
    let mut best: BTreeMap<(&'static str, &'static str, String), Almost> = BTreeMap::new();
    for base in bases {
        let Some(layout): Option<&'static Type> = format.layout_of(&base.bytes, base.dialect) else {
            continue;
        };
        let Ok(found) = generate::almost_broken(layout, &base.bytes, &Limits::default()) else { continue };
        for AlmostBroken { bytes, constraint, changed, value } in found {
            let code = constraint.rule.code;
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

/// What is broken, with the field.
fn what(broken: &Broken) -> String {
    let place = match broken.breakage {
        Breakage::Truncation(_) => &broken.path,
        _ => &broken.changed,
    };
    let what = match broken.breakage {
        Breakage::Check(_) => "a value that a check refuses",
        Breakage::Constraint(_) => "a value that a constraint forbids",
        Breakage::Count(Miscount::More) => "a count of one too many",
        Breakage::Count(Miscount::Less) => "a count of one too few",
        Breakage::Count(Miscount::Huge) => "a huge count",
        Breakage::Offset => "an offset outside the file",
        Breakage::Value => "an unknown value",
        Breakage::Magic => "other magic bytes",
        Breakage::Truncation(_) => "a file that ends early",
        Breakage::Trailing => "bytes after the last field",
        Breakage::Packing => "damaged packed bytes",
        Breakage::UnpackedSize => "a wrong unpacked size",
        Breakage::Checksum => "a wrong checksum",
    };
    match names(place) {
        names if names.is_empty() => what.to_owned(),
        names => format!("{what} (`{names}`)"),
    }
}

/// The names in a path, without the positions in lists.
fn names(path: &Path) -> String {
    let names = path.segments().unwrap_or_default().iter().filter_map(|step| match step {
        Segment::Field(name) => Some(*name),
        Segment::Index(_) => None,
    });
    names.collect::<Vec<_>>().join(".")
}
