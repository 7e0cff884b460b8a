//! The general rules, which apply to every declaration.

use super::walk::{Fault, FaultKind};
use crate::Rule;
use crate::rule::rules;

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

/// Returns the rule that a fault breaks: the rule of the field, or else the first of `rules` for this kind of fault. If
/// there is none, returns the general rule. The suffix of a code, such as `-MAGIC`, determines the kind of fault.
/// Returns `None` if the fault breaks no rule.
pub(crate) fn rule_for(rules: &[&'static Rule], fault: &Fault) -> Option<&'static Rule> {
    let (ending, general) = match fault.kind {
        FaultKind::End => ("-TRUNCATED", Some(&TRUNCATED)),
        FaultKind::Magic => ("-MAGIC", Some(&MAGIC)),
        FaultKind::Count | FaultKind::Check | FaultKind::Value => ("-VALUE", Some(&VALUE)),
        FaultKind::Packing => ("-PACKING", Some(&PACKING)),
        FaultKind::Trailing => ("-TRAILING", Some(&TRAILING)),
        // A file that exceeds a limit or needs a disabled feature breaks no rule.
        FaultKind::Limit | FaultKind::EmptyItems | FaultKind::Unsupported => return fault.rule,
    };
    let own = || {
        rules
            .iter()
            .find(|rule| rule.code.ends_with(ending))
            .copied()
    };
    fault.rule.or_else(own).or(general)
}
