//! Rule examples made by changing documents.

use super::{Format, RuleExample};
use crate::{Rule, WriteOptions};

/// A change that breaks one rule of a document.
pub(super) type Change<D> = fn(&mut D);

/// Returns the example for a rule, from a valid document and the changes that break each rule.
pub(super) fn changed<D: Format + Clone>(
    document: D,
    rule: &'static Rule,
    changes: &[(&Rule, Change<D>)],
) -> Option<RuleExample> {
    let (_, change) = changes.iter().find(|(own, _)| *own == rule)?;
    let mut changed = document.clone();
    change(&mut changed);
    Some(RuleExample {
        dialect: document.dialect(),
        violating: changed.write(&WriteOptions::lenient()).ok()?,
        correct: document.write(&WriteOptions::default()).ok()?,
        is_json: false,
    })
}
