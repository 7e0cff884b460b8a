//! Looks up rules by code.

use meshspec::interop::Interchange;
use meshspec::{About, Formats, Rule};

use crate::encoding::Encoding;
use crate::failure::{Failure, Result};
use crate::names;

/// A rule that `check` can report.
#[derive(Clone, Copy)]
pub struct CheckedRule {
    pub rule: &'static Rule,
    /// The encoding to which the rule applies; `None` for generic rules, which apply to every declared format.
    pub encoding: Option<Encoding>,
}

/// The generic rules, which apply to every declared format.
static GENERIC: About = About::new("any", "any declared format", || &[]);

/// Returns the rules of all formats and interchange formats, and the generic rules.
pub fn all_rules(formats: &Formats) -> impl Iterator<Item = CheckedRule> {
    let of_formats = formats.iter().flat_map(|format| {
        let encoding = Some(Encoding::Format(format));
        format
            .about()
            .rules
            .iter()
            .map(move |rule| CheckedRule { rule, encoding })
    });
    // Both forms of glTF have the same rule.
    let has_own_rule = |format: &&Interchange| format.name() != "gltf";
    let of_interchange = Interchange::ALL.iter().filter(has_own_rule).map(|format| {
        let encoding = Some(Encoding::Interchange(*format));
        CheckedRule {
            rule: format.rule(),
            encoding,
        }
    });
    of_formats
        .chain(of_interchange)
        .chain(GENERIC.rules.iter().map(|rule| CheckedRule {
            rule,
            encoding: None,
        }))
}

/// Returns the rule with the given code, ignoring case.
///
/// # Errors
///
/// Returns a usage error about `option` if the code is unknown.
pub fn find_rule(option: &str, code: &str, formats: &Formats) -> Result<CheckedRule> {
    let wanted = code.to_ascii_uppercase();
    if let Some(known) = all_rules(formats).find(|known| known.rule.code == wanted) {
        return Ok(known);
    }
    let failure = Failure::usage(option, format!("unknown rule `{code}`"));
    let codes = || all_rules(formats).map(|known| known.rule.code);
    let longer: Vec<_> = codes().filter(|code| code.starts_with(&wanted)).collect();
    let hint = match &names::similar_names(&wanted, codes())[..] {
        _ if longer.len() > 1 && !wanted.is_empty() => {
            format!("rules with this prefix: {}", longer.join(", "))
        }
        [] => "`meshspec check --explain` lists all rules".to_owned(),
        near => format!("rules with similar codes: {}", near.join(", ")),
    };
    Err(failure.with_hint(hint))
}
