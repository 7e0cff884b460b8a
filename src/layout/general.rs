//! The rules that apply to every declaration.

use super::walk::{Fault, FaultKind};
use crate::Rule;
use crate::finding::rules;

rules! {
    TRUNCATED "LAYOUT-TRUNCATED" Fatal "" "" Structure
        "The file is not truncated.";
    MAGIC "LAYOUT-MAGIC" Fatal "" "" Structure
        "Magic bytes match the declaration.";
    VALUE "LAYOUT-VALUE" Fatal "" "" Structure
        "Values, counts and offsets satisfy the declaration.";
    PACKING "LAYOUT-PACKING" Fatal "" "" Structure
        "Packed blocks unpack as declared.";
    CHECKSUM "LAYOUT-CHECKSUM" Error "" "" Structure
        "Checksums match the bytes that they cover.";
    TRAILING "LAYOUT-TRAILING" Error "" "" Structure
        "Nothing follows the last field.";
}

/// Returns the rule that a fault breaks: its field's own rule, or the rule of `rules` whose code ends in the name
/// of the fault's kind, or the general rule.
pub(crate) fn rule_for(rules: &[&'static Rule], fault: &Fault) -> Option<&'static Rule> {
    let (ending, general) = match fault.kind {
        FaultKind::End => ("-TRUNCATED", Some(&TRUNCATED)),
        FaultKind::Magic => ("-MAGIC", Some(&MAGIC)),
        FaultKind::Count | FaultKind::Check | FaultKind::Value => ("-VALUE", Some(&VALUE)),
        FaultKind::Packing => ("-PACKING", Some(&PACKING)),
        FaultKind::Trailing => ("-TRAILING", Some(&TRAILING)),
        // An exceeded limit and a disabled packing break no rule.
        FaultKind::Limit | FaultKind::Unsupported => return fault.rule,
    };
    let own = || rules.iter().find(|rule| rule.code.ends_with(ending)).copied();
    fault.rule.or_else(own).or(general)
}
