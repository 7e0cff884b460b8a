//! The rules of every declaration, for formats that have none of their own.

use crate::Rule;
use crate::finding::rules;
use crate::layout::walk::FaultKind;

rules! {
    TRUNCATED "LAYOUT-TRUNCATED" Fatal "" "" Structure
        "The file is as long as its declaration says.";
    MAGIC "LAYOUT-MAGIC" Fatal "" "" Structure
        "Magic bytes are those of the declaration.";
    VALUE "LAYOUT-VALUE" Fatal "" "" Structure
        "Values, counts and offsets are those that the declaration allows.";
    PACKING "LAYOUT-PACKING" Fatal "" "" Structure
        "Packed blocks unpack to what the declaration says.";
    TRAILING "LAYOUT-TRAILING" Error "" "" Structure
        "Nothing follows the last field.";
}

/// The rule that a fault of this kind breaks; `None` for limits, which are no rule.
pub(super) fn rule_of(kind: FaultKind) -> Option<&'static Rule> {
    match kind {
        FaultKind::End => Some(&TRUNCATED),
        FaultKind::Magic => Some(&MAGIC),
        FaultKind::Count | FaultKind::Check | FaultKind::Value => Some(&VALUE),
        FaultKind::Packing => Some(&PACKING),
        FaultKind::Trailing => Some(&TRAILING),
        FaultKind::Limit => None,
    }
}
