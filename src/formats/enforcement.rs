//! Descriptions of how rules are enforced.

use super::About;
use crate::layout::grammar::Grammar;
use crate::layout::schema::declared_rules;
use crate::{Enforcement, Rule};

/// Describes in Markdown what enforces a rule: requirements of the declaration, the structure, or code.
pub(super) fn text(about: &About, grammar: Option<&Grammar>, rule: &Rule) -> String {
    match rule.enforced_by {
        Enforcement::Declaration => {
            let declared =
                declared_rules(about.layouts()).into_iter().filter(|declared| declared.rule == rule);
            let declared = declared.map(|declared| format!("`{}`: {}", declared.field, declared.requirement));
            let columns = grammar.map_or(&[][..], |grammar| grammar.rules).iter();
            let columns = columns.filter(|column| column.rule == rule);
            let columns = columns.map(|column| format!("column `{}`", column.column));
            declared.chain(columns).collect::<Vec<_>>().join("; ")
        }
        Enforcement::Structure => "structure".to_owned(),
        Enforcement::Code(reason) => format!("code: {reason}"),
    }
}

/// Returns the note in a format's schemas that explains ids and codes and lists the rules enforced in code.
pub(super) fn note(about: &About) -> String {
    let others = about.rules.iter().filter(|rule| rule.enforced_by != Enforcement::Declaration);
    let others =
        others.map(|rule| format!("- {} ({}): {}\n", rule.reference(), rule.severity.name(), rule.summary));
    format!(
        "An id of a letter and a number in parentheses is a row of {REPOSITORY}/blob/main/docs/interpretations.md,\n\
         which says how an unclear sentence of the specification is read. A code in capitals is a rule:\n\
         `meshspec check --explain CODE` explains it.\n\nRules that no field states:\n\n{}",
        others.collect::<String>()
    )
}

const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");
