//! Looks up rules by code.

use meshspec::interop::Interchange;
use meshspec::{About, Formats, Rule};

use crate::encoding::Encoding;
use crate::failure::{Failure, Result};
use crate::names;

/// A rule known to `check`.
#[derive(Clone, Copy)]
pub struct CheckedRule {
    pub rule: &'static Rule,
    /// The encoding that the rule applies to; `None` for the generic rules of declarations.
    pub encoding: Option<Encoding>,
}

/// The generic rules of declarations.
static ANY: About = About::new("any", "any declared format", || &[]);

/// Returns the rules of all formats and interchange formats, and the generic rules of declarations.
fn all(formats: &Formats) -> impl Iterator<Item = CheckedRule> {
    let of_formats = formats.iter().flat_map(|format| {
        let encoding = Some(Encoding::Format(format));
        format.about().rules.iter().map(move |rule| CheckedRule { rule, encoding })
    });
    let of_interchange = Interchange::ALL.iter().map(|format| {
        let encoding = Some(Encoding::Interchange(*format));
        CheckedRule { rule: format.rule(), encoding }
    });
    of_formats.chain(of_interchange).chain(ANY.rules.iter().map(|rule| CheckedRule { rule, encoding: None }))
}

/// Returns the rule with a code, ignoring case.
///
/// # Errors
///
/// Returns incorrect usage of `option` if the code is unknown.
pub fn find(option: &str, code: &str, formats: &Formats) -> Result<CheckedRule> {
    let wanted = code.to_ascii_uppercase();
    if let Some(known) = all(formats).find(|known| known.rule.code == wanted) {
        return Ok(known);
    }
    let failure = Failure::usage(option, format!("unknown rule `{code}`"));
    let codes = || all(formats).map(|known| known.rule.code);
    let longer: Vec<_> = codes().filter(|code| code.starts_with(&wanted)).collect();
    let hint = match &names::similar(&wanted, codes())[..] {
        _ if longer.len() > 1 && !wanted.is_empty() => {
            format!("rules with this prefix: {}", longer.join(", "))
        }
        [] => "`check` prints the code of a rule in brackets; docs/rules.md lists all".to_owned(),
        near => format!("rules with similar codes: {}", near.join(", ")),
    };
    Err(failure.with_hint(hint))
}
